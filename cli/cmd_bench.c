/* cmd_bench.c - scone bench SETTING...: simulate, run every method on the same data, score, and
 * print the table.
 */
#include "comparison.h"
#include "commands.h"
#include "model_option.h"
#include "outside.h"
#include "scone_lab.h"
#include "session.h"
#include "setting_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const command command_bench = {
    .name = "bench",
    .synopsis = "scone bench SETTING... [--methods LIST] [-o FILE.csv] [options]",
    .summary = "runs methods on simulated data and prints their scores",
    .about =
        "SETTING is a named setting (scone simulate --list), 'custom' with --nodes and\n"
        "--edges, or the path of a setting.json; options change all of them. Every method\n"
        "runs on the same data. The table has the mean ± standard deviation over the\n"
        "graphs. FILE.csv gets a row per setting, graph and method and is complete after\n"
        "every graph; --resume keeps its rows and runs what is missing. Under mpirun the\n"
        "processes run a graph each.\n\n"
        "--method runs a command of others on the same graphs: it gets a folder with\n"
        "obs.csv and int.csv as $1 and writes edges.csv (source,target,kind) into the folder\n"
        "$2. What fails or takes too long is a row with a reason, which the means leave out.\n\n"
        "With --conditions K search sees each condition by itself; methods that know two\n"
        "tables get the control and all conditions together, and have no target scores.",
    .examples = "scone bench custom --nodes 5 --edges 5 --samples 300 --count 2 -o b.csv\n"
                "scone bench custom --nodes 5 --edges 5 --samples 300 --count 3 -o b.csv --resume",
    .words = scone_setting_names,
};

enum { BENCH_METHODS = 16 };

static const char *const effort_choices[] = {"normal", "fast", "thorough", NULL};

typedef struct bench_options {
    setting_options setting;
    const char *output, *methods, *model, *learners;
    int effort;
    size_t bootstrap, max_parents;
    bool bootstrap_given, resume, retry, force;
    outside_options outside;
} bench_options;

typedef struct method_list {
    char text[512];                                              /* the names, each with its NUL */
    const char *names[BENCH_METHODS + SCONE_BENCH_MOST_OUTSIDE]; /* own ones, then commands */
    char *models[BENCH_METHODS];                                 /* their weights, NULL: none */
    size_t count;                                                /* own ones */
    outside_list outside;
} method_list;

/* "ges,polybic" as names; without a list all methods, or none if there are commands. Returns an
 * exit code. */
static int parse_methods(method_list *list, const char *text, bool commands)
{
    size_t used = 0;
    *list = (method_list){.count = 0};
    for (const char *const *name = scone_method_names(); !text && !commands && *name; name++) {
        if (list->count < BENCH_METHODS) list->names[list->count++] = *name;
    }
    while (text) {
        size_t length = strcspn(text, ",");
        if (length == 0 || used + length + 1 > sizeof list->text || list->count == BENCH_METHODS) {
            return usage_error(&command_bench, "--methods: give names with commas between them");
        }
        memcpy(list->text + used, text, length);
        list->text[used + length] = '\0';
        list->names[list->count++] = list->text + used;
        used += length + 1;
        text = text[length] ? text + length + 1 : NULL;
    }
    return SCONE_OK;
}

/* One file has the weights of one preset. */
static int check_model(const method_list *list, const char *model)
{
    size_t learned = 0;
    struct stat about;
    bool folder = model && stat(model, &about) == 0 && S_ISDIR(about.st_mode);
    for (size_t m = 0; m < list->count; m++) learned += scone_preset_learned(list->names[m]);
    if (!model || learned == 1 || (folder && learned > 0)) return SCONE_OK;
    return usage_error(&command_bench,
                       learned ? "--model FILE goes with one of the methods that have weights; for "
                                 "several give the folder that holds NAME.safetensors"
                               : "--model goes with a method that has weights");
}

