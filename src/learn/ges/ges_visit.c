/* ges_visit.c - states that the search has been in (see ges_parts.h).
 *
 * Every step raises the score, so that no state can come up twice, except by rounding: between
 * nearly collinear columns gains can be as small as their errors. A search that comes to a state
 * again stops there. States are told apart by 64-bit hashes: two different ones among a million
 * have the same with a chance below 1e-7, and the search would only end early.
 */
#include "learn/ges/ges_parts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static size_t find_slot(const uint64_t *hashes, size_t slots, uint64_t hash)
{
    size_t at = hash & (slots - 1);
    while (hashes[at] != 0 && hashes[at] != hash) at = (at + 1) & (slots - 1);
    return at;
}

static scone_status enlarge(ges_visited *visited)
{
    size_t slots = visited->slots ? 2 * visited->slots : 64;
    uint64_t *hashes = mem_zero(slots, sizeof *hashes);
    if (!hashes) return SCONE_ERR_MEMORY;
    for (size_t i = 0; i < visited->slots; i++) {
        uint64_t hash = visited->hashes[i];
        if (hash) hashes[find_slot(hashes, slots, hash)] = hash;
    }
    mem_free(visited->hashes);
    visited->hashes = hashes;
    visited->slots = slots;
    return SCONE_OK;
}

scone_status ges_visit(bool *again, ges_visited *visited, const graph *state)
{
    scone_status status = SCONE_OK;
    *again = false;
    if (2 * visited->count >= visited->slots) TRY(enlarge(visited));
    /* parents, children and siblings are one block */
    size_t bytes = 3 * state->nodes * state->words * sizeof *state->parents;
    uint64_t hash = XXH3_64bits(state->parents, bytes);
    if (hash == 0) hash = 1; /* 0 marks a free slot */
    size_t at = find_slot(visited->hashes, visited->slots, hash);
    *again = visited->hashes[at] == hash;
    if (!*again) visited->count++;
    visited->hashes[at] = hash;
cleanup:
    return status;
}
