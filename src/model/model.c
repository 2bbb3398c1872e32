/* model.c - the order of the passes, and the memory of a run (see model.h and
 * docs/methods/model.md). */
#include "model/model.h"

#include "model/model_parts.h"

#include <string.h>

enum { RUN_ALIGNMENT = 64 };

/* ---- memory ---- */

/* Hands out arrays of the block one after the other; with block NULL it only counts. Sizes are
 * products of 32-bit counts with widths of at most 8,192: they cannot wrap 64 bits. */
typedef struct placer {
    unsigned char *block;
    size_t at;
} placer;

static void *take(placer *p, size_t count, size_t size)
{
    void *memory = p->block ? p->block + p->at : NULL;
    p->at += (count * size + RUN_ALIGNMENT - 1) / RUN_ALIGNMENT * RUN_ALIGNMENT;
    return memory;
}

static real *take_reals(placer *p, size_t count)
{
    return take(p, count, sizeof(real));
}

/* What one axial block keeps. With shared streams x is one array, which the block changes. */
static void place_axial_kept(axial_kept *kept, placer *p, const model_config *config, size_t rows,
                             bool keeps, real *shared)
{
    size_t d = config->width;
    for (size_t k = 0; k < 3; k++) {
        kept->x[k] = keeps ? take_reals(p, rows * d) : shared;
        kept->statistics[k] = take_reals(p, rows * 2);
    }
    for (size_t way = 0; way < 2; way++) {
        kept->qkv[way] = keeps || way == 0 ? take_reals(p, rows * 3 * d) : kept->qkv[0];
        kept->y[way] = keeps || way == 0 ? take_reals(p, rows * d) : kept->y[0];
        kept->log_sum[way] =
            keeps || way == 0 ? take_reals(p, rows * config->heads) : kept->log_sum[0];
    }
    kept->inner = keeps ? take_reals(p, rows * config->feed_forward) : NULL;
}

static void place_blocks(model_run *run, placer *p, const batch *b)
{
    const model_config *config = &run->layout->config;
    size_t d = config->width;
    bool keeps = run->keeps;
    real *h = keeps ? NULL : take_reals(p, run->rows[MARGINAL] * d);
    run->grid = take_reals(p, b->grid * d);
    for (size_t k = 0; k < config->blocks; k++) {
        run_block *block = &run->blocks[k];
        if (k > 0 && !keeps) {
            memcpy(block->axial, run->blocks[0].axial, sizeof block->axial);
            block->post = h;
            block->weights = run->blocks[0].weights;
            block->dgates = block->dgamma = NULL;
            continue;
        }
        place_axial_kept(&block->axial[MARGINAL], p, config, run->rows[MARGINAL], keeps, h);
        place_axial_kept(&block->axial[GLOBAL], p, config, run->rows[GLOBAL], keeps, run->grid);
        block->post = keeps ? take_reals(p, run->rows[MARGINAL] * d) : h;
        block->weights = take_reals(p, b->cells * 2);
        bool learns = keeps && config->bias_heads;
        block->dgates = learns ? take_reals(p, b->cells * MODEL_HEADS) : NULL;
        block->dgamma = learns ? take_reals(p, b->members) : NULL;
    }
}

static void place_outputs(model_run *run, placer *p, const batch *b)
{
    size_t d = run->layout->config.width;
    run->split = take_reals(p, d * (model_features(&run->layout->config) + 2 * d));
    run->identity = take_reals(p, b->nodes * d);
    run->ends = take_reals(p, b->nodes * 2 * d);
    run->inner = take_reals(p, run->rows[MARGINAL] * d);
    run->scores = take_reals(p, b->cells * 2);
    run->pooled = take_reals(p, b->pairs * 2 * d);
    run->message = take_reals(p, b->pairs * d);
    run->summary = take_reals(p, b->pairs * d);
    run->logits = take_reals(p, b->pairs * MODEL_CLASSES);
    run->raw = take_reals(p, b->grid * MODEL_CLASSES);
    run->global_logits = take_reals(p, b->grid * MODEL_CLASSES);
    run->fused = take_reals(p, b->grid * MODEL_CLASSES);
}

static void place_gradients(model_run *run, placer *p, const batch *b)
{
    size_t d = run->layout->config.width;
    size_t most = run->rows[GLOBAL] > run->rows[MARGINAL] ? run->rows[GLOBAL] : run->rows[MARGINAL];
    for (size_t s = 0; s < STREAMS; s++) run->dstream[s] = take_reals(p, run->rows[s] * d);
    run->dlogits = take_reals(p, b->pairs * MODEL_CLASSES);
    run->dglobal_logits = take_reals(p, b->grid * MODEL_CLASSES);
    run->draw = take_reals(p, b->grid * MODEL_CLASSES);
    run->dsummary = take_reals(p, b->pairs * d);
    run->dmessage = take_reals(p, b->pairs * d);
    run->dpooled = take_reals(p, b->pairs * 2 * d);
    run->dweights = take_reals(p, b->cells * 2);
    run->dscores = take_reals(p, b->cells * 2);
    run->dy = take_reals(p, most * d);
    run->dqkv = take_reals(p, most * 3 * d);
    run->dnode = take_reals(p, b->nodes * d);
    run->dends = take_reals(p, b->nodes * 2 * d);
    run->dsplit = take_reals(p, d * (model_features(&run->layout->config) + 2 * d));
    run->ranked = take(p, b->pairs * RANK_NEGATIVES, sizeof *run->ranked);
    run->sampled = take(p, b->grid, 1);
}

