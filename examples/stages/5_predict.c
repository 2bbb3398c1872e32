/* 5_predict.c - the trained model corrects what the search says.
 *
 * In: P(i -> j) of the search, and its tokens. Out: P(i -> j) of the model, then within bounds: the
 * odds of an edge stay within a factor of those of the search.
 * New: scone_model_find, learned_open, learned_predict, preset_bound_edges.
 *
 *   make examples && build/examples/5_predict
 */
#include "presets/presets_parts.h"
#include "model/setup/parameters.h"
#include "stage.h"

enum { ASSIGNMENTS = 4 }; /* of names to node identities, over which the mean is taken */

int main(void)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    search_result found = {.graph = NULL};
    char *path = NULL;
    learned_model *model = NULL;
    tokens *t = NULL;
    double p[STAGE_COLUMNS * STAGE_COLUMNS];
    TRY(stage_problem(&problem));
    const scone_pair *pair = scone_problem_pair(problem);
    const char *const *names = (const char *const *)pair->tables[0]->names;
    TRY(stage_search(&found, pair));
    stage_print_matrix("in, P(row -> column) of the search", found.probabilities, STAGE_COLUMNS);

    TRY(scone_model_find(&path, "best", NULL));
    TRY(learned_open(&model, path, "best"));
    token_options options = config_token_options(&model->layout->config);
    options.found = &found;
    TRY(token_make(&t, pair, NULL, &options, NULL));
    printf("in, %u candidate pairs; a model of at most %zu columns, threshold %.2f\n",
           t->size.pairs, learned_most_columns(model), model->threshold);

    TRY(learned_predict(p, model, t, names, ASSIGNMENTS, 0, NULL));
    stage_print_matrix("out, P(row -> column) of the model", p, STAGE_COLUMNS);
    preset_bound_edges(p, found.probabilities, STAGE_COLUMNS);
    stage_print_matrix("out, within bounds", p, STAGE_COLUMNS);
cleanup:
    tokens_free(t);
    learned_free(model);
    mem_free(path);
    search_result_free(&found);
    scone_problem_free(problem);
    return stage_end(status);
}
