/* preset_methods.h - the functions that the table of presets names. */
#ifndef SCONE_INFER_PRESET_METHODS_H
#define SCONE_INFER_PRESET_METHODS_H

#include "infer/presets.h"

scone_status preset_search(preset_answer *answer, const preset_request *request,
                           const scone_context *context);
scone_status preset_ges(preset_answer *answer, const preset_request *request,
                        const scone_context *context);
scone_status preset_model(preset_answer *answer, const preset_request *request,
                          const scone_context *context);

#endif
