/* table.h - a table of named numeric columns, and a pair of tables over the same variables.
 *
 * Values are column-major with every column contiguous, since all later statistics read columns.
 * The table owns its values and names.
 */
#ifndef SCONE_DATA_TABLE_H
#define SCONE_DATA_TABLE_H

#include "base/memory.h"

struct scone_table {
    size_t rows, columns;
    double *values; /* [columns][rows], 64-byte aligned start */
    char **names;   /* [columns] */
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

#endif
