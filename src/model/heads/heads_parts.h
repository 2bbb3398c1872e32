/* heads_parts.h - what the files of the bias heads share: their activations and scratch.
 *
 * Internal to the files of this room and the tests. Arrays are
 * regime-major, [2][cells][d], so that one regime and both are contiguous rows. All of them lie in
 * one block of the heads object; every file carves its own out of it by a function x_room.
 *
 * A head says of each cell and regime one number: what its bias adds to ->; <- gets the negative
 * and none nothing. So all of bias is antisymmetric by construction.
 */
#ifndef SCONE_MODEL_HEADS_HEADS_PARTS_H
#define SCONE_MODEL_HEADS_HEADS_PARTS_H

#include "model/heads/heads.h"
#include "model/nn/ops.h"

#include <math.h>

/* DPT: scores of the two regimes, between 1/2 and 1, that differ by no more are equal. */
static const real DPT_TIE = (real)1e-4;

/* A block of memory that is measured in a first walk (base NULL) and handed out in a second. */
typedef struct head_room {
    char *base;
    size_t used; /* bytes */
    bool overflow;
} head_room;

real *heads_room_reals(head_room *room, size_t rows, size_t columns); /* 64-byte aligned */
uint32_t *heads_room_words(head_room *room, size_t count);

/* One pass over one batch. */
typedef struct head_pass {
    const model_config *config;
    const place_heads *at;
    const batch *b;
    const nn_work *work;
    size_t d;
    const real *values;
    real *gradients; /* NULL in the forward pass */
} head_pass;

/* Lists by destination: the places of an index that hold each row (groups_of_index). */
typedef struct head_lists {
    uint32_t *offsets, *places;
} head_lists;

typedef struct head_scores {
    real *z;          /* [2][cells][d]: embeddings of the regimes */
    real *change;     /* [cells][d]: Delta */
    real *norms;      /* [cells] */
    real *said;       /* [cells][2 ends]: what a cell says of either end */
    real *statistics; /* [members][TOKEN_NODE_STATISTICS]: m */
    real *place;      /* [members]: mean norm, standardized within the subset */
    real *sharpness;  /* [subsets]: by which it was multiplied */
    real *logit;      /* [members]: of gamma; backward its gradient */
    real *gamma;      /* [members] */
    real *ends;       /* [cells][2]: gamma of i and j */
    real *inner;      /* [cells][MODEL_HEADS]: before the sigmoid; backward the gradient by that */
    real *gates;      /* [cells][MODEL_HEADS] */
    /* gradients; those by z, change and gamma gather what every head adds */
    real *dz, *dchange, *dgamma;
    real *dends, *dgates, *dsize, *dscale, *dsaid;
} head_scores;

typedef struct head_ssi {
    real *context;     /* [2][members][d]: p */
    real *inner;       /* [2][cells][2 ends][d]: before gelu */
    real *difference;  /* [cells][2 ends][d]: gelu(inner) of regime 1 minus that of 0 */
    real *shift;       /* [cells][2 ends][d / 2]: phi(1, v) - phi(0, v) */
    real *delta;       /* [cells][2 ends]: its norm */
    real *lean;        /* [cells]: s(i->j) - s(j->i) */
    real *slope;       /* [cells]: of lean by delta_j - delta_i */
    real *kept;        /* [cells]: |lean| if it were open */
    real *dscale;      /* [cells] */
    real *dends;       /* [cells][2]: gradient by gamma of i and j */
    head_lists owners; /* of cells: members whose context they are */
} head_ssi;

typedef struct head_cvt {
    real *evidence;     /* [cells]: u_z z1 + u_Delta Delta */
    real *score;        /* [triples]: s, below the threshold too */
    real *factor;       /* [triples]: g_j, 0 where the gate is shut */
    head_lists sides;   /* of cells: 2 triple + side */
    head_lists centres; /* of members: triples */
    head_lists ends;    /* of members: 2 triple + end */
    /* scratch and gradients by what their names say, [triples] */
    real *logit, *dlogit, *dscore, *dscale;
    real *dcentre, *dend; /* by gamma of the centre, of the two ends */
    real *devidence;      /* [cells] */
} head_cvt;

