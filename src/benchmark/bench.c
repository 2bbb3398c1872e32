/* bench.c - scone_bench_run: every method on the same simulated data, scored (see bench.h).
 *
 * Graphs run one after the other and a method gets all threads, so that its seconds are those a
 * user would wait. Several processes (team.h) run a graph each; process 0 keeps the file.
 */
#include "benchmark/bench.h"

#include "base/clock.h"
#include "base/context.h"
#include "io/file.h"
#include "parallel/team.h"
#include "eval/eval.h"
#include "discover/result.h"

#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifndef SCONE_COMMIT
#define SCONE_COMMIT "unknown"
#endif

typedef struct bench_summary {
    size_t count;
    scone_scores mean, sd;
    double seconds_mean, seconds_sd;
} bench_summary;

struct scone_bench {
    size_t settings, methods;
    scone_bench_row *rows;
    size_t count;
    bench_summary *summaries; /* [settings, methods] */
};

/* A row that a process has computed. */
typedef struct bench_outcome {
    scone_scores scores;
    double seconds;
} bench_outcome;

/* What there is to do, in the order of the rows. */
typedef struct bench_plan {
    size_t graphs; /* of all settings */
    struct {
        size_t setting, number;
    } * where;              /* [graphs] */
    unsigned char *missing; /* [graphs, methods]: the rows that the file does not have */
    size_t *items;          /* [count]: graphs with a missing row */
    size_t count;
} bench_plan;

typedef struct bench_job {
    const scone_bench_options *options;
    const scone_context *outer;
    scone_context inner;          /* of a method */
    char (*ids)[LEARNED_ID_SIZE]; /* [methods]: of the weights */
    bench_plan plan;
    bench_lines lines; /* process 0 */
    /* Rows that are there, and rows of the graph that this process is at; both atomic. */
    size_t finished, current, total;
} bench_job;

/* Progress of the whole, told through the callback of one discovery. */
static bool tell_progress(void *user, const char *stage, double done)
{
    const bench_job *job = user;
    (void)stage;
    (void)done; /* stages differ too much in length to count for more than that they go on */
    size_t rows = __atomic_load_n(&job->finished, __ATOMIC_RELAXED) +
                  __atomic_load_n(&job->current, __ATOMIC_RELAXED);
    return job->outer->progress(job->outer->user, "bench", (double)rows / (double)job->total);
}

/* ---- what is asked for ---- */

static scone_status check_methods(const scone_bench_options *o)
{
    char list[512] = "";
    size_t used = 0;
    for (const char *const *known = scone_method_names(); *known; known++) {
        if (used >= sizeof list) break;
        int length = snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *known);
        if (length > 0) used += (size_t)length;
    }
    for (size_t m = 0; m < o->method_count; m++) {
        const char *const *known = scone_method_names();
        while (*known && strcmp(*known, o->methods[m]) != 0) known++;
        if (!*known) {
            return RAISE(SCONE_ERR_INPUT, "there is no method '%.100s'; use some of %s",
                         o->methods[m], list);
        }
    }
    return SCONE_OK;
}

/* Two rows a table are the least that a method can work on; told before anything is run. */
static scone_status check_samples(const scone_bench_options *o)
{
    for (size_t s = 0; s < o->setting_count; s++) {
        if (o->settings[s].samples >= 2) continue;
        return RAISE(SCONE_ERR_INPUT, "the setting %s has %zu %s a table; use --samples 2 or more",
                     o->settings[s].name, o->settings[s].samples,
                     o->settings[s].samples == 1 ? "row" : "rows");
    }
    return SCONE_OK;
}

static const char *model_of(const scone_bench_options *o, size_t method)
{
    return o->models ? o->models[method] : NULL;
}

/* Weights that are missing or wrong are told before anything is run. */
static scone_status check_models(bench_job *job)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    learned_model *model = NULL;
    TRY_ZERO(job->ids, o->method_count);
    for (size_t m = 0; m < o->method_count; m++) {
        if (!scone_preset_learned(o->methods[m])) continue;
        TRY(learned_open(&model, model_of(o, m), o->methods[m]));
        memcpy(job->ids[m], model->id, sizeof model->id);
        learned_free(model);
        model = NULL;
    }
cleanup:
    return status;
}

