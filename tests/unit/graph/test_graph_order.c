/* test_graph_order.c - topological order, cycles, reachability, incremental closure, components. */
#include "testing.h"
#include "graph_oracle.h"

#include "graph/closure.h"
#include "graph/graph_order.h"

/* Every order entry is the smallest node all of whose parents are placed. */
static void check_order(const small *s, const size_t *order)
{
    unsigned placed = 0;
    for (size_t k = 0; k < s->n; k++) {
        size_t smallest = s->n;
        for (size_t v = s->n; v-- > 0;) {
            bool ready = !(placed >> v & 1u);
            for (size_t p = 0; p < s->n; p++) {
                if (small_directed(s, p, v) && !(placed >> p & 1u)) ready = false;
            }
            if (ready) smallest = v;
        }
        CHECK(order[k] == smallest);
        placed |= 1u << smallest;
    }
}

static void check_cycle(const graph *g, graph_work *work)
{
    size_t cycle[SPREAD], length = graph_find_cycle(cycle, g, work);
    CHECK((length == 0) == graph_is_acyclic(g, work));
    for (size_t i = 0; i < length; i++) {
        CHECK(graph_directed(g, cycle[i], cycle[(i + 1) % length]));
        CHECK(i == 0 || cycle[0] < cycle[i]);
        for (size_t k = 0; k < i; k++) CHECK(cycle[k] != cycle[i]);
    }
}

static void check_reach(const small *s, const graph *g, graph_work *work)
{
    unsigned reach[SMALL];
    bits_word of[3], down[3], up[3], expected[3];
    small_reach(reach, s);
    for (unsigned members = 0; members < 1u << s->n; members++) {
        unsigned below = 0, above = 0;
        for (size_t i = 0; i < s->n; i++) {
            if (members >> i & 1u) below |= reach[i];
            if (reach[i] & members) above |= 1u << i;
        }
        small_set(of, g, members);
        graph_ancestors(up, g, of, work);
        small_set(expected, g, above);
        CHECK(bits_equal(up, expected, g->words));
        graph_descendants(down, g, of, work);
        graph_descendants(of, g, of, work); /* in place */
        small_set(expected, g, below);
        CHECK(bits_equal(down, expected, g->words) && bits_equal(of, expected, g->words));
    }
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->n; j++) {
            bool there = graph_reaches(g, small_place(g, i), small_place(g, j), work);
            CHECK(there == (reach[i] >> j & 1u));
        }
    }
}

static void check_graph(const small *s, graph *g, graph_work *work)
{
    size_t order[SPREAD];
    bool undirected = false;
    small_store(g, s);
    bool acyclic = small_acyclic(s);
    CHECK(graph_is_acyclic(g, work) == acyclic);
    CHECK(graph_order(order, g, work) == acyclic);
    if (acyclic && g->nodes == s->n) check_order(s, order);
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < i; j++) undirected = undirected || small_undirected(s, i, j);
    }
    CHECK(graph_is_dag(g, work) == (acyclic && !undirected));
    check_cycle(g, work);
    check_reach(s, g, work);
}

/* Every partially directed graph of up to 4 nodes, and random ones of 6, also
 * over several words. */
static void test_order(void **state)
{
    (void)state;
    graph_work *work;
    CHECK_OK(graph_work_alloc(&work, SPREAD));
    for (size_t n = 0; n <= 4; n++) {
        graph *g;
        small s;
        CHECK_OK(graph_alloc(&g, n));
        for (size_t code = 0; small_from_code(&s, n, code, 4); code++) check_graph(&s, g, work);
        scone_graph_free(g);
    }
    graph *g, *spread;
    CHECK_OK(graph_alloc(&g, 6));
    CHECK_OK(graph_alloc(&spread, SPREAD));
    rng r = rng_stream(1, RNG_TEST, 0, 0, 0);
    for (int round = 0; round < 300; round++) {
        small s = round % 2 ? small_random_pdag(&r, 6) : small_random_dag(&r, 6);
        check_graph(&s, g, work);
        check_graph(&s, spread, work);
    }
    scone_graph_free(spread);
    scone_graph_free(g);
    graph_work_free(work);
}

/* The order of a graph over several words is a permutation in which causes come first. */
static void test_order_long(void **state)
{
    (void)state;
    graph *g;
    graph_work *work;
    size_t order[500], rank[500], place[500];
    CHECK_OK(graph_alloc(&g, 500));
    CHECK_OK(graph_work_alloc(&work, 500));
    rng r = rng_stream(2, RNG_TEST, 0, 0, 0);
    rng_permutation(&r, place, 500);
    for (size_t e = 0; e < 2000; e++) {
        size_t a = rng_below(&r, 500), b = rng_below(&r, 500);
        if (a < b) graph_direct(g, place[a], place[b]);
    }
    CHECK(graph_order(order, g, work));
    for (size_t i = 0; i < 500; i++) rank[i] = SIZE_MAX;
    for (size_t i = 0; i < 500; i++) {
        CHECK(rank[order[i]] == SIZE_MAX);
        rank[order[i]] = i;
    }
    for (size_t v = 0; v < 500; v++) {
        BITS_EACH(u, graph_children(g, v), g->words) CHECK(rank[v] < rank[u]);
    }
    /* Consecutive nodes out of index order must be joined by an edge, or they would be swapped. */
    for (size_t i = 0; i + 1 < 500; i++) {
        CHECK(order[i] < order[i + 1] || graph_directed(g, order[i], order[i + 1]));
    }
    graph_work_free(work);
    scone_graph_free(g);
}

