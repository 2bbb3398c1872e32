/* fit.c - the models with a linear mean or a log-linear variance, and the contrast (see fit.h). */
#include "learn/fit.h"

#include "base/simd.h"
#include "learn/fit_parts.h"

#include <math.h>
#include <string.h>

/* ---- least squares with constant spread ---- */

SIMD_CLONES_FUSED static double subtract(float *restrict r, const float *restrict y, size_t m)
{
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < m; i++) {
        r[i] = y[i] - r[i];
        sum += r[i] * r[i];
    }
    return (double)sum;
}

/* residual = y - D b; returns its mean square */
static double residuals(fit_work *work, const fit_design *d, const fit_rows *rows, const float *y,
                        const double *b)
{
    double square = 0.0;
    fit_apply(work->residual, d, rows, b);
    FIT_EACH_BLOCK(rows, o, m) square += subtract(work->residual + o, y + o, m);
    return square / (double)rows->count;
}

static double stored_gram(const basis *b, const fit_rows *rows, size_t i, size_t j)
{
    double sum = 0.0;
    for (int part = 0; part < rows->parts; part++) {
        int regime = rows->parts == 2 ? part : rows->begin[0] == b->start[1];
        sum += b->gram[regime][i * b->columns + j];
    }
    return sum;
}

/* D'D into work->gram, and b from D'D b = D'y */
static void least_squares(fit_work *work, const fit_design *d, const fit_rows *rows, size_t node,
                          double *b)
{
    size_t k = d->count;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            work->gram[i * k + j] = stored_gram(work->b, rows, d->index[i], d->index[j]);
        }
        b[i] = stored_gram(work->b, rows, d->index[i], node * BASIS_SIZE);
    }
    fit_solve(work->gram, b, k, work->factor);
}

/* ---- log-linear variance ---- */

/* Clips log sigma^2 in h to [low, high], writes weight = 1/sigma, returns sum log sigma. */
SIMD_CLONES_FUSED static double log_weights(float *restrict w, float *restrict h,
                                            const float *restrict one, float low, float high,
                                            size_t m)
{
    float t[KERNEL_BLOCK] = {0}, sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < m; i++) {
        float x = h[i] < low ? low : h[i];
        x = x > high ? high : x;
        h[i] = x;
        t[i] = -0.5f * x;
        sum += x * one[i];
    }
    kernel_exp(w, t, m);
    return 0.5 * (double)sum;
}

static double spread(fit_work *work, const fit_design *d, const fit_rows *rows, const double *h,
                     double centre)
{
    double log_sigma = 0.0;
    fit_apply(work->fitted, d, rows, h);
    FIT_EACH_BLOCK(rows, o, m)
    {
        log_sigma += log_weights(work->weight + o, work->fitted + o, work->one + o,
                                 (float)(centre - 10.0), (float)(centre + 10.0), m);
    }
    return log_sigma;
}

/* h from least squares of log(r^2 + floor) + 1.27 (the mean of -log chi^2_1) on D */
static void start_spread(fit_work *work, const fit_design *d, const fit_rows *rows, double *h,
                         double floor)
{
    float t[KERNEL_BLOCK] = {0};
    FIT_EACH_BLOCK(rows, o, m)
    {
        const float *r = work->residual + o;
        for (size_t i = 0; i < m; i++) t[i] = r[i] * r[i] + (float)floor;
        kernel_log(work->scratch + o, t, m);
        for (size_t i = o; i < o + m; i++) {
            work->scratch[i] = (work->scratch[i] + 1.27f) * work->one[i];
        }
    }
    fit_project(h, d, rows, work->scratch);
    fit_solve(work->gram, h, d->count, work->factor);
}

/* One Fisher step: h += (D'D)^-1 D'(r^2/sigma^2 - 1), the ratio clipped at 25. */
static void step_spread(fit_work *work, const fit_design *d, const fit_rows *rows, double *h,
                        double centre)
{
    double step[FIT_MAX_COLUMNS];
    (void)spread(work, d, rows, h, centre);
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            float e = work->residual[i] * work->weight[i], q = e * e;
            work->scratch[i] = ((q > 25.0f ? 25.0f : q) - 1.0f) * work->one[i];
        }
    }
    fit_project(step, d, rows, work->scratch);
    fit_solve(work->gram, step, d->count, work->factor);
    for (size_t a = 0; a < d->count; a++) h[a] += step[a];
}

/* b by least squares with weights 1/sigma^2 */
static void weighted_mean(fit_work *work, const fit_design *d, const fit_rows *rows, const float *y,
                          double *b)
{
    size_t k = d->count;
    memset(work->small, 0, k * k * sizeof *work->small);
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            work->weight[i] *= work->weight[i];
            work->scratch[i] = work->weight[i] * y[i];
        }
    }
    fit_gram(work->small, work, d, rows, work->weight);
    fit_project(b, d, rows, work->scratch);
    fit_solve(work->small, b, k, work->factor);
}

/* Modelled mean and spread; expects the residuals of least squares. */
static double modelled(fit_work *work, const fit_design *d, const fit_rows *rows, const float *y,
                       double variance)
{
    double h[FIT_MAX_COLUMNS], b[FIT_MAX_COLUMNS], centre = log(variance + 1e-30);
    start_spread(work, d, rows, h, 1e-4 * variance + 1e-12);
    for (int round = 0; round < 2; round++) {
        (void)spread(work, d, rows, h, centre);
        weighted_mean(work, d, rows, y, b);
        (void)residuals(work, d, rows, y, b);
        step_spread(work, d, rows, h, centre);
    }
    return fit_likelihood(work, rows, spread(work, d, rows, h, centre));
}

