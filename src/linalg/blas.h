/* blas.h - the one door to OpenBLAS and LAPACK.
 *
 * OpenBLAS is pinned to one thread, once per process: a sum split over BLAS threads would round
 * differently with their number. Parallelism is ours, over independent items (parallel/parallel.h).
 * Of LAPACKE only the *_work functions are used: they take their workspace from the caller, while
 * the others call malloc and read the environment.
 * Sizes of BLAS are C ints; blas_fits tells whether ours can be handed over.
 */
#ifndef SCONE_LINALG_BLAS_H
#define SCONE_LINALG_BLAS_H

#include "base/memory.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>

/* Pins OpenBLAS; every function of this folder that calls BLAS or LAPACK calls this first. */
void blas_prepare(void);

static inline bool blas_fits(size_t size)
{
    return size <= INT_MAX;
}

/* Only after blas_fits, or for sizes whose square is in memory. */
static inline int blas_int(size_t size)
{
    return (int)size;
}

#endif
