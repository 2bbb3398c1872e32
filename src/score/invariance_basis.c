/* invariance_basis.c - the functions of Z of an invariance test, and residuals on them.
 *
 * Per column z: z, and smooth ramps between its quantiles (the integral of a hat function: 0 below
 * one knot, 1 above another), so that functions may bend where the data are. Per pair of columns
 * products of Legendre polynomials of their ranks. Then random functions a / sqrt(1 + a^2), a =
 * w'z + c, of all columns together, as many as rows allow. What depends on functions before it
 * (discrete, constant and duplicate columns) is left out.
 * Cost: n k^2 flops for k functions.
 */
#include "score/invariance_parts.h"

#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* ---- functions ---- */

/* low < middle < high */
static void fill_ramp(double *restrict out, const double *restrict z, size_t n, double low,
                      double middle, double high)
{
    double first = 1.0 / ((middle - low) * (high - low)),
           second = 1.0 / ((middle - low) * (high - middle)),
           third = 1.0 / ((high - middle) * (high - low));
    for (size_t i = 0; i < n; i++) {
        double a = z[i] > low ? z[i] - low : 0.0, b = z[i] > middle ? z[i] - middle : 0.0,
               c = z[i] > high ? z[i] - high : 0.0;
        out[i] = first * a * a - second * b * b + third * c * c;
    }
}

static void fill_random(double *restrict out, const invariance *t, const size_t *given,
                        size_t count, size_t feature)
{
    const double *direction = t->random + feature * (INVARIANCE_MOST_GIVEN + 1);
    double slope = 1.5 / sqrt((double)count), offset = direction[INVARIANCE_MOST_GIVEN];
    for (size_t i = 0; i < t->n; i++) out[i] = offset;
    for (size_t j = 0; j < count; j++) {
        const double *z = t->values + given[j] * t->n;
        double w = slope * direction[j];
        for (size_t i = 0; i < t->n; i++) out[i] += w * z[i];
    }
    for (size_t i = 0; i < t->n; i++) out[i] = out[i] / sqrt(1.0 + out[i] * out[i]);
}

static double curve(double u)
{
    return 1.5 * u * u - 0.5;
}

/* The product of Legendre polynomials of two columns' ranks: both of degree 1, or one of degree 2.
 */
static void fill_product(double *restrict out, const double *restrict a, const double *restrict b,
                         size_t n, int kind)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (kind == 1 ? curve(a[i]) : a[i]) * (kind == 2 ? curve(b[i]) : b[i]);
    }
}

typedef struct filling {
    const invariance *test;
    invariance_work *work;
    size_t limit;
} filling;

static double *next_function(filling *f)
{
    if (f->work->size >= f->limit) return NULL;
    return f->work->basis + f->work->size++ * f->test->n;
}

static void add_products(filling *f, const size_t *given, size_t count, int kind)
{
    const invariance *t = f->test;
    for (size_t j = 0; j < count; j++) {
        for (size_t k = j + 1; k < count; k++) {
            double *out = next_function(f);
            if (!out) return;
            fill_product(out, t->ranks + given[j] * t->n, t->ranks + given[k] * t->n, t->n, kind);
        }
    }
}

/* The ramp around every second knot, or around those between. */
static void add_ramps(filling *f, const size_t *given, size_t count, size_t first)
{
    const invariance *t = f->test;
    for (size_t j = 0; j < count; j++) {
        const double *knots = t->knots + given[j] * INVARIANCE_KNOTS;
        for (size_t k = first; k + 1 < t->knot_count[given[j]]; k += 2) {
            double *out = next_function(f);
            if (!out) return;
            fill_ramp(out, t->values + given[j] * t->n, t->n, knots[k - 1], knots[k], knots[k + 1]);
        }
    }
}

/* The important ones first, since the number of rows may stop us. */
static void fill_basis(filling *f, const size_t *given, size_t count)
{
    const invariance *t = f->test;
    double *out = next_function(f);
    for (size_t i = 0; i < t->n; i++) out[i] = 1.0;
    for (size_t j = 0; j < count && (out = next_function(f)); j++) {
        memcpy(out, t->values + given[j] * t->n, t->n * sizeof *out);
    }
    add_products(f, given, count, 0);
    add_ramps(f, given, count, 1);
    add_ramps(f, given, count, 2);
    add_products(f, given, count, 1);
    add_products(f, given, count, 2);
    size_t random = count < 2 ? 0 : count == 2 ? 12 : count == 3 ? 20 : INVARIANCE_RANDOM;
    for (size_t k = 0; k < random && (out = next_function(f)); k++) {
        fill_random(out, t, given, count, k);
    }
}

