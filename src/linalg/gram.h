/* gram.h - Gram matrices, covariances and correlations of data columns.
 *
 *   gram         G_ij = sum_r w_r x_ri x_rj                (w = 1 without weights)
 *   cross        C_ij = sum_r w_r x_ri y_rj
 *   covariance   S_ij = sum_r (x_ri - m_i)(x_rj - m_j) / divisor
 *   correlation  R_ij = S_ij / sqrt(S_ii S_jj)
 *
 * Covariances take two passes: the means first, to the last bit that a double can hold, then sums
 * of centred products, corrected for what the rounded mean left over (Chan, Golub and LeVeque,
 * "Algorithms for computing the sample variance", The American Statistician 37, 1983). So x + 1e8
 * loses no digits that the data still have. Correlations also work where squares would overflow.
 *
 * Rows are taken in blocks, columns in tiles; the only temporary is one block of each side per
 * worker. Tiles are the items of our parallel loop, and their sums run in row order, so the bytes
 * do not depend on the number of threads. Cost n k^2 flops for n rows and k columns.
 */
#ifndef SCONE_LINALG_GRAM_H
#define SCONE_LINALG_GRAM_H

#include "base/context.h"
#include "base/memory.h"

/* Some columns of a column-major matrix: column j starts at values + rows * order[j], or at
 * values + rows * j if order is NULL. */
typedef struct matrix_view {
    const double *values;
    size_t rows, columns;
    const size_t *order;
} matrix_view;

/* Blocks for as many workers as the context has threads. */
typedef struct gram_work gram_work;
scone_status gram_work_alloc(gram_work **work, const scone_context *context);
void gram_work_free(gram_work *work);

/* gram [k, k]; weights [rows] may be NULL and may be negative. */
scone_status gram_matrix(double *gram, const matrix_view *x, const double *weights,
                         gram_work *work);
/* cross [k of x, k of y]; both views have the same rows. */
scone_status gram_cross(double *cross, const matrix_view *x, const matrix_view *y,
                        const double *weights, gram_work *work);
/* covariance [k, k], means [k]; divisor > 0, e.g. rows or rows - 1. Without rows all are 0. */
scone_status covariance_matrix(double *covariance, double *means, const matrix_view *x,
                               double divisor, gram_work *work);
/* correlation [k, k] with exact ones on the diagonal; means [k] and deviations [k] (standard
 * deviations, divisor n) may be NULL. A constant column has deviation 0 and correlation 0 with
 * all others. Fails with SCONE_ERR_INPUT if a value is not finite. */
scone_status correlation_matrix(double *correlation, double *means, double *deviations,
                                const matrix_view *x, gram_work *work);

#endif
