/* test_sensitivity.c - selection scores against their formulas, taken literally: ranks by counting,
 * distances by comparing every value with every sample, partial correlations by elimination. */
#include "testing.h"
#include "statistics.h"

#include "base/memory.h"
#include "data/table.h"
#include "sample/sensitivity.h"

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

/* A chain whose slopes, shifts and spreads differ between the regimes; every third column has few
 * values, so that many are equal. */
static scone_pair *random_pair(size_t columns, size_t rows0, size_t rows1, uint64_t seed)
{
    scone_pair *pair = make_pair(columns, rows0, rows1);
    for (int c = 0; c < 2; c++) {
        table *t = pair->tables[c];
        for (size_t j = 0; j < columns; j++) {
            double *x = table_column(t, j);
            double slope = naive_normal(&seed), shift = 0.3 * (double)(j % 4) * c;
            for (size_t r = 0; r < t->rows; r++) {
                x[r] = shift + (1.0 + 0.5 * c) * naive_normal(&seed);
                if (j > 0) x[r] += slope * table_column(t, j - 1)[r];
                if (j % 3 == 2) x[r] = floor(x[r]);
            }
        }
    }
    return pair;
}

static void both_alloc(moments **m, sensitivity **s, const scone_pair *pair,
                       const sensitivity_options *options, int threads)
{
    scone_context context = {.threads = threads};
    CHECK_OK(moments_alloc(m, pair, &context));
    CHECK_OK(sensitivity_alloc(s, pair, *m, options, &context));
}

/* ---- formulas ---- */

/* D2 by counting: rank of a value = those below it plus half of those equal. */
static double naive_information(const double *x, size_t n0, const double *y, size_t n1)
{
    double counts[16][2] = {{0.0}}, n = (double)(n0 + n1), sum = 0.0, bins = 0.0;
    for (size_t a = 0; a < n0 + n1; a++) {
        double value = a < n0 ? x[a] : y[a - n0], twice_rank = 0.0;
        for (size_t b = 0; b < n0 + n1; b++) {
            double other = b < n0 ? x[b] : y[b - n0];
            twice_rank += other < value ? 2.0 : other == value ? 1.0 : 0.0;
        }
        counts[(size_t)floor(8.0 * twice_rank / n)][a < n0 ? 0 : 1] += 1.0;
    }
    for (size_t b = 0; b < 16; b++) {
        double row = counts[b][0] + counts[b][1];
        bins += row > 0.0;
        for (int c = 0; c < 2; c++) {
            double joint = counts[b][c] / n, marginal = (double)(c ? n1 : n0) / n;
            if (joint > 0.0) sum += joint * log(joint / (row / n * marginal));
        }
    }
    return fmax(0.0, sum - (bins - 1.0) / (2.0 * n));
}

static double share_up_to(const double *x, size_t n, double value)
{
    double count = 0.0;
    for (size_t i = 0; i < n; i++) count += x[i] <= value;
    return count / (double)n;
}

static double naive_distance(const double *x, size_t n0, const double *y, size_t n1)
{
    double largest = 0.0;
    for (size_t a = 0; a < n0 + n1; a++) {
        double value = a < n0 ? x[a] : y[a - n0];
        largest = fmax(largest, fabs(share_up_to(x, n0, value) - share_up_to(y, n1, value)));
    }
    return largest;
}

