/* pdag.h - partially directed graphs of at most RULE_MOST_NODES nodes on bit masks: closure,
 * extension, reachability (graph/meek.h and graph/graph_extend.h do the same for large graphs; here
 * millions of graphs of a few nodes are asked).
 */
#ifndef SCONE_RULES_PDAG_H
#define SCONE_RULES_PDAG_H

#include "rules/rule_view.h"

#define MASK_BIT(v_) ((uint16_t)(1u << (unsigned)(v_)))

static inline int mask_lowest(uint32_t mask)
{
    return __builtin_ctz(mask);
}

static inline int mask_count(uint32_t mask)
{
    return __builtin_popcount(mask);
}

static inline uint16_t mask_all(int count)
{
    return (uint16_t)((1u << (unsigned)count) - 1u);
}

static inline bool mask_has(uint32_t mask, int v)
{
    return (mask & 1u << v) != 0;
}

/* The lowest member that is at least `from` (at most 16), -1 if there is none. */
static inline int mask_next(uint32_t mask, int from)
{
    uint32_t rest = mask >> from << from;
    return rest ? __builtin_ctz(rest) : -1;
}

/* for (each member v of mask, rising); the mask is read again for each. */
#define MASK_FOR(v_, mask_)                                                                        \
    for (int v_ = mask_next((mask_), 0); v_ >= 0; v_ = mask_next((mask_), v_ + 1))

static inline uint16_t pdag_adjacent(const local_graph *g, int v)
{
    return (uint16_t)(g->children[v] | g->parents[v] | g->neighbours[v]);
}

static inline bool pdag_undirected(const local_graph *g, int a, int b)
{
    return mask_has(g->neighbours[a], b);
}

static inline bool pdag_directed(const local_graph *g, int a, int b)
{
    return mask_has(g->children[a], b);
}

/* Whatever the pair was before. */
void pdag_direct(local_graph *g, int from, int to);
void pdag_undirect(local_graph *g, int a, int b);
bool pdag_equal(const local_graph *a, const local_graph *b, int count);

/* Closes g under the Meek rules R1 to R4 (graph/meek.h). All premises of a round are looked at
 * before any edge is turned, so that the result does not depend on the numbering of the nodes. An
 * edge that two rules want to turn in opposite ways stays undirected for good; false then, or if
 * the result has a directed cycle. O(count^2) words a round, at most one round an edge. */
bool pdag_close(local_graph *g, int count);
/* The same without ever turning the edges in frozen_at_first[v] (RULE_MOST_NODES masks, each pair
 * on both sides). */
bool pdag_close_except(local_graph *g, int count, const uint16_t *frozen_at_first);

/* pdag_close after directing from -> to; false also if g has to -> from or no such edge. */
bool pdag_require(local_graph *g, int count, int from, int to);

/* A DAG with the skeleton, the directions and exactly the v-structures of g (Dor and Tarsi 1992);
 * false if there is none. O(count^3). */
bool pdag_extend(local_graph *dag, const local_graph *g, int count);

/* Do two graphs on one skeleton have the same v-structures (a -> c <- b, a and b not adjacent)? */
bool pdag_same_colliders(const local_graph *a, const local_graph *b, int count);

/* Nodes that a directed path of length 1 or more leads to from v. */
uint16_t pdag_reach(const local_graph *g, int v);
bool pdag_acyclic(const local_graph *g, int count);

#endif
