/* head_dpt.c - contrastive discriminating paths: what a path beside a pair says of the pair (paper,
 * "Contrastive Discriminating Path"; D14).
 *
 * An instance is a path of cells of one subset from one end of its owner to the other; it is read
 * from both ends. Per cell, regime c and sense f = +1 or -1, the step going with or against the
 * reading of the cell's pair, and per instance, regime and way of reading
 *
 *     phi(c, f) = gelu(W_z z(c) + W_Delta Delta + f w + b)
 *     score = sigmoid(w2 gelu(sum over steps of W1 phi(c, f) + b1) + b2)
 *     c* = the regime with the larger of its two scores; the first if they are equal up to DPT_TIE
 *     (without contrast both regimes may hold the same numbers, and rounding must not choose)
 *     bias of the owner in the other regime: sum over instances of lambda (forward - backward) of
 *     c*, each of the two 0 below theta_dpt
 *
 * W1 is applied before the sum over the steps: once per (cell, regime, sense). Multiplications:
 * 5 d^2 per cell forward, twice that backward, and 2 d per instance; 4 d gelus per cell and 2 d per
 * instance each way.
 */
#include "model/heads/heads_parts.h"

#include "model/nn/row_sums.h"

enum { DPT_ROWS = 64 };

void head_dpt_room(head_room *room, head_dpt *s, const batch *b, size_t d)
{
    s->inner = heads_room_reals(room, 4 * b->cells, d);
    s->phi = heads_room_reals(room, 4 * b->cells, d);
    s->hidden = heads_room_reals(room, 4 * b->instances, d / 2);
    s->active = heads_room_reals(room, 4 * b->instances, d / 2);
    s->score = heads_room_reals(room, b->instances, 4);
    s->lean = heads_room_reals(room, b->instances, 1);
    s->winner = heads_room_words(room, b->instances);
    s->owned.offsets = heads_room_words(room, b->cells + 1);
    s->owned.places = heads_room_words(room, b->instances);
    s->passing.offsets = heads_room_words(room, b->cells + 1);
    s->passing.places = heads_room_words(room, b->steps);
    s->instance = heads_room_words(room, b->steps);
    s->logit = heads_room_reals(room, b->instances, 4);
    s->dscore = heads_room_reals(room, b->instances, 4);
    s->dhidden = heads_room_reals(room, 4 * b->instances, d / 2);
    s->dscale = heads_room_reals(room, b->instances, 1);
    s->sums = heads_room_reals(room, 2, d);
}

/* Which of the two senses a step has on a way of reading: 0 with the pair's reading, 1 against. */
static size_t step_against(const batch *b, size_t step, size_t way)
{
    return (size_t)(b->step_sense[step] < 0) ^ way;
}

/* inner [2 senses][2][cells][d]: the first sense holds W_z z + b, `narrow` [cells][d] W_Delta Delta
 */
static void inner_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    size_t d = job->pass->d, cells = job->pass->b->cells;
    const real *sense = job->pass->values + job->pass->at->dpt_sense;
    (void)piece;
    for (size_t row = first; row < last; row++) {
        real *with = job->x->dpt.inner + row * d, *against = with + 2 * cells * d;
        row_add(with, job->x->narrow + (row < cells ? row : row - cells) * d, d);
        memcpy(against, with, d * sizeof *with);
        row_add(with, sense, d);
        row_add_scaled(against, -1, sense, d);
    }
}

static void inner_forward(heads *x, const head_pass *pass)
{
    const place_heads *at = pass->at;
    size_t d = pass->d, cells = pass->b->cells;
    head_job job = {.x = x, .pass = pass};
    linear_forward(x->dpt.inner, x->scores.z, pass->values + at->dpt_z, pass->values + at->dpt_bias,
                   2 * cells, d, d, NN_SET, pass->work);
    linear_forward(x->narrow, x->scores.change, pass->values + at->dpt_change, NULL, cells, d, d,
                   NN_SET, pass->work);
    nn_for(pass->work, 2 * cells, DPT_ROWS, inner_piece, &job);
}

/* From `wide`, the gradient by inner. with = W_z z + W_Delta Delta + b + w and against = the same
 * - w give db = sum of with and against, dw = sum of with - sum of against. */