static int check_learners(const method_list *list, const char *learners)
{
    bool vote = !learners;
    for (size_t m = 0; m < list->count; m++) vote = vote || scone_preset_votes(list->names[m]);
    if (vote) return SCONE_OK;
    return usage_error(&command_bench, "--learners goes with paper, paper-nb or paper-nc among the "
                                       "methods");
}

/* The weights of the methods. Where nobody asked for a method, one without is left out. */
static int find_models(method_list *list, session *s, const bench_options *o)
{
    size_t kept = 0;
    int code = SCONE_OK;
    for (size_t m = 0; m < list->count && code == SCONE_OK; m++) {
        const char *name = list->names[m];
        char *path = NULL;
        if (scone_preset_learned(name)) {
            scone_status status = scone_model_find(&path, name, o->model);
            if (status == SCONE_ERR_IO && !o->methods) continue;
            if (status != SCONE_OK) code = session_fail(s, status);
        }
        list->names[kept] = name;
        list->models[kept++] = path;
    }
    list->count = kept;
    return code;
}

/* Names of the commands after those of the own methods, as the benchmark numbers them. */
static size_t name_outside(method_list *list)
{
    for (size_t m = 0; m < list->outside.count; m++) {
        list->names[list->count + m] = list->outside.items[m].name;
    }
    return list->count + list->outside.count;
}

static void free_models(method_list *list)
{
    for (size_t m = 0; m < list->count; m++) free(list->models[m]);
}

/* ---- the command ---- */

/* The settings of the arguments with the options applied; returns an exit code. */
static int make_settings(scone_setting *settings, session *s, const arguments *parsed,
                         const bench_options *o)
{
    for (int a = 0; a < parsed->count; a++) {
        bool changed; /* rows and titles tell all parts of a setting, so it keeps its name */
        scone_status status = setting_base(&settings[a], parsed->positional[a]);
        if (status != SCONE_OK) return session_fail(s, status);
        int code = setting_change(&settings[a], &changed, &command_bench, &o->setting);
        if (code != SCONE_OK) {
            s->failed = true;
            return code;
        }
    }
    return SCONE_OK;
}

static int bench(session *s, const arguments *parsed, const bench_options *o, method_list *methods)
{
    size_t method_count = name_outside(methods);
    scone_setting settings[OPTIONS_POSITIONAL];
    scone_bench *result = NULL;
    int code = make_settings(settings, s, parsed, o);
    if (code != SCONE_OK) return code;
    scone_bench_options options = {.settings = settings,
                                   .setting_count = (size_t)parsed->count,
                                   .methods = methods->names,
                                   .method_count = methods->count,
                                   .models = (const char *const *)methods->models,
                                   .outside = methods->outside.items,
                                   .outside_count = methods->outside.count,
                                   .run_outside = outside_run,
                                   .user = &methods->outside,
                                   .output = o->output,
                                   .resume = o->resume,
                                   .retry = o->retry,
                                   .force = o->force};
    options.discover.effort = (scone_effort)o->effort;
    options.discover.learners = o->learners;
    options.discover.max_parents = o->max_parents;
    options.discover.bootstrap = o->bootstrap;
    if (o->bootstrap_given && o->bootstrap == 0) options.discover.bootstrap = SCONE_BOOTSTRAP_NONE;
    session_catch_signals();
    if (o->output) s->kept = "the rows of finished graphs are kept; go on with --resume -o";
    s->kept_in = o->output;
    scone_status status = scone_bench_run(&result, &options, &s->context);
    if (status != SCONE_OK) return session_fail(s, status);
    session_hide_bar(s);
    code = (s->as_json ? comparison_json : comparison_print)(
        result, settings, (size_t)parsed->count, methods->names, method_count);
    scone_bench_free(result);
    return code;
}

