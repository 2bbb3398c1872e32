/* dcdi.c - reading problems from DCDI and SEA folders (see dcdi.h). O(cells). */
#include "data/dcdi.h"

#include "base/context.h"
#include "data/pair.h"
#include "io/listing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* folder/<stem><index><ending> in new memory */
static scone_status problem_path(char **path, const char *folder, const char *stem, size_t index,
                                 const char *ending)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s%zu%s", stem, index, ending);
    return path_join(path, folder, name);
}

scone_status dcdi_find_text(char **path, const char *folder, const char *stem, size_t index)
{
    static const char *const endings[] = {"", "s"};
    for (int i = 0; i < 2; i++) {
        char plural[32];
        (void)snprintf(plural, sizeof plural, "%s%s", stem, endings[i]);
        scone_status status = problem_path(path, folder, plural, index, ".csv");
        if (status != SCONE_OK || path_exists(*path)) return status;
        mem_free(*path);
        *path = NULL;
    }
    return SCONE_OK;
}

/* The number in "data_interv<number>.npy"; false for any other name. */
static bool problem_number(size_t *number, const char *name)
{
    static const char stem[] = "data_interv";
    if (strncmp(name, stem, sizeof stem - 1) != 0) return false;
    name += sizeof stem - 1;
    const char *digit = name;
    *number = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (!size_multiply(number, *number, 10)) return false;
        if (!size_add(number, *number, (size_t)(*digit - '0'))) return false;
    }
    bool padded = name[0] == '0' && digit - name > 1;
    return digit > name && !padded && strcmp(digit, ".npy") == 0;
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

scone_status dcdi_list(size_t **indices, size_t *count, const char *folder)
{
    scone_status status = SCONE_OK;
    size_t capacity = 0, number;
    *indices = NULL;
    *count = 0;
    listing entries;
    TRY(listing_read(&entries, folder, NULL));
    for (size_t k = 0; k < entries.count; k++) {
        if (!problem_number(&number, entries.names[k])) continue;
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 16;
            size_t *grown = mem_resize(*indices, capacity, sizeof *grown);
            if (!grown) TRY(SCONE_ERR_MEMORY);
            *indices = grown;
        }
        (*indices)[(*count)++] = number;
    }
    if (*count) qsort(*indices, *count, sizeof **indices, compare_sizes);
cleanup:
    listing_free(&entries);
    if (status != SCONE_OK) {
        mem_free(*indices);
        *indices = NULL;
        *count = 0;
    }
    return status;
}

static scone_status raise_no_problem(const char *folder, size_t index)
{
    size_t *indices, count, used = 0;
    char text[160] = "no problem at all";
    scone_status status = dcdi_list(&indices, &count, folder);
    if (status != SCONE_OK) return status;
    for (size_t i = 0; i < count && used < sizeof text; i++) {
        bool last = used > sizeof text - 40;
        int length =
            snprintf(text + used, sizeof text - used, "%s%zu", i ? ", " : "problems ", indices[i]);
        if (last) (void)snprintf(text + used, sizeof text - used, ", ...");
        if (last) break;
        used += length > 0 ? (size_t)length : 0;
    }
    mem_free(indices);
    return RAISE(SCONE_ERR_INPUT, "%s: there is no problem %zu (data_interv%zu.npy); it holds %s",
                 folder, index, index, text);
}

/* ---- regimes of the rows ---- */

/* Surplus blank lines at the end are fine; anything else must fit the rows. */
static scone_status check_lines(size_t count, const unsigned char *interventional, size_t rows,
                                const char *text_path, const char *data_path)
{
    while (interventional && count > rows && !interventional[count - 1]) count--;
    if (count == rows) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "%s has %zu lines, but %s has %zu rows; each row needs its line",
                 text_path, count, data_path, rows);
}

/* The regimes of the rows of data_interv: from the regime file, else from the intervention file (no
 * targets: regime 0), else all 1. */
