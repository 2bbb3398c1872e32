/* test_model_gradients.c - the whole model in double: its outputs against the dense masked model of
 * model_oracle.h, and the gradient of the total loss against central differences for every tensor.
 *
 * Differences are of fourth order; components are compared at relative error 1e-6 (plus 1e-9 of the
 * tensor's largest).
 */
#include "testing.h"
#include "model_data.h"
#include "model_oracle.h"

enum { COMPONENTS = 2 };
static const double STEP = 1e-4;  /* where masks are near their thresholds, a tenth of it */
static const double START = 0.75; /* gradients are added to what is there */
static const double CLASS_WEIGHTS[3] = {1.3, 0.8, 0.6};

static model_config gradient_config(bool contrast, bool bias_heads)
{
    model_config config = model_small(contrast, bias_heads);
    config.width = 8;
    config.heads = 2;
    config.feed_forward = 12;
    config.identities = 12;
    config.temperature = 1.2;
    config.loss_gate = 0.3;
    config.loss_target = 0.4;
    config.rank_margin = 0.6;
    return config;
}

/* ---- oracle ---- */

static void check_oracle(const model_case *x, const batch *b, model_run *run)
{
    CHECK_OK(model_forward(run, x->values, b));
    for (size_t g = 0; g < b->graphs; g++) {
        dense_model *m = dense_run(x->layout, x->values, &x->items[g]);
        check_close("logits", model_logits(run) + 3 * b->graph_pair[g], m->logits, 3 * m->K, 1e-11);
        check_close("global", model_global_logits(run) + 3 * b->graph_grid[g], m->global,
                    3 * m->N * m->N, 1e-11);
        dense_free(m);
    }
}

static void test_oracle(void **state)
{
    (void)state;
    const size_t nodes[] = {6, 9, 5};
    for (int contrast = 0; contrast < 2; contrast++) {
        model_config config = gradient_config(contrast == 1, false);
        model_case *x = model_make(config, nodes, 3, 4, 100);
        model_run *run = model_runs(x, 2);
        x->items[1].reversed = true;
        CHECK_OK(batch_make(x->b, x->items, 3, &config));
        check_oracle(x, x->b, run);
        model_run_free(run);
        model_case_free(x);
    }
}

/* ---- gradients ---- */

typedef struct problem {
    model_case *x;
    model_run *run;
    rng random;
} problem;

static double objective(problem *p)
{
    loss_terms terms;
    CHECK_OK(model_forward(p->run, p->x->values, p->x->b));
    model_loss(&terms, p->run, p->x->b, CLASS_WEIGHTS, 5, 17);
    return terms.total;
}

static double slope_by_differences(problem *p, real *at, double step)
{
    const double away[] = {-2.0, -1.0, 1.0, 2.0};
    real old = *at;
    double value[4];
    for (int k = 0; k < 4; k++) {
        *at = old + away[k] * step;
        value[k] = objective(p);
    }
    *at = old;
    return (8.0 * (value[2] - value[1]) - (value[3] - value[0])) / (12.0 * step);
}

static bool agree(double found, double expected, double largest)
{
    return fabs(found - expected) <= 1e-6 * fabs(expected) + 1e-9 * fmax(largest, 0.1);
}

/* A component that some graph reads: of a table the rows that are in use. */
static size_t pick(problem *p, const parameter *q)
{
    if (q->rows == p->x->config.identities) {
        size_t row = p->x->b->node_identity[rng_below(&p->random, p->x->b->nodes)];
        return row * q->columns + rng_below(&p->random, q->columns);
    }
    return rng_below(&p->random, q->rows * q->columns);
}

static void check_tensor(problem *p, const parameter *q, const real *gradients)
{
    size_t count = q->rows * q->columns;
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(gradients[q->offset + i] - START));
    }
    /* without contrast there are no statistics of nodes */
    bool unused = !p->x->config.contrast && strstr(q->name, ".node.weight");
    /* with one subset the cells of a pair are one, whatever its weight */
    unused = unused || (p->x->config.evidence && strstr(q->name, "pool.weight"));
    /* and no precision matrix is read */
    unused = unused || (p->x->config.evidence && strcmp(q->name, "precision.weight") == 0);
    if (unused ? largest != 0.0 : !(largest > 1e-9)) fail_msg("%s: %g", q->name, largest);
    for (size_t k = 0; k < count && k < COMPONENTS; k++) {
        size_t i = q->offset + (count <= COMPONENTS ? k : pick(p, q));
        double found = gradients[i] - START;
        double expected = slope_by_differences(p, &p->x->values[i], STEP);
        if (agree(found, expected, largest)) continue;
        expected = slope_by_differences(p, &p->x->values[i], STEP / 10.0);
        if (agree(found, expected, largest)) continue; /* a mask changed within the larger step */
        fail_msg("gradient by %s[%zu] is %.12g, differences give %.12g (largest %.3g)", q->name,
                 i - q->offset, found, expected, largest);
    }
}

static void check_model(model_config config, uint64_t seed)
{
    const size_t nodes[] = {8, 6};
    problem p = {.x = model_make(config, nodes, 2, 5, seed)};
    const parameter_layout *layout = p.x->layout;
    p.random = rng_stream(seed, RNG_TEST, 81, 0, 0);
    p.run = model_runs(p.x, 1);
    p.x->items[1].reversed = true;
    CHECK_OK(batch_make(p.x->b, p.x->items, 2, &config));
    real *gradients = constant_reals(layout->count, START);
    assert_non_null(gradients);
    (void)objective(&p);
    model_backward(p.run, gradients, p.x->values, p.x->b);
    for (size_t k = 0; k < layout->list_count; k++) check_tensor(&p, &layout->list[k], gradients);
    mem_free(gradients);
    model_run_free(p.run);
    model_case_free(p.x);
}

static void test_axial(void **state)
{
    (void)state;
    check_model(gradient_config(true, false), 200);
}

static void test_without_contrast(void **state)
{
    (void)state;
    check_model(gradient_config(false, false), 210);
}

static void test_evidence(void **state)
{
    (void)state;
    model_config config = gradient_config(true, false);
    config.evidence = true;
    check_model(config, 220);
}

/* Thresholds and graphs such that every head speaks and no mask changes within the differences. */
static void test_heads(void **state)
{
    (void)state;
    for (int contrast = 0; contrast < 2; contrast++) {
        model_config config = gradient_config(contrast == 1, true);
        config.cvt_gate = contrast ? MODEL_CVT_PRINTED : MODEL_CVT_PROVED;
        config.cvt_score_min = 0.2;
        config.dpt_score_min = 0.2;
        config.ssi_margin = 0.02;
        config.ssi_change_max = 0.95;
        config.cvt_change_max = contrast ? 0.99 : 0.7;
        config.ssi_clip = 4.0;
        config.soft_thresholds = true; /* the gradient of a step is not its slope */
        check_model(config, contrast ? 316 : 301);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_axial),
        cmocka_unit_test(test_without_contrast),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
