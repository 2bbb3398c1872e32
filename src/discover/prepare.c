/* prepare.c - options, columns and knowledge before anything is learned (see prepare.h). */
#include "discover/prepare.h"

#include "text/text.h"
#include "text/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Columns whose largest value is beyond 2^this or below 2^-this are brought to size 1. */
enum { PREPARE_LARGEST_EXPONENT = 200 };

/* ---- options ---- */

static scone_status check_shares(const scone_discover_options *o)
{
    if (!(o->alpha >= 0.0 && o->alpha < 1.0)) {
        return RAISE(SCONE_ERR_INPUT, "--alpha must be above 0 and below 1, not %g", o->alpha);
    }
    if (!(o->threshold >= 0.0 && o->threshold <= 1.0)) {
        return RAISE(SCONE_ERR_INPUT, "--threshold must be above 0 and at most 1, not %g",
                     o->threshold);
    }
    if (!(o->margin <= 1.0)) {
        return RAISE(SCONE_ERR_INPUT, "--margin must be at most 1, not %g", o->margin);
    }
    return SCONE_OK;
}

/* The weights, before anything else is done: whoever forgot them wants to hear it soon. */
static scone_status take_model(scone_result *r, scone_discover_options *o)
{
    scone_status status = SCONE_OK;
    if (!r->preset->learned) {
        if (!o->model) return SCONE_OK;
        return RAISE(SCONE_ERR_INPUT, "--model means nothing to the preset %s; leave it out",
                     r->preset->name);
    }
    TRY(learned_open(&r->model, o->model, r->preset->name));
    memcpy(r->model_id, r->model->id, sizeof r->model_id);
    o->model = arena_text(r->memory, o->model, strlen(o->model));
    if (!o->model) TRY(SCONE_ERR_MEMORY);
cleanup:
    return status;
}

/* Trained on 14 at most, it gains with 30 and loses weak edges with 70 (docs/methods/model.md). */
enum { CORRECTED_MOST = 40 };

/* No preset was asked for: the search stands in for a model that is not made for so many columns.
 */
static scone_status fall_back(scone_result *r, size_t columns, const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t most = learned_most_columns(r->model);
    if (most > CORRECTED_MOST) most = CORRECTED_MOST;
    if (columns <= most) return SCONE_OK;
    TRY(result_warn(
        r, context,
        "%zu columns are more than the %zu that the model of the preset %s is made for: "
        "this is the graph of --preset search",
        columns, most, r->preset->name));
    learned_free(r->model);
    r->model = NULL;
    r->options.model = NULL;
    memset(r->model_id, 0, sizeof r->model_id);
    TRY(preset_find(&r->preset, "search"));
cleanup:
    return status;
}

static scone_status take_options(scone_result *r, const scone_discover_options *given,
                                 size_t columns, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_discover_options *o = &r->options;
    if (given) *o = *given;
    TRY(preset_find(&r->preset, o->preset ? o->preset : o->model ? "best" : "search"));
    if ((int)o->effort < SCONE_EFFORT_NORMAL || (int)o->effort > SCONE_EFFORT_THOROUGH) {
        FAIL(SCONE_ERR_INPUT, "--effort must be fast, normal or thorough");
    }
    TRY(check_shares(o));
    if (o->max_parents > 0 && !r->preset->limits_parents) {
        FAIL(SCONE_ERR_INPUT, "--max-parents means nothing to the preset %s; leave it out",
             r->preset->name);
    }
    bool resamples = r->preset->bootstrap[SCONE_EFFORT_NORMAL] > 0;
    if (!resamples && o->bootstrap > 0 && o->bootstrap != SCONE_BOOTSTRAP_NONE) {
        FAIL(SCONE_ERR_INPUT, "--bootstrap means nothing to the preset %s; leave it out",
             r->preset->name);
    }
    TRY(take_model(r, o));
    if (!o->preset && r->model) TRY(fall_back(r, columns, context));
    if (!o->rules) o->rules = r->preset->rules;
    TRY(reasons_parse_rules(&r->rules, o->rules));
    o->rules = arena_text(r->memory, o->rules ? o->rules : "all", o->rules ? strlen(o->rules) : 3);
    if (!o->rules) TRY(SCONE_ERR_MEMORY);
    o->preset = r->preset->name;
    if (o->knowledge) {
        o->knowledge = arena_text(r->memory, o->knowledge, strlen(o->knowledge));
        if (!o->knowledge) TRY(SCONE_ERR_MEMORY);
    }
    if (o->alpha == 0.0) o->alpha = 0.05;
    if (o->bootstrap == 0) {
        o->bootstrap = r->preset->bootstrap[o->effort];
    } else if (o->bootstrap == SCONE_BOOTSTRAP_NONE) {
        o->bootstrap = 0;
    }
    if (o->bootstrap > 1000000) {
        FAIL(SCONE_ERR_INPUT, "--bootstrap must be at most 1000000, not %zu", o->bootstrap);
    }
    if (o->threshold == 0.0) {
        o->threshold = r->model ? r->model->threshold : r->preset->threshold;
    }
    if (o->margin == 0.0) o->margin = r->preset->margin;
    if (o->margin < 0.0) o->margin = 0.0;
cleanup:
    return status;
}

