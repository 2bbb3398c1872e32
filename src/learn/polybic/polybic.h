/* polybic.h - PolyBIC: which of two polynomial regressions leaves the smaller residual?
 *
 * Paper, appendix "PolyBIC for pairwise orientation". For columns standardized on the rows of the
 * call, with D the degree and l the ridge penalty (not on the intercept):
 *
 *   RSS(j | i)   residual sum of squares of the ridge regression of X_j on 1, X_i, ..., X_i^D
 *   BIC(j | i)   n log(RSS(j | i) / n) + (D + 1) log n
 *   A[i][j]      sigmoid((BIC(i | j) - BIC(j | i)) / s), s the mean of |BIC(i | j) - BIC(j | i)|
 *                over all pairs of columns that vary
 *
 * As A[i][j] + A[j][i] = 1, this score alone cannot say "no edge". A pair passes only if the better
 * direction gains on the constant model, max(-n log(RSS / TSS)) > D log n; else both are 0. Too few
 * rows for a residual (at most D + 2 different ones) let no pair pass.
 *
 * Numbers that are rounding do not decide: a residual below 1e-6 of the variance counts as that
 * (so copies of a column score 1/2 both ways), and a relative difference below 1e-9 counts as 0.
 */
#ifndef SCONE_LEARN_POLYBIC_POLYBIC_H
#define SCONE_LEARN_POLYBIC_POLYBIC_H

#include "learn/polybic/polybic_moments.h"

typedef struct polybic_options {
    size_t degree; /* D, 1 .. POLYBIC_MAX_DEGREE */
    double ridge;  /* l >= 0, in units of the sum of squares of one row */
} polybic_options;

/* Degree 3, ridge 1: what learner_polybic uses. */
extern const polybic_options polybic_defaults;

/* The state of a learner with these options, for learner_polybic.run and .release. */
scone_status polybic_prepare(void **state, const scone_pair *pair, const polybic_options *options);

/* shares[i * count + j] = RSS(j | i) / TSS(j), in [1e-6, 1]; 1 where either column is constant. The
 * context is only asked whether to go on; it may be NULL. */
scone_status polybic_residuals(double *shares, const polybic_moments *moments, double ridge,
                               const scone_context *context);

/* The scores from those shares. */
void polybic_scores(double *scores, const double *shares, const polybic_moments *moments);

/* The scores in two steps, for many subsets of the columns of one fit. A pair's fit does not depend
 * on the other columns; only s does. */

/* What is known of a pair. */
enum { POLYBIC_VARIES = 1, POLYBIC_PASSES = 2 };

/* differences[p] = BIC(i | j) - BIC(j | i) and flags[p] for the pairs (0,1), (0,2), ..., (1,2), ...
 * of the columns. */
void polybic_pairs(double *differences, unsigned char *flags, const double *shares,
                   const polybic_moments *moments);
/* A[i][j] and A[j][i] of a pair that passes, from its difference and s. */
void polybic_pair_scores(double *forward, double *backward, double difference, double scale);

/* factors [columns]: as polybic_moments_compute wants them. Fails with SCONE_ERR_INPUT if a value
 * is not finite. */
scone_status polybic_factors(double *factors, const scone_pair *pair);

#endif
