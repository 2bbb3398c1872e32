/* fit_scan.c - which further parents are worth a fit (see fit_scan in fit.h).
 *
 * At a fit with design D, adding the columns C of a candidate changes the log-likelihood by about
 *     1/2 t' S^-1 t,   t = C'v - G_CD G_DD^-1 D'v,   S = G_CC - G_CD G_DD^-1 G_DC,
 * G the Gram matrices with weights w: a score test. The mean has v = r/sigma^2, w = 1/sigma^2; a
 * log variance v = (e^2 - 1)/2, w = 1/2; the sd link v = f (r^2/s - 1)/s, w = 2 f^2/s^2. The better
 * of mean and spread counts, summed over the sets of rows that are fitted apart. Where w is the
 * same for all rows the Gram matrices are the stored ones, and a candidate costs O(n) instead of
 * O(k n).
 */
#include "learn/fit/fit_parts.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* The rows that are looked at. */
typedef struct scan_job {
    const fit_work *work;
    const basis *b;
    const fit_design *d;
    const fit_rows *rows;
    fit_set set;
} scan_job;

/* One equation: factors of gradient and information of each row. */
typedef struct scan_equation {
    const float *v, *w;
    double constant;                  /* w of all rows if they are the same, else 0 */
    double gradient[FIT_MAX_COLUMNS]; /* D'v */
    double *factor;                   /* Cholesky factor of G_DD */
    double solved[FIT_MAX_COLUMNS];   /* G_DD^-1 D'v */
} scan_equation;

/* weight = 1/sigma and residual r: mean into v, w; spread of a log link into vs, ws */
SIMD_CLONES_FUSED static void log_terms(float *restrict v, float *restrict w, float *restrict vs,
                                        float *restrict ws, const float *restrict r,
                                        const float *restrict one, size_t m)
{
    for (size_t i = 0; i < m; i++) {
        float inverse = w[i] * w[i], q = r[i] * r[i] * inverse;
        w[i] = inverse * one[i];
        v[i] = r[i] * w[i];
        vs[i] = 0.5f * ((q > 25.0f ? 25.0f : q) - 1.0f) * one[i];
        ws[i] = 0.5f * one[i];
    }
}

/* the same for the sd link: f in ws */
SIMD_CLONES_FUSED static void sd_terms(float *restrict v, float *restrict w, float *restrict vs,
                                       float *restrict ws, const float *restrict r,
                                       const float *restrict one, size_t m)
{
    for (size_t i = 0; i < m; i++) {
        float inverse = w[i] * w[i], q = r[i] * r[i] * inverse, f = ws[i];
        w[i] = inverse * one[i];
        v[i] = r[i] * w[i];
        vs[i] = f * inverse * (q - 1.0f) * one[i];
        ws[i] = 2.0f * f * f * inverse * inverse * one[i];
    }
}

/* residual, and the terms: mean in scratch and weight, spread in apart and fitted */
static void prepare_rows(fit_work *work, const fit_design *d, const fit_rows *rows, const float *y,
                         fit_model model, const float *coefficients, bool refined)
{
    double vectors[FIT_VECTORS][FIT_MAX_COLUMNS];
    size_t k = d->count;
    for (size_t v = 0; v < FIT_VECTORS; v++) {
        for (size_t a = 0; a < k; a++) vectors[v][a] = (double)coefficients[v * k + a];
    }
    double level = vectors[FIT_SPREAD][k - 1], square = 0.0;
    if (!refined) square = fit_residuals(work, d, rows, y, vectors[FIT_LOCATION]);
    if (model == FIT_SD) {
        (void)fit_sd_spread(work, d, rows, vectors[FIT_PHASE], exp(level));
    } else if (!refined) {
        (void)fit_spread(work, d, rows, vectors[FIT_SPREAD], log(square + 1e-30));
    }
    FIT_EACH_BLOCK(rows, o, m)
    {
        float *v = work->scratch + o, *w = work->weight + o, *vs = work->apart + o;
        float *ws = work->fitted + o;
        if (model == FIT_SD) {
            sd_terms(v, w, vs, ws, work->residual + o, d->one + o, m);
        } else {
            log_terms(v, w, vs, ws, work->residual + o, d->one + o, m);
        }
    }
}

