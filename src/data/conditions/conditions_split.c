/* conditions_split.c - one long table with a column of conditions, divided into them.
 *
 * "COLUMN", "COLUMN=CONTROL" or "COLUMN=CONTROL,NAME,..." names the column, the control, and the
 * conditions that are wanted. Labels that are numbers are compared as numbers ("1" is "1.0"), and
 * their shortest text is the name. Cost: O(cells + rows log rows).
 */
#include "data/conditions/conditions.h"

#include "base/context.h"
#include "data/labelled.h"
#include "text/names.h"
#include "text/number/number.h"
#include "text/text.h"

#include <string.h>

/* ---- the request ---- */

typedef struct split_request {
    char *text; /* the request, cut into its parts */
    const char *column, *control;
    const char **names; /* that are wanted */
    size_t count;
} split_request;

static void request_free(split_request *r)
{
    mem_free(r->text);
    mem_free(r->names);
    *r = (split_request){0};
}

/* The last '=' ends the column, whose name may have one; commas divide what follows it. */
static scone_status request_cut(split_request *r, const char *text)
{
    scone_status status = SCONE_OK;
    size_t commas = 0;
    r->text = mem_copy_text(text, strlen(text));
    if (!r->text) TRY(SCONE_ERR_MEMORY);
    r->column = r->text;
    char *place = strrchr(r->text, '=');
    if (place) {
        *place++ = '\0';
        r->control = place;
        for (const char *c = place; *c; c++) commas += *c == ',';
    }
    TRY_ALLOC(r->names, commas + 1);
    for (char *comma; place && (comma = strchr(place, ',')) != NULL;) {
        *comma = '\0';
        place = comma + 1;
        r->names[r->count++] = place;
    }
    bool empty = r->column[0] == '\0' || (r->control && r->control[0] == '\0');
    for (size_t i = 0; i < r->count; i++) empty = empty || r->names[i][0] == '\0';
    if (empty) {
        FAIL(SCONE_ERR_INPUT,
             "column of conditions '%s': give COLUMN, COLUMN=CONTROL with the label of the "
             "control's rows, or COLUMN=CONTROL,NAME,... with those of the conditions too",
             SHOW(text, strlen(text)));
    }
cleanup:
    return status;
}

scone_status conditions_request_column(char **column, const char *request)
{
    scone_status status = SCONE_OK;
    split_request r = {0};
    *column = NULL;
    TRY(request_cut(&r, request));
    *column = mem_copy_text(r.column, strlen(r.column));
    if (!*column) TRY(SCONE_ERR_MEMORY);
cleanup:
    request_free(&r);
    return status;
}

/* ---- the labels ---- */

/* The different labels in the order of their bytes, and which of them each row has. */
typedef struct label_list {
    char **names;
    size_t count;
    size_t *of_row; /* [rows] */
} label_list;

static void list_free(label_list *list)
{
    for (size_t i = 0; list->names && i < list->count; i++) mem_free(list->names[i]);
    mem_free(list->names);
    mem_free(list->of_row);
}

/* Numbers get their shortest text. */
static scone_status plain_name(char **out, const char *label)
{
    char text[NUMBER_TEXT_SIZE];
    double x;
    size_t length = strlen(label);
    if (number_parse(&x, label, label + length) == NUMBER_OK) {
        length = number_format(text, x + 0.0); /* "-0" is "0" */
        label = text;
    }
    *out = mem_copy_text(label, length);
    return *out ? SCONE_OK : SCONE_ERR_MEMORY;
}

