/* cholesky.h - the factor A = L L' of a symmetric positive definite matrix, kept up to date while
 * rows and columns come and go.
 *
 *   factor     k^3 / 3 flops        append, remove   order k^2
 *
 * Functions that can meet a matrix that is not positive definite return false and then leave the
 * factor as it was (cholesky_factor: empty); that is an answer, not a failure, and raises no
 * message. A pivot counts as positive when it exceeds 8 k DBL_EPSILON times the diagonal element it
 * came from: below that it is rounding, and the variable depends linearly on those before it.
 */
#ifndef SCONE_LINALG_CHOLESKY_H
#define SCONE_LINALG_CHOLESKY_H

#include "base/memory.h"

typedef struct cholesky {
    size_t size, capacity;
    double *factor; /* lower triangle of L, element (i, j) at i + capacity * j */
    double *work;   /* [capacity] */
} cholesky;

scone_status cholesky_alloc(cholesky **out, size_t capacity);
void cholesky_free(cholesky *c);

/* Factors a [n, n] (its lower triangle); n <= capacity. */
bool cholesky_factor(cholesky *c, const double *a, size_t n);
/* Appends a row and column to A: `column` [size + 1] with the new diagonal element last. False also
 * if the capacity is used up. */
bool cholesky_append(cholesky *c, const double *column);
/* Deletes row and column `index` of A. */
void cholesky_remove(cholesky *c, size_t index);

/* b [size, count] becomes the solution of A x = b. */
void cholesky_solve(const cholesky *c, double *b, size_t count);
/* b [size] becomes the solution of L y = b, so that y'y = b' A^-1 b. */
void cholesky_solve_lower(const cholesky *c, double *b);
/* inverse [size, size] of A, both triangles */
void cholesky_inverse(const cholesky *c, double *inverse);

#endif
