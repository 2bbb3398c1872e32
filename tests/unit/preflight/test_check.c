/* test_check.c - the preflight on single columns: for every code a table that has it and one that
 * just has not. Whole tables and pairs of columns are in test_check_tables.c. */
#include "preflight.h"

enum { ROWS = 400, P = 4 };

static scone_pair clean(void)
{
    return preflight_clean(1, ROWS, ROWS + 50, P);
}

/* ---- cells ---- */

static void test_missing(void **state)
{
    (void)state;
    scone_pair pair = clean();
    preflight_expect_none(&pair, "missing-values");
    preflight_column(&pair, 0, 2)[16] = MISSING;
    preflight_column(&pair, 1, 2)[9] = MISSING;
    preflight_column(&pair, 1, 2)[11] = -MISSING;
    double value = preflight_expect(&pair, "missing-values", SCONE_SEVERITY_ERROR, "X2",
                                    "'X2' has 3 missing cells (regime 0: 1 of 400 rows, first in "
                                    "row 17; regime 1: 2 of 450 rows, first in row 10)");
    CHECK_SAME(value, 3.0);
    preflight_expect_none(&pair, "infinite-values");
    /* The remedy counts the rows that --na drop removes, over all columns. */
    preflight_column(&pair, 0, 0)[16] = MISSING;
    preflight_column(&pair, 0, 0)[20] = MISSING;
    scone_check *check = preflight_run(&pair, 1);
    CHECK(preflight_count(check, "missing-values") == 2);
    CHECK(strstr(preflight_find(check, "missing-values")->remedy,
                 "--na drop, which removes every row with a missing or infinite cell and leaves "
                 "398 of 400 rows in regime 0 and 448 of 450 in regime 1"));
    scone_check_free(check);
    preflight_free(&pair);
}

static void test_missing_everywhere(void **state)
{
    (void)state;
    scone_pair pair = clean();
    for (size_t r = 0; r < ROWS; r++) preflight_column(&pair, 0, 1)[r] = MISSING;
    scone_check *check = preflight_run(&pair, 1);
    const scone_finding *finding = preflight_find(check, "missing-values");
    CHECK(strstr(finding->remedy, "remove the column from both tables"));
    CHECK(strstr(finding->remedy, "regime 0"));
    scone_check_free(check);
    /* Every row of regime 0 misses one cell, no column misses all. */
    for (size_t r = 0; r < ROWS; r++) {
        preflight_column(&pair, 0, 1)[r] = (double)(r % 7) + 0.001 * (double)r;
        preflight_column(&pair, 0, r % P)[r] = MISSING;
    }
    check = preflight_run(&pair, 1);
    finding = preflight_find(check, "missing-values");
    CHECK(strstr(finding->remedy, "--na drop would leave only 0 rows in regime 0"));
    scone_check_free(check);
    preflight_free(&pair);
}

static void test_infinite(void **state)
{
    (void)state;
    scone_pair pair = clean();
    preflight_column(&pair, 1, 3)[449] = -INFINITE;
    preflight_expect(&pair, "infinite-values", SCONE_SEVERITY_ERROR, "X3",
                     "'X3' has 1 infinite cell (regime 1: 1 of 450 rows, first in row 450)");
    preflight_expect_none(&pair, "missing-values");
    preflight_column(&pair, 1, 3)[449] = -1.7e308; /* large, but a number */
    preflight_expect_none(&pair, "infinite-values");
    preflight_free(&pair);
}

/* ---- variation ---- */

static void fill(const scone_pair *pair, int regime, size_t column, double value)
{
    for (size_t r = 0; r < pair->tables[regime]->rows; r++) {
        preflight_column(pair, regime, column)[r] = value;
    }
}

