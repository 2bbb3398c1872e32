/* fuzz_eval.c - any bytes are a matrix of probabilities, a list of targets, or errors; what is
 * accepted keeps its promises. */
#include "text/delimited_cells.h"
#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_probabilities(const cell_table *cells)
{
    probability_matrix matrix;
    if (eval_probabilities_parse(&matrix, cells) != SCONE_OK) {
        if (matrix.values || matrix.names || matrix.nodes) abort();
        return;
    }
    for (size_t i = 0; i < matrix.nodes; i++) {
        for (size_t j = 0; j < matrix.nodes; j++) {
            double value = matrix.values[i * matrix.nodes + j];
            if (i != j && !(value >= 0.0 && value <= 1.0)) abort();
        }
    }
    eval_probabilities_free(&matrix);
}

/* Entries of a list with conditions have one each, conditions are in order, and each variable is
 * once among them together: so against itself everything is right. */
static void check_conditions(const target_list *list)
{
    target_list joined;
    scone_scores scores;
    for (size_t i = 0; i < list->count; i++) {
        if (list->condition[i] >= list->condition_count) abort();
    }
    for (size_t k = 1; k < list->condition_count; k++) {
        if (strcmp(list->conditions[k - 1], list->conditions[k]) >= 0) abort();
    }
    eval_scores_clear(&scores);
    if (eval_scores_of_conditions(&scores, list, list, "a", "b") != SCONE_OK) abort();
    if (!(scores.target_f1 == 1.0)) abort();
    if (eval_conditions_join(&joined, list) != SCONE_OK || joined.count > list->count) abort();
    if (eval_scores_of_targets(&scores, &joined, &joined, "a", "b") != SCONE_OK) abort();
    if (!(scores.target_f1 == 1.0)) abort();
    eval_targets_free(&joined);
}

static void check_targets(const cell_table *cells)
{
    target_list list;
    scone_scores scores;
    if (eval_targets_parse(&list, cells) != SCONE_OK) {
        if (list.names || list.target || list.count || list.conditions || list.condition) abort();
        return;
    }
    if (list.conditions) check_conditions(&list);
    eval_scores_clear(
        &scores); /* against itself everything is right, unless a name is there twice */
    if (eval_scores_of_targets(&scores, &list, &list, "a", "b") == SCONE_OK) {
        if (!(scores.target_f1 == 1.0)) abort();
    }
    eval_targets_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cell_table cells;
    char *text = mem_copy_text((const char *)data, size);
    if (!text) return 0;
    if (delimited_cells_parse(&cells, text, size) == SCONE_OK) {
        check_probabilities(&cells);
        check_targets(&cells);
        delimited_cells_free(&cells);
    }
    mem_free(text);
    return 0;
}
