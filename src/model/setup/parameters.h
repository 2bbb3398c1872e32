/* parameters.h - the tensors of a model as one flat array, with their names and shapes.
 *
 * The list follows from the configuration alone: parameters_layout_make writes it, weight files and
 * checkpoints use its names, and the model finds its tensors by the enumerated places, so no code
 * but parameters.c knows an offset.
 */
#ifndef SCONE_MODEL_SETUP_PARAMETERS_H
#define SCONE_MODEL_SETUP_PARAMETERS_H

#include "model/setup/config.h"
#include "model/tokens/tokens.h"
#include "model/weights/weights.h"
#include "model/nn/real.h"

enum { PARAMETER_NAME = 64, MODEL_CLASSES = 3, MODEL_HEADS = 3 };
enum { HEAD_CVT = 0, HEAD_SSI = 1, HEAD_DPT = 2 }; /* the order of the gates in the paper */

/* How a tensor starts: what the generator of initial weights does with it. */
typedef enum parameter_start {
    START_ZERO,
    START_ONE,
    START_FAN_IN,   /* normal, variance 1 / columns */
    START_SMALL,    /* normal, deviation 0.02: tables, class layers */
    START_RESIDUAL, /* as fan-in, over sqrt(2 * sublayers): projections back into a stream */
    START_SCALE     /* config.scale_start */
} parameter_start;

typedef struct parameter {
    char name[PARAMETER_NAME]; /* "block.0.row.qkv.weight" */
    size_t rows, columns;      /* a vector has rows 1 */
    size_t offset;             /* in the flat array */
    parameter_start start;
    bool decay; /* does weight decay apply: matrices, but no tables, biases, norms and scales */
} parameter;

/* One linear layer: weight [out][in] and bias [out], as offsets. */
typedef struct place_linear {
    size_t weight, bias;
} place_linear;

typedef struct place_norm {
    size_t gain, shift;
} place_norm;

typedef struct place_attention {
    place_norm norm;
    place_linear qkv, out; /* [3 d][d], [d][d] */
} place_attention;

typedef struct place_feed_forward {
    place_norm norm;
    place_linear in, out; /* [ff][d], [d][ff] */
} place_feed_forward;

typedef struct place_axial { /* of either stream */
    place_attention row, column;
    place_feed_forward feed;
} place_axial;

typedef struct place_heads {
    size_t gamma_scale;           /* of the standardized norms */
    size_t gamma_z, gamma_change; /* [2 ends][d] */
    place_linear gamma_m;         /* [1][TOKEN_NODE_STATISTICS] */
    place_linear gate;            /* [3][2] */
    size_t project;               /* [d][MODEL_HEADS], no bias: no evidence changes nothing */
    size_t ssi_z, ssi_p, ssi_m, ssi_bias; /* [d][d], [d][d], [d][TOKEN_NODE_STATISTICS], [d] */
    size_t ssi_out;                       /* [d / 2][d]; a bias would cancel */
    size_t ssi_scale;                     /* kappa */
    size_t cvt_z, cvt_change, cvt_bias;   /* [d], [d], [1] */
    size_t cvt_scale;                     /* omega */
    size_t dpt_z, dpt_turn, dpt_change, dpt_sense, dpt_bias; /* three [d][d], two [d] */
    place_linear dpt_in;                                     /* [d / 2][d] */
    size_t dpt_out;                                          /* [1][d / 2] */
    size_t dpt_scale;                                        /* lambda */
} place_heads;

typedef struct place_block {
    place_axial marginal;
    place_heads heads; /* unless bias_heads is off */
    size_t pool;       /* [1][d]: a bias would cancel in the soft-max */
    place_axial global;
} place_block;

/* Of the evidence of a direction the model reads MODEL_SIDE numbers (batch.h). */
enum { MODEL_FEATURES = 10, MODEL_SIDE = 8 };

/* Numbers that a token starts from. */
static inline size_t model_features(const model_config *config)
{
    return MODEL_FEATURES + (config->evidence ? 2 * MODEL_SIDE : 0);
}

typedef struct parameter_layout {
    model_config config;
    parameter *list;
    size_t list_count;
    size_t count;                     /* reals in all */
    size_t identity, node;            /* tables P and Q: [identities][d] */
    place_linear embed_in, embed_out; /* [d][model_features + 2 d], [d][d] */
    size_t precision;                 /* w_rho: [d] */
    place_block blocks[MODEL_MOST_BLOCKS];
    place_linear classes; /* [3][d] on the marginal stream */
    place_linear global_classes;
} parameter_layout;

scone_status parameters_layout_make(parameter_layout **out, const model_config *config);
void parameters_layout_free(parameter_layout *layout);
/* Initial values from a seed: the same for the same layout and seed. values [count]. */
void parameters_start(float *values, const parameter_layout *layout, uint64_t seed);
/* The tensors of a weights file: tensors [list_count] pointing into values (NULL: names and shapes
 * only, as weights_expect wants them). */
void parameters_tensors(weights_tensor *tensors, const parameter_layout *layout,
                        const float *values);
/* Copies the tensors of an open file, which must be these and no others. */
scone_status parameters_load(float *values, const parameter_layout *layout, const weights *from);

#endif
