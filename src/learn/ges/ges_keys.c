/* ges_keys.c - the best gain of every ordered pair (see ges_parts.h).
 *
 * A matrix with the best entry of every row: a step rewrites whole rows, a few of them, and asks
 * for the best of all a few times. Finding the best anew costs one pass over the rewritten rows and
 * one over the N row maxima, cheaper than keeping a heap of N^2 entries in order.
 *
 * A bound that turned out too high, because of a path through some nodes, stays lowered until one
 * of these nodes changes: every node has a list of the pairs that wait for it.
 */
#include "learn/ges/ges_parts.h"

scone_status ges_keys_alloc(ges_keys *keys, size_t nodes)
{
    scone_status status = SCONE_OK;
    size_t cells;
    keys->nodes = nodes;
    if (!size_multiply(&cells, nodes, nodes)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: operators on %zu columns", nodes);
    }
    TRY_ALLOC(keys->gains, cells);
    TRY_ALLOC(keys->bounds, cells);
    TRY_ZERO(keys->best, nodes);
    TRY_ALLOC(keys->stale, nodes);
    TRY_ZERO(keys->waiting, nodes);
    for (size_t i = 0; i < cells; i++) keys->gains[i] = keys->bounds[i] = GES_NO_GAIN;
    for (size_t y = 0; y < nodes; y++) keys->stale[y] = true;
cleanup:
    return status;
}

void ges_keys_free(ges_keys *keys)
{
    for (size_t v = 0; keys->waiting && v < keys->nodes; v++) mem_free(keys->waiting[v].pairs);
    mem_free(keys->waiting);
    mem_free(keys->gains);
    mem_free(keys->bounds);
    mem_free(keys->best);
    mem_free(keys->stale);
    *keys = (ges_keys){0};
}

double *ges_keys_row(ges_keys *keys, size_t y)
{
    keys->stale[y] = true;
    return keys->gains + y * keys->nodes;
}

void ges_keys_keep_row(ges_keys *keys, size_t y)
{
    size_t at = y * keys->nodes;
    memcpy(keys->bounds + at, keys->gains + at, keys->nodes * sizeof *keys->gains);
}

void ges_keys_set(ges_keys *keys, size_t x, size_t y, double gain)
{
    size_t at = y * keys->nodes, best = keys->best[y];
    keys->gains[at + x] = keys->bounds[at + x] = gain;
    if (keys->stale[y]) return;
    /* The best is known unless it was this one. */
    bool first = gain > keys->gains[at + best] || (gain == keys->gains[at + best] && x < best);
    if (x == best) {
        keys->stale[y] = true;
    } else if (first) {
        keys->best[y] = x;
    }
}

void ges_keys_lower(ges_keys *keys, size_t x, size_t y, double gain)
{
    ges_keys_row(keys, y)[x] = gain;
}

void ges_keys_restore(ges_keys *keys, size_t x, size_t y)
{
    ges_keys_row(keys, y)[x] = keys->bounds[y * keys->nodes + x];
}

scone_status ges_keys_wait(ges_keys *keys, size_t x, size_t y, size_t v)
{
    ges_waiting *list = &keys->waiting[v];
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        ges_pair *pairs = mem_resize(list->pairs, capacity, sizeof *pairs);
        if (!pairs) return SCONE_ERR_MEMORY;
        list->pairs = pairs;
        list->capacity = capacity;
    }
    list->pairs[list->count++] = (ges_pair){(uint32_t)x, (uint32_t)y};
    return SCONE_OK;
}

void ges_keys_wake(ges_keys *keys, size_t v)
{
    ges_waiting *list = &keys->waiting[v];
    for (size_t i = 0; i < list->count; i++) {
        ges_keys_restore(keys, list->pairs[i].x, list->pairs[i].y);
    }
    list->count = 0;
}

double ges_keys_best(ges_keys *keys, size_t *x, size_t *y)
{
    double best = GES_NO_GAIN;
    for (size_t row = 0; row < keys->nodes; row++) {
        const double *gains = keys->gains + row * keys->nodes;
        if (keys->stale[row]) {
            size_t first = 0;
            for (size_t i = 1; i < keys->nodes; i++) {
                if (gains[i] > gains[first]) first = i;
            }
            keys->best[row] = first;
            keys->stale[row] = false;
        }
        if (gains[keys->best[row]] > best) {
            best = gains[keys->best[row]];
            *x = keys->best[row];
            *y = row;
        }
    }
    return best;
}