/* Reads what is there and refuses to lose it. */
static scone_status open_file(bench_lines *lines, const scone_bench_options *o)
{
    if (!o->output || !path_exists(o->output)) return SCONE_OK;
    if (o->resume) return bench_lines_read(lines, o->output);
    if (o->force) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "%s exists; --resume adds what is missing there, --force starts anew", o->output);
}

static size_t count_graphs(const scone_bench_options *o)
{
    size_t graphs = 0;
    for (size_t s = 0; s < o->setting_count; s++) graphs += o->settings[s].count;
    return graphs;
}

static void key_of(char key[BENCH_KEY_SIZE], const bench_job *job, size_t g, size_t method)
{
    const scone_bench_options *o = job->options;
    bench_key(key, &o->settings[job->plan.where[g].setting], job->plan.where[g].number,
              o->methods[method], job->ids[method], &o->discover);
}

/* Is the row asked for twice? Methods and settings may be named twice. */
static bool is_repeated(const bench_job *job, size_t g, size_t method)
{
    const scone_bench_options *o = job->options;
    size_t setting = job->plan.where[g].setting, number = job->plan.where[g].number;
    char key[BENCH_KEY_SIZE], other[BENCH_KEY_SIZE];
    for (size_t m = 0; m < method; m++) {
        if (strcmp(o->methods[m], o->methods[method]) != 0) continue;
        if (strcmp(job->ids[m], job->ids[method]) == 0) return true;
    }
    key_of(key, job, g, method);
    for (size_t s = 0; s < setting; s++) {
        bench_key(other, &o->settings[s], number, o->methods[method], job->ids[method],
                  &o->discover);
        if (number < o->settings[s].count && strcmp(key, other) == 0) return true;
    }
    return false;
}

static void plan_free(bench_plan *plan)
{
    mem_free(plan->where);
    mem_free(plan->missing);
    mem_free(plan->items);
}

/* All graphs, and a hash of all keys by which processes can tell whether they mean the same. */
static scone_status plan_graphs(bench_job *job)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    bench_plan *plan = &job->plan;
    uint64_t hash = 0;
    plan->graphs = count_graphs(o);
    TRY_ALLOC(plan->where, plan->graphs);
    TRY_ZERO(plan->missing, plan->graphs * o->method_count);
    TRY_ALLOC(plan->items, plan->graphs);
    for (size_t s = 0, g = 0; s < o->setting_count; s++) {
        for (size_t number = 0; number < o->settings[s].count; number++, g++) {
            plan->where[g].setting = s;
            plan->where[g].number = number;
            for (size_t m = 0; m < o->method_count; m++) {
                char key[BENCH_KEY_SIZE];
                key_of(key, job, g, m);
                hash = XXH3_64bits_withSeed(key, strlen(key), hash);
            }
        }
    }
    TRY(team_same(job->outer, &hash, sizeof hash, "the settings or the methods"));
cleanup:
    return status;
}

/* Differences between methods say nothing if another version made some of the rows. */
static void tell_other_versions(const bench_job *job)
{
    const bench_line *other = NULL;
    size_t count = 0;
    for (size_t i = 0; i < job->lines.count; i++) {
        const bench_line *line = &job->lines.items[i];
        if (line->place == 0 || strcmp(line->commit, SCONE_COMMIT) == 0) continue;
        if (count++ == 0) other = line;
    }
    if (count == 0) return;
    context_log(
        job->outer, SCONE_WARNING,
        "%s: %zu of the rows that are kept are of other versions of scone (the first: %s, this "
        "one: %s); --force runs all again",
        job->options->output, count, *other->commit ? other->commit : "not told", SCONE_COMMIT);
}

/* Process 0 knows what is in the file and tells the others what is missing. */
static scone_status plan_work(bench_job *job)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    bench_plan *plan = &job->plan;
    if (team_is_first(job->outer)) {
        TRY(bench_lines_open(&job->lines));
        TRY(open_file(&job->lines, o));
        for (size_t row = 0; row < plan->graphs * o->method_count; row++) {
            char key[BENCH_KEY_SIZE];
            size_t g = row / o->method_count, method = row % o->method_count;
            key_of(key, job, g, method);
            bool there =
                is_repeated(job, g, method) || bench_lines_place(&job->lines, key, row + 1);
            plan->missing[row] = !there;
            job->finished += there;
        }
        tell_other_versions(job);
    }
    TRY(team_spread(job->outer, plan->missing, plan->graphs * o->method_count));
    for (size_t g = 0; g < plan->graphs; g++) {
        const unsigned char *missing = plan->missing + g * o->method_count;
        if (memchr(missing, 1, o->method_count)) plan->items[plan->count++] = g;
    }
