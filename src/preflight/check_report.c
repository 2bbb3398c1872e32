/* check_report.c - the list of findings: texts, numbers in texts, order (see check.h). */
#include "preflight/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Name, and place within one severity. */
static const struct {
    const char *name;
    int place;
} codes[CHECK_CODES] = {
    [CHECK_NO_COLUMNS] = {"no-columns", 0},
    [CHECK_EMPTY_REGIME] = {"empty-regime", 1},
    [CHECK_MISSING] = {"missing-values", 2},
    [CHECK_INFINITE] = {"infinite-values", 2},
    [CHECK_SAME_TABLE] = {"same-table", 4},
    [CHECK_UNIT] = {"unit-trouble", 5},
    [CHECK_SHIFT] = {"far-shift", 6},
    [CHECK_SCALE] = {"other-scale", 7},
    [CHECK_CONSTANT] = {"constant-column", 8},
    [CHECK_CONSTANT_ONE] = {"constant-in-one-regime", 9},
    [CHECK_DUPLICATES] = {"duplicate-columns", 10},
    [CHECK_COLLINEAR_BOTH] = {"collinear-columns", 11},
    [CHECK_COLLINEAR_ONE] = {"collinear-in-one-regime", 12},
    [CHECK_COMMON_ROWS] = {"rows-in-common", 13},
    [CHECK_FEW_ROWS] = {"too-few-rows", 14},
    [CHECK_NEARLY_CONSTANT] = {"nearly-constant", 15},
    [CHECK_OUTLIERS] = {"outliers", 16},
    [CHECK_DISCRETE] = {"discrete-column", 17},
    [CHECK_OFFSET] = {"large-offset", 18},
    [CHECK_SPREAD] = {"scale-spread", 19},
    [CHECK_UNEQUAL] = {"unequal-rows", 20},
    [CHECK_ONE_COLUMN] = {"one-column", 21},
    [CHECK_WIDE] = {"more-columns-than-rows", 22},
    [CHECK_NOT_COMPARED] = {"columns-not-compared", 23},
    [CHECK_HEAVY_TAILS] = {"heavy-tails", 24},
    [CHECK_TIES] = {"tied-values", 25},
};

/* ---- text ---- */

static bool text_reserve(check_text *text, size_t more)
{
    size_t needed;
    if (!size_add(&needed, text->length, more) || !size_add(&needed, needed, 1)) return false;
    if (needed <= text->capacity) return true;
    size_t capacity = needed + needed / 2 + 64;
    char *bytes = mem_resize(text->bytes, capacity, 1);
    if (!bytes) return false;
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void check_text_add(check_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0 || !text_reserve(text, (size_t)length)) {
        text->failed = true;
    } else {
        (void)vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

number_text check_number_percent(double share)
{
    number_text out = number_rounded(100.0 * share, 3);
    size_t length = strlen(out.text);
    memcpy(out.text + length, "%", 2);
    return out;
}

/* ---- findings ---- */

static void text_clear(check_text *text)
{
    text->length = 0;
    text->failed = false;
}

void check_report_begin(scone_check *report)
{
    text_clear(&report->columns);
    text_clear(&report->message);
    text_clear(&report->remedy);
    report->condition_count = 0;
}

/* The names of the conditions concerned. */
static scone_status keep_conditions(scone_finding *finding, scone_check *report)
{
    size_t count = report->condition_count;
    if (count == 0) return SCONE_OK;
    const char **names = arena_get(report->memory, count, sizeof *names);
    if (!names) return SCONE_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        names[k] = arena_text(report->memory, report->conditions[k], strlen(report->conditions[k]));
        if (!names[k]) return SCONE_ERR_MEMORY;
    }
    finding->conditions = names;
    finding->condition_count = count;
    return SCONE_OK;
}

static scone_status keep_text(const char **out, scone_check *report, const check_text *text)
{
    *out = text->failed ? NULL : arena_text(report->memory, text->bytes, text->length);
    return *out ? SCONE_OK : SCONE_ERR_MEMORY;
}

scone_status check_report_end(scone_check *report, scone_severity severity, check_code code,
                              double value, double badness)
{
    scone_status status = SCONE_OK;
    if (report->count == report->capacity) {
        size_t capacity = 2 * report->capacity + 16;
        check_entry *entries = mem_resize(report->entries, capacity, sizeof *entries);
        if (!entries) TRY(SCONE_ERR_MEMORY);
        report->entries = entries;
        report->capacity = capacity;
    }
    check_entry *entry = &report->entries[report->count];
    *entry = (check_entry){.code = code, .badness = badness};
    entry->finding.severity = severity;
    entry->finding.code = codes[code].name;
    entry->finding.value = value;
    TRY(keep_text(&entry->finding.columns, report, &report->columns));
    TRY(keep_text(&entry->finding.message, report, &report->message));
    TRY(keep_text(&entry->finding.remedy, report, &report->remedy));
    TRY(keep_conditions(&entry->finding, report));
    report->count++;
cleanup:
    return status;
}

/* Worst first; a total order up to equal findings, so the sort's method does not matter. */
static int compare_entries(const void *left, const void *right)
{
    const check_entry *a = left, *b = right;
    if (a->finding.severity != b->finding.severity) {
        return a->finding.severity > b->finding.severity ? -1 : 1;
    }
    if (codes[a->code].place != codes[b->code].place) {
        return codes[a->code].place < codes[b->code].place ? -1 : 1;
    }
    if (a->badness > b->badness) return -1;
    if (a->badness < b->badness) return 1;
    if (a->code != b->code) return a->code < b->code ? -1 : 1;
    int names = strcmp(a->finding.columns, b->finding.columns);
    return names ? names : strcmp(a->finding.message, b->finding.message);
}

void check_report_sort(scone_check *report)
{
    if (report->count) {
        qsort(report->entries, report->count, sizeof *report->entries, compare_entries);
    }
}
