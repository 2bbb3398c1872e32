/* ges_keys.c - the best gain of every ordered pair (see ges_internal.h).
 *
 * A matrix with the best entry of every row: a step rewrites whole rows, a few of them, and asks
 * for the best of all a few times. Finding the best anew costs one pass over the rewritten rows and
 * one over the N row maxima, cheaper than keeping a heap of N^2 entries in order.
 */
#include "learn/ges_internal.h"

scone_status ges_keys_alloc(ges_keys *keys, size_t nodes)
{
    scone_status status = SCONE_OK;
    size_t cells;
    keys->nodes = nodes;
    if (!size_multiply(&cells, nodes, nodes)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: operators on %zu columns", nodes);
    }
    TRY_ALLOC(keys->gains, cells);
    TRY_ZERO(keys->best, nodes);
    TRY_ALLOC(keys->stale, nodes);
    for (size_t i = 0; i < cells; i++) keys->gains[i] = GES_NO_GAIN;
    for (size_t y = 0; y < nodes; y++) keys->stale[y] = true;
cleanup:
    return status;
}

void ges_keys_free(ges_keys *keys)
{
    mem_free(keys->gains);
    mem_free(keys->best);
    mem_free(keys->stale);
    *keys = (ges_keys){0};
}

double *ges_keys_row(ges_keys *keys, size_t y)
{
    keys->stale[y] = true;
    return keys->gains + y * keys->nodes;
}

void ges_keys_set(ges_keys *keys, size_t x, size_t y, double gain)
{
    ges_keys_row(keys, y)[x] = gain;
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
