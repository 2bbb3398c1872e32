/* test_scm.c - random graphs, targets and mechanisms against formulas and naive code. */
#include "statistics.h"

#include "scm/mechanism.h"
#include "scm/random_graph.h"

#include <stdlib.h>

/* ---- graphs ---- */

static size_t naive_components(const bool *adjacent, size_t n)
{
    size_t label[64], components = n;
    for (size_t i = 0; i < n; i++) label[i] = i;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!adjacent[i * n + j] || label[i] == label[j]) continue;
            size_t old = label[i], new = label[j];
            for (size_t k = 0; k < n; k++) label[k] = label[k] == old ? new : label[k];
            components--;
        }
    }
    return components;
}

static void check_dag(const graph *g, const size_t *order)
{
    size_t position[64];
    bool adjacent[64 * 64] = {0};
    size_t n = g->nodes;
    for (size_t i = 0; i < n; i++) position[i] = SIZE_MAX;
    for (size_t i = 0; i < n; i++) position[order[i]] = i;
    for (size_t i = 0; i < n; i++) CHECK(position[i] != SIZE_MAX);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (!graph_directed(g, i, j)) continue;
            CHECK(position[i] < position[j]);
            adjacent[i * n + j] = adjacent[j * n + i] = true;
        }
    }
    CHECK(naive_components(adjacent, n) == 1);
    CHECK(graph_count_undirected(g) == 0);
}

/* Edges after joining = pairs drawn + components - 1, in the mean over naive random graphs. */
static double naive_mean_edges(size_t n, double p, size_t repeats)
{
    uint64_t state = 88172645463325252u;
    double sum = 0.0;
    for (size_t r = 0; r < repeats; r++) {
        bool adjacent[64 * 64] = {0};
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++) {
                if (naive_uniform(&state) >= p) continue;
                adjacent[i * n + j] = adjacent[j * n + i] = true;
                sum += 1.0;
            }
        }
        sum += (double)naive_components(adjacent, n) - 1.0;
    }
    return sum / (double)repeats;
}

static void test_graph(void **state)
{
    (void)state;
    enum { GRAPHS = 3000, N = 20 };
    double edges = 0.0, squares = 0.0, place[N] = {0}, expected[N], forward = 0.0;
    for (size_t i = 0; i < GRAPHS; i++) {
        rng r = rng_stream(1, RNG_GRAPH, i, 0, 0);
        graph *g;
        size_t order[N];
        CHECK_OK(random_graph_draw(&g, order, N, 20.0, &r));
        check_dag(g, order);
        double count = (double)scone_graph_edges(g);
        edges += count / GRAPHS;
        squares += count * count / GRAPHS;
        for (size_t k = 0; k < N; k++) place[k] += order[k] == 3;
        for (size_t a = 0; a < N; a++) {
            for (size_t b = a + 1; b < N; b++) forward += graph_directed(g, a, b);
        }
        scone_graph_free(g);
    }
    double error = sqrt((squares - edges * edges) / GRAPHS);
    CHECK_NEAR(edges, naive_mean_edges(N, 40.0 / 380.0, GRAPHS), 4.0 * sqrt(2.0) * error);
    CHECK_NEAR(edges, 23.5, 0.5);
    for (size_t k = 0; k < N; k++) expected[k] = (double)GRAPHS / N;
    CHECK_NEAR(chi_square_score(place, expected, N), 0.0, 3.3);
    /* Numbers say nothing about the order. */
    CHECK_RATE(forward, edges * GRAPHS, 0.5);
}

/* Without edges of its own, 3 nodes are joined as 0 - 1 and then 2 with either: each direction as
 * the order has it. Probabilities of the 8 outcomes follow from the 6 orders by counting. */
