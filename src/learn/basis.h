/* basis.h - the data of a search: standardized columns and their spline basis, in floats.
 *
 * Every column is standardized on both regimes together and expanded to z, z^2 and quadratic hinges
 * (z - t)^2_+ at interior quantiles t, each basis column standardized again. Rows of regime 0 come
 * first; each regime is padded with zero rows to a multiple of KERNEL_LANES, and a last column of
 * ones (zero in the padding) is the constant. Gram matrices of all basis columns are kept per
 * regime, so that a least-squares fit costs O(k^3) whatever the number of rows.
 * Memory: 4 (6 N + 1) n bytes for the columns, 16 (6 N + 1)^2 for the Gram matrices.
 */
#ifndef SCONE_LEARN_BASIS_H
#define SCONE_LEARN_BASIS_H

#include "base/parallel.h"
#include "data/table.h"

enum { BASIS_KNOTS = 4, BASIS_SIZE = 2 + BASIS_KNOTS };

typedef struct basis {
    size_t nodes;
    size_t rows[2];   /* true rows of each regime */
    size_t padded[2]; /* rows with padding */
    size_t start[2];  /* first row of each regime */
    size_t stride;    /* padded[0] + padded[1] */
    size_t columns;   /* nodes * BASIS_SIZE + 1; the last is the constant */
    float *values;    /* [columns][stride] */
    double *gram[2];  /* [columns][columns] each, full */
} basis;

static inline const float *basis_column(const basis *b, size_t column)
{
    return b->values + column * b->stride;
}

scone_status basis_alloc(basis **out, const scone_pair *pair, const scone_context *context);
void basis_free(basis *b);

#endif
