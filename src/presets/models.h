/* models.h - where the weights of a preset are looked for (scone_model_find in scone.h).
 *
 * Relative to the folder of the shared library and to that of the program, ../share/scone/models is
 * where an installation has them, wherever it was moved to; models, ../models and so on, up to
 * ../../../models, are those of a clone, seen from its build folders. Nothing is read from the
 * environment.
 */
#ifndef SCONE_PRESETS_MODELS_H
#define SCONE_PRESETS_MODELS_H

#include "base/status.h"

typedef struct models_homes {
    const char *library, *program; /* folders that hold them; NULL: not known, or no such */
    const char *installed;         /* the folder of the weights itself */
} models_homes;

/* NAME.safetensors in the first folder that has it, in new memory; fails with SCONE_ERR_IO and
 * the list of folders if none has. */
scone_status models_find_near(char **path, const char *name, const models_homes *homes);

#endif
