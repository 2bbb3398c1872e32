/* rows.c - small operations on rows: addition, a common vector, a scale per row, Euclidean norms.
 */
#include "model/nn/ops.h"

#include "model/nn/row_sums.h"

#include <math.h>

enum { ADD_PIECE = 16384 };

typedef struct rows_job {
    real *y, *ds;
    const real *x, *s, *dy;
    real epsilon;
    size_t stride, repeat, d, pieces;
    nn_into into;
} rows_job;

static void add_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const rows_job *job = argument;
    (void)piece;
    row_add(job->y + first, job->x + first, last - first);
}

void add_forward(real *y, const real *x, size_t n, const nn_work *work)
{
    rows_job job = {.y = y, .x = x};
    nn_for(work, n, ADD_PIECE, add_piece, &job);
}

static void bias_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const rows_job *job = argument;
    (void)piece;
    for (size_t r = first; r < last; r++) row_add(job->y + r * job->d, job->x, job->d);
}

void bias_forward(real *y, const real *b, size_t rows, size_t d, const nn_work *work)
{
    rows_job job = {.y = y, .x = b, .d = d};
    nn_for(work, rows, NN_PIECE_ROWS, bias_piece, &job);
}

/* y_r += b gives db = sum of dy_r; several pieces write parts of their own */
static void bias_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const rows_job *job = argument;
    real *db = job->y + piece * job->d;
    if (job->pieces > 1) memset(db, 0, job->d * sizeof *db);
    for (size_t r = first; r < last; r++) row_add(db, job->x + r * job->d, job->d);
}

void bias_backward(real *db, const real *dy, size_t rows, size_t d, const nn_work *work)
{
    size_t step = nn_sum_step(work, rows, d), pieces = nn_pieces(rows, step);
    real *parts = nn_sum_parts(work);
    rows_job job = {.y = pieces > 1 ? parts : db, .x = dy, .d = d, .pieces = pieces};
    nn_for(work, rows, step, bias_gradient_piece, &job);
    if (pieces > 1) nn_sum_add(work, db, parts, d, pieces, d);
}

static void scale_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const rows_job *job = argument;
    size_t width = job->repeat * job->d;
    (void)piece;
    for (size_t r = first; r < last; r++) {
        if (job->into == NN_ADD) {
            row_add_scaled(job->y + r * width, job->s[r * job->stride], job->x + r * width, width);
        } else {
            row_scale(job->y + r * width, job->s[r * job->stride], job->x + r * width, width);
        }
    }
}

void scale_forward(real *y, const real *s, const real *x, size_t rows, size_t stride, size_t repeat,
                   size_t d, nn_into into, const nn_work *work)
{
    rows_job job = {
        .y = y, .s = s, .x = x, .stride = stride, .repeat = repeat, .d = d, .into = into};
    nn_for(work, rows, NN_PIECE_ROWS, scale_piece, &job);
}

/* y_r = s_r x_r gives ds_r = dy_r . x_r and dx_r = s_r dy_r */
static void scale_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const rows_job *job = argument;
    size_t width = job->repeat * job->d;
    (void)piece;
    for (size_t r = first; r < last; r++) {
        real slope = row_dot(job->dy + r * width, job->x + r * width, width);
        real *ds = job->ds + r * job->stride;
        *ds = job->into == NN_ADD ? *ds + slope : slope;
    }
}

void scale_backward(real *ds, real *dx, const real *dy, const real *s, const real *x, size_t rows,
                    size_t stride, size_t repeat, size_t d, nn_into into, const nn_work *work)
{
    rows_job job = {
        .ds = ds, .dy = dy, .x = x, .stride = stride, .repeat = repeat, .d = d, .into = into};
    if (ds) nn_for(work, rows, NN_PIECE_ROWS, scale_gradient_piece, &job);
    if (dx) scale_forward(dx, s, dy, rows, stride, repeat, d, into, work);
}

static void norm_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const rows_job *job = argument;
    size_t d = job->d;
    (void)piece;
    for (size_t r = first; r < last; r++) {
        job->y[r] = (real)sqrt((double)(row_dot(job->x + r * d, job->x + r * d, d) + job->epsilon));
    }
}

void norm_forward(real *norm, const real *x, real epsilon, size_t rows, size_t d,
                  const nn_work *work)
{
    rows_job job = {.y = norm, .x = x, .epsilon = epsilon, .d = d};
    nn_for(work, rows, NN_PIECE_ROWS, norm_piece, &job);
}

/* n = sqrt(x . x + epsilon) gives dx = dn x / n */
static void norm_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const rows_job *job = argument;
    size_t d = job->d;
    (void)piece;
    for (size_t r = first; r < last; r++) {
        real slope = job->dy[r] / job->s[r];
        if (job->into == NN_ADD) {
            row_add_scaled(job->y + r * d, slope, job->x + r * d, d);
        } else {
            row_scale(job->y + r * d, slope, job->x + r * d, d);
        }
    }
}

void norm_backward(real *dx, const real *dnorm, const real *norm, const real *x, size_t rows,
                   size_t d, nn_into into, const nn_work *work)
{
    rows_job job = {.y = dx, .dy = dnorm, .s = norm, .x = x, .d = d, .into = into};
    nn_for(work, rows, NN_PIECE_ROWS, norm_gradient_piece, &job);
}
