/* test_search.c - the location-scale score and its search on data with a known truth. */
#include "testing.h"

#include "base/rng.h"
#include "graph/graph_order.h"
#include "learn/search/search.h"

#include <stdlib.h>

/* Parents of a node of the truth, as a family. */
static family true_family(const scone_graph *truth, size_t node)
{
    family f = {.node = (uint32_t)node};
    for (size_t u = 0; u < truth->nodes; u++) {
        if (u != node && graph_directed(truth, u, node)) f = family_with(&f, u);
    }
    return f;
}

static scone_problem *problem(unsigned families, scone_noise noise, size_t nodes, size_t samples,
                              uint64_t seed)
{
    scone_setting setting;
    scone_problem *made;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.families = families;
    setting.noise = noise;
    setting.nodes_min = setting.nodes_max = nodes;
    setting.edges_min = setting.edges_max = (double)nodes;
    setting.samples = samples;
    setting.seed = seed;
    CHECK_OK(scone_simulate(&made, &setting, 0, NULL));
    return made;
}

static void test_families(void **state)
{
    (void)state;
    family f = {.node = 3};
    f = family_with(&f, 7);
    f = family_with(&f, 1);
    f = family_with(&f, 4);
    CHECK(f.count == 3 && f.parents[0] == 1 && f.parents[1] == 4 && f.parents[2] == 7);
    family g = family_without(&f, 4), h = {.node = 3};
    h = family_with(&h, 1);
    h = family_with(&h, 7);
    CHECK(memcmp(&g, &h, sizeof g) == 0);
    CHECK(family_equal(&g, &h) && !family_equal(&f, &g));
    CHECK(family_has(&f, 4) && !family_has(&g, 4));
    h = family_without(&g, 2); /* not there */
    CHECK(family_equal(&g, &h));
    h.node = 5;
    CHECK(!family_equal(&g, &h));
}

static double score_of(family_score *scores, const family *f, const family *beside)
{
    const family_score_wish wish = {.family = *f, .beside = *beside};
    CHECK_OK(family_score_request(scores, &wish, 1, NULL));
    CHECK(family_score_known(scores, f));
    return family_score_get(scores, f);
}

/* The true parents score above the true parents and one more that is no descendant, and above
 * each true parent left out: also where the noise is multiplicative and only the spread tells. */
static void check_truth(unsigned families, scone_noise noise, uint64_t seed)
{
    scone_problem *p = problem(families, noise, 5, 1500, seed);
    const scone_graph *truth = scone_problem_graph(p);
    const family_score_options options = {.edge_cost = search_edge_cost(5), .effort = 1};
    basis *b;
    family_score *scores;
    graph_work *work;
    CHECK_OK(basis_alloc(&b, scone_problem_pair(p), &(basis_options){.seed = 1}, NULL));
    CHECK_OK(family_score_alloc(&scores, b, &options, NULL));
    CHECK_OK(graph_work_alloc(&work, truth->nodes));
    for (size_t v = 0; v < truth->nodes; v++) {
        family f = true_family(truth, v);
        double score = score_of(scores, &f, &f);
        for (size_t u = 0; u < truth->nodes; u++) {
            if (u == v || graph_reaches(truth, v, u, work)) continue;
            bool parent = family_has(&f, u);
            family other = parent ? family_without(&f, u) : family_with(&f, u);
            double found = score_of(scores, &other, &f);
            if (!(score > found)) {
                fail_msg("seed %d node %zu: %s %zu scores %g, the truth %g", (int)seed, v,
                         parent ? "without" : "with", u, found, score);
            }
        }
    }
    graph_work_free(work);
    family_score_free(scores);
    basis_free(b);
    scone_problem_free(p);
}

static void test_truth(void **state)
{
    (void)state;
#ifndef __SANITIZE_ADDRESS__ /* the same code, twenty times slower there */
    check_truth(SCONE_LINEAR, SCONE_NOISE_ADDITIVE, 1);
    check_truth(SCONE_SIGMOID, SCONE_NOISE_ADDITIVE, 2);
#endif
    check_truth(SCONE_SIGMOID, SCONE_NOISE_MULTIPLICATIVE, 3);
}