/* ---- columns ---- */

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

typedef struct named_column {
    const char *name;
    size_t column;
} named_column;

static int compare_columns(const void *a, const void *b)
{
    return text_compare_names(((const named_column *)a)->name, ((const named_column *)b)->name);
}

/* Names go into files of many kinds. */
static scone_status check_name(const char *name, size_t column)
{
    const char *text = name, *end = name + strlen(name);
    bool fine = *name != '\0';
    while (fine && text < end) {
        uint32_t c = text_next(&text, end);
        fine = c != UINT32_MAX && c >= 0x20 && c != 0x7F && xml_is_char(c);
    }
    if (fine) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "column %zu: the name '%s' is empty, not UTF-8 or holds control characters; "
                 "rename it",
                 column + 1, SHOW(name, strlen(name)));
}

static scone_status number_variables(scone_result *r, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    named_column *sorted = NULL;
    r->count = pair->tables[0]->columns;
    TRY_ALLOC(r->columns, r->count);
    TRY_ALLOC(r->variables, r->count);
    TRY_ALLOC(r->names, r->count);
    TRY_ALLOC(sorted, r->count);
    for (size_t j = 0; j < r->count; j++) {
        TRY(check_name(pair->tables[0]->names[j], j));
        sorted[j] = (named_column){pair->tables[0]->names[j], j};
    }
    qsort(sorted, r->count, sizeof *sorted, compare_columns);
    for (size_t v = 0; v < r->count; v++) {
        r->columns[v] = sorted[v].column;
        r->variables[sorted[v].column] = v;
        r->names[v] = arena_text(r->memory, sorted[v].name, strlen(sorted[v].name));
        if (!r->names[v]) TRY(SCONE_ERR_MEMORY);
        if (v > 0 && strcmp(r->names[v - 1], r->names[v]) == 0) {
            FAIL(SCONE_ERR_INPUT, "two columns are named '%s'; rename one",
                 SHOW(r->names[v], strlen(r->names[v])));
        }
    }
cleanup:
    mem_free(sorted);
    return status;
}