static void inner_backward(heads *x, const head_pass *pass)
{
    const place_heads *at = pass->at;
    size_t d = pass->d, cells = pass->b->cells, n = 2 * cells * d;
    real *with = x->wide, *against = x->wide + n, *sums = x->dpt.sums;
    memset(sums, 0, 2 * d * sizeof *sums);
    bias_backward(sums, with, 2 * cells, d, pass->work);
    bias_backward(sums + d, against, 2 * cells, d, pass->work);
    row_add(pass->gradients + at->dpt_bias, sums, d);
    row_add(pass->gradients + at->dpt_bias, sums + d, d);
    row_add(pass->gradients + at->dpt_sense, sums, d);
    row_add_scaled(pass->gradients + at->dpt_sense, -1, sums + d, d);
    add_forward(with, against, n, pass->work);
    linear_backward(x->scores.dz, pass->gradients + at->dpt_z, NULL, with, x->scores.z,
                    pass->values + at->dpt_z, 2 * cells, d, d, NN_ADD, pass->work);
    add_forward(with, with + cells * d, cells * d, pass->work);
    linear_backward(x->scores.dchange, pass->gradients + at->dpt_change, NULL, with,
                    x->scores.change, pass->values + at->dpt_change, cells, d, d, NN_ADD,
                    pass->work);
}

/* hidden [instances][2][2 ways][d / 2] = b1 + sum over steps of `wide` [2 senses][2][cells][d / 2],
 * which holds W1 phi */
static void hidden_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    size_t half = job->pass->d / 2;
    const real *b1 = job->pass->values + job->pass->at->dpt_in.bias;
    (void)piece;
    for (size_t p = first; p < last; p++) {
        for (size_t k = 0; k < 4; k++) {
            size_t c = k / 2, way = k % 2;
            real *hidden = job->x->dpt.hidden + (4 * p + k) * half;
            memcpy(hidden, b1, half * sizeof *hidden);
            for (size_t e = b->instance_steps.offsets[p]; e < b->instance_steps.offsets[p + 1];
                 e++) {
                size_t from = 2 * step_against(b, e, way) + c;
                size_t cell = groups_member(&b->instance_steps, e);
                row_add(hidden, job->x->wide + (from * b->cells + cell) * half, half);
            }
        }
    }
}

/* `narrow` [2 senses][2][cells][d / 2]: the gradient by W1 phi, summed over the steps at a cell.
 * Only the regime that won in an instance has one. */
static void hidden_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    const head_dpt *s = &job->x->dpt;
    size_t half = job->pass->d / 2;
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        for (size_t k = 0; k < 4; k++) {
            memset(job->x->narrow + (k * b->cells + cell) * half, 0, half * sizeof(real));
        }
        for (size_t e = s->passing.offsets[cell]; e < s->passing.offsets[cell + 1]; e++) {
            size_t step = s->passing.places[e], p = s->instance[step], c = s->winner[p];
            for (size_t way = 0; way < 2; way++) {
                size_t to = 2 * step_against(b, step, way) + c;
                row_add(job->x->narrow + (to * b->cells + cell) * half,
                        s->dhidden + (4 * p + 2 * c + way) * half, half);
            }
        }
    }
}

static void steps_by_cell(head_dpt *s, const batch *b)
{
    groups_of_index(s->passing.offsets, s->passing.places, b->instance_steps.index, b->steps,
                    b->cells);
    for (size_t p = 0; p < b->instances; p++) {
        for (size_t e = b->instance_steps.offsets[p]; e < b->instance_steps.offsets[p + 1]; e++) {
            s->instance[e] = (uint32_t)p;
        }
    }
}

static void winner_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    head_dpt *s = &job->x->dpt;
    const real least = (real)job->pass->config->dpt_score_min;
    (void)piece;
    for (size_t p = first; p < last; p++) {
        const real *score = s->score + 4 * p; /* [2 regimes][forward, backward] */
        real best_0 = score[0] > score[1] ? score[0] : score[1];
        real best_1 = score[2] > score[3] ? score[2] : score[3];
        s->winner[p] = best_1 > best_0 + DPT_TIE;
        const real *won = score + 2 * s->winner[p];
        s->lean[p] = (won[0] >= least ? won[0] : 0) - (won[1] >= least ? won[1] : 0);
    }
}