/* Looking back from a larger family never makes a smaller one worse; families are counted once. */
static void test_revise(void **state)
{
    (void)state;
    scone_problem *p = problem(SCONE_SIGMOID, SCONE_NOISE_MULTIPLICATIVE, 5, 500, 4);
    const family_score_options options = {.edge_cost = 8.0, .discount = 0.6};
    scone_context context = {.threads = 2};
    basis *b;
    family_score *one, *two;
    family_score_wish wishes[30];
    family families[30];
    double before[30];
    size_t count = 0;
    CHECK_OK(basis_alloc(&b, scone_problem_pair(p), &(basis_options){.seed = 1}, NULL));
    CHECK_OK(family_score_alloc(&one, b, &options, NULL));
    CHECK_OK(family_score_alloc(&two, b, &options, &context));
    for (size_t v = 0; v < 5; v++) { /* all families of two */
        for (size_t u = 0; u < 5; u++) {
            family f = {.node = (uint32_t)v};
            if (u != v) f = family_with(&f, u);
            for (size_t w = u + 1; w < 5 && u != v; w++) {
                if (w != v) families[count++] = family_with(&f, w);
            }
        }
    }
    CHECK(count == 30);
    CHECK_NEAR(search_discount(500.0), 0.0, 1e-12);
    CHECK_NEAR(search_discount(2000.0), 0.2 * log(2.0), 1e-12);
    CHECK_NEAR(search_discount(1e6), 0.6, 1e-12);
    CHECK_NEAR(family_score_edge_cost(&options, 1), 8.0, 1e-12);
    CHECK_NEAR(family_score_edge_cost(&options, 3), 6.8, 1e-12);
    CHECK_NEAR(family_score_edge_cost(&options, 9), 3.5, 1e-12);
    CHECK_NEAR(family_score_edge_cost(&(family_score_options){.edge_cost = 1.0}, 6), 1.0, 1e-12);
    for (size_t i = 0; i < count; i++) {
        wishes[i] = (family_score_wish){.family = families[i], .beside = families[i]};
        CHECK(!family_score_known(one, &families[i]));
    }
    CHECK_OK(family_score_request(one, wishes, count, NULL));
    CHECK_OK(family_score_request(two, wishes, count, NULL));
    for (size_t i = 0; i < count; i++) {
        before[i] = family_score_get(one, &families[i]);
        CHECK_SAME(before[i], family_score_get(two, &families[i]));
        CHECK_NEAR(before[i], family_score_fit(one, &families[i])->score - 10.0, 1e-9);
    }
    CHECK_OK(family_score_request(one, wishes, count, NULL)); /* known: nothing to do */
    CHECK(family_score_count(one) == 30);
    for (size_t i = 0; i < count; i++) {
        size_t u = 0;
        while (u == families[i].node || family_has(&families[i], u)) u++;
        family more = family_with(&families[i], u);
        wishes[i] = (family_score_wish){.family = more, .beside = families[i]};
    }
    CHECK_OK(
        family_score_request(one, wishes, count, NULL)); /* some are asked for more than once */
    size_t known = family_score_count(one);
    CHECK(known > 30 && known < 60);
    for (size_t i = 0; i < count; i++) {
        wishes[i] =
            (family_score_wish){.family = families[i], .beside = wishes[i].family, .revise = true};
    }
    CHECK_OK(family_score_scan(one, families, count, NULL));
    CHECK_OK(family_score_request(one, wishes, count, NULL));
    CHECK(family_score_count(one) == known);
    for (size_t i = 0; i < count; i++) {
        double after = family_score_get(one, &families[i]);
        CHECK(after >= before[i]);
        /* the scan of a fit that was replaced is forgotten */
        CHECK((family_score_gains(one, &families[i]) == NULL) == (after > before[i]));
    }
    family_score_free(one);
    family_score_free(two);
    basis_free(b);
    scone_problem_free(p);
}

enum { NODES = 5 };

