/* invariance_test.c - one invariance test (see invariance.h; docs/invariance.md).
 *
 * P(v | Z) is the same in both regimes exactly if the regime C is independent of v given Z. With M
 * the residuals on functions of Z (invariance_basis.c), shapes f_a(v, Z) and weights w_b(Z):
 *     S_ab = sum_i U_ib R_ia,   U_b = M (C w_b),  R_a = M f_a
 * has mean 0 under no change if either E[C w_b | Z] or E[f_a | Z] is in the span of the functions,
 * and the product of what they miss otherwise. Its covariance is estimated without assuming equal
 * variances, sum_i s_i s_i' / (1 - h_i), s_i = U_ib R_ia (HC2).
 * Shapes: Legendre polynomials of degree 1 to 4 of u = x / sqrt(pi / 2 + x^2), x the residual of v
 * over its expected absolute value given Z: location, spread, skewness, tails; all bounded.
 */
#include "score/f_tail.h"
#include "score/invariance_parts.h"

#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { LEAST_ROWS = 20 }; /* of each regime */

static const double absolute_normal = 1.2533141373155001; /* sd over mean absolute value */
static const double half_pi = 1.5707963267948966;

/* ---- functions of v ---- */

/* sides[0 .. INVARIANCE_SHAPES) from v; false if Z determines v. */
static bool fill_shapes(const invariance *t, invariance_work *w, size_t v)
{
    size_t n = t->n;
    double *restrict r = w->sides, *restrict size = w->sides + n,
                     *restrict third = w->sides + 2 * n, *restrict fourth = w->sides + 3 * n,
                     mean = 0.0;
    memcpy(r, t->values + v * n, n * sizeof *r);
    invariance_residuals(t, w, r, 1);
    for (size_t i = 0; i < n; i++) mean += fabs(r[i]);
    mean /= (double)n;
    if (!(mean > 1e-5)) return false;
    for (size_t i = 0; i < n; i++) size[i] = third[i] = fabs(r[i]);
    invariance_residuals(t, w, third, 1);
    for (size_t i = 0; i < n; i++) {
        double expected = fmax(size[i] - third[i], 0.1 * mean);
        double x = r[i] / (absolute_normal * expected), u = x / sqrt(half_pi + x * x), uu = u * u;
        r[i] = u;
        size[i] = 1.5 * uu - 0.5;
        third[i] = u * (2.5 * uu - 1.5);
        fourth[i] = uu * (4.375 * uu - 3.75) + 0.375;
    }
    return true;
}

/* sides[INVARIANCE_SHAPES ..) = regime times weights. */
static void fill_regimes(const invariance *t, invariance_work *w)
{
    size_t n = t->n;
    for (size_t b = 0; b < w->weight_count; b++) {
        double *out = w->sides + (INVARIANCE_SHAPES + b) * n;
        memset(out, 0, t->rows[0] * sizeof *out);
        memcpy(out + t->rows[0], w->weights + b * n + t->rows[0], t->rows[1] * sizeof *out);
    }
}

/* ---- the statistic ---- */

static void fill_term(double *restrict out, const double *restrict u, const double *restrict r,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = u[i] * r[i];
}

/* Which weights go with which shape: location with all, spread with the straight ones, the others
 * with the constant. Fewer rows, fewer terms. */
static size_t fill_terms(const invariance *t, invariance_work *w, size_t given, size_t most)
{
    const double *u = w->sides + INVARIANCE_SHAPES * t->n;
    const size_t weights[INVARIANCE_SHAPES] = {1 + 2 * given, 1 + given, 1, 1};
    size_t count = 0;
    for (size_t round = 0; round < 3; round++) { /* constant, straight, bent */
        size_t first = round == 0 ? 0 : round == 1 ? 1 : 1 + given;
        size_t last = round == 0 ? 1 : round == 1 ? 1 + given : 1 + 2 * given;
        for (size_t a = 0; a < INVARIANCE_SHAPES; a++) {
            for (size_t b = first; b < last && b < weights[a] && count < most; b++) {
                fill_term(w->terms + count++ * t->n, u + b * t->n, w->sides + a * t->n, t->n);
            }
        }
    }
    return count;
}

