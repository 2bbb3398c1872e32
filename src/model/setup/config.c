/* config.c - the configuration of the model: defaults, presets, ranges (see config.h).
 *
 * Ranges keep products of a few sizes far from overflow, divisors above what a float rounds to 0,
 * and refuse what can only be a mistake or would be cut to a limit in silence. Within that they are
 * wider than what makes sense, so that an experiment is rarely refused.
 */
#include "model/setup/config.h"

#include "learn/polybic/polybic_moments.h"
#include "model/nn/ops.h"
#include "text/number/number.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define COUNT(name_, low_, high_, meaning_)                                                        \
    {                                                                                              \
#name_, CONFIG_COUNT, offsetof(model_config, name_), low_, high_, false, (double)NAN,      \
            meaning_                                                                               \
    }
#define NUMBER(name_, low_, high_, meaning_)                                                       \
    {                                                                                              \
#name_, CONFIG_NUMBER, offsetof(model_config, name_), low_, high_, false, (double)NAN,     \
            meaning_                                                                               \
    }
#define POSITIVE(name_, high_, meaning_)                                                           \
    {                                                                                              \
#name_, CONFIG_NUMBER, offsetof(model_config, name_), 0, high_, true, (double)NAN,         \
            meaning_                                                                               \
    }
#define FLAG(name_, meaning_)                                                                      \
    {                                                                                              \
#name_, CONFIG_FLAG, offsetof(model_config, name_), 0, 1, false, (double)NAN, meaning_     \
    }
/* Fields that files of earlier versions do not have, with the value that those versions stand for.
 */
#define LATER_NUMBER(name_, low_, high_, earlier_, meaning_)                                       \
    {                                                                                              \
#name_, CONFIG_NUMBER, offsetof(model_config, name_), low_, high_, false, earlier_,        \
            meaning_                                                                               \
    }
#define LATER_FLAG(name_, earlier_, meaning_)                                                      \
    {                                                                                              \
#name_, CONFIG_FLAG, offsetof(model_config, name_), 0, 1, false, earlier_, meaning_        \
    }

static const config_field fields[] = {
    COUNT(width, 2, 1024, "numbers in a token (d)"),
    COUNT(blocks, 1, MODEL_MOST_BLOCKS, "axial blocks"),
    COUNT(heads, 1, 64, "heads of each attention"),
    COUNT(feed_forward, 1, 8192, "inner width of the feed-forward layers"),
    COUNT(identities, 2, TOKEN_MOST_NODES, "node identities: the most columns a table may have"),
    COUNT(subset_size, 2, 64, "columns of a sampled subset (k)"),
    POSITIVE(cells_per_pair, 1000, "subsets that the mean candidate pair is in"),
    COUNT(subsets_min, 1, 100000, "subsets at the least"),
    NUMBER(contrast_per_node, 0, 1000, "candidate pairs by contrast of correlations, per column"),
    NUMBER(candidates_per_node, 1, 1000, "candidate pairs at the most, per column"),
    COUNT(bootstraps, 1, 10000, "bootstrap replicates of the local learner"),
    COUNT(degree, 1, POLYBIC_MAX_DEGREE, "degree of its polynomials"),
    {"learners", CONFIG_LEARNERS, offsetof(model_config, learners), 1, LEARNER_ALL, false,
     LEARNER_POLYBIC, "local learners that vote: some of polybic, ges, search"},
    FLAG(bias_heads, "orientation heads, those of the three that follow"),
    LATER_FLAG(head_ssi, 1, "the head SSI, single-sided invariance"),
    LATER_FLAG(head_cvt, 1, "the head CVT, contrastive v-structures"),
    LATER_FLAG(head_dpt, 1, "the head DPT, contrastive discriminating paths"),
    FLAG(contrast, "regimes as average and contrast; without it their pooled data"),
    FLAG(evidence, "corrects the evidence of a search, not votes on subsets"),
    {"cvt_gate", CONFIG_GATE, offsetof(model_config, cvt_gate), 0, 1, false, (double)NAN,
     "condition on the centre in CVT: as printed or as proved"},
    NUMBER(gate_min, 0, 1, "least value of a gate"),
    NUMBER(gate_temperature, 0.001, 1000, "temperature of the gates"),
    NUMBER(scale_start, -1000, 1000, "where the learned scales of the heads start"),
    NUMBER(context_share, 0, 1, "share of the subsets that a pair of a parent context is in"),
    POSITIVE(ssi_clip, 1000, "SSI: largest difference of shifts that counts"),
    NUMBER(ssi_margin, 0, 1, "SSI: by how much the effect must have changed more"),
    NUMBER(ssi_change_max, 0, 1, "SSI: largest change of the cause"),
    NUMBER(cvt_score_min, 0, 1, "CVT: least score that counts"),
    NUMBER(cvt_change_max, 0, 1, "CVT: change that divides invariant from changed"),
    NUMBER(dpt_score_min, 0, 1, "DPT: least score that counts"),
    LATER_NUMBER(threshold_width, 0.001, 10, 0.1, "how far from a threshold its gradient reaches"),
    LATER_FLAG(soft_thresholds, 0, "training passes thresholds by sigmoids of this width"),
    COUNT(dpt_paths, 1, TOKEN_PATHS, "DPT: paths of a candidate pair"),
    COUNT(dpt_length, 2, TOKEN_PATH_PAIRS, "DPT: edges of a path at the most"),
    NUMBER(blend, 0, 1, "weight of the global head on candidate pairs"),
    NUMBER(temperature, 0.001, 1000, "temperature of the cross-entropy"),
    FLAG(class_weights, "rare classes weigh more in the cross-entropy"),
    NUMBER(loss_shd, 0, 1000, "weight of the soft Hamming distance in the loss"),
    NUMBER(loss_rank, 0, 1000, "weight of the ranking in the loss"),
    NUMBER(loss_global, 0, 1000, "weight of the global head in the loss"),
    NUMBER(loss_gate, 0, 1000, "weight of the gates in the loss"),
    LATER_NUMBER(loss_target, 0, 1000, 0, "weight of the targets in the loss, told by gamma"),
    NUMBER(rank_margin, 0, 1, "margin of the ranking"),
    POSITIVE(learning_rate, 1, "largest learning rate"),
    NUMBER(beta1, 0, 0.9999999, "AdamW: decay of the first moment"),
    NUMBER(beta2, 0, 0.9999999, "AdamW: decay of the second moment"),
    NUMBER(epsilon, 1e-30, 1, "AdamW: added to the root of the second moment"),
    NUMBER(weight_decay, 0, 1, "AdamW: weight decay, decoupled"),
    POSITIVE(clip, 1000000, "largest norm of a gradient"),
    NUMBER(warm_up, 0, 1, "share of the steps in which the rate rises"),
    NUMBER(final_rate, 0, 1, "share of the rate that is left at the end"),
    NUMBER(average_decay, 0, 0.9999999, "decay of the moving average of the weights"),
};

