/* test_fit.c - the location-scale fits on data whose density is known. */
#include "fit_data.h"

#include <stdlib.h>

/* ---- entropy ---- */

enum { MANY = 20000 };

static fit_rows rows_of(size_t length, size_t padding)
{
    static size_t begin = 0, lengths[2]; /* without padding, with it */
    lengths[padding > 0] = length;
    return (fit_rows){.parts = 1,
                      .begin = &begin,
                      .length = &lengths[padding > 0],
                      .limit = SIZE_MAX,
                      .count = length - padding,
                      .padding = padding};
}

/* Kinds of noise with their entropy in nats. */
static double draw(int kind, rng *r)
{
    return kind == 0 ? 2.0 * rng_normal(r) : kind == 1 ? rng_range(r, -3.0, 3.0) : fit_laplace(r);
}

static void test_entropy(void **state)
{
    (void)state;
    const double truth[3] = {0.5 - fit_log_normal(0.0) + log(2.0), log(6.0), 1.0 + log(2.0)};
    /* two sd of the sample's own entropy */
    static const double tolerance[3] = {0.01, 0.01, 0.015};
    static float e[MANY + 16], near[MANY];
    const fit_rows rows = rows_of(MANY, 0), padded = rows_of(MANY + 16, 16);
    for (int kind = 0; kind < 3; kind++) {
        rng r = rng_stream(31, RNG_TEST, (uint64_t)kind, 0, 0);
        for (size_t i = 0; i < MANY; i++) {
            e[i] = (float)draw(kind, &r);
            near[i] = e[i] * (1.0f + 1e-4f * (float)rng_normal(&r)) + 1e-4f * (float)rng_normal(&r);
        }
        double found = fit_entropy(e, &rows);
        CHECK_NEAR(found / MANY, truth[kind], tolerance[kind]);
        CHECK_NEAR(fit_entropy(e, &padded), found,
                   0.05); /* zeros past the rows count for nothing */
        CHECK_NEAR(fit_entropy(near, &rows), found, 2.0);
        for (size_t i = 0; i < MANY; i++) near[i] = 4.0f * e[i];
        CHECK_NEAR(fit_entropy(near, &rows), found + MANY * log(4.0), 1e-3);
    }
}

/* ---- models ---- */

/* One kind of data: y is the last column; log_density is that of y given the row. */
typedef struct model_case {
    const char *name;
    fit_row *row;
    double (*log_density)(const double *cells);
    size_t parents;
    fit_model model;
    int refined;
    double tolerance; /* nats per row */
} model_case;

static void row_constant(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) + 0.5 * regime;
    x[1] = tanh(2.0 * x[0]) + 0.5 * rng_normal(r);
}

static double density_constant(const double *x)
{
    return fit_log_normal((x[1] - tanh(2.0 * x[0])) / 0.5) - log(0.5);
}

static void row_modelled(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) + 0.5 * regime;
    x[1] = x[0] + 0.5 * exp(0.5 * x[0]) * rng_normal(r);
}

static double density_modelled(const double *x)
{
    double s = 0.5 * exp(0.5 * x[0]);
    return fit_log_normal((x[1] - x[0]) / s) - log(s);
}

static void row_log(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) + 0.5 * regime;
    x[1] = exp(0.4 * x[0]) * rng_normal(r);
}

static double density_log(const double *x)
{
    return fit_log_normal(x[1] * exp(-0.4 * x[0])) - 0.4 * x[0];
}

static void row_sd(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) + 0.5 * regime;
    x[1] = (x[0] - 0.3) * rng_normal(r);
}

static double density_sd(const double *x)
{
    double s = fabs(x[0] - 0.3);
    return fit_log_normal(x[1] / s) - log(s);
}

static void row_sd_two(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) + 0.5 * regime;
    x[1] = rng_normal(r);
    x[2] = (x[0] - 1.5 * tanh(x[1])) * rng_normal(r);
}

static double density_sd_two(const double *x)
{
    double s = fabs(x[0] - 1.5 * tanh(x[1]));
    return fit_log_normal(x[2] / s) - log(s);
}

static void row_refined(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) + 0.5 * regime;
    x[1] = rng_normal(r);
    x[2] = tanh(x[0]) * tanh(x[1]) * 2.0 + 0.3 * rng_normal(r);
}

