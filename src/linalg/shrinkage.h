/* shrinkage.h - the covariance estimate of Ledoit and Wolf.
 *
 * O. Ledoit and M. Wolf, "A well-conditioned estimator for large-dimensional covariance matrices",
 * Journal of Multivariate Analysis 88 (2004), equations (8) to (14). For n rows x_r (centred) of p
 * columns, S = sum_r x_r x_r' / n and |A|^2 = trace(A A') / p:
 *   m = trace(S) / p            d^2 = |S - m I|^2
 *   b^2 = min(d^2, sum_r |x_r x_r' - S|^2 / n^2)
 *   estimate = (b^2 / d^2) m I + (1 - b^2 / d^2) S
 * It is positive definite whenever m > 0 and b > 0, also for p > n. Since the target is a multiple
 * of the identity the result depends on the units; with `standardize` the columns are first scaled
 * to variance 1 and the result is a shrunk correlation matrix.
 */
#ifndef SCONE_LINALG_SHRINKAGE_H
#define SCONE_LINALG_SHRINKAGE_H

#include "linalg/gram.h"

/* estimate [p, p]; *intensity = b^2 / d^2 in [0, 1] (0 if d = 0). At least one row. n p^2 flops. */
scone_status shrinkage_covariance(double *estimate, double *intensity, const matrix_view *x,
                                  bool standardize, gram_work *work);

#endif
