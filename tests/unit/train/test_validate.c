/* test_validate.c - scores of validation graphs, the order of training graphs and class weights,
 * against other ways to compute them. */
#include "testing.h"
#include "token_problem.h"

#include "base/rng.h"
#include "model/model.h"
#include "train/training_set.h"
#include "train/shuffle.h"
#include "train/validate.h"

/* ---- temperature ---- */

static void test_heat(void **state)
{
    (void)state;
    const double z[3] = {1.5, -0.3, 0.4};
    for (double t = 0.5; t < 4.0; t *= 1.7) {
        double one = 0.0, hot = 0.0, p[3], q[3], out[3];
        for (int k = 0; k < 3; k++) {
            one += p[k] = exp(z[k]);
            hot += q[k] = exp(z[k] / t);
        }
        model_heat(out, p[0] / one, p[1] / one, t);
        for (int k = 0; k < 3; k++) CHECK_NEAR(out[k], q[k] / hot, 1e-12);
    }
    double sure[3];
    model_heat(sure, 1.0, 0.0, 2.0); /* no logarithm of 0 */
    CHECK(sure[0] > 0.99 && isfinite(sure[1]) && isfinite(sure[2]));
}

/* ---- graphs ---- */

static void set_pair(double *p, size_t nodes, size_t i, size_t j, double forward, double backward)
{
    p[i * nodes + j] = forward;
    p[j * nodes + i] = backward;
}

static void test_marks(void **state)
{
    (void)state;
    enum { N = 4 };
    double p[N * N] = {0};
    graph *truth, *empty;
    scone_scores m;
    CHECK_OK(graph_alloc(&truth, N));
    CHECK_OK(graph_alloc(&empty, N));
    graph_direct(truth, 0, 1);
    graph_direct(truth, 1, 2);
    graph_direct(truth, 3, 2);
    set_pair(p, N, 0, 1, 0.9, 0.05); /* right */
    set_pair(p, N, 1, 2, 0.7, 0.1);  /* right */
    set_pair(p, N, 0, 2, 0.1, 0.6);  /* 2 -> 0 would close a cycle: left out */
    set_pair(p, N, 2, 3, 0.5, 0.2);  /* reversed */
    set_pair(p, N, 0, 3, 0.3, 0.15); /* below the threshold */
    CHECK_OK(validate_marks(&m, p, truth, 0.5));
    CHECK(m.true_edges == 3.0 && m.predicted_edges == 3.0 && m.hits == 2.0 && m.shd == 1.0);
    CHECK_NEAR(m.f1, 2.0 / 3.0, 1e-12);
    CHECK_OK(validate_marks(&m, p, truth, 0.4)); /* 0 -> 3 comes, 2 -> 3 stays */
    CHECK(m.predicted_edges == 4.0 && m.hits == 2.0 && m.shd == 2.0);
    CHECK_OK(validate_marks(&m, p, truth, 0.92)); /* 0 -> 1 alone */
    CHECK(m.predicted_edges == 1.0 && m.hits == 1.0 && m.shd == 2.0);
    CHECK_OK(validate_marks(&m, p, empty, 1.0));
    CHECK(m.shd == 0.0 && m.f1 == 1.0);
    scone_graph_free(truth);
    scone_graph_free(empty);
}

/* ---- a validation ---- */

/* Labels drawn from the probabilities themselves, sharpened by a temperature: it must be found, and
 * then the probabilities are calibrated. */
