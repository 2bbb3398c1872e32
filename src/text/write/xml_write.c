/* xml_write.c - writing XML (see xml_write.h). Cost: linear in the output. */
#include "text/write/xml_write.h"

static const char *escape(char character, char room[WRITER_ESCAPE_SIZE])
{
    switch (character) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\t': /* Left alone, an XML reader would turn these into spaces or line feeds. */
    case '\r':
    case '\n':
        (void)snprintf(room, WRITER_ESCAPE_SIZE, "&#%d;", (int)character);
        return room;
    default:
        return NULL;
    }
}

xml_writer xml_write_start(output_file *stream, int indent)
{
    return (xml_writer){.out = {.stream = stream}, .indent = indent, .block = {true}};
}

static void raise_defect(xml_writer *x)
{
    if (x->out.status != SCONE_OK) return;
    x->out.status = RAISE(SCONE_ERR_DEFECT, "internal error: XML is not closed as opened");
}

scone_status xml_write_end(xml_writer *x)
{
    if (x->depth != 0) raise_defect(x);
    return x->out.status;
}

/* Ends the opening tag if something follows it. */
static void end_tag(xml_writer *x)
{
    if (x->place != XML_IN_TAG) return;
    writer_text(&x->out, x->block[x->depth] ? ">\n" : ">");
    x->place = XML_IN_CONTENT;
}

static void begin_line(xml_writer *x, int depth)
{
    writer_print(&x->out, "%*s", x->indent * depth, "");
}

static void open_element(xml_writer *x, const char *name, bool block)
{
    end_tag(x);
    if (x->depth == XML_WRITE_DEPTH) {
        raise_defect(x);
        return;
    }
    if (x->block[x->depth]) begin_line(x, x->depth);
    writer_text(&x->out, "<");
    writer_text(&x->out, name);
    x->names[x->depth++] = name;
    x->block[x->depth] = block;
    x->place = XML_IN_TAG;
}

void xml_write_open(xml_writer *x, const char *name)
{
    open_element(x, name, false);
}

void xml_write_block(xml_writer *x, const char *name)
{
    open_element(x, name, true);
}

void xml_write_close(xml_writer *x)
{
    if (x->depth == 0) {
        raise_defect(x);
        return;
    }
    bool block = x->block[x->depth];
    if (block) end_tag(x); /* both its tags stand there, even if nothing is between them */
    x->depth--;
    if (x->place == XML_IN_TAG) {
        writer_text(&x->out, "/>");
    } else {
        if (block) begin_line(x, x->depth);
        writer_text(&x->out, "</");
        writer_text(&x->out, x->names[x->depth]);
        writer_text(&x->out, ">");
    }
    x->place = XML_IN_CONTENT;
    if (x->block[x->depth]) writer_text(&x->out, "\n");
}

void xml_write_element(xml_writer *x, const char *name, const char *text)
{
    xml_write_open(x, name);
    xml_write_text(x, text);
    xml_write_close(x);
}

void xml_write_value(xml_writer *x, const char *name)
{
    if (x->place != XML_IN_TAG) raise_defect(x);
    writer_text(&x->out, " ");
    writer_text(&x->out, name);
    writer_text(&x->out, "=\"");
    x->place = XML_IN_VALUE;
}

void xml_write_value_end(xml_writer *x)
{
    writer_text(&x->out, "\"");
    x->place = XML_IN_TAG;
}

void xml_write_attribute(xml_writer *x, const char *name, const char *text)
{
    xml_write_value(x, name);
    xml_write_text(x, text);
    xml_write_value_end(x);
}

void xml_write_length(xml_writer *x, const char *name, double value)
{
    xml_write_value(x, name);
    xml_write_decimals(x, value, 1);
    xml_write_value_end(x);
}

void xml_write_text(xml_writer *x, const char *text)
{
    end_tag(x);
    writer_escaped(&x->out, text, escape);
}

void xml_write_decimals(xml_writer *x, double value, int decimals)
{
    end_tag(x);
    writer_decimals(&x->out, value, decimals, "-");
}

void xml_write_markup(xml_writer *x, const char *markup)
{
    end_tag(x);
    writer_text(&x->out, markup);
}

void xml_write_print(xml_writer *x, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end_tag(x);
    writer_vprint(&x->out, format, arguments);
    va_end(arguments);
}
