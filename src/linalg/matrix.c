/* matrix.c - products of dense matrices by BLAS (see matrix.h). */
#include "linalg/matrix.h"

#include "linalg/blas.h"

#include <math.h>
#include <string.h>

static scone_status check_sizes(size_t m, size_t n, size_t k)
{
    if (blas_fits(m) && blas_fits(n) && blas_fits(k)) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "a product of matrices with dimensions %zu, %zu and %zu is too large; use fewer "
                 "than 2^31 rows",
                 m, n, k);
}

/* BLAS wants a leading dimension of at least 1 even for empty matrices. */
static int leading(size_t rows)
{
    return rows ? blas_int(rows) : 1;
}

scone_status matrix_multiply(double *c, const double *a, const double *b, size_t m, size_t n,
                             size_t k, bool transpose_a, bool transpose_b)
{
    scone_status status = SCONE_OK;
    TRY(check_sizes(m, n, k));
    blas_prepare();
    if (m == 0 || n == 0) goto cleanup;
    cblas_dgemm(CblasColMajor, transpose_a ? CblasTrans : CblasNoTrans,
                transpose_b ? CblasTrans : CblasNoTrans, blas_int(m), blas_int(n), blas_int(k), 1.0,
                a, leading(transpose_a ? k : m), b, leading(transpose_b ? n : k), 0.0, c,
                leading(m));
cleanup:
    return status;
}

scone_status matrix_vector(double *y, const double *a, const double *x, size_t m, size_t n,
                           bool transpose)
{
    scone_status status = SCONE_OK;
    TRY(check_sizes(m, n, 0));
    blas_prepare();
    /* BLAS leaves y alone when the other dimension is 0; the empty sum is 0. */
    size_t length = transpose ? n : m;
    if (length) memset(y, 0, length * sizeof *y);
    if (m == 0 || n == 0) goto cleanup;
    cblas_dgemv(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, blas_int(m), blas_int(n), 1.0,
                a, leading(m), x, 1, 0.0, y, 1);
cleanup:
    return status;
}

scone_status matrix_rank_update(double *c, const double *a, size_t n, size_t k, bool transpose,
                                double alpha, double beta)
{
    scone_status status = SCONE_OK;
    TRY(check_sizes(n, n, k));
    blas_prepare();
    if (n == 0) goto cleanup;
    cblas_dsyrk(CblasColMajor, CblasLower, transpose ? CblasTrans : CblasNoTrans, blas_int(n),
                blas_int(k), alpha, a, leading(transpose ? k : n), beta, c, leading(n));
    matrix_mirror(c, n);
cleanup:
    return status;
}

void matrix_mirror(double *a, size_t n)
{
    /* In square tiles, so that the transposed side stays in cache. */
    enum { TILE = 32 };
    for (size_t column = 0; column < n; column += TILE) {
        size_t column_end = column + TILE < n ? column + TILE : n;
        for (size_t row = column; row < n; row += TILE) {
            size_t row_end = row + TILE < n ? row + TILE : n;
            for (size_t j = column; j < column_end; j++) {
                for (size_t i = row > j ? row : j + 1; i < row_end; i++)
                    a[j + n * i] = a[i + n * j];
            }
        }
    }
}

bool matrix_is_finite(const double *a, size_t count)
{
    /* 0 * x is 0 for finite x and NaN otherwise; one sum is quicker than a test per element. */
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += 0.0 * a[i];
    return !isnan(sum);
}
