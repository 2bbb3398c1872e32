/* dcdi_write.c - writing problems in DCDI's layout (see dcdi.h).
 *
 * DCDI's own loader takes data_interv with one line per row in the regime and intervention files,
 * so regime 0 is written there as well as in the data file. O(cells).
 */
#include "data/dcdi.h"

#include "io/npy.h"

#include <string.h>

/* Opens <stem><index><ending> in the folder. */
static scone_status open_part(output_file **file, output_folder *folder, const char *stem,
                              size_t index, const char *ending)
{
    char name[64], *path;
    (void)snprintf(name, sizeof name, "%s%zu%s", stem, index, ending);
    *file = NULL;
    scone_status status = output_folder_path(&path, folder, name);
    if (status == SCONE_OK) status = output_open(file, path);
    mem_free(path);
    return status;
}

static scone_status write_array(output_folder *folder, const char *stem, size_t index,
                                const double *values, size_t rows, size_t columns)
{
    scone_status status = SCONE_OK;
    output_file *file;
    TRY(open_part(&file, folder, stem, index, ".npy"));
    TRY(npy_write(file, values, rows, columns, false));
    TRY(output_commit(&file));
cleanup:
    output_discard(file);
    return status;
}

/* Rows of regime 0, then of regime 1. */
static scone_status write_both(output_folder *folder, size_t index, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    const table *a = pair->tables[0], *b = pair->tables[1];
    double *joined = NULL;
    size_t rows, cells;
    if (!size_add(&rows, a->rows, b->rows) || !size_multiply(&cells, rows, a->columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a table of %zu + %zu rows", a->rows, b->rows);
    }
    TRY_ALLOC(joined, cells);
    for (size_t j = 0; j < a->columns; j++) {
        double *column = joined + j * rows;
        if (a->rows) memcpy(column, table_column(a, j), a->rows * sizeof *column);
        if (b->rows) memcpy(column + a->rows, table_column(b, j), b->rows * sizeof *column);
    }
    TRY(write_array(folder, "data_interv", index, joined, rows, a->columns));
cleanup:
    mem_free(joined);
    return status;
}

static scone_status write_graph(output_folder *folder, size_t index, const graph *truth)
{
    scone_status status = SCONE_OK;
    double *adjacency = NULL;
    size_t nodes = truth->nodes;
    TRY_ZERO(adjacency, nodes * nodes);
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++) {
            if (graph_directed(truth, i, j) || graph_undirected(truth, i, j)) {
                adjacency[i + nodes * j] = 1.0;
            }
        }
    }
    TRY(write_array(folder, "DAG", index, adjacency, nodes, nodes));
cleanup:
    mem_free(adjacency);
    return status;
}

/* `counts[r]` times line r, each with its line break. */
static scone_status write_lines(output_folder *folder, const char *stem, size_t index,
                                const char *const lines[2], const size_t counts[2])
{
    scone_status status = SCONE_OK;
    output_file *file;
    TRY(open_part(&file, folder, stem, index, ".csv"));
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < counts[r]; i++) {
            TRY(output_write(file, lines[r], strlen(lines[r])));
        }
    }
    TRY(output_commit(&file));
cleanup:
    output_discard(file);
    return status;
}

/* "1,4,7\n" in new memory */
static scone_status target_line(char **line, const bool *targets, size_t nodes)
{
    size_t room, used = 0;
    *line = NULL;
    if (!size_multiply(&room, nodes, 21) || !size_add(&room, room, 2)) {
        return RAISE(SCONE_ERR_MEMORY, "out of memory");
    }
    *line = mem_alloc(room, 1);
    if (!*line) return SCONE_ERR_MEMORY;
    for (size_t i = 0; i < nodes; i++) {
        if (!targets[i]) continue;
        int length = snprintf(*line + used, room - used, "%s%zu", used ? "," : "", i);
        used += length > 0 ? (size_t)length : 0;
    }
    memcpy(*line + used, "\n", 2);
    return SCONE_OK;
}

scone_status dcdi_write(output_folder *folder, size_t index, const scone_pair *pair,
                        const graph *truth, const bool *targets)
{
    scone_status status = SCONE_OK;
    char *line = NULL;
    const table *a = pair->tables[0], *b = pair->tables[1];
    const size_t counts[2] = {a->rows, b->rows};
    TRY(write_graph(folder, index, truth));
    TRY(write_array(folder, "data", index, a->values, a->rows, a->columns));
    TRY(write_both(folder, index, pair));
    TRY(write_lines(folder, "regime", index, (const char *const[2]){"0\n", "1\n"}, counts));
    TRY(target_line(&line, targets, truth->nodes));
    TRY(write_lines(folder, "intervention", index, (const char *const[2]){"\n", line}, counts));
cleanup:
    mem_free(line);
    return status;
}
