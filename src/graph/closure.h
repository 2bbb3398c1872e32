/* closure.h - all ancestors and descendants of a DAG, kept up to date while its edges change, so
 * that "would this edge close a cycle?" is one bit; and weakly connected components.
 *
 * Two N x words bit matrices (N^2 / 4 bytes): row v of `descendants` holds all u with a directed
 * path from v to u, row v of `ancestors` all u with one from u to v, v itself in both. The closure
 * does not own the graph: the caller edits the graph and tells the closure, in this order:
 *
 *     if (!closure_would_cycle(c, from, to)) { graph_direct(g, from, to); closure_add(c, from, to);
 * } graph_remove(g, from, to); closure_delete(c, g, from, to);
 */
#ifndef SCONE_GRAPH_CLOSURE_H
#define SCONE_GRAPH_CLOSURE_H

#include "graph/graph_work.h"

typedef struct closure {
    size_t nodes, words;
    bits_word *ancestors, *descendants; /* [nodes, words] each, one allocation */
    graph_work *work;
} closure;

/* The closure of the graph without edges. */
scone_status closure_alloc(closure **out, size_t nodes);
void closure_free(closure *c);

static inline bits_word *closure_ancestors(const closure *c, size_t v)
{
    return c->ancestors + v * c->words;
}

static inline bits_word *closure_descendants(const closure *c, size_t v)
{
    return c->descendants + v * c->words;
}

/* Is there a directed path of length 0 or more? O(1). */
static inline bool closure_reaches(const closure *c, size_t from, size_t to)
{
    return bits_has(closure_descendants(c, from), to);
}

/* Would from -> to close a directed cycle? O(1). */
static inline bool closure_would_cycle(const closure *c, size_t from, size_t to)
{
    return bits_has(closure_descendants(c, to), from);
}

/* Is there a path from -> to besides the edge itself? Then turning the edge round, as searches do,
 * would close a cycle. O(children of from). The edge may be present or not. */
bool closure_has_detour(const closure *c, const graph *dag, size_t from, size_t to);

/* From scratch: O((N + E) words). false, and no meaning, if the directed part has a cycle. */
bool closure_build(closure *c, const graph *dag);

/* After from -> to was added; it must not close a cycle. O(1) if there was a path already, else
 * O((ancestors of from + descendants of to) words), at most O(N words). */
void closure_add(closure *c, size_t from, size_t to);

/* After from -> to was removed; dag is the graph without it. O(children) if a detour remains, else
 * only the rows of the ancestors of from and of the descendants of to are computed again:
 * O(words) per edge inside and at the border of these two sets. */
void closure_delete(closure *c, const graph *dag, size_t from, size_t to);

/* Weakly connected components: label[v] = 0, 1, ..., numbered by their smallest nodes; returns how
 * many there are. label may be NULL. O(N words). */
size_t graph_components(size_t *label, const graph *g, graph_work *work);

#endif
