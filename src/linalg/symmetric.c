/* symmetric.c - solving, inverting, ridge, partial correlations (see symmetric.h). */
#include "linalg/symmetric.h"

#include "linalg/blas.h"
#include "linalg/matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

scone_status symmetric_work_alloc(symmetric_work **out, size_t capacity)
{
    scone_status status = SCONE_OK;
    symmetric_work *work = NULL;
    size_t cells, twice;
    *out = NULL;
    /* LAPACK counts its workspace in ints. */
    if (!size_multiply(&cells, capacity, capacity) || !size_multiply(&twice, cells, 2) ||
        !size_add(&twice, twice, 6 * capacity + 1) || !blas_fits(twice)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a symmetric matrix of %zu columns", capacity);
    }
    TRY_ZERO(work, 1);
    work->capacity = capacity;
    TRY_ALIGNED(work->matrix, cells);
    TRY_ALIGNED(work->vectors, cells);
    TRY_ALIGNED(work->lapack, twice);
    TRY_ALIGNED(work->scale, capacity);
    TRY_ALIGNED(work->values, capacity);
    TRY_ALLOC(work->integers, 6 * capacity + 3);
    *out = work;
    return SCONE_OK;
cleanup:
    symmetric_work_free(work);
    return status;
}

void symmetric_work_free(symmetric_work *work)
{
    if (!work) return;
    mem_free(work->matrix);
    mem_free(work->vectors);
    mem_free(work->lapack);
    mem_free(work->scale);
    mem_free(work->values);
    mem_free(work->integers);
    mem_free(work);
}

static double symmetric_tolerance(size_t n)
{
    return 16.0 * (double)n * DBL_EPSILON;
}

/* work->matrix = S A S, both triangles; work->scale = S, 0 where the diagonal is not positive. */
static void scale_matrix(symmetric_work *work, const double *a, const double *penalties, size_t n)
{
    double *s = work->scale;
    for (size_t i = 0; i < n; i++) {
        double diagonal = a[i + n * i] + (penalties ? penalties[i] : 0.0);
        s[i] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0;
        work->matrix[i + n * i] = s[i] > 0.0 ? 1.0 : 0.0 * diagonal; /* NaN if not finite */
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            work->matrix[i + n * j] = a[i + n * j] * s[i] * s[j];
        }
    }
    matrix_mirror(work->matrix, n);
}

/* Scales A + diag(penalties) to a unit diagonal (work->scale) and decomposes it in work->matrix: if
 * *regular the lower triangle is the Cholesky factor, else work->matrix holds eigenvectors and
 * work->values eigenvalues. */
static scone_status symmetric_prepare(bool *regular, symmetric_work *work, const double *a,
                                      const double *penalties, size_t n)
{
    scone_status status = SCONE_OK;
    *regular = false;
    if (n > work->capacity) FAIL_DEFECT("a symmetric matrix exceeds its workspace");
    blas_prepare();
    scale_matrix(work, a, penalties, n);
    if (!matrix_is_finite(work->matrix, n * n)) {
        FAIL(SCONE_ERR_INPUT, "a matrix of sums of squares is not finite: the data hold values "
                              "that are not numbers or too large to square; rescale the columns");
    }
    if (n == 0) {
        *regular = true;
        goto cleanup;
    }
    /* dpotrf writes the lower triangle; the upper keeps the matrix for the other path. */
    lapack_int info =
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', blas_int(n), work->matrix, blas_int(n));
    bool positive = info == 0;
    for (size_t j = 0; j < n && positive; j++) {
        double root = work->matrix[j + n * j];
        positive = root * root > symmetric_tolerance(n);
    }
    *regular = positive;
    if (positive) goto cleanup;
    for (size_t j = 0; j < n; j++) {
        work->matrix[j + n * j] = work->scale[j] > 0.0 ? 1.0 : 0.0;
        for (size_t i = j + 1; i < n; i++) work->matrix[i + n * j] = work->matrix[j + n * i];
    }
    TRY(symmetric_eigen(work->values, work->matrix, n, work));
cleanup:
    return status;
}

/* How many of the ascending eigenvalues count as 0. */
static size_t symmetric_null_count(const double *values, size_t n)
{
    size_t count = 0;
    double limit = n ? symmetric_tolerance(n) * values[n - 1] : 0.0;
    while (count < n && !(values[count] > limit)) count++;
    return count;
}

/* y [n, count] = V diag(1 / values) V' y over the eigenvalues that count as positive, for a matrix
 * in work->matrix that symmetric_prepare found singular. */
static void solve_truncated(double *y, size_t null_count, size_t n, size_t count,
                            symmetric_work *work)
{
    size_t kept = n - null_count;
    const double *vectors = work->matrix + n * null_count;
    double *coordinates = work->lapack; /* [kept] */
    for (size_t c = 0; c < count && kept; c++) {
        cblas_dgemv(CblasColMajor, CblasTrans, blas_int(n), blas_int(kept), 1.0, vectors,
                    blas_int(n), y + n * c, 1, 0.0, coordinates, 1);
        for (size_t k = 0; k < kept; k++) coordinates[k] /= work->values[null_count + k];
        cblas_dgemv(CblasColMajor, CblasNoTrans, blas_int(n), blas_int(kept), 1.0, vectors,
                    blas_int(n), coordinates, 1, 0.0, y + n * c, 1);
    }
    if (!kept) memset(y, 0, n * count * sizeof *y);
}

