/* groups.c - counting sorts behind groups.h. */
#include "model/nn/groups.h"

#include <string.h>

/* offsets[r] = number of entries whose row is below r, then places by a walk that moves offsets on
 * and is undone by a shift: no extra memory. */
void groups_of_index(uint32_t *offsets, uint32_t *places, const uint32_t *index, size_t count,
                     size_t rows)
{
    memset(offsets, 0, (rows + 1) * sizeof *offsets);
    for (size_t i = 0; i < count; i++) offsets[index[i] + 1]++;
    for (size_t r = 0; r < rows; r++) offsets[r + 1] += offsets[r];
    for (size_t i = 0; i < count; i++) places[offsets[index[i]]++] = (uint32_t)i;
    memmove(offsets + 1, offsets, rows * sizeof *offsets);
    offsets[0] = 0;
}

void groups_of_rows(uint32_t *offsets, uint32_t *owners, const nn_groups *groups, size_t rows)
{
    size_t entries = groups_entries(groups);
    memset(offsets, 0, (rows + 1) * sizeof *offsets);
    for (size_t k = 0; k < entries; k++) offsets[groups_member(groups, k) + 1]++;
    for (size_t r = 0; r < rows; r++) offsets[r + 1] += offsets[r];
    for (size_t g = 0; g < groups->count; g++) {
        for (size_t k = groups->offsets[g]; k < groups->offsets[g + 1]; k++) {
            owners[offsets[groups_member(groups, k)]++] = (uint32_t)g;
        }
    }
    memmove(offsets + 1, offsets, rows * sizeof *offsets);
    offsets[0] = 0;
}