static void test_joining(void **state)
{
    (void)state;
    static const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    enum { GRAPHS = 12000 };
    double counts[8] = {0}, expected[8] = {0};
    for (size_t o = 0; o < 6; o++) {
        size_t position[3];
        for (size_t i = 0; i < 3; i++) position[orders[o][i]] = i;
        for (size_t partner = 0; partner < 2; partner++) {
            size_t outcome = position[0] < position[1];
            outcome += position[partner] < position[2] ? 2 : 0;
            expected[4 * partner + outcome] += GRAPHS / 12.0;
        }
    }
    for (size_t i = 0; i < GRAPHS; i++) {
        rng r = rng_stream(2, RNG_GRAPH, i, 0, 0);
        graph *g;
        size_t order[3];
        CHECK_OK(random_graph_draw(&g, order, 3, 0.0, &r));
        CHECK(scone_graph_edges(g) == 2 && graph_adjacent(g, 0, 1));
        size_t partner = graph_adjacent(g, 1, 2);
        counts[4 * partner + graph_directed(g, 0, 1) + 2u * graph_directed(g, partner, 2)] += 1.0;
        scone_graph_free(g);
    }
    CHECK_NEAR(chi_square_score(counts, expected, 8), 0.0, 3.3);
}

static void test_graph_corners(void **state)
{
    (void)state;
    static const struct {
        size_t nodes;
        double edges;
        size_t result;
    } corners[] = {{1, 0.0, 0},    {1, 5.0, 0},      {2, 0.0, 1},  {2, 1.0, 1},
                   {30, 1e9, 435}, {30, 435.0, 435}, {64, 0.0, 63}};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        rng r = rng_stream(3, RNG_GRAPH, i, 0, 0);
        graph *g;
        size_t order[64];
        CHECK_OK(random_graph_draw(&g, order, corners[i].nodes, corners[i].edges, &r));
        CHECK(scone_graph_edges(g) == corners[i].result);
        check_dag(g, order);
        scone_graph_free(g);
    }
}

/* ---- targets ---- */

static void test_targets(void **state)
{
    (void)state;
    graph *g;
    bool targets[4];
    CHECK_OK(graph_alloc(&g, 4));
    /* a root in the middle of the numbers: 2 -> 0, 2 -> 1, 2 -> 3 */
    for (size_t v = 0; v < 4; v++) {
        if (v != 2) graph_direct(g, 2, v);
    }
    static const double rates[] = {0.4, 0.05, 0.95, 1e-12, 1.0};
    for (size_t k = 0; k < 5; k++) {
        enum { DRAWS = 20000 };
        double p = rates[k], counts[8] = {0}, expected[8] = {0};
        for (size_t set = 1; set < 8; set++) {
            double ones = (double)__builtin_popcount((unsigned)set);
            /* given that one is drawn; for small p by its limit, one of the three */
            expected[set] = DRAWS * pow(p, ones) * pow(1.0 - p, 3.0 - ones) /
                            (p < 1e-9 ? 3.0 * p : 1.0 - pow(1.0 - p, 3.0));
            if (expected[set] < 1e-6) expected[set] = 0.0;
        }
        rng r = rng_stream(4, RNG_MECHANISM, k, 0, 0);
        for (size_t i = 0; i < DRAWS; i++) {
            CHECK_OK(random_targets_draw(targets, g, p, &r));
            CHECK(!targets[2]);
            counts[targets[0] + 2 * targets[1] + 4 * targets[3]] += 1.0;
        }
        if (p < 1.0) {
            CHECK_NEAR(chi_square_score(counts, expected, 8), 0.0, 3.3);
        } else {
            CHECK(counts[7] == DRAWS);
        }
    }
    rng r = rng_stream(4, RNG_MECHANISM, 9, 0, 0);
    CHECK_OK(random_targets_draw(targets, g, 0.0, &r));
    CHECK(!targets[0] && !targets[1] && !targets[2] && !targets[3]);
    scone_graph_free(g);
    CHECK_OK(graph_alloc(&g, 3)); /* roots only */
    CHECK_OK(random_targets_draw(targets, g, 0.4, &r));
    CHECK(!targets[0] && !targets[1] && !targets[2]);
    scone_graph_free(g);
}

/* ---- mechanisms: parameters ---- */

