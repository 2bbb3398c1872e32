/* warnings.h - what a run tells its user beside the result: sentences in the order of the stages,
 * kept for the files and told to the context at once. */
#ifndef SCONE_DISCOVER_WARNINGS_H
#define SCONE_DISCOVER_WARNINGS_H

#include "base/arena.h"
#include "base/context.h"

typedef struct warning_list {
    arena *memory;
    const char **texts;
    size_t count, capacity;
} warning_list;

/* list {0} is an empty one. */
scone_status warnings_add(warning_list *list, const scone_context *context, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void warnings_free(warning_list *list);

#endif
