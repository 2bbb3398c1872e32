/* cmd_discover.c - scone discover OBS INT -o DIR: from two tables to a graph. */
#include "commands.h"
#include "cmd_discover_found.h"
#include "launch.h"
#include "model_option.h"
#include "scone_lab.h"
#include "session.h"
#include "input_tables.h"

#include <stdlib.h>
#include <string.h>

const command command_discover = {
    .name = "discover",
    .synopsis = "scone discover OBS INT -o DIR [options]\n"
                "scone discover CONTROL [NAME=]CONDITION... -o DIR [options]\n"
                "scone discover DATA --conditions COLUMN[=CONTROL[,NAME...]] -o DIR [options]\n"
                "scone discover DATA --regime COLUMN[=CONTROL] -o DIR [options]\n"
                "scone discover FOLDER [--index I] -o DIR [options]",
    .summary = "finds the causal graph and what changed, from two tables",
    .about = "OBS and INT are tables over the same variables from before and after a change of\n"
             "some unknown mechanisms: CSV or TSV with a header (also .gz) or NPY. DIR gets\n"
             "edges.csv, probabilities.csv, targets.csv, graph.json, graph.dot, graph.graphml,\n"
             "run.json and report.html, all at once when the work is done; an earlier result of\n"
             "the same tables is replaced. The same data and seed give the same result whatever\n"
             "--threads, the number of processes (mpirun -n 4 scone discover ...) or the order\n"
             "of the columns is.\n"
             "\n"
             "Several conditions share the graph, and each has changed mechanisms of its own;\n"
             "sizes.csv then has how far each variable moved in each of them.\n"
             "\n"
             "A knowledge file has lines such as: A -> B (required), A !-> B (forbidden),\n"
             "tier 1: A B C, target A, not-target A; target A @ NAME is about the condition\n"
             "of that name. It is honoured, or refused by line.",
    .examples = "scone simulate custom --nodes 6 --edges 6 --samples 500 -o demo\n"
                "scone discover demo/g0/obs.csv demo/g0/int.csv -o result\n"
                "scone eval result demo/g0",
};

static const char *const rule_words[] = {"all", "none", "paper", "ssi", "cvt", "dpt", "scr", NULL};
static const char *const na_choices[] = {"error", "drop", NULL};
static const scone_na na_values[] = {SCONE_NA_ERROR, SCONE_NA_DROP};
static const char *const effort_choices[] = {"normal", "fast", "thorough", NULL};
static const scone_effort effort_values[] = {SCONE_EFFORT_NORMAL, SCONE_EFFORT_FAST,
                                             SCONE_EFFORT_THOROUGH};

typedef struct discover_options {
    tables_options tables;
    const char *folder, *knowledge, *rules, *model, *learners;
    int na, effort, preset;
    double alpha, threshold, margin;
    size_t bootstrap, max_parents;
    bool preset_given, bootstrap_given, margin_given, force;
    uint64_t seed;
} discover_options;

/* ---- the command line, for the record ---- */

/* Is the argument the same to a shell without quotes? */
static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";
    return *text && strspn(text, plain) == strlen(text);
}

/* "scone discover a.csv 'my file.csv' -o out" in new memory, or NULL. */
static char *join_command(int argc, char **argv)
{
    size_t size = 8;
    for (int i = 0; i < argc; i++) size += 4 * strlen(argv[i]) + 4;
    char *line = malloc(size);
    if (!line) return NULL;
    size_t used = (size_t)snprintf(line, size, "scone");
    for (int i = 0; i < argc; i++) {
        bool plain = is_plain(argv[i]);
        line[used++] = ' ';
        if (!plain) line[used++] = '\'';
        for (const char *c = argv[i]; *c; c++) {
            if (*c == '\'') {
                memcpy(line + used, "'\\'", 3); /* closes, escapes, and the quote opens again */
                used += 3;
            }
            line[used++] = *c;
        }
        if (!plain) line[used++] = '\'';
    }
    line[used] = '\0';
    return line;
}

/* ---- the run ---- */

