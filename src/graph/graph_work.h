/* graph_work.h - scratch memory for the graph algorithms, allocated once and used by many calls.
 *
 * A function that takes a graph_work neither allocates nor fails for lack of memory. Its contents
 * mean nothing between calls. One workspace per thread; one made for N nodes serves every graph of
 * at most N nodes. About N^2 / 8 bytes.
 */
#ifndef SCONE_GRAPH_GRAPH_WORK_H
#define SCONE_GRAPH_GRAPH_WORK_H

#include "graph/graph.h"

enum { GRAPH_WORK_SETS = 8, GRAPH_WORK_NUMBERS = 4 };

/* Who uses what, so that a function can call those above it: graph_order.h sets[0..1] and
 * numbers[0..2], where sets[0] and numbers[0] alone for the order itself and for reachability;
 * the others keep clear of what they call; numbers[3] and the matrix are the Meek closure's. */
typedef struct graph_work {
    size_t nodes, words;
    bits_word *sets[GRAPH_WORK_SETS];    /* [words] each */
    size_t *numbers[GRAPH_WORK_NUMBERS]; /* [nodes] each */
    bits_word *matrix;                   /* [nodes, words of the graph at hand] */
} graph_work;

scone_status graph_work_alloc(graph_work **out, size_t nodes);
void graph_work_free(graph_work *work);

/* counts[v] = members of row v of an N x words matrix; returns their sum. O(N words). */
size_t graph_row_counts(size_t *counts, const bits_word *matrix, size_t nodes, size_t words);

/* Row v of out = everything adjacent to v, in any state; with v itself if `closed`. O(N words). */
void graph_skeleton(bits_word *out, const graph *g, bool closed);

/* The first node adjacent to v, at or after `from` and not in `without`, or SIZE_MAX. */
size_t graph_next_adjacent(const graph *g, size_t v, const bits_word *without, size_t from);

#endif
