/* cmd_discover_found.c - the result of a discovery as a user is told about it (see
 * cmd_discover_found.h): the targets, the strongest edges, and what is uncertain.
 */
#include "cmd_discover_found.h"

#include "cmd_discover_many.h"
#include "labels.h"
#include "launch.h"
#include "printing.h"

#include <stdlib.h>
#include <string.h>

enum { STRONGEST = 10, UNCERTAIN = 5 };

/* The result with the names of its variables as the text shows them. */
typedef struct told_result {
    const scone_result *result;
    const found_request *request;
    label_list labels;
} told_result;

static int make_labels(told_result *told)
{
    size_t count = scone_result_variables(told->result);
    const char **names = calloc(count + 1, sizeof *names);
    for (size_t v = 0; names && v < count; v++) names[v] = scone_result_name(told->result, v);
    int code = names ? labels_make(&told->labels, names, count) : SCONE_ERR_MEMORY;
    if (!names) complain("out of memory while printing the result");
    free(names);
    return code;
}

static const char *variable(const told_result *told, size_t index)
{
    return told->labels.texts[index];
}

/* ---- text ---- */

static void print_head(FILE *stream, const scone_result *result, const found_request *request)
{
    size_t edges = scone_result_edges(result), undirected = 0;
    size_t variables = scone_result_variables(result);
    for (size_t e = 0; e < edges; e++) undirected += scone_result_edge(result, e)->undirected;
    size_t conditions = scone_result_conditions(result);
    (void)fprintf(stream, "%zu %s, %zu rows ", variables,
                  plural(variables, "variable", "variables"), request->rows[0]);
    if (conditions > 0) {
        (void)fprintf(stream, "of the control and %zu of %zu conditions", request->rows[1],
                      conditions);
    } else {
        (void)fprintf(stream, "before and %zu after the change", request->rows[1]);
    }
    (void)fprintf(stream, ": %zu %s", edges, plural(edges, "edge", "edges"));
    if (undirected) (void)fprintf(stream, ", %zu of them without a direction", undirected);
    (void)fprintf(stream, "\n\n");
}

static void print_targets(FILE *stream, const told_result *told)
{
    const scone_result *result = told->result;
    size_t count = 0, variables = scone_result_variables(result), column = 0;
    for (size_t t = 0; t < variables; t++) count += scone_result_target(result, t)->target;
    if (count == 0) {
        (void)fprintf(stream, "No mechanism is found to have changed (false discovery rate %g).\n",
                      told->request->alpha);
        return;
    }
    column = (size_t)fprintf(stream, "%s that changed, and by how many standard deviations:",
                             count == 1 ? "The mechanism" : "Mechanisms");
    for (size_t t = 0, shown = 0; t < variables; t++) {
        const scone_target *target = scone_result_target(result, t);
        if (!target->target) continue;
        const char *name = variable(told, target->variable);
        char size[32];
        int digits = snprintf(size, sizeof size, " (%.2g)", target->size);
        size_t length = labels_width(name) + 2 + (size_t)digits;
        if (column + length > 78) {
            (void)fprintf(stream, "\n   ");
            column = 3;
        }
        (void)fprintf(stream, " %s%s%s", name, size, ++shown < count ? "," : "");
        column += length;
    }
    (void)fprintf(stream, "\n");
}

static void edge_row(text_table *table, const told_result *told, const scone_edge *edge)
{
    table_row(table);
    table_cell(table, 0, "  %s %s %s", variable(told, edge->source), edge->undirected ? "-" : "->",
               variable(told, edge->target));
    table_number(table, 1, 2, edge->p_forward);
    table_number(table, 2, 2, edge->p_backward);
    table_number(table, 3, 2, edge->p_none);
    table_cell(table, 4, "%s", edge->why);
}

static int print_edges(FILE *stream, const told_result *told)
{
    const scone_result *result = told->result;
    static const char *const heads[] = {"Strongest edges", "forward", "backward", "none", "why"};
    size_t edges = scone_result_edges(result);
    if (edges == 0) {
        (void)fprintf(stream, "\nNo edges were found.\n");
        return SCONE_OK;
    }
    text_table table;
    (void)fprintf(stream, "\n");
    table_begin(&table, 5);
    table.left[4] = true;
    table_row(&table);
    for (size_t h = 0; h < 5; h++) table_cell(&table, h, "%s", heads[h]);
    for (size_t e = 0; e < edges && e < STRONGEST; e++) {
        edge_row(&table, told, scone_result_edge(result, e));
    }
    int code = table_print(&table, stream);
    if (edges > STRONGEST) {
        (void)fprintf(stream, "  and %zu more in %s/edges.csv\n", edges - STRONGEST,
                      told->request->folder);
    }
    return code;
}

