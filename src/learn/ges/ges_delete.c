/* ges_delete.c - the backward phase: Delete(x, y, H) (see ges_parts.h).
 *
 * Chickering (2002), theorem 17: for x -> y or x - y and H a set of neighbours of y that are
 * adjacent to x (NA), the operator is valid if and only if C = NA - H is a clique. It removes the
 * edge and directs y - h to y -> h, and x - h to x -> h, for h in H. Corollary 18: the gain is
 *     s(y, Pa + C - x) - s(y, Pa + C + x).
 * Where NA has more cliques than the limit, C is a small clique, or NA without one node, or NA.
 */
#include "learn/ges/ges_parts.h"

#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"

typedef struct delete_pair {
    ges_search *s;
    size_t x, y;
    bits_word *parents;
} delete_pair;

static void delete_visit(void *user, const bits_word *clique, size_t depth, size_t added)
{
    delete_pair *pair = user;
    ges_search *s = pair->s;
    (void)depth;
    (void)added;
    bits_copy(pair->parents, graph_parents(s->state, pair->y), s->words);
    bits_unite(pair->parents, clique, s->words);
    double with = ges_local(s->score, pair->y, pair->parents, pair->x, SIZE_MAX);
    double without = ges_local(s->score, pair->y, pair->parents, SIZE_MAX, pair->x);
    ges_candidate_add(s, clique, without - with);
}

static void delete_candidates(ges_search *s, size_t x, size_t y)
{
    bits_word *shared = s->sets[2], *base = s->sets[3];
    delete_pair pair = {s, x, y, s->sets[4]};
    if (!graph_directed(s->state, x, y) && !graph_undirected(s->state, x, y)) return;
    if (ges_known(s, s->options.required, x, y) || ges_known(s, s->options.required, y, x)) return;
    bits_copy(shared, graph_siblings(s->state, y), s->words);
    bits_intersect(shared, ges_adjacent(s, x), s->words);
    bits_clear(base, s->words);
    bool all;
    size_t size = ges_clique_size(&all, s, shared);
    ges_cliques(s, base, shared, size, delete_visit, &pair);
    size_t members = bits_count(shared, s->words);
    if (all || !ges_is_clique(s, shared)) return;
    delete_visit(&pair, shared, 0, SIZE_MAX);
    if (size + 1 >= members) return;
    bits_copy(base, shared, s->words);
    BITS_EACH(h, base, s->words) {
        bits_remove(shared, h);
        delete_visit(&pair, shared, 0, SIZE_MAX);
        bits_add(shared, h);
    }
}

static bool delete_valid(ges_search *s, size_t x, size_t y, const bits_word *set)
{
    (void)s;
    (void)x;
    (void)y;
    (void)set;
    return true; /* every candidate is */
}

static bool delete_apply(ges_search *s, size_t x, size_t y, const bits_word *set)
{
    const bits_word *neighbours = graph_siblings(s->state, y), *near = ges_adjacent(s, x);
    graph_assign(s->edited, s->state);
    graph_remove(s->edited, x, y);
    BITS_EACH_WORD(h, w, s->words, neighbours[w] & near[w] & ~set[w]) {
        graph_direct(s->edited, y, h);
        if (graph_undirected(s->edited, x, h)) graph_direct(s->edited, x, h);
    }
    return graph_extend(s->dag, s->edited, s->work) && graph_cpdag(s->next, s->dag, s->work);
}

static void delete_row(ges_search *s, size_t y)
{
    bits_word *x = s->sets[5];
    bits_copy(x, graph_parents(s->state, y), s->words);
    bits_unite(x, graph_siblings(s->state, y), s->words);
    ges_row_from_candidates(s, &ges_delete, y, x);
}

static void delete_cells(ges_search *s, const bits_word *rows, const bits_word *changed, size_t x,
                         size_t y)
{
    (void)changed;
    ges_cells_shared(s, &ges_delete, rows, x, y);
}

const ges_phase ges_delete = {
    1, delete_row, delete_candidates, delete_valid, delete_apply, delete_cells};
