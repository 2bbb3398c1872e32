/* labelled.c - see labelled.h. An array has no labels as text: its column is X3 or 3, and its
 * values become the shortest text that reads back as the same number. Cost O(cells).
 */
#include "data/labelled.h"

#include "data/csv.h"
#include "data/pair.h"
#include "io/npy.h"
#include "text/number/number.h"

#include <string.h>

bool labelled_same(const char *a, const char *b)
{
    double x, y;
    if (strcmp(a, b) == 0) return true;
    return number_parse(&x, a, a + strlen(a)) == NUMBER_OK &&
           number_parse(&y, b, b + strlen(b)) == NUMBER_OK && x == y;
}

void labelled_free(char **labels, size_t rows)
{
    if (!labels) return;
    for (size_t r = 0; r < rows; r++) mem_free(labels[r]);
    mem_free(labels);
}

/* ---- arrays: the column is X3 or 3 ---- */

static size_t find_array_column(const table *t, const char *column)
{
    size_t index = table_find(t, column);
    double number;
    if (index != SIZE_MAX) return index;
    if (number_parse(&number, column, column + strlen(column)) != NUMBER_OK) return SIZE_MAX;
    if (!(number >= 0.0) || !(number < (double)t->columns)) return SIZE_MAX;
    index = (size_t)number;
    return (double)index == number ? index : SIZE_MAX;
}

/* Takes a column out of the table; the others keep their names. */
static void remove_column(table *t, size_t column)
{
    mem_free(t->names[column]);
    for (size_t j = column + 1; j < t->columns; j++) t->names[j - 1] = t->names[j];
    memmove(table_column(t, column), table_column(t, column + 1),
            (t->columns - column - 1) * t->rows * sizeof *t->values);
    t->columns--;
}

/* Reads an array and turns one of its columns into labels. */
static scone_status read_array_labelled(scone_table **out, char ***labels, const char *column,
                                        const char *path, const scone_read_options *options,
                                        const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_table *t = NULL;
    *out = NULL;
    TRY(scone_table_read(&t, path, options, context));
    size_t index = find_array_column(t, column);
    if (index == SIZE_MAX) {
        FAIL(SCONE_ERR_INPUT,
             "%s: no column '%s'; an array's %zu columns are X0 to X%zu, or 0 to %zu", path, column,
             t->columns, t->columns - 1, t->columns - 1);
    }
    TRY_ZERO(*labels, t->rows);
    for (size_t r = 0; r < t->rows; r++) {
        char text[NUMBER_TEXT_SIZE];
        size_t length = number_format(text, table_column(t, index)[r]);
        (*labels)[r] = mem_copy_text(text, length);
        if (!(*labels)[r]) TRY(SCONE_ERR_MEMORY);
    }
    remove_column(t, index);
    *out = t;
    return SCONE_OK;
cleanup:
    if (t) labelled_free(*labels, t->rows);
    *labels = NULL;
    scone_table_free(t);
    return status;
}

/* ---- the whole ---- */

scone_status labelled_read(scone_table **out, char ***labels, const char *column, const char *path,
                           const scone_read_options *options, const scone_context *context)
{
    bool npy;
    *out = NULL;
    *labels = NULL;
    scone_status status = npy_is_file(&npy, path);
    if (status != SCONE_OK) return status;
    status = npy ? read_array_labelled(out, labels, column, path, options, context)
                 : csv_read_labelled(out, labels, column, path, options, context);
    if (status != SCONE_OK || (*out)->columns > 0) return status;
    labelled_free(*labels, (*out)->rows);
    scone_table_free(*out);
    *out = NULL;
    *labels = NULL;
    return RAISE(SCONE_ERR_INPUT, "%s: there is no column besides '%s'", path, column);
}
