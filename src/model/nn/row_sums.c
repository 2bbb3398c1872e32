/* row_sums.c - see row_sums.h. */
#include "model/nn/row_sums.h"

#include "model/nn/vector.h"

SIMD_CLONES_FUSED void row_add(real *restrict y, const real *restrict x, size_t d)
{
    for (size_t j = 0; j < d; j++) y[j] += x[j];
}

SIMD_CLONES_FUSED void row_add_scaled(real *restrict y, real s, const real *restrict x, size_t d)
{
    for (size_t j = 0; j < d; j++) y[j] += s * x[j];
}

SIMD_CLONES_FUSED void row_scale(real *y, real s, const real *x, size_t d)
{
    for (size_t j = 0; j < d; j++) y[j] = s * x[j];
}

SIMD_CLONES_FUSED real row_dot(const real *x, const real *y, size_t d)
{
    lanes a = {0}, b = {0};
    size_t j = 0;
    for (; j + 2 * LANES <= d; j += 2 * LANES) {
        a += vector_load(x + j) * vector_load(y + j);
        b += vector_load(x + j + LANES) * vector_load(y + j + LANES);
    }
    real sum = vector_total(a + b);
    for (; j < d; j++) sum += x[j] * y[j];
    return sum;
}
