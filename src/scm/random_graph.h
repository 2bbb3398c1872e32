/* random_graph.h - random connected DAGs and random intervention targets. */
#ifndef SCONE_SCM_RANDOM_GRAPH_H
#define SCONE_SCM_RANDOM_GRAPH_H

#include "base/rng.h"
#include "graph/graph.h"

/* A weakly connected DAG over `nodes` >= 1 nodes with about `edges` expected edges before joining;
 * order[nodes] receives a topological order, uniform over all orders. O(N^2). */
scone_status random_graph_draw(graph **out, size_t *order, size_t nodes, double edges, rng *r);

/* targets[nodes]: every node with parents independently with probability p, given that at least
 * one is drawn; none if p = 0 or no node has parents. O(N). */
scone_status random_targets_draw(bool *targets, const graph *g, double p, rng *r);
/* targets[nodes]: a number of nodes with parents, uniform in low .. high, or all of them if there
 * are fewer; every set of that size is as likely. O(N). */
scone_status random_targets_choose(bool *targets, const graph *g, size_t low, size_t high, rng *r);

#endif
