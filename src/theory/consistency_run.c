/* consistency_run.c - all graphs of a consistency run, and their sums (consistency.h). Graphs are
 * the items of the parallel loop and are added up in their order. */
#include "theory/consistency.h"

#include "parallel/parallel.h"

#include <math.h>

static void fill_list(size_t *list, size_t *count, const size_t *defaults, size_t default_count)
{
    if (*count) return;
    for (size_t i = 0; i < default_count; i++) list[i] = defaults[i];
    *count = default_count;
}

static scone_consistency_options with_defaults(const scone_consistency_options *options)
{
    static const size_t rows[] = {250, 1000, 4000}, subsets[] = {1, 2, 4, 8, 16};
    scone_consistency_options o = options ? *options : (scone_consistency_options){0};
    if (!o.nodes) o.nodes = 4;
    if (!o.subset_size) o.subset_size = 3;
    if (!o.count) o.count = 30;
    if (!o.restarts) o.restarts = 200;
    if (!o.families) o.families = SCONE_LINEAR;
    fill_list(o.rows, &o.row_count, rows, sizeof rows / sizeof *rows);
    fill_list(o.subsets, &o.subset_count, subsets, sizeof subsets / sizeof *subsets);
    return o;
}

static bool rises(const size_t *list, size_t count, size_t least, size_t most)
{
    if (count > SCONE_CONSISTENCY_MOST_POINTS) return false;
    for (size_t i = 0; i < count; i++) {
        if (list[i] < least || list[i] > most || (i && list[i] <= list[i - 1])) return false;
    }
    return true;
}

static scone_status check_options(const scone_consistency_options *o)
{
    scone_status status = SCONE_OK;
    const unsigned families =
        SCONE_LINEAR | SCONE_POLYNOMIAL | SCONE_SIGMOID | SCONE_NN | SCONE_NN_ADD;
    if (o->nodes < 3 || o->nodes > SCONE_CONSISTENCY_MOST_NODES) {
        FAIL(SCONE_ERR_INPUT, "graphs from data have 3 to %d nodes, not %zu",
             SCONE_CONSISTENCY_MOST_NODES, o->nodes);
    }
    if (o->subset_size < 2 || o->subset_size > o->nodes) {
        FAIL(SCONE_ERR_INPUT, "subsets of %zu among %zu nodes say nothing about an edge",
             o->subset_size, o->nodes);
    }
    if (!rises(o->rows, o->row_count, 50, 10000000)) {
        FAIL(SCONE_ERR_INPUT, "the numbers of rows must rise, from 50 on, and be at most %d",
             SCONE_CONSISTENCY_MOST_POINTS);
    }
    if (!rises(o->subsets, o->subset_count, 1, 100000)) {
        FAIL(SCONE_ERR_INPUT, "the numbers of subsets must rise, from 1 on, and be at most %d",
             SCONE_CONSISTENCY_MOST_POINTS);
    }
    if (o->families & ~families) FAIL(SCONE_ERR_INPUT, "an unknown family of mechanisms");
cleanup:
    return status;
}

typedef struct consistency_job {
    const scone_consistency_options *options;
    consistency_case *cases; /* [count] */
    study **studies;         /* [threads] */
} consistency_job;

static scone_status run_graph(void *argument, size_t item, int worker)
{
    const consistency_job *job = argument;
    return consistency_case_run(&job->cases[item], job->options, item, job->studies[worker]);
}

/* ---- sums ---- */

static void add_point(scone_consistency_point *sum, const scone_consistency_point *p)
{
    sum->graphs += p->graphs;
    sum->equal += p->equal;
    sum->equal_known += p->equal_known;
    sum->equal_obs += p->equal_obs;
    sum->literals += p->literals;
    sum->literal_right += p->literal_right;
    sum->false_changes += p->false_changes;
    sum->missed_changes += p->missed_changes;
    sum->directions += p->directions;
    sum->found += p->found;
    sum->found_right += p->found_right;
}

