/* format_builder.h - nodes and edges as a parser meets them, checked and made into a graph.
 *
 * Names are interned by hash, edges kept as a list with the place (row, line or number) where
 * each was said, so that a contradiction can be reported with both places. The bit matrices are
 * allocated once, when the number of nodes is known.
 */
#ifndef SCONE_GRAPH_FORMAT_FORMAT_BUILDER_H
#define SCONE_GRAPH_FORMAT_FORMAT_BUILDER_H

#include "base/arena.h"
#include "graph/format/format.h"

typedef struct listed_edge {
    uint16_t source, target;
    uint32_t undirected : 1, place : 31;
} listed_edge;

typedef struct graph_builder {
    const char *place_word; /* what `place` counts, for messages: "row", "line", "edge" */
    arena *memory;          /* names, and what the parser wants to keep as long */
    char **names;           /* [nodes], in the arena */
    size_t nodes, name_capacity;
    uint32_t *slots; /* open addressing: 0 is free, else node + 1 */
    size_t slot_count;
    listed_edge *edges;
    size_t edge_count, edge_capacity;
} graph_builder;

scone_status builder_open(graph_builder *b, const char *place_word);
void builder_close(graph_builder *b);

/* The number of the node with this name, new if it was not known; *known may be NULL. */
scone_status builder_node(graph_builder *b, size_t *node, bool *known, const char *name,
                          size_t length, size_t place);
/* SIZE_MAX if there is no such node. */
size_t builder_find(const graph_builder *b, const char *name, size_t length);

/* Adds an edge source -> target or source - target; refuses a loop. */
scone_status builder_edge(graph_builder *b, size_t source, size_t target, bool undirected,
                          size_t place);

/* Gives all nodes other names, which must be unique and not empty. */
scone_status builder_rename(graph_builder *b, const char *const *names);
/* Numbers the nodes in the order of their names. */
scone_status builder_sort(graph_builder *b);

/* The graph. Two directed edges of opposite directions are an undirected edge if `both_ways`,
 * else a contradiction. */
scone_status builder_finish(graph_builder *b, graph **out, bool both_ways);

/* Do the names of a graph serve as identifiers: not empty, unique and, if asked for, UTF-8? */
scone_status builder_check_names(const graph *g, bool utf8);

#endif
