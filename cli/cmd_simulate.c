/* cmd_simulate.c - scone simulate: two-regime problems with a known graph. */
#include "commands.h"
#include "session.h"
#include "setting.h"

#include <string.h>

const command command_simulate = {
    .name = "simulate",
    .synopsis = "scone simulate SETTING -o DIR [options]\n"
                "scone simulate --nodes N --edges E -o DIR [options]\n"
                "scone simulate --list",
    .summary = "makes benchmark data with a known graph and known targets",
    .about = "SETTING is a named setting (see --list), 'custom', or the path of a setting.json\n"
             "from an earlier run; options change it. DIR gets g0/obs.csv, int.csv, graph.csv\n"
             "and targets.csv, then g1, ..., and setting.json. It appears when everything is\n"
             "written. The same setting and seed give the same bytes whatever --threads is.",
    .examples = "scone simulate ood-20-20 --count 2 --seed 7 -o demo\n"
                "scone simulate --nodes 5 --edges 6 --mechanisms linear,nn --samples 500 -o small",
};

typedef struct simulate_options {
    const char *folder, *mechanisms;
    double nodes[2], edges[2], p_target;
    size_t samples, count;
    uint64_t seed;
    int noise, format;
    bool force, list;
    struct {
        bool nodes, edges, noise, p_target, samples, count, seed;
    } given;
} simulate_options;

/* ---- the setting ---- */

/* "linear,nn" as a bit set; 0 after a usage error. */
static unsigned parse_mechanisms(const char *text)
{
    unsigned set = 0;
    for (const char *start = text;; start++) {
        size_t length = strcspn(start, ",");
        unsigned bit = 0;
        for (size_t f = 0; family_names[f].name; f++) {
            bool same = strlen(family_names[f].name) == length &&
                        strncmp(family_names[f].name, start, length) == 0;
            if (same) bit = family_names[f].bit;
        }
        if (!bit) {
            (void)usage_error(&command_simulate,
                              "--mechanisms: '%.*s' is not one of linear, polynomial, sigmoid, nn, "
                              "nn_add",
                              length > 100 ? 100 : (int)length, start);
            return 0;
        }
        set |= bit;
        start += length;
        if (!*start) return set;
    }
}

static bool is_path(const char *text)
{
    size_t length = strlen(text);
    return strchr(text, '/') || (length > 5 && strcmp(text + length - 5, ".json") == 0);
}

/* The setting before options change it. */
static scone_status base_setting(scone_setting *setting, const char *name)
{
    if (name && is_path(name)) return scone_setting_read(setting, name);
    if (name && strcmp(name, "custom") != 0) return scone_setting_named(setting, name);
    scone_status status = scone_setting_named(setting, "ood-20-20");
    (void)snprintf(setting->name, sizeof setting->name, "custom");
    setting->count = 1;
    return status;
}

/* Applies the options; returns an exit code. */
static int change_setting(scone_setting *setting, const simulate_options *o)
{
    bool changed =
        o->given.nodes || o->given.edges || o->mechanisms || o->given.noise || o->given.p_target;
    if (setting->wild && (o->mechanisms || o->given.noise)) {
        return usage_error(
            &command_simulate,
            "%s has its own mechanisms and noise; leave --mechanisms and --noise out",
            setting->name);
    }
    if (o->given.nodes) {
        setting->nodes_min = (size_t)o->nodes[0];
        setting->nodes_max = (size_t)o->nodes[1];
    }
    if (o->given.edges) {
        setting->edges_min = o->edges[0];
        setting->edges_max = o->edges[1];
        setting->edges_per_node = false;
    }
    if (o->mechanisms) {
        setting->families = parse_mechanisms(o->mechanisms);
        if (!setting->families) return SCONE_ERR_USAGE;
    }
    if (o->given.noise) setting->noise = (scone_noise)o->noise;
    if (o->given.p_target) setting->p_target = o->p_target;
    if (o->given.samples) setting->samples = o->samples;
    if (o->given.count) setting->count = o->count;
    if (o->given.seed) setting->seed = o->seed;
    /* The name stands for a distribution; another distribution must not carry it. */
    if (changed) (void)snprintf(setting->name, sizeof setting->name, "custom");
    return SCONE_OK;
}