static scone_status list_make(label_list *list, char *const *labels, size_t rows)
{
    scone_status status = SCONE_OK;
    char **plain = NULL;
    named_place *sorted = NULL;
    TRY_ZERO(plain, rows + 1);
    TRY_ALLOC(sorted, rows + 1);
    TRY_ZERO(list->names, rows + 1);
    TRY_ALLOC(list->of_row, rows + 1);
    for (size_t r = 0; r < rows; r++) TRY(plain_name(&plain[r], labels[r]));
    names_sort(sorted, (const char *const *)plain, rows);
    for (size_t i = 0; i < rows; i++) {
        if (i == 0 || strcmp(sorted[i].name, sorted[i - 1].name) != 0) {
            list->names[list->count] = mem_copy_text(sorted[i].name, strlen(sorted[i].name));
            if (!list->names[list->count++]) TRY(SCONE_ERR_MEMORY);
        }
        list->of_row[sorted[i].place] = list->count - 1;
    }
cleanup:
    for (size_t r = 0; plain && r < rows; r++) mem_free(plain[r]);
    mem_free(plain);
    mem_free(sorted);
    return status;
}

/* The place of a label in the list, or its count. */
static size_t list_find(const label_list *list, const char *label)
{
    size_t i = 0;
    while (i < list->count && !labelled_same(list->names[i], label)) i++;
    return i;
}

static scone_status raise_unknown(const label_list *list, const split_request *r, const char *what,
                                  const char *label)
{
    names_told told = {.quote = "'"};
    for (size_t i = 0; i < list->count; i++) names_tell(&told, list->names[i]);
    return RAISE(SCONE_ERR_INPUT,
                 "no row has the %s '%s' in column '%s', which holds %s; name one of these after "
                 "'='",
                 what, SHOW(label, strlen(label)), SHOW(r->column, strlen(r->column)),
                 list->count ? names_tell_end(&told) : "nothing, since there are no rows");
}

/* table_of[label] = the table that its rows go to, the control's first, or SIZE_MAX; names[table].
 */
static scone_status assign(size_t *table_of, const char **names, size_t *tables,
                           const label_list *list, const split_request *r, const char *first)
{
    scone_status status = SCONE_OK;
    const char *asked = r->control ? r->control : list_find(list, "0") < list->count ? "0" : first;
    size_t control = list_find(list, asked);
    if (control == list->count) TRY(raise_unknown(list, r, "control value", asked));
    for (size_t i = 0; i < list->count; i++) table_of[i] = SIZE_MAX;
    table_of[control] = 0;
    names[0] = list->names[control];
    *tables = 1;
    for (size_t n = 0; n < r->count; n++) {
        size_t place = list_find(list, r->names[n]);
        if (place == list->count) TRY(raise_unknown(list, r, "condition", r->names[n]));
        if (table_of[place] != SIZE_MAX) {
            FAIL(SCONE_ERR_INPUT, "'%s' is named twice for column '%s'; name it once",
                 SHOW(r->names[n], strlen(r->names[n])), SHOW(r->column, strlen(r->column)));
        }
        table_of[place] = *tables;
        names[(*tables)++] = list->names[place];
    }
    for (size_t i = 0; i < list->count && r->count == 0; i++) {
        if (i == control) continue;
        table_of[i] = *tables;
        names[(*tables)++] = list->names[i];
    }
    if (*tables == 1) {
        FAIL(SCONE_ERR_INPUT,
             "column '%s' holds only '%s', so there is a control and no condition; choose another "
             "column, or add rows of a condition",
             SHOW(r->column, strlen(r->column)), SHOW(names[0], strlen(names[0])));
    }
    if (*tables - 1 > CONDITIONS_MOST) {
        FAIL(SCONE_ERR_INPUT,
             "column '%s' holds %zu values besides the control, more than the limit of %d "
             "conditions; is it a measurement? Name the conditions with %s=CONTROL,NAME,...",
             SHOW(r->column, strlen(r->column)), *tables - 1, CONDITIONS_MOST,
             SHOW(r->column, strlen(r->column)));
    }
cleanup:
    return status;
}

/* ---- the tables ---- */

