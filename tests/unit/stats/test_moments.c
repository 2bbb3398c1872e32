/* test_moments.c - moments against sums in long double and against the definition of the shrinkage
 * with one matrix per row; awkward columns; bytes that do not depend on threads. */
#include "testing.h"
#include "sample.h"

#include "base/memory.h"
#include "data/table.h"
#include "stats/moments.h"
#include "sample/pairs.h"

#include <float.h>
#include <stdlib.h>

static scone_pair *make_pair(size_t columns, size_t rows0, size_t rows1)
{
    scone_table *tables[2];
    scone_pair *pair = NULL;
    CHECK_OK(table_alloc(&tables[0], rows0, columns, NULL));
    CHECK_OK(table_alloc(&tables[1], rows1, columns, NULL));
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

/* Columns that depend on each other, differently in the two regimes. */
static scone_pair *random_pair(size_t columns, size_t rows0, size_t rows1, uint64_t seed)
{
    sample_stream stream = {seed};
    scone_pair *pair = make_pair(columns, rows0, rows1);
    for (int c = 0; c < 2; c++) {
        table *t = pair->tables[c];
        for (size_t j = 0; j < columns; j++) {
            double *x = table_column(t, j);
            double slope = 2.0 * sample_uniform(&stream) - 1.0, shift = sample_normal(&stream);
            for (size_t r = 0; r < t->rows; r++) {
                x[r] = shift + (1.0 + c) * sample_normal(&stream);
                if (j > 0) x[r] += slope * table_column(t, j - 1)[r];
            }
        }
    }
    return pair;
}

static long double naive_mean(const double *x, size_t n)
{
    long double sum = 0.0L;
    for (size_t r = 0; r < n; r++) sum += (long double)x[r];
    return sum / (long double)n;
}

static long double naive_covariance(const double *x, const double *y, size_t n)
{
    long double mean_x = naive_mean(x, n), mean_y = naive_mean(y, n), sum = 0.0L;
    for (size_t r = 0; r < n; r++)
        sum += ((long double)x[r] - mean_x) * ((long double)y[r] - mean_y);
    return sum / (long double)n;
}

/* Every field but the shrinkage, with relative tolerance on quantities in the columns' units. */
static void check_against_sums(const moments *m, const scone_pair *pair, double tolerance)
{
    size_t p = m->columns;
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++) {
            long double covariance[2], variance_i[2], variance_j[2];
            for (int c = 0; c < 2; c++) {
                const double *x = table_column(pair->tables[c], i);
                const double *y = table_column(pair->tables[c], j);
                size_t n = pair->tables[c]->rows;
                covariance[c] = naive_covariance(x, y, n);
                variance_i[c] = naive_covariance(x, x, n);
                variance_j[c] = naive_covariance(y, y, n);
                double sd = (double)sqrtl(variance_i[c]);
                CHECK_NEAR(m->means[c][i], (double)naive_mean(x, n), tolerance * sd);
                CHECK_NEAR(m->deviations[c][i], sd, tolerance * sd);
                CHECK_NEAR(moments_variance(m, c, i), sd * sd, 3.0 * tolerance * sd * sd);
                double product = (double)sqrtl(variance_i[c] * variance_j[c]);
                CHECK_NEAR(m->correlations[c][i + p * j], (double)covariance[c] / product,
                           tolerance);
                CHECK_NEAR(moments_covariance(m, c, i, j), (double)covariance[c],
                           4.0 * tolerance * product);
            }
            long double scale_i = sqrtl(0.5L * (variance_i[0] + variance_i[1]));
            long double scale_j = sqrtl(0.5L * (variance_j[0] + variance_j[1]));
            CHECK_NEAR(m->scales[i], (double)scale_i, tolerance * (double)scale_i);
            CHECK_NEAR(m->average[i + p * j],
                       (double)(0.5L * (covariance[0] + covariance[1]) / (scale_i * scale_j)),
                       4.0 * tolerance);
        }
    }
}

static void test_sums(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(7, 501, 1203, 11);
    moments *m = NULL;
    CHECK_OK(moments_alloc(&m, pair, NULL));
    CHECK(m->rows[0] == 501 && m->rows[1] == 1203 && m->columns == 7);
    check_against_sums(m, pair, 1e-13);
    moments_free(m);
    scone_pair_free(pair);
}

