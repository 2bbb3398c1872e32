/* trivial.h - the methods that every real one has to beat: an empty graph, and orders by a single
 * statistic that looks at no pair of columns causally.
 *
 * Data sets have tells: variance, the share of variance explained by the other columns (R^2) or the
 * kurtosis may rise along the edges of the true graph (Reisach, Seiler and Weichwald, "Beware of
 * the simulated DAG!", NeurIPS 2021, for variance; the same authors, "A scale-invariant sorting
 * criterion to find a causal order in additive noise models", NeurIPS 2023, for R^2). An order
 * method sorts the columns by that statistic, smallest first, over the rows of both regimes
 * together, and regresses each column on those before it:
 *
 *   responses   z and |z|, z the standardized column: what moves its mean, and what its spread
 *   terms       z_k, z_k^2, z_k^3 of each predecessor k
 *   rule        greedy: add the predecessor with the largest gain, the larger of
 *                 n log(RSS before / RSS after) of the two responses,
 *               while it exceeds 8 log n for each of its three coefficients
 *
 * The penalty is eight times that of BIC: regimes that differ and heavy tails make the plain one
 * add parents without end (of the factors 3, 5, 8, 12, 8 gave the least SHD at ood-20-20, seeds 1
 * to 5). Never more parents than one per 30 rows, nor more than 16.
 */
#ifndef SCONE_LEARN_TRIVIAL_H
#define SCONE_LEARN_TRIVIAL_H

#include "base/context.h"
#include "data/table.h"
#include "graph/graph.h"

typedef enum trivial_kind {
    TRIVIAL_EMPTY = 0,
    TRIVIAL_VARIANCE = 1,
    TRIVIAL_R2 = 2,
    TRIVIAL_KURTOSIS = 3
} trivial_kind;

/* A DAG over the columns, with their names. Equal statistics keep the order of the columns.
 * Cost: a correlation matrix of 4 terms per column over all rows; then, per column, O(N) for each
 * parent found, squared. */
scone_status trivial_order(graph **out, const scone_pair *pair, trivial_kind kind,
                           const scone_context *context);

/* statistics [columns]: what the columns are sorted by; 0 for a constant column. */
scone_status trivial_statistics(double *statistics, const scone_pair *pair, trivial_kind kind,
                                const scone_context *context);

#endif
