/* batch_motifs.c - what the bias heads read of a batch: the cells around a member, triples and
 * paths, turned as the pairs are read.
 */
#include "model/setup/batch_parts.h"

/* Does an instance count under the configuration's number and length of paths? */
static bool batch_takes_instance(const tokens *t, size_t cell, size_t instance,
                                 const model_config *config)
{
    size_t path = t->instance_paths[instance];
    size_t length = t->path_step_offsets[path + 1] - t->path_step_offsets[path];
    return path - t->path_offsets[t->cell_pair[cell]] < config->dpt_paths &&
           length <= config->dpt_length;
}

void batch_count_motifs(batch *b, const tokens *t, const model_config *config)
{
    b->triples += t->size.triples;
    for (size_t c = 0; c < t->size.cells; c++) {
        for (size_t k = t->instance_offsets[c]; k < t->instance_offsets[c + 1]; k++) {
            if (!batch_takes_instance(t, c, k, config)) continue;
            b->instances++;
            b->steps += t->instance_step_offsets[k + 1] - t->instance_step_offsets[k];
        }
    }
}

void batch_fill_touch(batch_lists *lists, const tokens *t, batch_start *start)
{
    for (size_t m = 0; m < t->size.members; m++) {
        lists->touch_offsets[start->member + m] = (uint32_t)(2 * start->cell + t->touch_offsets[m]);
        lists->context_offsets[start->member + m] = (uint32_t)start->context;
        for (size_t k = t->touch_offsets[m]; k < t->touch_offsets[m + 1]; k++) {
            uint32_t cell = (uint32_t)(start->cell + t->touch_cells[k]);
            lists->touch_index[2 * start->cell + k] = cell;
            if (t->context[t->cell_pair[t->touch_cells[k]]]) {
                lists->context_index[start->context++] = cell;
            }
        }
    }
    lists->touch_offsets[start->member + t->size.members] =
        (uint32_t)(2 * (start->cell + t->size.cells));
    lists->context_offsets[start->member + t->size.members] = (uint32_t)start->context;
}

void batch_fill_triples(batch *b, const tokens *t, batch_start *start)
{
    for (size_t k = 0; k < t->size.triples; k++, start->triple++) {
        uint32_t centre = (uint32_t)(start->member + t->triple_centres[k]);
        b->triple_centre[start->triple] = centre;
        for (size_t side = 0; side < 2; side++) {
            uint32_t cell = (uint32_t)(start->cell + t->triple_cells[k][side]);
            bool second = b->cell_members[cell][1] == centre;
            b->triple_cells[start->triple][side] = cell;
            b->triple_second[start->triple][side] = second;
            b->triple_ends[start->triple][side] = b->cell_members[cell][second ? 0 : 1];
        }
    }
}

/* A path runs from ends[e][0] to ends[e][1] of its owner; path_forward says how it runs along the
 * ends of each step. Each of the two that is flipped turns the sense. */
void batch_fill_instances(batch *b, batch_lists *lists, const tokens *t, batch_start *start,
                          const model_config *config)
{
    const uint8_t *flipped = lists->flipped + start->pair;
    for (size_t c = 0; c < t->size.cells; c++) {
        uint8_t turned = flipped[t->cell_pair[c]];
        for (size_t k = t->instance_offsets[c]; k < t->instance_offsets[c + 1]; k++) {
            if (!batch_takes_instance(t, c, k, config)) continue;
            const uint8_t *forward = t->path_forward + t->path_step_offsets[t->instance_paths[k]];
            size_t first = t->instance_step_offsets[k], end = t->instance_step_offsets[k + 1];
            b->instance_owner[start->instance] = (uint32_t)(start->cell + c);
            lists->step_offsets[start->instance++] = (uint32_t)start->step;
            for (size_t s = first; s < end; s++, start->step++) {
                size_t cell = t->instance_cells[s];
                uint8_t along = forward[s - first] ^ turned ^ flipped[t->cell_pair[cell]];
                lists->step_index[start->step] = (uint32_t)(start->cell + cell);
                b->step_sense[start->step] = along ? 1 : -1;
            }
        }
    }
    lists->step_offsets[start->instance] = (uint32_t)start->step;
}
