/* graph_cpdag.h - v-structures, patterns, Markov equivalence and the CPDAG of a DAG.
 *
 * A v-structure a -> b <- c has a and c not adjacent. Two DAGs are Markov equivalent exactly if
 * they have the same skeleton and the same v-structures (Verma and Pearl, UAI 1990). The CPDAG
 * directs the edges on which all DAGs of the class agree. The closure of a pattern by the Meek
 * rules (meek.h) gives the same graph as graph_cpdag, by another road.
 */
#ifndef SCONE_GRAPH_GRAPH_CPDAG_H
#define SCONE_GRAPH_GRAPH_CPDAG_H

#include "graph/graph_work.h"

/* Gets each v-structure left -> middle <- right with left < right, ordered by middle, left, right;
 * false stops the enumeration. */
typedef bool (*vstructure_visit)(void *user, size_t left, size_t middle, size_t right);

/* Visits the v-structures of a partially directed graph (both edges directed) and returns how many
 * were visited. O(E words). */
size_t graph_vstructures(const graph *g, vstructure_visit visit, void *user);

/* out = skeleton of g with only the edges of v-structures directed. Another object than g, with as
 * many nodes. O(N words + E words). */
void graph_pattern(graph *out, const graph *g);

/* CPDAG of a DAG, by Chickering's labelling of edges (UAI 1995). All edges into a node are decided
 * together from its last parent in topological order: O(N words + E). false, out unspecified, if
 * dag has a cycle or an undirected edge. Another object than dag, with as many nodes. */
bool graph_cpdag(graph *out, const graph *dag, graph_work *work);

/* O(N words). */
bool graph_same_skeleton(const graph *a, const graph *b);

/* Same skeleton and same v-structures; for DAGs this is Markov equivalence. O(N words), and
 * O(words) for every edge whose direction differs; no scratch memory. */
bool graph_equivalent(const graph *a, const graph *b);

#endif
