/* decode_extend.c - directs undirected edges until the graph extends to a DAG (see decode.h).
 *
 * A node can be peeled off if it has no directed edge out of it and each of its undirected
 * neighbours is adjacent to all its other neighbours (Dor and Tarsi, "A simple algorithm to
 * construct a consistent extension of a partially oriented graph", 1992). The graph extends to a
 * DAG exactly if all nodes can be peeled off one after the other. Peeling one never keeps another
 * from being peeled, so those that are left in the end are the same in every order. Among them
 * there is an undirected edge, since a directed acyclic rest has a sink; directing it, acyclically,
 * brings the end nearer.
 */
#include "decode/decode_extend.h"

typedef struct peeling {
    graph *g;
    bits_word *near;    /* [nodes, words]: the node itself and its neighbours among the rest */
    bits_word *rest;    /* [words] nodes not peeled off */
    bits_word *pending; /* [words] nodes to look at */
    size_t *effects;    /* [nodes] directed edges out of the node, within the rest */
} peeling;

static bool can_be_peeled(const peeling *p, size_t v)
{
    size_t words = p->g->words;
    const bits_word *near_v = p->near + v * words, *siblings = graph_siblings(p->g, v);
    if (p->effects[v] > 0) return false;
    BITS_EACH(u, siblings, words) {
        if (bits_has(p->rest, u) && !bits_within(near_v, p->near + u * words, words)) return false;
    }
    return true;
}

static void peel(peeling *p, size_t v)
{
    size_t words = p->g->words;
    bits_word *near_v = p->near + v * words, *parents = graph_parents(p->g, v);
    bits_remove(p->rest, v);
    BITS_EACH(u, parents, words) p->effects[u]--;
    bits_remove(near_v, v);
    BITS_EACH(u, near_v, words) bits_remove(p->near + u * words, v);
    bits_unite(p->pending, near_v, words);
}

static void peel_all(peeling *p)
{
    size_t words = p->g->words;
    for (size_t v; (v = bits_next(p->pending, words, 0)) != SIZE_MAX;) {
        bits_remove(p->pending, v);
        if (bits_has(p->rest, v) && can_be_peeled(p, v)) peel(p, v);
    }
}

static scone_status open_peeling(peeling *p, graph *g)
{
    scone_status status = SCONE_OK;
    *p = (peeling){.g = g};
    TRY_ZERO(p->near, g->nodes * g->words);
    TRY_ZERO(p->rest, g->words);
    TRY_ZERO(p->pending, g->words);
    TRY_ZERO(p->effects, g->nodes);
    graph_skeleton(p->near, g, true);
    (void)graph_row_counts(p->effects, g->children, g->nodes, g->words);
    for (size_t v = 0; v < g->nodes; v++) {
        bits_add(p->rest, v);
        bits_add(p->pending, v);
    }
cleanup:
    return status;
}

static void close_peeling(peeling *p)
{
    mem_free(p->near);
    mem_free(p->rest);
    mem_free(p->pending);
    mem_free(p->effects);
}

scone_status decode_extend(graph *g, closure *c, graph *directed, const loose_edge *loose,
                           size_t count)
{
    scone_status status = SCONE_OK;
    peeling p;
    TRY(open_peeling(&p, g));
    peel_all(&p);
    for (size_t e = 0; e < count; e++) {
        size_t from = loose[e].from, to = loose[e].to;
        if (!bits_has(p.rest, from) || !bits_has(p.rest, to)) continue;
        if (closure_would_cycle(c, from, to)) {
            from = loose[e].to;
            to = loose[e].from;
        }
        graph_direct(g, from, to);
        closure_add(c, from, to);
        graph_direct(directed, from, to);
        p.effects[from]++;
        bits_add(p.pending, to);
        peel_all(&p);
    }
    if (!bits_empty(p.rest, g->words)) FAIL_DEFECT("a decoded graph does not extend to a DAG");
cleanup:
    close_peeling(&p);
    return status;
}