static size_t place_all(model_run *run, unsigned char *block, const batch *b)
{
    placer p = {.block = block};
    place_outputs(run, &p, b);
    place_blocks(run, &p, b);
    if (run->keeps) place_gradients(run, &p, b);
    return p.at;
}

static scone_status reserve_positions(model_run *run, size_t places)
{
    size_t d = run->layout->config.width, count;
    if (places <= run->places) return SCONE_OK;
    if (!size_multiply(&count, places, d)) count = SIZE_MAX;
    real *positions = mem_resize(run->positions, count, sizeof *positions);
    if (!positions) return SCONE_ERR_MEMORY;
    embed_positions(positions, run->places, places, d);
    run->positions = positions;
    run->places = places;
    return SCONE_OK;
}

static scone_status reserve(model_run *run, const batch *b, bool keeps)
{
    scone_status status = SCONE_OK;
    run->keeps = keeps;
    run->gate_loss = run->target_loss = false;
    run->rows[MARGINAL] = 2 * b->cells;
    run->rows[GLOBAL] = b->grid;
    run->groups[MARGINAL][ROW] = &b->rows;
    run->groups[MARGINAL][COLUMN] = &b->columns;
    run->groups[GLOBAL][ROW] = &b->grid_rows;
    run->groups[GLOBAL][COLUMN] = &b->grid_columns;
    TRY(reserve_positions(run, b->places));
    size_t bytes = place_all(run, NULL, b);
    if (bytes > run->bytes) {
        mem_free(run->block);
        run->bytes = 0;
        run->block = mem_aligned(bytes, 1);
        if (!run->block) TRY(SCONE_ERR_MEMORY);
        run->bytes = bytes;
    }
    (void)place_all(run, run->block, b);
    for (size_t k = 0; run->layout->config.bias_heads && k < run->layout->config.blocks; k++) {
        TRY(heads_reserve(run->blocks[k].heads, b));
    }
cleanup:
    return status;
}

/* ---- a run ---- */

/* Reals of the parts of one piece: those of the feed-forward layer and the projection before it are
 * the largest, or the two projections between the attentions, or the embedding. */
static size_t largest_parts(const model_config *config)
{
    size_t d = config->width, ff = config->feed_forward;
    size_t last = 2 * d + 2 * d * ff + ff + d + d * d + d;
    size_t middle = 2 * d + 3 * d * d + 3 * d + d * d + d;
    size_t embed = d * model_features(config) + d + d * d + d;
    size_t most = last > middle ? last : middle;
    return most > embed ? most : embed;
}

scone_status model_run_alloc(model_run **out, const parameter_layout *layout,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    const model_config *config = &layout->config;
    const scone_context alone = {.threads = 1};
    size_t d = config->width, ff = config->feed_forward;
    model_run *run = NULL;
    *out = NULL;
    TRY_ZERO(run, 1);
    run->layout = layout;
    run->threads = context_threads(context);
    run->scratch_size = CHUNK_ROWS * (2 * d + 2 * ff);
    if (run->scratch_size < CHUNK_ROWS * 4 * d) run->scratch_size = CHUNK_ROWS * 4 * d;
    run->parts_size = largest_parts(config);
    TRY(nn_work_alloc(&run->work, context, 3 * d * d + 3 * d));
    TRY(nn_work_alloc(&run->serial, &alone, 0));
    TRY_ALLOC(run->scratch, (size_t)run->threads * run->scratch_size);
    TRY_ALLOC(run->parts, CHUNK_PIECES * run->parts_size);
    for (size_t k = 0; config->bias_heads && k < config->blocks; k++) {
        TRY(heads_alloc(&run->blocks[k].heads, layout, k));
    }
    *out = run;
    run = NULL;
cleanup:
    model_run_free(run);
    return status;
}

void model_run_free(model_run *run)
{
    if (!run) return;
    for (size_t k = 0; k < MODEL_MOST_BLOCKS; k++) {
        if (run->blocks[k].heads) heads_free(run->blocks[k].heads);
    }
    nn_work_free(run->work);
    nn_work_free(run->serial);
    mem_free(run->positions);
    mem_free(run->scratch);
    mem_free(run->parts);
    mem_free(run->block);
    mem_free(run);
}

size_t model_run_bytes(const model_run *run)
{
    size_t reals = run->places * run->layout->config.width + CHUNK_PIECES * run->parts_size +
                   (size_t)run->threads * run->scratch_size;
    return run->bytes + reals * sizeof(real);
}