static double naive_mean(const double *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

static double naive_variance(const double *x, size_t n)
{
    double mean = naive_mean(x, n), sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum / (double)n;
}

static void naive_rescale(double *values, size_t n)
{
    double low = values[0], high = values[0];
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    for (size_t i = 0; i < n; i++) values[i] = (values[i] - low) / (high - low);
}

static void check_nodes(const sensitivity *s, const scone_pair *pair, double w1, double w2)
{
    double *raw = mem_alloc(s->columns, sizeof *raw);
    size_t n0 = pair->tables[0]->rows, n1 = pair->tables[1]->rows;
    for (size_t i = 0; i < s->columns; i++) {
        const double *x = table_column(pair->tables[0], i), *y = table_column(pair->tables[1], i);
        double v0 = naive_variance(x, n0), v1 = naive_variance(y, n1);
        double shift = (naive_mean(y, n1) - naive_mean(x, n0)) / sqrt((v0 + v1) / 2.0);
        double information = naive_information(x, n0, y, n1);
        CHECK_NEAR(s->shift[i], shift, 1e-12);
        CHECK_NEAR(s->information[i], information, 1e-12);
        CHECK_NEAR(s->log_variance_ratio[i], log(v1 / v0), 1e-12);
        CHECK_NEAR(s->distance[i], naive_distance(x, n0, y, n1), 1e-15);
        raw[i] = w1 * fabs(shift) + w2 * information;
    }
    naive_rescale(raw, s->columns);
    for (size_t i = 0; i < s->columns; i++) CHECK_NEAR(s->score[i], raw[i], 1e-11);
    mem_free(raw);
}

static void test_nodes(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(11, 331, 512, 21);
    moments *m;
    sensitivity *s;
    both_alloc(&m, &s, pair, NULL, 1);
    check_nodes(s, pair, 1.0, 1.0);
    sensitivity_free(s);
    CHECK_OK(sensitivity_alloc(&s, pair, m, &(sensitivity_options){0.25, 3.0}, NULL));
    check_nodes(s, pair, 0.25, 3.0);
    sensitivity_free(s);
    CHECK_FAILS(sensitivity_alloc(&s, pair, m, &(sensitivity_options){-1.0, 1.0}, NULL),
                SCONE_ERR_INPUT, "between 0 and");
    CHECK_FAILS(sensitivity_alloc(&s, pair, m, &(sensitivity_options){1.0, (double)NAN}, NULL),
                SCONE_ERR_INPUT, "between 0 and");
    moments_free(m);
    scone_pair_free(pair);
}

static void test_contrast(void **state)
{
    (void)state;
    enum { P = 8 };
    scone_pair *pair = random_pair(P, 400, 250, 22);
    moments *m;
    sensitivity *s;
    double raw[P * (P - 1) / 2];
    both_alloc(&m, &s, pair, NULL, 1);
    for (size_t j = 0, e = 0; j < P; j++) {
        for (size_t i = 0; i < j; i++) {
            double r[2];
            for (int c = 0; c < 2; c++) {
                table *t = pair->tables[c];
                r[c] = correlation(table_column(t, i), table_column(t, j), t->rows);
            }
            raw[e++] = fabs(r[0] - r[1]);
        }
    }
    naive_rescale(raw, P * (P - 1) / 2);
    for (size_t j = 0, e = 0; j < P; j++) {
        CHECK_SAME(s->contrast[j + P * j], 0.0);
        for (size_t i = 0; i < j; i++, e++) {
            CHECK_NEAR(s->contrast[i + P * j], raw[e], 1e-12);
            CHECK_SAME(s->contrast[j + P * i], s->contrast[i + P * j]);
        }
    }
    sensitivity_free(s);
    moments_free(m);
    scone_pair_free(pair);
}

/* Gauss-Jordan; a becomes its inverse. */
static void naive_inverse(long double *a, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        long double pivot = 1.0L / a[k + n * k];
        a[k + n * k] = 1.0L;
        for (size_t j = 0; j < n; j++) a[k + n * j] *= pivot;
        for (size_t i = 0; i < n; i++) {
            if (i == k) continue;
            long double factor = a[i + n * k];
            a[i + n * k] = 0.0L;
            for (size_t j = 0; j < n; j++) a[i + n * j] -= factor * a[k + n * j];
        }
    }
}

static void check_association(size_t columns, size_t rows0, size_t rows1)
{
    scone_pair *pair = random_pair(columns, rows0, rows1, 23);
    moments *m;
    sensitivity *s;
    long double *inverse = mem_alloc(columns * columns, sizeof *inverse);
    both_alloc(&m, &s, pair, NULL, 1);
    for (size_t i = 0; i < columns * columns; i++) inverse[i] = (long double)m->shrunk[i];
    naive_inverse(inverse, columns);
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < columns; i++) {
            long double units = sqrtl(inverse[i + columns * i] * inverse[j + columns * j]);
            double expected = i == j ? 0.0 : (double)fabsl(inverse[i + columns * j] / units);
            CHECK_NEAR(s->association[i + columns * j], expected, 1e-10);
        }
    }
    mem_free(inverse);
    sensitivity_free(s);
    moments_free(m);
    scone_pair_free(pair);
}

static void test_association(void **state)
{
    (void)state;
    check_association(9, 300, 200);
    check_association(40, 12, 9); /* more columns than rows */
}

/* ---- known answers ---- */