/* ---- what is uncertain ---- */

/* A pair whose edge, or its absence, was a close decision. */
typedef struct close_pair {
    size_t first, second;
    double likely; /* P(edge) */
    double doubt;  /* distance from the threshold */
} close_pair;

/* The closer decision first; ties fall by name, so that the order of the columns does not show. */
static bool comes_before(const scone_result *result, const close_pair *a, const close_pair *b)
{
    if (a->doubt != b->doubt) return a->doubt < b->doubt;
    int order = strcmp(scone_result_name(result, a->first), scone_result_name(result, b->first));
    if (order != 0) return order < 0;
    return strcmp(scone_result_name(result, a->second), scone_result_name(result, b->second)) < 0;
}

/* Keeps the first UNCERTAIN in order. */
static void keep_closest(close_pair *list, size_t *count, const scone_result *result,
                         close_pair pair)
{
    size_t at = *count;
    while (at > 0 && comes_before(result, &pair, &list[at - 1])) at--;
    if (at == UNCERTAIN) return;
    if (*count < UNCERTAIN) (*count)++;
    memmove(list + at + 1, list + at, (*count - at - 1) * sizeof *list);
    list[at] = pair;
}

/* Pairs within 0.15 of the threshold, each with its likelier cause first. */
static void find_close(close_pair *list, size_t *count, const scone_result *result,
                       double threshold)
{
    size_t variables = scone_result_variables(result);
    *count = 0;
    for (size_t i = 0; i < variables; i++) {
        for (size_t j = 0; j < variables; j++) {
            double forward = scone_result_probability(result, i, j);
            double backward = scone_result_probability(result, j, i);
            double likely = forward + backward;
            double doubt = likely < threshold ? threshold - likely : likely - threshold;
            if (i == j || forward < backward || doubt > 0.15) continue;
            bool once = forward > backward ||
                        strcmp(scone_result_name(result, i), scone_result_name(result, j)) < 0;
            if (once) keep_closest(list, count, result, (close_pair){i, j, likely, doubt});
        }
    }
}

static void print_uncertain(FILE *stream, const told_result *told)
{
    const scone_result *result = told->result;
    close_pair list[UNCERTAIN + 1];
    size_t count, open = 0;
    find_close(list, &count, result, told->request->threshold);
    for (size_t e = 0; e < scone_result_edges(result); e++) {
        open += scone_result_edge(result, e)->undirected;
    }
    if (count == 0 && open == 0) return;
    (void)fprintf(stream, "\nUncertain\n");
    for (size_t e = 0, shown = 0; e < scone_result_edges(result) && shown < UNCERTAIN; e++) {
        const scone_edge *edge = scone_result_edge(result, e);
        if (!edge->undirected) continue;
        shown++;
        (void)fprintf(stream, "  which of %s and %s is the cause\n", variable(told, edge->source),
                      variable(told, edge->target));
    }
    if (open > UNCERTAIN) (void)fprintf(stream, "  and %zu more directions\n", open - UNCERTAIN);
    for (size_t c = 0; c < count; c++) {
        bool there = scone_graph_mark(scone_result_graph(result), list[c].first, list[c].second) !=
                     SCONE_MARK_NONE;
        (void)fprintf(stream, "  whether %s and %s are connected (%.2f; %s in the graph)\n",
                      variable(told, list[c].first), variable(told, list[c].second), list[c].likely,
                      there ? "they are" : "they are not");
    }
}

static void print_conflicts(FILE *stream, const scone_result *result)
{
    size_t count = scone_result_conflicts(result);
    if (count == 0) return;
    (void)fprintf(stream, "\nConflicts between rules and the rest\n");
    for (size_t c = 0; c < count && c < UNCERTAIN; c++) {
        (void)fprintf(stream, "  %s\n", scone_result_conflict(result, c));
    }
    if (count > UNCERTAIN) {
        (void)fprintf(stream, "  and %zu more in graph.json\n", count - UNCERTAIN);
    }
}

