/* test_sort.c - the radix sort against qsort. */
#include "testing.h"

#include "base/rng.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 3000 };

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int compare_words(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Values of all sizes, and a seventh of them with many ties. */
static void test_doubles(void **state)
{
    (void)state;
    static double x[MOST], sorted[MOST], expected[MOST];
    static uint64_t keys[2 * MOST];
    rng r = rng_stream(41, RNG_TEST, 0, 0, 0);
    for (size_t n = 0; n <= MOST; n = n < 4 ? n + 1 : n * 3) {
        for (size_t i = 0; i < n; i++) {
            double scale = pow(10.0, floor(600.0 * rng_uniform(&r)) - 300.0);
            x[i] = i % 7 == 0 ? floor(3.0 * rng_normal(&r)) : scale * rng_normal(&r);
        }
        memcpy(expected, x, n * sizeof *x);
        qsort(expected, n, sizeof *expected, compare_doubles);
        sort_doubles(sorted, x, n, keys);
        for (size_t i = 0; i < n; i++) CHECK(sorted[i] == expected[i]);
        sort_doubles(x, x, n, keys);
        CHECK(memcmp(x, sorted, n * sizeof *x) == 0);
    }
    sort_doubles(sorted, (double[]){0.0, -DBL_MAX, -0.0, DBL_MAX, -5e-324}, 5, keys);
    CHECK(sorted[0] == -DBL_MAX && sorted[1] == -5e-324 && signbit(sorted[2]) != 0);
    CHECK(sorted[3] == 0.0 && signbit(sorted[3]) == 0 && sorted[4] == DBL_MAX);
}

/* Words in which any number of bytes differ, so that the result lies in either of both arrays. */
static void test_words(void **state)
{
    (void)state;
    static uint64_t words[MOST], other[MOST], expected[MOST];
    rng r = rng_stream(42, RNG_TEST, 0, 0, 0);
    for (unsigned bytes = 0; bytes <= 8; bytes++) {
        uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * bytes)) - 1;
        for (size_t i = 0; i < MOST; i++) words[i] = expected[i] = rng_word(&r) & mask;
        qsort(expected, MOST, sizeof *expected, compare_words);
        sort_words(words, other, MOST);
        CHECK(memcmp(words, expected, sizeof words) == 0);
    }
    sort_words(words, other, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}
