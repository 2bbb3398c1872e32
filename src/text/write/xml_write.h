/* xml_write.h - XML, SVG and HTML as they are written: elements with attributes, text and elements
 * inside them. Elements of a block stand on lines of their own, those of others follow each other.
 *
 *     xml_write_block(&x, "list");                <list kind="short">
 *     xml_write_attribute(&x, "kind", "short");     <item>1 &lt; 2</item>
 *     xml_write_element(&x, "item", "1 < 2");       <line x1="0.5"/>
 *     xml_write_open(&x, "line");                 </list>
 *     xml_write_length(&x, "x1", 0.5);
 *     xml_write_close(&x);
 *     xml_write_close(&x);
 *
 * Attributes follow the opening of their element. Failures are carried along (text/write/writer.h).
 */
#ifndef SCONE_TEXT_WRITE_XML_WRITE_H
#define SCONE_TEXT_WRITE_XML_WRITE_H

#include "text/write/writer.h"

enum { XML_WRITE_DEPTH = 16 };

typedef enum xml_write_place { XML_IN_CONTENT = 0, XML_IN_TAG, XML_IN_VALUE } xml_write_place;

typedef struct xml_writer {
    writer out;
    int indent, depth;
    xml_write_place place;
    bool block[XML_WRITE_DEPTH + 1];
    const char *names[XML_WRITE_DEPTH]; /* of the open elements; constants */
} xml_writer;

/* The file itself is a block. `indent` is the number of spaces by which elements of a block stand
 * behind it. */
xml_writer xml_write_start(output_file *stream, int indent);
scone_status xml_write_end(xml_writer *x); /* the status of all that was written */

void xml_write_open(xml_writer *x, const char *name);
void xml_write_block(xml_writer *x, const char *name);
void xml_write_close(xml_writer *x); /* the innermost element that is open */
/* An element that holds nothing but text. */
void xml_write_element(xml_writer *x, const char *name, const char *text);

void xml_write_attribute(xml_writer *x, const char *name, const char *text);
void xml_write_length(xml_writer *x, const char *name, double value); /* with one decimal */
/* An attribute whose value is what is written before xml_write_value_end. */
void xml_write_value(xml_writer *x, const char *name);
void xml_write_value_end(xml_writer *x);

/* In an element or in the value of an attribute: text, escaped; a number with so many decimals, "-"
 * for none; what is XML already. */
void xml_write_text(xml_writer *x, const char *text);
void xml_write_decimals(xml_writer *x, double value, int decimals);
void xml_write_markup(xml_writer *x, const char *markup);
void xml_write_print(xml_writer *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
