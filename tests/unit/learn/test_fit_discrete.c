/* test_fit_discrete.c - effects with few values: likelihood, contrast, scans, and directions. */
#include "fit_data.h"

#include "learn/search/search.h"

#include <string.h>

static int draw(rng *r, const double *weights, int levels)
{
    double sum = 0.0, place = rng_uniform(r);
    for (int l = 0; l < levels; l++) sum += weights[l];
    for (int l = 0; l + 1 < levels; l++) {
        place -= weights[l] / sum;
        if (place < 0.0) return l;
    }
    return levels - 1;
}

static double offset_of_second, slope_of_second = 1.2;

/* x0 and x1 normal, y one of {0, 1} */
static void row_binary(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r);
    x[1] = rng_normal(r);
    double slope = regime ? slope_of_second : 1.2, offset = regime ? offset_of_second : 0.0;
    x[2] = draw(r, (double[]){1.0, exp(slope * x[0] + offset)}, 2);
}

/* one of {-1, 0, 2}, whose spread depends on x1 */
static void row_three(double *x, int regime, rng *r)
{
    (void)regime;
    x[0] = rng_normal(r);
    x[1] = rng_normal(r);
    double weights[3] = {exp(-0.7 * x[0] + 0.8 * x[1]), 1.5, exp(1.4 * x[0] + 0.8 * x[1])};
    x[2] = (double[]){-1.0, 0.0, 2.0}[draw(r, weights, 3)];
}

/* ---- likelihood ---- */

enum { MOST = 2 * BASIS_SIZE + 1 };

/* Newton's method of the logistic regression on the columns of the basis, with plain loops. */
static double logistic_likelihood(const fit_data *data, const family *f, const double *values)
{
    const basis *b = data->b;
    fit_design d;
    double theta[MOST] = {0}, value = 0.0;
    fit_design_make(&d, b, f);
    size_t k = d.count;
    for (int step = 0; step < 30; step++) {
        double gradient[MOST] = {0}, h[MOST][MOST] = {{0}};
        value = 0.0;
        for (size_t i = 0; i < b->stride; i++) {
            if (d.one[i] == 0.0f) continue;
            double eta = 0.0, y = values[i];
            for (size_t a = 0; a < k; a++) eta += theta[a] * (double)d.columns[a][i];
            double p = 1.0 / (1.0 + exp(-eta));
            value += y > 0.5 ? log(p) : log(1.0 - p);
            for (size_t a = 0; a < k; a++) {
                gradient[a] += (y - p) * (double)d.columns[a][i];
                for (size_t c = 0; c < k; c++) {
                    h[a][c] += p * (1.0 - p) * (double)d.columns[a][i] * (double)d.columns[c][i];
                }
            }
        }
        for (size_t a = 0; a < k; a++) { /* Gauss without pivots: h is positive definite */
            for (size_t c = a + 1; c < k; c++) {
                double factor = h[c][a] / h[a][a];
                for (size_t e = a; e < k; e++) h[c][e] -= factor * h[a][e];
                gradient[c] -= factor * gradient[a];
            }
        }
        for (size_t a = k; a-- > 0;) {
            for (size_t c = a + 1; c < k; c++) gradient[a] -= h[a][c] * gradient[c];
            gradient[a] /= h[a][a];
        }
        for (size_t a = 0; a < k; a++) theta[a] += gradient[a];
    }
    return value;
}

static void test_logistic(void **state)
{
    (void)state;
    offset_of_second = 0.0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        fit_data data = fit_data_make(row_binary, 3, 401, seed);
        const basis *b = data.b;
        fit_rows rows = fit_rows_of(data.work, FIT_POOLED);
        double *values = calloc(b->stride, sizeof *values);
        CHECK(values != NULL);
        CHECK(b->levels[2] == 2 && b->levels[0] == 0);
        for (size_t i = 0; i < b->stride; i++) values[i] = b->bin[2 * b->stride + i];
        for (size_t parents = 0; parents <= 2; parents++) {
            family f = fit_family(2, parents);
            fit_coefficients coefficients;
            fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
            double price = fit_price(&rows, 1 + BASIS_SIZE * parents, 0);
            CHECK_NEAR(result.shared + price, logistic_likelihood(&data, &f, values), 0.05);
        }
        free(values);
        fit_data_free(&data);
    }
}

/* ---- which parents ---- */

static double score_with(const fit_data *data, size_t node, size_t parent)
{
    fit_coefficients coefficients;
    family f = {.node = (uint32_t)node};
    if (parent != node) f = family_with(&f, parent);
    return fit_of(data, &f, 1, NULL, coefficients).score;
}

static void test_parents(void **state)
{
    (void)state;
    offset_of_second = 0.0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        fit_data data = fit_data_make(row_binary, 3, 1000, seed);
        double alone = score_with(&data, 2, 2);
        CHECK(score_with(&data, 2, 0) > alone + 100.0);
        CHECK(score_with(&data, 2, 1) < alone + 3.0);
        fit_data_free(&data);
    }
}

