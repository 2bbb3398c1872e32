/* pair.h - building pairs inside the library: dividing one table by the regime of its rows. */
#ifndef SCONE_DATA_PAIR_H
#define SCONE_DATA_PAIR_H

#include "data/table.h"

/* Copies the rows of t with regime[row] == 0 into table 0 of a new pair and all others into table
 * 1, in their order; regime may be NULL if t has no rows. O(cells). */
scone_status pair_divide(scone_pair **pair, const table *t, const unsigned char *regime);

/* Gives the columns of b the order of those of a, by name. unnamed[i]: the names of a table are
 * only numbers, so its columns may be matched by position, and take the names of the other. labels
 * are the tables in messages. O(p log p), and one move of each column. */
scone_status pair_align(table *a, table *b, const char *const labels[2], const bool unnamed[2],
                        const scone_context *context);

/* A copy with at most `most` rows of each table, spread evenly over it. O(cells of the copy). */
scone_status pair_thin(scone_pair **out, const scone_pair *pair, size_t most);

/* The index in a table's names, or SIZE_MAX. O(columns). */
size_t table_find(const table *t, const char *name);
/* Are the names X0, X1, ... in this order, as those of arrays are? */
bool table_names_default(const table *t);

#endif
