/* real.h - the number type of src/model/nn and src/model.
 *
 * float; with -DSCONE_NN_DOUBLE the same sources compile in double, so that gradients can be
 * checked against central differences (tests/unit/model/test_nn_gradients.c). One program uses one
 * of the two.
 */
#ifndef SCONE_MODEL_NN_REAL_H
#define SCONE_MODEL_NN_REAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef SCONE_NN_DOUBLE
typedef double real;
#define REAL_GEMM cblas_dgemm
#else
typedef float real;
#define REAL_GEMM cblas_sgemm
#endif

#endif
