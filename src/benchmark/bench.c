/* bench.c - scone_bench_run: every method on the same simulated data, scored (see bench.h).
 *
 * Graphs run one after the other and a method gets all threads, so that its seconds are those a
 * user would wait. Several processes (team.h) run a graph each; process 0 keeps the file.
 */
#include "benchmark/bench_parts.h"

#include "base/clock.h"
#include "base/context.h"
#include "data/conditions/conditions.h"
#include "parallel/team.h"
#include "discover/result.h"

#include <string.h>

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

/* ---- one graph ---- */

/* With several conditions: each by itself, or all together for a method that knows two tables. */
static scone_status discover(scone_result **result, const scone_problem *problem,
                             const scone_discover_options *options, preset_searched *searched,
                             const scone_context *context)
{
    const scone_pair *pair = scone_problem_pair(problem);
    const scone_conditions *conditions = scone_problem_conditions(problem);
    if (conditions->count == 1 || !bench_sees_conditions(options->preset)) {
        return discover_with(result, pair, options, searched, context);
    }
    return discover_conditions_with(result, pair, conditions, options, searched, context);
}

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
    options.model = job->models[m];
    if (!known->limits_parents) options.max_parents = 0;
    if (known->stages == 0) options.learners = NULL;
    if (known->bootstrap[SCONE_EFFORT_NORMAL] == 0) options.bootstrap = 0;
    double started = clock_seconds();
    searched->saved = 0.0;
    TRY(discover(&result, problem, &options, searched, &job->inner));
    outcome->seconds = clock_seconds() - started + searched->saved;
    if (strcmp(result->request.model_id, job->ids[m]) != 0) {
        FAIL(SCONE_ERR_INPUT,
             "%s: the weights were replaced while the benchmark was running; go on with --resume",
             options.model);
    }
    TRY(bench_score(&outcome->scores, result, problem));
cleanup:
    scone_result_free(result);
    return status;
}

/* A method of the caller; a request to stop is seen before it begins. */
static scone_status run_outside(bench_outcome *outcome, const scone_problem *problem,
                                const bench_job *job, size_t m)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    TRY(context_progress(&job->inner, "bench", 0.0));
    TRY(bench_outside_run(outcome, o, bench_method_outside(o, m), problem));
cleanup:
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
    const unsigned char *missing = job->plan.missing + g * job->methods;
    TRY(scone_simulate(&problem, &o->settings[job->plan.where[g].setting],
                       job->plan.where[g].number, &job->inner));
    for (size_t m = 0; m < job->methods; m++) {
        if (!missing[m]) continue;
        outcomes[m] = (bench_outcome){.status = SCONE_BENCH_OK};
        if (bench_method_outside(o, m)) {
            TRY(run_outside(&outcomes[m], problem, job, m));
        } else {
            TRY(run_method(&outcomes[m], problem, &searched, job, m));
        }
        (void)__atomic_fetch_add(&job->current, 1, __ATOMIC_RELAXED);
    }
cleanup:
    __atomic_store_n(&job->current, 0, __ATOMIC_RELAXED);
    preset_searched_clear(&searched);
    scone_problem_free(problem);
    return status;
}

static void tell_failure(const bench_job *job, size_t g, size_t method, const bench_outcome *it)
{
    const scone_bench_options *o = job->options;
    if (it->status == SCONE_BENCH_OK) return;
    context_log(job->outer, SCONE_NOTE, "%s, graph %zu: %s %s: %s",
                o->settings[job->plan.where[g].setting].name, job->plan.where[g].number,
                bench_method_name(o, method),
                it->status == SCONE_BENCH_TIMEOUT ? "took too long" : "failed", it->reason);
}

/* The file is complete after every graph. */
static scone_status keep_graph(void *argument, size_t item, const void *result)
{
    scone_status status = SCONE_OK;
    bench_job *job = argument;
    const scone_bench_options *o = job->options;
    const bench_outcome *outcomes = result;
    size_t g = job->plan.items[item];
    for (size_t m = 0; m < job->methods; m++) {
        size_t row = g * job->methods + m;
        char key[BENCH_KEY_SIZE];
        if (!job->plan.missing[row]) continue;
        bench_key_of(key, job, g, m);
        tell_failure(job, g, m, &outcomes[m]);
        bench_lines_drop(&job->lines, key); /* of an earlier failure */
        TRY(bench_lines_add(&job->lines, &(bench_line){.key = key,
                                                       .scores = outcomes[m].scores,
                                                       .seconds = outcomes[m].seconds,
                                                       .commit = SCONE_COMMIT,
                                                       .status = outcomes[m].status,
                                                       .reason = outcomes[m].reason,
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
    if (!size_multiply(&bytes, job->methods, sizeof(bench_outcome))) {
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

static void fill_row(scone_bench_row *row, const bench_job *job, size_t g, size_t method,
                     const bench_line *line)
{
    *row = (scone_bench_row){.setting = job->plan.where[g].setting,
                             .graph = job->plan.where[g].number,
                             .method = method,
                             .scores = line->scores,
                             .seconds = line->seconds,
                             .status = line->status};
    (void)snprintf(row->reason, sizeof row->reason, "%s", line->reason);
}

/* Rows by setting, graph and method, all of which are among the lines of process 0. */
static scone_status collect(scone_bench **out, const bench_job *job)
{
    scone_status status = SCONE_OK;
    size_t count = job->plan.graphs * job->methods;
    scone_bench_row *rows = NULL;
    TRY_ZERO(rows, count);
    for (size_t r = 0; r < count && team_is_first(job->outer); r++) {
        char key[BENCH_KEY_SIZE];
        size_t g = r / job->methods, method = r % job->methods;
        bench_key_of(key, job, g, method);
        const bench_line *line = bench_lines_find(&job->lines, key);
        if (!line) FAIL_DEFECT("a row of the benchmark is missing");
        fill_row(&rows[r], job, g, method, line);
    }
    TRY(team_spread(job->outer, rows, count * sizeof *rows));
    status = bench_result_make(out, rows, count, job->options->setting_count, job->methods);
    rows = NULL; /* taken over */
cleanup:
    mem_free(rows);
    return status;
}

scone_status scone_bench_run(scone_bench **out, const scone_bench_options *options,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_bench *bench = NULL;
    bench_job job = {.options = options, .outer = context};
    *out = NULL;
    TRY(bench_plan_make(&job));
    TRY(run_all(&job));
    TRY(collect(&bench, &job));
cleanup:
    status = team_agree(context, status); /* all processes succeed, or none */
    if (status == SCONE_OK) {
        *out = bench;
        bench = NULL;
    }
    bench_plan_free(&job);
    scone_bench_free(bench);
    return status;
}
