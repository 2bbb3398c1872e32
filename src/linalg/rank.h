/* rank.h - which columns are linear combinations of which others.
 *
 * Cholesky with complete pivoting on the correlation matrix: in each step the column with the
 * largest share of variance not yet explained joins the basis (the first of equals); what is left
 * when that share is at most `tolerance` depends on the basis. n^3 / 3 flops.
 */
#ifndef SCONE_LINALG_RANK_H
#define SCONE_LINALG_RANK_H

#include "base/memory.h"

typedef struct rank_result {
    size_t size, rank;
    size_t *order;        /* [size]: basis columns first, then dependent ones */
    double *coefficients; /* [rank, size - rank]: column d gives column order[rank + d], in units of
                             its standard deviation, from the basis in units of theirs */
    double *unexplained;  /* [size - rank]: 1 - R^2 of each dependent column, at least 0 */
} rank_result;

/* correlation [n, n] with ones on the diagonal; 0 < tolerance < 1. */
scone_status rank_reveal(rank_result *result, const double *correlation, size_t n,
                         double tolerance);
void rank_result_free(rank_result *result); /* what it points to */

#endif
