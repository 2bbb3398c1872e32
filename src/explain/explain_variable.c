/* explain_variable.c - what a result says of one variable, and of two that may have no edge (see
 * explain.h). */
#include "explain/explain.h"

#include "eval/eval.h"
#include "io/file.h"
#include "text/growing.h"
#include "text/json_read.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- graph.json ---- */

static scone_status read_target(explained_target *targets, scone_explanation *x,
                                const cJSON *object)
{
    scone_status status = SCONE_OK;
    size_t node;
    const char *why;
    TRY(explain_find_node(&node, x, cJSON_GetObjectItemCaseSensitive(object, "variable")));
    explained_target *target = &targets[node];
    if (target->reason) FAIL(SCONE_ERR_INPUT, "a variable occurs twice; the file is damaged");
    TRY(json_double(&target->size, object, "size"));
    TRY(json_double(&target->p_value, object, "p_value"));
    TRY(json_double(&target->evidence, object, "evidence"));
    TRY(json_string(&why, object, "reason"));
    TRY(explain_keep_text(&target->reason, x, why));
    target->target = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "target"));
cleanup:
    return status;
}

scone_status explain_read_targets(explained_target **targets, scone_explanation *x,
                                  const cJSON *object)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    size_t place = 0;
    TRY(json_list(&list, object, "targets"));
    if (json_length(list) != x->count) {
        FAIL(SCONE_ERR_INPUT, "\"targets\" does not hold every node; the file is damaged");
    }
    TRY_ZERO(*targets, x->count);
    for (const cJSON *item = list->child; item; item = item->next, place++) {
        status = read_target(*targets, x, item);
        if (status == SCONE_ERR_INPUT) status_prefix("target %zu", place + 1);
        if (status != SCONE_OK) goto cleanup;
    }
cleanup:
    return status;
}

static scone_status read_absences(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    TRY(json_list(&list, root, "left_out"));
    TRY_ZERO(x->absences, json_length(list));
    for (const cJSON *item = list->child; item; item = item->next) {
        explained_absence *absence = &x->absences[x->absence_count];
        const char *why;
        TRY(explain_find_node(&absence->from, x, cJSON_GetObjectItemCaseSensitive(item, "source")));
        TRY(explain_find_node(&absence->to, x, cJSON_GetObjectItemCaseSensitive(item, "target")));
        TRY(json_string(&why, item, "why"));
        TRY(explain_keep_text(&absence->why, x, why));
        x->absence_count++;
    }
cleanup:
    if (status == SCONE_ERR_INPUT) status_prefix("\"left_out\" %zu", x->absence_count + 1);
    return status;
}

scone_status explain_read_variables(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *method;
    TRY(explain_read_targets(&x->targets, x, root));
    TRY(read_absences(x, root));
    TRY(json_object_of(&method, root, "method"));
    TRY(json_double(&x->threshold, method, "threshold"));
    TRY(json_double(&x->alpha, method, "alpha"));
cleanup:
    return status;
}

/* Hands the text to the arena. */
static scone_status finish(const char **out, scone_explanation *x, growing *text)
{
    char *bytes;
    scone_status status = growing_finish(&bytes, text);
    if (status != SCONE_OK) return status;
    status = explain_keep_text(out, x, bytes);
    mem_free(bytes);
    return status;
}

/* ---- one variable ---- */

/* A list that goes on in the next line where it is long. */
typedef struct wrapped_list {
    growing *out;
    size_t line, count; /* where the line starts; items so far */
} wrapped_list;

enum { LINE_LIMIT = 98, CHANGES_TOLD = 20 };

static void add_item(wrapped_list *list, const char *head, const char *name, double probability)
{
    if (list->count == 0) {
        list->line = list->out->length;
        growing_print(list->out, "  %s: ", head);
    } else if (list->out->length + strlen(name) + 8 > list->line + LINE_LIMIT) {
        growing_print(list->out, ",\n    ");
        list->line = list->out->length - 4;
    } else {
        growing_print(list->out, ", ");
    }
    growing_print(list->out, "%s (%.2f)", name, probability);
    list->count++;
}