cleanup:
    return status;
}

/* ---- one graph ---- */

static scone_status run_method(bench_outcome *outcome, const scone_problem *problem,
                               preset_searched *searched, const bench_job *job, size_t m)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    const char *method = o->methods[m];
    scone_discover_options options = o->discover;
    scone_result *result = NULL;
    const preset *known;
    TRY(preset_find(&known, method));
    options.preset = method;
    options.model = known->learned ? model_of(o, m) : NULL;
    if (!known->limits_parents) options.max_parents = 0;
    if (known->bootstrap[SCONE_EFFORT_NORMAL] == 0) options.bootstrap = 0;
    double started = clock_seconds();
    searched->saved = 0.0;
    TRY(discover_with(&result, scone_problem_pair(problem), &options, searched, &job->inner));
    outcome->seconds = clock_seconds() - started + searched->saved;
    if (strcmp(result->model_id, job->ids[m]) != 0) {
        FAIL(SCONE_ERR_INPUT,
             "%s: the weights were replaced while the benchmark was running; go on with --resume",
             options.model);
    }
    TRY(bench_score(&outcome->scores, result, problem));
cleanup:
    scone_result_free(result);
    return status;
}

/* result [methods]: runs the methods whose rows are missing. Those that begin with the same search
 * share it; its seconds count for each. */
static scone_status run_graph(void *argument, size_t item, void *result)
{
    scone_status status = SCONE_OK;
    bench_job *job = argument;
    const scone_bench_options *o = job->options;
    bench_outcome *outcomes = result;
    scone_problem *problem = NULL;
    preset_searched searched = {0};
    size_t g = job->plan.items[item];
    const unsigned char *missing = job->plan.missing + g * o->method_count;
    TRY(scone_simulate(&problem, &o->settings[job->plan.where[g].setting],
                       job->plan.where[g].number, &job->inner));
    for (size_t m = 0; m < o->method_count; m++) {
        if (!missing[m]) continue;
        TRY(run_method(&outcomes[m], problem, &searched, job, m));
        (void)__atomic_fetch_add(&job->current, 1, __ATOMIC_RELAXED);
    }
cleanup:
    __atomic_store_n(&job->current, 0, __ATOMIC_RELAXED);
    preset_searched_clear(&searched);
    scone_problem_free(problem);
    return status;
}

/* The file is complete after every graph. */
static scone_status keep_graph(void *argument, size_t item, const void *result)
{
    scone_status status = SCONE_OK;
    bench_job *job = argument;
    const scone_bench_options *o = job->options;
    const bench_outcome *outcomes = result;
    size_t g = job->plan.items[item];
    for (size_t m = 0; m < o->method_count; m++) {
        size_t row = g * o->method_count + m;
        char key[BENCH_KEY_SIZE];
        if (!job->plan.missing[row]) continue;
        key_of(key, job, g, m);
        TRY(bench_lines_add(&job->lines, &(bench_line){.key = key,
                                                       .scores = outcomes[m].scores,
                                                       .seconds = outcomes[m].seconds,
                                                       .commit = SCONE_COMMIT,
                                                       .place = row + 1}));
        (void)__atomic_fetch_add(&job->finished, 1, __ATOMIC_RELAXED);
    }
    if (o->output) TRY(bench_lines_write(&job->lines, o->output));
cleanup:
    return status;
}

static scone_status run_all(bench_job *job)
{
    scone_status status = SCONE_OK;
    size_t bytes;
    job->inner = (scone_context){.threads = context_threads(job->outer), .user = job};
    if (job->outer && job->outer->progress) job->inner.progress = tell_progress;
    if (!size_multiply(&bytes, job->options->method_count, sizeof(bench_outcome))) {
        FAIL(SCONE_ERR_MEMORY, "out of memory");
    }
    scone_context shared = job->inner;
    shared.team = job->outer ? job->outer->team : NULL;
    TRY(team_hand_out(job->plan.count, &shared, run_graph, keep_graph, job, bytes));
    TRY(context_progress(job->outer, "bench", 1.0));
cleanup:
    return status;
}

