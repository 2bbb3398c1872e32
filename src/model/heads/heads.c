/* heads.c - the bias heads of one block together: memory, gates, and the way back into the stream.
 *
 *     bias of a head on regimes (b0, b1), channels ((b0 + b1) / 2, b1 - b0) with contrast
 *     h[cell, channel] += sum over heads of w_head gate[cell, head] bias
 *
 * The bias on -> is that on <- turned round, and none gets nothing, so of the paper's projection of
 * three classes one vector a head is left: that of -> less that of <-. A head that the
 * configuration leaves out has no parameters of its own and a bias of 0.
 */
#include "model/heads/heads_parts.h"

#include <string.h>

enum { ROOM_ALIGNMENT = 64 };

/* ---- memory ---- */

static void *room_take(head_room *room, size_t rows, size_t columns, size_t size)
{
    size_t bytes, end, start = room->used;
    if (!size_multiply(&bytes, rows, columns) || !size_multiply(&bytes, bytes, size) ||
        !size_add(&end, start, bytes) || !size_add(&end, end, ROOM_ALIGNMENT - 1)) {
        room->overflow = true;
        return NULL;
    }
    room->used = end / ROOM_ALIGNMENT * ROOM_ALIGNMENT;
    return room->base ? room->base + start : NULL;
}

real *heads_room_reals(head_room *room, size_t rows, size_t columns)
{
    return room_take(room, rows, columns, sizeof(real));
}

uint32_t *heads_room_words(head_room *room, size_t count)
{
    return room_take(room, count, 1, sizeof(uint32_t));
}

/* Every array of the heads, for a batch of these sizes. */
static void heads_room(head_room *room, heads *x, const batch *b)
{
    const model_config *config = &x->layout->config;
    size_t d = config->width;
    heads_gates_room(room, &x->scores, b, d);
    heads_gamma_room(room, &x->scores, b);
    if (config->head_ssi) head_ssi_room(room, &x->ssi, b, d);
    if (config->head_cvt) head_cvt_room(room, &x->cvt, b);
    if (config->head_dpt) head_dpt_room(room, &x->dpt, b, d);
    for (size_t head = 0; head < MODEL_HEADS; head++) {
        x->bias[head] = heads_room_reals(room, b->cells, 2);
        x->dbias[head] = heads_room_reals(room, b->cells, 2);
    }
    x->mixed = heads_room_reals(room, 2 * b->cells, MODEL_HEADS);
    x->dmixed = heads_room_reals(room, 2 * b->cells, MODEL_HEADS);
    x->wide = heads_room_reals(room, 4 * b->cells, d);
    x->narrow = heads_room_reals(room, 2 * b->cells, d);
    for (size_t k = 0; k < 2; k++) x->of_members[k] = heads_room_reals(room, 2 * b->members, d);
}

scone_status heads_alloc(heads **out, const parameter_layout *layout, size_t block)
{
    scone_status status = SCONE_OK;
    heads *x;
    *out = NULL;
    TRY_ZERO(x, 1);
    x->layout = layout;
    x->block = block;
    *out = x;
cleanup:
    return status;
}

void heads_free(heads *x)
{
    if (!x) return;
    mem_free(x->memory);
    mem_free(x);
}

scone_status heads_reserve(heads *x, const batch *b)
{
    head_room room = {.base = NULL};
    heads_room(&room, x, b);
    if (room.overflow) room.used = SIZE_MAX;
    if (room.used > x->bytes) {
        mem_free(x->memory);
        x->bytes = 0;
        x->memory = mem_aligned(room.used, 1);
        if (!x->memory) return SCONE_ERR_MEMORY;
        x->bytes = room.used;
    }
    room = (head_room){.base = x->memory};
    heads_room(&room, x, b);
    return SCONE_OK;
}

const real *heads_gates(const heads *x)
{
    return x->scores.gates;
}

const real *heads_gamma(const heads *x)
{
    return x->scores.gamma;
}

const real *heads_bias(const heads *x, size_t head)
{
    return x->bias[head];
}

/* ---- biases to the stream ---- */

/* mixed [cells][2 channels][MODEL_HEADS] */
static void mix_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    heads *x = job->x;
    bool contrast = job->pass->config->contrast;
    (void)piece;
    for (size_t at = first * MODEL_HEADS; at < last * MODEL_HEADS; at++) {
        size_t cell = at / MODEL_HEADS, head = at % MODEL_HEADS;
        const real *bias = x->bias[head] + 2 * cell;
        real regimes[2] = {x->scores.gates[at] * bias[0], x->scores.gates[at] * bias[1]};
        real *mixed = x->mixed + 2 * cell * MODEL_HEADS + head;
        mixed[0] = contrast ? (regimes[0] + regimes[1]) / 2 : regimes[0];
        mixed[MODEL_HEADS] = contrast ? regimes[1] - regimes[0] : regimes[1];
    }
}

