/* delimited.h - records and fields of delimited text (RFC 4180 with the leniencies of
 * docs/reference/formats.md): the one tokenizer that tables, edge lists and adjacency files share.
 */
#ifndef SCONE_TEXT_DELIMITED_H
#define SCONE_TEXT_DELIMITED_H

#include "base/arena.h"

/* A field after removing quotes; text points into the record or, if a doubled quote had to be
 * undone, into the arena. Not NUL-terminated. */
typedef struct delimited_field {
    const char *text;
    size_t length;
    bool quoted;
} delimited_field;

/* One record split into fields. */
typedef struct delimited_record {
    delimited_field *fields; /* owned; grown as needed */
    size_t count, capacity;
} delimited_record;

void delimited_record_free(delimited_record *record);

/* Finds the end of the record that starts at text: the position of its line break outside quotes
 * (LF, CRLF or lone CR), or NULL if [text, end) holds no complete record. *next is set to the first
 * byte after the line break. With `final`, the end of the buffer ends the record; a CR as the last
 * byte needs `final` to be known as lone. *open_quote tells that a quote was still open. */
const char *delimited_record_end(const char *text, const char *end, bool final, const char **next,
                                 bool *open_quote);

/* Splits [text, end) at `delimiter`. Spaces and tabs around an unquoted field are removed (not a
 * tab that is the delimiter). Fails on a quote in mid-field or text after a closing quote, naming
 * the field's number (from 1). */
scone_status delimited_split(delimited_record *record, arena *memory, const char *text,
                             const char *end, char delimiter);

/* The delimiter of a header line: of comma, semicolon and tab the one that occurs most outside
 * quotes; comma if none does (a single column). */
char delimited_detect(const char *text, const char *end);

/* Skips a UTF-8 byte order mark; fails on UTF-16 or UTF-32 marks and on NUL bytes in the first
 * bytes, with what to do. */
scone_status delimited_skip_mark(const char **text, const char *end);

#endif