static double density_refined(const double *x)
{
    return fit_log_normal((x[2] - tanh(x[0]) * tanh(x[1]) * 2.0) / 0.3) - log(0.3);
}

/* Mean and spread both depend on the product of the parents. */
static double log_sigma_both(const double *x)
{
    return -1.0 + tanh(x[0] * x[1]);
}

static void row_both(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) + 0.3 * regime;
    x[1] = rng_normal(r);
    x[2] = sin(x[0] * x[1]) + exp(log_sigma_both(x)) * rng_normal(r);
}

static double density_both(const double *x)
{
    double s = log_sigma_both(x), e = (x[2] - sin(x[0] * x[1])) / exp(s);
    return fit_log_normal(e) - s;
}

/* mean 0 and spread 1 for all x, but the long tail changes sides */
static void row_shape(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) + 0.5 * regime;
    x[1] = (x[0] < 0.0 ? -1.0 : 1.0) * (rng_exponential(r) + 0.2 * rng_normal(r) - 1.0);
}

/* exponential plus normal noise of sd s */
static double density_shape(const double *x)
{
    double v = (x[0] < 0.0 ? -1.0 : 1.0) * x[1] + 1.0, s = 0.2;
    return 0.5 * s * s - v + log(0.5 * erfc((s * s - v) / (s * sqrt(2.0))));
}

/* The sd link has a floor under its spread; four Legendre polynomials are not quite an
 * exponential. */
static const model_case cases[] = {
    {"constant", row_constant, density_constant, 1, FIT_CONSTANT, false, 0.02},
    {"modelled", row_modelled, density_modelled, 1, FIT_MODELLED, false, 0.02},
    {"log link", row_log, density_log, 1, FIT_LOG, false, 0.02},
    {"sd link", row_sd, density_sd, 1, FIT_SD, false, 0.04},
    {"sd link of two", row_sd_two, density_sd_two, 2, FIT_SD, false, 0.04},
    {"refined", row_refined, density_refined, 2, FIT_CONSTANT, FIT_REFINED_MEAN, 0.02},
    {"refined spread", row_both, density_both, 2, FIT_MODELLED, FIT_REFINED_BOTH, 0.04},
    {"shape", row_shape, density_shape, 1, FIT_CONSTANT, false, 0.08},
};

/* What the parameters of the best model on both regimes cost. */
static double price(const fit_data *data, const family *f, const fit_result *result)
{
    fit_rows rows = fit_rows_of(data->work, FIT_POOLED);
    size_t k = result->columns, further = 0;
    if (result->refined[FIT_POOLED]) {
        if (f->count == 1) further = data->b->detail_size[f->parents[0]];
        further = (further + result->units) * result->refined[FIT_POOLED];
    }
    return fit_price(&rows, result->model[FIT_POOLED] == FIT_MODELLED ? 2 * k : k + 1, further);
}

static void test_models(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const model_case *m = &cases[k];
        fit_data data = fit_data_make(m->row, m->parents + 1, 4000, 41);
        family f = fit_family(m->parents, m->parents), none = fit_family(m->parents, 0);
        fit_coefficients coefficients;
        double n = 8000.0, truth = fit_truth(&data, m->log_density) / n;
        double alone = fit_of(&data, &none, 1, NULL, coefficients).shared / n;
        fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
        double found = (result.shared + price(&data, &f, &result)) / n;
        if (result.model[0] != m->model || result.refined[0] != m->refined ||
            result.separate > result.shared + 10.0 || !(fabs(found - truth) < m->tolerance) ||
            !(alone < truth - 0.1)) {
            fail_msg("%s: model %d, refined %d, contrast %d, %g nats a row, %g without parents, "
                     "the true density %g",
                     m->name, (int)result.model[0], result.refined[0], (int)result.contrast, found,
                     alone, truth);
        }
        CHECK_SAME(result.score, fmax(result.shared, result.separate));
        CHECK(result.columns == fit_columns(data.b, &f));
        fit_data_free(&data);
    }
}

/* A network of three parents with ten units, and a variable that has nothing to do with it. */
static double net(const double *x)
{
    double sum = 0.0;
    for (int h = 0; h < 10; h++) {
        double a = 0.7 * h;
        sum += cos(2.0 * a + 0.3) *
               tanh(1.5 * (cos(a) * x[0] + sin(1.7 * a) * x[1] + cos(2.3 * a) * x[2]));
    }
    return sum;
}