static void test_recovery(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    const search_options options = {.effort = 0, .edge_cost = -1.0};
#else
    const search_options options = {.effort = 1, .edge_cost = -1.0};
#endif
    scone_problem *p = problem(SCONE_SIGMOID, SCONE_NOISE_MIXED, NODES, 2000, 5);
    search_result one, two;
    scone_context context = {.threads = 2};
    scone_scores scores;
    CHECK_OK(search_run(&one, scone_problem_pair(p), &options, NULL));
    CHECK_OK(scone_eval_graphs(&scores, one.graph, scone_problem_graph(p)));
    CHECK(scores.shd <= 1.0);
    for (size_t v = 0; v < NODES; v++) { /* targets stand out */
        CHECK((one.fits[v].separate - one.fits[v].shared > 20.0) == scone_problem_targets(p)[v]);
    }
    /* the same for any number of threads, to the last bit */
    CHECK_OK(search_run(&two, scone_problem_pair(p), &options, &context));
    CHECK(graph_equal_marks(one.graph, two.graph) && one.evaluations == two.evaluations);
    CHECK(memcmp(one.probabilities, two.probabilities, NODES * NODES * sizeof(double)) == 0);
    CHECK_SAME(one.score, two.score);
    for (size_t i = 0; i < NODES; i++) {
        for (size_t j = i + 1; j < NODES; j++) {
            double f = one.probabilities[i * NODES + j], g = one.probabilities[j * NODES + i];
            CHECK(f >= 0.0 && g >= 0.0 && f + g <= 1.0 + 1e-12);
            /* the graph is what is likely; nobody is surer than a model can be */
            CHECK((f + g >= 0.5) == (scone_graph_mark(one.graph, i, j) != SCONE_MARK_NONE));
            CHECK(f + g < 0.997 && (f + g >= 0.5 || f + g < 0.01));
        }
    }
    search_result_free(&one);
    search_result_free(&two);
    scone_problem_free(p);
}

static void test_knowledge(void **state)
{
    (void)state;
    scone_problem *p = problem(SCONE_LINEAR, SCONE_NOISE_ADDITIVE, 5, 1000, 6);
    const scone_graph *truth = scone_problem_graph(p);
    bits_word required[5] = {0}, forbidden[5] = {0};
    size_t from = 0, to = 0;
    for (size_t i = 0; i < 5 && from == to; i++) { /* turn one true edge round, forbid the others */
        for (size_t j = 0; j < 5; j++) {
            if (graph_directed(truth, i, j) && from == to) from = j, to = i;
        }
    }
    CHECK(from != to);
    bits_add(&required[from], to);
    for (size_t j = 0; j < 5; j++) {
        if (j != to && j != from) bits_add(&forbidden[j], to);
    }
    const search_options options = {
        .required = required, .forbidden = forbidden, .edge_cost = -1.0};
    search_result result;
    CHECK_OK(search_run(&result, scone_problem_pair(p), &options, NULL));
    CHECK(graph_directed(result.graph, from, to));
    CHECK(bits_count(graph_parents(result.graph, to), 1) == 1);
    search_result_free(&result);
    bits_add(&required[to], from); /* a cycle */
    CHECK_FAILS(search_run(&result, scone_problem_pair(p), &options, NULL), SCONE_ERR_INPUT,
                "cycle");
    search_result_free(&result);
    scone_problem_free(p);
}

/* Constant, equal and collinear columns, two rows, offsets: finite numbers and an acyclic graph. */
static void test_odd_tables(void **state)
{
    (void)state;
    static const size_t rows[] = {2, 3, 17, 40};
    graph_work *work;
    CHECK_OK(graph_work_alloc(&work, 6));
    for (size_t k = 0; k < 4; k++) {
        double x[2][40 * 6];
        rng r = rng_stream(9, RNG_TEST, k, 0, 0);
        scone_table *tables[2];
        scone_pair *pair;
        for (int c = 0; c < 2; c++) {
            size_t n = rows[k];
            for (size_t i = 0; i < n; i++) {
                double z = rng_normal(&r), u = rng_uniform(&r);
                double cells[6] = {z, z, 1e8 + u, z + u, 3.0, (double)(u > 0.5)};
                for (size_t j = 0; j < 6; j++) x[c][j * n + i] = cells[j];
            }
            CHECK_OK(scone_table_from_columns(&tables[c], x[c], n, 6, NULL));
        }
        CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
        const search_options options = {.edge_cost = -1.0};
        search_result result;
        CHECK_OK(search_run(&result, pair, &options, NULL));
        CHECK(graph_is_dag(result.graph, work) && isfinite(result.score));
        for (size_t j = 0; j < 36; j++) {
            CHECK(result.probabilities[j] >= 0.0 && result.probabilities[j] <= 1.0);
        }
        search_result_free(&result);
        scone_pair_free(pair);
    }
    graph_work_free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),  cmocka_unit_test(test_truth),
        cmocka_unit_test(test_revise),    cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_knowledge), cmocka_unit_test(test_odd_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
