/* fit_data.h - small pairs of tables from a function of a row, for tests of the scores. */
#ifndef SCONE_TESTS_FIT_DATA_H
#define SCONE_TESTS_FIT_DATA_H

#include "testing.h"

#include "base/rng.h"
#include "learn/fit/fit_parts.h"

#include <stdlib.h>

enum { FIT_DATA_COLUMNS = FAMILY_MAX_PARENTS + 1 };

/* Writes one row; the last cell in use is by convention y. */
typedef void fit_row(double *cells, int regime, rng *r);

typedef struct fit_data {
    scone_pair *pair;
    basis *b;
    fit_work *work;
} fit_data;

static inline scone_pair *fit_pair(fit_row *row, size_t columns, size_t rows, uint64_t seed)
{
    scone_table *tables[2];
    scone_pair *pair;
    for (int c = 0; c < 2; c++) {
        double cells[FIT_DATA_COLUMNS] = {0}, *x = malloc(columns * rows * sizeof *x);
        rng r = rng_stream(seed, RNG_TEST, (uint64_t)c, 0, 0);
        CHECK(x != NULL);
        for (size_t i = 0; i < rows; i++) {
            row(cells, c, &r);
            for (size_t j = 0; j < columns; j++) x[j * rows + i] = cells[j];
        }
        CHECK_OK(scone_table_from_columns(&tables[c], x, rows, columns, NULL));
        free(x);
    }
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

static inline fit_data fit_data_make(fit_row *row, size_t columns, size_t rows, uint64_t seed)
{
    fit_data data = {.pair = fit_pair(row, columns, rows, seed)};
    CHECK_OK(basis_alloc(&data.b, data.pair, &(basis_options){.seed = 1}, NULL));
    CHECK_OK(fit_work_alloc(&data.work, data.b));
    return data;
}

static inline void fit_data_free(fit_data *data)
{
    fit_work_free(data->work);
    basis_free(data->b);
    scone_pair_free(data->pair);
}

/* Node `node` with the first `count` columns as its parents. */
static inline family fit_family(size_t node, size_t count)
{
    family f = {.node = (uint32_t)node};
    for (size_t u = 0; u < count; u++) f = family_with(&f, u);
    return f;
}

/* Room for the coefficients of any family of these tests. */
typedef float fit_coefficients[FIT_SETS * FIT_VECTORS * FIT_MAX_COLUMNS +
                               FIT_UNITS * (FAMILY_MAX_PARENTS + 1)];

static inline fit_result fit_of(const fit_data *data, const family *f, int effort,
                                const fit_start *start, float *coefficients)
{
    fit_result result;
    const fit_request request = {
        .family = f, .effort = effort, .starts = start, .start_count = start != NULL};
    fit_node(&result, coefficients, data->work, &request);
    return result;
}

static inline double fit_log_normal(double e)
{
    return -0.5 * e * e - 0.91893853320467274178; /* half of log 2 pi */
}

static inline double fit_laplace(rng *r)
{
    return rng_sign(r) * rng_exponential(r);
}

/* The log-density of the last column given the row, in the units of the basis, summed over all
 * rows. */
static inline double fit_truth(const fit_data *data, double (*log_density)(const double *cells))
{
    double sum = 0.0, mean = 0.0, square = 0.0, n = 0.0, cells[FIT_DATA_COLUMNS] = {0};
    for (int c = 0; c < 2; c++) {
        const scone_table *t = data->pair->tables[c];
        for (size_t i = 0; i < t->rows; i++) {
            for (size_t j = 0; j < t->columns; j++) cells[j] = table_column(t, j)[i];
            sum += log_density(cells);
            mean += cells[t->columns - 1];
            square += cells[t->columns - 1] * cells[t->columns - 1];
            n += 1.0;
        }
    }
    return sum + n * 0.5 * log(square / n - mean * mean / (n * n));
}

#endif
