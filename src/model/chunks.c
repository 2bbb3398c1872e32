/* chunks.c - rows go through several operations in chunks that stay in the cache (see
 * model_parts.h).
 *
 * Pieces of chunks are what threads share; their size depends on the number of rows alone. Sums
 * over rows (gradients of weights) are made in each piece and added in the order of the pieces.
 */
#include "model/model_parts.h"

#include "parallel/parallel.h"

#include <string.h>

typedef struct chunk_loop {
    model_run *run;
    chunk_body body;
    void *argument;
    size_t rows, step, part_size;
} chunk_loop;

size_t chunk_sums_add(chunk_sums *sums, real *target, size_t count)
{
    size_t k = sums->tensors++, at = sums->size;
    sums->target[k] = target;
    sums->count[k] = count;
    sums->at[k] = at;
    sums->size += count;
    return at;
}

static void run_piece(void *argument, size_t piece, int worker)
{
    const chunk_loop *loop = argument;
    model_run *run = loop->run;
    size_t begin = piece * loop->step;
    size_t end = loop->rows - begin < loop->step ? loop->rows : begin + loop->step;
    chunk c = {.scratch = run->scratch + (size_t)worker * run->scratch_size,
               .part = run->parts + piece * run->parts_size};
    if (loop->part_size) memset(c.part, 0, loop->part_size * sizeof *c.part);
    for (c.first = begin; c.first < end; c.first += CHUNK_ROWS) {
        c.rows = end - c.first < CHUNK_ROWS ? end - c.first : CHUNK_ROWS;
        loop->body(loop->argument, &c);
    }
}

static size_t piece_rows(size_t rows)
{
    size_t step = (rows + CHUNK_PIECES - 1) / CHUNK_PIECES;
    if (step < CHUNK_PIECE_ROWS) return CHUNK_PIECE_ROWS;
    return (step + CHUNK_ROWS - 1) / CHUNK_ROWS * CHUNK_ROWS;
}

void run_chunks(model_run *run, size_t rows, chunk_body body, void *argument,
                const chunk_sums *sums)
{
    chunk_loop loop = {.run = run,
                       .body = body,
                       .argument = argument,
                       .rows = rows,
                       .step = piece_rows(rows),
                       .part_size = sums ? sums->size : 0};
    size_t pieces = nn_pieces(rows, loop.step);
    parallel_plain(pieces, run->threads, run_piece, &loop);
    for (size_t k = 0; sums && k < sums->tensors; k++) {
        nn_sum_add(run->work, sums->target[k], run->parts + sums->at[k], run->parts_size, pieces,
                   sums->count[k]);
    }
}
