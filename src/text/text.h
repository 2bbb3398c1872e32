/* text.h - text as the graph formats need it: UTF-8, names in messages, order of names. */
#ifndef SCONE_TEXT_TEXT_H
#define SCONE_TEXT_TEXT_H

#include "base/memory.h"

/* Decodes the character at *text and moves *text past it; UINT32_MAX, leaving *text alone, if it
 * is not well-formed UTF-8 (overlong forms, surrogates and values past U+10FFFF are not). */
uint32_t text_next(const char **text, const char *end);
bool text_is_utf8(const char *text, size_t length);
/* Writes the character and returns its length, 1 to 4. */
size_t text_put(char out[4], uint32_t character);

/* Text from a file made fit for a message: at most 60 bytes, control characters as \xNN. */
enum { TEXT_SHOWN_SIZE = 264 };
typedef struct text_shown {
    char text[TEXT_SHOWN_SIZE];
} text_shown;
text_shown text_show(const char *text, size_t length);
#define SHOW(text_, length_) (text_show((text_), (length_)).text)

/* Compares without regard to the case of ASCII letters. */
bool text_is(const char *text, size_t length, const char *word);

/* Order of names: numbers inside names count as numbers, so X2 comes before X10; names that are
 * equal that way (X1, X01) are ordered by their bytes. A total order. */
int text_compare_names(const char *a, const char *b);

#endif