static void row_net(double *x, int regime, rng *r)
{
    for (int j = 0; j < 4; j++) x[j] = rng_normal(r) + 0.2 * regime;
    x[4] = net(x) + 0.2 * rng_normal(r);
}

static double density_net(const double *x)
{
    return fit_log_normal((x[4] - net(x)) / 0.2) - log(0.2);
}

#ifdef __SANITIZE_ADDRESS__
enum { NETWORKS = 2 };
#else
enum { NETWORKS = 4 };
#endif

/* Units are found that come close to the truth; a further parent brings them no resolution. Which
 * start ends in a poor optimum, one in sixteen or so, depends on the kind of machine: half of the
 * tables have to show it. That each of the parents is worth its price shows in all of them. */
static void test_network(void **state)
{
    (void)state;
    int close = 0;
    for (uint64_t seed = 43; seed < 43 + NETWORKS; seed++) {
        fit_data data = fit_data_make(row_net, 5, 4000, seed);
        fit_coefficients coefficients;
        family three = fit_family(4, 3), four = fit_family(4, 4);
        fit_result true_fit = fit_of(&data, &three, 1, NULL, coefficients);
        double found = (true_fit.shared + price(&data, &three, &true_fit)) / 8000.0;
        double truth = fit_truth(&data, density_net) / 8000.0;
        CHECK(true_fit.refined[FIT_POOLED] == FIT_REFINED_MEAN && true_fit.units > 8);
        CHECK(fabs(found - truth) < 0.2);
        double further = fit_of(&data, &four, 1, NULL, coefficients).score;
        close += fabs(found - truth) < 0.05 && further < true_fit.score + 10.0;
        for (size_t p = 0; p < 3; p++) {
            family less = family_without(&three, p);
            CHECK(fit_of(&data, &less, 1, NULL, coefficients).score < true_fit.score - 500.0);
        }
        fit_data_free(&data);
    }
    CHECK(close >= NETWORKS / 2);
}

/* Noise that does not depend on the parents has no shape to gain by; a tail that
 * changes sides has. */
static void test_shape(void **state)
{
    (void)state;
    fit_row *const rows_[2] = {row_constant, row_shape};
    for (int k = 0; k < 2; k++) {
        fit_data data = fit_data_make(rows_[k], 2, 2000, 42);
        family f = fit_family(1, 1);
        fit_design d;
        fit_rows rows = fit_rows_of(data.work, FIT_POOLED);
        static double gram[FIT_MAX_COLUMNS * FIT_MAX_COLUMNS];
        float *e = malloc(data.b->stride * sizeof *e);
        CHECK(e != NULL);
        fit_design_make(&d, data.b, &f);
        memset(gram, 0, sizeof gram);
        fit_gram(gram, &d, &rows, NULL);
        rng r = rng_stream(43, RNG_TEST, 0, 0, 0);
        for (size_t i = 0; i < data.b->stride; i++) {
            e[i] = k == 1 ? basis_column(data.b, BASIS_SIZE)[i] : (float)fit_laplace(&r) * d.one[i];
        }
        double gain = fit_shape(data.work, &d, &rows, gram, e, 1);
        if (k == 0) CHECK_SAME(gain, 0.0);
        if (k == 1) CHECK(gain > 0.05 * (double)rows.count && gain < 0.2 * (double)rows.count);
        free(e);
        fit_data_free(&data);
    }
}

/* The gradient of the shape's likelihood against differences, row by row; rows that count 0 times
 * have none. */
