/* test_problem.c - simulated tables: every node against its formula, regimes, streams, bytes. */
#include "statistics.h"

#include "base/vmath.h"
#include "scm/scm.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static scone_setting named(const char *name)
{
    scone_setting setting;
    CHECK_OK(scone_setting_named(&setting, name));
    return setting;
}

static const double *column(const scone_problem *p, int regime, size_t v)
{
    return scone_table_column(scone_pair_table(scone_problem_pair(p), regime), v);
}

/* ---- each node given its parents ---- */

/* f of docs/methods/generator.md without the noise, for the families where noise stands outside */
static double naive_sum(const mechanism *m, const double *w, const scone_problem *p, int regime,
                        size_t row)
{
    double f = 0.0;
    for (size_t j = 0; j < m->parents && m->family != SCONE_NN_ADD; j++) {
        double v = column(p, regime, m->parent[j])[row];
        if (m->family == SCONE_LINEAR) {
            f += w[j] * v;
        } else if (m->family == SCONE_POLYNOMIAL) {
            f += fmax(-1.0, fmin(1.0, w[3 * j] + w[3 * j + 1] * v + w[3 * j + 2] * v * v));
        } else {
            double z = w[3 * j + 1] * (v + w[3 * j + 2]);
            f += w[3 * j] * z / (1.0 + fabs(z));
        }
    }
    for (size_t h = 0; h < 10 && m->family == SCONE_NN_ADD; h++) {
        double z = 0.0;
        for (size_t j = 0; j < m->parents; j++) {
            z += column(p, regime, m->parent[j])[row] * w[j * 10 + h];
        }
        f += tanh(z) * w[m->parents * 10 + h];
    }
    return f;
}

/* The network with the noise inside, on other noise, for a comparison of two samples. */
static double naive_network(const mechanism *m, const double *w, const scone_problem *p, int regime,
                            size_t row, double eps)
{
    double f = 0.0;
    for (size_t h = 0; h < 20; h++) {
        double z = eps * w[m->parents * 20 + h];
        for (size_t j = 0; j < m->parents; j++) {
            z += column(p, regime, m->parent[j])[row] * w[j * 20 + h];
        }
        f += tanh(z) * w[(m->parents + 1) * 20 + h];
    }
    return f;
}

enum { ROWS = 4000 };

/* Residuals of a node are its noise: standard normal after division by its sd. Returns the
 * Kolmogorov-Smirnov statistic and leaves the residuals in their order in `residuals`. */
static double check_node(double *residuals, const mechanism *m, const scone_problem *p, int regime,
                         size_t v, uint64_t *naive)
{
    static double sorted[ROWS], other[ROWS];
    const double *y = column(p, regime, v);
    const double *w = m->weights[regime];
    for (size_t i = 0; i < ROWS; i++) {
        residuals[i] = y[i];
        if (m->parents == 0) {
            sorted[i] = (y[i] + 2.0) / 4.0;
        } else if (m->family == SCONE_NN) {
            sorted[i] = y[i];
            other[i] = naive_network(m, w, p, regime, i, m->noise_sd * naive_normal(naive));
        } else {
            double f = naive_sum(m, w, p, regime, i);
            residuals[i] = (m->multiplicative ? y[i] / f : y[i] - f) / m->noise_sd;
            sorted[i] = residuals[i];
        }
    }
    if (m->parents == 0) return ks_statistic(sorted, ROWS, uniform_cdf);
    if (m->family == SCONE_NN) return ks_two_samples(sorted, ROWS, other, ROWS);
    return ks_statistic(sorted, ROWS, normal_cdf);
}

/* All nodes of some problems, in both regimes: a target follows its new weights, every other node
 * the old ones, and the noise is fresh: unrelated to that of the other regime and
 * of other nodes. */
