/* heads_gamma.c - gamma(t, v): how likely it is that the mechanism of node v changed, as subset t
 * tells (paper, the invariance score gamma_v = Norm(sum of ||Delta_e|| over e at v); D10).
 *
 *     size(t, v)  = mean of ||Delta_e|| over the cells e of t at v
 *     place(t, v) = (size - mean of t's sizes) / their deviation
 *     gamma(t, v) = sigmoid(a place + mean over e of (q_side z1_e + r_side Delta_e) + u m_v + b)
 *
 * side is the end of e, as read, that v is; m_v are the node's statistics. A member without a cell
 * has its statistics alone. a, q, r, u and b are learned, also from the targets that training knows
 * (loss_target), so gamma says the same thing in every subset, whatever number of candidate pairs
 * v has there. Cost per cell: 6 d forward, 10 d backward.
 */
#include "model/heads/heads_parts.h"

#include "model/nn/row_sums.h"

/* Added to the variance of the sizes of a subset, so that the deviation has an inverse. */
static const real LEAST_VARIANCE = (real)1e-8;

enum { GAMMA_ROWS = 64, SUBSET_PIECE = 64 };

void heads_gamma_room(head_room *room, head_scores *s, const batch *b)
{
    s->norms = heads_room_reals(room, b->cells, 1);
    s->said = heads_room_reals(room, b->cells, 2);
    s->statistics = heads_room_reals(room, b->members, TOKEN_NODE_STATISTICS);
    s->place = heads_room_reals(room, b->members, 1);
    s->sharpness = heads_room_reals(room, b->subsets, 1);
    s->logit = heads_room_reals(room, b->members, 1);
    s->gamma = heads_room_reals(room, b->members, 1);
    s->dgamma = heads_room_reals(room, b->members, 1);
    s->dsize = heads_room_reals(room, b->members, 1);
    s->dscale = heads_room_reals(room, b->members, 1);
    s->dsaid = heads_room_reals(room, b->cells, 2);
}

static size_t cells_at(const batch *b, size_t m)
{
    return b->touch.offsets[m + 1] - b->touch.offsets[m];
}

/* place holds the sizes and becomes the standardized ones; members without a cell have 0. */
static void standardize(head_scores *s, const batch *b, size_t t)
{
    const nn_groups *members = &b->subset_members;
    size_t first = members->offsets[t], last = members->offsets[t + 1], count = 0;
    real mean = 0, variance = 0;
    for (size_t k = first; k < last; k++) {
        size_t m = groups_member(members, k);
        if (cells_at(b, m) == 0) continue;
        mean += s->place[m];
        count++;
    }
    mean = count > 0 ? mean / (real)count : 0;
    for (size_t k = first; k < last; k++) {
        size_t m = groups_member(members, k);
        if (cells_at(b, m) == 0) continue;
        s->place[m] -= mean;
        variance += s->place[m] * s->place[m];
    }
    variance = count > 0 ? variance / (real)count : 0;
    s->sharpness[t] = 1 / (real)sqrt((double)(variance + LEAST_VARIANCE));
    for (size_t k = first; k < last; k++) s->place[groups_member(members, k)] *= s->sharpness[t];
}

static void gamma_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_scores *s = &job->x->scores;
    const nn_groups *members = &b->subset_members;
    const real scale = job->pass->values[job->pass->at->gamma_scale];
    (void)piece;
    for (size_t t = first; t < last; t++) {
        for (size_t k = members->offsets[t]; k < members->offsets[t + 1]; k++) {
            size_t m = groups_member(members, k), count = cells_at(b, m);
            real size = 0, said = 0;
            for (size_t e = b->touch.offsets[m]; e < b->touch.offsets[m + 1]; e++) {
                size_t cell = groups_member(&b->touch, e);
                size += s->norms[cell];
                said += s->said[2 * cell + cell_side(b, cell, m)];
            }
            s->place[m] = count > 0 ? size / (real)count : 0;
            if (count > 0) s->logit[m] += said / (real)count;
        }
        standardize(s, b, t);
        for (size_t k = members->offsets[t]; k < members->offsets[t + 1]; k++) {
            size_t m = groups_member(members, k);
            s->logit[m] += scale * s->place[m];
        }
    }
}

