/* heads_gates.c - what all bias heads start from: the embeddings of the two regimes, and the gates
 * (docs/methods/model.md; D9).
 *
 *     channels (a, Delta):    z1 = a + Delta / 2,  z0 = a - Delta / 2
 *     channels (z0, z1):      Delta = z1 - z0                              without contrast
 *     gate = g_min + (1 - g_min) sigmoid((W [gamma_i, gamma_j] + b) / tau)
 *
 * gamma is that of heads_gamma.c. Cost per cell: 4 d forward, 6 d backward.
 */
#include "model/heads/heads_parts.h"

#include "model/nn/row_sums.h"

enum { REGIME_ROWS = 64 };

void heads_gates_room(head_room *room, head_scores *s, const batch *b, size_t d)
{
    s->z = heads_room_reals(room, 2 * b->cells, d);
    s->change = heads_room_reals(room, b->cells, d);
    s->ends = heads_room_reals(room, b->cells, 2);
    s->inner = heads_room_reals(room, b->cells, MODEL_HEADS);
    s->gates = heads_room_reals(room, b->cells, MODEL_HEADS);
    s->dz = heads_room_reals(room, 2 * b->cells, d);
    s->dchange = heads_room_reals(room, b->cells, d);
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

/* dgamma [members] (+)= sum of `dends` [cells][2] over the cells at a member, on that end */
typedef struct ends_job {
    const batch *b;
    real *dgamma;
    const real *dends;
    nn_into into;
} ends_job;

static void ends_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const ends_job *job = argument;
    const batch *b = job->b;
    (void)piece;
    for (size_t m = first; m < last; m++) {
        real sum = job->into == NN_ADD ? job->dgamma[m] : 0;
        for (size_t e = b->touch.offsets[m]; e < b->touch.offsets[m + 1]; e++) {
            size_t cell = groups_member(&b->touch, e);
            sum += job->dends[2 * cell + cell_side(b, cell, m)];
        }
        job->dgamma[m] = sum;
    }
}

void heads_ends_backward(real *dgamma, const real *dends, nn_into into, const head_pass *pass)
{
    ends_job job = {pass->b, dgamma, dends, into};
    nn_for(pass->work, pass->b->members, NN_PIECE_ROWS, ends_gradient_piece, &job);
}

void heads_gates_backward(heads *x, const real *dgamma, const head_pass *pass)
{
    const model_config *config = pass->config;
    const batch *b = pass->b;
    head_scores *s = &x->scores;
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
    heads_ends_backward(s->dgamma, s->dends, NN_SET, pass);
    if (dgamma) add_forward(s->dgamma, dgamma, b->members, pass->work);
}