/* ---- algebra ---- */

size_t invariance_factor(double *a, size_t n, size_t stride, double tolerance, size_t *kept)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++) { /* row j of the transposed factor */
        double *row = a + j * stride, whole = row[j], pivot = whole;
        for (size_t p = 0; p < count; p++) {
            const double *other = a + p * stride;
            double sum = row[kept[p]];
            for (size_t q = 0; q < p; q++) sum -= row[q] * other[q];
            row[p] = sum / other[p];
            pivot -= row[p] * row[p];
        }
        if (!(pivot > tolerance * whole) || !(whole > 0.0)) continue;
        if (count < j) memcpy(a + count * stride, row, count * sizeof *row);
        a[count * stride + count] = sqrt(pivot);
        kept[count++] = j;
    }
    return count;
}

/* unused[i] = 1 / sqrt(1 - h_i), h_i = |U^-T b_i|^2 the leverage of row i. Where functions are few
 * against the rows all are taken to have the mean leverage. */
static void fill_unused(const invariance *t, invariance_work *w)
{
    size_t n = t->n, k = w->size;
    double mean = (double)k / (double)n;
    if (k * 50 < n) {
        for (size_t i = 0; i < n; i++) w->unused[i] = 1.0 / sqrt(1.0 - mean);
        return;
    }
    double *block = w->terms; /* [k, INVARIANCE_BLOCK] */
    for (size_t start = 0; start < n; start += INVARIANCE_BLOCK) {
        size_t m = n - start < INVARIANCE_BLOCK ? n - start : INVARIANCE_BLOCK;
        for (size_t a = 0; a < k; a++) {
            for (size_t i = 0; i < m; i++) block[a + i * k] = w->basis[a * n + start + i];
        }
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, blas_int(k),
                    blas_int(m), 1.0, w->gram, INVARIANCE_MOST_BASIS, block, blas_int(k));
        for (size_t i = 0; i < m; i++) {
            double h = 0.0;
            for (size_t a = 0; a < k; a++) h += block[a + i * k] * block[a + i * k];
            w->unused[start + i] = 1.0 / sqrt(fmax(1.0 - h, 0.05));
        }
    }
}

static void fill_weights(const invariance *t, invariance_work *w, const size_t *given, size_t count)
{
    size_t n = t->n;
    w->weight_count = 1 + 2 * count;
    for (size_t i = 0; i < n; i++) w->weights[i] = 1.0;
    for (size_t j = 0; j < count; j++) {
        const double *rank = t->ranks + given[j] * n;
        double *line = w->weights + (1 + j) * n, *bend = w->weights + (1 + count + j) * n;
        memcpy(line, rank, n * sizeof *line);
        for (size_t i = 0; i < n; i++) bend[i] = curve(rank[i]);
    }
}

void invariance_expand(const invariance *t, invariance_work *w, const size_t *given, size_t count)
{
    size_t n = t->n, kept[INVARIANCE_MOST_BASIS];
    if (w->given_count == count &&
        (count == 0 || memcmp(w->given, given, count * sizeof *given) == 0))
        return;
    filling f = {t, w, n / 10 < INVARIANCE_MOST_BASIS ? n / 10 : INVARIANCE_MOST_BASIS};
    w->size = 0;
    fill_basis(&f, given, count);
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, blas_int(w->size), blas_int(n), 1.0,
                w->basis, blas_int(n), 0.0, w->gram, INVARIANCE_MOST_BASIS);
    w->size = invariance_factor(w->gram, w->size, INVARIANCE_MOST_BASIS, 1e-6, kept);
    for (size_t a = 0; a < w->size; a++) {
        if (kept[a] != a) memcpy(w->basis + a * n, w->basis + kept[a] * n, n * sizeof(double));
    }
    fill_unused(t, w);
    fill_weights(t, w, given, count);
    if (count) memcpy(w->given, given, count * sizeof *given);
    w->given_count = count;
}

void invariance_residuals(const invariance *t, invariance_work *w, double *sides, size_t count)
{
    int n = blas_int(t->n), k = blas_int(w->size), m = blas_int(count), s = INVARIANCE_MOST_BASIS;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, m, n, 1.0, w->basis, n, sides, n, 0.0,
                w->coefficients, s);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, k, m, 1.0, w->gram,
                s, w->coefficients, s);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, k, m, 1.0,
                w->gram, s, w->coefficients, s);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, m, k, -1.0, w->basis, n,
                w->coefficients, s, 1.0, sides, n);
}