static void test_information_known(void **state)
{
    (void)state;
    double x[400], y[200];
    /* 0 or 1: 100 of 400 ones, 150 of 200; two occupied bins */
    for (size_t i = 0; i < 400; i++) x[i] = i >= 300;
    for (size_t i = 0; i < 200; i++) y[i] = i >= 50;
    double expected = 300.0 / 600 * log(300.0 * 600 / (350.0 * 400)) +
                      100.0 / 600 * log(100.0 * 600 / (250.0 * 400)) +
                      50.0 / 600 * log(50.0 * 600 / (350.0 * 200)) +
                      150.0 / 600 * log(150.0 * 600 / (250.0 * 200)) - 1.0 / 1200;
    CHECK_NEAR(sensitivity_information(x, 400, y, 200), expected, 1e-14);
    CHECK_NEAR(sensitivity_distance(x, 400, y, 200), 0.5, 1e-15);
    CHECK_NEAR(sensitivity_distance(y, 200, x, 400), 0.5, 1e-15);
    /* apart: the column tells the regime, all 16 bins occupied */
    for (size_t i = 0; i < 200; i++) {
        x[i] = (double)i;
        y[i] = 1000.0 + (double)i;
    }
    CHECK_NEAR(sensitivity_information(x, 200, y, 200), log(2.0) - 15.0 / 800, 1e-14);
    CHECK_NEAR(sensitivity_distance(x, 200, y, 200), 1.0, 0.0);
    /* the same sample twice, one value, signed zeros */
    CHECK_SAME(sensitivity_information(x, 200, x, 200), 0.0);
    CHECK_SAME(sensitivity_distance(x, 200, x, 200), 0.0);
    CHECK_SAME(sensitivity_information(x, 1, x, 1), 0.0);
    CHECK_SAME(sensitivity_distance((double[]){-0.0, 0.0}, 2, (double[]){0.0}, 1), 0.0);
    CHECK_SAME(sensitivity_information(x, 0, x, 1), 0.0);
}

static int compare_doubles(const void *left, const void *right)
{
    return statistics_compare(left, right);
}

/* Without a difference 2 n MI is chi-square with 15 degrees, so the corrected estimate is 0 with
 * probability P(chi2 < 15) = 0.5485, and max(0, chi2 - 15) has mean 2.1610 and deviation 3.63. */
static void test_information_bias(void **state)
{
    (void)state;
    enum { ROUNDS = 1500, N0 = 700, N1 = 500 };
    static double x[N0], y[N1];
    uint64_t seed = 31;
    double zeros = 0.0, sum = 0.0;
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < N0; i++) x[i] = naive_normal(&seed);
        for (size_t i = 0; i < N1; i++) y[i] = naive_normal(&seed);
        qsort(x, N0, sizeof *x, compare_doubles);
        qsort(y, N1, sizeof *y, compare_doubles);
        double information = sensitivity_information(x, N0, y, N1);
        zeros += information == 0.0;
        sum += 2.0 * (N0 + N1) * information;
    }
    CHECK_NEAR(zeros / ROUNDS, 0.5485, 4.0 * 0.4976 / sqrt(ROUNDS));
    CHECK_NEAR(sum / ROUNDS, 2.1610, 4.0 * 3.63 / sqrt(ROUNDS));
}

/* ---- awkward data ---- */

static void check_ranges(const sensitivity *s)
{
    size_t p = s->columns;
    for (size_t i = 0; i < p; i++) {
        CHECK(s->score[i] >= 0.0 && s->score[i] <= 1.0);
        CHECK(fabs(s->shift[i]) <= SENSITIVITY_SHIFT_LIMIT);
        CHECK(fabs(s->log_variance_ratio[i]) <= SENSITIVITY_RATIO_LIMIT);
        CHECK(s->information[i] >= 0.0 && s->information[i] <= log(2.0) + 1e-12);
        CHECK(s->distance[i] >= 0.0 && s->distance[i] <= 1.0);
        for (size_t j = 0; j < p; j++) {
            CHECK(s->contrast[i + p * j] >= 0.0 && s->contrast[i + p * j] <= 1.0);
            CHECK(s->association[i + p * j] >= 0.0 && s->association[i + p * j] <= 1.0);
            CHECK_SAME(s->association[i + p * j], s->association[j + p * i]);
        }
    }
}

static void test_awkward_columns(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 64; rows *= 2) {
        scone_pair *pair = random_pair(10, rows, rows + rows / 2, 50 + rows);
        moments *m;
        sensitivity *s;
        uint64_t seed = rows;
        for (int c = 0; c < 2; c++) {
            table *t = pair->tables[c];
            for (size_t r = 0; r < t->rows; r++) {
                table_column(t, 0)[r] = 0.1;                             /* constant */
                table_column(t, 1)[r] = c ? 7.0 : table_column(t, 1)[r]; /* in one regime */
                table_column(t, 2)[r] = (double)c;                       /* in both, apart */
                table_column(t, 4)[r] = table_column(t, 3)[r];           /* duplicate */
                table_column(t, 5)[r] = r % 2 ? DBL_MAX : -DBL_MAX;
                table_column(t, 6)[r] = 5e-324 * (double)(r % 3);
                table_column(t, 7)[r] = tan(3.14 * naive_uniform(&seed)); /* Cauchy */
                table_column(t, 8)[r] = (double)(r % 2);
                table_column(t, 9)[r] = table_column(t, 3)[r] + table_column(t, 8)[r];
            }
        }
        both_alloc(&m, &s, pair, NULL, 2);
        check_ranges(s);
        CHECK_SAME(s->shift[2], SENSITIVITY_SHIFT_LIMIT);
        CHECK_SAME(s->score[2], 1.0);
        CHECK_SAME(s->score[0], 0.0);
        CHECK_SAME(s->distance[2], 1.0);
        CHECK_SAME(s->log_variance_ratio[0], 0.0);
        if (rows > 1) CHECK_SAME(s->log_variance_ratio[1], -SENSITIVITY_RATIO_LIMIT);
        for (size_t i = 1; i < 10; i++) CHECK_SAME(s->association[i], 0.0);
        sensitivity_free(s);
        moments_free(m);
        scone_pair_free(pair);
    }
}

