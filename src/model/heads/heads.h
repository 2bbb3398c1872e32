/* heads.h - the contrastive bias heads of one block with their gates (docs/methods/model.md): what
 * SSI, CVT and DPT say of each cell, added to the marginal stream.
 *
 * A heads object keeps the activations of one block from its forward to its backward pass.
 */
#ifndef SCONE_MODEL_HEADS_HEADS_H
#define SCONE_MODEL_HEADS_HEADS_H

#include "model/setup/batch.h"
#include "model/nn/nn_work.h"

typedef struct heads heads;

scone_status heads_alloc(heads **out, const parameter_layout *layout, size_t block);
void heads_free(heads *x);
/* Room for a batch, before the first forward pass over it; what was there is lost. Memory grows and
 * never shrinks. layout must outlive x. */
scone_status heads_reserve(heads *x, const batch *b);

/* h [cells][2][d], the operative channels, += sum over heads of gate W_proj bias. */
void heads_forward(heads *x, real *h, const real *values, const batch *b, const nn_work *work);
/* dh: on entry the gradient by h after the heads, on return by h before them. gradients
 * [layout->count] are added to. dgates [cells][3], dgamma [members]: the gradients that the loss
 * has by the gates and by gamma themselves, or NULL. */
void heads_backward(heads *x, real *dh, real *gradients, const real *dgates, const real *dgamma,
                    const real *values, const batch *b, const nn_work *work);

/* Of the last forward pass. */
const real *heads_gates(const heads *x);             /* [cells][3] */
const real *heads_gamma(const heads *x);             /* [members] */
const real *heads_bias(const heads *x, size_t head); /* [cells][2 regimes]: what -> gets */

#endif
