/* eval_targets.c - precision, recall and F1 of the targets: the variables said to have changed.
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
    mem_free(list->names);
    mem_free(list->target);
    *list = (target_list){0};
}

static scone_status find_column(size_t *column, const cell_table *cells, const char *name)
{
    for (*column = 0; *column < cells->columns; ++*column) {
        if (delimited_field_equals(delimited_cells_get(cells, 0, *column), name)) return SCONE_OK;
    }
    return RAISE(SCONE_ERR_INPUT,
                 "there is no column '%s'; a file of targets has the columns 'variable' and "
                 "'target' (1 or 0)",
                 name);
}

scone_status eval_targets_parse(target_list *list, const cell_table *cells)
{
    scone_status status = SCONE_OK;
    size_t variable, target;
    *list = (target_list){0};
    TRY(find_column(&variable, cells, "variable"));
    TRY(find_column(&target, cells, "target"));
    list->count = cells->rows - 1;
    TRY_ZERO(list->names, list->count);
    TRY_ZERO(list->target, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const delimited_field *flag = delimited_cells_get(cells, i + 1, target);
        list->target[i] = delimited_field_equals(flag, "1");
        if (!list->target[i] && !delimited_field_equals(flag, "0")) {
            int shown = flag->length > 40 ? 40 : (int)flag->length;
            FAIL(SCONE_ERR_INPUT, "row %zu, column 'target': '%.*s' is neither 1 nor 0",
                 cells->lines[i + 1], shown, flag->text);
        }
        list->names[i] = delimited_cells_copy(cells, i + 1, variable);
        if (!list->names[i]) TRY(SCONE_ERR_MEMORY);
    }
cleanup:
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
