/* result.c - what scone_discover found: building it up and looking at it (see result.h). */
#include "discover/result.h"

#include "base/clock.h"
#include "graph/format/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void scone_result_free(scone_result *r)
{
    if (!r) return;
    arena_free(r->memory);
    mem_free(r->columns);
    mem_free(r->variables);
    mem_free(r->names);
    scone_graph_free(r->by_name);
    scone_graph_free(r->by_column);
    mem_free(r->probabilities);
    mem_free(r->kinds);
    mem_free(r->nodes);
    decoding_free(&r->decoded);
    reasons_free(&r->reasons);
    knowledge_free(r->known);
    mem_free(r->edges);
    mem_free(r->targets);
    mem_free(r->conflicts);
    mem_free(r->conflicting);
    mem_free(r->warnings);
    learned_free(r->model);
    mem_free(r);
}

/* ---- building ---- */

scone_status result_warn(scone_result *r, const scone_context *context, const char *format, ...)
{
    char text[STATUS_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->warning_count == r->warning_capacity) {
        size_t capacity = 2 * r->warning_capacity + 8;
        const char **grown = mem_resize(r->warnings, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        r->warnings = grown;
        r->warning_capacity = capacity;
    }
    const char *kept = arena_text(r->memory, text, strlen(text));
    if (!kept) return SCONE_ERR_MEMORY;
    r->warnings[r->warning_count++] = kept;
    context_log(context, SCONE_WARNING, "%s", text);
    return SCONE_OK;
}

/* The names of the nodes, in new memory. */
static scone_status name_nodes(const char ***out, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(*out, r->node_count);
    for (size_t i = 0; i < r->node_count; i++) (*out)[i] = r->names[r->nodes[i]];
cleanup:
    return status;
}

scone_status result_conflicts(scone_result *r, const scone_context *context)
{
    scone_status status = SCONE_OK;
    char *text = NULL;
    const char **names = NULL;
    TRY(name_nodes(&names, r));
    TRY_ALLOC(r->conflicts, r->reasons.count);
    TRY_ALLOC(r->conflicting, r->reasons.count);
    for (size_t i = 0; i < r->reasons.count; i++) {
        if (!reason_conflicts(&r->reasons.list[i])) continue;
        TRY(reasons_conflict(&text, &r->reasons, i, r->preset->voice, names));
        const char *kept = arena_text(r->memory, text, strlen(text));
        if (!kept) TRY(SCONE_ERR_MEMORY);
        r->conflicting[r->conflict_count] = i;
        r->conflicts[r->conflict_count++] = kept;
        mem_free(text);
        text = NULL;
    }
    if (r->conflict_count == 1) {
        TRY(result_warn(r, context, "%.600s", r->conflicts[0]));
    } else if (r->conflict_count > 1) {
        TRY(result_warn(r, context, "%.600s; and %zu more such conflicts (graph.json has all)",
                        r->conflicts[0], r->conflict_count - 1));
    }
cleanup:
    mem_free(names);
    mem_free(text);
    return status;
}

void result_stage(scone_result *r, const char *name)
{
    double now = clock_seconds();
    if (r->stage_count > 0) {
        scone_stage *last = &r->stages[r->stage_count - 1];
        if (last->seconds < 0.0) last->seconds = now - r->stage_started;
    }
    if (name && r->stage_count < RESULT_STAGES) {
        r->stages[r->stage_count++] = (scone_stage){name, -1.0};
        r->stage_started = now;
    }
}

static double probability(const scone_result *r, size_t from, size_t to)
{
    return r->probabilities[from * r->count + to];
}

static scone_status finish_edges(scone_result *r, const double *values)
{
    scone_status status = SCONE_OK;
    const char **node_names = NULL;
    knowledge *part = NULL;
    char *why = NULL;
    TRY_ALLOC(r->edges, r->decoded.count);
    TRY(name_nodes(&node_names, r));
    if (r->known) TRY(knowledge_restrict(&part, r->known, r->nodes, r->node_count));
    for (size_t e = 0; e < r->decoded.count; e++) {
        const decode_edge *edge = &r->decoded.edges[e];
        size_t from = r->nodes[edge->from], to = r->nodes[edge->to];
        double forward = probability(r, from, to), backward = probability(r, to, from);
        double with = values[edge->from * r->node_count + edge->to];
        double turned = with - values[edge->to * r->node_count + edge->from];
        TRY(reasons_why(&why, &r->reasons, &r->decoded, e, part, r->preset->voice, node_names));
        r->edges[e] = (scone_edge){.source = r->columns[from],
                                   .target = r->columns[to],
                                   .undirected = edge->undirected,
                                   .p_forward = forward,
                                   .p_backward = backward,
                                   .p_none = fmax(0.0, 1.0 - forward - backward),
                                   .worth = isfinite(with) ? with : (double)NAN,
                                   .turned = isfinite(turned) ? turned : (double)NAN,
                                   .why = arena_text(r->memory, why, strlen(why))};
        if (!r->edges[e].why) TRY(SCONE_ERR_MEMORY);
        mem_free(why);
        why = NULL;
    }
cleanup:
    mem_free(why);
    knowledge_free(part);
    mem_free(node_names);
    return status;
}

static scone_status finish_graphs(scone_result *r)
{
    scone_status status = SCONE_OK;
    const char **column_names = NULL;
    TRY(scone_graph_alloc(&r->by_name, r->count, r->names));
    TRY_ALLOC(column_names, r->count);
    for (size_t i = 0; i < r->count; i++) column_names[r->columns[i]] = r->names[i];
    TRY(scone_graph_alloc(&r->by_column, r->count, column_names));
    for (size_t e = 0; e < r->decoded.count; e++) {
        const scone_edge *edge = &r->edges[e];
        size_t from = r->variables[edge->source], to = r->variables[edge->target];
        scone_mark mark = edge->undirected ? SCONE_MARK_UNDIRECTED : SCONE_MARK_FORWARD;
        scone_graph_set(r->by_name, from, to, mark);
        scone_graph_set(r->by_column, edge->source, edge->target, mark);
    }
cleanup:
    mem_free(column_names);
    return status;
}

/* Strongest first; `variable` still counts by name, so that ties fall by name. */
static int compare_targets(const void *left, const void *right)
{
    const scone_target *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    if (a->p_value != b->p_value) return a->p_value < b->p_value ? -1 : 1;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

static scone_status finish_targets(scone_result *r, const target_test *tests)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(r->targets, r->count);
    for (size_t v = 0; v < r->count; v++) {
        r->targets[v] = (scone_target){v, tests[v].score, tests[v].p_value, tests[v].target};
    }
    if (r->count) qsort(r->targets, r->count, sizeof *r->targets, compare_targets);
    for (size_t v = 0; v < r->count; v++) {
        r->targets[v].variable = r->columns[r->targets[v].variable];
    }
cleanup:
    return status;
}

scone_status result_finish(scone_result *r, const target_test *tests, const double *values)
{
    scone_status status = SCONE_OK;
    TRY(finish_edges(r, values));
    TRY(finish_graphs(r));
    TRY(finish_targets(r, tests));
cleanup:
    return status;
}

/* ---- looking ---- */

size_t scone_result_variables(const scone_result *r)
{
    return r->count;
}

const char *scone_result_name(const scone_result *r, size_t variable)
{
    return r->names[r->variables[variable]];
}

const scone_graph *scone_result_graph(const scone_result *r)
{
    return r->by_column;
}

double scone_result_threshold(const scone_result *r)
{
    return r->options.threshold;
}

double scone_result_probability(const scone_result *r, size_t source, size_t target)
{
    return probability(r, r->variables[source], r->variables[target]);
}

size_t scone_result_edges(const scone_result *r)
{
    return r->decoded.count;
}

const scone_edge *scone_result_edge(const scone_result *r, size_t index)
{
    return &r->edges[index];
}

const scone_target *scone_result_target(const scone_result *r, size_t index)
{
    return &r->targets[index];
}

size_t scone_result_warnings(const scone_result *r)
{
    return r->warning_count;
}

const char *scone_result_warning(const scone_result *r, size_t index)
{
    return r->warnings[index];
}

size_t scone_result_conflicts(const scone_result *r)
{
    return r->conflict_count;
}

const char *scone_result_conflict(const scone_result *r, size_t index)
{
    return r->conflicts[index];
}

size_t scone_result_stages(const scone_result *r)
{
    return r->stage_count;
}

const scone_stage *scone_result_stage(const scone_result *r, size_t index)
{
    return &r->stages[index];
}
