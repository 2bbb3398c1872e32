/* nn_work.c - see nn_work.h. */
#include "model/nn/nn_work.h"

#include "base/memory.h"
#include "parallel/parallel.h"
#include "base/simd.h"
#include "linalg/blas.h"

struct nn_work {
    int threads;
    size_t largest;
    real *parts; /* [NN_PIECES, largest] */
};

scone_status nn_work_alloc(nn_work **result, const scone_context *context, size_t largest)
{
    scone_status status = SCONE_OK;
    nn_work *work = NULL;
    size_t count;
    *result = NULL;
    if (!size_multiply(&count, NN_PIECES, largest)) count = SIZE_MAX;
    TRY_ZERO(work, 1);
    work->threads = context_threads(context);
    work->largest = largest;
    work->parts = mem_aligned(count, sizeof *work->parts);
    if (!work->parts) {
        status = SCONE_ERR_MEMORY;
        goto cleanup;
    }
    blas_prepare();
    *result = work;
    work = NULL;
cleanup:
    nn_work_free(work);
    return status;
}

void nn_work_free(nn_work *work)
{
    if (!work) return;
    mem_free(work->parts);
    mem_free(work);
}

typedef struct piece_loop {
    nn_body body;
    void *argument;
    size_t rows, step;
} piece_loop;

static void run_piece(void *argument, size_t piece, int worker)
{
    const piece_loop *loop = argument;
    size_t first = piece * loop->step, left = loop->rows - first;
    (void)worker;
    loop->body(loop->argument, piece, first, first + (left < loop->step ? left : loop->step));
}

void nn_for(const nn_work *work, size_t rows, size_t step, nn_body body, void *argument)
{
    piece_loop loop = {body, argument, rows, step};
    parallel_plain(nn_pieces(rows, step), work->threads, run_piece, &loop);
}

size_t nn_sum_step(const nn_work *work, size_t rows, size_t count)
{
    if (count > work->largest || rows <= NN_PIECE_ROWS) return rows > 0 ? rows : 1;
    size_t step = (rows - 1) / NN_PIECES + 1;
    return step < NN_PIECE_ROWS ? NN_PIECE_ROWS : step;
}

real *nn_sum_parts(const nn_work *work)
{
    return work->parts;
}

typedef struct sum_job {
    real *target;
    const real *parts;
    size_t stride, pieces;
} sum_job;

SIMD_CLONES_FUSED static void sum_range(real *target, const real *parts, size_t stride,
                                        size_t pieces, size_t count)
{
    for (size_t p = 0; p < pieces; p++) {
        const real *part = parts + p * stride;
        for (size_t i = 0; i < count; i++) target[i] += part[i];
    }
}

static void sum_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const sum_job *job = argument;
    (void)piece;
    sum_range(job->target + first, job->parts + first, job->stride, job->pieces, last - first);
}

void nn_sum_add(const nn_work *work, real *target, const real *parts, size_t stride, size_t pieces,
                size_t count)
{
    sum_job job = {target, parts, stride, pieces};
    nn_for(work, count, 4096, sum_piece, &job);
}
