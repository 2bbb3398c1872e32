/* test_check_tables.c - the preflight on whole tables, on columns that depend on each other, on
 * odd matrices, and on the Sachs data. */
#include "preflight.h"

#include <float.h>

enum { ROWS = 400, P = 4 };

/* ---- sizes ---- */

static void test_empty(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, 0, 200, 3);
    preflight_expect(&pair, "empty-regime", SCONE_SEVERITY_ERROR, "", "regime 0 has no rows");
    preflight_expect_none(&pair, "too-few-rows");
    preflight_expect_none(&pair, "constant-in-one-regime");
    preflight_free(&pair);
    pair = preflight_clean(1, 0, 0, 3);
    scone_check *check = preflight_run(&pair, 1);
    CHECK(scone_check_count(check) == 2 && preflight_count(check, "empty-regime") == 2);
    scone_check_free(check);
    preflight_free(&pair);
    pair = preflight_clean(1, 1, 1, 3);
    preflight_expect_none(&pair, "empty-regime");
    preflight_free(&pair);
}

static void test_column_counts(void **state)
{
    (void)state;
    scone_pair pair = preflight_pair(5, 5, 0);
    preflight_expect(&pair, "no-columns", SCONE_SEVERITY_ERROR, "", "no columns");
    preflight_free(&pair);
    pair = preflight_clean(1, 200, 200, 1);
    preflight_expect(&pair, "one-column", SCONE_SEVERITY_WARNING, "X0", "one column, 'X0'");
    preflight_expect_none(&pair, "no-columns");
    preflight_free(&pair);
    pair = preflight_clean(1, 200, 200, 2);
    preflight_expect_none(&pair, "one-column");
    preflight_free(&pair);
}

static void test_row_counts(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, 500, 99, 3);
    CHECK_SAME(
        preflight_expect(&pair, "too-few-rows", SCONE_SEVERITY_WARNING, "", "regime 1 has 99 rows"),
        99.0);
    preflight_free(&pair);
    pair = preflight_clean(1, 500, 100, 3);
    preflight_expect_none(&pair, "too-few-rows");
    preflight_expect_none(&pair, "unequal-rows");
    preflight_free(&pair);
    pair = preflight_clean(1, 109, 500, 11);
    preflight_expect(&pair, "too-few-rows", SCONE_SEVERITY_NOTE, "",
                     "regime 0 has 109 rows for 11 columns");
    preflight_expect_none(&pair, "more-columns-than-rows");
    preflight_free(&pair);
    pair = preflight_clean(1, 110, 500, 11);
    preflight_expect_none(&pair, "too-few-rows");
    preflight_free(&pair);
}

static void test_wide(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, 120, 150, 120);
    CHECK_SAME(preflight_expect(&pair, "more-columns-than-rows", SCONE_SEVERITY_NOTE, "",
                                "120 columns and only 120 rows in regime 0"),
               1.0);
    preflight_expect_none(&pair, "too-few-rows");
    preflight_expect_none(&pair, "collinear-columns");
    preflight_expect_none(&pair, "collinear-in-one-regime");
    preflight_free(&pair);
    pair = preflight_clean(1, 121, 150, 120);
    preflight_expect_none(&pair, "more-columns-than-rows");
    preflight_free(&pair);
}

static void test_unequal(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, 100, 1000, 2);
    CHECK_SAME(preflight_expect(&pair, "unequal-rows", SCONE_SEVERITY_NOTE, "",
                                "regime 1 has 10 times as many rows as regime 0 (1000 and 100)"),
               10.0);
    preflight_free(&pair);
    pair = preflight_clean(1, 10000, 100, 2);
    preflight_expect(&pair, "unequal-rows", SCONE_SEVERITY_WARNING, "", "regime 0 has 100 times");
    preflight_free(&pair);
    pair = preflight_clean(1, 100, 999, 2);
    preflight_expect_none(&pair, "unequal-rows");
    preflight_free(&pair);
}

/* ---- rows in both tables ---- */

