/* dcdi_text.c - the regime and intervention files of DCDI folders (see dcdi.h). O(bytes). */
#include "data/dcdi.h"

#include "text/number/number.h"

#include <string.h>

typedef struct text_lines {
    const char *at, *end;
    size_t line;                /* number of the current one, from 1 */
    const char *begin, *finish; /* the current one, without white space around it */
} text_lines;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **begin, const char **end)
{
    while (*begin < *end && is_space(**begin)) ++*begin;
    while (*end > *begin && is_space((*end)[-1])) --*end;
}

/* Moves to the next line, which a line break or the end of the text ends; false if none is left. */
static bool next_line(text_lines *lines)
{
    if (lines->at == lines->end) return false;
    const char *stop = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    lines->begin = lines->at;
    lines->finish = stop ? stop : lines->end;
    lines->at = stop ? stop + 1 : lines->end;
    trim(&lines->begin, &lines->finish);
    lines->line++;
    return true;
}

/* At least the number of lines, for one allocation. */
static size_t line_bound(const char *text, size_t size)
{
    size_t breaks = 0;
    for (size_t i = 0; i < size; i++) breaks += text[i] == '\n';
    return breaks + 1;
}

/* A whole number that is not negative, also as "3.0" or "3e0". */
static bool parse_whole(double *value, const char *begin, const char *end)
{
    if (number_parse(value, begin, end) != NUMBER_OK) return false;
    /* beyond 2^53 a double does not tell whole numbers apart */
    return *value >= 0.0 && *value < 0x1p53 && *value == (double)(uint64_t)*value;
}

/* The start of a text for a message, with what cannot be printed as '?'. */
static const char *shown(char out[40], const char *begin, const char *end)
{
    size_t length = 0;
    for (; begin < end && length < 36; begin++) {
        out[length++] = *begin >= ' ' && *begin <= '~' ? *begin : '?';
    }
    out[length] = '\0';
    return out;
}

scone_status dcdi_parse_regimes(uint64_t **regimes, size_t *count, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    text_lines lines = {.at = text, .end = text + size};
    *regimes = NULL;
    *count = 0;
    TRY_ALLOC(*regimes, line_bound(text, size));
    while (next_line(&lines)) {
        if (lines.begin == lines.finish) continue;
        double value;
        char excerpt[40];
        if (!parse_whole(&value, lines.begin, lines.finish)) {
            FAIL(SCONE_ERR_INPUT,
                 "line %zu: '%s' is not a regime; each line needs one number, 0 for observational "
                 "rows",
                 lines.line, shown(excerpt, lines.begin, lines.finish));
        }
        (*regimes)[(*count)++] = (uint64_t)value;
    }
cleanup:
    if (status != SCONE_OK) {
        mem_free(*regimes);
        *regimes = NULL;
        *count = 0;
    }
    return status;
}

/* One line "3,7": marks its targets. */
static scone_status parse_targets(bool *targets, size_t nodes, const text_lines *lines)
{
    const char *at = lines->begin;
    for (;;) {
        const char *comma = memchr(at, ',', (size_t)(lines->finish - at));
        const char *begin = at, *end = comma ? comma : lines->finish;
        double value;
        char excerpt[40];
        trim(&begin, &end);
        if (!parse_whole(&value, begin, end)) {
            return RAISE(SCONE_ERR_INPUT,
                         "line %zu: '%s' is not a node number; targets are written as 3,7",
                         lines->line, shown(excerpt, begin, end));
        }
        if (!(value < (double)nodes)) {
            return RAISE(SCONE_ERR_INPUT,
                         "line %zu: target %.0f, but there are %zu nodes, counted from 0",
                         lines->line, value, nodes);
        }
        targets[(size_t)value] = true;
        if (!comma) return SCONE_OK;
        at = comma + 1;
    }
}

scone_status dcdi_parse_interventions(unsigned char **interventional, size_t *count, bool *targets,
                                      size_t nodes, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    text_lines lines = {.at = text, .end = text + size};
    *interventional = NULL;
    *count = 0;
    TRY_ALLOC(*interventional, line_bound(text, size));
    while (next_line(&lines)) {
        bool any = lines.begin < lines.finish;
        if (any) TRY(parse_targets(targets, nodes, &lines));
        (*interventional)[(*count)++] = any;
    }
cleanup:
    if (status != SCONE_OK) {
        mem_free(*interventional);
        *interventional = NULL;
        *count = 0;
    }
    return status;
}

scone_status dcdi_parse_row_targets(bool *targets, size_t nodes, const dcdi_regimes *regimes,
                                    const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    text_lines lines = {.at = text, .end = text + size};
    size_t row = 0;
    for (; next_line(&lines); row++) {
        if (lines.begin == lines.finish) continue;
        if (row >= regimes->rows || regimes->of_row[row] == SIZE_MAX) {
            FAIL(SCONE_ERR_INPUT,
                 "line %zu names targets, but %s; both files need one line for each row",
                 lines.line,
                 row < regimes->rows ? "the row is of regime 0" : "there are fewer regimes");
        }
        TRY(parse_targets(targets + regimes->of_row[row] * nodes, nodes, &lines));
    }
    if (row < regimes->rows) {
        FAIL(SCONE_ERR_INPUT, "there are %zu lines, but %zu regimes; each row needs both", row,
             regimes->rows);
    }
cleanup:
    return status;
}
