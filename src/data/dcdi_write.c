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

/* Rows of regime 0, then of regime 1, and so on. */
static scone_status write_all(output_folder *folder, size_t index, const table *const *tables,
                              size_t count)
{
    scone_status status = SCONE_OK;
    double *joined = NULL, *next;
    size_t rows = 0, cells, columns = tables[0]->columns;
    bool fits = true;
    for (size_t r = 0; r < count; r++) fits = fits && size_add(&rows, rows, tables[r]->rows);
    if (!fits || !size_multiply(&cells, rows, columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a table of the rows of %zu regimes", count);
    }
    TRY_ALLOC(joined, cells);
    next = joined;
    for (size_t j = 0; j < columns; j++) {
        for (size_t r = 0; r < count; next += tables[r++]->rows) {
            size_t bytes = tables[r]->rows * sizeof *next;
            if (bytes) memcpy(next, table_column(tables[r], j), bytes);
        }
    }
    TRY(write_array(folder, "data_interv", index, joined, rows, columns));
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

/* The line of its regime for each row, with its line break. */
static scone_status write_lines(output_folder *folder, const char *stem, size_t index,
                                char *const *lines, const table *const *tables, size_t count)
{
    scone_status status = SCONE_OK;
    output_file *file;
    TRY(open_part(&file, folder, stem, index, ".csv"));
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < tables[r]->rows; i++) {
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

/* "12\n" in new memory */
static scone_status regime_line(char **line, size_t regime)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%zu\n", regime);
    *line = mem_copy_text(text, length > 0 ? (size_t)length : 0);
    return *line ? SCONE_OK : SCONE_ERR_MEMORY;
}

static void free_lines(char **lines, size_t count)
{
    for (size_t r = 0; lines && r < count; r++) mem_free(lines[r]);
    mem_free(lines);
}

scone_status dcdi_write_regimes(output_folder *folder, size_t index, const table *const *tables,
                                const bool *const *targets, size_t count, const graph *truth)
{
    scone_status status = SCONE_OK;
    char **regimes = NULL, **lines = NULL;
    const table *control = tables[0];
    TRY_ZERO(regimes, count);
    TRY_ZERO(lines, count);
    for (size_t r = 0; r < count; r++) {
        TRY(regime_line(&regimes[r], r));
        TRY(target_line(&lines[r], targets[r], r == 0 ? 0 : truth->nodes));
    }
    TRY(write_graph(folder, index, truth));
    TRY(write_array(folder, "data", index, control->values, control->rows, control->columns));
    TRY(write_all(folder, index, tables, count));
    TRY(write_lines(folder, "regime", index, regimes, tables, count));
    TRY(write_lines(folder, "intervention", index, lines, tables, count));
cleanup:
    free_lines(regimes, count);
    free_lines(lines, count);
    return status;
}

scone_status dcdi_write(output_folder *folder, size_t index, const scone_pair *pair,
                        const graph *truth, const bool *targets)
{
    const table *const tables[2] = {pair->tables[0], pair->tables[1]};
    const bool *const of_regimes[2] = {targets, targets};
    return dcdi_write_regimes(folder, index, tables, of_regimes, 2, truth);
}
