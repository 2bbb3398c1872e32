/* graph_extend.h - consistent extensions: DAGs with the skeleton, the v-structures and all directed
 * edges of a partially directed graph.
 */
#ifndef SCONE_GRAPH_GRAPH_EXTEND_H
#define SCONE_GRAPH_GRAPH_EXTEND_H

#include "graph/meek.h"

/* Writes one consistent extension of g to dag; false (and an unspecified dag) if there is none.
 * Dor and Tarsi ("A simple algorithm to construct a consistent extension of a partially oriented
 * graph", 1992): remove, again and again, a node without directed edges out of it whose every
 * undirected neighbour is adjacent to all its other neighbours, and direct its undirected edges
 * into it. Removing a node changes the answer only for its neighbours, so only these are looked at
 * again: O(words) per node plus O(degree^2 words) per node, O(N words + E degree words) in all.
 * Among the nodes to look at, the smallest comes first: the result is unique. dag is another
 * object than g, with as many nodes. */
bool graph_extend(graph *dag, const graph *g, graph_work *work);

/* Gets one consistent extension; false stops the enumeration. The graph is valid, and must not be
 * changed, during the call. */
typedef bool (*extension_visit)(void *user, const graph *dag);

/* Visits every consistent extension of g exactly once; *count (may be NULL) is how many were
 * visited, 0 if there is none or if g contradicts itself. visit may be NULL (counting). Directs
 * one undirected edge at a time, both ways, and closes under the Meek rules in between, so that no
 * branch is a dead end if g is a CPDAG with background knowledge. Their number is exponential: for
 * small graphs, or with a visitor that stops. Each step costs O(N words). scratch is a graph with
 * as many nodes. Fails for lack of memory alone. */
scone_status graph_extensions(size_t *count, const graph *g, extension_visit visit, void *user,
                              graph *scratch, meek *work);

#endif
