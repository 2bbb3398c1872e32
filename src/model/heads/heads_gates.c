/* heads_gates.c - what all bias heads start from: the embeddings of the two regimes, how much each node
 * of a subset changed, and the gates (docs/methods/model.md; D9, D10).
 *
 *     channels (a, Delta):    z1 = a + Delta / 2,  z0 = a - Delta / 2
 *     channels (z0, z1):      Delta = z1 - z0                              without contrast
 *     sum(t, v) = sum of ||Delta|| over the cells of subset t at v
 *     gamma(t, v) = sum(t, v) / largest sum of t                           0 if that is 0
 *     gate = g_min + (1 - g_min) sigmoid((W [gamma_i, gamma_j] + b) / tau)
 *
 * The gradient of gamma goes to the sum and, through the largest, to the member that has it (the
 * first of equals); a norm of 0 has the gradient 0. Cost per cell: 6 d forward, 8 d backward.
 */
#include "model/heads/heads_parts.h"

#include "model/nn/row_sums.h"

/* A largest sum below this counts as 0, so that 1 / largest stays a number to calculate with. */
static const real LEAST_CHANGE = (real)1e-12;

enum { REGIME_ROWS = 64, SUBSET_PIECE = 64 };

void heads_gates_room(head_room *room, head_scores *s, const batch *b, size_t d)
{
    s->z = heads_room_reals(room, 2 * b->cells, d);
    s->change = heads_room_reals(room, b->cells, d);
    s->norms = heads_room_reals(room, b->cells, 1);
    s->largest = heads_room_reals(room, b->subsets, 1);
    s->top = heads_room_words(room, b->subsets);
    s->gamma = heads_room_reals(room, b->members, 1);
    s->ends = heads_room_reals(room, b->cells, 2);
    s->inner = heads_room_reals(room, b->cells, MODEL_HEADS);
    s->gates = heads_room_reals(room, b->cells, MODEL_HEADS);
    s->dz = heads_room_reals(room, 2 * b->cells, d);
    s->dchange = heads_room_reals(room, b->cells, d);
    s->dgamma = heads_room_reals(room, b->members, 1);
    s->dtotals = heads_room_reals(room, b->members, 1);
    s->dends = heads_room_reals(room, b->cells, 2);
    s->dgates = heads_room_reals(room, b->cells, MODEL_HEADS);
}

static void regimes_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    head_scores *s = &job->x->scores;
    size_t d = job->pass->d, cells = job->pass->b->cells;
    bool contrast = job->pass->config->contrast;
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        const real *h = job->h + 2 * cell * d;
        real *z0 = s->z + cell * d, *z1 = s->z + (cells + cell) * d;
        real *change = s->change + cell * d;
        memcpy(z0, h, d * sizeof *h);
        memcpy(z1, contrast ? h : h + d, d * sizeof *h);
        memcpy(change, h + d, d * sizeof *h);
        if (contrast) {
            row_add_scaled(z0, (real)-0.5, change, d);
            row_add_scaled(z1, (real)0.5, change, d);
        } else {
            row_add_scaled(change, -1, z0, d);
        }
    }
}

void heads_regimes_forward(heads *x, const real *h, const head_pass *pass)
{
    head_job job = {.x = x, .pass = pass, .h = h};
    nn_for(pass->work, pass->b->cells, REGIME_ROWS, regimes_piece, &job);
}

/* z1 = a + Delta / 2, z0 = a - Delta / 2 give da = dz0 + dz1, dDelta += (dz1 - dz0) / 2;
 * Delta = z1 - z0 gives dz1 += dDelta, dz0 -= dDelta */
static void regimes_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const head_scores *s = &job->x->scores;
    size_t d = job->pass->d, cells = job->pass->b->cells;
    bool contrast = job->pass->config->contrast;
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        real *dh = job->out + 2 * cell * d;
        const real *dz0 = s->dz + cell * d, *dz1 = s->dz + (cells + cell) * d;
        const real *dchange = s->dchange + cell * d;
        row_add(dh, dz0, d);
        row_add(contrast ? dh : dh + d, dz1, d);
        row_add(dh + d, dchange, d);
        if (contrast) {
            row_add_scaled(dh + d, (real)-0.5, dz0, d);
            row_add_scaled(dh + d, (real)0.5, dz1, d);
        } else {
            row_add_scaled(dh, -1, dchange, d);
        }
    }
}

void heads_regimes_backward(heads *x, real *dh, const head_pass *pass)
{
    head_job job = {.x = x, .pass = pass, .out = dh};
    nn_for(pass->work, pass->b->cells, REGIME_ROWS, regimes_gradient_piece, &job);
}

