/* row_sums.h - inner loops on single rows of d reals (row_sums.c), for gather, segment and rows. */
#ifndef SCONE_MODEL_NN_ROW_SUMS_H
#define SCONE_MODEL_NN_ROW_SUMS_H

#include "model/nn/real.h"

#include <string.h>

void row_add(real *y, const real *x, size_t d);                /* y += x */
void row_add_scaled(real *y, real s, const real *x, size_t d); /* y += s x */
void row_scale(real *y, real s, const real *x, size_t d);      /* y = s x; y may be x */
real row_dot(const real *x, const real *y, size_t d);          /* sum of x y */

#endif