static scone_status read_regimes(dcdi_rows *out, const char *folder, size_t index,
                                 const scone_context *context)
{
    scone_status status = SCONE_OK;
    char *path = NULL, *text = NULL;
    bool *targets = NULL;
    unsigned char *interventional = NULL;
    table *t = out->rows;
    size_t size, count, rows = t->rows, nodes = t->columns;
    TRY(dcdi_find_text(&path, folder, "regime", index));
    if (path) {
        TRY(file_read_noted(&text, &size, path, DCDI_TEXT_LIMIT, &t->inputs));
        status = dcdi_parse_regimes(&out->regimes, &count, text, size);
        if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
        if (status != SCONE_OK) goto cleanup;
        TRY(check_lines(count, NULL, rows, path, out->path));
        out->regime_path = path;
        path = NULL;
        goto cleanup;
    }
    TRY_ALLOC(out->regimes, rows);
    TRY(dcdi_find_text(&path, folder, "intervention", index));
    if (path) {
        TRY(file_read_noted(&text, &size, path, DCDI_TEXT_LIMIT, &t->inputs));
        TRY_ZERO(targets, nodes);
        status = dcdi_parse_interventions(&interventional, &count, targets, nodes, text, size);
        if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
        if (status != SCONE_OK) goto cleanup;
        TRY(check_lines(count, interventional, rows, path, out->path));
    } else {
        context_log(context, SCONE_NOTE,
                    "%s: neither a regime nor an intervention file, so every row counts as regime "
                    "1",
                    out->path);
    }
    for (size_t r = 0; r < rows; r++) out->regimes[r] = interventional ? interventional[r] : 1;
cleanup:
    mem_free(path);
    mem_free(text);
    mem_free(targets);
    mem_free(interventional);
    return status;
}

/* Applies the rule for missing cells to rows together with their regimes. */
static scone_status handle_missing(table *t, uint64_t *regimes, const char *path,
                                   const scone_read_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_na na = options ? options->na : SCONE_NA_ERROR;
    size_t kept = 0, rows = t->rows;
    unsigned char *bad = NULL;
    if (na == SCONE_NA_KEEP) return SCONE_OK;
    TRY_ZERO(bad, rows);
    for (size_t j = 0; j < t->columns; j++) {
        const double *column = table_column(t, j);
        for (size_t r = 0; r < rows; r++) {
            if (isfinite(column[r])) continue;
            if (na == SCONE_NA_ERROR) {
                FAIL(SCONE_ERR_INPUT,
                     "%s: row %zu, column %s: %s value; complete the data or drop such rows "
                     "(--na drop)",
                     path, r + 1, t->names[j], isnan(column[r]) ? "missing" : "infinite");
            }
            bad[r] = 1;
        }
    }
    /* Columns shrink in place: the write position never passes the read position. */
    double *to = t->values;
    for (size_t j = 0; j < t->columns; j++) {
        const double *from = t->values + j * rows;
        for (size_t r = 0; r < rows; r++) {
            if (!bad[r]) *to++ = from[r];
        }
    }
    for (size_t r = 0; r < rows; r++) {
        if (bad[r]) continue;
        TRY(table_row_map_add(&t->origins, kept, r + 1));
        regimes[kept++] = regimes[r];
    }
    t->rows = kept;
    if (kept < rows) {
        context_log(context, SCONE_NOTE, "%s: dropped %zu of %zu rows with missing values", path,
                    rows - kept, rows);
    }
cleanup:
    mem_free(bad);
    return status;
}

/* ---- the whole ---- */

scone_status dcdi_read_rows(dcdi_rows *out, const char *folder, size_t index,
                            const scone_read_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const scone_read_options keep = {.na = SCONE_NA_KEEP};
    dcdi_regimes all = {0};
    *out = (dcdi_rows){0};
    if (!path_is_folder(folder)) FAIL(SCONE_ERR_IO, "%s: is not a folder", folder);
    TRY(problem_path(&out->path, folder, "data_interv", index, ".npy"));
    if (!path_exists(out->path)) TRY(raise_no_problem(folder, index));
    /* Rows may only be dropped together with their regimes, so nothing is dropped here. */
    TRY(scone_table_read(&out->rows, out->path, &keep, context));
    TRY(read_regimes(out, folder, index, context));
    TRY(dcdi_regimes_number(&all, out->regimes, out->rows->rows));
    out->several = all.count;
    TRY(handle_missing(out->rows, out->regimes, out->path, options, context));
cleanup:
    dcdi_regimes_free(&all);
    return status;
}

