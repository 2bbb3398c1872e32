/* model_parts.h - what the files of the model share: the memory of a run, loops over rows in
 * chunks, and the parts of a pass in the order of docs/methods/model.md.
 *
 * M = 2 cells tokens of the marginal stream, G grid cells of the global one, d the width. Forward
 * functions keep what the backward functions of the same block need; those add to gradients.
 */
#ifndef SCONE_MODEL_MODEL_PARTS_H
#define SCONE_MODEL_MODEL_PARTS_H

#include "model/heads/heads.h"
#include "model/model.h"
#include "model/nn/loss.h"
#include "model/nn/ops.h"

enum { MARGINAL = 0, GLOBAL = 1, STREAMS = 2 };
enum { ROW = 0, COLUMN = 1 }; /* attentions of a stream */
/* Rows of a chunk: small enough that what a chunk goes through stays in the second-level cache,
 * even so that both channels of a cell are in one. Most pieces, and least rows of one, of a sum. */
enum { CHUNK_ROWS = 128, CHUNK_PIECES = 16, CHUNK_PIECE_ROWS = 256 };

/* Of one axial block over the R tokens of a stream. */
typedef struct axial_kept {
    real *x[3];          /* [R, d]: into row attention, column attention, feed-forward */
    real *statistics[3]; /* [R, 2] of their layer norms */
    real *qkv[2], *y[2], *log_sum[2]; /* [R, 3 d], [R, d], [R, heads] */
    real *inner;                      /* [R, ff]: before GELU; NULL without a backward pass */
} axial_kept;

typedef struct run_block {
    axial_kept axial[STREAMS];
    real *post;    /* [M, d]: after feed-forward and heads */
    real *weights; /* [cells, 2]: of the cells of a pair */
    real *dgates;  /* [cells, 3]; NULL without heads or without a backward pass */
    real *dgamma;  /* [members]; likewise */
    heads *heads;
} run_block;

struct model_run {
    const parameter_layout *layout;
    int threads;
    nn_work *work, *serial; /* serial: for what runs within a chunk */
    run_block blocks[MODEL_MOST_BLOCKS];
    /* of the last batch */
    bool keeps;       /* for a backward pass */
    bool gate_loss;   /* dgates hold something */
    bool target_loss; /* dgamma does */
    size_t rows[STREAMS];
    const nn_groups *groups[STREAMS][2];
    /* embedding */
    real *split;           /* [d, features], [2 d, d]: columns of the first layer's weights */
    real *identity, *ends; /* [nodes, d], [nodes, 2 d] */
    real *inner;           /* [M, d]: before GELU */
    real *positions;       /* [places, d], memory of its own */
    size_t places;
    /* pooling and output */
    real *scores;        /* [cells, 2] */
    real *pooled;        /* [pairs, 2, d] */
    real *message;       /* [pairs, d]: of the last block in the end */
    real *grid;          /* [G, d]: the global stream in the end */
    real *summary;       /* [pairs, d]: what the classes are read from */
    real *logits;        /* [pairs, 3] */
    real *raw;           /* [G, 3] */
    real *global_logits; /* [G, 3] */
    real *fused;         /* [G, 3] */
    /* gradients */
    real *dstream[STREAMS]; /* [M, d], [G, d] */
    real *dlogits, *dglobal_logits, *draw;
    real *dsummary, *dmessage, *dpooled; /* [pairs, d], [pairs, d], [pairs, 2, d] */
    real *dweights, *dscores;            /* [cells, 2] */
    real *dy, *dqkv;                     /* [largest R, d], [largest R, 3 d] */
    real *dnode, *dends;                 /* [nodes, d], [nodes, 2 d] */
    real *dsplit;                        /* as split */
    /* objective */
    loss_pair *ranked; /* [pairs, RANK_NEGATIVES] */
    uint8_t *sampled;  /* [G] */
    /* memory */
    unsigned char *block;
    size_t bytes;
    real *scratch; /* [threads, scratch_size] */
    size_t scratch_size;
    real *parts; /* [CHUNK_PIECES, parts_size] */
    size_t parts_size;
    model_watch watch;
    void *watcher;
};

