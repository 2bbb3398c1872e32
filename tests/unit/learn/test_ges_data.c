/* test_ges_data.c - the Greedy Equivalence Search on tables: regimes, weights, bad columns, order
 * of the columns, background knowledge, the learner. */
#include "testing.h"
#include "ges_oracle.h"

#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"
#include "learn/ges/ges.h"
#include "learn/learner.h"

enum { N = 9, ROWS = 400 };

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

/* A pair of tables with these values, [columns][rows] each; second may be NULL: no rows. */
static scone_pair *make_pair(const double *first, size_t first_rows, const double *second,
                             size_t second_rows, size_t columns)
{
    scone_table *tables[2];
    scone_pair *pair;
    double none = 0.0;
    CHECK_OK(scone_table_from_columns(&tables[0], first, first_rows, columns, NULL));
    CHECK_OK(
        scone_table_from_columns(&tables[1], second ? second : &none, second_rows, columns, NULL));
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

/* Values of a random model, and its CPDAG if not NULL. */
static void simulate(double *values, graph *cpdag, size_t n, size_t rows, double edges, rng *r)
{
    graph *dag;
    CHECK_OK(graph_alloc(&dag, n));
    random_dag(dag, edges, r);
    sample_model(values, dag, rows, r, shared_work);
    if (cpdag) CHECK(graph_cpdag(cpdag, dag, shared_work));
    scone_graph_free(dag);
}

static void check_cpdag(const graph *g)
{
    graph *dag, *again;
    CHECK_OK(graph_alloc(&dag, g->nodes));
    CHECK_OK(graph_alloc(&again, g->nodes));
    CHECK(graph_extend(dag, g, shared_work));
    CHECK(graph_cpdag(again, dag, shared_work));
    CHECK(graph_equal_marks(again, g));
    scone_graph_free(dag);
    scone_graph_free(again);
}

static graph *run_pair(const scone_pair *pair, unsigned regimes)
{
    graph *found;
    CHECK_OK(ges_run_pair(&found, pair, regimes, NULL, NULL));
    check_cpdag(found);
    return found;
}

static void test_regimes(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 10, 0, 0);
    double first[N * ROWS], second[N * 300], both[N * (ROWS + 300)], covariance[N * N];
    simulate(first, NULL, N, ROWS, 12.0, &r);
    simulate(second, NULL, N, 300, 12.0, &r);
    for (size_t j = 0; j < N; j++) {
        for (size_t i = 0; i < 300; i++) second[j * 300 + i] += 0.3 * (double)j;
        memcpy(both + j * 700, first + j * ROWS, ROWS * sizeof *both);
        memcpy(both + j * 700 + ROWS, second + j * 300, 300 * sizeof *both);
    }
    scone_pair *pair = make_pair(first, ROWS, second, 300, N);
    const double *values[] = {first, second, both};
    const size_t rows[] = {ROWS, 300, 700};
    for (unsigned regimes = 1; regimes <= 3; regimes++) {
        graph *found = run_pair(pair, regimes), *expected;
        plain_sample_covariance(covariance, values[regimes - 1], rows[regimes - 1], N);
        CHECK_OK(ges_run(&expected, covariance, N, (double)rows[regimes - 1], NULL, NULL, NULL));
        CHECK(graph_equal_marks(found, expected));
        CHECK(scone_graph_edges(found) > 3);
        assert_string_equal(scone_graph_name(found, 3), "X3");
        scone_graph_free(found);
        scone_graph_free(expected);
    }
    scone_pair_free(pair);
}

/* scores of the learner on some columns */
static void learn(double *scores, const scone_pair *pair, const size_t *columns, size_t count,
                  unsigned regimes, const uint32_t *first, const uint32_t *second)
{
    void *prepared;
    learner_task task = {columns, count, regimes, {first, second}};
    CHECK_OK(learner_ges.prepare(&prepared, pair, NULL));
    CHECK_OK(learner_ges.run(scores, prepared, &task));
    learner_ges.release(prepared);
}

