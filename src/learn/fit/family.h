/* family.h - a node and its parents: what a local score is asked for. */
#ifndef SCONE_LEARN_FIT_FAMILY_H
#define SCONE_LEARN_FIT_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAMILY_MAX_PARENTS = 12 };

/* Parents are increasing; unused places are 0, so that families can be compared as bytes. */
typedef struct family {
    uint32_t node, count;
    uint32_t parents[FAMILY_MAX_PARENTS];
} family;

/* `of` with one parent more or less; count stays within FAMILY_MAX_PARENTS (caller's duty). */
family family_with(const family *of, size_t parent);
family family_without(const family *of, size_t parent);
bool family_has(const family *of, size_t parent);
bool family_equal(const family *a, const family *b);

#endif
