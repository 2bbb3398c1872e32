/* head_ssi.c - single-sided invariance: an edge points to the end whose mechanism shifted more
 * (paper, "Single-Sided Invariance"; D11, D12).
 *
 * For cell {i, j} of subset t, end v and regime c
 *
 *     phi(c, v) = W_b gelu(W_z z(c) + W_p p(c, v) + c W_m m_v + b)
 *     delta_v = ||phi(1, v) - phi(0, v)||
 *     s(i->j) = min(max(delta_j - delta_i, 0), tau)  where gamma_j >= gamma_i + eta
 *                                                    and gamma_i <= gamma_max, else 0
 *     bias = kappa (s(i->j) - s(j->i)) in both regimes
 *
 * with p the mean of z(c) over the cells of (t, v) that are context, m_v the node's statistics.
 * They say how far regime 1 is from regime 0, so regime 0 has none of them (D11): added to both
 * regimes they would nearly cancel in delta. Both conditions are thresholds of heads_parts.h, so
 * gamma learns from them. W_z z is made once per (cell, regime), W_p p + c W_m m + b once per
 * (member, regime), and W_b is applied to the difference of the regimes. Multiplications per cell,
 * M being members over cells: (3 + 2 M) d^2 forward, twice that backward, and 4 d gelus each way.
 */
#include "model/heads/heads_parts.h"

#include "model/nn/row_sums.h"

enum { SSI_ROWS = 64 };

void head_ssi_room(head_room *room, head_ssi *s, const batch *b, size_t d)
{
    s->context = heads_room_reals(room, 2 * b->members, d);
    s->inner = heads_room_reals(room, 4 * b->cells, d);
    s->difference = heads_room_reals(room, 2 * b->cells, d);
    s->shift = heads_room_reals(room, 2 * b->cells, d / 2);
    s->delta = heads_room_reals(room, b->cells, 2);
    s->lean = heads_room_reals(room, b->cells, 1);
    s->slope = heads_room_reals(room, b->cells, 1);
    s->kept = heads_room_reals(room, b->cells, 1);
    s->dends = heads_room_reals(room, b->cells, 2);
    s->dscale = heads_room_reals(room, b->cells, 1);
    s->owners.offsets = heads_room_words(room, b->cells + 1);
    s->owners.places = heads_room_words(room, groups_entries(&b->context));
}

/* of_members[0] [2][members][d] = W_p p + c W_m m + b */
static void members_forward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    head_ssi *s = &x->ssi;
    const place_heads *at = pass->at;
    const real *values = pass->values;
    size_t d = pass->d, of_regime = b->members * d;
    real *inner = x->of_members[0];
    for (size_t c = 0; c < 2; c++) {
        segment_mean_forward(s->context + c * of_regime, x->scores.z + c * b->cells * d,
                             &b->context, d, NN_SET, pass->work);
    }
    linear_forward(inner, s->context, values + at->ssi_p, values + at->ssi_bias, 2 * b->members, d,
                   d, NN_SET, pass->work);
    linear_forward(inner + of_regime, x->scores.statistics, values + at->ssi_m, NULL, b->members,
                   TOKEN_NODE_STATISTICS, d, NN_ADD, pass->work);
}

/* dp and the gradients of W_p, W_m and b from of_members[0], the gradient by the above */
static void members_backward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    head_ssi *s = &x->ssi;
    const place_heads *at = pass->at;
    real *gradients = pass->gradients;
    size_t d = pass->d, of_regime = b->members * d;
    const real *dinner = x->of_members[0];
    real *dcontext = x->of_members[1];
    linear_backward(dcontext, gradients + at->ssi_p, gradients + at->ssi_bias, dinner, s->context,
                    pass->values + at->ssi_p, 2 * b->members, d, d, NN_SET, pass->work);
    linear_backward(NULL, gradients + at->ssi_m, NULL, dinner + of_regime, x->scores.statistics,
                    pass->values + at->ssi_m, b->members, TOKEN_NODE_STATISTICS, d, NN_SET,
                    pass->work);
    groups_of_rows(s->owners.offsets, s->owners.places, &b->context, b->cells);
    nn_groups owners = {b->cells, s->owners.offsets, s->owners.places};
    for (size_t c = 0; c < 2; c++) {
        segment_mean_backward(x->scores.dz + c * b->cells * d, dcontext + c * of_regime, &owners,
                              &b->context, d, NN_ADD, pass->work);
    }
}

