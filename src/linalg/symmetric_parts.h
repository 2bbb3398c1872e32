/* symmetric_parts.h - what symmetric.c and symmetric_eigen.c share. */
#ifndef SCONE_LINALG_SYMMETRIC_PARTS_H
#define SCONE_LINALG_SYMMETRIC_PARTS_H

#include "linalg/symmetric.h"

double symmetric_tolerance(size_t n);

/* Scales A + diag(penalties) to a unit diagonal (work->scale) and decomposes it in work->matrix:
 * if *regular the lower triangle is the Cholesky factor, else work->matrix holds eigenvectors and
 * work->values eigenvalues. */
scone_status symmetric_prepare(bool *regular, symmetric_work *work, const double *a,
                               const double *penalties, size_t n);

/* How many of the ascending eigenvalues count as 0. */
size_t symmetric_null_count(const double *values, size_t n);

#endif