/* Names and values by variable, so that the order of the columns does not matter. */
static void hash_tables(scone_result *r, const scone_pair *pair)
{
    for (int regime = 0; regime < 2; regime++) {
        const table *t = pair->tables[regime];
        uint64_t hash = 0;
        r->rows[regime] = t->rows;
        for (size_t v = 0; v < r->count; v++) {
            hash = XXH64(r->names[v], strlen(r->names[v]) + 1, hash);
            hash = XXH64(table_column(t, r->columns[v]), t->rows * sizeof(double), hash);
        }
        r->hashes[regime] = hash;
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
static scone_status same_rows(bool *same, const scone_result *r, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    uint64_t *hashes = NULL;
    *same = r->rows[0] == r->rows[1];
    if (!*same || r->hashes[0] == r->hashes[1]) return SCONE_OK;
    TRY_ALLOC(hashes, r->rows[0]);
    const table *a = pair->tables[0], *b = pair->tables[1];
    const size_t counts[] = {1, r->count}; /* one variable mostly tells them apart */
    for (int i = 0; i < 2 && *same; i++) {
        *same = hash_rows(hashes, a, r->columns, counts[i]) ==
                hash_rows(hashes, b, r->columns, counts[i]);
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

/* "A, B and 3 more" */
typedef struct name_list {
    char text[512];
    size_t used, count;
} name_list;

static void list_name(name_list *list, const char *name)
{
    if (++list->count > 8) return;
    int length = snprintf(list->text + list->used, sizeof list->text - list->used, "%s%.50s",
                          list->count > 1 ? ", " : "", name);
    if (length > 0) list->used += (size_t)length;
}

static scone_status warn_names(scone_result *r, name_list *list, const scone_context *context,
                               const char *what)
{
    if (list->count == 0) return SCONE_OK;
    if (list->count > 8) {
        (void)snprintf(list->text + list->used, sizeof list->text - list->used, " and %zu more",
                       list->count - 8);
    }
    return result_warn(r, context, "%s %s: %s", list->count == 1 ? "column" : "columns", list->text,
                       what);
}

static variable_kind kind_of(const scone_pair *pair, size_t column)
{
    const table *a = pair->tables[0], *b = pair->tables[1];
    const double *x = table_column(a, column), *y = table_column(b, column);
    if (!is_constant(x, a->rows, x[0]) || !is_constant(y, b->rows, y[0])) return VARIABLE_VARIES;
    return x[0] == y[0] ? VARIABLE_CONSTANT : VARIABLE_SPLIT;
}

static scone_status pick_nodes(scone_result *r, const scone_pair *pair,
                               const scone_context *context)
{
    scone_status status = SCONE_OK;
    name_list constant = {.count = 0}, split = {.count = 0};
    bool same;
    TRY_ALLOC(r->nodes, r->count);
    TRY_ALLOC(r->kinds, r->count);
    for (size_t v = 0; v < r->count; v++) {
        variable_kind kind = kind_of(pair, r->columns[v]);
        r->kinds[v] = (unsigned char)kind;
        if (kind == VARIABLE_VARIES) r->nodes[r->node_count++] = v;
        if (kind == VARIABLE_CONSTANT) list_name(&constant, r->names[v]);
        if (kind == VARIABLE_SPLIT) list_name(&split, r->names[v]);
    }
    TRY(warn_names(r, &constant, context, "constant, so without edges"));
    TRY(warn_names(r, &split, context, "constant within each table, so without edges"));
    TRY(same_rows(&same, r, pair));
    if (same) {
        TRY(result_warn(r, context,
                        "both tables are the same%s; nothing changed between them, so there are no "
                        "targets and fewer directions can be found",
                        r->hashes[0] == r->hashes[1] ? "" : " but for the order of the rows"));
    }
cleanup:
    return status;
}

/* The power of two that brings a column to size 1 if it is so large or small that squares of its
 * values would overflow or vanish; else 0. A power of two rounds nothing. The trivial methods look
 * at variances, so they get the columns as they are. */
static int column_shift(const scone_result *r, const scone_pair *given, size_t column)
{
    double largest = 0.0;
    for (int regime = 0; regime < 2; regime++) {
        const double *x = table_column(given->tables[regime], column);
        for (size_t i = 0; i < given->tables[regime]->rows; i++) {
            double size = fabs(x[i]);
            largest = size > largest ? size : largest;
        }
    }
    if (largest == 0.0 || r->preset->trivial) return 0;
    return abs(ilogb(largest)) > PREPARE_LARGEST_EXPONENT ? -ilogb(largest) : 0;
}

/* The columns of the nodes, in order. */
static scone_status copy_nodes(scone_pair **out, const scone_result *r, const scone_pair *given)
{
    scone_status status = SCONE_OK;
    const char **names = NULL;
    scone_pair *pair = NULL;
    *out = NULL;
    TRY_ALLOC(names, r->node_count);
    for (size_t i = 0; i < r->node_count; i++) names[i] = r->names[r->nodes[i]];
    TRY_ZERO(pair, 1);
    for (int regime = 0; regime < 2; regime++) {
        const table *from = given->tables[regime];
        TRY(table_alloc(&pair->tables[regime], from->rows, r->node_count, names));
    }
    for (size_t i = 0; i < r->node_count; i++) {
        size_t column = r->columns[r->nodes[i]];
        int shift = column_shift(r, given, column);
        for (int regime = 0; regime < 2; regime++) {
            const table *from = given->tables[regime];
            double *x = table_column(pair->tables[regime], i);
            memcpy(x, table_column(from, column), from->rows * sizeof *x);
            for (size_t k = 0; shift != 0 && k < from->rows; k++) x[k] = ldexp(x[k], shift);
        }
    }
    *out = pair;
    pair = NULL;
cleanup:
    mem_free(names);
    scone_pair_free(pair);
    return status;
}

/* ---- knowledge ---- */

/* A constant column has no edges, so it cannot have a required one. */
static scone_status check_constant(const scone_result *r)
{
    const knowledge *k = r->known;
    for (size_t v = 0; v < r->count; v++) {
        if (r->kinds[v] == VARIABLE_VARIES) continue;
        for (size_t e = 0; e < k->requirement_count; e++) {
            const knowledge_edge *edge = &k->requirements[e];
            if (edge->from != v && edge->to != v) continue;
            return RAISE(SCONE_ERR_INPUT,
                         "line %zu requires %s -> %s, but column '%s' is constant and gets no "
                         "edges; remove the line or the column",
                         edge->line, SHOW(r->names[edge->from], strlen(r->names[edge->from])),
                         SHOW(r->names[edge->to], strlen(r->names[edge->to])),
                         SHOW(r->names[v], strlen(r->names[v])));
        }
    }
    return SCONE_OK;
}

static scone_status load_knowledge(scone_result *r, knowledge **part)
{
    scone_status status = SCONE_OK;
    knowledge_file file = {0};
    const char *path = r->options.knowledge;
    *part = NULL;
    if (!path) return SCONE_OK;
    TRY(knowledge_read(&file, path));
    status = knowledge_compile(&r->known, &file, r->names, r->count);
    if (status == SCONE_OK) status = check_constant(r);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    if (status != SCONE_OK) goto cleanup;
    TRY(knowledge_restrict(part, r->known, r->nodes, r->node_count));
cleanup:
    knowledge_file_free(&file);
    return status;
}

scone_status prepare(scone_result *r, scone_pair **pair, knowledge **part, const scone_pair *given,
                     const scone_discover_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    TRY(context_progress(context, "prepare", 0.0));
    TRY(take_options(r, options, given->tables[0]->columns, context));
    TRY(check_cells(given));
    TRY(number_variables(r, given));
    hash_tables(r, given);
    TRY(pick_nodes(r, given, context));
    TRY(load_knowledge(r, part));
    TRY(copy_nodes(pair, r, given));
    TRY(context_progress(context, "prepare", 1.0));
cleanup:
    return status;
}
