/* test_linalg.c - products, Gram matrices, covariances, shrinkage and rank against sums in long
 * double. Cholesky and symmetric systems are in test_linalg_symmetric.c. */
#include "testing.h"
#include "sample.h"

#include "parallel/parallel.h"
#include "linalg/gram.h"
#include "linalg/matrix.h"
#include "linalg/rank.h"
#include "linalg/shrinkage.h"

#include <float.h>

static double *numbers(size_t count)
{
    double *block = mem_alloc(count, sizeof *block);
    assert_non_null(block);
    for (size_t i = 0; i < count; i++) block[i] = MISSING; /* what is not written shows */
    return block;
}

static double *normals(sample_stream *s, size_t count)
{
    double *block = numbers(count);
    sample_normals(s, block, count);
    return block;
}

/* ---- products ---- */

static double at(const double *a, size_t i, size_t j, size_t rows, size_t columns, bool transpose)
{
    return transpose ? a[j + columns * i] : a[i + rows * j];
}

static void test_products(void **state)
{
    (void)state;
    sample_stream s = {11};
    size_t m = 13, n = 7, k = 29;
    double *a = normals(&s, m * k), *b = normals(&s, k * n), *c = numbers(m * n), y[40];
    for (int mode = 0; mode < 4; mode++) {
        bool ta = mode & 1, tb = mode & 2;
        CHECK_OK(matrix_multiply(c, a, b, m, n, k, ta, tb));
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < n; j++) {
                long double sum = 0.0L;
                for (size_t l = 0; l < k; l++) {
                    sum += (long double)at(a, i, l, m, k, ta) * (long double)at(b, l, j, k, n, tb);
                }
                CHECK_NEAR(c[i + m * j], (double)sum, 1e-13);
            }
        }
    }
    CHECK_OK(matrix_vector(y, a, b, m, k, false));
    for (size_t i = 0; i < m; i++) {
        long double sum = 0.0L;
        for (size_t l = 0; l < k; l++) sum += (long double)a[i + m * l] * (long double)b[l];
        CHECK_NEAR(y[i], (double)sum, 1e-13);
    }
    CHECK_OK(matrix_vector(y, a, b, m, k, true));
    for (size_t l = 0; l < k; l++) {
        long double sum = 0.0L;
        for (size_t i = 0; i < m; i++) sum += (long double)a[i + m * l] * (long double)b[i];
        CHECK_NEAR(y[l], (double)sum, 1e-13);
    }
    /* Empty sums are 0, and nothing is read or written for empty results. */
    CHECK_OK(matrix_multiply(c, NULL, NULL, 2, 1, 0, false, false));
    CHECK(c[0] == 0.0 && c[1] == 0.0);
    CHECK_OK(matrix_vector(y, NULL, NULL, 2, 0, false));
    CHECK(y[0] == 0.0 && y[1] == 0.0);
    CHECK_OK(matrix_multiply(NULL, NULL, NULL, 0, 4, 3, false, false));
    CHECK_FAILS(matrix_vector(y, a, b, (size_t)1 << 31, 1, true), SCONE_ERR_INPUT, "too large");
    mem_free(a);
    mem_free(b);
    mem_free(c);
}

static void test_rank_update(void **state)
{
    (void)state;
    sample_stream s = {12};
    size_t n = 37, k = 5;
    double *a = normals(&s, n * k), *c = numbers(n * n);
    for (int transpose = 0; transpose < 2; transpose++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) c[i + n * j] = i >= j ? (double)(i + j) : MISSING;
        }
        CHECK_OK(matrix_rank_update(c, a, n, k, transpose, 2.0, 0.5));
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                long double sum = 0.0L;
                for (size_t l = 0; l < k; l++) {
                    sum += (long double)at(a, i, l, n, k, transpose) *
                           (long double)at(a, j, l, n, k, transpose);
                }
                CHECK_NEAR(c[i + n * j], (double)(2.0L * sum + 0.5L * (i + j)), 1e-13);
            }
        }
    }
    double bad[3] = {1.0, INFINITE, 2.0};
    CHECK(matrix_is_finite(a, n * k) && !matrix_is_finite(bad, 3));
    bad[1] = MISSING;
    CHECK(!matrix_is_finite(bad, 3) && matrix_is_finite(bad, 1));
    mem_free(a);
    mem_free(c);
}

/* ---- Gram matrices ---- */

