/* test_fit_odd.c - what must not count in a score: chance, ties, constants, rounding. */
#include "fit_data.h"

#ifdef __SANITIZE_ADDRESS__ /* the same code, twenty times slower there */
enum { ROOTS = 2 };
#else
enum { ROOTS = 6 };
#endif

static void row_roots(double *x, int regime, rng *r)
{
    (void)regime;
    x[0] = rng_normal(r);
    x[1] = rng_range(r, -1.0, 1.0);
    x[2] = fit_laplace(r);
}

/* Roots that did not change: fits of each regime, with their smaller ranges, gain
 * next to nothing. */
static void test_unchanged_roots(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROOTS; seed++) {
        fit_data data = fit_data_make(row_roots, 3, 10000, seed);
        for (size_t v = 0; v < 3; v++) {
            fit_coefficients coefficients;
            family f = fit_family(v, 0);
            fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
            if (!(result.separate - result.shared < 15.0)) {
                fail_msg("seed %d root %zu: a change gains %g nats", (int)seed, v,
                         result.separate - result.shared);
            }
        }
        fit_data_free(&data);
    }
}

enum { LEVELS_4, LEVELS_10, HALF_ZEROS, CONSTANT_ONCE, NEARLY_CONSTANT_ONCE, CONSTANT, KINDS };

static int kind_of_y;

/* Two columns that have nothing to do with y, which is not continuous. */
static void row_ties(double *x, int regime, rng *r)
{
    x[0] = rng_normal(r);
    x[1] = rng_range(r, -1.0, 1.0);
    double z = rng_normal(r), u = rng_uniform(r);
    switch (kind_of_y) {
    case LEVELS_4:
        x[2] = u < 0.2 ? 0.0 : u < 0.5 ? 1.0 : u < 0.7 ? 2.0 : 3.0;
        break;
    case LEVELS_10:
        x[2] = floor(10.0 * u);
        break;
    case HALF_ZEROS:
        x[2] = u < 0.5 ? 0.0 : z;
        break;
    case CONSTANT_ONCE:
        x[2] = regime ? 1.5 : z;
        break;
    case NEARLY_CONSTANT_ONCE:
        x[2] = regime ? 1.5 + 1e-9 * z : z;
        break;
    default:
        x[2] = 7.0;
    }
}

/* A column of few values, or constant in one regime, gains nothing by unrelated parents. */
static void test_ties(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {8, 9, 12};
    for (int k = 0; k < 3 * KINDS; k++) {
        kind_of_y = k % KINDS;
        fit_data data = fit_data_make(row_ties, 3, 1000, seeds[k / KINDS]);
        fit_coefficients coefficients;
        double score[3];
        for (size_t parents = 0; parents < 3; parents++) {
            family f = fit_family(2, parents);
            score[parents] = fit_of(&data, &f, 1, NULL, coefficients).score;
        }
        if (!(score[1] < score[0] + 10.0 && score[2] < score[0] + 10.0)) {
            fail_msg("kind %d: %g without parents, %g and %g with one and two", kind_of_y, score[0],
                     score[1], score[2]);
        }
        fit_data_free(&data);
    }
}

/* The second regime's parent is far from the first one's, and hardly varies next to that. */
static void row_far(double *x, int regime, rng *r)
{
    double z = rng_normal(r);
    x[0] = z + 20.0 * regime;
    x[1] = regime ? z + exp(z) * rng_normal(r) : 0.5 * rng_normal(r);
}

static double density_far(const double *x)
{
    double z = x[0] - 20.0;
    if (x[0] < 10.0) return fit_log_normal(x[1] / 0.5) - log(0.5);
    return fit_log_normal((x[1] - z) / exp(z)) - z;
}

/* No fit is better than the true density, also where the coefficients of a regime mean little. */
static void test_far(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        fit_data data = fit_data_make(row_far, 2, 300, seed);
        fit_coefficients coefficients;
        family f = fit_family(1, 1);
        fit_result result = fit_of(&data, &f, 1, NULL, coefficients);
        double above = (result.score - fit_truth(&data, density_far)) / 600.0;
        if (!(above < 0.03 && above > -0.1)) {
            fail_msg("seed %d: %g nats a row above the true density", (int)seed, above);
        }
        fit_data_free(&data);
    }
}

/* As many parents as a family may have, with a refined design as wide as there is room: finite, and
 * no better than what the one true parent explains by more than chance. */
static void row_wide(double *x, int regime, rng *r)
{
    for (int j = 0; j < FAMILY_MAX_PARENTS; j++) x[j] = rng_normal(r) + 0.1 * regime;
    x[FAMILY_MAX_PARENTS] = cos(6.0 * x[0]) + 0.1 * rng_normal(r);
}

static void test_wide(void **state)
{
    (void)state;
    fit_data data = fit_data_make(row_wide, FAMILY_MAX_PARENTS + 1, 600, 81);
    fit_coefficients coefficients;
    family f = fit_family(FAMILY_MAX_PARENTS, FAMILY_MAX_PARENTS);
    family one = fit_family(FAMILY_MAX_PARENTS, 1);
    fit_result all = fit_of(&data, &f, 1, NULL, coefficients);
    fit_result few = fit_of(&data, &one, 1, NULL, coefficients);
    CHECK(isfinite(all.score) && all.columns == FAMILY_MAX_PARENTS * BASIS_SIZE + 1);
    CHECK(few.refined[FIT_POOLED] && few.score > all.score);
    fit_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unchanged_roots),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
