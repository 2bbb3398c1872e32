/* explain_conditions.c - several conditions, read back and checked: their targets, and the pairs of
 * tables that tests and certificates rest on (see explain.h; report_graph_json.c and
 * report_reasons_json.c write them). */
#include "explain/explain.h"

#include "discover/column_map.h"
#include "text/json_read.h"

#include <string.h>

/* ---- targets ---- */

static scone_status read_condition(explained_condition *condition, scone_explanation *x,
                                   const cJSON *object)
{
    scone_status status = SCONE_OK;
    const char *name;
    TRY(json_string(&name, object, "condition"));
    if (!column_map_name_fits(name)) FAIL(SCONE_ERR_INPUT, "its name is none");
    TRY(explain_keep_text(&condition->name, x, name));
    TRY(json_whole(&condition->rows, object, "rows", 0, SIZE_MAX));
    TRY(explain_read_targets(&condition->targets, x, object));
    condition->pair = SIZE_MAX;
cleanup:
    return status;
}

static scone_status read_list(scone_explanation *x, const cJSON *list)
{
    scone_status status = SCONE_OK;
    size_t count = json_length(list);
    TRY_ZERO(x->conditions, count);
    TRY_ZERO(x->condition_names, count);
    TRY_ALLOC(x->by_condition, count);
    for (const cJSON *item = list->child; item; item = item->next) {
        explained_condition *condition = &x->conditions[x->condition_count++];
        status = read_condition(condition, x, item);
        if (status == SCONE_ERR_INPUT) status_prefix("condition %zu", x->condition_count);
        if (status != SCONE_OK) goto cleanup;
        x->condition_names[x->condition_count - 1] = condition->name;
    }
    names_sort(x->by_condition, x->condition_names, count);
    if (names_repeated(x->by_condition, count) < count) {
        FAIL(SCONE_ERR_INPUT, "two conditions have one name; the file is damaged");
    }
cleanup:
    return status;
}

/* ---- pairs ---- */

/* [control, condition]; the first one says what the control is called. */
static scone_status read_names(size_t *condition, scone_explanation *x, const cJSON *item)
{
    scone_status status = SCONE_OK;
    if (!cJSON_IsArray(item) || json_length(item) != 2 || !cJSON_IsString(item->child)) {
        FAIL(SCONE_ERR_INPUT, "a pair that is not one of the control and a condition");
    }
    const char *control = item->child->valuestring;
    const cJSON *second = item->child->next;
    if (!x->control) {
        if (!column_map_name_fits(control)) FAIL(SCONE_ERR_INPUT, "the control has no name");
        TRY(explain_keep_text(&x->control, x, control));
    }
    *condition = cJSON_IsString(second)
                     ? names_find(x->by_condition, x->condition_count, second->valuestring)
                     : SIZE_MAX;
    if (*condition == SIZE_MAX || strcmp(x->control, control) != 0) {
        FAIL(SCONE_ERR_INPUT, "a pair that is not one of the control and a condition");
    }
cleanup:
    return status;
}

static scone_status read_pairs(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *rules, *list;
    reasons *r = &x->reasons;
    TRY(json_object_of(&rules, root, "rules"));
    TRY(json_list(&list, rules, "pairs"));
    TRY_ZERO(r->pairs, json_length(list));
    for (const cJSON *item = list->child; item; item = item->next) {
        size_t condition;
        TRY(read_names(&condition, x, item));
        if (r->pair_count > 0 && condition <= r->pairs[r->pair_count - 1]) {
            FAIL(SCONE_ERR_INPUT, "\"pairs\" is not in the order of the conditions");
        }
        x->conditions[condition].pair = r->pair_count;
        r->pairs[r->pair_count++] = condition;
    }
    r->conditions = x->condition_names;
    r->levels.pairs = x->condition_count;
cleanup:
    return status;
}

scone_status explain_read_conditions(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    if (!json_optional(root, "conditions")) return SCONE_OK;
    TRY(json_list(&list, root, "conditions"));
    if (json_length(list) == 0) FAIL(SCONE_ERR_INPUT, "\"conditions\" holds none");
    TRY(read_list(x, list));
    TRY(read_pairs(x, root));
cleanup:
    return status;
}

scone_status explain_read_pair(size_t *pair, const scone_explanation *x, const cJSON *object)
{
    *pair = 0;
    if (x->condition_count == 0) return SCONE_OK;
    const cJSON *item = json_optional(object, "pair");
    const cJSON *name = cJSON_IsArray(item) && json_length(item) == 2 ? item->child->next : NULL;
    size_t condition = cJSON_IsString(name)
                           ? names_find(x->by_condition, x->condition_count, name->valuestring)
                           : SIZE_MAX;
    *pair = condition == SIZE_MAX ? SIZE_MAX : x->conditions[condition].pair;
    if (*pair != SIZE_MAX) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "its \"pair\" is none of those that were tested");
}
