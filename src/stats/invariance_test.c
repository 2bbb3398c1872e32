/* invariance_test.c - one invariance test (see invariance.h; docs/methods/invariance.md).
 *
 * P(v | Z) is the same in both regimes exactly if the regime C is independent of v given Z. With p
 * the probability of regime 1 given Z (invariance_regime.c), shapes f_a(v, Z) and weights w_b(Z):
 *     S_ab = sum_i (C_i - p_i) R_iab,   R_ab = residual of f_a w_b on functions of Z,
 * residuals of least squares with weights p (1 - p): the score of a logistic regression of C on the
 * functions for adding f_a w_b. It has mean 0 under no change if the functions describe either the
 * regime or v given Z, and the product of what they miss otherwise. Its covariance is
 *     V = sum_i ((1 - m) (C_i - p_i)^2 + m p_i (1 - p_i)) R_i R_i' / (1 - h_i),  m = MODEL_SHARE,
 * mostly what the rows say (HC2, h_i the leverage) and for a part what the model of the regime
 * says, which steadies it where few rows decide (rare values of a discrete v).
 * Shapes: Legendre polynomials of degree 1 to 4 of u = x / sqrt(pi / 2 + x^2), x the residual of v
 * over its expected absolute value given Z: location, spread, skewness, tails; all bounded, so
 * heavy tails do no harm.
 */
#include "base/simd.h"
#include "linalg/blas.h"
#include "stats/f_tail.h"
#include "stats/invariance_parts.h"

#include <math.h>
#include <string.h>

#define MODEL_SHARE    0.1
#define V_EXCESS       0.3
#define TERM_TOLERANCE 1e-2 /* share of a term that the ones before it must leave over */

enum {
    LEAST_ROWS = 20,       /* of each regime */
    LEAST_INFORMATION = 10 /* as 20 rows a regime with the same Z have */
};

/* ---- functions of v ---- */

SIMD_CLONES static void multiply(double *restrict out, const double *restrict x,
                                 const double *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = x[i] * y[i];
}

/* out[i] = |r[i]| */
SIMD_CLONES static void absolute(double *restrict out, const double *restrict r, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = fabs(r[i]);
}

/* sides: residual of v, and of the absolute value of that. */
static void fill_residuals(const invariance *t, invariance_work *w, size_t v)
{
    size_t n = t->n;
    multiply(w->sides, t->values + v * n, w->root, n);
    invariance_residuals(t, w, w->sides, 1);
    absolute(w->sides + n, w->sides, n);
    invariance_residuals(t, w, w->sides + n, 1);
}

/* From residuals and residuals of their absolute values to shapes, all of these times root; the
 * expected absolute value is at least `least`. */
SIMD_CLONES static void bend(double *restrict first, double *restrict second,
                             double *restrict third, double *restrict fourth,
                             const double *restrict root, double least, size_t n)
{
    const double absolute_normal = 1.2533141373155001; /* sd over mean absolute value */
    for (size_t i = 0; i < n; i++) {
        double expected = fabs(first[i]) - second[i], floor = least * root[i];
        double x = first[i] / (absolute_normal * (expected > floor ? expected : floor));
        double u = x / sqrt(1.5707963267948966 + x * x), uu = u * u, r = root[i];
        first[i] = r * u;
        second[i] = r * (1.5 * uu - 0.5);
        third[i] = r * (u * (2.5 * uu - 1.5));
        fourth[i] = r * (uu * (4.375 * uu - 3.75) + 0.375);
    }
}

/* sides = shapes of v by the present functions; false if these determine v. */
static bool fill_shapes(const invariance *t, invariance_work *w, size_t v)
{
    size_t n = t->n;
    double sum = 0.0, roots = 0.0;
    fill_residuals(t, w, v);
    for (size_t i = 0; i < n; i++) {
        sum += fabs(w->sides[i]);
        roots += w->root[i];
    }
    if (!(sum > 1e-5 * roots)) return false;
    bend(w->sides, w->sides + n, w->sides + 2 * n, w->sides + 3 * n, w->root, 0.1 * sum / roots, n);
    return true;
}

/* ---- the statistic ---- */

/* terms = residuals of shapes times weights. Location goes with all weights, spread with the
 * straight ones, the others with the constant. Fewer rows, fewer terms. */
static size_t fill_terms(const invariance *t, invariance_work *w, size_t most)
{
    size_t count = 0, given = w->given_count, n = t->n;
    const size_t weights[INVARIANCE_SHAPES] = {1 + 2 * given, 1 + given, 1, 1};
    for (size_t round = 0; round < 3; round++) { /* constant, straight, bent */
        size_t first = round == 0 ? 0 : round == 1 ? 1 : 1 + given;
        size_t last = round == 0 ? 1 : round == 1 ? 1 + given : 1 + 2 * given;
        for (size_t a = 0; a < INVARIANCE_SHAPES; a++) {
            for (size_t b = first; b < last && b < weights[a] && count < most; b++) {
                multiply(w->terms + count++ * n, w->sides + a * n, w->weights + b * n, n);
            }
        }
    }
    invariance_residuals(t, w, w->terms, count);
    return count;
}

/* Returns the sum of (C - p) R, and leaves rows of which V is the sum of products. */
SIMD_CLONES static double pull_term(double *restrict term, const double *restrict pull,
                                    const double *restrict unused, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += term[i] * pull[i];
        term[i] *= sqrt(MODEL_SHARE + (1.0 - MODEL_SHARE) * pull[i] * pull[i]) * unused[i];
    }
    return sum;
}

