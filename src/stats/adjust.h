/* adjust.h - p-values adjusted for how many tests a run makes.
 *
 * Holm (Scandinavian Journal of Statistics 6, 1979): the chance of any false "changed" is at most
 * alpha, whatever the dependence between the tests. Benjamini and Hochberg (JRSS B 57, 1995): the
 * expected share of false ones among those called "changed" is at most alpha, for independent or
 * positively dependent tests. A NaN stands for a test that was not possible: it is not counted and
 * stays. O(n log n).
 */
#ifndef SCONE_STATS_ADJUST_H
#define SCONE_STATS_ADJUST_H

#include "base/memory.h"

/* adjusted [n] from p [n]; may be the same array. Reject where it is at most alpha. */
scone_status adjust_holm(double *adjusted, const double *p, size_t n);
scone_status adjust_benjamini_hochberg(double *adjusted, const double *p, size_t n);

#endif
