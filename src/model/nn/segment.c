/* segment.c - sums, means, soft-max and weighted sums over groups of rows:
 *
 *     sum   y_g = sum x_r            dx_r = sum of dy_g over the groups g of r
 *     mean  y_g = sum x_r / n_g      dx_r = sum of dy_g / n_g
 *     soft-max  p_r = exp(x_r - l_g), l_g = log sum exp(x_r)      dx_r = p_r (dp_r - sum p_s dp_s)
 *     pool  y_g = sum p_r x_r        dp_r = dy_g . x_r,  dx_r = p_r dy_g
 *
 * Each output row is summed by one thread in the order of its list. Cost: entries times d.
 */
#include "model/nn/ops.h"

#include "model/nn/row_sums.h"

#include <math.h>

enum { SEGMENT_PIECE = 64 };

typedef struct segment_job {
    real *y, *p;
    const real *x, *weights, *dy;
    const nn_groups *groups, *sizes; /* sizes: groups whose size divides, NULL for a sum */
    size_t columns, d;
    bool mean;
    nn_into into;
} segment_job;

static size_t group_size(const nn_groups *groups, size_t g)
{
    return groups->offsets[g + 1] - groups->offsets[g];
}

static void sum_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const segment_job *job = argument;
    const nn_groups *groups = job->groups;
    size_t d = job->d;
    (void)piece;
    for (size_t g = first; g < last; g++) {
        real *y = job->y + g * d;
        if (job->into == NN_SET) memset(y, 0, d * sizeof *y);
        real share = job->mean ? 1 / (real)group_size(groups, g) : 1;
        for (size_t k = groups->offsets[g]; k < groups->offsets[g + 1]; k++) {
            size_t r = groups_member(groups, k);
            if (job->sizes) share = 1 / (real)group_size(job->sizes, r);
            row_add_scaled(y, share, job->x + r * d, d);
        }
    }
}

static void run_groups(const nn_work *work, nn_body body, segment_job *job)
{
    nn_for(work, job->groups->count, SEGMENT_PIECE, body, job);
}

void segment_sum_forward(real *y, const real *x, const nn_groups *groups, size_t d, nn_into into,
                         const nn_work *work)
{
    segment_job job = {.y = y, .x = x, .groups = groups, .d = d, .into = into};
    run_groups(work, sum_piece, &job);
}

void segment_mean_forward(real *y, const real *x, const nn_groups *groups, size_t d, nn_into into,
                          const nn_work *work)
{
    segment_job job = {.y = y, .x = x, .groups = groups, .d = d, .mean = true, .into = into};
    run_groups(work, sum_piece, &job);
}

/* y_g = sum of x_r is a product with a matrix of zeros and ones; its transposed is `owners`. */
void segment_sum_backward(real *dx, const real *dy, const nn_groups *owners, size_t d, nn_into into,
                          const nn_work *work)
{
    segment_sum_forward(dx, dy, owners, d, into, work);
}

void segment_mean_backward(real *dx, const real *dy, const nn_groups *owners,
                           const nn_groups *groups, size_t d, nn_into into, const nn_work *work)
{
    segment_job job = {.y = dx, .x = dy, .groups = owners, .sizes = groups, .d = d, .into = into};
    run_groups(work, sum_piece, &job);
}

static void softmax_group(real *p, const real *x, const nn_groups *groups, size_t g, size_t columns)
{
    size_t begin = groups->offsets[g], end = groups->offsets[g + 1];
    for (size_t c = 0; c < columns; c++) {
        double peak = -(double)INFINITY, total = 0.0;
        for (size_t k = begin; k < end; k++) {
            double value = (double)x[groups_member(groups, k) * columns + c];
            peak = value > peak ? value : peak;
        }
        for (size_t k = begin; k < end; k++) {
            size_t at = groups_member(groups, k) * columns + c;
            double weight = exp((double)x[at] - peak);
            p[at] = (real)weight;
            total += weight;
        }
        for (size_t k = begin; k < end; k++) {
            size_t at = groups_member(groups, k) * columns + c;
            p[at] = (real)((double)p[at] / total);
        }
    }
}

