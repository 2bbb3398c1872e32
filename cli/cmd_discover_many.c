/* cmd_discover_many.c - what changed in several conditions (see cmd_discover_many.h): the
 * conditions with what moved farthest in each; of many the ones that moved farthest.
 */
#include "cmd_discover_many.h"

#include "launch.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12, LEADING = 4, LEADING_SIZE = 512 };

/* A condition with its targets. */
typedef struct found_condition {
    size_t number, changed;
    double farthest; /* of its targets */
} found_condition;

/* The farthest first; ties fall by the order of the conditions. */
static int compare_farthest(const void *left, const void *right)
{
    const found_condition *a = left, *b = right;
    if (a->farthest != b->farthest) return a->farthest > b->farthest ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_number(const void *left, const void *right)
{
    const found_condition *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Those in which something changed, the ones that are shown in front and in their order. */
static size_t choose(found_condition *list, const scone_result *result)
{
    size_t count = 0, variables = scone_result_variables(result);
    for (size_t k = 0; k < scone_result_conditions(result); k++) {
        found_condition one = {.number = k};
        for (size_t t = 0; t < variables; t++) {
            const scone_target *target = scone_result_condition_target(result, k, t);
            if (!target->target) continue;
            one.changed++;
            if (target->size > one.farthest) one.farthest = target->size;
        }
        if (one.changed > 0) list[count++] = one;
    }
    qsort(list, count, sizeof *list, compare_farthest);
    qsort(list, count < SHOWN ? count : SHOWN, sizeof *list, compare_number);
    return count;
}

/* "A (3.1), B (0.8) and 3 more" */
static void tell_leading(char text[LEADING_SIZE], const scone_result *result,
                         const label_list *variables, const found_condition *one)
{
    size_t used = 0, shown = 0;
    text[0] = '\0';
    for (size_t t = 0; t < scone_result_variables(result) && shown < LEADING; t++) {
        const scone_target *target = scone_result_condition_target(result, one->number, t);
        if (!target->target) continue;
        int length = snprintf(text + used, LEADING_SIZE - used, "%s%s (%.2g)", shown ? ", " : "",
                              variables->texts[target->variable], target->size);
        if (length < 0 || (size_t)length >= LEADING_SIZE - used) break;
        used += (size_t)length;
        shown++;
    }
    if (shown < one->changed && used < LEADING_SIZE) {
        (void)snprintf(text + used, LEADING_SIZE - used, " and %zu more", one->changed - shown);
    }
}

static int print_table(FILE *stream, const scone_result *result, const found_condition *list,
                       size_t count, const label_list *variables, const label_list *conditions)
{
    text_table table;
    table_begin(&table, 3);
    table.left[2] = true;
    table_row(&table);
    table_cell(&table, 0, "  condition");
    table_cell(&table, 1, "changed");
    table_cell(&table, 2, "farthest, in standard deviations");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        char text[LEADING_SIZE];
        tell_leading(text, result, variables, &list[i]);
        table_row(&table);
        table_cell(&table, 0, "  %s", conditions->texts[list[i].number]);
        table_cell(&table, 1, "%zu", list[i].changed);
        table_cell(&table, 2, "%s", text);
    }
    return table_print(&table, stream);
}

int found_many_text(FILE *stream, const scone_result *result, const found_request *request,
                    const label_list *variables)
{
    size_t conditions = scone_result_conditions(result);
    found_condition *list = calloc(conditions, sizeof *list);
    const char **names = calloc(conditions, sizeof *names);
    label_list labels = {0};
    int code = list && names ? SCONE_OK : SCONE_ERR_MEMORY;
    if (code != SCONE_OK) complain("out of memory while printing the result");
    for (size_t k = 0; code == SCONE_OK && k < conditions; k++) {
        names[k] = scone_result_condition(result, k);
    }
    if (code == SCONE_OK) code = labels_make(&labels, names, conditions);
    if (code == SCONE_OK) {
        size_t count = choose(list, result);
        (void)fprintf(stream,
                      "Mechanisms are found to have changed in %zu of %zu conditions (false "
                      "discovery rate %g)%s\n",
                      count, conditions, request->alpha, count ? ":" : ".");
        if (count) code = print_table(stream, result, list, count, variables, &labels);
        if (count > SHOWN) {
            (void)fprintf(stream,
                          "  and in %zu more by at most %.2g; sizes.csv has all of them side by "
                          "side\n",
                          count - SHOWN, list[SHOWN].farthest);
        }
    }
    labels_free(&labels);
    free(list);
    free(names);
    return code;
}

void found_many_json(json *j, const scone_result *result)
{
    cJSON *names = json_array(j, j->root, "conditions");
    for (size_t k = 0; k < scone_result_conditions(result); k++) {
        const char *name = scone_result_condition(result, k);
        json_append_text(j, names, name, strlen(name));
    }
}
