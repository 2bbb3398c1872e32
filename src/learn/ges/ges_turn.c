/* ges_turn.c - the turning phase: Turn(x, y, C) makes y -> x or x - y into x -> y (see
 * ges_parts.h).
 *
 * Hauser and Buehlmann (2012), propositions 31 and 34, for observational data. C is a clique of the
 * neighbours of y without x, and N those neighbours of y that are adjacent to x.
 *   y -> x   valid if and only if C contains N and every semi-directed path from y to x, but the
 *            edge itself, meets C or a neighbour of x. A DAG of the class has C as those neighbours
 *            of y that are its parents, and all neighbours of x as children of x. The gain is
 *            s(y, Pa + C + x) - s(y, Pa + C) + s(x, Pa(x) - y) - s(x, Pa(x)).
 *   x - y    valid, and the result another class, if and only if C is not within N, and the common
 *            part separates C - N from N - C among the neighbours of y. A DAG of the class has C
 *            before y before x before all others of their component. The gain is s(y, Pa + C + x) -
 *            s(y, Pa + C) + s(x, Pa(x) + C N) - s(x, Pa(x) + C N + y).
 * The operator is applied to that DAG: the CPDAG with these directions extended, the edge turned.
 */
#include "learn/ges/ges_parts.h"

#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"

typedef struct turn_pair {
    ges_search *s;
    size_t x, y;
    bool directed;
    double loose;       /* y -> x: what x gains without y */
    bits_word *parents; /* scratch */
    bits_word *reached, *waiting;
} turn_pair;

/* Does the common part of the clique and N separate the rest of the one from the rest of the other
 * among the neighbours of y? */
static bool separates(const turn_pair *pair, const bits_word *clique)
{
    const ges_search *s = pair->s;
    const bits_word *neighbours = graph_siblings(s->state, pair->y),
                    *near = ges_adjacent(s, pair->x);
    bits_word *reached = pair->reached, *waiting = pair->waiting;
    for (size_t w = 0; w < s->words; w++) waiting[w] = reached[w] = clique[w] & ~near[w];
    for (size_t v; (v = bits_next(waiting, s->words, 0)) != SIZE_MAX;) {
        bits_remove(waiting, v);
        const bits_word *next = ges_adjacent(s, v);
        for (size_t w = 0; w < s->words; w++) {
            bits_word found = next[w] & neighbours[w] & ~clique[w] & ~reached[w];
            if (found & near[w]) return false;
            reached[w] |= found;
            waiting[w] |= found;
        }
    }
    return true;
}

static void turn_visit(void *user, const bits_word *clique, size_t depth, size_t added)
{
    turn_pair *pair = user;
    ges_search *s = pair->s;
    const bits_word *near = ges_adjacent(s, pair->x);
    size_t x = pair->x, y = pair->y;
    double other = pair->loose;
    (void)depth;
    (void)added;
    if (!pair->directed) {
        if (bits_within(clique, near, s->words) || !separates(pair, clique)) return;
        const bits_word *above = graph_parents(s->state, x);
        for (size_t w = 0; w < s->words; w++) pair->parents[w] = above[w] | (clique[w] & near[w]);
        other = ges_local(s->score, x, pair->parents, SIZE_MAX, SIZE_MAX) -
                ges_local(s->score, x, pair->parents, y, SIZE_MAX);
    }
    bits_copy(pair->parents, graph_parents(s->state, y), s->words);
    bits_unite(pair->parents, clique, s->words);
    double with = ges_local(s->score, y, pair->parents, x, SIZE_MAX);
    double without = ges_local(s->score, y, pair->parents, SIZE_MAX, SIZE_MAX);
    ges_candidate_add(s, clique, with - without + other);
}

/* y -> x */
static void candidates_directed(turn_pair *pair)
{
    ges_search *s = pair->s;
    const bits_word *above = graph_parents(s->state, pair->x);
    pair->loose = ges_local(s->score, pair->x, above, SIZE_MAX, pair->y) -
                  ges_local(s->score, pair->x, above, SIZE_MAX, SIZE_MAX);
    ges_pair_cliques(s, pair->x, pair->y, turn_visit, pair);
}

/* x - y */
static void candidates_undirected(turn_pair *pair)
{
    ges_search *s = pair->s;
    bits_word *base = s->sets[2], *pool = s->sets[3];
    bool all;
    bits_clear(base, s->words);
    bits_copy(pool, graph_siblings(s->state, pair->y), s->words);
    bits_remove(pool, pair->x);
    size_t used = bits_count(graph_parents(s->state, pair->y), s->words) + 1;
    if (used > s->options.max_parents) return;
    size_t size = ges_clique_size(&all, s, pool), room = s->options.max_parents - used;
    ges_cliques(s, base, pool, size < room ? size : room, turn_visit, pair);
}

static void turn_candidates(ges_search *s, size_t x, size_t y)
{
    turn_pair pair = {.s = s, .x = x, .y = y, .parents = s->sets[4]};
    pair.reached = s->sets[0];
    pair.waiting = s->sets[1];
    if (ges_known(s, s->options.forbidden, x, y) || ges_known(s, s->options.required, y, x)) return;
    pair.directed = graph_directed(s->state, y, x);
    if (pair.directed)
        candidates_directed(&pair);
    else if (graph_undirected(s->state, x, y))
        candidates_undirected(&pair);
}

static bool turn_valid(ges_search *s, size_t x, size_t y, const bits_word *set)
{
    if (graph_undirected(s->state, x, y)) return true;
    bits_word *avoid = s->sets[5];
    bits_copy(avoid, set, s->words);
    bits_unite(avoid, graph_siblings(s->state, x), s->words);
    return !ges_path(s, y, x, avoid, true);
}

static bool turn_apply(ges_search *s, size_t x, size_t y, const bits_word *set)
{
    const graph *g = s->state;
    bool undirected = graph_undirected(g, x, y);
    graph_assign(s->edited, g);
    BITS_EACH(v, graph_siblings(g, y), s->words) {
        if (bits_has(set, v))
            graph_direct(s->edited, v, y);
        else
            graph_direct(s->edited, y, v);
    }
    BITS_EACH(v, graph_siblings(g, x), s->words) {
        if (v == y) continue;
        if (undirected && bits_has(set, v))
            graph_direct(s->edited, v, x);
        else
            graph_direct(s->edited, x, v);
    }
    if (!graph_extend(s->dag, s->edited, s->work)) return false;
    graph_direct(s->dag, x, y);
    return graph_cpdag(s->next, s->dag, s->work);
}

static void turn_row(ges_search *s, size_t y)
{
    bits_word *x = s->sets[5];
    bits_copy(x, graph_children(s->state, y), s->words);
    bits_unite(x, graph_siblings(s->state, y), s->words);
    ges_row_from_candidates(s, &ges_turn, y, x);
}

/* The parents of the first node count, too: pairs of a node that changed with those next to it. */
static void turn_cells(ges_search *s, const bits_word *rows, const bits_word *changed, size_t x,
                       size_t y)
{
    ges_cells_shared(s, &ges_turn, rows, x, y);
    BITS_EACH(v, changed, s->words) {
        const bits_word *near = ges_adjacent(s, v);
        BITS_EACH_WORD(u, w, s->words, near[w] & ~rows[w])
            ges_cell_from_candidates(s, &ges_turn, v, u);
    }
}

const ges_phase ges_turn = {2, turn_row, turn_candidates, turn_valid, turn_apply, turn_cells};
