/* test_trivial.c - trivial baselines against naive regressions on explicit design matrices. */
#include "testing.h"
#include "sample.h"

#include "learn/trivial.h"

#include <stdlib.h>

enum { ROWS = 400, COLUMNS = 6, SIDE = 3 * COLUMNS + 1 };

typedef struct sheet {
    long double z[COLUMNS][2 * ROWS]; /* standardized over both regimes */
    long double variances[COLUMNS];
} sheet;

/* ---- data ---- */

/* 0 a uniform root, 1 = f(0), 2 a spread that depends on 1, 3 a root, 4 of 2 and 3, 5 of 0 */
static void make_pair_of(scone_pair *pair, uint64_t seed)
{
    sample_stream s = {seed};
    for (size_t regime = 0; regime < 2; regime++) {
        CHECK_OK(table_alloc(&pair->tables[regime], ROWS, COLUMNS, NULL));
        for (size_t r = 0; r < ROWS; r++) {
            double x[COLUMNS];
            x[0] = 2.0 * sample_uniform(&s) - 1.0;
            x[1] = 3.0 * x[0] * x[0] + 0.3 * sample_normal(&s);
            x[2] = (0.2 + x[1] * x[1]) * sample_normal(&s);
            x[3] = 10.0 * sample_uniform(&s);
            x[4] = (regime ? 2.0 : 1.0) * x[2] + x[3] + sample_normal(&s);
            x[5] = 0.64 * x[0] + sample_normal(&s); /* too weak for eight times BIC */
            for (size_t j = 0; j < COLUMNS; j++) table_column(pair->tables[regime], j)[r] = x[j];
        }
    }
}

static void free_pair(scone_pair *pair)
{
    scone_table_free(pair->tables[0]);
    scone_table_free(pair->tables[1]);
}

static sheet *naive_sheet(const scone_pair *pair)
{
    sheet *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (size_t j = 0; j < COLUMNS; j++) {
        long double mean = 0.0L, n = 2.0L * ROWS;
        for (size_t r = 0; r < 2 * ROWS; r++) {
            s->z[j][r] = (long double)table_column(pair->tables[r / ROWS], j)[r % ROWS];
            mean += s->z[j][r] / n;
        }
        for (size_t r = 0; r < 2 * ROWS; r++) {
            s->z[j][r] -= mean;
            s->variances[j] += s->z[j][r] * s->z[j][r] / n;
        }
        for (size_t r = 0; r < 2 * ROWS; r++) s->z[j][r] /= sqrtl(s->variances[j]);
    }
    return s;
}

/* Residual sum of squares of a response on 1 and the first `powers` powers of these columns. */
static long double naive_rss(const sheet *s, const long double *response, const size_t *columns,
                             size_t count, size_t powers)
{
    size_t side = 1 + powers * count;
    long double a[SIDE][SIDE + 1] = {{0.0L}}, row[SIDE], rss = 0.0L;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t r = 0; r < 2 * ROWS; r++) {
            row[0] = 1.0L;
            for (size_t k = 1; k < side; k++) {
                row[k] =
                    powl(s->z[columns[(k - 1) / powers]][r], (long double)((k - 1) % powers + 1));
            }
            if (pass == 1) {
                long double residual = response[r];
                for (size_t k = 0; k < side; k++) residual -= row[k] * a[k][side] / a[k][k];
                rss += residual * residual;
                continue;
            }
            for (size_t i = 0; i < side; i++) {
                for (size_t k = 0; k < side; k++) a[i][k] += row[i] * row[k];
                a[i][side] += row[i] * response[r];
            }
        }
        for (size_t i = 0; i < side && pass == 0; i++) {
            for (size_t k = 0; k < side; k++) {
                long double f = k == i ? 0.0L : a[k][i] / a[i][i];
                for (size_t c = i; c <= side && k != i; c++) a[k][c] -= f * a[i][c];
            }
        }
    }
    return rss;
}

/* ---- tests ---- */

