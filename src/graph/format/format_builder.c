/* format_builder.c - nodes and edges as a parser meets them (see format_builder.h).
 *
 * Cost: O(1) per node and edge, O(N^2 / 64) for the finished graph; a contradiction costs one
 * more pass over the edges.
 */
#include "graph/format/format_builder.h"

#include "text/names.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

scone_status builder_open(graph_builder *b, const char *place_word)
{
    scone_status status = SCONE_OK;
    *b = (graph_builder){.place_word = place_word, .slot_count = 64};
    TRY(arena_alloc(&b->memory, 0));
    TRY_ZERO(b->slots, b->slot_count);
cleanup:
    return status; /* the caller closes in any case */
}

void builder_close(graph_builder *b)
{
    arena_free(b->memory);
    mem_free(b->names);
    mem_free(b->slots);
    mem_free(b->edges);
    *b = (graph_builder){0};
}

/* FNV-1a, 64 bits. */
static size_t hash_name(const char *name, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot that holds this name, or the free one where it belongs. */
static uint32_t *find_slot(const graph_builder *b, const char *name, size_t length)
{
    size_t at = hash_name(name, length) & (b->slot_count - 1);
    for (; b->slots[at]; at = (at + 1) & (b->slot_count - 1)) {
        const char *other = b->names[b->slots[at] - 1];
        if (strncmp(other, name, length) == 0 && other[length] == '\0') break;
    }
    return &b->slots[at];
}

size_t builder_find(const graph_builder *b, const char *name, size_t length)
{
    if (memchr(name, '\0', length)) return SIZE_MAX;
    uint32_t slot = *find_slot(b, name, length);
    return slot ? slot - 1 : SIZE_MAX;
}

static scone_status grow_slots(graph_builder *b)
{
    uint32_t *slots = mem_zero(2 * b->slot_count, sizeof *slots);
    if (!slots) return SCONE_ERR_MEMORY;
    mem_free(b->slots);
    b->slots = slots;
    b->slot_count *= 2;
    for (size_t i = 0; i < b->nodes; i++) {
        *find_slot(b, b->names[i], strlen(b->names[i])) = (uint32_t)i + 1;
    }
    return SCONE_OK;
}

scone_status builder_node(graph_builder *b, size_t *node, bool *known, const char *name,
                          size_t length, size_t place)
{
    scone_status status = SCONE_OK;
    if (length == 0) {
        FAIL(SCONE_ERR_INPUT, "%s %zu: a node has an empty name; give it one", b->place_word,
             place);
    }
    if (memchr(name, '\0', length)) {
        FAIL(SCONE_ERR_INPUT, "%s %zu: the name \"%s\" holds a NUL byte; remove it", b->place_word,
             place, SHOW(name, length));
    }
    uint32_t *slot = find_slot(b, name, length);
    if (known) *known = *slot != 0;
    if (!*slot) {
        if (b->nodes == FORMAT_NODE_LIMIT) {
            FAIL(SCONE_ERR_INPUT, "%s %zu: more than %d nodes; use a smaller graph", b->place_word,
                 place, FORMAT_NODE_LIMIT);
        }
        if (b->nodes == b->name_capacity) {
            size_t capacity = b->name_capacity ? 2 * b->name_capacity : 64;
            char **grown = mem_resize(b->names, capacity, sizeof *grown);
            if (!grown) return SCONE_ERR_MEMORY;
            b->names = grown;
            b->name_capacity = capacity;
        }
        char *copy = arena_text(b->memory, name, length);
        if (!copy) return SCONE_ERR_MEMORY;
        b->names[b->nodes++] = copy;
        *slot = (uint32_t)b->nodes;
        *node = b->nodes - 1;
        if (2 * b->nodes > b->slot_count) TRY(grow_slots(b));
    } else {
        *node = *slot - 1;
    }
cleanup:
    return status;
}

scone_status builder_edge(graph_builder *b, size_t source, size_t target, bool undirected,
                          size_t place)
{
    scone_status status = SCONE_OK;
    if (source == target) {
        FAIL(SCONE_ERR_INPUT,
             "%s %zu: an edge from \"%s\" to itself; a causal graph has none, remove it",
             b->place_word, place, SHOW(b->names[source], strlen(b->names[source])));
    }
    if (b->edge_count == FORMAT_EDGE_LIMIT) {
        FAIL(SCONE_ERR_INPUT,
             "%s %zu: more than %d edges; use an adjacency table for a graph as dense as this",
             b->place_word, place, FORMAT_EDGE_LIMIT);
    }
    if (b->edge_count == b->edge_capacity) {
        size_t capacity = b->edge_capacity ? 2 * b->edge_capacity : 64;
        listed_edge *grown = mem_resize(b->edges, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        b->edges = grown;
        b->edge_capacity = capacity;
    }
    b->edges[b->edge_count++] = (listed_edge){
        .source = (uint16_t)source,
        .target = (uint16_t)target,
        .undirected = undirected,
        .place = (uint32_t)place & 0x7FFFFFFFu,
    };
cleanup:
    return status;
}

scone_status builder_rename(graph_builder *b, const char *const *names)
{
    scone_status status = SCONE_OK;
    memset(b->slots, 0, b->slot_count * sizeof *b->slots);
    size_t nodes = b->nodes;
    /* Each name goes into the place of the old one before the table can point to it, so lookups
     * only ever meet new names. */
    for (size_t i = 0; i < nodes; i++) {
        size_t length = strlen(names[i]);
        if (length == 0) {
            FAIL(SCONE_ERR_INPUT,
                 "the node with the identifier \"%s\" has an empty name; give it one",
                 SHOW(b->names[i], strlen(b->names[i])));
        }
        uint32_t *slot = find_slot(b, names[i], length);
        if (*slot) {
            FAIL(SCONE_ERR_INPUT,
                 "a second node, \"%s\", has the name or label \"%s\"; names must be unique",
                 SHOW(b->names[i], strlen(b->names[i])), SHOW(names[i], length));
        }
        char *copy = arena_text(b->memory, names[i], length);
        if (!copy) return SCONE_ERR_MEMORY;
        b->names[i] = copy;
        *slot = (uint32_t)i + 1;
    }
cleanup:
    return status;
}

scone_status builder_sort(graph_builder *b)
{
    scone_status status = SCONE_OK;
    named_place *order = NULL;
    uint16_t *rank = NULL;
    TRY_ALLOC(order, b->nodes);
    TRY_ALLOC(rank, b->nodes);
    names_sort_natural(order, (const char *const *)b->names, b->nodes);
    char **names = arena_get(b->memory, b->nodes, sizeof *names);
    if (!names) {
        status = SCONE_ERR_MEMORY;
        goto cleanup;
    }
    for (size_t i = 0; i < b->nodes; i++) {
        rank[order[i].place] = (uint16_t)i;
        names[i] = b->names[order[i].place];
    }
    if (b->nodes > 0) memcpy(b->names, names, b->nodes * sizeof *names);
    for (size_t k = 0; k < b->edge_count; k++) {
        b->edges[k].source = rank[b->edges[k].source];
        b->edges[k].target = rank[b->edges[k].target];
    }
    for (size_t s = 0; s < b->slot_count; s++) {
        if (b->slots[s]) b->slots[s] = rank[b->slots[s] - 1] + (uint32_t)1;
    }
cleanup:
    mem_free(order);
    mem_free(rank);
    return status;
}

/* Do two statements about the same pair differ? */
static bool edges_clash(listed_edge a, listed_edge b, bool both_ways)
{
    bool same = a.source == b.source && a.target == b.target;
    bool opposite = a.source == b.target && a.target == b.source;
    if (!same && !opposite) return false;
    if (a.undirected != b.undirected) return true;
    return opposite && !a.undirected && !both_ways;
}

static scone_status raise_clash(const graph_builder *b, listed_edge edge, bool both_ways)
{
    listed_edge other = edge;
    for (size_t k = 0; k < b->edge_count; k++) {
        if (edges_clash(edge, b->edges[k], both_ways)) {
            other = b->edges[k];
            break;
        }
    }
    const char *source = b->names[edge.source], *target = b->names[edge.target];
    bool turned = other.source != edge.source;
    return RAISE(SCONE_ERR_INPUT,
                 "%s %u has \"%s\" %s \"%s\", but %s %u has \"%s\" %s \"%s\"; keep one of the two",
                 b->place_word, (unsigned)edge.place, SHOW(source, strlen(source)),
                 edge.undirected ? "--" : "->", SHOW(target, strlen(target)), b->place_word,
                 (unsigned)other.place,
                 SHOW(turned ? target : source, strlen(turned ? target : source)),
                 other.undirected ? "--" : "->",
                 SHOW(turned ? source : target, strlen(turned ? source : target)));
}

scone_status builder_finish(graph_builder *b, graph **out, bool both_ways)
{
    scone_status status = SCONE_OK;
    graph *g = NULL;
    *out = NULL;
    TRY(graph_alloc(&g, b->nodes));
    TRY(graph_set_names(g, (const char *const *)b->names));
    /* First everything as said, so that the check below sees the whole file at once. */
    for (size_t k = 0; k < b->edge_count; k++) {
        listed_edge edge = b->edges[k];
        if (edge.undirected) {
            bits_add(graph_siblings(g, edge.source), edge.target);
            bits_add(graph_siblings(g, edge.target), edge.source);
        } else {
            bits_add(graph_children(g, edge.source), edge.target);
            bits_add(graph_parents(g, edge.target), edge.source);
        }
    }
    for (size_t k = 0; k < b->edge_count; k++) {
        size_t source = b->edges[k].source, target = b->edges[k].target;
        bool forward = graph_directed(g, source, target);
        bool backward = graph_directed(g, target, source);
        bool undirected = graph_undirected(g, source, target);
        if ((undirected && (forward || backward)) || (forward && backward && !both_ways)) {
            status = raise_clash(b, b->edges[k], both_ways);
            goto cleanup;
        }
    }
    for (size_t k = 0; k < b->edge_count; k++) {
        size_t source = b->edges[k].source, target = b->edges[k].target;
        if (graph_directed(g, source, target) && graph_directed(g, target, source)) {
            graph_undirect(g, source, target);
        }
    }
    *out = g;
    return SCONE_OK;
cleanup:
    scone_graph_free(g);
    return status;
}

scone_status builder_check_names(const graph *g, bool utf8)
{
    scone_status status = SCONE_OK;
    graph_builder b = {0};
    if (!g->names) return SCONE_OK;
    TRY(builder_open(&b, "node"));
    for (size_t i = 0; i < g->nodes; i++) {
        size_t node = 0, length = strlen(g->names[i]);
        bool known = false;
        TRY(builder_node(&b, &node, &known, g->names[i], length, i + 1));
        if (known) {
            FAIL(SCONE_ERR_INPUT, "nodes %zu and %zu are both named \"%s\"; names must be unique",
                 node + 1, i + 1, SHOW(g->names[i], length));
        }
        if (utf8 && !text_is_utf8(g->names[i], length)) {
            FAIL(SCONE_ERR_INPUT,
                 "node %zu: the name \"%s\" is not UTF-8 text; rename it or write an edge list",
                 i + 1, SHOW(g->names[i], length));
        }
    }
cleanup:
    builder_close(&b);
    return status;
}
