/* matrix.h - products of dense column-major matrices.
 *
 * A matrix [m, n] is m * n doubles, element (i, j) at i + m * j. Arguments come in the order
 * outputs, inputs, shapes; outputs never overlap inputs. A dimension above 2^31 - 1 is refused
 * with SCONE_ERR_INPUT, since BLAS counts in ints.
 */
#ifndef SCONE_LINALG_MATRIX_H
#define SCONE_LINALG_MATRIX_H

#include "base/memory.h"

/* c [m, n] = op(a) op(b), op(a) being [m, k] and op(b) [k, n]; op transposes where told, so a is
 * then stored as [k, m] and b as [n, k]. 2 m n k flops. */
scone_status matrix_multiply(double *c, const double *a, const double *b, size_t m, size_t n,
                             size_t k, bool transpose_a, bool transpose_b);

/* y = a x, or a' x with `transpose`; a is [m, n]. */
scone_status matrix_vector(double *y, const double *a, const double *x, size_t m, size_t n,
                           bool transpose);

/* c [n, n] = alpha a a' + beta c with a [n, k], or alpha a' a + beta c with `transpose` and a
 * [k, n]; c is symmetric, only its lower triangle is read, both are written. n^2 k flops. */
scone_status matrix_rank_update(double *c, const double *a, size_t n, size_t k, bool transpose,
                                double alpha, double beta);

/* Copies the lower triangle of a [n, n] to the upper. */
void matrix_mirror(double *a, size_t n);

bool matrix_is_finite(const double *a, size_t count);

#endif
