/* decode_extend.h - step 4 of decode.h: directs undirected edges until the graph extends to a DAG.
 */
#ifndef SCONE_DECODE_DECODE_EXTEND_H
#define SCONE_DECODE_DECODE_EXTEND_H

#include "graph/closure.h"

/* An undirected edge and the direction it would rather have. */
typedef struct loose_edge {
    size_t from, to;
} loose_edge;

/* g has no directed cycle and c is the closure of its directed part; loose lists all its undirected
 * edges, the one to direct first at the start. Directs as few of them as it takes, in that order
 * among those that matter, against their wish where that would close a cycle, and marks each in
 * `directed`, a graph with as many nodes. O(E log N + peeling). */
scone_status decode_extend(graph *g, closure *c, graph *directed, const loose_edge *loose,
                           size_t count);

#endif
