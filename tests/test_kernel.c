/* test_kernel.c - the inner loops against plain sums in long double. */
#include "check.h"

#include "base/rng.h"
#include "learn/kernel.h"

enum { ROWS = 496, COLUMNS = 23 };

static float columns_[COLUMNS][ROWS + 32], weights[ROWS];
static const float *columns[COLUMNS];

static int set_up(void **state)
{
    (void)state;
    rng r = rng_stream(11, RNG_TEST, 0, 0, 0);
    for (size_t a = 0; a < COLUMNS; a++) {
        for (size_t i = 0; i < ROWS + 32; i++) columns_[a][i] = (float)rng_normal(&r);
        columns[a] = columns_[a];
    }
    for (size_t i = 0; i < ROWS; i++) weights[i] = (float)rng_uniform(&r);
    return 0;
}

static void test_linear(void **state)
{
    (void)state;
    float out[ROWS], c[COLUMNS];
    for (size_t a = 0; a < COLUMNS; a++) c[a] = 0.3f * (float)a - 2.0f;
    for (size_t count = 0; count <= COLUMNS; count += 11) {
        kernel_linear(out, columns, c, count, 16, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            long double sum = 0.0L;
            for (size_t a = 0; a < count; a++) sum += (long double)c[a] * columns_[a][16 + i];
            CHECK_NEAR((double)out[i], (double)sum, 2e-5);
        }
    }
}

static void test_sums(void **state)
{
    (void)state;
    for (size_t count = 1; count <= COLUMNS; count++) {
        double projected[COLUMNS] = {0}, gram[COLUMNS * COLUMNS];
        for (size_t j = 0; j < count * count; j++) gram[j] = 5.0;
        kernel_project(projected, columns, weights, count, 16, ROWS);
        kernel_gram(gram, columns, weights, count, 16, ROWS);
        for (size_t a = 0; a < count; a++) {
            long double sum = 0.0L;
            for (size_t i = 0; i < ROWS; i++) sum += (long double)weights[i] * columns_[a][16 + i];
            CHECK_NEAR(projected[a], (double)sum, 1e-4);
            for (size_t b = 0; b <= a; b++) {
                sum = 5.0L;
                for (size_t i = 0; i < ROWS; i++) {
                    sum += (long double)weights[i] * columns_[a][16 + i] * columns_[b][16 + i];
                }
                CHECK_NEAR(gram[a * count + b], (double)sum, 1e-4);
            }
            for (size_t b = a + 1; b < count; b++) CHECK_SAME(gram[a * count + b], 5.0);
        }
    }
}

static void test_functions(void **state)
{
    (void)state;
    float in[512], out[512];
    for (size_t i = 0; i < 512; i++) in[i] = expf(((float)i - 256.0f) * 0.3f);
    kernel_log(out, in, 512);
    for (size_t i = 0; i < 512; i++) {
        CHECK_NEAR((double)out[i], log((double)in[i]), 1e-6 * (1.0 + fabs(log((double)in[i]))));
    }
    for (size_t i = 0; i < 512; i++) in[i] = ((float)i - 256.0f) * 0.3f;
    kernel_exp(out, in, 512);
    for (size_t i = 0; i < 512; i++) CHECK_NEAR((double)out[i] / exp((double)in[i]), 1.0, 1e-6);
}

static void test_histogram(void **state)
{
    (void)state;
    unsigned bins[32] = {0}, expected[32] = {0}, moved = 0;
    float e[512];
    double sum = 0.0;
    rng r = rng_stream(12, RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < 512; i++) e[i] = (float)(rng_normal(&r) * (i % 50 == 0 ? 100.0 : 1.0));
    for (size_t i = 0; i < 512; i++) {
        double x = 1.8 * (double)e[i], u = 1.0 / (1.0 + exp(-x));
        unsigned b = (unsigned)(u * 32.0);
        expected[b > 31 ? 31 : b]++;
        sum += log(1.8) - fabs(x) - 2.0 * log1p(exp(-fabs(x)));
    }
    CHECK_NEAR(kernel_histogram(bins, 32, e, 1.8f, 512), sum, 2e-3);
    for (int b = 0; b < 32; b++) {
        moved += bins[b] > expected[b] ? bins[b] - expected[b] : expected[b] - bins[b];
    }
    CHECK(moved <= 2); /* a value on the border of two bins */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_histogram),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
