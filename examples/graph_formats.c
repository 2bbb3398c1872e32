/* graph_formats.c - one graph in every format, written and read back.
 *
 * In: the graph of the six columns with one edge undirected. Out: a file in each format; what was
 * read from it is compared with what was written, mark by mark.
 * New: scone_graph_alloc, scone_graph_set, scone_graph_write, scone_graph_read, scone_graph_mark.
 *
 *   make examples && build/examples/graph_formats build/examples
 */
#include <scone.h>

enum { NODES = 6 };

static scone_status write_and_read(const scone_graph *graph, const char *folder, const char *name,
                                   scone_graph_format format)
{
    char path[4096];
    size_t same = 0;
    scone_graph *again = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    scone_status status = scone_graph_write(graph, path, format);
    if (status == SCONE_OK) status = scone_graph_read(&again, path, SCONE_GRAPH_AUTO);
    for (size_t k = 0; status == SCONE_OK && k < NODES * NODES; k++) {
        size_t i = k / NODES, j = k % NODES;
        same += i != j && scone_graph_mark(graph, i, j) == scone_graph_mark(again, i, j);
    }
    if (status == SCONE_OK) {
        printf("%-19s %zu edges, %zu of %d marks the same, first node %s\n", name,
               scone_graph_edges(again), same, NODES * (NODES - 1), scone_graph_name(again, 0));
    }
    scone_graph_free(again);
    return status;
}

int main(int argc, char **argv)
{
    static const size_t edges[][2] = {{1, 0}, {1, 4}, {3, 0}, {4, 0}, {5, 4}};
    static const char *const names[NODES] = {"X0", "X1", "X2", "X3", "X4", "X5"};
    static const char *const files[] = {"six_edges.csv", "six_adjacency.csv", "six.npy",
                                        "six.json",      "six.dot",           "six.graphml"};
    scone_graph *graph = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: graph_formats FOLDER\n");
        return SCONE_ERR_USAGE;
    }
    scone_status status = scone_graph_alloc(&graph, NODES, names);
    for (size_t e = 0; e < 5 && status == SCONE_OK; e++) {
        scone_graph_set(graph, edges[e][0], edges[e][1], SCONE_MARK_FORWARD);
    }
    if (status == SCONE_OK) scone_graph_set(graph, 1, 2, SCONE_MARK_UNDIRECTED);
    for (int f = 0; f < 6 && status == SCONE_OK; f++) {
        status = write_and_read(graph, argv[1], files[f], (scone_graph_format)(f + 1));
    }
    if (status != SCONE_OK) fprintf(stderr, "%s\n", scone_error_message());
    scone_graph_free(graph);
    return (int)status;
}
