/* test_rng.c - random streams, their distributions, and the functions of vmath.h against libm. */
#include "statistics.h"

#include "base/rng.h"
#include "base/rng_tiles.h"

/* Random123's known answers for Threefry4x64 with 20 rounds: counter, key, result. */
static void test_known_answers(void **state)
{
    (void)state;
    static const uint64_t known[3][12] = {
        {0, 0, 0, 0, 0, 0, 0, 0, 0x09218ebde6c85537, 0x55941f5266d86105, 0x4bd25e16282434dc,
         0xee29ec846bd2e40b},
        {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0),
         ~UINT64_C(0), ~UINT64_C(0), 0x29c24097942bba1b, 0x0371bbfb0f6f4e11, 0x3c231ffa33f83a1c,
         0xcd29113fde32d168},
        {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
         0x452821e638d01377, 0xbe5466cf34e90c6c, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd,
         0xa7e8fde591651bd9, 0xbaafd0c30138319b, 0x84a5c1a729e685b9, 0x901d406ccebc1ba4}};
    for (size_t i = 0; i < 3; i++) {
        const uint64_t *v = known[i];
        threefry4x64_ctr_t counter = {{v[0], v[1], v[2], v[3]}};
        threefry4x64_key_t key = {{v[4], v[5], v[6], v[7]}};
        threefry4x64_ctr_t out = threefry4x64_R(20, counter, key);
        for (size_t j = 0; j < 4; j++) CHECK(out.v[j] == v[8 + j]);
    }
    /* Our stream with an all-zero key is the first of them, from the end of the block. */
    rng r = rng_stream(0, RNG_TEST, 0, 0, 0);
    for (size_t j = 4; j-- > 0;) CHECK(rng_word(&r) == known[0][8 + j]);
    uint64_t tile[RNG_TILE_WORDS];
    rng_tile_words(tile, r.key, 0);
    for (size_t j = 0; j < 4; j++) CHECK(tile[j * RNG_TILE] == known[0][8 + j]);
    /* Our own rounds over a tile are Random123's over its blocks, also across
     * the largest counter. */
    static const uint64_t counters[] = {0, 5, UINT64_MAX - 7};
    for (size_t i = 0; i < 3; i++) {
        const uint64_t *v = known[2] + 4;
        threefry4x64_key_t pi = {{v[0], v[1], v[2], v[3]}};
        rng_tile_words(tile, v, counters[i]);
        for (size_t b = 0; b < RNG_TILE; b++) {
            threefry4x64_ctr_t in = {{counters[i] + b, 0, 0, 0}};
            threefry4x64_ctr_t out = threefry4x64_R(20, in, pi);
            for (size_t j = 0; j < 4; j++) CHECK(tile[j * RNG_TILE + b] == out.v[j]);
        }
    }
    /* The key words are seed, stage and replicate, graph, subset; the counter is the block. */
    rng s = rng_stream(11, RNG_SAMPLE, 12, 13, 14);
    threefry4x64_key_t key = {{11, UINT64_C(3) << 32 | 14, 12, 13}};
    for (uint64_t block = 0; block < 3; block++) {
        threefry4x64_ctr_t in = {{block, 0, 0, 0}};
        threefry4x64_ctr_t out = threefry4x64_R(20, in, key);
        for (size_t j = 4; j-- > 0;) CHECK(rng_word(&s) == out.v[j]);
    }
}

/* Streams that differ in one coordinate share nothing that a correlation would show. */
static void test_independent_keys(void **state)
{
    (void)state;
    enum { N = 100000, STREAMS = 7 };
    double *x = malloc(sizeof *x * N * STREAMS);
    assert_non_null(x);
    rng streams[STREAMS] = {rng_stream(1, RNG_SAMPLE, 1, 1, 1),
                            rng_stream(2, RNG_SAMPLE, 1, 1, 1),
                            rng_stream(1, RNG_SUBSET, 1, 1, 1),
                            rng_stream(1, RNG_SAMPLE, 2, 1, 1),
                            rng_stream(1, RNG_SAMPLE, 1, 2, 1),
                            rng_stream(1, RNG_SAMPLE, 1, 1, 2),
                            rng_stream(1 | UINT64_C(1) << 63, RNG_SAMPLE, 1, 1, 1)};
    for (size_t s = 0; s < STREAMS; s++) rng_fill_normal(&streams[s], x + s * N, N);
    for (size_t a = 0; a < STREAMS; a++) {
        for (size_t b = 0; b < a; b++) {
            CHECK_NEAR(correlation(x + a * N, x + b * N, N), 0.0, 4.5 / sqrt(N));
        }
        /* neighbours within a stream, and the two normals that share a word, also in spread */
        for (size_t lag = 1; lag <= 4 * RNG_TILE; lag *= 2) {
            CHECK_NEAR(correlation(x + a * N, x + a * N + lag, N - lag), 0.0, 4.5 / sqrt(N));
        }
        for (size_t i = 0; i < N; i++) x[a * N + i] = x[a * N + i] * x[a * N + i] - 1.0;
        CHECK_NEAR(correlation(x + a * N, x + a * N + RNG_TILE_WORDS, N - RNG_TILE_WORDS), 0.0,
                   4.5 / sqrt(N));
    }
    free(x);
}