/* 300 rows cross a block, 120 columns cross a tile; the view reverses and skips columns. */
static void test_gram(void **state)
{
    (void)state;
    sample_stream s = {13};
    size_t rows = 300, stored = 130, k = 120, ky = 3;
    double *values = normals(&s, rows * stored), *weights = normals(&s, rows);
    double *gram = numbers(k * k), *cross = numbers(k * ky);
    size_t order[120];
    for (size_t j = 0; j < k; j++) order[j] = stored - 1 - j;
    matrix_view x = {values, rows, k, order}, y = {values, rows, ky, NULL};
    gram_work *work;
    CHECK_OK(gram_work_alloc(&work, NULL));
    for (int weighted = 0; weighted < 2; weighted++) {
        CHECK_OK(gram_matrix(gram, &x, weighted ? weights : NULL, work));
        CHECK_OK(gram_cross(cross, &x, &y, weighted ? weights : NULL, work));
        for (size_t i = 0; i < k; i++) {
            const double *xi = values + rows * order[i];
            for (size_t j = 0; j < k + ky; j++) {
                const double *xj = values + rows * (j < k ? order[j] : j - k);
                long double sum = 0.0L;
                for (size_t r = 0; r < rows; r++) {
                    sum += (weighted ? (long double)weights[r] : 1.0L) * (long double)xi[r] *
                           (long double)xj[r];
                }
                double got = j < k ? gram[i + k * j] : cross[i + k * (j - k)];
                CHECK_NEAR(got, (double)sum, 1e-11);
                if (j < k) CHECK_SAME(got, gram[j + k * i]);
            }
        }
    }
    matrix_view empty = {values, 0, 2, NULL};
    CHECK_OK(gram_matrix(gram, &empty, NULL, work));
    CHECK(gram[0] == 0.0 && gram[1] == 0.0 && gram[3] == 0.0);
    gram_work_free(work);
    gram_work_free(NULL);
    mem_free(values);
    mem_free(weights);
    mem_free(gram);
    mem_free(cross);
}

/* Correlated columns, each with its own scale and offset. */
static double *scaled_columns(sample_stream *s, size_t rows, size_t k, const double *scales,
                              const double *offsets)
{
    double *x = numbers(rows * k);
    for (size_t r = 0; r < rows; r++) {
        double common = sample_normal(s);
        for (size_t j = 0; j < k; j++) {
            x[r + rows * j] = (common + sample_normal(s)) * scales[j] + offsets[j];
        }
    }
    return x;
}

static void naive_moments(long double *means, long double *covariance, const double *x, size_t rows,
                          size_t k)
{
    for (size_t j = 0; j < k; j++) {
        means[j] = 0.0L;
        for (size_t r = 0; r < rows; r++) means[j] += (long double)x[r + rows * j];
        means[j] /= (long double)rows;
    }
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++) {
            long double sum = 0.0L;
            for (size_t r = 0; r < rows; r++) {
                sum += ((long double)x[r + rows * i] - means[i]) *
                       ((long double)x[r + rows * j] - means[j]);
            }
            covariance[i + k * j] = sum / (long double)rows;
        }
    }
}

enum { BAD = 7 };
static const double bad_scales[BAD] = {1.0, 1e6, 1e-6, 1.0, 3e-4, 1e-250, 1e250};
static const double bad_offsets[BAD] = {0.0, 1e8, 1.0, 1e8, -1e6, 0.0, 0.0};

