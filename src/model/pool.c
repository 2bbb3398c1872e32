/* pool.c - from the marginal stream to the global one and back (docs/methods/model.md).
 *
 *     w = soft-max over the cells of a pair of W_pool h, per channel
 *     m_e = (sum w h^0 + sum w h^1) / 2,   g[i, j] += m_e,   h[cell, channel] += g[i, j]
 *
 * Cost: order of (M + pairs) d.
 */
#include "model/model_parts.h"

#include "model/nn/row_sums.h"

enum { PAIRS_PIECE = 64 };

typedef struct pool_job {
    model_run *run;
    const batch *b;
    real *out;
    const real *x, *g;
    size_t d;
} pool_job;

static pool_job job_of(model_run *run, const batch *b)
{
    return (pool_job){.run = run, .b = b, .d = run->layout->config.width};
}

/* message = mean of the channels of pooled */
static void mean_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const pool_job *job = argument;
    size_t d = job->d;
    (void)piece;
    for (size_t e = first; e < last; e++) {
        const real *pooled = job->run->pooled + 2 * e * d;
        for (size_t k = 0; k < d; k++) {
            job->run->message[e * d + k] = (pooled[k] + pooled[d + k]) / 2;
        }
    }
}

void pool_forward(model_run *run, real *share, const real *h, size_t pool, const real *values,
                  const batch *b)
{
    pool_job job = job_of(run, b);
    linear_forward(run->scores, h, values + pool, NULL, 2 * b->cells, job.d, 1, NN_SET, run->work);
    segment_softmax_forward(share, run->scores, &b->pair_cells, 2, run->work);
    segment_pool_forward(run->pooled, share, h, &b->pair_cells, 2, job.d, NN_SET, run->work);
    nn_for(run->work, b->pairs, PAIRS_PIECE, mean_piece, &job);
}

/* message = (pooled^0 + pooled^1) / 2: each channel gets half of dmessage */
static void mean_back_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const pool_job *job = argument;
    size_t d = job->d;
    (void)piece;
    for (size_t k = 2 * first; k < 2 * last; k++) {
        row_scale(job->run->dpooled + k * d, (real)0.5, job->run->dmessage + k / 2 * d, d);
    }
}

void pool_backward(model_run *run, real *dh, real *gradients, const real *share, const real *h,
                   size_t pool, nn_into into, const real *values, const batch *b)
{
    pool_job job = job_of(run, b);
    nn_for(run->work, b->pairs, PAIRS_PIECE, mean_back_piece, &job);
    segment_pool_backward(run->dweights, dh, run->dpooled, share, h, &b->pair_cells, 2, job.d, into,
                          run->work);
    segment_softmax_backward(run->dscores, run->dweights, share, &b->pair_cells, 2, NN_SET,
                             run->work);
    linear_backward(dh, gradients + pool, NULL, run->dscores, h, values + pool, 2 * b->cells, job.d,
                    1, NN_ADD, run->work);
}

/* Each pair has a grid cell of its own. */
static void message_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const pool_job *job = argument;
    size_t d = job->d;
    (void)piece;
    for (size_t e = first; e < last; e++) {
        row_add(job->out + job->b->pair_grid[e] * d, job->run->message + e * d, d);
    }
}

void pool_message_forward(model_run *run, real *g, const batch *b)
{
    pool_job job = job_of(run, b);
    job.out = g;
    nn_for(run->work, b->pairs, PAIRS_PIECE, message_piece, &job);
}

/* g[i, j] += m_e: dm_e = dg[i, j] */
void pool_message_backward(model_run *run, const real *dg, const batch *b)
{
    gather_forward(run->dmessage, dg, b->pair_grid, b->pairs, run->layout->config.width, NN_SET,
                   run->work);
}

static void back_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const pool_job *job = argument;
    size_t d = job->d;
    (void)piece;
    for (size_t token = 2 * first; token < 2 * last; token++) {
        real *next = job->out + token * d;
        const real *h = job->x + token * d;
        if (next != h) memcpy(next, h, d * sizeof *next);
        row_add(next, job->g + job->b->cell_grid[token / 2] * d, d);
    }
}

void pool_back_forward(model_run *run, real *next, const real *h, const real *g, const batch *b)
{
    pool_job job = job_of(run, b);
    job.out = next;
    job.x = h;
    job.g = g;
    nn_for(run->work, b->cells, CHUNK_ROWS, back_piece, &job);
}

/* h[cell, channel] += g[i, j]: all cells of a pair read the same */
static void back_back_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const pool_job *job = argument;
    const nn_groups *cells = &job->b->pair_cells;
    size_t d = job->d;
    (void)piece;
    for (size_t e = first; e < last; e++) {
        real *dg = job->out + job->b->pair_grid[e] * d;
        for (size_t k = cells->offsets[e]; k < cells->offsets[e + 1]; k++) {
            const real *dh = job->x + 2 * cells->index[k] * d;
            row_add(dg, dh, d);
            row_add(dg, dh + d, d);
        }
    }
}

void pool_back_backward(model_run *run, real *dg, const real *dh, const batch *b)
{
    pool_job job = job_of(run, b);
    job.out = dg;
    job.x = dh;
    nn_for(run->work, b->pairs, PAIRS_PIECE, back_back_piece, &job);
}
