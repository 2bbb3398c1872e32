/* table_read.c - reading a table of any kind: a NumPy array if the name or the content says so,
 * else delimited text. An array has no names, so its columns are X0, X1, ...; missing and infinite
 * cells and empty tables are treated as in text. Cost: O(cells).
 */
#include "base/context.h"
#include "io/npy.h"
#include "data/csv.h"
#include "data/csv_parts.h"
#include "data/pair.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static bool has_npy_name(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

static bool row_is_bad(const table *t, size_t row, size_t *column)
{
    for (size_t j = 0; j < t->columns; j++) {
        if (!isfinite(table_column(t, j)[row])) {
            *column = j;
            return true;
        }
    }
    return false;
}

/* Marks the rows with a cell that is not finite; *first is a cell index, row + rows * column. */
static size_t mark_bad_rows(const table *t, bool *bad, size_t *cells, size_t *first)
{
    size_t rows = 0;
    *cells = 0;
    for (size_t j = 0; j < t->columns; j++) {
        const double *column = table_column(t, j);
        for (size_t i = 0; i < t->rows; i++) {
            if (isfinite(column[i])) continue;
            ++*cells;
            rows += !bad[i];
            bad[i] = true;
        }
    }
    for (size_t i = 0, column; i < t->rows && rows; i++) {
        if (!bad[i] || !row_is_bad(t, i, &column)) continue;
        *first = i + t->rows * column;
        break;
    }
    return rows;
}

/* Removes the marked rows in place. */
static scone_status remove_rows(table *t, const bool *bad)
{
    scone_status status = SCONE_OK;
    size_t to = 0, rows = t->rows, kept = 0;
    for (size_t i = 0; i < rows; i++) {
        if (!bad[i]) TRY(table_row_map_add(&t->origins, kept++, i + 1));
    }
    for (size_t j = 0; j < t->columns; j++) {
        for (size_t i = 0; i < rows; i++) {
            if (!bad[i]) t->values[to++] = t->values[j * rows + i];
        }
    }
    t->rows = kept;
cleanup:
    return status;
}

/* What csv.c does while reading, for an array that is already in memory. */
static scone_status apply_options(table *t, const char *path, const scone_read_options *options,
                                  const scone_context *context)
{
    scone_status status = SCONE_OK;
    bool *bad = NULL;
    size_t cells = 0, first = 0, rows = t->rows, bad_rows = 0;
    scone_na na = options ? options->na : SCONE_NA_ERROR;
    if (na != SCONE_NA_KEEP) {
        TRY_ZERO(bad, rows);
        bad_rows = mark_bad_rows(t, bad, &cells, &first);
    }
    if (bad_rows && na == SCONE_NA_ERROR) {
        size_t column = first / rows;
        FAIL(SCONE_ERR_INPUT,
             "%s: row %zu, column %zu ('%s'): the cell is %s; %zu such %s in %zu of %zu %s; "
             "put numbers there, or remove such rows with --na drop",
             path, first % rows + 1, column + 1, t->names[column],
             isnan(t->values[first]) ? "missing" : "infinite", cells, cells == 1 ? "cell" : "cells",
             bad_rows, rows, rows == 1 ? "row" : "rows");
    }
    if (bad_rows) {
        TRY(remove_rows(t, bad));
        context_log(context, SCONE_NOTE,
                    "%s: removed %zu of %zu rows with missing or infinite cells, the first at row "
                    "%zu, column %zu ('%s')",
                    path, bad_rows, rows, first % rows + 1, first / rows + 1,
                    t->names[first / rows]);
    }
    if (t->rows == 0 && !(options && options->allow_empty)) {
        FAIL(SCONE_ERR_INPUT,
             "%s: no rows are left: all have missing or infinite cells; fill them in or remove the "
             "columns that hold them",
             path);
    }
cleanup:
    mem_free(bad);
    return status;
}

static scone_status read_npy(scone_table **out, const char *path, const scone_read_options *options,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    npy_array array = {0};
    input_list inputs = {0};
    table *t = NULL;
    TRY(npy_read(&array, path, &inputs));
    if (array.columns == 0) {
        FAIL(SCONE_ERR_INPUT,
             "%s: the array has no columns; rows are samples and columns variables", path);
    }
    if (array.columns > CSV_COLUMN_LIMIT) {
        FAIL(SCONE_ERR_INPUT, "%s: %zu columns; at most %d are possible", path, array.columns,
             CSV_COLUMN_LIMIT);
    }
    if (array.rows == 0 && !(options && options->allow_empty)) {
        FAIL(SCONE_ERR_INPUT, "%s: the array has no rows; add at least one", path);
    }
    TRY(table_adopt(&t, array.values, array.rows, array.columns, NULL));
    array.values = NULL;
    t->inputs = inputs;
    inputs = (input_list){0};
    TRY(apply_options(t, path, options, context));
    *out = t;
    t = NULL;
cleanup:
    mem_free(array.values);
    input_list_clear(&inputs);
    scone_table_free(t);
    return status;
}

scone_status scone_table_read(scone_table **out, const char *path,
                              const scone_read_options *options, const scone_context *context)
{
    *out = NULL;
    bool npy = has_npy_name(path);
    if (!npy) {
        scone_status status = npy_is_file(&npy, path);
        if (status != SCONE_OK) return status;
    }
    return npy ? read_npy(out, path, options, context) : csv_read(out, path, options, context);
}
