/* pdag.c - partially directed graphs on bit masks (pdag.h). */
#include "rules/pdag.h"

#include <string.h>

static void pdag_remove(local_graph *g, int a, int b)
{
    uint16_t not_a = (uint16_t)~MASK_BIT(a), not_b = (uint16_t)~MASK_BIT(b);
    g->children[a] &= not_b;
    g->children[b] &= not_a;
    g->parents[a] &= not_b;
    g->parents[b] &= not_a;
    g->neighbours[a] &= not_b;
    g->neighbours[b] &= not_a;
}

void pdag_direct(local_graph *g, int from, int to)
{
    pdag_remove(g, from, to);
    g->children[from] |= MASK_BIT(to);
    g->parents[to] |= MASK_BIT(from);
}

void pdag_undirect(local_graph *g, int a, int b)
{
    pdag_remove(g, a, b);
    g->neighbours[a] |= MASK_BIT(b);
    g->neighbours[b] |= MASK_BIT(a);
}

bool pdag_equal(const local_graph *a, const local_graph *b, int count)
{
    size_t size = (size_t)count * sizeof *a->children;
    return memcmp(a->children, b->children, size) == 0 &&
           memcmp(a->neighbours, b->neighbours, size) == 0;
}

uint16_t pdag_reach(const local_graph *g, int v)
{
    uint16_t reached = g->children[v], fresh = reached;
    while (fresh) {
        uint16_t next = 0;
        MASK_FOR(u, fresh) next |= g->children[u];
        fresh = (uint16_t)(next & ~reached);
        reached |= next;
    }
    return reached;
}

bool pdag_acyclic(const local_graph *g, int count)
{
    uint16_t left = mask_all(count);
    for (bool found = true; left && found;) {
        found = false;
        MASK_FOR(v, left) {
            if (g->parents[v] & left) continue;
            left &= (uint16_t)~MASK_BIT(v);
            found = true;
        }
    }
    return left == 0;
}

/* Does a Meek rule turn the undirected a - b into a -> b? */
static bool meek_turns(const local_graph *g, int a, int b)
{
    if (g->parents[a] & ~(pdag_adjacent(g, b) | MASK_BIT(b))) return true; /* R1 */
    if (g->children[a] & g->parents[b]) return true;                       /* R2 */
    uint16_t between = g->neighbours[a] & g->parents[b];
    MASK_FOR(c, between) {
        if (between & ~(pdag_adjacent(g, c) | MASK_BIT(c))) return true; /* R3 */
    }
    uint16_t last = pdag_adjacent(g, a) & g->parents[b]; /* R4: a - d -> c -> b */
    uint16_t apart = (uint16_t) ~(pdag_adjacent(g, b) | MASK_BIT(b));
    MASK_FOR(c, last) {
        if (g->neighbours[a] & g->parents[c] & apart) return true;
    }
    return false;
}

bool pdag_close(local_graph *g, int count)
{
    static const uint16_t none[RULE_MOST_NODES] = {0};
    return pdag_close_except(g, count, none);
}

bool pdag_close_except(local_graph *g, int count, const uint16_t *frozen_at_first)
{
    bool consistent = true;
    uint16_t frozen[RULE_MOST_NODES];
    memcpy(frozen, frozen_at_first, sizeof frozen);
    for (bool changed = true; changed;) {
        uint16_t turned[RULE_MOST_NODES] = {0};
        changed = false;
        for (int a = 0; a < count; a++) {
            MASK_FOR(b, (uint32_t)(g->neighbours[a] & ~frozen[a])) {
                if (meek_turns(g, a, b)) turned[a] |= MASK_BIT(b);
            }
        }
        for (int a = 0; a < count; a++) {
            MASK_FOR(b, turned[a]) {
                if (mask_has(turned[b], a)) {
                    frozen[a] |= MASK_BIT(b);
                    consistent = false;
                    continue;
                }
                pdag_direct(g, a, b);
                changed = true;
            }
        }
    }
    return consistent && pdag_acyclic(g, count);
}

bool pdag_require(local_graph *g, int count, int from, int to)
{
    if (pdag_directed(g, from, to)) return true;
    if (!pdag_undirected(g, from, to)) return false;
    pdag_direct(g, from, to);
    return pdag_close(g, count);
}

/* May x be the last node of an extension of the rest? */
static bool sink_of_extension(const local_graph *g, int x, uint16_t left)
{
    if (g->children[x] & left) return false;
    uint16_t adjacent = pdag_adjacent(g, x) & left;
    MASK_FOR(y, (uint32_t)(g->neighbours[x] & left)) {
        if (adjacent & ~(pdag_adjacent(g, y) | MASK_BIT(y))) return false;
    }
    return true;
}

bool pdag_extend(local_graph *dag, const local_graph *g, int count)
{
    *dag = *g;
    uint16_t left = mask_all(count);
    while (left) {
        int sink = -1;
        MASK_FOR(x, left) {
            if (sink < 0 && sink_of_extension(g, x, left)) sink = x;
        }
        if (sink < 0) return false;
        MASK_FOR(y, (uint32_t)(g->neighbours[sink] & left)) pdag_direct(dag, y, sink);
        left &= (uint16_t)~MASK_BIT(sink);
    }
    return true;
}

bool pdag_same_colliders(const local_graph *a, const local_graph *b, int count)
{
    for (int c = 0; c < count; c++) {
        uint16_t either = a->parents[c] | b->parents[c];
        MASK_FOR(x, either) {
            uint16_t apart = (uint16_t) ~(pdag_adjacent(a, x) | MASK_BIT(x));
            uint16_t in_a = mask_has(a->parents[c], x) ? a->parents[c] & apart : 0;
            uint16_t in_b = mask_has(b->parents[c], x) ? b->parents[c] & apart : 0;
            if (in_a != in_b) return false;
        }
    }
    return true;
}
