/* invariance_algebra.c - least squares on the functions of Z: a Cholesky factor of their Gram
 * matrix that grows with them. Appending m functions to k costs 2 n k m flops, residuals of m
 * sides 4 n k m. */
#include "stats/invariance_parts.h"

#include "linalg/blas.h"

#include <math.h>
#include <string.h>

size_t invariance_factor(double *a, size_t done, size_t n, size_t stride, double tolerance,
                         size_t *kept)
{
    size_t count = done;
    for (size_t j = 0; j < done; j++) kept[j] = j;
    for (size_t j = done; j < n; j++) { /* column j of U */
        double *column = a + j * stride, whole = column[j], pivot = whole;
        for (size_t p = 0; p < count; p++) {
            const double *other = a + p * stride;
            double sum = column[kept[p]];
            for (size_t q = 0; q < p; q++) sum -= column[q] * other[q];
            column[p] = sum / other[p];
            pivot -= column[p] * column[p];
        }
        if (!(whole > 0.0) || !(pivot > tolerance * whole)) continue;
        if (count < j) memcpy(a + count * stride, column, count * sizeof *column);
        a[count * stride + count] = sqrt(pivot);
        kept[count++] = j;
    }
    return count;
}

void invariance_append(const invariance *t, invariance_work *w, size_t count)
{
    size_t n = t->n, all = w->size + count, kept[INVARIANCE_MOST_BASIS];
    if (count == 0) return;
    double *fresh = w->basis + w->size * n, *corner = w->factor + w->size * INVARIANCE_MOST_BASIS;
    if (w->size) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(w->size), blas_int(count),
                    blas_int(n), 1.0, w->basis, blas_int(n), fresh, blas_int(n), 0.0, corner,
                    INVARIANCE_MOST_BASIS);
    }
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, blas_int(count), blas_int(n), 1.0, fresh,
                blas_int(n), 0.0, corner + w->size, INVARIANCE_MOST_BASIS);
    size_t stay = invariance_factor(w->factor, w->size, all, INVARIANCE_MOST_BASIS, 1e-6, kept);
    for (size_t a = w->size; a < stay; a++) {
        if (kept[a] != a) memcpy(w->basis + a * n, w->basis + kept[a] * n, n * sizeof(double));
    }
    w->size = stay;
}

void invariance_residuals(const invariance *t, invariance_work *w, double *sides, size_t count)
{
    int n = blas_int(t->n), k = blas_int(w->size), m = blas_int(count), s = INVARIANCE_MOST_BASIS;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, m, n, 1.0, w->basis, n, sides, n, 0.0,
                w->coefficients, s);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, k, m, 1.0,
                w->factor, s, w->coefficients, s);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, k, m, 1.0,
                w->factor, s, w->coefficients, s);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, m, k, -1.0, w->basis, n,
                w->coefficients, s, 1.0, sides, n);
}

/* unused[i] = 1 / sqrt(1 - h_i), h_i = |U^-T b_i|^2 the leverage of row i. Where functions are few
 * against the rows all are taken to have the mean leverage. */
void invariance_leverages(const invariance *t, invariance_work *w)
{
    size_t n = t->n, k = w->size;
    double mean = (double)k / (double)n;
    if (k * 50 < n) {
        for (size_t i = 0; i < n; i++) w->unused[i] = 1.0 / sqrt(1.0 - mean);
        return;
    }
    double block[INVARIANCE_MOST_BASIS * INVARIANCE_BLOCK]; /* [k, INVARIANCE_BLOCK] */
    for (size_t start = 0; start < n; start += INVARIANCE_BLOCK) {
        size_t m = n - start < INVARIANCE_BLOCK ? n - start : INVARIANCE_BLOCK;
        for (size_t a = 0; a < k; a++) {
            for (size_t i = 0; i < m; i++) block[a + i * k] = w->basis[a * n + start + i];
        }
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, blas_int(k),
                    blas_int(m), 1.0, w->factor, INVARIANCE_MOST_BASIS, block, blas_int(k));
        for (size_t i = 0; i < m; i++) {
            double h = 0.0;
            for (size_t a = 0; a < k; a++) h += block[a + i * k] * block[a + i * k];
            w->unused[start + i] = 1.0 / sqrt(fmax(1.0 - h, 0.05));
        }
    }
}
