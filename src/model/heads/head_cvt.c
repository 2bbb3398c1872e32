/* head_cvt.c - contrastive v-structures: the edges of a likely collider i -> j <- k point to its
 * centre (paper, "Contrastive V-structure"; D13).
 *
 * For each unshielded triple (i, j, k) of a subset, cells e = {i, j} and f = {k, j},
 *
 *     s = sigmoid(u_z (z1_e + z1_f) + u_Delta (Delta_e + Delta_f) + b), 0 below theta_cvt
 *     g = 1 - gamma_j where gamma_j <= theta_gamma                       printed gate
 *     g = gamma_j where gamma_j > theta_gamma >= gamma_i, gamma_k        proved gate
 *     bias of e and of f towards j in regime 0: sum over triples of omega g s
 *
 * (A weight of its own for each of the two edges, averaged over both orders, is one weight.) The
 * two products are made once per cell. Multiplications: 2 d per cell forward, 4 d backward, and a
 * few per triple.
 */
#include "model/heads/heads_parts.h"

void head_cvt_room(head_room *room, head_cvt *s, const batch *b)
{
    s->evidence = heads_room_reals(room, b->cells, 1);
    s->score = heads_room_reals(room, b->triples, 1);
    s->factor = heads_room_reals(room, b->triples, 1);
    s->sides.offsets = heads_room_words(room, b->cells + 1);
    s->sides.places = heads_room_words(room, 2 * b->triples);
    s->centres.offsets = heads_room_words(room, b->members + 1);
    s->centres.places = heads_room_words(room, b->triples);
    s->logit = heads_room_reals(room, b->triples, 1);
    s->dlogit = heads_room_reals(room, b->triples, 1);
    s->dscore = heads_room_reals(room, b->triples, 1);
    s->dfactor = heads_room_reals(room, b->triples, 1);
    s->dscale = heads_room_reals(room, b->triples, 1);
    s->devidence = heads_room_reals(room, b->cells, 1);
}

/* +1 if the centre of a triple is the second end of its cell as read: -> points to it. */
static real side_sign(const batch *b, size_t triple, size_t side)
{
    return b->triple_second[triple][side] ? 1 : -1;
}

/* g_j, or 0 where the gate is shut. (g_j of an open gate is 0 only where gamma_j = 1 is the largest
 * of its subset, and that has no gradient.) */
static real gate_factor(const batch *b, const real *gamma, const model_config *config, size_t q)
{
    const real threshold = (real)config->cvt_change_max, centre = gamma[b->triple_centre[q]];
    if (config->cvt_gate == MODEL_CVT_PRINTED) return centre <= threshold ? 1 - centre : 0;
    bool open = centre > threshold && gamma[b->triple_ends[q][0]] <= threshold &&
                gamma[b->triple_ends[q][1]] <= threshold;
    return open ? centre : 0;
}

static void logit_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_cvt *s = &job->x->cvt;
    const real bias = job->pass->values[job->pass->at->cvt_bias];
    (void)piece;
    for (size_t q = first; q < last; q++) {
        s->logit[q] =
            s->evidence[b->triple_cells[q][0]] + s->evidence[b->triple_cells[q][1]] + bias;
        s->factor[q] = gate_factor(b, job->x->scores.gamma, job->pass->config, q);
    }
}

static void bias_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    const head_cvt *s = &job->x->cvt;
    const real least = (real)job->pass->config->cvt_score_min,
               omega = job->pass->values[job->pass->at->cvt_scale];
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        real sum = 0;
        for (size_t k = s->sides.offsets[cell]; k < s->sides.offsets[cell + 1]; k++) {
            size_t q = s->sides.places[k] / 2, side = s->sides.places[k] % 2;
            if (s->score[q] >= least) sum += side_sign(b, q, side) * s->factor[q] * s->score[q];
        }
        real *bias = job->x->bias[HEAD_CVT] + 2 * cell;
        bias[0] = omega * sum;
        bias[1] = 0;
    }
}