/* ---- the command ---- */

static int simulate(session *s, const char *name, const simulate_options *o)
{
    scone_setting setting;
    scone_status status = base_setting(&setting, name);
    if (status != SCONE_OK) return session_fail(s, status);
    int code = change_setting(&setting, o);
    if (code != SCONE_OK) {
        s->failed = true;
        return code;
    }
    session_catch_signals();
    status = scone_simulate_write(&setting, o->folder, (scone_problem_format)o->format, o->force,
                                  &s->context);
    if (status != SCONE_OK) return session_fail(s, status);
    session_hide_bar(s);
    return print_written(&setting, o->folder, (scone_problem_format)o->format, s->as_json);
}

static int check_usage(const arguments *parsed, const simulate_options *o)
{
    const command *about = &command_simulate;
    if (parsed->count > 1) return usage_error(about, "it takes one SETTING, not several");
    if (o->list) {
        return parsed->count ? usage_error(about, "--list takes no SETTING") : SCONE_OK;
    }
    bool custom = parsed->count == 0 || strcmp(parsed->positional[0], "custom") == 0;
    if (custom && !(o->given.nodes && o->given.edges)) {
        return usage_error(about, "give a SETTING (scone simulate --list), or --nodes and --edges");
    }
    if (!o->folder) return usage_error(about, "give the folder to write with -o DIR");
    return SCONE_OK;
}

static int run_parsed(session *s, const option *table, const simulate_options *o, int argc,
                      char **argv)
{
    arguments parsed;
    if (!options_parse(&parsed, &command_simulate, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_simulate, table);
        return stdout_check(SCONE_OK);
    }
    int code = check_usage(&parsed, o);
    if (code == SCONE_OK && o->list) return stdout_check(print_settings(s));
    if (code == SCONE_OK) code = session_open(s);
    if (code != SCONE_OK) return code;
    return session_close(s, simulate(s, parsed.positional[0], o));
}

int run_simulate(int argc, char **argv)
{
    session s = session_start();
    simulate_options o = {0};
    const option table[] = {
        option_text("output", 'o', "DIR", "the folder to write", &o.folder),
        option_number(OPTION_WHOLE_RANGE, "nodes", 'n', "N",
                      "variables, or a range A..B drawn per graph", 2, 100000, o.nodes,
                      &o.given.nodes),
        option_number(OPTION_RANGE, "edges", 'e', "E",
                      "expected edges, or a range A..B drawn per graph", 0, 1e9, o.edges,
                      &o.given.edges),
        option_text("mechanisms", 'm', "LIST",
                    "of linear, polynomial, sigmoid, nn, nn_add, with\n"
                    "commas (default of custom: polynomial,sigmoid)",
                    &o.mechanisms),
        option_choice("noise", 0, "KIND",
                      "mixed (default), additive or multiplicative, for\n"
                      "polynomial and sigmoid",
                      noise_names, &o.noise, &o.given.noise),
        option_number(OPTION_COUNT, "samples", 's', "ROWS", "rows per regime (default 10000)", 1,
                      1e9, &o.samples, &o.given.samples),
        option_number(OPTION_NUMBER, "p-target", 0, "P",
                      "chance that a node with parents is a target\n(default 0.4)", 0, 1,
                      &o.p_target, &o.given.p_target),
        option_number(OPTION_COUNT, "count", 'c', "GRAPHS",
                      "how many problems (default: the setting's; custom: 1)", 1, 1e9, &o.count,
                      &o.given.count),
        option_number(OPTION_SEED, "seed", 0, "S",
                      "another seed, other data (default: the setting's)", 0, 0, &o.seed,
                      &o.given.seed),
        option_choice("format", 'f', "FORMAT", "csv (default) or dcdi (NPY files)", format_names,
                      &o.format, NULL),
        option_flag("force", 0,
                    "replace files in DIR that have the names of the output\n"
                    "even if no earlier run wrote them",
                    &o.force),
        option_flag("list", 'l', "list the named settings", &o.list),
        option_threads(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    return run_parsed(&s, table, &o, argc, argv);
}
