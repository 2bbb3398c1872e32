/* preset_search.c - the location-scale contrast score with its greedy search (docs/score.md). */
#include "infer/preset_methods.h"

#include <string.h>

scone_status preset_search_run(search_result *found, const preset_request *request,
                               const scone_context *context)
{
    const knowledge *k = request->knowledge;
    const search_options options = {
        .effort = request->effort == SCONE_EFFORT_FAST     ? 0
                  : request->effort == SCONE_EFFORT_NORMAL ? 1
                                                           : 2,
        .joint = request->effort == SCONE_EFFORT_THOROUGH,
        .seed = request->seed,
        .max_parents = request->max_parents,
        .edge_cost = -1.0,
        .required = k ? k->required : NULL,
        .forbidden = k ? k->forbidden : NULL,
    };
    return search_run(found, request->pair, &options, context);
}

void preset_search_values(preset_answer *answer, const search_result *found)
{
    size_t n = found->graph->nodes;
    memcpy(answer->values, found->values, n * n * sizeof *answer->values);
    for (size_t i = 0; i < n; i++) {
        answer->margins[i] = found->fits[i].separate - found->fits[i].shared;
    }
}

scone_status preset_search(preset_answer *answer, const preset_request *request,
                           const scone_context *context)
{
    scone_status status = SCONE_OK;
    search_result found = {0};
    TRY(preset_search_run(&found, request, context));
    size_t n = found.graph->nodes;
    memcpy(answer->probabilities, found.probabilities, n * n * sizeof *answer->probabilities);
    preset_search_values(answer, &found);
cleanup:
    search_result_free(&found);
    return status;
}