static void prepare_equation(scan_equation *e, const scan_job *job, double *gram)
{
    const fit_design *d = job->d;
    const fit_rows *rows = job->rows;
    size_t k = d->count;
    if (e->constant > 0.0) {
        for (size_t i = 0; i < k; i++) {
            for (size_t j = 0; j <= i; j++) {
                gram[i * k + j] =
                    e->constant * fit_stored(job->work, job->set, d->index[i], d->index[j]);
            }
        }
    } else {
        memset(gram, 0, k * k * sizeof *gram);
        fit_gram(gram, d, rows, e->w);
    }
    fit_project(e->gradient, d, rows, e->v);
    memcpy(e->solved, e->gradient, k * sizeof *e->solved);
    fit_solve(gram, e->solved, k, e->factor);
}

/* 1/2 t' S^-1 t of the candidate u */
static double gain(const scan_equation *e, const scan_job *job, size_t u)
{
    const fit_design *d = job->d;
    const float *right[FIT_MAX_COLUMNS + BASIS_SIZE], **columns = right + d->count;
    double products[BASIS_SIZE * (FIT_MAX_COLUMNS + BASIS_SIZE)] = {0}, t[BASIS_SIZE] = {0};
    double s[BASIS_SIZE * BASIS_SIZE], factor[BASIS_SIZE * BASIS_SIZE], x[FIT_MAX_COLUMNS];
    double solved[BASIS_SIZE], sum = 0.0;
    size_t size = job->b->size[u], k = d->count, width = k + size, first = u * BASIS_SIZE;
    memcpy(right, d->columns, k * sizeof *right);
    for (size_t a = 0; a < size; a++) columns[a] = basis_column(job->b, first + a);
    for (size_t a = 0; a < size && e->constant > 0.0; a++) {
        for (size_t i = 0; i < width; i++) {
            products[a * width + i] =
                e->constant *
                fit_stored(job->work, job->set, first + a, i < k ? d->index[i] : first + (i - k));
        }
    }
    FIT_EACH_BLOCK(job->rows, o, m)
    {
        if (!(e->constant > 0.0)) {
            kernel_products(products, columns, size, right, width, e->w + o, o, m);
        }
        kernel_project(t, columns, e->v + o, size, o, m);
    }
    for (size_t a = 0; a < size; a++) {
        memcpy(x, products + a * width, k * sizeof *x);
        for (size_t i = 0; i < k; i++) t[a] -= x[i] * e->solved[i];
        fit_back(e->factor, x, k);
        for (size_t c = 0; c <= a; c++) {
            double dot = products[a * width + k + c];
            for (size_t i = 0; i < k; i++) dot -= products[c * width + i] * x[i];
            s[a * size + c] = dot;
        }
        s[a * size + a] += 1e-5 * products[a * width + k + a];
    }
    memcpy(solved, t, size * sizeof *t);
    fit_solve(s, solved, size, factor);
    for (size_t a = 0; a < size; a++) sum += 0.5 * t[a] * solved[a];
    return sum;
}

static void scan_set(float *gains, fit_work *work, const scan_job *job, const family *f,
                     fit_model model, const uint32_t *candidates, size_t count)
{
    scan_equation mean = {.v = work->scratch, .w = work->weight, .factor = work->factor};
    scan_equation spread = {.v = work->apart, .w = work->fitted, .factor = work->small};
    if (job->b->levels[f->node] == 0) {
        if (model == FIT_CONSTANT) mean.constant = (double)work->weight[job->rows->begin[0]];
        if (model != FIT_SD) spread.constant = 0.5;
    }
    prepare_equation(&mean, job, work->gram);
    prepare_equation(&spread, job, work->gram);
    for (size_t c = 0; c < count; c++) {
        size_t u = candidates[c];
        if (u == f->node || family_has(f, u)) continue;
        double best = fmax(gain(&mean, job, u), gain(&spread, job, u));
        if (best > 0.0) gains[c] += (float)best;
    }
}

