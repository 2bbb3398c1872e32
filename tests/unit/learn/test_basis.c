/* test_basis.c - standardized columns, bins and Gram matrices against sums of the table's values.
 */
#include "testing.h"

#include "base/rng.h"
#include "learn/fit/basis.h"
#include "learn/fit/kernel.h"

#include <stdlib.h>

enum { COLUMNS = 6, FIRST = 700, SECOND = 333, ALL = FIRST + SECOND };
enum { NORMAL, SKEWED, BINARY, LEVELS, CONSTANT, OFFSET };

/* One column of each kind; regime 1 is shifted. */
static double cell(rng *r, size_t column, int regime)
{
    double z = rng_normal(r), u = rng_uniform(r);
    switch (column) {
    case NORMAL:
        return 3.0 + 5.0 * z + 2.0 * regime;
    case SKEWED:
        return exp(z) - 0.5 * regime;
    case BINARY:
        return u < 0.3 ? 7.0 : -1.0;
    case LEVELS:
        return u < 0.5 ? 0.0 : u < 0.8 ? 1.0 : 5.0;
    case CONSTANT:
        return 1234567.891;
    default:
        return 1e8 + u;
    }
}

static scone_pair *tables(uint64_t seed)
{
    static double x[2][COLUMNS * FIRST];
    static const size_t rows[] = {FIRST, SECOND};
    scone_table *made[2];
    scone_pair *pair;
    rng r = rng_stream(seed, RNG_TEST, 0, 0, 0);
    for (int c = 0; c < 2; c++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            for (size_t i = 0; i < rows[c]; i++) x[c][j * rows[c] + i] = cell(&r, j, c);
        }
        CHECK_OK(scone_table_from_columns(&made[c], x[c], rows[c], COLUMNS, NULL));
    }
    CHECK_OK(scone_pair_join(&pair, made[0], made[1]));
    return pair;
}

static scone_pair *pair;
static basis *b;

static int set_up(void **state)
{
    (void)state;
    pair = tables(21);
    CHECK_OK(basis_alloc(&b, pair, &(basis_options){.seed = 5}, NULL));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    basis_free(b);
    scone_pair_free(pair);
    return 0;
}

/* Where row i of both regimes together stands. */
static size_t place(size_t i)
{
    return i < FIRST ? i : b->start[1] + i - FIRST;
}

/* Is this row one of the data, not of the padding? */
static bool is_data(size_t row)
{
    return row < FIRST || (row >= b->start[1] && row < b->start[1] + SECOND);
}

/* mean and standard deviation of a column of the tables, both regimes together */
static void moments(size_t column, double *mean, double *sd)
{
    long double sum = 0.0L, square = 0.0L;
    for (int c = 0; c < 2; c++) {
        const double *x = table_column(pair->tables[c], column);
        for (size_t i = 0; i < pair->tables[c]->rows; i++) sum += x[i];
    }
    sum /= ALL;
    for (int c = 0; c < 2; c++) {
        const double *x = table_column(pair->tables[c], column);
        for (size_t i = 0; i < pair->tables[c]->rows; i++) square += (x[i] - sum) * (x[i] - sum);
    }
    *mean = (double)sum;
    *sd = (double)sqrtl(square / ALL);
}

static int compare(const void *a, const void *c)
{
    double x = *(const double *)a, y = *(const double *)c;
    return (x > y) - (x < y);
}

static void check_standardized(const float *x, double tolerance)
{
    double sum = 0.0, square = 0.0;
    for (size_t i = 0; i < ALL; i++) {
        double v = (double)x[place(i)];
        sum += v;
        square += v * v;
    }
    CHECK_NEAR(sum / ALL, 0.0, tolerance);
    CHECK_NEAR(square / ALL, 1.0, tolerance);
}

