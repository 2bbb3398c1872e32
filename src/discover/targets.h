/* targets.h - which variables' mechanisms differ between the regimes, given a graph.
 *
 * Each variable is tested given its parents (chow.h) in a DAG that extends the graph; the decision
 * controls the false discovery rate (Benjamini and Hochberg, JRSS B 57, 1995). A variable that is
 * merely downstream of a target changes its distribution but not its mechanism and is no target.
 * Where the graph comes from a score of mechanisms, that must speak for a change as well.
 */
#ifndef SCONE_DISCOVER_TARGETS_H
#define SCONE_DISCOVER_TARGETS_H

#include "base/context.h"
#include "data/table.h"
#include "graph/graph.h"

typedef struct target_test {
    double score;   /* -log10 of the p-value, however small that is; in a result not more than the
                       margin in the same units */
    double p_value; /* uniform if the mechanism did not change */
    double margin;  /* nats by which a changed mechanism explains the variable better than one for
                       both regimes, prices paid, in the score that chose the graph; infinite
                       without such a score */
    bool target;
} target_test;

/* tests [columns of the pair]; g has as many nodes and extends to a DAG. */
scone_status targets_test(target_test *tests, const scone_pair *pair, const graph *g,
                          const scone_context *context);

/* For a variable with one value in each table: the chance 1 / C(a + b, a) that values which have
 * nothing to do with the tables are divided as they are. */
target_test targets_split(size_t a, size_t b);

/* A test can reject for a change that is none, where the parents act in a way that its basis cannot
 * follow; the score's models are richer, but know no level. A target needs both (docs/methods/score.md). */
#define TARGET_LEAST_MARGIN 10.0

/* Decides by p-values and margins; known [count] holds 1 for a known target, -1 for a known
 * non-target and 0 else, or is NULL. What is known is not among the hypotheses. */
scone_status targets_decide(target_test *tests, size_t count, double alpha,
                            const signed char *known);

#endif