/* S' V^-1 S over the terms that can be told apart, *rank of them. */
static double quadratic_form(const invariance *t, invariance_work *w, size_t count, size_t *rank)
{
    size_t n = t->n, kept[INVARIANCE_MOST_TERMS];
    double sums[INVARIANCE_MOST_TERMS], covariance[INVARIANCE_MOST_TERMS * INVARIANCE_MOST_TERMS];
    for (size_t a = 0; a < count; a++) {
        double *term = w->terms + a * n, sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            sum += term[i];
            term[i] *= w->unused[i];
        }
        sums[a] = sum;
    }
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, blas_int(count), blas_int(n), 1.0, w->terms,
                blas_int(n), 0.0, covariance, blas_int(count));
    *rank = invariance_factor(covariance, count, count, 1e-3, kept);
    double value = 0.0, solved[INVARIANCE_MOST_TERMS];
    for (size_t a = 0; a < *rank; a++) {
        double sum = sums[kept[a]];
        for (size_t b = 0; b < a; b++) sum -= covariance[a * count + b] * solved[b];
        solved[a] = sum / covariance[a * count + a];
        value += solved[a] * solved[a];
    }
    return value;
}

/* ---- the test ---- */

static void not_possible(invariance_result *result)
{
    *result = (invariance_result){false, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

/* Sorted places of the columns of Z that are not constant; false if there are too many. */
static bool sort_given(size_t *places, size_t *kept, const invariance *t, const size_t *given,
                       size_t count)
{
    *kept = 0;
    if (count > INVARIANCE_MOST_GIVEN) return false;
    for (size_t j = 0; j < count; j++) {
        size_t place = t->place[given[j]], at = (*kept);
        if (t->constant[place]) continue;
        for (; at > 0 && places[at - 1] > place; at--) places[at] = places[at - 1];
        places[at] = place;
        ++*kept;
    }
    return true;
}

void invariance_test(const invariance *test, invariance_work *work, size_t v, const size_t *given,
                     size_t count, invariance_result *result)
{
    size_t places[INVARIANCE_MOST_GIVEN], kept, n = test->n, rank, place = test->place[v];
    not_possible(result);
    if (test->rows[0] < LEAST_ROWS || test->rows[1] < LEAST_ROWS || test->constant[place]) return;
    if (!sort_given(places, &kept, test, given, count)) return;
    invariance_expand(test, work, places, kept);
    if (!fill_shapes(test, work, place)) return;
    fill_regimes(test, work);
    invariance_residuals(test, work, work->sides, INVARIANCE_SHAPES + work->weight_count);
    double information = 0.0, freedom = (double)(n - work->size);
    const double *regime = work->sides + INVARIANCE_SHAPES * n;
    for (size_t i = 0; i < n; i++) information += regime[i] * regime[i];
    size_t least = test->rows[0] < test->rows[1] ? test->rows[0] : test->rows[1];
    size_t terms = fill_terms(test, work, kept, least / 10 > 4 ? least / 10 : 4);
    double value = quadratic_form(test, work, terms, &rank);
    double q = (double)rank;
    double overlap = information * (double)n / ((double)test->rows[0] * (double)test->rows[1]);
    if (rank == 0 || freedom < 2.0 * q + 10.0 || information < 10.0) return;
    value = fmin(value, freedom * (1.0 - 1e-9));
    double f = value / q / ((freedom - value) / (freedom - q));
    double centred = value / (1.0 - value / freedom);
    result->possible = true;
    result->statistic = q * f;
    result->degrees = q;
    result->rest = freedom - q;
    result->p_value = exp(f_tail_log(f, q, freedom - q));
    result->effect = sqrt(fmax(0.0, centred - q) / information);
    result->effect_high = sqrt(invariance_noncentrality_high(centred, q) / information);
    result->overlap = fmin(overlap, 1.0);
}