static void test_layout(void **state)
{
    (void)state;
    CHECK(b->nodes == COLUMNS && b->rows[0] == FIRST && b->rows[1] == SECOND);
    for (int c = 0; c < 2; c++) {
        CHECK(b->padded[c] % KERNEL_LANES == 0 && b->padded[c] >= b->rows[c]);
        CHECK(b->padded[c] < b->rows[c] + KERNEL_LANES);
    }
    CHECK(b->padded[0] > FIRST && b->padded[1] > SECOND); /* so that there is some to look at */
    CHECK(b->start[0] == 0 && b->start[1] == b->padded[0]);
    CHECK(b->stride == b->padded[0] + b->padded[1]);
    CHECK(b->columns == COLUMNS * BASIS_SIZE + 1);
}

static void test_columns(void **state)
{
    (void)state;
    static const size_t sizes[COLUMNS] = {BASIS_SIZE, BASIS_SIZE, 1, 2, 1, BASIS_SIZE};
    for (size_t v = 0; v < COLUMNS; v++) {
        if (b->size[v] != sizes[v]) {
            fail_msg("column %zu has a basis of %zu, expected %zu", v, b->size[v], sizes[v]);
        }
        for (size_t a = 0; a < b->size[v] && v != CONSTANT; a++) {
            check_standardized(basis_column(b, v * BASIS_SIZE + a), 5e-5); /* blurred */
        }
        for (size_t a = 0; a < b->detail_size[v]; a++) {
            check_standardized(basis_detail(b, v, a), 1e-5);
        }
    }
    CHECK(b->detail_size[NORMAL] == BASIS_SIZE && b->detail_size[SKEWED] == BASIS_SIZE);
    CHECK(b->detail_size[BINARY] == 0 && b->detail_size[LEVELS] == 0);
    CHECK(b->detail_size[CONSTANT] == 0);
    for (size_t i = 0; i < b->stride; i++) {
        CHECK_SAME((double)basis_column(b, CONSTANT * BASIS_SIZE)[i], 0.0);
        CHECK_SAME((double)basis_column(b, b->columns - 1)[i], is_data(i) ? 1.0 : 0.0);
    }
}

/* Padding, and columns that are not in use, are zero. */
static void test_padding(void **state)
{
    (void)state;
    for (size_t v = 0; v < COLUMNS; v++) {
        for (size_t a = 0; a < BASIS_SIZE; a++) {
            const float *x = basis_column(b, v * BASIS_SIZE + a), *y = basis_detail(b, v, a);
            for (size_t i = 0; i < b->stride; i++) {
                if (!is_data(i) || a >= b->size[v]) CHECK_SAME((double)x[i], 0.0);
                if (!is_data(i) || a >= b->detail_size[v]) CHECK_SAME((double)y[i], 0.0);
            }
        }
        for (size_t i = 0; i < b->stride; i++) CHECK(is_data(i) || b->bin[v * b->stride + i] == 0);
    }
}

/* z is the first column, and the others are functions of it (but for its blur of 1e-4): as ramps
 * they do not decrease with it. */
static void test_functions_of_z(void **state)
{
    (void)state;
    for (size_t v = 0; v < COLUMNS; v++) {
        const float *z = basis_column(b, v * BASIS_SIZE);
        for (size_t a = 1; a < b->size[v] + b->detail_size[v]; a++) {
            const float *x = a < b->size[v] ? basis_column(b, v * BASIS_SIZE + a)
                                            : basis_detail(b, v, a - b->size[v]);
            for (size_t i = 0; i + 1 < ALL; i++) {
                size_t p = place(i), q = place(i + 1);
                if (z[p] < z[q] - 2e-3f) CHECK(x[p] <= x[q] + 1e-6f);
                if (z[p] > z[q] + 2e-3f) CHECK(x[p] >= x[q] - 1e-6f);
            }
        }
    }
}

/* In each regime the values of the table, standardized and blurred by 1e-4, each once; and the same
 * shuffle for all columns, so that the sum of a row is the sum of a row of the table. */
