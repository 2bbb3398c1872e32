/* test_token_statistics.c - pair, node and grid statistics of tokens against plain loops. */
#include "sample.h"
#include "token_problem.h"

#include "sample/sensitivity.h"

/* ---- plain loops ---- */

enum { SMALL = 6 };

typedef struct naive_channel {
    double mean[SMALL], deviation[SMALL];
    double correlation[SMALL][SMALL];
    double omega[SMALL][SMALL]; /* normalized precision of the shrunk correlations */
} naive_channel;

/* Gauss-Jordan without pivoting: the matrices are positive definite. */
static void invert(double inverse[SMALL][SMALL], double a[SMALL][SMALL])
{
    for (size_t i = 0; i < SMALL; i++) {
        for (size_t j = 0; j < SMALL; j++) inverse[i][j] = i == j;
    }
    for (size_t k = 0; k < SMALL; k++) {
        double pivot = a[k][k];
        for (size_t j = 0; j < SMALL; j++) {
            a[k][j] /= pivot;
            inverse[k][j] /= pivot;
        }
        for (size_t i = 0; i < SMALL; i++) {
            double factor = a[i][k];
            for (size_t j = 0; j < SMALL && i != k; j++) {
                a[i][j] -= factor * a[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
}

static void normalize(double omega[SMALL][SMALL])
{
    double root[SMALL];
    for (size_t i = 0; i < SMALL; i++) root[i] = sqrt(omega[i][i]);
    for (size_t i = 0; i < SMALL; i++) {
        for (size_t j = 0; j < SMALL; j++) omega[i][j] /= root[i] * root[j];
    }
}

/* shrunk = w I + (1 - w) S for S with unit diagonal, w = min(1, error / |S - I|^2) */
static void shrink(double s[SMALL][SMALL], double error)
{
    double distance = 0.0;
    for (size_t i = 0; i < SMALL; i++) {
        for (size_t j = 0; j < SMALL; j++) distance += pow(s[i][j] - (i == j), 2.0);
    }
    double w = fmin(1.0, error / distance);
    for (size_t i = 0; i < SMALL; i++) {
        for (size_t j = 0; j < SMALL; j++) s[i][j] = (1.0 - w) * s[i][j] + w * (i == j);
    }
}

/* sum_r |z_r z_r' - S|^2 / n^2 for rows z in units of `scale` */
static double scatter_error(const double *const columns[SMALL], size_t rows, const double *mean,
                            const double *scale, double s[SMALL][SMALL])
{
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < SMALL; i++) {
            for (size_t j = 0; j < SMALL; j++) {
                double zi = (columns[i][r] - mean[i]) / scale[i];
                double zj = (columns[j][r] - mean[j]) / scale[j];
                sum += pow(zi * zj - s[i][j], 2.0);
            }
        }
    }
    return sum / (double)rows / (double)rows;
}

static void naive_statistics(naive_channel *out, const double *const columns[SMALL], size_t rows)
{
    double n = (double)rows, shrunk[SMALL][SMALL];
    for (size_t i = 0; i < SMALL; i++) {
        double sum = 0.0, squares = 0.0;
        for (size_t r = 0; r < rows; r++) sum += columns[i][r];
        out->mean[i] = sum / n;
        for (size_t r = 0; r < rows; r++) squares += pow(columns[i][r] - out->mean[i], 2.0);
        out->deviation[i] = sqrt(squares / n);
    }
    for (size_t i = 0; i < SMALL; i++) {
        for (size_t j = 0; j < SMALL; j++) {
            double sum = 0.0;
            for (size_t r = 0; r < rows; r++) {
                sum += (columns[i][r] - out->mean[i]) * (columns[j][r] - out->mean[j]);
            }
            out->correlation[i][j] = sum / n / out->deviation[i] / out->deviation[j];
        }
    }
    memcpy(shrunk, out->correlation, sizeof shrunk);
    shrink(shrunk, scatter_error(columns, rows, out->mean, out->deviation, out->correlation));
    invert(out->omega, shrunk);
    normalize(out->omega);
}

/* `unit`: what each column is measured in */
static void check_pair_values(const tokens *t, size_t channel, const naive_channel *numbers,
                              const double *unit)
{
    for (size_t e = 0; e < t->size.pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1];
        const float *got = t->pair_statistics[e][channel];
        double a = numbers->deviation[i] / unit[i], b = numbers->deviation[j] / unit[j];
        double covariance = numbers->correlation[i][j] * a * b;
        CHECK_NEAR((double)got[TOKEN_CORRELATION], numbers->correlation[i][j], 1e-6);
        CHECK_NEAR((double)got[TOKEN_PARTIAL], -numbers->omega[i][j], 1e-6);
        CHECK_NEAR((double)got[TOKEN_SLOPE_FORWARD], tanh(covariance / (a * a)), 1e-6);
        CHECK_NEAR((double)got[TOKEN_SLOPE_BACKWARD], tanh(covariance / (b * b)), 1e-6);
    }
}

static double naive_distance(const double *x, size_t nx, const double *y, size_t ny)
{
    double largest = 0.0;
    for (size_t k = 0; k < nx + ny; k++) {
        double at = k < nx ? x[k] : y[k - nx], below[2] = {0.0, 0.0};
        for (size_t r = 0; r < nx; r++) below[0] += x[r] <= at;
        for (size_t r = 0; r < ny; r++) below[1] += y[r] <= at;
        largest = fmax(largest, fabs(below[0] / (double)nx - below[1] / (double)ny));
    }
    return largest;
}

/* Tables of 60 and 45 rows, so that shrinkage counts. */
static scone_pair *small_pair(void)
{
    static const size_t rows[2] = {60, 45};
    scone_table *tables[2];
    scone_pair *pair;
    sample_stream random = {41};
    for (int c = 0; c < 2; c++) {
        CHECK_OK(table_alloc(&tables[c], rows[c], SMALL, NULL));
        for (size_t r = 0; r < rows[c]; r++) {
            double x[SMALL];
            for (size_t j = 0; j < SMALL; j++) {
                x[j] = sample_normal(&random) * (1.0 + (double)j) + 3.0;
                if (j > 0) x[j] += (c == 0 ? 0.8 : -0.5) * x[j - 1];
                table_column(tables[c], j)[r] = x[j];
            }
        }
    }
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

static void test_statistics(void **state)
{
    (void)state;
    scone_pair *pair = small_pair();
    const double *columns[2][SMALL];
    naive_channel numbers[2];
    tokens *t;
    CHECK_OK(token_make(&t, pair, NULL, NULL, NULL));
    CHECK_OK(tokens_check(t));
    CHECK(t->size.pairs >= 5 && !t->labelled);
    for (size_t c = 0; c < 2; c++) {
        for (size_t j = 0; j < SMALL; j++) columns[c][j] = table_column(pair->tables[c], j);
        naive_statistics(&numbers[c], columns[c], pair->tables[c]->rows);
    }
    double scale[SMALL], average[SMALL][SMALL], omega[SMALL][SMALL], errors[2];
    for (size_t j = 0; j < SMALL; j++) {
        const float *node = t->node_statistics[j];
        double a = numbers[0].deviation[j], b = numbers[1].deviation[j];
        scale[j] = sqrt((a * a + b * b) / 2.0);
        CHECK_NEAR((double)node[TOKEN_SHIFT], (numbers[1].mean[j] - numbers[0].mean[j]) / scale[j],
                   1e-6);
        CHECK_NEAR((double)node[TOKEN_VARIANCE_RATIO], log(b * b / (a * a)), 1e-6);
        CHECK_NEAR((double)node[TOKEN_DISTANCE],
                   naive_distance(columns[0][j], pair->tables[0]->rows, columns[1][j],
                                  pair->tables[1]->rows),
                   1e-6);
    }
    for (size_t c = 0; c < 2; c++) check_pair_values(t, c, &numbers[c], scale);
    /* The average covariance in units of the scales, shrunk for the error of an average. */
    double own[2][SMALL][SMALL];
    for (size_t i = 0; i < SMALL; i++) {
        for (size_t j = 0; j < SMALL; j++) {
            for (size_t c = 0; c < 2; c++) {
                own[c][i][j] = numbers[c].correlation[i][j] * numbers[c].deviation[i] *
                               numbers[c].deviation[j] / scale[i] / scale[j];
            }
            average[i][j] = (own[0][i][j] + own[1][i][j]) / 2.0;
        }
    }
    for (size_t c = 0; c < 2; c++) {
        errors[c] =
            scatter_error(columns[c], pair->tables[c]->rows, numbers[c].mean, scale, own[c]);
    }
    shrink(average, (errors[0] + errors[1]) / 4.0);
    invert(omega, average);
    normalize(omega);
    for (size_t i = 0; i < SMALL; i++) {
        for (size_t j = 0; j < SMALL; j++) {
            CHECK_NEAR((double)t->precision[i * SMALL + j], i == j ? 0.0 : omega[i][j], 1e-6);
        }
    }
    tokens_free(t);
    scone_pair_free(pair);
}

/* s_v is the score of sample/sensitivity.h, which has tests of its own. */
static void test_sensitivity(void **state)
{
    (void)state;
    scone_pair *pair = small_pair();
    moments *m;
    sensitivity *scores;
    tokens *t;
    CHECK_OK(moments_alloc(&m, pair, NULL));
    CHECK_OK(sensitivity_alloc(&scores, pair, m, NULL, NULL));
    CHECK_OK(token_make(&t, pair, NULL, NULL, NULL));
    for (size_t v = 0; v < SMALL; v++) {
        CHECK_NEAR((double)t->node_statistics[v][TOKEN_SENSITIVITY], scores->score[v], 1e-7);
    }
    tokens_free(t);
    sensitivity_free(scores);
    moments_free(m);
    scone_pair_free(pair);
}

static void test_no_contrast(void **state)
{
    (void)state;
    scone_pair *pair = small_pair();
    token_options options = token_defaults;
    naive_channel numbers;
    double pooled[SMALL][105];
    const double *columns[SMALL];
    tokens *t, *with;
    options.contrast = false;
    CHECK_OK(token_make(&t, pair, NULL, &options, NULL));
    CHECK_OK(token_make(&with, pair, NULL, NULL, NULL));
    CHECK_OK(tokens_check(t));
    for (size_t j = 0; j < SMALL; j++) {
        columns[j] = pooled[j];
        memcpy(pooled[j], table_column(pair->tables[0], j), 60 * sizeof(double));
        memcpy(pooled[j] + 60, table_column(pair->tables[1], j), 45 * sizeof(double));
        for (size_t k = 0; k < TOKEN_NODE_STATISTICS; k++) {
            CHECK_SAME((double)t->node_statistics[j][k], 0.0);
        }
    }
    naive_statistics(&numbers, columns, 105);
    check_pair_values(t, 0, &numbers, numbers.deviation);
    check_pair_values(t, 1, &numbers, numbers.deviation);
    /* Candidates are elected ones alone. */
    CHECK(t->size.pairs > 0);
    for (size_t e = 0; e < t->size.pairs; e++) {
        size_t votes = 0;
        for (size_t k = t->column_offsets[e]; k < t->column_offsets[e + 1]; k++) {
            votes += t->codes[t->column_cells[k]][0] || t->codes[t->column_cells[k]][1];
        }
        CHECK(votes > 0);
    }
    assert_memory_equal(t->precision, with->precision, SMALL * SMALL * sizeof *t->precision);
    tokens_free(t);
    tokens_free(with);
    scone_pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_no_contrast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
