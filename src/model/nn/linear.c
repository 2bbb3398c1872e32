/* linear.c - y = x w' + b and its gradients.
 *
 * Products go to OpenBLAS in pieces of rows: 256 rows of 64 to 256 columns stay in the second-level
 * cache, where a piece reaches nine tenths of the speed of one large product. The gradient of the
 * weights sums over rows: at most NN_PIECES partial products, added in order.
 */
#include "model/nn/ops.h"

#include "base/simd.h"
#include "linalg/blas.h"

#include <string.h>

typedef struct linear_job {
    real *y, *dx, *dw, *db; /* of the forward pass y alone, of the backward pass the others */
    const real *x, *w, *b, *dy;
    size_t in, out, pieces;
    nn_into into;
} linear_job;

SIMD_CLONES_FUSED static void add_rows(real *restrict y, const real *restrict b, size_t rows,
                                       size_t d)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t j = 0; j < d; j++) y[r * d + j] += b[j];
    }
}

static void forward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const linear_job *job = argument;
    size_t in = job->in, out = job->out;
    real *y = job->y + first * out;
    (void)piece;
    if (job->b && job->into == NN_ADD) add_rows(y, job->b, last - first, out);
    if (job->b && job->into == NN_SET) {
        for (size_t r = 0; r < last - first; r++) memcpy(y + r * out, job->b, out * sizeof *y);
    }
    real keep = job->b || job->into == NN_ADD ? 1 : 0;
    REAL_GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, blas_int(last - first), blas_int(out),
              blas_int(in), 1, job->x + first * in, blas_int(in), job->w, blas_int(in), keep, y,
              blas_int(out));
}

void linear_forward(real *y, const real *x, const real *w, const real *b, size_t m, size_t in,
                    size_t out, nn_into into, const nn_work *work)
{
    linear_job job = {.y = y, .x = x, .w = w, .b = b, .in = in, .out = out, .into = into};
    nn_for(work, m, NN_PIECE_ROWS, forward_piece, &job);
}

/* dx = dy w, from y = x w' */
static void input_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const linear_job *job = argument;
    size_t in = job->in, out = job->out;
    (void)piece;
    REAL_GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_int(last - first), blas_int(in),
              blas_int(out), 1, job->dy + first * out, blas_int(out), job->w, blas_int(in),
              job->into == NN_ADD ? 1 : 0, job->dx + first * in, blas_int(in));
}

SIMD_CLONES_FUSED static void sum_rows(real *restrict b, const real *restrict y, size_t rows,
                                       size_t d)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t j = 0; j < d; j++) b[j] += y[r * d + j];
    }
}

/* dw = dy' x, from y = x w'; db = column sums of dy. One piece adds to the result itself, several
 * write parts of their own: first all of dw, then db. */
static void weight_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const linear_job *job = argument;
    size_t in = job->in, out = job->out;
    size_t part = piece * (in * out + out);
    real *dw = job->dw ? job->dw + part : NULL, *db = job->db ? job->db + part : NULL;
    const real *dy = job->dy + first * out;
    if (dw) {
        REAL_GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, blas_int(out), blas_int(in),
                  blas_int(last - first), 1, dy, blas_int(out), job->x + first * in, blas_int(in),
                  job->pieces == 1 ? 1 : 0, dw, blas_int(in));
    }
    if (db) {
        if (job->pieces > 1) memset(db, 0, out * sizeof *db);
        sum_rows(db, dy, last - first, out);
    }
}

void linear_backward(real *dx, real *dw, real *db, const real *dy, const real *x, const real *w,
                     size_t m, size_t in, size_t out, nn_into into, const nn_work *work)
{
    linear_job job = {.dx = dx, .x = x, .w = w, .dy = dy, .in = in, .out = out, .into = into};
    if (dx) nn_for(work, m, NN_PIECE_ROWS, input_piece, &job);
    if (!dw && !db) return;
    size_t count = in * out + out, step = nn_sum_step(work, m, count);
    real *parts = nn_sum_parts(work);
    job.pieces = nn_pieces(m, step);
    bool direct = job.pieces <= 1;
    if (dw) job.dw = direct ? dw : parts;
    if (db) job.db = direct ? db : parts + in * out;
    nn_for(work, m, step, weight_piece, &job);
    if (direct) return;
    if (dw) nn_sum_add(work, dw, parts, count, job.pieces, in * out);
    if (db) nn_sum_add(work, db, parts + in * out, count, job.pieces, out);
}