static void check_closure(const closure *kept, closure *fresh, const graph *g, graph_work *work)
{
    bits_word one[3], row[3];
    CHECK(closure_build(fresh, g));
    for (size_t v = 0; v < g->nodes; v++) {
        bits_clear(one, g->words);
        bits_add(one, v);
        graph_descendants(row, g, one, work);
        CHECK(bits_equal(row, closure_descendants(kept, v), g->words));
        CHECK(bits_equal(row, closure_descendants(fresh, v), g->words));
        graph_ancestors(row, g, one, work);
        CHECK(bits_equal(row, closure_ancestors(kept, v), g->words));
        CHECK(bits_equal(row, closure_ancestors(fresh, v), g->words));
    }
}

/* One random edit, with every answer of the closure compared with a search in the graph. */
static void edit_randomly(closure *c, graph *g, graph_work *work, rng *r, double delete_chance)
{
    size_t from = rng_below(r, g->nodes), to = rng_below(r, g->nodes);
    bool cycle = graph_reaches(g, to, from, work);
    CHECK(closure_would_cycle(c, from, to) == cycle);
    CHECK(closure_reaches(c, to, from) == cycle);
    if (graph_adjacent(g, from, to) || rng_uniform(r) < delete_chance) {
        from = rng_below(r, g->nodes);
        to = bits_next(graph_children(g, from), g->words, 0);
        if (to == SIZE_MAX) return;
        bool detour = closure_has_detour(c, g, from, to);
        graph_remove(g, from, to);
        CHECK(detour == graph_reaches(g, from, to, work));
        closure_delete(c, g, from, to);
    } else if (!cycle) {
        graph_direct(g, from, to);
        closure_add(c, from, to);
    }
}

static void test_closure(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 5, 12, 64, 65, SPREAD};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        closure *kept, *fresh;
        graph *g;
        graph_work *work;
        CHECK_OK(closure_alloc(&kept, sizes[k]));
        CHECK_OK(closure_alloc(&fresh, sizes[k]));
        CHECK_OK(graph_alloc(&g, sizes[k]));
        CHECK_OK(graph_work_alloc(&work, sizes[k]));
        rng r = rng_stream(3, RNG_TEST, k, 0, 0);
        for (int step = 0; step < 1200; step++) {
            edit_randomly(kept, g, work, &r, step % 400 < 200 ? 0.1 : 0.6);
            if (sizes[k] < 20 || step % 40 == 39) check_closure(kept, fresh, g, work);
        }
        graph_work_free(work);
        scone_graph_free(g);
        closure_free(fresh);
        closure_free(kept);
    }
    closure_free(NULL);
    graph_work_free(NULL);
}

static void test_closure_of_cycle(void **state)
{
    (void)state;
    closure *c;
    graph *g;
    CHECK_OK(closure_alloc(&c, 3));
    CHECK_OK(graph_alloc(&g, 3));
    graph_direct(g, 0, 1);
    graph_direct(g, 1, 2);
    CHECK(closure_build(c, g));
    CHECK(closure_would_cycle(c, 2, 0) && closure_would_cycle(c, 1, 1));
    CHECK(!closure_would_cycle(c, 0, 2));
    graph_direct(g, 2, 0);
    CHECK(!closure_build(c, g));
    scone_graph_free(g);
    closure_free(c);
}

/* Components against labels spread until nothing changes. */
static void test_components(void **state)
{
    (void)state;
    graph *g;
    graph_work *work;
    size_t label[SPREAD], expected[SPREAD];
    CHECK_OK(graph_alloc(&g, SPREAD));
    CHECK_OK(graph_work_alloc(&work, SPREAD));
    rng r = rng_stream(4, RNG_TEST, 0, 0, 0);
    for (size_t edges = 0; edges < 200; edges += 20) {
        for (int e = 0; e < 20; e++) {
            size_t a = rng_below(&r, SPREAD), b = rng_below(&r, SPREAD);
            if (a != b && rng_uniform(&r) < 0.5)
                graph_direct(g, a, b);
            else if (a != b)
                graph_undirect(g, a, b);
        }
        for (size_t v = 0; v < SPREAD; v++) expected[v] = v;
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t a = 0; a < SPREAD; a++) {
                for (size_t b = 0; b < SPREAD; b++) {
                    if (!graph_adjacent(g, a, b) || expected[b] <= expected[a]) continue;
                    expected[b] = expected[a];
                    changed = true;
                }
            }
        }
        size_t count = 0, number[SPREAD];
        for (size_t v = 0; v < SPREAD; v++) {
            if (expected[v] == v) number[v] = count++;
        }
        CHECK(graph_components(label, g, work) == count);
        for (size_t v = 0; v < SPREAD; v++) CHECK(label[v] == number[expected[v]]);
        CHECK(graph_components(NULL, g, work) == count);
    }
    graph_work_free(work);
    scone_graph_free(g);
}

static void test_too_large(void **state)
{
    (void)state;
    graph_work *work;
    closure *c;
    CHECK_FAILS(graph_work_alloc(&work, SIZE_MAX / 2), SCONE_ERR_MEMORY, "out of memory");
    CHECK_FAILS(closure_alloc(&c, SIZE_MAX / 2), SCONE_ERR_MEMORY, "out of memory");
    CHECK(work == NULL && c == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),      cmocka_unit_test(test_order_long),
        cmocka_unit_test(test_closure),    cmocka_unit_test(test_closure_of_cycle),
        cmocka_unit_test(test_components), cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
