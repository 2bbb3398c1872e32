/* check_tables.c - findings about whole tables: their sizes, and rows that occur in both (see
 * check.h).
 *
 * A row is reduced to a 64-bit xxHash of its cells, column by column; equal rows have equal words,
 * and different rows have them with a chance of 2^-64 per pair. -0 counts as 0, every NaN as NaN.
 */
#include "preflight/check.h"

#include "base/sort.h"
#include "parallel/parallel.h"

#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- sizes ---- */

scone_status check_tables_columns(scone_check *report, const check_input *input)
{
    if (input->columns > 1) return SCONE_OK;
    check_report_begin(report);
    if (input->columns == 0) {
        check_text_add(&report->message, "the tables have no columns");
        check_text_add(&report->remedy, "give tables with at least two columns of numbers");
        return check_report_end(report, SCONE_SEVERITY_ERROR, CHECK_NO_COLUMNS, 0.0, 0.0);
    }
    check_text_add(&report->columns, "%s", check_name(input, 0));
    check_text_add(&report->message, "the tables have one column, '%s': there is no edge to find",
                   check_name(input, 0));
    check_text_add(&report->remedy, "add the columns that could cause it or be caused by it");
    return check_report_end(report, SCONE_SEVERITY_WARNING, CHECK_ONE_COLUMN, 1.0, 0.0);
}

static scone_status check_empty(scone_check *report, const check_input *input)
{
    scone_status status = SCONE_OK;
    for (int regime = 0; regime < 2; regime++) {
        if (input->tables[regime]->rows) continue;
        check_report_begin(report);
        check_text_add(&report->message, "regime %d has no rows", regime);
        check_text_add(&report->remedy,
                       regime ? "give a second table with rows from after the change"
                              : "give a first table with rows from before the change");
        TRY(check_report_end(report, SCONE_SEVERITY_ERROR, CHECK_EMPTY_REGIME, 0.0,
                             (double)(1 - regime)));
    }
cleanup:
    return status;
}

static scone_status check_few_rows(scone_check *report, const check_input *input)
{
    size_t rows[2] = {input->tables[0]->rows, input->tables[1]->rows};
    int fewer = rows[1] < rows[0] ? 1 : 0;
    size_t n = rows[fewer], p = input->columns;
    bool few = n < CHECK_ROWS_WARNING, thin = p < n && n / CHECK_ROWS_PER_COLUMN < p;
    if (!few && !thin) return SCONE_OK;
    check_report_begin(report);
    if (few) {
        check_text_add(
            &report->message,
            "regime %d has %zu row%s, and regime %d has %zu; weak dependences cannot be seen in "
            "fewer than %d rows",
            fewer, n, n == 1 ? "" : "s", 1 - fewer, rows[1 - fewer], CHECK_ROWS_WARNING);
    } else {
        check_text_add(&report->message,
                       "regime %d has %zu rows for %zu columns: fewer than %d per column", fewer, n,
                       p, CHECK_ROWS_PER_COLUMN);
    }
    check_text_add(&report->remedy,
                   "add rows to regime %d, or leave out columns that do not matter", fewer);
    return check_report_end(report, few ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
                            CHECK_FEW_ROWS, (double)n, -(double)n);
}

static scone_status check_wide(scone_check *report, const check_input *input)
{
    size_t rows[2] = {input->tables[0]->rows, input->tables[1]->rows};
    int fewer = rows[1] < rows[0] ? 1 : 0;
    if (input->columns < rows[fewer]) return SCONE_OK;
    check_report_begin(report);
    check_text_add(
        &report->message,
        "%zu columns and only %zu rows in regime %d: every column is a combination of the "
        "others there, so dependences between many columns at once are shrunk towards none",
        input->columns, rows[fewer], fewer);
    check_text_add(&report->remedy, "add rows to regime %d, or keep only the columns you need",
                   fewer);
    return check_report_end(report, SCONE_SEVERITY_NOTE, CHECK_WIDE,
                            (double)input->columns / (double)rows[fewer], 0.0);
}

static scone_status check_unequal(scone_check *report, const check_input *input)
{
    double rows[2] = {(double)input->tables[0]->rows, (double)input->tables[1]->rows};
    int fewer = rows[1] < rows[0] ? 1 : 0;
    double ratio = rows[1 - fewer] / rows[fewer];
    if (!(ratio >= CHECK_UNEQUAL_NOTE)) return SCONE_OK;
    check_report_begin(report);
    check_text_add(&report->message,
                   "regime %d has %s times as many rows as regime %d (%zu and %zu)", 1 - fewer,
                   number_rounded(ratio, 3).text, fewer, input->tables[1 - fewer]->rows,
                   input->tables[fewer]->rows);
    check_text_add(&report->remedy,
                   "add rows to regime %d: the smaller table limits what can be told "
                   "about the change",
                   fewer);
    return check_report_end(
        report, ratio >= CHECK_UNEQUAL_WARNING ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
        CHECK_UNEQUAL, ratio, ratio);
}

/* ---- rows in both tables ---- */

enum { HASH_ROWS = 4096 }; /* rows of one item of the parallel loop */

typedef struct hash_loop {
    const table *t;
    const size_t *order;
    uint64_t *hashes; /* [rows] */
} hash_loop;

