/* token_layout.h - cells, orders and motifs that follow from subsets and candidate pairs.
 *
 * The draft is a tokens object whose arrays lie in an arena; tokens_copy makes the final block of
 * it. Everything here is exact and has one answer, so nothing depends on threads. */
#ifndef SCONE_MODEL_TOKENS_TOKEN_LAYOUT_H
#define SCONE_MODEL_TOKENS_TOKEN_LAYOUT_H

#include "base/arena.h"
#include "model/tokens/tokens.h"

/* Given nodes, subsets, members and pairs of draft->size with subset_offsets, subset_nodes and
 * ends: fills in all other sizes, the cells in both orders, what touches members, triples, paths
 * and their instances. codes is [cells], all 0. Cost: order k^2 per subset for cells, k^3 for
 * triples, N^2 / 64 words per pair for paths. */
scone_status token_layout_fill(tokens *draft, arena *memory);

/* Its part in token_layout_paths.c. index is that of token_pair_index. */
scone_status token_layout_paths(tokens *draft, const uint32_t *index, arena *memory);

/* Marks as context the pairs that are an edge, in some regime, in at least `share` of their cells;
 * after the codes are known. */
void token_layout_contexts(tokens *draft, double share);

/* pointer = count elements in the arena, or cleanup with SCONE_ERR_MEMORY */
#define TRY_ARENA(pointer_, memory_, count_)                                                       \
    do {                                                                                           \
        (pointer_) = arena_get((memory_), (count_), sizeof *(pointer_));                           \
        if (!(pointer_)) {                                                                         \
            status = SCONE_ERR_MEMORY;                                                             \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

#endif