void head_cvt_forward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    head_cvt *s = &x->cvt;
    const real *z1 = x->scores.z + b->cells * pass->d;
    head_job job = {.x = x, .pass = pass};
    linear_forward(s->evidence, z1, pass->values + pass->at->cvt_z, NULL, b->cells, pass->d, 1,
                   NN_SET, pass->work);
    linear_forward(s->evidence, x->scores.change, pass->values + pass->at->cvt_change, NULL,
                   b->cells, pass->d, 1, NN_ADD, pass->work);
    groups_of_index(s->sides.offsets, s->sides.places, (const uint32_t *)b->triple_cells,
                    2 * b->triples, b->cells);
    nn_for(pass->work, b->triples, NN_PIECE_ROWS, logit_piece, &job);
    gate_forward(s->score, s->logit, 0, 1, b->triples, pass->work);
    nn_for(pass->work, b->cells, NN_PIECE_ROWS, bias_piece, &job);
}

/* bias of either cell += sign omega g s */
static void triple_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    head_cvt *s = &job->x->cvt;
    const real least = (real)job->pass->config->cvt_score_min,
               omega = job->pass->values[job->pass->at->cvt_scale],
               sign = job->pass->config->cvt_gate == MODEL_CVT_PRINTED ? -1 : 1;
    (void)piece;
    for (size_t q = first; q < last; q++) {
        real push = 0;
        for (size_t side = 0; side < 2; side++) {
            push += side_sign(b, q, side) * job->x->dbias[HEAD_CVT][2 * b->triple_cells[q][side]];
        }
        if (!(s->score[q] >= least) || !(s->factor[q] > 0)) push = 0;
        s->dscale[q] = push * s->factor[q] * s->score[q];
        s->dscore[q] = omega * push * s->factor[q];
        s->dfactor[q] = sign * omega * push * s->score[q]; /* dg / dgamma_j = sign */
    }
}

static void evidence_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    head_cvt *s = &job->x->cvt;
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        real sum = 0;
        for (size_t k = s->sides.offsets[cell]; k < s->sides.offsets[cell + 1]; k++) {
            sum += s->dlogit[s->sides.places[k] / 2];
        }
        s->devidence[cell] = sum;
    }
}

void head_cvt_backward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    head_cvt *s = &x->cvt;
    const place_heads *at = pass->at;
    size_t d = pass->d, regime_1 = b->cells * d;
    head_job job = {.x = x, .pass = pass};
    nn_for(pass->work, b->triples, NN_PIECE_ROWS, triple_gradient_piece, &job);
    gate_backward(s->dlogit, s->dscore, s->score, 0, 1, b->triples, NN_SET, pass->work);
    bias_backward(pass->gradients + at->cvt_scale, s->dscale, b->triples, 1, pass->work);
    bias_backward(pass->gradients + at->cvt_bias, s->dlogit, b->triples, 1, pass->work);
    groups_of_index(s->centres.offsets, s->centres.places, b->triple_centre, b->triples,
                    b->members);
    nn_groups centres = {b->members, s->centres.offsets, s->centres.places};
    gather_backward(x->scores.dgamma, s->dfactor, &centres, 1, NN_ADD, pass->work);
    nn_for(pass->work, b->cells, NN_PIECE_ROWS, evidence_gradient_piece, &job);
    linear_backward(x->scores.dz + regime_1, pass->gradients + at->cvt_z, NULL, s->devidence,
                    x->scores.z + regime_1, pass->values + at->cvt_z, b->cells, d, 1, NN_ADD,
                    pass->work);
    linear_backward(x->scores.dchange, pass->gradients + at->cvt_change, NULL, s->devidence,
                    x->scores.change, pass->values + at->cvt_change, b->cells, d, 1, NN_ADD,
                    pass->work);
}