scone_status conditions_copy_rows(table **tables, size_t count, const table *t, const size_t *to)
{
    scone_status status = SCONE_OK;
    size_t *rows = NULL;
    TRY_ZERO(rows, count);
    for (size_t r = 0; r < t->rows; r++) {
        if (to[r] != SIZE_MAX) rows[to[r]]++;
    }
    for (size_t k = 0; k < count; k++) {
        if (tables[k]) continue;
        TRY(table_alloc(&tables[k], rows[k], t->columns, (const char *const *)t->names));
    }
    for (size_t j = 0; j < t->columns; j++) {
        const double *from = table_column(t, j);
        memset(rows, 0, count * sizeof *rows);
        for (size_t r = 0; r < t->rows; r++) {
            if (to[r] != SIZE_MAX) table_column(tables[to[r]], j)[rows[to[r]]++] = from[r];
        }
    }
    memset(rows, 0, count * sizeof *rows);
    for (size_t r = 0; r < t->rows; r++) {
        if (to[r] == SIZE_MAX) continue;
        TRY(table_row_map_add(&tables[to[r]]->origins, rows[to[r]]++, table_file_row(t, r)));
    }
cleanup:
    mem_free(rows);
    return status;
}

static void note_left_out(const size_t *to, size_t rows, const split_request *r,
                          const scone_context *context)
{
    size_t left = 0;
    for (size_t i = 0; i < rows; i++) left += to[i] == SIZE_MAX;
    if (left == 0) return;
    context_log(context, SCONE_NOTE,
                "left out %zu of %zu rows, whose '%s' is none of the named conditions", left, rows,
                SHOW(r->column, strlen(r->column)));
}

scone_status conditions_divide(scone_conditions **out, table *t, char *const *labels,
                               const char *request, const scone_context *context)
{
    scone_status status = SCONE_OK;
    split_request r = {0};
    label_list list = {0};
    size_t *table_of = NULL, *to = NULL, count = 0;
    const char **names = NULL;
    table **tables = NULL;
    *out = NULL;
    TRY(request_cut(&r, request));
    TRY(list_make(&list, labels, t->rows));
    TRY_ALLOC(table_of, list.count + 1);
    TRY_ALLOC(names, list.count + 1);
    TRY(assign(table_of, names, &count, &list, &r, t->rows ? labels[0] : "0"));
    TRY_ALLOC(to, t->rows);
    for (size_t i = 0; i < t->rows; i++) {
        to[i] = table_of[list.of_row[i]];
        if (to[i] == SIZE_MAX || list.names[list.of_row[i]][0] != '\0') continue;
        FAIL(
            SCONE_ERR_INPUT,
            "row %zu has no value in column '%s'; write the name of its condition there, or remove "
            "the row",
            table_file_row(t, i), SHOW(r.column, strlen(r.column)));
    }
    note_left_out(to, t->rows, &r, context);
    TRY_ZERO(tables, count);
    TRY(conditions_copy_rows(tables, count, t, to));
    TRY(input_list_join(&tables[0]->inputs, &t->inputs));
    TRY(conditions_adopt(out, tables, names, count));
cleanup:
    for (size_t k = 0; tables && k < count; k++) scone_table_free(tables[k]);
    mem_free(tables);
    mem_free(names);
    mem_free(to);
    mem_free(table_of);
    list_free(&list);
    request_free(&r);
    scone_table_free(t);
    return status;
}

scone_status scone_conditions_read_long(scone_conditions **out, const char *path,
                                        const char *request, const scone_read_options *options,
                                        const scone_context *context)
{
    scone_status status = SCONE_OK;
    table *t = NULL;
    char **labels = NULL, *column = NULL;
    *out = NULL;
    TRY(conditions_request_column(&column, request));
    TRY(labelled_read(&t, &labels, column, path, options, context));
    size_t rows = t->rows;
    status = conditions_divide(out, t, labels, request, context);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    labelled_free(labels, rows);
cleanup:
    mem_free(column);
    return status;
}