/* A sentence without its full stop, over as many lines as it takes. */
static void say_wrapped(growing *out, const char *head, const char *text)
{
    size_t line = out->length;
    growing_print(out, "  %s:", head);
    while (*text) {
        size_t length = strcspn(text, " ");
        if (out->length + length + 2 > line + LINE_LIMIT) {
            growing_print(out, "\n   ");
            line = out->length - 3;
        }
        growing_print(out, " %.*s", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
    growing_print(out, ".\n");
}

typedef enum neighbour_kind { CAUSE, EFFECT, OPEN } neighbour_kind;

/* The neighbours of one kind with the probabilities of their edges, the strongest first. */
static void say_neighbours(growing *out, const scone_explanation *x, size_t node,
                           neighbour_kind kind)
{
    static const char *const heads[] = {"Causes", "Effects", "Cause or effect"};
    wrapped_list list = {.out = out};
    for (size_t e = 0; e < x->edge_count; e++) {
        const explained_edge *edge = &x->edges[e];
        const scone_explained *shown = &x->shown[e];
        bool from = edge->from == node;
        neighbour_kind is = edge->undirected ? OPEN : from ? EFFECT : CAUSE;
        if ((!from && edge->to != node) || is != kind) continue;
        add_item(&list, heads[kind], x->names[from ? edge->to : edge->from],
                 kind == OPEN ? 1.0 - shown->p_none : shown->p_forward);
    }
    if (list.count > 0) {
        growing_print(out, ".\n");
    } else if (kind != OPEN) {
        growing_print(out, "  %s: none.\n", heads[kind]);
    }
}

static void say_two_tables(growing *out, const scone_explanation *x, const explained_target *target)
{
    growing_print(out,
                  "  Its mechanism %s: %s given its causes, evidence of %.1f decimal digits\n"
                  "    (false discovery rate %g).\n",
                  target->target ? "changed between the tables" : "is not found to have changed",
                  explain_show_p(target->p_value).text, target->evidence, x->alpha);
    say_wrapped(out, "Why", target->reason);
}

/* Changed ones first, then by size, then by name. */
static int compare_changes(const void *left, const void *right)
{
    const scone_explained_change *a = *(const scone_explained_change *const *)left;
    const scone_explained_change *b = *(const scone_explained_change *const *)right;
    if (a->target != b->target) return a->target ? -1 : 1;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return (a > b) - (a < b);
}

/* "In low, by 1.3 sd (p = 1e-20, evidence of 19.6 decimal digits): moved by ..." */
static scone_status say_change(growing *out, const scone_explained_change *change)
{
    growing head = {0};
    char *text;
    growing_print(&head, "In %s, by %.2g sd (%s, evidence of %.1f decimal digits)",
                  change->condition, change->size, explain_show_p(change->p_value).text,
                  change->evidence);
    scone_status status = growing_finish(&text, &head);
    if (status != SCONE_OK) return status;
    say_wrapped(out, text, change->reason);
    mem_free(text);
    return SCONE_OK;
}

/* The conditions in which it changed, the farthest first, and of the others the one where it moved
 * farthest. sorted [change_count]: scratch. */
static scone_status say_changes(growing *out, const scone_explanation *x,
                                const scone_explained_variable *variable,
                                const scone_explained_change **sorted)
{
    scone_status status = SCONE_OK;
    size_t count = variable->change_count, changed = 0;
    for (size_t k = 0; k < count; k++) {
        sorted[k] = &variable->changes[k];
        changed += sorted[k]->target;
    }
    qsort(sorted, count, sizeof(const scone_explained_change *), compare_changes);
    growing_print(out,
                  "  Its mechanism is found to have changed in %zu of %zu conditions (false "
                  "discovery rate %g).\n",
                  changed, count, x->alpha);
    for (size_t k = 0; k < changed && k < CHANGES_TOLD; k++) TRY(say_change(out, sorted[k]));
    if (changed > CHANGES_TOLD) {
        growing_print(out, "  And in %zu more, by at most %.2g sd; %s/targets.csv has them.\n",
                      changed - CHANGES_TOLD, sorted[CHANGES_TOLD]->size, x->folder);
    }
    if (changed < count) {
        growing_print(out, "  Not called changed in %zu; the farthest of these:\n",
                      count - changed);
        TRY(say_change(out, sorted[changed]));
    }
cleanup:
    return status;
}

static scone_status list_changes(scone_explained_variable *variable, scone_explanation *x,
                                 size_t node)
{
    scone_explained_change *changes =
        arena_get(x->memory, x->condition_count, sizeof(scone_explained_change));
    if (!changes) return SCONE_ERR_MEMORY;
    for (size_t k = 0; k < x->condition_count; k++) {
        const explained_target *target = &x->conditions[k].targets[node];
        changes[k] = (scone_explained_change){.condition = x->condition_names[k],
                                              .target = target->target,
                                              .size = target->size,
                                              .p_value = target->p_value,
                                              .evidence = target->evidence,
                                              .reason = target->reason};
    }
    variable->changes = changes;
    variable->change_count = x->condition_count;
    return SCONE_OK;
}

scone_status scone_explain_variable(scone_explained_variable *variable, scone_explanation *x,
                                    const char *name)
{
    scone_status status = SCONE_OK;
    const scone_explained_change **sorted = NULL;
    size_t node;
    growing out = {0};
    TRY(explain_find_name(&node, x, name));
    const explained_target *target = &x->targets[node];
    *variable = (scone_explained_variable){.name = x->names[node],
                                           .target = target->target,
                                           .size = target->size,
                                           .p_value = target->p_value,
                                           .evidence = target->evidence,
                                           .reason = target->reason};
    growing_print(&out, "%s\n", variable->name);
    if (x->condition_count == 0) {
        say_two_tables(&out, x, target);
    } else {
        TRY_ALLOC(sorted, x->condition_count);
        TRY(list_changes(variable, x, node));
        TRY(say_changes(&out, x, variable, sorted));
    }
    say_neighbours(&out, x, node, CAUSE);
    say_neighbours(&out, x, node, EFFECT);
    say_neighbours(&out, x, node, OPEN);
    TRY(finish(&variable->text, x, &out));
cleanup:
    mem_free(sorted);
    mem_free(out.text);
    return status;
}

/* ---- two variables ---- */

/* The place of a name in the matrix, or SIZE_MAX. */
static size_t find_row(const probability_matrix *matrix, const char *name)
{
    for (size_t i = 0; matrix->names && i < matrix->nodes; i++) {
        if (strcmp(matrix->names[i], name) == 0) return i;
    }
    return SIZE_MAX;
}

static scone_status read_probabilities(scone_explained_pair *pair, const scone_explanation *x)
{
    scone_status status = SCONE_OK;
    probability_matrix matrix = {0};
    char *path = NULL;
    TRY(path_join(&path, x->folder, "probabilities.csv"));
    TRY(eval_probabilities_read(&matrix, path));
    size_t i = find_row(&matrix, pair->first), j = find_row(&matrix, pair->second);
    if (i == SIZE_MAX || j == SIZE_MAX) {
        FAIL(SCONE_ERR_INPUT, "%s does not have the variables of graph.json; it is damaged", path);
    }
    pair->p_forward = matrix.values[i * matrix.nodes + j];
    pair->p_backward = matrix.values[j * matrix.nodes + i];
    double none = 1.0 - pair->p_forward - pair->p_backward;
    pair->p_none = none > 0.0 ? none : 0.0; /* not below by rounding */
cleanup:
    eval_probabilities_free(&matrix);
    mem_free(path);
    return status;
}

static void say_pair(growing *out, const scone_explained_pair *pair, const scone_explanation *x,
                     const size_t nodes[2], bool adjacent)
{
    growing_print(out, "There is %s edge between %s and %s in this graph.\n",
                  adjacent ? "an" : "no", pair->first, pair->second);
    growing_print(out, "  Probabilities: %s -> %s %.2f, %s -> %s %.2f, no edge %.2f.\n",
                  pair->first, pair->second, pair->p_forward, pair->second, pair->first,
                  pair->p_backward, pair->p_none);
    growing_print(out, "  The graph has an edge where both directions together reach %.2f.\n",
                  pair->threshold);
    for (size_t a = 0; !adjacent && a < x->absence_count; a++) {
        const explained_absence *absence = &x->absences[a];
        bool about = (absence->from == nodes[0] && absence->to == nodes[1]) ||
                     (absence->from == nodes[1] && absence->to == nodes[0]);
        if (about)
            growing_print(out, "  %s -> %s is left out: %s.\n", x->names[absence->from],
                          x->names[absence->to], absence->why);
    }
}

scone_status scone_explain_pair(scone_explained_pair *pair, scone_explanation *x, const char *first,
                                const char *second)
{
    scone_status status = SCONE_OK;
    size_t nodes[2], edge;
    growing out = {0};
    *pair = (scone_explained_pair){.threshold = x->threshold};
    TRY(explain_find_name(&nodes[0], x, first));
    TRY(explain_find_name(&nodes[1], x, second));
    if (nodes[0] == nodes[1]) {
        FAIL(SCONE_ERR_INPUT, "give two variables, not '%s' twice", SHOW(first, strlen(first)));
    }
    pair->first = x->names[nodes[0]];
    pair->second = x->names[nodes[1]];
    TRY(read_probabilities(pair, x));
    TRY(scone_explain_find(&edge, x, first, second));
    say_pair(&out, pair, x, nodes, edge != SIZE_MAX);
    TRY(finish(&pair->text, x, &out));
cleanup:
    return status;
}
