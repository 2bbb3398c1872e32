/* attention.c - multi-head self-attention within ragged groups (Vaswani et al., 2017), fused.
 *
 * For tokens i, j of a group and each head, with f = 1 / sqrt(head size):
 *
 *     s_ij = f q_i . k_j,   p_ij = exp(s_ij - l_i),   l_i = log sum_j exp(s_ij),   y_i = sum_j p_ij
 * v_j
 *
 *     D_i = dy_i . y_i,   t_ij = p_ij (dy_i . v_j - D_i)
 *     dq_i = f sum_j t_ij k_j,   dk_j = f sum_i t_ij q_i,   dv_j = sum_i p_ij dy_i
 *
 * Only l is kept between the passes; the backward pass computes p again (Dao et al.,
 * "FlashAttention", 2022). Scores are kept in units of log 2, since exp2 is what the machine
 * computes. Lanes are heads: with heads interleaved (ops.h) every line above is a plain vector
 * operation on rows as they lie in memory, with no sum across lanes, no transposition and nothing
 * to pad, whatever the size of the group. Queries see keys in blocks, so that scores have a fixed
 * place on the stack.
 */
#include "model/nn/ops.h"

#include "model/nn/vector.h"

enum {
    KEYS = 48, /* most keys of a block: theirs stay in the first-level cache for all queries */
    TILE = 20, /* most queries and keys of a tile of the backward pass: 2 x 12.5 KB */
    HEADS = 8, /* the shape with kernels of its own, whose vectors stay in registers */
    SIZE = 8,
    PIECE_TOKENS = 128, /* of one parallel piece, by the starts of its groups */
};

typedef struct attention_job {
    real *y, *log_sum; /* written by the forward pass */
    real *dqkv;        /* by the backward pass */
    const real *dy, *out, *kept, *qkv;
    nn_groups groups;
    size_t d, heads, tokens;
} attention_job;

/* One group and LANES (or, at the end, `width`) of its heads. */
typedef struct head_block {
    const attention_job *job;
    size_t begin, end; /* entries of the group */
    size_t head;       /* the first one */
} head_block;

SIMD_INLINE size_t token_of(const head_block *b, size_t entry)
{
    return groups_member(&b->job->groups, entry);
}

/* Row of q (part 0), k (1) or v (2) of a token, from this block's first head on. */
SIMD_INLINE const real *row_of(const head_block *b, size_t entry, size_t part)
{
    return b->job->qkv + (3 * token_of(b, entry) + part) * b->job->d + b->head;
}

SIMD_INLINE real *gradient_of(const head_block *b, size_t entry, size_t part)
{
    return b->job->dqkv + (3 * token_of(b, entry) + part) * b->job->d + b->head;
}

SIMD_INLINE void load_row(lanes *out, const real *row, real scale, size_t heads, size_t size,
                          size_t width)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < size; c++) out[c] = vector_load_part(row + c * heads, width) * scale;
}

SIMD_INLINE void store_row(real *row, const lanes *in, size_t heads, size_t size, size_t width)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < size; c++) vector_store_part(row + c * heads, in[c], width);
}

/* x . row, head by head */
SIMD_INLINE lanes dot_row(const lanes *x, const real *row, size_t heads, size_t size, size_t width)
{
    lanes even = {0}, odd = {0};
#pragma GCC unroll 8
    for (size_t c = 0; c < size; c++) {
        lanes product = vector_load_part(row + c * heads, width) * x[c];
        if (c % 2 == 0) {
            even += product;
        } else {
            odd += product;
        }
    }
    return even + odd;
}

/* sum += weight row */
SIMD_INLINE void add_row(lanes *sum, lanes weight, const real *row, size_t heads, size_t size,
                         size_t width)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < size; c++) {
        sum[c] += vector_load_part(row + c * heads, width) * weight;
    }
}

/* Size of the parts when n is cut into as few as possible of about equal size, at most `most`. */
SIMD_INLINE size_t even_part(size_t n, size_t most)
{
    size_t parts = (n + most - 1) / most;
    return (n + parts - 1) / parts;
}

SIMD_INLINE real score_scale(size_t size)
{
#ifdef SCONE_NN_DOUBLE
    return 1 / sqrt((double)size);
#else
    return 1 / sqrtf((float)size);
#endif
}

/* score[k] = s_ij in units of log 2 for the keys j from `first` on; returns the largest. */
SIMD_INLINE lanes score_keys(lanes *score, const head_block *b, size_t entry, size_t first,
                             size_t keys, size_t heads, size_t size, size_t width)
{
    lanes query[ATTENTION_HEAD_SIZE], peak = vector_all((real)-INFINITY);
    load_row(query, row_of(b, entry, 0), score_scale(size) * VECTOR_LOG2_E, heads, size, width);
    for (size_t k = 0; k < keys; k++) {
        score[k] = dot_row(query, row_of(b, first + k, 1), heads, size, width);
        peak = vector_larger(score[k], peak);
    }
    return peak;
}

