/* gelu.c - the Gaussian error linear unit in its tanh form (Hendrycks and Gimpel, 2016).
 *
 *     y = x (1 + tanh u) / 2 = x s,   u = a (x + b x^3),   s = 1 / (1 + exp(-2 u))
 *     dy/dx = s + x s (1 - s) 2 a (1 + 3 b x^2)
 *
 * with a = sqrt(2/pi), b = 0.044715: one exponential and one division an element in each direction.
 */
#include "model/nn/ops.h"

#include "model/nn/vector.h"

#define GELU_2A ((real)1.59576912160573071176) /* 2 sqrt(2/pi) */
#define GELU_B  ((real)0.044715)

enum { GELU_PIECE = 16384 };

typedef struct gelu_job {
    real *out;
    const real *dy, *x;
} gelu_job;

/* s, by exp2 of -2 u / log 2 */
SIMD_INLINE lanes gelu_share(lanes x, lanes square)
{
    const real linear = -GELU_2A * VECTOR_LOG2_E, cubic = linear * GELU_B;
    return vector_logistic2(x * (cubic * square + linear));
}

SIMD_INLINE lanes gelu_lanes(lanes x)
{
    return x * gelu_share(x, x * x);
}

SIMD_INLINE lanes gelu_slope(lanes x)
{
    lanes square = x * x, s = gelu_share(x, square);
    return s + (x * s) * ((real)1 - s) * ((3 * GELU_2A * GELU_B) * square + GELU_2A);
}

SIMD_CLONES_FUSED static void forward_range(real *y, const real *x, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) vector_store(y + i, gelu_lanes(vector_load(x + i)));
    if (i < n) vector_store_part(y + i, gelu_lanes(vector_load_part(x + i, n - i)), n - i);
}

static void forward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const gelu_job *job = argument;
    (void)piece;
    forward_range(job->out + first, job->x + first, last - first);
}

void gelu_forward(real *y, const real *x, size_t n, const nn_work *work)
{
    gelu_job job = {.out = y, .x = x};
    nn_for(work, n, GELU_PIECE, forward_piece, &job);
}

SIMD_CLONES_FUSED static void backward_range(real *dx, const real *dy, const real *x, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vector_store(dx + i, vector_load(dy + i) * gelu_slope(vector_load(x + i)));
    }
    if (i < n) {
        lanes slope = gelu_slope(vector_load_part(x + i, n - i));
        vector_store_part(dx + i, vector_load_part(dy + i, n - i) * slope, n - i);
    }
}

static void backward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const gelu_job *job = argument;
    (void)piece;
    backward_range(job->out + first, job->dy + first, job->x + first, last - first);
}

void gelu_backward(real *dx, const real *dy, const real *x, size_t n, const nn_work *work)
{
    gelu_job job = {.out = dx, .dy = dy, .x = x};
    nn_for(work, n, GELU_PIECE, backward_piece, &job);
}