static void check_moments(const double *x, size_t n, const double expected[4],
                          const double spread[4])
{
    for (int power = 1; power <= 4; power++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) sum += pow(x[i], power);
        CHECK_NEAR(sum / (double)n, expected[power - 1], 4.0 * spread[power - 1] / sqrt((double)n));
    }
}

static void test_distributions(void **state)
{
    (void)state;
    enum { N = 500000 };
    /* E x^k, and the standard deviation of x^k = sqrt(E x^2k - (E x^k)^2) */
    static const double uniform[4] = {1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5};
    static const double uniform_spread[4] = {0.28868, 0.29814, 0.28347, 0.26667};
    static const double normal[4] = {0, 1, 0, 3};
    static const double normal_spread[4] = {1.0, 1.41421, 3.87298, 9.79796};
    static const double exponential[4] = {1, 2, 6, 24};
    static const double exponential_spread[4] = {1.0, 4.47214, 26.15339, 199.35897};
    double *x = malloc(sizeof *x * N);
    assert_non_null(x);
    rng r = rng_stream(7, RNG_TEST, 0, 0, 0);

    rng_fill_uniform(&r, x, N);
    check_moments(x, N, uniform, uniform_spread);
    CHECK_NEAR(ks_statistic(x, N, uniform_cdf), 0.0, 1.95);
    for (size_t i = 0; i < N; i++) x[i] = rng_uniform(&r);
    check_moments(x, N, uniform, uniform_spread);
    CHECK_NEAR(ks_statistic(x, N, uniform_cdf), 0.0, 1.95);
    for (size_t i = 0; i < N; i++) x[i] = (rng_range(&r, -3.0, 5.0) + 3.0) / 8.0;
    CHECK_NEAR(ks_statistic(x, N, uniform_cdf), 0.0, 1.95);

    rng_fill_normal(&r, x, N);
    check_moments(x, N, normal, normal_spread);
    CHECK_NEAR(ks_statistic(x, N, normal_cdf), 0.0, 1.95);
    for (size_t i = 0; i < N; i++) x[i] = rng_normal(&r);
    check_moments(x, N, normal, normal_spread);
    CHECK_NEAR(ks_statistic(x, N, normal_cdf), 0.0, 1.95);

    for (size_t i = 0; i < N; i++) x[i] = rng_exponential(&r);
    check_moments(x, N, exponential, exponential_spread);
    CHECK_NEAR(ks_statistic(x, N, exponential_cdf), 0.0, 1.95);
    double ups = 0.0;
    for (size_t i = 0; i < N; i++) ups += rng_sign(&r);
    CHECK_NEAR(ups / N, 0.0, 4.0 / sqrt(N));
    free(x);
}

/* The tails of rng_fill_normal, where 32 bits of radius would show first. */
static void test_normal_tails(void **state)
{
    (void)state;
    enum { N = 4096, ROUNDS = 2500 };
    static double x[N];
    static const double cuts[4] = {3.0, 4.0, 4.5, 5.0};
    double counts[4] = {0}, near_zero = 0.0;
    rng r = rng_stream(3, RNG_TEST, 1, 0, 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        rng_fill_normal(&r, x, N);
        for (size_t i = 0; i < N; i++) {
            for (size_t c = 0; c < 4; c++) counts[c] += fabs(x[i]) > cuts[c];
            near_zero += fabs(x[i]) < 1e-4;
        }
    }
    double n = (double)N * ROUNDS;
    for (size_t c = 0; c < 4; c++) {
        double expected = n * 2.0 * normal_cdf(-cuts[c]);
        CHECK_NEAR(counts[c], expected, 4.0 * sqrt(expected));
    }
    double expected = n * (normal_cdf(1e-4) - normal_cdf(-1e-4));
    CHECK_NEAR(near_zero, expected, 4.0 * sqrt(expected));
}

