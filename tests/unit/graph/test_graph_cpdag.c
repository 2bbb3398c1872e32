/* test_graph_cpdag.c - v-structures, patterns, CPDAGs and Markov equivalence by brute force. */
#include "testing.h"
#include "graph_oracle.h"

#include "graph/graph_cpdag.h"
#include "graph/dsep.h"
#include "graph/meek.h"

static bool same_class(const small *a, const small *b)
{
    return small_same_skeleton(a, b) && small_same_vstructures(a, b);
}

/* Directions on which all members of the class of dags[d] agree, straight from the definition. */
static small intersect_class(const small *dags, size_t count, size_t d)
{
    small shared = dags[d];
    for (size_t e = 0; e < count; e++) {
        if (!same_class(&dags[d], &dags[e])) continue;
        for (size_t i = 0; i < shared.n; i++) {
            for (size_t j = 0; j < shared.n; j++) shared.edge[i][j] |= dags[e].edge[i][j];
        }
    }
    return shared;
}

/* All graph functions on one DAG whose CPDAG is known. */
static void check_dag(const small *s, const small *expected, graph *g, graph *out, graph_work *work,
                      meek *m)
{
    small_store(g, s);
    CHECK(graph_cpdag(out, g, work));
    small found = small_load(out, s->n);
    CHECK(small_equal(&found, expected));
    graph_pattern(out, g);
    small pattern = small_load(out, s->n);
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->n; j++) {
            bool in_vstructure = false;
            for (size_t k = 0; k < s->n; k++) in_vstructure |= small_vstructure(s, i, j, k);
            CHECK(small_directed(&pattern, i, j) == in_vstructure);
        }
    }
    CHECK(small_same_skeleton(&pattern, s));
    CHECK_OK(meek_close(out, m));
    found = small_load(out, s->n);
    CHECK(small_equal(&found, expected));
}

static void test_small_dags(void **state)
{
    (void)state;
    static const size_t dag_counts[] = {1, 1, 3, 25, 543}, class_counts[] = {1, 1, 2, 11, 185};
    static small dags[543];
    for (size_t n = 0; n <= 4; n++) {
        graph *g, *out;
        graph_work *work;
        meek *m;
        CHECK_OK(graph_alloc(&g, n));
        CHECK_OK(graph_alloc(&out, n));
        CHECK_OK(graph_work_alloc(&work, n));
        CHECK_OK(meek_alloc(&m, n));
        size_t count = small_dags(dags, n), classes = 0;
        CHECK(count == dag_counts[n]);
        for (size_t d = 0; d < count; d++) {
            size_t first = 0;
            while (!same_class(&dags[first], &dags[d])) first++;
            classes += first == d;
            small expected = intersect_class(dags, count, d);
            check_dag(&dags[d], &expected, g, out, work, m);
        }
        CHECK(classes == class_counts[n]);
        meek_free(m);
        graph_work_free(work);
        scone_graph_free(out);
        scone_graph_free(g);
    }
}

/* One bit per statement "x and y are separated by Z". */
static uint32_t independences(const graph *g, graph_work *work)
{
    uint32_t statements = 0;
    unsigned number = 0;
    for (size_t x = 0; x < g->nodes; x++) {
        for (size_t y = 0; y < x; y++) {
            for (bits_word z = 0; z < (bits_word)1 << g->nodes; z++) {
                if (z >> x & 1u || z >> y & 1u) continue;
                statements |= (uint32_t)dsep_pair(g, x, y, &z, work) << number++;
            }
        }
    }
    CHECK(number <= 32);
    return statements;
}

/* Verma and Pearl's theorem for all pairs of DAGs of up to 4 nodes: the same independences, the
 * same class, graph_equivalent and the same CPDAG are one and the same. */
static void test_equivalence(void **state)
{
    (void)state;
    static small dags[543];
    static graph *graphs[543], *cpdags[543];
    static uint32_t statements[543];
    graph_work *work;
    CHECK_OK(graph_work_alloc(&work, 4));
    for (size_t n = 2; n <= 4; n++) {
        size_t count = small_dags(dags, n);
        for (size_t d = 0; d < count; d++) {
            CHECK_OK(graph_alloc(&graphs[d], n));
            CHECK_OK(graph_alloc(&cpdags[d], n));
            small_store(graphs[d], &dags[d]);
            statements[d] = independences(graphs[d], work);
            CHECK(graph_cpdag(cpdags[d], graphs[d], work));
        }
        for (size_t a = 0; a < count; a++) {
            for (size_t b = 0; b <= a; b++) {
                bool same = statements[a] == statements[b];
                CHECK(same_class(&dags[a], &dags[b]) == same);
                CHECK(graph_equivalent(graphs[a], graphs[b]) == same);
                CHECK(graph_equal_marks(cpdags[a], cpdags[b]) == same);
                CHECK(graph_same_skeleton(graphs[a], graphs[b]) ==
                      small_same_skeleton(&dags[a], &dags[b]));
            }
        }
        for (size_t d = 0; d < count; d++) {
            scone_graph_free(graphs[d]);
            scone_graph_free(cpdags[d]);
        }
    }
    graph_work_free(work);
}

/* Random DAGs of 6 nodes, in one word and spread over three; the class is enumerated from the
 * pattern, which has the same consistent extensions. */
