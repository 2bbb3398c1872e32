/* cmd_simulate.c - scone simulate: two-regime problems with a known graph. */
#include "commands.h"
#include "output.h"
#include "session.h"

#include <inttypes.h>
#include <string.h>

const command command_simulate = {
    .name = "simulate",
    .synopsis = "scone simulate SETTING -o DIR [options]\n"
                "scone simulate --nodes N --edges E -o DIR [options]\n"
                "scone simulate --list",
    .summary = "makes benchmark data with a known graph and known targets",
    .about =
        "SETTING is a named setting (see --list), 'custom', or the path of a setting.json from an\n"
        "earlier run; options change it. DIR gets g0/obs.csv, int.csv, graph.csv and targets.csv,\n"
        "then g1, ..., and setting.json. It appears when everything is written. The same setting\n"
        "and seed give the same bytes whatever the number of threads.",
    .examples = "scone simulate ood-20-20 --count 2 --seed 7 -o demo\n"
                "scone simulate --nodes 5 --edges 6 --mechanisms linear --samples 500 -o small",
};

typedef struct family {
    const char *name;
    unsigned bit;
} family;

static const family families[] = {
    {"linear", SCONE_LINEAR}, {"polynomial", SCONE_POLYNOMIAL}, {"sigmoid", SCONE_SIGMOID},
    {"nn", SCONE_NN},         {"nn_add", SCONE_NN_ADD},
};

enum { FAMILIES = sizeof families / sizeof *families };