static int out_of_memory(session *s)
{
    complain("out of memory");
    s->failed = true;
    return SCONE_ERR_MEMORY;
}

/* NULL: whichever is best here */
static const char *asked_preset(const discover_options *o)
{
    return o->preset_given ? scone_preset_names()[o->preset] : NULL;
}

/* The weights of the preset, of `best` if none was asked for; NULL if none are needed, or if none
 * are there and no preset needs them. */
static int find_weights(char **weights, session *s, const discover_options *o)
{
    const char *preset = asked_preset(o);
    *weights = NULL;
    if (preset && !scone_preset_learned(preset)) return SCONE_OK;
    scone_status status = scone_model_find(weights, preset ? preset : "best", o->model);
    if (status == SCONE_ERR_IO && !preset) return SCONE_OK;
    return status == SCONE_OK ? SCONE_OK : session_fail(s, status);
}

/* The name of the changed table: its file's without folder and endings; NULL if it has no file of
 * its own. The caller frees it. */
static int name_condition(char **name, session *s, const tables_files *files,
                          const discover_options *o)
{
    *name = NULL;
    if (files->count != 2 || files->dcdi || o->tables.regime) return SCONE_OK;
    const char *path = files->paths[1], *slash = strrchr(path, '/');
    *name = strdup(slash ? slash + 1 : path);
    if (!*name) return out_of_memory(s);
    char *end = strrchr(*name, '.');
    if (end && end > *name && strcmp(end, ".gz") == 0) {
        *end = '\0';
        end = strrchr(*name, '.');
    }
    if (end && end > *name) *end = '\0';
    return SCONE_OK;
}

/* weights: of a learned preset */
static scone_discover_options library_options(const discover_options *o, const char *weights)
{
    scone_discover_options out = {.preset = asked_preset(o),
                                  .model = weights,
                                  .effort = effort_values[o->effort],
                                  .alpha = o->alpha,
                                  .bootstrap = o->bootstrap,
                                  .max_parents = o->max_parents,
                                  .threshold = o->threshold,
                                  .margin = o->margin,
                                  .knowledge = o->knowledge,
                                  .rules = o->rules,
                                  .learners = o->learners,
                                  .seed = o->seed};
    /* The library takes 0 for the preset's own. */
    if (o->bootstrap_given && o->bootstrap == 0) out.bootstrap = SCONE_BOOTSTRAP_NONE;
    if (o->margin_given && o->margin == 0.0) out.margin = -1.0;
    return out;
}

/* What will be printed, in memory: once the folder is there nothing may fail for lack of it.
 * Returns an exit code; free *text. */
static int tell(char **text, session *s, const scone_result *result, const size_t rows[2],
                const discover_options *o)
{
    size_t size;
    found_request request = {.folder = o->folder, .alpha = o->alpha};
    FILE *stream = open_memstream(text, &size);
    if (!stream) return out_of_memory(s);
    request.threshold = scone_result_threshold(result);
    for (int regime = 0; regime < 2; regime++) request.rows[regime] = rows[regime];
    int code =
        s->as_json ? found_json(stream, result, &request) : found_text(stream, result, &request);
    bool lost = ferror(stream) != 0;
    if (fclose(stream) != 0 || lost) return out_of_memory(s);
    if (code != SCONE_OK) s->failed = true;
    return code;
}

