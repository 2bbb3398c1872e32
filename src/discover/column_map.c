/* column_map.c - checking the tables, and numbering their variables (see column_map.h). */
#include "discover/column_map.h"

#include "text/names.h"
#include "text/text.h"
#include "text/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static scone_status check_cells(const scone_pair *pair)
{
    static const char *const which[2] = {"observational", "interventional"};
    for (int regime = 0; regime < 2; regime++) {
        const table *t = pair->tables[regime];
        if (t->columns == 0) return RAISE(SCONE_ERR_INPUT, "the tables have no columns");
        if (t->rows < 2) {
            return RAISE(SCONE_ERR_INPUT,
                         "the %s table has %zu %s; at least 2 are needed to see any variation",
                         which[regime], t->rows, t->rows == 1 ? "row" : "rows");
        }
        for (size_t j = 0; j < t->columns; j++) {
            const double *x = table_column(t, j);
            for (size_t i = 0; i < t->rows; i++) {
                if (isfinite(x[i])) continue;
                return RAISE(SCONE_ERR_INPUT,
                             "the %s table: row %zu of column '%s' is missing or infinite; drop "
                             "such rows (--na drop) or fill them in",
                             which[regime], table_file_row(t, i),
                             SHOW(t->names[j], strlen(t->names[j])));
            }
        }
    }
    return SCONE_OK;
}

bool column_map_name_fits(const char *name)
{
    const char *text = name, *end = name + strlen(name);
    bool fine = *name != '\0';
    while (fine && text < end) {
        uint32_t c = text_next(&text, end);
        fine = c != UINT32_MAX && c >= 0x20 && c != 0x7F && xml_is_char(c);
    }
    return fine;
}

static scone_status check_name(const char *name, size_t column)
{
    if (column_map_name_fits(name)) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "column %zu: the name '%s' is empty, not UTF-8 or holds control characters; "
                 "rename it",
                 column + 1, SHOW(name, strlen(name)));
}

static scone_status number_variables(column_map *m, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    const table *t = pair->tables[0];
    m->count = t->columns;
    TRY_ALLOC(m->columns, m->count);
    TRY_ALLOC(m->variables, m->count);
    TRY_ALLOC(m->names, m->count);
    for (size_t j = 0; j < m->count; j++) TRY(check_name(t->names[j], j));
    TRY(names_order(m->columns, (const char *const *)t->names, m->count));
    for (size_t v = 0; v < m->count; v++) {
        const char *name = t->names[m->columns[v]];
        m->variables[m->columns[v]] = v;
        m->names[v] = arena_text(m->memory, name, strlen(name));
        if (!m->names[v]) TRY(SCONE_ERR_MEMORY);
    }
cleanup:
    return status;
}

/* Names and values by variable, so that the order of the columns does not matter. */
static void hash_tables(column_map *m, const scone_pair *pair)
{
    for (int regime = 0; regime < 2; regime++) {
        const table *t = pair->tables[regime];
        uint64_t hash = 0;
        m->rows[regime] = t->rows;
        for (size_t v = 0; v < m->count; v++) {
            hash = XXH64(m->names[v], strlen(m->names[v]) + 1, hash);
            hash = XXH64(table_column(t, m->columns[v]), t->rows * sizeof(double), hash);
        }
        m->hashes[regime] = hash;
    }
}

/* A hash of the rows of a table, as far as the first `count` variables say, that their order does
 * not change. hashes: [rows] of scratch. */
static uint64_t hash_rows(uint64_t *hashes, const table *t, const size_t *columns, size_t count)
{
    uint64_t sum = 0;
    memset(hashes, 0, t->rows * sizeof *hashes);
    for (size_t v = 0; v < count; v++) {
        const double *x = table_column(t, columns[v]);
        for (size_t i = 0; i < t->rows; i++) hashes[i] = XXH64(&x[i], sizeof x[i], hashes[i]);
    }
    for (size_t i = 0; i < t->rows; i++) sum += hashes[i];
    return sum;
}