enum { DRAWS = 4000, PARENTS = 3 };

typedef struct drawn {
    arena *memory;
    mechanism all[DRAWS];
} drawn;

static const size_t parent_list[PARENTS] = {0, 1, 2};

static drawn *draw_many(unsigned families, scone_noise noise)
{
    drawn *d = calloc(1, sizeof *d);
    assert_non_null(d);
    CHECK_OK(arena_alloc(&d->memory, 0));
    for (size_t i = 0; i < DRAWS; i++) {
        mechanism *m = &d->all[i];
        m->parents = PARENTS;
        m->parent = parent_list;
        rng r = rng_stream(5, RNG_MECHANISM, i, families, 0);
        CHECK_OK(mechanism_draw(m, d->memory, families, noise, &r));
        CHECK(m->weights[0] == m->weights[1]);
        r = rng_stream(5, RNG_MECHANISM, i, families, 1);
        CHECK_OK(mechanism_shift(m, d->memory, &r));
        CHECK(m->weights[0] != m->weights[1]);
    }
    return d;
}

static void free_many(drawn *d)
{
    arena_free(d->memory);
    free(d);
}

/* weight w of all draws, regime r, into x; absolute values if the sign is a coin */
static void collect(double *x, const drawn *d, size_t w, int regime, bool has_sign)
{
    double ups = 0.0;
    for (size_t i = 0; i < DRAWS; i++) {
        double value = d->all[i].weights[regime][w];
        x[i] = has_sign ? fabs(value) : value;
        ups += value > 0.0;
    }
    if (has_sign) CHECK_RATE(ups, DRAWS, 0.5);
}

static void check_redrawn(const drawn *d, size_t w)
{
    static double before[DRAWS], after[DRAWS];
    for (size_t i = 0; i < DRAWS; i++) {
        before[i] = d->all[i].weights[0][w];
        after[i] = d->all[i].weights[1][w];
        CHECK(before[i] != after[i]);
    }
    CHECK_NEAR(correlation(before, after, DRAWS), 0.0, 4.5 / sqrt(DRAWS));
}

static void check_kept(const drawn *d, size_t w)
{
    for (size_t i = 0; i < DRAWS; i++) CHECK_SAME(d->all[i].weights[0][w], d->all[i].weights[1][w]);
}

static void test_weights_linear(void **state)
{
    (void)state;
    static double x[DRAWS];
    drawn *d = draw_many(SCONE_LINEAR, SCONE_NOISE_MIXED);
    CHECK(mechanism_weight_count(SCONE_LINEAR, PARENTS) == 3);
    for (size_t w = 0; w < 3; w++) {
        collect(x, d, w, 0, true);
        CHECK_UNIFORM(x, DRAWS, 0.25, 1.0);
        collect(x, d, w, 1, true);
        CHECK_UNIFORM(x, DRAWS, 1.0, 2.0);
        check_redrawn(d, w);
    }
    free_many(d);
}

static void test_weights_polynomial(void **state)
{
    (void)state;
    static double x[DRAWS];
    drawn *d = draw_many(SCONE_POLYNOMIAL, SCONE_NOISE_MIXED);
    CHECK(mechanism_weight_count(SCONE_POLYNOMIAL, PARENTS) == 9);
    for (size_t w = 0; w < 9; w++) {
        collect(x, d, w, 0, false);
        CHECK_UNIFORM(x, DRAWS, 0.0, 1.0);
        collect(x, d, w, 1, false);
        CHECK_UNIFORM(x, DRAWS, 1.0, 2.0);
        check_redrawn(d, w);
    }
    free_many(d);
}

