/* stages.c - the three aggregates, one after the other (see stages.h). */
#include "reasons/stages.h"

#include "graph/meek.h"
#include "learn/ges/ges.h"

/* As in the preset ges (docs/methods/ges.md). */
static const double observational_penalty = 2.0;

const char *stages_name(size_t stage)
{
    static const char *const names[STAGES_MOST] = {"observational", "per_regime", "contrastive"};
    return names[stage];
}

const char *stages_source(stage_source source)
{
    static const char *const words[] = {"",     "regime 0", "regime 1", "both regimes",
                                        "rule", "closure"};
    return words[source];
}

void stages_free(stage_list *s)
{
    for (size_t k = 0; k < s->count; k++) {
        scone_graph_free(s->list[k].graph);
        mem_free(s->list[k].added);
    }
    *s = (stage_list){.count = 0};
}

scone_status stages_begin(stage_list *s, const graph *observational)
{
    *s = (stage_list){.count = 1};
    return graph_copy(&s->list[0].graph, observational);
}

scone_status stages_observe(stage_list *s, const scone_pair *pair, const knowledge *k,
                            const scone_context *context)
{
    const ges_options how = {.penalty = observational_penalty,
                             .eager = true,
                             .required = k ? k->required : NULL,
                             .forbidden = k ? k->forbidden : NULL};
    *s = (stage_list){.count = 1};
    return ges_run_pair(&s->list[0].graph, pair, 1, &how, context);
}

/* ---- the next stage ---- */

static void note(stage_result *next, const meek *m, size_t from, stage_source source)
{
    for (size_t i = from; i < m->count; i++) {
        const meek_reason *r = &m->reasons[i];
        next->added[next->added_count++] =
            (stage_edge){r->from, r->to, r->rule == MEEK_REQUIRED ? source : STAGE_CLOSURE};
    }
}

/* Directs what the list says, and what follows; what contradicts is taken back. */
static void take_up(stage_result *next, meek *m, const stage_direction *list, size_t count,
                    const knowledge *k)
{
    for (size_t d = 0; d < count; d++) {
        size_t from = list[d].from, to = list[d].to, before = m->count;
        graph *g = next->graph;
        if (!graph_adjacent(g, from, to) || graph_directed(g, from, to)) continue;
        bool excluded = knowledge_requires(k, to, from) || knowledge_forbids(k, from, to);
        if (excluded || graph_directed(g, to, from)) {
            next->skipped++;
        } else if (meek_assume(m, g, from, to)) {
            note(next, m, before, list[d].source);
        } else {
            meek_undo(m, g, before);
            next->skipped++;
        }
    }
}

scone_status stages_next(stage_list *s, const stage_direction *list, size_t count,
                         const knowledge *k)
{
    scone_status status = SCONE_OK;
    meek *m = NULL;
    if (s->count == 0 || s->count == STAGES_MOST) FAIL_DEFECT("there is no stage after this one");
    stage_result *next = &s->list[s->count];
    TRY(graph_copy(&next->graph, s->list[s->count - 1].graph));
    s->count++;
    TRY_ALLOC(next->added, graph_count_undirected(next->graph));
    TRY(meek_alloc(&m, next->graph->nodes));
    TRY(meek_begin(m, next->graph));
    take_up(next, m, list, count, k);
cleanup:
    meek_free(m);
    return status;
}

scone_status stages_locals(stage_list *s, const local_graphs *local, const knowledge *k)
{
    scone_status status = SCONE_OK;
    stage_direction *list = NULL;
    TRY_ALLOC(list, local->direction_count);
    for (size_t d = 0; d < local->direction_count; d++) {
        const local_direction *one = &local->directions[d];
        list[d] = (stage_direction){one->from, one->to, (stage_source)one->regimes};
    }
    TRY(stages_next(s, list, local->direction_count, k));
cleanup:
    mem_free(list);
    return status;
}
