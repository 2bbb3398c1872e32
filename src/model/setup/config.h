/* config.h - everything that decides what the learned model is and how it is trained, as one struct
 * (D20), with the presets of the paper and its ablations.
 *
 * Each field has a row in the table of config.c: its name, kind, range and meaning in words. From
 * the table come the checks, the JSON in weight files and checkpoints, and what `scone model`
 * prints, so a new field is a member here and a row there.
 */
#ifndef SCONE_MODEL_SETUP_CONFIG_H
#define SCONE_MODEL_SETUP_CONFIG_H

#include "base/memory.h"
#include "model/tokens/token_make.h"

enum { MODEL_MOST_BLOCKS = 16 };

/* When the CVT head may speak about a centre (D13). */
typedef enum model_cvt_gate {
    MODEL_CVT_PRINTED = 0, /* the centre is invariant, as the paper prints it */
    MODEL_CVT_PROVED = 1   /* the centre changed and the ends did not, as its proposition needs */
} model_cvt_gate;

typedef struct model_config {
    /* sizes; the tensors of a weights file follow from these and from the switches */
    size_t width;        /* d */
    size_t blocks;       /* axial blocks */
    size_t heads;        /* of every attention; divides width */
    size_t feed_forward; /* inner width of the feed-forward layers */
    size_t identities;   /* rows of the table of node identities: the most columns (D8) */
    /* tokens */
    size_t subset_size;         /* k */
    double cells_per_pair;      /* T is such that the mean candidate pair is in so many subsets */
    size_t subsets_min;         /* but T is at least this */
    double contrast_per_node;   /* K_env / N; K_env is rounded up */
    double candidates_per_node; /* at most so many candidate pairs, over N */
    size_t bootstraps;          /* R_boot of the local learner */
    size_t degree;              /* D of its polynomials */
    unsigned learners;          /* who votes on subsets (learn/learner.h) */
    /* switches */
    bool bias_heads; /* SSI, CVT and DPT: those of the three that follow */
    bool head_ssi, head_cvt, head_dpt;
    bool contrast;           /* reparametrization, s and Gamma of the sampler, contrast candidates,
                                statistics per regime; without it those of the pooled data */
    bool evidence;           /* reads a search's evidence and corrects its probabilities, instead
                                of votes on subsets (model/tokens/token_evidence.h; beyond the paper) */
    model_cvt_gate cvt_gate; /* D13 */
    /* bias heads and gates */
    double gate_min;         /* g_min */
    double gate_temperature; /* tau_gate */
    double scale_start;      /* of the learned kappa, omega, lambda */
    double context_share;    /* rho: of the subsets, that a pair of a parent context is in */
    double ssi_clip;         /* tau */
    double ssi_margin;       /* eta */
    double ssi_change_max;   /* gamma_max */
    double cvt_score_min;    /* theta_cvt */
    double cvt_change_max;   /* theta_gamma */
    double dpt_score_min;    /* theta_dpt */
    double threshold_width;  /* how far from a threshold its gradient reaches */
    bool soft_thresholds;    /* training passes a threshold by a sigmoid of this width */
    size_t dpt_paths;        /* B */
    size_t dpt_length;       /* L, in edges */
    /* output and loss */
    double blend;       /* alpha: weight of the global head on candidate pairs */
    double temperature; /* tau of the cross-entropy */
    bool class_weights; /* cross-entropy weighted by class frequency */
    double loss_shd, loss_rank, loss_global, loss_gate, loss_target;
    double rank_margin; /* mu */
    /* AdamW, its schedule, and the moving average of the weights */
    double learning_rate;
    double beta1, beta2;
    double epsilon;
    double weight_decay;  /* decoupled */
    double clip;          /* largest norm of a gradient */
    double warm_up;       /* share of the steps */
    double final_rate;    /* r_min: share of the learning rate at the end of the cosine */
    double average_decay; /* EMA */
} model_config;

/* The defaults; they are the preset "paper". */
model_config config_default(void);
/* "paper", "paper-nb", "paper-nc", NULL */
const char *const *config_preset_names(void);
/* Fails with SCONE_ERR_INPUT for an unknown name; the message lists the known ones. */
scone_status config_preset(model_config *config, const char *name);
/* Every field in its range, and together; the message names field, value and range. */
scone_status config_check(const model_config *config);
/* Options of tokens as a configuration asks for them; seed and graph are 0. */
token_options config_token_options(const model_config *config);

/* ---- the fields one by one ---- */

typedef enum config_kind {
    CONFIG_COUNT,   /* size_t, a whole number */
    CONFIG_NUMBER,  /* double */
    CONFIG_FLAG,    /* bool */
    CONFIG_GATE,    /* model_cvt_gate */
    CONFIG_LEARNERS /* unsigned, a set of local learners */
} config_kind;

typedef struct config_field {
    const char *name;
    config_kind kind;
    size_t offset;    /* in model_config */
    double low, high; /* of a count or number */
    bool open;        /* low itself is not allowed */
    double earlier;   /* the value in files from before there was the field; NaN: all have it */
    const char *meaning;
} config_field;

size_t config_field_count(void);
const config_field *config_field_get(size_t index);
enum { CONFIG_TEXT_SIZE = 40 };
/* The value as it stands in the JSON but without quotes: "64", "0.001", "true", "printed",
 * "polybic,ges". */
void config_field_text(char out[CONFIG_TEXT_SIZE], const model_config *config,
                       const config_field *field);
/* Any value as a number: a flag is 0 or 1, a gate its place in the enumeration, a set of
 * learners its bits. */
double config_field_number(const model_config *config, const config_field *field);

/* ---- JSON: one object on one line, the fields in the order of the struct ---- */

/* Free *text with mem_free. Writing and reading gives the same bits back. */
scone_status config_print(char **text, const model_config *config);
/* Each field exactly once, nothing else, all checked; *config is all zeros on failure. */
scone_status config_parse(model_config *config, const char *text, size_t size);

#endif
