/* test_graph_large.c - random sparse graphs of 2,000 nodes, checked by what must hold between the
 * results; and Meek closure against plain sweeps on graphs of 200 nodes.
 */
#include "testing.h"

#include "base/rng.h"
#include "graph/closure.h"
#include "graph/graph_cpdag.h"
#include "graph/dsep.h"
#include "graph/graph_extend.h"
#include "graph/meek.h"
#include "graph/graph_order.h"

enum { LARGE = 2000, MEDIUM = 200 };

static void random_dag(graph *g, size_t edges, rng *r)
{
    size_t *place = mem_alloc(g->nodes, sizeof *place), count = 0;
    CHECK(place != NULL);
    rng_permutation(r, place, g->nodes);
    bits_clear(g->parents, 3 * g->nodes * g->words);
    while (count < edges) {
        size_t a = rng_below(r, g->nodes), b = rng_below(r, g->nodes);
        if (a >= b || graph_adjacent(g, place[a], place[b])) continue;
        graph_direct(g, place[a], place[b]);
        count++;
    }
    mem_free(place);
}

typedef struct fixture {
    graph *dag, *cpdag, *other, *again;
    graph_work *work;
    meek *m;
} fixture;

static fixture fixture_alloc(size_t nodes)
{
    fixture f;
    CHECK_OK(graph_alloc(&f.dag, nodes));
    CHECK_OK(graph_alloc(&f.cpdag, nodes));
    CHECK_OK(graph_alloc(&f.other, nodes));
    CHECK_OK(graph_alloc(&f.again, nodes));
    CHECK_OK(graph_work_alloc(&f.work, nodes));
    CHECK_OK(meek_alloc(&f.m, nodes));
    return f;
}

static void fixture_free(fixture *f)
{
    meek_free(f->m);
    graph_work_free(f->work);
    scone_graph_free(f->again);
    scone_graph_free(f->other);
    scone_graph_free(f->cpdag);
    scone_graph_free(f->dag);
}

/* Two roads to the CPDAG; an extension of it is equivalent to the DAG and has the same CPDAG; with
 * all directions of the DAG as knowledge the DAG comes back. */
static void check_roads(fixture *f, meek_edge *required)
{
    CHECK(graph_cpdag(f->cpdag, f->dag, f->work));
    graph_pattern(f->other, f->dag);
    CHECK_OK(meek_close(f->other, f->m));
    CHECK(graph_equal_marks(f->other, f->cpdag));

    CHECK(graph_extend(f->other, f->cpdag, f->work));
    CHECK(graph_is_dag(f->other, f->work));
    CHECK(graph_equivalent(f->other, f->dag) && graph_equivalent(f->dag, f->other));
    CHECK(graph_cpdag(f->again, f->other, f->work));
    CHECK(graph_equal_marks(f->again, f->cpdag));

    size_t count = 0;
    for (size_t v = 0; v < f->dag->nodes; v++) {
        BITS_EACH(u, graph_children(f->dag, v), f->dag->words) {
            required[count++] = (meek_edge){(uint32_t)v, (uint32_t)u};
        }
    }
    graph_assign(f->other, f->cpdag);
    CHECK_OK(meek_require(f->other, f->m, required, count));
    CHECK(graph_equal_marks(f->other, f->dag));
    CHECK(f->m->count == graph_count_undirected(f->cpdag));
}

static void test_roads(void **state)
{
    (void)state;
    static const size_t edges[] = {0, LARGE, 2 * LARGE, 10 * LARGE};
    static meek_edge required[10 * LARGE];
    fixture f = fixture_alloc(LARGE);
    rng r = rng_stream(1, RNG_TEST, 0, 0, 0);
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
        random_dag(f.dag, edges[k], &r);
        check_roads(&f, required);
    }
    fixture_free(&f);
}

/* Trees and complete graphs, where nearly everything is undirected. */
static void test_undirected(void **state)
{
    (void)state;
    static meek_edge required[MEDIUM * MEDIUM / 2];
    fixture large = fixture_alloc(LARGE), medium = fixture_alloc(MEDIUM);
    rng r = rng_stream(2, RNG_TEST, 0, 0, 0);
    for (size_t v = 1; v < LARGE; v++) graph_direct(large.dag, rng_below(&r, v), v);
    check_roads(&large, required);
    CHECK(graph_count_undirected(large.cpdag) == LARGE - 1);
    random_dag(medium.dag, MEDIUM * (MEDIUM - 1) / 2, &r);
    check_roads(&medium, required);
    CHECK(graph_count_undirected(medium.cpdag) == MEDIUM * (MEDIUM - 1) / 2);
    fixture_free(&medium);
    fixture_free(&large);
}

/* Given its parents, a node is separated from everything that is not its descendant; given its
 * Markov blanket, from everything. The pairwise answer agrees with the set of all connected. */