/* channels ((r0 + r1) / 2, r1 - r0) give dr0 = da / 2 - dDelta, dr1 = da / 2 + dDelta;
 * r = gate bias gives dgate = sum over regimes of dr bias, dbias = gate dr */
static void mix_gradient_piece(void *argument, size_t piece, size_t first, size_t last)
{
    const head_job *job = argument;
    heads *x = job->x;
    const real *of_loss = job->h; /* dgates of the loss itself */
    (void)piece;
    for (size_t at = first * MODEL_HEADS; at < last * MODEL_HEADS; at++) {
        size_t cell = at / MODEL_HEADS, head = at % MODEL_HEADS;
        const real *dmixed = x->dmixed + 2 * cell * MODEL_HEADS + head;
        real dregimes[2] = {dmixed[0], dmixed[MODEL_HEADS]}, dgate = of_loss ? of_loss[at] : 0;
        if (job->pass->config->contrast) {
            dregimes[0] = dmixed[0] / 2 - dmixed[MODEL_HEADS];
            dregimes[1] = dmixed[0] / 2 + dmixed[MODEL_HEADS];
        }
        for (size_t c = 0; c < 2; c++) {
            dgate += dregimes[c] * x->bias[head][2 * cell + c];
            x->dbias[head][2 * cell + c] = x->scores.gates[at] * dregimes[c];
        }
        x->scores.dgates[at] = dgate;
    }
}

/* A head that is left out says nothing. */
static void speak(heads *x, const head_pass *pass)
{
    const bool on[MODEL_HEADS] = {[HEAD_CVT] = pass->config->head_cvt,
                                  [HEAD_SSI] = pass->config->head_ssi,
                                  [HEAD_DPT] = pass->config->head_dpt};
    for (size_t head = 0; head < MODEL_HEADS; head++) {
        if (!on[head]) memset(x->bias[head], 0, 2 * pass->b->cells * sizeof *x->bias[head]);
    }
    if (pass->config->head_ssi) head_ssi_forward(x, pass);
    if (pass->config->head_cvt) head_cvt_forward(x, pass);
    if (pass->config->head_dpt) head_dpt_forward(x, pass);
}

static head_pass pass_make(const heads *x, const real *values, const batch *b, const nn_work *work)
{
    return (head_pass){.config = &x->layout->config,
                       .at = &x->layout->blocks[x->block].heads,
                       .b = b,
                       .work = work,
                       .d = x->layout->config.width,
                       .values = values};
}

void heads_forward(heads *x, real *h, const real *values, const batch *b, const nn_work *work)
{
    head_pass pass = pass_make(x, values, b, work);
    head_job job = {.x = x, .pass = &pass};
    heads_regimes_forward(x, h, &pass);
    heads_gamma_forward(x, &pass);
    heads_gates_forward(x, &pass);
    speak(x, &pass);
    nn_for(work, b->cells, NN_PIECE_ROWS, mix_piece, &job);
    linear_forward(h, x->mixed, values + pass.at->project, NULL, 2 * b->cells, MODEL_HEADS, pass.d,
                   NN_ADD, work);
}

/* h += W_proj mixed leaves dh as it is; what the heads read of h is added to it in the end. */
void heads_backward(heads *x, real *dh, real *gradients, const real *dgates, const real *dgamma,
                    const real *values, const batch *b, const nn_work *work)
{
    head_pass pass = pass_make(x, values, b, work);
    head_job job = {.x = x, .pass = &pass, .h = dgates};
    pass.gradients = gradients;
    linear_backward(x->dmixed, gradients + pass.at->project, NULL, dh, x->mixed,
                    values + pass.at->project, 2 * b->cells, MODEL_HEADS, pass.d, NN_SET, work);
    nn_for(work, b->cells, NN_PIECE_ROWS, mix_gradient_piece, &job);
    memset(x->scores.dz, 0, 2 * b->cells * pass.d * sizeof *x->scores.dz);
    memset(x->scores.dchange, 0, b->cells * pass.d * sizeof *x->scores.dchange);
    heads_gates_backward(x, dgamma, &pass);
    if (pass.config->head_ssi) head_ssi_backward(x, &pass);
    if (pass.config->head_cvt) head_cvt_backward(x, &pass);
    if (pass.config->head_dpt) head_dpt_backward(x, &pass);
    heads_gamma_backward(x, &pass);
    heads_regimes_backward(x, dh, &pass);
}