/* Whether both tables hold the same rows, in whatever order. */
static scone_status same_rows(bool *same, const column_map *m, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    uint64_t *hashes = NULL;
    *same = m->rows[0] == m->rows[1];
    if (!*same || m->hashes[0] == m->hashes[1]) return SCONE_OK;
    TRY_ALLOC(hashes, m->rows[0]);
    const table *a = pair->tables[0], *b = pair->tables[1];
    const size_t counts[] = {1, m->count}; /* one variable mostly tells them apart */
    for (int i = 0; i < 2 && *same; i++) {
        *same = hash_rows(hashes, a, m->columns, counts[i]) ==
                hash_rows(hashes, b, m->columns, counts[i]);
    }
cleanup:
    mem_free(hashes);
    return status;
}

static bool is_constant(const double *x, size_t rows, double value)
{
    for (size_t i = 0; i < rows; i++) {
        if (x[i] != value) return false;
    }
    return true;
}

static scone_status warn_names(warning_list *warnings, names_told *list,
                               const scone_context *context, const char *what)
{
    if (list->count == 0) return SCONE_OK;
    return warnings_add(warnings, context, "%s %s: %s", list->count == 1 ? "column" : "columns",
                        names_tell_end(list), what);
}

static variable_kind kind_of(const scone_pair *pair, size_t column)
{
    const table *a = pair->tables[0], *b = pair->tables[1];
    const double *x = table_column(a, column), *y = table_column(b, column);
    if (!is_constant(x, a->rows, x[0]) || !is_constant(y, b->rows, y[0])) return VARIABLE_VARIES;
    return x[0] == y[0] ? VARIABLE_CONSTANT : VARIABLE_SPLIT;
}

/* What each variable is, and the nodes. */
static scone_status pick_nodes(column_map *m, const scone_pair *pair, warning_list *warnings,
                               const scone_context *context)
{
    scone_status status = SCONE_OK;
    names_told constant = {.quote = ""}, split = {.quote = ""};
    TRY_ALLOC(m->nodes, m->count);
    TRY_ALLOC(m->node_names, m->count);
    TRY_ALLOC(m->kinds, m->count);
    for (size_t v = 0; v < m->count; v++) {
        variable_kind kind = kind_of(pair, m->columns[v]);
        m->kinds[v] = (unsigned char)kind;
        if (kind == VARIABLE_CONSTANT) names_tell(&constant, m->names[v]);
        if (kind == VARIABLE_SPLIT) names_tell(&split, m->names[v]);
        if (kind != VARIABLE_VARIES) continue;
        m->node_names[m->node_count] = m->names[v];
        m->nodes[m->node_count++] = v;
    }
    TRY(warn_names(warnings, &constant, context, "constant, so without edges"));
    TRY(warn_names(warnings, &split, context, "constant within each table, so without edges"));
cleanup:
    return status;
}

static scone_status warn_same(const column_map *m, const scone_pair *pair, warning_list *warnings,
                              const scone_context *context)
{
    bool same;
    scone_status status = same_rows(&same, m, pair);
    if (status != SCONE_OK || !same) return status;
    return warnings_add(warnings, context,
                        "both tables are the same%s; nothing changed between them, so there are no "
                        "targets and fewer directions can be found",
                        m->hashes[0] == m->hashes[1] ? "" : " but for the order of the rows");
}

scone_status column_map_make(column_map *out, const scone_pair *given, warning_list *warnings,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    *out = (column_map){.count = 0};
    TRY(arena_alloc(&out->memory, 0));
    TRY(check_cells(given));
    TRY(number_variables(out, given));
    hash_tables(out, given);
    TRY(pick_nodes(out, given, warnings, context));
    TRY(warn_same(out, given, warnings, context));
cleanup:
    return status;
}

void column_map_free(column_map *map)
{
    arena_free(map->memory);
    mem_free(map->columns);
    mem_free(map->variables);
    mem_free(map->names);
    mem_free(map->kinds);
    mem_free(map->nodes);
    mem_free(map->node_names);
    *map = (column_map){.count = 0};
}