/* Writes and prints; returns an exit code. */
static int deliver(session *s, const scone_result *result, const size_t rows[2],
                   const arguments *parsed, const discover_options *o, const tables_files *files,
                   const char *weights, const char *line, scone_claim **claim)
{
    if (!launch_is_first()) return SCONE_OK;
    const char **inputs = calloc(files->count + 2, sizeof *inputs);
    if (!inputs) return out_of_memory(s);
    char *text = NULL;
    scone_run run = {
        .command = line, .inputs = inputs, .started = s->started, .threads = s->context.threads};
    run.processes = scone_team_size(s->context.team);
    run.regime = o->tables.regime;
    run.conditions = o->tables.conditions;
    run.folder = files->dcdi ? parsed->positional[0] : NULL;
    run.index = files->index;
    run.na = na_values[o->na];
    for (; run.input_count < files->count; run.input_count++) {
        inputs[run.input_count] = files->paths[run.input_count];
    }
    if (o->knowledge) inputs[run.input_count++] = o->knowledge;
    if (weights) inputs[run.input_count++] = weights;
    int code = tell(&text, s, result, rows, o);
    if (code == SCONE_OK) {
        scone_status status = scone_result_write_claimed(result, claim, &run);
        if (status != SCONE_OK) code = session_fail(s, status);
        s->kept = "the result is in";
        s->kept_in = o->folder;
    }
    if (code == SCONE_OK) {
        session_hide_bar(s);
        (void)fputs(text, stdout);
    }
    free(text);
    free(inputs);
    return code;
}

/* What was read: two tables, or a control and conditions, of which the pair is a view. */
typedef struct discover_tables {
    scone_pair *pair;
    scone_conditions *conditions;
    tables_files files;
    size_t rows[2]; /* of the control, and of all that is not */
} discover_tables;

static int read_tables(discover_tables *t, session *s, const arguments *parsed,
                       const discover_options *o)
{
    const scone_read_options how = {.na = na_values[o->na]};
    int code = SCONE_OK;
    if (tables_many(parsed, &o->tables)) {
        code = tables_many_read(&t->conditions, &t->files, s, parsed, &o->tables, &how);
        if (code != SCONE_OK) return code;
        scone_status status = scone_conditions_pool(&t->pair, t->conditions);
        if (status != SCONE_OK) return session_fail(s, status);
    } else {
        code = tables_read(&t->pair, &t->files, s, parsed, &o->tables, &how);
        if (code != SCONE_OK) return code;
    }
    for (int regime = 0; regime < 2; regime++) {
        t->rows[regime] = scone_table_rows(scone_pair_table(t->pair, regime));
    }
    return code;
}

static int discover(session *s, const arguments *parsed, const discover_options *o,
                    const char *line)
{
    discover_tables t = {0};
    scone_result *result = NULL;
    bool many = tables_many(parsed, &o->tables);
    scone_claim *claim = NULL;
    char *weights = NULL, *condition = NULL;
    session_catch_signals();
    /* Nobody wants to hear after the work that the folder is taken. */
    scone_status status =
        launch_is_first() ? scone_result_claim(&claim, o->folder, o->force, &s->context) : SCONE_OK;
    int code = status == SCONE_OK ? SCONE_OK : session_fail(s, status);
    if (code == SCONE_OK && !many) code = find_weights(&weights, s, o);
    scone_discover_options options = library_options(o, weights);
    if (code == SCONE_OK) code = read_tables(&t, s, parsed, o);
    if (code == SCONE_OK) code = name_condition(&condition, s, &t.files, o);
    options.condition = condition;
    if (code == SCONE_OK && !o->force && launch_is_first()) {
        status = scone_result_check_tables(o->folder, t.pair);
        if (status != SCONE_OK) code = session_fail(s, status);
    }
    if (code == SCONE_OK) {
        status = t.conditions
                     ? scone_discover_conditions(&result, t.conditions, &options, &s->context)
                     : scone_discover(&result, t.pair, &options, &s->context);
        code = status == SCONE_OK
                   ? deliver(s, result, t.rows, parsed, o, &t.files, weights, line, &claim)
                   : session_fail(s, status);
    }
    scone_claim_free(claim);
    scone_result_free(result);
    scone_pair_free(t.pair);
    scone_conditions_free(t.conditions);
    tables_files_free(&t.files);
    free(weights);
    free(condition);
    return code;
}

