/* fuzz_graph.c - any bytes are a graph in which every pair has one mark, or an error. The first
 * byte picks the format: 0 finds it out, 1 to 6 as in scone_graph_format. */
#include "graph/format/format.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No loops, no pair in two states, both sides of a pair alike; names present and without doubles
 * among the first ones. */
static void check_graph(const graph *g)
{
    for (size_t i = 0; i < g->nodes; i++) {
        if (graph_adjacent(g, i, i)) abort();
        for (size_t j = 0; j < g->nodes && g->nodes <= 256; j++) {
            int marks =
                graph_directed(g, i, j) + graph_directed(g, j, i) + graph_undirected(g, i, j);
            if (marks > 1) abort();
            if (graph_directed(g, i, j) != bits_has(graph_parents(g, j), i)) abort();
            if (graph_undirected(g, i, j) != graph_undirected(g, j, i)) abort();
            if (g->names && i < j && strcmp(g->names[i], g->names[j]) == 0) abort();
        }
        if (g->names && g->names[i][0] == '\0') abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || data[0] > SCONE_GRAPH_GRAPHML) return -1;
    /* an exact copy, so that a read beyond the text is seen */
    char *text = mem_alloc(size - 1, 1);
    if (!text) abort();
    for (size_t i = 1; i < size; i++) text[i - 1] = (char)data[i];
    graph *g = NULL;
    scone_status status = graph_parse(&g, text, size - 1, (scone_graph_format)data[0]);
    if ((status == SCONE_OK) != (g != NULL)) abort();
    if (status != SCONE_OK && (status != SCONE_ERR_INPUT || !scone_error_message()[0])) abort();
    if (g) check_graph(g);
    scone_graph_free(g);
    mem_free(text);
    return 0;
}
