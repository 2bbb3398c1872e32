/* test_invariance.c - invariance tests: level and power on data whose truth is known, determinism,
 * odd columns, and the parts against direct computations. */
#include "testing.h"
#include "statistics.h"

#include "stats/adjust.h"
#include "stats/invariance.h"
#include "stats/invariance_parts.h"

#include <stdlib.h>

enum { COLUMNS = 5 };

typedef enum data_kind {
    KIND_PLAIN,    /* columns: z1, z2 from z1, v from both, w from v, noise */
    KIND_CAUCHY,   /* noise without moments */
    KIND_DISCRETE, /* rounded values */
    KIND_SPREAD    /* noise whose scale depends on z2 */
} data_kind;

typedef enum data_change { SAME, MEAN, SLOPE, SPREAD, SHAPE } data_change;

static double draw_noise(data_kind kind, uint64_t *state)
{
    double x = naive_normal(state);
    return kind == KIND_CAUCHY ? x / naive_normal(state) : x;
}

/* z2's mechanism differs between the regimes always, v's only as `change` says. */
static void fill_row(double row[COLUMNS], data_kind kind, data_change change, int regime,
                     uint64_t *state)
{
    double z1 = naive_normal(state);
    double z2 = (regime ? 1.2 : 0.5) * z1 + 0.7 * draw_noise(kind, state) + 0.4 * regime;
    double e = draw_noise(kind, state), sign = naive_uniform(state) < 0.5 ? -1.0 : 1.0;
    if (kind == KIND_DISCRETE) z1 = round(z1), z2 = round(z2);
    if (change == SPREAD && regime) e *= 1.6;
    if (change == SHAPE && regime) e = 0.4 * e + 0.9165 * sign;
    double scale = kind == KIND_SPREAD ? exp(0.5 * z2 / sqrt(1.0 + 0.1 * z2 * z2)) : 1.0;
    double slope = change == SLOPE && regime ? 1.2 : 0.7;
    double v = slope * z2 / sqrt(1.0 + 0.2 * z2 * z2) + 0.5 * z1 + scale * e;
    if (change == MEAN && regime) v += 0.5;
    row[0] = z1;
    row[1] = z2;
    row[2] = kind == KIND_DISCRETE ? round(v) : v;
    row[3] = 0.8 * v + naive_normal(state);
    row[4] = naive_normal(state);
}

static scone_pair *make_pair(data_kind kind, data_change change, size_t rows, uint64_t seed)
{
    scone_pair *pair = mem_zero(1, sizeof *pair);
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int c = 0; c < 2; c++) {
        CHECK_OK(table_alloc(&pair->tables[c], rows, COLUMNS, NULL));
        for (size_t i = 0; i < rows; i++) {
            double row[COLUMNS];
            fill_row(row, kind, change, c, &state);
            for (size_t j = 0; j < COLUMNS; j++) table_column(pair->tables[c], j)[i] = row[j];
        }
    }
    return pair;
}

static invariance_result run_once(const scone_pair *pair, size_t v, const size_t *given,
                                  size_t count, size_t most_rows)
{
    invariance *test = NULL;
    invariance_work *work = NULL;
    invariance_result result;
    invariance_options options = {.seed = 3, .most_rows = most_rows};
    CHECK_OK(invariance_create(&test, pair, &options));
    CHECK_OK(invariance_work_create(&work, test));
    invariance_test(test, work, v, given, count, &result);
    invariance_work_free(work);
    invariance_free(test);
    return result;
}

/* How many of `cases` tests of v given z1, z2 reject at 0.05. */
static size_t rejections(data_kind kind, data_change change, size_t rows, size_t cases)
{
    const size_t given[2] = {0, 1};
    size_t hits = 0;
    for (size_t i = 0; i < cases; i++) {
        scone_pair *pair = make_pair(kind, change, rows, 1 + i + 1000 * (uint64_t)kind);
        invariance_result r = run_once(pair, 2, given, 2, 0);
        CHECK(r.possible && r.p_value >= 0.0 && r.p_value <= 1.0);
        CHECK(r.effect >= 0.0 && r.effect <= r.effect_high);
        CHECK(r.overlap > 0.0 && r.overlap <= 1.0);
        hits += r.p_value <= 0.05;
        scone_pair_free(pair);
    }
    return hits;
}

