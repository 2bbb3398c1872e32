/* meek.c - the Meek rules, their reasons and background knowledge (see meek.h). */
#include "graph/meek.h"

#include "graph/meek_conflict.h"
#include "graph/graph_order.h"

#include <stdlib.h>

scone_status meek_alloc(meek **out, size_t nodes)
{
    scone_status status = SCONE_OK;
    meek *m = NULL;
    *out = NULL;
    if (nodes >= MEEK_NO_NODE) FAIL(SCONE_ERR_MEMORY, "out of memory: a graph of %zu nodes", nodes);
    TRY_ZERO(m, 1);
    TRY(graph_work_alloc(&m->work, nodes));
    TRY_ZERO(m->cycle, nodes + 2); /* a request for an edge names two nodes in any graph */
    *out = m;
    return SCONE_OK;
cleanup:
    meek_free(m);
    return status;
}

void meek_free(meek *m)
{
    if (!m) return;
    graph_work_free(m->work);
    mem_free(m->cycle);
    mem_free(m->edges);
    mem_free(m->reasons);
    mem_free(m);
}

/* Room for `edges` directions and `reasons` reasons. */
static scone_status reserve(meek *m, size_t edges, size_t reasons)
{
    if (edges > m->edge_capacity) {
        meek_edge *grown = mem_resize(m->edges, edges, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        m->edges = grown;
        m->edge_capacity = edges;
    }
    if (reasons > m->capacity) {
        meek_reason *grown = mem_resize(m->reasons, reasons, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        m->reasons = grown;
        m->capacity = reasons;
    }
    return SCONE_OK;
}

/* v and everything adjacent to it; never changes while edges are directed */
static inline const bits_word *near(const meek *m, const graph *g, size_t v)
{
    return m->work->matrix + v * g->words;
}

scone_status meek_begin(meek *m, const graph *g)
{
    m->count = 0;
    m->conflict = (meek_conflict){0};
    graph_skeleton(m->work->matrix, g, true);
    /* Every reason directs one undirected edge; the list of edges holds the directions to start
     * from, or the required ones among the reasons and one more. */
    size_t directed = graph_row_counts(m->work->numbers[3], g->children, g->nodes, g->words);
    size_t undirected = graph_row_counts(m->work->numbers[3], g->siblings, g->nodes, g->words) / 2;
    return reserve(m, (directed > undirected ? directed : undirected) + 1, undirected);
}

/* Directs a - b and notes the reason; false if that makes a v-structure the graph did not have. */
static bool direct(meek *m, graph *g, meek_rule rule, size_t a, size_t b, size_t c, size_t d)
{
    size_t *loose = m->work->numbers[3];
    bits_remove(graph_siblings(g, a), b);
    bits_remove(graph_siblings(g, b), a);
    bits_add(graph_children(g, a), b);
    bits_add(graph_parents(g, b), a);
    loose[a]--;
    loose[b]--;
    m->reasons[m->count++] =
        (meek_reason){rule, (uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)d};
    const bits_word *parents = graph_parents(g, b), *near_a = near(m, g, a);
    BITS_EACH_WORD(other, w, g->words, parents[w] & ~near_a[w]) {
        meek_conflict_collider(m, a, b, other);
        return false;
    }
    return true;
}

/* R1 with c -> a being x -> y. */
static bool apply_r1(meek *m, graph *g, size_t x, size_t y)
{
    const bits_word *loose = graph_siblings(g, y), *near_x = near(m, g, x);
    BITS_EACH_WORD(b, w, g->words, loose[w] & ~near_x[w]) {
        if (!direct(m, g, MEEK_R1, y, b, x, MEEK_NO_NODE)) return false;
    }
    return true;
}

/* R2 with x -> y as the first and then as the second edge of a -> c -> b. */
static bool apply_r2(meek *m, graph *g, size_t x, size_t y)
{
    const bits_word *below = graph_children(g, y), *loose_x = graph_siblings(g, x);
    BITS_EACH_WORD(b, w, g->words, below[w] & loose_x[w]) {
        if (!direct(m, g, MEEK_R2, x, b, y, MEEK_NO_NODE)) return false;
    }
    const bits_word *above = graph_parents(g, x), *loose_y = graph_siblings(g, y);
    BITS_EACH_WORD(a, w, g->words, above[w] & loose_y[w]) {
        if (!direct(m, g, MEEK_R2, a, y, x, MEEK_NO_NODE)) return false;
    }
    return true;
}

/* R3 with x -> y as c -> b or d -> b, which are interchangeable. */
static bool apply_r3(meek *m, graph *g, size_t x, size_t y)
{
    const bits_word *loose_x = graph_siblings(g, x), *loose_y = graph_siblings(g, y);
    const bits_word *above = graph_parents(g, y), *near_x = near(m, g, x);
    BITS_EACH_WORD(a, w, g->words, loose_x[w] & loose_y[w]) {
        const bits_word *loose_a = graph_siblings(g, a);
        size_t other = SIZE_MAX;
        for (size_t k = 0; k < g->words && other == SIZE_MAX; k++) {
            bits_word found = above[k] & loose_a[k] & ~near_x[k];
            if (found) other = k * 64 + (size_t)__builtin_ctzll(found);
        }
        if (other == SIZE_MAX) continue;
        size_t c = x < other ? x : other, d = x < other ? other : x;
        if (!direct(m, g, MEEK_R3, a, y, c, d)) return false;
    }
    return true;
}

/* R4 with x -> y as the first edge of d -> c -> b. It need not be tried with x -> y as the second
 * edge: R1 directs c -> b as soon as d -> c is looked at, so the second edge is never the last. */
static bool apply_r4(meek *m, graph *g, size_t x, size_t y)
{
    const bits_word *below = graph_children(g, y), *near_x = near(m, g, x);
    const bits_word *loose_x = graph_siblings(g, x), *near_y = near(m, g, y);
    BITS_EACH_WORD(b, w, g->words, below[w] & ~near_x[w]) {
        const bits_word *loose_b = graph_siblings(g, b);
        BITS_EACH_WORD(a, k, g->words, loose_x[k] & near_y[k] & loose_b[k]) {
            if (!direct(m, g, MEEK_R4, a, b, y, x)) return false;
        }
    }
    return true;
}

/* Everything that follows from x -> y in one step. A rule is skipped when an end has no undirected
 * edge left that it could use, which is most of the time in sparse graphs. */
static bool expand(meek *m, graph *g, size_t x, size_t y)
{
    const size_t *loose = m->work->numbers[3];
    if (loose[y] && !apply_r1(m, g, x, y)) return false;
    if ((loose[x] || loose[y]) && !apply_r2(m, g, x, y)) return false;
    if (loose[x] && loose[y] && !apply_r3(m, g, x, y)) return false;
    return !loose[x] || apply_r4(m, g, x, y);
}

/* Follows the reasons from number `head` on, which grow meanwhile; then looks for cycles. */
static bool follow(meek *m, graph *g, size_t head)
{
    for (; head < m->count; head++) {
        if (!expand(m, g, m->reasons[head].from, m->reasons[head].to)) return false;
    }
    if (graph_is_acyclic(g, m->work)) return true;
    meek_conflict_cycle(m, g);
    return false;
}

bool meek_propagate(meek *m, graph *g)
{
    const size_t *loose = m->work->numbers[3];
    size_t head = m->count, count = 0;
    /* A list, since the rows change on the way; what is new is followed afterwards. */
    for (size_t x = 0; x < g->nodes; x++) {
        BITS_EACH(y, graph_children(g, x), g->words) {
            if (!loose[x] && !loose[y]) continue;
            m->edges[count++] = (meek_edge){(uint32_t)x, (uint32_t)y};
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!expand(m, g, m->edges[i].from, m->edges[i].to)) return false;
    }
    return follow(m, g, head);
}

bool meek_assume(meek *m, graph *g, size_t from, size_t to)
{
    size_t head = m->count;
    if (!direct(m, g, MEEK_REQUIRED, from, to, MEEK_NO_NODE, MEEK_NO_NODE)) return false;
    return follow(m, g, head);
}

void meek_undo(meek *m, graph *g, size_t count)
{
    size_t *loose = m->work->numbers[3];
    while (m->count > count) {
        const meek_reason *last = &m->reasons[--m->count];
        graph_undirect(g, last->from, last->to);
        loose[last->from]++;
        loose[last->to]++;
    }
}

/* Ends a call: on a conflict, names it and gives the graph back as it was. */
static scone_status finish(meek *m, graph *g)
{
    if (m->conflict.kind == MEEK_NO_CONFLICT) return SCONE_OK;
    scone_status status = meek_conflict_raise(m, g);
    size_t derived = m->count;
    meek_undo(m, g, 0);
    m->count = derived; /* the reasons stay, to explain the conflict */
    return status;
}

scone_status meek_close(graph *g, meek *m)
{
    scone_status status = meek_begin(m, g);
    if (status != SCONE_OK) return status;
    (void)meek_propagate(m, g);
    return finish(m, g);
}

static int compare_edges(const void *left, const void *right)
{
    const meek_edge *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Directs all required edges, smallest first; false on a conflict. */
static bool direct_required(meek *m, graph *g, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = m->edges[i].from, to = m->edges[i].to;
        if (graph_directed(g, from, to)) continue;
        if (!graph_undirected(g, from, to)) {
            bool opposed = graph_directed(g, to, from);
            meek_conflict_request(m, opposed ? MEEK_OPPOSED : MEEK_ABSENT, from, to);
            return false;
        }
        if (!direct(m, g, MEEK_REQUIRED, from, to, MEEK_NO_NODE, MEEK_NO_NODE)) return false;
    }
    return true;
}

scone_status meek_require(graph *g, meek *m, const meek_edge *required, size_t count)
{
    scone_status status = SCONE_OK;
    TRY(meek_begin(m, g));
    TRY(reserve(m, count, 0));
    for (size_t i = 0; i < count; i++) {
        if (required[i].from < g->nodes && required[i].to < g->nodes) continue;
        FAIL(SCONE_ERR_USAGE, "required direction %zu names a node that the graph lacks", i + 1);
    }
    if (count) memcpy(m->edges, required, count * sizeof *required);
    if (count) qsort(m->edges, count, sizeof *m->edges, compare_edges);
    if (direct_required(m, g, count)) (void)follow(m, g, 0);
    TRY(finish(m, g));
cleanup:
    return status;
}

bool meek_reason_holds(const graph *g, const meek_reason *reason)
{
    size_t a = reason->from, b = reason->to, c = reason->first, d = reason->second;
    if (a >= g->nodes || b >= g->nodes || !graph_undirected(g, a, b)) return false;
    if (reason->rule == MEEK_REQUIRED) return true;
    if (c >= g->nodes) return false;
    if (reason->rule == MEEK_R1)
        return graph_directed(g, c, a) && c != b && !graph_adjacent(g, c, b);
    if (reason->rule == MEEK_R2) return graph_directed(g, a, c) && graph_directed(g, c, b);
    if (d >= g->nodes || c == d || !graph_directed(g, c, b)) return false;
    if (reason->rule == MEEK_R3) {
        return graph_undirected(g, a, c) && graph_undirected(g, a, d) && graph_directed(g, d, b) &&
               !graph_adjacent(g, c, d);
    }
    return reason->rule == MEEK_R4 && graph_undirected(g, a, d) && graph_directed(g, d, c) &&
           graph_adjacent(g, a, c) && b != d && !graph_adjacent(g, b, d);
}