static void gamma_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_scores *s = &job->x->scores;
    const nn_groups *members = &b->subset_members;
    (void)piece;
    for (size_t t = first; t < last; t++) {
        real largest = 0;
        s->top[t] = 0;
        for (size_t k = members->offsets[t]; k < members->offsets[t + 1]; k++) {
            size_t m = groups_member(members, k);
            real sum = 0;
            for (size_t e = b->touch.offsets[m]; e < b->touch.offsets[m + 1]; e++) {
                sum += s->norms[groups_member(&b->touch, e)];
            }
            s->gamma[m] = sum;
            if (sum > largest) {
                largest = sum;
                s->top[t] = (uint32_t)m;
            }
        }
        s->largest[t] = largest >= LEAST_CHANGE ? largest : 0;
        for (size_t k = members->offsets[t]; k < members->offsets[t + 1]; k++) {
            real *gamma = &s->gamma[groups_member(members, k)];
            *gamma = s->largest[t] > 0 ? *gamma / largest : 0;
        }
    }
}

void heads_gamma_forward(heads *x, const head_pass *pass)
{
    head_scores *s = &x->scores;
    head_job job = {.x = x, .pass = pass};
    norm_forward(s->norms, s->change, 0, pass->b->cells, pass->d, pass->work);
    nn_for(pass->work, pass->b->subsets, SUBSET_PIECE, gamma_piece, &job);
}

/* gamma_m = sum_m / largest gives dsum_m = dgamma_m / largest, and the member that has the largest
 * also - sum of dgamma_m gamma_m / largest */
static void gamma_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    head_scores *s = &job->x->scores;
    const nn_groups *members = &job->pass->b->subset_members;
    (void)piece;
    for (size_t t = first; t < last; t++) {
        real share = s->largest[t] > 0 ? 1 / s->largest[t] : 0, back = 0;
        for (size_t k = members->offsets[t]; k < members->offsets[t + 1]; k++) {
            size_t m = groups_member(members, k);
            s->dtotals[m] = s->dgamma[m] * share;
            back += s->dtotals[m] * s->gamma[m];
        }
        if (share > 0) s->dtotals[s->top[t]] -= back;
    }
}

/* A cell's norm is in the sums of both its ends; norm = sqrt(Delta Delta) gives dDelta = dnorm
 * Delta / norm. */
static void norm_slope_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    const head_scores *s = &job->x->scores;
    size_t d = job->pass->d;
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        real dnorm = s->dtotals[b->cell_members[cell][0]] + s->dtotals[b->cell_members[cell][1]];
        if (!(s->norms[cell] > 0)) continue;
        row_add_scaled(s->dchange + cell * d, dnorm / s->norms[cell], s->change + cell * d, d);
    }
}

void heads_gamma_backward(heads *x, const head_pass *pass)
{
    head_job job = {.x = x, .pass = pass};
    nn_for(pass->work, pass->b->subsets, SUBSET_PIECE, gamma_gradient_piece, &job);
    nn_for(pass->work, pass->b->cells, REGIME_ROWS, norm_slope_piece, &job);
}

void heads_gates_forward(heads *x, const head_pass *pass)
{
    const model_config *config = pass->config;
    const batch *b = pass->b;
    head_scores *s = &x->scores;
    gather_forward(s->ends, s->gamma, b->cell_members[0], 2 * b->cells, 1, NN_SET, pass->work);
    linear_forward(s->inner, s->ends, pass->values + pass->at->gate.weight,
                   pass->values + pass->at->gate.bias, b->cells, 2, MODEL_HEADS, NN_SET,
                   pass->work);
    gate_forward(s->gates, s->inner, (real)config->gate_min, (real)config->gate_temperature,
                 b->cells * MODEL_HEADS, pass->work);
}

static void ends_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_scores *s = &job->x->scores;
    (void)piece;
    for (size_t m = first; m < last; m++) {
        real sum = 0;
        for (size_t e = b->touch.offsets[m]; e < b->touch.offsets[m + 1]; e++) {
            size_t cell = groups_member(&b->touch, e);
            sum += s->dends[2 * cell + cell_side(b, cell, m)];
        }
        s->dgamma[m] = sum;
    }
}

void heads_gates_backward(heads *x, const head_pass *pass)
{
    const model_config *config = pass->config;
    const batch *b = pass->b;
    head_scores *s = &x->scores;
    head_job job = {.x = x, .pass = pass};
    if (config->gate_min < 1.0) {
        gate_backward(s->inner, s->dgates, s->gates, (real)config->gate_min,
                      (real)config->gate_temperature, b->cells * MODEL_HEADS, NN_SET, pass->work);
    } else { /* gates that are always open */
        memset(s->inner, 0, b->cells * MODEL_HEADS * sizeof *s->inner);
    }
    linear_backward(s->dends, pass->gradients + pass->at->gate.weight,
                    pass->gradients + pass->at->gate.bias, s->inner, s->ends,
                    pass->values + pass->at->gate.weight, b->cells, 2, MODEL_HEADS, NN_SET,
                    pass->work);
    nn_for(pass->work, b->members, NN_PIECE_ROWS, ends_gradient_piece, &job);
}