static void test_every_node(void **state)
{
    (void)state;
    static const unsigned families[] = {SCONE_POLYNOMIAL | SCONE_SIGMOID,
                                        SCONE_LINEAR | SCONE_NN | SCONE_NN_ADD};
    static double residuals[2][ROWS], previous[ROWS];
    uint64_t naive = 4101842887655102017u;
    size_t checked = 0, targets = 0, above = 0;
    bool have_previous = false;
    for (size_t index = 0; index < 4; index++) {
        scone_setting setting = named("ood-20-20");
        setting.families = families[index % 2];
        setting.samples = ROWS;
        setting.seed = 10;
        scone_problem *p;
        model m = {0};
        mechanism *mechanisms;
        CHECK_OK(scone_simulate(&p, &setting, index, NULL));
        CHECK_OK(scm_draw(&m, &setting, index));
        CHECK_OK(scm_mechanisms(&mechanisms, &m, &setting));
        CHECK(graph_equal_marks(m.truth, scone_problem_graph(p)));
        for (size_t v = 0; v < 20; v++) {
            const mechanism *node = &mechanisms[v];
            CHECK(node->parents == bits_count(graph_parents(m.truth, v), m.truth->words));
            CHECK(scone_problem_targets(p)[v] == (node->weights[0] != node->weights[1]));
            targets += scone_problem_targets(p)[v];
            for (int regime = 0; regime < 2; regime++, checked++) {
                double ks = check_node(residuals[regime], node, p, regime, v, &naive);
                above += ks > 1.63; /* probability 0.01 */
                CHECK_NEAR(ks, 0.0, 2.2);
            }
            /* A product by noise divides by f, which can be near 0: signs are robust. */
            for (size_t i = 0; i < ROWS; i++) {
                for (int regime = 0; regime < 2; regime++) {
                    residuals[regime][i] = residuals[regime][i] > 0.0 ? 1.0 : -1.0;
                }
            }
            if (node->family != SCONE_NN && node->parents > 0) {
                CHECK_NEAR(correlation(residuals[0], residuals[1], ROWS), 0.0, 4.5 / sqrt(ROWS));
                if (have_previous) {
                    CHECK_NEAR(correlation(residuals[0], previous, ROWS), 0.0, 4.5 / sqrt(ROWS));
                }
                memcpy(previous, residuals[0], sizeof previous);
                have_previous = true;
            }
        }
        scm_free(&m);
        scone_problem_free(p);
    }
    CHECK(checked == 160 && above <= 6);
    CHECK(targets >= 4);
}

/* ---- whole settings ---- */

static void test_rates(void **state)
{
    (void)state;
    enum { GRAPHS = 400 };
    scone_setting setting = named("ood-20-20");
    setting.samples = 1;
    double edges = 0.0, inner = 0.0, targets = 0.0, expected = 0.0, variance = 0.0;
    for (size_t index = 0; index < GRAPHS; index++) {
        scone_problem *p;
        CHECK_OK(scone_simulate(&p, &setting, index, NULL));
        const scone_graph *g = scone_problem_graph(p);
        edges += (double)scone_graph_edges(g);
        double candidates = 0.0, count = 0.0;
        for (size_t v = 0; v < 20; v++) {
            bool root = bits_empty(graph_parents(g, v), g->words);
            CHECK(!root || !scone_problem_targets(p)[v]);
            candidates += !root;
            count += scone_problem_targets(p)[v];
        }
        CHECK(count >= 1.0);
        inner += candidates;
        targets += count;
        expected += 0.4 * candidates / (1.0 - pow(0.6, candidates));
        variance += candidates * 0.24;
        scone_problem_free(p);
    }
    CHECK_NEAR(edges / GRAPHS, 23.5, 0.6);
    CHECK_NEAR(targets, expected, 4.0 * sqrt(variance));
    CHECK_NEAR(targets / inner, 0.4, 0.02);
}

