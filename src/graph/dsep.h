/* dsep.h - d-separation in DAGs.
 *
 * Bayes-ball (Shachter, UAI 1998) on bit sets: a trail that reaches v from a child goes on to the
 * parents and children of v unless v is in Z; one that reaches v from a parent goes on to the
 * children of v, or, if v is in Z, back to its parents. (A collider with a descendant in Z needs no
 * case of its own: the trail runs down to Z, turns there and comes up again.) The graph is a DAG
 * (undirected edges are ignored); a context node is just one more node. A node is looked at once
 * for each of the two ways to reach it: O(words) per node reached, at most O(N words).
 */
#ifndef SCONE_GRAPH_DSEP_H
#define SCONE_GRAPH_DSEP_H

#include "graph/graph_work.h"

/* out = all nodes outside X and Z that some member of X is d-connected to given Z. Members of X
 * that are also in Z start no trail. out may be x or z itself. */
void dsep_connected(bits_word *out, const graph *dag, const bits_word *x, const bits_word *z,
                    graph_work *work);

/* Are X and Y d-separated given Z? Members of X or Y that are also in Z do not count; a node in
 * both X and Y (and not in Z) is connected to itself. Stops at the first active trail. */
bool dsep_separated(const graph *dag, const bits_word *x, const bits_word *y, const bits_word *z,
                    graph_work *work);

/* The same for two different nodes outside Z. */
bool dsep_pair(const graph *dag, size_t x, size_t y, const bits_word *z, graph_work *work);

/* Moral graph: parents of a common child joined, directions dropped. `within` (NULL: all nodes)
 * restricts it to a set of nodes that contains all its ancestors. out has as many nodes as dag and
 * is another object. O(N words + E words). */
void graph_moral(graph *out, const graph *dag, const bits_word *within);

#endif
