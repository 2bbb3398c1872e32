/* table.h - a table of named numeric columns, and a pair of tables over the same variables.
 *
 * Values are column-major with every column contiguous, since all later statistics read columns.
 * The table owns its values and names.
 */
#ifndef SCONE_DATA_TABLE_H
#define SCONE_DATA_TABLE_H

#include "base/memory.h"
#include "io/input_list.h"

/* Where the rows of a table stand in the file they come from, counted as a person counts there (a
 * CSV file's header is row 1): from row `row` of the table on they stand at `file_row` and after
 * it. One segment, unless rows were left out or divided between tables. */
typedef struct row_segment {
    size_t row, file_row;
} row_segment;

typedef struct row_map {
    row_segment *segments; /* by increasing row */
    size_t count, capacity;
} row_map;

struct scone_table {
    size_t rows, columns;
    double *values;    /* [columns][rows], 64-byte aligned start */
    char **names;      /* [columns] */
    row_map origins;   /* empty: row i of the table is row i + 1 */
    input_list inputs; /* the files it was read from */
};

struct scone_pair {
    scone_table *tables[2]; /* regime 0 and 1; same columns, names and order */
};

typedef scone_table table;

static inline double *table_column(const table *t, size_t column)
{
    return t->values + column * t->rows;
}

/* Uninitialized values; names X0, X1, ... if names is NULL. */
scone_status table_alloc(table **out, size_t rows, size_t columns, const char *const *names);
/* A table of these values [columns][rows], 64-byte aligned, which it frees with mem_free from then
 * on; if it fails they stay the caller's. */
scone_status table_adopt(table **out, double *values, size_t rows, size_t columns,
                         const char *const *names);

/* A copy of the rows from `first` on, with the names. O(cells of the copy). */
scone_status table_part(table **out, const table *from, size_t first, size_t rows);

scone_status table_row_map_start(row_map *map, size_t row, size_t file_row); /* a further segment */
/* Notes where the next row stands; rows in order. */
static inline scone_status table_row_map_add(row_map *map, size_t row, size_t file_row)
{
    const row_segment *last = map->count ? &map->segments[map->count - 1] : NULL;
    if (last && file_row - last->file_row == row - last->row) return SCONE_OK;
    return table_row_map_start(map, row, file_row);
}
/* The row of the file, from 1, where a row of the table (from 0) stands. O(log segments). */
size_t table_file_row(const table *t, size_t row);

#endif
