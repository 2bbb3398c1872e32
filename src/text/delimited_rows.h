/* delimited_rows.h - the rows of a delimited file in memory, for edge lists and adjacency tables.
 */
#ifndef SCONE_TEXT_DELIMITED_ROWS_H
#define SCONE_TEXT_DELIMITED_ROWS_H

#include "text/delimited.h"

typedef struct delimited_rows {
    const char *next, *end;
    size_t row; /* number of the current row; the first line of the file is row 1 */
    char delimiter;
    arena *memory;
    delimited_record record; /* the current row; valid until the next one */
} delimited_rows;

/* Finds the delimiter and reads the first row that is not blank, the header. The caller closes
 * also on failure. */
scone_status delimited_rows_open(delimited_rows *rows, const char *text, size_t size);
/* The next row that is not blank; *more = false after the last one. */
scone_status delimited_rows_next(delimited_rows *rows, bool *more);
/* How many rows that are not blank follow the current one. */
size_t delimited_rows_left(const delimited_rows *rows);
void delimited_rows_close(delimited_rows *rows);

#endif
