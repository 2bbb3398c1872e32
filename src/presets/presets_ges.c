/* presets_ges.c - the preset `ges`: Greedy Equivalence Search on the rows of both regimes together,
 * repeated on bootstrap replicates of both tables; the shares of the replicates are the
 * probabilities, an undirected edge counting one half for each direction.
 *
 * A replicate needs the weighted covariance of the standardized columns, O(rows N^2), and a search.
 * Replicates are independent and have streams of their own (ensemble.h); what they find is counted
 * in whole numbers, so that neither threads nor processes matter.
 */
#include "presets/presets_parts.h"

#include "base/context.h"
#include "parallel/team.h"
#include "stats/standardize.h"
#include "learn/ensemble.h"
#include "learn/ges/ges.h"
#include "linalg/gram.h"

#include <stdio.h>

/* Of the penalties 1, 2 and 4 and both orders of the operators the choice with the best scores
 * (docs/methods/ges.md). */
static const double preset_penalty = 2.0;

/* What one worker needs. */
typedef struct ges_worker {
    uint32_t *counts;   /* [rows of the longer table] */
    double *weights;    /* [rows of both] */
    double *covariance; /* [columns, columns] */
    double *means;      /* [columns] */
    gram_work *gram;
} ges_worker;

typedef struct ges_job {
    const preset_request *request;
    const double *standardized; /* [rows of both, columns] */
    size_t rows[2], columns;
    ges_options options;
    ges_worker *workers; /* [threads] */
    size_t threads;
    uint32_t *halves; /* [columns, columns]: 2 for every i -> j found, 1 for every i - j */
} ges_job;

static void free_workers(ges_job *job)
{
    for (size_t t = 0; job->workers && t < job->threads; t++) {
        mem_free(job->workers[t].counts);
        mem_free(job->workers[t].weights);
        mem_free(job->workers[t].covariance);
        mem_free(job->workers[t].means);
        gram_work_free(job->workers[t].gram);
    }
    mem_free(job->workers);
}

static scone_status alloc_workers(ges_job *job)
{
    scone_status status = SCONE_OK;
    TRY_ZERO(job->workers, job->threads);
    for (size_t t = 0; t < job->threads; t++) {
        ges_worker *w = &job->workers[t];
        TRY_ALLOC(w->counts, job->rows[0] > job->rows[1] ? job->rows[0] : job->rows[1]);
        TRY_ALLOC(w->weights, job->rows[0] + job->rows[1]);
        TRY_ALLOC(w->covariance, job->columns * job->columns);
        TRY_ALLOC(w->means, job->columns);
        TRY(gram_work_alloc(&w->gram, NULL));
    }
cleanup:
    return status;
}

/* Each regime keeps its number of rows. Replicate 0 of a run without bootstrap is the data. */
static void draw_weights(ges_worker *w, const ges_job *job, size_t replicate)
{
    double *weights = w->weights;
    for (unsigned r = 0; r < 2; weights += job->rows[r], r++) {
        if (job->request->bootstrap > 0) {
            ensemble_draw(w->counts, job->rows[r], job->rows[r], job->request->seed, 0, 0,
                          (uint32_t)replicate, r);
        }
        for (size_t i = 0; i < job->rows[r]; i++) {
            weights[i] = job->request->bootstrap > 0 ? (double)w->counts[i] : 1.0;
        }
    }
}