static int check_usage(const arguments *parsed, const bench_options *o)
{
    const command *about = &command_bench;
    if (parsed->count == 0) {
        return usage_error(about, "give at least one SETTING (scone simulate --list)");
    }
    for (int a = 0; a < parsed->count; a++) {
        bool custom = strcmp(parsed->positional[a], "custom") == 0;
        if (custom && !(o->setting.given.nodes && o->setting.given.edges)) {
            return usage_error(about, "the setting custom needs --nodes and --edges");
        }
    }
    if ((o->resume || o->force) && !o->output) {
        return usage_error(about, "--%s goes with -o FILE.csv", o->resume ? "resume" : "force");
    }
    if (o->retry && !o->resume) return usage_error(about, "--retry goes with --resume");
    if (o->resume && o->force) return usage_error(about, "give --resume or --force, not both");
    return SCONE_OK;
}

static int run_parsed(session *s, const option *table, const bench_options *o, int argc,
                      char **argv)
{
    arguments parsed;
    method_list methods;
    if (!options_parse(&parsed, &command_bench, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_bench, table);
        return stdout_check(SCONE_OK);
    }
    int code = check_usage(&parsed, o);
    bool commands = o->outside.methods.count > 0;
    if (code == SCONE_OK) code = parse_methods(&methods, o->methods, commands);
    if (code == SCONE_OK) code = outside_parse(&methods.outside, &command_bench, &o->outside);
    if (code == SCONE_OK) code = check_model(&methods, o->model);
    if (code == SCONE_OK) code = check_learners(&methods, o->learners);
    if (code == SCONE_OK) code = session_open(s);
    if (code != SCONE_OK) return code;
    code = find_models(&methods, s, o);
    if (code == SCONE_OK) code = bench(s, &parsed, o, &methods);
    free_models(&methods);
    return session_close(s, code);
}

int run_bench(int argc, char **argv)
{
    session s = session_start();
    bench_options o = {0};
    const option table[] = {
        option_words("methods", 0, "LIST",
                     "with commas: search, ges, polybic, paper, paper-nb,\n"
                     "paper-nc, best, best-ood, or to compare with: empty,\n"
                     "variance, r2, kurtosis (default: all that need no weights\n"
                     "or have them; none with --method)",
                     scone_method_names(), &o.methods),
        option_texts("method", "NAME=COMMAND",
                     "a method that /bin/sh runs as COMMAND, with the folders of\n"
                     "the problem and of the answer; may be given several times",
                     &o.outside.methods),
        option_number(OPTION_NUMBER, "time-limit", 0, "SECONDS",
                      "ends a COMMAND that takes longer (default: none)", 0.001, 1e7,
                      &o.outside.limit, NULL),
        option_text("tell-targets", 0, "NAME,...",
                    "commands that get the true targets, as targets.csv", &o.outside.told),
        option_model(&o.model),
        option_learners(&o.learners),
        option_text("output", 'o', "FILE", "the CSV file to write", &o.output),
        option_flag("resume", 0, "keep the rows of FILE and run what is missing", &o.resume),
        option_flag("retry", 0, "with --resume: run again what failed or took too long", &o.retry),
        option_flag("force", 0, "replace an existing FILE", &o.force),
        option_choice("effort", 0, "HOW", "fast, normal (default) or thorough", effort_choices,
                      &o.effort, NULL),
        option_number(OPTION_COUNT, "bootstrap", 'b', "N",
                      "replicates behind the probabilities of ges and polybic;\n"
                      "0 for none (default: by effort)",
                      0, 1e6, &o.bootstrap, &o.bootstrap_given),
        option_number(OPTION_COUNT, "max-parents", 0, "N",
                      "causes that a variable may have at most", 1, 1e6, &o.max_parents, NULL),
        option_graphs(&o.setting),
        option_setting_seed(&o.setting),
        option_samples(&o.setting),
        option_control_samples(&o.setting),
        option_many_conditions(&o.setting),
        option_condition_targets(&o.setting),
        option_nodes(&o.setting),
        option_edges(&o.setting),
        option_mechanisms(&o.setting),
        option_noise(&o.setting),
        option_p_target(&o.setting),
        option_threads(&s),
        option_memory(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    return run_parsed(&s, table, &o, argc, argv);
}
