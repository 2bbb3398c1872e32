/* delimited_rows.c - the rows of a delimited file (see delimited_rows.h). Cost: linear in the text.
 */
#include "text/delimited_rows.h"

/* The next record that is not blank: its text in [*text, *end), its number in rows->row; false at
 * the end of the file. */
static bool next_record(delimited_rows *rows, const char **text, const char **end, bool *open_quote)
{
    while (rows->next < rows->end) {
        const char *from = rows->next, *next = rows->end;
        *open_quote = false;
        const char *to = delimited_record_end(from, rows->end, true, &next, open_quote);
        if (!to) to = next = rows->end;
        rows->next = next;
        rows->row++;
        const char *first = from;
        while (first < to && (*first == ' ' || *first == '\t')) first++;
        if (first == to) continue;
        *text = from;
        *end = to;
        return true;
    }
    return false;
}

static scone_status split_record(delimited_rows *rows, const char *text, const char *end,
                                 bool open_quote)
{
    if (open_quote) {
        return RAISE(SCONE_ERR_INPUT,
                     "row %zu: a quote is opened and never closed; close it or "
                     "double the quotes inside names",
                     rows->row);
    }
    arena_clear(rows->memory);
    scone_status status = delimited_split(&rows->record, rows->memory, text, end, rows->delimiter);
    if (status != SCONE_OK) status_prefix("row %zu", rows->row);
    return status;
}

scone_status delimited_rows_open(delimited_rows *rows, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    *rows = (delimited_rows){.next = text, .end = text + size};
    TRY(arena_alloc(&rows->memory, 0));
    TRY(delimited_skip_mark(&rows->next, rows->end));
    const char *header = NULL, *end = NULL;
    bool open_quote = false;
    if (!next_record(rows, &header, &end, &open_quote)) {
        FAIL(SCONE_ERR_INPUT, "the file is empty; a graph needs at least a header such as "
                              "\"source,target\"");
    }
    rows->delimiter = delimited_detect(header, end);
    TRY(split_record(rows, header, end, open_quote));
cleanup:
    return status;
}

scone_status delimited_rows_next(delimited_rows *rows, bool *more)
{
    const char *text = NULL, *end = NULL;
    bool open_quote = false;
    *more = next_record(rows, &text, &end, &open_quote);
    return *more ? split_record(rows, text, end, open_quote) : SCONE_OK;
}

size_t delimited_rows_left(const delimited_rows *rows)
{
    delimited_rows ahead = *rows;
    const char *text, *end;
    bool open_quote;
    size_t count = 0;
    while (next_record(&ahead, &text, &end, &open_quote)) count++;
    return count;
}

void delimited_rows_close(delimited_rows *rows)
{
    delimited_record_free(&rows->record);
    arena_free(rows->memory);
    *rows = (delimited_rows){0};
}
