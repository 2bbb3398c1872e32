/* fit_sd.c - the sd link: y = m + |D g| e, the natural model of y = f(x) e.
 *
 * Minimizes J(g) = 1/2 sum log s + r^2 / s, s = f^2 + delta, f = D g. Only |f| is seen, so J has
 * many local minima: one for each guess of where f changes its sign (phase retrieval). What finds
 * the good one (docs/notebook/search.md has the measurements):
 *   - fits of the same node with one parent more or less, as starts;
 *   - least squares of 1.2533 |r| times a guess of the sign of f (none; one or two changes
 *     along one parent), and the top eigenvector of sum min(r^2/v, 9) D D' in the metric D'D;
 *   - each goes through rounds of reweighted least squares and a few Fisher steps on few rows; the
 *     best ones go on;
 *   - delta falls in stages, so that zeros of f can still move before the valley gets narrow.
 * With one parent f depends on that parent alone, and J on the mean square of r in each of its
 * quantile bins: 64 weighted rows stand for all.
 * Cost: O(starts k^2 rows_few + kept k^2 rows_more + k^2 n).
 */
#include "learn/fit/fit_parts.h"

#include "base/simd.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { PLACES = 5, ROUNDS = 4, KEPT = 2, KEPT_ALL = 4, FEW = 512, MORE = 1024, INFORMATION = 1024 };

/* Another model this much better per row, in nats, ends the fit after the look at few rows. */
static const double far_better = 0.15;

/* What the steps of a fit need: weighted rows of a design with residuals r. */
typedef struct sd_problem {
    fit_work *work;
    const fit_design *d;
    const float *r;
    double variance;
} sd_problem;

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

/* J at g; with gradient also its gradient and information. The information only has to point the
 * way: of many rows the first blocks of each table stand for all. */
