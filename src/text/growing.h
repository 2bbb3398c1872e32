/* growing.h - text that grows as it is printed to. The first failure for lack of memory sticks, so
 * a whole text can be printed and checked once.
 */
#ifndef SCONE_TEXT_GROWING_H
#define SCONE_TEXT_GROWING_H

#include "base/memory.h"

typedef struct growing {
    char *text; /* NULL until something is printed */
    size_t length, size;
    bool failed;
} growing;

void growing_print(growing *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Hands the text over (never NULL on success) and empties g; frees it after a failure. */
scone_status growing_finish(char **text, growing *g);

#endif
