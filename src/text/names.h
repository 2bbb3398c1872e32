/* names.h - looking up columns by their names. */
#ifndef SCONE_TEXT_NAMES_H
#define SCONE_TEXT_NAMES_H

#include <stddef.h>

typedef struct named_node {
    const char *name;
    size_t node;
} named_node;

/* sorted[0 .. count-1] = the names with their positions, in byte order. O(count log count). */
void names_sort(named_node *sorted, const char *const *names, size_t count);
/* The position of a name, or SIZE_MAX. O(log count). */
size_t names_find(const named_node *sorted, size_t count, const char *name);
/* The name nearest to a mistyped one, the first in byte order if several are; NULL if none is
 * near. Names of more than 64 bytes are not looked at. O(count). */
const char *names_nearest(const named_node *sorted, size_t count, const char *word);

#endif