enum { RANK_NEGATIVES = 4 }; /* arrows that are not there, for each that is */

/* ---- chunks.c ---- */

typedef struct chunk {
    size_t first, rows;
    real *scratch; /* of the thread: [scratch_size] */
    real *part;    /* of the piece: what is added to the gradients */
} chunk;

typedef void (*chunk_body)(void *argument, const chunk *c);

/* Gradients that a loop sums over rows: where they are added to, and how many reals. A body finds
 * the k-th at part + at[k]. */
enum { CHUNK_SUMS = 8 };
typedef struct chunk_sums {
    size_t tensors, size;
    real *target[CHUNK_SUMS];
    size_t count[CHUNK_SUMS], at[CHUNK_SUMS];
} chunk_sums;

/* Adds a gradient and returns its place in the parts. */
size_t chunk_sums_add(chunk_sums *sums, real *target, size_t count);
/* Calls the body for every chunk, those of a piece in order. sums may be NULL; with it, parts start
 * at zero and are added to the targets in the order of the pieces. */
void run_chunks(model_run *run, size_t rows, chunk_body body, void *argument,
                const chunk_sums *sums);

/* Tells the watcher that a part is done. */
static inline void run_watch(const model_run *run, model_part part, int stream, bool backward)
{
    if (run->watch) run->watch(run->watcher, part, stream, backward);
}

/* ---- embed.c ---- */

/* h [M, d], the operative channels, and g [G, d] */
void embed_forward(model_run *run, real *h, real *g, const real *values, const batch *b);
/* dh is overwritten. */
void embed_backward(model_run *run, real *gradients, real *dh, const real *dg, const real *values,
                    const batch *b);
/* positions[t, 2 i] = sin(t / 10000^(2 i / d)), positions[t, 2 i + 1] the cosine */
void embed_positions(real *positions, size_t first, size_t last, size_t d);

/* ---- axial.c ---- */

/* out [R, d] = the axial block of kept->x[0], which may be out if nothing is kept */
void axial_forward(model_run *run, real *out, axial_kept *kept, int stream,
                   const place_axial *place, const real *values);
/* dx: on entry the gradient by out, on return by kept->x[0] */
void axial_backward(model_run *run, real *dx, real *gradients, const axial_kept *kept, int stream,
                    const place_axial *place, const real *values);

/* ---- pool.c ---- */

/* run->message = pooled h; share [cells, 2] is kept */
void pool_forward(model_run *run, real *share, const real *h, size_t pool, const real *values,
                  const batch *b);
/* dh (+)= the gradient that comes through run->dmessage */
void pool_backward(model_run *run, real *dh, real *gradients, const real *share, const real *h,
                   size_t pool, nn_into into, const real *values, const batch *b);
/* g[i, j] += message of the pair that is read so */
void pool_message_forward(model_run *run, real *g, const batch *b);
/* run->dmessage = dg[i, j] */
void pool_message_backward(model_run *run, const real *dg, const batch *b);
/* next[cell, channel] = h[cell, channel] + g[i, j]; next may be h */
void pool_back_forward(model_run *run, real *next, const real *h, const real *g, const batch *b);
/* dg[i, j] += sum of dh over cells and channels */
void pool_back_backward(model_run *run, real *dg, const real *dh, const batch *b);

/* ---- model_output.c ---- */

/* From run->message and run->grid to logits, global logits and fused ones. */
void model_output_forward(model_run *run, const real *values, const batch *b);
/* From dlogits and dglobal_logits to run->dsummary, which is the gradient by the last message and
 * by the grid cells of pairs, and to dg [G, d], which already contains it. */
void model_output_backward(model_run *run, real *dg, real *gradients, const real *values,
                           const batch *b);

#endif
