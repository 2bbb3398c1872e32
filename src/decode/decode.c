/* decode.c - from probabilities of directed edges to a partially directed graph (see decode.h). */
#include "decode/decode.h"

#include "graph/closure.h"
#include "graph/format/format.h"
#include "decode/decode_extend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- step 1: conditioning ---- */

static scone_status check_pair(double forward, double backward)
{
    /* Shares of votes and of replicates sum to 1 up to rounding. */
    bool fine = forward >= 0.0 && backward >= 0.0 && forward + backward <= 1.0 + 1e-9;
    return fine ? SCONE_OK
                : RAISE(SCONE_ERR_DEFECT,
                        "internal error: edge probabilities %g and %g; please report this", forward,
                        backward);
}

static void condition_pair(double *forward, double *backward, const knowledge *k, size_t i,
                           size_t j)
{
    if (knowledge_requires(k, i, j) || knowledge_requires(k, j, i)) {
        *forward = knowledge_requires(k, i, j) ? 1.0 : 0.0;
        *backward = 1.0 - *forward;
        return;
    }
    double none = fmax(0.0, 1.0 - *forward - *backward);
    bool changed = false;
    if (knowledge_forbids(k, i, j)) changed = *forward > 0.0, *forward = 0.0;
    if (knowledge_forbids(k, j, i)) changed |= *backward > 0.0, *backward = 0.0;
    double left = *forward + *backward + none;
    if (!changed || !(left > 0.0)) return; /* nothing left: no edge */
    *forward /= left;
    *backward /= left;
}

scone_status decode_condition(double *conditioned, const double *probabilities, size_t nodes,
                              const knowledge *k)
{
    scone_status status = SCONE_OK;
    for (size_t i = 0; i < nodes; i++) {
        conditioned[i * nodes + i] = 0.0;
        for (size_t j = i + 1; j < nodes; j++) {
            double forward = probabilities[i * nodes + j], backward = probabilities[j * nodes + i];
            TRY(check_pair(forward, backward));
            if (k) condition_pair(&forward, &backward, k, i, j);
            conditioned[i * nodes + j] = forward;
            conditioned[j * nodes + i] = backward;
        }
    }
cleanup:
    return status;
}

/* ---- steps 2 and 3: candidates and their insertion ---- */

static int compare_edges(const void *left, const void *right)
{
    const decode_edge *a = left, *b = right;
    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void sort_edges(decode_edge *edges, size_t count)
{
    if (count) qsort(edges, count, sizeof *edges, compare_edges);
}

/* What the pair i < j becomes; false: no edge. */
static bool candidate(decode_edge *edge, const double *probabilities, size_t nodes, size_t i,
                      size_t j, const knowledge *k, const decode_options *options)
{
    double forward = probabilities[i * nodes + j], backward = probabilities[j * nodes + i];
    bool no_forward = knowledge_forbids(k, i, j), no_backward = knowledge_forbids(k, j, i);
    if (!(forward + backward >= options->threshold)) return false;
    if (no_forward && no_backward) return false;
    double difference = forward - backward;
    bool clear =
        difference != 0.0 && fabs(difference) >= decode_margin(options, forward + backward);
    *edge = (decode_edge){.from = i, .to = j, .probability = forward + backward};
    edge->undirected = !clear && !no_forward && !no_backward;
    if (edge->undirected) return true;
    bool turned = no_forward || (!no_backward && difference < 0.0);
    edge->from = turned ? j : i;
    edge->to = turned ? i : j;
    edge->probability = turned ? backward : forward;
    edge->cause = no_forward || no_backward ? DECODE_FORBIDDEN : DECODE_SEARCH;
    return true;
}

/* All candidates, strongest first; required pairs are not among them. */
static scone_status candidates(decode_edge **out, size_t *count, const double *probabilities,
                               size_t nodes, const knowledge *k, const decode_options *options)
{
    decode_edge *edges = NULL, edge;
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = i + 1; j < nodes; j++) {
            if (knowledge_requires(k, i, j) || knowledge_requires(k, j, i)) continue;
            if (!candidate(&edge, probabilities, nodes, i, j, k, options)) continue;
            if (*count == capacity) {
                capacity = 2 * capacity + 64;
                decode_edge *grown = mem_resize(edges, capacity, sizeof *grown);
                if (!grown) {
                    mem_free(edges);
                    return SCONE_ERR_MEMORY;
                }
                edges = grown;
            }
            edges[(*count)++] = edge;
        }
    }
    sort_edges(edges, *count);
    *out = edges;
    return SCONE_OK;
}

static void insert_required(graph *g, closure *c, const knowledge *k)
{
    for (size_t r = 0; k && r < k->requirement_count; r++) {
        graph_direct(g, k->requirements[r].from, k->requirements[r].to);
        closure_add(c, k->requirements[r].from, k->requirements[r].to);
    }
}

/* Directed candidates by falling probability, then all undirected ones. */
static void insert_candidates(decoding *out, closure *c, const decode_edge *edges, size_t count)
{
    for (size_t e = 0; e < count; e++) {
        const decode_edge *edge = &edges[e];
        if (edge->undirected) {
            graph_undirect(out->graph, edge->from, edge->to);
        } else if (closure_would_cycle(c, edge->from, edge->to)) {
            out->skipped[out->skipped_count++] = *edge;
        } else {
            graph_direct(out->graph, edge->from, edge->to);
            closure_add(c, edge->from, edge->to);
        }
    }
}