/* x + 1e8, x 1e6, x 1e-200, x 1e200: relative to the spread, what the data still hold. */
static void test_units(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(6, 400, 300, 12);
    moments *m = NULL;
    for (int c = 0; c < 2; c++) {
        table *t = pair->tables[c];
        for (size_t r = 0; r < t->rows; r++) {
            table_column(t, 1)[r] += 1e8;
            table_column(t, 2)[r] *= 1e6;
            table_column(t, 3)[r] = 1e8 + 1e-3 * table_column(t, 3)[r];
            table_column(t, 4)[r] *= 1e-140;
            table_column(t, 5)[r] *= 1e140;
        }
    }
    CHECK_OK(moments_alloc(&m, pair, NULL));
    check_against_sums(m, pair, 1e-9);
    moments_free(m);
    scone_pair_free(pair);
}

/* b^2, d^2 and m of moments.h as they are written there, one matrix per row. */
static double naive_intensity(double *target, const scone_pair *pair, const moments *m)
{
    size_t p = m->columns;
    long double error = 0.0L, distance = 0.0L, trace = 0.0L;
    for (size_t i = 0; i < p; i++) trace += (long double)m->average[i + p * i];
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++) {
            long double away = (long double)m->average[i + p * j];
            if (i == j) away -= trace / (long double)p;
            distance += away * away;
            for (int c = 0; c < 2; c++) {
                const double *x = table_column(pair->tables[c], i);
                const double *y = table_column(pair->tables[c], j);
                size_t n = pair->tables[c]->rows;
                long double units = (long double)m->scales[i] * (long double)m->scales[j];
                long double mean_x = naive_mean(x, n), mean_y = naive_mean(y, n), sum = 0.0L;
                if (units == 0.0L) continue;
                long double s = naive_covariance(x, y, n) / units;
                for (size_t r = 0; r < n; r++) {
                    long double product =
                        ((long double)x[r] - mean_x) * ((long double)y[r] - mean_y);
                    long double d = product / units - s;
                    sum += d * d;
                }
                error += 0.25L * sum / ((long double)n * (long double)n);
            }
        }
    }
    *target = (double)(trace / (long double)p);
    return (double)fminl(1.0L, error / distance);
}

static void check_shrinkage(const scone_pair *pair, bool partly)
{
    moments *m = NULL;
    double target;
    CHECK_OK(moments_alloc(&m, pair, NULL));
    double intensity = naive_intensity(&target, pair, m);
    CHECK_NEAR(m->intensity, intensity, 1e-11);
    if (partly) CHECK(intensity > 1e-3 && intensity < 0.999);
    for (size_t j = 0; j < m->columns; j++) {
        for (size_t i = 0; i < m->columns; i++) {
            size_t at = i + m->columns * j;
            double expected =
                (1.0 - intensity) * m->average[at] + (i == j ? intensity * target : 0.0);
            CHECK_NEAR(m->shrunk[at], expected, 1e-11);
        }
    }
    moments_free(m);
}

static void test_shrinkage(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(9, 60, 35, 13);
    check_shrinkage(pair, true);
    for (size_t r = 0; r < 60; r++) table_column(pair->tables[0], 4)[r] = 3.0;
    for (size_t r = 0; r < 35; r++) table_column(pair->tables[1], 4)[r] = -1.0;
    check_shrinkage(pair, true); /* a constant column has no part in it */
    scone_pair_free(pair);
    pair = random_pair(30, 8, 5, 14);
    check_shrinkage(pair, true);
    scone_pair_free(pair);
    pair = random_pair(3, 1100, 513, 15); /* more rows than one item */
    check_shrinkage(pair, true);
    scone_pair_free(pair);
}

static void check_finite(const moments *m)
{
    size_t p = m->columns;
    for (size_t i = 0; i < p * p; i++) {
        for (int c = 0; c < 2; c++) CHECK(fabs(m->correlations[c][i]) <= 1.0);
        CHECK(fabs(m->average[i]) <= 1.0 && fabs(m->shrunk[i]) <= 1.0 + 1e-15);
    }
    for (size_t i = 0; i < p; i++) {
        CHECK(isfinite(m->scales[i]) && m->scales[i] >= 0.0);
        for (int c = 0; c < 2; c++) {
            CHECK(isfinite(m->means[c][i]) && isfinite(m->deviations[c][i]));
        }
    }
    CHECK(m->intensity >= 0.0 && m->intensity <= 1.0);
}