static void test_weights_sigmoid(void **state)
{
    (void)state;
    static double x[DRAWS];
    drawn *d = draw_many(SCONE_SIGMOID, SCONE_NOISE_MIXED);
    CHECK(mechanism_weight_count(SCONE_SIGMOID, PARENTS) == 9);
    for (size_t w = 0; w < 9; w += 3) {
        collect(x, d, w, 0, false);
        for (size_t i = 0; i < DRAWS; i++) x[i] = 4.0 * (x[i] - 1.0); /* mean 1/4 above 1 */
        CHECK_NEAR(ks_statistic(x, DRAWS, exponential_cdf), 0.0, 1.95);
        check_kept(d, w);
        collect(x, d, w + 1, 0, true);
        CHECK_UNIFORM(x, DRAWS, 0.5, 2.0);
        collect(x, d, w + 1, 1, true);
        CHECK_UNIFORM(x, DRAWS, 2.0, 4.0);
        check_redrawn(d, w + 1);
        for (int regime = 0; regime < 2; regime++) {
            collect(x, d, w + 2, regime, false);
            CHECK_UNIFORM(x, DRAWS, -2.0, 2.0);
        }
        check_redrawn(d, w + 2);
    }
    free_many(d);
}

static void test_weights_networks(void **state)
{
    (void)state;
    static double x[DRAWS];
    static const unsigned families[2] = {SCONE_NN, SCONE_NN_ADD};
    static const size_t inputs[2] = {(PARENTS + 1) * 20, PARENTS * 10}, outputs[2] = {20, 10};
    for (size_t f = 0; f < 2; f++) {
        drawn *d = draw_many(families[f], SCONE_NOISE_MIXED);
        CHECK(mechanism_weight_count(families[f], PARENTS) == inputs[f] + outputs[f]);
        for (size_t w = 0; w < inputs[f] + outputs[f]; w++) {
            collect(x, d, w, 0, false);
            CHECK_NEAR(ks_statistic(x, DRAWS, normal_cdf), 0.0, 2.2);
            if (w < inputs[f]) {
                check_kept(d, w);
                continue;
            }
            /* what is added is standard normal and knows nothing of what was there */
            for (size_t i = 0; i < DRAWS; i++) {
                x[i] = d->all[i].weights[1][w] - d->all[i].weights[0][w];
            }
            static double old[DRAWS];
            collect(old, d, w, 0, false);
            CHECK_NEAR(correlation(x, old, DRAWS), 0.0, 4.5 / sqrt(DRAWS));
            CHECK_NEAR(ks_statistic(x, DRAWS, normal_cdf), 0.0, 1.95);
        }
        free_many(d);
    }
}

static void test_families_and_noise(void **state)
{
    (void)state;
    static const unsigned all = 31;
    static double x[DRAWS];
    static const unsigned bits[5] = {1, 2, 4, 8, 16};
    for (int noise = 0; noise < 3; noise++) {
        drawn *d = draw_many(all, (scone_noise)noise);
        double counts[5] = {0}, products[5] = {0}, expected[5];
        for (size_t i = 0; i < DRAWS; i++) {
            size_t f = 0;
            while (bits[f] != d->all[i].family) f++;
            counts[f] += 1.0;
            products[f] += d->all[i].multiplicative;
            x[i] = d->all[i].noise_sd / 0.4;
            x[i] *= x[i]; /* the variance sigma2 of the normal, not its sd, is Uniform(1, 2) */
        }
        CHECK_UNIFORM(x, DRAWS, 1.0, 2.0);
        for (size_t f = 0; f < 5; f++) expected[f] = DRAWS / 5.0;
        CHECK_NEAR(chi_square_score(counts, expected, 5), 0.0, 3.3);
        for (size_t f = 0; f < 5; f++) {
            bool chooses = bits[f] == SCONE_POLYNOMIAL || bits[f] == SCONE_SIGMOID;
            if (!chooses || noise == SCONE_NOISE_ADDITIVE) {
                CHECK(products[f] == 0.0);
            } else if (noise == SCONE_NOISE_MULTIPLICATIVE) {
                CHECK(products[f] == counts[f]);
            } else {
                CHECK_RATE(products[f], counts[f], 0.5);
            }
        }
        free_many(d);
    }
    drawn *d = draw_many(SCONE_LINEAR | SCONE_NN_ADD, SCONE_NOISE_MIXED);
    double linear = 0.0;
    for (size_t i = 0; i < DRAWS; i++) {
        CHECK(d->all[i].family == SCONE_LINEAR || d->all[i].family == SCONE_NN_ADD);
        linear += d->all[i].family == SCONE_LINEAR;
    }
    CHECK_RATE(linear, DRAWS, 0.5);
    free_many(d);
}

