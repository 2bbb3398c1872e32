/* test_kernel.c - the inner loops against plain sums in long double. */
#include "testing.h"

#include "base/rng.h"
#include "learn/fit/kernel.h"

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

static void test_linear_four(void **state)
{
    (void)state;
    float all[4][ROWS], c[4][COLUMNS], *out[4];
    const float *sets[4];
    for (size_t b = 0; b < 4; b++) {
        for (size_t a = 0; a < COLUMNS; a++) c[b][a] = (float)(a + 1) / (float)(b + 3) - 1.0f;
        out[b] = all[b];
        sets[b] = c[b];
    }
    for (size_t count = 0; count <= COLUMNS; count += 11) {
        float alone[ROWS];
        kernel_linear_four(out, columns, sets, count, 16, ROWS);
        for (size_t b = 0; b < 4; b++) {
            kernel_linear(alone, columns, c[b], count, 16, ROWS);
            for (size_t i = 0; i < ROWS; i++) {
                CHECK_NEAR((double)all[b][i], (double)alone[i], 2e-4);
            }
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

static void test_products(void **state)
{
    (void)state;
    for (size_t left = 1; left <= 7; left++) {
        for (size_t right = left; right <= COLUMNS; right += 5) {
            double out[7 * COLUMNS];
            for (size_t j = 0; j < left * right; j++) out[j] = -3.0;
            kernel_products(out, columns + 4, left, columns, right, weights, 16, ROWS);
            for (size_t a = 0; a < left; a++) {
                for (size_t b = 0; b < right; b++) {
                    long double sum = -3.0L;
                    for (size_t i = 0; i < ROWS; i++) {
                        sum +=
                            (long double)weights[i] * columns_[a + 4][16 + i] * columns_[b][16 + i];
                    }
                    CHECK_NEAR(out[a * right + b], (double)sum, 1e-4);
                }
            }
        }
    }
}

static void test_tanh(void **state)
{
    (void)state;
    float in[512], out[512];
    for (size_t i = 0; i < 512; i++) in[i] = ((float)i - 256.0f) * 0.05f; /* past the limit of 9 */
    in[0] = -1e30f;
    in[511] = 1e30f;
    kernel_tanh(out, in, 512);
    for (size_t i = 0; i < 512; i++) CHECK_NEAR((double)out[i], tanh((double)in[i]), 3e-7);
    kernel_tanh(in, in, 512); /* in place */
    CHECK(memcmp(in, out, sizeof in) == 0);
}

/* The weight that a bin gets from a value at u of the range of all, 0 to 1: a hat of the width of a
 * bin around its centre; what would fall past the ends belongs to the outer bins. */
static double share(double u, unsigned bin, unsigned count)
{
    double centre = ((double)bin + 0.5) / count, distance = fabs(u - centre) * count;
    if ((bin == 0 && u < centre) || (bin + 1 == count && u > centre)) return 1.0;
    return distance < 1.0 ? 1.0 - distance : 0.0;
}

static double logistic(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static void test_histogram(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 32, 64, KERNEL_BINS};
    float e[512];
    rng r = rng_stream(12, RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < 512; i++) e[i] = (float)(rng_normal(&r) * (i % 50 == 0 ? 100.0 : 1.0));
    e[7] = e[8] = 0.0f;
    for (size_t s = 0; s < 2 * sizeof sizes / sizeof *sizes; s++) {
        double bins[KERNEL_BINS], expected[KERNEL_BINS], base = 0.0, all = 0.0;
        unsigned count = sizes[s / 2];
        float reach = s % 2 ? 2.5f : 200.0f; /* all between 0 and 1, or sharp ends */
        float low = (float)logistic((double)(-1.8f * reach)), high = (float)logistic(1.8 * 3.0);
        if (s % 2 == 0) high = 1.0f;
        for (unsigned b = 0; b < count; b++) bins[b] = expected[b] = 2.0; /* they are added to */
        for (size_t i = 0; i < 512 && s % 2; i++) {
            e[i] = e[i] < -reach ? -reach : e[i] > 3.0f ? 3.0f : e[i];
        }
        for (size_t i = 0; i < 512; i++) {
            double x = (double)(1.8f * e[i]);
            double u = (logistic(x) - (double)low) / ((double)high - (double)low);
            for (unsigned b = 0; b < count; b++) expected[b] += share(u, b, count);
            base += log((double)1.8f) - fabs(x) - 2.0 * log1p(exp(-fabs(x)));
        }
        CHECK_NEAR(kernel_histogram(bins, count, e, 1.8f, low, high, 512), base, 2e-3);
        for (unsigned b = 0; b < count; b++) {
            CHECK_NEAR(bins[b], expected[b], 1e-3);
            all += bins[b] - 2.0;
        }
        CHECK_NEAR(all, 512.0, 1e-3);
        for (size_t i = 0; i < 512 && s % 2; i++) e[i] *= i % 50 == 0 ? 30.0f : 1.0f;
    }
}

static void test_range(void **state)
{
    (void)state;
    for (size_t a = 0; a < COLUMNS; a++) {
        float range[2] = {0.0f, 2.0f}, low = 0.0f, high = 2.0f;
        double sum = 0.0;
        for (size_t i = 16; i < 16 + ROWS; i++) {
            float x = columns_[a][i];
            sum += (double)x * (double)x;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        CHECK_NEAR(kernel_range(range, columns_[a] + 16, ROWS), sum, 1e-3);
        CHECK_SAME((double)range[0], (double)low);
        CHECK_SAME((double)range[1], (double)high);
    }
}

/* Counts are continuous in e: a step of 1e-4 moves no count by more than the slope of the hats. */
static void test_histogram_smooth(void **state)
{
    (void)state;
    double before[64] = {0}, after[64] = {0};
    float e[512], moved[512];
    rng r = rng_stream(13, RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < 512; i++) {
        e[i] = (float)rng_normal(&r);
        moved[i] = e[i] + 1e-4f;
    }
    (void)kernel_histogram(before, 64, e, 1.8f, 0.0f, 1.0f, 512);
    (void)kernel_histogram(after, 64, moved, 1.8f, 0.0f, 1.0f, 512);
    for (unsigned b = 0; b < 64;
         b++) { /* du/de <= 1.8/4, 64 bins, all rows: 1.5 at the very most */
        CHECK_NEAR(after[b], before[b], 0.2);
    }
    CHECK(memcmp(before, after, sizeof before) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_linear_four),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_tanh),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_histogram_smooth),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