static void test_training_sizes(void **state)
{
    (void)state;
    enum { GRAPHS = 600 };
    static double nodes[GRAPHS], per_node[GRAPHS];
    scone_setting setting = named("train-ood");
    for (size_t index = 0; index < GRAPHS; index++) {
        model m = {0};
        CHECK_OK(scm_draw(&m, &setting, index));
        double n = (double)m.truth->nodes;
        CHECK(n >= 10.0 && n <= 100.0);
        nodes[index] = (n - 10.0 + 0.5) / 91.0;
        per_node[index] = (double)scone_graph_edges(m.truth) / n;
        scm_free(&m);
    }
    CHECK_NEAR(ks_statistic(nodes, GRAPHS, uniform_cdf), 0.0, 1.95);
    /* E / N is uniform in 1 .. 2; joining adds a little at the lower end */
    double mean = 0.0;
    for (size_t i = 0; i < GRAPHS; i++) mean += per_node[i] / GRAPHS;
    CHECK_NEAR(mean, 1.53, 0.06);
}

/* A training set shares no graph with the test set that has the same sizes, families and seed. */
static void test_training_is_apart(void **state)
{
    (void)state;
    scone_setting train = named("train-indist"), test = named("indist-20-20");
    for (size_t index = 0; index < 10; index++) {
        model a = {0}, b = {0};
        CHECK_OK(scm_draw(&a, &train, index));
        CHECK_OK(scm_draw(&b, &test, index));
        CHECK(!graph_equal_marks(a.truth, b.truth));
        scm_free(&a);
        scm_free(&b);
    }
}

/* ---- bytes ---- */

static uint64_t problem_hash(const scone_setting *setting, size_t index, int threads)
{
    scone_problem *p;
    scone_context context = {.threads = threads};
    CHECK_OK(scone_simulate(&p, setting, index, &context));
    const scone_graph *g = scone_problem_graph(p);
    uint64_t hash = XXH64(g->parents, g->nodes * g->words * sizeof *g->parents, 0);
    hash = XXH64(scone_problem_targets(p), g->nodes, hash);
    for (int regime = 0; regime < 2; regime++) {
        for (size_t v = 0; v < g->nodes; v++) {
            hash = XXH64(column(p, regime, v), setting->samples * sizeof(double), hash);
        }
    }
    scone_problem_free(p);
    return hash;
}

/* The same bytes for any number of threads; and, in every build, the bytes recorded here: plain,
 * AVX2 and AVX-512 code, gcc and clang, optimized or not. */
static void test_same_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t hash;
    } known[] = {{"ood-20-20", 0x1d138482c6c7ca43},
                 {"train-ood", 0x7f9055547b206b3f},
                 {"wild-20-20", 0x4c91a2ba94c6724a}};
    for (size_t i = 0; i < 3; i++) {
        scone_setting setting = named(known[i].name);
        setting.samples = 3000;
        setting.seed = 42;
        uint64_t hash = problem_hash(&setting, 1, 1);
        CHECK(problem_hash(&setting, 1, 2) == hash);
        CHECK(problem_hash(&setting, 1, 4) == hash);
        setting.count = 77;
        CHECK(problem_hash(&setting, 1, 3) == hash);
        CHECK(problem_hash(&setting, 2, 1) != hash);
        setting.seed = 43;
        CHECK(problem_hash(&setting, 1, 1) != hash);
        if (hash != known[i].hash) {
            fail_msg("%s: the hash is 0x%016llx", known[i].name, (unsigned long long)hash);
        }
    }
}

