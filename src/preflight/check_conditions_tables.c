/* check_conditions_tables.c - findings about a control and several conditions as whole tables:
 * their sizes, and rows that occur in more than one (see check_conditions.h).
 */
#include "preflight/check_conditions.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static size_t rows_of(const condition_check *c, size_t k)
{
    return check_conditions_table(c, k)->rows;
}

/* ---- sizes ---- */

static scone_status find_empty(condition_check *c, size_t *tables)
{
    size_t count = 0;
    for (size_t k = 0; k < c->tables; k++) {
        if (rows_of(c, k) == 0) tables[count++] = k;
    }
    if (count == 0) return SCONE_OK;
    check_report_begin(c->report);
    check_conditions_about(c, tables, count);
    check_conditions_list(&c->report->message, c, tables, count);
    check_text_add(&c->report->message, "%s no rows", count == 1 ? " has" : " have");
    check_text_add(&c->report->remedy, "%s",
                   tables[0] == 0 ? "give a control with rows from before any change"
                                  : "add rows, or leave conditions without rows out");
    return check_report_end(c->report, SCONE_SEVERITY_ERROR, CHECK_EMPTY_REGIME, 0.0,
                            (double)count);
}

static scone_status find_few_control(condition_check *c)
{
    size_t n = rows_of(c, 0), p = c->pooled.columns;
    bool few = n < CHECK_ROWS_WARNING, thin = p < n && n / CHECK_ROWS_PER_COLUMN < p;
    if (!few && !thin) return SCONE_OK;
    check_report_begin(c->report);
    check_conditions_about(c, &(size_t){0}, 1);
    if (few) {
        check_text_add(&c->report->message,
                       "the control has %zu row%s; changes are told against it, and cannot be seen "
                       "well in fewer than %d",
                       n, n == 1 ? "" : "s", CHECK_ROWS_WARNING);
    } else {
        check_text_add(&c->report->message,
                       "the control has %zu rows for %zu columns: fewer than %d per column", n, p,
                       CHECK_ROWS_PER_COLUMN);
    }
    check_text_add(&c->report->remedy,
                   "add rows to the control, or leave out columns that do not matter");
    return check_report_end(c->report, few ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
                            CHECK_FEW_ROWS, (double)n, -(double)n);
}

static scone_status find_few(condition_check *c, size_t *tables)
{
    size_t count = 0, least = SIZE_MAX;
    for (size_t k = 1; k < c->tables; k++) {
        size_t n = rows_of(c, k);
        if (n == 0 || n >= CHECK_CONDITION_ROWS) continue;
        least = n < least ? n : least;
        tables[count++] = k;
    }
    if (count == 0) return SCONE_OK;
    check_report_begin(c->report);
    check_conditions_about(c, tables, count);
    check_text *message = &c->report->message;
    check_conditions_list(message, c, tables, count);
    if (count == 1) {
        check_text_add(message, " has %zu row%s", least, least == 1 ? "" : "s");
    } else {
        check_text_add(message, " have fewer than %d rows, the shortest %zu", CHECK_CONDITION_ROWS,
                       least);
    }
    check_text_add(message,
                   "; what such a condition changed is hard to tell from fewer than %d rows",
                   CHECK_CONDITION_ROWS);
    check_text_add(&c->report->remedy,
                   "add rows, or give conditions that do the same the same name");
    return check_report_end(c->report, SCONE_SEVERITY_WARNING, CHECK_FEW_ROWS, (double)least,
                            -(double)least);
}

static scone_status find_wide(condition_check *c)
{
    size_t rows = 0, p = c->pooled.columns;
    for (size_t k = 0; k < c->tables; k++) rows += rows_of(c, k);
    if (p < rows) return SCONE_OK;
    check_report_begin(c->report);
    check_text_add(&c->report->message,
                   "%zu columns and only %zu rows in all tables together: every column is a "
                   "combination of the others, so dependences between many columns at once are "
                   "shrunk towards none",
                   p, rows);
    check_text_add(&c->report->remedy, "add rows, or keep only the columns you need");
    return check_report_end(c->report, SCONE_SEVERITY_NOTE, CHECK_WIDE, (double)p / (double)rows,
                            0.0);
}

