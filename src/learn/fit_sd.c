/* fit_sd.c - the sd link: y = m + |D g| e, the natural model of y = f(x) e.
 *
 * Minimizes J(g) = 1/2 sum log s + r^2 / s, s = f^2 + delta, f = D g. Only |f| is seen, so J has
 * many local minima: one for each guess of where f changes its sign (phase retrieval). What finds
 * the good one (docs/score.md has the measurements):
 *   - many starts: least squares of 1.2533 |r| times a guess of the sign of f (none; one or two
 *     changes along one parent), and the top eigenvector of sum min(r^2/v, 9) D D' in the metric
 * D'D;
 *   - each goes through rounds of reweighted least squares and a few Fisher steps on few rows; the
 *     best ones go on;
 *   - delta falls in stages, so that zeros of f can still move before the valley gets narrow.
 * Cost: O(starts k^2 rows_few + kept k^2 rows_more + k^2 n).
 */
#include "learn/fit_parts.h"

#include "base/simd.h"
#include "linalg/blas.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { PLACES = 5, ROUNDS = 4, KEPT = 4 };

/* Element-wise part of one block of J: returns sum (log s + r^2/s); v and w get the factors of the
 * gradient and the information, v = f (1/s - r^2/s^2), w = 2 f^2/s^2. */
SIMD_CLONES_FUSED static double sd_terms(float *restrict v, float *restrict w,
                                         const float *restrict f, const float *restrict r,
                                         const float *restrict one, float delta, size_t m)
{
    float s[KERNEL_BLOCK] = {0}, q[KERNEL_BLOCK] = {0}, sum = 0.0f;
    for (size_t i = 0; i < m; i++) s[i] = f[i] * f[i] + delta;
    kernel_log(q, s, m);
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < m; i++) {
        float inverse = 1.0f / s[i], ratio = r[i] * r[i] * inverse;
        sum += (q[i] + ratio) * one[i];
        v[i] = f[i] * inverse * (1.0f - ratio) * one[i];
        w[i] = 2.0f * f[i] * f[i] * inverse * inverse * one[i];
    }
    return (double)sum;
}

/* J at g; with gradient also its gradient and information. */
static double objective(const fit_work *work, const fit_design *d, const fit_rows *rows,
                        const double *g, double delta, double *gradient, double *information)
{
    float c[FIT_MAX_COLUMNS], f[KERNEL_BLOCK], v[KERNEL_BLOCK], w[KERNEL_BLOCK];
    size_t k = d->count;
    double sum = 0.0;
    for (size_t a = 0; a < k; a++) c[a] = (float)g[a];
    if (gradient) {
        memset(gradient, 0, k * sizeof *gradient);
        memset(information, 0, k * k * sizeof *information);
    }
    FIT_EACH_BLOCK(rows, o, m)
    {
        kernel_linear(f, d->columns, c, k, o, m);
        sum += sd_terms(v, w, f, work->residual + o, work->one + o, (float)delta, m);
        if (!gradient) continue;
        kernel_project(gradient, d->columns, v, k, o, m);
        kernel_gram(information, d->columns, w, k, o, m);
    }
    return 0.5 * sum;
}

/* weight 1/max(f^2, floor), target weight * 1.2533 |r| sign(f) */
SIMD_CLONES_FUSED static void round_terms(float *restrict v, float *restrict w,
                                          const float *restrict f, const float *restrict r,
                                          const float *restrict one, float floor, size_t m)
{
    for (size_t i = 0; i < m; i++) {
        float q = f[i] * f[i], size = r[i] < 0.0f ? -r[i] : r[i];
        w[i] = one[i] / (q > floor ? q : floor);
        v[i] = w[i] * 1.2533f * (f[i] < 0.0f ? -size : size);
    }
}