static void test_shuffle(void **state)
{
    (void)state;
    static const size_t used[] = {NORMAL, SKEWED, BINARY, LEVELS};
    static double expected[FIRST], found[FIRST];
    bool moved = false;
    for (int c = 0; c < 2; c++) {
        const scone_table *t = pair->tables[c];
        for (size_t k = 0; k <= 4; k++) { /* four columns, then their sum */
            memset(expected, 0, sizeof expected);
            memset(found, 0, sizeof found);
            for (size_t j = k < 4 ? k : 0; j < (k < 4 ? k + 1 : 4); j++) {
                double mean, sd;
                moments(used[j], &mean, &sd);
                const float *z = basis_column(b, used[j] * BASIS_SIZE) + b->start[c];
                for (size_t i = 0; i < t->rows; i++) {
                    double value = (table_column(t, used[j])[i] - mean) / sd;
                    expected[i] += value;
                    found[i] += (double)z[i];
                    moved = moved || fabs(value - (double)z[i]) > 1e-3;
                }
            }
            qsort(expected, t->rows, sizeof *expected, compare);
            qsort(found, t->rows, sizeof *found, compare);
            for (size_t i = 0; i < t->rows; i++) CHECK_NEAR(found[i], expected[i], 2e-3);
        }
    }
    CHECK(moved);
}

static void test_seed(void **state)
{
    (void)state;
    basis *same, *other;
    size_t bytes = b->columns * b->stride * sizeof *b->values;
    scone_context context = {.threads = 2};
    CHECK_OK(basis_alloc(&same, pair, &(basis_options){.seed = 5}, &context));
    CHECK_OK(basis_alloc(&other, pair, &(basis_options){.seed = 6}, NULL));
    CHECK(memcmp(b->values, same->values, bytes) == 0);
    CHECK(memcmp(b->detail, same->detail, COLUMNS * BASIS_SIZE * b->stride * sizeof(float)) == 0);
    CHECK(memcmp(b->bin, same->bin, COLUMNS * b->stride) == 0);
    for (int c = 0; c < 2; c++) {
        CHECK(memcmp(b->gram[c], same->gram[c], b->columns * b->columns * sizeof(double)) == 0);
    }
    CHECK(memcmp(b->values, other->values, bytes) != 0);
    basis_free(same);
    basis_free(other);
}

/* Fewer rows are the first ones of the same shuffle, standardized among themselves; a plain basis
 * has no detail. */
static void test_sample(void **state)
{
    (void)state;
    basis *few;
    CHECK_OK(basis_alloc(&few, pair, &(basis_options){.seed = 5, .most_rows = 400, .plain = true},
                         NULL));
    CHECK(few->rows[0] == 400 && few->rows[1] == SECOND && few->detail == NULL);
    CHECK(few->start[1] == 400 && few->stride == 400 + b->padded[1]);
    for (size_t v = 0; v < COLUMNS; v++) {
        const float *x = basis_column(b, v * BASIS_SIZE), *z = basis_column(few, v * BASIS_SIZE);
        double sum = 0.0, square = 0.0, rows = 400 + SECOND;
        CHECK(few->size[v] == b->size[v] && few->detail_size[v] == 0);
        for (size_t i = 0; i < 400; i++) sum += (double)x[i];
        for (size_t i = 0; i < SECOND; i++) sum += (double)x[b->start[1] + i];
        for (size_t i = 0; i < 400; i++) square += pow((double)x[i] - sum / rows, 2.0);
        for (size_t i = 0; i < SECOND; i++) {
            square += pow((double)x[b->start[1] + i] - sum / rows, 2.0);
        }
        for (size_t i = 0; i < 400 + SECOND && v != CONSTANT; i++) {
            double at = (double)x[i < 400 ? i : b->start[1] + i - 400];
            CHECK_NEAR((double)z[i], (at - sum / rows) / sqrt(square / rows), 2e-3);
        }
    }
    CHECK_SAME(few->gram[0][few->columns * few->columns - 1], 400.0);
    basis_free(few);
}