/* Conditions that are much longer than the control, or much shorter. */
static scone_status find_unequal(condition_check *c, size_t *tables, bool longer)
{
    size_t count = 0, extreme = 0;
    double most = 0.0, control = (double)rows_of(c, 0);
    for (size_t k = 1; k < c->tables; k++) {
        double rows = (double)rows_of(c, k), ratio = longer ? rows / control : control / rows;
        if (!(ratio >= CHECK_UNEQUAL_NOTE) || rows_of(c, k) == 0) continue;
        if (ratio > most) extreme = k;
        most = fmax(most, ratio);
        tables[count++] = k;
    }
    if (count == 0) return SCONE_OK;
    check_report_begin(c->report);
    check_conditions_about(c, tables, count);
    check_text *message = &c->report->message;
    check_text_add(message, "the control (%zu rows) is much %s than ", rows_of(c, 0),
                   longer ? "shorter" : "longer");
    check_conditions_list(message, c, tables, count);
    check_text_add(message, ", %s%s times", count > 1 ? "up to " : "",
                   number_rounded(most, 3).text);
    if (count > 1) {
        check_text_add(message, " (");
        check_conditions_name(message, c, extreme);
        check_text_add(message, ": %zu row%s)", rows_of(c, extreme),
                       rows_of(c, extreme) == 1 ? "" : "s");
    } else {
        check_text_add(message, " (%zu row%s)", rows_of(c, extreme),
                       rows_of(c, extreme) == 1 ? "" : "s");
    }
    check_text_add(&c->report->remedy,
                   "add rows to the shorter tables: they limit what can be told about a change");
    return check_report_end(
        c->report, most >= CHECK_UNEQUAL_WARNING ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
        CHECK_UNEQUAL, most, most);
}

/* ---- rows in more than one table ---- */

/* Tables by what they hold, whatever the order of the rows. */
typedef struct table_digest {
    uint64_t digest;
    size_t table;
} table_digest;

typedef struct common_rows {
    uint64_t *control, *hashes, *other; /* of the control and of a condition, sorted; scratch */
    table_digest *digests;              /* [tables] */
    double *shares;                     /* [tables] rows that are in the control, too */
} common_rows;

static int compare_digests(const void *left, const void *right)
{
    const table_digest *a = left, *b = right;
    if (a->digest != b->digest) return a->digest < b->digest ? -1 : 1;
    return a->table < b->table ? -1 : a->table > b->table;
}

static bool has_word(const uint64_t *sorted, size_t count, uint64_t word)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < word) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && sorted[low] == word;
}

/* The share of the smaller table's rows that are in the other one, 0 if rows agree as often within
 * a table: in rounded or discrete data they do so by chance. */
static double share_in_common(const common_rows *w, size_t control, size_t rows)
{
    size_t common = 0;
    if (control == 0 || rows == 0) return 0.0;
    for (size_t r = 0; r < rows; r++) common += has_word(w->control, control, w->hashes[r]);
    double repeated = (double)check_tables_repeated(w->hashes, rows) / (double)rows;
    double share = (double)common / (double)(rows < control ? rows : control);
    return share > CHECK_COMMON_CHANCE * repeated ? fmin(share, 1.0) : 0.0;
}

static scone_status compare_rows(condition_check *c, common_rows *w)
{
    scone_status status = SCONE_OK;
    double repeated = 0.0;
    for (size_t k = 0; k < c->tables; k++) {
        uint64_t *hashes = k == 0 ? w->control : w->hashes;
        size_t rows = rows_of(c, k);
        TRY(check_tables_hash(hashes, check_conditions_table(c, k), c->pooled.order,
                              c->pooled.context));
        sort_words(hashes, w->other, rows);
        w->digests[k] = (table_digest){XXH64(hashes, rows * sizeof *hashes, rows), k};
        if (k == 0 && rows > 0) {
            repeated = (double)check_tables_repeated(hashes, rows) / (double)rows;
        }
        w->shares[k] = k == 0 ? 0.0 : share_in_common(w, rows_of(c, 0), rows);
        if (!(w->shares[k] > CHECK_COMMON_CHANCE * repeated)) w->shares[k] = 0.0;
    }
cleanup:
    return status;
}