/* Constant mean, log-linear variance; expects centred residuals. */
static double log_link(fit_work *work, const fit_design *d, const fit_rows *rows, double variance)
{
    double h[FIT_MAX_COLUMNS], centre = log(variance + 1e-30);
    start_spread(work, d, rows, h, 1e-4 * variance + 1e-12);
    step_spread(work, d, rows, h, centre);
    step_spread(work, d, rows, h, centre);
    return fit_likelihood(work, rows, spread(work, d, rows, h, centre));
}

/* ---- one set of rows, and the contrast ---- */

static double centre(fit_work *work, const fit_rows *rows, size_t node)
{
    fit_design constant = {.count = 1};
    constant.index[0] = work->b->columns - 1;
    constant.columns[0] = work->one;
    const float *y = basis_column(work->b, node * BASIS_SIZE);
    double mean =
        stored_gram(work->b, rows, constant.index[0], node * BASIS_SIZE) / (double)rows->count;
    return residuals(work, &constant, rows, y, &mean);
}

static void keep_better(double *best, fit_model *model, double score, fit_model candidate)
{
    if (!(score > *best)) return; /* also if it is not a number */
    *best = score;
    *model = candidate;
}

static double fit_regimes(fit_work *work, const fit_design *d, const fit_rows *rows, size_t node,
                          int effort, fit_model *model)
{
    const float *y = basis_column(work->b, node * BASIS_SIZE);
    double b[FIT_MAX_COLUMNS], k = (double)d->count, penalty = 0.5 * log((double)rows->count);
    double best = -HUGE_VAL;
    least_squares(work, d, rows, node, b);
    double variance = residuals(work, d, rows, y, b);
    *model = FIT_CONSTANT;
    keep_better(&best, model, -fit_entropy(work->residual, rows) - penalty * (k + 1.0),
                FIT_CONSTANT);
    if (d->count == 1) return best;
    keep_better(&best, model, modelled(work, d, rows, y, variance) - penalty * 2.0 * k,
                FIT_MODELLED);
    variance = centre(work, rows, node);
    keep_better(&best, model, log_link(work, d, rows, variance) - penalty * (k + 1.0), FIT_LOG);
    keep_better(&best, model, fit_sd_link(work, d, rows, variance, effort) - penalty * (k + 1.0),
                FIT_SD);
    return best;
}

void fit_node(fit_result *result, fit_work *work, size_t node, const size_t *parents, size_t count,
              int effort)
{
    const basis *b = work->b;
    fit_design d = {.count = 0};
    for (size_t p = 0; p < count; p++) {
        for (size_t a = 0; a < BASIS_SIZE; a++, d.count++) {
            d.index[d.count] = parents[p] * BASIS_SIZE + a;
            d.columns[d.count] = basis_column(b, d.index[d.count]);
        }
    }
    d.index[d.count] = b->columns - 1;
    d.columns[d.count++] = work->one;

    fit_rows rows[3] = {{.parts = 2}, {.parts = 1}, {.parts = 1}};
    double value[3];
    for (int c = 0; c < 2; c++) {
        rows[0].begin[c] = rows[1 + c].begin[0] = b->start[c];
        rows[0].length[c] = rows[1 + c].length[0] = b->padded[c];
        rows[0].count += rows[1 + c].count = b->rows[c];
        rows[0].padding += rows[1 + c].padding = b->padded[c] - b->rows[c];
    }
    for (int p = 0; p < 3; p++) {
        value[p] = fit_regimes(work, &d, &rows[p], node, effort, &result->model[p]);
    }
    result->shared = value[0];
    result->separate = value[1] + value[2];
    result->score = fmax(result->shared, result->separate);
}

/* ---- scratch ---- */

scone_status fit_work_alloc(fit_work **out, const basis *b)
{
    scone_status status = SCONE_OK;
    fit_work *work = NULL;
    size_t square = (size_t)FIT_MAX_COLUMNS * FIT_MAX_COLUMNS;
    *out = NULL;
    TRY_ZERO(work, 1);
    work->b = b;
    work->one = basis_column(b, b->columns - 1);
    TRY_ZERO(work->residual, b->stride);
    TRY_ZERO(work->fitted, b->stride);
    TRY_ZERO(work->weight, b->stride);
    TRY_ZERO(work->scratch, b->stride);
    TRY_ALLOC(work->gram, square);
    TRY_ALLOC(work->small, square);
    TRY_ALLOC(work->factor, square);
    TRY_ALLOC(work->vectors, square);
    TRY_ALLOC(work->starts, FIT_SD_STARTS);
    *out = work;
    return SCONE_OK;
cleanup:
    fit_work_free(work);
    return status;
}

void fit_work_free(fit_work *work)
{
    if (!work) return;
    mem_free(work->residual);
    mem_free(work->fitted);
    mem_free(work->weight);
    mem_free(work->scratch);
    mem_free(work->gram);
    mem_free(work->small);
    mem_free(work->factor);
    mem_free(work->vectors);
    mem_free(work->starts);
    mem_free(work);
}
