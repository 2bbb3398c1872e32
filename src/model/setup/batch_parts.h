/* batch_parts.h - what batch.c and batch_motifs.c share: the block that holds all arrays of a
 * batch, and where a graph starts in it.
 */
#ifndef SCONE_MODEL_SETUP_BATCH_PARTS_H
#define SCONE_MODEL_SETUP_BATCH_PARTS_H

#include "model/setup/batch.h"

/* Arrays behind the groups of a batch, and the block of all of them. */
typedef struct batch_lists {
    uint8_t *flipped; /* [pairs]: read from ends[e][1] to ends[e][0] */
    uint32_t *row_offsets;
    uint32_t *column_offsets, *column_index;
    uint32_t *pair_offsets, *pair_index;
    uint32_t *grid_row_offsets, *grid_column_offsets, *grid_column_index;
    uint32_t *touch_offsets, *touch_index;
    uint32_t *context_offsets, *context_index;
    uint32_t *subset_offsets;
    uint32_t *node_offsets, *node_index;
    uint32_t *identity_offsets, *identity_index;
    uint32_t *step_offsets, *step_index;
    size_t identities;
    unsigned char *block;
    size_t bytes; /* of the block: grows alone */
} batch_lists;

/* Where the things of one graph start. */
typedef struct batch_start {
    size_t node, member, pair, cell, grid, subset, triple, instance, step, context;
} batch_start;

/* Adds the sizes of one graph's motifs. */
void batch_count_motifs(batch *b, const tokens *t, const model_config *config);
/* Writes one graph's lists of touching cells and contexts, its triples and instances; start is
 * moved past the triples, instances, steps and contexts. */
void batch_fill_touch(batch_lists *lists, const tokens *t, batch_start *start);
void batch_fill_triples(batch *b, const tokens *t, batch_start *start);
void batch_fill_instances(batch *b, batch_lists *lists, const tokens *t, batch_start *start,
                          const model_config *config);

#endif
