/* result.c - what scone_discover found: building it up and looking at it (see result.h). */
#include "discover/result.h"

#include "graph/format/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void scone_result_free(scone_result *r)
{
    if (!r) return;
    request_free(&r->request);
    column_map_free(&r->map);
    knowledge_free(r->known);
    decoding_free(&r->decoded);
    reasons_free(&r->reasons);
    stages_free(&r->stages);
    mem_free(r->probabilities);
    scone_graph_free(r->by_name);
    scone_graph_free(r->by_column);
    mem_free(r->edges);
    mem_free(r->targets);
    mem_free(r->condition_names);
    mem_free(r->condition_rows);
    mem_free(r->files);
    mem_free(r->condition_targets);
    arena_free(r->memory);
    conflicts_free(&r->conflicts);
    warnings_free(&r->warnings);
    mem_free(r);
}

/* ---- building ---- */

/* Spreads the probabilities of the nodes over all variables. */
static scone_status make_probabilities(scone_result *r, const double *of_nodes)
{
    const column_map *m = &r->map;
    size_t cells;
    if (!size_multiply(&cells, m->count, m->count)) {
        return RAISE(SCONE_ERR_MEMORY, "out of memory: probabilities of %zu columns", m->count);
    }
    r->probabilities = mem_zero(cells, sizeof *r->probabilities);
    if (!r->probabilities) return SCONE_ERR_MEMORY;
    for (size_t i = 0; i < m->node_count; i++) {
        for (size_t j = 0; j < m->node_count; j++) {
            r->probabilities[m->nodes[i] * m->count + m->nodes[j]] =
                of_nodes[i * m->node_count + j];
        }
    }
    return SCONE_OK;
}

static double probability(const scone_result *r, size_t from, size_t to)
{
    return r->probabilities[from * r->map.count + to];
}