static void test_constant(void **state)
{
    (void)state;
    scone_pair pair = clean();
    fill(&pair, 0, 1, 0.1);
    fill(&pair, 1, 1, 0.1);
    preflight_expect(&pair, "constant-column", SCONE_SEVERITY_WARNING, "X1", "every value is 0.1");
    preflight_expect_none(&pair, "constant-in-one-regime");
    preflight_expect_none(&pair, "nearly-constant");
    fill(&pair, 1, 1, 2.5);
    preflight_expect(&pair, "constant-column", SCONE_SEVERITY_WARNING, "X1",
                     "0.1 in regime 0 and 2.5 in regime 1");
    /* -0 and 0 are one value. */
    fill(&pair, 0, 1, 0.0);
    fill(&pair, 1, 1, 0.0);
    preflight_column(&pair, 0, 1)[3] = -0.0;
    preflight_expect(&pair, "constant-column", SCONE_SEVERITY_WARNING, "X1", "every value is 0");
    /* One other value makes it nearly constant. */
    preflight_column(&pair, 0, 1)[3] = 1e-300;
    preflight_column(&pair, 1, 1)[3] = 1.0;
    preflight_expect_none(&pair, "constant-column");
    preflight_free(&pair);
}

static void test_constant_in_one_regime(void **state)
{
    (void)state;
    scone_pair pair = clean();
    fill(&pair, 1, 2, -7.25);
    double value = preflight_expect(&pair, "constant-in-one-regime", SCONE_SEVERITY_WARNING, "X2",
                                    "is -7.25 in every row of regime 1 but varies in regime 0");
    CHECK_SAME(value, -7.25);
    preflight_expect_none(&pair, "constant-column");
    preflight_column(&pair, 1, 2)[0] = -7.0;
    preflight_expect_none(&pair, "constant-in-one-regime");
    preflight_free(&pair);
}

static void test_nearly_constant(void **state)
{
    (void)state;
    scone_pair pair = clean();
    double *x = preflight_column(&pair, 0, 0);
    for (size_t r = 0; r < 398; r++) x[r] = 3.0;
    double share = preflight_expect(&pair, "nearly-constant", SCONE_SEVERITY_WARNING, "X0",
                                    "'X0' is 3 in 99.5% of the rows of regime 0 (398 of 400)");
    CHECK_NEAR(share, 0.995, 1e-15);
    sample_stream s = {5};
    for (size_t r = 380; r < 400; r++) x[r] = sample_normal(&s);
    preflight_expect(&pair, "nearly-constant", SCONE_SEVERITY_NOTE, "X0", "95%");
    x[379] = 1.0;
    preflight_expect_none(&pair, "nearly-constant");
    preflight_free(&pair);

    pair = clean(); /* variation in the last digits only */
    for (size_t r = 0; r < ROWS; r++) x = preflight_column(&pair, 0, 0), x[r] = 1.0 + 1e-15 * x[r];
    preflight_expect(&pair, "nearly-constant", SCONE_SEVERITY_WARNING, "X0", "last digits");
    x = preflight_column(&pair, 0, 0);
    sample_normals(&s, x, ROWS);
    for (size_t r = 0; r < ROWS; r++) x[r] = 1.0 + 1e-11 * x[r];
    preflight_expect_none(&pair, "nearly-constant");
    preflight_free(&pair);
}

/* ---- shape ---- */

/* Both regimes, values 0 .. levels-1 in turn. */
static void fill_levels(const scone_pair *pair, size_t column, size_t levels)
{
    for (int regime = 0; regime < 2; regime++) {
        double *x = preflight_column(pair, regime, column);
        for (size_t r = 0; r < pair->tables[regime]->rows; r++) {
            x[r] = (double)((r * 7919 + r / 3) % levels);
        }
    }
}

static void test_discrete(void **state)
{
    (void)state;
    scone_pair pair = clean();
    fill_levels(&pair, 3, 2);
    double count = preflight_expect(&pair, "discrete-column", SCONE_SEVERITY_WARNING, "X3",
                                    "takes 2 distinct values in 850 rows");
    CHECK_SAME(count, 2.0);
    preflight_expect_none(&pair, "tied-values");
    fill_levels(&pair, 3, 10);
    preflight_expect(&pair, "discrete-column", SCONE_SEVERITY_WARNING, "X3", "10 distinct");
    fill_levels(&pair, 3, 11);
    preflight_expect(&pair, "discrete-column", SCONE_SEVERITY_NOTE, "X3", "11 distinct");
    fill_levels(&pair, 3, 50);
    preflight_expect(&pair, "discrete-column", SCONE_SEVERITY_NOTE, "X3", "50 distinct");
    fill_levels(&pair, 3, 51);
    preflight_expect_none(&pair, "discrete-column");
    preflight_free(&pair);
    /* Few rows have few values without being discrete. */
    pair = preflight_clean(3, 20, 20, 3);
    preflight_expect_none(&pair, "discrete-column");
    preflight_free(&pair);
}

