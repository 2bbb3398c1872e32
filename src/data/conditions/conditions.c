/* conditions.c - making, joining and pooling conditions (see conditions.h). Cost: O(cells), and
 * O(p log p) comparisons of names for each table.
 */
#include "data/conditions/conditions.h"

#include "data/pair.h"
#include "io/npy.h"
#include "text/names.h"
#include "text/text.h"

#include <string.h>

void scone_conditions_free(scone_conditions *c)
{
    if (!c) return;
    for (size_t k = 0; k <= c->count; k++) {
        if (c->tables) scone_table_free(c->tables[k]);
        if (c->names) mem_free(c->names[k]);
    }
    mem_free(c->tables);
    mem_free(c->names);
    mem_free(c);
}

size_t scone_conditions_count(const scone_conditions *c)
{
    return c->count;
}

const char *scone_conditions_name(const scone_conditions *c, size_t condition)
{
    return c->names[condition];
}

const scone_table *scone_conditions_table(const scone_conditions *c, size_t condition)
{
    return c->tables[condition];
}

/* ---- making ---- */

static scone_status alloc(scone_conditions **out, size_t count)
{
    scone_status status = SCONE_OK;
    scone_conditions *c = NULL;
    TRY_ZERO(c, 1);
    c->count = count;
    TRY_ZERO(c->tables, count + 1);
    TRY_ZERO(c->names, count + 1);
    *out = c;
    return SCONE_OK;
cleanup:
    scone_conditions_free(c);
    return status;
}

/* order[k] = the place of condition k among the given ones; the control stays first. */
static scone_status order_names(size_t *order, const char *const *names, size_t count)
{
    scone_status status = SCONE_OK;
    named_place *sorted = NULL;
    TRY_ALLOC(sorted, count);
    names_sort_natural(sorted, names, count);
    size_t again = names_repeated(sorted, count), next = 1;
    if (again < count) {
        FAIL(SCONE_ERR_INPUT,
             "two tables are named '%s'; give one of them another name with NAME=FILE",
             SHOW(sorted[again].name, strlen(sorted[again].name)));
    }
    order[0] = 0;
    for (size_t i = 0; i < count; i++) {
        if (sorted[i].place > 0) order[next++] = sorted[i].place;
        if (sorted[i].name[0] == '\0') {
            FAIL(SCONE_ERR_INPUT, "table %zu has an empty name; name it with NAME=FILE",
                 sorted[i].place + 1);
        }
    }
cleanup:
    mem_free(sorted);
    return status;
}

scone_status conditions_adopt(scone_conditions **out, table **tables, const char *const *names,
                              size_t count)
{
    scone_status status = SCONE_OK;
    scone_conditions *c = NULL;
    size_t *order = NULL;
    *out = NULL;
    if (count < 2) FAIL(SCONE_ERR_INPUT, "there is only a control; add a condition");
    if (count - 1 > CONDITIONS_MOST) {
        FAIL(SCONE_ERR_INPUT, "%zu conditions are more than the limit of %d; leave some out",
             count - 1, CONDITIONS_MOST);
    }
    TRY_ALLOC(order, count);
    TRY(order_names(order, names, count));
    TRY(alloc(&c, count - 1));
    for (size_t k = 0; k < count; k++) {
        const char *name = names[order[k]];
        c->names[k] = mem_copy_text(name, strlen(name));
        if (!c->names[k]) TRY(SCONE_ERR_MEMORY);
    }
    for (size_t k = 0; k < count; k++) {
        c->tables[k] = tables[order[k]];
        tables[order[k]] = NULL;
    }
    *out = c;
    c = NULL;
cleanup:
    for (size_t k = 0; k < count; k++) {
        scone_table_free(tables[k]);
        tables[k] = NULL;
    }
    mem_free(order);
    scone_conditions_free(c);
    return status;
}

/* ---- two tables ---- */