static void test_level(void **unused)
{
    (void)unused;
    for (int kind = KIND_PLAIN; kind <= KIND_SPREAD; kind++) {
        CHECK_RATE(rejections((data_kind)kind, SAME, 200, 500), 500, 0.05);
        CHECK_RATE(rejections((data_kind)kind, SAME, 1000, 150), 150, 0.05);
    }
}

static void test_power(void **unused)
{
    (void)unused;
    for (int change = MEAN; change <= SHAPE; change++) {
        size_t hits = rejections(KIND_PLAIN, (data_change)change, 500, 40);
        if (hits < 36) fail_msg("change %d is seen in %zu of 40 only", change, hits);
    }
    CHECK(rejections(KIND_CAUCHY, MEAN, 1000, 20) >= 12);
    CHECK(rejections(KIND_DISCRETE, MEAN, 1000, 20) >= 18);
}

/* Without Z it is a two-sample test; v changes since z2 does, and z1 does not. */
static void test_no_given(void **unused)
{
    (void)unused;
    size_t hits = 0;
    scone_pair *pair = make_pair(KIND_PLAIN, SAME, 2000, 5);
    CHECK(run_once(pair, 1, NULL, 0, 0).p_value < 1e-6);
    CHECK(run_once(pair, 2, NULL, 0, 0).p_value < 1e-6);
    CHECK_NEAR(run_once(pair, 2, NULL, 0, 0).overlap, 1.0, 1e-9);
    scone_pair_free(pair);
    for (size_t i = 0; i < 500; i++) {
        pair = make_pair(KIND_PLAIN, SAME, 150, 7000 + i);
        hits += run_once(pair, 0, NULL, 0, 0).p_value <= 0.05;
        scone_pair_free(pair);
    }
    CHECK_RATE(hits, 500, 0.05);
}

/* z1 given (z2, v) is no null, v given z2 alone neither: z1 is a common cause
 * with another slope. */
static void test_what_must_change(void **unused)
{
    (void)unused;
    const size_t both[2] = {1, 2}, alone[1] = {1};
    scone_pair *pair = make_pair(KIND_PLAIN, SAME, 3000, 11);
    CHECK(run_once(pair, 0, both, 2, 0).p_value < 1e-6);
    CHECK(run_once(pair, 2, alone, 1, 0).p_value < 1e-4);
    scone_pair_free(pair);
}

/* A known shift: the effect is its size in standard deviations, and the bound lies above it in
 * about 95% of the samples. */
static void test_effect(void **unused)
{
    (void)unused;
    double mean = 0.0;
    size_t above = 0, cases = 200;
    for (size_t i = 0; i < cases; i++) {
        scone_pair *pair = make_pair(KIND_PLAIN, SAME, 400, 500 + i);
        for (size_t k = 0; k < 400; k++) table_column(pair->tables[1], 4)[k] += 0.5;
        invariance_result r = run_once(pair, 4, NULL, 0, 0);
        mean += r.effect / (double)cases;
        above += r.effect_high >= 0.5;
        scone_pair_free(pair);
    }
    CHECK_NEAR(mean, 0.5, 0.06);
    CHECK((double)above >= 0.90 * (double)cases);
}

/* No sample size makes "not rejected" an "invariant" for small samples, and large ones do. */
static void test_margin(void **unused)
{
    (void)unused;
    const size_t given[2] = {0, 1};
    scone_pair *small = make_pair(KIND_PLAIN, SAME, 100, 21);
    scone_pair *large = make_pair(KIND_PLAIN, SAME, 5000, 21);
    CHECK(run_once(small, 2, given, 2, 0).effect_high > INVARIANCE_MARGIN);
    CHECK(run_once(large, 2, given, 2, 0).effect_high < INVARIANCE_MARGIN);
    CHECK(run_once(large, 2, given, 2, 100).effect_high > INVARIANCE_MARGIN);
    scone_pair_free(small);
    scone_pair_free(large);
}

