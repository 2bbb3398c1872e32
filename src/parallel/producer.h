/* producer.h - items made by threads ahead of whoever takes them in their order.
 *
 * Items are begun in the order of a list. `ahead` threads of the producer's own work through it in
 * the background; whoever waits for items works along meanwhile. So no thread is idle while there
 * is an item to begin, and the threads in use are never more than those of the background and those
 * of the one who waits.
 */
#ifndef SCONE_PARALLEL_PRODUCER_H
#define SCONE_PARALLEL_PRODUCER_H

#include "base/context.h"

typedef struct producer producer;

/* Makes one item; keeps what it made in a place keyed by the item, which whoever waited for the
 * item may read. Runs in any thread, for several items at once. */
typedef scone_status (*producer_body)(void *argument, size_t item);

/* The items of the list, which is copied and must rise. Work in the background begins at once;
 * `ahead` may be 0, and fewer threads than asked for may start if the system has no more. */
scone_status producer_start(producer **out, const size_t *items, size_t count, int ahead,
                            producer_body body, void *argument);

/* Returns when every item of the list below `limit` is made, and works on up to `threads` threads,
 * the caller's included, until then; items from `limit` on may be made while the last ones below it
 * are still at work elsewhere. After a failed item none is begun, and this raises its failure: that
 * of the lowest one. */
scone_status producer_wait(producer *p, size_t limit, int threads);

/* Background threads that have not come to the end of the list. */
int producer_busy(producer *p);

/* Ends the background threads after the items they are at, and frees. NULL is fine. */
void producer_stop(producer *p);

#endif
