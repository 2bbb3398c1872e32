/* test_optimizer.c - AdamW, its schedule and the average against a plain transcription in double.
 */
#include "testing.h"
#include "model_data.h"

#include "train/optimizer.h"

enum { UPDATES = 30 };

static parameter_layout *small_layout(void)
{
    model_config config = model_small(true, true);
    parameter_layout *layout;
    config.clip = 0.7;
    config.weight_decay = 0.1;
    CHECK_OK(parameters_layout_make(&layout, &config));
    return layout;
}

/* The algorithm as the paper prints it (Algorithm 2 of Loshchilov and Hutter), one number. */
typedef struct plain {
    double w, m, v, average;
} plain;

static void plain_update(plain *x, double g, double t, double rate, double decay,
                         const model_config *c)
{
    x->m = c->beta1 * x->m + (1.0 - c->beta1) * g;
    x->v = c->beta2 * x->v + (1.0 - c->beta2) * g * g;
    double m = x->m / (1.0 - pow(c->beta1, t)), v = x->v / (1.0 - pow(c->beta2, t));
    x->w = x->w - rate * m / (sqrt(v) + c->epsilon) - rate * decay * x->w;
    double keep =
        (1.0 + t) / (10.0 + t) < c->average_decay ? (1.0 + t) / (10.0 + t) : c->average_decay;
    x->average = keep * x->average + (1.0 - keep) * x->w;
}

static void draw_gradients(float *gradients, size_t count, uint64_t step)
{
    rng r = rng_stream(5, RNG_TEST, 90, step, 0);
    double size = step % 3 == 0 ? 0.001 : 0.1; /* below and above the clip */
    for (size_t i = 0; i < count; i++) gradients[i] = (float)(size * rng_normal(&r));
}

static void test_updates(void **state)
{
    (void)state;
    parameter_layout *layout = small_layout();
    const model_config *config = &layout->config;
    size_t count = layout->count;
    optimizer *o;
    CHECK_OK(optimizer_alloc(&o, layout, 3));
    float *gradients = mem_alloc(count, sizeof *gradients);
    plain *expected = mem_zero(count, sizeof *expected);
    assert_true(gradients && expected);
    for (size_t i = 0; i < count; i++) {
        expected[i].w = expected[i].average = (double)o->weights[i];
        CHECK(o->average[i] == o->weights[i]);
    }
    for (size_t step = 0; step < UPDATES; step++) {
        double rate = optimizer_rate(config, step, UPDATES), norm, sum = 0.0;
        draw_gradients(gradients, count, step);
        for (size_t i = 0; i < count; i++) sum += (double)gradients[i] * (double)gradients[i];
        CHECK_OK(optimizer_update(&norm, o, gradients, rate, NULL));
        CHECK_NEAR(norm, sqrt(sum), 1e-9);
        double scale = sqrt(sum) > config->clip ? config->clip / sqrt(sum) : 1.0;
        CHECK((step % 3 == 0) == (scale == 1.0));
        for (size_t k = 0; k < layout->list_count; k++) {
            const parameter *p = &layout->list[k];
            for (size_t i = p->offset; i < p->offset + p->rows * p->columns; i++) {
                plain_update(&expected[i], scale * (double)gradients[i], (double)step + 1.0, rate,
                             p->decay ? config->weight_decay : 0.0, config);
            }
        }
    }
    CHECK(o->step == UPDATES);
    for (size_t i = 0; i < count; i++) {
        CHECK_NEAR((double)o->weights[i], expected[i].w, 2e-5);
        CHECK_NEAR((double)o->average[i], expected[i].average, 2e-5);
        CHECK_NEAR((double)o->moment1[i], expected[i].m, 1e-6);
        CHECK_NEAR((double)o->moment2[i], expected[i].v, 1e-7);
    }
    mem_free(expected);
    mem_free(gradients);
    optimizer_free(o);
    parameters_layout_free(layout);
}

