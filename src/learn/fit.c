/* fit.c - the models of one set of rows, the contrast of the regimes, and the scratch (see fit.h). */
#include "learn/fit_parts.h"

#include <math.h>
#include <string.h>

/* The best model of one set of rows so far. */
typedef struct set_fit {
    double score, variance; /* penalized; mean square of the least-squares residuals */
    fit_model model;
    double vectors[FIT_VECTORS][FIT_MAX_COLUMNS];
} set_fit;

/* One node with its parents. */
typedef struct node_fit {
    fit_work *work;
    const fit_request *request;
    fit_design d;
    const float *y;
    size_t column; /* of y in the basis */
    set_fit sets[FIT_SETS];
} node_fit;

/* D'D into work->gram, and b from D'D b = D'y */
static void least_squares(node_fit *fit, fit_set set, double *b)
{
    fit_work *work = fit->work;
    const fit_design *d = &fit->d;
    size_t k = d->count;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            work->gram[i * k + j] = fit_stored(work->b, set, d->index[i], d->index[j]);
        }
        b[i] = fit_stored(work->b, set, d->index[i], fit->column);
    }
    fit_solve(work->gram, b, k, work->factor);
}

/* residual = y - mean; returns the variance */
static double centre(node_fit *fit, fit_set set, const fit_rows *rows, double *mean)
{
    fit_design constant = {.count = 1, .one = fit->d.one};
    constant.columns[0] = fit->d.one;
    *mean = fit_stored(fit->work->b, set, fit->d.index[fit->d.count - 1], fit->column) /
            (double)rows->count;
    return fit_residuals(fit->work, &constant, rows, fit->y, mean);
}

/* Keeps a model with its mean and log variance if it is the best so far. */
static void keep_better(set_fit *fit, size_t k, double score, fit_model model,
                        const double *location, const double *spread)
{
    if (!(score > fit->score)) return; /* also if it is not a number */
    fit->score = score;
    fit->model = model;
    memcpy(fit->vectors[FIT_LOCATION], location, k * sizeof *location);
    memcpy(fit->vectors[FIT_SPREAD], spread, k * sizeof *spread);
}

/* The standardized residuals of the best model into work->scratch. */
static void standardized(node_fit *fit, fit_set set, const fit_rows *rows)
{
    fit_work *work = fit->work;
    const set_fit *best = &fit->sets[set];
    double level = best->vectors[FIT_SPREAD][fit->d.count - 1];
    (void)fit_residuals(work, &fit->d, rows, fit->y, best->vectors[FIT_LOCATION]);
    if (best->model == FIT_SD) {
        (void)fit_sd_spread(work, &fit->d, rows, best->vectors[FIT_PHASE], exp(level));
    } else {
        (void)fit_spread(work, &fit->d, rows, best->vectors[FIT_SPREAD], level);
    }
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) work->scratch[i] = work->residual[i] * work->weight[i];
    }
}

/* Adds what a model of the noise's shape gains. */
static void add_shape(node_fit *fit, fit_set set, const fit_rows *rows)
{
    fit_work *work = fit->work;
    const fit_design *d = &fit->d;
    size_t k = d->count;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            work->gram[i * k + j] = fit_stored(work->b, set, d->index[i], d->index[j]);
        }
    }
    standardized(fit, set, rows);
    fit->sets[set].score += fit_shape(work, d, rows, work->gram, work->scratch);
}

static void fit_rows_set(node_fit *fit, fit_set set)
{
    fit_work *work = fit->work;
    const fit_design *d = &fit->d;
    fit_rows rows = fit_rows_of(work->b, set);
    set_fit *out = &fit->sets[set];
    double location[FIT_MAX_COLUMNS], spread[FIT_MAX_COLUMNS] = {0};
    double penalty = 0.5 * log((double)rows.count);
    size_t k = d->count, last = k - 1;
    *out = (set_fit){.score = -HUGE_VAL};

    least_squares(fit, set, location);
    out->variance = fit_residuals(work, d, &rows, fit->y, location);
    spread[last] = log(out->variance + 1e-30);
    double likelihood = -fit_entropy(work->residual, &rows);
    keep_better(out, k, likelihood - penalty * (double)(k + 1), FIT_CONSTANT, location, spread);
    if (set != FIT_POOLED) {
        memcpy(work->apart + rows.begin[0], work->residual + rows.begin[0],
               rows.length[0] * sizeof *work->apart);
    }
    if (d->parents == 0) return;
    likelihood = fit_modelled(work, d, &rows, fit->y, out->variance, location, spread);
    keep_better(out, k, likelihood - penalty * (double)(2 * k), FIT_MODELLED, location, spread);

    memset(location, 0, sizeof location);
    double variance = centre(fit, set, &rows, &location[last]);
    likelihood = fit_log_link(work, d, &rows, variance, spread);
    keep_better(out, k, likelihood - penalty * (double)(k + 1), FIT_LOG, location, spread);
    const fit_sd_request how = {.request = fit->request,
                                .set = set,
                                .variance = variance,
                                .rival = -0.5 * log(out->variance + 1e-30) - 0.5};
    likelihood = fit_sd_link(work, d, &rows, &how, out->vectors[FIT_PHASE]);
    memset(spread, 0, sizeof spread);
    spread[last] = log(variance + 1e-30);
    keep_better(out, k, likelihood - penalty * (double)(k + 1), FIT_SD, location, spread);
#ifndef NOSHAPE
    add_shape(fit, set, &rows);
#endif
}

/* ---- changes of one part only, with constant spread ---- */

/* The mean of each regime on its own, the noise shared. */
static double mean_change(node_fit *fit)
{
    fit_rows rows = fit_rows_of(fit->work->b, FIT_POOLED);
    double parameters = (double)(2 * fit->d.count + 1);
    return -fit_entropy(fit->work->apart, &rows) - 0.5 * log((double)rows.count) * parameters;
}

