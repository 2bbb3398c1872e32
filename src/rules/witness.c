/* witness.c - definite descendants (witness.h). */
#include "rules/witness.h"

static bool is_clique(const local_graph *h, uint32_t set)
{
    MASK_FOR(a, set) {
        if (set & ~(uint32_t)(pdag_adjacent(h, a) | MASK_BIT(a))) return false;
    }
    return true;
}

/* g is h with the neighbours in `parents` directed towards v and the others away from it, closed;
 * false if no extension of h is like that. */
static bool direct_around(local_graph *g, const local_graph *h, int count, int v, uint32_t parents)
{
    uint16_t neighbours = h->neighbours[v];
    *g = *h;
    MASK_FOR(u, neighbours) {
        if (mask_has(parents, u)) {
            pdag_direct(g, u, v);
        } else {
            pdag_direct(g, v, u);
        }
    }
    if (!pdag_close(g, count)) return false;
    local_graph dag;
    return pdag_extend(&dag, g, count) && pdag_same_colliders(&dag, h, count);
}

uint16_t definite_descendants(const local_graph *h, int count, int v)
{
    uint16_t least = pdag_reach(h, v); /* each extension has these */
    uint16_t neighbours = h->neighbours[v];
    uint32_t shared = UINT32_MAX;
    if (!neighbours) return least;
    /* All subsets of the neighbours, the largest first: many parents leave few descendants. */
    for (uint32_t parents = neighbours;; parents = (parents - 1) & neighbours) {
        if (is_clique(h, parents)) {
            local_graph g;
            if (direct_around(&g, h, count, v, parents)) shared &= pdag_reach(&g, v);
            if (shared == least) return least;
        }
        if (!parents) break;
    }
    return shared == UINT32_MAX ? least : (uint16_t)shared;
}

void view_find_descendants(rule_view *view)
{
    bool same = pdag_equal(&view->local[0], &view->local[1], view->count);
    for (int v = 0; v < view->count; v++) {
        view->descendants[v] = definite_descendants(&view->local[0], view->count, v);
        if (same) continue;
        view->descendants[v] |= definite_descendants(&view->local[1], view->count, v);
    }
}