static void test_shape_gradient(void **state)
{
    (void)state;
    enum { ROWS = 16 };
    static float eta[FIT_ORDERS][KERNEL_BLOCK], moved[FIT_ORDERS][KERNEL_BLOCK];
    float u[ROWS], none[ROWS] = {0};
    const float step = 0.05f;
    rng r = rng_stream(44, RNG_TEST, 0, 0, 0);
    for (int orders = 4; orders <= FIT_ORDERS; orders += FIT_ORDERS - 4) {
        float start[FIT_ORDERS][ROWS];
        for (int i = 0; i < ROWS; i++) {
            u[i] = (float)rng_uniform(&r);
            for (int j = 0; j < orders; j++) start[j][i] = 0.3f * (float)rng_normal(&r);
        }
        for (int i = 0; i < ROWS; i++) {
            float alone[ROWS] = {0};
            alone[i] = 1.0f;
            for (int j = 0; j < orders; j++) memcpy(eta[j], start[j], sizeof start[j]);
            (void)fit_shape_terms(eta, u, alone, ROWS, orders);
            for (int j = 0; j < orders; j++) {
                double values[2];
                for (int side = 0; side < 2; side++) {
                    for (int o = 0; o < orders; o++) memcpy(moved[o], start[o], sizeof start[o]);
                    moved[j][i] += side ? step : -step;
                    values[side] = fit_shape_terms(moved, u, alone, ROWS, orders);
                }
                CHECK_NEAR(eta[j][i], (values[1] - values[0]) / (2.0 * (double)step), 0.02);
                CHECK(eta[j][(i + 1) % ROWS] == 0.0f); /* of either sign */
            }
        }
        CHECK_SAME(fit_shape_terms(eta, u, none, ROWS, orders), 0.0);
    }
}

#ifdef __SANITIZE_ADDRESS__ /* the same code, twenty times slower there */
enum { SEEDS = 5, FIRST_START = 1, LAST_START = 12 };
#else
enum { SEEDS = 16, FIRST_START = 1, LAST_START = 12 };
#endif

/* ---- contrasts ---- */

static void contrast_shared(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r) * (regime ? 2.0 : 1.0); /* what changed is the parent */
    x[1] = tanh(x[0]) + 0.5 * fit_laplace(r);
}

static void contrast_separate(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r);
    x[1] = regime ? (x[0] - 0.3) * rng_normal(r) : tanh(x[0]) + 0.5 * fit_laplace(r);
}

static void contrast_mean(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r);
    x[1] = (regime ? -0.5 * x[0] : tanh(x[0])) + 0.5 * fit_laplace(r);
}

static void contrast_offset(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r);
    x[1] = tanh(x[0]) + 0.4 * regime + 0.5 * fit_laplace(r);
}

static void contrast_scale(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r);
    x[1] = tanh(x[0]) + (regime ? 0.8 : 0.5) * fit_laplace(r);
}

/* The contrast that the data were made for wins more often than any other: the next larger one
 * differs from it by a few nats either way. A mechanism that did not change gains next to nothing
 * by any. */
static void test_contrasts(void **state)
{
    (void)state;
    fit_row *const rows[] = {contrast_shared, contrast_separate, contrast_mean, contrast_offset,
                             contrast_scale};
    for (int k = FIT_SHARED; k <= FIT_SCALE; k++) {
        int wins[FIT_SCALE + 1] = {0};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            fit_data data = fit_data_make(rows[k], 2, 2000, seed);
            family f = fit_family(1, 1);
            fit_coefficients coefficients;
            fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
            wins[result.contrast]++;
            CHECK((result.contrast == FIT_SHARED) == (result.shared >= result.separate));
            double margin = result.separate - result.shared;
            if (k == FIT_SHARED) CHECK(margin < 15.0);
            if (k != FIT_SHARED) CHECK(margin > 30.0);
            fit_data_free(&data);
        }
        for (int j = FIT_SHARED; j <= FIT_SCALE; j++) {
            if (j != k && wins[j] >= wins[k]) {
                fail_msg("data of contrast %d: %d wins of %d, %d of contrast %d", k, wins[k], SEEDS,
                         wins[j], j);
            }
        }
    }
}

/* ---- starts ---- */

/* Two parents in the spread, a third that has nothing to do with it. */
static void row_valley(double *x, int regime, rng *r)
{
    for (int j = 0; j < 4; j++) x[j] = rng_normal(r) + 0.3 * regime;
    double f = sin(1.5 * x[0]) + tanh(2.0 * x[1]) - 0.8 * x[2];
    x[4] = f * rng_normal(r);
}

/* A fit that also starts from a fit with one parent more gains in some cases and loses in hardly
 * any: the start that goes on is chosen on few rows. The larger one is thorough, so that it knows
 * more. */
