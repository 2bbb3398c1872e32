/* test_search_learner.c - the search as a local learner: it finds the edges of one regime, sees
 * nothing of the other, counts rows by their weights, and says nothing where there is little. */
#include "testing.h"

#include "base/rng.h"
#include "data/table.h"
#include "learn/learner.h"

enum { COLUMNS = 5, ROWS = 800, SIZE = 3 };
static const size_t columns[SIZE] = {0, 2, 4};

/* 0 -> 2 -> 4 by bent functions in regime 0, 4 -> 2 alone in regime 1; 1 and 3 are noise. */
static scone_pair *make_pair(uint64_t seed, size_t rows)
{
    scone_table *tables[2];
    scone_pair *pair;
    rng r = rng_stream(seed, RNG_TEST, 0, 0, 0);
    for (int c = 0; c < 2; c++) {
        CHECK_OK(table_alloc(&tables[c], rows, COLUMNS, NULL));
        for (size_t i = 0; i < rows * COLUMNS; i++) tables[c]->values[i] = rng_normal(&r);
        const double *cause = table_column(tables[c], c ? 4 : 0);
        double *middle = table_column(tables[c], 2), *end = table_column(tables[0], 4);
        for (size_t i = 0; i < rows; i++) middle[i] = cause[i] * cause[i] + 0.3 * middle[i];
        for (size_t i = 0; i < rows && c == 0; i++) end[i] = sin(2.0 * middle[i]) + 0.3 * end[i];
    }
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

static void learn(double scores[SIZE * SIZE], const scone_pair *pair, unsigned regimes,
                  const uint32_t *first, const uint32_t *second)
{
    void *prepared;
    const learner_task task = {columns, SIZE, regimes, {first, second}};
    CHECK_OK(learner_search.prepare(&prepared, pair, NULL));
    CHECK_OK(learner_search.run(scores, prepared, &task));
    learner_search.release(prepared);
    for (int k = 0; k < SIZE; k++) CHECK_SAME(scores[k * SIZE + k], 0.0);
}

static void test_regimes(void **state)
{
    (void)state;
    double scores[SIZE * SIZE], again[SIZE * SIZE];
    scone_pair *pair = make_pair(1, ROWS);
    learn(scores, pair, 1, NULL, NULL);
    CHECK(scores[0 * SIZE + 1] > 0.6 && scores[1 * SIZE + 2] > 0.9); /* places, not columns */
    CHECK(scores[1 * SIZE + 0] < 0.4 && scores[0 * SIZE + 2] + scores[2 * SIZE + 0] < 0.3);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) pair->tables[1]->values[i] = 0.0;
    learn(again, pair, 1, NULL, NULL);
    CHECK(memcmp(again, scores, sizeof scores) == 0);
    scone_pair_free(pair);
    pair = make_pair(1, ROWS);
    learn(again, pair, 2, NULL, NULL);
    CHECK(again[2 * SIZE + 1] + again[1 * SIZE + 2] > 0.9 &&
          again[0 * SIZE + 1] + again[1 * SIZE + 0] < 0.3);
    learn(scores, pair, 3, NULL, NULL); /* both tables, as a search of them */
    CHECK(memcmp(again, scores, sizeof scores) != 0);
    scone_pair_free(pair);
}

/* Rows that count twice are rows that stand there twice, and those that count 0 do not stand. */
static void test_weights(void **state)
{
    (void)state;
    double scores[SIZE * SIZE], again[SIZE * SIZE];
    scone_pair *pair = make_pair(2, ROWS);
    scone_table *tables[2];
    scone_pair *written;
    uint32_t weights[ROWS];
    size_t rows = 0, at = 0;
    for (size_t i = 0; i < ROWS; i++) rows += weights[i] = (uint32_t)(i % 3);
    for (int c = 0; c < 2; c++) CHECK_OK(table_alloc(&tables[c], rows, COLUMNS, NULL));
    memset(tables[1]->values, 0, rows * COLUMNS * sizeof(double));
    for (size_t i = 0; i < ROWS; i++) {
        for (uint32_t k = 0; k < weights[i]; k++, at++) {
            for (size_t j = 0; j < COLUMNS; j++) {
                table_column(tables[0], j)[at] = table_column(pair->tables[0], j)[i];
            }
        }
    }
    CHECK_OK(scone_pair_join(&written, tables[0], tables[1]));
    learn(scores, pair, 1, weights, NULL);
    learn(again, written, 1, NULL, NULL);
    CHECK(memcmp(again, scores, sizeof scores) == 0);
    learn(again, pair, 1, NULL, NULL);
    CHECK(memcmp(again, scores, sizeof scores) != 0);
    scone_pair_free(pair);
    scone_pair_free(written);
}

static void test_little(void **state)
{
    (void)state;
    double scores[SIZE * SIZE], sum = 0.0;
    scone_pair *pair = make_pair(3, 39); /* 19 rows with an odd number */
    learn(scores, pair, 1, NULL, NULL);
    for (int k = 0; k < SIZE * SIZE; k++) CHECK_SAME(scores[k], 0.0);
    scone_pair_free(pair);
    pair = make_pair(3, ROWS); /* a column that does not vary */
    for (size_t i = 0; i < ROWS; i++) table_column(pair->tables[0], 2)[i] = 7.0;
    learn(scores, pair, 1, NULL, NULL);
    for (int k = 0; k < SIZE; k++) sum += scores[1 * SIZE + k] + scores[k * SIZE + 1];
    CHECK(sum < 0.2);
    scone_pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regimes),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
