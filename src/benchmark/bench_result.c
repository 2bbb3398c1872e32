/* bench_result.c - the rows of a benchmark and what they are on average. */
#include "benchmark/bench.h"

#include "eval/eval.h"

#include <math.h>

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

static bool counts(const scone_bench_row *row, size_t setting, size_t method)
{
    return row->setting == setting && row->method == method && row->status == SCONE_BENCH_OK;
}

static void summarize(bench_summary *summary, scone_eval_case *cases, const scone_bench *bench,
                      size_t setting, size_t method)
{
    double sum = 0.0, squares = 0.0;
    summary->count = 0;
    for (size_t r = 0; r < bench->count; r++) {
        const scone_bench_row *row = &bench->rows[r];
        if (!counts(row, setting, method)) continue;
        cases[summary->count++].scores = row->scores;
        sum += row->seconds;
    }
    double n = (double)summary->count;
    summary->seconds_mean = n > 0.0 ? sum / n : (double)NAN;
    for (size_t r = 0; r < bench->count; r++) {
        const scone_bench_row *row = &bench->rows[r];
        if (!counts(row, setting, method)) continue;
        double difference = row->seconds - summary->seconds_mean;
        squares += difference * difference;
    }
    summary->seconds_sd = n > 1.0 ? sqrt(squares / (n - 1.0)) : (double)NAN;
    eval_scores_summary(&summary->mean, &summary->sd, cases, summary->count);
}

scone_status bench_result_make(scone_bench **out, scone_bench_row *rows, size_t count,
                               size_t settings, size_t methods)
{
    scone_status status = SCONE_OK;
    scone_bench *bench = NULL;
    scone_eval_case *cases = NULL;
    TRY_ZERO(bench, 1);
    *bench = (scone_bench){.settings = settings, .methods = methods};
    TRY_ZERO(bench->summaries, settings * methods);
    TRY_ZERO(cases, count);
    bench->rows = rows;
    bench->count = count;
    for (size_t s = 0; s < settings; s++) {
        for (size_t m = 0; m < methods; m++) {
            summarize(&bench->summaries[s * methods + m], cases, bench, s, m);
        }
    }
    *out = bench;
    bench = NULL;
cleanup:
    if (status != SCONE_OK) mem_free(rows);
    mem_free(cases);
    if (bench) bench->rows = NULL;
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
