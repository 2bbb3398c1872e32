/* polybic_votes.h - the PolyBIC ensemble on many subsets of one pair of tables, each fit once.
 *
 * PolyBIC is pairwise: the two regressions of a pair depend on its own columns and on the drawn
 * rows. What a subset adds is s, the mean of |BIC(i | j) - BIC(j | i)| over its pairs (polybic.h).
 * So here all subsets see the same replicates, replicate r of a channel being the rows that
 * ensemble_draw gives for subset 0; each replicate is fitted once for all pairs of columns; and a
 * subset's votes follow from stored differences without another look at the rows.
 *
 * ensemble_run, which knows no learner from inside, draws anew for every subset. With one subset of
 * all columns the two give the same votes.
 *
 * Cost for p columns, n rows, C channels, R replicates: order C R (D p^2 n) flops in matrix
 * products once, memory 9 C R p^2 / 2 bytes; then order C R k^2 per subset of k.
 */
#ifndef SCONE_LEARN_POLYBIC_POLYBIC_VOTES_H
#define SCONE_LEARN_POLYBIC_POLYBIC_VOTES_H

#include "learn/ensemble.h"
#include "learn/polybic/polybic.h"

typedef struct polybic_votes polybic_votes;

/* fit may be NULL for polybic_defaults. Of the options all but the learners count. The pair is not
 * needed afterwards. Fails with SCONE_ERR_INPUT if an option is out of range or a value is not
 * finite. The bytes do not depend on the threads. */
scone_status polybic_votes_alloc(polybic_votes **out, const scone_pair *pair,
                                 const polybic_options *fit, const ensemble_options *options,
                                 const scone_context *context);
void polybic_votes_free(polybic_votes *votes);

/* The elections of these subsets; ensemble_result_free releases them. */
scone_status polybic_votes_elect(ensemble_result **out, const polybic_votes *votes,
                                 const ensemble_subsets *subsets, const scone_context *context);

#endif
