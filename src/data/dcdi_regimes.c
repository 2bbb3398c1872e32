/* dcdi_regimes.c - the regimes of a DCDI problem told apart (see dcdi.h). O(bytes + rows). */
#include "data/dcdi.h"

#include "base/sort.h"

#include <string.h>

void dcdi_rows_free(dcdi_rows *r)
{
    scone_table_free(r->rows);
    mem_free(r->regimes);
    mem_free(r->path);
    mem_free(r->regime_path);
    *r = (dcdi_rows){0};
}

void dcdi_regimes_free(dcdi_regimes *r)
{
    mem_free(r->numbers);
    mem_free(r->of_row);
    *r = (dcdi_regimes){0};
}

/* The place of a number among those sorted. */
static size_t find_number(const uint64_t *numbers, size_t count, uint64_t wanted)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (numbers[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

scone_status dcdi_regimes_number(dcdi_regimes *out, const uint64_t *regimes, size_t rows)
{
    scone_status status = SCONE_OK;
    uint64_t *other = NULL;
    *out = (dcdi_regimes){.rows = rows};
    TRY_ALLOC(out->numbers, rows);
    TRY_ALLOC(out->of_row, rows);
    TRY_ALLOC(other, rows);
    size_t named = 0;
    for (size_t r = 0; r < rows; r++) {
        if (regimes[r] != 0) out->numbers[named++] = regimes[r];
    }
    sort_words(out->numbers, other, named);
    for (size_t i = 0; i < named; i++) {
        if (i > 0 && out->numbers[i] == out->numbers[i - 1]) continue;
        out->numbers[out->count++] = out->numbers[i];
    }
    for (size_t r = 0; r < rows; r++) {
        out->of_row[r] = regimes[r] ? find_number(out->numbers, out->count, regimes[r]) : SIZE_MAX;
    }
cleanup:
    mem_free(other);
    if (status != SCONE_OK) dcdi_regimes_free(out);
    return status;
}

/* The text of the regime file; both NULL if there is none. */
static scone_status read_text(char **path, char **text, size_t *size, const char *folder,
                              const char *stem, size_t index)
{
    *text = NULL;
    scone_status status = dcdi_find_text(path, folder, stem, index);
    if (status == SCONE_OK && *path) status = file_read_all(text, size, *path, DCDI_TEXT_LIMIT);
    return status;
}

scone_status scone_dcdi_regimes(size_t *count, const char *folder, size_t index)
{
    scone_status status = SCONE_OK;
    char *path = NULL, *text = NULL;
    uint64_t *lines = NULL;
    dcdi_regimes regimes = {0};
    size_t size, rows;
    *count = 1;
    TRY(read_text(&path, &text, &size, folder, "regime", index));
    if (!path) goto cleanup;
    status = dcdi_parse_regimes(&lines, &rows, text, size);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    if (status != SCONE_OK) goto cleanup;
    TRY(dcdi_regimes_number(&regimes, lines, rows));
    *count = regimes.count;
cleanup:
    mem_free(path);
    mem_free(text);
    mem_free(lines);
    dcdi_regimes_free(&regimes);
    return status;
}

/* ---- targets ---- */

void dcdi_condition_targets_free(dcdi_condition_targets *t)
{
    mem_free(t->numbers);
    mem_free(t->targets);
    *t = (dcdi_condition_targets){0};
}

/* Without a regime file, rows with targets are those of condition 1. */
static scone_status read_numbers(dcdi_regimes *out, const char *folder, size_t index,
                                 const unsigned char *interventional, size_t lines)
{
    scone_status status = SCONE_OK;
    char *path = NULL, *text = NULL;
    uint64_t *regimes = NULL;
    size_t size, rows = lines;
    TRY(read_text(&path, &text, &size, folder, "regime", index));
    if (path) {
        status = dcdi_parse_regimes(&regimes, &rows, text, size);
        if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
        if (status != SCONE_OK) goto cleanup;
    } else {
        TRY_ALLOC(regimes, lines);
        for (size_t r = 0; r < lines; r++) regimes[r] = interventional[r];
    }
    TRY(dcdi_regimes_number(out, regimes, rows));
cleanup:
    mem_free(path);
    mem_free(text);
    mem_free(regimes);
    return status;
}

scone_status dcdi_read_condition_targets(dcdi_condition_targets *out, const char *folder,
                                         size_t index, size_t nodes)
{
    scone_status status = SCONE_OK;
    char *path = NULL, *text = NULL;
    unsigned char *interventional = NULL;
    bool *any = NULL;
    dcdi_regimes regimes = {0};
    size_t size, lines, cells;
    *out = (dcdi_condition_targets){.nodes = nodes};
    TRY(read_text(&path, &text, &size, folder, "intervention", index));
    if (!path) {
        FAIL(SCONE_ERR_IO, "%s: there is no intervention%zu.csv (or interventions%zu.csv)", folder,
             index, index);
    }
    TRY_ZERO(any, nodes);
    status = dcdi_parse_interventions(&interventional, &lines, any, nodes, text, size);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    if (status != SCONE_OK) goto cleanup;
    TRY(read_numbers(&regimes, folder, index, interventional, lines));
    if (!size_multiply(&cells, regimes.count, nodes)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ZERO(out->targets, cells);
    status = dcdi_parse_row_targets(out->targets, nodes, &regimes, text, size);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    out->count = regimes.count;
    out->numbers = regimes.numbers;
    regimes.numbers = NULL;
cleanup:
    mem_free(path);
    mem_free(text);
    mem_free(interventional);
    mem_free(any);
    dcdi_regimes_free(&regimes);
    if (status != SCONE_OK) dcdi_condition_targets_free(out);
    return status;
}
