/* conditions.h - one control and K conditions over the same variables.
 *
 * The control stands first; the conditions follow in the natural order of their names, whatever the
 * order in which they were given, so that nothing that is found depends on it. All tables have the
 * columns of the control in its order. docs/methods/conditions.md says what they are for.
 */
#ifndef SCONE_DATA_CONDITIONS_CONDITIONS_H
#define SCONE_DATA_CONDITIONS_CONDITIONS_H

#include "data/table.h"

/* Conditions that a study may have. */
enum { CONDITIONS_MOST = 1000 };

struct scone_conditions {
    size_t count;   /* of the conditions, without the control */
    table **tables; /* [count + 1] */
    char **names;   /* [count + 1] */
};

/* The first table is the control, and there is at least one more; all have the same columns in the
 * same order. Takes the tables over, also on failure, and copies the names. Fails with
 * SCONE_ERR_INPUT if a name is empty or there twice, or if there are too many. */
scone_status conditions_adopt(scone_conditions **out, table **tables, const char *const *names,
                              size_t count);
/* Divides a table by the labels of its rows (conditions_split.c). request: "COLUMN", then
 * "=CONTROL", then ",NAME" for each condition that is wanted; without names all are. Takes
 * the table over, also on failure. Messages name no file. O(cells + rows log rows). */
scone_status conditions_divide(scone_conditions **out, table *t, char *const *labels,
                               const char *request, const scone_context *context);
/* Makes the tables that are NULL of the rows that go to them, in their order. to[r]: the table of
 * row r, or SIZE_MAX; not one that is there already. O(cells). */
scone_status conditions_copy_rows(table **tables, size_t count, const table *t, const size_t *to);
/* The column of such a request, in new memory. */
scone_status conditions_request_column(char **column, const char *request);

#endif