static scone_status hash_item(void *argument, size_t item, int worker)
{
    (void)worker;
    const hash_loop *loop = argument;
    size_t first = item * HASH_ROWS, rows = loop->t->rows;
    size_t end = rows - first < HASH_ROWS ? rows : first + HASH_ROWS;
    memset(loop->hashes + first, 0, (end - first) * sizeof *loop->hashes);
    for (size_t j = 0; j < loop->t->columns; j++) {
        const double *values = table_column(loop->t, loop->order[j]);
        for (size_t r = first; r < end; r++) {
            double value = isnan(values[r]) ? (double)NAN : values[r] + 0.0;
            loop->hashes[r] = XXH64(&value, sizeof value, loop->hashes[r]);
        }
    }
    return SCONE_OK;
}

scone_status check_tables_hash(uint64_t *hashes, const table *t, const size_t *order,
                               const scone_context *context)
{
    hash_loop loop = {t, order, hashes};
    size_t items = (t->rows + HASH_ROWS - 1) / HASH_ROWS;
    scone_context threads = {.threads = context_threads(context)};
    return parallel_for(items, &threads, NULL, hash_item, &loop);
}

size_t check_tables_repeated(const uint64_t *words, size_t count)
{
    size_t repeated = 0;
    for (size_t i = 0; i < count; i++) {
        repeated +=
            (i > 0 && words[i] == words[i - 1]) || (i + 1 < count && words[i] == words[i + 1]);
    }
    return repeated;
}

/* Of sorted words: how many of a occur in b. */
static size_t count_common(const uint64_t *a, size_t count_a, const uint64_t *b, size_t count_b)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < count_a; i++) {
        while (j < count_b && b[j] < a[i]) j++;
        common += j < count_b && b[j] == a[i];
    }
    return common;
}

static scone_status report_same(scone_check *report, size_t rows, bool in_order)
{
    check_report_begin(report);
    check_text_add(&report->message,
                   "both tables hold the same %zu rows%s: nothing changed between them", rows,
                   in_order ? "" : " in another order");
    check_text_add(&report->remedy,
                   "check the file names: the second table should hold rows from after "
                   "the change");
    return check_report_end(report, SCONE_SEVERITY_WARNING, CHECK_SAME_TABLE, (double)rows, 0.0);
}

/* In rounded or discrete data rows agree by chance, across tables about as often as within one;
 * only more than that is worth telling. */
static scone_status report_common(scone_check *report, const uint64_t *const sorted[2],
                                  const size_t rows[2])
{
    int fewer = rows[1] < rows[0] ? 1 : 0;
    size_t common = count_common(sorted[fewer], rows[fewer], sorted[1 - fewer], rows[1 - fewer]);
    double share = (double)common / (double)rows[fewer], chance = 0.0;
    for (int regime = 0; regime < 2; regime++) {
        double repeated = (double)check_tables_repeated(sorted[regime], rows[regime]);
        chance = fmax(chance, repeated / (double)rows[regime]);
    }
    if (common == 0 || !(share > CHECK_COMMON_CHANCE * chance)) return SCONE_OK;
    check_report_begin(report);
    check_text_add(&report->message,
                   "%zu of the %zu rows of regime %d (%s) also occur in regime %d", common,
                   rows[fewer], fewer, check_number_percent(share).text, 1 - fewer);
    check_text_add(&report->remedy,
                   "find out how these rows came into both tables and keep each in the "
                   "one it belongs to");
    return check_report_end(
        report, share >= CHECK_COMMON_WARNING ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
        CHECK_COMMON_ROWS, share, share);
}

static scone_status check_rows(scone_check *report, const check_input *input)
{
    scone_status status = SCONE_OK;
    uint64_t *hashes[2] = {NULL, NULL}, *other = NULL;
    size_t rows[2] = {input->tables[0]->rows, input->tables[1]->rows};
    TRY_ALLOC(hashes[0], rows[0]);
    TRY_ALLOC(hashes[1], rows[1]);
    TRY_ALLOC(other, rows[0] > rows[1] ? rows[0] : rows[1]);
    for (int regime = 0; regime < 2; regime++) {
        TRY(check_tables_hash(hashes[regime], input->tables[regime], input->order, input->context));
    }
    size_t bytes = rows[0] * sizeof **hashes;
    bool in_order = rows[0] == rows[1] && memcmp(hashes[0], hashes[1], bytes) == 0;
    sort_words(hashes[0], other, rows[0]);
    sort_words(hashes[1], other, rows[1]);
    if (rows[0] == rows[1] && memcmp(hashes[0], hashes[1], bytes) == 0) {
        TRY(report_same(report, rows[0], in_order));
    } else {
        const uint64_t *const sorted[2] = {hashes[0], hashes[1]};
        TRY(report_common(report, sorted, rows));
    }
cleanup:
    mem_free(hashes[0]);
    mem_free(hashes[1]);
    mem_free(other);
    return status;
}

scone_status check_tables(scone_check *report, const check_input *input)
{
    scone_status status = SCONE_OK;
    TRY(check_tables_columns(report, input));
    TRY(check_empty(report, input));
    if (input->columns == 0 || input->tables[0]->rows == 0 || input->tables[1]->rows == 0) {
        goto cleanup;
    }
    TRY(check_few_rows(report, input));
    TRY(check_wide(report, input));
    TRY(check_unequal(report, input));
    TRY(check_rows(report, input));
cleanup:
    return status;
}
