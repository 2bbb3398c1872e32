/* symmetric_eigen.c - symmetric eigenproblems (see symmetric.h), by divide and conquer (dsyevd). */
#include "linalg/symmetric.h"

#include "linalg/blas.h"
#include "linalg/matrix.h"

#include <math.h>

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