void model_run_watch(model_run *run, model_watch watch, void *watcher)
{
    run->watch = watch;
    run->watcher = watcher;
}

/* ---- passes ---- */

static void forward_block(model_run *run, size_t k, const real *values, const batch *b)
{
    const model_config *config = &run->layout->config;
    const place_block *place = &run->layout->blocks[k];
    run_block *block = &run->blocks[k];
    bool last = k + 1 == config->blocks;
    real *g = block->axial[GLOBAL].x[0];
    real *g_next = last ? run->grid : run->blocks[k + 1].axial[GLOBAL].x[0];
    axial_forward(run, block->post, &block->axial[MARGINAL], MARGINAL, &place->marginal, values);
    if (config->bias_heads) {
        heads_forward(block->heads, block->post, values, b, run->work);
        run_watch(run, PART_HEADS, MARGINAL, false);
    }
    pool_forward(run, block->weights, block->post, place->pool, values, b);
    pool_message_forward(run, g, b);
    run_watch(run, PART_POOL, MARGINAL, false);
    axial_forward(run, g_next, &block->axial[GLOBAL], GLOBAL, &place->global, values);
    if (!last) { /* after the last block nothing reads the cells (model_output.c) */
        pool_back_forward(run, run->blocks[k + 1].axial[MARGINAL].x[0], block->post, g_next, b);
        run_watch(run, PART_POOL, GLOBAL, false);
    }
}

static scone_status forward(model_run *run, const real *values, const batch *b, bool keeps)
{
    scone_status status = SCONE_OK;
    TRY(reserve(run, b, keeps));
    embed_forward(run, run->blocks[0].axial[MARGINAL].x[0], run->blocks[0].axial[GLOBAL].x[0],
                  values, b);
    for (size_t k = 0; k < run->layout->config.blocks; k++) forward_block(run, k, values, b);
    model_output_forward(run, values, b);
    run_watch(run, PART_OUTPUT, MARGINAL, false);
cleanup:
    return status;
}

scone_status model_forward(model_run *run, const real *values, const batch *b)
{
    return forward(run, values, b, true);
}

scone_status model_predict(model_run *run, const real *values, const batch *b)
{
    return forward(run, values, b, false);
}

static void backward_block(model_run *run, size_t k, real *gradients, const real *values,
                           const batch *b)
{
    const model_config *config = &run->layout->config;
    const place_block *place = &run->layout->blocks[k];
    run_block *block = &run->blocks[k];
    real *dh = run->dstream[MARGINAL], *dg = run->dstream[GLOBAL];
    bool last = k + 1 == config->blocks;
    if (!last) {
        pool_back_backward(run, dg, dh, b);
        run_watch(run, PART_POOL, GLOBAL, true);
    }
    axial_backward(run, dg, gradients, &block->axial[GLOBAL], GLOBAL, &place->global, values);
    pool_message_backward(run, dg, b);
    if (last) add_forward(run->dmessage, run->dsummary, b->pairs * config->width, run->work);
    pool_backward(run, dh, gradients, block->weights, block->post, place->pool,
                  last ? NN_SET : NN_ADD, values, b);
    run_watch(run, PART_POOL, MARGINAL, true);
    if (config->bias_heads) {
        heads_backward(block->heads, dh, gradients, run->gate_loss ? block->dgates : NULL,
                       run->target_loss ? block->dgamma : NULL, values, b, run->work);
        run_watch(run, PART_HEADS, MARGINAL, true);
    }
    axial_backward(run, dh, gradients, &block->axial[MARGINAL], MARGINAL, &place->marginal, values);
}

void model_backward(model_run *run, real *gradients, const real *values, const batch *b)
{
    real *dh = run->dstream[MARGINAL], *dg = run->dstream[GLOBAL];
    model_output_backward(run, dg, gradients, values, b);
    run_watch(run, PART_OUTPUT, MARGINAL, true);
    for (size_t k = run->layout->config.blocks; k-- > 0;) {
        backward_block(run, k, gradients, values, b);
    }
    embed_backward(run, gradients, dh, dg, values, b);
}

/* ---- results ---- */

const real *model_logits(const model_run *run)
{
    return run->logits;
}

const real *model_global_logits(const model_run *run)
{
    return run->global_logits;
}

const real *model_gates(const model_run *run, size_t block)
{
    return run->blocks[block].heads ? heads_gates(run->blocks[block].heads) : NULL;
}

const real *model_gamma(const model_run *run, size_t block)
{
    return run->blocks[block].heads ? heads_gamma(run->blocks[block].heads) : NULL;
}

const real *model_bias(const model_run *run, size_t block, size_t head)
{
    return run->blocks[block].heads ? heads_bias(run->blocks[block].heads, head) : NULL;
}

real *model_dlogits(model_run *run)
{
    return run->dlogits;
}

real *model_dglobal_logits(model_run *run)
{
    return run->dglobal_logits;
}
