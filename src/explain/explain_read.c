/* explain_read.c - graph.json with its certificates, read back and checked (see explain.h). */
#include "explain/explain.h"

#include "io/file.h"
#include "graph/format/format.h"
#include "text/text.h"
#include "text/json_read.h"
#include "text/names.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

scone_status explain_keep_text(const char **out, scone_explanation *x, const char *text)
{
    *out = arena_text(x->memory, text, strlen(text));
    return *out ? SCONE_OK : SCONE_ERR_MEMORY;
}

static scone_status read_names(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    TRY(json_list(&list, root, "nodes"));
    size_t count = json_length(list), n = 0;
    if (count > FORMAT_NODE_LIMIT) FAIL(SCONE_ERR_INPUT, "more than %d nodes", FORMAT_NODE_LIMIT);
    TRY_ALLOC(x->names, count);
    TRY_ALLOC(x->by_name, count);
    for (const cJSON *item = list->child; item; item = item->next, n++) {
        if (!cJSON_IsString(item)) FAIL(SCONE_ERR_INPUT, "node %zu: not a name", n + 1);
        TRY(explain_keep_text(&x->names[n], x, item->valuestring));
    }
    names_sort(x->by_name, x->names, count);
    size_t again = names_repeated(x->by_name, count);
    if (again < count) {
        const char *name = x->by_name[again].name;
        FAIL(SCONE_ERR_INPUT, "two nodes are named \"%s\"", SHOW(name, strlen(name)));
    }
    x->count = count;
cleanup:
    return status;
}

scone_status explain_find_node(size_t *node, const scone_explanation *x, const cJSON *item)
{
    *node = cJSON_IsString(item) ? names_find(x->by_name, x->count, item->valuestring) : SIZE_MAX;
    if (*node != SIZE_MAX) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "a name is not among the nodes; the file is damaged");
}

static scone_status read_node(size_t *node, const scone_explanation *x, const cJSON *object,
                              const char *name)
{
    return explain_find_node(node, x, cJSON_GetObjectItemCaseSensitive(object, name));
}

/* ---- closure and edges ---- */

/* The nodes of a rule from its premises (report_graph_json.c writes them). */
static scone_status read_step(meek_reason *step, const scone_explanation *x, const cJSON *object)
{
    scone_status status = SCONE_OK;
    const char *rule;
    const cJSON *premises;
    size_t from, to, ends[2][2] = {{0}}, count = 0;
    TRY(json_string(&rule, object, "rule"));
    TRY(read_node(&from, x, object, "source"));
    TRY(read_node(&to, x, object, "target"));
    TRY(json_list(&premises, object, "premises"));
    for (const cJSON *item = premises->child; item; item = item->next, count++) {
        if (count == 2 || !cJSON_IsArray(item) || json_length(item) != 2) {
            FAIL(SCONE_ERR_INPUT, "premises that no rule has; the file is damaged");
        }
        TRY(explain_find_node(&ends[count][0], x, item->child));
        TRY(explain_find_node(&ends[count][1], x, item->child->next));
    }
    *step = (meek_reason){.from = (uint32_t)from,
                          .to = (uint32_t)to,
                          .first = (uint32_t)ends[0][0],
                          .second = MEEK_NO_NODE};
    size_t number = strlen(rule) == 2 && rule[0] == 'R' ? (size_t)(rule[1] - '0') : 0;
    if (number < MEEK_R1 || number > MEEK_R4 || count != (number == 1 ? 1u : 2u)) {
        FAIL(SCONE_ERR_INPUT, "a rule that is not R1 to R4 with its premises; the file is damaged");
    }
    step->rule = (meek_rule)number;
    if (number == MEEK_R2) step->first = (uint32_t)ends[0][1];
    if (number == MEEK_R3) step->second = (uint32_t)ends[1][0];
    if (number == MEEK_R4) {
        step->first = (uint32_t)ends[0][1];
        step->second = (uint32_t)ends[0][0];
    }
    bool apart = step->from != step->to && step->first != step->from && step->first != step->to &&
                 step->second != step->from && step->second != step->to &&
                 step->second != step->first;
    if (!apart) FAIL(SCONE_ERR_INPUT, "a rule about one variable twice; the file is damaged");
cleanup:
    return status;
}

