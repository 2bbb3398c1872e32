/* labels.h - names as lists and tables on the screen show them: cut where they are long, and so
 * that the labels of different names are different.
 */
#ifndef SCONE_CLI_LABELS_H
#define SCONE_CLI_LABELS_H

#include <stddef.h>

enum { LABEL_WIDTH = 27 }; /* columns on the screen; a name up to this stays as it is */

typedef struct label_list {
    char **texts; /* [count] by name */
    size_t count;
} label_list;

/* Each name shows its beginning, and behind three dots, where others begin in the same way, the
 * part that tells it from them. Names that this does not tell apart are not cut. The labels do not
 * depend on the order of the names, which are different. Returns an exit code and reports a
 * failure. Free in any case. O(N log N). */
int labels_make(label_list *list, const char *const *names, size_t count);
void labels_free(label_list *list);

/* Columns of a UTF-8 text on the screen: wide characters take two, combining ones none. */
size_t labels_width(const char *text);

#endif
