/* test_fit_conditions.c - one node under a control and several conditions: who shares its
 * mechanism, who has one of its own, and what few rows are enough for.
 */
#include "fit_data.h"

#include <math.h>

enum { CONDITIONS = 4, CONTROL = 600 };

static const size_t sizes[CONDITIONS] = {400, 300, 500, 40};

/* Columns x and y: y = x + noise, but -x in condition `turned` and moved by 3 in `moved`. */
static void fill(double *x, double *y, size_t rows, int condition, int turned, int moved, rng *r)
{
    for (size_t i = 0; i < rows; i++) {
        x[i] = rng_normal(r);
        y[i] = (condition == turned ? -1.0 : 1.0) * x[i] + 0.5 * rng_normal(r);
        if (condition == moved) y[i] += 3.0;
    }
}

static fit_data data_make(int turned, int moved, uint64_t seed)
{
    size_t rows = 0, first = 0;
    for (int k = 0; k < CONDITIONS; k++) rows += sizes[k];
    double *control = malloc(2 * CONTROL * sizeof *control), *all = malloc(2 * rows * sizeof *all);
    CHECK(control != NULL && all != NULL);
    rng r = rng_stream(seed, RNG_TEST, 0, 0, 0);
    fill(control, control + CONTROL, CONTROL, 0, turned, moved, &r);
    for (int k = 0; k < CONDITIONS; first += sizes[k++]) {
        fill(all + first, all + rows + first, sizes[k], k + 1, turned, moved, &r);
    }
    scone_table *tables[2];
    fit_data data;
    CHECK_OK(scone_table_from_columns(&tables[0], control, CONTROL, 2, NULL));
    CHECK_OK(scone_table_from_columns(&tables[1], all, rows, 2, NULL));
    CHECK_OK(scone_pair_join(&data.pair, tables[0], tables[1]));
    const basis_options how = {.seed = 1, .conditions = CONDITIONS, .condition_rows = sizes};
    CHECK_OK(basis_alloc(&data.b, data.pair, &how, NULL));
    CHECK_OK(fit_work_alloc(&data.work, data.b));
    free(control);
    free(all);
    return data;
}

static fit_result fit_with(float *margins, const fit_data *data, const family *f, double odds)
{
    fit_result result;
    float *coefficients = malloc(fit_coefficient_count(data->b, f) * sizeof *coefficients);
    CHECK(coefficients != NULL);
    const fit_request request = {.family = f, .effort = 1, .odds = odds};
    fit_node(&result, coefficients, data->work, &request);
    const float *found = fit_margins(data->b, f, coefficients);
    for (int k = 0; k < CONDITIONS; k++) margins[k] = found[k];
    free(coefficients);
    return result;
}

/* A turned slope pays for a fit of its own, an offset in 40 rows for a number of its own. */
static void test_who_changed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        fit_data data = data_make(2, 4, seed);
        family f = fit_family(1, 1);
        float margins[CONDITIONS];
        fit_result result = fit_with(margins, &data, &f, 4.0);
        CHECK(result.changed == 2);
        CHECK(margins[0] <= 0.0f && margins[2] <= 0.0f);
        CHECK(margins[1] > 100.0f && margins[3] > 20.0f);
        fit_data_free(&data);
    }
}

/* Without a change one block has everything; with dear odds too. */
static void test_nobody_changed(void **state)
{
    (void)state;
    fit_data same = data_make(-1, -1, 7), data = data_make(2, 4, 7);
    family f = fit_family(1, 1);
    float margins[CONDITIONS];
    CHECK(fit_with(margins, &same, &f, 4.0).changed == 0);
    double cheap = fit_with(margins, &data, &f, 4.0).score;
    double dear = fit_with(margins, &data, &f, 5.0).score;
    CHECK_NEAR(cheap - dear, 2.0, 1e-9); /* two changes, a nat each */
    CHECK(fit_with(margins, &data, &f, 1e9).changed == 0);
    fit_data_free(&same);
    fit_data_free(&data);
}

/* y alone is explained worse; the scan sees what its parent would gain. */
static void test_scan(void **state)
{
    (void)state;
    fit_data data = data_make(2, 4, 3);
    family alone = fit_family(1, 0), with = fit_family(1, 1);
    float margins[CONDITIONS], gains[1], *coefficients;
    const uint32_t candidates[1] = {0};
    double gained =
        fit_with(margins, &data, &with, 4.0).score - fit_with(margins, &data, &alone, 4.0).score;
    CHECK(gained > 500.0);
    fit_result result;
    coefficients = malloc(fit_coefficient_count(data.b, &alone) * sizeof *coefficients);
    CHECK(coefficients != NULL);
    const fit_request request = {.family = &alone, .effort = 1, .odds = 4.0};
    fit_node(&result, coefficients, data.work, &request);
    fit_scan(gains, data.work, &alone, &result, coefficients, candidates, 1);
    CHECK((double)gains[0] > 0.3 * gained);
    free(coefficients);
    fit_data_free(&data);
}

/* The density of the grid has the integral 1, whatever the scale. */
static void test_density(void **state)
{
    (void)state;
    enum { POINTS = 4096 };
    fit_data data = data_make(-1, -1, 11);
    fit_rows rows = fit_rows_of(data.work, FIT_POOLED);
    fit_grid grid;
    static float at[KERNEL_LANES];
    fit_grid_make(&grid, basis_column(data.b, 0), &rows);
    for (double scale = 0.5; scale < 3.0; scale *= 2.0) {
        double sum = 0.0, step = 60.0 / POINTS;
        for (int i = 0; i < POINTS; i++) {
            at[0] = (float)(-30.0 + step * (i + 0.5));
            sum += step * exp(fit_grid_density(&grid, (double)rows.count, at, 1, scale));
        }
        CHECK_NEAR(sum, 1.0, 0.02);
    }
    fit_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_changed),
        cmocka_unit_test(test_nobody_changed),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_density),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