static int run_parsed(session *s, const option *table, const discover_options *o, int argc,
                      char **argv)
{
    arguments parsed;
    if (!options_parse(&parsed, &command_discover, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_discover, table);
        return stdout_check(SCONE_OK);
    }
    int code = tables_many(&parsed, &o->tables)
                   ? tables_many_usage(&command_discover, &parsed, &o->tables)
                   : tables_usage(&command_discover, &parsed, &o->tables);
    if (code == SCONE_OK && !o->folder) {
        code = usage_error(&command_discover, "give the folder to write with -o DIR");
    }
    if (code == SCONE_OK && o->model && o->preset_given &&
        !scone_preset_learned(scone_preset_names()[o->preset])) {
        code = usage_error(&command_discover, "--model means nothing to the preset %s",
                           scone_preset_names()[o->preset]);
    }
    const char *preset = asked_preset(o);
    if (code == SCONE_OK && o->learners && !(preset && scone_preset_votes(preset))) {
        code = usage_error(&command_discover,
                           "--learners goes with --preset paper, paper-nb or paper-nc");
    }
    if (code == SCONE_OK) code = session_open(s);
    if (code != SCONE_OK) return code;
    char *line = join_command(argc, argv);
    code = line ? discover(s, &parsed, o, line) : out_of_memory(s);
    free(line);
    return session_close(s, code);
}

int run_discover(int argc, char **argv)
{
    session s = session_start();
    discover_options o = {.alpha = 0.05};
    const option table[] = {
        option_text("output", 'o', "DIR", "the folder to write", &o.folder),
        option_choice("preset", 'p', "NAME",
                      "the method: best (default; the search, corrected by a\n"
                      "trained model), search (location-scale contrast score;\n"
                      "default if best has no weights or too many columns),\n"
                      "ges (greedy equivalence search on bootstrap\n"
                      "replicates), polybic (votes on each pair), or with\n"
                      "trained weights paper, paper-nb (no bias heads),\n"
                      "paper-nc (no contrast), best-ood",
                      scone_preset_names(), &o.preset, &o.preset_given),
        option_model(&o.model),
        option_learners(&o.learners),
        option_choice("effort", 'e', "HOW", "fast, normal (default) or thorough", effort_choices,
                      &o.effort, NULL),
        option_text("knowledge", 'k', "FILE", "what is known beforehand (see above)", &o.knowledge),
        option_words("rules", 0, "LIST",
                     "orientation rules on invariance tests: all (default),\n"
                     "none (default of paper-nb and paper-nc), paper (default\n"
                     "of paper), or some of ssi,cvt,dpt,scr",
                     rule_words, &o.rules),
        option_number(OPTION_NUMBER, "alpha", 'a', "A",
                      "share of wrong ones among the variables reported as\n"
                      "changed (default 0.05)",
                      1e-12, 0.999, &o.alpha, NULL),
        option_number(OPTION_COUNT, "bootstrap", 'b', "N",
                      "replicates behind the probabilities of ges and polybic;\n"
                      "0 for none (default: by effort)",
                      0, 1e6, &o.bootstrap, &o.bootstrap_given),
        option_number(OPTION_COUNT, "max-parents", 0, "N",
                      "causes that a variable may have at most", 1, 1e6, &o.max_parents, NULL),
        option_number(OPTION_NUMBER, "threshold", 0, "P",
                      "keep edges of at least this probability (default 0.5,\n"
                      "or that of the weights)",
                      1e-6, 1, &o.threshold, NULL),
        option_number(OPTION_NUMBER, "margin", 0, "M",
                      "direct an edge if one direction is likelier by this\n"
                      "(default 0.2; 0 for paper, paper-nb and paper-nc)",
                      0, 1, &o.margin, &o.margin_given),
        option_regime(&o.tables),
        option_conditions(&o.tables),
        option_index(&o.tables),
        option_choice("na", 0, "HOW",
                      "missing or infinite cells: error (default) or drop,\n"
                      "which leaves those rows out and says how many",
                      na_choices, &o.na, NULL),
        option_flag("force", 0,
                    "replace files in DIR that have the names of the output\n"
                    "even if no earlier run wrote them, or one on other\n"
                    "tables did",
                    &o.force),
        option_number(OPTION_SEED, "seed", 0, "S", "of the random numbers (default 0)", 0, 0,
                      &o.seed, NULL),
        option_threads(&s),
        option_memory(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    return run_parsed(&s, table, &o, argc, argv);
}