static void weighted_rounds(fit_work *work, const fit_design *d, const fit_rows *rows, double *g,
                            double variance)
{
    size_t k = d->count;
    for (int round = 0; round < ROUNDS; round++) {
        float c[FIT_MAX_COLUMNS], f[KERNEL_BLOCK], v[KERNEL_BLOCK], w[KERNEL_BLOCK];
        for (size_t a = 0; a < k; a++) c[a] = (float)g[a];
        memset(work->small, 0, k * k * sizeof *work->small);
        memset(g, 0, k * sizeof *g);
        FIT_EACH_BLOCK(rows, o, m)
        {
            kernel_linear(f, d->columns, c, k, o, m);
            round_terms(v, w, f, work->residual + o, work->one + o, (float)(0.0036 * variance), m);
            kernel_gram(work->small, d->columns, w, k, o, m);
            kernel_project(g, d->columns, v, k, o, m);
        }
        fit_solve(work->small, g, k, work->factor);
    }
}

/* Fisher scoring with step halving, until a step gains less than 0.2 nats. */
static double converge(fit_work *work, const fit_design *d, const fit_rows *rows, double *g,
                       double delta, int steps)
{
    size_t k = d->count;
    double gradient[FIT_MAX_COLUMNS], next_gradient[FIT_MAX_COLUMNS], trial[FIT_MAX_COLUMNS];
    double value = objective(work, d, rows, g, delta, gradient, work->small), gain = HUGE_VAL;
    while (steps-- > 0 && gain >= 0.2) {
        double trace = 0.0, next = HUGE_VAL, scale = 1.0;
        for (size_t a = 0; a < k; a++) trace += work->small[a * k + a];
        for (size_t a = 0; a < k; a++) work->small[a * k + a] += 1e-4 * trace / (double)k;
        fit_solve(work->small, gradient, k, work->factor);
        for (int halving = 0; halving < 5 && !(next < value); halving++, scale *= 0.4) {
            for (size_t a = 0; a < k; a++) trial[a] = g[a] - scale * gradient[a];
            next = objective(work, d, rows, trial, delta, next_gradient, work->small);
        }
        if (!(next < value)) break;
        gain = value - next;
        value = next;
        memcpy(g, trial, k * sizeof *g);
        memcpy(gradient, next_gradient, k * sizeof *gradient);
    }
    return value;
}

/* ---- starts ---- */

/* Least squares of 1.2533 |r| sigma, where sigma changes its sign at `first` and `second` of z. */
static void sign_start(fit_work *work, const fit_design *d, const fit_rows *rows, double *g,
                       const double *gram, const float *z, float first, float second)
{
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            float r = 1.2533f * fabsf(work->residual[i]);
            work->scratch[i] = (z[i] < first) != (z[i] > second) ? -r : r;
        }
    }
    fit_project(g, d, rows, work->scratch);
    fit_solve(gram, g, d->count, work->factor);
}

/* Top eigenvector of sum min(r^2/v, 9) D D' in the metric D'D, scaled by sqrt(n v). */
static void eigen_start(fit_work *work, const fit_design *d, const fit_rows *rows, double *g,
                        const double *gram, double variance)
{
    size_t k = d->count;
    float inverse = (float)(1.0 / (variance + 1e-30));
    memset(work->small, 0, k * k * sizeof *work->small);
    double trace = 0.0, n = 0.0;
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            float q = work->residual[i] * work->residual[i] * inverse;
            work->weight[i] = q > 9.0f ? 9.0f : q;
        }
        n += (double)m;
    }
    fit_gram(work->small, work, d, rows, work->weight);
    memcpy(work->factor, gram, k * k * sizeof *gram);
    for (size_t a = 0; a < k; a++) trace += gram[a * k + a];
    for (size_t a = 0; a < k; a++) work->factor[a * k + a] += 1e-6 * trace / (double)k;
    lapack_int found = 0, fail[FIT_MAX_COLUMNS], iwork[5 * FIT_MAX_COLUMNS], size = (lapack_int)k;
    double values[FIT_MAX_COLUMNS], lwork[8 * FIT_MAX_COLUMNS];
    /* lower triangles by rows are upper triangles by columns */
    lapack_int info =
        LAPACKE_dsygvx_work(LAPACK_COL_MAJOR, 1, 'V', 'I', 'U', size, work->small, size,
                            work->factor, size, 0.0, 0.0, size, size, 0.0, &found, values,
                            work->vectors, size, lwork, 8 * FIT_MAX_COLUMNS, iwork, fail);
    bool ok = info == 0 && found == 1;
    memset(g, 0, k * sizeof *g);
    if (!ok) g[k - 1] = sqrt(variance);
    for (size_t a = 0; ok && a < k; a++) g[a] = work->vectors[a] * sqrt(n * variance);
}