/* Fewer samples are the first rows of more; another noise mode keeps graph and weights. */
static void test_prefix_and_modes(void **state)
{
    (void)state;
    scone_setting setting = named("ood-20-20");
    scone_problem *few, *many;
    setting.samples = 2500;
    CHECK_OK(scone_simulate(&many, &setting, 0, NULL));
    static const size_t samples[] = {1, 2, 1023, 1024, 1025};
    for (size_t i = 0; i < 5; i++) {
        setting.samples = samples[i];
        CHECK_OK(scone_simulate(&few, &setting, 0, NULL));
        for (int regime = 0; regime < 2; regime++) {
            CHECK(scone_table_rows(scone_pair_table(scone_problem_pair(few), regime)) ==
                  samples[i]);
            for (size_t v = 0; v < 20; v++) {
                assert_memory_equal(column(few, regime, v), column(many, regime, v),
                                    samples[i] * sizeof(double));
            }
        }
        scone_problem_free(few);
    }
    setting.noise = SCONE_NOISE_ADDITIVE;
    CHECK_OK(scone_simulate(&few, &setting, 0, NULL));
    CHECK(graph_equal_marks(scone_problem_graph(few), scone_problem_graph(many)));
    assert_memory_equal(scone_problem_targets(few), scone_problem_targets(many), 20);
    scone_problem_free(few);
    CHECK(strcmp(scone_table_name(scone_pair_table(scone_problem_pair(many), 1), 7), "X7") == 0);
    CHECK(strcmp(scone_graph_name(scone_problem_graph(many), 7), "X7") == 0);
    scone_problem_free(many);
}

/* ---- corners ---- */

static void test_corners(void **state)
{
    (void)state;
    scone_problem *p;
    for (size_t nodes = 1; nodes <= 2; nodes++) {
        for (int wild = 0; wild < 2; wild++) {
            scone_setting setting = named(wild ? "wild-20-20" : "train-ood");
            setting.nodes_min = setting.nodes_max = nodes;
            setting.samples = nodes;
            CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
            CHECK(scone_graph_edges(scone_problem_graph(p)) == nodes - 1);
            const bool *targets = scone_problem_targets(p);
            CHECK(nodes == 1 ? !targets[0] : targets[0] != targets[1]);
            for (int regime = 0; regime < 2; regime++) CHECK(isfinite(column(p, regime, 0)[0]));
            scone_problem_free(p);
        }
    }
    scone_setting setting = named("ood-20-20");
    setting.samples = 3;
    setting.edges_min = setting.edges_max = 1e6;
    setting.p_target = 1.0;
    CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
    CHECK(scone_graph_edges(scone_problem_graph(p)) == 190);
    size_t targets = 0;
    for (size_t v = 0; v < 20; v++) targets += scone_problem_targets(p)[v];
    CHECK(targets == 19);
    scone_problem_free(p);
    setting.p_target = 0.0;
    CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
    for (size_t v = 0; v < 20; v++) CHECK(!scone_problem_targets(p)[v]);
    scone_problem_free(p);
    scone_problem_free(NULL);
}

static bool stop_at_once(void *user, const char *stage, double done)
{
    (void)user;
    (void)done;
    CHECK(strcmp(stage, "simulate") == 0);
    return false;
}

static void test_failures(void **state)
{
    (void)state;
    scone_problem *p;
    /* Every weight between 1 and 2 in absolute value and 1,500 nodes in a row: beyond 1e308. */
    scone_setting setting = named("train-ood");
    setting.families = SCONE_LINEAR;
    setting.nodes_min = setting.nodes_max = 1500;
    setting.edges_min = setting.edges_max = 1e9;
    setting.p_target = 1.0;
    setting.samples = 2;
    CHECK_FAILS(scone_simulate(&p, &setting, 0, NULL), SCONE_ERR_INPUT, "fewer --edges");
    CHECK(p == NULL);
    for (int wild = 0; wild < 2; wild++) {
        setting = named(wild ? "wild-20-20" : "ood-20-20");
        scone_context context = {.threads = 2, .progress = stop_at_once};
        CHECK_FAILS(scone_simulate(&p, &setting, 0, &context), SCONE_ERR_INPUT, "stopped");
        CHECK(p == NULL);
    }
    setting.samples = 0;
    CHECK_FAILS(scone_simulate(&p, &setting, 0, NULL), SCONE_ERR_INPUT, "--samples");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_node),     cmocka_unit_test(test_rates),
        cmocka_unit_test(test_training_sizes), cmocka_unit_test(test_training_is_apart),
        cmocka_unit_test(test_same_bytes),     cmocka_unit_test(test_prefix_and_modes),
        cmocka_unit_test(test_corners),        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests_name("simulate", tests, NULL, NULL);
}