/* ---- mechanisms: values ---- */

/* The table of docs/methods/generator.md for one row, as plainly as it can be written. */
static double naive_value(const mechanism *m, const double *w, const double *x, double noise)
{
    double eps = m->noise_sd * noise, f = 0.0;
    size_t p = m->parents, hidden = m->family == SCONE_NN ? 20 : 10;
    for (size_t j = 0; j < p && m->family < SCONE_NN; j++) {
        double v = x[m->parent[j]];
        if (m->family == SCONE_LINEAR) f += w[j] * v;
        if (m->family == SCONE_POLYNOMIAL) {
            f += fmax(-1.0, fmin(1.0, w[3 * j] + w[3 * j + 1] * v + w[3 * j + 2] * v * v));
        }
        if (m->family == SCONE_SIGMOID) {
            double z = w[3 * j + 1] * (v + w[3 * j + 2]);
            f += w[3 * j] * z / (1.0 + fabs(z));
        }
    }
    for (size_t h = 0; h < hidden && m->family >= SCONE_NN; h++) {
        double z = m->family == SCONE_NN ? eps * w[p * hidden + h] : 0.0;
        for (size_t j = 0; j < p; j++) z += x[m->parent[j]] * w[j * hidden + h];
        f += tanh(z) * w[(p + (m->family == SCONE_NN)) * hidden + h];
    }
    if (m->family == SCONE_NN) return f;
    return m->multiplicative ? f * eps : f + eps;
}

static void test_values(void **state)
{
    (void)state;
    enum { ROWS = 77, COLUMNS = 6 };
    double columns[COLUMNS * ROWS], noise[ROWS], scratch[MECHANISM_SCRATCH * ROWS], out[ROWS];
    static const size_t lists[2][4] = {{4, 0, 0, 0}, {0, 2, 3, 5}};
    rng r = rng_stream(6, RNG_TEST, 0, 0, 0);
    arena *memory;
    CHECK_OK(arena_alloc(&memory, 0));
    for (size_t i = 0; i < COLUMNS * ROWS; i++) columns[i] = rng_range(&r, -3.0, 3.0);
    for (size_t i = 0; i < ROWS; i++) noise[i] = rng_normal(&r);
    size_t products = 0;
    for (unsigned round = 0; round < 50; round++) {
        mechanism m = {.parents = round % 2 ? 4 : 1, .parent = lists[round % 2]};
        CHECK_OK(
            mechanism_draw(&m, memory, 1u << round / 2 % 5, (scone_noise)(round / 10 % 3), &r));
        CHECK_OK(mechanism_shift(&m, memory, &r));
        products += m.multiplicative;
        for (int regime = 0; regime < 2; regime++) {
            memcpy(out, noise, sizeof out);
            mechanism_apply(out, &m, regime, columns, ROWS, scratch, ROWS);
            for (size_t i = 0; i < ROWS; i++) {
                double row[COLUMNS];
                for (size_t c = 0; c < COLUMNS; c++) row[c] = columns[c * ROWS + i];
                double expected = naive_value(&m, m.weights[regime], row, noise[i]);
                CHECK_NEAR(out[i], expected, 1e-13 * (1.0 + fabs(expected)));
            }
        }
    }
    CHECK(products > 4);
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_joining),
        cmocka_unit_test(test_graph_corners),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_weights_linear),
        cmocka_unit_test(test_weights_polynomial),
        cmocka_unit_test(test_weights_sigmoid),
        cmocka_unit_test(test_weights_networks),
        cmocka_unit_test(test_families_and_noise),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests_name("scm", tests, NULL, NULL);
}
