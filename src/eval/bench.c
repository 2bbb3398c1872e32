/* bench.c - scone_bench_run: every method on the same simulated data, scored (see bench.h).
 *
 * Graphs run one after the other and a method gets all threads, so that its seconds are those a
 * user would wait.
 */
#include "eval/bench.h"

#include "base/context.h"
#include "base/file.h"
#include "eval/eval.h"
#include "infer/presets.h"

#include <math.h>
#include <string.h>
#include <time.h>

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

/* Progress of the whole, told through the callback of one discovery. */
typedef struct bench_progress {
    const scone_context *outer;
    size_t finished, total;
} bench_progress;

static double seconds_now(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool tell_progress(void *user, const char *stage, double done)
{
    const bench_progress *p = user;
    (void)stage;
    (void)done; /* stages differ too much in length to count for more than that they go on */
    return p->outer->progress(p->outer->user, "bench", (double)p->finished / (double)p->total);
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

/* Reads what is there and refuses to lose it. */
static scone_status open_file(bench_lines *lines, const scone_bench_options *o)
{
    if (!o->output || !path_exists(o->output)) return SCONE_OK;
    if (o->resume) return bench_lines_read(lines, o->output);
    if (o->force) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "%s exists; --resume adds what is missing there, --force starts anew", o->output);
}

static size_t count_rows(const scone_bench_options *o)
{
    size_t graphs = 0;
    for (size_t s = 0; s < o->setting_count; s++) graphs += o->settings[s].count;
    return graphs * o->method_count;
}

/* ---- one graph ---- */

static scone_status run_method(bench_lines *lines, const scone_problem *problem, const char *key,
                               const char *method, const scone_bench_options *o,
                               const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_discover_options options = o->discover;
    scone_result *result = NULL;
    scone_scores scores;
    const preset *known;
    TRY(preset_find(&known, method));
    options.preset = method;
    if (!known->limits_parents) options.max_parents = 0;
    if (known->bootstrap[SCONE_EFFORT_NORMAL] == 0) options.bootstrap = 0;
    double started = seconds_now();
    TRY(scone_discover(&result, scone_problem_pair(problem), &options, context));
    double seconds = seconds_now() - started;
    TRY(bench_score(&scores, result, problem));
    TRY(bench_lines_add(lines, key, &scores, seconds));
cleanup:
    scone_result_free(result);
    return status;
}

/* Runs the methods whose rows are missing; *ran tells whether there were any. */
static scone_status run_graph(bench_lines *lines, bool *ran, bench_progress *progress,
                              const scone_bench_options *o, size_t setting, size_t number,
                              const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    char key[BENCH_KEY_SIZE];
    *ran = false;
    for (size_t m = 0; m < o->method_count; m++, progress->finished++) {
        bench_key(key, &o->settings[setting], number, o->methods[m], &o->discover);
        if (bench_lines_find(lines, key)) continue;
        if (!problem) TRY(scone_simulate(&problem, &o->settings[setting], number, context));
        TRY(run_method(lines, problem, key, o->methods[m], o, context));
        *ran = true;
    }
cleanup:
    scone_problem_free(problem);
    return status;
}

static scone_status run_all(bench_lines *lines, const scone_bench_options *o,
                            const scone_context *context)
{
    scone_status status = SCONE_OK;
    bench_progress progress = {.outer = context, .total = count_rows(o)};
    scone_context inner = {.threads = context_threads(context), .user = &progress};
    bool tells = context && context->progress;
    if (tells) inner.progress = tell_progress;
    for (size_t s = 0; s < o->setting_count; s++) {
        for (size_t g = 0; g < o->settings[s].count; g++) {
            bool ran;
            TRY(run_graph(lines, &ran, &progress, o, s, g, &inner));
            if (ran && o->output) TRY(bench_lines_write(lines, o->output));
        }
    }
    if (tells) TRY(context_progress(context, "bench", 1.0));
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
    scores_summary(&summary->mean, &summary->sd, cases, summary->count);
}

/* Rows by setting, graph and method, all of which are among the lines. */
static scone_status collect(scone_bench *bench, const bench_lines *lines,
                            const scone_bench_options *o)
{
    scone_status status = SCONE_OK;
    scone_eval_case *cases = NULL;
    char key[BENCH_KEY_SIZE];
    TRY_ZERO(bench->rows, count_rows(o));
    TRY_ZERO(bench->summaries, o->setting_count * o->method_count);
    bench->settings = o->setting_count;
    bench->methods = o->method_count;
    for (size_t s = 0; s < o->setting_count; s++) {
        for (size_t g = 0; g < o->settings[s].count; g++) {
            for (size_t m = 0; m < o->method_count; m++) {
                bench_key(key, &o->settings[s], g, o->methods[m], &o->discover);
                const bench_line *line = bench_lines_find(lines, key);
                if (!line) FAIL_DEFECT("a row of the benchmark is missing");
                bench->rows[bench->count++] =
                    (scone_bench_row){s, g, m, line->scores, line->seconds};
            }
        }
    }
    TRY_ZERO(cases, bench->count);
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
    bench_lines lines = {0};
    *out = NULL;
    TRY(check_methods(options));
    TRY(check_samples(options));
    TRY(bench_lines_open(&lines));
    TRY(open_file(&lines, options));
    TRY(run_all(&lines, options, context));
    TRY_ZERO(bench, 1);
    TRY(collect(bench, &lines, options));
    *out = bench;
    bench = NULL;
cleanup:
    bench_lines_close(&lines);
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
