/* conflicts.h - the certificates of the rule stage that the learner, knowledge or another
 * certificate contradicts, in words. */
#ifndef SCONE_DISCOVER_CONFLICTS_H
#define SCONE_DISCOVER_CONFLICTS_H

#include "discover/warnings.h"
#include "reasons/reasons.h"

typedef struct conflict_list {
    arena *memory;
    const char **texts; /* [count], in the order of the certificates */
    size_t *reasons;    /* [count] indices into the list of reasons */
    size_t count;
} conflict_list;

/* voice: who gave the probabilities; names are those of the nodes. The caller frees also after a
 * failure. */
scone_status conflicts_list(conflict_list *out, const reasons *r, const char *voice,
                            const char *const *names);
void conflicts_free(conflict_list *list);

/* One warning for all of them. */
scone_status conflicts_warn(const conflict_list *list, warning_list *warnings,
                            const scone_context *context);

#endif
