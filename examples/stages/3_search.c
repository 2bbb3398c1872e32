/* 3_search.c - the graph with the best score, and what every pair of columns says for itself.
 *
 * In: the pair that the learners see. Out: a graph without cycles, the nats that each of its edges
 * is worth, whether a changed mechanism explains a column better, and P(i -> j) for all pairs.
 * New: search_run.
 *
 *   make examples && build/examples/3_search
 */
#include "stage.h"

int main(void)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    search_result found = {.graph = NULL};
    TRY(stage_problem(&problem));
    const scone_pair *pair = scone_problem_pair(problem);
    stage_print_pair("in", pair);

    const search_options options = {.effort = 1, .edge_cost = -1.0}; /* normal, the default cost */
    TRY(search_run(&found, pair, &options, NULL));

    size_t n = found.graph->nodes;
    stage_print_graph("out", found.graph);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (!graph_directed(found.graph, i, j)) continue;
            printf("%zu->%zu is worth %.1f nats\n", i, j, found.values[i * n + j]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        double margin = found.fits[i].separate - found.fits[i].shared;
        printf("%zu: a changed mechanism is %s by %.1f nats\n", i, margin > 0 ? "better" : "worse",
               margin > 0 ? margin : -margin);
    }
    stage_print_matrix("P(row -> column)", found.probabilities, n);
cleanup:
    search_result_free(&found);
    scone_problem_free(problem);
    return stage_end(status);
}