static void scale_rows(double *x, const double *scale, size_t n, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        for (size_t i = 0; i < n; i++) x[i + n * c] *= scale[i];
    }
}

static scone_status solve_penalized(double *x, size_t *rank, const double *a, const double *b,
                                    const double *penalties, size_t n, size_t count,
                                    symmetric_work *work)
{
    scone_status status = SCONE_OK;
    bool regular;
    size_t null_count = 0;
    TRY(symmetric_prepare(&regular, work, a, penalties, n));
    if (n && count && x != b) memmove(x, b, n * count * sizeof *x);
    scale_rows(x, work->scale, n, count);
    if (regular) {
        if (n && count) {
            (void)LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', blas_int(n), blas_int(count),
                                      work->matrix, blas_int(n), x, blas_int(n));
        }
    } else {
        null_count = symmetric_null_count(work->values, n);
        solve_truncated(x, null_count, n, count, work);
    }
    scale_rows(x, work->scale, n, count);
    if (rank) *rank = n - null_count;
cleanup:
    return status;
}

scone_status symmetric_solve(double *x, size_t *rank, const double *a, const double *b, size_t n,
                             size_t count, symmetric_work *work)
{
    return solve_penalized(x, rank, a, b, NULL, n, count, work);
}

scone_status ridge_solve(double *beta, const double *gram, const double *cross,
                         const double *penalties, size_t n, size_t count, symmetric_work *work)
{
    return solve_penalized(beta, NULL, gram, cross, penalties, n, count, work);
}

double ridge_residual(const double *beta, const double *gram, const double *cross, double squares,
                      size_t n)
{
    double sum = squares;
    for (size_t j = 0; j < n; j++) {
        double fitted = 0.0;
        for (size_t i = 0; i < n; i++) fitted += gram[i + n * j] * beta[i];
        sum += beta[j] * (fitted - 2.0 * cross[j]);
    }
    return sum > 0.0 ? sum : 0.0;
}

/* out = sum over columns first .. end-1 of V of v v' / divisor, divisors NULL for 1 */
static void spectral_sum(double *out, const double *vectors, const double *divisors, size_t first,
                         size_t end, size_t n)
{
    memset(out, 0, n * n * sizeof *out);
    for (size_t k = first; k < end; k++) {
        cblas_dsyr(CblasColMajor, CblasLower, blas_int(n), divisors ? 1.0 / divisors[k] : 1.0,
                   vectors + n * k, 1, out, blas_int(n));
    }
    matrix_mirror(out, n);
}

scone_status symmetric_inverse(double *inverse, size_t *rank, const double *a, size_t n,
                               symmetric_work *work)
{
    scone_status status = SCONE_OK;
    bool regular;
    size_t null_count = 0;
    TRY(symmetric_prepare(&regular, work, a, NULL, n));
    if (regular) {
        if (n) {
            (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', blas_int(n), work->matrix,
                                      blas_int(n));
            memcpy(inverse, work->matrix, n * n * sizeof *inverse);
        }
    } else {
        null_count = symmetric_null_count(work->values, n);
        spectral_sum(inverse, work->matrix, work->values, null_count, n, n);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) inverse[i + n * j] *= work->scale[i] * work->scale[j];
    }
    matrix_mirror(inverse, n);
    if (rank) *rank = n - null_count;
cleanup:
    return status;
}

/* r_ij of symmetric.h from the null projector and the pseudo-inverse, in the limit e -> 0 */
static double limit_correlation(const double *null, const double *inverse, size_t i, size_t j,
                                size_t n)
{
    /* A diagonal element of the projector is either 0 or the squared share of a relation; squared
     * shares below this are rounding of the eigenvectors. */
    const double trace = 1e-10;
    bool i_dependent = null[i + n * i] > trace, j_dependent = null[j + n * j] > trace;
    if (i_dependent != j_dependent) return 0.0;
    const double *p = i_dependent ? null : inverse;
    double product = p[i + n * i] * p[j + n * j];
    if (!(product > 0.0)) return 0.0;
    return fmax(-1.0, fmin(1.0, -p[i + n * j] / sqrt(product)));
}

scone_status partial_correlations(double *partial, const double *covariance, size_t n,
                                  symmetric_work *work)
{
    scone_status status = SCONE_OK;
    bool regular;
    TRY(symmetric_prepare(&regular, work, covariance, NULL, n));
    double *null = work->lapack, *inverse = work->vectors; /* dsyevd is done with them */
    if (regular) {
        if (n) {
            (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', blas_int(n), work->matrix,
                                      blas_int(n));
        }
        inverse = work->matrix;
        memset(null, 0, n * n * sizeof *null);
    } else {
        size_t null_count = symmetric_null_count(work->values, n);
        spectral_sum(null, work->matrix, NULL, 0, null_count, n);
        spectral_sum(inverse, work->matrix, work->values, null_count, n, n);
    }
    for (size_t j = 0; j < n; j++) {
        partial[j + n * j] = 1.0;
        for (size_t i = j + 1; i < n; i++) {
            bool varies = work->scale[i] > 0.0 && work->scale[j] > 0.0;
            partial[i + n * j] = varies ? limit_correlation(null, inverse, i, j, n) : 0.0;
        }
    }
    if (n) matrix_mirror(partial, n);
cleanup:
    return status;
}
