/* moments.h - means, deviations and correlations of every column in both regimes, and the average
 * of the two covariances, computed once and shared by all later stages.
 *
 * The paper averages rows, X = (X0 + X1) / 2, which needs paired rows; here the covariances are
 * averaged (D5):
 *   A = (S0 + S1) / 2
 * Its entries are kept in units of the columns' scales, s_i = sqrt((v0_i + v1_i) / 2), so that A
 * has ones on the diagonal and nothing overflows; a column that is constant in both regimes has
 * zeros.
 *
 * For more columns than rows A is shrunk (D3) towards m I, m = trace(A) / p, as Ledoit and Wolf do
 * for one sample (linalg/shrinkage.h). A is the mean of two independent estimates, so its error
 * is a quarter of the sum of theirs. With x_r the centred rows of regime c in the same units:
 *   b^2 = 1/4 sum_c sum_r |x_r x_r' - S_c|^2 / n_c^2      d^2 = |A - m I|^2
 *   shrunk = w m I + (1 - w) A,  w = min(1, b^2 / d^2)
 *
 * Cost: n p^2 flops per regime (linalg/gram.h), memory 4 p^2 doubles.
 */
#ifndef SCONE_STATS_MOMENTS_H
#define SCONE_STATS_MOMENTS_H

#include "base/context.h"
#include "data/table.h"

typedef struct moments {
    size_t columns;
    size_t rows[2];
    double *means[2];        /* [columns] per regime */
    double *deviations[2];   /* [columns]: standard deviations, divisor rows; 0: constant */
    double *correlations[2]; /* [columns, columns]: ones on the diagonal; constant columns: 0 */
    double *scales;          /* [columns]: s_i */
    double *average;         /* [columns, columns]: A in units of the scales */
    double *shrunk;          /* [columns, columns]: A shrunk, in the same units */
    double intensity;        /* w */
    double *storage;         /* owns all of the above */
} moments;

/* Fails with SCONE_ERR_INPUT if a regime has no rows or a value is not finite. The bytes do not
 * depend on the threads. */
scone_status moments_alloc(moments **out, const scone_pair *pair, const scone_context *context);
void moments_free(moments *m);

static inline double moments_variance(const moments *m, int regime, size_t i)
{
    return m->deviations[regime][i] * m->deviations[regime][i];
}

static inline double moments_covariance(const moments *m, int regime, size_t i, size_t j)
{
    return m->correlations[regime][i + m->columns * j] * m->deviations[regime][i] *
           m->deviations[regime][j];
}

#endif
