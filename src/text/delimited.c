/* delimited.c - the tokenizer of delimited text (see delimited.h). Cost: linear in the bytes. */
#include "text/delimited.h"

#include <string.h>

enum { FIRST_CAPACITY = 16, MARK_WINDOW = 256 };

void delimited_record_free(delimited_record *record)
{
    mem_free(record->fields);
    *record = (delimited_record){0};
}

const char *delimited_record_end(const char *text, const char *end, bool final, const char **next,
                                 bool *open_quote)
{
    bool quoted = false;
    const char *at = text;
    for (; at < end; at++) {
        if (*at == '"') quoted = !quoted; /* a doubled quote closes and opens again */
        if (quoted || (*at != '\n' && *at != '\r')) continue;
        if (*at == '\r' && at + 1 == end && !final) break; /* a line feed may follow */
        bool pair = *at == '\r' && at + 1 < end && at[1] == '\n';
        *next = at + (pair ? 2 : 1);
        *open_quote = false;
        return at;
    }
    *open_quote = quoted;
    if (!final) return NULL;
    *next = end;
    return end;
}

static inline bool is_blank(char c, char delimiter)
{
    return (c == ' ' || c == '\t') && c != delimiter;
}

static scone_status add_field(delimited_record *record, delimited_field field)
{
    if (record->count == record->capacity) {
        size_t capacity;
        if (!size_multiply(&capacity, record->capacity ? record->capacity : FIRST_CAPACITY, 2)) {
            return RAISE(SCONE_ERR_MEMORY, "out of memory: too many fields in one record");
        }
        delimited_field *grown = mem_resize(record->fields, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        record->fields = grown;
        record->capacity = capacity;
    }
    record->fields[record->count++] = field;
    return SCONE_OK;
}

/* Copies [text, end) to the arena with every doubled quote made one. */
static scone_status undouble(delimited_field *field, arena *memory, const char *text,
                             const char *end)
{
    char *copy = arena_get(memory, (size_t)(end - text), 1);
    if (!copy) return SCONE_ERR_MEMORY;
    size_t length = 0;
    for (; text < end; text++) {
        copy[length++] = *text;
        if (*text == '"') text++;
    }
    field->text = copy;
    field->length = length;
    return SCONE_OK;
}

/* Reads the quoted field whose opening quote is at *at, and moves *at past it and the blanks that
 * follow. `number` is for the message. */
static scone_status quoted_field(delimited_field *field, arena *memory, const char **at,
                                 const char *end, char delimiter, size_t number)
{
    const char *start = *at + 1, *close = start;
    bool doubled = false;
    for (;;) {
        close = close < end ? memchr(close, '"', (size_t)(end - close)) : NULL;
        if (!close) {
            return RAISE(SCONE_ERR_INPUT,
                         "field %zu opens a quote (\") that is never closed; close or remove it",
                         number);
        }
        if (close + 1 == end || close[1] != '"') break;
        doubled = true;
        close += 2;
    }
    *field = (delimited_field){start, (size_t)(close - start), true};
    *at = close + 1;
    while (*at < end && is_blank(**at, delimiter)) (*at)++;
    if (*at < end && **at != delimiter) {
        return RAISE(SCONE_ERR_INPUT,
                     "field %zu has text after its closing quote; write a quote inside quotes "
                     "twice (\"\")",
                     number);
    }
    return doubled ? undouble(field, memory, start, close) : SCONE_OK;
}

static scone_status plain_field(delimited_field *field, const char **at, const char *end,
                                char delimiter, size_t number)
{
    const char *start = *at, *stop = memchr(start, delimiter, (size_t)(end - start));
    if (!stop) stop = end;
    *at = stop;
    if (memchr(start, '"', (size_t)(stop - start))) {
        return RAISE(SCONE_ERR_INPUT,
                     "field %zu has a quote (\") in its middle; put the whole field in quotes and "
                     "write that quote twice (\"\"), or remove it",
                     number);
    }
    while (stop > start && is_blank(stop[-1], delimiter)) stop--;
    *field = (delimited_field){start, (size_t)(stop - start), false};
    return SCONE_OK;
}

scone_status delimited_split(delimited_record *record, arena *memory, const char *text,
                             const char *end, char delimiter)
{
    scone_status status = SCONE_OK;
    record->count = 0;
    const char *at = text;
    for (;;) {
        while (at < end && is_blank(*at, delimiter)) at++;
        delimited_field field = {at, 0, false};
        if (at < end && *at == '"') {
            TRY(quoted_field(&field, memory, &at, end, delimiter, record->count + 1));
        } else if (at < end) {
            TRY(plain_field(&field, &at, end, delimiter, record->count + 1));
        }
        TRY(add_field(record, field));
        if (at == end) break;
        at++; /* the delimiter; a field follows, be it empty */
    }
cleanup:
    return status;
}

char delimited_detect(const char *text, const char *end)
{
    static const char candidates[] = {',', ';', '\t'};
    size_t counts[sizeof candidates] = {0};
    bool quoted = false;
    for (; text < end; text++) {
        if (*text == '"') quoted = !quoted;
        if (quoted) continue;
        for (size_t i = 0; i < sizeof candidates; i++) counts[i] += *text == candidates[i];
    }
    size_t best = 0;
    for (size_t i = 1; i < sizeof candidates; i++) {
        if (counts[i] > counts[best]) best = i;
    }
    return candidates[best];
}

static bool starts_with(const char *text, const char *end, const char *mark, size_t length)
{
    return (size_t)(end - text) >= length && memcmp(text, mark, length) == 0;
}

scone_status delimited_skip_mark(const char **text, const char *end)
{
    const char *start = *text;
    if (starts_with(start, end, "\xEF\xBB\xBF", 3)) {
        *text = start + 3;
        start = *text;
    } else if (starts_with(start, end, "\xFF\xFE\0\0", 4) ||
               starts_with(start, end, "\0\0\xFE\xFF", 4)) {
        return RAISE(SCONE_ERR_INPUT, "the text is encoded as UTF-32; save it as UTF-8");
    } else if (starts_with(start, end, "\xFF\xFE", 2) || starts_with(start, end, "\xFE\xFF", 2)) {
        return RAISE(SCONE_ERR_INPUT,
                     "the text is encoded as UTF-16 (Excel calls it \"Unicode text\"); save it as "
                     "UTF-8");
    }
    size_t window = (size_t)(end - start) < MARK_WINDOW ? (size_t)(end - start) : MARK_WINDOW;
    if (window && memchr(start, '\0', window)) {
        return RAISE(SCONE_ERR_INPUT, "the text holds NUL bytes: it is a binary file or encoded as "
                                      "UTF-16 or UTF-32; save it as UTF-8 text");
    }
    return SCONE_OK;
}