scone_status dcdi_read_observational(table **out, const dcdi_rows *rows, const char *folder,
                                     size_t index, const scone_read_options *options,
                                     const scone_context *context)
{
    scone_status status = SCONE_OK;
    char *path = NULL;
    table *t = NULL;
    *out = NULL;
    TRY(problem_path(&path, folder, "data", index, ".npy"));
    if (!path_exists(path)) goto cleanup;
    TRY(scone_table_read(&t, path, options, context));
    if (t->columns != rows->rows->columns) {
        FAIL(SCONE_ERR_INPUT, "%s has %zu columns, but %s has %zu; they must be the same", path,
             t->columns, rows->path, rows->rows->columns);
    }
    *out = t;
    t = NULL;
cleanup:
    mem_free(path);
    scone_table_free(t);
    return status;
}

scone_status dcdi_check_rows(size_t control, size_t others, const char *path,
                             const scone_read_options *options)
{
    if ((control > 0 && others > 0) || (options && options->allow_empty)) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "%s: no %s rows%s", path,
                 control > 0 ? "interventional" : "observational",
                 control > 0 ? "; its regimes are all 0" : ", and there is no data file beside it");
}

scone_status scone_pair_read_dcdi(scone_pair **out, const char *folder, size_t index,
                                  const scone_read_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_pair *pair = NULL;
    table *control = NULL;
    dcdi_rows rows = {0};
    unsigned char *regime = NULL;
    *out = NULL;
    TRY(dcdi_read_rows(&rows, folder, index, options, context));
    if (rows.several > 1) {
        context_log(context, SCONE_NOTE,
                    "%s: several interventional regimes are pooled as regime 1", rows.regime_path);
    }
    TRY_ALLOC(regime, rows.rows->rows);
    for (size_t r = 0; r < rows.rows->rows; r++) regime[r] = rows.regimes[r] != 0;
    TRY(pair_divide(&pair, rows.rows, regime));
    TRY(dcdi_read_observational(&control, &rows, folder, index, options, context));
    if (control) {
        scone_table_free(pair->tables[0]);
        pair->tables[0] = control;
    }
    TRY(dcdi_check_rows(pair->tables[0]->rows, pair->tables[1]->rows, rows.path, options));
    *out = pair;
    pair = NULL;
cleanup:
    scone_pair_free(pair);
    mem_free(regime);
    dcdi_rows_free(&rows);
    return status;
}

scone_status dcdi_read_graph(graph **truth, const char *folder, size_t index)
{
    char *path;
    *truth = NULL;
    scone_status status = problem_path(&path, folder, "DAG", index, ".npy");
    if (status == SCONE_OK) status = scone_graph_read(truth, path, SCONE_GRAPH_NPY);
    mem_free(path);
    return status;
}

scone_status dcdi_read_targets(bool **targets, const char *folder, size_t index, size_t nodes)
{
    scone_status status = SCONE_OK;
    char *path = NULL, *text = NULL;
    unsigned char *interventional = NULL;
    size_t size, count;
    *targets = NULL;
    TRY(dcdi_find_text(&path, folder, "intervention", index));
    if (!path) {
        FAIL(SCONE_ERR_IO, "%s: there is no intervention%zu.csv (or interventions%zu.csv)", folder,
             index, index);
    }
    TRY(file_read_all(&text, &size, path, DCDI_TEXT_LIMIT));
    TRY_ZERO(*targets, nodes);
    status = dcdi_parse_interventions(&interventional, &count, *targets, nodes, text, size);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
cleanup:
    mem_free(path);
    mem_free(text);
    mem_free(interventional);
    if (status != SCONE_OK) {
        mem_free(*targets);
        *targets = NULL;
    }
    return status;
}
