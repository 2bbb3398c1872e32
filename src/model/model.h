/* model.h - the axial model: forward and backward over one batch (docs/methods/model.md).
 *
 * A model_run holds the activations of one step; it is made once and grows to the largest batch.
 * Forward keeps what backward needs. Same bytes for any number of threads.
 */
#ifndef SCONE_MODEL_MODEL_H
#define SCONE_MODEL_MODEL_H

#include "model/setup/batch.h"
#include "model/nn/nn_work.h"

typedef struct model_run model_run;

/* The layout must outlive the run. */
scone_status model_run_alloc(model_run **out, const parameter_layout *layout,
                             const scone_context *context);
void model_run_free(model_run *run);
size_t model_run_bytes(const model_run *run);

/* Fills the outputs below; values [layout->count]. Fails only for want of memory. */
scone_status model_forward(model_run *run, const real *values, const batch *b);
/* The same outputs, byte by byte, but nothing is kept for a loss or a backward pass: all blocks
 * share the memory of one. */
scone_status model_predict(model_run *run, const real *values, const batch *b);

/* Of the last forward pass; they live until the next one. */
const real *model_logits(const model_run *run);        /* [pairs][3]: ->, <-, none as read */
const real *model_global_logits(const model_run *run); /* [grid][3]: for (i, j), antisymmetric */
/* of the heads of a block, NULL without: [cells][3]; [members]; [cells][2 regimes] */
const real *model_gates(const model_run *run, size_t block);
const real *model_gamma(const model_run *run, size_t block);
const real *model_bias(const model_run *run, size_t block, size_t head);

/* Gradients by the logits (same shapes; model_loss fills them) to gradients by the parameters,
 * which are added to gradients [layout->count]. */
real *model_dlogits(model_run *run);
real *model_dglobal_logits(model_run *run);
void model_backward(model_run *run, real *gradients, const real *values, const batch *b);

/* ---- model_objective.c ---- */

typedef struct loss_terms {
    double total, cross_entropy, shd, rank, global, gate, target; /* with weights: they add up */
    size_t right, labelled; /* candidate pairs whose likeliest class is the true one */
} loss_terms;

/* The terms on the last forward pass and their gradients, also by gates and gamma; each is a mean
 * over the batch. The sampled negatives of the global term and the pairs of the rank term come from
 * the stream (seed, step, place of the graph). class_weights: 3 factors of the cross-entropy. */
void model_loss(loss_terms *terms, model_run *run, const batch *b, const double class_weights[3],
                uint64_t seed, uint64_t step);

/* The share of a graph's pairs without an edge that the global term sees: three for each edge, at
 * least one a node. What it learns makes the odds of an edge too high by the inverse. */
double model_global_share(size_t nodes, double edges);

/* ---- model_output.c ---- */

/* p[i * nodes + j] += share * P(i -> j) of one graph of the batch, from fused logits (blend of the
 * configuration) with a temperature; nodes in the order of the tokens. */
void model_probabilities(double *p, const model_run *run, const batch *b, size_t graph,
                         double temperature, double share);
/* P(i -> j), P(j -> i), P(none) of a pair at another temperature. */
void model_heat(double out[3], double forward, double backward, double temperature);

/* ---- for measurements ---- */

typedef enum model_part {
    PART_EMBED,
    PART_IN,      /* layer norm, queries, keys and values of the row attention */
    PART_ROW,     /* row attention */
    PART_BETWEEN, /* projection out of it, layer norm and projection into the column attention */
    PART_COLUMN,  /* column attention */
    PART_OUT,     /* projection out of it, feed-forward layer */
    PART_HEADS,
    PART_POOL, /* pooling, messages there and back */
    PART_OUTPUT,
    MODEL_PARTS
} model_part;

/* Called after each part of a pass; stream 0 is the marginal, 1 the global one. NULL: no more. */
typedef void (*model_watch)(void *watcher, model_part part, int stream, bool backward);
void model_run_watch(model_run *run, model_watch watch, void *watcher);

#endif