static void check_same(const invariance_result *a, const invariance_result *b)
{
    CHECK(a->possible == b->possible);
    CHECK_SAME(a->statistic, b->statistic);
    CHECK_SAME(a->degrees, b->degrees);
    CHECK_SAME(a->rest, b->rest);
    CHECK_SAME(a->p_value, b->p_value);
    CHECK_SAME(a->effect, b->effect);
    CHECK_SAME(a->effect_high, b->effect_high);
    CHECK_SAME(a->overlap, b->overlap);
}

/* Orders of columns and of Z, and what was tested before, leave the same bytes. */
static void test_order(void **unused)
{
    (void)unused;
    const size_t order[COLUMNS] = {3, 0, 4, 2, 1}; /* new column j is old column order[j] */
    const size_t given[3] = {0, 1, 4}, turned[3] = {4, 0, 1}, moved[3] = {2, 4, 1};
    scone_pair *pair = make_pair(KIND_PLAIN, SLOPE, 700, 31), *other = mem_zero(1, sizeof *other);
    for (int c = 0; c < 2; c++) {
        CHECK_OK(table_alloc(&other->tables[c], 700, COLUMNS, NULL));
        for (size_t j = 0; j < COLUMNS; j++) {
            memcpy(table_column(other->tables[c], j), table_column(pair->tables[c], order[j]),
                   700 * sizeof(double));
        }
    }
    for (size_t most = 0; most <= 300; most += 300) {
        invariance_result first = run_once(pair, 2, given, 3, most), r;
        r = run_once(pair, 2, turned, 3, most);
        check_same(&first, &r);
        r = run_once(other, 3, moved, 3, most);
        check_same(&first, &r);
    }
    invariance *test = NULL;
    invariance_work *work = NULL;
    invariance_result first = run_once(pair, 2, given, 3, 0), r;
    invariance_options options = {.seed = 3};
    CHECK_OK(invariance_create(&test, pair, &options));
    CHECK_OK(invariance_work_create(&work, test));
    invariance_test(test, work, 3, given, 3, &r); /* the same Z */
    invariance_test(test, work, 2, given, 3, &r);
    check_same(&first, &r);
    invariance_test(test, work, 0, &given[1], 2, &r);
    invariance_test(test, work, 2, given, 3, &r);
    check_same(&first, &r);
    invariance_work_free(work);
    invariance_free(test);
    scone_pair_free(pair);
    scone_pair_free(other);
}

/* Other units and offsets change nothing that matters. */
static void test_units(void **unused)
{
    (void)unused;
    const size_t given[2] = {0, 1};
    scone_pair *pair = make_pair(KIND_PLAIN, SAME, 500, 41);
    invariance_result before = run_once(pair, 2, given, 2, 0);
    for (int c = 0; c < 2; c++) {
        for (size_t i = 0; i < 500; i++) {
            table_column(pair->tables[c], 2)[i] = 1e6 * table_column(pair->tables[c], 2)[i] + 1e8;
        }
    }
    invariance_result after = run_once(pair, 2, given, 2, 0);
    CHECK_NEAR(after.p_value, before.p_value, 1e-6);
    scone_pair_free(pair);
}

