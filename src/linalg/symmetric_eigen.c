/* symmetric_eigen.c - symmetric and generalized symmetric eigenproblems (see symmetric.h).
 *
 * The full problem by divide and conquer (dsyevd). The top of A v = value B v: with B = L L' it is
 * the top of C = L^-1 A L^-T, v = L^-T y; with a singular B = V D V' restricted to its range it is
 * the top of C = W'AW, W = V D^-1/2 over the positive part of D, v = W y.
 *
 * Kernels of BLAS may round otherwise where an array starts at another place within a line of the
 * cache, so vectors are made in the workspace, whose arrays are aligned, and copied to the caller.
 */
#include "linalg/symmetric_parts.h"

#include "linalg/blas.h"
#include "linalg/matrix.h"

#include <math.h>
#include <string.h>

/* Eigenvectors have no sign of their own; the largest component (the first of equals) becomes
 * positive. */
static void fix_sign(double *vector, size_t n)
{
    size_t largest = 0;
    for (size_t i = 1; i < n; i++) {
        if (fabs(vector[i]) > fabs(vector[largest])) largest = i;
    }
    if (n == 0 || !(vector[largest] < 0.0)) return;
    for (size_t i = 0; i < n; i++) vector[i] = -vector[i];
}

scone_status symmetric_eigen(double *values, double *a, size_t n, symmetric_work *work)
{
    scone_status status = SCONE_OK;
    if (n > work->capacity) FAIL_DEFECT("an eigenproblem exceeds its workspace");
    if (n == 0) goto cleanup;
    blas_prepare();
    matrix_mirror(a, n); /* what is above the diagonal is not ours to judge */
    if (!matrix_is_finite(a, n * n)) {
        FAIL(SCONE_ERR_INPUT, "an eigenproblem holds values that are not finite; rescale the "
                              "columns");
    }
    lapack_int info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', blas_int(n), a, blas_int(n),
                                          values, work->lapack, blas_int(2 * n * n + 6 * n + 1),
                                          work->integers, blas_int(5 * n + 3));
    if (info != 0) FAIL_DEFECT("an eigenproblem did not converge");
    for (size_t k = 0; k < n; k++) fix_sign(a + n * k, n);
cleanup:
    return status;
}

/* The top of a symmetric c [n, n], which is destroyed; y may not overlap c. `space` holds 8 n. */
static scone_status top_pair(double *value, double *y, double *c, size_t n, double *space,
                             symmetric_work *work)
{
    scone_status status = SCONE_OK;
    int size = blas_int(n);
    lapack_int found = 0;
    if (!matrix_is_finite(c, n * n)) {
        FAIL(SCONE_ERR_INPUT, "an eigenproblem holds values that are not finite; rescale the "
                              "columns");
    }
    lapack_int info = LAPACKE_dsyevx_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', size, c, size, 0.0, 0.0,
                                          size, size, 0.0, &found, work->values, y, size, space,
                                          blas_int(8 * n), work->integers, work->integers + 5 * n);
    if (info != 0 || found != 1) FAIL_DEFECT("an eigenproblem did not converge");
    *value = work->values[0];
cleanup:
    return status;
}

/* work->matrix holds the factor of S B S */
static scone_status top_regular(double *value, double *vector, const double *a, size_t n,
                                symmetric_work *work)
{
    scone_status status = SCONE_OK;
    double *c = work->vectors, *s = work->scale;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) c[i + n * j] = a[i + n * j] * s[i] * s[j];
    }
    matrix_mirror(c, n);
    (void)LAPACKE_dsygst_work(LAPACK_COL_MAJOR, 1, 'L', blas_int(n), c, blas_int(n), work->matrix,
                              blas_int(n));
    matrix_mirror(c, n);
    double *y = work->lapack + 8 * n; /* 2 n^2 + 6 n + 1 are at least 9 n */
    TRY(top_pair(value, y, c, n, work->lapack, work));
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, blas_int(n), work->matrix,
                blas_int(n), y, 1);
    for (size_t i = 0; i < n; i++) vector[i] = y[i] * s[i];
cleanup:
    return status;
}

/* work->matrix holds eigenvectors and work->values eigenvalues of S B S */
static scone_status top_singular(double *value, double *vector, const double *a, size_t n,
                                 symmetric_work *work)
{
    scone_status status = SCONE_OK;
    size_t null_count = symmetric_null_count(work->values, n), kept = n - null_count;
    if (kept == 0) FAIL(SCONE_ERR_INPUT, "the metric of an eigenproblem is zero");
    double *w = work->matrix + n * null_count; /* [n, kept] */
    double *product = work->vectors, *c = work->lapack;
    for (size_t k = 0; k < kept; k++) {
        double root = sqrt(work->values[null_count + k]);
        for (size_t i = 0; i < n; i++) w[i + n * k] *= work->scale[i] / root;
    }
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, blas_int(n), blas_int(kept), 1.0, a,
                blas_int(n), w, blas_int(n), 0.0, product, blas_int(n));
    TRY(matrix_multiply(c, w, product, kept, kept, n, true, false));
    double *y = work->vectors; /* the product is used up; y [kept], then space for dsyevx */
    TRY(top_pair(value, y, c, kept, work->lapack + n * n, work));
    TRY(matrix_vector(work->lapack, w, y, n, kept, false));
    memcpy(vector, work->lapack, n * sizeof *vector);
cleanup:
    return status;
}

scone_status symmetric_generalized_top(double *value, double *vector, const double *a,
                                       const double *b, size_t n, symmetric_work *work)
{
    scone_status status = SCONE_OK;
    bool regular;
    *value = 0.0;
    if (n == 0) FAIL(SCONE_ERR_INPUT, "an eigenproblem without variables");
    TRY(symmetric_prepare(&regular, work, b, NULL, n));
    if (regular) {
        TRY(top_regular(value, vector, a, n, work));
    } else {
        TRY(top_singular(value, vector, a, n, work));
    }
    fix_sign(vector, n);
cleanup:
    return status;
}