static void test_awkward_columns(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 40; rows = rows < 3 ? rows + 1 : rows * 2) {
        scone_pair *pair = random_pair(8, rows, 2 * rows, 16 + rows);
        moments *m = NULL;
        sample_stream stream = {99};
        for (int c = 0; c < 2; c++) {
            table *t = pair->tables[c];
            for (size_t r = 0; r < t->rows; r++) {
                table_column(t, 0)[r] = 0.1 * (c + 1);                       /* constant */
                table_column(t, 1)[r] = c ? 7.0 : table_column(t, 1)[r];     /* in one regime */
                table_column(t, 3)[r] = table_column(t, 2)[r];               /* duplicate */
                table_column(t, 4)[r] = r % 2 ? DBL_MAX : -DBL_MAX;          /* largest */
                table_column(t, 5)[r] = 5e-324 * (double)(r % 3);            /* smallest */
                table_column(t, 6)[r] = tan(3.14 * sample_uniform(&stream)); /* Cauchy */
                table_column(t, 7)[r] = (double)(r % 2);                     /* discrete */
            }
        }
        CHECK_OK(moments_alloc(&m, pair, NULL));
        check_finite(m);
        CHECK(m->deviations[0][0] == 0.0 && m->scales[0] == 0.0 && m->average[0] == 0.0);
        CHECK(m->deviations[1][1] == 0.0);
        if (rows > 1) CHECK_NEAR(m->correlations[1][2 + 8 * 3], 1.0, 1e-14);
        moments_free(m);
        scone_pair_free(pair);
    }
}

static void test_refused(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(3, 10, 20, 17);
    moments *m = NULL;
    table_column(pair->tables[1], 2)[4] = (double)NAN;
    CHECK_FAILS(moments_alloc(&m, pair, NULL), SCONE_ERR_INPUT, "interventional table, row 6");
    CHECK(m == NULL);
    CHECK(strstr(scone_error_message(), "'X2'"));
    table_column(pair->tables[0], 1)[0] = (double)INFINITY;
    CHECK_FAILS(moments_alloc(&m, pair, NULL), SCONE_ERR_INPUT, "observational table, row 2");
    scone_pair_free(pair);
    pair = make_pair(3, 0, 5);
    CHECK_FAILS(moments_alloc(&m, pair, NULL), SCONE_ERR_INPUT, "has no rows");
    scone_pair_free(pair);
}

static void test_threads(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(130, 1500, 900, 18);
    moments *one = NULL, *four = NULL;
    scone_context context = {.threads = 4};
    CHECK_OK(moments_alloc(&one, pair, NULL));
    CHECK_OK(moments_alloc(&four, pair, &context));
    size_t count = (4 * one->columns + 5) * one->columns;
    CHECK(memcmp(one->storage, four->storage, count * sizeof(double)) == 0);
    CHECK_SAME(one->intensity, four->intensity);
    moments_free(one);
    moments_free(four);
    scone_pair_free(pair);
}

/* ---- the largest pairs ---- */

typedef struct ranked {
    double score;
    node_pair pair;
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    if (a->pair.first != b->pair.first) return a->pair.first < b->pair.first ? -1 : 1;
    return a->pair.second < b->pair.second ? -1 : 1;
}

static void test_top_pairs(void **state)
{
    (void)state;
    enum { MOST = 23 };
    static double scores[MOST * MOST];
    static ranked all[MOST * MOST];
    static node_pair top[MOST * MOST];
    sample_stream stream = {5};
    for (size_t round = 0; round < 300; round++) {
        size_t n = round % (MOST + 1), count = 0;
        for (size_t j = 0; j < n; j++) {
            scores[j + n * j] = 9.0;         /* the diagonal is no pair */
            for (size_t i = 0; i < j; i++) { /* few values, so that many are equal or 0 */
                double score = floor(6.0 * sample_uniform(&stream)) / 5.0;
                scores[i + n * j] = scores[j + n * i] = score;
                if (score > 0.0) all[count++] = (ranked){score, {i, j}};
            }
        }
        qsort(all, count, sizeof *all, compare_ranked);
        size_t limit = (size_t)(1.3 * sample_uniform(&stream) * (double)pairs_count(n));
        size_t found = pairs_top(top, limit, scores, n);
        CHECK(found == (limit < count ? limit : count));
        for (size_t e = 0; e < found; e++) {
            CHECK(top[e].first == all[e].pair.first && top[e].second == all[e].pair.second);
        }
    }
    CHECK(pairs_count(0) == 0 && pairs_count(1) == 0 && pairs_count(2) == 1);
    CHECK(pairs_count(1000) == 499500 && pairs_count(7) == 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),      cmocka_unit_test(test_units),
        cmocka_unit_test(test_shrinkage), cmocka_unit_test(test_awkward_columns),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_top_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