static scone_status read_cause(explained_edge *edge, const scone_explanation *x,
                               const cJSON *object)
{
    static const char *const words[] = {"search",    "required", "forbidden",
                                        "extension", "closure",  "rule"};
    const char *cause;
    scone_status status = json_string(&cause, object, "cause");
    if (status != SCONE_OK) return status;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (strcmp(cause, words[w]) != 0) continue;
        edge->cause = (decode_cause)w; /* in the order of decode_cause */
        if (edge->cause != DECODE_MEEK) return SCONE_OK;
        status = json_whole(&edge->step, object, "step", 1, x->step_count);
        edge->step--;
        return status;
    }
    return RAISE(SCONE_ERR_INPUT, "the cause \"%s\" is not known; the file is damaged",
                 SHOW(cause, strlen(cause)));
}

/* A number of nats; NaN where the file has none. */
static double read_nats(const cJSON *object, const char *name)
{
    const cJSON *member = json_optional(object, name);
    bool known = cJSON_IsNumber(member) && isfinite(member->valuedouble);
    return known ? member->valuedouble : (double)NAN;
}

static scone_status read_edge(scone_explanation *x, const cJSON *object, size_t place)
{
    scone_status status = SCONE_OK;
    explained_edge *edge = &x->edges[place];
    scone_explained *shown = &x->shown[place];
    const char *kind, *why;
    TRY(read_node(&edge->from, x, object, "source"));
    TRY(read_node(&edge->to, x, object, "target"));
    TRY(json_string(&kind, object, "kind"));
    edge->undirected = strcmp(kind, "undirected") == 0;
    if (edge->from == edge->to || (!edge->undirected && strcmp(kind, "directed") != 0)) {
        FAIL(SCONE_ERR_INPUT, "neither directed nor undirected between two variables");
    }
    TRY(read_cause(edge, x, object));
    TRY(json_string(&why, object, "why"));
    TRY(explain_keep_text(&shown->why, x, why));
    TRY(json_double(&shown->p_forward, object, "p_forward"));
    TRY(json_double(&shown->p_backward, object, "p_backward"));
    TRY(json_double(&shown->p_none, object, "p_none"));
    edge->worth = read_nats(object, "worth");
    edge->turned = read_nats(object, "turned");
    shown->source = x->names[edge->from];
    shown->target = x->names[edge->to];
    shown->undirected = edge->undirected;
cleanup:
    if (status == SCONE_ERR_INPUT) status_prefix("edge %zu", place + 1);
    return status;
}

/* A file of a preset that this version does not know is told of as if it were a search's. */
static scone_status read_voice(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *method;
    const char *name;
    TRY(json_object_of(&method, root, "method"));
    TRY(json_string(&name, method, "preset"));
    x->voice = preset_voice(name);
cleanup:
    return status;
}

static scone_status read_graph(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *closure, *edges;
    TRY(json_list(&closure, root, "closure"));
    TRY_ALLOC(x->steps, json_length(closure));
    for (const cJSON *item = closure->child; item; item = item->next, x->step_count++) {
        status = read_step(&x->steps[x->step_count], x, item);
        if (status == SCONE_ERR_INPUT) status_prefix("closure step %zu", x->step_count + 1);
        if (status != SCONE_OK) goto cleanup;
    }
    TRY(json_list(&edges, root, "edges"));
    size_t count = json_length(edges);
    TRY_ZERO(x->edges, count);
    TRY_ZERO(x->shown, count);
    for (const cJSON *item = edges->child; item; item = item->next, x->edge_count++) {
        TRY(read_edge(x, item, x->edge_count));
    }
cleanup:
    return status;
}

/* ---- the file ---- */

