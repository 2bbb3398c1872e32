/* local_graphs.h - the local graphs E_S^(0), E_S^(1) of the sampled subsets S, from the votes of
 * local learners in each regime by itself (learn/ensemble.h; paper, "Knowledge sets and
 * aggregator").
 *
 * Votes are about pairs, so that what they elect need not be a graph that any DAG has. Directions
 * are taken up by falling share of the votes; one that would close a directed cycle is left open.
 * While no DAG has the skeleton, the directions and exactly the v-structures of the rest, the
 * weakest direction is left open, too. What then remains is closed under the Meek rules. If it has
 * no DAG even without directions (four in a ring, all open), nothing is known of S in this regime:
 * the rules pass S over. O(|S|^2) closures for each subset and regime.
 */
#ifndef SCONE_REASONS_LOCAL_GRAPHS_H
#define SCONE_REASONS_LOCAL_GRAPHS_H

#include "learn/ensemble.h"
#include "reasons/local_view.h"

/* A direction of which local graphs know. */
typedef struct local_direction {
    size_t from, to;
    unsigned regimes; /* bit c: some local graph of regime c has it */
    double strength;  /* its votes over the local graphs that hold both ends, in [0, 1] */
} local_direction;

typedef struct local_graphs {
    local_subset *subsets; /* [count] without skeleton; those that both regimes have a graph for */
    size_t count;
    local_direction *directions; /* [direction_count] strongest first; ties by from, to */
    size_t direction_count;
    size_t opened;   /* directions that votes elected and no local graph could keep */
    size_t hopeless; /* local graphs of which nothing is known */
} local_graphs;

/* Subsets of at most RULE_MOST_NODES columns; with larger ones everything is left empty. The caller
 * frees also after a failure. */
scone_status local_graphs_make(local_graphs *out, const ensemble_locals *locals);
void local_graphs_free(local_graphs *graphs);

#endif