/* The rows of one set, with the best model of it. */
static void scan_model(float *gains, const scan_job *job, fit_work *work, const family *f,
                       const fit_result *result, const float *coefficients,
                       const uint32_t *candidates, size_t count)
{
    const fit_design *d = job->d;
    const float *vectors = coefficients + (size_t)job->set * FIT_VECTORS * d->count;
    fit_model model = result->model[job->set];
    if (work->b->levels[f->node] > 0) {
        fit_discrete_terms(work, d, job->rows, f->node, model, vectors);
    } else {
        const float *y = basis_column(work->b, (size_t)f->node * BASIS_SIZE);
        bool refined = fit_refined_again(work, f, result, coefficients, job->set);
        prepare_rows(work, d, job->rows, y, model, vectors, refined);
    }
    scan_set(gains, work, job, f, model, candidates, count);
}

/* A condition with a mechanism of its own: least squares stand for its model. */
static void scan_single(float *gains, fit_work *work, const fit_design *d, const family *f,
                        size_t part, const uint32_t *candidates, size_t count)
{
    float vectors[FIT_VECTORS * FIT_MAX_COLUMNS] = {0};
    double x[FIT_MAX_COLUMNS], square;
    const float *y = basis_column(work->b, (size_t)f->node * BASIS_SIZE);
    size_t k = d->count, column = (size_t)f->node * BASIS_SIZE;
    if (work->b->levels[f->node] > 0 || work->b->rows[part] <= k) return;
    fit_conditions_single(work, part);
    fit_rows rows = fit_rows_of(work, FIT_SECOND);
    const scan_job job = {work, work->b, d, &rows, FIT_SECOND};
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            work->small[i * k + j] = fit_stored(work, FIT_SECOND, d->index[i], d->index[j]);
        }
        x[i] = fit_stored(work, FIT_SECOND, d->index[i], column);
    }
    fit_solve(work->small, x, k, work->factor);
    square = fit_residuals(work, d, &rows, y, x);
    for (size_t a = 0; a < k; a++) vectors[FIT_LOCATION * k + a] = (float)x[a];
    vectors[FIT_SPREAD * k + k - 1] = (float)log(square + 1e-30);
    prepare_rows(work, d, &rows, y, FIT_CONSTANT, vectors, false);
    scan_set(gains, work, &job, f, FIT_CONSTANT, candidates, count);
}

/* The control and those that share its mechanism, then each of the others. */
static void scan_conditions(float *gains, fit_work *work, const fit_design *d, const family *f,
                            const fit_result *result, const float *coefficients,
                            const uint32_t *candidates, size_t count)
{
    const float *margins = fit_margins(work->b, f, coefficients);
    fit_conditions_again(work, margins);
    fit_rows rows = fit_rows_of(work, FIT_POOLED);
    const scan_job job = {work, work->b, d, &rows, FIT_POOLED};
    scan_model(gains, &job, work, f, result, coefficients, candidates, count);
    for (size_t c = 1; c < work->b->parts; c++) {
        if (margins[c - 1] > 0.0f) scan_single(gains, work, d, f, c, candidates, count);
    }
}

void fit_scan(float *gains, fit_work *work, const family *f, const fit_result *result,
              const float *coefficients, const uint32_t *candidates, size_t count)
{
    fit_design d;
    fit_design_make(&d, work->b, f);
    memset(gains, 0, count * sizeof *gains);
    if (work->b->parts > 2) {
        scan_conditions(gains, work, &d, f, result, coefficients, candidates, count);
        return;
    }
    bool shared = result->contrast == FIT_SHARED;
    for (int s = shared ? FIT_POOLED : FIT_FIRST; s <= (shared ? FIT_POOLED : FIT_SECOND); s++) {
        fit_rows rows = fit_rows_of(work, (fit_set)s);
        const scan_job job = {work, work->b, &d, &rows, (fit_set)s};
        scan_model(gains, &job, work, f, result, coefficients, candidates, count);
    }
}
