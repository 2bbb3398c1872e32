/* table.c - storage of tables and pairs (see table.h). */
#include "data/table.h"

#include <stdio.h>
#include <string.h>

static scone_status copy_names(table *t, const char *const *names)
{
    t->names = mem_zero(t->columns, sizeof *t->names);
    if (!t->names) return SCONE_ERR_MEMORY;
    for (size_t j = 0; j < t->columns; j++) {
        char buffer[24];
        if (!names) (void)snprintf(buffer, sizeof buffer, "X%zu", j);
        const char *name = names ? names[j] : buffer;
        t->names[j] = mem_copy_text(name, strlen(name));
        if (!t->names[j]) return SCONE_ERR_MEMORY;
    }
    return SCONE_OK;
}

scone_status table_adopt(table **out, double *values, size_t rows, size_t columns,
                         const char *const *names)
{
    scone_status status = SCONE_OK;
    table *t = NULL;
    *out = NULL;
    TRY_ZERO(t, 1);
    t->columns = columns;
    t->rows = rows;
    TRY(copy_names(t, names));
    t->values = values;
    *out = t;
    return SCONE_OK;
cleanup:
    scone_table_free(t);
    return status;
}

scone_status table_alloc(table **out, size_t rows, size_t columns, const char *const *names)
{
    size_t cells;
    *out = NULL;
    if (!size_multiply(&cells, rows, columns)) {
        return RAISE(SCONE_ERR_MEMORY, "out of memory: a table of %zu rows and %zu columns", rows,
                     columns);
    }
    double *values = mem_aligned(cells, sizeof *values);
    if (!values) return SCONE_ERR_MEMORY;
    scone_status status = table_adopt(out, values, rows, columns, names);
    if (status != SCONE_OK) mem_free(values);
    return status;
}

void scone_table_free(scone_table *t)
{
    if (!t) return;
    if (t->names) {
        for (size_t j = 0; j < t->columns; j++) mem_free(t->names[j]);
    }
    mem_free(t->names);
    mem_free(t->values);
    mem_free(t->origins.segments);
    input_list_clear(&t->inputs);
    mem_free(t);
}

scone_status table_part(table **out, const table *from, size_t first, size_t rows)
{
    scone_status status = table_alloc(out, rows, from->columns, (const char *const *)from->names);
    if (status != SCONE_OK) return status;
    for (size_t j = 0; j < from->columns && rows; j++) {
        memcpy(table_column(*out, j), table_column(from, j) + first, rows * sizeof(double));
    }
    return SCONE_OK;
}

/* ---- where rows come from ---- */

scone_status table_row_map_start(row_map *map, size_t row, size_t file_row)
{
    if (map->count == map->capacity) {
        size_t capacity = 2 * map->capacity + 1;
        row_segment *segments = mem_resize(map->segments, capacity, sizeof *segments);
        if (!segments) return SCONE_ERR_MEMORY;
        map->segments = segments;
        map->capacity = capacity;
    }
    map->segments[map->count++] = (row_segment){row, file_row};
    return SCONE_OK;
}

size_t table_file_row(const table *t, size_t row)
{
    size_t low = 0, high = t->origins.count;
    if (high == 0 || row < t->origins.segments[0].row) return row + 1;
    while (high - low > 1) { /* the last segment that starts at or before the row */
        size_t middle = low + (high - low) / 2;
        if (t->origins.segments[middle].row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return t->origins.segments[low].file_row + (row - t->origins.segments[low].row);
}

scone_status scone_table_from_columns(scone_table **out, const double *values, size_t rows,
                                      size_t columns, const char *const *names)
{
    scone_status status = table_alloc(out, rows, columns, names);
    if (status != SCONE_OK) return status;
    if (rows && columns) memcpy((*out)->values, values, rows * columns * sizeof *values);
    return SCONE_OK;
}

size_t scone_table_rows(const scone_table *t)
{
    return t->rows;
}

size_t scone_table_columns(const scone_table *t)
{
    return t->columns;
}

const char *scone_table_name(const scone_table *t, size_t column)
{
    return t->names[column];
}

const double *scone_table_column(const scone_table *t, size_t column)
{
    return table_column(t, column);
}
