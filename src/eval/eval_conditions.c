/* eval_conditions.c - targets of several conditions: what a file tells of them, what they are
 * together, and their scores (see eval.h).
 *
 * An entry is a condition and a variable. Scores are those of eval_targets.c with entries in the
 * place of variables, so a list of entries gets names that stand for both. O(n log n).
 */
#include "eval/eval.h"

#include "text/delimited_cells.h"
#include "text/growing.h"
#include "text/names.h"
#include "text/text.h"

#include <string.h>

/* ---- names of entries ---- */

/* "3:X7" for a variable of the fourth condition: no two entries share it. Free each of count. */
static scone_status name_entries(char **keys, const target_list *list)
{
    scone_status status = SCONE_OK;
    for (size_t i = 0; i < list->count; i++) {
        growing text = {0};
        growing_print(&text, "%zu:%s", list->condition[i], list->names[i]);
        TRY(growing_finish(&keys[i], &text));
    }
cleanup:
    return status;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++) mem_free(names[i]);
    mem_free(names);
}

/* ---- from a file ---- */

/* The names in the column, each once and in byte order. */
static scone_status list_conditions(target_list *list, char **labels, size_t count)
{
    scone_status status = SCONE_OK;
    named_place *sorted = NULL;
    TRY_ALLOC(sorted, count);
    TRY_ZERO(list->conditions, count);
    names_sort(sorted, (const char *const *)labels, count);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(sorted[i - 1].name, sorted[i].name) == 0) continue;
        char *name = mem_copy_text(sorted[i].name, strlen(sorted[i].name));
        if (!name) TRY(SCONE_ERR_MEMORY);
        list->conditions[list->condition_count++] = name;
    }
cleanup:
    mem_free(sorted);
    return status;
}

static scone_status refuse_repeated(const target_list *list, const cell_table *cells,
                                    const size_t *rows)
{
    scone_status status = SCONE_OK;
    char **keys = NULL;
    named_place *sorted = NULL;
    TRY_ZERO(keys, list->count);
    TRY_ALLOC(sorted, list->count);
    TRY(name_entries(keys, list));
    names_sort(sorted, (const char *const *)keys, list->count);
    size_t again = names_repeated(sorted, list->count);
    if (again < list->count) {
        size_t i = sorted[again].place;
        const char *condition = list->conditions[list->condition[i]], *name = list->names[i];
        FAIL(SCONE_ERR_INPUT,
             "row %zu: '%s' is there twice for the condition '%s'; leave one of the rows out",
             cells->lines[rows[i]], SHOW(name, strlen(name)), SHOW(condition, strlen(condition)));
    }
cleanup:
    free_names(keys, list->count);
    mem_free(sorted);
    return status;
}

scone_status eval_conditions_take(target_list *list, const cell_table *cells, size_t column,
                                  const size_t *rows)
{
    scone_status status = SCONE_OK;
    size_t count = cells->rows - 1;
    char **labels = NULL;
    named_place *known = NULL;
    TRY_ZERO(labels, count);
    TRY_ALLOC(list->condition, list->count);
    for (size_t i = 0; i < count; i++) {
        if (delimited_cells_get(cells, i + 1, column)->length == 0) {
            FAIL(SCONE_ERR_INPUT,
                 "row %zu, column 'condition': the cell is empty; name the "
                 "condition",
                 cells->lines[i + 1]);
        }
        labels[i] = delimited_cells_copy(cells, i + 1, column);
        if (!labels[i]) TRY(SCONE_ERR_MEMORY);
    }
    TRY(list_conditions(list, labels, count));
    TRY_ALLOC(known, list->condition_count);
    for (size_t k = 0; k < list->condition_count; k++) {
        known[k] = (named_place){list->conditions[k], k};
    }
    for (size_t i = 0; i < list->count; i++) {
        list->condition[i] = names_find(known, list->condition_count, labels[rows[i] - 1]);
    }
    TRY(refuse_repeated(list, cells, rows));
cleanup:
    free_names(labels, count);
    mem_free(known);
    return status;
}

/* ---- together ---- */

scone_status eval_conditions_join(target_list *joined, const target_list *list)
{
    scone_status status = SCONE_OK;
    named_place *sorted = NULL;
    *joined = (target_list){0};
    TRY_ALLOC(sorted, list->count);
    TRY_ZERO(joined->names, list->count);
    TRY_ZERO(joined->target, list->count);
    names_sort(sorted, (const char *const *)list->names, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const char *name = sorted[i].name;
        if (i == 0 || strcmp(sorted[i - 1].name, name) != 0) {
            joined->names[joined->count] = mem_copy_text(name, strlen(name));
            if (!joined->names[joined->count]) TRY(SCONE_ERR_MEMORY);
            joined->count++;
        }
        if (list->target[sorted[i].place]) joined->target[joined->count - 1] = true;
    }
cleanup:
    mem_free(sorted);
    if (status != SCONE_OK) eval_targets_free(joined);
    return status;
}

/* ---- scores ---- */

scone_status eval_scores_of_conditions(scone_scores *scores, const target_list *predicted,
                                       const target_list *truth, const char *predicted_path,
                                       const char *truth_path)
{
    scone_status status = SCONE_OK;
    const target_list *lists[2] = {predicted, truth};
    target_list entries[2] = {{0}, {0}};
    const variables first = {predicted_path, (const char *const *)predicted->conditions,
                             predicted->condition_count};
    const variables second = {truth_path, (const char *const *)truth->conditions,
                              truth->condition_count};
    TRY(eval_match_conditions(&first, &second));
    /* Both have the same names, and each has them in byte order. */
    for (int side = 0; side < 2; side++) {
        entries[side].count = lists[side]->count;
        entries[side].target = lists[side]->target;
        TRY_ZERO(entries[side].names, lists[side]->count);
        TRY(name_entries(entries[side].names, lists[side]));
    }
    TRY(eval_scores_of_targets(scores, &entries[0], &entries[1], predicted_path, truth_path));
cleanup:
    for (int side = 0; side < 2; side++) free_names(entries[side].names, entries[side].count);
    return status;
}
