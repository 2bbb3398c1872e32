/* embed.c - from features to the two streams (docs/methods/model.md, first three rows of the
 * table).
 *
 *     inner = W_f features + W_i P[i] + W_j P[j] + b_1,  z = W_2 gelu(inner) + b_2 + PE(t) + PE(k)
 *     with contrast: h = (z^0 + z^1) / 2, z^1 - z^0;  without: h = z^0, z^1
 *     g[i, j] = w Omega_ij + Q[i] + Q[j]
 *
 * [W_f W_i W_j] is the one matrix W_1. P enters once per node and not once per token: the products
 * W_i P and W_j P are made for the nodes of the batch and read by the cells.
 */
#include "model/model_parts.h"

#include "model/nn/row_sums.h"

#include <math.h>

void embed_positions(real *positions, size_t first, size_t last, size_t d)
{
    for (size_t place = first; place < last; place++) {
        for (size_t k = 0; k < d; k += 2) {
            double angle = (double)place / pow(10000.0, (double)k / (double)d);
            positions[place * d + k] = (real)sin(angle);
            positions[place * d + k + 1] = (real)cos(angle);
        }
    }
}

typedef struct embed_job {
    model_run *run;
    const batch *b;
    const real *values;
    const real *weights[2]; /* W_f [d, inputs], [W_i; W_j] [2 d, d] */
    real *stream;           /* h, or dh, or g */
    const real *dinner;
    size_t d, inputs; /* inputs: features of a token */
    bool contrast;
    size_t features[2], second[2]; /* places in the parts */
} embed_job;

/* ---- W_1 in two ---- */

static void split_weights(real *split, const real *w, size_t inputs, size_t d)
{
    real *ends = split + d * inputs;
    for (size_t r = 0; r < d; r++, w += inputs + 2 * d) {
        memcpy(split + r * inputs, w, inputs * sizeof *w);
        memcpy(ends + r * d, w + inputs, d * sizeof *w);
        memcpy(ends + (d + r) * d, w + inputs + d, d * sizeof *w);
    }
}

static void join_gradients(real *dw, const real *dsplit, size_t inputs, size_t d)
{
    const real *ends = dsplit + d * inputs;
    for (size_t r = 0; r < d; r++, dw += inputs + 2 * d) {
        row_add(dw, dsplit + r * inputs, inputs);
        row_add(dw + inputs, ends + r * d, d);
        row_add(dw + inputs + d, ends + (d + r) * d, d);
    }
}

/* ---- marginal stream ---- */

static void add_ends(const embed_job *job, real *inner, size_t token)
{
    const batch *b = job->b;
    size_t d = job->d;
    for (size_t end = 0; end < 2; end++) {
        size_t node = b->member_node[b->cell_members[token / 2][end]];
        row_add(inner, job->run->ends + (2 * node + end) * d, d);
    }
}

/* z += positions, then to the operative channels; z [2, d] of one cell */
static void finish_cell(const embed_job *job, real *z, size_t cell)
{
    const batch *b = job->b;
    size_t d = job->d;
    for (size_t channel = 0; channel < 2; channel++) {
        const real *places = job->run->positions;
        row_add(z + channel * d, places + b->cell_subset_place[cell] * d, d);
        row_add(z + channel * d, places + b->pair_place[b->cell_pair[cell]] * d, d);
    }
    for (size_t k = 0; job->contrast && k < d; k++) {
        real zero = z[k], one = z[d + k];
        z[k] = (zero + one) / 2;
        z[d + k] = one - zero;
    }
}

static void embed_chunk(void *argument, const chunk *c)
{
    const embed_job *job = argument;
    const parameter_layout *layout = job->run->layout;
    const nn_work *work = job->run->serial;
    const real *v = job->values;
    size_t d = job->d;
    real *inner = job->run->inner + c->first * d, *h = job->stream + c->first * d;
    linear_forward(inner, job->b->features + c->first * job->inputs, job->weights[0],
                   v + layout->embed_in.bias, c->rows, job->inputs, d, NN_SET, work);
    for (size_t r = 0; r < c->rows; r++) add_ends(job, inner + r * d, c->first + r);
    gelu_forward(c->scratch, inner, c->rows * d, work);
    linear_forward(h, c->scratch, v + layout->embed_out.weight, v + layout->embed_out.bias, c->rows,
                   d, d, NN_SET, work);
    for (size_t r = 0; r < c->rows; r += 2) finish_cell(job, h + r * d, (c->first + r) / 2);
}

/* From dh to the gradient by inner, in its place. */
static void embed_chunk_back(void *argument, const chunk *c)
{
    const embed_job *job = argument;
    const parameter_layout *layout = job->run->layout;
    const nn_work *work = job->run->serial;
    size_t d = job->d, count = c->rows * d;
    real *dh = job->stream + c->first * d, *active = c->scratch;
    real *dz = active + CHUNK_ROWS * d;
    const real *inner = job->run->inner + c->first * d;
    for (size_t i = 0; i < count; i += 2 * d) {
        for (size_t k = i; k < i + d; k++) { /* h = (z^0 + z^1) / 2, z^1 - z^0 */
            dz[k] = job->contrast ? dh[k] / 2 - dh[k + d] : dh[k];
            dz[k + d] = job->contrast ? dh[k] / 2 + dh[k + d] : dh[k + d];
        }
    }
    gelu_forward(active, inner, count, work);
    linear_backward(dh, c->part + job->second[0], c->part + job->second[1], dz, active,
                    job->values + layout->embed_out.weight, c->rows, d, d, NN_SET, work);
    gelu_backward(dh, dh, inner, count, work);
    linear_backward(NULL, c->part + job->features[0], c->part + job->features[1], dh,
                    job->b->features + c->first * job->inputs, NULL, c->rows, job->inputs, d,
                    NN_SET, work);
}

