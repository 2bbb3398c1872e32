/* delimited_write.h - rows of cells: the delimiter stands between the cells of a row, whatever they
 * hold, and names that could be misread are quoted. Failures are carried along
 * (text/write/writer.h): the file is fine if `out.status` is at the end.
 */
#ifndef SCONE_TEXT_WRITE_DELIMITED_WRITE_H
#define SCONE_TEXT_WRITE_DELIMITED_WRITE_H

#include "text/write/writer.h"

typedef struct delimited_writer {
    writer out;
    char delimiter;
    bool inside; /* the row has a cell already */
} delimited_writer;

delimited_writer delimited_write_start(output_file *stream, char delimiter);
void delimited_write_end(delimited_writer *w); /* of a row */

/* A cell with any text, quoted if anything in it could be misread. */
void delimited_write_text(delimited_writer *w, const char *text);
/* Words as they are: one cell, an empty cell, or several that are joined already. */
void delimited_write_words(delimited_writer *w, const char *words);
/* The shortest digits, or rounded to decimals or to significant digits; an empty cell if the value
 * is infinite or not a number. */
void delimited_write_number(delimited_writer *w, double value);
void delimited_write_decimals(delimited_writer *w, double value, int decimals);
void delimited_write_rounded(delimited_writer *w, double value, int digits);
void delimited_write_count(delimited_writer *w, uint64_t value);
/* `none` in place of 0 */
void delimited_write_count_or(delimited_writer *w, uint64_t value, const char *none);
void delimited_write_counts(delimited_writer *w, const uint64_t *values, size_t count);

#endif
