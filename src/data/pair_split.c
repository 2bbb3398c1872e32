/* pair_split.c - one table with a regime column, divided into a pair.
 *
 * "COLUMN" or "COLUMN=control" names the column and the label of regime 0; the text is cut at its
 * last '='. Labels are compared as numbers if both are numbers ("0" is "0.0"), else as text.
 * Cost O(cells).
 */
#include "base/context.h"
#include "text/number/number.h"
#include "data/csv.h"
#include "data/pair.h"

#include <string.h>

enum { SHOWN_LABELS = 8 }; /* listed in notes and errors */

static bool same_label(const char *a, const char *b)
{
    double x, y;
    if (strcmp(a, b) == 0) return true;
    return number_parse(&x, a, a + strlen(a)) == NUMBER_OK &&
           number_parse(&y, b, b + strlen(b)) == NUMBER_OK && x == y;
}

/* The first few different labels, in order of appearance. */
typedef struct label_set {
    const char *shown[SHOWN_LABELS];
    size_t count;
    bool more;
    char text[512];
} label_set;

static void collect_labels(label_set *set, char *const *labels, size_t rows)
{
    *set = (label_set){.count = 0};
    for (size_t r = 0; r < rows; r++) {
        size_t i = 0;
        while (i < set->count && !same_label(set->shown[i], labels[r])) i++;
        if (i < set->count) continue;
        if (set->count == SHOWN_LABELS) {
            set->more = true;
            break;
        }
        set->shown[set->count++] = labels[r];
    }
    size_t used = 0;
    for (size_t i = 0; i < set->count; i++) {
        int length = snprintf(set->text + used, sizeof set->text - used, "%s'%.48s'", i ? ", " : "",
                              set->shown[i]);
        used += length > 0 ? (size_t)length : 0;
    }
    if (set->more) (void)snprintf(set->text + used, sizeof set->text - used, " and more");
}

/* Without a given control: 0 if any label is 0, else the first row's. */
static const char *default_control(char *const *labels, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        if (same_label(labels[r], "0")) return "0";
    }
    return rows ? labels[0] : "0";
}

/* regime[row] from the labels; refuses an empty regime unless that is allowed. */
static scone_status assign_regimes(unsigned char *regime, char *const *labels, size_t rows,
                                   const char *column, const char *control, bool allow_empty,
                                   const scone_context *context)
{
    scone_status status = SCONE_OK;
    label_set set;
    size_t count[2] = {0, 0};
    collect_labels(&set, labels, rows);
    if (!control) control = default_control(labels, rows);
    for (size_t r = 0; r < rows; r++) {
        regime[r] = !same_label(labels[r], control);
        count[regime[r]]++;
    }
    if (count[0] == 0 && !allow_empty) {
        FAIL(SCONE_ERR_INPUT,
             "no row has the control value '%s' in column '%s', which holds %s; name one of these "
             "after '='",
             control, column, set.text);
    }
    if (count[1] == 0 && !allow_empty) {
        FAIL(SCONE_ERR_INPUT, "column '%s' holds only %s, so there is one regime; two are needed",
             column, set.text);
    }
    if (set.count > 2) {
        context_log(context, SCONE_NOTE,
                    "column '%s' holds %s: rows with '%s' are regime 0, all others regime 1",
                    column, set.text, control);
    }
cleanup:
    return status;
}

static void free_labels(char **labels, size_t rows)
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
    if (t) free_labels(*labels, t->rows);
    *labels = NULL;
    scone_table_free(t);
    return status;
}

/* ---- the whole ---- */

/* Cuts "COLUMN=control"; *control points into the copy, or is NULL if there is none. */
static scone_status cut_request(char **column, const char **control, const char *regime)
{
    *control = NULL;
    *column = mem_copy_text(regime, strlen(regime));
    if (!*column) return SCONE_ERR_MEMORY;
    char *equals = strrchr(*column, '=');
    if (equals) {
        *equals = '\0';
        *control = equals + 1;
    }
    if (!**column || (*control && !**control)) {
        return RAISE(SCONE_ERR_INPUT,
                     "regime column '%s': give a column's name, or COLUMN=CONTROL with the label "
                     "of the rows before the change",
                     regime);
    }
    return SCONE_OK;
}

scone_status scone_pair_read_split(scone_pair **pair, const char *path, const char *regime,
                                   const scone_read_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_table *t = NULL;
    char **labels = NULL, *column = NULL;
    unsigned char *regimes = NULL;
    const char *control;
    bool npy;
    *pair = NULL;
    TRY(cut_request(&column, &control, regime));
    TRY(npy_is_file(&npy, path));
    TRY(npy ? read_array_labelled(&t, &labels, column, path, options, context)
            : csv_read_labelled(&t, &labels, column, path, options, context));
    if (t->columns == 0) {
        FAIL(SCONE_ERR_INPUT, "%s: there is no column besides '%s'", path, column);
    }
    TRY_ALLOC(regimes, t->rows);
    status = assign_regimes(regimes, labels, t->rows, column, control,
                            options && options->allow_empty, context);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    if (status == SCONE_OK) status = pair_divide(pair, t, regimes);
cleanup:
    if (t) free_labels(labels, t->rows);
    mem_free(regimes);
    mem_free(column);
    scone_table_free(t);
    return status;
}
