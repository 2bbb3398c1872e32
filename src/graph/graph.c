/* graph.c - the graph data structure (see graph.h). */
#include "graph/graph.h"

#include <stdio.h>

scone_status graph_alloc(graph **out, size_t nodes)
{
    scone_status status = SCONE_OK;
    graph *g = NULL;
    *out = NULL;
    TRY_ZERO(g, 1);
    g->nodes = nodes;
    g->words = bits_words(nodes);
    size_t words;
    if (!size_multiply(&words, nodes, g->words) || !size_multiply(&words, words, 3)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a graph of %zu nodes", nodes);
    }
    TRY_ZERO(g->parents, words);
    g->children = g->parents + nodes * g->words;
    g->siblings = g->children + nodes * g->words;
    *out = g;
    return SCONE_OK;
cleanup:
    scone_graph_free(g);
    return status;
}

scone_status scone_graph_alloc(scone_graph **out, size_t nodes, const char *const *names)
{
    scone_status status = graph_alloc(out, nodes);
    if (status == SCONE_OK && names) status = graph_set_names(*out, names);
    if (status != SCONE_OK) {
        scone_graph_free(*out);
        *out = NULL;
    }
    return status;
}

static void free_names(graph *g)
{
    if (!g->names) return;
    for (size_t i = 0; i < g->nodes; i++) mem_free(g->names[i]);
    mem_free(g->names);
    g->names = NULL;
}

void scone_graph_free(scone_graph *g)
{
    if (!g) return;
    free_names(g);
    mem_free(g->parents);
    mem_free(g);
}

scone_status graph_set_names(graph *g, const char *const *names)
{
    free_names(g);
    g->names = mem_zero(g->nodes, sizeof *g->names);
    if (!g->names) return SCONE_ERR_MEMORY;
    for (size_t i = 0; i < g->nodes; i++) {
        g->names[i] = mem_copy_text(names[i], strlen(names[i]));
        if (!g->names[i]) {
            free_names(g);
            return SCONE_ERR_MEMORY;
        }
    }
    return SCONE_OK;
}

scone_status graph_copy(graph **out, const graph *g)
{
    scone_status status = graph_alloc(out, g->nodes);
    if (status != SCONE_OK) return status;
    graph_assign(*out, g);
    if (g->names) status = graph_set_names(*out, (const char *const *)g->names);
    if (status != SCONE_OK) {
        scone_graph_free(*out);
        *out = NULL;
    }
    return status;
}

void graph_assign(graph *to, const graph *from)
{
    memcpy(to->parents, from->parents, 3 * from->nodes * from->words * sizeof *from->parents);
}

bool graph_equal_marks(const graph *a, const graph *b)
{
    return a->nodes == b->nodes &&
           memcmp(a->parents, b->parents, 3 * a->nodes * a->words * sizeof *a->parents) == 0;
}

void graph_remove(graph *g, size_t i, size_t j)
{
    bits_remove(graph_parents(g, i), j);
    bits_remove(graph_parents(g, j), i);
    bits_remove(graph_children(g, i), j);
    bits_remove(graph_children(g, j), i);
    bits_remove(graph_siblings(g, i), j);
    bits_remove(graph_siblings(g, j), i);
}

void graph_direct(graph *g, size_t from, size_t to)
{
    graph_remove(g, from, to);
    bits_add(graph_children(g, from), to);
    bits_add(graph_parents(g, to), from);
}

void graph_undirect(graph *g, size_t i, size_t j)
{
    graph_remove(g, i, j);
    bits_add(graph_siblings(g, i), j);
    bits_add(graph_siblings(g, j), i);
}

size_t graph_count_undirected(const graph *g)
{
    return bits_count(g->siblings, g->nodes * g->words) / 2;
}

const char *graph_default_name(default_name out, size_t i)
{
    (void)snprintf(out, 24, "X%zu", i);
    return out;
}

size_t graph_find(const graph *g, const char *name)
{
    char buffer[24];
    for (size_t i = 0; i < g->nodes; i++) {
        const char *own = g->names ? g->names[i] : graph_default_name(buffer, i);
        if (strcmp(own, name) == 0) return i;
    }
    return SIZE_MAX;
}

size_t scone_graph_nodes(const scone_graph *g)
{
    return g->nodes;
}

size_t scone_graph_edges(const scone_graph *g)
{
    return bits_count(g->children, g->nodes * g->words) + graph_count_undirected(g);
}

const char *scone_graph_name(const scone_graph *g, size_t node)
{
    static _Thread_local char buffer[24];
    return g->names ? g->names[node] : graph_default_name(buffer, node);
}

scone_mark scone_graph_mark(const scone_graph *g, size_t i, size_t j)
{
    if (graph_directed(g, i, j)) return SCONE_MARK_FORWARD;
    if (graph_directed(g, j, i)) return SCONE_MARK_BACKWARD;
    return graph_undirected(g, i, j) ? SCONE_MARK_UNDIRECTED : SCONE_MARK_NONE;
}

void scone_graph_set(scone_graph *g, size_t i, size_t j, scone_mark mark)
{
    if (i == j) return;
    switch (mark) {
    case SCONE_MARK_NONE:
        graph_remove(g, i, j);
        break;
    case SCONE_MARK_FORWARD:
        graph_direct(g, i, j);
        break;
    case SCONE_MARK_BACKWARD:
        graph_direct(g, j, i);
        break;
    case SCONE_MARK_UNDIRECTED:
        graph_undirect(g, i, j);
        break;
    }
}