static scone_status weighted_covariance(ges_worker *w, const ges_job *job)
{
    scone_status status = SCONE_OK;
    size_t rows = job->rows[0] + job->rows[1], n = job->columns;
    matrix_view view = {job->standardized, rows, n, NULL};
    TRY(gram_matrix(w->covariance, &view, w->weights, w->gram));
    for (size_t j = 0; j < n; j++) {
        const double *z = job->standardized + j * rows;
        double sum = 0.0;
        for (size_t i = 0; i < rows; i++) sum += w->weights[i] * z[i];
        w->means[j] = sum / (double)rows;
    }
    for (size_t j = 0; j < n; j++) {
        TRY(context_check(job->options.ask));
        for (size_t i = 0; i < n; i++) {
            double *c = &w->covariance[i + n * j];
            *c = *c / (double)rows - w->means[i] * w->means[j];
        }
        /* A column that is constant in the replicate leaves rounding. */
        if (w->covariance[j + n * j] < 1e-14) w->covariance[j + n * j] = 0.0;
    }
    for (size_t j = 0; j < n; j++) {
        TRY(context_check(job->options.ask));
        for (size_t i = 0; i < n; i++) {
            bool constant = w->covariance[i + n * i] == 0.0 || w->covariance[j + n * j] == 0.0;
            if (constant) w->covariance[i + n * j] = 0.0;
        }
    }
cleanup:
    return status;
}

/* Other workers count at the same time. */
static void count_edges(uint32_t *halves, const graph *found)
{
    for (size_t i = 0; i < found->nodes; i++) {
        const bits_word *children = graph_children(found, i), *siblings = graph_siblings(found, i);
        uint32_t *row = halves + i * found->nodes;
        BITS_EACH(j, children, found->words) (void)__atomic_fetch_add(&row[j], 2, __ATOMIC_RELAXED);
        BITS_EACH(j, siblings, found->words) (void)__atomic_fetch_add(&row[j], 1, __ATOMIC_RELAXED);
    }
}

static scone_status run_replicate(void *argument, size_t item, int worker)
{
    scone_status status = SCONE_OK;
    const ges_job *job = argument;
    ges_worker *w = &job->workers[worker];
    graph *found = NULL;
    draw_weights(w, job, item);
    TRY(weighted_covariance(w, job));
    TRY(ges_run(&found, w->covariance, job->columns, (double)(job->rows[0] + job->rows[1]),
                &job->options, NULL, NULL));
    count_edges(job->halves, found);
cleanup:
    scone_graph_free(found);
    return status;
}

static scone_status standardize_all(double **out, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    size_t rows = pair->tables[0]->rows + pair->tables[1]->rows, cells;
    if (!size_multiply(&cells, rows, pair->tables[0]->columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: %zu rows of %zu columns", rows,
             pair->tables[0]->columns);
    }
    TRY_ALLOC(*out, cells);
    for (size_t j = 0; j < pair->tables[0]->columns; j++) {
        double *column = *out + j * rows;
        double *const z[2] = {column, column + pair->tables[0]->rows};
        standardize_column(z, pair, j);
    }
cleanup:
    return status;
}

scone_status preset_ges(preset_answer *answer, const preset_request *request,
                        const scone_context *context)
{
    scone_status status = SCONE_OK;
    const scone_pair *pair = request->pair;
    size_t replicates = request->bootstrap > 0 ? request->bootstrap : 1, cells;
    double *standardized = NULL;
    ges_job job = {.request = request, .columns = pair->tables[0]->columns};
    for (int r = 0; r < 2; r++) job.rows[r] = pair->tables[r]->rows;
    job.options.penalty = preset_penalty;
    job.options.eager = true;
    job.options.max_parents = request->max_parents;
    job.options.ask = context;
    if (request->knowledge) {
        job.options.required = request->knowledge->required;
        job.options.forbidden = request->knowledge->forbidden;
    }
    job.threads = (size_t)context_threads(context);
    if (job.threads > replicates) job.threads = replicates;
    TRY(standardize_all(&standardized, pair));
    job.standardized = standardized;
    if (!size_multiply(&cells, job.columns, job.columns)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ZERO(job.halves, cells);
    TRY(alloc_workers(&job));
    TRY(team_for(replicates, context, "ges", run_replicate, &job, NULL, 0));
    TRY(team_sum(context, job.halves, cells));
    for (size_t c = 0; c < cells; c++) {
        answer->probabilities[c] = (double)job.halves[c] / (2.0 * (double)replicates);
    }
cleanup:
    mem_free(job.halves);
    free_workers(&job);
    mem_free(standardized);
    return status;
}
