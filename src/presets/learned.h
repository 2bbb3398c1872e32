/* learned.h - the trained model behind the presets `paper`, `paper-nb` and `paper-nc`: its weights,
 * read with every check, and its probabilities for one graph (docs/methods/model.md, "Presets").
 */
#ifndef SCONE_PRESETS_LEARNED_H
#define SCONE_PRESETS_LEARNED_H

#include "base/context.h"
#include "io/input_list.h"

/* model/setup/parameters.h, model/tokens/tokens.h */
typedef struct parameter_layout parameter_layout;
typedef struct tokens tokens;

enum { LEARNED_ID_SIZE = 17 };

/* Everything that inference needs of a weights file, which may be gone afterwards. */
typedef struct learned_model {
    parameter_layout *layout; /* with the configuration */
    float *values;            /* [layout->count] */
    /* From the validation: temperature of the fused logits, threshold of P(edge). */
    double temperature, threshold;
    input_list inputs;        /* the file */
    char id[LEARNED_ID_SIZE]; /* 16 hex digits that tell weights apart: XXH64 of the header, which
                                 has the checksums of all tensors */
} learned_model;

/* Reads and checks a weights file for a preset: format, checksums, configuration, tensors, and that
 * it was trained for this preset. SCONE_ERR_IO if it cannot be read, SCONE_ERR_INPUT for what is
 * wrong in it. Cost: a pass and a copy. */
scone_status learned_open(learned_model **out, const char *path, const char *preset);
void learned_free(learned_model *model);

/* The local learners whose votes it was trained on (learn/learner.h). */
unsigned learned_learners(const learned_model *model);
/* Columns that the model tells apart. */
size_t learned_most_columns(const learned_model *model);

/* p [nodes, nodes] = P(i -> j) of the tokens' graph: the mean over `assignments` of names to node
 * identities (D8), keyed by (seed, name), and over both readings of every pair (D21), at the
 * temperature of the validation. names [nodes] are different. Does not depend on threads or
 * processes, nor on the order of the nodes but for rounding. Cost: 2 assignments forward passes,
 * N^2 doubles for each. */
scone_status learned_predict(double *p, const learned_model *model, const tokens *t,
                             const char *const *names, size_t assignments, uint64_t seed,
                             const scone_context *context);

#endif
