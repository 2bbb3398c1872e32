/* preset_model.c - the presets of the trained model: tokens of the two tables as the weights were
 * trained on, then their probabilities (docs/model.md, "Presets").
 */
#include "infer/learned.h"
#include "infer/preset_methods.h"
#include "model/parameters.h"
#include "train/loader.h"

/* Assignments of names to identities that are averaged, by effort. From ASSIGNMENTS_NODES columns
 * on, where the grid of the global stream makes a pass expensive, it is one. */
static const size_t assignments[3] = {
    [SCONE_EFFORT_FAST] = 1, [SCONE_EFFORT_NORMAL] = 4, [SCONE_EFFORT_THOROUGH] = 16};
enum { ASSIGNMENTS_NODES = 256 };

scone_status preset_model(preset_answer *answer, const preset_request *request,
                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    const table *columns = request->pair->tables[0];
    const learned_model *model = request->model;
    tokens *t = NULL;
    token_options options = loader_token_options(&model->layout->config);
    size_t most = learned_most_columns(model);
    if (columns->columns > most) {
        FAIL(SCONE_ERR_INPUT,
             "%zu columns vary, but the model tells at most %zu apart; leave some out, or use "
             "--preset search",
             columns->columns, most);
    }
    options.seed = request->seed;
    TRY(token_make(&t, request->pair, NULL, &options, context));
    /* The columns of a request are in the order of their names, as the nodes of tokens are. */
    size_t count = columns->columns < ASSIGNMENTS_NODES ? assignments[request->effort] : 1;
    TRY(learned_predict(answer->probabilities, model, t, (const char *const *)columns->names, count,
                        request->seed, context));
cleanup:
    tokens_free(t);
    return status;
}
