/* graph_cpdag.c - v-structures, patterns and CPDAGs (see graph_cpdag.h). */
#include "graph/graph_cpdag.h"

#include "graph/graph_order.h"

/* Word w of the nodes adjacent to v. */
static inline bits_word adjacent_word(const graph *g, size_t v, size_t w)
{
    size_t at = v * g->words + w;
    return g->parents[at] | g->children[at] | g->siblings[at];
}

size_t graph_vstructures(const graph *g, vstructure_visit visit, void *user)
{
    size_t count = 0;
    for (size_t middle = 0; middle < g->nodes; middle++) {
        const bits_word *parents = graph_parents(g, middle);
        BITS_EACH(left, parents, g->words) {
            BITS_EACH_WORD(right, w, g->words, parents[w] & ~adjacent_word(g, left, w)) {
                if (right <= left) continue;
                count++;
                if (visit && !visit(user, left, middle, right)) return count;
            }
        }
    }
    return count;
}

/* Does v hold a v-structure with the parent p? */
static bool in_vstructure(const graph *g, size_t p, size_t v)
{
    const bits_word *parents = graph_parents(g, v);
    bits_word others = 0;
    for (size_t w = 0; w < g->words; w++) {
        bits_word self = w == p / 64 ? (bits_word)1 << (p % 64) : 0;
        others |= parents[w] & ~adjacent_word(g, p, w) & ~self;
    }
    return others != 0;
}

void graph_pattern(graph *out, const graph *g)
{
    size_t words = g->words;
    bits_clear(out->parents, 2 * g->nodes * words);
    graph_skeleton(out->siblings, g, false);
    for (size_t v = 0; v < g->nodes; v++) {
        BITS_EACH(p, graph_parents(g, v), words) {
            if (in_vstructure(g, p, v)) graph_direct(out, p, v);
        }
    }
}

/* Chickering's Label-Edges for all edges into y at once, given the compelled edges into every node
 * that precedes y. With x the last parent of y in the order:
 *   some compelled w -> x with w not a parent of y, or some parent of y that is neither x nor a
 *   parent of x: every edge into y is compelled;
 *   else: w -> y is compelled for every compelled w -> x, the other edges into y are reversible. */
static void label_edges(graph *out, const graph *dag, size_t x, size_t y)
{
    size_t words = dag->words;
    const bits_word *known = graph_parents(out, x), *above = graph_parents(dag, x),
                    *parents = graph_parents(dag, y);
    bits_word open = 0;
    for (size_t w = 0; w < words; w++) {
        bits_word self = w == x / 64 ? (bits_word)1 << (x % 64) : 0;
        open |= (known[w] & ~parents[w]) | (parents[w] & ~above[w] & ~self);
    }
    bits_word *compelled = graph_parents(out, y);
    bits_copy(compelled, open ? parents : known, words);
    BITS_EACH(p, parents, words) {
        if (bits_has(compelled, p)) {
            bits_add(graph_children(out, p), y);
        } else {
            bits_add(graph_siblings(out, p), y);
            bits_add(graph_siblings(out, y), p);
        }
    }
}

bool graph_cpdag(graph *out, const graph *dag, graph_work *work)
{
    size_t *order = work->numbers[1], *rank = work->numbers[2];
    if (!bits_empty(dag->siblings, dag->nodes * dag->words)) return false;
    if (!graph_order(order, dag, work)) return false;
    bits_clear(out->parents, 3 * dag->nodes * dag->words);
    for (size_t i = 0; i < dag->nodes; i++) {
        size_t y = order[i], last = SIZE_MAX;
        rank[y] = i;
        BITS_EACH(p, graph_parents(dag, y), dag->words) {
            if (last == SIZE_MAX || rank[p] > rank[last]) last = p;
        }
        if (last != SIZE_MAX) label_edges(out, dag, last, y);
    }
    return true;
}

bool graph_same_skeleton(const graph *a, const graph *b)
{
    if (a->nodes != b->nodes) return false;
    size_t cells = a->nodes * a->words;
    for (size_t w = 0; w < cells; w++) {
        if ((a->parents[w] | a->children[w] | a->siblings[w]) !=
            (b->parents[w] | b->children[w] | b->siblings[w])) {
            return false;
        }
    }
    return true;
}

/* Is every v-structure of a one of b? The skeletons are the same, so it is if both of its edges
 * have the same direction in b. */
static bool vstructures_within(const graph *a, const graph *b)
{
    for (size_t v = 0; v < a->nodes; v++) {
        const bits_word *in_a = graph_parents(a, v), *in_b = graph_parents(b, v);
        BITS_EACH_WORD(p, w, a->words, in_a[w] & ~in_b[w]) {
            if (in_vstructure(a, p, v)) return false;
        }
    }
    return true;
}

bool graph_equivalent(const graph *a, const graph *b)
{
    return graph_same_skeleton(a, b) && vstructures_within(a, b) && vstructures_within(b, a);
}