static scone_status read_graph_json(scone_explanation *x, const char *path)
{
    scone_status status = SCONE_OK;
    cJSON *root = NULL;
    const char *format;
    TRY(json_load(&root, path));
    status = json_string(&format, root, "format");
    if (status == SCONE_OK && strcmp(format, "scone-graph") != 0) {
        status = RAISE(SCONE_ERR_INPUT, "not a graph as scone writes it");
    }
    if (status == SCONE_OK && !json_optional(root, "certificates")) {
        status = RAISE(SCONE_ERR_INPUT, "it holds a graph without its reasons; scone discover "
                                        "writes one with them");
    }
    if (status == SCONE_OK) status = read_names(x, root);
    if (status == SCONE_OK) status = read_voice(x, root);
    if (status == SCONE_OK) status = read_graph(x, root);
    if (status == SCONE_OK) status = explain_read_conditions(x, root);
    if (status == SCONE_OK) status = explain_read_reasons(x, root);
    if (status == SCONE_OK) status = explain_read_variables(x, root);
    if (status == SCONE_OK) status = explain_read_stages(x, root);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
cleanup:
    cJSON_Delete(root);
    return status;
}

scone_status scone_explain_read(scone_explanation **out, const char *folder)
{
    scone_status status = SCONE_OK;
    scone_explanation *x = NULL;
    char *path = NULL;
    *out = NULL;
    TRY_ZERO(x, 1);
    TRY(arena_alloc(&x->memory, 0));
    TRY(explain_keep_text(&x->folder, x, folder));
    if (!path_is_folder(folder)) {
        FAIL(path_exists(folder) ? SCONE_ERR_INPUT : SCONE_ERR_IO,
             "%s is not a folder; give the one that scone discover wrote (-o)", folder);
    }
    TRY(path_join(&path, folder, "graph.json"));
    TRY(read_graph_json(x, path));
    mem_free(path);
    TRY(path_join(&path, folder, "run.json"));
    TRY(explain_read_run(x, path));
    TRY_ZERO(x->confirmed, x->reasons.count);
    TRY(explain_words(x));
    *out = x;
    x = NULL;
cleanup:
    mem_free(path);
    scone_explain_free(x);
    return status;
}

void scone_explain_free(scone_explanation *x)
{
    if (!x) return;
    arena_free(x->memory);
    mem_free(x->names);
    mem_free(x->by_name);
    mem_free(x->edges);
    mem_free(x->shown);
    mem_free(x->steps);
    mem_free(x->targets);
    mem_free(x->absences);
    for (size_t s = 0; s < STAGES_MOST; s++) mem_free(x->stages[s].links);
    reasons_free(&x->reasons);
    for (size_t k = 0; k < x->condition_count; k++) mem_free(x->conditions[k].targets);
    mem_free(x->conditions);
    mem_free(x->condition_names);
    mem_free(x->by_condition);
    mem_free(x->inputs);
    mem_free(x->files);
    mem_free(x->confirmed);
    mem_free(x->doubts);
    mem_free(x);
}

/* ---- looking ---- */

size_t scone_explain_count(const scone_explanation *x)
{
    return x->edge_count;
}

const scone_explained *scone_explain_get(const scone_explanation *x, size_t index)
{
    return &x->shown[index];
}

scone_status explain_find_name(size_t *node, const scone_explanation *x, const char *name)
{
    *node = names_find(x->by_name, x->count, name);
    if (*node != SIZE_MAX) return SCONE_OK;
    const char *near = names_nearest(x->by_name, x->count, name);
    return RAISE(SCONE_ERR_INPUT, "there is no variable '%s' in %s/graph.json%s%s%s",
                 SHOW(name, strlen(name)), x->folder, near ? "; did you mean '" : "",
                 near ? SHOW(near, strlen(near)) : "; its nodes have the names", near ? "'?" : "");
}

scone_status scone_explain_find(size_t *index, const scone_explanation *x, const char *first,
                                const char *second)
{
    const char *const names[2] = {first, second};
    size_t nodes[2];
    for (int n = 0; n < 2; n++) {
        scone_status status = explain_find_name(&nodes[n], x, names[n]);
        if (status != SCONE_OK) return status;
    }
    *index = SIZE_MAX;
    for (size_t e = 0; e < x->edge_count; e++) {
        const explained_edge *edge = &x->edges[e];
        bool found = (edge->from == nodes[0] && edge->to == nodes[1]) ||
                     (edge->from == nodes[1] && edge->to == nodes[0]);
        if (found) *index = e;
    }
    return SCONE_OK;
}
