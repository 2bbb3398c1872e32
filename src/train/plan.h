/* plan.h - a training as it was asked for, with every default filled in and every value checked.
 *
 * Two runs with the same plan (but for its paths and `resume`) give the same weights; its command
 * says so in one line, and stands in the weights and in every checkpoint.
 */
#ifndef SCONE_TRAIN_PLAN_H
#define SCONE_TRAIN_PLAN_H

#include "model/setup/config.h"
#include "model/tokens/token_make.h"
#include "scone_lab.h"

typedef struct train_plan {
    const char *preset;
    model_config config;
    char *config_text; /* JSON */
    token_options tokens;
    scone_setting setting, validation; /* differ in the seed */
    size_t samples_min;
    double threshold; /* of P(edge); 0: the best of the validation */
    size_t graphs, validation_graphs, steps, batch, every, patience;
    uint64_t seed;
    char *output, *work, *token_folder; /* paths */
    char *command;
    bool stream; /* graphs are made beside the steps that take them */
    bool resume, force;
} train_plan;

/* Fails with SCONE_ERR_INPUT for what is out of range. */
scone_status plan_make(train_plan **out, const scone_train_options *options);
void plan_free(train_plan *plan);

/* Graphs that the first `steps` steps take: all, or with `stream` those of so many batches. */
size_t plan_graphs(const train_plan *plan, size_t steps);

/* Changes fields of a configuration as "width=16,cvt_gate=proved" says, and checks it. */
scone_status plan_change_config(model_config *config, const char *changes);

#endif