static double objective(const sd_problem *p, const fit_rows *rows, const double *g, double delta,
                        double *gradient, double *information)
{
    const fit_design *d = p->d;
    float c[FIT_MAX_COLUMNS], f[KERNEL_BLOCK], v[KERNEL_BLOCK], w[KERNEL_BLOCK];
    size_t k = d->count, all = 0, looked = 0;
    double sum = 0.0;
    for (size_t a = 0; a < k; a++) c[a] = (float)g[a];
    if (gradient) {
        memset(gradient, 0, k * sizeof *gradient);
        memset(information, 0, k * k * sizeof *information);
    }
    FIT_EACH_BLOCK(rows, o, m)
    {
        kernel_linear(f, d->columns, c, k, o, m);
        sum += sd_terms(v, w, f, p->r + o, d->one + o, (float)delta, m);
        if (!gradient) continue;
        kernel_project(gradient, d->columns, v, k, o, m);
        all += m;
        if (o >= rows->begin[part_] + INFORMATION) continue;
        kernel_gram(information, d->columns, w, k, o, m);
        looked += m;
    }
    if (looked < all) {
        for (size_t a = 0; a < k * k; a++) information[a] *= (double)all / (double)looked;
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

static void weighted_rounds(const sd_problem *p, const fit_rows *rows, double *g)
{
    const fit_design *d = p->d;
    double *gram = p->work->small;
    size_t k = d->count;
    for (int round = 0; round < ROUNDS; round++) {
        float c[FIT_MAX_COLUMNS], f[KERNEL_BLOCK], v[KERNEL_BLOCK], w[KERNEL_BLOCK];
        for (size_t a = 0; a < k; a++) c[a] = (float)g[a];
        memset(gram, 0, k * k * sizeof *gram);
        memset(g, 0, k * sizeof *g);
        FIT_EACH_BLOCK(rows, o, m)
        {
            kernel_linear(f, d->columns, c, k, o, m);
            round_terms(v, w, f, p->r + o, d->one + o, (float)(0.0036 * p->variance), m);
            kernel_gram(gram, d->columns, w, k, o, m);
            kernel_project(g, d->columns, v, k, o, m);
        }
        fit_solve(gram, g, k, p->work->factor);
    }
}

/* Fisher scoring with step halving, until a step gains, or would gain, less than 0.2 nats. */
static double converge(const sd_problem *p, const fit_rows *rows, double *g, double delta,
                       int steps)
{
    fit_work *work = p->work;
    size_t k = p->d->count;
    double gradient[FIT_MAX_COLUMNS], next_gradient[FIT_MAX_COLUMNS], trial[FIT_MAX_COLUMNS];
    double value = objective(p, rows, g, delta, gradient, work->small), gain = HUGE_VAL;
    while (steps-- > 0 && gain >= 0.2) {
        double trace = 0.0, next = HUGE_VAL, scale = 1.0, expected = 0.0, slope[FIT_MAX_COLUMNS];
        memcpy(slope, gradient, k * sizeof *slope);
        for (size_t a = 0; a < k; a++) trace += work->small[a * k + a];
        for (size_t a = 0; a < k; a++) work->small[a * k + a] += 1e-4 * trace / (double)k;
        fit_solve(work->small, gradient, k, work->factor);
        for (size_t a = 0; a < k; a++) expected += 0.5 * slope[a] * gradient[a];
        if (expected < 0.2) break;
        for (int halving = 0; halving < 5 && !(next < value); halving++, scale *= 0.4) {
            for (size_t a = 0; a < k; a++) trial[a] = g[a] - scale * gradient[a];
            next = objective(p, rows, trial, delta, steps > 0 ? next_gradient : NULL, work->small);
        }
        if (!(next < value)) break;
        gain = value - next;
        value = next;
        memcpy(g, trial, k * sizeof *g);
        if (steps > 0) memcpy(gradient, next_gradient, k * sizeof *gradient);
    }
    return value;
}

/* ---- starts ---- */

/* Least squares of 1.2533 |r| sigma, where sigma changes its sign at `first` and `second` of z. */
static void sign_start(const sd_problem *p, const fit_rows *rows, double *g, const double *gram,
                       const float *z, float first, float second)
{
    float *target = p->work->scratch;
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            float r = 1.2533f * fabsf(p->r[i]) * p->d->one[i];
            target[i] = (z[i] < first) != (z[i] > second) ? -r : r;
        }
    }
    fit_project(g, p->d, rows, target);
    fit_solve(gram, g, p->d->count, p->work->factor);
}

/* Top eigenvector of sum min(r^2/v, 9) D D' in the metric D'D, scaled by sqrt(n v). */
static void eigen_start(const sd_problem *p, const fit_rows *rows, double *g, const double *gram)
{
    fit_work *work = p->work;
    size_t k = p->d->count;
    float inverse = (float)(1.0 / (p->variance + 1e-30));
    double trace = 0.0, n = gram[k * k - 1]; /* the constant's square: the summed weight */
    memset(work->small, 0, k * k * sizeof *work->small);
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            float q = p->r[i] * p->r[i] * inverse;
            work->weight[i] = (q > 9.0f ? 9.0f : q) * p->d->one[i];
        }
    }
    fit_gram(work->small, p->d, rows, work->weight);
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
    if (!ok) g[k - 1] = sqrt(p->variance);
    for (size_t a = 0; ok && a < k; a++) g[a] = work->vectors[a] * sqrt(n * p->variance);
}

/* g of an earlier fit; parents that it does not have start at 0. */
static void earlier_start(const sd_problem *p, double *g, const fit_start *start, const family *f,
                          fit_set set)
{
    const basis *b = p->work->b;
    size_t columns = fit_columns(b, start->family), from = 0;
    const float *phase = start->coefficients + ((size_t)set * FIT_VECTORS + FIT_PHASE) * columns;
    memset(g, 0, p->d->count * sizeof *g);
    for (size_t q = 0; q < start->family->count; q++) {
        size_t size = b->size[start->family->parents[q]];
        for (size_t i = 0; i < f->count; i++) {
            if (f->parents[i] != start->family->parents[q]) continue;
            for (size_t a = 0; a < size; a++) g[p->d->first[i] + a] = (double)phase[from + a];
        }
        from += size;
    }
    g[p->d->count - 1] = (double)phase[columns - 1];
}