/* Bins keep the order of the values, hold what `filled` says, and are even where values differ. */
static void test_bins(void **state)
{
    (void)state;
    for (size_t v = 0; v < COLUMNS; v++) {
        const uint8_t *bin = b->bin + v * b->stride;
        const float *z = basis_column(b, v * BASIS_SIZE);
        double low[BASIS_BINS], high[BASIS_BINS], top = -HUGE_VAL;
        size_t counts[2][BASIS_BINS] = {{0}};
        for (size_t k = 0; k < BASIS_BINS; k++) low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
        for (size_t i = 0; i < ALL; i++) {
            size_t k = bin[place(i)];
            CHECK(k < BASIS_BINS);
            counts[i >= FIRST][k]++;
            low[k] = fmin(low[k], (double)z[place(i)]);
            high[k] = fmax(high[k], (double)z[place(i)]);
        }
        for (size_t k = 0; k < BASIS_BINS; k++) {
            for (int c = 0; c < 2; c++) {
                CHECK_SAME((double)b->filled[c][v * BASIS_BINS + k], (double)counts[c][k]);
            }
            size_t sum = counts[0][k] + counts[1][k];
            if (sum == 0) continue;
            CHECK(low[k] > top - 2e-3); /* in the order of the values, but for their blur */
            top = high[k];
            if (v == NORMAL || v == SKEWED) CHECK_NEAR((double)sum, ALL / 64.0, 2.0);
        }
    }
}

static void test_centres(void **state)
{
    (void)state;
    for (size_t v = 0; v < COLUMNS; v++) {
        const uint8_t *bin = b->bin + v * b->stride;
        for (size_t a = 0; a < BASIS_SIZE; a++) {
            const float *x = basis_column(b, v * BASIS_SIZE + a);
            const float *centres = b->centres + (v * BASIS_SIZE + a) * BASIS_BINS;
            for (size_t k = 0; k < BASIS_BINS; k++) {
                long double sum = 0.0L, count = 0.0L;
                for (size_t i = 0; i < ALL; i++) {
                    if (bin[place(i)] != k) continue;
                    sum += (long double)x[place(i)];
                    count += 1.0L;
                }
                CHECK_NEAR((double)centres[k], count > 0.0L ? (double)(sum / count) : 0.0, 4e-4);
            }
        }
    }
}

static void test_gram(void **state)
{
    (void)state;
    size_t n = b->columns;
    for (int c = 0; c < 2; c++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                const float *x = basis_column(b, i), *y = basis_column(b, j);
                double sum = 0.0;
                for (size_t row = 0; row < b->rows[c]; row++) {
                    sum += (double)x[b->start[c] + row] * (double)y[b->start[c] + row];
                }
                CHECK_NEAR(b->gram[c][i * n + j], sum, 1e-5 * FIRST); /* floats */
                CHECK_SAME(b->gram[c][i * n + j], b->gram[c][j * n + i]);
            }
        }
        CHECK_SAME(b->gram[c][n * n - 1], (double)b->rows[c]);
    }
}

/* A table in other units has the same basis. */
static void test_units(void **state)
{
    (void)state;
    static const int powers[] = {-100, -50, 3, 100};
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        scone_pair *scaled = tables(21);
        basis *other;
        for (int c = 0; c < 2; c++) {
            scone_table *t = scaled->tables[c];
            for (size_t i = 0; i < t->rows * t->columns; i++) {
                t->values[i] = ldexp(t->values[i], powers[k]);
            }
        }
        CHECK_OK(basis_alloc(&other, scaled, &(basis_options){.seed = 5}, NULL));
        CHECK(memcmp(b->size, other->size, COLUMNS * sizeof *b->size) == 0);
        CHECK(memcmp(b->values, other->values, b->columns * b->stride * sizeof *b->values) == 0);
        basis_free(other);
        scone_pair_free(scaled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),  cmocka_unit_test(test_columns),
        cmocka_unit_test(test_padding), cmocka_unit_test(test_functions_of_z),
        cmocka_unit_test(test_shuffle), cmocka_unit_test(test_seed),
        cmocka_unit_test(test_sample),  cmocka_unit_test(test_bins),
        cmocka_unit_test(test_centres), cmocka_unit_test(test_gram),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
