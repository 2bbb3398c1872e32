/* eval_run_targets.c - the targets of one case: both lists read, their names compared with the
 * nodes of the graphs, and scored.
 *
 * A list need not have every variable, but what it has must be a node: a misspelled target would
 * only lower the scores. Where both lists tell several conditions apart, each is compared by
 * itself; else they are taken together.
 */
#include "eval/eval.h"

#include "data/dcdi.h"

#include <stdio.h>
#include <string.h>

/* The targets of a DCDI problem, under the names that the prediction has for its nodes. */
static scone_status dcdi_targets(target_list *list, const eval_graphs *g)
{
    scone_status status = SCONE_OK;
    const eval_source *source = g->sources[1];
    const graph *predicted = g->graphs[0], *truth = g->graphs[1];
    TRY(dcdi_read_targets(&list->target, source->dcdi, source->index, truth->nodes));
    list->count = truth->nodes;
    TRY_ZERO(list->names, list->count);
    for (size_t u = 0; u < g->match->count; u++) {
        size_t here = g->match->first[u], there = g->match->second[u];
        if (there == SIZE_MAX) continue;
        const char *name =
            here != SIZE_MAX ? scone_graph_name(predicted, here) : scone_graph_name(truth, there);
        list->names[there] = mem_copy_text(name, strlen(name));
        if (!list->names[there]) TRY(SCONE_ERR_MEMORY);
    }
cleanup:
    return status;
}

/* ---- the names that a list may have ---- */

/* The side whose nodes are all that there are, or -1. Matched by position it is the one with names,
 * and an edge list may leave nodes out. */
static int settled_side(const eval_graphs *g)
{
    if (g->match->by_position) return g->graphs[1]->names ? 1 : 0;
    return g->complete[1] ? 1 : g->complete[0] ? 0 : -1;
}

static size_t add_nodes(const char **names, default_name *made, const graph *g)
{
    for (size_t v = 0; v < g->nodes; v++) {
        names[v] = g->names ? g->names[v] : graph_default_name(made[v], v);
    }
    return g->nodes;
}

/* lists[side] against the nodes. Where neither graph lists all nodes, one that both lists of
 * targets have is a node without edges. */
static scone_status check_list(const eval_graphs *g, const target_list *const lists[2], int side)
{
    scone_status status = SCONE_OK;
    const char **names = NULL;
    default_name *made = NULL;
    char label[1024];
    int settled = settled_side(g);
    const target_list *mine = lists[side], *other = lists[1 - side];
    size_t nodes[2] = {g->graphs[0]->nodes, g->graphs[1]->nodes}, count = 0;
    const variables list = {g->sources[side]->targets, (const char *const *)mine->names,
                            mine->count};
    TRY_ALLOC(names, nodes[0] + nodes[1] + other->count);
    TRY_ALLOC(made, nodes[0] + nodes[1]);
    for (int s = 0; s < 2; s++) {
        if (settled < 0 || s == settled) {
            count += add_nodes(names + count, made + count, g->graphs[s]);
        }
    }
    for (size_t i = 0; settled < 0 && i < other->count; i++) names[count++] = other->names[i];
    (void)snprintf(label, sizeof label, "%s or %s", g->sources[0]->graph, g->sources[1]->graph);
    const variables known = {settled < 0 ? label : g->sources[settled]->graph, names, count};
    TRY(eval_match_known(&list, &known, settled >= 0));
cleanup:
    mem_free(names);
    mem_free(made);
    return status;
}

scone_status eval_run_targets(scone_scores *scores, bool *joined, const eval_graphs *g)
{
    scone_status status = SCONE_OK;
    target_list lists[2] = {{0}, {0}}, together[2] = {{0}, {0}};
    const target_list *plain[2] = {&lists[0], &lists[1]};
    const eval_source *p = g->sources[0], *t = g->sources[1];
    *joined = false;
    if (!p->targets || !(t->targets || t->dcdi)) return SCONE_OK;
    TRY(eval_targets_read(&lists[0], p->targets));
    if (t->targets) {
        TRY(eval_targets_read(&lists[1], t->targets));
    } else {
        TRY(dcdi_targets(&lists[1], g));
    }
    for (int side = 0; side < 2; side++) {
        if (!lists[side].conditions) continue;
        TRY(eval_conditions_join(&together[side], &lists[side]));
        plain[side] = &together[side];
    }
    TRY(check_list(g, plain, 0));
    if (t->targets) TRY(check_list(g, plain, 1));
    const char *truth = t->targets ? t->targets : t->dcdi;
    bool apart[2] = {lists[0].condition_count > 1, lists[1].condition_count > 1};
    *joined = apart[0] != apart[1];
    if (apart[0] && apart[1]) {
        TRY(eval_scores_of_conditions(scores, &lists[0], &lists[1], p->targets, truth));
    } else {
        TRY(eval_scores_of_targets(scores, plain[0], plain[1], p->targets, truth));
    }
cleanup:
    for (int side = 0; side < 2; side++) {
        eval_targets_free(&lists[side]);
        eval_targets_free(&together[side]);
    }
    return status;
}