/* sum_i (s_i' V^-1 s_i)^2, with V = U'U, factor [count, count], of the first `rank` terms. */
static double fourth_moment(const invariance *t, const invariance_work *w, const double *factor,
                            size_t count, size_t rank)
{
    double block[INVARIANCE_MOST_TERMS * INVARIANCE_BLOCK], sum = 0.0;
    for (size_t start = 0; start < t->n; start += INVARIANCE_BLOCK) {
        size_t m = t->n - start < INVARIANCE_BLOCK ? t->n - start : INVARIANCE_BLOCK;
        for (size_t a = 0; a < rank; a++) {
            for (size_t i = 0; i < m; i++) block[a + i * rank] = w->terms[a * t->n + start + i];
        }
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, blas_int(rank),
                    blas_int(m), 1.0, factor, blas_int(count), block, blas_int(rank));
        for (size_t i = 0; i < m; i++) {
            double g = 0.0;
            for (size_t a = 0; a < rank; a++) g += block[a + i * rank] * block[a + i * rank];
            sum += g * g;
        }
    }
    return sum;
}

/* What comes out of the terms: S' V^-1 S over those that can be told apart, q of them, and the
 * number of normal rows that would have a covariance as uncertain as theirs. */
typedef struct score {
    double value, q, rows;
} score;

static score score_terms(const invariance *t, invariance_work *w, size_t count)
{
    size_t n = t->n, kept[INVARIANCE_MOST_TERMS], rank;
    double sums[INVARIANCE_MOST_TERMS], covariance[INVARIANCE_MOST_TERMS * INVARIANCE_MOST_TERMS];
    double solved[INVARIANCE_MOST_TERMS], value = 0.0;
    for (size_t a = 0; a < count; a++) {
        sums[a] = pull_term(w->terms + a * n, w->pull, w->unused, n);
    }
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, blas_int(count), blas_int(n), 1.0, w->terms,
                blas_int(n), 0.0, covariance, blas_int(count));
    rank = invariance_factor(covariance, 0, count, count, TERM_TOLERANCE, kept);
    if (rank == 0) return (score){0.0, 0.0, 0.0};
    for (size_t a = 0; a < rank; a++) {
        if (kept[a] != a) memcpy(w->terms + a * n, w->terms + kept[a] * n, n * sizeof(double));
        double sum = sums[kept[a]];
        for (size_t b = 0; b < a; b++) sum -= covariance[a * count + b] * solved[b];
        solved[a] = sum / covariance[a * count + a];
        value += solved[a] * solved[a];
    }
    double q = (double)rank, rows = q * (q + 2.0) / fourth_moment(t, w, covariance, count, rank);
    return (score){value, q, rows};
}

/* ---- the test ---- */

/* Sorted places of the columns of Z that are not constant; false if there are too many. */
static bool sort_given(size_t *places, size_t *kept, const invariance *t, const size_t *given,
                       size_t count)
{
    *kept = 0;
    if (count > INVARIANCE_MOST_GIVEN) return false;
    for (size_t j = 0; j < count; j++) {
        size_t place = t->place[given[j]], at = *kept;
        if (t->constant[place]) continue;
        for (; at > 0 && places[at - 1] > place; at--) places[at] = places[at - 1];
        places[at] = place;
        ++*kept;
    }
    return true;
}

/* Under no change value / freedom is nearly beta distributed, as Hotelling's statistic is. What
 * the rows' fourth moments say replaces their number (a self-normalized sum of q = 1 terms has
 * fourth moment 3 - 2 E s^4 / (n (E s^2)^2)); functions of Z take their share of it. */
static void conclude(invariance_result *result, const invariance *t, const invariance_work *w,
                     const score *s)
{
    double n = (double)t->n, q = s->q, freedom = s->rows * (1.0 - (double)w->size / n);
    if (!(q > 0.0) || !(freedom > 2.0 * q + 10.0)) return;
    /* V is a little too large where functions of Z are many; measured
     * (docs/methods/invariance.md) */
    double value = fmin(s->value * (1.0 + V_EXCESS * (double)w->size / n), freedom * (1.0 - 1e-9));
    double f = value / q / ((freedom - value) / (freedom - q));
    double centred = value / (1.0 - value / freedom);
    result->possible = true;
    result->statistic = q * f;
    result->degrees = q;
    result->rest = freedom - q;
    result->p_value = exp(f_tail_log(f, q, freedom - q));
    result->effect = sqrt(fmax(0.0, centred - q) / w->information);
    result->effect_high = sqrt(invariance_noncentrality_high(centred, q) / w->information);
    double whole = (double)t->rows[0] * (double)t->rows[1] / n;
    result->overlap = fmin(w->information / whole, 1.0);
}

void invariance_test(const invariance *test, invariance_work *work, size_t v, const size_t *given,
                     size_t count, invariance_result *result)
{
    size_t places[INVARIANCE_MOST_GIVEN], kept, place = test->place[v];
    size_t least = test->rows[0] < test->rows[1] ? test->rows[0] : test->rows[1];
    const double none = (double)NAN;
    *result = (invariance_result){false, none, none, none, none, none, none, none};
    if (least < LEAST_ROWS || test->constant[place]) return;
    if (!sort_given(places, &kept, test, given, count)) return;
    invariance_expand(test, work, places, kept);
    if (!(work->information >= LEAST_INFORMATION) || !fill_shapes(test, work, place)) return;
    size_t terms = fill_terms(test, work, (size_t)fmax(work->information / 5.0, INVARIANCE_SHAPES));
    score s = score_terms(test, work, terms);
    conclude(result, test, work, &s);
}