static void test_discrete(void **state)
{
    (void)state;
    rng r = rng_stream(5, RNG_TEST, 2, 0, 0);
    double counts[24] = {0}, expected[24];
    for (size_t i = 0; i < 17 * 10000; i++) counts[rng_below(&r, 17)] += 1.0;
    for (size_t i = 0; i < 17; i++) expected[i] = 10000.0;
    CHECK_NEAR(chi_square_score(counts, expected, 17), 0.0, 3.3);
    CHECK(rng_below(&r, 1) == 0);
    /* With n = 3 * 2^62 a plain remainder would hit the lowest third twice as often. */
    double low = 0.0;
    for (size_t i = 0; i < 30000; i++) low += rng_below(&r, UINT64_C(3) << 62) < UINT64_C(1) << 62;
    CHECK_NEAR(low, 10000.0, 4.0 * sqrt(30000.0 * 2.0 / 9.0));

    static const double weights[5] = {0.0, 3.0, 0.5, 1.5, 0.0};
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < 100000; i++) counts[rng_categorical(&r, weights, 5)] += 1.0;
    for (size_t i = 0; i < 5; i++) expected[i] = 100000.0 * weights[i] / 5.0;
    CHECK_NEAR(chi_square_score(counts, expected, 5), 0.0, 3.3);

    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < 24 * 5000; i++) {
        size_t p[4], rank = 0;
        rng_permutation(&r, p, 4);
        for (size_t a = 0; a < 4; a++) {
            size_t smaller = 0;
            for (size_t b = a + 1; b < 4; b++) smaller += p[b] < p[a];
            rank = rank * (4 - a) + smaller;
        }
        CHECK(rank < 24);
        counts[rank] += 1.0;
    }
    for (size_t i = 0; i < 24; i++) expected[i] = 5000.0;
    CHECK_NEAR(chi_square_score(counts, expected, 24), 0.0, 3.3);
}

/* The clone picked for this machine gives the bytes of plain code, and any length is a prefix. */
static void test_same_bytes(void **state)
{
    (void)state;
    enum { TILES = 5, UNIFORMS = TILES * RNG_TILE_WORDS, NORMALS = TILES * RNG_TILE_NORMALS };
    double uniform[UNIFORMS], normal[NORMALS], part[NORMALS];
    rng start = rng_stream(9, RNG_TEST, 3, 0, 0);
    for (size_t t = 0; t < TILES; t++) {
        rng_tile_uniform(uniform + t * RNG_TILE_WORDS, start.key, t * RNG_TILE);
        rng_tile_normal(normal + t * RNG_TILE_NORMALS, start.key, t * RNG_TILE);
    }
    for (size_t n = 0; n <= NORMALS; n += n % 64 < 3 ? 1 : 17) {
        rng r = start;
        rng_fill_normal(&r, part, n);
        assert_memory_equal(part, normal, n * sizeof *part);
        if (n <= UNIFORMS) {
            r = start;
            rng_fill_uniform(&r, part, n);
            assert_memory_equal(part, uniform, n * sizeof *part);
        }
    }
    /* Whole tiles may be split anywhere; words left from single draws are dropped. */
    rng r = start;
    rng_fill_normal(&r, part, 2 * RNG_TILE_NORMALS);
    rng_fill_normal(&r, part + 2 * RNG_TILE_NORMALS, NORMALS - 2 * RNG_TILE_NORMALS);
    assert_memory_equal(part, normal, sizeof normal);
    r = start;
    (void)rng_word(&r);
    double first, second;
    rng_fill_uniform(&r, &first, 1);
    rng s = start;
    s.counter = 1;
    rng_fill_uniform(&s, &second, 1);
    CHECK_SAME(first, second);
    CHECK(r.counter == s.counter);
    /* Pinned, so that a change of the streams cannot pass unnoticed. */
    CHECK_SAME(uniform[100], 0x1.999d42e4a6ac7p-1);
    CHECK_SAME(normal[100], -0x1.2a43d72f85b57p-1);
    CHECK_SAME(normal[300], -0x1.2fc1dac93cf85p-1);
}

/* Each normal of a tile against the same formula in long double. */
static void test_normal_formula(void **state)
{
    (void)state;
    uint64_t words[RNG_TILE_WORDS];
    double normal[RNG_TILE_NORMALS];
    const uint64_t key[4] = {1, 2, 3, 4};
    const long double pi = 3.14159265358979323846264338327950288L;
    rng_tile_words(words, key, 77);
    rng_tile_normal(normal, key, 77);
    for (size_t i = 0; i < RNG_TILE_WORDS; i++) {
        long double u = ((long double)(words[i] >> 32) + 0.5L) / 4294967296.0L;
        long double angle = ((long double)(words[i] >> 2 & 0x3fffffff) + 0.5L) / 4294967296.0L;
        long double radius = sqrtl(-2.0L * logl(u));
        long double a = radius * cosl(2.0L * pi * angle), b = radius * sinl(2.0L * pi * angle);
        CHECK_NEAR(normal[i], (double)(words[i] & 1 ? -a : a), 1e-9);
        CHECK_NEAR(normal[i + RNG_TILE_WORDS], (double)(words[i] & 2 ? -b : b), 1e-9);
    }
}

