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
 * All thresholds are those of heads_parts.h.
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
    s->ends.offsets = heads_room_words(room, b->members + 1);
    s->ends.places = heads_room_words(room, 2 * b->triples);
    s->logit = heads_room_reals(room, b->triples, 1);
    s->dlogit = heads_room_reals(room, b->triples, 1);
    s->dscore = heads_room_reals(room, b->triples, 1);
    s->dcentre = heads_room_reals(room, b->triples, 1);
    s->dend = heads_room_reals(room, b->triples, 2);
    s->dscale = heads_room_reals(room, b->triples, 1);
    s->devidence = heads_room_reals(room, b->cells, 1);
}

/* +1 if the centre of a triple is the second end of its cell as read: -> points to it. */
static real side_sign(const batch *b, size_t triple, size_t side)
{
    return b->triple_second[triple][side] ? 1 : -1;
}

/* How far the gammas of centre and ends are on the side of theta_gamma that the gate asks for; with
 * the printed gate nothing is asked of the ends. */
typedef struct cvt_gate {
    real gamma;    /* of the centre */
    real above[3]; /* centre, ends */
    size_t count;  /* of these that count */
} cvt_gate;

static cvt_gate gate_of(const batch *b, const real *gamma, const model_config *config, size_t q)
{
    const real threshold = (real)config->cvt_change_max;
    cvt_gate g = {.gamma = gamma[b->triple_centre[q]], .count = 1};
    g.above[0] = threshold - g.gamma;
    if (config->cvt_gate == MODEL_CVT_PRINTED) return g;
    g.above[0] = g.gamma - threshold;
    for (size_t end = 0; end < 2; end++) {
        g.above[1 + end] = threshold - gamma[b->triple_ends[q][end]];
    }
    g.count = 3;
    return g;
}

/* Product of what passes, but for one of them. */
static real gate_pass(const cvt_gate *g, size_t except, const model_config *config)
{
    real product = 1;
    for (size_t k = 0; k < g->count; k++) {
        if (k != except) product *= threshold_pass(g->above[k], config);
    }
    return product;
}

/* g_j as the centre's gamma has it. */
static real gate_height(const cvt_gate *g, const model_config *config)
{
    return config->cvt_gate == MODEL_CVT_PRINTED ? 1 - g->gamma : g->gamma;
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
        cvt_gate g = gate_of(b, job->x->scores.gamma, job->pass->config, q);
        s->factor[q] = gate_height(&g, job->pass->config) * gate_pass(&g, 3, job->pass->config);
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
            sum += side_sign(b, q, side) * s->factor[q] *
                   threshold_score(s->score[q], least, job->pass->config);
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

/* g = height product of pass(above): the gradients by gamma of the centre and the ends of the
 * triple, given that by g. */
static void gate_gradient(head_cvt *s, const head_job *job, size_t q, real dfactor)
{
    const model_config *config = job->pass->config;
    const real sign = config->cvt_gate == MODEL_CVT_PRINTED ? -1 : 1;
    cvt_gate g = gate_of(job->pass->b, job->x->scores.gamma, config, q);
    real height = gate_height(&g, config);
    /* both the height and what is above the threshold go with sign gamma of the centre */
    s->dcentre[q] = dfactor * sign *
                    (gate_pass(&g, 3, config) +
                     height * gate_pass(&g, 0, config) * threshold_slope(g.above[0], config));
    for (size_t end = 0; end < 2; end++) {
        real slope = 0;
        if (g.count > 1) {
            slope = gate_pass(&g, 1 + end, config) * threshold_slope(g.above[1 + end], config);
        }
        s->dend[2 * q + end] = -dfactor * height * slope;
    }
}

/* bias of either cell += sign omega g (s where it counts) */
static void triple_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    const model_config *config = job->pass->config;
    head_cvt *s = &job->x->cvt;
    const real least = (real)config->cvt_score_min,
               omega = job->pass->values[job->pass->at->cvt_scale];
    (void)piece;
    for (size_t q = first; q < last; q++) {
        real push = 0;
        for (size_t side = 0; side < 2; side++) {
            push += side_sign(b, q, side) * job->x->dbias[HEAD_CVT][2 * b->triple_cells[q][side]];
        }
        real counts = threshold_score(s->score[q], least, config);
        s->dscale[q] = push * s->factor[q] * counts;
        s->dscore[q] =
            omega * push * s->factor[q] * threshold_score_slope(s->score[q], least, config);
        gate_gradient(s, job, q, omega * push * counts);
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
    gather_backward(x->scores.dgamma, s->dcentre, &centres, 1, NN_ADD, pass->work);
    if (pass->config->cvt_gate == MODEL_CVT_PROVED) {
        groups_of_index(s->ends.offsets, s->ends.places, (const uint32_t *)b->triple_ends,
                        2 * b->triples, b->members);
        nn_groups ends = {b->members, s->ends.offsets, s->ends.places};
        gather_backward(x->scores.dgamma, s->dend, &ends, 1, NN_ADD, pass->work);
    }
    nn_for(pass->work, b->cells, NN_PIECE_ROWS, evidence_gradient_piece, &job);
    linear_backward(x->scores.dz + regime_1, pass->gradients + at->cvt_z, NULL, s->devidence,
                    x->scores.z + regime_1, pass->values + at->cvt_z, b->cells, d, 1, NN_ADD,
                    pass->work);
    linear_backward(x->scores.dchange, pass->gradients + at->cvt_change, NULL, s->devidence,
                    x->scores.change, pass->values + at->cvt_change, b->cells, d, 1, NN_ADD,
                    pass->work);
}