/* y = D b + c (second regime) + s e */
static double offset_change(node_fit *fit)
{
    fit_work *work = fit->work;
    const fit_design *d = &fit->d;
    size_t k = d->count, size = k + 1;
    if (size > FIT_MAX_COLUMNS) return -HUGE_VAL;
    fit_rows rows = fit_rows_of(work->b, FIT_POOLED);
    double b[FIT_MAX_COLUMNS + 1], *a = work->gram;
    size_t constant = d->index[k - 1];
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            a[i * size + j] = fit_stored(work->b, FIT_POOLED, d->index[i], d->index[j]);
        }
        a[k * size + i] = fit_stored(work->b, FIT_SECOND, d->index[i], constant);
        b[i] = fit_stored(work->b, FIT_POOLED, d->index[i], fit->column);
    }
    a[k * size + k] = fit_stored(work->b, FIT_SECOND, constant, constant);
    b[k] = fit_stored(work->b, FIT_SECOND, constant, fit->column);
    fit_solve(a, b, size, work->factor);
    for (int c = 0; c < 2; c++) {
        fit_rows part = fit_rows_of(work->b, c == 0 ? FIT_FIRST : FIT_SECOND);
        if (c == 1) b[k - 1] += b[k];
        (void)fit_residuals(work, d, &part, fit->y, b);
    }
    return -fit_entropy(work->residual, &rows) -
           0.5 * log((double)rows.count) * (double)(k + 2);
}

/* y = D b + s_c e, weighted least squares from the stored Gram matrices */
static double scale_change(node_fit *fit)
{
    fit_work *work = fit->work;
    const fit_design *d = &fit->d;
    size_t k = d->count;
    fit_rows rows = fit_rows_of(work->b, FIT_POOLED);
    double b[FIT_MAX_COLUMNS], *a = work->gram, log_sigma = 0.0;
    double w[2] = {1.0 / (fit->sets[FIT_FIRST].variance + 1e-30),
                   1.0 / (fit->sets[FIT_SECOND].variance + 1e-30)};
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            a[i * k + j] = w[0] * fit_stored(work->b, FIT_FIRST, d->index[i], d->index[j]) +
                           w[1] * fit_stored(work->b, FIT_SECOND, d->index[i], d->index[j]);
        }
        b[i] = w[0] * fit_stored(work->b, FIT_FIRST, d->index[i], fit->column) +
               w[1] * fit_stored(work->b, FIT_SECOND, d->index[i], fit->column);
    }
    fit_solve(a, b, k, work->factor);
    for (int c = 0; c < 2; c++) {
        fit_rows part = fit_rows_of(work->b, c == 0 ? FIT_FIRST : FIT_SECOND);
        double variance = fit_residuals(work, d, &part, fit->y, b) + 1e-30;
        float scale = (float)(1.0 / sqrt(variance));
        log_sigma += 0.5 * (double)part.count * log(variance);
        FIT_EACH_BLOCK(&part, o, m)
        {
            for (size_t i = o; i < o + m; i++) work->residual[i] *= scale;
        }
    }
    return -log_sigma - fit_entropy(work->residual, &rows) -
           0.5 * log((double)rows.count) * (double)(k + 2);
}

static void consider(fit_result *result, double value, fit_contrast contrast)
{
    if (!(value > result->separate)) return;
    result->separate = value;
    result->contrast = contrast;
}

void fit_node(fit_result *result, float *coefficients, fit_work *work, const fit_request *request)
{
    node_fit fit = {.work = work, .request = request};
    const family *f = request->family;
    fit.column = (size_t)f->node * BASIS_SIZE;
    fit.y = basis_column(work->b, fit.column);
    fit_design_make(&fit.d, work->b, f);
    for (int s = FIT_SETS; s-- > 0;) fit_rows_set(&fit, (fit_set)s);

    *result = (fit_result){.shared = fit.sets[FIT_POOLED].score, .separate = -HUGE_VAL};
    result->columns = (uint32_t)fit.d.count;
    consider(result, fit.sets[FIT_FIRST].score + fit.sets[FIT_SECOND].score, FIT_SEPARATE);
    consider(result, mean_change(&fit), FIT_MEAN);
    consider(result, offset_change(&fit), FIT_OFFSET);
    consider(result, scale_change(&fit), FIT_SCALE);
    if (result->shared >= result->separate) result->contrast = FIT_SHARED;
    result->score = fmax(result->shared, result->separate);
    for (size_t s = 0; s < FIT_SETS; s++) {
        result->model[s] = fit.sets[s].model;
        for (size_t v = 0; v < FIT_VECTORS; v++) {
            for (size_t a = 0; a < fit.d.count; a++) {
                *coefficients++ = (float)fit.sets[s].vectors[v][a];
            }
        }
    }
}

/* ---- scratch ---- */

scone_status fit_work_alloc(fit_work **out, const basis *b)
{
    scone_status status = SCONE_OK;
    fit_work *work = NULL;
    size_t square = (size_t)(FIT_MAX_COLUMNS + 1) * (FIT_MAX_COLUMNS + 1);
    *out = NULL;
    TRY_ZERO(work, 1);
    work->b = b;
    TRY_ZERO(work->residual, b->stride);
    TRY_ZERO(work->fitted, b->stride);
    TRY_ZERO(work->weight, b->stride);
    TRY_ZERO(work->scratch, b->stride);
    TRY_ZERO(work->apart, b->stride);
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
    mem_free(work->apart);
    mem_free(work->gram);
    mem_free(work->small);
    mem_free(work->factor);
    mem_free(work->vectors);
    mem_free(work->starts);
    mem_free(work);
}