/* lean = forward - backward score of the winner, each where it reaches the threshold */
static void winner_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_dpt *s = &job->x->dpt;
    const real least = (real)job->pass->config->dpt_score_min,
               lambda = job->pass->values[job->pass->at->dpt_scale];
    (void)piece;
    for (size_t p = first; p < last; p++) {
        size_t c = s->winner[p];
        const real *won = s->score + 4 * p + 2 * c;
        real *dscore = s->dscore + 4 * p;
        real dbias = job->x->dbias[HEAD_DPT][2 * b->instance_owner[p] + (1 - c)];
        s->dscale[p] = dbias * s->lean[p];
        for (size_t k = 0; k < 4; k++) dscore[k] = 0;
        if (won[0] >= least) dscore[2 * c] = lambda * dbias;
        if (won[1] >= least) dscore[2 * c + 1] = -lambda * dbias;
    }
}

static void bias_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const head_dpt *s = &job->x->dpt;
    const real lambda = job->pass->values[job->pass->at->dpt_scale];
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        real sum[2] = {0, 0};
        for (size_t k = s->owned.offsets[cell]; k < s->owned.offsets[cell + 1]; k++) {
            size_t p = s->owned.places[k];
            sum[1 - s->winner[p]] += s->lean[p];
        }
        for (size_t c = 0; c < 2; c++) job->x->bias[HEAD_DPT][2 * cell + c] = lambda * sum[c];
    }
}

void head_dpt_forward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    head_dpt *s = &x->dpt;
    const place_heads *at = pass->at;
    const real *values = pass->values;
    size_t d = pass->d, half = d / 2, rows = 4 * b->instances;
    head_job job = {.x = x, .pass = pass};
    inner_forward(x, pass);
    gelu_forward(s->phi, s->inner, 4 * b->cells * d, pass->work);
    linear_forward(x->wide, s->phi, values + at->dpt_in.weight, NULL, 4 * b->cells, d, half, NN_SET,
                   pass->work);
    nn_for(pass->work, b->instances, DPT_ROWS, hidden_piece, &job);
    gelu_forward(s->active, s->hidden, rows * half, pass->work);
    linear_forward(s->logit, s->active, values + at->dpt_out.weight, values + at->dpt_out.bias,
                   rows, half, 1, NN_SET, pass->work);
    gate_forward(s->score, s->logit, 0, 1, rows, pass->work);
    nn_for(pass->work, b->instances, NN_PIECE_ROWS, winner_piece, &job);
    groups_of_index(s->owned.offsets, s->owned.places, b->instance_owner, b->instances, b->cells);
    nn_for(pass->work, b->cells, NN_PIECE_ROWS, bias_piece, &job);
}

void head_dpt_backward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    head_dpt *s = &x->dpt;
    const place_heads *at = pass->at;
    const real *values = pass->values;
    real *gradients = pass->gradients;
    size_t d = pass->d, half = d / 2, rows = 4 * b->instances;
    head_job job = {.x = x, .pass = pass};
    nn_for(pass->work, b->instances, NN_PIECE_ROWS, winner_gradient_piece, &job);
    bias_backward(gradients + at->dpt_scale, s->dscale, b->instances, 1, pass->work);
    gate_backward(s->logit, s->dscore, s->score, 0, 1, rows, NN_SET, pass->work);
    linear_backward(s->dhidden, gradients + at->dpt_out.weight, gradients + at->dpt_out.bias,
                    s->logit, s->active, values + at->dpt_out.weight, rows, half, 1, NN_SET,
                    pass->work);
    gelu_backward(s->dhidden, s->dhidden, s->hidden, rows * half, pass->work);
    bias_backward(gradients + at->dpt_in.bias, s->dhidden, rows, half, pass->work);
    steps_by_cell(s, b);
    nn_for(pass->work, b->cells, DPT_ROWS, hidden_gradient_piece, &job);
    linear_backward(x->wide, gradients + at->dpt_in.weight, NULL, x->narrow, s->phi,
                    values + at->dpt_in.weight, 4 * b->cells, d, half, NN_SET, pass->work);
    gelu_backward(x->wide, x->wide, s->inner, 4 * b->cells * d, pass->work);
    inner_backward(x, pass);
}
