/* nn_work.h - threads and scratch of the operations: made once, used by every forward and backward.
 *
 * Work is cut into pieces whose size does not depend on the number of threads. Sums over pieces
 * (gradients of weights) are kept apart and added in the order of the pieces, so results are the
 * same bytes for any number of threads. One nn_work serves one caller at a time.
 */
#ifndef SCONE_MODEL_NN_NN_WORK_H
#define SCONE_MODEL_NN_NN_WORK_H

#include "base/context.h"
#include "model/nn/real.h"

typedef struct nn_work nn_work;

/* Most pieces of a sum over rows, and least rows of a piece. */
enum { NN_PIECES = 8, NN_PIECE_ROWS = 256 };

/* `largest` is the number of reals in the largest gradient that one call sums over rows: in * out +
 * out of the largest linear layer (2 d of layer norm is less). A larger one still works, on one
 * thread. Takes NN_PIECES * largest reals. Only the number of threads is read from the context. */
scone_status nn_work_alloc(nn_work **work, const scone_context *context, size_t largest);
void nn_work_free(nn_work *work); /* NULL is fine */

/* For the operations themselves. */

/* body(argument, piece, first, last) for pieces [first, last) of `step` rows; the last is shorter.
 */
typedef void (*nn_body)(void *argument, size_t piece, size_t first, size_t last);
void nn_for(const nn_work *work, size_t rows, size_t step, nn_body body, void *argument);

/* Rows per piece of a sum of `count` reals over rows: all of them if the parts have no room. */
size_t nn_sum_step(const nn_work *work, size_t rows, size_t count);
/* Where that sum's pieces go: [pieces, count], uninitialized. */
real *nn_sum_parts(const nn_work *work);
/* target[i] += parts[i] + parts[stride + i] + ..., i < count */
void nn_sum_add(const nn_work *work, real *target, const real *parts, size_t stride, size_t pieces,
                size_t count);

static inline size_t nn_pieces(size_t rows, size_t step)
{
    return rows == 0 ? 0 : (rows - 1) / step + 1;
}

#endif
