/* sort.h - ascending order of doubles without NaN: radix sort by the bits, in time linear in n
 * whatever the values (a column is sorted in each regime, 2,000 sorts at N = 1,000). */
#ifndef SCONE_STATS_SORT_H
#define SCONE_STATS_SORT_H

#include "base/memory.h"

/* sorted [n] = values [n] in ascending order, -0 before +0; keys [2, n] is scratch. */
void sort_doubles(double *sorted, const double *values, size_t n, uint64_t *keys);

#endif