static void copy_row(const scone_pair *pair, size_t from, size_t to)
{
    for (size_t j = 0; j < pair->tables[0]->columns; j++) {
        preflight_column(pair, 1, j)[to] = preflight_column(pair, 0, j)[from];
    }
}

static void test_same_table(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, ROWS, ROWS, P);
    for (size_t r = 0; r < ROWS; r++) copy_row(&pair, r, r);
    preflight_column(&pair, 0, 2)[3] = MISSING; /* also where cells are missing */
    preflight_column(&pair, 1, 2)[3] = -MISSING;
    CHECK_SAME(preflight_expect(&pair, "same-table", SCONE_SEVERITY_WARNING, "",
                                "the same 400 rows: nothing changed"),
               400.0);
    preflight_expect_none(&pair, "rows-in-common");
    for (size_t r = 0; r < ROWS; r++) copy_row(&pair, r, (r * 7 + 5) % ROWS);
    preflight_expect(&pair, "same-table", SCONE_SEVERITY_WARNING, "", "in another order");
    preflight_column(&pair, 1, 1)[0] += 1e-9;
    preflight_expect_none(&pair, "same-table");
    preflight_expect(&pair, "rows-in-common", SCONE_SEVERITY_WARNING, "",
                     "399 of the 400 rows of regime 0 (99.8%) also occur in regime 1");
    preflight_free(&pair);
}

static void test_rows_in_common(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, ROWS, 500, P);
    preflight_expect_none(&pair, "rows-in-common");
    copy_row(&pair, 7, 70);
    CHECK_SAME(preflight_expect(&pair, "rows-in-common", SCONE_SEVERITY_NOTE, "",
                                "1 of the 400 rows of regime 0 (0.25%)"),
               1.0 / 400.0);
    for (size_t r = 0; r < 20; r++) copy_row(&pair, r, r);
    preflight_expect(&pair, "rows-in-common", SCONE_SEVERITY_WARNING, "", "(5%)");
    preflight_free(&pair);
    /* Whole numbers agree by chance, within tables as often as between them. */
    pair = preflight_clean(1, ROWS, 500, 2);
    for (int regime = 0; regime < 2; regime++) {
        for (size_t i = 0; i < 2 * pair.tables[regime]->rows; i++) {
            double *value = &pair.tables[regime]->values[i];
            *value = nearbyint(*value);
        }
    }
    preflight_expect_none(&pair, "rows-in-common");
    preflight_free(&pair);
}

/* ---- duplicates ---- */

/* column `to` = a x0 + b x1 + c x2 + d + noise, in one or (regime -1) both regimes */
static void combine(const scone_pair *pair, int only, size_t to, const double weights[4],
                    double noise)
{
    sample_stream s = {99};
    for (int regime = 0; regime < 2; regime++) {
        if (only >= 0 && only != regime) continue;
        for (size_t r = 0; r < pair->tables[regime]->rows; r++) {
            double sum = weights[3] + noise * sample_normal(&s);
            for (size_t j = 0; j < 3; j++) sum += weights[j] * preflight_column(pair, regime, j)[r];
            preflight_column(pair, regime, to)[r] = sum;
        }
    }
}

/* A factor that is no number, 1e307 / 1e-310, is not told as one. */
static void test_endless_factor(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, ROWS, 500, P + 2);
    for (int regime = 0; regime < 2; regime++) {
        for (size_t r = 0; r < pair.tables[regime]->rows; r++) {
            double value = preflight_column(&pair, regime, 2)[r];
            preflight_column(&pair, regime, 2)[r] = value * 1e-310;
            preflight_column(&pair, regime, 4)[r] = value * 1e306;
        }
    }
    (void)preflight_expect(&pair, "duplicate-columns", SCONE_SEVERITY_WARNING, "X2, X4",
                           "'X4' = a multiple of 'X2', in every row");
    preflight_free(&pair);
}

