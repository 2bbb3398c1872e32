/* 8_targets.c - which mechanisms changed, given the graph.
 *
 * In: a graph and the pair. Out: for each variable a test of a change given its parents, what the
 * score of the search says of one, and the decision, which needs both.
 * New: targets_test, targets_decide.
 *
 *   make examples && build/examples/8_targets
 */
#include "discover/targets.h"
#include "stage.h"

int main(void)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    search_result found = {.graph = NULL};
    target_test tests[STAGE_COLUMNS];
    TRY(stage_problem(&problem));
    const scone_pair *pair = scone_problem_pair(problem);
    TRY(stage_search(&found, pair));
    stage_print_pair("in", pair);
    stage_print_graph("in", found.graph);

    TRY(targets_test(tests, pair, found.graph, 0, NULL));
    for (size_t i = 0; i < STAGE_COLUMNS; i++) {
        tests[i].margin = found.fits[i].separate - found.fits[i].shared;
    }
    TRY(targets_decide(tests, STAGE_COLUMNS, 0.05, NULL));

    for (size_t i = 0; i < STAGE_COLUMNS; i++) {
        printf("out, %s: p-value %.2g, %.1f nats for a change: %s; in truth %s\n",
               pair->tables[0]->names[i], tests[i].p_value, tests[i].margin,
               tests[i].target ? "changed" : "as before",
               scone_problem_targets(problem)[i] ? "changed" : "as before");
    }
cleanup:
    search_result_free(&found);
    scone_problem_free(problem);
    return stage_end(status);
}
