/* test_graph_dsep.c - d-separation against paths and moral graphs; path enumeration. */
#include "testing.h"
#include "graph_oracle.h"

#include "graph/dsep.h"
#include "graph/graph_order.h"
#include "graph/graph_paths.h"

/* Every (x, y, Z) of one DAG, by pairs and by all nodes connected to x at once. */
static void check_pairs(const small *s, const graph *g, graph_work *work)
{
    bits_word z[3], x[3], connected[3], expected[3];
    for (unsigned given = 0; given < 1u << s->n; given++) {
        small_set(z, g, given);
        for (size_t i = 0; i < s->n; i++) {
            if (given >> i & 1u) continue;
            unsigned open = 0;
            for (size_t j = 0; j < s->n; j++) {
                if (j == i || given >> j & 1u) continue;
                bool separated = small_separated(s, i, j, given);
                CHECK(dsep_pair(g, small_place(g, i), small_place(g, j), z, work) == separated);
                if (!separated) open |= 1u << j;
            }
            small_set(x, g, 1u << i);
            dsep_connected(connected, g, x, z, work);
            small_set(expected, g, open);
            CHECK(bits_equal(connected, expected, g->words));
        }
    }
}

static void test_small_dags(void **state)
{
    (void)state;
    static small dags[543];
    graph_work *work;
    CHECK_OK(graph_work_alloc(&work, SPREAD));
    for (size_t n = 1; n <= 4; n++) {
        graph *g;
        CHECK_OK(graph_alloc(&g, n));
        size_t count = small_dags(dags, n);
        for (size_t d = 0; d < count; d++) {
            small_store(g, &dags[d]);
            check_pairs(&dags[d], g, work);
        }
        scone_graph_free(g);
    }
    graph_work_free(work);
}

static void test_random_dags(void **state)
{
    (void)state;
    graph *g, *spread;
    graph_work *work;
    CHECK_OK(graph_alloc(&g, 6));
    CHECK_OK(graph_alloc(&spread, SPREAD));
    CHECK_OK(graph_work_alloc(&work, SPREAD));
    rng r = rng_stream(1, RNG_TEST, 0, 0, 0);
    for (int round = 0; round < 60; round++) {
        small s = small_random_dag(&r, 6);
        small_store(g, &s);
        check_pairs(&s, g, work);
        small_store(spread, &s);
        check_pairs(&s, spread, work);
    }
    graph_work_free(work);
    scone_graph_free(spread);
    scone_graph_free(g);
}

/* Sets: X and Y are separated exactly if every pair of their members outside Z is. */
static void test_sets(void **state)
{
    (void)state;
    graph *g;
    graph_work *work;
    bits_word x[1], y[1], z[1], out[1];
    CHECK_OK(graph_alloc(&g, 6));
    CHECK_OK(graph_work_alloc(&work, 6));
    rng r = rng_stream(2, RNG_TEST, 0, 0, 0);
    size_t separated_count = 0;
    for (int round = 0; round < 20000; round++) {
        small s = small_random_dag(&r, 6);
        small_store(g, &s);
        unsigned xs = (unsigned)rng_below(&r, 64) & (unsigned)rng_below(&r, 64);
        unsigned ys = (unsigned)rng_below(&r, 64) & (unsigned)rng_below(&r, 64);
        unsigned zs = (unsigned)rng_below(&r, 64);
        bool separated = true;
        unsigned open = 0;
        for (size_t i = 0; i < 6; i++) {
            for (size_t j = 0; j < 6; j++) {
                if (!(xs >> i & 1u) || (zs >> i & 1u) || (zs >> j & 1u)) continue;
                if (i != j && small_separated(&s, i, j, zs)) continue;
                open |= 1u << j;
                if (ys >> j & 1u) separated = false;
            }
        }
        small_set(x, g, xs);
        small_set(y, g, ys);
        small_set(z, g, zs);
        CHECK(dsep_separated(g, x, y, z, work) == separated);
        CHECK(dsep_separated(g, y, x, z, work) == separated);
        dsep_connected(out, g, x, z, work);
        CHECK(out[0] == (open & ~xs));
        dsep_connected(z, g, x, z, work); /* in place */
        CHECK(z[0] == out[0]);
        separated_count += separated;
    }
    CHECK(separated_count > 2000 && separated_count < 18000);
    graph_work_free(work);
    scone_graph_free(g);
}

/* Lauritzen's criterion: separation in the moral graph of the smallest ancestral set. */
static bool separated_in_moral(graph *moral, const graph *g, size_t x, size_t y, const bits_word *z,
                               graph_work *work)
{
    bits_word within[3], seen[3], pending[3];
    bits_copy(within, z, g->words);
    bits_add(within, x);
    bits_add(within, y);
    graph_ancestors(within, g, within, work);
    graph_moral(moral, g, within);
    bits_clear(seen, g->words);
    bits_add(seen, x);
    bits_copy(pending, seen, g->words);
    for (size_t v; (v = bits_next(pending, g->words, 0)) != SIZE_MAX;) {
        bits_remove(pending, v);
        CHECK(bits_has(within, v));
        BITS_EACH(u, graph_siblings(moral, v), g->words) {
            if (bits_has(seen, u) || bits_has(z, u)) continue;
            bits_add(seen, u);
            bits_add(pending, u);
        }
    }
    return !bits_has(seen, y);
}

