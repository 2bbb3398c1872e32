/* closure.c - incremental transitive closure and components (see closure.h). */
#include "graph/closure.h"

#include "graph/graph_order.h"

static void reset(closure *c)
{
    bits_clear(c->ancestors, 2 * c->nodes * c->words);
    for (size_t v = 0; v < c->nodes; v++) {
        bits_add(closure_ancestors(c, v), v);
        bits_add(closure_descendants(c, v), v);
    }
}

scone_status closure_alloc(closure **out, size_t nodes)
{
    scone_status status = SCONE_OK;
    closure *c = NULL;
    *out = NULL;
    TRY_ZERO(c, 1);
    c->nodes = nodes;
    c->words = bits_words(nodes);
    size_t cells;
    if (!size_multiply(&cells, nodes, c->words) || !size_multiply(&cells, cells, 2)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: the closure of a graph of %zu nodes", nodes);
    }
    TRY_ALLOC(c->ancestors, cells);
    c->descendants = c->ancestors + nodes * c->words;
    TRY(graph_work_alloc(&c->work, nodes));
    reset(c);
    *out = c;
    return SCONE_OK;
cleanup:
    closure_free(c);
    return status;
}

void closure_free(closure *c)
{
    if (!c) return;
    graph_work_free(c->work);
    mem_free(c->ancestors);
    mem_free(c);
}

bool closure_has_detour(const closure *c, const graph *dag, size_t from, size_t to)
{
    BITS_EACH(child, graph_children(dag, from), dag->words) {
        if (child != to && closure_reaches(c, child, to)) return true;
    }
    return false;
}

bool closure_build(closure *c, const graph *dag)
{
    size_t *order = c->work->numbers[1], words = c->words;
    if (!graph_order(order, dag, c->work)) return false;
    reset(c);
    for (size_t i = 0; i < c->nodes; i++) {
        size_t v = order[i];
        BITS_EACH(parent, graph_parents(dag, v), words) {
            bits_unite(closure_ancestors(c, v), closure_ancestors(c, parent), words);
        }
    }
    for (size_t i = c->nodes; i-- > 0;) {
        size_t v = order[i];
        BITS_EACH(child, graph_children(dag, v), words) {
            bits_unite(closure_descendants(c, v), closure_descendants(c, child), words);
        }
    }
    return true;
}

void closure_add(closure *c, size_t from, size_t to)
{
    size_t words = c->words;
    if (closure_reaches(c, from, to)) return;
    /* Neither of the two source rows changes: `to` is no ancestor of `from`. */
    const bits_word *above = closure_ancestors(c, from), *below = closure_descendants(c, to);
    BITS_EACH(a, above, words) bits_unite(closure_descendants(c, a), below, words);
    BITS_EACH(d, below, words) bits_unite(closure_ancestors(c, d), above, words);
}

/* Computes the rows of `matrix` of all members of `affected` again. The row of v is v and the rows
 * of its neighbours in `next` (children for descendants); neighbours outside are right already,
 * those inside must come first: Kahn's algorithm inside the set. */
static void recompute(closure *c, bits_word *matrix, const bits_word *next,
                      const bits_word *previous, const bits_word *affected)
{
    size_t words = c->words;
    size_t *missing = c->work->numbers[0];
    bits_word *ready = c->work->sets[0];
    bits_clear(ready, words);
    BITS_EACH(v, affected, words) {
        missing[v] = 0;
        for (size_t w = 0; w < words; w++) {
            missing[v] += (size_t)__builtin_popcountll(next[v * words + w] & affected[w]);
        }
        if (missing[v] == 0) bits_add(ready, v);
    }
    for (size_t v; (v = bits_next(ready, words, 0)) != SIZE_MAX;) {
        bits_remove(ready, v);
        bits_word *row = matrix + v * words;
        bits_clear(row, words);
        bits_add(row, v);
        BITS_EACH(u, next + v * words, words) bits_unite(row, matrix + u * words, words);
        BITS_EACH_WORD(u, w, words, previous[v * words + w] & affected[w]) {
            if (--missing[u] == 0) bits_add(ready, u);
        }
    }
}

void closure_delete(closure *c, const graph *dag, size_t from, size_t to)
{
    if (closure_has_detour(c, dag, from, to)) return;
    bits_word *above = c->work->sets[1], *below = c->work->sets[2];
    bits_copy(above, closure_ancestors(c, from), c->words);
    bits_copy(below, closure_descendants(c, to), c->words);
    recompute(c, c->descendants, dag->children, dag->parents, above);
    recompute(c, c->ancestors, dag->parents, dag->children, below);
}

size_t graph_components(size_t *label, const graph *g, graph_work *work)
{
    bits_word *seen = work->sets[0], *pending = work->sets[1];
    size_t count = 0;
    bits_clear(seen, g->words);
    bits_clear(pending, g->words);
    for (size_t start = 0; start < g->nodes; start++) {
        if (bits_has(seen, start)) continue;
        bits_add(seen, start);
        bits_add(pending, start);
        for (size_t v; (v = bits_next(pending, g->words, 0)) != SIZE_MAX;) {
            bits_remove(pending, v);
            if (label) label[v] = count;
            const bits_word *parents = graph_parents(g, v), *children = graph_children(g, v),
                            *siblings = graph_siblings(g, v);
            for (size_t w = 0; w < g->words; w++) {
                bits_word row = parents[w] | children[w] | siblings[w];
                pending[w] |= row & ~seen[w];
                seen[w] |= row;
            }
        }
        count++;
    }
    return count;
}