static void test_statistics(void **state)
{
    (void)state;
    scone_pair pair;
    make_pair_of(&pair, 1);
    sheet *s = naive_sheet(&pair);
    double variances[COLUMNS], shares[COLUMNS], kurtoses[COLUMNS];
    CHECK_OK(trivial_statistics(variances, &pair, TRIVIAL_VARIANCE, NULL));
    CHECK_OK(trivial_statistics(shares, &pair, TRIVIAL_R2, NULL));
    CHECK_OK(trivial_statistics(kurtoses, &pair, TRIVIAL_KURTOSIS, NULL));
    for (size_t j = 0; j < COLUMNS; j++) {
        size_t others[COLUMNS - 1], count = 0;
        long double fourth = 0.0L;
        for (size_t k = 0; k < COLUMNS; k++) {
            if (k != j) others[count++] = k;
        }
        for (size_t r = 0; r < 2 * ROWS; r++) fourth += powl(s->z[j][r], 4.0L) / (2.0L * ROWS);
        CHECK_NEAR(variances[j] / (double)s->variances[j], 1.0, 1e-12);
        CHECK_NEAR(kurtoses[j] / (double)fourth, 1.0, 1e-12);
        CHECK_NEAR(shares[j],
                   (double)(1.0L - naive_rss(s, s->z[j], others, count, 1) / (2.0L * ROWS)), 1e-7);
    }
    free(s);
    free_pair(&pair);
}

/* The rule of the header, with all regressions from scratch. */
static void naive_parents(bool parents[COLUMNS], const sheet *s, size_t j, const size_t *before,
                          size_t count)
{
    static long double absolute[2 * ROWS];
    const long double *responses[2] = {s->z[j], absolute}, n = 2.0L * ROWS;
    size_t chosen[COLUMNS], used = 0;
    for (size_t r = 0; r < 2 * ROWS; r++) absolute[r] = fabsl(s->z[j][r]);
    for (;;) {
        long double largest = 8.0L * 3.0L * logl(n);
        size_t best = COLUMNS;
        for (size_t k = 0; k < count; k++) {
            if (parents[before[k]]) continue;
            chosen[used] = before[k];
            for (size_t r = 0; r < 2; r++) {
                long double gain = n * logl(naive_rss(s, responses[r], chosen, used, 3) /
                                            naive_rss(s, responses[r], chosen, used + 1, 3));
                if (gain > largest) {
                    largest = gain;
                    best = before[k];
                }
            }
        }
        if (best == COLUMNS) return;
        parents[best] = true;
        chosen[used++] = best;
    }
}

static void test_parents(void **state)
{
    (void)state;
    size_t edges = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        scone_pair pair;
        make_pair_of(&pair, seed);
        sheet *s = naive_sheet(&pair);
        for (trivial_kind kind = TRIVIAL_VARIANCE; kind <= TRIVIAL_KURTOSIS; kind++) {
            double statistics[COLUMNS];
            graph *g;
            CHECK_OK(trivial_statistics(statistics, &pair, kind, NULL));
            CHECK_OK(trivial_order(&g, &pair, kind, NULL));
            for (size_t j = 0; j < COLUMNS; j++) {
                size_t before[COLUMNS], count = 0;
                bool parents[COLUMNS] = {false};
                for (size_t k = 0; k < COLUMNS; k++) {
                    if (statistics[k] < statistics[j]) before[count++] = k;
                }
                naive_parents(parents, s, j, before, count);
                for (size_t k = 0; k < COLUMNS; k++) {
                    CHECK(graph_directed(g, k, j) == parents[k]);
                    edges += parents[k];
                }
            }
            scone_graph_free(g);
        }
        free(s);
        free_pair(&pair);
    }
    CHECK(edges >= 20); /* there was something to compare */
}

static void test_empty_and_names(void **state)
{
    (void)state;
    const char *names[] = {"b", "a"};
    double values[] = {1, 2, 3, 4, 5, 6};
    scone_pair pair;
    graph *g;
    for (size_t regime = 0; regime < 2; regime++) {
        CHECK_OK(scone_table_from_columns(&pair.tables[regime], values, 3, 2, names));
    }
    for (trivial_kind kind = TRIVIAL_EMPTY; kind <= TRIVIAL_KURTOSIS; kind++) {
        CHECK_OK(trivial_order(&g, &pair, kind, NULL));
        CHECK(scone_graph_edges(g) == 0); /* six rows are too few for any parent */
        assert_string_equal(scone_graph_name(g, 0), "b");
        assert_string_equal(scone_graph_name(g, 1), "a");
        scone_graph_free(g);
    }
    pair.tables[0]->values[4] = MISSING;
    CHECK_FAILS(trivial_order(&g, &pair, TRIVIAL_R2, NULL), SCONE_ERR_INPUT, "column 2 (a)");
    CHECK(g == NULL);
    free_pair(&pair);
}