/* inner reads ends[i][0], ends[j][1]: dends[node][end] = sum over its cells and both channels */
static void ends_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const embed_job *job = argument;
    const nn_groups *cells = &job->b->node_cells;
    size_t d = job->d;
    (void)piece;
    for (size_t node = first; node < last; node++) {
        real *dends = job->run->dends + 2 * node * d;
        memset(dends, 0, 2 * d * sizeof *dends);
        for (size_t k = cells->offsets[node]; k < cells->offsets[node + 1]; k++) {
            size_t cell = cells->index[k] / 2, end = cells->index[k] % 2;
            row_add(dends + end * d, job->dinner + 2 * cell * d, d);
            row_add(dends + end * d, job->dinner + (2 * cell + 1) * d, d);
        }
    }
}

/* ---- global stream ---- */

static void grid_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const embed_job *job = argument;
    const parameter_layout *layout = job->run->layout;
    const real *w = job->values + layout->precision, *names = job->values + layout->node;
    size_t d = job->d;
    (void)piece;
    for (size_t at = first; at < last; at++) {
        real *g = job->stream + at * d;
        row_scale(g, job->b->precision[at], w, d);
        row_add(g, names + job->b->grid_ends[at][0] * d, d);
        row_add(g, names + job->b->grid_ends[at][1] * d, d);
    }
}

/* ---- both ---- */

static embed_job job_of(model_run *run, const real *values, const batch *b)
{
    size_t d = run->layout->config.width, inputs = b->feature_count;
    return (embed_job){.run = run,
                       .b = b,
                       .values = values,
                       .weights = {run->split, run->split + d * inputs},
                       .d = d,
                       .inputs = inputs,
                       .contrast = run->layout->config.contrast};
}

void embed_forward(model_run *run, real *h, real *g, const real *values, const batch *b)
{
    const parameter_layout *layout = run->layout;
    embed_job job = job_of(run, values, b);
    size_t d = job.d;
    split_weights(run->split, values + layout->embed_in.weight, job.inputs, d);
    gather_forward(run->identity, values + layout->identity, b->node_identity, b->nodes, d, NN_SET,
                   run->work);
    linear_forward(run->ends, run->identity, job.weights[1], NULL, b->nodes, d, 2 * d, NN_SET,
                   run->work);
    job.stream = h;
    run_chunks(run, 2 * b->cells, embed_chunk, &job, NULL);
    run_watch(run, PART_EMBED, MARGINAL, false);
    job.stream = g;
    nn_for(run->work, b->grid, NN_PIECE_ROWS, grid_piece, &job);
    run_watch(run, PART_EMBED, GLOBAL, false);
}

/* inner = W_f features + ends[i][0] + ends[j][1] + b, ends = P [W_i; W_j]' */
static void cells_backward(model_run *run, real *gradients, real *dh, embed_job *job)
{
    const parameter_layout *layout = run->layout;
    const batch *b = job->b;
    chunk_sums sums = {0};
    size_t d = job->d;
    memset(run->dsplit, 0, d * (job->inputs + 2 * d) * sizeof *run->dsplit);
    job->stream = dh;
    job->dinner = dh;
    job->features[0] = chunk_sums_add(&sums, run->dsplit, d * job->inputs);
    job->features[1] = chunk_sums_add(&sums, gradients + layout->embed_in.bias, d);
    job->second[0] = chunk_sums_add(&sums, gradients + layout->embed_out.weight, d * d);
    job->second[1] = chunk_sums_add(&sums, gradients + layout->embed_out.bias, d);
    run_chunks(run, 2 * b->cells, embed_chunk_back, job, &sums);
    nn_for(run->work, b->nodes, 16, ends_piece, job);
    linear_backward(run->dnode, run->dsplit + d * job->inputs, NULL, run->dends, run->identity,
                    job->weights[1], b->nodes, d, 2 * d, NN_SET, run->work);
    gather_backward(gradients + layout->identity, run->dnode, &b->identity_nodes, d, NN_ADD,
                    run->work);
    join_gradients(gradients + layout->embed_in.weight, run->dsplit, job->inputs, d);
}

/* g[i, j] = w Omega + Q[i] + Q[j] */
static void grid_backward(model_run *run, real *gradients, const real *dg, const batch *b)
{
    const parameter_layout *layout = run->layout;
    size_t d = layout->config.width;
    linear_backward(NULL, gradients + layout->precision, NULL, dg, b->precision, NULL, b->grid, 1,
                    d, NN_SET, run->work);
    segment_sum_forward(run->dnode, dg, &b->grid_rows, d, NN_SET, run->work);
    segment_sum_forward(run->dnode, dg, &b->grid_columns, d, NN_ADD, run->work);
    gather_backward(gradients + layout->node, run->dnode, &b->identity_nodes, d, NN_ADD, run->work);
}

void embed_backward(model_run *run, real *gradients, real *dh, const real *dg, const real *values,
                    const batch *b)
{
    embed_job job = job_of(run, values, b);
    cells_backward(run, gradients, dh, &job);
    run_watch(run, PART_EMBED, MARGINAL, true);
    grid_backward(run, gradients, dg, b);
    run_watch(run, PART_EMBED, GLOBAL, true);
}
