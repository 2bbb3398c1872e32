/* graph_extend.c - consistent extensions of partially directed graphs (see graph_extend.h). */
#include "graph/graph_extend.h"

#include "graph/graph_order.h"

/* The graph that is left, in the workspace's matrix: row v holds v and what is adjacent to it. */
typedef struct remainder {
    const graph *g;
    bits_word *near;
    size_t *effects;    /* directed edges out of a node */
    bits_word *pending; /* nodes that may have become removable */
} remainder;

/* Is v a sink whose undirected neighbours are each adjacent to all its other neighbours? */
static bool removable(const remainder *left, const graph *dag, size_t v)
{
    size_t words = left->g->words;
    if (left->effects[v] > 0) return false;
    /* Edges of the remainder are undirected in dag as long as they are in g. */
    const bits_word *near_v = left->near + v * words, *loose = graph_siblings(dag, v);
    BITS_EACH(u, loose, words) {
        if (!bits_within(near_v, left->near + u * words, words)) return false;
    }
    return true;
}

static void remove_node(remainder *left, graph *dag, size_t v)
{
    size_t words = left->g->words;
    bits_word *near_v = left->near + v * words, *loose = graph_siblings(dag, v);
    bits_word *parents = graph_parents(dag, v);
    BITS_EACH(p, parents, words) left->effects[p]--;
    BITS_EACH(u, loose, words) {
        bits_remove(graph_siblings(dag, u), v);
        bits_add(graph_children(dag, u), v);
    }
    bits_unite(parents, loose, words);
    bits_clear(loose, words);
    bits_remove(near_v, v);
    BITS_EACH(u, near_v, words) bits_remove(left->near + u * words, v);
    bits_unite(left->pending, near_v, words);
}

bool graph_extend(graph *dag, const graph *g, graph_work *work)
{
    remainder left = {g, work->matrix, work->numbers[0], work->sets[0]};
    size_t removed = 0;
    graph_assign(dag, g);
    graph_skeleton(left.near, g, true);
    graph_row_counts(left.effects, g->children, g->nodes, g->words);
    bits_clear(left.pending, g->words);
    for (size_t v = 0; v < g->nodes; v++) bits_add(left.pending, v);
    for (size_t v; (v = bits_next(left.pending, g->words, 0)) != SIZE_MAX;) {
        bits_remove(left.pending, v);
        if (!removable(&left, dag, v)) continue;
        remove_node(&left, dag, v);
        removed++;
    }
    return removed == g->nodes;
}

/* Takes back everything after the last assumption that can still be turned round, and turns it.
 * Assumptions are first made from the smaller to the larger node. false if none is left. */
static bool turn_last(bool *closed, graph *scratch, meek *work)
{
    while (work->count > 0) {
        meek_reason last = work->reasons[work->count - 1];
        meek_undo(work, scratch, work->count - 1);
        if (last.rule != MEEK_REQUIRED || last.from > last.to) continue;
        *closed = meek_assume(work, scratch, last.to, last.from);
        return true;
    }
    return false;
}

scone_status graph_extensions(size_t *count, const graph *g, extension_visit visit, void *user,
                              graph *scratch, meek *work)
{
    size_t found = 0;
    if (count) *count = 0;
    graph_assign(scratch, g);
    scone_status status = meek_begin(work, scratch);
    if (status != SCONE_OK) return status;
    bool closed = meek_propagate(work, scratch), more = true;
    while (more) {
        size_t cell = closed ? bits_next(scratch->siblings, g->nodes * g->words, 0) : SIZE_MAX;
        if (cell != SIZE_MAX) { /* an undirected edge is left: the first one, upwards */
            size_t stride = g->words * 64;
            closed = meek_assume(work, scratch, cell / stride, cell % stride);
            continue;
        }
        if (closed) {
            found++;
            if (visit && !visit(user, scratch)) break;
        }
        more = turn_last(&closed, scratch, work);
    }
    if (count) *count = found;
    return SCONE_OK;
}
