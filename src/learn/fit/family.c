/* family.c - see family.h. */
#include "learn/fit/family.h"

#include <string.h>

family family_with(const family *of, size_t parent)
{
    family f = *of;
    size_t place = f.count++;
    for (; place > 0 && f.parents[place - 1] > parent; place--) {
        f.parents[place] = f.parents[place - 1];
    }
    f.parents[place] = (uint32_t)parent;
    return f;
}

family family_without(const family *of, size_t parent)
{
    family f = {.node = of->node};
    for (size_t i = 0; i < of->count; i++) {
        if (of->parents[i] != parent) f.parents[f.count++] = of->parents[i];
    }
    return f;
}

bool family_has(const family *of, size_t parent)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->parents[i] == parent) return true;
    }
    return false;
}

bool family_equal(const family *a, const family *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}
