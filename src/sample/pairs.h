/* pairs.h - unordered pairs of nodes, and the largest entries of a symmetric score matrix. */
#ifndef SCONE_SAMPLE_PAIRS_H
#define SCONE_SAMPLE_PAIRS_H

#include "base/memory.h"

/* first < second */
typedef struct node_pair {
    size_t first, second;
} node_pair;

/* Pairs of n nodes: n (n - 1) / 2; n below 2^32. */
static inline size_t pairs_count(size_t nodes)
{
    return nodes % 2 ? nodes * ((nodes - 1) / 2) : nodes / 2 * (nodes - (nodes > 0));
}

/* The up to `limit` pairs with the largest positive scores [nodes, nodes], largest first, of equals
 * the one with the lower indices. pairs [limit]; returns how many there are. Order
 * nodes^2 + m log(limit), m the number of times a pair joins the best so far. */
size_t pairs_top(node_pair *pairs, size_t limit, const double *scores, size_t nodes);

#endif
