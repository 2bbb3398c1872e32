/* delimited_write.c - writing rows of cells (see delimited_write.h). Cost: linear in the output. */
#include "text/write/delimited_write.h"

#include "text/number/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

delimited_writer delimited_write_start(output_file *stream, char delimiter)
{
    return (delimited_writer){.out = {.stream = stream}, .delimiter = delimiter};
}

void delimited_write_end(delimited_writer *w)
{
    writer_text(&w->out, "\n");
    w->inside = false;
}

static void begin_cell(delimited_writer *w)
{
    if (w->inside) writer_bytes(&w->out, &w->delimiter, 1);
    w->inside = true;
}

static const char *double_quote(char character, char room[WRITER_ESCAPE_SIZE])
{
    (void)room;
    return character == '"' ? "\"\"" : NULL;
}

void delimited_write_text(delimited_writer *w, const char *text)
{
    size_t length = strlen(text);
    /* Every possible delimiter is quoted, since a reader finds the delimiter by counting, and so is
     * a byte order mark, which a reader would drop at the start of a file. */
    bool quote = length == 0 || strpbrk(text, ",;\t\"\r\n") || strchr(text, w->delimiter) ||
                 text[0] == ' ' || text[length - 1] == ' ' || strncmp(text, "\xEF\xBB\xBF", 3) == 0;
    begin_cell(w);
    if (quote) writer_text(&w->out, "\"");
    writer_escaped(&w->out, text, double_quote);
    if (quote) writer_text(&w->out, "\"");
}

void delimited_write_words(delimited_writer *w, const char *words)
{
    begin_cell(w);
    writer_text(&w->out, words);
}

void delimited_write_number(delimited_writer *w, double value)
{
    begin_cell(w);
    writer_number(&w->out, value, "");
}

void delimited_write_decimals(delimited_writer *w, double value, int decimals)
{
    begin_cell(w);
    writer_decimals(&w->out, value, decimals, "");
}

void delimited_write_rounded(delimited_writer *w, double value, int digits)
{
    begin_cell(w);
    if (isfinite(value)) writer_text(&w->out, number_rounded(value, digits).text);
}

void delimited_write_count(delimited_writer *w, uint64_t value)
{
    begin_cell(w);
    writer_print(&w->out, "%" PRIu64, value);
}

void delimited_write_count_or(delimited_writer *w, uint64_t value, const char *none)
{
    if (value) {
        delimited_write_count(w, value);
    } else {
        delimited_write_words(w, none);
    }
}

void delimited_write_counts(delimited_writer *w, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) delimited_write_count(w, values[i]);
}