/* One query and one block of keys. With more than one block, y and log_sum hold the result over the
 * blocks so far, which is the average of y by exp(log_sum). */
SIMD_INLINE void forward_query(const head_block *b, size_t entry, size_t first, size_t keys,
                               size_t heads, size_t size, size_t width)
{
    lanes score[KEYS], sum[ATTENTION_HEAD_SIZE], total = {0}, past = {0};
    size_t token = token_of(b, entry);
    real *y = b->job->y + token * b->job->d + b->head;
    real *log_sum = b->job->log_sum + token * heads + b->head;
    lanes peak = score_keys(score, b, entry, first, keys, heads, size, width);
    if (first > b->begin) {
        lanes old = vector_load_part(log_sum, width) * VECTOR_LOG2_E;
        peak = vector_larger(old, peak);
        past = vector_exp2(old - peak);
    }
    for (size_t k = 0; k < keys; k++) {
        score[k] = vector_exp2(score[k] - peak);
        total += score[k];
    }
#pragma GCC unroll 8
    for (size_t c = 0; c < size; c++) sum[c] = (lanes){0};
    for (size_t k = 0; k < keys; k++) {
        add_row(sum, score[k], row_of(b, first + k, 2), heads, size, width);
    }
    if (first > b->begin) {
        total += past;
        add_row(sum, past, y, heads, size, width);
    }
    lanes share = (real)1 / total;
#pragma GCC unroll 8
    for (size_t c = 0; c < size; c++) vector_store_part(y + c * heads, sum[c] * share, width);
    vector_store_part(log_sum, (peak + vector_log2(total)) * VECTOR_LN2, width);
}

SIMD_INLINE void forward_block(const head_block *b, size_t heads, size_t size, size_t width)
{
    size_t keys = even_part(b->end - b->begin, KEYS);
    for (size_t first = b->begin; first < b->end; first += keys) {
        if (b->end - first < keys) keys = b->end - first;
        for (size_t i = b->begin; i < b->end; i++) {
            forward_query(b, i, first, keys, heads, size, width);
        }
    }
}

SIMD_CLONES_FUSED static void forward_usual(const head_block *b, size_t width)
{
    (void)width;
    forward_block(b, HEADS, SIZE, LANES);
}

SIMD_CLONES_FUSED static void forward_any(const head_block *b, size_t width)
{
    forward_block(b, b->job->heads, b->job->d / b->job->heads, width);
}

typedef void (*block_kernel)(const head_block *block, size_t width);