static void test_moral(void **state)
{
    (void)state;
    graph *g, *moral;
    graph_work *work;
    bits_word z[3];
    CHECK_OK(graph_alloc(&g, SPREAD));
    CHECK_OK(graph_alloc(&moral, SPREAD));
    CHECK_OK(graph_work_alloc(&work, SPREAD));
    rng r = rng_stream(3, RNG_TEST, 0, 0, 0);
    size_t separated_count = 0, place[SPREAD];
    for (int round = 0; round < 4000; round++) {
        if (round % 200 == 0) { /* another graph, denser each time */
            bits_clear(g->parents, 3 * g->nodes * g->words);
            rng_permutation(&r, place, SPREAD);
            for (int e = 0; e < 200 + round / 5; e++) {
                size_t a = rng_below(&r, SPREAD), b = rng_below(&r, SPREAD);
                if (a < b) graph_direct(g, place[a], place[b]);
            }
        }
        bits_clear(z, g->words);
        for (size_t k = rng_below(&r, 40); k > 0; k--) bits_add(z, rng_below(&r, SPREAD));
        size_t x = rng_below(&r, SPREAD), y = rng_below(&r, SPREAD);
        if (x == y || bits_has(z, x) || bits_has(z, y)) continue;
        bool separated = separated_in_moral(moral, g, x, y, z, work);
        CHECK(dsep_pair(g, x, y, z, work) == separated);
        separated_count += separated;
    }
    CHECK(separated_count > 300 && separated_count < 3000);
    graph_work_free(work);
    scone_graph_free(moral);
    scone_graph_free(g);
}

static void test_moral_edges(void **state)
{
    (void)state;
    graph *g, *moral;
    CHECK_OK(graph_alloc(&g, 5));
    CHECK_OK(graph_alloc(&moral, 5));
    graph_direct(g, 0, 2);
    graph_direct(g, 1, 2);
    graph_direct(g, 2, 3);
    graph_direct(g, 4, 3);
    graph_direct(moral, 4, 0); /* what was there before does not matter */
    graph_moral(moral, g, NULL);
    CHECK(scone_graph_edges(moral) == 6 && graph_count_undirected(moral) == 6);
    CHECK(graph_undirected(moral, 0, 1) && graph_undirected(moral, 2, 4));
    bits_word ancestral[1] = {7}; /* 0, 1, 2 */
    graph_moral(moral, g, ancestral);
    CHECK(scone_graph_edges(moral) == 3 && !graph_adjacent(moral, 2, 3));
    scone_graph_free(moral);
    scone_graph_free(g);
}

typedef struct path_check {
    const graph *g;
    size_t start, goal, longest, count, stop;
    size_t previous[SPREAD], previous_count;
} path_check;

/* Each path is simple, follows edges, and comes after the one before it. */
static bool check_path(void *user, const size_t *path, size_t count)
{
    path_check *check = user;
    CHECK(count >= 1 && count - 1 <= check->longest);
    CHECK(path[0] == check->start && path[count - 1] == check->goal);
    for (size_t i = 0; i < count; i++) {
        if (i) CHECK(graph_adjacent(check->g, path[i - 1], path[i]));
        for (size_t k = 0; k < i; k++) CHECK(path[k] != path[i]);
    }
    if (check->count) {
        size_t i = 0;
        while (i < count && i < check->previous_count && path[i] == check->previous[i]) i++;
        CHECK(i < count && i < check->previous_count && path[i] > check->previous[i]);
    }
    memcpy(check->previous, path, count * sizeof *path);
    check->previous_count = count;
    check->count++;
    return check->count != check->stop;
}

static size_t count_paths(const small *s, size_t at, size_t goal, size_t left, unsigned used)
{
    if (at == goal) return 1;
    size_t count = 0;
    used |= 1u << at;
    for (size_t next = 0; next < s->n && left > 0; next++) {
        if (!(used >> next & 1u) && small_adjacent(s, at, next)) {
            count += count_paths(s, next, goal, left - 1, used);
        }
    }
    return count;
}

static void test_paths(void **state)
{
    (void)state;
    graph *both[2];
    graph_work *work;
    CHECK_OK(graph_alloc(&both[0], 6));
    CHECK_OK(graph_alloc(&both[1], SPREAD));
    CHECK_OK(graph_work_alloc(&work, SPREAD));
    rng r = rng_stream(4, RNG_TEST, 0, 0, 0);
    for (int round = 0; round < 400; round++) {
        small s = small_random_pdag(&r, 6);
        graph *g = both[round % 2];
        small_store(g, &s);
        size_t a = rng_below(&r, 6), b = rng_below(&r, 6);
        size_t start = small_place(g, a), goal = small_place(g, b);
        for (size_t longest = 0; longest <= 6; longest++) {
            path_check check = {g, start, goal, longest, 0, 0, {0}, 0};
            size_t expected = count_paths(&s, a, b, longest, 0);
            CHECK(graph_paths(g, start, goal, longest, check_path, &check, work) == expected);
            CHECK(check.count == expected);
            CHECK(graph_paths(g, start, goal, longest, NULL, NULL, work) == expected);
        }
        path_check stopped = {g, start, goal, 6, 0, 2, {0}, 0};
        size_t all = count_paths(&s, a, b, 6, 0);
        CHECK(graph_paths(g, start, goal, SIZE_MAX, NULL, NULL, work) == all);
        CHECK(graph_paths(g, start, goal, 6, check_path, &stopped, work) == (all < 2 ? all : 2));
    }
    graph_work_free(work);
    scone_graph_free(both[1]);
    scone_graph_free(both[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_dags),  cmocka_unit_test(test_random_dags),
        cmocka_unit_test(test_sets),        cmocka_unit_test(test_moral),
        cmocka_unit_test(test_moral_edges), cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