/* On the paper's data kurtosis tells the order and variance misleads. */
static void test_tells(void **state)
{
    (void)state;
    enum { GRAPHS = 5 };
    double hits[4] = {0}, reversed[4] = {0};
    scone_setting setting;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.samples = 2000;
    setting.seed = 1;
    for (size_t index = 0; index < GRAPHS; index++) {
        scone_problem *problem;
        CHECK_OK(scone_simulate(&problem, &setting, index, NULL));
        const graph *truth = scone_problem_graph(problem);
        for (trivial_kind kind = TRIVIAL_VARIANCE; kind <= TRIVIAL_KURTOSIS; kind++) {
            graph *g, *again;
            scone_context context = {.threads = 3};
            CHECK_OK(trivial_order(&g, scone_problem_pair(problem), kind, NULL));
            CHECK_OK(trivial_order(&again, scone_problem_pair(problem), kind, &context));
            CHECK(graph_equal_marks(g, again));
            for (size_t i = 0; i < 20; i++) {
                for (size_t j = 0; j < 20; j++) {
                    hits[kind] += graph_directed(g, i, j) && graph_directed(truth, i, j);
                    reversed[kind] += graph_directed(g, i, j) && graph_directed(truth, j, i);
                }
            }
            scone_graph_free(g);
            scone_graph_free(again);
        }
        scone_problem_free(problem);
    }
    CHECK(hits[TRIVIAL_KURTOSIS] > 3.0 * reversed[TRIVIAL_KURTOSIS]);
    CHECK(hits[TRIVIAL_VARIANCE] < reversed[TRIVIAL_VARIANCE]);
    CHECK(hits[TRIVIAL_KURTOSIS] > 10.0 * GRAPHS);
}

static double odd_cell(sample_stream *s, size_t kind, size_t row, const double *x, size_t column)
{
    switch (kind % 7) {
    case 0:
        return 3.25;
    case 1:
        return column > 0 ? x[column - 1] : 1.0;
    case 2:
        return sample_uniform(s) < 0.5 ? 0.0 : 1.0;
    case 3:
        return row == 3 ? 1e12 : sample_normal(s);
    case 4:
        return 1e200 * sample_normal(s);
    case 5:
        return 1e8 + sample_normal(s);
    default:
        return tan(3.1 * (sample_uniform(s) - 0.5));
    }
}

/* Odd columns in odd numbers: always a DAG, no edge at a constant column. */
static void test_odd_data(void **state)
{
    (void)state;
    const size_t sizes[][2] = {{0, 0}, {1, 0}, {2, 2}, {40, 50}, {300, 1}, {200, 200}};
    sample_stream s = {4};
    for (size_t k = 0; k < 36; k++) {
        scone_pair pair;
        size_t kinds[12];
        for (size_t j = 0; j < 12; j++) kinds[j] = (size_t)(7.0 * sample_uniform(&s));
        for (size_t regime = 0; regime < 2; regime++) {
            size_t rows = sizes[k % 6][regime];
            CHECK_OK(table_alloc(&pair.tables[regime], rows, 12, NULL));
            for (size_t r = 0; r < rows; r++) {
                double x[12];
                for (size_t j = 0; j < 12; j++) {
                    x[j] = odd_cell(&s, kinds[j], r, x, j);
                    table_column(pair.tables[regime], j)[r] = x[j];
                }
            }
        }
        for (trivial_kind kind = TRIVIAL_EMPTY; kind <= TRIVIAL_KURTOSIS; kind++) {
            double statistics[12];
            graph *g;
            CHECK_OK(trivial_statistics(statistics, &pair, kind, NULL));
            CHECK_OK(trivial_order(&g, &pair, kind, NULL));
            for (size_t i = 0; i < 12; i++) {
                CHECK(isfinite(statistics[i]));
                for (size_t j = 0; j < 12; j++) {
                    if (!graph_directed(g, i, j)) continue;
                    CHECK(statistics[i] < statistics[j] ||
                          (statistics[i] == statistics[j] && i < j));
                    CHECK(kinds[i] != 0 && kinds[j] != 0);
                }
            }
            scone_graph_free(g);
        }
        free_pair(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),      cmocka_unit_test(test_parents),
        cmocka_unit_test(test_empty_and_names), cmocka_unit_test(test_tells),
        cmocka_unit_test(test_odd_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
