/* reasons_weigh.c - certificates against the learner, knowledge and each other (see reasons.h).
 *
 * Certificates are taken up by falling weight. One that agrees with the learner makes the direction
 * surer; one about an open direction settles it; one against the learner wins if its log-odds are
 * higher than those of the direction it turns round. A direction that is itself a conclusion of the
 * closure is as strong as the weakest direction it rests on. What wins must not close a cycle with
 * the directions there are, and what is known beforehand stays.
 */
#include "reasons/reasons.h"

#include "graph/closure.h"
#include "reasons/reasons_strength.h"

#include <math.h>
#include <string.h>

/* Shares of replicates can be 0; so few replicates do not make a direction impossible. */
static const double least_share = 0.03;
/* Two certificates that contradict each other and are about as strong settle nothing. */
static const double clear_lead = 1.0;
/* A certificate that is sure by hundreds is sure of its assumptions, which may be wrong. */
static const double most_weight = 3.5, weight_unit = 2.0;

typedef struct weighing {
    reasons *r;
    double *probabilities;
    const decoding *found;
    const knowledge *k;
    const decode_options *options;
    size_t nodes;
    graph *settled; /* directions that stand: the learner's, what is known, and what was accepted */
    closure *reach; /* of these */
    double *strength; /* [nodes, nodes] log-odds of the directions in the found graph */
} weighing;

static double *cell(const weighing *w, size_t i, size_t j)
{
    return &w->probabilities[i * w->nodes + j];
}

static double learner_odds(const weighing *w, size_t from, size_t to)
{
    return log((*cell(w, from, to) + least_share) / (*cell(w, to, from) + least_share));
}

/* Weights, like differences of scores, grow with the rows; odds do not. */
static double odds_of_weight(double weight)
{
    double x = weight / weight_unit;
    return most_weight * x / (most_weight + x);
}

static double strength_of(const weighing *w, size_t from, size_t to)
{
    return w->strength[from * w->nodes + to];
}

/* ---- what the found graph rests on ---- */

static double odds_in(const void *context, size_t from, size_t to)
{
    return learner_odds(context, from, to);
}

/* Strengths, and the directions that certificates must not close a cycle with: not those that the
 * closure or the need for an extension added, which may come out otherwise. */
static void measure_found(weighing *w)
{
    reasons_strength(w->strength, w->found, odds_in, w);
    for (size_t e = 0; e < w->found->count; e++) {
        const decode_edge *edge = &w->found->edges[e];
        if (edge->undirected || edge->cause == DECODE_MEEK || edge->cause == DECODE_EXTENSION) {
            continue;
        }
        graph_direct(w->settled, edge->from, edge->to);
        closure_add(w->reach, edge->from, edge->to);
    }
}

/* ---- one certificate ---- */

static bool is_known(const weighing *w, size_t from, size_t to)
{
    return knowledge_requires(w->k, to, from) || knowledge_forbids(w->k, from, to);
}

/* Does an earlier certificate, at least as strong up to `clear_lead`, say the opposite? Or a later
 * one that is about as strong? */
static bool is_opposed(const weighing *w, size_t index)
{
    const reason *list = w->r->list, *r = &list[index];
    for (size_t i = 0; i < w->r->count; i++) {
        if (list[i].from != r->to || list[i].to != r->from) continue;
        if (is_known(w, list[i].from, list[i].to)) continue;
        if (list[i].weight > r->weight - clear_lead) return true;
    }
    return false;
}

/* P(edge) stays; the direction gets these log-odds, if it is not surer already, and at least what
 * makes it count as directed. */
static void set_odds(weighing *w, size_t from, size_t to, double odds)
{
    double edge = *cell(w, from, to) + *cell(w, to, from);
    double needed = 1.05 * decode_margin(w->options, edge) / fmax(edge, 1e-300);
    if (needed < 1.0) odds = fmax(odds, 2.0 * atanh(needed));
    double share = 1.0 / (1.0 + exp(-odds));
    if (!(share > *cell(w, from, to) / edge)) return;
    *cell(w, from, to) = edge * share;
    *cell(w, to, from) = edge * (1.0 - share);
}

static void settle(weighing *w, const reason *r)
{
    graph_direct(w->settled, r->from, r->to);
    closure_add(w->reach, r->from, r->to);
}

