/* parameters.c - the list of tensors, their starting values, and their way to and from files (see
 * parameters.h).
 *
 * The list is walked twice by the same code: first to count it, then to write it.
 */
#include "model/setup/parameters.h"

#include "base/rng.h"
#include "model/nn/ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- the list ---- */

/* path.name has room in PARAMETER_NAME. */
enum { PATH_SIZE = 40, NAME_SIZE = 24, PART_SIZE = 20 };

typedef struct list_builder {
    parameter_layout *layout;
    bool overflow;
    char path[PATH_SIZE]; /* "block.0.row" */
} list_builder;

/* Adds rows x columns reals named path.name and returns their offset. */
static size_t declare(list_builder *b, const char *name, size_t rows, size_t columns,
                      parameter_start start, bool decay)
{
    parameter_layout *layout = b->layout;
    size_t offset = layout->count, count;
    if (layout->list) {
        parameter *p = &layout->list[layout->list_count];
        *p = (parameter){
            .rows = rows, .columns = columns, .offset = offset, .start = start, .decay = decay};
        int length =
            snprintf(p->name, sizeof p->name, "%s%s%s", b->path, *b->path ? "." : "", name);
        if (length < 0 || (size_t)length >= sizeof p->name) b->overflow = true;
    }
    layout->list_count++;
    if (!size_multiply(&count, rows, columns) || !size_add(&layout->count, offset, count)) {
        b->overflow = true;
    }
    return offset;
}

static size_t declare_matrix(list_builder *b, const char *name, size_t rows, size_t columns)
{
    return declare(b, name, rows, columns, START_FAN_IN, true);
}

static size_t declare_vector(list_builder *b, const char *name, size_t columns)
{
    return declare(b, name, 1, columns, START_ZERO, false);
}

static place_linear declare_linear(list_builder *b, const char *name, size_t in, size_t out,
                                   parameter_start start)
{
    char text[NAME_SIZE];
    place_linear place;
    (void)snprintf(text, sizeof text, "%s.weight", name);
    place.weight = declare(b, text, out, in, start, true);
    (void)snprintf(text, sizeof text, "%s.bias", name);
    place.bias = declare_vector(b, text, out);
    return place;
}

static place_norm declare_norm(list_builder *b, size_t d)
{
    place_norm place;
    place.gain = declare(b, "norm.gain", 1, d, START_ONE, false);
    place.shift = declare_vector(b, "norm.shift", d);
    return place;
}

static void set_path(list_builder *b, size_t block, const char *part)
{
    (void)snprintf(b->path, sizeof b->path, "block.%zu%s%s", block, *part ? "." : "", part);
}

static place_attention declare_attention(list_builder *b, size_t d)
{
    place_attention place;
    place.norm = declare_norm(b, d);
    place.qkv = declare_linear(b, "qkv", d, 3 * d, START_FAN_IN);
    place.out = declare_linear(b, "out", d, d, START_RESIDUAL);
    return place;
}

/* stream: "" for the marginal one, "global." */
static place_axial declare_axial(list_builder *b, size_t block, const char *stream)
{
    const model_config *config = &b->layout->config;
    size_t d = config->width;
    char part[PART_SIZE]; /* "global.column" */
    place_axial place;
    (void)snprintf(part, sizeof part, "%srow", stream);
    set_path(b, block, part);
    place.row = declare_attention(b, d);
    (void)snprintf(part, sizeof part, "%scolumn", stream);
    set_path(b, block, part);
    place.column = declare_attention(b, d);
    (void)snprintf(part, sizeof part, "%sfeed", stream);
    set_path(b, block, part);
    place.feed.norm = declare_norm(b, d);
    place.feed.in = declare_linear(b, "in", d, config->feed_forward, START_FAN_IN);
    place.feed.out = declare_linear(b, "out", config->feed_forward, d, START_RESIDUAL);
    return place;
}

static void declare_ssi(place_heads *place, list_builder *b, size_t block)
{
    size_t d = b->layout->config.width;
    set_path(b, block, "ssi");
    place->ssi_z = declare_matrix(b, "edge.weight", d, d);
    place->ssi_p = declare_matrix(b, "context.weight", d, d);
    place->ssi_m = declare_matrix(b, "node.weight", d, TOKEN_NODE_STATISTICS);
    place->ssi_bias = declare_vector(b, "bias", d);
    place->ssi_out = declare_matrix(b, "out.weight", d / 2, d);
    place->ssi_scale = declare(b, "scale", 1, 1, START_SCALE, false);
}

static void declare_cvt(place_heads *place, list_builder *b, size_t block)
{
    size_t d = b->layout->config.width;
    set_path(b, block, "cvt");
    place->cvt_z = declare_matrix(b, "edge.weight", 1, d);
    place->cvt_change = declare_matrix(b, "change.weight", 1, d);
    place->cvt_bias = declare_vector(b, "bias", 1);
    place->cvt_scale = declare(b, "scale", 1, 1, START_SCALE, false);
}

static void declare_dpt(place_heads *place, list_builder *b, size_t block)
{
    size_t d = b->layout->config.width;
    set_path(b, block, "dpt");
    place->dpt_z = declare_matrix(b, "edge.weight", d, d);
    place->dpt_turn = declare_matrix(b, "turn.weight", d, d);
    place->dpt_change = declare_matrix(b, "change.weight", d, d);
    place->dpt_sense = declare_matrix(b, "sense.weight", 1, d);
    place->dpt_bias = declare_vector(b, "bias", d);
    place->dpt_in = declare_linear(b, "in", d, d / 2, START_FAN_IN);
    place->dpt_out = declare_matrix(b, "out.weight", 1, d / 2);
    place->dpt_scale = declare(b, "scale", 1, 1, START_SCALE, false);
}