/* ---- step 4 ---- */

typedef struct clear_edge {
    loose_edge edge;
    double clarity; /* |P(i -> j) - P(j -> i)| */
} clear_edge;

static int compare_clarity(const void *left, const void *right)
{
    const clear_edge *a = left, *b = right;
    if (a->clarity != b->clarity) return a->clarity > b->clarity ? -1 : 1;
    if (a->edge.from != b->edge.from) return a->edge.from < b->edge.from ? -1 : 1;
    return (a->edge.to > b->edge.to) - (a->edge.to < b->edge.to);
}

static scone_status extend(graph *g, closure *c, graph *directed, const double *probabilities)
{
    scone_status status = SCONE_OK;
    clear_edge *sorted = NULL;
    loose_edge *loose = NULL;
    size_t count = 0, undirected = graph_count_undirected(g);
    TRY_ALLOC(sorted, undirected);
    TRY_ALLOC(loose, undirected);
    for (edge_cursor e = {0}; graph_next_edge(g, &e);) {
        if (!e.undirected) continue;
        double difference = probabilities[e.source * g->nodes + e.target] -
                            probabilities[e.target * g->nodes + e.source];
        loose_edge edge = {e.source, e.target};
        if (difference < 0.0) edge = (loose_edge){e.target, e.source};
        sorted[count++] = (clear_edge){edge, fabs(difference)};
    }
    if (count) qsort(sorted, count, sizeof *sorted, compare_clarity);
    for (size_t e = 0; e < count; e++) loose[e] = sorted[e].edge;
    TRY(decode_extend(g, c, directed, loose, count));
cleanup:
    mem_free(sorted);
    mem_free(loose);
    return status;
}

/* ---- the list of edges and their causes ---- */

static scone_status keep_steps(decoding *out, const meek *m)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(out->steps, m->count);
    if (m->count) memcpy(out->steps, m->reasons, m->count * sizeof *m->reasons);
    out->step_count = m->count;
cleanup:
    return status;
}

/* A step of the closure by the edge that it directs. */
typedef struct step_place {
    size_t from, to, step;
} step_place;

static int compare_places(const void *left, const void *right)
{
    const step_place *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* extended: what step 4 directed; places: the steps of the closure, sorted. */
static void explain(decode_edge *edge, const knowledge *k, const graph *extended,
                    const step_place *places, size_t count)
{
    const step_place key = {edge->from, edge->to, 0};
    const step_place *found = NULL;
    if (edge->undirected) return;
    if (count) found = bsearch(&key, places, count, sizeof *places, compare_places);
    if (knowledge_requires(k, edge->from, edge->to)) {
        edge->cause = DECODE_REQUIRED;
    } else if (found) {
        edge->cause = DECODE_MEEK;
        edge->step = found->step;
    } else if (knowledge_forbids(k, edge->to, edge->from)) {
        edge->cause = DECODE_FORBIDDEN;
    } else if (graph_directed(extended, edge->from, edge->to)) {
        edge->cause = DECODE_EXTENSION;
    }
}

static scone_status list_edges(decoding *out, const double *probabilities, const knowledge *k,
                               const graph *extended)
{
    scone_status status = SCONE_OK;
    const graph *g = out->graph;
    step_place *places = NULL;
    TRY_ALLOC(places, out->step_count);
    for (size_t s = 0; s < out->step_count; s++) {
        places[s] = (step_place){out->steps[s].from, out->steps[s].to, s};
    }
    if (out->step_count) qsort(places, out->step_count, sizeof *places, compare_places);
    TRY_ALLOC(out->edges, scone_graph_edges(g));
    for (edge_cursor e = {0}; graph_next_edge(g, &e);) {
        decode_edge edge = {.from = e.source, .to = e.target, .undirected = e.undirected};
        edge.probability = probabilities[edge.from * g->nodes + edge.to];
        if (edge.undirected) edge.probability += probabilities[edge.to * g->nodes + edge.from];
        explain(&edge, k, extended, places, out->step_count);
        out->edges[out->count++] = edge;
    }
    sort_edges(out->edges, out->count);
cleanup:
    mem_free(places);
    return status;
}

/* ---- all steps ---- */

scone_status decode(decoding *out, const double *probabilities, size_t nodes, const knowledge *k,
                    const decode_options *options)
{
    scone_status status = SCONE_OK;
    decode_edge *edges = NULL;
    closure *c = NULL;
    graph *extended = NULL;
    meek *m = NULL;
    size_t count;
    *out = (decoding){0};
    TRY(candidates(&edges, &count, probabilities, nodes, k, options));
    TRY(graph_alloc(&out->graph, nodes));
    TRY(graph_alloc(&extended, nodes));
    TRY(closure_alloc(&c, nodes));
    TRY(meek_alloc(&m, nodes));
    TRY_ALLOC(out->skipped, count);
    insert_required(out->graph, c, k);
    insert_candidates(out, c, edges, count);
    TRY(extend(out->graph, c, extended, probabilities));
    TRY(meek_close(out->graph, m));
    TRY(keep_steps(out, m));
    TRY(list_edges(out, probabilities, k, extended));
cleanup:
    meek_free(m);
    closure_free(c);
    scone_graph_free(extended);
    mem_free(edges);
    return status;
}

void decoding_free(decoding *d)
{
    scone_graph_free(d->graph);
    mem_free(d->edges);
    mem_free(d->steps);
    mem_free(d->skipped);
    *d = (decoding){0};
}