/* The first group that starts at or after `entry`. */
static size_t group_from(const nn_groups *groups, size_t entry)
{
    size_t low = 0, high = groups->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (groups->offsets[middle] < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The groups that start among these entries; empty ones at the end may be left out. */
static void run_groups(const attention_job *job, size_t first, size_t last, block_kernel usual,
                       block_kernel any)
{
    block_kernel kernel = job->heads == HEADS && job->d == HEADS * SIZE ? usual : any;
    size_t end = group_from(&job->groups, last);
    for (size_t g = group_from(&job->groups, first); g < end; g++) {
        head_block b = {job, job->groups.offsets[g], job->groups.offsets[g + 1], 0};
        for (; b.begin < b.end && b.head < job->heads; b.head += LANES) {
            size_t left = job->heads - b.head;
            kernel(&b, left < LANES ? left : LANES);
        }
    }
}

static void forward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    (void)piece;
    run_groups(argument, first, last, forward_usual, forward_any);
}

void attention_forward(real *y, real *log_sum, const real *qkv, const nn_groups *groups, size_t d,
                       size_t heads, const nn_work *work)
{
    attention_job job = {.y = y,
                         .log_sum = log_sum,
                         .qkv = qkv,
                         .groups = *groups,
                         .d = d,
                         .heads = heads,
                         .tokens = groups_entries(groups)};
    nn_for(work, job.tokens, PIECE_TOKENS, forward_piece, &job);
}

typedef struct tile {
    lanes p[TILE][TILE], t[TILE][TILE]; /* [query][key]: p_ij and f t_ij */
} score_tile;

/* A query's row of the tile, and its share of dq_i = f sum_j t_ij k_j. */
SIMD_INLINE void tile_query(const head_block *b, lanes *p, lanes *t, size_t entry, size_t first,
                            size_t keys, size_t heads, size_t size, size_t width)
{
    const attention_job *job = b->job;
    size_t token = token_of(b, entry);
    const real *dy = job->dy + token * job->d + b->head;
    const real scale = score_scale(size);
    lanes x[ATTENTION_HEAD_SIZE];
    /* p_ij = exp(s_ij - l_i) */
    lanes log_sum = vector_load_part(job->kept + token * heads + b->head, width) * VECTOR_LOG2_E;
    load_row(x, row_of(b, entry, 0), scale * VECTOR_LOG2_E, heads, size, width);
    for (size_t k = 0; k < keys; k++) {
        lanes s = dot_row(x, row_of(b, first + k, 1), heads, size, width);
        p[k] = vector_exp2(s - log_sum);
    }
    /* t_ij = p_ij (dy_i . v_j - D_i), D_i = dy_i . y_i */
    load_row(x, dy, 1, heads, size, width);
    lanes mean = dot_row(x, job->out + token * job->d + b->head, heads, size, width);
    for (size_t k = 0; k < keys; k++) {
        lanes dp = dot_row(x, row_of(b, first + k, 2), heads, size, width);
        t[k] = p[k] * (dp - mean) * scale;
    }
    real *dq = gradient_of(b, entry, 0);
    load_row(x, dq, 1, heads, size, width);
    for (size_t k = 0; k < keys; k++) {
        add_row(x, t[k], row_of(b, first + k, 1), heads, size, width);
    }
    store_row(dq, x, heads, size, width);
}

/* A key's share of dk_j = f sum_i t_ij q_i and dv_j = sum_i p_ij dy_i. */
SIMD_INLINE void tile_key(const head_block *b, const score_tile *tile, size_t key, size_t entry,
                          size_t first, size_t queries, size_t heads, size_t size, size_t width)
{
    lanes x[ATTENTION_HEAD_SIZE];
    real *dk = gradient_of(b, entry, 1), *dv = gradient_of(b, entry, 2);
    load_row(x, dk, 1, heads, size, width);
    for (size_t i = 0; i < queries; i++) {
        add_row(x, tile->t[i][key], row_of(b, first + i, 0), heads, size, width);
    }
    store_row(dk, x, heads, size, width);
    load_row(x, dv, 1, heads, size, width);
    for (size_t i = 0; i < queries; i++) {
        const real *dy = b->job->dy + token_of(b, first + i) * b->job->d + b->head;
        add_row(x, tile->p[i][key], dy, heads, size, width);
    }
    store_row(dv, x, heads, size, width);
}

SIMD_INLINE void backward_tiles(const head_block *b, size_t heads, size_t size, size_t width)
{
    score_tile tile;
    for (size_t i = b->begin; i < b->end; i++) {
        for (size_t part = 0; part < 3; part++) {
            real *row = gradient_of(b, i, part);
            for (size_t c = 0; c < size; c++) {
                vector_store_part(row + c * heads, (lanes){0}, width);
            }
        }
    }
    size_t side = even_part(b->end - b->begin, TILE);
    for (size_t i = b->begin; i < b->end; i += side) {
        size_t queries = b->end - i < side ? b->end - i : side;
        for (size_t j = b->begin; j < b->end; j += side) {
            size_t keys = b->end - j < side ? b->end - j : side;
            for (size_t q = 0; q < queries; q++) {
                tile_query(b, tile.p[q], tile.t[q], i + q, j, keys, heads, size, width);
            }
            for (size_t k = 0; k < keys; k++) {
                tile_key(b, &tile, k, j + k, i, queries, heads, size, width);
            }
        }
    }
}

SIMD_CLONES_FUSED static void backward_usual(const head_block *b, size_t width)
{
    (void)width;
    backward_tiles(b, HEADS, SIZE, LANES);
}

SIMD_CLONES_FUSED static void backward_any(const head_block *b, size_t width)
{
    backward_tiles(b, b->job->heads, b->job->d / b->job->heads, width);
}

static void backward_piece(void *argument, size_t piece, size_t first, size_t last)
{
    (void)piece;
    run_groups(argument, first, last, backward_usual, backward_any);
}

void attention_backward(real *dqkv, const real *dy, const real *y, const real *log_sum,
                        const real *qkv, const nn_groups *groups, size_t d, size_t heads,
                        const nn_work *work)
{
    attention_job job = {.dqkv = dqkv,
                         .dy = dy,
                         .out = y,
                         .kept = log_sum,
                         .qkv = qkv,
                         .groups = *groups,
                         .d = d,
                         .heads = heads,
                         .tokens = groups_entries(groups)};
    nn_for(work, job.tokens, PIECE_TOKENS, backward_piece, &job);
}
