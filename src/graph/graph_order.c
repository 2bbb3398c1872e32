/* graph_order.c - topological order, cycles, ancestors and descendants (see graph_order.h). */
#include "graph/graph_order.h"

bool graph_order(size_t *order, const graph *g, graph_work *work)
{
    bits_word *ready = work->sets[0];
    size_t *missing = work->numbers[0]; /* parents that are not in the order yet */
    size_t words = g->words, placed = 0, lowest = 0;
    graph_row_counts(missing, g->parents, g->nodes, words);
    bits_clear(ready, words);
    for (size_t v = 0; v < g->nodes; v++) {
        if (missing[v] == 0) bits_add(ready, v);
    }
    /* Nothing below `lowest` is ready, so the search for the smallest does not start over. */
    for (size_t v; (v = bits_next(ready, words, lowest)) != SIZE_MAX; placed++) {
        bits_remove(ready, v);
        lowest = v;
        if (order) order[placed] = v;
        BITS_EACH(child, graph_children(g, v), words) {
            if (--missing[child] > 0) continue;
            bits_add(ready, child);
            if (child < lowest) lowest = child;
        }
    }
    return placed == g->nodes;
}

bool graph_is_acyclic(const graph *g, graph_work *work)
{
    return graph_order(NULL, g, work);
}

bool graph_is_dag(const graph *g, graph_work *work)
{
    return bits_empty(g->siblings, g->nodes * g->words) && graph_order(NULL, g, work);
}

size_t graph_find_cycle(size_t *cycle, const graph *g, graph_work *work)
{
    if (graph_order(NULL, g, work)) return 0;
    /* What the order could not place has a parent that could not be placed either: walking from
     * parent to parent must come back to a node of the walk. */
    const size_t *missing = work->numbers[0];
    size_t *step = work->numbers[1]; /* 1 + position in the walk, 0 if not in it */
    memset(step, 0, g->nodes * sizeof *step);
    size_t v = 0, length = 0;
    while (missing[v] == 0) v++;
    while (!step[v]) {
        cycle[length++] = v;
        step[v] = length;
        const bits_word *parents = graph_parents(g, v);
        v = bits_next(parents, g->words, 0);
        while (missing[v] == 0) v = bits_next(parents, g->words, v + 1);
    }
    /* The walk went against the edges; v closes the cycle of its last nodes. */
    size_t start = step[v] - 1, smallest = start;
    for (size_t i = start; i < length; i++) {
        if (cycle[i] < cycle[smallest]) smallest = i;
    }
    size_t *turned = work->numbers[2], count = length - start;
    for (size_t i = 0; i < count; i++) {
        turned[i] = cycle[start + (smallest - start + count - i) % count];
    }
    memcpy(cycle, turned, count * sizeof *cycle);
    return count;
}

/* Everything reachable through the rows of a matrix; stops early once `goal` is reached. */
static bool reach(bits_word *out, const bits_word *matrix, size_t words, bits_word *pending,
                  size_t goal)
{
    for (size_t v; (v = bits_next(pending, words, 0)) != SIZE_MAX;) {
        if (v == goal) return true;
        bits_remove(pending, v);
        const bits_word *row = matrix + v * words;
        for (size_t w = 0; w < words; w++) {
            pending[w] |= row[w] & ~out[w];
            out[w] |= row[w];
        }
    }
    return false;
}

void graph_ancestors(bits_word *out, const graph *g, const bits_word *of, graph_work *work)
{
    bits_copy(work->sets[0], of, g->words);
    bits_copy(out, of, g->words);
    (void)reach(out, g->parents, g->words, work->sets[0], SIZE_MAX);
}

void graph_descendants(bits_word *out, const graph *g, const bits_word *of, graph_work *work)
{
    bits_copy(work->sets[0], of, g->words);
    bits_copy(out, of, g->words);
    (void)reach(out, g->children, g->words, work->sets[0], SIZE_MAX);
}

bool graph_reaches(const graph *g, size_t from, size_t to, graph_work *work)
{
    bits_word *pending = work->sets[0], *seen = work->sets[1];
    bits_clear(pending, g->words);
    bits_add(pending, from);
    bits_copy(seen, pending, g->words);
    return reach(seen, g->children, g->words, pending, to);
}
