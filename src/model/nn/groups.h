/* groups.h - lists of rows in compressed form: who belongs to which group.
 *
 * Group g has the members index[offsets[g]] .. index[offsets[g + 1] - 1], or the rows offsets[g] ..
 * offsets[g + 1] - 1 themselves if index is NULL. Groups may be empty. The arrays are the caller's.
 */
#ifndef SCONE_MODEL_NN_GROUPS_H
#define SCONE_MODEL_NN_GROUPS_H

#include <stddef.h>
#include <stdint.h>

typedef struct nn_groups {
    size_t count;            /* of groups */
    const uint32_t *offsets; /* [count + 1], rising from 0 */
    const uint32_t *index;   /* [offsets[count]], or NULL */
} nn_groups;

static inline size_t groups_entries(const nn_groups *groups)
{
    return groups->offsets[groups->count];
}

static inline size_t groups_member(const nn_groups *groups, size_t entry)
{
    return groups->index ? groups->index[entry] : entry;
}

/* The other way round: for each row the places of `index` (of `count` rows below `rows`) that hold
 * it, rising. offsets [rows + 1] and places [count] are written. Cost: count + rows. */
void groups_of_index(uint32_t *offsets, uint32_t *places, const uint32_t *index, size_t count,
                     size_t rows);
/* For each row the groups that contain it, rising; owners [entries of groups]. A row that is twice
 * in a group is listed twice. */
void groups_of_rows(uint32_t *offsets, uint32_t *owners, const nn_groups *groups, size_t rows);

#endif
