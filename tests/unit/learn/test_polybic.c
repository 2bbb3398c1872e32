/* test_polybic.c - PolyBIC against design matrices in long double, and what it must survive. */
#include "testing.h"
#include "sample.h"

#include "learn/polybic/polybic.h"

#include <float.h>
#include <stdlib.h>

/* ---- a naive implementation: repeat rows, build the design matrix, solve, take residuals ---- */

enum { NAIVE_SIDE = POLYBIC_MAX_DEGREE + 1 };

static void naive_standardize(long double *x, size_t n)
{
    long double mean = 0.0L, squares = 0.0L;
    for (size_t r = 0; r < n; r++) mean += x[r] / (long double)n;
    for (size_t r = 0; r < n; r++) squares += (x[r] - mean) * (x[r] - mean) / (long double)n;
    for (size_t r = 0; r < n; r++) x[r] = (x[r] - mean) / sqrtl(squares);
}

static long double naive_rss(const long double *x, const long double *y, size_t n, size_t degree,
                             double ridge)
{
    size_t side = degree + 1;
    long double a[NAIVE_SIDE][NAIVE_SIDE + 1] = {{0.0L}}, beta[NAIVE_SIDE], rss = 0.0L;
    long double *design = calloc(n * side, sizeof *design);
    assert_non_null(design);
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < side; k++) design[r * side + k] = powl(x[r], (long double)k);
        for (size_t i = 0; i < side; i++) {
            for (size_t k = 0; k < side; k++) {
                a[i][k] += design[r * side + i] * design[r * side + k];
            }
            a[i][side] += design[r * side + i] * y[r];
        }
    }
    for (size_t i = 1; i < side; i++) a[i][i] += (long double)ridge;
    for (size_t i = 0; i < side; i++) { /* Gauss-Jordan; the matrix is positive definite */
        for (size_t k = 0; k < side; k++) {
            if (k == i) continue;
            long double f = a[k][i] / a[i][i];
            for (size_t c = i; c <= side; c++) a[k][c] -= f * a[i][c];
        }
    }
    for (size_t i = 0; i < side; i++) beta[i] = a[i][side] / a[i][i];
    for (size_t r = 0; r < n; r++) {
        long double residual = y[r];
        for (size_t k = 0; k < side; k++) residual -= beta[k] * design[r * side + k];
        rss += residual * residual;
    }
    free(design);
    return rss;
}

/* All of them as printed: scores [count, count]. */
static void naive_scores(double *scores, const scone_pair *pair, const learner_task *task,
                         const polybic_options *options)
{
    size_t n = 0, distinct = 0, count = task->count;
    for (unsigned regime = 0; regime < 2; regime++) {
        if (!(task->regimes >> regime & 1U)) continue;
        for (size_t r = 0; r < pair->tables[regime]->rows; r++) {
            uint32_t times = task->weights[regime] ? task->weights[regime][r] : 1;
            n += times;
            distinct += times > 0;
        }
    }
    long double *data = calloc(n * count, sizeof *data);
    long double *bic = calloc(count * count, sizeof *bic);
    assert_non_null(data);
    assert_non_null(bic);
    for (size_t i = 0; i < count; i++) {
        long double *x = data + i * n, *end = x;
        for (unsigned regime = 0; regime < 2; regime++) {
            const table *t = pair->tables[regime];
            for (size_t r = 0; r < t->rows && (task->regimes >> regime & 1U); r++) {
                uint32_t times = task->weights[regime] ? task->weights[regime][r] : 1;
                for (; times > 0; times--)
                    *end++ = (long double)table_column(t, task->columns[i])[r];
            }
        }
        naive_standardize(x, n);
    }
    long double rows = (long double)n, parameters = (long double)options->degree + 1.0L;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            if (i == j) continue;
            long double rss =
                naive_rss(data + i * n, data + j * n, n, options->degree, options->ridge);
            bic[i * count + j] = rows * logl(rss / rows) + parameters * logl(rows);
        }
    }
    long double scale = 0.0L;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            scale += fabsl(bic[j * count + i] - bic[i * count + j]) /
                     (long double)(count * (count - 1) / 2);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            long double forward = bic[i * count + j], backward = bic[j * count + i];
            long double constant = rows * logl(1.0L) + logl(rows);
            /* Straight lines fit equally well both ways; only rounding tells them apart. */
            if (fabsl(forward - backward) < 1e-9L * rows) forward = backward;
            bool edge =
                i != j && distinct > options->degree + 2 && fminl(forward, backward) < constant;
            scores[i * count + j] =
                edge ? (double)(1.0L / (1.0L + expl((forward - backward) / fmaxl(scale, LDBL_MIN))))
                     : 0.0;
        }
    }
    free(data);
    free(bic);
}

