/* eval_targets.c - precision, recall and F1 of the targets: the variables said to have changed. Of
 * several conditions see eval_conditions.c.
 *
 * precision = hits / predicted targets, recall = hits / true targets, F1 = 2 hits / (predicted +
 * true), with the conventions of eval_scores_ratio for empty sets. O(n log n).
 */
#include "text/delimited_cells.h"
#include "eval/eval.h"

void eval_targets_free(target_list *list)
{
    if (list->names) {
        for (size_t i = 0; i < list->count; i++) mem_free(list->names[i]);
    }
    for (size_t k = 0; list->conditions && k < list->condition_count; k++) {
        mem_free(list->conditions[k]);
    }
    mem_free(list->names);
    mem_free(list->target);
    mem_free(list->conditions);
    mem_free(list->condition);
    *list = (target_list){0};
}

/* The place of a column, cells->columns if there is none. */
static size_t find_column(const cell_table *cells, const char *name)
{
    size_t column = 0;
    while (column < cells->columns &&
           !delimited_field_equals(delimited_cells_get(cells, 0, column), name)) {
        column++;
    }
    return column;
}

static scone_status require_column(const cell_table *cells, size_t column, const char *name)
{
    if (column < cells->columns) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "there is no column '%s'; a file of targets has the columns 'variable' and "
                 "'target' (1 or 0), or 'condition' and 'variable'",
                 name);
}

/* One row, if it speaks of a variable. */
static scone_status take_row(target_list *list, const cell_table *cells, size_t row,
                             size_t variable, size_t target)
{
    scone_status status = SCONE_OK;
    bool *said = &list->target[list->count];
    *said = true;
    if (target < cells->columns) {
        const delimited_field *flag = delimited_cells_get(cells, row, target);
        *said = delimited_field_equals(flag, "1");
        if (!*said && !delimited_field_equals(flag, "0")) {
            int shown = flag->length > 40 ? 40 : (int)flag->length;
            FAIL(SCONE_ERR_INPUT, "row %zu, column 'target': '%.*s' is neither 1 nor 0",
                 cells->lines[row], shown, flag->text);
        }
    } else if (delimited_cells_get(cells, row, variable)->length == 0) {
        return SCONE_OK;
    }
    list->names[list->count] = delimited_cells_copy(cells, row, variable);
    if (!list->names[list->count]) TRY(SCONE_ERR_MEMORY);
    list->count++;
cleanup:
    return status;
}

scone_status eval_targets_parse(target_list *list, const cell_table *cells)
{
    scone_status status = SCONE_OK;
    size_t *rows = NULL; /* [count]: of the entries */
    size_t variable = find_column(cells, "variable"), target = find_column(cells, "target");
    size_t condition = find_column(cells, "condition");
    bool conditions = condition < cells->columns;
    *list = (target_list){0};
    TRY(require_column(cells, variable, "variable"));
    if (!conditions) TRY(require_column(cells, target, "target"));
    TRY_ZERO(list->names, cells->rows);
    TRY_ZERO(list->target, cells->rows);
    TRY_ALLOC(rows, cells->rows);
    for (size_t row = 1; row < cells->rows; row++) {
        rows[list->count] = row;
        TRY(take_row(list, cells, row, variable, target));
    }
    if (conditions) TRY(eval_conditions_take(list, cells, condition, rows));
cleanup:
    mem_free(rows);
    if (status != SCONE_OK) eval_targets_free(list);
    return status;
}

scone_status eval_targets_read(target_list *list, const char *path)
{
    cell_table cells;
    *list = (target_list){0};
    scone_status status = delimited_cells_read(&cells, path);
    if (status != SCONE_OK) return status;
    status = eval_targets_parse(list, &cells);
    if (status != SCONE_OK) status_prefix("%s", path);
    delimited_cells_free(&cells);
    return status;
}

scone_status eval_scores_of_targets(scone_scores *scores, const target_list *predicted,
                                    const target_list *truth, const char *predicted_path,
                                    const char *truth_path)
{
    node_match match;
    variables first = {predicted_path, (const char *const *)predicted->names, predicted->count};
    variables second = {truth_path, (const char *const *)truth->names, truth->count};
    scone_status status = eval_match_names(&match, &first, &second);
    if (status != SCONE_OK) return status;
    double hits = 0.0, said = 0.0, actual = 0.0;
    for (size_t u = 0; u < match.count; u++) {
        bool p = match.first[u] != SIZE_MAX && predicted->target[match.first[u]];
        bool t = match.second[u] != SIZE_MAX && truth->target[match.second[u]];
        said += p;
        actual += t;
        hits += p && t;
    }
    eval_scores_ratio(&scores->target_precision, &scores->target_recall, &scores->target_f1, hits,
                      said, actual);
    eval_match_free(&match);
    return SCONE_OK;
}