static const char *const noise_choices[] = {"mixed", "additive", "multiplicative", NULL};
static const char *const format_choices[] = {"csv", "dcdi", NULL};

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
        for (size_t f = 0; f < FAMILIES; f++) {
            bool same =
                strlen(families[f].name) == length && strncmp(families[f].name, start, length) == 0;
            if (same) bit = families[f].bit;
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

static void mechanisms_text(char *out, size_t size, const scone_setting *setting)
{
    size_t used = 0;
    (void)snprintf(out, size, "%s", setting->wild ? "wild" : "");
    for (size_t f = 0; f < FAMILIES && !setting->wild && used < size; f++) {
        if (!(setting->families & families[f].bit)) continue;
        (void)snprintf(out + used, size - used, "%s%s", used ? ", " : "", families[f].name);
        used = strlen(out);
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

/* ---- printing ---- */

static void nodes_text(char *out, size_t size, const scone_setting *s)
{
    if (s->nodes_min == s->nodes_max) {
        (void)snprintf(out, size, "%zu", s->nodes_min);
    } else {
        (void)snprintf(out, size, "%zu..%zu", s->nodes_min, s->nodes_max);
    }
}

static void edges_text(char *out, size_t size, const scone_setting *s)
{
    const char *unit = s->edges_per_node ? "N" : "";
    if (s->edges_min == s->edges_max) {
        (void)snprintf(out, size, "%.6g%s", s->edges_min, unit);
    } else {
        (void)snprintf(out, size, "%.6g%s..%.6g%s", s->edges_min, unit, s->edges_max, unit);
    }
}

static void json_setting(json *j, cJSON *object, const scone_setting *s)
{
    json_text(j, object, "setting", s->name);
    cJSON *nodes = json_array(j, object, "nodes");
    json_append_number(j, nodes, (double)s->nodes_min);
    json_append_number(j, nodes, (double)s->nodes_max);
    cJSON *edges = json_array(j, object, s->edges_per_node ? "edges_per_node" : "edges");
    json_append_number(j, edges, s->edges_min);
    json_append_number(j, edges, s->edges_max);
    cJSON *mechanisms = json_array(j, object, "mechanisms");
    for (size_t f = 0; f < FAMILIES && !s->wild; f++) {
        if (!(s->families & families[f].bit)) continue;
        json_append_text(j, mechanisms, families[f].name, strlen(families[f].name));
    }
    if (!s->wild) json_text(j, object, "noise", noise_choices[s->noise]);
    json_flag(j, object, "wild", s->wild);
    json_number(j, object, "p_target", s->p_target);
    json_number(j, object, "samples", (double)s->samples);
    json_number(j, object, "count", (double)s->count);
    json_integer(j, object, "seed", s->seed);
}

static int print_written(const scone_setting *setting, const simulate_options *o, bool as_json)
{
    if (as_json) {
        json j;
        json_begin(&j);
        json_text(&j, j.root, "folder", o->folder);
        json_text(&j, j.root, "format", format_choices[o->format]);
        json_setting(&j, j.root, setting);
        return json_end(&j);
    }
    char nodes[64], edges[64], mechanisms[128];
    nodes_text(nodes, sizeof nodes, setting);
    edges_text(edges, sizeof edges, setting);
    mechanisms_text(mechanisms, sizeof mechanisms, setting);
    (void)printf("Wrote %zu %s of setting %s to %s\n", setting->count,
                 plural(setting->count, "problem", "problems"), setting->name, o->folder);
    (void)printf("  nodes %s, expected edges %s, mechanisms %s%s%s\n", nodes, edges, mechanisms,
                 setting->wild ? "" : ", noise ",
                 setting->wild ? "" : noise_choices[setting->noise]);
    (void)printf("  %zu samples per regime, target probability %.6g, seed %" PRIu64 "\n",
                 setting->samples, setting->p_target, setting->seed);
    if (o->format == SCONE_PROBLEM_CSV) {
        (void)printf("Each of %s/g0%s has obs.csv, int.csv, graph.csv and targets.csv.\n",
                     o->folder, setting->count > 1 ? ", g1, ..." : "");
    }
    return SCONE_OK;
}

static int print_list(session *s)
{
    const char *const *names = scone_setting_names();
    scone_setting setting;
    text_table table;
    json j = {0};
    cJSON *array = NULL;
    static const char *const heads[] = {"setting", "nodes", "edges", "graphs", "mechanisms"};
    table_begin(&table, 5);
    table_row(&table);
    for (size_t h = 0; h < 5; h++) table_cell(&table, h, "%s", heads[h]);
    if (s->as_json) {
        json_begin(&j);
        array = json_array(&j, j.root, "settings");
    }
    for (; *names; names++) {
        scone_status status = scone_setting_named(&setting, *names);
        if (status != SCONE_OK) return session_fail(s, status);
        if (s->as_json) {
            json_setting(&j, json_append_object(&j, array), &setting);
            continue;
        }
        char text[TABLE_CELL];
        table_row(&table);
        table_cell(&table, 0, "%s", setting.name);
        nodes_text(text, sizeof text, &setting);
        table_cell(&table, 1, "%s", text);
        edges_text(text, sizeof text, &setting);
        table_cell(&table, 2, "%s", text);
        table_cell(&table, 3, "%zu", setting.count);
        mechanisms_text(text, sizeof text, &setting);
        table_cell(&table, 4, "%s", text);
    }
    return s->as_json ? json_end(&j) : table_end(&table);
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
    return print_written(&setting, o, s->as_json);
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
    if (code == SCONE_OK) code = session_open(s);
    if (code != SCONE_OK) return code;
    if (o->list) return stdout_check(print_list(s));
    return session_close(s, simulate(s, parsed.positional[0], o));
}

int run_simulate(int argc, char **argv)
{
    session s = session_start();
    simulate_options o = {0};
    const option table[] = {
        {.name = "output",
         .letter = 'o',
         .kind = OPTION_TEXT,
         .placeholder = "DIR",
         .help = "the folder to write",
         .value = &o.folder},
        {.name = "nodes",
         .letter = 'n',
         .kind = OPTION_RANGE,
         .whole = true,
         .low = 2,
         .high = 100000,
         .placeholder = "N",
         .help = "variables, or a range A..B drawn per graph",
         .value = o.nodes,
         .given = &o.given.nodes},
        {.name = "edges",
         .letter = 'e',
         .kind = OPTION_RANGE,
         .high = 1e9,
         .placeholder = "E",
         .help = "expected edges, or a range A..B drawn per graph",
         .value = o.edges,
         .given = &o.given.edges},
        {.name = "mechanisms",
         .letter = 'm',
         .kind = OPTION_TEXT,
         .placeholder = "LIST",
         .help = "of linear, polynomial, sigmoid, nn, nn_add, with\n"
                 "commas (default of custom: polynomial,sigmoid)",
         .value = &o.mechanisms},
        {.name = "noise",
         .kind = OPTION_CHOICE,
         .choices = noise_choices,
         .placeholder = "KIND",
         .help = "mixed (default), additive or multiplicative, for\n"
                 "polynomial and sigmoid",
         .value = &o.noise,
         .given = &o.given.noise},
        {.name = "samples",
         .letter = 's',
         .kind = OPTION_COUNT,
         .low = 1,
         .high = 1e9,
         .placeholder = "ROWS",
         .help = "rows per regime (default 10000)",
         .value = &o.samples,
         .given = &o.given.samples},
        {.name = "p-target",
         .kind = OPTION_NUMBER,
         .high = 1,
         .placeholder = "P",
         .help = "chance that a node with parents is a target\n(default 0.4)",
         .value = &o.p_target,
         .given = &o.given.p_target},
        {.name = "count",
         .letter = 'c',
         .kind = OPTION_COUNT,
         .low = 1,
         .high = 1e9,
         .placeholder = "GRAPHS",
         .help = "how many problems (default: the setting's; custom: 1)",
         .value = &o.count,
         .given = &o.given.count},
        {.name = "seed",
         .kind = OPTION_SEED,
         .placeholder = "S",
         .help = "another seed, other data (default: the setting's)",
         .value = &o.seed,
         .given = &o.given.seed},
        {.name = "format",
         .letter = 'f',
         .kind = OPTION_CHOICE,
         .choices = format_choices,
         .placeholder = "FORMAT",
         .help = "csv (default) or dcdi (NPY files)",
         .value = &o.format},
        {.name = "force",
         .kind = OPTION_FLAG,
         .help = "replace DIR even if it holds other files",
         .value = &o.force},
        {.name = "list",
         .letter = 'l',
         .kind = OPTION_FLAG,
         .help = "list the named settings",
         .value = &o.list},
        OPTION_OF_THREADS(&s),
        OPTION_OF_JSON(&s),
        OPTION_OF_QUIET(&s),
        {.name = NULL},
    };
    return run_parsed(&s, table, &o, argc, argv);
}