static void test_starts(void **state)
{
    (void)state;
    double gained = 0.0;
    int worse = 0;
    for (uint64_t seed = FIRST_START; seed <= LAST_START; seed++) {
        fit_data data = fit_data_make(row_valley, 5, 1000, seed);
        family f = fit_family(4, 3), larger = fit_family(4, 4);
        fit_coefficients cold, warm, above;
        double before = fit_of(&data, &f, 0, NULL, cold).score;
        (void)fit_of(&data, &larger, 2, NULL, above);
        double after = fit_of(&data, &f, 0, &(fit_start){&larger, above, 0}, warm).score;
        worse += after < before - 10.0; /* gains are of hundreds; two cases lose 5 */
        gained += after - before;
        fit_data_free(&data);
    }
    CHECK(worse <= 1);
    CHECK(gained > 20.0);
}

/* ---- scans ---- */

enum { CANDIDATES = 10, TARGET = 11 };

/* x0 is a parent of y already, x1 .. x3 have small effects of different kinds; the
 * rest has none. */
static void row_scan(double *x, int regime, rng *r)
{
    for (int j = 0; j < TARGET; j++) x[j] = rng_normal(r) + 0.2 * regime;
    x[TARGET] = x[0] + 0.15 * x[1] + 0.3 * cos(2.0 * x[2]) + 0.3 * tanh(3.0 * x[3]) + rng_normal(r);
}

/* Gains of a scan against those of full fits, all less their penalties. Where the regimes are
 * fitted apart, chance gains twice as much. */
static void check_scan(uint64_t seed, int *shared)
{
    fit_data data = fit_data_make(row_scan, TARGET + 1, 2000, seed);
    fit_rows rows = fit_rows_of(data.work, FIT_POOLED);
    family f = fit_family(TARGET, 1);
    fit_coefficients coefficients, other;
    uint32_t candidates[CANDIDATES + 1];
    float gains[CANDIDATES + 1];
    double chance = 0.0, price = fit_price(&rows, BASIS_SIZE, 0);
    for (uint32_t c = 0; c <= CANDIDATES; c++) candidates[c] = c;
    fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
    CHECK(result.model[0] == FIT_CONSTANT && !result.refined[0]);
    fit_scan(gains, data.work, &f, &result, coefficients, candidates, CANDIDATES + 1);
    CHECK_SAME((double)gains[0], 0.0); /* a parent is no candidate */
    for (size_t c = 1; c <= CANDIDATES; c++) {
        family more = family_with(&f, c);
        double gain = fit_of(&data, &more, 1, NULL, other).shared - result.shared + price;
        if (c <= 3) CHECK_NEAR((double)gains[c] / gain, 1.0, 0.2);
        if (c > 3) CHECK(gains[c] > 0.0f && gains[c] < 20.0f);
        if (c > 3) chance += (double)gains[c] / (CANDIDATES - 3);
    }
    bool together = result.contrast == FIT_SHARED;
    *shared += together;
    /* half a chi-square of 6, the better of two */
    CHECK_NEAR(together ? chance : 0.5 * chance, 4.0, 1.5);
    fit_data_free(&data);
}

static void test_scan(void **state)
{
    (void)state;
    int shared = 0;
    for (uint64_t seed = 63; seed <= 65; seed++) check_scan(seed, &shared);
    CHECK(shared > 0);
}

/* ---- units ---- */

static double scale_of_y = 1.0;

static void row_units(double *x, int regime, rng *r)
{
    row_sd_two(x, regime, r);
    x[2] = (x[2] + x[0]) * scale_of_y;
}

static void test_units(void **state)
{
    (void)state;
    fit_coefficients coefficients[2];
    fit_result results[2];
    for (int power = -120; power <= 120; power += 40) {
        for (int k = 0; k < 2; k++) {
            scale_of_y = k == 0 ? 1.0 : ldexp(1.0, power);
            fit_data data = fit_data_make(row_units, 3, 500, 71);
            family f = fit_family(2, 2);
            memset(coefficients[k], 0, sizeof coefficients[k]);
            results[k] = fit_of(&data, &f, 1, NULL, coefficients[k]);
            fit_data_free(&data);
        }
        CHECK_SAME(results[1].score, results[0].score);
        CHECK_SAME(results[1].shared, results[0].shared);
        CHECK(memcmp(coefficients[0], coefficients[1], sizeof coefficients[0]) == 0);
    }
    scale_of_y = 1.0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entropy),        cmocka_unit_test(test_models),
        cmocka_unit_test(test_network),        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_shape_gradient), cmocka_unit_test(test_contrasts),
        cmocka_unit_test(test_starts),         cmocka_unit_test(test_scan),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
