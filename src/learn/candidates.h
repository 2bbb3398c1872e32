/* candidates.h - the catalogue of candidate pairs.
 *
 * Paper, appendix "Candidate Edge Construction": the union over subsets and channels of the pairs
 * that the ensemble elected to an edge of any kind, and of the K_env pairs with the largest
 * |corr1(i, j) - corr0(i, j)|; each pair once, at most `cap` of them.
 *
 * Order of the catalogue, and what the cap cuts from its end:
 *   1. elected pairs before those that come from the contrast alone;
 *   2. elected pairs by the largest share of votes for an edge (of any kind) in a subset and
 *      channel that elected them, then by how many did;
 *   3. then by falling contrast, then by the columns.
 */
#ifndef SCONE_LEARN_CANDIDATES_H
#define SCONE_LEARN_CANDIDATES_H

#include "learn/ensemble.h"

typedef struct candidates_options {
    size_t contrast_pairs; /* K_env */
    size_t cap;            /* 0: no cap */
} candidates_options;

typedef struct candidate {
    size_t first, second; /* columns, first < second */
    double strength;      /* largest share of votes for an edge where elected, else 0 */
    size_t elections;     /* subsets and channels that elected an edge */
    double contrast;      /* |corr1 - corr0| */
} candidate;

typedef struct candidates {
    size_t count;
    size_t cut;       /* pairs that the cap removed */
    candidate *items; /* [count], in the order above */
} candidates;

/* contrast [columns, columns]: |corr1 - corr0|, symmetric, diagonal 0. A regime without rows has
 * correlations 0. */
scone_status candidates_contrast(double *contrast, const scone_pair *pair,
                                 const scone_context *context);

/* Cost: O(cells log cells) for the votes, O(N^2 log K_env) for the contrast. Pairs with a contrast
 * of 0 are never taken for it. */
scone_status candidates_build(candidates **out, const ensemble_result *votes,
                              const double *contrast, size_t columns,
                              const candidates_options *options);
void candidates_free(candidates *c);

#endif