static void test_ties(void **state)
{
    (void)state;
    scone_pair pair = clean();
    double *x = preflight_column(&pair, 0, 1), *y = preflight_column(&pair, 1, 1);
    for (size_t r = 0; r < 100; r++) x[r] = -1.5; /* a detection limit */
    for (size_t r = 0; r < 70; r++) y[r] = -1.5;
    double share = preflight_expect(&pair, "tied-values", SCONE_SEVERITY_NOTE, "X1",
                                    "'X1' is -1.5 in 100 of the 400 rows of regime 0 (25%); 20% of "
                                    "all rows share their value");
    CHECK_NEAR(share, 0.25, 1e-15);
    /* 9.9% in both regimes, and rounding that spreads ties over many values */
    for (size_t r = 39; r < 100; r++) x[r] = 1.0 + 0.01 * (double)r;
    for (size_t r = 44; r < 70; r++) y[r] = 1.0 + 0.01 * (double)r;
    preflight_expect_none(&pair, "tied-values");
    preflight_free(&pair);
    pair = clean();
    for (size_t r = 0; r < ROWS; r++) {
        preflight_column(&pair, 0, 1)[r] = nearbyint(40.0 * preflight_column(&pair, 0, 1)[r]);
    }
    preflight_expect_none(&pair, "tied-values");
    preflight_free(&pair);
}

static void test_outliers(void **state)
{
    (void)state;
    scone_pair pair = clean();
    double *x = preflight_column(&pair, 1, 0);
    x[41] = -150.0;
    double z = preflight_expect(&pair, "outliers", SCONE_SEVERITY_WARNING, "X0",
                                "'X0' is -150 in row 42 of regime 1, ");
    CHECK(z > 120.0 && z < 180.0);
    x[41] = 40.0;
    preflight_expect(&pair, "outliers", SCONE_SEVERITY_NOTE, "X0", "robust deviations");
    x[41] = 15.0;
    preflight_expect_none(&pair, "outliers");
    /* Logarithms are suggested for positive columns. */
    for (int regime = 0; regime < 2; regime++) {
        double *column = preflight_column(&pair, regime, 0);
        for (size_t r = 0; r < pair.tables[regime]->rows; r++) column[r] = exp(2.0 * column[r]);
    }
    scone_check *check = preflight_run(&pair, 1);
    CHECK(strstr(preflight_find(check, "outliers")->remedy, "logarithms"));
    scone_check_free(check);
    preflight_free(&pair);
    /* Far values of a heavy-tailed column are its nature, not outliers. */
    pair = clean();
    x = preflight_column(&pair, 0, 0);
    for (size_t r = 0; r < ROWS; r++) x[r] = x[r] * x[r] * x[r];
    preflight_expect_none(&pair, "outliers");
    x[0] = 500.0;
    preflight_expect(&pair, "outliers", SCONE_SEVERITY_WARNING, "X0", "is 500 in row 1 ");
    preflight_free(&pair);
}

/* The value of the finding is |x - median| / (1.4826 MAD), here by a slow and plain computation. */
static void test_robust_distance(void **state)
{
    (void)state;
    for (size_t rows = 200; rows < 202; rows++) {
        scone_pair pair = preflight_clean(8, rows, rows, 2);
        double *x = preflight_column(&pair, 0, 0), distances[201], sorted[201];
        x[7] = 55.0;
        memcpy(sorted, x, rows * sizeof *x);
        double median = 0.0;
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = 1; i < rows; i++) {
                for (size_t k = i; k > 0 && sorted[k] < sorted[k - 1]; k--) {
                    double swap = sorted[k];
                    sorted[k] = sorted[k - 1];
                    sorted[k - 1] = swap;
                }
            }
            if (pass == 0) {
                median = 0.5 * sorted[(rows - 1) / 2] + 0.5 * sorted[rows / 2];
                for (size_t r = 0; r < rows; r++) distances[r] = fabs(x[r] - median);
                memcpy(sorted, distances, rows * sizeof *x);
            }
        }
        double expected = (55.0 - median) / (1.4826 * sorted[rows / 2]);
        double z = preflight_expect(&pair, "outliers", SCONE_SEVERITY_NOTE, "X0", "row 8 ");
        CHECK_NEAR(z, expected, 1e-12 * expected);
        preflight_free(&pair);
    }
}