void heads_gamma_forward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    const place_heads *at = pass->at;
    const real *values = pass->values, *z1 = x->scores.z + b->cells * pass->d;
    head_scores *s = &x->scores;
    head_job job = {.x = x, .pass = pass};
    norm_forward(s->norms, s->change, 0, b->cells, pass->d, pass->work);
    linear_forward(s->said, z1, values + at->gamma_z, NULL, b->cells, pass->d, 2, NN_SET,
                   pass->work);
    linear_forward(s->said, s->change, values + at->gamma_change, NULL, b->cells, pass->d, 2,
                   NN_ADD, pass->work);
    gather_forward(s->statistics, b->node_statistics, b->member_node, b->members,
                   TOKEN_NODE_STATISTICS, NN_SET, pass->work);
    linear_forward(s->logit, s->statistics, values + at->gamma_m.weight, values + at->gamma_m.bias,
                   b->members, TOKEN_NODE_STATISTICS, 1, NN_SET, pass->work);
    nn_for(pass->work, b->subsets, SUBSET_PIECE, gamma_piece, &job);
    gate_forward(s->gamma, s->logit, 0, 1, b->members, pass->work);
}

/* place = (size - mean) sharpness gives dsize = sharpness (dplace - its mean - place (mean of
 * dplace place)); dplace = scale dlogit */
static void size_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_scores *s = &job->x->scores;
    const nn_groups *members = &b->subset_members;
    const real scale = job->pass->values[job->pass->at->gamma_scale];
    (void)piece;
    for (size_t t = first; t < last; t++) {
        real sum = 0, along = 0, count = 0;
        for (size_t k = members->offsets[t]; k < members->offsets[t + 1]; k++) {
            size_t m = groups_member(members, k);
            s->dscale[m] = s->logit[m] * s->place[m];
            if (cells_at(b, m) == 0) continue;
            sum += scale * s->logit[m];
            along += scale * s->dscale[m];
            count += 1;
        }
        for (size_t k = members->offsets[t]; k < members->offsets[t + 1]; k++) {
            size_t m = groups_member(members, k), touching = cells_at(b, m);
            real dsize = scale * s->logit[m] - (sum + s->place[m] * along) / count;
            s->dsize[m] = touching > 0 ? s->sharpness[t] * dsize / (real)touching : 0;
            s->logit[m] = touching > 0 ? s->logit[m] / (real)touching : 0;
        }
    }
}

/* A cell's norm is in the sizes of both its ends; norm = sqrt(Delta Delta) gives dDelta = dnorm
 * Delta / norm. */
static void cell_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_scores *s = &job->x->scores;
    size_t d = job->pass->d;
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        const uint32_t *members = b->cell_members[cell];
        for (size_t end = 0; end < 2; end++) s->dsaid[2 * cell + end] = s->logit[members[end]];
        if (!(s->norms[cell] > 0)) continue;
        real dnorm = s->dsize[members[0]] + s->dsize[members[1]];
        row_add_scaled(s->dchange + cell * d, dnorm / s->norms[cell], s->change + cell * d, d);
    }
}

/* logit becomes the gradient by it, and then that by what a cell says. */
void heads_gamma_backward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    const place_heads *at = pass->at;
    const real *values = pass->values;
    real *gradients = pass->gradients;
    size_t d = pass->d, regime_1 = b->cells * d;
    head_scores *s = &x->scores;
    head_job job = {.x = x, .pass = pass};
    gate_backward(s->logit, s->dgamma, s->gamma, 0, 1, b->members, NN_SET, pass->work);
    linear_backward(NULL, gradients + at->gamma_m.weight, gradients + at->gamma_m.bias, s->logit,
                    s->statistics, values + at->gamma_m.weight, b->members, TOKEN_NODE_STATISTICS,
                    1, NN_SET, pass->work);
    nn_for(pass->work, b->subsets, SUBSET_PIECE, size_gradient_piece, &job);
    bias_backward(gradients + at->gamma_scale, s->dscale, b->members, 1, pass->work);
    nn_for(pass->work, b->cells, GAMMA_ROWS, cell_gradient_piece, &job);
    linear_backward(s->dz + regime_1, gradients + at->gamma_z, NULL, s->dsaid, s->z + regime_1,
                    values + at->gamma_z, b->cells, d, 2, NN_ADD, pass->work);
    linear_backward(s->dchange, gradients + at->gamma_change, NULL, s->dsaid, s->change,
                    values + at->gamma_change, b->cells, d, 2, NN_ADD, pass->work);
}