static void test_covariance_of_badly_scaled_columns(void **state)
{
    (void)state;
    size_t all_rows[] = {2, 3, 50, 1000};
    for (size_t t = 0; t < 4; t++) {
        sample_stream s = {100 + t};
        size_t rows = all_rows[t];
        double *x = scaled_columns(&s, rows, BAD, bad_scales, bad_offsets);
        long double means[BAD], reference[BAD * BAD];
        double got[BAD * BAD], got_means[BAD], deviations[BAD];
        naive_moments(means, reference, x, rows, BAD);
        matrix_view moderate = {x, rows, 5, NULL}, all = {x, rows, BAD, NULL};
        gram_work *work;
        CHECK_OK(gram_work_alloc(&work, NULL));
        CHECK_OK(covariance_matrix(got, got_means, &moderate, (double)rows, work));
        for (size_t j = 0; j < 5; j++) {
            CHECK_NEAR(got_means[j], (double)means[j],
                       4e-16 * fabs((double)means[j]) + 1e-15 * bad_scales[j]);
            for (size_t i = 0; i < 5; i++) {
                long double scale = sqrtl(reference[i + BAD * i] * reference[j + BAD * j]);
                CHECK_NEAR((double)((long double)got[i + 5 * j] / scale),
                           (double)(reference[i + BAD * j] / scale), 1e-13);
            }
        }
        CHECK_OK(correlation_matrix(got, got_means, deviations, &all, work));
        for (size_t j = 0; j < BAD; j++) {
            double deviation = (double)sqrtl(reference[j + BAD * j]);
            CHECK_NEAR(deviations[j], deviation, 1e-12 * deviation);
            CHECK_NEAR(got_means[j], (double)means[j],
                       1e-15 * fabs((double)means[j]) + 1e-15 * deviation);
            CHECK_SAME(got[j + BAD * j], 1.0);
            for (size_t i = 0; i < BAD; i++) {
                long double scale = sqrtl(reference[i + BAD * i]) * sqrtl(reference[j + BAD * j]);
                CHECK_NEAR(got[i + BAD * j], (double)(reference[i + BAD * j] / scale), 1e-12);
            }
        }
        gram_work_free(work);
        mem_free(x);
    }
}

static void test_correlation_edges(void **state)
{
    (void)state;
    /* constant (0.1 has no exact mean), two values one rounding apart, near the largest double */
    double x[4 * 3] = {0.1,     0.1,      0.1,     1.0,    1.0, 1.0 + DBL_EPSILON,
                       1.7e308, -1.7e308, 1.7e308, 5e-324, 0.0, 5e-324};
    double r[16], means[4], deviations[4];
    matrix_view view = {x, 3, 4, NULL};
    gram_work *work;
    CHECK_OK(gram_work_alloc(&work, NULL));
    CHECK_OK(correlation_matrix(r, means, deviations, &view, work));
    CHECK_SAME(means[0], 0.1);
    CHECK_SAME(deviations[0], 0.0);
    for (size_t j = 1; j < 4; j++) CHECK_SAME(r[0 + 4 * j], 0.0);
    CHECK_NEAR(r[2 + 4 * 3], 1.0, 1e-15); /* both are high, low, high */
    CHECK_NEAR(r[1 + 4 * 2], 0.5, 1e-15); /* low, low, high against high, low, high */
    CHECK_NEAR(deviations[2] / 1.7e308, sqrt(8.0) / 3.0, 1e-15);
    for (size_t bad = 0; bad < 3; bad++) {
        double old = x[bad];
        x[bad] = bad == 1 ? INFINITE : MISSING;
        CHECK_FAILS(correlation_matrix(r, NULL, NULL, &view, work), SCONE_ERR_INPUT, "column 1");
        x[bad] = old;
    }
    gram_work_free(work);
}

/* ---- shrinkage ---- */

/* Ledoit and Wolf straight from the definition: one p x p difference per row. */
static long double naive_shrinkage(long double *estimate, const double *x, size_t rows, size_t p)
{
    long double means[64], s[64 * 64];
    naive_moments(means, s, x, rows, p);
    long double m = 0.0L, d2 = 0.0L, b2 = 0.0L;
    for (size_t j = 0; j < p; j++) m += s[j + p * j] / (long double)p;
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++) {
            long double away = s[i + p * j] - (i == j ? m : 0.0L);
            d2 += away * away / (long double)p;
            for (size_t r = 0; r < rows; r++) {
                long double difference = ((long double)x[r + rows * i] - means[i]) *
                                             ((long double)x[r + rows * j] - means[j]) -
                                         s[i + p * j];
                b2 += difference * difference / (long double)p / (long double)(rows * rows);
            }
        }
    }
    long double share = !(d2 > 0.0L) ? 0.0L : b2 < d2 ? b2 / d2 : 1.0L;
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++) {
            estimate[i + p * j] = (1.0L - share) * s[i + p * j] + (i == j ? share * m : 0.0L);
        }
    }
    return share;
}