static void test_separation(void **state)
{
    (void)state;
    fixture f = fixture_alloc(LARGE);
    rng r = rng_stream(3, RNG_TEST, 0, 0, 0);
    random_dag(f.dag, 2 * LARGE, &r);
    size_t words = f.dag->words;
    bits_word x[32], z[32], out[32], below[32];
    CHECK(words == 32);
    graph_moral(f.other, f.dag, NULL);
    for (int round = 0; round < 50; round++) {
        size_t v = rng_below(&r, LARGE);
        bits_clear(x, words);
        bits_add(x, v);
        graph_descendants(below, f.dag, x, f.work);
        dsep_connected(out, f.dag, x, graph_parents(f.dag, v), f.work);
        bits_remove(below, v);
        CHECK(bits_equal(out, below, words)); /* and all descendants are connected */
        dsep_connected(out, f.dag, x, graph_siblings(f.other, v), f.work);
        CHECK(bits_empty(out, words));
        bits_clear(z, words);
        for (int k = 0; k < 60; k++) bits_add(z, rng_below(&r, LARGE));
        bits_remove(z, v);
        dsep_connected(out, f.dag, x, z, f.work);
        for (int k = 0; k < 10; k++) {
            size_t u = rng_below(&r, LARGE);
            if (u == v || bits_has(z, u)) continue;
            CHECK(dsep_pair(f.dag, v, u, z, f.work) == !bits_has(out, u));
            CHECK(dsep_pair(f.dag, u, v, z, f.work) == !bits_has(out, u));
        }
    }
    fixture_free(&f);
}

/* Building edge by edge gives the closure that is built at once, and removing
 * all leaves nothing. */
static void test_closure(void **state)
{
    (void)state;
    fixture f = fixture_alloc(LARGE);
    closure *kept, *fresh;
    CHECK_OK(closure_alloc(&kept, LARGE));
    CHECK_OK(closure_alloc(&fresh, LARGE));
    rng r = rng_stream(4, RNG_TEST, 0, 0, 0);
    random_dag(f.dag, 2 * LARGE, &r);
    size_t cells = 2 * LARGE * f.dag->words;
    for (size_t v = 0; v < LARGE; v++) {
        BITS_EACH(u, graph_children(f.dag, v), f.dag->words) {
            CHECK(!closure_would_cycle(kept, v, u));
            closure_add(kept, v, u);
        }
    }
    CHECK(closure_build(fresh, f.dag));
    CHECK(bits_equal(kept->ancestors, fresh->ancestors, cells));
    for (size_t k = 0; k < 300; k++) {
        size_t v = rng_below(&r, LARGE), u = bits_next(graph_children(f.dag, v), f.dag->words, 0);
        if (u == SIZE_MAX) continue;
        graph_remove(f.dag, v, u);
        closure_delete(kept, f.dag, v, u);
    }
    CHECK(closure_build(fresh, f.dag));
    CHECK(bits_equal(kept->ancestors, fresh->ancestors, cells));
    closure_free(fresh);
    closure_free(kept);
    fixture_free(&f);
}

/* Does some rule turn a - b into a -> b? Straight from the definitions. */
static bool rule_fires(const graph *g, size_t a, size_t b)
{
    for (size_t c = 0; c < g->nodes; c++) {
        if (c == a || c == b) continue;
        if (graph_directed(g, c, a) && !graph_adjacent(g, c, b)) return true;
        if (!graph_directed(g, c, b)) continue;
        if (graph_directed(g, a, c)) return true;
        if (!graph_adjacent(g, a, c)) continue;
        for (size_t d = 0; d < g->nodes; d++) {
            if (d == b || d == c || !graph_undirected(g, a, d)) continue;
            if (graph_directed(g, d, b) && graph_undirected(g, a, c) && !graph_adjacent(g, c, d)) {
                return true;
            }
            if (graph_directed(g, d, c) && !graph_adjacent(g, b, d)) return true;
        }
    }
    return false;
}

static void sweep(graph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t a = 0; a < g->nodes; a++) {
            for (size_t b = 0; b < g->nodes; b++) {
                if (!graph_undirected(g, a, b) || !rule_fires(g, a, b)) continue;
                graph_direct(g, a, b);
                changed = true;
            }
        }
    }
}

/* Knowledge on CPDAGs, closed with the queue and with sweeps over everything. */
static void test_sweeps(void **state)
{
    (void)state;
    fixture f = fixture_alloc(MEDIUM);
    rng r = rng_stream(5, RNG_TEST, 0, 0, 0);
    for (size_t round = 0; round < 20; round++) {
        random_dag(f.dag, MEDIUM * (1 + round % 5), &r);
        CHECK(graph_cpdag(f.cpdag, f.dag, f.work));
        if (round % 2) graph_pattern(f.cpdag, f.dag);
        graph_assign(f.other, f.cpdag);
        if (round % 2) CHECK_OK(meek_close(f.other, f.m));
        for (size_t k = 0; k < 10; k++) {
            size_t v = rng_below(&r, MEDIUM);
            size_t u = bits_next(graph_children(f.dag, v), f.dag->words, 0);
            if (u == SIZE_MAX) continue;
            CHECK_OK(meek_require(f.other, f.m, &(meek_edge){(uint32_t)v, (uint32_t)u}, 1));
            graph_direct(f.cpdag, v, u);
        }
        sweep(f.cpdag);
        CHECK(graph_equal_marks(f.other, f.cpdag));
    }
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roads),      cmocka_unit_test(test_undirected),
        cmocka_unit_test(test_separation), cmocka_unit_test(test_closure),
        cmocka_unit_test(test_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