static void sum_points(scone_consistency *result, const consistency_case *cases)
{
    const scone_consistency_options *o = &result->options;
    result->point_count = o->row_count + o->subset_count;
    for (size_t i = 0; i < result->point_count; i++) {
        scone_consistency_point *p = &result->point[i];
        bool sampled = i >= o->row_count;
        p->rows = o->rows[sampled ? o->row_count - 1 : i];
        p->subsets = sampled ? o->subsets[i - o->row_count] : 0;
        p->alpha = consistency_level(p->rows);
        for (size_t g = 0; g < o->count; g++) add_point(p, &cases[g].point[i]);
        p->share = (double)p->equal / (double)p->graphs;
        p->error = sqrt(p->share * (1.0 - p->share) / (double)p->graphs);
    }
}

static void sum_coverage(scone_consistency *result, const consistency_case *cases, size_t t,
                         size_t hits)
{
    const scone_consistency_options *o = &result->options;
    scone_consistency_coverage *c = &result->coverage[result->coverage_count];
    coverage_sum sum = {0};
    for (size_t g = 0; g < o->count; g++) {
        const coverage_sum *one = &cases[g].coverage[t][hits - 1];
        sum.directions += one->directions;
        sum.above += one->above;
        sum.outside += one->outside;
        sum.measured += one->measured;
        sum.squares += one->squares;
        sum.independent += one->independent;
        sum.bound += one->bound;
    }
    if (!sum.directions) return;
    double n = (double)sum.directions, mean = sum.measured / n;
    double variance = sum.squares / n - mean * mean;
    *c = (scone_consistency_coverage){.subsets = o->subsets[t],
                                      .hits = hits,
                                      .directions = sum.directions,
                                      .measured = mean,
                                      .error = sqrt((variance > 0.0 ? variance : 0.0) / n),
                                      .independent = sum.independent / n,
                                      .bound = sum.bound / n,
                                      .above = sum.above,
                                      .outside = sum.outside};
    result->coverage_count++;
}

scone_status scone_consistency_run(scone_consistency **result,
                                   const scone_consistency_options *options,
                                   const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_consistency *out = NULL;
    consistency_job job = {0};
    int threads = context_threads(context);
    *result = NULL;
    TRY_ZERO(out, 1);
    out->options = with_defaults(options);
    TRY(check_options(&out->options));
    job.options = &out->options;
    TRY_ZERO(job.cases, out->options.count);
    TRY_ZERO(job.studies, (size_t)threads);
    for (int t = 0; t < threads; t++) {
        TRY(study_alloc(&job.studies[t], (int)out->options.nodes, (int)out->options.subset_size));
    }
    TRY(parallel_for(out->options.count, context, "graphs", run_graph, &job));
    sum_points(out, job.cases);
    for (size_t t = 0; t < out->options.subset_count; t++) {
        for (size_t hits = 1; hits <= CONSISTENCY_MOST_HITS; hits++) {
            sum_coverage(out, job.cases, t, hits);
        }
    }
    for (size_t g = 0; g < out->options.count; g++) out->unwitnessed += job.cases[g].unwitnessed;
    *result = out;
    out = NULL;
cleanup:
    for (int t = 0; job.studies && t < threads; t++) study_free(job.studies[t]);
    mem_free(job.studies);
    mem_free(job.cases);
    scone_consistency_free(out);
    return status;
}

void scone_consistency_free(scone_consistency *result)
{
    mem_free(result);
}

const scone_consistency_options *scone_consistency_used(const scone_consistency *result)
{
    return &result->options;
}

size_t scone_consistency_points(const scone_consistency *result)
{
    return result->point_count;
}

const scone_consistency_point *scone_consistency_point_get(const scone_consistency *result,
                                                           size_t index)
{
    return &result->point[index];
}

size_t scone_consistency_coverages(const scone_consistency *result)
{
    return result->coverage_count;
}

const scone_consistency_coverage *scone_consistency_coverage_get(const scone_consistency *result,
                                                                 size_t index)
{
    return &result->coverage[index];
}

size_t scone_consistency_unwitnessed(const scone_consistency *result)
{
    return result->unwitnessed;
}