/* ---- data ---- */

typedef double (*cell_maker)(sample_stream *s, size_t row, size_t column, const double *before);

static scone_pair make_pair_of(size_t rows0, size_t rows1, size_t columns, cell_maker maker,
                               uint64_t seed)
{
    scone_pair pair = {{NULL, NULL}};
    sample_stream s = {seed};
    size_t rows[2] = {rows0, rows1};
    double before[32];
    assert_true(columns <= 32);
    for (size_t regime = 0; regime < 2; regime++) {
        CHECK_OK(table_alloc(&pair.tables[regime], rows[regime], columns, NULL));
        for (size_t r = 0; r < rows[regime]; r++) {
            for (size_t j = 0; j < columns; j++) {
                before[j] = maker(&s, r, j, before);
                table_column(pair.tables[regime], j)[r] = before[j];
            }
        }
    }
    return pair;
}

static void free_pair(scone_pair *pair)
{
    scone_table_free(pair->tables[0]);
    scone_table_free(pair->tables[1]);
}

/* 0 and 4 independent roots, the others functions of earlier columns, one of them multiplicative */
static double mixed(sample_stream *s, size_t row, size_t column, const double *x)
{
    (void)row;
    double e = sample_normal(s);
    switch (column) {
    case 1:
        return x[0] * x[0] + 0.5 * e;
    case 2:
        return 3.0 + x[1] - 0.3 * x[0] + e;
    case 3:
        return x[2] * e;
    case 5:
        return 1e6 * (tanh(x[4]) + 0.1 * e);
    default:
        return 4.0 * sample_uniform(s) - 2.0;
    }
}

static double cauchy(sample_stream *s, size_t row, size_t column, const double *x)
{
    (void)row;
    double e = tan(3.14159 * (sample_uniform(s) - 0.5));
    return column == 0 ? e : x[column - 1] * 0.5 + e;
}

static void run(double *scores, const scone_pair *pair, const learner_task *task,
                const polybic_options *options)
{
    void *state;
    CHECK_OK(polybic_prepare(&state, pair, options));
    CHECK_OK(learner_polybic.run(scores, state, task));
    learner_polybic.release(state);
}