static void test_heavy_tails(void **state)
{
    (void)state;
    scone_pair pair = clean();
    double *x = preflight_column(&pair, 0, 0);
    for (size_t r = 0; r < ROWS; r++) x[r] = x[r] * x[r] * x[r]; /* cubes: ratio about 55 */
    double ratio = preflight_expect(&pair, "heavy-tails", SCONE_SEVERITY_NOTE, "X0",
                                    "heavy tails in regime 0");
    CHECK(ratio > 15.0 && ratio < 300.0);
    sample_stream s = {9};
    for (size_t r = 0; r < ROWS; r++) { /* Laplace: ratio about 6.6 */
        x[r] = log(sample_uniform(&s)) * (r % 2 ? 1.0 : -1.0);
    }
    preflight_expect_none(&pair, "heavy-tails");
    preflight_free(&pair);
}

/* ---- units ---- */

static void scale(const scone_pair *pair, int regime, size_t column, double factor, double offset)
{
    double *x = preflight_column(pair, regime, column);
    for (size_t r = 0; r < pair->tables[regime]->rows; r++) x[r] = x[r] * factor + offset;
}

static void test_offset(void **state)
{
    (void)state;
    scone_pair pair = clean();
    scale(&pair, 0, 1, 1.0, 1e8);
    scale(&pair, 1, 1, 1.0, 1e8);
    double ratio =
        preflight_expect(&pair, "large-offset", SCONE_SEVERITY_NOTE, "X1", "mean 100000");
    CHECK(ratio > 1e7 && ratio < 1e9);
    preflight_expect_none(&pair, "nearly-constant");
    scale(&pair, 0, 1, 1.0, 1e12 - 1e8);
    preflight_expect(&pair, "large-offset", SCONE_SEVERITY_WARNING, "X1", "in regime 0");
    scale(&pair, 0, 1, 1.0, 2e4 - 1e12);
    scale(&pair, 1, 1, 1.0, 2e4 - 1e8);
    preflight_expect_none(&pair, "large-offset");
    preflight_free(&pair);
}

static void test_spread(void **state)
{
    (void)state;
    scone_pair pair = clean();
    for (int regime = 0; regime < 2; regime++) scale(&pair, regime, 2, 1e5, 0.0);
    double ratio = preflight_expect(&pair, "scale-spread", SCONE_SEVERITY_NOTE, "X2, X0",
                                    "the standard deviation of 'X2' is ");
    CHECK(ratio > 1e5 && ratio < 2e5);
    for (int regime = 0; regime < 2; regime++) scale(&pair, regime, 0, 1e-6, 0.0);
    preflight_expect(&pair, "scale-spread", SCONE_SEVERITY_WARNING, "X2, X0", "'X0'");
    for (int regime = 0; regime < 2; regime++) {
        scale(&pair, regime, 0, 1e6, 0.0);
        scale(&pair, regime, 2, 5e-2, 0.0);
    }
    preflight_expect_none(&pair, "scale-spread");
    preflight_free(&pair);
}

