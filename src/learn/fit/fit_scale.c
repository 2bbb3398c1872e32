/* fit_scale.c - models with a linear mean, a log-linear variance, or both (see fit.h). */
#include "learn/fit/fit_parts.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* Mean and variance of log chi^2 with one degree of freedom: -1.27 and pi^2 / 2 */
static const double log_square_mean = -1.27, log_square_variance = 4.9348;

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

double fit_residuals(fit_work *work, const fit_design *d, const fit_rows *rows, const float *y,
                     const double *b)
{
    double square = 0.0;
    fit_apply(work->residual, d, rows, b);
    FIT_EACH_BLOCK(rows, o, m) square += subtract(work->residual + o, y + o, m);
    return square / (double)rows->count;
}

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

double fit_spread(fit_work *work, const fit_design *d, const fit_rows *rows, const double *h,
                  double centre)
{
    double log_sigma = 0.0;
    fit_apply(work->fitted, d, rows, h);
    FIT_EACH_BLOCK(rows, o, m)
    {
        log_sigma += log_weights(work->weight + o, work->fitted + o, d->one + o,
                                 (float)(centre - 10.0), (float)(centre + 10.0), m);
    }
    return log_sigma;
}

/* scratch = log(r^2 + floor) less its mean under normal noise */
SIMD_CLONES_FUSED static void log_squares(float *restrict out, const float *restrict r,
                                          const float *restrict one, float floor, size_t m)
{
    float t[KERNEL_BLOCK] = {0};
    for (size_t i = 0; i < m; i++) t[i] = r[i] * r[i] + floor;
    kernel_log(out, t, m);
    for (size_t i = 0; i < m; i++) out[i] = (out[i] - (float)log_square_mean) * one[i];
}

/* h from least squares of log(r^2 + floor) on D; returns what D explains of its sum of squares */
static double start_spread(fit_work *work, const fit_design *d, const fit_rows *rows, double *h,
                           double floor)
{
    double projected[FIT_MAX_COLUMNS], explained = 0.0;
    size_t k = d->count;
    FIT_EACH_BLOCK(rows, o, m)
    {
        log_squares(work->scratch + o, work->residual + o, d->one + o, (float)floor, m);
    }
    fit_project(h, d, rows, work->scratch);
    memcpy(projected, h, k * sizeof *h);
    fit_solve(work->gram, h, k, work->factor);
    for (size_t a = 0; a < k; a++) explained += projected[a] * h[a];
    return explained - projected[k - 1] * projected[k - 1] / (double)rows->count;
}

/* (min(e^2, 25) - 1), e = r / sigma */
SIMD_CLONES_FUSED static void excess(float *restrict out, const float *restrict r,
                                     const float *restrict w, const float *restrict one, size_t m)
{
    for (size_t i = 0; i < m; i++) {
        float e = r[i] * w[i], q = e * e;
        out[i] = ((q > 25.0f ? 25.0f : q) - 1.0f) * one[i];
    }
}

/* One Fisher step: h += (D'D)^-1 D'(r^2/sigma^2 - 1), the ratio clipped at 25. */
static void step_spread(fit_work *work, const fit_design *d, const fit_rows *rows, double *h,
                        double centre)
{
    double step[FIT_MAX_COLUMNS];
    (void)fit_spread(work, d, rows, h, centre);
    FIT_EACH_BLOCK(rows, o, m)
    {
        excess(work->scratch + o, work->residual + o, work->weight + o, d->one + o, m);
    }
    fit_project(step, d, rows, work->scratch);
    fit_solve(work->gram, step, d->count, work->factor);
    for (size_t a = 0; a < d->count; a++) h[a] += step[a];
}

SIMD_CLONES_FUSED static void square_weights(float *restrict w, float *restrict v,
                                             const float *restrict y, size_t m)
{
    for (size_t i = 0; i < m; i++) {
        w[i] *= w[i];
        v[i] = w[i] * y[i];
    }
}

/* b by least squares with weights 1/sigma^2 */
static void weighted_mean(fit_work *work, const fit_design *d, const fit_rows *rows, const float *y,
                          double *b)
{
    size_t k = d->count;
    memset(work->small, 0, k * k * sizeof *work->small);
    FIT_EACH_BLOCK(rows, o, m) square_weights(work->weight + o, work->scratch + o, y + o, m);
    fit_gram(work->small, d, rows, work->weight);
    fit_project(b, d, rows, work->scratch);
    fit_solve(work->small, b, k, work->factor);
}

double fit_modelled(fit_work *work, const fit_design *mean, const fit_design *d,
                    const fit_rows *rows, const float *y, double variance, double *b, double *h)
{
    double centre = log(variance + 1e-30), k = (double)d->count;
    double explained = start_spread(work, d, rows, h, 1e-4 * variance + 1e-12);
    /* Regression of log r^2 has 40% of the information of the likelihood: the latter would gain
     * about 1.2 explained / variance. Half of the penalty is far from enough. */
    if (explained / log_square_variance * 1.2 < 0.25 * (k - 1.0) * log((double)rows->count)) {
        return -HUGE_VAL;
    }
    for (int round = 0; round < 2; round++) {
        (void)fit_spread(work, d, rows, h, centre);
        weighted_mean(work, mean, rows, y, b);
        (void)fit_residuals(work, mean, rows, y, b);
        step_spread(work, d, rows, h, centre);
    }
    return fit_likelihood(work, rows, fit_spread(work, d, rows, h, centre));
}

double fit_log_link(fit_work *work, const fit_design *d, const fit_rows *rows, double variance,
                    double *h)
{
    double centre = log(variance + 1e-30);
    (void)start_spread(work, d, rows, h, 1e-4 * variance + 1e-12);
    step_spread(work, d, rows, h, centre);
    step_spread(work, d, rows, h, centre);
    return fit_likelihood(work, rows, fit_spread(work, d, rows, h, centre));
}
