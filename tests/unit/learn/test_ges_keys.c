/* test_ges_keys.c - what the Greedy Equivalence Search keeps from step to step, compared with
 * everything computed anew; limits on cliques and parents. */
#include "testing.h"
#include "ges_oracle.h"

#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"
#include "learn/ges/ges_parts.h"

#include <stdlib.h>

static const ges_phase *const phases[3] = {&ges_insert, &ges_delete, &ges_turn};

/* What is looked at between the steps of a search. */
typedef struct watch {
    ges_search *s;
    const ges_phase *const *phases;
    size_t count, steps;
} watch;

/* Kept keys and bounds against what everything computed anew says: bounds are the same as new ones,
 * keys are no lower than the best valid operator. */
static bool compare_keys(void *user, const char *stage, double done)
{
    watch *w = user;
    ges_search *s = w->s;
    (void)stage;
    (void)done;
    for (size_t p = 0; p < w->count; p++) {
        const ges_phase *phase = w->phases[p];
        ges_keys *keys = &s->keys[phase->number];
        for (size_t y = 0; y < s->nodes; y++) {
            double kept[MODEL], *row = keys->gains + y * s->nodes, gain;
            memcpy(kept, row, s->nodes * sizeof *kept);
            phase->row(s, y);
            for (size_t x = 0; x < s->nodes; x++) {
                double bound = keys->bounds[y * s->nodes + x];
                const bits_word *set;
                bool doubtful;
                CHECK(bound == row[x] || fabs(bound - row[x]) <= 1e-6);
                if (x == y) continue;
                CHECK_OK(ges_pair_best(&gain, &set, &doubtful, s, phase, x, y));
                if (!(kept[x] >= gain - 1e-6)) fail_msg("key %g, gain %g", kept[x], gain);
            }
            memcpy(row, kept, s->nodes * sizeof *kept);
        }
    }
    w->steps++;
    return true;
}

static size_t watched_search(const double *covariance, size_t n, double rows,
                             const ges_options *options)
{
    const ges_phase *const eager[] = {&ges_delete, &ges_turn, &ges_insert};
    size_t lists = options->eager ? 1 : 3, steps = 0;
    ges_search *s;
    graph *found;
    CHECK_OK(ges_search_alloc(&s, covariance, n, rows, options));
    for (bool improved = true; improved;) {
        improved = false;
        for (size_t k = 0; k < lists; k++) {
            watch w = {s, options->eager ? eager : &phases[k], options->eager ? 3 : 1, 0};
            scone_context context = {.progress = compare_keys, .user = &w};
            CHECK_OK(ges_steps(&improved, s, w.phases, w.count, &context));
            steps += w.steps;
        }
    }
    if (!options->forbidden && !options->required) {
        CHECK_OK(ges_run(&found, covariance, n, rows, options, NULL, NULL));
        CHECK(graph_equal_marks(found, s->state));
        scone_graph_free(found);
    }
    ges_search_free(s);
    return steps;
}

static void test_kept_keys(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 6, 0, 0);
    graph *dag;
    graph_work *work;
    size_t steps = 0;
    CHECK_OK(graph_alloc(&dag, 12));
    CHECK_OK(graph_work_alloc(&work, 12));
    for (int trial = 0; trial < 24; trial++) {
        double values[12 * 100], covariance[12 * 12];
        bits_word forbidden[12] = {0}, required[12] = {0};
        ges_options options = {.eager = trial & 1, .clique_limit = trial & 2 ? 4 : 0};
        if (trial & 4) options.penalty = 0.3;
        if (trial % 3 == 2) options.max_parents = 3;
        random_dag(dag, 12.0 + trial, &r);
        sample_model(values, dag, 100, &r, work);
        plain_sample_covariance(covariance, values, 100, 12);
        steps += watched_search(covariance, 12, 100.0, &options);
        for (size_t i = 0; i < 144; i++) { /* i / 12 before i % 12 in some order: no cycle */
            size_t a = i / 12 * 5 % 12, b = i % 12 * 5 % 12;
            if (i / 12 < i % 12 && rng_uniform(&r) < 0.1) bits_add(&required[a], b);
            if (i / 12 > i % 12 && rng_uniform(&r) < 0.3) bits_add(&forbidden[a], b);
        }
        options.forbidden = forbidden;
        options.required = required;
        steps += watched_search(covariance, 12, 100.0, &options);
    }
    CHECK(steps > 1000);
    scone_graph_free(dag);
    graph_work_free(work);
}

static void test_limits(void **state)
{
    (void)state;
    enum { N = 24 };
    rng r = rng_stream(1, RNG_TEST, 7, 0, 0);
    double values[N * 200], covariance[N * N];
    graph *found, *dag, *cpdag;
    graph_work *work;
    CHECK_OK(graph_alloc(&dag, N));
    CHECK_OK(graph_alloc(&cpdag, N));
    CHECK_OK(graph_work_alloc(&work, N));
    /* Column 0 is a noisy cause of all others and an exact one of none: large cliques. */
    rng_fill_normal(&r, values, N * 200);
    for (size_t i = 200; i < N * 200; i++) values[i] += 2.0 * values[i % 200];
    for (size_t i = 0; i < 200; i++) values[i] += rng_normal(&r);
    plain_sample_covariance(covariance, values, 200, N);
    for (size_t limit = 1; limit <= 4096; limit *= 64) {
        for (size_t most = 0; most <= 3; most++) {
            ges_options options = {.clique_limit = limit, .max_parents = most};
            CHECK_OK(ges_run(&found, covariance, N, 200.0, &options, NULL, NULL));
            CHECK(scone_graph_edges(found) >= N - 1);
            CHECK(graph_extend(dag, found, work));
            CHECK(graph_cpdag(cpdag, dag, work) && graph_equal_marks(cpdag, found));
            /* A tree: with one parent each there is no room for more. */
            if (most == 1) CHECK(scone_graph_edges(found) == N - 1);
            scone_graph_free(found);
        }
    }
    scone_graph_free(dag);
    scone_graph_free(cpdag);
    graph_work_free(work);
}

/* One node with all others as neighbours, whose correlations are given: copies of one column, or a
 * common cause. A step computes the rows of what it changed, not those of all neighbours. */
static void test_stars(void **state)
{
    (void)state;
    enum { N = 400 };
    static const double shares[] = {1.0, 0.7, -0.5};
    double *covariance = malloc(sizeof(double) * N * N);
    CHECK(covariance != NULL);
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        for (size_t i = 0; i < (size_t)N * N; i++) {
            size_t a = i / N, b = i % N;
            double r = a == 0 || b == 0 ? shares[k] : shares[k] * shares[k];
            covariance[i] = a == b ? 1.0 : r;
        }
        ges_statistics done;
        graph *found;
        CHECK_OK(ges_run(&found, covariance, N, 5000.0, NULL, &done, NULL));
        CHECK(scone_graph_edges(found) == N - 1);
        for (size_t v = 1; v < N; v++) CHECK(graph_undirected(found, 0, v));
        CHECK(done.steps[0] == N - 1 && done.rows <= 10 * N);
        scone_graph_free(found);
    }
    free(covariance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_keys),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_stars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
