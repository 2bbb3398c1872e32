/* ges_clique.c - cliques among the neighbours of a node, candidates and paths (see ges_parts.h).
 *
 * A clique grows by nodes of increasing index that are adjacent to all its members, so each is
 * visited once, at O(words) per visit. The neighbours of a node in a CPDAG induce a chordal graph;
 * its cliques are few unless one of them is large, and a clique of m nodes has 2^m subsets: the
 * limit leaves out the larger ones, by whole sizes, so that the choice does not depend on the order
 * of the nodes.
 */
#include "learn/ges/ges_parts.h"

typedef struct clique_walk {
    ges_search *s;
    size_t size; /* largest clique to visit */
    clique_visit visit;
    void *user;
    size_t budget; /* visits left (counting) */
} clique_walk;

/* Row depth + 1 of the open nodes: those of row `depth` after v that are adjacent to v. */
static void open_after(const ges_search *s, size_t depth, size_t v)
{
    const bits_word *open = s->open + depth * s->words, *near = ges_adjacent(s, v);
    bits_word *inner = s->open + (depth + 1) * s->words;
    size_t first = v / 64;
    for (size_t w = 0; w < s->words; w++) inner[w] = w < first ? 0 : open[w] & near[w];
    inner[first] &= ~(bits_word)1 << (v % 64);
}

/* open row `depth`: nodes after the last member that are adjacent to all members. */
static void grow(const clique_walk *walk, size_t depth, size_t added)
{
    ges_search *s = walk->s;
    const bits_word *open = s->open + depth * s->words;
    walk->visit(walk->user, s->clique, depth, added);
    if (depth == walk->size) return;
    BITS_EACH(v, open, s->words) {
        open_after(s, depth, v);
        bits_add(s->clique, v);
        grow(walk, depth + 1, v);
        bits_remove(s->clique, v);
    }
}

void ges_cliques(ges_search *s, const bits_word *base, const bits_word *pool, size_t size,
                 clique_visit visit, void *user)
{
    clique_walk walk = {s, size < GES_DEPTH ? size : GES_DEPTH, visit, user, 0};
    bits_copy(s->clique, base, s->words);
    bits_copy(s->open, pool, s->words);
    grow(&walk, 0, SIZE_MAX);
}

/* Takes the cliques of exactly `depth + left` members off the budget; false when it is used up. */
static bool count(clique_walk *walk, size_t depth, size_t left)
{
    ges_search *s = walk->s;
    const bits_word *open = s->open + depth * s->words;
    if (left == 1) {
        size_t members = bits_count(open, s->words);
        if (members > walk->budget) return false;
        walk->budget -= members;
        return true;
    }
    BITS_EACH(v, open, s->words) {
        open_after(s, depth, v);
        if (!count(walk, depth + 1, left - 1)) return false;
    }
    return true;
}

size_t ges_clique_size(bool *all, ges_search *s, const bits_word *pool)
{
    size_t members = bits_count(pool, s->words), limit = s->options.clique_limit, size = 1;
    *all = true;
    if (members <= GES_DEPTH && limit >> members > 0) return members; /* all subsets */
    clique_walk walk = {.s = s, .budget = limit - 1};
    bits_copy(s->open, pool, s->words);
    while (size <= GES_DEPTH) {
        size_t before = walk.budget;
        *all = count(&walk, 0, size);
        /* Nothing of a size means nothing of any larger size. */
        if (!*all || walk.budget == before) break;
        size++;
    }
    return size - 1;
}

bool ges_is_clique(const ges_search *s, const bits_word *set)
{
    BITS_EACH(v, set, s->words) {
        const bits_word *near = ges_adjacent(s, v);
        for (size_t w = 0; w < s->words; w++) {
            bits_word self = w == v / 64 ? (bits_word)1 << (v % 64) : 0;
            if (set[w] & ~near[w] & ~self) return false;
        }
    }
    return true;
}

void ges_pair_cliques(ges_search *s, size_t x, size_t y, clique_visit visit, void *user)
{
    const bits_word *neighbours = graph_siblings(s->state, y), *near = ges_adjacent(s, x);
    bits_word *base = s->sets[2], *pool = s->sets[3];
    for (size_t w = 0; w < s->words; w++) {
        base[w] = neighbours[w] & near[w];
        pool[w] = neighbours[w] & ~near[w];
    }
    if (!ges_is_clique(s, base)) return;
    BITS_EACH(b, base, s->words) bits_intersect(pool, ges_adjacent(s, b), s->words);
    size_t shared = bits_count(base, s->words);
    size_t used = bits_count(graph_parents(s->state, y), s->words) + shared + 1;
    if (used > s->options.max_parents) return;
    bool all;
    size_t size = ges_clique_size(&all, s, neighbours), room = s->options.max_parents - used;
    size = size > shared ? size - shared : 0;
    ges_cliques(s, base, pool, size < room ? size : room, visit, user);
}

void ges_candidate_add(ges_search *s, const bits_word *set, double gain)
{
    ges_candidates *c = &s->candidates;
    if (c->count == c->capacity) return;
    bits_copy(c->sets + c->count * s->words, set, s->words);
    c->gains[c->count++] = gain;
}

static void keep_path(ges_search *s, size_t start, size_t last, size_t goal)
{
    bits_add(s->path, goal);
    for (size_t v = last; v != start; v = s->before[v]) bits_add(s->path, v);
    bits_add(s->path, start);
}

bool ges_path(ges_search *s, size_t start, size_t goal, const bits_word *avoid, bool longer)
{
    const graph *g = s->state;
    bits_word *seen = s->sets[0];
    size_t *before = s->before, *queue = s->before + s->nodes, head = 0, tail = 0;
    bits_copy(seen, avoid, s->words);
    bits_add(seen, start);
    queue[tail++] = start;
    while (head < tail) {
        size_t v = queue[head++];
        const bits_word *children = graph_children(g, v), *siblings = graph_siblings(g, v);
        bool arrived = bits_has(children, goal) || bits_has(siblings, goal);
        if (arrived && !bits_has(avoid, goal) && !(longer && v == start)) {
            keep_path(s, start, v, goal);
            return true;
        }
        BITS_EACH_WORD(u, w, s->words, (children[w] | siblings[w]) & ~seen[w]) {
            if (u == goal) continue;
            bits_add(seen, u);
            before[u] = v;
            queue[tail++] = u;
        }
    }
    return false;
}
