/* labelled.h - one table, one of whose columns says what each row belongs to: a regime, a
 * condition.
 */
#ifndef SCONE_DATA_LABELLED_H
#define SCONE_DATA_LABELLED_H

#include "data/table.h"

/* Reads a table without the column of labels, which come as text, one for each row. Free them with
 * labelled_free, which takes the rows of the table. */
scone_status labelled_read(scone_table **out, char ***labels, const char *column, const char *path,
                           const scone_read_options *options, const scone_context *context);
void labelled_free(char **labels, size_t rows);
/* As numbers if both are numbers ("0" is "0.0"), else as text. */
bool labelled_same(const char *a, const char *b);

#endif