/* Without gradients nothing but decay happens, and only where it applies. */
static void test_decay(void **state)
{
    (void)state;
    parameter_layout *layout = small_layout();
    optimizer *o;
    double norm;
    CHECK_OK(optimizer_alloc(&o, layout, 3));
    float *gradients = mem_zero(layout->count, sizeof *gradients);
    float *before = mem_alloc(layout->count, sizeof *before);
    assert_true(gradients && before);
    memcpy(before, o->weights, layout->count * sizeof *before);
    CHECK_OK(optimizer_update(&norm, o, gradients, 0.5, NULL));
    CHECK(norm == 0.0);
    size_t shrunk = 0;
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        for (size_t i = p->offset; i < p->offset + p->rows * p->columns; i++) {
            double wanted = (double)before[i] * (p->decay ? 1.0 - 0.5 * 0.1 : 1.0);
            CHECK_NEAR((double)o->weights[i], wanted, 1e-6);
            shrunk += o->weights[i] != before[i];
        }
    }
    CHECK(shrunk > 0 && shrunk < layout->count);
    mem_free(before);
    mem_free(gradients);
    optimizer_free(o);
    parameters_layout_free(layout);
}

static void test_threads(void **state)
{
    (void)state;
    parameter_layout *layout = small_layout();
    const scone_context four = {.threads = 4};
    optimizer *one, *many;
    double norm;
    CHECK_OK(optimizer_alloc(&one, layout, 3));
    CHECK_OK(optimizer_alloc(&many, layout, 3));
    float *gradients = mem_alloc(layout->count, sizeof *gradients);
    assert_non_null(gradients);
    for (size_t step = 0; step < 3; step++) {
        draw_gradients(gradients, layout->count, step);
        CHECK_OK(optimizer_update(&norm, one, gradients, 0.01, NULL));
        CHECK_OK(optimizer_update(&norm, many, gradients, 0.01, &four));
    }
    assert_memory_equal(one->weights, many->weights, layout->count * sizeof(float));
    assert_memory_equal(one->average, many->average, layout->count * sizeof(float));
    mem_free(gradients);
    optimizer_free(one);
    optimizer_free(many);
    parameters_layout_free(layout);
}

static void test_diverged(void **state)
{
    (void)state;
    parameter_layout *layout = small_layout();
    optimizer *o;
    double norm;
    CHECK_OK(optimizer_alloc(&o, layout, 3));
    float *gradients = mem_zero(layout->count, sizeof *gradients);
    assert_non_null(gradients);
    gradients[7] = NAN;
    float first = o->weights[0];
    CHECK_FAILS(optimizer_update(&norm, o, gradients, 0.1, NULL), SCONE_ERR_INPUT,
                "the gradient of step 1 is not finite");
    CHECK(o->step == 0 && o->weights[0] == first);
    mem_free(gradients);
    optimizer_free(o);
    parameters_layout_free(layout);
}

static void test_schedule(void **state)
{
    (void)state;
    model_config c = config_default();
    c.learning_rate = 2.0;
    c.warm_up = 0.1;
    c.final_rate = 0.25;
    /* 100 steps: ten rise by 0.2 each, then a cosine from 2 to 0.5 over 90 */
    CHECK_NEAR(optimizer_rate(&c, 0, 100), 0.2, 1e-12);
    CHECK_NEAR(optimizer_rate(&c, 4, 100), 1.0, 1e-12);
    CHECK_NEAR(optimizer_rate(&c, 9, 100), 2.0, 1e-12);
    CHECK_NEAR(optimizer_rate(&c, 10, 100), 2.0, 1e-12);
    CHECK_NEAR(optimizer_rate(&c, 99, 100), 0.5, 1e-12);
    c.warm_up = 0.0; /* 0, 50 and 100 of 101: both ends and the middle */
    CHECK_NEAR(optimizer_rate(&c, 0, 101), 2.0, 1e-12);
    CHECK_NEAR(optimizer_rate(&c, 50, 101), 1.25, 1e-12);
    CHECK_NEAR(optimizer_rate(&c, 25, 101), 0.5 + 0.75 * (1.0 + sqrt(0.5)), 1e-12);
    CHECK_NEAR(optimizer_rate(&c, 100, 101), 0.5, 1e-12);
    CHECK_NEAR(optimizer_rate(&c, 0, 1), 2.0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_updates),  cmocka_unit_test(test_decay),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