/* The spread of three values: only the model with z^2 sees x1. */
static void test_spread(void **state)
{
    (void)state;
    fit_data data = fit_data_make(row_three, 3, 2000, 3);
    family f = {.node = 2};
    fit_coefficients coefficients;
    f = family_with(&f, 1);
    fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
    CHECK(data.b->levels[2] == 3);
    CHECK(result.model[FIT_POOLED] == FIT_MODELLED);
    CHECK(result.score > score_with(&data, 2, 2) + 100.0);
    fit_data_free(&data);
}

/* ---- contrast ---- */

static void test_contrast(void **state)
{
    (void)state;
    static const double offsets[] = {0.0, 1.0, 0.0}, slopes[] = {1.2, 1.2, -1.0};
    static const fit_contrast expected[] = {FIT_SHARED, FIT_OFFSET, FIT_SEPARATE};
    for (int kind = 0; kind < 3; kind++) {
        int right = 0;
        offset_of_second = offsets[kind];
        slope_of_second = slopes[kind];
        for (uint64_t seed = 1; seed <= 8; seed++) {
            fit_data data = fit_data_make(row_binary, 3, 1500, seed);
            family f = fit_family(2, 1);
            fit_coefficients coefficients;
            fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
            right += result.contrast == expected[kind];
            if (kind > 0) CHECK(result.separate > result.shared + 20.0);
            fit_data_free(&data);
        }
        CHECK(right >= 7);
    }
    offset_of_second = 0.0;
    slope_of_second = 1.2;
}

/* ---- scans ---- */

static void test_scan(void **state)
{
    (void)state;
    fit_row *const rows[] = {row_binary, row_three};
    for (int kind = 0; kind < 2; kind++) {
        fit_data data = fit_data_make(rows[kind], 3, 2000, 5);
        fit_rows all = fit_rows_of(data.work, FIT_POOLED);
        family f = {.node = 2};
        fit_coefficients coefficients, other;
        const uint32_t candidates[] = {0, 1};
        float gains[2];
        fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
        fit_scan(gains, data.work, &f, &result, coefficients, candidates, 2);
        for (size_t c = 0; c < 2; c++) {
            family more = family_with(&f, c);
            fit_result with = fit_of(&data, &more, 1, NULL, other);
            size_t further = with.model[FIT_POOLED] == FIT_MODELLED ? 2 : 1;
            double gain = with.shared - result.shared + fit_price(&all, further * BASIS_SIZE, 0);
            bool real = kind == 1 || c == 0;
            if (real) CHECK((double)gains[c] > 0.6 * gain && (double)gains[c] < 1.2 * gain);
            if (!real) CHECK(gains[c] >= 0.0f && gains[c] < 20.0f);
        }
        fit_data_free(&data);
    }
}

/* ---- directions ---- */

/* x normal -> y of five values -> z normal; the first regime only */
static void row_chain(double *x, int regime, rng *r)
{
    double weights[5];
    x[0] = rng_normal(r) + (regime ? 0.8 : 0.0);
    for (int l = 0; l < 5; l++) weights[l] = exp(0.9 * l * x[0] - 0.3 * l * l);
    x[1] = draw(r, weights, 5);
    x[2] = 0.8 * x[1] + rng_normal(r);
}

/* A search on columns with few values finds the edges, and no more. */
static void test_search(void **state)
{
    (void)state;
    scone_pair *pair = fit_pair(row_chain, 3, 1500, 9);
    search_result found;
    CHECK_OK(search_run(&found, pair, &(search_options){.effort = 1, .edge_cost = -1.0}, NULL));
    CHECK(graph_directed(found.graph, 0, 1) && graph_directed(found.graph, 1, 2));
    CHECK(!graph_adjacent(found.graph, 0, 2));
    search_result_free(&found);
    scone_pair_free(pair);
}

/* Values that determine each other, a level that one regime lacks: finite scores. */
static void row_degenerate(double *x, int regime, rng *r)
{
    x[0] = draw(r, (double[]){1.0, 1.0, regime ? 0.0 : 1.0}, 3);
    x[1] = x[0] > 0.5;
    x[2] = x[0];
}

static void test_degenerate(void **state)
{
    (void)state;
    fit_data data = fit_data_make(row_degenerate, 3, 200, 2);
    for (size_t node = 0; node < 3; node++) {
        for (size_t parent = 0; parent < 3; parent++) {
            CHECK(isfinite(score_with(&data, node, parent)));
        }
    }
    CHECK(score_with(&data, 2, 0) > score_with(&data, 2, 2) + 100.0);
    fit_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logistic),   cmocka_unit_test(test_parents),
        cmocka_unit_test(test_spread),     cmocka_unit_test(test_contrast),
        cmocka_unit_test(test_scan),       cmocka_unit_test(test_search),
        cmocka_unit_test(test_degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