static void softmax_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const segment_job *job = argument;
    (void)piece;
    for (size_t g = first; g < last; g++) {
        softmax_group(job->p, job->x, job->groups, g, job->columns);
    }
}

void segment_softmax_forward(real *p, const real *x, const nn_groups *groups, size_t columns,
                             const nn_work *work)
{
    segment_job job = {.p = p, .x = x, .groups = groups, .columns = columns};
    run_groups(work, softmax_piece, &job);
}

/* p_r = exp(x_r) / sum exp(x_s) gives dx_r = p_r (dp_r - sum of p_s dp_s) */
static void softmax_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const segment_job *job = argument;
    const nn_groups *groups = job->groups;
    size_t columns = job->columns;
    (void)piece;
    for (size_t g = first; g < last; g++) {
        for (size_t c = 0; c < columns; c++) {
            real mean = 0;
            for (size_t k = groups->offsets[g]; k < groups->offsets[g + 1]; k++) {
                size_t at = groups_member(groups, k) * columns + c;
                mean += job->weights[at] * job->dy[at];
            }
            for (size_t k = groups->offsets[g]; k < groups->offsets[g + 1]; k++) {
                size_t at = groups_member(groups, k) * columns + c;
                real slope = job->weights[at] * (job->dy[at] - mean);
                job->y[at] = job->into == NN_ADD ? job->y[at] + slope : slope;
            }
        }
    }
}

void segment_softmax_backward(real *dx, const real *dp, const real *p, const nn_groups *groups,
                              size_t columns, nn_into into, const nn_work *work)
{
    segment_job job = {
        .y = dx, .dy = dp, .weights = p, .groups = groups, .columns = columns, .into = into};
    run_groups(work, softmax_gradient_piece, &job);
}

static void pool_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const segment_job *job = argument;
    const nn_groups *groups = job->groups;
    size_t columns = job->columns, d = job->d, width = columns * d;
    (void)piece;
    for (size_t g = first; g < last; g++) {
        real *y = job->y + g * width;
        if (job->into == NN_SET) memset(y, 0, width * sizeof *y);
        for (size_t k = groups->offsets[g]; k < groups->offsets[g + 1]; k++) {
            size_t r = groups_member(groups, k);
            for (size_t c = 0; c < columns; c++) {
                row_add_scaled(y + c * d, job->weights[r * columns + c], job->x + r * width + c * d,
                               d);
            }
        }
    }
}

void segment_pool_forward(real *y, const real *p, const real *x, const nn_groups *groups,
                          size_t columns, size_t d, nn_into into, const nn_work *work)
{
    segment_job job = {
        .y = y, .weights = p, .x = x, .groups = groups, .columns = columns, .d = d, .into = into};
    run_groups(work, pool_piece, &job);
}

/* y_g = sum of p_r x_r gives dp_r = dy_g . x_r and dx_r = p_r dy_g */
static void pool_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const segment_job *job = argument;
    const nn_groups *groups = job->groups;
    size_t columns = job->columns, d = job->d;
    (void)piece;
    for (size_t g = first; g < last; g++) {
        for (size_t k = groups->offsets[g]; k < groups->offsets[g + 1]; k++) {
            size_t r = groups_member(groups, k);
            for (size_t c = 0; c < columns; c++) {
                size_t at = r * columns + c;
                const real *dy = job->dy + (g * columns + c) * d;
                if (job->p) job->p[at] = row_dot(dy, job->x + at * d, d);
                if (!job->y) continue;
                if (job->into == NN_ADD) {
                    row_add_scaled(job->y + at * d, job->weights[at], dy, d);
                } else {
                    row_scale(job->y + at * d, job->weights[at], dy, d);
                }
            }
        }
    }
}

void segment_pool_backward(real *dp, real *dx, const real *dy, const real *p, const real *x,
                           const nn_groups *groups, size_t columns, size_t d, nn_into into,
                           const nn_work *work)
{
    segment_job job = {.y = dx,
                       .p = dp,
                       .dy = dy,
                       .weights = p,
                       .x = x,
                       .groups = groups,
                       .columns = columns,
                       .d = d,
                       .into = into};
    run_groups(work, pool_gradient_piece, &job);
}
