/* pair.c - two tables over the same variables, matched by column name.
 *
 * Cost: O(p log p) comparisons of names; columns of the second table move at most once, through a
 * buffer of one column.
 */
#include "data/pair.h"

#include "base/context.h"
#include "io/file.h"
#include "io/npy.h"
#include "text/names.h"

#include <stdlib.h>
#include <string.h>

void scone_pair_free(scone_pair *pair)
{
    if (!pair) return;
    scone_table_free(pair->tables[0]);
    scone_table_free(pair->tables[1]);
    mem_free(pair);
}

const scone_table *scone_pair_table(const scone_pair *pair, int regime)
{
    return pair->tables[regime != 0];
}

/* ---- names ---- */

size_t table_find(const table *t, const char *name)
{
    for (size_t j = 0; j < t->columns; j++) {
        if (strcmp(t->names[j], name) == 0) return j;
    }
    return SIZE_MAX;
}

bool table_names_default(const table *t)
{
    for (size_t j = 0; j < t->columns; j++) {
        char name[24];
        (void)snprintf(name, sizeof name, "X%zu", j);
        if (strcmp(t->names[j], name) != 0) return false;
    }
    return true;
}

/* ---- matching ---- */

/* Columns in the order of their names; two of the same name are an error. */
static scone_status sort_columns(named_place **sorted, const table *t, const char *label)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(*sorted, t->columns);
    names_sort(*sorted, (const char *const *)t->names, t->columns);
    size_t again = names_repeated(*sorted, t->columns);
    if (again < t->columns) {
        FAIL(SCONE_ERR_INPUT, "%s: columns %zu and %zu are both named '%s'; rename one", label,
             (*sorted)[again - 1].place + 1, (*sorted)[again].place + 1, (*sorted)[again].name);
    }
cleanup:
    return status;
}

/* order[j] = the column of b that has the name of column j of a. *missing tells that some have
 * no partner; the failure is then raised. */
static scone_status match_columns(size_t *order, bool *missing, const table *a, const table *b,
                                  const char *label_a, const char *label_b)
{
    scone_status status = SCONE_OK;
    named_place *in_a = NULL, *in_b = NULL;
    names_told only_a = {.quote = "'"}, only_b = {.quote = "'"};
    *missing = false;
    TRY(sort_columns(&in_a, a, label_a));
    TRY(sort_columns(&in_b, b, label_b));
    for (size_t i = 0, k = 0; i < a->columns || k < b->columns;) {
        int side = i == a->columns ? 1 : k == b->columns ? -1 : strcmp(in_a[i].name, in_b[k].name);
        if (side < 0) {
            names_tell(&only_a, in_a[i++].name);
        } else if (side > 0) {
            names_tell(&only_b, in_b[k++].name);
        } else {
            order[in_a[i++].place] = in_b[k++].place;
        }
    }
    *missing = only_a.count + only_b.count > 0;
    const char *of_a = names_tell_end(&only_a), *of_b = names_tell_end(&only_b);
    if (only_a.count && only_b.count) {
        FAIL(SCONE_ERR_INPUT,
             "%s lacks %s of %s, which lacks %s; both tables need the same columns, in any order",
             label_b, of_a, label_a, of_b);
    } else if (*missing) {
        FAIL(SCONE_ERR_INPUT, "%s lacks %s of %s; both tables need the same columns, in any order",
             only_a.count ? label_b : label_a, only_a.count ? of_a : of_b,
             only_a.count ? label_a : label_b);
    }
cleanup:
    mem_free(in_a);
    mem_free(in_b);
    return status;
}

/* Column j becomes what column order[j] was; order is used up. Follows the cycles of the
 * permutation with one column in the hand. */
static scone_status reorder_columns(table *t, size_t *order)
{
    double *held = mem_alloc(t->rows, sizeof *held);
    if (!held) return SCONE_ERR_MEMORY;
    size_t bytes = t->rows * sizeof *held;
    for (size_t start = 0; start < t->columns; start++) {
        if (order[start] == start) continue;
        memcpy(held, table_column(t, start), bytes);
        char *name = t->names[start];
        size_t to = start;
        for (size_t from; (from = order[to]) != start; to = from) {
            memcpy(table_column(t, to), table_column(t, from), bytes);
            t->names[to] = t->names[from];
            order[to] = to;
        }
        memcpy(table_column(t, to), held, bytes);
        t->names[to] = name;
        order[to] = to;
    }
    mem_free(held);
    return SCONE_OK;
}

/* Gives `to` the names of `from`, which has as many columns. */
static scone_status copy_names(table *to, const table *from)
{
    for (size_t j = 0; j < to->columns; j++) {
        char *name = mem_copy_text(from->names[j], strlen(from->names[j]));
        if (!name) return SCONE_ERR_MEMORY;
        mem_free(to->names[j]);
        to->names[j] = name;
    }
    return SCONE_OK;
}

