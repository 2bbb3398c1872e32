/* graph.h - partially directed graphs on bit sets: the data structure and its elementary edits.
 *
 * Three N x words bit matrices: row v of `parents` holds u with u -> v, of `children` u with
 * v -> u, of `siblings` u with v - u (undirected). A pair is in at most one of the states none,
 * ->, <-, -. A DAG is a graph without siblings and without directed cycles.
 * Memory 3 N^2 / 8 bytes; every edit and query of one pair is O(1).
 */
#ifndef SCONE_GRAPH_GRAPH_H
#define SCONE_GRAPH_GRAPH_H

#include "base/memory.h"
#include "graph/bits.h"

struct scone_graph {
    size_t nodes, words;
    bits_word *parents, *children, *siblings; /* [nodes, words] each, one allocation */
    char **names;                             /* [nodes], or NULL for X0, X1, ... */
};

typedef scone_graph graph;

static inline bits_word *graph_parents(const graph *g, size_t v)
{
    return g->parents + v * g->words;
}

static inline bits_word *graph_children(const graph *g, size_t v)
{
    return g->children + v * g->words;
}

static inline bits_word *graph_siblings(const graph *g, size_t v)
{
    return g->siblings + v * g->words;
}

static inline bool graph_directed(const graph *g, size_t from, size_t to)
{
    return bits_has(graph_children(g, from), to);
}

static inline bool graph_undirected(const graph *g, size_t i, size_t j)
{
    return bits_has(graph_siblings(g, i), j);
}

static inline bool graph_adjacent(const graph *g, size_t i, size_t j)
{
    return graph_directed(g, i, j) || graph_directed(g, j, i) || graph_undirected(g, i, j);
}

/* Edits; the pair may be in any state before. i != j. */
void graph_remove(graph *g, size_t i, size_t j);
void graph_direct(graph *g, size_t from, size_t to);
void graph_undirect(graph *g, size_t i, size_t j);

/* A graph without names (X0, X1, ...). */
scone_status graph_alloc(graph **out, size_t nodes);
scone_status graph_copy(graph **out, const graph *g);
/* Copies marks only; both have the same number of nodes. */
void graph_assign(graph *to, const graph *from);
bool graph_equal_marks(const graph *a, const graph *b);
scone_status graph_set_names(graph *g, const char *const *names);
/* Index of a name, or SIZE_MAX. O(N). */
size_t graph_find(const graph *g, const char *name);
size_t graph_count_undirected(const graph *g);

/* Names node i of an unnamed graph: writes "X<i>" and returns out. */
typedef char default_name[24];
const char *graph_default_name(default_name out, size_t i);

#endif
