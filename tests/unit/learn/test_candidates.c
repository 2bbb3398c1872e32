/* test_candidates.c - the catalogue of candidate pairs: union, order, cap, contrast. */
#include "testing.h"
#include "statistics.h"

#include "learn/candidates.h"

enum { COLUMNS = 5 };

/* Two subsets {0, 1, 2} and {1, 2, 4}, two channels: cells (0,1) (0,2) (1,2) (1,2) (1,4) (2,4). */
static size_t offsets[] = {0, 3, 6};
static size_t pairs[][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 2}, {1, 4}, {2, 4}};
static unsigned char winners[12];
static double shares[12][ENSEMBLE_CLASSES];
static const ensemble_result votes = {2, 2, 6, offsets, pairs, winners, shares};
static double contrast[COLUMNS * COLUMNS];

static void vote(size_t channel, size_t cell, scone_mark winner, double none)
{
    winners[channel * 6 + cell] = (unsigned char)winner;
    for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) shares[channel * 6 + cell][c] = 0.0;
    shares[channel * 6 + cell][SCONE_MARK_NONE] = none;
    shares[channel * 6 + cell][winner] += 1.0 - none;
}

static void set_contrast(size_t i, size_t j, double value)
{
    contrast[i + COLUMNS * j] = contrast[j + COLUMNS * i] = value;
}

static void start(void)
{
    for (size_t channel = 0; channel < 2; channel++) {
        for (size_t cell = 0; cell < 6; cell++) vote(channel, cell, SCONE_MARK_NONE, 1.0);
    }
    memset(contrast, 0, sizeof contrast);
}

static void check_items(const candidates *c, const size_t expected[][2], size_t count)
{
    assert_int_equal(c->count, count);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(c->items[k].first, expected[k][0]);
        assert_int_equal(c->items[k].second, expected[k][1]);
    }
}

static void test_union(void **state)
{
    (void)state;
    start();
    vote(0, 0, SCONE_MARK_FORWARD, 0.25);   /* 0 -> 1, strength 0.75 */
    vote(0, 2, SCONE_MARK_UNDIRECTED, 0.5); /* 1 - 2 in the first subset ... */
    vote(1, 3, SCONE_MARK_BACKWARD, 0.125); /* ... and 2 -> 1, stronger, in the second */
    vote(1, 5, SCONE_MARK_FORWARD, 0.25);   /* 2 -> 4, as strong as 0 -> 1 */
    vote(1, 0, SCONE_MARK_NONE, 0.5);       /* not elected: does not count */
    set_contrast(2, 4, 0.3);
    set_contrast(0, 3, 0.9);
    set_contrast(3, 4, 0.1);
    set_contrast(0, 1, 0.2);
    candidates *c;
    candidates_options options = {.contrast_pairs = 2};
    CHECK_OK(candidates_build(&c, &votes, contrast, COLUMNS, &options));
    const size_t expected[][2] = {{1, 2}, {2, 4}, {0, 1}, {0, 3}};
    check_items(c, expected, 4);
    CHECK_SAME(c->items[0].strength, 0.875);
    CHECK(c->items[0].elections == 2 && c->items[1].elections == 1);
    CHECK_SAME(c->items[1].contrast, 0.3); /* both elected and of large contrast: once */
    CHECK(c->items[3].elections == 0);
    CHECK_SAME(c->items[3].strength, 0.0);
    CHECK_SAME(c->items[3].contrast, 0.9);
    CHECK(c->cut == 0);
    candidates_free(c);

    /* The cap cuts from the end: contrast first, then the weakest votes. */
    for (size_t cap = 1; cap <= 4; cap++) {
        options.cap = cap;
        CHECK_OK(candidates_build(&c, &votes, contrast, COLUMNS, &options));
        check_items(c, expected, cap);
        CHECK(c->cut == 4 - cap);
        candidates_free(c);
    }
    options = (candidates_options){.contrast_pairs = 0};
    CHECK_OK(candidates_build(&c, &votes, contrast, COLUMNS, &options));
    check_items(c, expected, 3);
    candidates_free(c);
}