/* The same rows in another order: what differs is rounding and must not be rescaled to [0, 1]. */
static void test_same_table_twice(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(6, 200, 200, 61);
    moments *m;
    sensitivity *s;
    for (size_t j = 0; j < 6; j++) {
        for (size_t r = 0; r < 200; r++) {
            table_column(pair->tables[1], j)[r] = table_column(pair->tables[0], j)[r * 7 % 200];
        }
    }
    both_alloc(&m, &s, pair, NULL, 1);
    for (size_t i = 0; i < 6; i++) {
        CHECK_SAME(s->score[i], 0.0);
        CHECK_SAME(s->information[i], 0.0);
        CHECK_SAME(s->distance[i], 0.0);
        for (size_t j = 0; j < 6; j++) CHECK_SAME(s->contrast[i + 6 * j], 0.0);
    }
    CHECK(s->association[1] > 0.05);
    sensitivity_free(s);
    moments_free(m);
    scone_pair_free(pair);
}

static void test_units(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(7, 300, 280, 62), *other = random_pair(7, 300, 280, 62);
    moments *m, *m_other;
    sensitivity *s, *s_other;
    for (int c = 0; c < 2; c++) {
        table *t = other->tables[c];
        for (size_t r = 0; r < t->rows; r++) {
            table_column(t, 0)[r] *= 1e6;
            table_column(t, 3)[r] += 1e8;
            table_column(t, 5)[r] *= -1e-6;
        }
    }
    both_alloc(&m, &s, pair, NULL, 1);
    both_alloc(&m_other, &s_other, other, NULL, 1);
    for (size_t i = 0; i < 7; i++) {
        CHECK_NEAR(s_other->score[i], s->score[i], 1e-7);
        CHECK_NEAR(s_other->information[i], s->information[i], 1e-12);
        for (size_t j = 0; j < 7; j++) {
            CHECK_NEAR(s_other->contrast[i + 7 * j], s->contrast[i + 7 * j], 1e-7);
            CHECK_NEAR(s_other->association[i + 7 * j], s->association[i + 7 * j], 1e-7);
        }
    }
    sensitivity_free(s);
    sensitivity_free(s_other);
    moments_free(m);
    moments_free(m_other);
    scone_pair_free(pair);
    scone_pair_free(other);
}

static void test_few_nodes(void **state)
{
    (void)state;
    for (size_t columns = 1; columns <= 2; columns++) {
        scone_pair *pair = random_pair(columns, 20, 30, 63);
        moments *m;
        sensitivity *s;
        both_alloc(&m, &s, pair, NULL, 1);
        check_ranges(s);
        for (size_t i = 0; i < columns * columns; i++) CHECK_SAME(s->contrast[i], 0.0);
        sensitivity_free(s);
        moments_free(m);
        scone_pair_free(pair);
    }
}

/* 1,000 columns, more than rows; the bytes do not depend on the threads. */
static void test_many_nodes(void **state)
{
    (void)state;
    scone_pair *pair = random_pair(1000, 70, 50, 64);
    moments *m, *m_other;
    sensitivity *s, *s_other;
    both_alloc(&m, &s, pair, NULL, 1);
    both_alloc(&m_other, &s_other, pair, NULL, 3);
    size_t count = (2 * s->columns + 5) * s->columns;
    CHECK(memcmp(s->storage, s_other->storage, count * sizeof(double)) == 0);
    for (size_t i = 0; i < count; i++) CHECK(isfinite(s->storage[i]));
    CHECK(m->intensity > 0.0 && m->intensity < 1.0);
    sensitivity_free(s);
    sensitivity_free(s_other);
    moments_free(m);
    moments_free(m_other);
    scone_pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_contrast),
        cmocka_unit_test(test_association),
        cmocka_unit_test(test_information_known),
        cmocka_unit_test(test_information_bias),
        cmocka_unit_test(test_awkward_columns),
        cmocka_unit_test(test_same_table_twice),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_few_nodes),
        cmocka_unit_test(test_many_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
