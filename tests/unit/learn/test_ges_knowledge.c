/* test_ges_knowledge.c - the Greedy Equivalence Search with background knowledge, and requests that
 * it refuses. */
#include "testing.h"
#include "ges_oracle.h"

#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"
#include "learn/ges/ges.h"

enum { N = 9 };

static graph_work *shared_work;

static int setup(void **state)
{
    (void)state;
    return graph_work_alloc(&shared_work, MODEL) == SCONE_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    graph_work_free(shared_work);
    return 0;
}

static void test_bad_input(void **state)
{
    (void)state;
    graph *found;
    double covariance[4] = {1.0, 0.5, (double)NAN, 1.0}, fine[4] = {1.0, 0.5, 0.5, 1.0};
    bits_word first[2] = {2, 0}, back[2] = {2, 1}, loop[3] = {2, 4, 1};
    double three[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ges_options both = {.required = first, .forbidden = first}, two = {.required = back},
                cycle = {.required = loop}, penalty = {.penalty = -1.0};
    CHECK_FAILS(ges_run(&found, covariance, 2, 10.0, NULL, NULL, NULL), SCONE_ERR_INPUT,
                "columns 1 and 2");
    CHECK(found == NULL);
    CHECK_FAILS(ges_run(&found, fine, 2, (double)NAN, NULL, NULL, NULL), SCONE_ERR_INPUT, "rows");
    CHECK_FAILS(ges_run(&found, fine, 2, 10.0, &penalty, NULL, NULL), SCONE_ERR_INPUT, "penalty");
    CHECK_FAILS(ges_run(&found, fine, 2, 10.0, &both, NULL, NULL), SCONE_ERR_INPUT,
                "both required and forbidden");
    CHECK_FAILS(ges_run(&found, fine, 2, 10.0, &two, NULL, NULL), SCONE_ERR_INPUT, "and back");
    CHECK_FAILS(ges_run(&found, three, 3, 10.0, &cycle, NULL, NULL), SCONE_ERR_INPUT, "cycle");
    CHECK_OK(ges_run(&found, NULL, 0, 10.0, NULL, NULL, NULL));
    CHECK(scone_graph_nodes(found) == 0);
    scone_graph_free(found);
}

/* Random knowledge that some order of the columns agrees with. */
static void random_knowledge(bits_word *forbidden, bits_word *required, size_t n, rng *r)
{
    size_t order[MODEL];
    rng_permutation(r, order, n);
    memset(forbidden, 0, n * sizeof *forbidden);
    memset(required, 0, n * sizeof *required);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double u = rng_uniform(r);
            if (u < 0.1) bits_add(&required[order[j]], order[i]);
            if (u > 0.6) bits_add(&forbidden[order[i]], order[j]);
            if (u > 0.9) bits_add(&forbidden[order[j]], order[i]);
        }
    }
}

static void test_knowledge_honoured(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 16, 0, 0);
    graph *found, *dag;
    CHECK_OK(graph_alloc(&dag, N));
    for (int trial = 0; trial < 60; trial++) {
        double values[N * 100], covariance[N * N];
        bits_word forbidden[N], required[N];
        ges_options options = {.forbidden = forbidden, .required = required, .eager = trial % 2};
        random_dag(dag, 14.0, &r);
        sample_model(values, dag, 100, &r, shared_work);
        plain_sample_covariance(covariance, values, 100, N);
        random_knowledge(forbidden, required, N, &r);
        CHECK_OK(ges_run(&found, covariance, N, 100.0, &options, NULL, NULL));
        CHECK(graph_extend(dag, found, shared_work));
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < N; j++) {
                if (bits_has(&required[i], j)) CHECK(graph_directed(found, i, j));
                if (!bits_has(&forbidden[i], j)) continue;
                CHECK(!graph_directed(found, i, j) && !graph_undirected(found, i, j));
                CHECK(!graph_directed(dag, i, j));
            }
        }
        CHECK(scone_graph_edges(found) > 3);
        scone_graph_free(found);
    }
    scone_graph_free(dag);
}

/* What is true and known leads to the truth: its CPDAG with the known directions. */
static void test_knowledge_true(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 17, 0, 0);
    graph *found, *dag, *expected;
    meek *closure;
    size_t helped = 0;
    CHECK_OK(graph_alloc(&dag, 7));
    CHECK_OK(graph_alloc(&expected, 7));
    CHECK_OK(meek_alloc(&closure, 7));
    for (int trial = 0; trial < 30; trial++) {
        double covariance[49];
        bits_word forbidden[7] = {0}, required[7] = {0};
        meek_edge known[42];
        size_t count = 0;
        ges_options options = {.forbidden = forbidden, .required = required};
        random_dag(dag, 8.0, &r);
        faithful_covariance(covariance, dag, 1e-3, &r, shared_work);
        for (uint32_t i = 0; i < 7; i++) {
            BITS_EACH(j, graph_parents(dag, i), 1) {
                double u = rng_uniform(&r);
                if (u > 0.4) continue;
                bits_add(u < 0.2 ? &required[j] : &forbidden[i], u < 0.2 ? i : j);
                known[count++] = (meek_edge){(uint32_t)j, i};
            }
        }
        CHECK(graph_cpdag(expected, dag, shared_work));
        size_t before = graph_count_undirected(expected);
        CHECK_OK(meek_require(expected, closure, known, count));
        helped += graph_count_undirected(expected) < before;
        CHECK_OK(ges_run(&found, covariance, 7, 1e8, &options, NULL, NULL));
        CHECK(graph_equal_marks(found, expected));
        scone_graph_free(found);
    }
    CHECK(helped > 5);
    scone_graph_free(dag);
    scone_graph_free(expected);
    meek_free(closure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_knowledge_honoured),
        cmocka_unit_test(test_knowledge_true),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