enum { FIELDS = sizeof fields / sizeof *fields };

static const char *const gate_names[] = {"printed", "proved"};
enum { GATES = sizeof gate_names / sizeof *gate_names };

/* ---- defaults and presets ---- */

model_config config_default(void)
{
    return (model_config){
        .width = 64,
        .blocks = 4,
        .heads = 8,
        .feed_forward = 256,
        .identities = 1024,
        .subset_size = 8,
        .cells_per_pair = 4.0,
        .subsets_min = 16,
        .contrast_per_node = 0.1,
        .candidates_per_node = 6.0,
        .bootstraps = 20,
        .degree = 3,
        .learners = LEARNER_POLYBIC,
        .bias_heads = true,
        .head_ssi = true,
        .head_cvt = true,
        .head_dpt = true,
        .contrast = true,
        .cvt_gate = MODEL_CVT_PRINTED,
        .gate_min = 0.1,
        .gate_temperature = 1.0,
        .scale_start = 1.0,
        .context_share = 0.5,
        .ssi_clip = 1.0,
        .ssi_margin = 0.0,
        .ssi_change_max = 0.9,
        .cvt_score_min = 0.5,
        .cvt_change_max = 0.5,
        .dpt_score_min = 0.55,
        .threshold_width = 0.1,
        .dpt_paths = 8,
        .dpt_length = 4,
        .blend = 0.5,
        .temperature = 1.0,
        .class_weights = true,
        .loss_shd = 0.5,
        .loss_rank = 0.2,
        .loss_global = 0.5,
        .loss_gate = 0.01,
        .loss_target = 0.5,
        .rank_margin = 0.3,
        .learning_rate = 1e-3,
        .beta1 = 0.9,
        .beta2 = 0.98,
        .epsilon = 1e-8,
        .weight_decay = 0.01,
        .clip = 1.0,
        .warm_up = 0.05,
        .final_rate = 0.02,
        .average_decay = 0.999,
    };
}

const char *const *config_preset_names(void)
{
    static const char *const names[] = {"paper", "paper-nb", "paper-nc", "best", "best-ood", NULL};
    return names;
}

/* Corrects a search that is nearly right: no class is made to weigh more than it does. */
static void best(model_config *config)
{
    config->evidence = true;
    config->bias_heads = false;
    config->blocks = 2;
    config->candidates_per_node = 3.0;
    config->class_weights = false;
    config->loss_shd = 0.0;
    config->loss_rank = 0.0;
}