/* Starts with assumed signs; `two`: also two changes along a parent. */
static int sign_starts(const sd_problem *p, const fit_rows *rows, const double *gram, bool two,
                       int count)
{
    static const float place[PLACES] = {-1.0f, -0.5f, 0.0f, 0.5f, 1.0f};
    for (size_t q = 0; q < p->d->parents; q++) {
        const float *z = p->d->columns[p->d->first[q]];
        for (int i = 0; i < PLACES; i++) {
            for (int j = i + 1; j <= PLACES; j++) {
                if ((j < PLACES && !two) || count == FIT_SD_STARTS) continue;
                sign_start(p, rows, p->work->starts[count++], gram, z, place[i],
                           j < PLACES ? place[j] : HUGE_VALF);
            }
        }
    }
    return count;
}

/* Takes the `keep` best of the starts on to small delta; returns the best one. */
static double *best_start(const sd_problem *p, const fit_rows *rows, double *reached, int count,
                          int keep, int earlier, double *value)
{
    double *best = p->work->starts[0], best_value = HUGE_VAL, v = p->variance;
    for (int kept = 0; kept < keep && kept < count; kept++) {
        int pick = 0;
        for (int s = 1; s < count; s++) {
            if (reached[s] < reached[pick]) pick = s;
        }
        reached[pick] = HUGE_VAL;
        double *g = p->work->starts[pick];
        if (pick >= earlier) {
            (void)converge(p, rows, g, 0.1 * v, 8);
            (void)converge(p, rows, g, 0.02 * v, 8);
        }
        double at = converge(p, rows, g, 0.0025 * v, 12);
        if (at < best_value) {
            best_value = at;
            best = g;
        }
    }
    *value = best_value;
    return best;
}

/* One parent: its bins stand for the rows. NULL if hopeless; the best g in fallback. */
static double *fit_bins(const sd_problem *full, const fit_rows *rows, const fit_sd_request *how,
                        double *fallback)
{
    const basis *b = full->work->b;
    const size_t parent = how->request->family->parents[0];
    const uint8_t *bin = b->bin + parent * b->stride;
    double sums[BASIS_BINS] = {0};
    float r[BASIS_BINS], one[BASIS_BINS], columns[BASIS_SIZE + 1][BASIS_BINS];
    const size_t begin = 0, length = BASIS_BINS;
    fit_rows bins = {
        .parts = 1, .begin = &begin, .length = &length, .limit = SIZE_MAX, .count = rows->count};
    fit_design d = *full->d;
    const sd_problem p = {full->work, &d, r, full->variance};
    double reached[FIT_SD_STARTS], value, *gram = full->work->gram;
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) sums[bin[i]] += (double)(full->r[i] * full->r[i]);
    }
    for (size_t i = 0; i < BASIS_BINS; i++) {
        one[i] = fit_filled(full->work, how->set, parent * BASIS_BINS + i);
        r[i] = one[i] > 0.0f ? (float)sqrt(sums[i] / (double)one[i]) : 0.0f;
        columns[d.count - 1][i] = 1.0f;
    }
    for (size_t a = 0; a + 1 < d.count; a++) {
        memcpy(columns[a], b->centres + (parent * BASIS_SIZE + a) * BASIS_BINS, sizeof columns[a]);
    }
    for (size_t a = 0; a < d.count; a++) d.columns[a] = columns[a];
    d.one = one;
    memset(gram, 0, d.count * d.count * sizeof *gram);
    fit_gram(gram, &d, &bins, NULL);
    sign_start(&p, &bins, full->work->starts[0], gram, columns[0], -HUGE_VALF, HUGE_VALF);
    eigen_start(&p, &bins, full->work->starts[1], gram);
    int count = sign_starts(&p, &bins, gram, true, 2);
    for (int s = 0; s < count; s++) {
        double *g = full->work->starts[s];
        for (size_t a = 0; a < d.count; a++) g[a] /= s == 1 ? 1.0 : 1.2533; /* r is a mean square */
        reached[s] = converge(&p, &bins, g, 0.02 * p.variance, 3);
    }
    double *best = best_start(&p, &bins, reached, count, KEPT_ALL, 0, &value);
    memcpy(fallback, best, d.count * sizeof *fallback);
    return -value / (double)rows->count < how->rival - far_better ? NULL : best;
}

