/* shuffle.c - which graph is where in a training (see shuffle.h). */
#include "train/shuffle.h"

#include "base/memory.h"
#include "base/rng.h"

static void shuffle_epoch(shuffle *s, uint64_t epoch)
{
    rng random = rng_stream(s->seed, RNG_TRAIN, epoch, 0, 0);
    rng_permutation(&random, s->order, s->count);
    for (size_t k = 0; s->as_made && epoch == 0 && k < s->count; k++) s->order[k] = k;
    s->epoch = epoch;
}

scone_status shuffle_alloc(shuffle **out, size_t count, uint64_t seed, bool as_made)
{
    scone_status status = SCONE_OK;
    shuffle *s = NULL;
    *out = NULL;
    TRY_ZERO(s, 1);
    s->seed = seed;
    s->count = count;
    s->as_made = as_made;
    TRY_ALLOC(s->order, count);
    shuffle_epoch(s, 0);
    *out = s;
    s = NULL;
cleanup:
    shuffle_free(s);
    return status;
}

void shuffle_free(shuffle *s)
{
    if (!s) return;
    mem_free(s->order);
    mem_free(s);
}

size_t shuffle_graph(shuffle *s, uint64_t position, uint64_t *epoch)
{
    *epoch = position / s->count;
    if (*epoch != s->epoch) shuffle_epoch(s, *epoch);
    return s->order[position % s->count];
}

bool shuffle_reversed(const shuffle *s, uint64_t epoch, size_t graph)
{
    rng random = rng_stream(s->seed, RNG_TRAIN, epoch, graph, 1);
    return rng_sign(&random) < 0.0;
}