scone_status pair_align(table *a, table *b, const char *const labels[2], const bool unnamed[2],
                        const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t *order = NULL;
    bool missing;
    TRY_ALLOC(order, a->columns);
    status = match_columns(order, &missing, a, b, labels[0], labels[1]);
    if (status == SCONE_OK) {
        TRY(reorder_columns(b, order));
    } else if (missing && a->columns == b->columns && unnamed[0] != unnamed[1]) {
        TRY(unnamed[0] ? copy_names(a, b) : copy_names(b, a));
        context_log(context, SCONE_NOTE,
                    "%s has no column names: its columns are taken in the order of %s",
                    labels[unnamed[0] ? 0 : 1], labels[unnamed[0] ? 1 : 0]);
    }
cleanup:
    mem_free(order);
    return status;
}

/* Joins tables that stay the caller's on failure. */
static scone_status join(scone_pair **out, table *a, table *b, const char *const labels[2],
                         const bool unnamed[2], const scone_context *context)
{
    scone_status status = SCONE_OK;
    *out = NULL;
    TRY(pair_align(a, b, labels, unnamed, context));
    TRY_ZERO(*out, 1);
    (*out)->tables[0] = a;
    (*out)->tables[1] = b;
cleanup:
    return status;
}

scone_status scone_pair_join(scone_pair **pair, scone_table *observational,
                             scone_table *interventional)
{
    static const char *const labels[2] = {"the observational table", "the interventional table"};
    bool unnamed[2] = {table_names_default(observational), table_names_default(interventional)};
    scone_status status = join(pair, observational, interventional, labels, unnamed, NULL);
    if (status != SCONE_OK) {
        scone_table_free(observational);
        scone_table_free(interventional);
    }
    return status;
}

scone_status scone_pair_read(scone_pair **pair, const char *observational,
                             const char *interventional, const scone_read_options *options,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_table *a = NULL, *b = NULL;
    const char *const labels[2] = {observational, interventional};
    bool unnamed[2] = {false, false};
    *pair = NULL;
    TRY(scone_table_read(&a, observational, options, context));
    TRY(scone_table_read(&b, interventional, options, context));
    for (int i = 0; i < 2; i++) {
        if (table_names_default(i ? b : a)) TRY(npy_is_file(&unnamed[i], labels[i]));
    }
    TRY(join(pair, a, b, labels, unnamed, context));
    return SCONE_OK;
cleanup:
    scone_table_free(a);
    scone_table_free(b);
    return status;
}

scone_status pair_divide(scone_pair **out, const table *t, const unsigned char *regime)
{
    scone_status status = SCONE_OK;
    scone_pair *pair = NULL;
    size_t rows[2] = {0, 0};
    *out = NULL;
    for (size_t r = 0; r < t->rows; r++) rows[regime[r] != 0]++;
    TRY_ZERO(pair, 1);
    for (int i = 0; i < 2; i++) {
        TRY(table_alloc(&pair->tables[i], rows[i], t->columns, (const char *const *)t->names));
    }
    for (size_t j = 0; j < t->columns; j++) {
        const double *from = table_column(t, j);
        double *to[2] = {table_column(pair->tables[0], j), table_column(pair->tables[1], j)};
        for (size_t r = 0; r < t->rows; r++) *to[regime[r] != 0]++ = from[r];
    }
    TRY(input_list_join(&pair->tables[0]->inputs, &t->inputs));
    TRY(input_list_join(&pair->tables[1]->inputs, &t->inputs));
    size_t seen[2] = {0, 0};
    for (size_t r = 0; r < t->rows; r++) {
        int to = regime[r] != 0;
        TRY(table_row_map_add(&pair->tables[to]->origins, seen[to]++, table_file_row(t, r)));
    }
    *out = pair;
    return SCONE_OK;
cleanup:
    scone_pair_free(pair);
    return status;
}

scone_status pair_thin(scone_pair **out, const scone_pair *given, size_t most)
{
    scone_status status = SCONE_OK;
    scone_pair *pair = NULL;
    *out = NULL;
    TRY_ZERO(pair, 1);
    for (int i = 0; i < 2; i++) {
        const table *from = given->tables[i];
        size_t rows = from->rows < most ? from->rows : most;
        TRY(table_alloc(&pair->tables[i], rows, from->columns, (const char *const *)from->names));
        for (size_t j = 0; j < from->columns; j++) {
            const double *x = table_column(from, j);
            double *y = table_column(pair->tables[i], j);
            /* row r is (r * all) / rows, without the product */
            size_t step = rows ? from->rows / rows : 0, rest = rows ? from->rows % rows : 0;
            for (size_t r = 0, place = 0, part = 0; r < rows; r++, place += step, part += rest) {
                if (part >= rows && rows > 0) {
                    part -= rows;
                    place++;
                }
                y[r] = x[place];
            }
        }
    }
    *out = pair;
    return SCONE_OK;
cleanup:
    scone_pair_free(pair);
    return status;
}
