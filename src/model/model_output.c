/* model_output.c - from the streams to logits and probabilities (docs/methods/model.md, after the
 * last block).
 *
 * The logits of a pair are those of its cells, W_cls h + b_cls, weighted over cells and averaged
 * over channels. After the last block h is what was pooled plus g[i, j], the same for all cells of
 * the pair; weights add up to 1 and the soft-max does not see what all cells share. So the logits
 * are W_cls (m_e + g[i, j]) + b_cls, and no cell is touched again.
 */
#include "model/model_parts.h"

#include "model/nn/row_sums.h"

#include <math.h>

enum { CLASSES = MODEL_CLASSES, OUTPUT_PIECE = 1024 };

typedef struct output_job {
    model_run *run;
    const batch *b;
    real *dg;
    real blend;
    size_t d;
} output_job;

/* The class of (i, j) as that of (j, i). */
static const size_t mirrored[CLASSES] = {LOSS_BACKWARD, LOSS_FORWARD, LOSS_NONE};

/* ---- forward ---- */

static void mirror_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const output_job *job = argument;
    model_run *run = job->run;
    (void)piece;
    for (size_t at = first; at < last; at++) {
        const real *own = run->raw + at * CLASSES;
        const real *other = run->raw + job->b->grid_mirror[at] * CLASSES;
        for (size_t k = 0; k < CLASSES; k++) {
            real mean = (own[k] + other[mirrored[k]]) / 2;
            if (job->b->prior) mean += job->b->prior[at][k];
            run->global_logits[at * CLASSES + k] = run->fused[at * CLASSES + k] = mean;
        }
    }
}

/* (1 - alpha) marginal + alpha global, where a pair has both */
static void fuse_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const output_job *job = argument;
    model_run *run = job->run;
    (void)piece;
    for (size_t e = first; e < last; e++) {
        size_t own = job->b->pair_grid[e], other = job->b->grid_mirror[own];
        for (size_t k = 0; job->b->prior && k < CLASSES; k++) {
            run->logits[e * CLASSES + k] += job->b->prior[own][k];
        }
        for (size_t k = 0; k < CLASSES; k++) {
            real logit = (1 - job->blend) * run->logits[e * CLASSES + k] +
                         job->blend * run->global_logits[own * CLASSES + k];
            run->fused[own * CLASSES + k] = run->fused[other * CLASSES + mirrored[k]] = logit;
        }
    }
}

void model_output_forward(model_run *run, const real *values, const batch *b)
{
    const parameter_layout *layout = run->layout;
    size_t d = layout->config.width;
    output_job job = {.run = run, .b = b, .blend = (real)layout->config.blend, .d = d};
    gather_forward(run->summary, run->grid, b->pair_grid, b->pairs, d, NN_SET, run->work);
    add_forward(run->summary, run->message, b->pairs * d, run->work);
    linear_forward(run->logits, run->summary, values + layout->classes.weight,
                   values + layout->classes.bias, b->pairs, d, CLASSES, NN_SET, run->work);
    linear_forward(run->raw, run->grid, values + layout->global_classes.weight,
                   values + layout->global_classes.bias, b->grid, d, CLASSES, NN_SET, run->work);
    nn_for(run->work, b->grid, OUTPUT_PIECE, mirror_piece, &job);
    nn_for(run->work, b->pairs, OUTPUT_PIECE, fuse_piece, &job);
}

/* ---- backward ---- */

/* logit_k(i, j) = (raw_k(i, j) + raw_mirrored(k)(j, i)) / 2: the map is its own transpose */
static void mirror_back_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const output_job *job = argument;
    model_run *run = job->run;
    (void)piece;
    for (size_t at = first; at < last; at++) {
        const real *own = run->dglobal_logits + at * CLASSES;
        const real *other = run->dglobal_logits + job->b->grid_mirror[at] * CLASSES;
        for (size_t k = 0; k < CLASSES; k++) {
            run->draw[at * CLASSES + k] = (own[k] + other[mirrored[k]]) / 2;
        }
    }
}

/* summary = m_e + g[i, j] */
static void summary_back_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const output_job *job = argument;
    (void)piece;
    for (size_t e = first; e < last; e++) {
        row_add(job->dg + job->b->pair_grid[e] * job->d, job->run->dsummary + e * job->d, job->d);
    }
}

void model_output_backward(model_run *run, real *dg, real *gradients, const real *values,
                           const batch *b)
{
    const parameter_layout *layout = run->layout;
    size_t d = layout->config.width;
    output_job job = {.run = run, .b = b, .dg = dg, .d = d};
    nn_for(run->work, b->grid, OUTPUT_PIECE, mirror_back_piece, &job);
    linear_backward(dg, gradients + layout->global_classes.weight,
                    gradients + layout->global_classes.bias, run->draw, run->grid,
                    values + layout->global_classes.weight, b->grid, d, CLASSES, NN_SET, run->work);
    linear_backward(run->dsummary, gradients + layout->classes.weight,
                    gradients + layout->classes.bias, run->dlogits, run->summary,
                    values + layout->classes.weight, b->pairs, d, CLASSES, NN_SET, run->work);
    nn_for(run->work, b->pairs, OUTPUT_PIECE, summary_back_piece, &job);
}

/* ---- probabilities ---- */

void model_probabilities(double *p, const model_run *run, const batch *b, size_t graph,
                         double temperature, double share)
{
    size_t nodes = b->graph_node[graph + 1] - b->graph_node[graph];
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = i + 1; j < nodes; j++) {
            const real *z = run->fused + (b->graph_grid[graph] + i * nodes + j) * CLASSES;
            double peak = (double)z[0], e[CLASSES], total = 0.0;
            for (size_t k = 1; k < CLASSES; k++) peak = fmax(peak, (double)z[k]);
            for (size_t k = 0; k < CLASSES; k++) {
                e[k] = exp(((double)z[k] - peak) / temperature);
                total += e[k];
            }
            p[i * nodes + j] += share * e[LOSS_FORWARD] / total;
            p[j * nodes + i] += share * e[LOSS_BACKWARD] / total;
        }
    }
}

static const double least_probability = 1e-12; /* so that logarithms exist */

void model_heat(double out[3], double forward, double backward, double temperature)
{
    const double p[3] = {forward, backward, 1.0 - forward - backward};
    double peak = 0.0, total = 0.0;
    for (int k = 0; k < 3; k++) {
        out[k] = log(fmax(p[k], least_probability)) / temperature;
        if (k == 0 || out[k] > peak) peak = out[k];
    }
    for (int k = 0; k < 3; k++) total += out[k] = exp(out[k] - peak);
    for (int k = 0; k < 3; k++) out[k] /= total;
}
