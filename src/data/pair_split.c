/* pair_split.c - one table with a regime column, divided into a pair.
 *
 * "COLUMN" or "COLUMN=control" names the column and the label of regime 0; the text is cut at its
 * last '='. Labels are compared as numbers if both are numbers ("0" is "0.0"), else as text.
 * Cost O(cells).
 */
#include "base/context.h"
#include "data/labelled.h"
#include "data/pair.h"

#include <string.h>

enum { SHOWN_LABELS = 8 }; /* listed in notes and errors */

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
        while (i < set->count && !labelled_same(set->shown[i], labels[r])) i++;
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
        if (labelled_same(labels[r], "0")) return "0";
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
        regime[r] = !labelled_same(labels[r], control);
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
    *pair = NULL;
    TRY(cut_request(&column, &control, regime));
    TRY(labelled_read(&t, &labels, column, path, options, context));
    TRY_ALLOC(regimes, t->rows);
    status = assign_regimes(regimes, labels, t->rows, column, control,
                            options && options->allow_empty, context);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    if (status == SCONE_OK) status = pair_divide(pair, t, regimes);
cleanup:
    if (t) labelled_free(labels, t->rows);
    mem_free(regimes);
    mem_free(column);
    scone_table_free(t);
    return status;
}