static void test_duplicates(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, ROWS, 500, P + 2);
    preflight_expect_none(&pair, "duplicate-columns");
    combine(&pair, -1, 4, (double[]){0, 0, 1, 0}, 0.0);
    preflight_expect(&pair, "duplicate-columns", SCONE_SEVERITY_WARNING, "X2, X4",
                     "'X4' is a copy of 'X2', in every row");
    combine(&pair, -1, 5, (double[]){0, 0, -2.5, 100}, 0.0);
    double r = preflight_expect(&pair, "duplicate-columns", SCONE_SEVERITY_WARNING, "X2, X4, X5",
                                "'X4' is a copy of 'X2'; 'X5' = -2.5 'X2' + 100, in every row");
    CHECK_NEAR(r, 1.0, 1e-12);
    preflight_expect_none(&pair, "collinear-columns");
    /* Large offsets keep it visible, a little noise ends it, one regime alone is not enough. */
    combine(&pair, -1, 5, (double[]){0, 0, 1, 1e8}, 0.0);
    preflight_expect(&pair, "duplicate-columns", SCONE_SEVERITY_WARNING, "X2, X4, X5",
                     "'X5' = 'X2' + 100000000, in");
    combine(&pair, -1, 5, (double[]){0, 0, 1, 0}, 1e-5);
    preflight_expect(&pair, "duplicate-columns", SCONE_SEVERITY_WARNING, "X2, X4", "copy");
    combine(&pair, 0, 5, (double[]){0, 0, 1, 0}, 0.0);
    combine(&pair, 1, 5, (double[]){0, 0, 1, 3}, 0.0);
    preflight_expect(&pair, "duplicate-columns", SCONE_SEVERITY_WARNING, "X2, X4", "copy");
    preflight_free(&pair);
}

/* Rows with missing cells are left aside, columns without cells too. */
static void test_duplicates_with_missing_cells(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, ROWS, 500, P + 1);
    combine(&pair, -1, 3, (double[]){0, 3, 0, 0}, 0.0);
    preflight_column(&pair, 0, 1)[10] = MISSING;
    preflight_column(&pair, 1, 0)[20] = INFINITE;
    for (size_t r = 0; r < ROWS; r++) preflight_column(&pair, 0, 4)[r] = MISSING;
    preflight_expect(&pair, "duplicate-columns", SCONE_SEVERITY_WARNING, "X1, X3",
                     "'X3' = 3 'X1', in every row");
    preflight_free(&pair);
}

/* ---- combinations ---- */

static void test_collinear(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, ROWS, 500, P + 1);
    preflight_rename(&pair, 4, "total");
    combine(&pair, -1, 4, (double[]){2, -0.5, 0, 10}, 0.0);
    scone_check *check = preflight_run(&pair, 1);
    CHECK(preflight_count(check, "collinear-columns") == 1);
    const scone_finding *finding = preflight_find(check, "collinear-columns");
    CHECK(finding->severity == SCONE_SEVERITY_WARNING && finding->value < 1e-12);
    /* Whichever of the three was solved for, the relation is the same. */
    static const char *const forms[] = {
        "'total' = 2 'X0' - 0.5 'X1' + 10 in every row of both regimes",
        "'X0' = 0.5 'total' + 0.25 'X1' - 5 in every row of both regimes",
        "'X1' = 4 'X0' - 2 'total' + 20 in every row of both regimes",
        "'X1' = -2 'total' + 4 'X0' + 20 in every row of both regimes",
        "'X0' = 0.25 'X1' + 0.5 'total' - 5 in every row of both regimes",
    };
    bool known = false;
    for (size_t i = 0; i < 5; i++) known = known || strstr(finding->message, forms[i]);
    if (!known) fail_msg("%s", finding->message);
    CHECK(strstr(finding->columns, "X0") && strstr(finding->columns, "X1") &&
          strstr(finding->columns, "total") && !strstr(finding->columns, "X2"));
    CHECK(preflight_count(check, "collinear-in-one-regime") == 0);
    scone_check_free(check);

    combine(&pair, -1, 4, (double[]){2, -0.5, 0, 10}, 1e-2); /* 1 - R^2 about 2e-5 */
    preflight_expect_none(&pair, "collinear-columns");
    combine(&pair, -1, 4, (double[]){2, -0.5, 0, 1e7}, 1e-6); /* rounded totals are caught */
    check = preflight_run(&pair, 1);
    CHECK(preflight_count(check, "collinear-columns") == 1);
    scone_check_free(check);
    preflight_free(&pair);
}