/* inner [2][cells][2 ends][d] = W_z z + what the end's member adds */
static void inner_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    size_t d = job->pass->d;
    (void)piece;
    for (size_t c = 0; c < 2; c++) {
        const real *of_members = job->x->of_members[0] + c * b->members * d;
        for (size_t cell = first; cell < last; cell++) {
            const real *of_cell = job->x->narrow + (c * b->cells + cell) * d;
            real *inner = job->x->ssi.inner + 2 * (c * b->cells + cell) * d;
            for (size_t end = 0; end < 2; end++) {
                memcpy(inner + end * d, of_cell, d * sizeof *inner);
                row_add(inner + end * d, of_members + b->cell_members[cell][end] * d, d);
            }
        }
    }
}

/* narrow [2][cells][d] = sum over ends of wide [2][cells][2][d], the gradient by inner */
static void cell_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    size_t d = job->pass->d;
    (void)piece;
    for (size_t row = first; row < last; row++) {
        real *dcell = job->x->narrow + row * d;
        const real *dinner = job->x->wide + 2 * row * d;
        memcpy(dcell, dinner, d * sizeof *dcell);
        row_add(dcell, dinner + d, d);
    }
}

/* of_members[0] [2][members][d] = sum of the same over the cells at a member */
static void member_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const batch *b = job->pass->b;
    size_t d = job->pass->d;
    (void)piece;
    for (size_t c = 0; c < 2; c++) {
        const real *dinner = job->x->wide + 2 * c * b->cells * d;
        for (size_t m = first; m < last; m++) {
            real *dmember = job->x->of_members[0] + (c * b->members + m) * d;
            memset(dmember, 0, d * sizeof *dmember);
            for (size_t e = b->touch.offsets[m]; e < b->touch.offsets[m + 1]; e++) {
                size_t cell = groups_member(&b->touch, e);
                row_add(dmember, dinner + (2 * cell + cell_side(b, cell, m)) * d, d);
            }
        }
    }
}

/* difference = gelu(inner) of regime 1 minus that of regime 0, rows (cell, end) of `wide` */
static void difference_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    size_t n = (last - first) * job->pass->d, rows = 2 * job->pass->b->cells;
    const real *of_0 = job->x->wide + first * job->pass->d, *of_1 = of_0 + rows * job->pass->d;
    real *difference = job->x->ssi.difference + first * job->pass->d;
    (void)piece;
    memcpy(difference, of_1, n * sizeof *difference);
    row_add_scaled(difference, -1, of_0, n);
}

/* the gradient by regime 1 of `wide` is that by the difference, by regime 0 its negative */
static void difference_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    size_t rows = 2 * job->pass->b->cells, d = job->pass->d;
    real *of_0 = job->x->wide + first * d, *of_1 = of_0 + rows * d;
    (void)piece;
    row_scale(of_0, -1, of_1, (last - first) * d);
}

/* How far the two conditions on gamma hold: of the end that delta calls the cause, and the effect.
 */
typedef struct ssi_gate {
    size_t cause, effect; /* ends */
    real apart, still;    /* above their thresholds */
} ssi_gate;

static ssi_gate gate_of(const head_job *job, size_t cell)
{
    const model_config *config = job->pass->config;
    const real *delta = job->x->ssi.delta + 2 * cell, *ends = job->x->scores.ends + 2 * cell;
    bool back = delta[1] < delta[0];
    ssi_gate g = {.cause = back, .effect = !back};
    g.apart = ends[g.effect] - ends[g.cause] - (real)config->ssi_margin;
    g.still = (real)config->ssi_change_max - ends[g.cause];
    return g;
}

/* s(i->j) - s(j->i): at most one of the two is not 0, the one that delta_j - delta_i points to */
static void lean_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const model_config *config = job->pass->config;
    head_ssi *s = &job->x->ssi;
    const real clip = (real)config->ssi_clip, kappa = job->pass->values[job->pass->at->ssi_scale];
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        real push = s->delta[2 * cell + 1] - s->delta[2 * cell], size = push < 0 ? -push : push;
        ssi_gate g = gate_of(job, cell);
        real open = threshold_pass(g.apart, config) * threshold_pass(g.still, config);
        s->kept[cell] = size < clip ? size : clip;
        s->lean[cell] = push < 0 ? -open * s->kept[cell] : open * s->kept[cell];
        s->slope[cell] = size > 0 && size < clip ? open : 0;
        real *bias = job->x->bias[HEAD_SSI] + 2 * cell;
        bias[0] = bias[1] = kappa * s->lean[cell];
    }
}

