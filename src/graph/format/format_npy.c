/* format_npy.c - graphs as an N x N NumPy array of zeros and ones (as DCDI's DAG files).
 *
 * [i][j] = 1 means i -> j, both 1 an undirected edge. The array holds no names: nodes are X0, X1,
 * ... on reading, names are left out on writing. Cost: O(N^2).
 */
#include "graph/format/format.h"

#include "io/npy.h"
#include "text/number/number.h"

static scone_status check_values(const npy_array *array)
{
    scone_status status = SCONE_OK;
    size_t n = array->rows;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double value = array->values[i + n * j];
            char shown[NUMBER_TEXT_SIZE];
            if (!(value == 0.0 || value == 1.0)) {
                (void)number_format(shown, value);
                FAIL(SCONE_ERR_INPUT,
                     "[%zu][%zu] is %s, neither 0 nor 1; an adjacency matrix says whether there is "
                     "an edge, so choose a threshold for weights, for instance "
                     "(abs(w) > 0.3).astype(float)",
                     i, j, shown);
            }
            if (i == j && value == 1.0) {
                FAIL(SCONE_ERR_INPUT, "[%zu][%zu] is 1, an edge from a node to itself; write 0", i,
                     j);
            }
        }
    }
cleanup:
    return status;
}

scone_status graph_parse_npy(graph **out, const char *bytes, size_t size)
{
    scone_status status = SCONE_OK;
    npy_array array = {0};
    graph *g = NULL;
    *out = NULL;
    TRY(npy_parse(&array, (const unsigned char *)bytes, size));
    if (array.rows != array.columns) {
        FAIL(SCONE_ERR_INPUT,
             "an array of %zu x %zu; an adjacency matrix has one row and one column per variable",
             array.rows, array.columns);
    }
    size_t n = array.rows;
    if (n > FORMAT_NODE_LIMIT) {
        FAIL(SCONE_ERR_INPUT, "%zu nodes, more than %d; use a smaller graph", n, FORMAT_NODE_LIMIT);
    }
    TRY(check_values(&array));
    TRY(graph_alloc(&g, n));
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            if (array.values[i + n * j] == 0.0) continue;
            if (array.values[j + n * i] != 0.0) {
                graph_undirect(g, i, j);
            } else {
                graph_direct(g, i, j);
            }
        }
    }
    *out = g;
cleanup:
    mem_free(array.values);
    return status;
}

scone_status graph_write_npy(output_file *stream, const graph *g)
{
    scone_status status = SCONE_OK;
    double *values = NULL;
    size_t n = g->nodes, count;
    if (n > FORMAT_NPY_NODE_LIMIT || !size_multiply(&count, n, n)) {
        FAIL(SCONE_ERR_INPUT,
             "%zu nodes are too many for an array, which takes at most %d; write "
             "an edge list",
             n, FORMAT_NPY_NODE_LIMIT);
    }
    if (n == 0) {
        FAIL(SCONE_ERR_INPUT, "a graph without nodes has no array; write it in another format");
    }
    TRY_ALLOC(values, count);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            bool one = graph_directed(g, i, j) || graph_undirected(g, i, j);
            values[i + n * j] = one ? 1.0 : 0.0;
        }
    }
    TRY(npy_write(stream, values, n, n, false));
cleanup:
    mem_free(values);
    return status;
}