static void test_learner(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 11, 0, 0);
    double first[N * ROWS], second[N * ROWS], repeated[N * 3 * ROWS], a[25], b[25];
    uint32_t weights[2][ROWS], ones[ROWS];
    const size_t columns[] = {0, 2, 3, 6, 8}, all[] = {0, 1, 2, 3, 4};
    size_t directed = 0, undirected = 0;
    for (int trial = 0; trial < 10; trial++) {
        simulate(first, NULL, N, ROWS, 14.0, &r);
        simulate(second, NULL, N, ROWS, 14.0, &r);
        scone_pair *pair = make_pair(first, ROWS, second, ROWS, N);
        size_t rows = 0;
        for (size_t i = 0; i < ROWS; i++) {
            ones[i] = 1;
            for (int c = 0; c < 2; c++) weights[c][i] = (uint32_t)rng_below(&r, 3);
            rows += weights[0][i] + weights[1][i];
        }
        /* Weights of one change nothing. */
        learn(a, pair, columns, 5, 2, NULL, NULL);
        learn(b, pair, columns, 5, 2, ones, ones);
        assert_memory_equal(a, b, sizeof a);
        /* A row that counts twice is two rows; both regimes are their rows together. */
        learn(a, pair, columns, 5, 3, weights[0], weights[1]);
        size_t at = 0;
        for (size_t j = 0; j < 5; j++) {
            for (int c = 0; c < 2; c++) {
                for (size_t i = 0; i < ROWS; i++) {
                    double value = (c ? second : first)[columns[j] * ROWS + i];
                    for (uint32_t k = 0; k < weights[c][i]; k++) repeated[at++] = value;
                }
            }
        }
        CHECK(at == 5 * rows);
        scone_pair *other = make_pair(repeated, rows, NULL, 0, 5);
        learn(b, other, all, 5, 1, NULL, NULL);
        assert_memory_equal(a, b, sizeof a);
        /* The marks are those of the graph. */
        graph *found = run_pair(other, 1);
        for (size_t i = 0; i < 5; i++) {
            for (size_t j = 0; j < 5; j++) {
                bool forward = a[i * 5 + j] >= learner_ges.threshold;
                bool backward = a[j * 5 + i] >= learner_ges.threshold;
                scone_mark mark = scone_graph_mark(found, i, j);
                CHECK((forward && !backward) == (mark == SCONE_MARK_FORWARD));
                CHECK((forward && backward) == (mark == SCONE_MARK_UNDIRECTED));
                directed += mark == SCONE_MARK_FORWARD;
                undirected += mark == SCONE_MARK_UNDIRECTED;
            }
        }
        scone_graph_free(found);
        scone_pair_free(pair);
        scone_pair_free(other);
    }
    CHECK(directed > 0 && undirected > 0);
}

static void test_weights_edge(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 12, 0, 0);
    double values[3 * 50], scores[9];
    uint32_t weights[50] = {0};
    const size_t columns[] = {0, 1, 2};
    simulate(values, NULL, 3, 50, 3.0, &r);
    for (size_t i = 0; i < 50; i++) values[50 + i] = (double)(i % 25 == 0); /* two ones */
    scone_pair *pair = make_pair(values, 50, NULL, 0, 3);
    /* no row; one row many times; only rows in which a column is constant; an empty regime */
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < 50; i++) weights[i] = kind == 1 ? 50 * (i == 7) : i % 25 != 0;
        if (kind == 0) memset(weights, 0, sizeof weights);
        learn(scores, pair, columns, 3, kind == 3 ? 2 : 3, weights, NULL);
        for (size_t k = 0; k < 9; k++) CHECK(scores[k] == 0.0 || scores[k] == 1.0);
        for (size_t k = 0; k < 3; k++) {
            CHECK(scores[3 + k] == 0.0 && scores[3 * k + 1] == 0.0); /* column 1 has no edges */
            CHECK(kind == 2 || scores[k] == 0.0);
        }
    }
    scone_pair_free(pair);
}

/* Bad columns of all kinds: a CPDAG, the same twice and with more threads. */
static void test_degenerate(void **state)
{
    (void)state;
    static const size_t row_counts[] = {1, 2, 3, 4, 7, 12, 400};
    rng r = rng_stream(1, RNG_TEST, 13, 0, 0);
    static double values[20 * 400];
    for (int kind = 0; kind < 9; kind++) {
        for (size_t k = 0; k < sizeof row_counts / sizeof *row_counts; k++) {
            size_t rows = row_counts[k], n = 20;
            simulate(values, NULL, n, rows, 25.0, &r);
            for (size_t i = 0; i < rows * n; i++) {
                size_t j = i / rows;
                double first = values[i % rows], last = values[i >= rows ? i - rows : i];
                if (kind == 0 && j % 3 == 0) values[i] = 5.0;          /* constant */
                if (kind == 1 && j % 2) values[i] = -3.0 * last;       /* duplicates */
                if (kind == 2 && j % 4 == 2) values[i] = first + last; /* collinear */
                if (kind == 3) values[i] = floor(values[i]);           /* discrete */
                if (kind == 4) values[i] = values[i] * values[i] * values[i] * 1e90;
                if (kind == 5) values[i] = tan(1.5 * values[i]); /* infinite variance */
                if (kind == 6) values[i] *= j % 2 ? 1e-300 : 1e300;
                if (kind == 7) values[i] = first; /* all columns the same */
                if (kind == 8) values[i] = first + 1e-9 * values[i];
            }
            scone_pair *pair = make_pair(values, rows, NULL, 0, n);
            scone_context context = {.threads = 3};
            graph *found = run_pair(pair, 1), *again;
            CHECK_OK(ges_run_pair(&again, pair, 1, NULL, &context));
            CHECK(graph_equal_marks(found, again));
            for (size_t j = 0; j < n && kind == 0; j += 3) {
                for (size_t i = 0; i < n; i++) CHECK(!graph_adjacent(found, i, j));
            }
            if (kind == 7 && rows >= 7) CHECK(scone_graph_edges(found) == n - 1);
            scone_graph_free(found);
            scone_graph_free(again);
            found = run_pair(pair, 3);
            scone_graph_free(found);
            scone_pair_free(pair);
        }
    }
}