/* lean = +-kept pass(apart) pass(still), apart = gamma_effect - gamma_cause - eta, still =
 * gamma_max
 * - gamma_cause: the gradient by gamma of both ends */
static void gate_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    const model_config *config = job->pass->config;
    head_ssi *s = &job->x->ssi;
    const real kappa = job->pass->values[job->pass->at->ssi_scale];
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        const real *dbias = job->x->dbias[HEAD_SSI] + 2 * cell;
        ssi_gate g = gate_of(job, cell);
        real dopen = kappa * (dbias[0] + dbias[1]) * (g.cause ? -s->kept[cell] : s->kept[cell]);
        real dapart = dopen * threshold_slope(g.apart, config) * threshold_pass(g.still, config);
        real dstill = dopen * threshold_pass(g.apart, config) * threshold_slope(g.still, config);
        s->dends[2 * cell + g.effect] = dapart;
        s->dends[2 * cell + g.cause] = -dapart - dstill;
    }
}

/* bias = kappa lean in both regimes, lean = +-(delta_j - delta_i), delta = norm of shift: gives the
 * gradient by shift in `narrow` [cells][2 ends][d / 2] */
static void lean_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    head_ssi *s = &job->x->ssi;
    size_t half = job->pass->d / 2;
    const real kappa = job->pass->values[job->pass->at->ssi_scale];
    (void)piece;
    for (size_t cell = first; cell < last; cell++) {
        const real *dbias = job->x->dbias[HEAD_SSI] + 2 * cell;
        real dlean = dbias[0] + dbias[1], dpush = s->slope[cell] * kappa * dlean;
        s->dscale[cell] = s->lean[cell] * dlean;
        for (size_t end = 0; end < 2; end++) {
            size_t row = 2 * cell + end;
            real ddelta = end == 1 ? dpush : -dpush;
            row_scale(job->x->narrow + row * half, s->delta[row] > 0 ? ddelta / s->delta[row] : 0,
                      s->shift + row * half, half);
        }
    }
}

void head_ssi_forward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    head_ssi *s = &x->ssi;
    size_t d = pass->d;
    head_job job = {.x = x, .pass = pass};
    members_forward(x, pass);
    linear_forward(x->narrow, x->scores.z, pass->values + pass->at->ssi_z, NULL, 2 * b->cells, d, d,
                   NN_SET, pass->work);
    nn_for(pass->work, b->cells, SSI_ROWS, inner_piece, &job);
    gelu_forward(x->wide, s->inner, 4 * b->cells * d, pass->work);
    nn_for(pass->work, 2 * b->cells, SSI_ROWS, difference_piece, &job);
    linear_forward(s->shift, s->difference, pass->values + pass->at->ssi_out, NULL, 2 * b->cells, d,
                   d / 2, NN_SET, pass->work);
    norm_forward(s->delta, s->shift, 0, 2 * b->cells, d / 2, pass->work);
    nn_for(pass->work, b->cells, NN_PIECE_ROWS, lean_piece, &job);
}

void head_ssi_backward(heads *x, const head_pass *pass)
{
    const batch *b = pass->b;
    head_ssi *s = &x->ssi;
    const place_heads *at = pass->at;
    size_t d = pass->d, rows = 2 * b->cells;
    head_job job = {.x = x, .pass = pass};
    nn_for(pass->work, b->cells, NN_PIECE_ROWS, gate_gradient_piece, &job);
    heads_ends_backward(x->scores.dgamma, s->dends, NN_ADD, pass);
    nn_for(pass->work, b->cells, NN_PIECE_ROWS, lean_gradient_piece, &job);
    bias_backward(pass->gradients + at->ssi_scale, s->dscale, b->cells, 1, pass->work);
    linear_backward(x->wide + rows * d, pass->gradients + at->ssi_out, NULL, x->narrow,
                    s->difference, pass->values + at->ssi_out, rows, d, d / 2, NN_SET, pass->work);
    nn_for(pass->work, rows, SSI_ROWS, difference_gradient_piece, &job);
    gelu_backward(x->wide, x->wide, s->inner, 2 * rows * d, pass->work);
    nn_for(pass->work, rows, SSI_ROWS, cell_gradient_piece, &job);
    linear_backward(x->scores.dz, pass->gradients + at->ssi_z, NULL, x->narrow, x->scores.z,
                    pass->values + at->ssi_z, rows, d, d, NN_ADD, pass->work);
    nn_for(pass->work, b->members, SSI_ROWS, member_gradient_piece, &job);
    members_backward(x, pass);
}