/* ---- the result ---- */

static void summarize(bench_summary *summary, scone_eval_case *cases, const scone_bench *bench,
                      size_t setting, size_t method)
{
    double sum = 0.0, squares = 0.0;
    summary->count = 0;
    for (size_t r = 0; r < bench->count; r++) {
        const scone_bench_row *row = &bench->rows[r];
        if (row->setting != setting || row->method != method) continue;
        cases[summary->count++].scores = row->scores;
        sum += row->seconds;
    }
    double n = (double)summary->count;
    summary->seconds_mean = n > 0.0 ? sum / n : (double)NAN;
    for (size_t r = 0; r < bench->count; r++) {
        const scone_bench_row *row = &bench->rows[r];
        if (row->setting != setting || row->method != method) continue;
        double difference = row->seconds - summary->seconds_mean;
        squares += difference * difference;
    }
    summary->seconds_sd = n > 1.0 ? sqrt(squares / (n - 1.0)) : (double)NAN;
    eval_scores_summary(&summary->mean, &summary->sd, cases, summary->count);
}

/* Rows by setting, graph and method, all of which are among the lines of process 0. */
static scone_status collect(scone_bench *bench, const bench_job *job)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    scone_eval_case *cases = NULL;
    bench->settings = o->setting_count;
    bench->methods = o->method_count;
    bench->count = job->plan.graphs * o->method_count;
    TRY_ZERO(bench->rows, bench->count);
    TRY_ZERO(bench->summaries, o->setting_count * o->method_count);
    TRY_ZERO(cases, bench->count);
    for (size_t r = 0; r < bench->count && team_is_first(job->outer); r++) {
        char key[BENCH_KEY_SIZE];
        size_t g = r / o->method_count, method = r % o->method_count;
        key_of(key, job, g, method);
        const bench_line *line = bench_lines_find(&job->lines, key);
        if (!line) FAIL_DEFECT("a row of the benchmark is missing");
        bench->rows[r] = (scone_bench_row){job->plan.where[g].setting, job->plan.where[g].number,
                                           method, line->scores, line->seconds};
    }
    TRY(team_spread(job->outer, bench->rows, bench->count * sizeof *bench->rows));
    for (size_t s = 0; s < o->setting_count; s++) {
        for (size_t m = 0; m < o->method_count; m++) {
            summarize(&bench->summaries[s * o->method_count + m], cases, bench, s, m);
        }
    }
cleanup:
    mem_free(cases);
    return status;
}

scone_status scone_bench_run(scone_bench **out, const scone_bench_options *options,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_bench *bench = NULL;
    bench_job job = {.options = options, .outer = context};
    *out = NULL;
    job.total = count_graphs(options) * options->method_count;
    TRY(check_methods(options));
    TRY(check_samples(options));
    TRY(check_models(&job));
    TRY(plan_graphs(&job));
    TRY(plan_work(&job));
    TRY(run_all(&job));
    TRY_ZERO(bench, 1);
    TRY(collect(bench, &job));
cleanup:
    status = team_agree(context, status); /* all processes succeed, or none */
    if (status == SCONE_OK) {
        *out = bench;
        bench = NULL;
    }
    plan_free(&job.plan);
    mem_free(job.ids);
    bench_lines_close(&job.lines);
    scone_bench_free(bench);
    return status;
}

void scone_bench_free(scone_bench *bench)
{
    if (!bench) return;
    mem_free(bench->rows);
    mem_free(bench->summaries);
    mem_free(bench);
}

size_t scone_bench_count(const scone_bench *bench)
{
    return bench->count;
}

const scone_bench_row *scone_bench_get(const scone_bench *bench, size_t index)
{
    return &bench->rows[index];
}

size_t scone_bench_summary(const scone_bench *bench, size_t setting, size_t method,
                           scone_scores *mean, scone_scores *sd, double *seconds_mean,
                           double *seconds_sd)
{
    const bench_summary *summary = &bench->summaries[setting * bench->methods + method];
    *mean = summary->mean;
    *sd = summary->sd;
    *seconds_mean = summary->seconds_mean;
    *seconds_sd = summary->seconds_sd;
    return summary->count;
}
