/* standardize.h - a column over both regimes together, in units of its own spread. */
#ifndef SCONE_STATS_STANDARDIZE_H
#define SCONE_STATS_STANDARDIZE_H

#include "data/table.h"

/* z[regime][row] = (x - mean) / deviation over the rows of both regimes, divisor n; all 0 if the
 * column is constant up to rounding. Values of any finite size: a power of two keeps squares in
 * range, and the mean is taken twice, so that a large offset costs no digits. O(rows). */
void standardize_column(double *const z[2], const scone_pair *pair, size_t column);

#endif
