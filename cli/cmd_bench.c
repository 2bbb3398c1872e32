/* cmd_bench.c - scone bench SETTING...: simulate, run every method on the same data, score, and
 * print the table.
 */
#include "commands.h"
#include "models.h"
#include "printing.h"
#include "score_names.h"
#include "session.h"
#include "setting_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const command command_bench = {
    .name = "bench",
    .synopsis = "scone bench SETTING... [--methods LIST] [-o FILE.csv] [options]",
    .summary = "runs methods on simulated data and prints their scores",
    .about = "SETTING is a named setting (scone simulate --list), 'custom' with --nodes and\n"
             "--edges, or the path of a setting.json; options change all of them. Every method\n"
             "runs on the same data. The table has the mean ± standard deviation over the\n"
             "graphs. FILE.csv gets a row per setting, graph and method and is complete after\n"
             "every graph; --resume keeps its rows and runs what is missing. Under mpirun the\n"
             "processes run a graph each.",
    .examples = "scone bench custom --nodes 5 --edges 5 --samples 300 --count 2 -o b.csv\n"
                "scone bench custom --nodes 5 --edges 5 --samples 300 --count 3 -o b.csv --resume",
};

enum { BENCH_METHODS = 16 };

static const char *const effort_choices[] = {"normal", "fast", "thorough", NULL};

typedef struct bench_options {
    setting_options setting;
    const char *output, *methods, *model;
    int effort;
    size_t bootstrap, max_parents;
    bool bootstrap_given, resume, force;
} bench_options;

typedef struct method_list {
    char text[512]; /* the names, each with its NUL */
    const char *names[BENCH_METHODS];
    char *models[BENCH_METHODS]; /* their weights, NULL: none */
    size_t count;
} method_list;

