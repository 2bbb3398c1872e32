/* rank.c - pivoted Cholesky (see rank.h).
 *
 * P'RP = [L1; L2] [L1; L2]' + remainder. A dependent column's coefficients on the basis solve
 * (L1 L1') c = L1 l2, that is L1' c = l2 with l2 its row of L2; its unexplained share is
 * 1 - l2'l2.
 */
#include "linalg/rank.h"

#include "linalg/blas.h"
#include "linalg/matrix.h"

#include <string.h>

static void explain_rest(rank_result *result, const double *factor)
{
    size_t n = result->size, rank = result->rank, rest = n - rank;
    for (size_t d = 0; d < rest; d++) {
        double explained = 0.0;
        for (size_t j = 0; j < rank; j++) {
            double value = factor[rank + d + n * j];
            result->coefficients[j + rank * d] = value;
            explained += value * value;
        }
        result->unexplained[d] = explained < 1.0 ? 1.0 - explained : 0.0;
    }
    if (rank && rest) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, blas_int(rank),
                    blas_int(rest), 1.0, factor, blas_int(n), result->coefficients, blas_int(rank));
    }
}

scone_status rank_reveal(rank_result *result, const double *correlation, size_t n, double tolerance)
{
    scone_status status = SCONE_OK;
    double *factor = NULL, *work = NULL;
    lapack_int *pivots = NULL, rank = 0;
    *result = (rank_result){.size = n};
    if (n == 0) return SCONE_OK;
    if (!matrix_is_finite(correlation, n * n)) {
        FAIL(SCONE_ERR_INPUT, "a correlation matrix holds values that are not finite; remove the "
                              "rows with missing or infinite cells");
    }
    TRY_ALLOC(factor, n * n);
    TRY_ALLOC(work, 2 * n);
    TRY_ALLOC(pivots, n);
    memcpy(factor, correlation, n * n * sizeof *factor);
    blas_prepare();
    lapack_int info = LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', blas_int(n), factor, blas_int(n),
                                          pivots, &rank, tolerance, work);
    if (info < 0) FAIL_DEFECT("a pivoted factorization was called wrongly");
    result->rank = (size_t)rank;
    TRY_ALLOC(result->order, n);
    TRY_ALLOC(result->coefficients, result->rank * (n - result->rank));
    TRY_ALLOC(result->unexplained, n - result->rank);
    for (size_t i = 0; i < n; i++) result->order[i] = (size_t)pivots[i] - 1;
    explain_rest(result, factor);
cleanup:
    if (status != SCONE_OK) rank_result_free(result);
    mem_free(factor);
    mem_free(work);
    mem_free(pivots);
    return status;
}

void rank_result_free(rank_result *result)
{
    mem_free(result->order);
    mem_free(result->coefficients);
    mem_free(result->unexplained);
    *result = (rank_result){0};
}
