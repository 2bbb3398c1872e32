/* layer_norm.c - layer normalization (Ba, Kiros and Hinton, 2016), by row:
 *
 *     z = (x - mean) r,  r = 1 / sqrt(variance + epsilon),  y = z gain + shift
 *     with g = dy gain:  dx = r (g - mean(g) - z mean(g z)),  dgain = sum dy z,  dshift = sum dy
 *
 * The variance is about the mean (two passes over a row in the first-level cache).
 */
#include "model/nn/ops.h"

#include "model/nn/vector.h"

#define LAYER_NORM_EPSILON ((real)1e-5)

typedef struct norm_job {
    real *y, *statistics; /* written by the forward pass */
    real *dx, *parts;     /* by the backward pass; parts [2, d]: dgain, dshift */
    const real *dy, *x, *kept, *gain, *shift;
    size_t d, pieces;
    nn_into into;
} norm_job;

/* sum of (x - center)^2 */
SIMD_INLINE real squares_about(const real *x, real center, size_t d)
{
    lanes a = {0}, b = {0};
    size_t j = 0;
    for (; j + 2 * LANES <= d; j += 2 * LANES) {
        lanes u = vector_load(x + j) - center, v = vector_load(x + j + LANES) - center;
        a += u * u;
        b += v * v;
    }
    real sum = vector_total(a + b);
    for (; j < d; j++) sum += (x[j] - center) * (x[j] - center);
    return sum;
}

SIMD_INLINE real sum_of(const real *x, size_t d)
{
    lanes a = {0}, b = {0};
    size_t j = 0;
    for (; j + 2 * LANES <= d; j += 2 * LANES) {
        a += vector_load(x + j);
        b += vector_load(x + j + LANES);
    }
    real sum = vector_total(a + b);
    for (; j < d; j++) sum += x[j];
    return sum;
}

SIMD_INLINE real inverse_root(real x)
{
#ifdef SCONE_NN_DOUBLE
    return 1 / sqrt(x);
#else
    return 1 / sqrtf(x);
#endif
}

SIMD_CLONES_FUSED static void forward_rows(real *restrict y, real *restrict statistics,
                                           const real *x, const real *restrict gain,
                                           const real *restrict shift, size_t rows, size_t d)
{
    for (size_t r = 0; r < rows; r++, x += d, y += d) {
        real mean = sum_of(x, d) / (real)d;
        real scale = inverse_root(squares_about(x, mean, d) / (real)d + LAYER_NORM_EPSILON);
        statistics[2 * r] = mean;
        statistics[2 * r + 1] = scale;
        for (size_t j = 0; j < d; j++) y[j] = (x[j] - mean) * scale * gain[j] + shift[j];
    }
}

static void forward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const norm_job *job = argument;
    size_t d = job->d;
    (void)piece;
    forward_rows(job->y + first * d, job->statistics + 2 * first, job->x + first * d, job->gain,
                 job->shift, last - first, d);
}

void layer_norm_forward(real *y, real *statistics, const real *x, const real *gain,
                        const real *shift, size_t rows, size_t d, const nn_work *work)
{
    norm_job job = {.y = y, .statistics = statistics, .x = x, .gain = gain, .shift = shift, .d = d};
    nn_for(work, rows, NN_PIECE_ROWS, forward_piece, &job);
}

/* means[0] = mean(dy gain), means[1] = mean(dy gain z) */
SIMD_INLINE void row_means(real means[2], const real *dy, const real *x, real mean, real scale,
                           const real *gain, size_t d)
{
    lanes a = {0}, b = {0};
    size_t j = 0;
    for (; j + LANES <= d; j += LANES) {
        lanes g = vector_load(dy + j) * vector_load(gain + j);
        a += g;
        b += g * (vector_load(x + j) - mean);
    }
    real sum = vector_total(a), product = vector_total(b);
    for (; j < d; j++) {
        sum += dy[j] * gain[j];
        product += dy[j] * gain[j] * (x[j] - mean);
    }
    means[0] = sum / (real)d;
    means[1] = product * scale / (real)d;
}

SIMD_CLONES_FUSED static void backward_rows(real *restrict dx, real *restrict dgain,
                                            real *restrict dshift, const real *restrict dy,
                                            const real *restrict x, const real *restrict statistics,
                                            const real *restrict gain, size_t rows, size_t d,
                                            nn_into into)
{
    for (size_t r = 0; r < rows; r++, dx += d, dy += d, x += d) {
        real mean = statistics[2 * r], scale = statistics[2 * r + 1], means[2];
        row_means(means, dy, x, mean, scale, gain, d);
        for (size_t j = 0; j < d; j++) {
            real z = (x[j] - mean) * scale;
            dgain[j] += dy[j] * z;
            dshift[j] += dy[j];
            real old = into == NN_ADD ? dx[j] : 0;
            dx[j] = old + scale * (dy[j] * gain[j] - means[0] - z * means[1]);
        }
    }
}

static void backward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const norm_job *job = argument;
    size_t d = job->d;
    real *parts = job->parts + piece * 2 * d;
    memset(parts, 0, 2 * d * sizeof *parts);
    backward_rows(job->dx + first * d, parts, parts + d, job->dy + first * d, job->x + first * d,
                  job->kept + 2 * first, job->gain, last - first, d, job->into);
}

void layer_norm_backward(real *dx, real *dgain, real *dshift, const real *dy, const real *x,
                         const real *statistics, const real *gain, size_t rows, size_t d,
                         nn_into into, const nn_work *work)
{
    size_t step = nn_sum_step(work, rows, 2 * d), pieces = nn_pieces(rows, step);
    if (pieces <= 1) { /* no parts, and possibly no room for one */
        backward_rows(dx, dgain, dshift, dy, x, statistics, gain, rows, d, into);
        return;
    }
    norm_job job = {.dx = dx,
                    .parts = nn_sum_parts(work),
                    .dy = dy,
                    .x = x,
                    .kept = statistics,
                    .gain = gain,
                    .d = d,
                    .into = into};
    nn_for(work, rows, step, backward_piece, &job);
    nn_sum_add(work, dgain, job.parts, 2 * d, pieces, d);
    nn_sum_add(work, dshift, job.parts + d, 2 * d, pieces, d);
}
