/* writer.h - text into an output file, with the first failure carried along.
 *
 * A writer writes nothing after its first failure, so that a whole file can be written without a
 * question and `status` be looked at once, at the end. Nothing is allocated. The writers of JSON,
 * of XML and of delimited text stand on this one.
 */
#ifndef SCONE_TEXT_WRITE_WRITER_H
#define SCONE_TEXT_WRITE_WRITER_H

#include "io/file.h"

#include <stdarg.h>

typedef struct writer {
    output_file *stream;
    scone_status status; /* of the first failure */
} writer;

void writer_bytes(writer *w, const char *bytes, size_t size);
void writer_text(writer *w, const char *text);
/* At most 1023 bytes, for what is short by its nature; longer is a defect of the caller. */
void writer_print(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void writer_vprint(writer *w, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* The shortest digits that read back to the same bits, whatever the locale; `none` if the value is
 * infinite or not a number. */
void writer_number(writer *w, double value, const char *none);
/* Rounded to so many decimals: "0.95", "-3.0"; the shortest digits from 1e12 on. */
void writer_decimals(writer *w, double value, int decimals, const char *none);

enum { WRITER_ESCAPE_SIZE = 8 };
/* What stands for a character: a constant, a text made in `room`, or NULL for itself. */
typedef const char *(*writer_escape)(char character, char room[WRITER_ESCAPE_SIZE]);
void writer_escaped(writer *w, const char *text, writer_escape escape);

#endif