/* ---- vmath.h ---- */

/* error in units of the last place of the exact result, or of `floor` if that is larger */
static double ulps(double value, long double exact, double floor)
{
    double scale = fmax(fabs((double)exact), floor);
    double unit = nextafter(scale, (double)INFINITY) - scale;
    return fabs((double)(((long double)value - exact) / (long double)unit));
}

static void test_vmath(void **state)
{
    (void)state;
    enum { N = 200000 };
    rng r = rng_stream(1, RNG_TEST, 4, 0, 0);
    const long double pi = 3.14159265358979323846264338327950288L;
    double worst[5] = {0};
    for (size_t i = 0; i < N; i++) {
        double x = i % 2 ? rng_uniform(&r) : exp(rng_range(&r, -700.0, 700.0));
        if (i % 5 == 0) x = 1.0 + 0.1 * rng_normal(&r) * rng_uniform(&r);
        worst[0] = fmax(worst[0], ulps(vmath_log(x), logl((long double)x), 0x1p-1022));
        x = i % 2 ? rng_range(&r, -700.0, 700.0) : rng_normal(&r);
        worst[1] = fmax(worst[1], ulps(vmath_exp(x), expl((long double)x), 0x1p-1022));
        x = i % 2 ? rng_range(&r, -25.0, 25.0) : rng_normal(&r) * rng_uniform(&r);
        if (i % 7 == 0) x *= 1e-9;
        worst[2] = fmax(worst[2], ulps(vmath_tanh(x), tanhl((long double)x), 0x1p-1022));
        double u = i % 2 ? rng_range(&r, -2.0, 2.0) : rng_range(&r, -1e3, 1e3), s, c;
        vmath_sincos_turn(u, &s, &c);
        long double angle = 2.0L * pi * (long double)(u - round(u)); /* exact but for pi */
        worst[3] = fmax(worst[3], ulps(s, sinl(angle), fabs(u) <= 0.125 ? 0x1p-1000 : 1.0));
        worst[4] = fmax(worst[4], ulps(c, cosl(angle), 1.0));
    }
    print_message("ulps: log %.2f exp %.2f tanh %.2f sine %.2f cosine %.2f\n", worst[0], worst[1],
                  worst[2], worst[3], worst[4]);
    static const double bound[5] = {3.0, 1.5, 3.0, 2.5, 1.5};
    for (size_t f = 0; f < 5; f++) CHECK_NEAR(worst[f], 0.0, bound[f]);
}

static void test_vmath_corners(void **state)
{
    (void)state;
    CHECK_SAME(vmath_log(1.0), 0.0);
    CHECK_SAME(vmath_exp(0.0), 1.0);
    CHECK_SAME(vmath_tanh(0.0), 0.0);
    CHECK_SAME(vmath_tanh(-0.0), -0.0);
    CHECK_SAME(vmath_tanh(1e300), 1.0);
    CHECK_SAME(vmath_tanh(-40.0), -1.0);
    CHECK_NEAR(vmath_exp(-1e9), 0.0, 1e-300);
    CHECK(isfinite(vmath_exp(1e9)));
    CHECK_NEAR(vmath_log(0x1p-1022) / (-1022.0 * log(2.0)), 1.0, 1e-15);
    CHECK_NEAR(vmath_log(0x1p1023) / (1023.0 * log(2.0)), 1.0, 1e-15);
    static const double turns[5][3] = {
        {0.0, 0.0, 1.0}, {0.25, 1.0, 0.0}, {0.5, 0.0, -1.0}, {-0.25, -1.0, 0.0}, {1e6, 0.0, 1.0}};
    for (size_t i = 0; i < 5; i++) {
        double s, c;
        vmath_sincos_turn(turns[i][0], &s, &c);
        CHECK(s == turns[i][1] && c == turns[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),  cmocka_unit_test(test_independent_keys),
        cmocka_unit_test(test_distributions),  cmocka_unit_test(test_normal_tails),
        cmocka_unit_test(test_discrete),       cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_normal_formula), cmocka_unit_test(test_vmath),
        cmocka_unit_test(test_vmath_corners),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