/* The first `limit` rows of each part: an exchangeable sample. */
static fit_rows first_rows(const fit_rows *rows, size_t limit)
{
    fit_rows few = *rows;
    for (int p = 0; p < few.parts; p++) {
        if (few.length[p] > limit) few.length[p] = limit;
    }
    return few;
}

static int make_starts(fit_work *work, const fit_design *d, const fit_rows *few, double variance,
                       int effort)
{
    static const float place[PLACES] = {-1.0f, -0.5f, 0.0f, 0.5f, 1.0f};
    size_t parents = (d->count - 1) / BASIS_SIZE, k = d->count;
    double *gram = work->gram; /* no longer needed by the other models */
    int count = 0;
    memset(gram, 0, k * k * sizeof *gram);
    fit_gram(gram, work, d, few, NULL);
    sign_start(work, d, few, work->starts[count++], gram, work->one, -HUGE_VALF, HUGE_VALF);
    eigen_start(work, d, few, work->starts[count++], gram, variance);
    if (effort == 0) return count;
    for (size_t p = 0; p < parents; p++) {
        const float *z = d->columns[p * BASIS_SIZE];
        for (int i = 0; i < PLACES; i++) {
            for (int j = i + 1; j <= PLACES; j++) {
                if ((j < PLACES && parents > 2) || count == FIT_SD_STARTS) continue;
                sign_start(work, d, few, work->starts[count++], gram, z, place[i],
                           j < PLACES ? place[j] : HUGE_VALF);
            }
        }
    }
    return count;
}

/* sigma = sqrt(f^2 + floor) to weight = 1/sigma; returns sum log sigma */
SIMD_CLONES_FUSED static double final_weights(float *restrict w, const float *restrict f,
                                              const float *restrict one, float floor, size_t m)
{
    float q[KERNEL_BLOCK] = {0}, l[KERNEL_BLOCK] = {0}, sum = 0.0f;
    for (size_t i = 0; i < m; i++) q[i] = f[i] * f[i] + floor;
    kernel_log(l, q, m);
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < m; i++) {
        sum += l[i] * one[i];
        l[i] *= -0.5f;
    }
    kernel_exp(w, l, m);
    return 0.5 * (double)sum;
}

double fit_sd_link(fit_work *work, const fit_design *d, const fit_rows *rows, double variance,
                   int effort)
{
    double reached[FIT_SD_STARTS], best_value = HUGE_VAL, log_sigma = 0.0, *best = work->starts[0];
    size_t share = rows->parts == 2 ? 1 : 2;
    fit_rows few = first_rows(rows, 1024 * share), more = first_rows(rows, 2048 * share);
    int count = make_starts(work, d, &few, variance, effort);
    for (int s = 0; s < count; s++) {
        weighted_rounds(work, d, &few, work->starts[s], variance);
        reached[s] = converge(work, d, &few, work->starts[s], 0.02 * variance, effort ? 3 : 0);
    }
    for (int kept = 0; kept < KEPT && kept < count; kept++) {
        int pick = 0;
        for (int s = 1; s < count; s++) {
            if (reached[s] < reached[pick]) pick = s;
        }
        reached[pick] = HUGE_VAL;
        double *g = work->starts[pick];
        if (effort) (void)converge(work, d, &more, g, 0.1 * variance, 12);
        if (effort) (void)converge(work, d, &more, g, 0.02 * variance, 12);
        double value = converge(work, d, &more, g, 0.0025 * variance, 15);
        if (value < best_value) {
            best_value = value;
            best = g;
        }
    }
    (void)converge(work, d, rows, best, 0.0025 * variance, 6);
    fit_apply(work->fitted, d, rows, best);
    FIT_EACH_BLOCK(rows, o, m)
    {
        log_sigma += final_weights(work->weight + o, work->fitted + o, work->one + o,
                                   (float)(0.0009 * variance), m);
    }
    return fit_likelihood(work, rows, log_sigma);
}