/* Constant and duplicate columns of Z are as if left out; what cannot be tested says so. */
static void test_odd_columns(void **unused)
{
    (void)unused;
    const size_t plain[2] = {0, 1}, constant[3] = {0, 3, 1}, copy[1] = {4};
    const size_t many[INVARIANCE_MOST_GIVEN + 1] = {0};
    scone_pair *pair = make_pair(KIND_PLAIN, SAME, 400, 51);
    for (int c = 0; c < 2; c++) {
        for (size_t i = 0; i < 400; i++) table_column(pair->tables[c], 3)[i] = 7.0;
        memcpy(table_column(pair->tables[c], 4), table_column(pair->tables[c], 2),
               400 * sizeof(double));
    }
    invariance_result with = run_once(pair, 2, constant, 3, 0), r = run_once(pair, 2, plain, 2, 0);
    check_same(&with, &r);
    r = run_once(pair, 3, plain, 2, 0);
    CHECK(!r.possible && isnan(r.p_value) && isnan(r.effect_high));
    CHECK(!run_once(pair, 2, copy, 1, 0).possible); /* Z determines v */
    CHECK(!run_once(pair, 2, many, INVARIANCE_MOST_GIVEN + 1, 0).possible);
    CHECK(!run_once(pair, 2, plain, 2, 10).possible); /* too few rows */
    /* Z tells the regimes apart: nothing can be said about v given Z */
    for (size_t i = 0; i < 400; i++) table_column(pair->tables[1], 0)[i] += 100.0;
    CHECK(!run_once(pair, 2, plain, 1, 0).possible);
    table_column(pair->tables[1], 1)[17] = (double)NAN;
    invariance *test = NULL;
    invariance_options options = {.seed = 3};
    CHECK_FAILS(invariance_create(&test, pair, &options), SCONE_ERR_INPUT, "X1");
    scone_pair_free(pair);
}

/* The noncentral chi-squared distribution function by its Poisson sum, q even. */
static double noncentral(double x, int q, double l)
{
    double sum = 0.0, poisson = exp(-0.5 * l);
    for (int j = 0; j < 400; j++) {
        double term = exp(-0.5 * x), tail = 0.0;
        for (int k = 0; k < q / 2 + j; k++) {
            tail += term;
            term *= 0.5 * x / (k + 1);
        }
        sum += poisson * (1.0 - tail);
        poisson *= 0.5 * l / (j + 1);
    }
    return sum;
}

static void test_bound(void **unused)
{
    (void)unused;
    const double statistics[4] = {2.5, 10.0, 31.0, 120.0};
    for (int q = 2; q <= 14; q += 6) {
        for (int k = 0; k < 4; k++) {
            double x = fmax(statistics[k], q);
            double l = invariance_noncentrality_high(statistics[k], q);
            CHECK_NEAR(noncentral(x, q, l), 0.05, 0.004);
        }
    }
}

/* Against the definitions, written out: Holm by its steps, Benjamini and Hochberg by minima. */
static void test_adjust(void **unused)
{
    (void)unused;
    enum { N = 7 };
    const double nan = (double)NAN, p[N] = {0.01, 0.2, nan, 0.03, 0.01, 0.9, 0.04};
    const double holm[N] = {0.06, 0.4, nan, 0.12, 0.06, 0.9, 0.12};
    const double fdr[N] = {0.03, 0.24, nan, 0.06, 0.03, 0.9, 0.06};
    double out[N];
    CHECK_OK(adjust_holm(out, p, N));
    for (size_t i = 0; i < N; i++) {
        if (i == 2) CHECK(isnan(out[i]));
        if (i != 2) CHECK_NEAR(out[i], holm[i], 1e-12);
    }
    CHECK_OK(adjust_benjamini_hochberg(out, p, N));
    for (size_t i = 0; i < N; i++) {
        if (i == 2) CHECK(isnan(out[i]));
        if (i != 2) CHECK_NEAR(out[i], fdr[i], 1e-12);
    }
    CHECK_OK(adjust_holm(NULL, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level),       cmocka_unit_test(test_power),
        cmocka_unit_test(test_no_given),    cmocka_unit_test(test_what_must_change),
        cmocka_unit_test(test_effect),      cmocka_unit_test(test_margin),
        cmocka_unit_test(test_order),       cmocka_unit_test(test_units),
        cmocka_unit_test(test_odd_columns), cmocka_unit_test(test_bound),
        cmocka_unit_test(test_adjust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