typedef struct head_dpt {
    real *inner;        /* [2 senses: with, against][2][cells][d]: before gelu */
    real *phi;          /* the same after */
    real *hidden;       /* [instances][2 regimes][2 ways][d / 2]: W1 S + b1 */
    real *active;       /* gelu of hidden */
    real *push;         /* [instances][2]: logit forward - backward */
    real *lean;         /* [instances]: of the regime that wins */
    uint32_t *winner;   /* [instances]: c* */
    head_lists owned;   /* of cells: instances */
    head_lists passing; /* of cells: steps */
    uint32_t *instance; /* [steps] */
    real *logit;        /* [instances][2][2]; backward its gradient */
    real *dhidden;      /* as hidden */
    real *dscale;       /* [instances] */
} head_dpt;

struct heads {
    const parameter_layout *layout;
    size_t block;
    head_scores scores;
    head_ssi ssi;
    head_cvt cvt;
    head_dpt dpt;
    real *bias[MODEL_HEADS];  /* [cells][2 regimes]: what -> gets */
    real *dbias[MODEL_HEADS]; /* the gradient by it */
    real *mixed, *dmixed;     /* [cells][2 channels][MODEL_HEADS]: gated */
    real *wide, *narrow;      /* scratch: [4 cells][d], [2 cells][d] */
    real *of_members[2];      /* scratch: [2 members][d] each */
    void *memory;
    size_t bytes;
};

/* heads_gates.c: regimes from channels, gates from gamma; heads_gamma.c: gamma from z1 and Delta */
void heads_gates_room(head_room *room, head_scores *s, const batch *b, size_t d);
void heads_gamma_room(head_room *room, head_scores *s, const batch *b);
void heads_regimes_forward(heads *x, const real *h, const head_pass *pass);
void heads_regimes_backward(heads *x, real *dh, const head_pass *pass); /* dh is added to */
void heads_gamma_forward(heads *x, const head_pass *pass);
void heads_gamma_backward(heads *x, const head_pass *pass); /* dgamma to dz, dchange, added */
void heads_gates_forward(heads *x, const head_pass *pass);
/* dgates to dgamma, written; plus the gradient by gamma of the loss itself, unless it is NULL */
void heads_gates_backward(heads *x, const real *dgamma, const head_pass *pass);

/* dgamma [members] as `into` says: the gradient by gamma of either end of each cell, added up */
void heads_ends_backward(real *dgamma, const real *dends, nn_into into, const head_pass *pass);

/* One head: bias from scores; dbias to dz, dchange, dgamma and gradients, all added. */
void head_ssi_room(head_room *room, head_ssi *s, const batch *b, size_t d);
void head_ssi_forward(heads *x, const head_pass *pass);
void head_ssi_backward(heads *x, const head_pass *pass);
void head_cvt_room(head_room *room, head_cvt *s, const batch *b);
void head_cvt_forward(heads *x, const head_pass *pass);
void head_cvt_backward(heads *x, const head_pass *pass);
void head_dpt_room(head_room *room, head_dpt *s, const batch *b, size_t d);
void head_dpt_forward(heads *x, const head_pass *pass);
void head_dpt_backward(heads *x, const head_pass *pass);

/* What the bodies of parallel loops get. */
typedef struct head_job {
    heads *x;
    const head_pass *pass;
    const real *h; /* or what else the loop reads */
    real *out;     /* or writes */
} head_job;

/* ---- thresholds ----
 *
 * Where a value is `above` its threshold by 0 or more a head speaks. A step has no slope, so a
 * score that never passes would never learn to: the gradient is that of a sigmoid of the configured
 * width
 * ("straight through"). With soft thresholds the step itself is that sigmoid. */

static inline real threshold_sigmoid(real above, real width)
{
    return 1 / (1 + (real)exp(-(double)(above / width)));
}

static inline real threshold_pass(real above, const model_config *config)
{
    if (!config->soft_thresholds) return above >= 0 ? 1 : 0;
    return threshold_sigmoid(above, (real)config->threshold_width);
}

/* Its derivative by `above`. */
static inline real threshold_slope(real above, const model_config *config)
{
    real s = threshold_sigmoid(above, (real)config->threshold_width);
    return s * (1 - s) / (real)config->threshold_width;
}

/* A score that counts from `least` on, and the derivative of that by the score. */
static inline real threshold_score(real score, real least, const model_config *config)
{
    return score * threshold_pass(score - least, config);
}

static inline real threshold_score_slope(real score, real least, const model_config *config)
{
    return threshold_pass(score - least, config) + score * threshold_slope(score - least, config);
}

/* Which end of a cell a member is. */
static inline size_t cell_side(const batch *b, size_t cell, size_t member)
{
    return b->cell_members[cell][1] == member;
}

#endif
