/* symmetric.h - symmetric positive semidefinite systems and eigenproblems, singular ones included.
 *
 * Solving, inverting and partial correlations first scale to a unit diagonal, S A S with
 * s_i = 1 / sqrt(a_ii), so that the units of the columns do not matter. If all pivots of the
 * Cholesky factor of that matrix exceed 16 n DBL_EPSILON the matrix counts as regular; otherwise
 * its eigenvalues decide: those up to 16 n DBL_EPSILON times the largest are taken as 0.
 * All matrices are [n, n], full storage; only lower triangles are read, both are written.
 * A value that is not finite is SCONE_ERR_INPUT. Cost: order n^3.
 */
#ifndef SCONE_LINALG_SYMMETRIC_H
#define SCONE_LINALG_SYMMETRIC_H

#include "base/memory.h"

/* Workspace for matrices up to [capacity, capacity]: 4 capacity^2 doubles. */
typedef struct symmetric_work {
    size_t capacity;
    double *matrix, *vectors; /* [capacity, capacity] each */
    double *lapack;           /* 2 capacity^2 + 6 capacity + 1 */
    double *scale, *values;   /* [capacity] each */
    int *integers;            /* 6 capacity + 3 */
} symmetric_work;

scone_status symmetric_work_alloc(symmetric_work **out, size_t capacity);
void symmetric_work_free(symmetric_work *work);

/* x [n, count] solves A x = b, b [n, count] (x may be b). For singular A it is, of the x that
 * minimize |S(A x - b)|, the one with the smallest |S^-1 x|: the minimum-norm solution in
 * standardized units. A variable with a zero diagonal element gets x = 0. *rank may be NULL. */
scone_status symmetric_solve(double *x, size_t *rank, const double *a, const double *b, size_t n,
                             size_t count, symmetric_work *work);

/* The inverse; for singular A the pseudo-inverse in standardized units, S (S A S)^+ S. */
scone_status symmetric_inverse(double *inverse, size_t *rank, const double *a, size_t n,
                               symmetric_work *work);

/* Ridge regression from Gram matrices: (G + diag(penalties)) beta = C with gram G = X'X [n, n] and
 * cross C = X'Y [n, count]; penalties [n], all >= 0, may be NULL. */
scone_status ridge_solve(double *beta, const double *gram, const double *cross,
                         const double *penalties, size_t n, size_t count, symmetric_work *work);
/* Residual sum of squares y'y - 2 beta'c + beta' G beta of one response, not below 0. */
double ridge_residual(const double *beta, const double *gram, const double *cross, double squares,
                      size_t n);

/* All eigenvalues, ascending, and orthonormal eigenvectors, column by column, in place of a. The
 * largest component of each vector is positive. */
scone_status symmetric_eigen(double *values, double *a, size_t n, symmetric_work *work);

/* Partial correlation of every pair given all other variables, ones on the diagonal:
 *   r_ij = -P_ij / sqrt(P_ii P_jj) with P the inverse of the covariance.
 * For a singular covariance it is the limit for vanishing independent noise of equal share on
 * every variable: with N the projector onto the null space of the correlation matrix and M its
 * pseudo-inverse, P = N / e + M, e -> 0. So columns of one exact linear relation have partial
 * correlations of +-1 among each other and 0 with the rest; a constant column has 0 with all.
 * For more columns than rows, shrink first (shrinkage.h). */
scone_status partial_correlations(double *partial, const double *covariance, size_t n,
                                  symmetric_work *work);

#endif