static const size_t all_columns[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                       11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                       22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* ---- tests ---- */

static void compare_with_naive(const scone_pair *pair, const learner_task *task,
                               const polybic_options *options, double tolerance)
{
    double actual[36], expected[36];
    run(actual, pair, task, options);
    naive_scores(expected, pair, task, options);
    for (size_t k = 0; k < task->count * task->count; k++) {
        CHECK_NEAR(actual[k], expected[k], tolerance);
    }
}

static void test_naive(void **state)
{
    (void)state;
    /* Around the block length, and below a lane. */
    const size_t sizes[][2] = {{400, 300}, {255, 256}, {257, 31}, {1000, 9}};
    const size_t some[] = {1, 2, 5};
    sample_stream s = {77};
    for (size_t k = 0; k < 4; k++) {
        scone_pair pair = make_pair_of(sizes[k][0], sizes[k][1], 6, mixed, 5 + k);
        uint32_t weights[2][1000];
        for (size_t regime = 0; regime < 2; regime++) {
            for (size_t r = 0; r < 1000; r++) {
                weights[regime][r] = (uint32_t)(4.0 * sample_uniform(&s) * sample_uniform(&s));
            }
        }
        for (unsigned regimes = 1; regimes <= 3; regimes++) {
            for (size_t degree = 1; degree <= 5; degree += degree == 3 ? 2 : 1) {
                polybic_options options = {.degree = degree, .ridge = degree == 2 ? 25.0 : 1.0};
                learner_task task = {.columns = all_columns, .count = 6, .regimes = regimes};
                compare_with_naive(&pair, &task, &options, 1e-9);
                task.columns = some;
                task.count = 3;
                task.weights[0] = weights[0];
                task.weights[1] = weights[1];
                compare_with_naive(&pair, &task, &options, 1e-9);
            }
        }
        free_pair(&pair);
    }
}

/* What makes it a method: edges, their direction, and none where there is none. */
static void test_verdicts(void **state)
{
    (void)state;
    scone_pair pair = make_pair_of(2000, 1, 6, mixed, 3);
    learner_task task = {.columns = all_columns, .count = 6, .regimes = 1};
    double scores[36];
    run(scores, &pair, &task, &polybic_defaults);
    CHECK(scores[0 * 6 + 1] > 0.6);  /* y = x^2 + e: x explains y, y does not explain x */
    CHECK(scores[0 * 6 + 4] == 0.0); /* independent */
    CHECK(scores[4 * 6 + 0] == 0.0);
    CHECK(scores[1 * 6 + 5] == 0.0);
    CHECK(scores[1 * 6 + 2] > 0.0); /* dependent */
    for (size_t i = 0; i < 6; i++) {
        CHECK_SAME(scores[i * 6 + i], 0.0);
        for (size_t j = 0; j < i; j++) {
            double sum = scores[i * 6 + j] + scores[j * 6 + i];
            CHECK(sum == 0.0 || fabs(sum - 1.0) < 1e-12);
        }
    }
    free_pair(&pair);
}

/* The gate passes few independent pairs, also in bootstrap replicates. */
static double noise(sample_stream *s, size_t row, size_t column, const double *x)
{
    (void)row;
    (void)x;
    return column % 2 ? sample_normal(s) : sample_uniform(s);
}

static void test_gate(void **state)
{
    (void)state;
    size_t passed = 0;
    double scores[32 * 32];
    scone_pair pair = make_pair_of(500, 500, 32, noise, 9);
    for (unsigned regimes = 1; regimes <= 3; regimes++) {
        learner_task task = {.columns = all_columns, .count = 32, .regimes = regimes};
        run(scores, &pair, &task, &polybic_defaults);
        for (size_t k = 0; k < 32 * 32; k++) passed += scores[k] > 0.0;
    }
    CHECK(passed / 2 <= 3); /* of 1488 pairs */
    free_pair(&pair);
}

/* A replicate counts rows instead of copying them: order and copies do not matter. */
static void test_copies(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    scone_pair pair = make_pair_of(ROWS, 1, 6, mixed, 21), copied = {{NULL, NULL}};
    uint32_t weights[ROWS];
    for (size_t r = 0; r < ROWS; r++) weights[r] = (uint32_t)(r % 3);
    CHECK_OK(table_alloc(&copied.tables[0], ROWS, 6, NULL)); /* 0 + 1 + 2 per three rows */
    CHECK_OK(table_alloc(&copied.tables[1], 1, 6, NULL));
    for (size_t j = 0; j < 6; j++) {
        size_t at = ROWS;
        for (size_t r = 0; r < ROWS; r++) {
            for (uint32_t k = 0; k < weights[r]; k++) {
                table_column(copied.tables[0], j)[--at] = table_column(pair.tables[0], j)[r];
            }
        }
        CHECK(at == 0);
        table_column(copied.tables[1], j)[0] = 0.0;
    }
    learner_task task = {.columns = all_columns, .count = 6, .regimes = 1};
    double first[36], second[36];
    run(second, &copied, &task, &polybic_defaults);
    task.weights[0] = weights;
    run(first, &pair, &task, &polybic_defaults);
    for (size_t k = 0; k < 36; k++) CHECK_NEAR(first[k], second[k], 1e-9);
    free_pair(&pair);
    free_pair(&copied);
}

static void test_units(void **state)
{
    (void)state;
    const double factors[] = {1e6, 1.0, 1e-200, 1e200, -1.0}, offsets[] = {0, 1e8, 0, 0, 5};
    for (size_t k = 0; k < 5; k++) {
        scone_pair pair = make_pair_of(500, 400, 6, mixed, 8);
        learner_task task = {.columns = all_columns, .count = 6, .regimes = 3};
        double before[36], after[36];
        run(before, &pair, &task, &polybic_defaults);
        for (size_t regime = 0; regime < 2; regime++) {
            const table *t = pair.tables[regime];
            for (size_t c = 0; c < 6 * t->rows; c++) {
                t->values[c] = t->values[c] * factors[k] + offsets[k];
            }
        }
        run(after, &pair, &task, &polybic_defaults);
        /* At an offset of 1e8 the data themselves lose half of their digits. */
        for (size_t c = 0; c < 36; c++) CHECK_NEAR(after[c], before[c], k == 1 ? 1e-4 : 1e-9);
        free_pair(&pair);
    }
}

static double degenerate(sample_stream *s, size_t row, size_t column, const double *x)
{
    switch (column) {
    case 0:
        return 7.1; /* constant */
    case 2:
        return x[1]; /* copy */
    case 3:
        return -2.0 * x[1] + 1.0; /* and an affine one */
    case 4:
        return sample_uniform(s) < 0.3 ? 1.0 : 0.0;
    case 5:
        return x[4] > 0.5 || sample_uniform(s) < 0.1 ? 1.0 : 0.0;
    case 6:
        return row == 0 ? 1e8 : sample_normal(s); /* one outlier is all the variance */
    case 7:
        return row == 0 ? 1e9 : sample_normal(s);
    default:
        return sample_normal(s);
    }
}

static void test_degenerate(void **state)
{
    (void)state;
    enum { COUNT = 9 };
    for (size_t rows = 0; rows <= 40; rows += rows < 8 ? 1 : 32) {
        scone_pair pair = make_pair_of(rows, rows, COUNT, degenerate, 40 + rows);
        learner_task task = {.columns = all_columns, .count = COUNT, .regimes = 1};
        double scores[COUNT * COUNT];
        run(scores, &pair, &task, &polybic_defaults);
        for (size_t i = 0; i < COUNT; i++) {
            for (size_t j = 0; j < COUNT; j++) {
                CHECK(scores[i * COUNT + j] >= 0.0 && scores[i * COUNT + j] <= 1.0);
                if (rows <= 5 || i == 0) CHECK_SAME(scores[i * COUNT + j], 0.0);
            }
        }
        if (rows == 40) {
            CHECK_SAME(scores[1 * COUNT + 2], 0.5);
            CHECK_SAME(scores[2 * COUNT + 1], 0.5);
            CHECK_SAME(scores[1 * COUNT + 3], 0.5);
            CHECK_NEAR(scores[4 * COUNT + 5], 0.5,
                       0.01); /* two values each: only the ridge differs */
        }
        free_pair(&pair);
    }
}

/* Copies leave a residual that is the work of ridge and rounding alone. */
static void test_floor(void **state)
{
    (void)state;
    enum { COUNT = 9, ROWS = 5000 };
    scone_pair pair = make_pair_of(ROWS, 1, COUNT, degenerate, 6);
    learner_task task = {.columns = all_columns, .count = COUNT, .regimes = 1};
    double factors[COUNT], shares[COUNT * COUNT], scores[COUNT * COUNT];
    polybic_moments *moments;
    for (size_t j = 0; j < COUNT; j++) factors[j] = 1.0;
    CHECK_OK(polybic_moments_alloc(&moments, COUNT, 3));
    CHECK_OK(polybic_moments_compute(moments, &pair, factors, &task));
    CHECK(moments->distinct == ROWS && moments->constant[0] && !moments->constant[1]);
    CHECK_SAME(moments->rows, (double)ROWS);
    CHECK_OK(polybic_residuals(shares, moments, 1.0, NULL));
    CHECK_SAME(shares[1 * COUNT + 2], 1e-6);
    CHECK_SAME(shares[3 * COUNT + 1], 1e-6);
    CHECK_SAME(shares[0 * COUNT + 1], 1.0); /* a constant explains nothing */
    CHECK_NEAR(shares[1 * COUNT + 8], 1.0, 0.01);
    polybic_scores(scores, shares, moments);
    CHECK_SAME(scores[2 * COUNT + 3], 0.5);
    polybic_moments_free(moments);
    free_pair(&pair);
}

/* Without the row that holds the outlier, the rest is what it was. */
static void test_outlier(void **state)
{
    (void)state;
    scone_pair pair = make_pair_of(400, 1, 6, mixed, 4);
    learner_task task = {.columns = all_columns, .count = 6, .regimes = 1};
    uint32_t weights[400];
    double before[36], after[36];
    for (size_t r = 0; r < 400; r++) weights[r] = r > 0;
    task.weights[0] = weights;
    run(before, &pair, &task, &polybic_defaults);
    for (size_t j = 0; j < 5; j++) table_column(pair.tables[0], j)[0] = 1e12;
    run(after, &pair, &task, &polybic_defaults);
    for (size_t k = 0; k < 36; k++) CHECK_NEAR(after[k], before[k], 1e-9);
    free_pair(&pair);
}

static void test_heavy_tails(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        scone_pair pair = make_pair_of(3000, 1, 6, cauchy, seed);
        learner_task task = {.columns = all_columns, .count = 6, .regimes = 1};
        double scores[36];
        for (size_t degree = 1; degree <= POLYBIC_MAX_DEGREE; degree++) {
            polybic_options options = {.degree = degree, .ridge = degree == 4 ? 0.0 : 1.0};
            run(scores, &pair, &task, &options);
            for (size_t k = 0; k < 36; k++) CHECK(scores[k] >= 0.0 && scores[k] <= 1.0);
        }
        free_pair(&pair);
    }
}

static void test_refused(void **state)
{
    (void)state;
    scone_pair pair = make_pair_of(10, 10, 3, noise, 1);
    void *learner_state;
    double scores[9];
    polybic_options options = {.degree = 7, .ridge = 1.0};
    learner_task task = {.columns = all_columns, .count = 3, .regimes = 1};
    CHECK_OK(polybic_prepare(&learner_state, &pair, &options));
    CHECK_FAILS(learner_polybic.run(scores, learner_state, &task), SCONE_ERR_INPUT, "degree 7");
    learner_polybic.release(learner_state);
    options = (polybic_options){.degree = 3, .ridge = -1.0};
    CHECK_FAILS(polybic_prepare(&learner_state, &pair, &options), SCONE_ERR_INPUT, "ridge");
    table_column(pair.tables[1], 2)[4] = MISSING;
    CHECK_FAILS(learner_polybic.prepare(&learner_state, &pair, NULL), SCONE_ERR_INPUT,
                "column 3 (X2)");
    learner_polybic.release(NULL);
    free_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_naive),   cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_gate),    cmocka_unit_test(test_copies),
        cmocka_unit_test(test_units),   cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_outlier), cmocka_unit_test(test_heavy_tails),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
