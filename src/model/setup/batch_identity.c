/* batch_identity.c - which row of the identity table each node of a graph gets (D8; see batch.h).
 */
#include "model/setup/batch.h"

#include "base/rng.h"
#include "text/names.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static bool is_taken(const uint32_t *identity, size_t count, uint32_t row)
{
    for (size_t v = 0; v < count; v++) {
        if (identity[v] == row) return true;
    }
    return false;
}

/* Floyd's choice of a set (Bentley, "Programming pearls: a sample of brilliance", CACM 1987) takes
 * one draw an element; then the order is shuffled. */
void batch_random_identity(uint32_t *identity, size_t nodes, size_t rows, uint64_t seed,
                           uint64_t draw)
{
    rng random = rng_stream(seed, RNG_IDENTITY, draw, 0, 0);
    for (size_t v = 0; v < nodes; v++) {
        size_t last = rows - nodes + v;
        uint32_t row = (uint32_t)rng_below(&random, last + 1);
        identity[v] = is_taken(identity, v, row) ? (uint32_t)last : row;
    }
    for (size_t v = nodes; v > 1; v--) {
        size_t other = (size_t)rng_below(&random, v);
        uint32_t moved = identity[v - 1];
        identity[v - 1] = identity[other];
        identity[other] = moved;
    }
}

scone_status batch_named_identity(uint32_t *identity, const char *const *names, size_t nodes,
                                  size_t rows, uint64_t draw)
{
    scone_status status = SCONE_OK;
    named_place *order = NULL;
    bool *taken = NULL;
    if (nodes > rows) {
        FAIL(SCONE_ERR_INPUT, "%zu columns, but the model knows only %zu; use fewer columns", nodes,
             rows);
    }
    TRY_ALLOC(order, nodes);
    TRY_ZERO(taken, rows);
    names_sort(order, names, nodes);
    for (size_t k = 0; k < nodes; k++) {
        size_t row = XXH64(order[k].name, strlen(order[k].name), draw) % rows;
        while (taken[row]) row = row + 1 < rows ? row + 1 : 0;
        taken[row] = true;
        identity[order[k].place] = (uint32_t)row;
    }
cleanup:
    mem_free(order);
    mem_free(taken);
    return status;
}