/* Groups of tables that hold the same rows; those of them are not told of as in common. */
static scone_status find_same(condition_check *c, common_rows *w, size_t *tables)
{
    scone_status status = SCONE_OK;
    qsort(w->digests, c->tables, sizeof *w->digests, compare_digests);
    for (size_t first = 0, end; first < c->tables; first = end) {
        for (end = first; end < c->tables && w->digests[end].digest == w->digests[first].digest;) {
            tables[end - first] = w->digests[end].table;
            end++;
        }
        if (end - first < 2 || rows_of(c, tables[0]) == 0) continue;
        for (size_t i = 0; i < end - first; i++) w->shares[tables[i]] = 0.0;
        check_report_begin(c->report);
        check_conditions_about(c, tables, end - first);
        check_conditions_list(&c->report->message, c, tables, end - first);
        check_text_add(&c->report->message, " hold the same %zu rows: nothing differs between them",
                       rows_of(c, tables[0]));
        check_text_add(&c->report->remedy, "check the file names: each condition should hold rows "
                                           "of its own");
        TRY(check_report_end(c->report, SCONE_SEVERITY_WARNING, CHECK_SAME_TABLE,
                             (double)rows_of(c, tables[0]), (double)(end - first)));
    }
cleanup:
    return status;
}

static scone_status find_common(condition_check *c, const common_rows *w, size_t *tables)
{
    size_t count = 0, worst = 0;
    for (size_t k = 1; k < c->tables; k++) {
        if (!(w->shares[k] > 0.0)) continue;
        if (w->shares[k] > w->shares[worst]) worst = k;
        tables[count++] = k;
    }
    if (count == 0) return SCONE_OK;
    double share = w->shares[worst];
    check_report_begin(c->report);
    check_conditions_about(c, tables, count);
    check_conditions_list(&c->report->message, c, tables, count);
    check_text_add(&c->report->message,
                   "%s rows in common with the control%s, %s of the rows of the smaller table",
                   count == 1 ? " has" : " have", count == 1 ? "" : ", up to",
                   check_number_percent(share).text);
    check_text_add(&c->report->remedy, "find out how these rows came into both tables and keep "
                                       "each in the one it belongs to");
    return check_report_end(
        c->report, share >= CHECK_COMMON_WARNING ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
        CHECK_COMMON_ROWS, share, share);
}

static scone_status find_rows(condition_check *c, size_t *tables)
{
    scone_status status = SCONE_OK;
    common_rows w = {0};
    size_t longest = 0;
    for (size_t k = 0; k < c->tables; k++) {
        longest = rows_of(c, k) > longest ? rows_of(c, k) : longest;
    }
    TRY_ALLOC(w.control, rows_of(c, 0));
    TRY_ALLOC(w.hashes, longest);
    TRY_ALLOC(w.other, longest);
    TRY_ZERO(w.digests, c->tables);
    TRY_ZERO(w.shares, c->tables);
    TRY(compare_rows(c, &w));
    TRY(find_same(c, &w, tables));
    TRY(find_common(c, &w, tables));
cleanup:
    mem_free(w.control);
    mem_free(w.hashes);
    mem_free(w.other);
    mem_free(w.digests);
    mem_free(w.shares);
    return status;
}

scone_status check_conditions_tables(condition_check *c)
{
    scone_status status = SCONE_OK;
    size_t *tables = NULL;
    TRY_ALLOC(tables, c->tables);
    TRY(check_tables_columns(c->report, &c->pooled));
    TRY(find_empty(c, tables));
    if (c->pooled.columns == 0 || rows_of(c, 0) == 0) goto cleanup;
    TRY(find_few_control(c));
    TRY(find_few(c, tables));
    TRY(find_wide(c));
    TRY(find_unequal(c, tables, true));
    TRY(find_unequal(c, tables, false));
    TRY(find_rows(c, tables));
cleanup:
    mem_free(tables);
    return status;
}
