/* presets_parts.h - the functions that the table of presets names. */
#ifndef SCONE_PRESETS_PRESETS_PARTS_H
#define SCONE_PRESETS_PRESETS_PARTS_H

#include "presets/presets.h"

scone_status preset_search(preset_answer *answer, const preset_request *request,
                           const scone_context *context);
/* Its parts: the search as the request wants it, into request->searched unless it is there already,
 * and what it says beside probabilities. */
scone_status preset_search_run(const preset_request *request, const scone_context *context);
void preset_search_values(preset_answer *answer, const search_result *found);
scone_status preset_ges(preset_answer *answer, const preset_request *request,
                        const scone_context *context);
scone_status preset_model(preset_answer *answer, const preset_request *request,
                          const scone_context *context);
/* Its last part: p [n, n] = P(i -> j), in which the odds of an edge stay within a factor of those
 * of the search. The model weighs what the search found and makes nothing of what it did not.
 * Directions keep their odds. */
void preset_bound_edges(double *p, const double *of_search, size_t n);
/* preset_model with the directions of the search: for data unlike what the model was trained on. */
scone_status preset_model_of_edges(preset_answer *answer, const preset_request *request,
                                   const scone_context *context);

#endif
