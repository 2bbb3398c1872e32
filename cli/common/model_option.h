/* model_option.h - --model and --learners, with which commands that run presets take their weights
 * and whose votes these read. */
#ifndef SCONE_CLI_MODEL_OPTION_H
#define SCONE_CLI_MODEL_OPTION_H

#include "options.h"

static inline option option_model(const char **value)
{
    return option_text("model", 0, "FILE",
                       "weights of the presets paper, paper-nb, paper-nc, best\n"
                       "and best-ood, or the folder that holds\n"
                       "NAME.safetensors (default: models/ of the installation\n"
                       "or of the clone)",
                       value);
}

static inline option option_learners(const char **value)
{
    static const char *const words[] = {"polybic", "ges", "search", NULL};
    return option_words("learners", 0, "LIST",
                        "local learners that vote in paper, paper-nb, paper-nc:\n"
                        "some of polybic,ges,search (default: polybic, or those\n"
                        "of the weights)",
                        words, value);
}

/* The presets that have weights, NULL-terminated. */
const char *const *model_presets(void);

#endif