static place_heads declare_heads(list_builder *b, size_t block)
{
    size_t d = b->layout->config.width;
    place_heads place;
    set_path(b, block, "heads");
    place.gate = declare_linear(b, "gate", 2, MODEL_HEADS, START_FAN_IN);
    place.project = declare(b, "project.weight", d, MODEL_HEADS, START_RESIDUAL, true);
    set_path(b, block, "gamma");
    place.gamma_scale = declare(b, "scale", 1, 1, START_ONE, false);
    place.gamma_z = declare_matrix(b, "edge.weight", 2, d);
    place.gamma_change = declare_matrix(b, "change.weight", 2, d);
    place.gamma_m = declare_linear(b, "node", TOKEN_NODE_STATISTICS, 1, START_FAN_IN);
    if (b->layout->config.head_ssi) declare_ssi(&place, b, block);
    if (b->layout->config.head_cvt) declare_cvt(&place, b, block);
    if (b->layout->config.head_dpt) declare_dpt(&place, b, block);
    return place;
}

static void declare_all(list_builder *b)
{
    parameter_layout *layout = b->layout;
    size_t d = layout->config.width, identities = layout->config.identities;
    layout->count = layout->list_count = 0;
    b->path[0] = '\0';
    layout->identity = declare(b, "identity", identities, d, START_SMALL, false);
    layout->node = declare(b, "node", identities, d, START_SMALL, false);
    layout->embed_in =
        declare_linear(b, "embed.in", model_features(&layout->config) + 2 * d, d, START_FAN_IN);
    layout->embed_out = declare_linear(b, "embed.out", d, d, START_FAN_IN);
    layout->precision = declare_matrix(b, "precision.weight", 1, d);
    for (size_t k = 0; k < layout->config.blocks; k++) {
        place_block *block = &layout->blocks[k];
        block->marginal = declare_axial(b, k, "");
        if (layout->config.bias_heads) block->heads = declare_heads(b, k);
        set_path(b, k, "");
        /* zero: the cells of a pair start with equal weights */
        block->pool = declare(b, "pool.weight", 1, d, START_ZERO, true);
        block->global = declare_axial(b, k, "global.");
    }
    b->path[0] = '\0';
    /* A correction starts from what the search says; elsewhere every pair starts nearly undecided,
     * but not quite, so that the first gradient reaches all parameters. */
    parameter_start start = layout->config.evidence ? START_ZERO : START_SMALL;
    layout->classes = declare_linear(b, "classes", d, MODEL_CLASSES, start);
    layout->global_classes = declare_linear(b, "global.classes", d, MODEL_CLASSES, start);
}

scone_status parameters_layout_make(parameter_layout **out, const model_config *config)
{
    scone_status status = SCONE_OK;
    list_builder builder = {0};
    parameter_layout *layout = NULL;
    *out = NULL;
    TRY(config_check(config));
    TRY_ZERO(layout, 1);
    layout->config = *config;
    builder.layout = layout;
    declare_all(&builder);
    if (builder.overflow) FAIL(SCONE_ERR_MEMORY, "out of memory (weights of this configuration)");
    TRY_ALLOC(layout->list, layout->list_count);
    declare_all(&builder);
    *out = layout;
    layout = NULL;
cleanup:
    parameters_layout_free(layout);
    return status;
}

void parameters_layout_free(parameter_layout *layout)
{
    if (!layout) return;
    mem_free(layout->list);
    mem_free(layout);
}

/* ---- starting values ---- */

static double start_deviation(const parameter *p, const model_config *config)
{
    double fan_in = 1.0 / sqrt((double)p->columns);
    switch (p->start) {
    case START_SMALL:
        return 0.02;
    case START_FAN_IN:
        return fan_in;
    case START_RESIDUAL: /* each of the 3 sublayers of a block adds to the stream */
        return fan_in / sqrt(2.0 * 3.0 * (double)config->blocks);
    case START_ZERO:
    case START_ONE:
    case START_SCALE:
        break;
    }
    return 0.0;
}

/* A stream of its own for each name: tensors that two layouts share start alike in both. */
void parameters_start(float *values, const parameter_layout *layout, uint64_t seed)
{
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        double deviation = start_deviation(p, &layout->config);
        double middle = p->start == START_ONE     ? 1.0
                        : p->start == START_SCALE ? layout->config.scale_start
                                                  : 0.0;
        rng random = rng_stream(seed, RNG_WEIGHTS, XXH64(p->name, strlen(p->name), 0), 0, 0);
        for (size_t i = 0; i < p->rows * p->columns; i++) {
            double noise = deviation > 0.0 ? deviation * rng_normal(&random) : 0.0;
            values[p->offset + i] = (float)(middle + noise);
        }
    }
}

/* ---- files ---- */

void parameters_tensors(weights_tensor *tensors, const parameter_layout *layout,
                        const float *values)
{
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        tensors[k] = (weights_tensor){.name = p->name,
                                      .type = WEIGHTS_F32,
                                      .rank = p->rows > 1 ? 2 : 1,
                                      .data = values ? values + p->offset : NULL};
        if (p->rows > 1) tensors[k].shape[0] = p->rows;
        tensors[k].shape[tensors[k].rank - 1] = p->columns;
    }
}

scone_status parameters_load(float *values, const parameter_layout *layout, const weights *from)
{
    scone_status status = SCONE_OK;
    weights_tensor *expected = NULL;
    TRY_ALLOC(expected, layout->list_count);
    parameters_tensors(expected, layout, NULL);
    TRY(weights_expect(from, expected, layout->list_count));
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        memcpy(values + p->offset, weights_floats(from, p->name),
               p->rows * p->columns * sizeof *values);
    }
cleanup:
    mem_free(expected);
    return status;
}
