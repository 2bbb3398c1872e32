/* ensemble_parts.h - what the ensemble shares with polybic_votes.c, which gets its votes in another
 * way and elects as the ensemble does. */
#ifndef SCONE_LEARN_ENSEMBLE_PARTS_H
#define SCONE_LEARN_ENSEMBLE_PARTS_H

#include "learn/ensemble.h"

/* Fail with SCONE_ERR_INPUT if an option is out of range, or a subset does not increase. */
scone_status ensemble_check_options(const ensemble_options *options);
scone_status ensemble_check_subsets(const ensemble_subsets *subsets, size_t columns);

/* Room for the pairs of the subsets; offsets and pairs are filled in. */
scone_status ensemble_result_alloc(ensemble_result **out, const ensemble_subsets *subsets,
                                   size_t channels);

/* Winners and shares from votes [learners, channels, cells, classes]. */
void ensemble_elect(ensemble_result *result, const uint32_t *votes,
                    const ensemble_options *options);

/* Elections of learners that voted apart: adds to the shares of `to` those of a part, whose first
 * subset is subset `first` there, times `weight`; then the winners. */
void ensemble_add_shares(ensemble_result *to, const ensemble_result *part, size_t first,
                         double weight);
void ensemble_decide(ensemble_result *result);

#endif
