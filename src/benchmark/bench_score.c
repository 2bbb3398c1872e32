/* bench_score.c - the scores of one discovery against the truth it was simulated from. */
#include "benchmark/bench.h"

#include "data/conditions/conditions.h"
#include "eval/eval.h"

#include <math.h>
#include <string.h>

static scone_status score_probabilities(scone_scores *scores, const scone_result *result,
                                        const graph *predicted, const graph *truth)
{
    scone_status status = SCONE_OK;
    size_t n = predicted->nodes, cells;
    probability_matrix matrix = {.nodes = n, .names = predicted->names};
    node_match match = {0};
    if (!size_multiply(&cells, n, n)) FAIL(SCONE_ERR_MEMORY, "out of memory: %zu variables", n);
    TRY_ALLOC(matrix.values, cells);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            matrix.values[i * n + j] = scone_result_probability(result, i, j);
        }
    }
    variables first = {"the probabilities", (const char *const *)predicted->names, n};
    variables second = {"the true graph", (const char *const *)truth->names, truth->nodes};
    TRY(eval_match_nodes(&match, &first, &second));
    TRY(eval_ranking_auprc(&scores->auprc, &matrix, truth, &match));
cleanup:
    eval_match_free(&match);
    mem_free(matrix.values);
    return status;
}

static scone_status list_targets(target_list *list, size_t count, const graph *names)
{
    scone_status status = SCONE_OK;
    TRY_ZERO(list->names, count);
    TRY_ZERO(list->target, count);
    list->count = count;
    for (size_t v = 0; v < count; v++) {
        const char *name = scone_graph_name(names, v);
        list->names[v] = mem_copy_text(name, strlen(name));
        if (!list->names[v]) TRY(SCONE_ERR_MEMORY);
    }
cleanup:
    return status;
}

static scone_status score_targets(scone_scores *scores, const scone_result *result,
                                  const scone_problem *problem, const graph *predicted,
                                  const graph *truth)
{
    scone_status status = SCONE_OK;
    target_list found = {0}, actual = {0};
    /* The columns of a simulated table are the nodes of its graph. */
    TRY(list_targets(&found, predicted->nodes, predicted));
    TRY(list_targets(&actual, truth->nodes, predicted));
    for (size_t v = 0; v < found.count; v++) {
        const scone_target *target = scone_result_target(result, v);
        found.target[target->variable] = target->target;
    }
    for (size_t v = 0; v < actual.count; v++) {
        actual.target[v] = scone_problem_targets(problem)[v];
    }
    TRY(eval_scores_of_targets(scores, &found, &actual, "the prediction", "the truth"));
cleanup:
    eval_targets_free(&found);
    eval_targets_free(&actual);
    return status;
}

/* Over all conditions and variables. Conditions of the result are those of the problem in the same
 * order, and columns of its tables the nodes of its graph. */
static scone_status score_conditions(scone_scores *scores, const scone_result *result,
                                     const scone_problem *problem)
{
    scone_status status = SCONE_OK;
    double hits = 0.0, said = 0.0, actual = 0.0;
    const scone_conditions *conditions = scone_problem_conditions(problem);
    size_t nodes = scone_result_variables(result);
    for (size_t k = 0; k < scone_result_conditions(result); k++) {
        const bool *targets = scone_problem_condition_targets(problem, k + 1);
        const char *name = scone_conditions_name(conditions, k + 1);
        if (strcmp(scone_result_condition(result, k), name) != 0) {
            FAIL_DEFECT("the conditions of a result are not those of its problem");
        }
        for (size_t i = 0; i < nodes; i++) {
            const scone_target *found = scone_result_condition_target(result, k, i);
            said += found->target;
            actual += targets[found->variable];
            hits += found->target && targets[found->variable];
        }
    }
    eval_scores_ratio(&scores->target_precision, &scores->target_recall, &scores->target_f1, hits,
                      said, actual);
cleanup:
    return status;
}

scone_status bench_score(scone_scores *scores, const scone_result *result,
                         const scone_problem *problem)
{
    scone_status status = SCONE_OK;
    const graph *predicted = scone_result_graph(result), *truth = scone_problem_graph(problem);
    TRY(scone_eval_graphs(scores, predicted, truth));
    TRY(score_probabilities(scores, result, predicted, truth));
    if (scone_problem_conditions(problem)->count == 1) {
        TRY(score_targets(scores, result, problem, predicted, truth));
    } else if (scone_result_conditions(result) > 0) {
        TRY(score_conditions(scores, result, problem));
    } else {
        scores->target_precision = scores->target_recall = scores->target_f1 = (double)NAN;
    }
cleanup:
    return status;
}
