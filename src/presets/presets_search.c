/* presets_search.c - the location-scale contrast score with its greedy search
 * (docs/methods/score.md). */
#include "presets/presets_parts.h"

#include "base/clock.h"

#include <string.h>

void preset_searched_clear(preset_searched *searched)
{
    search_result_free(&searched->found);
    *searched = (preset_searched){.saved = searched->saved};
}

/* Is what was kept a search of the same tables with the same options? Knowledge is not compared. */
static bool is_same(const preset_searched *s, const preset_request *request)
{
    return s->there && !request->knowledge && request->conditions < 2 &&
           s->effort == request->effort && s->max_parents == request->max_parents &&
           s->seed == request->seed && memcmp(s->hashes, request->hashes, sizeof s->hashes) == 0;
}

scone_status preset_search_run(const preset_request *request, const scone_context *context)
{
    preset_searched *searched = request->searched;
    const knowledge *k = request->knowledge;
    if (is_same(searched, request)) {
        searched->saved += searched->seconds;
        return SCONE_OK;
    }
    preset_searched_clear(searched);
    const search_options options = {
        .effort = request->effort == SCONE_EFFORT_FAST     ? 0
                  : request->effort == SCONE_EFFORT_NORMAL ? 1
                                                           : 2,
        .joint = request->effort == SCONE_EFFORT_THOROUGH,
        .seed = request->seed,
        .max_parents = request->max_parents,
        .edge_cost = -1.0,
        .conditions = request->conditions,
        .condition_rows = request->condition_rows,
        .required = k ? k->required : NULL,
        .forbidden = k ? k->forbidden : NULL,
    };
    double started = clock_seconds();
    scone_status status = search_run(&searched->found, request->pair, &options, context);
    if (status != SCONE_OK) return status;
    searched->seconds = clock_seconds() - started;
    searched->effort = request->effort;
    searched->max_parents = request->max_parents;
    searched->seed = request->seed;
    memcpy(searched->hashes, request->hashes, sizeof searched->hashes);
    searched->there = !k && request->conditions < 2;
    return SCONE_OK;
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
    scone_status status = preset_search_run(request, context);
    if (status != SCONE_OK) return status;
    const search_result *found = &request->searched->found;
    size_t n = found->graph->nodes;
    memcpy(answer->probabilities, found->probabilities, n * n * sizeof *answer->probabilities);
    preset_search_values(answer, found);
    if (!found->margins) return SCONE_OK;
    answer->condition_margins = mem_alloc(n * request->conditions, sizeof(double));
    if (!answer->condition_margins) return SCONE_ERR_MEMORY;
    memcpy(answer->condition_margins, found->margins, n * request->conditions * sizeof(double));
    return SCONE_OK;
}