/* values: of the preset's answer; part: what is known, about nodes. */
static scone_status make_edges(scone_result *r, const double *values, const knowledge *part)
{
    scone_status status = SCONE_OK;
    const column_map *m = &r->map;
    char *why = NULL;
    TRY_ALLOC(r->edges, r->decoded.count);
    for (size_t e = 0; e < r->decoded.count; e++) {
        const decode_edge *edge = &r->decoded.edges[e];
        size_t from = m->nodes[edge->from], to = m->nodes[edge->to];
        double forward = probability(r, from, to), backward = probability(r, to, from);
        double with = values[edge->from * m->node_count + edge->to];
        double turned = with - values[edge->to * m->node_count + edge->from];
        TRY(reasons_why(&why, &r->reasons, &r->decoded, e, part, r->request.preset->voice,
                        m->node_names));
        r->edges[e] = (scone_edge){.source = m->columns[from],
                                   .target = m->columns[to],
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
    return status;
}

static scone_status make_graphs(scone_result *r)
{
    scone_status status = SCONE_OK;
    const column_map *m = &r->map;
    const char **column_names = NULL;
    TRY(scone_graph_alloc(&r->by_name, m->count, m->names));
    TRY_ALLOC(column_names, m->count);
    for (size_t i = 0; i < m->count; i++) column_names[m->columns[i]] = m->names[i];
    TRY(scone_graph_alloc(&r->by_column, m->count, column_names));
    for (size_t e = 0; e < r->decoded.count; e++) {
        const scone_edge *edge = &r->edges[e];
        size_t from = m->variables[edge->source], to = m->variables[edge->target];
        scone_mark mark = edge->undirected ? SCONE_MARK_UNDIRECTED : SCONE_MARK_FORWARD;
        scone_graph_set(r->by_name, from, to, mark);
        scone_graph_set(r->by_column, edge->source, edge->target, mark);
    }
cleanup:
    mem_free(column_names);
    return status;
}

/* A target with what decides between equal sizes. */
typedef struct ordered_target {
    scone_target shown;
    bool split; /* one value in each table: there is no spread to measure the move by */
    size_t onset;
} ordered_target;

/* Farthest first, then what left the control's range first: a cause moves before its effects.
 * `variable` still counts by name, so that other ties fall by name. */
static int compare_targets(const void *left, const void *right)
{
    const scone_target *a = &((const ordered_target *)left)->shown;
    const scone_target *b = &((const ordered_target *)right)->shown;
    size_t first = ((const ordered_target *)left)->onset;
    size_t second = ((const ordered_target *)right)->onset;
    bool split_first = ((const ordered_target *)left)->split;
    bool split_second = ((const ordered_target *)right)->split;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    if (split_first != split_second) return split_first ? 1 : -1;
    if (first != second) return first < second ? -1 : 1;
    if (a->evidence != b->evidence) return a->evidence > b->evidence ? -1 : 1;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

/* In the order in which a person should look; targets [variables]. */
static scone_status list_targets(scone_target *targets, const scone_result *r,
                                 const target_test *tests, const graph *dag)
{
    scone_status status = SCONE_OK;
    size_t count = r->map.count;
    ordered_target *list = NULL;
    char *text = NULL;
    TRY_ALLOC(list, count);
    for (size_t v = 0; v < count; v++) {
        const target_test *test = &tests[v];
        TRY(targets_reason(&text, test, v, &r->map, dag, r->request.options.alpha));
        list[v].onset = test->moved.onset;
        list[v].split = r->map.kinds[v] == VARIABLE_SPLIT;
        list[v].shown = (scone_target){.variable = v,
                                       .target = test->target,
                                       .size = test->moved.size,
                                       .p_value = test->p_value,
                                       .evidence = test->score,
                                       .reason = arena_text(r->memory, text, strlen(text))};
        if (!list[v].shown.reason) TRY(SCONE_ERR_MEMORY);
        mem_free(text);
        text = NULL;
    }
    if (count) qsort(list, count, sizeof *list, compare_targets);
    for (size_t v = 0; v < count; v++) {
        targets[v] = list[v].shown;
        targets[v].variable = r->map.columns[list[v].shown.variable];
    }
cleanup:
    mem_free(text);
    mem_free(list);
    return status;
}

static scone_status make_targets(scone_result *r, const discovery *d)
{
    scone_status status = SCONE_OK;
    size_t count = r->map.count, cells;
    TRY_ALLOC(r->targets, count);
    TRY(list_targets(r->targets, r, d->tests, d->dag));
    if (!size_multiply(&cells, r->conditions, count)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    if (r->conditions) TRY_ALLOC(r->condition_targets, cells);
    for (size_t k = 0; k < r->conditions; k++) {
        TRY(list_targets(r->condition_targets + k * count, r, d->condition_tests + k * count,
                         d->dag));
    }
cleanup:
    return status;
}

static scone_status keep_text(const char **out, scone_result *r, const char *text)
{
    *out = arena_text(r->memory, text, strlen(text));
    return *out ? SCONE_OK : SCONE_ERR_MEMORY;
}

/* The tables of several conditions: what they are called, where they are from, how long they are.
 */
static scone_status make_conditions(scone_result *r, const discovery *d)
{
    scone_status status = SCONE_OK;
    const scone_conditions *c = d->conditions;
    if (!c) return SCONE_OK;
    TRY_ALLOC(r->condition_names, c->count);
    TRY_ALLOC(r->condition_rows, c->count);
    TRY_ZERO(r->files, c->count + 1);
    for (size_t k = 0; k <= c->count; k++) {
        const input_list *inputs = &c->tables[k]->inputs;
        TRY(keep_text(k ? &r->condition_names[k - 1] : &r->control, r, c->names[k]));
        if (k) r->condition_rows[k - 1] = c->tables[k]->rows;
        if (inputs->count) TRY(keep_text(&r->files[k], r, inputs->records[0].path));
    }
    r->conditions = c->count;
    r->reasons.conditions = r->condition_names;
cleanup:
    return status;
}

/* Moves a field, so that its new owner alone frees it. */
#define TAKE(to, from) ((to) = (from), memset(&(from), 0, sizeof(from)))

scone_status result_make(scone_result **out, discovery *d)
{
    scone_status status = SCONE_OK;
    scone_result *r = NULL;
    /* Without rules there are no weighed probabilities, nor what follows from them. */
    decoding *last = d->reasoned.probabilities ? &d->reasoned.decoded : &d->decoded;
    TRY_ZERO(r, 1);
    TRY(arena_alloc(&r->memory, 0));
    r->clock = d->clock;
    TAKE(r->request, d->request);
    TAKE(r->map, d->map);
    TAKE(r->known, d->known);
    TRY(make_probabilities(r, discovery_probabilities(d)));
    TAKE(r->decoded, *last);
    TAKE(r->reasons, d->reasoned.reasons);
    TAKE(r->stages, d->stages);
    TAKE(r->conflicts, d->conflicts);
    TAKE(r->warnings, d->warnings);
    TRY(make_conditions(r, d));
    TRY(make_edges(r, d->answer.values, d->part));
    TRY(make_graphs(r));
    r->rate_holds = d->rate_holds;
    TRY(make_targets(r, d));
    *out = r;
    r = NULL;
cleanup:
    scone_result_free(r);
    return status;
}

/* ---- looking ---- */

size_t scone_result_variables(const scone_result *r)
{
    return r->map.count;
}

const char *scone_result_name(const scone_result *r, size_t variable)
{
    return r->map.names[r->map.variables[variable]];
}

const scone_graph *scone_result_graph(const scone_result *r)
{
    return r->by_column;
}

double scone_result_threshold(const scone_result *r)
{
    return r->request.options.threshold;
}

double scone_result_probability(const scone_result *r, size_t source, size_t target)
{
    return probability(r, r->map.variables[source], r->map.variables[target]);
}

size_t scone_result_edges(const scone_result *r)
{
    return r->decoded.count;
}

const scone_edge *scone_result_edge(const scone_result *r, size_t index)
{
    return &r->edges[index];
}

const char *scone_result_changed_name(const scone_result *r)
{
    return r->request.options.condition;
}

const scone_target *scone_result_target(const scone_result *r, size_t index)
{
    return &r->targets[index];
}

size_t scone_result_conditions(const scone_result *r)
{
    return r->conditions;
}

const char *scone_result_condition(const scone_result *r, size_t condition)
{
    return r->condition_names[condition];
}

const scone_target *scone_result_condition_target(const scone_result *r, size_t condition,
                                                  size_t index)
{
    return &r->condition_targets[condition * r->map.count + index];
}

size_t scone_result_warnings(const scone_result *r)
{
    return r->warnings.count;
}

const char *scone_result_warning(const scone_result *r, size_t index)
{
    return r->warnings.texts[index];
}

size_t scone_result_conflicts(const scone_result *r)
{
    return r->conflicts.count;
}

const char *scone_result_conflict(const scone_result *r, size_t index)
{
    return r->conflicts.texts[index];
}

size_t scone_result_stages(const scone_result *r)
{
    return r->clock.count;
}

const scone_stage *scone_result_stage(const scone_result *r, size_t index)
{
    return &r->clock.stages[index];
}