static void test_units(void **state)
{
    (void)state;
    scone_pair pair = clean();
    scale(&pair, 1, 0, 1000.0, 0.0);
    double factor = preflight_expect(&pair, "unit-trouble", SCONE_SEVERITY_WARNING, "X0",
                                     "up to a factor of 1000");
    CHECK_SAME(factor, 1000.0);
    scale(&pair, 1, 0, 1e-6, 0.0);
    CHECK_NEAR(preflight_expect(&pair, "unit-trouble", SCONE_SEVERITY_WARNING, "X0", "of 1000"),
               1e-3, 1e-15);
    scone_check *check = preflight_run(&pair, 1);
    CHECK(
        strstr(preflight_find(check, "unit-trouble")->remedy, "multiply 'X0' in regime 1 by 1000"));
    scone_check_free(check);
    /* not a power of ten; a power of ten but shifted; a power of ten but another shape */
    scale(&pair, 1, 0, 3e5, 0.0);
    preflight_expect_none(&pair, "unit-trouble");
    scale(&pair, 1, 0, 1.0 / 300.0, 0.0);
    preflight_expect_none(&pair, "unit-trouble");
    scale(&pair, 1, 0, 100.0, 80.0);
    preflight_expect_none(&pair, "unit-trouble");
    /* Ten times the noise around 0 may be a change; ten times a length may not. */
    scale(&pair, 1, 0, 0.1, -8.0);
    preflight_expect_none(&pair, "unit-trouble");
    for (int regime = 0; regime < 2; regime++) scale(&pair, regime, 0, 1.0, regime ? 80.0 : 8.0);
    preflight_expect(&pair, "unit-trouble", SCONE_SEVERITY_WARNING, "X0", "factor of 10 ");
    preflight_free(&pair);
}

/* ---- clean data, order, threads ---- */

static void test_clean(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        scone_pair pair = preflight_clean(seed, 2000, 1500, 20);
        scone_check *check = preflight_run(&pair, 2);
        if (scone_check_count(check) != 0) {
            fail_msg("%s: %s", scone_check_get(check, 0)->code, scone_check_get(check, 0)->message);
        }
        scone_check_free(check);
        preflight_free(&pair);
    }
}

/* Nonlinear, multiplicative, as the benchmark generator makes them: notes perhaps, no warnings. */
static void test_clean_nonlinear(void **state)
{
    (void)state;
    sample_stream s = {17};
    scone_pair pair = preflight_pair(3000, 3000, 8);
    for (int regime = 0; regime < 2; regime++) {
        for (size_t j = 0; j < 8; j++) {
            double *x = preflight_column(&pair, regime, j);
            for (size_t r = 0; r < 3000; r++) {
                double parent = j ? (x - 3000)[r] : 0.0, noise = 0.4 * 1.5 * sample_normal(&s);
                double bent = fmin(1.0, fmax(-1.0, 0.3 + 0.8 * parent + 0.4 * parent * parent));
                x[r] = j == 0 ? 4.0 * sample_uniform(&s) - 2.0
                              : (j % 3 == 0 ? bent * noise : bent * (regime + 1) + noise);
            }
        }
    }
    scone_check *check = preflight_run(&pair, 1);
    for (size_t i = 0; i < scone_check_count(check); i++) {
        const scone_finding *finding = scone_check_get(check, i);
        if (finding->severity != SCONE_SEVERITY_NOTE) {
            fail_msg("%s: %s", finding->code, finding->message);
        }
    }
    scone_check_free(check);
    preflight_free(&pair);
}

/* A pair with much wrong with it. */
static scone_pair troubled(void)
{
    scone_pair pair = preflight_clean(4, 500, 700, 12);
    preflight_column(&pair, 0, 3)[5] = MISSING;
    preflight_column(&pair, 0, 4)[5] = MISSING;
    preflight_column(&pair, 0, 4)[6] = MISSING;
    preflight_column(&pair, 1, 5)[5] = INFINITE;
    preflight_column(&pair, 1, 5)[6] = INFINITE;
    preflight_column(&pair, 1, 5)[7] = INFINITE;
    fill(&pair, 0, 6, 1.0);
    fill(&pair, 1, 6, 1.0);
    fill(&pair, 1, 7, 1.0);
    fill_levels(&pair, 8, 3);
    preflight_column(&pair, 0, 11)[8] = 1e4;
    preflight_column(&pair, 0, 2)[8] = 1e5;
    for (int regime = 0; regime < 2; regime++) {
        size_t rows = pair.tables[regime]->rows;
        for (size_t r = 0; r < rows; r++) {
            preflight_column(&pair, regime, 9)[r] = 2.0 * preflight_column(&pair, regime, 0)[r];
            preflight_column(&pair, regime, 10)[r] =
                preflight_column(&pair, regime, 1)[r] - preflight_column(&pair, regime, 2)[r];
        }
    }
    return pair;
}

