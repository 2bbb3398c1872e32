/* parallel.h - a loop over independent items on OpenMP threads.
 *
 * Items are handed out dynamically, so nothing may depend on which thread runs which item: draw
 * random numbers from streams keyed by the item, write results to places keyed by the item, and
 * reduce them afterwards in item order.
 */
#ifndef SCONE_PARALLEL_PARALLEL_H
#define SCONE_PARALLEL_PARALLEL_H

#include "base/context.h"

/* worker is in [0, threads); use it to pick a workspace, never to decide a result. */
typedef scone_status (*parallel_body)(void *argument, size_t item, int worker);

/* Runs body for items 0 .. count-1. If bodies fail, later items are skipped and the failure of
 * the lowest failing item among those that ran is raised in the caller. If `stage` is not NULL,
 * progress is reported under that name as items finish. */
scone_status parallel_for(size_t count, const scone_context *context, const char *stage,
                          parallel_body body, void *argument);

/* The same for the items first, first + step, first + 2 step, ... below count alone: the share of
 * one process (team.h). *failed is the item whose failure is raised, SIZE_MAX if there is none. */
scone_status parallel_share(size_t *failed, size_t first, size_t step, size_t count,
                            const scone_context *context, const char *stage, parallel_body body,
                            void *argument);

/* For bodies that cannot fail: no status, no progress, no allocation. */
typedef void (*parallel_plain_body)(void *argument, size_t item, int worker);
void parallel_plain(size_t count, int threads, parallel_plain_body body, void *argument);

#endif
