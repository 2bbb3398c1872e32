/* gate.c - a sigmoid with a floor and a temperature, the form of the model's gates:
 *
 *     y = f + (1 - f) s,   s = 1 / (1 + exp(-x / t))
 *     dy/dx = (1 - f) s (1 - s) / t = (y - f) (1 - y) / ((1 - f) t)
 */
#include "model/nn/ops.h"

#include "model/nn/vector.h"

enum { GATE_PIECE = 16384 };

typedef struct gate_job {
    real *out;
    const real *dy, *in; /* x forward, y backward */
    real floor, temperature;
    nn_into into;
} gate_job;

SIMD_CLONES_FUSED static void forward_range(real *y, const real *x, real floor, real temperature,
                                            size_t n)
{
    const real sharpness = -VECTOR_LOG2_E / temperature, height = 1 - floor;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vector_store(y + i, vector_logistic2(vector_load(x + i) * sharpness) * height + floor);
    }
    if (i < n) {
        lanes s = vector_logistic2(vector_load_part(x + i, n - i) * sharpness);
        vector_store_part(y + i, s * height + floor, n - i);
    }
}

static void forward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const gate_job *job = argument;
    (void)piece;
    forward_range(job->out + first, job->in + first, job->floor, job->temperature, last - first);
}

void gate_forward(real *y, const real *x, real floor, real temperature, size_t n,
                  const nn_work *work)
{
    gate_job job = {.out = y, .in = x, .floor = floor, .temperature = temperature};
    nn_for(work, n, GATE_PIECE, forward_piece, &job);
}

SIMD_CLONES_FUSED static void backward_range(real *dx, const real *dy, const real *y, real floor,
                                             real temperature, size_t n, nn_into into)
{
    const real factor = 1 / ((1 - floor) * temperature);
    for (size_t i = 0; i < n; i++) {
        real slope = dy[i] * ((y[i] - floor) * (1 - y[i]) * factor);
        dx[i] = into == NN_ADD ? dx[i] + slope : slope;
    }
}

static void backward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const gate_job *job = argument;
    (void)piece;
    backward_range(job->out + first, job->dy + first, job->in + first, job->floor, job->temperature,
                   last - first, job->into);
}

void gate_backward(real *dx, const real *dy, const real *y, real floor, real temperature, size_t n,
                   nn_into into, const nn_work *work)
{
    gate_job job = {dx, dy, y, floor, temperature, into};
    nn_for(work, n, GATE_PIECE, backward_piece, &job);
}
