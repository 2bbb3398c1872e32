/* request.h - what is asked of a discovery: the options with the defaults of the preset filled in.
 * The first stage makes it, and from then on nobody changes it. */
#ifndef SCONE_DISCOVER_REQUEST_H
#define SCONE_DISCOVER_REQUEST_H

#include "presets/learned.h"
#include "presets/presets.h"
#include "discover/warnings.h"

typedef struct discover_request {
    arena *memory; /* of the texts */
    const preset *preset;
    scone_discover_options options;
    unsigned learners;              /* local learners that vote (learn/learner.h); 0: none */
    unsigned rules;                 /* bit set by rule_kind */
    char model_id[LEARNED_ID_SIZE]; /* of the weights; "": the preset has none */
    input_list inputs; /* the files that tables, knowledge and weights were read from */
} discover_request;

/* `given` NULL stands for {0}; `columns` decides whether the model applies. Fails with
 * SCONE_ERR_INPUT for what makes no sense. *model gets the weights of a learned preset, or NULL;
 * both are the caller's, also after a failure. */
scone_status request_take(discover_request *out, learned_model **model,
                          const scone_discover_options *given, size_t columns,
                          warning_list *warnings, const scone_context *context);
/* Fails with SCONE_ERR_INPUT if these are more columns than the model (or NULL) tells apart. */
scone_status request_check_columns(const learned_model *model, size_t nodes);
void request_free(discover_request *request);

#endif
