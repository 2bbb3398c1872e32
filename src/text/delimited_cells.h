/* delimited_cells.h - a small delimited file as text cells: probabilities.csv and targets.csv have
 * names beside numbers, which a numeric table cannot hold.
 */
#ifndef SCONE_TEXT_DELIMITED_CELLS_H
#define SCONE_TEXT_DELIMITED_CELLS_H

#include "text/delimited.h"

typedef struct cell_table {
    size_t rows, columns;   /* the header is row 0; every row has the same number of cells */
    delimited_field *cells; /* [rows, columns] */
    size_t *lines;          /* [rows] record number in the file as a person counts, header 1 */
    char *bytes;            /* what the cells point into, if the table owns it */
    arena *memory;          /* and those with doubled quotes */
} cell_table;

/* Blank lines are skipped. Fails on ragged rows and on a file without a header. The text given to
 * delimited_cells_parse must live as long as the table. */
scone_status delimited_cells_parse(cell_table *table, const char *text, size_t size);
scone_status delimited_cells_read(cell_table *table, const char *path);
void delimited_cells_free(cell_table *table);
const delimited_field *delimited_cells_get(const cell_table *table, size_t row, size_t column);
/* The cell as a NUL-terminated text in new memory. */
char *delimited_cells_copy(const cell_table *table, size_t row, size_t column);
bool delimited_field_equals(const delimited_field *field, const char *text);

#endif