scone_status scone_conditions_pool(scone_pair **out, const scone_conditions *c)
{
    scone_status status = SCONE_OK;
    scone_pair *pair = NULL;
    size_t rows = 0, first = 0;
    const table *control = c->tables[0];
    const char *const *names = (const char *const *)control->names;
    *out = NULL;
    TRY_ZERO(pair, 1);
    for (size_t k = 1; k <= c->count; k++) rows += c->tables[k]->rows;
    TRY(table_alloc(&pair->tables[0], control->rows, control->columns, names));
    TRY(table_alloc(&pair->tables[1], rows, control->columns, names));
    size_t cells = control->rows * control->columns;
    if (cells) memcpy(pair->tables[0]->values, control->values, cells * sizeof(double));
    TRY(input_list_join(&pair->tables[0]->inputs, &control->inputs));
    for (size_t k = 1; k <= c->count; first += c->tables[k++]->rows) {
        const table *from = c->tables[k];
        TRY(input_list_join(&pair->tables[1]->inputs, &from->inputs));
        for (size_t j = 0; j < from->columns && from->rows; j++) {
            memcpy(table_column(pair->tables[1], j) + first, table_column(from, j),
                   from->rows * sizeof(double));
        }
    }
    *out = pair;
    pair = NULL;
cleanup:
    scone_pair_free(pair);
    return status;
}

/* ---- files ---- */

/* The name of a file without its folder and its last ending, and without .gz before that. */
static scone_status stem(char **out, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    size_t length = strlen(start);
    if (length > 3 && strcmp(start + length - 3, ".gz") == 0) length -= 3;
    for (size_t i = length; i-- > 1;) {
        if (start[i] != '.') continue;
        length = i;
        break;
    }
    *out = mem_copy_text(start, length);
    return *out ? SCONE_OK : SCONE_ERR_MEMORY;
}

static scone_status check_rows(const table *t, const char *path, const scone_read_options *options)
{
    if (t->rows > 0 || (options && options->allow_empty)) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "%s: the condition has no rows; leave the file out, or add rows",
                 path);
}

/* Two files of one name, told before either is read. */
static scone_status check_names(char *const *stems, const char *const *paths, size_t count)
{
    scone_status status = SCONE_OK;
    named_place *sorted = NULL;
    TRY_ALLOC(sorted, count);
    names_sort_natural(sorted, (const char *const *)stems, count);
    size_t again = names_repeated(sorted, count);
    if (again < count) {
        FAIL(SCONE_ERR_INPUT,
             "two tables are named '%s', %s and %s; give one of them another name with NAME=FILE",
             SHOW(sorted[again].name, strlen(sorted[again].name)), paths[sorted[again - 1].place],
             paths[sorted[again].place]);
    }
cleanup:
    mem_free(sorted);
    return status;
}

scone_status scone_conditions_read(scone_conditions **out, const char *const *paths,
                                   const char *const *names, size_t count,
                                   const scone_read_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    table **tables = NULL;
    char **stems = NULL;
    bool unnamed[2] = {false, false};
    *out = NULL;
    TRY_ZERO(tables, count);
    TRY_ZERO(stems, count);
    for (size_t k = 0; k < count; k++) {
        if (names && names[k]) {
            stems[k] = mem_copy_text(names[k], strlen(names[k]));
            if (!stems[k]) TRY(SCONE_ERR_MEMORY);
        } else {
            TRY(stem(&stems[k], paths[k]));
        }
    }
    TRY(check_names(stems, paths, count));
    for (size_t k = 0; k < count; k++) {
        const char *const labels[2] = {paths[0], paths[k]};
        TRY(scone_table_read(&tables[k], paths[k], options, context));
        TRY(check_rows(tables[k], paths[k], options));
        unnamed[k > 0] = false;
        if (table_names_default(tables[k])) TRY(npy_is_file(&unnamed[k > 0], paths[k]));
        if (k > 0) TRY(pair_align(tables[0], tables[k], labels, unnamed, context));
    }
    TRY(conditions_adopt(out, tables, (const char *const *)stems, count));
cleanup:
    for (size_t k = 0; k < count; k++) {
        if (tables) scone_table_free(tables[k]);
        if (stems) mem_free(stems[k]);
    }
    mem_free(tables);
    mem_free(stems);
    return status;
}
