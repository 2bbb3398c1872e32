/* xml.h - a small strict reader of XML: tags, attributes and text, one event at a time.
 *
 * UTF-8 only, and no document type declaration, so that nothing can be defined, expanded or
 * fetched. Well-formedness is checked as far as it decides what the tags are.
 */
#ifndef SCONE_TEXT_XML_H
#define SCONE_TEXT_XML_H

#include "base/arena.h"
#include "text/limits.h"

#include <string.h>

enum { XML_ATTRIBUTE_LIMIT = 32 };

typedef struct xml_slice {
    const char *text;
    size_t length;
} xml_slice;

typedef struct xml_attribute {
    xml_slice name;  /* as it stands, a namespace prefix included */
    xml_slice value; /* references undone, in the arena or the file */
} xml_attribute;

typedef enum xml_event { XML_END_OF_FILE = 0, XML_OPEN, XML_CLOSE, XML_TEXT } xml_event;

typedef struct xml_reader {
    const char *at, *end;
    size_t line;
    arena *memory; /* decoded text; cleared with every tag */
    xml_event event;
    size_t event_line;
    xml_slice name; /* of XML_OPEN and XML_CLOSE, without its namespace prefix */
    xml_attribute attributes[XML_ATTRIBUTE_LIMIT];
    size_t attribute_count;
    xml_slice text;                      /* of XML_TEXT, entities undone */
    xml_slice stack[TEXT_NESTING_LIMIT]; /* open elements, with prefix */
    size_t depth;
    bool close_pending; /* <a/> is an opening and a closing event */
    bool seen_root;
} xml_reader;

scone_status xml_open(xml_reader *x, const char *text, size_t size);
void xml_close(xml_reader *x);
/* The next event. Slices are valid until the next tag. White space and comments between elements
 * are XML_TEXT events or none; processing instructions and comments are skipped. */
scone_status xml_next(xml_reader *x);
/* The value of an attribute of the current opening tag, or NULL. */
const xml_slice *xml_attribute_find(const xml_reader *x, const char *name);

static inline bool xml_is(xml_slice slice, const char *word)
{
    return strlen(word) == slice.length && memcmp(slice.text, word, slice.length) == 0;
}

/* May the character stand in an XML 1.0 document? In a name token (NMTOKEN)? */
bool xml_is_char(uint32_t character);
bool xml_is_name_char(uint32_t character);

#endif
