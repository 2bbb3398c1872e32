/* optimizer.h - AdamW with decoupled weight decay, its schedule, clipping, and the moving average
 * of the weights.
 *
 * Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019. All state is flat, in
 * the order of the parameters, so that a checkpoint is these arrays and the number of updates.
 */
#ifndef SCONE_TRAIN_OPTIMIZER_H
#define SCONE_TRAIN_OPTIMIZER_H

#include "base/context.h"
#include "model/setup/parameters.h"

typedef struct optimizer {
    const parameter_layout *layout;
    size_t step;              /* updates made */
    float *weights;           /* [count] */
    float *moment1, *moment2; /* [count]: decaying means of g and of g^2 */
    float *average;           /* [count]: decaying mean of the weights */
} optimizer;

/* Initial weights from a seed, moments 0, average the weights. The layout must outlive it. */
scone_status optimizer_alloc(optimizer **out, const parameter_layout *layout, uint64_t seed);
void optimizer_free(optimizer *o);

/* The learning rate of update `step` (from 0) of `steps`: rises linearly over the first warm_up
 * share, then falls along a half cosine, to final_rate of the largest one at the last update. */
double optimizer_rate(const model_config *config, size_t step, size_t steps);

/* One update with gradients [count], shortened to the norm `clip` if they are longer; *norm is
 * their own. Fails with SCONE_ERR_INPUT, and changes nothing, if a gradient is not finite.
 *   m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2
 *   w -= rate ((m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon) + decay w)
 *   a = c a + (1 - c) w,  c = min(average_decay, (1 + t) / (10 + t))
 * where decay is that of the configuration for parameters that have it, else 0. The average's decay
 * starts low, so that the first weights are soon forgotten. Cost: linear; same bytes for any number
 * of threads. */
scone_status optimizer_update(double *norm, optimizer *o, const float *gradients, double rate,
                              const scone_context *context);

#endif
