/* models.h - where the weights of a preset are: the file that --model names, or NAME.safetensors in
 * the first of these folders that has it (docs/methods/model.md, "Presets"):
 *
 *   relative to the folder of the program   ../share/scone/models, models, ../models, ../../models
 *   as it was built to be installed         PREFIX/share/scone/models
 *
 * The first is where an installation that was moved has them; the next three are those of a build
 * folder in a clone. Nothing is read from the environment.
 */
#ifndef SCONE_CLI_MODELS_H
#define SCONE_CLI_MODELS_H

#include "session.h"

static inline option option_model(const char **value)
{
    return option_text("model", 0, "FILE",
                       "weights of the presets paper, paper-nb, paper-nc, best\n"
                       "and best-ood, or the folder that holds\n"
                       "NAME.safetensors (default: models/ of the installation\n"
                       "or of the clone)",
                       value);
}

/* The path of a preset's weights in new memory (free); `given` is the value of --model or NULL.
 * Reports a failure; returns an exit code. */
int models_find(char **path, session *s, const char *preset, const char *given);
/* The same for what may be missing: *path is NULL then, and nothing is reported. */
int models_look(char **path, session *s, const char *preset, const char *given);

#endif