static void test_shrinkage(void **state)
{
    (void)state;
    size_t shapes[][2] = {{200, 6}, {12, 40}, {2, 5}, {30, 1}, {9, 9}};
    double ones[64], zeros[64] = {0};
    for (size_t j = 0; j < 64; j++) ones[j] = 1.0;
    gram_work *work;
    CHECK_OK(gram_work_alloc(&work, NULL));
    for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
        sample_stream s = {200 + t};
        size_t rows = shapes[t][0], p = shapes[t][1];
        double *x = scaled_columns(&s, rows, p, ones, zeros), intensity;
        double *got = numbers(p * p);
        long double reference[64 * 64];
        matrix_view view = {x, rows, p, NULL};
        for (int standardize = 0; standardize < 2; standardize++) {
            long double share = naive_shrinkage(reference, x, rows, p);
            CHECK_OK(shrinkage_covariance(got, &intensity, &view, standardize, work));
            CHECK_NEAR(intensity, (double)share, 1e-12);
            CHECK(t > 1 || (intensity > 0.001 && intensity < 0.999));
            for (size_t i = 0; i < p * p; i++) CHECK_NEAR(got[i], (double)reference[i], 1e-12);
            /* For the second round standardize the data itself, and shift it. */
            long double means[64], covariance[64 * 64];
            naive_moments(means, covariance, x, rows, p);
            for (size_t j = 0; j < p; j++) {
                for (size_t r = 0; r < rows; r++) {
                    double *value = &x[r + rows * j];
                    *value =
                        (double)(((long double)*value - means[j]) / sqrtl(covariance[j + p * j]));
                }
            }
        }
        mem_free(x);
        mem_free(got);
    }
    double one[2] = {3.0, 4.0}, got[4], intensity;
    matrix_view none = {one, 0, 2, NULL};
    CHECK_FAILS(shrinkage_covariance(got, &intensity, &none, false, work), SCONE_ERR_INPUT, "row");
    gram_work_free(work);
}

/* Standardized shrinkage must not care about the units at all. */
static void test_shrinkage_units(void **state)
{
    (void)state;
    sample_stream s = {77};
    double ones[5] = {1, 1, 1, 1, 1}, zeros[5] = {0}, a[25], b[25], share_a, share_b;
    double *x = scaled_columns(&s, 20, 5, ones, zeros);
    matrix_view view = {x, 20, 5, NULL};
    gram_work *work;
    CHECK_OK(gram_work_alloc(&work, NULL));
    CHECK_OK(shrinkage_covariance(a, &share_a, &view, true, work));
    for (size_t r = 0; r < 20; r++) {
        x[r] = 1000.0 * x[r] + 5e5;
        x[r + 40] *= -1e-9;
    }
    CHECK_OK(shrinkage_covariance(b, &share_b, &view, true, work));
    CHECK_NEAR(share_a, share_b, 1e-12);
    for (size_t j = 0; j < 5; j++) {
        double sign = j == 2 ? -1.0 : 1.0;
        CHECK_NEAR(b[0 + 5 * j], sign * a[0 + 5 * j], 1e-12);
        CHECK_NEAR(b[j + 5 * j], 1.0, 1e-15);
    }
    gram_work_free(work);
    mem_free(x);
}

/* ---- rank ---- */

static void test_rank(void **state)
{
    (void)state;
    enum { K = 8, ROWS = 400 };
    sample_stream s = {31};
    double *x = normals(&s, ROWS * K), r[K * K], deviations[K];
    /* 5 = 2 x0 - 3 x1 + 7, 6 = x2 in other units, 3 almost but not quite x4 */
    for (size_t i = 0; i < ROWS; i++) {
        double *row = x + i;
        row[ROWS * 5] = 2.0 * row[0] - 3.0 * row[ROWS] + 7.0;
        row[ROWS * 6] = -1e6 * row[ROWS * 2];
        row[ROWS * 3] = row[ROWS * 4] + 1e-3 * row[ROWS * 3];
    }
    matrix_view view = {x, ROWS, K, NULL};
    gram_work *work;
    rank_result result;
    CHECK_OK(gram_work_alloc(&work, NULL));
    CHECK_OK(correlation_matrix(r, NULL, deviations, &view, work));
    CHECK_OK(rank_reveal(&result, r, K, 1e-8));
    CHECK(result.rank == K - 2);
    for (size_t d = 0; d < 2; d++) {
        size_t dependent = result.order[result.rank + d];
        CHECK(dependent == 0 || dependent == 1 || dependent == 5 || dependent == 2 ||
              dependent == 6);
        CHECK_NEAR(result.unexplained[d], 0.0, 1e-12);
        /* The combination reproduces the column, row by row, up to a constant. */
        long double constant = 0.0L;
        for (size_t i = 0; i < ROWS; i++) {
            long double left =
                (long double)x[i + ROWS * dependent] / (long double)deviations[dependent];
            for (size_t j = 0; j < result.rank; j++) {
                size_t c = result.order[j];
                left -= (long double)result.coefficients[j + result.rank * d] *
                        (long double)x[i + ROWS * c] / (long double)deviations[c];
            }
            if (i == 0) constant = left;
            CHECK_NEAR((double)(left - constant), 0.0, 1e-8);
        }
    }
    rank_result_free(&result);
    /* A tolerance above the near-dependence finds it too; none of it without dependence. */
    CHECK_OK(rank_reveal(&result, r, K, 1e-5));
    CHECK(result.rank == K - 3);
    rank_result_free(&result);
    r[3] = MISSING;
    CHECK_FAILS(rank_reveal(&result, r, K, 1e-8), SCONE_ERR_INPUT, "not finite");
    CHECK_OK(rank_reveal(&result, NULL, 0, 1e-8));
    CHECK(result.rank == 0);
    gram_work_free(work);
    mem_free(x);
}

