/* names.h - the one place that puts names into an order and looks them up.
 *
 * There are two orders. Bytes decide where names are only looked up or matched; the natural order,
 * in which X2 stands before X10, decides wherever people see the result.
 */
#ifndef SCONE_TEXT_NAMES_H
#define SCONE_TEXT_NAMES_H

#include "base/memory.h"

typedef struct named_place {
    const char *name;
    size_t place; /* of the name in the list that was sorted */
} named_place;

/* sorted[0 .. count-1] = the names with their places, in byte order or in natural order
 * (text_compare_names); equal names by place. O(count log count). */
void names_sort(named_place *sorted, const char *const *names, size_t count);
void names_sort_natural(named_place *sorted, const char *const *names, size_t count);
/* The first place in a sorted list whose name is that of the place before; `count`: there is none.
 * Both orders have equal names side by side. */
size_t names_repeated(const named_place *sorted, size_t count);
/* order[i] = the place of the i-th name in natural order. Fails with SCONE_ERR_INPUT if two are the
 * same; the message speaks of columns. O(count log count). */
scone_status names_order(size_t *order, const char *const *names, size_t count);
/* The place of a name in the list that names_sort was given, or SIZE_MAX. O(log count). */
size_t names_find(const named_place *sorted, size_t count, const char *name);
/* The name nearest to a mistyped one, the first in the order of `sorted` if several are; NULL if
 * none is near. Names of more than 64 bytes are not looked at. O(count). */
const char *names_nearest(const named_place *sorted, size_t count, const char *word);

/* "A, B and 3 more" for a message. {.quote = "'"} puts names in quotes, {.quote = ""} does not. */
enum { NAMES_TOLD_MOST = 10, NAMES_TOLD_SIZE = 1024 };
typedef struct names_told {
    const char *quote;
    char text[NAMES_TOLD_SIZE];
    size_t used, told, count; /* bytes; names in the text; names in all */
} names_told;

void names_tell(names_told *list, const char *name);
/* The text when all names are in. */
const char *names_tell_end(names_told *list);

#endif