static void test_validation(void **state)
{
    (void)state;
    enum { GRAPHS = 40, NODES = 20, STRIDE = NODES * NODES };
    const double heat = 2.0;
    tokens *graphs[GRAPHS];
    double *p = mem_zero(GRAPHS, STRIDE * sizeof *p);
    assert_non_null(p);
    scone_problem *problem = token_problem(NODES, 100, 4);
    token_options options = token_quick(4);
    options.replicates = 1;
    tokens *base = token_of(problem, &options, 1);
    rng random = rng_stream(8, RNG_TEST, 95, 0, 0);
    for (size_t g = 0; g < GRAPHS; g++) {
        CHECK_OK(tokens_copy(&graphs[g], base));
        tokens *t = graphs[g];
        memset(t->truth, 0, STRIDE);
        for (size_t e = 0; e < t->size.pairs; e++) {
            size_t i = t->ends[e][0], j = t->ends[e][1];
            double w[3], q[3];
            for (int k = 0; k < 3; k++) w[k] = exp(1.5 * rng_normal(&random));
            double sum = w[0] + w[1] + w[2];
            set_pair(p + g * STRIDE, NODES, i, j, w[0] / sum, w[1] / sum);
            model_heat(q, w[0] / sum, w[1] / sum, heat);
            size_t class = rng_categorical(&random, q, 3);
            t->labels[e] = class == 0 ? TOKEN_FORWARD : class == 1 ? TOKEN_BACKWARD : TOKEN_NONE;
            t->truth[i * NODES + j] = t->labels[e];
            t->truth[j * NODES + i] = token_swapped(t->labels[e]);
        }
    }
    validation_scores v;
    CHECK_OK(validate(&v, graphs, GRAPHS, p, STRIDE, 0.5));
    CHECK(v.threshold == 0.5 && v.shd == v.shd_half && v.f1 == v.f1_half);
    CHECK_OK(validate(&v, graphs, GRAPHS, p, STRIDE, 0.0));
    CHECK_NEAR(v.temperature, heat, 0.25);
    CHECK(v.calibration < 0.03);
    CHECK(v.error > 0.0 && v.shd > 0.0 && v.f1 > 0.1 && v.f1 < 1.0);
    CHECK(v.threshold > 0.0 && v.threshold < 1.0);
    /* the same marks at the fitted temperature and the threshold one half */
    double shd = 0.0, best = 0.0;
    for (size_t g = 0; g < GRAPHS; g++) {
        double hot[STRIDE] = {0}, q[3];
        scone_scores half, chosen;
        graph *truth;
        CHECK_OK(validate_truth(&truth, graphs[g]));
        for (size_t i = 0; i < NODES; i++) {
            for (size_t j = i + 1; j < NODES; j++) {
                const double *own = p + g * STRIDE;
                model_heat(q, own[i * NODES + j], own[j * NODES + i], v.temperature);
                set_pair(hot, NODES, i, j, q[0], q[1]);
            }
        }
        CHECK_OK(validate_marks(&half, hot, truth, 0.5));
        CHECK_OK(validate_marks(&chosen, hot, truth, v.threshold));
        shd += half.shd / GRAPHS;
        scone_graph_free(truth);
        best += chosen.shd / fmax(chosen.true_edges, 1.0) / GRAPHS;
    }
    CHECK_NEAR(v.shd_half, shd, 1e-9);
    CHECK_NEAR(v.error, best, 1e-9);
    for (size_t g = 0; g < GRAPHS; g++) tokens_free(graphs[g]);
    tokens_free(base);
    scone_problem_free(problem);
    mem_free(p);
}

/* ---- order and weights ---- */

static void test_order(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    shuffle *s, *again;
    size_t seen[COUNT], moved = 0, turned = 0, first[COUNT];
    uint64_t epoch;
    CHECK_OK(shuffle_alloc(&s, COUNT, 3, false));
    CHECK_OK(shuffle_alloc(&again, COUNT, 3, false));
    for (uint64_t e = 0; e < 4; e++) {
        memset(seen, 0, sizeof seen);
        for (size_t k = 0; k < COUNT; k++) {
            size_t g = shuffle_graph(s, e * COUNT + k, &epoch);
            CHECK(epoch == e && g < COUNT);
            seen[g]++;
            if (e == 0) first[k] = g;
            if (e == 1) moved += first[k] != g;
            turned += shuffle_reversed(s, e, g);
        }
        for (size_t g = 0; g < COUNT; g++) CHECK(seen[g] == 1);
    }
    CHECK(moved > COUNT / 2);
    CHECK(turned > 2 * COUNT - 40 && turned < 2 * COUNT + 40);
    /* a function of the position alone: from anywhere, in any order */
    for (uint64_t position = 4 * COUNT; position-- > 0;) {
        uint64_t other;
        CHECK(shuffle_graph(s, position, &epoch) == shuffle_graph(again, position, &other));
    }
    shuffle_free(s);
    shuffle_free(again);
}

static void test_class_weights(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(12, 200, 2);
    token_options options = token_quick(2);
    tokens *t = token_of(problem, &options, 1);
    training_set set = {.count = 1, .ready = 1, .graphs = &t};
    double w[3], total = 0.0;
    for (size_t e = 0; e < t->size.pairs; e++)
        t->labels[e] = e % 4 == 0 ? TOKEN_FORWARD : TOKEN_NONE;
    training_set_class_weights(w, &set, true);
    for (size_t e = 0; e < t->size.pairs; e++) total += e % 4 == 0 ? w[0] : w[2];
    CHECK_NEAR(total / (double)t->size.pairs, 1.0, 1e-12);
    CHECK(w[0] == w[1] && w[0] > w[2]);
    training_set_class_weights(w, &set, false);
    CHECK(w[0] == 1.0 && w[1] == 1.0 && w[2] == 1.0);
    memset(t->labels, TOKEN_NONE, t->size.pairs);
    training_set_class_weights(w, &set, true);
    CHECK(w[0] == 1.0 && w[2] == 1.0);
    tokens_free(t);
    scone_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heat),          cmocka_unit_test(test_marks),
        cmocka_unit_test(test_validation),    cmocka_unit_test(test_order),
        cmocka_unit_test(test_class_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
