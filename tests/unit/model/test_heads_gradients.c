/* test_heads_gradients.c - the bias heads in double against central differences.
 *
 * The loss is the sum of random weights times h after the heads and, in some cases, the gates.
 * Every group of parameters and h itself are compared at relative error 1e-6 (plus 1e-9 of the
 * largest); inputs are such that no mask is near its threshold. Gradients of parameters start at a
 * constant, since they are added to.
 */
#include "testing.h"
#include "heads_data.h"
#include "heads_plain.h"

enum { COMPONENTS = 30 };
static const double START = 0.75, STEP = 4e-5, MARGIN = 2e-3;

typedef struct problem {
    heads_case *c;
    heads *x;
    nn_work *work;
    rng random;
    size_t outputs;
    real *h, *dy, *dgates, *dgamma; /* the last two are NULL if the loss has none */
} problem;

static double objective(problem *p)
{
    const heads_case *c = p->c;
    double sum = 0.0;
    memcpy(p->h, c->h, p->outputs * sizeof *p->h);
    heads_forward(p->x, p->h, c->values, &c->b, p->work);
    for (size_t i = 0; i < p->outputs; i++) sum += p->h[i] * p->dy[i];
    for (size_t i = 0; p->dgates && i < 3 * c->b.cells; i++) {
        sum += heads_gates(p->x)[i] * p->dgates[i];
    }
    for (size_t i = 0; p->dgamma && i < c->b.members; i++) {
        sum += heads_gamma(p->x)[i] * p->dgamma[i];
    }
    return sum;
}

static double slope_by_differences(problem *p, real *at)
{
    const double away[] = {-2.0, -1.0, 1.0, 2.0};
    real old = *at;
    double value[4];
    for (int k = 0; k < 4; k++) {
        *at = old + away[k] * STEP;
        value[k] = objective(p);
    }
    *at = old;
    return (8.0 * (value[2] - value[1]) - (value[3] - value[0])) / (12.0 * STEP);
}

static void check_group(problem *p, const char *name, real *values, const real *gradient,
                        size_t count, double start)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(gradient[i] - start));
    if (!(largest > 1e-6)) fail_msg("%s: no gradient", name);
    for (size_t k = 0; k < count && k < COMPONENTS; k++) {
        size_t i = count <= COMPONENTS ? k : rng_below(&p->random, count);
        double found = gradient[i] - start, expected = slope_by_differences(p, &values[i]);
        if (!(fabs(found - expected) <= 1e-6 * fabs(expected) + 1e-9 * fmax(1.0, largest))) {
            fail_msg("gradient by %s[%zu] is %.12g, differences give %.12g", name, i, found,
                     expected);
        }
    }
}

static void check_gradients(uint64_t seed, bool contrast, model_cvt_gate gate, bool gates)
{
    const case_sizes sizes = {7, 3, 5, 13, 6};
    plain_heads plain;
    problem p = {.random = rng_stream(seed, RNG_TEST, 72, 0, 0), .work = make_work(1, 4096)};
    model_config config = case_config(sizes.d, contrast, gate);
    config.soft_thresholds = true; /* the gradient of a step is not its slope */
    p.c = case_clear(seed, sizes, config, MARGIN, &plain);
    const parameter_layout *layout = p.c->layout;
    p.outputs = 2 * p.c->b.cells * sizes.d;
    CHECK_OK(heads_alloc(&p.x, layout, CASE_BLOCK));
    CHECK_OK(heads_reserve(p.x, &p.c->b));
    p.h = constant_reals(p.outputs, 0.0);
    p.dy = random_reals(&p.random, p.outputs, 1.0);
    p.dgates = gates ? random_reals(&p.random, 3 * p.c->b.cells, 1.0) : NULL;
    p.dgamma = gates ? random_reals(&p.random, p.c->b.members, 1.0) : NULL;
    real *dh = constant_reals(p.outputs, 0.0), *gradients = constant_reals(layout->count, START);
    memcpy(dh, p.dy, p.outputs * sizeof *dh);
    (void)objective(&p);
    heads_backward(p.x, dh, gradients, p.dgates, p.dgamma, p.c->values, &p.c->b, p.work);
    check_group(&p, "h", p.c->h, dh, p.outputs, 0.0);
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *q = &layout->list[k];
        size_t count = q->rows * q->columns;
        if (case_group(q)) {
            check_group(&p, q->name, p.c->values + q->offset, gradients + q->offset, count, START);
        } else {
            for (size_t i = 0; i < count; i++) CHECK_SAME(gradients[q->offset + i], START);
        }
    }
    mem_free(dh);
    mem_free(gradients);
    mem_free(p.h);
    mem_free(p.dy);
    mem_free(p.dgates);
    mem_free(p.dgamma);
    heads_free(p.x);
    nn_work_free(p.work);
    plain_free(&plain);
    case_free(p.c);
}

static void test_contrast(void **state)
{
    (void)state;
    check_gradients(100, true, MODEL_CVT_PRINTED, false);
    check_gradients(200, true, MODEL_CVT_PRINTED, true);
    check_gradients(300, true, MODEL_CVT_PROVED, false);
    check_gradients(400, true, MODEL_CVT_PROVED, true);
}

static void test_regimes(void **state)
{
    (void)state;
    check_gradients(500, false, MODEL_CVT_PRINTED, true);
    check_gradients(600, false, MODEL_CVT_PROVED, true);
    check_gradients(700, false, MODEL_CVT_PRINTED, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contrast),
        cmocka_unit_test(test_regimes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
