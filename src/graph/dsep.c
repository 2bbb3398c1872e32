/* dsep.c - d-separation (see dsep.h). */
#include "graph/dsep.h"

/* Which trails wait at a node, and which have been there: upward ones came from a child (or start
 * here), downward ones from a parent. */
typedef struct trails {
    bits_word *up, *down, *seen_up, *seen_down;
} trails;

static trails trails_start(const bits_word *x, size_t words, graph_work *work)
{
    trails t = {work->sets[1], work->sets[2], work->sets[3], work->sets[4]};
    for (size_t w = 0; w < words; w++) {
        t.up[w] = t.seen_up[w] = x[w];
        t.down[w] = t.seen_down[w] = 0;
    }
    return t;
}

static inline void send(bits_word *waiting, bits_word *seen, const bits_word *row, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        waiting[w] |= row[w] & ~seen[w];
        seen[w] |= row[w];
    }
}

/* Follows all trails to their ends, or until one reaches a member of goal (NULL: none). */
static bool follow(trails t, const graph *dag, const bits_word *z, const bits_word *goal)
{
    size_t words = dag->words;
    for (;;) {
        size_t v = bits_next(t.up, words, 0);
        if (v != SIZE_MAX) {
            bits_remove(t.up, v);
            if (bits_has(z, v)) continue;
            if (goal && bits_has(goal, v)) return true;
            send(t.up, t.seen_up, graph_parents(dag, v), words);
            send(t.down, t.seen_down, graph_children(dag, v), words);
            continue;
        }
        v = bits_next(t.down, words, 0);
        if (v == SIZE_MAX) return false;
        bits_remove(t.down, v);
        if (bits_has(z, v)) {
            send(t.up, t.seen_up, graph_parents(dag, v), words);
        } else {
            if (goal && bits_has(goal, v)) return true;
            send(t.down, t.seen_down, graph_children(dag, v), words);
        }
    }
}

void dsep_connected(bits_word *out, const graph *dag, const bits_word *x, const bits_word *z,
                    graph_work *work)
{
    trails t = trails_start(x, dag->words, work);
    (void)follow(t, dag, z, NULL);
    for (size_t w = 0; w < dag->words; w++) {
        out[w] = (t.seen_up[w] | t.seen_down[w]) & ~(x[w] | z[w]);
    }
}

bool dsep_separated(const graph *dag, const bits_word *x, const bits_word *y, const bits_word *z,
                    graph_work *work)
{
    return !follow(trails_start(x, dag->words, work), dag, z, y);
}

bool dsep_pair(const graph *dag, size_t x, size_t y, const bits_word *z, graph_work *work)
{
    bits_word *from = work->sets[5], *to = work->sets[6];
    bits_clear(from, dag->words);
    bits_clear(to, dag->words);
    bits_add(from, x);
    bits_add(to, y);
    return dsep_separated(dag, from, to, z, work);
}

void graph_moral(graph *out, const graph *dag, const bits_word *within)
{
    size_t words = dag->words;
    bits_clear(out->parents, 3 * dag->nodes * words);
    for (size_t v = 0; v < dag->nodes; v++) {
        if (within && !bits_has(within, v)) continue;
        const bits_word *parents = graph_parents(dag, v);
        bits_unite(graph_siblings(out, v), parents, words);
        BITS_EACH(p, parents, words) {
            bits_word *row = graph_siblings(out, p);
            bits_unite(row, parents, words);
            bits_remove(row, p);
            bits_add(row, v);
        }
    }
}