/* "ges,polybic" as names, or all methods without a list; returns an exit code. */
static int parse_methods(method_list *list, const char *text)
{
    size_t used = 0;
    *list = (method_list){.count = 0};
    for (const char *const *name = scone_method_names(); !text && *name; name++) {
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

/* The weights of the methods. Where nobody asked for a method, one without is left out. */
static int find_models(method_list *list, session *s, const bench_options *o)
{
    size_t kept = 0;
    int code = SCONE_OK;
    for (size_t m = 0; m < list->count && code == SCONE_OK; m++) {
        const char *name = list->names[m];
        char *path = NULL;
        bool learned = scone_preset_learned(name);
        if (learned) {
            code = o->methods ? models_find(&path, s, name, o->model)
                              : models_look(&path, s, name, o->model);
        }
        if (learned && !path) continue;
        list->names[kept] = name;
        list->models[kept++] = path;
    }
    list->count = kept;
    return code;
}

static void free_models(method_list *list)
{
    for (size_t m = 0; m < list->count; m++) free(list->models[m]);
}

/* ---- printing ---- */

static void print_title(const scone_setting *s)
{
    char nodes[64], edges[64], mechanisms[128];
    nodes_text(nodes, sizeof nodes, s);
    edges_text(edges, sizeof edges, s);
    mechanisms_text(mechanisms, sizeof mechanisms, s);
    (void)printf("%s: %s nodes, %s edges, %s%s%s, %zu rows, %zu %s, seed %" PRIu64 "\n", s->name,
                 nodes, edges, mechanisms, s->wild ? "" : ", noise ",
                 s->wild ? "" : noise_names[s->noise], s->samples, s->count,
                 plural(s->count, "graph", "graphs"), s->seed);
}

/* "2.80 ± 1.10"; the spread is left out if there is none. */
static void spread_cell(text_table *table, size_t column, int digits, double mean, double sd)
{
    if (isnan(mean)) {
        table_cell(table, column, "-");
    } else if (isnan(sd)) {
        table_cell(table, column, "%.*f", digits, mean);
    } else {
        table_cell(table, column, "%.*f ± %.*f", digits, mean, digits, sd);
    }
}

static int print_setting(const scone_bench *bench, const scone_setting *setting, size_t index,
                         const method_list *methods)
{
    static const char *const heads[] = {"method", "SHD",      "F1",       "precision",
                                        "recall", "skel. F1", "targ. F1", "seconds"};
    enum { HEADS = sizeof heads / sizeof *heads };
    text_table table;
    print_title(setting);
    table_begin(&table, HEADS);
    table_row(&table);
    for (size_t h = 0; h < HEADS; h++) table_cell(&table, h, "%s", heads[h]);
    for (size_t m = 0; m < methods->count; m++) {
        scone_scores mean, sd;
        double seconds, seconds_sd;
        (void)scone_bench_summary(bench, index, m, &mean, &sd, &seconds, &seconds_sd);
        table_row(&table);
        table_cell(&table, 0, "%s", methods->names[m]);
        spread_cell(&table, 1, 2, mean.shd, sd.shd);
        spread_cell(&table, 2, 3, mean.f1, sd.f1);
        spread_cell(&table, 3, 3, mean.precision, sd.precision);
        spread_cell(&table, 4, 3, mean.recall, sd.recall);
        spread_cell(&table, 5, 3, mean.skeleton_f1, sd.skeleton_f1);
        spread_cell(&table, 6, 3, mean.target_f1, sd.target_f1);
        spread_cell(&table, 7, 2, seconds, seconds_sd);
    }
    return table_end(&table);
}

static int print_text(const scone_bench *bench, const scone_setting *settings, size_t count,
                      const method_list *methods)
{
    int code = SCONE_OK;
    for (size_t s = 0; s < count && code == SCONE_OK; s++) {
        if (s > 0) (void)printf("\n");
        code = print_setting(bench, &settings[s], s, methods);
    }
    return code;
}

static int print_json(const scone_bench *bench, const scone_setting *settings, size_t count,
                      const method_list *methods)
{
    json j;
    json_begin(&j);
    cJSON *array = json_array(&j, j.root, "settings");
    for (size_t s = 0; s < count; s++) {
        cJSON *object = json_append_object(&j, array);
        json_setting(&j, object, &settings[s]);
        cJSON *rows = json_array(&j, object, "methods");
        for (size_t m = 0; m < methods->count; m++) {
            scone_scores mean, sd;
            double seconds, seconds_sd;
            size_t graphs = scone_bench_summary(bench, s, m, &mean, &sd, &seconds, &seconds_sd);
            cJSON *row = json_append_object(&j, rows);
            json_text(&j, row, "method", methods->names[m]);
            json_number(&j, row, "graphs", (double)graphs);
            json_scores(&j, json_object(&j, row, "mean"), &mean);
            json_scores(&j, json_object(&j, row, "sd"), &sd);
            json_number(&j, row, "seconds", seconds);
            json_number(&j, row, "seconds_sd", seconds_sd);
        }
    }
    return json_end(&j);
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

static int bench(session *s, const arguments *parsed, const bench_options *o,
                 const method_list *methods)
{
    scone_setting settings[OPTIONS_POSITIONAL];
    scone_bench *result = NULL;
    int code = make_settings(settings, s, parsed, o);
    if (code != SCONE_OK) return code;
    scone_bench_options options = {.settings = settings,
                                   .setting_count = (size_t)parsed->count,
                                   .methods = methods->names,
                                   .method_count = methods->count,
                                   .models = (const char *const *)methods->models,
                                   .output = o->output,
                                   .resume = o->resume,
                                   .force = o->force};
    options.discover.effort = (scone_effort)o->effort;
    options.discover.max_parents = o->max_parents;
    options.discover.bootstrap = o->bootstrap;
    if (o->bootstrap_given && o->bootstrap == 0) options.discover.bootstrap = SCONE_BOOTSTRAP_NONE;
    session_catch_signals();
    scone_status status = scone_bench_run(&result, &options, &s->context);
    if (status != SCONE_OK) return session_fail(s, status);
    session_hide_bar(s);
    code = s->as_json ? print_json(result, settings, (size_t)parsed->count, methods)
                      : print_text(result, settings, (size_t)parsed->count, methods);
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
    if (code == SCONE_OK) code = parse_methods(&methods, o->methods);
    if (code == SCONE_OK) code = check_model(&methods, o->model);
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
        option_text("methods", 0, "LIST",
                    "with commas: search, ges, polybic, paper, paper-nb,\n"
                    "paper-nc, best, best-ood, or to compare with: empty,\n"
                    "variance, r2, kurtosis (default: all that need no weights\n"
                    "or have them)",
                    &o.methods),
        option_model(&o.model),
        option_text("output", 'o', "FILE", "the CSV file to write", &o.output),
        option_flag("resume", 0, "keep the rows of FILE and run what is missing", &o.resume),
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
        option_nodes(&o.setting),
        option_edges(&o.setting),
        option_mechanisms(&o.setting),
        option_noise(&o.setting),
        option_p_target(&o.setting),
        option_threads(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    return run_parsed(&s, table, &o, argc, argv);
}
