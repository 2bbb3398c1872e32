/* graph_order.h - topological order, cycles, ancestors and descendants.
 *
 * All functions look at directed edges alone; undirected ones are ignored. Ancestors and
 * descendants are reflexive: a node is an ancestor and a descendant of itself. words = N / 64
 * rounded up; `work` is scratch (graph_work.h).
 */
#ifndef SCONE_GRAPH_GRAPH_ORDER_H
#define SCONE_GRAPH_GRAPH_ORDER_H

#include "graph/graph_work.h"

/* order[0 .. N-1]: causes before effects; among the nodes that could come next always the one
 * with the smallest index, so the order is unique. order may be NULL. false (and an unspecified
 * order) if there is a directed cycle. O(N words + E) (Kahn, CACM 1962). */
bool graph_order(size_t *order, const graph *g, graph_work *work);

bool graph_is_acyclic(const graph *g, graph_work *work);

/* No undirected edges and no directed cycle? */
bool graph_is_dag(const graph *g, graph_work *work);

/* cycle[0] -> cycle[1] -> ... -> cycle[0], starting at its smallest node; returns its length, 0 if
 * there is none. cycle has room for N nodes. O(N words + E). */
size_t graph_find_cycle(size_t *cycle, const graph *g, graph_work *work);

/* out = all nodes with a directed path to (from) a member of the set. out may be the set itself.
 * O(words) per node of the result. */
void graph_ancestors(bits_word *out, const graph *g, const bits_word *of, graph_work *work);
void graph_descendants(bits_word *out, const graph *g, const bits_word *of, graph_work *work);

/* Is there a directed path (of length 0 or more) from one node to the other? O(words) per node
 * looked at; stops at the first path. For many questions about one graph see closure.h. */
bool graph_reaches(const graph *g, size_t from, size_t to, graph_work *work);

#endif