scone_status config_preset(model_config *config, const char *name)
{
    *config = config_default();
    if (strcmp(name, "paper") == 0) return SCONE_OK;
    if (strcmp(name, "paper-nb") == 0) {
        config->bias_heads = false;
        return SCONE_OK;
    }
    if (strcmp(name, "paper-nc") == 0) {
        config->contrast = false;
        config->contrast_per_node = 0.0;
        return SCONE_OK;
    }
    if (strcmp(name, "best") == 0 || strcmp(name, "best-ood") == 0) {
        best(config);
        return SCONE_OK;
    }
    *config = (model_config){0};
    return RAISE(SCONE_ERR_INPUT,
                 "there is no model preset '%.100s'; use paper, paper-nb, paper-nc, best, best-ood",
                 name);
}

/* ---- fields ---- */

size_t config_field_count(void)
{
    return FIELDS;
}

const config_field *config_field_get(size_t index)
{
    return &fields[index];
}

double config_field_number(const model_config *config, const config_field *field)
{
    const char *at = (const char *)config + field->offset;
    switch (field->kind) {
    case CONFIG_COUNT:
        return (double)*(const size_t *)(const void *)at;
    case CONFIG_NUMBER:
        return *(const double *)(const void *)at;
    case CONFIG_FLAG:
        return *(const bool *)(const void *)at ? 1.0 : 0.0;
    case CONFIG_LEARNERS:
        return (double)*(const unsigned *)(const void *)at;
    case CONFIG_GATE:
        return (double)*(const model_cvt_gate *)(const void *)at;
    }
    return 0.0;
}

void config_field_text(char out[CONFIG_TEXT_SIZE], const model_config *config,
                       const config_field *field)
{
    double number = config_field_number(config, field);
    if (field->kind == CONFIG_FLAG) {
        (void)snprintf(out, CONFIG_TEXT_SIZE, "%s", number != 0.0 ? "true" : "false");
    } else if (field->kind == CONFIG_GATE && number >= 0.0 && number < GATES) {
        (void)snprintf(out, CONFIG_TEXT_SIZE, "%s", gate_names[(size_t)number]);
    } else if (field->kind == CONFIG_LEARNERS && number >= 1.0 && number <= LEARNER_ALL) {
        learner_text(out, (unsigned)number, ',');
    } else {
        (void)number_format(out, number); /* whole numbers up to 2^53 come without a point */
    }
}

/* ---- checks ---- */

static scone_status check_field(const model_config *config, const config_field *field)
{
    double value = config_field_number(config, field);
    bool inside = value >= field->low && value <= field->high && !(field->open && value <= 0.0);
    if (inside) return SCONE_OK; /* NaN is not */
    char text[CONFIG_TEXT_SIZE], low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];
    (void)number_format(text, value);
    (void)number_format(low, field->low);
    (void)number_format(high, field->high);
    return RAISE(SCONE_ERR_INPUT, "%s is %s; use a %snumber %s %s %s %s", field->name, text,
                 field->kind == CONFIG_NUMBER ? "" : "whole ", field->open ? "above" : "from", low,
                 field->open ? "and up to" : "to", high);
}

scone_status config_check(const model_config *config)
{
    scone_status status = SCONE_OK;
    for (size_t f = 0; f < FIELDS; f++) TRY(check_field(config, &fields[f]));
    if (config->width % 2 != 0) {
        FAIL(SCONE_ERR_INPUT, "width is %zu; use an even number, sines and cosines share it",
             config->width);
    }
    if (config->width % config->heads != 0) {
        FAIL(SCONE_ERR_INPUT, "heads is %zu, which does not divide the width %zu; use a divisor",
             config->heads, config->width);
    }
    if (config->width / config->heads > ATTENTION_HEAD_SIZE) {
        FAIL(SCONE_ERR_INPUT, "width / heads is %zu; use heads that leave at most %d for each",
             config->width / config->heads, ATTENTION_HEAD_SIZE);
    }
    if (config->candidates_per_node != floor(config->candidates_per_node)) {
        FAIL(SCONE_ERR_INPUT, "candidates_per_node must be a whole number, not %g",
             config->candidates_per_node);
    }
    if (!config->contrast && config->contrast_per_node > 0.0) {
        FAIL(SCONE_ERR_INPUT, "contrast_per_node is above 0, but contrast is false; set it to 0");
    }
cleanup:
    return status;
}

token_options config_token_options(const model_config *config)
{
    token_options options = token_defaults;
    options.subset_size = config->subset_size;
    options.pair_visits = config->cells_per_pair;
    options.least_subsets = config->subsets_min;
    options.contrast_per_node = config->contrast_per_node;
    options.cap_per_node = (size_t)config->candidates_per_node;
    options.replicates = config->bootstraps;
    options.degree = config->degree;
    options.learners = config->learners;
    options.context_share = config->context_share;
    options.contrast = config->contrast;
    options.evidence = config->evidence;
    return options;
}
