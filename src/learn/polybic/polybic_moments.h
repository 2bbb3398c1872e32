/* polybic_moments.h - the weighted power sums from which PolyBIC fits every pair of columns.
 *
 * For the drawn rows r with weights w_r (how often the bootstrap drew them), n = sum w, and the
 * columns standardized on these rows, z = (x - mean) / deviation:
 *
 *   powers  S_k(i)    = sum_r w_r z_ri^k           k = 0 .. 2D
 *   cross   M_a(i, j) = sum_r w_r z_ri^a z_rj      a = 1 .. D
 *
 * Both polynomial regressions of every pair follow from these, so that no design matrix is built.
 * Columns are standardized with the weights of the replicate itself, not by correcting moments
 * afterwards: a replicate that misses an outlier may have a deviation that is smaller by many
 * orders, and moments about another centre would have lost all its digits. As sum w z^2 = n no |z|
 * exceeds sqrt(n), so z^2D stays far from overflow whatever the tails.
 *
 * Cost for k columns and m distinct rows: 2 D k^2 m flops in one matrix product over the rows that
 * were drawn at least once (63% of them in a bootstrap), and O(D k m) to prepare it.
 */
#ifndef SCONE_LEARN_POLYBIC_POLYBIC_MOMENTS_H
#define SCONE_LEARN_POLYBIC_POLYBIC_MOMENTS_H

#include "learn/learner.h"

enum { POLYBIC_MAX_DEGREE = 6 };

typedef struct polybic_moments {
    size_t count, degree; /* k, D */
    size_t distinct;      /* rows drawn at least once */
    double rows;          /* n, repetitions counted */
    double *powers;       /* [count, 2D + 1]: S_k(i) at i * (2D + 1) + k */
    double *cross;        /* [count, D, count]: M_a(i, j) at (i * D + a - 1) * count + j */
    bool *constant;       /* [count]: no variation in the drawn rows; all its sums are 0 */
} polybic_moments;

scone_status polybic_moments_alloc(polybic_moments **out, size_t count, size_t degree);
void polybic_moments_free(polybic_moments *moments);

/* factors [columns of the pair]: powers of two that bring every column to at most 2 in size, so
 * that squares neither overflow nor vanish. */
scone_status polybic_moments_compute(polybic_moments *moments, const scone_pair *pair,
                                     const double *factors, const learner_task *task);

#endif
