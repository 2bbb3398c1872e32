/* model.h - the axial model: forward and backward over one batch (docs/model.md).
 *
 * A model_run holds the activations of one step; it is made once and grows to the largest batch.
 * Forward keeps what backward needs. Same bytes for any number of threads.
 */
#ifndef SCONE_MODEL_MODEL_H
#define SCONE_MODEL_MODEL_H

#include "model/batch.h"
#include "nn/work.h"

typedef struct model_run model_run;

scone_status model_run_alloc(model_run **out, const parameter_layout *layout,
                             const scone_context *context);
void model_run_free(model_run *run);
size_t model_run_bytes(const model_run *run);

/* Fills the outputs below; values [layout->count]. Fails only for want of memory. */
scone_status model_forward(model_run *run, const real *values, const batch *b);

/* Of the last forward pass; they live until the next one. */
const real *model_logits(const model_run *run);        /* [pairs][3]: ->, <-, none as read */
const real *model_global_logits(const model_run *run); /* [grid][3]: for (i, j), antisymmetric */
const real *model_gates(const model_run *run, size_t block); /* [cells][3], NULL without heads */

/* Gradients by the logits (same shapes; model_loss fills them) to gradients by the parameters,
 * which are added to gradients [layout->count]. */
real *model_dlogits(model_run *run);
real *model_dglobal_logits(model_run *run);
void model_backward(model_run *run, real *gradients, const real *values, const batch *b);

/* ---- objective.c ---- */

typedef struct loss_terms {
    double total, cross_entropy, shd, rank, global, gate;
    size_t right, labelled; /* candidate pairs whose likeliest class is the true one */
} loss_terms;

/* The five terms on the last forward pass and their gradients, also by the gates. The sampled
 * negatives of the global term and the pairs of the rank term come from the stream (seed, step).
 * class_weights: 3 factors of the cross-entropy. */
void model_loss(loss_terms *terms, model_run *run, const batch *b, const double class_weights[3],
                uint64_t seed, uint64_t step);

/* ---- output.c ---- */

/* p[i * nodes + j] += share * P(i -> j) of one graph of the batch, from fused logits (blend of the
 * configuration) with a temperature; nodes in the order of the tokens. */
void model_probabilities(double *p, const model_run *run, const batch *b, size_t graph,
                         double temperature, double share);

#endif
