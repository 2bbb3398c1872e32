/* presets_model.c - the presets of the trained model: tokens of the two tables as the weights were
 * trained on, then their probabilities (docs/methods/model.md, "Presets"). A model of evidence
 * corrects what a search says of edges, within bounds, and, but for best-ood, of their directions;
 * what the search says of targets and of the nats of edges stays.
 */
#include "presets/learned.h"
#include "presets/presets_parts.h"
#include "model/setup/parameters.h"
#include "train/training_set.h"

#include <math.h>

/* Assignments of names to identities that are averaged. A pass takes time as the square of the
 * columns, so there are fewer the more columns there are, at least one; where a model only corrects
 * a search, as many for few columns as for 50. */
static size_t count_assignments(scone_effort effort, size_t columns, bool evidence)
{
    enum { LEVELS = SCONE_EFFORT_THOROUGH + 1, MANY = 50 };
    static const size_t of_many[LEVELS] = {
        [SCONE_EFFORT_FAST] = 1, [SCONE_EFFORT_NORMAL] = 4, [SCONE_EFFORT_THOROUGH] = 16};
    static const size_t of_few[LEVELS] = {
        [SCONE_EFFORT_FAST] = 1, [SCONE_EFFORT_NORMAL] = 16, [SCONE_EFFORT_THOROUGH] = 16};
    size_t most = evidence ? of_many[effort] : of_few[effort];
    size_t square = columns > 0 ? columns * columns : 1;
    size_t count = of_many[effort] * MANY * MANY / square;
    return count < 1 ? 1 : count < most ? count : most;
}

/* The odds of the two directions of every pair become those of the search. */
static void keep_directions(double *p, const double *of_search, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            double forward = of_search[i * n + j], both = forward + of_search[j * n + i];
            double edge = p[i * n + j] + p[j * n + i], share = both > 0.0 ? forward / both : 0.5;
            p[i * n + j] = edge * share;
            p[j * n + i] = edge * (1.0 - share);
        }
    }
}

void preset_bound_edges(double *p, const double *of_search, size_t n)
{
    static const double most = 20.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            double edge = p[i * n + j] + p[j * n + i];
            double found = of_search[i * n + j] + of_search[j * n + i];
            double low = found / (found + most * (1.0 - found));
            double high = most * found / (most * found + (1.0 - found));
            if (edge <= 0.0) continue;
            double factor = fmin(fmax(edge, low), high) / edge;
            p[i * n + j] *= factor;
            p[j * n + i] *= factor;
        }
    }
}

static scone_status run_model(preset_answer *answer, const preset_request *request,
                              bool keeps_directions, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const table *columns = request->pair->tables[0];
    const learned_model *model = request->model;
    const search_result *found = &request->searched->found;
    tokens *t = NULL;
    token_options options = config_token_options(&model->layout->config);
    options.seed = request->seed;
    if (request->learners) options.learners = request->learners;
    if (options.evidence) {
        TRY(preset_search_run(request, context));
        preset_search_values(answer, found);
        options.found = found;
    }
    TRY(token_make_locals(&t, &answer->locals, request->pair, NULL, &options, context));
    /* The columns of a request are in the order of their names, as the nodes of tokens are. */
    size_t count = count_assignments(request->effort, columns->columns, options.evidence);
    TRY(learned_predict(answer->probabilities, model, t, (const char *const *)columns->names, count,
                        request->seed, context));
    if (options.evidence && keeps_directions) {
        keep_directions(answer->probabilities, found->probabilities, columns->columns);
    } else if (options.evidence) {
        preset_bound_edges(answer->probabilities, found->probabilities, columns->columns);
    }
cleanup:
    tokens_free(t);
    return status;
}

scone_status preset_model(preset_answer *answer, const preset_request *request,
                          const scone_context *context)
{
    return run_model(answer, request, false, context);
}

scone_status preset_model_of_edges(preset_answer *answer, const preset_request *request,
                                   const scone_context *context)
{
    return run_model(answer, request, true, context);
}
