/* sort.h - ascending order of words, and of doubles without NaN: radix sort by the bits, in time
 * linear in n whatever the values (a column is sorted in each regime, 2,000 sorts at N = 1,000). */
#ifndef SCONE_BASE_SORT_H
#define SCONE_BASE_SORT_H

#include "base/memory.h"

/* words [n] in place; other [n] is scratch. */
void sort_words(uint64_t *words, uint64_t *other, size_t n);
/* sorted [n] = values [n] in ascending order, -0 before +0; keys [2, n] is scratch. The two may be
 * the same array. */
void sort_doubles(double *sorted, const double *values, size_t n, uint64_t *keys);

#endif
