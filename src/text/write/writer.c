/* writer.c - text into an output file (see writer.h). Cost: linear in the text. */
#include "text/write/writer.h"

#include "text/number/number.h"

#include <math.h>
#include <string.h>

void writer_bytes(writer *w, const char *bytes, size_t size)
{
    if (w->status == SCONE_OK) w->status = output_write(w->stream, bytes, size);
}

void writer_text(writer *w, const char *text)
{
    writer_bytes(w, text, strlen(text));
}

void writer_vprint(writer *w, const char *format, va_list arguments)
{
    char text[1024];
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length >= 0 && (size_t)length < sizeof text) {
        writer_bytes(w, text, (size_t)length);
    } else if (w->status == SCONE_OK) {
        w->status = RAISE(SCONE_ERR_DEFECT, "internal error: a text to print is too long");
    }
}

void writer_print(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    writer_vprint(w, format, arguments);
    va_end(arguments);
}

void writer_number(writer *w, double value, const char *none)
{
    char text[NUMBER_TEXT_SIZE];
    if (isfinite(value)) {
        writer_bytes(w, text, number_format(text, value));
    } else {
        writer_text(w, none);
    }
}

void writer_decimals(writer *w, double value, int decimals, const char *none)
{
    unsigned long unit = 1;
    for (int d = 0; d < decimals; d++) unit *= 10;
    if (!(fabs(value) < 1e12)) {
        writer_number(w, value, none);
        return;
    }
    unsigned long scaled = (unsigned long)(fabs(value) * (double)unit + 0.5);
    writer_print(w, "%s%lu", value < 0.0 && scaled > 0 ? "-" : "", scaled / unit);
    if (decimals > 0) writer_print(w, ".%0*lu", decimals, scaled % unit);
}

void writer_escaped(writer *w, const char *text, writer_escape escape)
{
    char room[WRITER_ESCAPE_SIZE];
    const char *plain = text;
    for (; *text; text++) {
        const char *instead = escape(*text, room);
        if (!instead) continue;
        writer_bytes(w, plain, (size_t)(text - plain));
        writer_text(w, instead);
        plain = text + 1;
    }
    writer_text(w, plain);
}