static void test_collinear_in_one_regime(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, ROWS, 500, P + 1);
    combine(&pair, 1, 4, (double[]){1, 0, 1, 0}, 0.0);
    scone_check *check = preflight_run(&pair, 1);
    CHECK(preflight_count(check, "collinear-columns") == 0);
    CHECK(preflight_count(check, "collinear-in-one-regime") == 1);
    const scone_finding *finding = preflight_find(check, "collinear-in-one-regime");
    CHECK(strstr(finding->message, "in every row of regime 1 (1 - R^2 = "));
    CHECK(strstr(finding->columns, "X0") && strstr(finding->columns, "X2") &&
          strstr(finding->columns, "X4"));
    scone_check_free(check);
    combine(&pair, 1, 4, (double[]){1, 0, 1, 0}, 0.01);
    preflight_expect_none(&pair, "collinear-in-one-regime");
    preflight_free(&pair);
}

/* Parts that add up to a hundred: one relation over many columns, told in part. */
static void test_collinear_many(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(2, ROWS, 500, 14);
    for (int regime = 0; regime < 2; regime++) {
        for (size_t r = 0; r < pair.tables[regime]->rows; r++) {
            double sum = 0.0;
            for (size_t j = 0; j < 13; j++) sum += preflight_column(&pair, regime, j)[r];
            preflight_column(&pair, regime, 13)[r] = 100.0 - sum;
        }
    }
    scone_check *check = preflight_run(&pair, 1);
    CHECK(preflight_count(check, "collinear-columns") == 1);
    const scone_finding *finding = preflight_find(check, "collinear-columns");
    CHECK(strstr(finding->message, " + 5 more terms + 100 in every row"));
    size_t commas = 0;
    for (const char *c = finding->columns; *c; c++) commas += *c == ',';
    CHECK(commas == 13);
    scone_check_free(check);
    preflight_free(&pair);
}

/* ---- more columns than can be compared ---- */

static void test_not_compared(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(1, 5, 6, 4001);
    for (int regime = 0; regime < 2; regime++) {
        size_t bytes = pair.tables[regime]->rows * sizeof(double);
        memcpy(preflight_column(&pair, regime, 3000), preflight_column(&pair, regime, 17), bytes);
        memcpy(preflight_column(&pair, regime, 200), preflight_column(&pair, regime, 17), bytes);
    }
    preflight_expect(&pair, "columns-not-compared", SCONE_SEVERITY_NOTE, "", "4001 columns");
    preflight_expect(&pair, "duplicate-columns", SCONE_SEVERITY_WARNING, "X17, X200, X3000",
                     "'X200' is a copy of 'X17'; 'X3000' is a copy of 'X17'");
    preflight_free(&pair);
    pair = preflight_clean(1, 5, 6, 40);
    preflight_expect_none(&pair, "columns-not-compared");
    preflight_free(&pair);
}

/* ---- odd matrices ---- */

static double odd_value(sample_stream *s, int kind)
{
    static const double special[] = {0.0,     -0.0, 1.0,     1e-320,  -DBL_MAX,
                                     DBL_MAX, 1e8,  MISSING, INFINITE};
    double u = sample_uniform(s);
    switch (kind) {
    case 0:
        return special[(size_t)(u * 9.0)];
    case 1:
        return floor(3.0 * u);
    case 2:
        return 1e8 + u;
    case 3:
        return 1e300 * (u - 0.5);
    case 4:
        return 1e-310 * u;
    case 5:
        return 4.25;
    default:
        return sample_normal(s);
    }
}