static void test_order(void **state)
{
    (void)state;
    scone_pair pair = troubled();
    scone_check *check = preflight_run(&pair, 1);
    static const struct {
        const char *code, *columns;
    } expected[] = {
        {"infinite-values", "X5"}, /* three cells */
        {"missing-values", "X4"},  /* two */
        {"missing-values", "X3"},  /* one */
        {"constant-column", "X6"},
        {"constant-in-one-regime", "X7"},
        {"duplicate-columns", "X0, X9"},
        {"collinear-columns", NULL},
        {"outliers", NULL}, /* X2 and X10, equally far out */
        {"outliers", NULL},
        {"outliers", "X11"},
        {"discrete-column", "X8"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const scone_finding *finding = scone_check_get(check, i);
        assert_non_null(finding);
        assert_string_equal(finding->code, expected[i].code);
        if (expected[i].columns) assert_string_equal(finding->columns, expected[i].columns);
    }
    for (size_t i = 1; i < scone_check_count(check); i++) {
        CHECK(scone_check_get(check, i)->severity <= scone_check_get(check, i - 1)->severity);
    }
    CHECK(scone_check_get(check, scone_check_count(check)) == NULL);
    scone_check_free(check);
    scone_check_free(NULL);
    preflight_free(&pair);
}

static void expect_same_findings(const scone_check *a, const scone_check *b)
{
    assert_int_equal(scone_check_count(a), scone_check_count(b));
    for (size_t i = 0; i < scone_check_count(a); i++) {
        const scone_finding *x = scone_check_get(a, i), *y = scone_check_get(b, i);
        assert_int_equal(x->severity, y->severity);
        assert_string_equal(x->code, y->code);
        assert_string_equal(x->columns, y->columns);
        assert_string_equal(x->message, y->message);
        assert_string_equal(x->remedy, y->remedy);
        CHECK_SAME(x->value, y->value);
    }
}

/* The same findings whatever the threads and the order of the columns. */
static void test_threads_and_permutation(void **state)
{
    (void)state;
    scone_pair pair = troubled(), permuted = preflight_pair(500, 700, 12);
    for (size_t j = 0; j < 12; j++) {
        size_t to = (j * 5 + 3) % 12;
        for (int regime = 0; regime < 2; regime++) {
            memcpy(preflight_column(&permuted, regime, to), preflight_column(&pair, regime, j),
                   pair.tables[regime]->rows * sizeof(double));
        }
        preflight_rename(&permuted, to, pair.tables[0]->names[j]);
    }
    scone_check *reference = preflight_run(&pair, 1);
    for (int threads = 1; threads <= 8; threads *= 2) {
        scone_check *check = preflight_run(&pair, threads);
        expect_same_findings(check, reference);
        scone_check_free(check);
        check = preflight_run(&permuted, threads);
        expect_same_findings(check, reference);
        scone_check_free(check);
    }
    scone_check_free(reference);
    preflight_free(&pair);
    preflight_free(&permuted);
}

static bool refuse(void *user, const char *stage, double done)
{
    (void)user;
    (void)done;
    return strcmp(stage, "checking columns") != 0;
}

static void test_stop(void **state)
{
    (void)state;
    scone_pair pair = clean();
    scone_check *check = (scone_check *)&pair;
    scone_context context = {.progress = refuse};
    CHECK_FAILS(scone_check_run(&check, &pair, &context), SCONE_ERR_INPUT, "stopped");
    CHECK(check == NULL);
    preflight_free(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_missing_everywhere),
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_constant_in_one_regime),
        cmocka_unit_test(test_nearly_constant),
        cmocka_unit_test(test_discrete),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_robust_distance),
        cmocka_unit_test(test_heavy_tails),
        cmocka_unit_test(test_offset),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_clean_nonlinear),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_threads_and_permutation),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
