/* token_statistics.c - pair, node and grid statistics of tokens (see token_statistics.h). */
#include "model/tokens/token_statistics.h"

#include "linalg/shrinkage.h"
#include "linalg/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One channel; matrices [nodes, nodes]. */
typedef struct channel_numbers {
    const double *correlations;
    const double *spread;  /* deviations in the units of their columns */
    const double *partial; /* -Omega */
} channel_numbers;

/* tanh(r s_to / s_from), also where the ratio is beyond the range of doubles */
static float slope(double correlation, double from, double to)
{
    if (!(from > 0.0)) return 0.0F;
    return (float)tanh(correlation * fmin(to / from, DBL_MAX));
}

/* The deviations of a regime in units of each column's root mean square over both: [nodes] */
static void relative_spread(double *spread, const moments *m, size_t regime, size_t nodes)
{
    for (size_t v = 0; v < nodes; v++) {
        double unit = hypot(m->deviations[0][v] / sqrt(2.0), m->deviations[1][v] / sqrt(2.0));
        spread[v] = unit > 0.0 ? m->deviations[regime][v] / unit : 0.0;
    }
}

static void fill_channel(tokens *t, size_t channel, const channel_numbers *numbers)
{
    size_t n = t->size.nodes;
    for (size_t e = 0; e < t->size.pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1], cell = i + n * j;
        double r = numbers->correlations[cell];
        float *out = t->pair_statistics[e][channel];
        out[TOKEN_CORRELATION] = (float)r;
        out[TOKEN_PARTIAL] = (float)numbers->partial[cell];
        out[TOKEN_SLOPE_FORWARD] = slope(r, numbers->spread[i], numbers->spread[j]);
        out[TOKEN_SLOPE_BACKWARD] = slope(r, numbers->spread[j], numbers->spread[i]);
    }
}

/* What both kinds of channels need. */
typedef struct channel_work {
    gram_work *gram;
    symmetric_work *symmetric;
    double *shrunk, *partial; /* [nodes, nodes] */
} channel_work;

static void work_free(channel_work *work)
{
    gram_work_free(work->gram);
    symmetric_work_free(work->symmetric);
    mem_free(work->shrunk);
    mem_free(work->partial);
}

static scone_status work_alloc(channel_work *work, size_t nodes, const scone_context *context)
{
    scone_status status = SCONE_OK;
    TRY(gram_work_alloc(&work->gram, context));
    TRY(symmetric_work_alloc(&work->symmetric, nodes));
    TRY_ALLOC(work->shrunk, nodes * nodes);
    TRY_ALLOC(work->partial, nodes * nodes);
cleanup:
    return status;
}

/* work->partial of the rows of x */
static scone_status partial_of(channel_work *work, const matrix_view *x)
{
    double intensity;
    scone_status status = shrinkage_covariance(work->shrunk, &intensity, x, true, work->gram);
    if (status != SCONE_OK) return status;
    return partial_correlations(work->partial, work->shrunk, x->columns, work->symmetric);
}

scone_status token_statistics_pairs(tokens *t, const scone_pair *pair, const moments *m,
                                    const scone_context *context)
{
    scone_status status = SCONE_OK;
    channel_work work = {0};
    double *spread = NULL;
    TRY_ALLOC(spread, t->size.nodes);
    TRY(work_alloc(&work, t->size.nodes, context));
    for (size_t c = 0; c < 2; c++) {
        const table *source = pair->tables[c];
        matrix_view x = {source->values, source->rows, source->columns, NULL};
        TRY(partial_of(&work, &x));
        relative_spread(spread, m, c, t->size.nodes);
        const channel_numbers numbers = {m->correlations[c], spread, work.partial};
        fill_channel(t, c, &numbers);
    }
cleanup:
    work_free(&work);
    mem_free(spread);
    return status;
}

scone_status token_statistics_pooled(tokens *t, const scone_pair *pair,
                                     const scone_context *context)
{
    scone_status status = SCONE_OK;
    channel_work work = {0};
    double *values = NULL, *correlations = NULL, *deviations = NULL;
    size_t n = t->size.nodes, first = pair->tables[0]->rows, rows, cells;
    if (!size_add(&rows, first, pair->tables[1]->rows) || !size_multiply(&cells, rows, n)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: the rows of both tables");
    }
    TRY_ALLOC(values, cells);
    for (size_t j = 0; j < n; j++) {
        double *to = values + rows * j;
        memcpy(to, table_column(pair->tables[0], j), first * sizeof *to);
        memcpy(to + first, table_column(pair->tables[1], j), (rows - first) * sizeof *to);
    }
    TRY_ALLOC(correlations, n * n);
    TRY_ALLOC(deviations, n);
    TRY(work_alloc(&work, n, context));
    matrix_view x = {values, rows, n, NULL};
    TRY(correlation_matrix(correlations, NULL, deviations, &x, work.gram));
    TRY(partial_of(&work, &x));
    for (size_t v = 0; v < n; v++) deviations[v] = deviations[v] > 0.0 ? 1.0 : 0.0;
    const channel_numbers numbers = {correlations, deviations, work.partial};
    for (size_t c = 0; c < 2; c++) fill_channel(t, c, &numbers);
cleanup:
    work_free(&work);
    mem_free(values);
    mem_free(correlations);
    mem_free(deviations);
    return status;
}

void token_statistics_nodes(tokens *t, const sensitivity *scores, const scone_pair *pair)
{
    double rows[2] = {(double)pair->tables[0]->rows, (double)pair->tables[1]->rows};
    double error = sqrt(1.0 / rows[0] + 1.0 / rows[1]);
    for (size_t v = 0; v < t->size.nodes; v++) {
        float *out = t->node_statistics[v];
        out[TOKEN_SENSITIVITY] = (float)scores->score[v];
        out[TOKEN_SHIFT] = (float)scores->shift[v];
        out[TOKEN_VARIANCE_RATIO] = (float)scores->log_variance_ratio[v];
        out[TOKEN_DISTANCE] = (float)scores->distance[v];
        out[TOKEN_EXCESS] = (float)log1p(scores->distance[v] / error);
    }
}

scone_status token_statistics_precision(tokens *t, const moments *m)
{
    scone_status status = SCONE_OK;
    symmetric_work *work = NULL;
    double *partial = NULL;
    size_t n = t->size.nodes;
    TRY(symmetric_work_alloc(&work, n));
    TRY_ALLOC(partial, n * n);
    TRY(partial_correlations(partial, m->shrunk, n, work));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            t->precision[i * n + j] = t->precision[j * n + i] = (float)-partial[i + n * j];
        }
        t->precision[i * n + i] = 0.0F;
    }
cleanup:
    symmetric_work_free(work);
    mem_free(partial);
    return status;
}
