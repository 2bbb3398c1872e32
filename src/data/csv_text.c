/* csv_text.c - the buffer between a file and the CSV reader (see csv_parts.h).
 *
 * The buffer grows only when one record does not fit. It is then doubled and filled to the end, so
 * that looking for the end of a long record again costs O(bytes) in all.
 */
#include "data/csv_parts.h"

#include <string.h>

scone_status csv_text_start(csv_text *text, size_t capacity)
{
    text->capacity = capacity ? capacity : CSV_BUFFER;
    text->limit = CSV_RECORD_LIMIT;
    size_t bytes;
    if (!size_add(&bytes, text->capacity, CSV_PADDING))
        return RAISE(SCONE_ERR_MEMORY, "out of memory");
    text->bytes = mem_alloc(bytes, 1);
    return text->bytes ? SCONE_OK : SCONE_ERR_MEMORY;
}

scone_status csv_text_check(const char *text, size_t length)
{
    if (!memchr(text, '\0', length)) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "a NUL byte; the file is binary, damaged or not saved as UTF-8 text");
}

/* A device or a binary file may have no end of its first line at all. */
static scone_status grow(csv_text *text)
{
    if (text->capacity >= CSV_BUFFER) { /* below, the header has not been looked at */
        scone_status status = csv_text_check(text->bytes, text->end);
        if (status != SCONE_OK) return status;
    }
    if (text->capacity >= text->limit) {
        return RAISE(SCONE_ERR_INPUT,
                     "longer than %d MiB; is a quote (\") left open, or is this not a CSV file?",
                     CSV_RECORD_LIMIT / (1024 * 1024));
    }
    size_t capacity = 2 * text->capacity;
    char *bytes = mem_resize(text->bytes, capacity + CSV_PADDING, 1);
    if (!bytes) return SCONE_ERR_MEMORY;
    text->bytes = bytes;
    text->capacity = capacity;
    return SCONE_OK;
}

static scone_status read_some(csv_text *text, size_t *got)
{
    char *to = text->bytes + text->end;
    size_t room = text->capacity - text->end;
    if (text->file) {
        scone_status status = input_read(text->file, to, room, got);
        text->failed = status != SCONE_OK;
        return status;
    }
    size_t left = (size_t)(text->memory_end - text->memory);
    *got = left < room ? left : room;
    if (*got) memcpy(to, text->memory, *got);
    text->memory += *got;
    return SCONE_OK;
}

scone_status csv_text_more(csv_text *text)
{
    scone_status status = SCONE_OK;
    if (text->begin > 0) {
        text->consumed += text->begin;
        text->end -= text->begin;
        memmove(text->bytes, text->bytes + text->begin, text->end);
        text->begin = 0;
    } else if (text->end == text->capacity) {
        TRY(grow(text));
    }
    while (text->end < text->capacity && !text->finished) {
        size_t got;
        TRY(read_some(text, &got));
        text->end += got;
        text->finished = got == 0;
    }
    memset(text->bytes + text->end, 0, CSV_PADDING);
cleanup:
    return status;
}

scone_status csv_text_record(csv_text *text, const char **start, const char **stop)
{
    scone_status status = SCONE_OK;
    *start = *stop = NULL;
    for (;;) {
        const char *begin = text->bytes + text->begin, *end = text->bytes + text->end, *next;
        if (begin == end && text->finished) return SCONE_OK;
        bool open_quote;
        *stop = delimited_record_end(begin, end, text->finished, &next, &open_quote);
        if (*stop) {
            *start = begin;
            text->begin = (size_t)(next - text->bytes);
            return SCONE_OK;
        }
        TRY(csv_text_more(text));
    }
cleanup:
    return status;
}

void csv_text_free(csv_text *text)
{
    input_close(text->file);
    mem_free(text->bytes);
}