static void test_elections_break_ties(void **state)
{
    (void)state;
    start();
    vote(0, 0, SCONE_MARK_FORWARD, 0.25);
    vote(0, 4, SCONE_MARK_FORWARD, 0.25);
    vote(1, 4, SCONE_MARK_BACKWARD, 0.5); /* (1, 4) was elected twice */
    vote(0, 5, SCONE_MARK_FORWARD, 0.25);
    candidates *c;
    candidates_options options = {.contrast_pairs = 3};
    CHECK_OK(candidates_build(&c, &votes, contrast, COLUMNS, &options));
    const size_t expected[][2] = {{1, 4}, {0, 1}, {2, 4}}; /* contrast 0 adds nothing */
    check_items(c, expected, 3);
    candidates_free(c);
}

/* The top K of a random matrix with many ties, against a full sort. */
static void test_top_contrast(void **state)
{
    (void)state;
    enum { MANY = 40, PAIRS = MANY * (MANY - 1) / 2 };
    static double many[MANY * MANY];
    uint64_t random = 9;
    for (size_t i = 0; i < MANY; i++) {
        for (size_t j = 0; j < i; j++) {
            many[i + MANY * j] = many[j + MANY * i] = floor(20.0 * naive_uniform(&random)) / 20.0;
        }
    }
    ensemble_result nobody = {0};
    size_t zero[1] = {0};
    nobody.offsets = zero;
    for (size_t wanted = 1; wanted <= PAIRS + 1; wanted += 30) {
        candidates *c;
        candidates_options options = {.contrast_pairs = wanted};
        CHECK_OK(candidates_build(&c, &nobody, many, MANY, &options));
        size_t positive = 0;
        for (size_t i = 0; i < MANY; i++) {
            for (size_t j = i + 1; j < MANY; j++) {
                /* its place: how many pairs come before it */
                double value = many[i + MANY * j];
                size_t place = 0;
                positive += value > 0.0;
                for (size_t a = 0; a < MANY; a++) {
                    for (size_t b = a + 1; b < MANY; b++) {
                        double other = many[a + MANY * b];
                        place += other > value || (other == value && (a < i || (a == i && b < j)));
                    }
                }
                if (value > 0.0 && place < wanted) {
                    CHECK(c->items[place].first == i && c->items[place].second == j);
                }
            }
        }
        CHECK(c->count == (wanted < positive ? wanted : positive));
        candidates_free(c);
    }
}

static void test_contrast(void **state)
{
    (void)state;
    enum { ROWS = 200 };
    scone_pair pair;
    uint64_t random = 3;
    for (size_t regime = 0; regime < 2; regime++) {
        CHECK_OK(table_alloc(&pair.tables[regime], ROWS + regime, 4, NULL));
        for (size_t r = 0; r < ROWS + regime; r++) {
            double x = naive_normal(&random), y = naive_normal(&random);
            table_column(pair.tables[regime], 0)[r] = 1e6 * x;
            table_column(pair.tables[regime], 1)[r] = (regime ? -x : x) + y;
            table_column(pair.tables[regime], 2)[r] = 5.0; /* constant */
            table_column(pair.tables[regime], 3)[r] = x + y;
        }
    }
    double actual[16];
    CHECK_OK(candidates_contrast(actual, &pair, NULL));
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            double expected = 0.0;
            if (i != j && i != 2 && j != 2) {
                expected = fabs(correlation(table_column(pair.tables[1], i),
                                            table_column(pair.tables[1], j), ROWS + 1) -
                                correlation(table_column(pair.tables[0], i),
                                            table_column(pair.tables[0], j), ROWS));
            }
            CHECK_NEAR(actual[i + 4 * j], expected, 1e-12);
        }
    }
    CHECK(actual[0 + 4 * 1] > 1.0); /* the correlation changed sign */
    pair.tables[1]->rows = 0;
    CHECK_OK(candidates_contrast(actual, &pair, NULL));
    for (size_t j = 0; j < 4; j++) CHECK_SAME(actual[j + 4 * j], 0.0);
    scone_table_free(pair.tables[0]);
    scone_table_free(pair.tables[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_union),
        cmocka_unit_test(test_elections_break_ties),
        cmocka_unit_test(test_top_contrast),
        cmocka_unit_test(test_contrast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
