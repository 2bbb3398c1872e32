/* head_dpt.c - contrastive discriminating paths: what a path beside a pair says of the pair (paper,
 * "Contrastive Discriminating Path"; D14).
 *
 * An instance is a path of cells of one subset from one end of its owner to the other; it is read
 * from both ends. Per cell, regime c and sense f = +1 or -1, the step going with or against the
 * reading of the cell's pair, and per instance, regime and way of reading
 *
 *     phi(c, f) = gelu(W_z z(c) + W_Delta Delta + f (V z(c) + w) + b)
 *     logit = w2 gelu(sum over steps of W1 phi(c, f) + b1)
 *     push(c) = logit forward - logit backward, s = sigmoid(push) forward, 1 - s backward
 *     c* = the regime with the larger of its two scores; the first if they are equal up to DPT_TIE
 *     (without contrast both regimes may hold the same numbers, and rounding must not choose)
 *     bias of the owner in the other regime: sum over instances of lambda (2 s - 1) of c*, 0 where
 *     the larger score is below theta_dpt, a threshold of heads_parts.h
 *
 * The two readings share one score: they cannot both be true, and with a score each a block that
 * found no use for paths early pushed all of them below the threshold and never spoke again.
 *
 * W1 is applied before the sum over the steps: once per (cell, regime, sense). Multiplications:
 * 7 d^2 per cell forward, twice that backward, and 2 d per instance; 4 d gelus per cell and 2 d per
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
    s->push = heads_room_reals(room, b->instances, 2);
    s->lean = heads_room_reals(room, b->instances, 1);
    s->winner = heads_room_words(room, b->instances);
    s->owned.offsets = heads_room_words(room, b->cells + 1);
    s->owned.places = heads_room_words(room, b->instances);
    s->passing.offsets = heads_room_words(room, b->cells + 1);
    s->passing.places = heads_room_words(room, b->steps);
    s->instance = heads_room_words(room, b->steps);
    s->logit = heads_room_reals(room, b->instances, 4);
    s->dhidden = heads_room_reals(room, 4 * b->instances, d / 2);
    s->dscale = heads_room_reals(room, b->instances, 1);
}

/* Which of the two senses a step has on a way of reading: 0 with the pair's reading, 1 against. */
static size_t step_against(const batch *b, size_t step, size_t way)
{
    return (size_t)(b->step_sense[step] < 0) ^ way;
}

/* inner [2 senses][2][cells][d]: the first sense holds W_z z + b, the second V z; `narrow`
 * [cells][d] holds W_Delta Delta */
static void inner_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    size_t d = job->pass->d, cells = job->pass->b->cells;
    const real *sense = job->pass->values + job->pass->at->dpt_sense;
    (void)piece;
    for (size_t row = first; row < last; row++) {
        real *with = job->x->dpt.inner + row * d, *against = with + 2 * cells * d;
        row_add(with, job->x->narrow + (row < cells ? row : row - cells) * d, d);
        row_add(against, sense, d);
        for (size_t j = 0; j < d; j++) {
            real common = with[j], turned = against[j];
            with[j] = common + turned;
            against[j] = common - turned;
        }
    }
}

static void inner_forward(heads *x, const head_pass *pass)
{
    const place_heads *at = pass->at;
    size_t d = pass->d, cells = pass->b->cells;
    head_job job = {.x = x, .pass = pass};
    linear_forward(x->dpt.inner, x->scores.z, pass->values + at->dpt_z, pass->values + at->dpt_bias,
                   2 * cells, d, d, NN_SET, pass->work);
    linear_forward(x->dpt.inner + 2 * cells * d, x->scores.z, pass->values + at->dpt_turn, NULL,
                   2 * cells, d, d, NN_SET, pass->work);
    linear_forward(x->narrow, x->scores.change, pass->values + at->dpt_change, NULL, cells, d, d,
                   NN_SET, pass->work);
    nn_for(pass->work, 2 * cells, DPT_ROWS, inner_piece, &job);
}

/* with = common + turned, against = common - turned: `wide` holds the gradients by the two of them
 * and then those by common and turned. */
static void senses_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    size_t d = job->pass->d;
    real *with = job->x->wide, *against = with + 2 * job->pass->b->cells * d;
    (void)piece;
    for (size_t k = first * d; k < last * d; k++) {
        real of_with = with[k], of_against = against[k];
        with[k] = of_with + of_against;
        against[k] = of_with - of_against;
    }
}

