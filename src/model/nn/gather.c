/* gather.c - rows by index, y[i] = x[index[i]], and back: dx[r] = sum of dy[i] over the i that read
 * r. The backward pass goes by destination, so each row is summed by one thread in a fixed order.
 */
#include "model/nn/ops.h"

#include "model/nn/row_sums.h"

typedef struct gather_job {
    real *y;
    const real *x;
    const uint32_t *index;
    size_t d;
    nn_into into;
} gather_job;

static void forward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const gather_job *job = argument;
    size_t d = job->d;
    (void)piece;
    for (size_t i = first; i < last; i++) {
        const real *x = job->x + job->index[i] * d;
        if (job->into == NN_ADD) {
            row_add(job->y + i * d, x, d);
        } else {
            memcpy(job->y + i * d, x, d * sizeof *x);
        }
    }
}

void gather_forward(real *y, const real *x, const uint32_t *index, size_t count, size_t d,
                    nn_into into, const nn_work *work)
{
    gather_job job = {y, x, index, d, into};
    nn_for(work, count, NN_PIECE_ROWS, forward_piece, &job);
}

/* y[i] = x[index[i]] gives dx[r] = sum over index[i] = r of dy[i] */
void gather_backward(real *dx, const real *dy, const nn_groups *places, size_t d, nn_into into,
                     const nn_work *work)
{
    segment_sum_forward(dx, dy, places, d, into, work);
}