int found_text(FILE *stream, const scone_result *result, const found_request *request)
{
    told_result told = {.result = result, .request = request};
    int code = make_labels(&told);
    if (code == SCONE_OK) {
        print_head(stream, result, request);
        if (scone_result_conditions(result) > 0) {
            code = found_many_text(stream, result, request, &told.labels);
        } else {
            print_targets(stream, &told);
        }
        if (code == SCONE_OK) code = print_edges(stream, &told);
        print_uncertain(stream, &told);
        print_conflicts(stream, result);
        (void)fprintf(stream,
                      "\n%s/report.html shows the graph; edges.csv, targets.csv and the rest are "
                      "beside it.\nscone explain %s tells the reasons.\n",
                      request->folder, request->folder);
    }
    labels_free(&told.labels);
    return code;
}

/* ---- JSON ---- */

static void json_edges(json *j, const scone_result *result)
{
    cJSON *array = json_array(j, j->root, "edges");
    for (size_t e = 0; e < scone_result_edges(result); e++) {
        const scone_edge *edge = scone_result_edge(result, e);
        cJSON *object = json_append_object(j, array);
        json_text(j, object, "source", scone_result_name(result, edge->source));
        json_text(j, object, "target", scone_result_name(result, edge->target));
        json_text(j, object, "kind", edge->undirected ? "undirected" : "directed");
        json_number(j, object, "p_forward", edge->p_forward);
        json_number(j, object, "p_backward", edge->p_backward);
        json_number(j, object, "p_none", edge->p_none);
        json_text(j, object, "why", edge->why);
    }
}

static void json_target(json *j, cJSON *array, const scone_result *result, const char *condition,
                        const scone_target *target)
{
    cJSON *object = json_append_object(j, array);
    json_text(j, object, "condition", condition);
    json_text(j, object, "variable", scone_result_name(result, target->variable));
    json_flag(j, object, "target", target->target);
    json_number(j, object, "size", target->size);
    json_number(j, object, "p_value", target->p_value);
    json_number(j, object, "evidence", target->evidence);
    json_text(j, object, "reason", target->reason);
}

/* The rows of targets.csv. */
static void json_targets(json *j, const scone_result *result)
{
    cJSON *targets = json_array(j, j->root, "targets");
    size_t variables = scone_result_variables(result), conditions = scone_result_conditions(result);
    for (size_t t = 0; conditions == 0 && t < variables; t++) {
        json_target(j, targets, result, scone_result_changed_name(result),
                    scone_result_target(result, t));
    }
    for (size_t k = 0; k < conditions; k++) {
        for (size_t t = 0; t < variables; t++) {
            json_target(j, targets, result, scone_result_condition(result, k),
                        scone_result_condition_target(result, k, t));
        }
    }
}

int found_json(FILE *stream, const scone_result *result, const found_request *request)
{
    json j;
    json_begin(&j);
    json_text(&j, j.root, "folder", request->folder);
    json_number(&j, j.root, "variables", (double)scone_result_variables(result));
    cJSON *rows = json_array(&j, j.root, "rows");
    for (int regime = 0; regime < 2; regime++) {
        json_append_number(&j, rows, (double)request->rows[regime]);
    }
    if (scone_result_conditions(result) > 0) found_many_json(&j, result);
    json_targets(&j, result);
    json_edges(&j, result);
    cJSON *conflicts = json_array(&j, j.root, "conflicts");
    for (size_t c = 0; c < scone_result_conflicts(result); c++) {
        const char *text = scone_result_conflict(result, c);
        json_append_text(&j, conflicts, text, strlen(text));
    }
    cJSON *warnings = json_array(&j, j.root, "warnings");
    for (size_t w = 0; w < scone_result_warnings(result); w++) {
        const char *text = scone_result_warning(result, w);
        json_append_text(&j, warnings, text, strlen(text));
    }
    cJSON *stages = json_object(&j, j.root, "seconds");
    for (size_t s = 0; s < scone_result_stages(result); s++) {
        const scone_stage *stage = scone_result_stage(result, s);
        json_number(&j, stages, stage->name, stage->seconds);
    }
    return json_print(&j, stream);
}