/* Several parents: starts on few rows, the best of them on more. NULL if hopeless, as above. */
static double *fit_sample(const sd_problem *p, const fit_rows *rows, const fit_sd_request *how,
                          double *fallback)
{
    fit_work *work = p->work;
    const fit_request *request = how->request;
    size_t share = (request->effort == 0 ? 1u : 2u) * (rows->parts == 2 ? 1u : 2u), k = p->d->count;
    fit_rows few = fit_rows_first(rows, FEW * share), more = fit_rows_first(rows, MORE * share);
    double reached[FIT_SD_STARTS], *gram = work->gram, best = HUGE_VAL, value;
    int count = 0, earlier;
    for (size_t s = 0; s < request->start_count && count < FIT_SD_STARTS / 2; s++) {
        earlier_start(p, work->starts[count++], &request->starts[s], request->family, how->set);
    }
    earlier = count;
    memset(gram, 0, k * k * sizeof *gram);
    fit_gram(gram, p->d, &few, NULL);
    sign_start(p, &few, work->starts[count++], gram, p->d->one, -HUGE_VALF, HUGE_VALF);
    eigen_start(p, &few, work->starts[count++], gram);
    if (request->effort > 1 || (request->effort == 1 && earlier == 0)) {
        count = sign_starts(p, &few, gram, p->d->parents <= 2, count);
    }
    for (int s = 0; s < count; s++) {
        if (s >= earlier) weighted_rounds(p, &few, work->starts[s]);
        reached[s] = converge(p, &few, work->starts[s], 0.02 * p->variance, 3);
        if (reached[s] < best) {
            best = reached[s];
            memcpy(fallback, work->starts[s], k * sizeof *fallback);
        }
    }
    if (-best / (double)few.count < how->rival - far_better) return NULL;
    return best_start(p, &more, reached, count, request->effort > 1 ? KEPT_ALL : KEPT, earlier,
                      &value);
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

double fit_sd_spread(fit_work *work, const fit_design *d, const fit_rows *rows, const double *g,
                     double variance)
{
    double log_sigma = 0.0;
    fit_apply(work->fitted, d, rows, g);
    FIT_EACH_BLOCK(rows, o, m)
    {
        log_sigma += final_weights(work->weight + o, work->fitted + o, d->one + o,
                                   (float)(0.0009 * variance + 1e-30), m);
    }
    return log_sigma;
}

double fit_sd_link(fit_work *work, const fit_design *d, const fit_rows *rows,
                   const fit_sd_request *how, double *g)
{
    const sd_problem p = {work, d, work->residual, how->variance};
    const double *best;
    if (d->parents == 1) {
        best = fit_bins(&p, rows, how, g);
    } else {
        best = fit_sample(&p, rows, how, g);
    }
    if (!best) return -HUGE_VAL;
    memcpy(g, best, d->count * sizeof *g);
    (void)converge(&p, rows, g, 0.0025 * how->variance, how->request->effort == 0 ? 2 : 5);
    return fit_likelihood(work, rows, fit_sd_spread(work, d, rows, g, how->variance));
}