static reason_outcome try_open(weighing *w, const reason *r)
{
    if (closure_would_cycle(w->reach, r->from, r->to)) return REASON_CYCLE;
    settle(w, r);
    set_odds(w, r->from, r->to, odds_of_weight(r->weight));
    return REASON_ORIENTS;
}

/* The found graph has to -> from. */
static reason_outcome try_turn(weighing *w, const reason *r)
{
    double against = strength_of(w, r->to, r->from), odds = odds_of_weight(r->weight);
    bool there = graph_directed(w->settled, r->to, r->from);
    if (!(odds > against)) return REASON_OVERRULED;
    if (there) {
        graph_remove(w->settled, r->to, r->from);
        closure_delete(w->reach, w->settled, r->to, r->from);
    }
    if (closure_would_cycle(w->reach, r->from, r->to)) {
        if (there) {
            graph_direct(w->settled, r->to, r->from);
            closure_add(w->reach, r->to, r->from);
        }
        return REASON_CYCLE;
    }
    settle(w, r);
    set_odds(w, r->from, r->to, odds - against);
    return REASON_TURNS;
}

static reason_outcome weigh_one(weighing *w, size_t index)
{
    const reason *r = &w->r->list[index];
    const graph *g = w->found->graph;
    if (is_known(w, r->from, r->to)) return REASON_KNOWN;
    if (knowledge_requires(w->k, r->from, r->to)) return REASON_AGREES;
    if (is_opposed(w, index)) return REASON_OPPOSED;
    if (graph_directed(g, r->to, r->from)) return try_turn(w, r);
    double there = *cell(w, r->from, r->to), back = *cell(w, r->to, r->from);
    bool clear = fabs(there - back) >= decode_margin(w->options, there + back);
    if (graph_undirected(g, r->from, r->to) || !clear) return try_open(w, r);
    set_odds(w, r->from, r->to, odds_of_weight(r->weight));
    return REASON_AGREES;
}

/* The first certificate of the same direction, which decided. */
static const reason *decided_before(const reasons *r, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (r->list[i].from == r->list[index].from && r->list[i].to == r->list[index].to) {
            return &r->list[i];
        }
    }
    return NULL;
}

scone_status reasons_weigh(double *weighed, reasons *r, const double *probabilities,
                           const decoding *found, const knowledge *k, const decode_options *options)
{
    scone_status status = SCONE_OK;
    size_t cells;
    weighing w = {.r = r,
                  .probabilities = weighed,
                  .found = found,
                  .k = k,
                  .options = options,
                  .nodes = found->graph->nodes};
    if (!size_multiply(&cells, w.nodes, w.nodes)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    if (cells) memcpy(weighed, probabilities, cells * sizeof *weighed);
    if (r->count == 0) return SCONE_OK;
    TRY_ZERO(w.strength, cells);
    TRY(graph_alloc(&w.settled, w.nodes));
    TRY(closure_alloc(&w.reach, w.nodes));
    measure_found(&w);
    for (size_t i = 0; i < r->count; i++) {
        r->list[i].learner = learner_odds(&w, r->list[i].from, r->list[i].to);
    }
    for (size_t i = 0; i < r->count; i++) {
        const reason *before = decided_before(r, i);
        r->list[i].outcome = before ? before->outcome : weigh_one(&w, i);
    }
cleanup:
    mem_free(w.strength);
    scone_graph_free(w.settled);
    closure_free(w.reach);
    return status;
}

void reasons_mark(reasons *r, decoding *d)
{
    for (size_t i = 0; i < r->count; i++) {
        reason *one = &r->list[i];
        bool accepted = one->outcome <= REASON_TURNS;
        if (accepted && !graph_directed(d->graph, one->from, one->to)) one->outcome = REASON_CYCLE;
    }
    for (size_t e = 0; e < d->count; e++) {
        decode_edge *edge = &d->edges[e];
        for (size_t i = 0; i < r->count && !edge->reason; i++) {
            const reason *one = &r->list[i];
            if (one->outcome > REASON_TURNS || edge->undirected) continue;
            if (one->from != edge->from || one->to != edge->to) continue;
            edge->reason = i + 1;
            bool by_rule = one->outcome != REASON_AGREES && edge->cause == DECODE_SEARCH;
            if (by_rule) edge->cause = DECODE_RULE;
        }
    }
}