static void test_units(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 14, 0, 0);
    double values[N * ROWS];
    simulate(values, NULL, N, ROWS, 12.0, &r);
    scone_pair *pair = make_pair(values, ROWS, values, ROWS, N);
    graph *plain = run_pair(pair, 3);
    scone_pair_free(pair);
    for (size_t i = 0; i < N * ROWS; i++) {
        values[i] = i / ROWS % 2 ? 1e6 * values[i] : values[i] + 1e8;
    }
    pair = make_pair(values, ROWS, values, ROWS, N);
    graph *scaled = run_pair(pair, 3);
    CHECK(graph_equal_marks(plain, scaled));
    CHECK(scone_graph_edges(plain) > 5);
    scone_graph_free(plain);
    scone_graph_free(scaled);
    scone_pair_free(pair);
}

static void test_permutation(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 15, 0, 0);
    double values[20 * 200], moved[20 * 200];
    for (int trial = 0; trial < 10; trial++) {
        size_t place[20];
        simulate(values, NULL, 20, 200, 30.0, &r);
        rng_permutation(&r, place, 20);
        for (size_t j = 0; j < 20; j++) {
            memcpy(moved + place[j] * 200, values + j * 200, 200 * sizeof *moved);
        }
        scone_pair *a = make_pair(values, 200, NULL, 0, 20),
                   *b = make_pair(moved, 200, NULL, 0, 20);
        graph *found = run_pair(a, 1), *other = run_pair(b, 1);
        for (size_t i = 0; i < 20; i++) {
            for (size_t j = 0; j < 20; j++) {
                CHECK(scone_graph_mark(found, i, j) == scone_graph_mark(other, place[i], place[j]));
            }
        }
        scone_graph_free(found);
        scone_graph_free(other);
        scone_pair_free(a);
        scone_pair_free(b);
    }
}

/* On linear Gaussian data the graph is mostly right. */
static void test_accuracy(void **state)
{
    (void)state;
    static double values[15 * 5000];
    rng r = rng_stream(1, RNG_TEST, 18, 0, 0);
    size_t edges = 0, missing = 0, extra = 0, different = 0;
    graph *truth;
    CHECK_OK(graph_alloc(&truth, 15));
    for (int trial = 0; trial < 8; trial++) {
        simulate(values, truth, 15, 5000, 15.0, &r);
        scone_pair *pair = make_pair(values, 5000, NULL, 0, 15);
        graph *found = run_pair(pair, 1);
        for (size_t i = 0; i < 15; i++) {
            for (size_t j = 0; j < i; j++) {
                bool a = graph_adjacent(truth, i, j), b = graph_adjacent(found, i, j);
                edges += a;
                missing += a && !b;
                extra += b && !a;
                different += scone_graph_mark(found, i, j) != scone_graph_mark(truth, i, j);
            }
        }
        scone_graph_free(found);
        scone_pair_free(pair);
    }
    CHECK(edges > 80 && 50 * missing <= edges && 5 * extra <= edges && 3 * different <= edges);
    scone_graph_free(truth);
}

static bool refuse(void *user, const char *stage, double done)
{
    (void)user;
    CHECK(stage && done >= 0.0 && done <= 1.0);
    return false;
}

static void test_stop(void **state)
{
    (void)state;
    double covariance[4] = {1.0, 0.5, 0.5, 1.0};
    scone_context context = {.progress = refuse};
    graph *found;
    CHECK_FAILS(ges_run(&found, covariance, 2, 100.0, NULL, NULL, &context), SCONE_ERR_INPUT,
                "stopped");
    CHECK(found == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regimes),      cmocka_unit_test(test_learner),
        cmocka_unit_test(test_weights_edge), cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_units),        cmocka_unit_test(test_permutation),

        cmocka_unit_test(test_accuracy),     cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
