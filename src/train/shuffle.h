/* shuffle.h - the order in which a training takes its graphs, as a function of seed and position.
 */
#ifndef SCONE_TRAIN_SHUFFLE_H
#define SCONE_TRAIN_SHUFFLE_H

#include "base/status.h"

/* Position p of a training is graph p mod count of a random order that belongs to the epoch
 * p / count; a batch may begin in one epoch and end in the next. The first epoch may have the order
 * in which graphs are made. */
typedef struct shuffle {
    uint64_t seed, epoch;
    size_t count;
    size_t *order; /* [count], of the epoch */
    bool as_made;  /* the first epoch: graph 0, 1, 2, ... */
} shuffle;

scone_status shuffle_alloc(shuffle **out, size_t count, uint64_t seed, bool as_made);
void shuffle_free(shuffle *s);
/* What is at this position. Cheap if positions rise. */
size_t shuffle_graph(shuffle *s, uint64_t position, uint64_t *epoch);
/* Is every pair of this graph read from its other end in this epoch? A coin by (seed, epoch,
 * graph). */
bool shuffle_reversed(const shuffle *s, uint64_t epoch, size_t graph);

#endif