/* More columns than rows: the rank of centred data is rows - 1. */
static void test_rank_of_wide_data(void **state)
{
    (void)state;
    sample_stream s = {32};
    double *x = normals(&s, 10 * 60), *r = numbers(60 * 60);
    matrix_view view = {x, 10, 60, NULL};
    gram_work *work;
    rank_result result;
    CHECK_OK(gram_work_alloc(&work, NULL));
    CHECK_OK(correlation_matrix(r, NULL, NULL, &view, work));
    CHECK_OK(rank_reveal(&result, r, 60, 1e-10));
    CHECK(result.rank == 9);
    rank_result_free(&result);
    gram_work_free(work);
    mem_free(x);
    mem_free(r);
}

/* ---- threads ---- */

typedef struct repeat_job {
    const double *x, *weights;
    double *out; /* [items, 3, K * K] */
} repeat_job;

enum { THREAD_ROWS = 700, THREAD_COLUMNS = 210, ITEMS = 6 };

static scone_status run_all(double *out, const repeat_job *job, const scone_context *context)
{
    scone_status status = SCONE_OK;
    gram_work *work = NULL;
    double *means = numbers(THREAD_COLUMNS), intensity;
    size_t cells = (size_t)THREAD_COLUMNS * THREAD_COLUMNS;
    matrix_view view = {job->x, THREAD_ROWS, THREAD_COLUMNS, NULL};
    TRY(gram_work_alloc(&work, context));
    TRY(gram_matrix(out, &view, job->weights, work));
    TRY(correlation_matrix(out + cells, means, NULL, &view, work));
    TRY(shrinkage_covariance(out + 2 * cells, &intensity, &view, false, work));
cleanup:
    mem_free(means);
    gram_work_free(work);
    return status;
}

static scone_status run_item(void *argument, size_t item, int worker)
{
    (void)worker;
    const repeat_job *job = argument;
    return run_all(job->out + item * 3 * THREAD_COLUMNS * THREAD_COLUMNS, job, NULL);
}

/* The same bytes from one call on 1 or 4 threads, and from 4 threads calling at the same time. */
static void test_threads(void **state)
{
    (void)state;
    sample_stream s = {41};
    size_t cells = 3 * (size_t)THREAD_COLUMNS * THREAD_COLUMNS;
    double *x = normals(&s, (size_t)THREAD_ROWS * THREAD_COLUMNS);
    double *weights = normals(&s, THREAD_ROWS);
    double *reference = numbers(cells), *got = numbers(cells * ITEMS);
    repeat_job job = {x, weights, got};
    CHECK_OK(run_all(reference, &job, NULL));
    for (int threads = 2; threads <= 4; threads++) {
        scone_context context = {.threads = threads};
        CHECK_OK(run_all(got, &job, &context));
        assert_memory_equal(got, reference, cells * sizeof *got);
    }
    scone_context context = {.threads = 4};
    CHECK_OK(parallel_for(ITEMS, &context, NULL, run_item, &job));
    for (size_t i = 0; i < ITEMS; i++) {
        assert_memory_equal(got + i * cells, reference, cells * sizeof *got);
    }
    mem_free(x);
    mem_free(weights);
    mem_free(reference);
    mem_free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_rank_update),
        cmocka_unit_test(test_gram),
        cmocka_unit_test(test_covariance_of_badly_scaled_columns),
        cmocka_unit_test(test_correlation_edges),
        cmocka_unit_test(test_shrinkage),
        cmocka_unit_test(test_shrinkage_units),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_rank_of_wide_data),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