static void test_random_dags(void **state)
{
    (void)state;
    static const size_t sizes[] = {6, SPREAD};
    for (size_t k = 0; k < 2; k++) {
        graph *g, *out;
        graph_work *work;
        meek *m;
        CHECK_OK(graph_alloc(&g, sizes[k]));
        CHECK_OK(graph_alloc(&out, sizes[k]));
        CHECK_OK(graph_work_alloc(&work, SPREAD));
        CHECK_OK(meek_alloc(&m, SPREAD));
        rng r = rng_stream(1, RNG_TEST, k, 0, 0);
        for (int round = 0; round < 300; round++) {
            small s = small_random_dag(&r, 6), pattern = s;
            for (size_t i = 0; i < 6; i++) {
                for (size_t j = 0; j < 6; j++) {
                    if (!s.edge[i][j]) continue;
                    bool in_vstructure = false;
                    for (size_t c = 0; c < 6; c++) in_vstructure |= small_vstructure(&s, i, j, c);
                    if (!in_vstructure) pattern.edge[j][i] = 1;
                }
            }
            small_extensions all = small_enumerate(&pattern);
            check_dag(&s, &all.shared, g, out, work, m);
        }
        meek_free(m);
        graph_work_free(work);
        scone_graph_free(out);
        scone_graph_free(g);
    }
}

/* graph_equivalent on partially directed graphs compares what the definition says. */
static void test_random_pdags(void **state)
{
    (void)state;
    graph *a, *b;
    CHECK_OK(graph_alloc(&a, SPREAD));
    CHECK_OK(graph_alloc(&b, SPREAD));
    rng r = rng_stream(2, RNG_TEST, 0, 0, 0);
    size_t same_count = 0;
    for (int round = 0; round < 3000; round++) {
        small s = small_random_pdag(&r, 5), t = s;
        for (size_t k = rng_below(&r, 12); k > 0; k--) { /* turn or drop some marks of s */
            size_t i = rng_below(&r, 5), j = rng_below(&r, 5);
            if (!small_adjacent(&s, i, j)) continue;
            small_direct(&t, i, j);
            if (rng_uniform(&r) < 0.3) t.edge[j][i] = 1;
            if (rng_uniform(&r) < 0.1) t.edge[i][j] = t.edge[j][i] = 0;
        }
        small_store(a, &s);
        small_store(b, &t);
        CHECK(graph_same_skeleton(a, b) == small_same_skeleton(&s, &t));
        CHECK(graph_equivalent(a, b) == same_class(&s, &t));
        CHECK(graph_equivalent(b, a) == same_class(&s, &t));
        same_count += same_class(&s, &t);
    }
    CHECK(same_count > 500 && same_count < 2500);
    scone_graph_free(b);
    CHECK_OK(graph_alloc(&b, 3));
    CHECK(!graph_same_skeleton(a, b) && !graph_equivalent(a, b));
    scone_graph_free(b);
    scone_graph_free(a);
}

typedef struct triples {
    const small *s;
    const graph *g;
    size_t count, stop, key;
} triples;

static bool check_vstructure(void *user, size_t left, size_t middle, size_t right)
{
    triples *t = user;
    size_t place[3] = {0}, given[3] = {left, middle, right};
    for (size_t k = 0; k < 3; k++) {
        while (small_place(t->g, place[k]) != given[k]) place[k]++;
    }
    CHECK(left < right && small_vstructure(t->s, place[0], place[1], place[2]));
    size_t key = (middle * SPREAD + left) * SPREAD + right;
    CHECK(t->count == 0 || key > t->key);
    t->key = key;
    return ++t->count != t->stop;
}

static void test_vstructures(void **state)
{
    (void)state;
    static const size_t sizes[] = {6, SPREAD};
    for (size_t k = 0; k < 2; k++) {
        graph *g;
        CHECK_OK(graph_alloc(&g, sizes[k]));
        rng r = rng_stream(3, RNG_TEST, k, 0, 0);
        for (int round = 0; round < 500; round++) {
            small s = round % 2 ? small_random_pdag(&r, 6) : small_random_dag(&r, 6);
            size_t expected = 0;
            for (size_t a = 0; a < 6; a++) {
                for (size_t b = 0; b < 6; b++) {
                    for (size_t c = 0; c < a; c++) expected += small_vstructure(&s, a, b, c);
                }
            }
            small_store(g, &s);
            triples all = {&s, g, 0, 0, 0}, some = {&s, g, 0, 1, 0};
            CHECK(graph_vstructures(g, check_vstructure, &all) == expected);
            CHECK(all.count == expected);
            CHECK(graph_vstructures(g, NULL, NULL) == expected);
            CHECK(graph_vstructures(g, check_vstructure, &some) == (expected > 0));
        }
        scone_graph_free(g);
    }
}

static void test_not_a_dag(void **state)
{
    (void)state;
    graph *g, *out;
    graph_work *work;
    CHECK_OK(graph_alloc(&g, 3));
    CHECK_OK(graph_alloc(&out, 3));
    CHECK_OK(graph_work_alloc(&work, 3));
    graph_undirect(g, 0, 1);
    CHECK(!graph_cpdag(out, g, work));
    graph_direct(g, 0, 1);
    graph_direct(g, 1, 2);
    CHECK(graph_cpdag(out, g, work));
    CHECK(graph_count_undirected(out) == 2);
    graph_direct(g, 2, 0);
    CHECK(!graph_cpdag(out, g, work));
    graph_work_free(work);
    scone_graph_free(out);
    scone_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_dags),  cmocka_unit_test(test_equivalence),
        cmocka_unit_test(test_random_dags), cmocka_unit_test(test_random_pdags),
        cmocka_unit_test(test_vstructures), cmocka_unit_test(test_not_a_dag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