/* From `wide`, the gradient by inner. */
static void inner_backward(heads *x, const head_pass *pass)
{
    const place_heads *at = pass->at;
    const real *values = pass->values;
    real *gradients = pass->gradients;
    size_t d = pass->d, cells = pass->b->cells;
    real *common = x->wide, *turned = x->wide + 2 * cells * d;
    head_job job = {.x = x, .pass = pass};
    nn_for(pass->work, 2 * cells, DPT_ROWS, senses_piece, &job);
    linear_backward(x->scores.dz, gradients + at->dpt_z, gradients + at->dpt_bias, common,
                    x->scores.z, values + at->dpt_z, 2 * cells, d, d, NN_ADD, pass->work);
    linear_backward(x->scores.dz, gradients + at->dpt_turn, gradients + at->dpt_sense, turned,
                    x->scores.z, values + at->dpt_turn, 2 * cells, d, d, NN_ADD, pass->work);
    add_forward(common, common + cells * d, cells * d, pass->work);
    linear_backward(x->scores.dchange, gradients + at->dpt_change, NULL, common, x->scores.change,
                    values + at->dpt_change, cells, d, d, NN_ADD, pass->work);
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

/* 2 s - 1 and its slope by push; the larger of s and 1 - s is (1 + |2 s - 1|) / 2. */
static real lean_of(real push)
{
    return (real)tanh((double)push / 2);
}

static void winner_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    head_dpt *s = &job->x->dpt;
    const model_config *config = job->pass->config;
    const real least = (real)config->dpt_score_min;
    (void)piece;
    for (size_t p = first; p < last; p++) {
        const real *logit = s->logit + 4 * p; /* [2 regimes][forward, backward] */
        real lean[2], size[2];
        for (size_t c = 0; c < 2; c++) {
            s->push[2 * p + c] = logit[2 * c] - logit[2 * c + 1];
            lean[c] = lean_of(s->push[2 * p + c]);
            size[c] = lean[c] < 0 ? -lean[c] : lean[c];
        }
        size_t c = size[1] > size[0] + 2 * DPT_TIE;
        s->winner[p] = (uint32_t)c;
        s->lean[p] = lean[c] * threshold_pass((1 + size[c]) / 2 - least, config);
    }
}

/* lean = l pass((1 + |l|) / 2 - theta), l = tanh(push / 2): by push, (1 - l^2) / 2 times
 * pass + |l| / 2 slope of pass */
static void winner_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_dpt *s = &job->x->dpt;
    const model_config *config = job->pass->config;
    const real lambda = job->pass->values[job->pass->at->dpt_scale];
    (void)piece;
    for (size_t p = first; p < last; p++) {
        size_t c = s->winner[p];
        real lean = lean_of(s->push[2 * p + c]), size = lean < 0 ? -lean : lean;
        real above = (1 + size) / 2 - (real)config->dpt_score_min;
        real dbias = job->x->dbias[HEAD_DPT][2 * b->instance_owner[p] + (1 - c)];
        real slope = threshold_pass(above, config) + size / 2 * threshold_slope(above, config);
        real dpush = lambda * dbias * slope * (1 - lean * lean) / 2;
        real *dlogit = s->logit + 4 * p;
        s->dscale[p] = dbias * s->lean[p];
        for (size_t k = 0; k < 4; k++) dlogit[k] = 0;
        dlogit[2 * c] = dpush;
        dlogit[2 * c + 1] = -dpush;
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
    linear_forward(s->logit, s->active, values + at->dpt_out, NULL, rows, half, 1, NN_SET,
                   pass->work);
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
    linear_backward(s->dhidden, gradients + at->dpt_out, NULL, s->logit, s->active,
                    values + at->dpt_out, rows, half, 1, NN_SET, pass->work);
    gelu_backward(s->dhidden, s->dhidden, s->hidden, rows * half, pass->work);
    bias_backward(gradients + at->dpt_in.bias, s->dhidden, rows, half, pass->work);
    steps_by_cell(s, b);
    nn_for(pass->work, b->cells, DPT_ROWS, hidden_gradient_piece, &job);
    linear_backward(x->wide, gradients + at->dpt_in.weight, NULL, x->narrow, s->phi,
                    values + at->dpt_in.weight, 4 * b->cells, d, half, NN_SET, pass->work);
    gelu_backward(x->wide, x->wide, s->inner, 4 * b->cells * d, pass->work);
    inner_backward(x, pass);
}
