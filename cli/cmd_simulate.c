/* cmd_simulate.c - scone simulate: problems with a known graph, of a control and conditions. */
#include "commands.h"
#include "session.h"
#include "setting_options.h"

#include <string.h>

const command command_simulate = {
    .name = "simulate",
    .synopsis = "scone simulate SETTING -o DIR [options]\n"
                "scone simulate --nodes N --edges E -o DIR [options]\n"
                "scone simulate --list",
    .summary = "makes benchmark data with a known graph and known targets",
    .about = "SETTING is a named setting (see --list), 'custom', or the path of a setting.json\n"
             "from an earlier run; options change it. DIR gets g0/obs.csv, int.csv, graph.csv\n"
             "and targets.csv, then g1, ..., and setting.json; with --conditions K c1.csv to\n"
             "cK.csv stand in the place of int.csv. It appears when everything is written. The\n"
             "same setting and seed give the same bytes whatever --threads is.",
    .examples = "scone simulate ood-20-20 --count 2 --seed 7 -o demo\n"
                "scone simulate --nodes 5 --edges 6 --mechanisms linear,nn --samples 500 -o small\n"
                "scone simulate ood-20-30 --conditions 5 --samples 500 --count 2 -o many",
    .words = scone_setting_names,
};

typedef struct simulate_options {
    const char *folder;
    setting_options setting;
    int format;
    bool force, list;
} simulate_options;

/* ---- the command ---- */

static int simulate(session *s, const char *name, const simulate_options *o)
{
    scone_setting setting;
    bool changed;
    scone_status status = setting_base(&setting, name);
    if (status != SCONE_OK) return session_fail(s, status);
    int code = setting_change(&setting, &changed, &command_simulate, &o->setting);
    if (code != SCONE_OK) {
        s->failed = true;
        return code;
    }
    /* The name stands for a distribution; another distribution must not carry it. */
    if (changed) { /* names that begin with train have graphs of their own (generator.md) */
        bool training = strncmp(setting.name, "train", 5) == 0;
        (void)snprintf(setting.name, sizeof setting.name, training ? "train-custom" : "custom");
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
    if (custom && !(o->setting.given.nodes && o->setting.given.edges)) {
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
        option_nodes(&o.setting),
        option_edges(&o.setting),
        option_mechanisms(&o.setting),
        option_noise(&o.setting),
        option_samples(&o.setting),
        option_control_samples(&o.setting),
        option_many_conditions(&o.setting),
        option_condition_targets(&o.setting),
        option_p_target(&o.setting),
        option_graphs(&o.setting),
        option_setting_seed(&o.setting),
        option_choice("format", 'f', "FORMAT", "csv (default) or dcdi (NPY files)", format_names,
                      &o.format, NULL),
        option_flag("force", 0,
                    "replace files in DIR that have the names of the output\n"
                    "even if no earlier run wrote them",
                    &o.force),
        option_flag("list", 'l', "list the named settings", &o.list),
        option_threads(&s),
        option_memory(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    return run_parsed(&s, table, &o, argc, argv);
}
