/* cholesky.c - Cholesky factor with updates (see cholesky.h).
 *
 * Deleting row and column r leaves rows above r alone and turns the block below into a rank-one
 * update by the deleted column, by plane rotations (Gill, Golub, Murray and Saunders, "Methods for
 * modifying matrix factorizations", Mathematics of Computation 28, 1974).
 */
#include "linalg/cholesky.h"

#include "linalg/blas.h"
#include "linalg/matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

scone_status cholesky_alloc(cholesky **out, size_t capacity)
{
    scone_status status = SCONE_OK;
    cholesky *c = NULL;
    size_t cells;
    *out = NULL;
    if (!blas_fits(capacity) || !size_multiply(&cells, capacity, capacity)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a factor of %zu columns", capacity);
    }
    TRY_ZERO(c, 1);
    c->capacity = capacity;
    TRY_ZERO(c->factor, cells);
    TRY_ALLOC(c->work, capacity);
    *out = c;
    return SCONE_OK;
cleanup:
    cholesky_free(c);
    return status;
}

void cholesky_free(cholesky *c)
{
    if (!c) return;
    mem_free(c->factor);
    mem_free(c->work);
    mem_free(c);
}

static double *column_of(const cholesky *c, size_t j)
{
    return c->factor + c->capacity * j;
}

/* Is a pivot of the matrix (the square of a diagonal element of L) more than rounding? Written so
 * that NaN is not. */
static bool pivot_is_positive(double pivot, double diagonal, size_t size)
{
    return pivot > 8.0 * (double)size * DBL_EPSILON * diagonal && pivot <= DBL_MAX;
}

bool cholesky_factor(cholesky *c, const double *a, size_t n)
{
    c->size = 0;
    if (n > c->capacity) return false;
    if (n == 0) return true;
    blas_prepare();
    for (size_t j = 0; j < n; j++) {
        memcpy(column_of(c, j) + j, a + j + n * j, (n - j) * sizeof *a);
    }
    lapack_int info =
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', blas_int(n), c->factor, blas_int(c->capacity));
    if (info != 0) return false;
    for (size_t j = 0; j < n; j++) {
        double root = column_of(c, j)[j];
        if (!pivot_is_positive(root * root, a[j + n * j], n)) return false;
    }
    c->size = n;
    return true;
}

/* L L' + x x' for the factor in rows and columns first .. size-1; x [size - first] is used up. */
static void rotate_in(cholesky *c, double *x, size_t first)
{
    for (size_t j = first; j < c->size; j++) {
        double *column = column_of(c, j);
        double *rest = x - first; /* index by row of the factor */
        double root = hypot(column[j], rest[j]);
        if (root == 0.0) continue;
        double cosine = column[j] / root, sine = rest[j] / root;
        column[j] = root;
        for (size_t i = j + 1; i < c->size; i++) {
            double old = column[i];
            column[i] = cosine * old + sine * rest[i];
            rest[i] = cosine * rest[i] - sine * old;
        }
    }
}

bool cholesky_append(cholesky *c, const double *column)
{
    size_t n = c->size;
    if (n == c->capacity) return false;
    double *row = c->work;
    if (n) memcpy(row, column, n * sizeof *row);
    cholesky_solve_lower(c, row);
    double pivot = column[n];
    for (size_t j = 0; j < n; j++) pivot -= row[j] * row[j];
    if (!pivot_is_positive(pivot, column[n], n + 1)) return false;
    for (size_t j = 0; j < n; j++) column_of(c, j)[n] = row[j];
    column_of(c, n)[n] = sqrt(pivot);
    c->size = n + 1;
    return true;
}

void cholesky_remove(cholesky *c, size_t index)
{
    size_t n = c->size, below = n - index - 1;
    double *deleted = c->work;
    if (below) memcpy(deleted, column_of(c, index) + index + 1, below * sizeof *deleted);
    for (size_t j = 0; j < index && below; j++) {
        memmove(column_of(c, j) + index, column_of(c, j) + index + 1, below * sizeof *deleted);
    }
    for (size_t j = index + 1; j < n; j++) {
        memcpy(column_of(c, j - 1) + j - 1, column_of(c, j) + j, (n - j) * sizeof *deleted);
    }
    c->size = n - 1;
    if (below) rotate_in(c, deleted, index);
}

void cholesky_solve_lower(const cholesky *c, double *b)
{
    if (c->size == 0) return;
    blas_prepare();
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, blas_int(c->size), c->factor,
                blas_int(c->capacity), b, 1);
}

void cholesky_solve(const cholesky *c, double *b, size_t count)
{
    if (c->size == 0 || count == 0) return;
    int n = blas_int(c->size), stride = blas_int(c->capacity);
    blas_prepare();
    if (count == 1) {
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, c->factor, stride, b,
                    1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, c->factor, stride, b,
                    1);
        return;
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n,
                blas_int(count), 1.0, c->factor, stride, b, n);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, blas_int(count),
                1.0, c->factor, stride, b, n);
}

void cholesky_inverse(const cholesky *c, double *inverse)
{
    size_t n = c->size;
    if (n == 0) return;
    blas_prepare();
    for (size_t j = 0; j < n; j++) {
        memcpy(inverse + j + n * j, column_of(c, j) + j, (n - j) * sizeof *inverse);
    }
    /* The diagonal of L is positive, so dpotri cannot fail. */
    (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', blas_int(n), inverse, blas_int(n));
    matrix_mirror(inverse, n);
}