/* Whatever is in the tables: an answer, finite where it is finite, the same on four threads. */
static void test_odd_matrices(void **state)
{
    (void)state;
    sample_stream s = {71};
    for (int round = 0; round < 400; round++) {
        size_t columns = 1 + (size_t)(6.0 * sample_uniform(&s));
        size_t rows0 = (size_t)(9.0 * sample_uniform(&s)),
               rows1 = (size_t)(40.0 * sample_uniform(&s));
        scone_pair pair = preflight_pair(rows0, rows1, columns);
        for (size_t j = 0; j < columns; j++) {
            int kind = (int)(8.0 * sample_uniform(&s));
            size_t like = (size_t)((double)j * sample_uniform(&s));
            for (int regime = 0; regime < 2; regime++) {
                for (size_t r = 0; r < pair.tables[regime]->rows; r++) {
                    preflight_column(&pair, regime, j)[r] =
                        kind == 7 && j ? preflight_column(&pair, regime, like)[r]
                                       : odd_value(&s, kind);
                }
            }
        }
        scone_check *check = preflight_run(&pair, 1), *again = preflight_run(&pair, 4);
        CHECK(scone_check_count(check) == scone_check_count(again));
        for (size_t i = 0; i < scone_check_count(check); i++) {
            const scone_finding *finding = scone_check_get(check, i);
            assert_string_equal(finding->message, scone_check_get(again, i)->message);
            CHECK(finding->message[0] && finding->remedy[0]);
            if (strstr(finding->message, " nan") || strstr(finding->message, "-nan")) {
                fail_msg("%s", finding->message);
            }
        }
        scone_check_free(check);
        scone_check_free(again);
        preflight_free(&pair);
    }
}

/* ---- the Sachs data ---- */

static void test_sachs(void **state)
{
    (void)state;
    const char *paths[2] = {SHARED_DATA "/sachs/cd3cd28.csv", SHARED_DATA "/sachs/pma.csv"};
    FILE *there = fopen(paths[0], "r");
    if (!there) skip();
    (void)fclose(there);
    scone_pair pair;
    for (int regime = 0; regime < 2; regime++) {
        CHECK_OK(scone_table_read(&pair.tables[regime], paths[regime], NULL, NULL));
    }
    scone_check *check = preflight_run(&pair, 2);
    for (size_t i = 0; i < scone_check_count(check); i++) {
        const scone_finding *finding = scone_check_get(check, i);
        CHECK(finding->severity != SCONE_SEVERITY_ERROR);
    }
    /* Raw fluorescence: positive, skewed, far outliers; logarithms are the advice. */
    CHECK(preflight_count(check, "outliers") >= 3);
    CHECK(strstr(preflight_find(check, "outliers")->remedy, "logarithms"));
    static const char *const absent[] = {"constant-column",   "duplicate-columns", "same-table",
                                         "collinear-columns", "too-few-rows",      "unit-trouble"};
    for (size_t i = 0; i < 6; i++) CHECK(preflight_count(check, absent[i]) == 0);
    scone_check_free(check);
    /* After taking them, nothing is left but perhaps notes. */
    for (int regime = 0; regime < 2; regime++) {
        for (size_t i = 0; i < pair.tables[regime]->rows * pair.tables[regime]->columns; i++) {
            pair.tables[regime]->values[i] = log(pair.tables[regime]->values[i]);
        }
    }
    check = preflight_run(&pair, 1);
    for (size_t i = 0; i < scone_check_count(check); i++) {
        const scone_finding *finding = scone_check_get(check, i);
        if (finding->severity != SCONE_SEVERITY_NOTE) {
            fail_msg("%s: %s", finding->code, finding->message);
        }
    }
    scone_check_free(check);
    preflight_free(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_column_counts),
        cmocka_unit_test(test_row_counts),     cmocka_unit_test(test_wide),
        cmocka_unit_test(test_unequal),        cmocka_unit_test(test_same_table),
        cmocka_unit_test(test_rows_in_common), cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_endless_factor), cmocka_unit_test(test_duplicates_with_missing_cells),
        cmocka_unit_test(test_collinear),      cmocka_unit_test(test_collinear_in_one_regime),
        cmocka_unit_test(test_collinear_many), cmocka_unit_test(test_not_compared),
        cmocka_unit_test(test_odd_matrices),   cmocka_unit_test(test_sachs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
