/* fit_linear.c - least squares with constant spread, for every kind of contrast (see fit.h).
 *
 * Needs the Gram matrices of a design and its products with y, apart for each regime: they give
 * every fit in O(k^3); then one pass over the rows for the residuals and their entropy.
 */
#include "learn/fit/fit_parts.h"

#include <math.h>
#include <string.h>

/* a = w0 A0 + w1 A1, x = w0 x0 + w1 x1, solved */
static void solve(fit_work *work, const fit_linear *l, size_t k, double w0, double w1, double *x)
{
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            work->small[i * k + j] = w0 * l->gram[0][i * k + j] + w1 * l->gram[1][i * k + j];
        }
        x[i] = w0 * l->products[0][i] + w1 * l->products[1][i];
    }
    fit_solve(work->small, x, k, work->factor);
}

double fit_linear_set(fit_work *work, fit_linear *l, fit_set set, double *coefficients)
{
    fit_rows rows = fit_rows_of(work, set);
    size_t k = l->d->count;
    solve(work, l, k, set != FIT_SECOND, set != FIT_FIRST, coefficients);
    l->variance[set] = fit_residuals(work, l->d, &rows, l->y, coefficients);
    return -fit_entropy(work->residual, &rows) - fit_price(&rows, k + 1 - l->further, l->further);
}

/* y = D b + c (second regime) + s e */
static double offset_change(fit_work *work, const fit_linear *l)
{
    size_t k = l->d->count, size = k + 1;
    fit_rows rows = fit_rows_of(work, FIT_POOLED);
    double x[FIT_MAX_COLUMNS + 1], *a = work->small;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            a[i * size + j] = l->gram[0][i * k + j] + l->gram[1][i * k + j];
        }
        a[k * size + i] = l->gram[1][(k - 1) * k + i]; /* the constant is the last column */
        x[i] = l->products[0][i] + l->products[1][i];
    }
    a[k * size + k] = l->gram[1][k * k - 1];
    x[k] = l->products[1][k - 1];
    fit_solve(a, x, size, work->factor);
    for (int c = 0; c < 2; c++) {
        fit_rows part = fit_rows_of(work, c == 0 ? FIT_FIRST : FIT_SECOND);
        if (c == 1) x[k - 1] += x[k];
        (void)fit_residuals(work, l->d, &part, l->y, x);
    }
    return -fit_entropy(work->residual, &rows) - fit_price(&rows, k + 2 - l->further, l->further);
}

/* y = D b + s_c e */
static double scale_change(fit_work *work, const fit_linear *l)
{
    size_t k = l->d->count;
    fit_rows rows = fit_rows_of(work, FIT_POOLED);
    double x[FIT_MAX_COLUMNS], log_sigma = 0.0;
    solve(work, l, k, 1.0 / (l->variance[FIT_FIRST] + 1e-30),
          1.0 / (l->variance[FIT_SECOND] + 1e-30), x);
    for (int c = 0; c < 2; c++) {
        fit_rows part = fit_rows_of(work, c == 0 ? FIT_FIRST : FIT_SECOND);
        double variance = fit_residuals(work, l->d, &part, l->y, x) + 1e-30;
        float scale = (float)(1.0 / sqrt(variance));
        log_sigma += 0.5 * (double)part.count * log(variance);
        FIT_EACH_BLOCK(&part, o, m)
        {
            for (size_t i = o; i < o + m; i++) work->residual[i] *= scale;
        }
    }
    return -log_sigma - fit_entropy(work->residual, &rows) -
           fit_price(&rows, k + 2 - l->further, l->further);
}

/* The mean of each regime on its own, the noise shared. */
static double mean_change(fit_work *work, const fit_linear *l)
{
    size_t k = l->d->count;
    fit_rows rows = fit_rows_of(work, FIT_POOLED);
    double x[FIT_MAX_COLUMNS], price = fit_price(&rows, 1, 0);
    for (int c = 0; c < 2; c++) {
        fit_rows part = fit_rows_of(work, c == 0 ? FIT_FIRST : FIT_SECOND);
        solve(work, l, k, c == 0, c == 1, x);
        (void)fit_residuals(work, l->d, &part, l->y, x);
        price += fit_price(&part, k - l->further, l->further); /* as if fitted apart: it is */
    }
    return -fit_entropy(work->residual, &rows) - price;
}

double fit_linear_change(fit_work *work, const fit_linear *l, fit_contrast contrast)
{
    if (contrast == FIT_MEAN) return mean_change(work, l);
    if (contrast == FIT_OFFSET) return offset_change(work, l);
    return scale_change(work, l);
}
