/* test_discover_hostile.c - tables that no model was made for: whatever the columns hold, every
 * method ends with finite numbers and a graph that extends to a DAG, the same for every order of
 * the columns and number of threads; units and copies of a table change nothing that they should
 * not. */
#include "discovery.h"
#include "learned_data.h"
#include "sample.h"

#include <float.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROWS = 60, SOAK_ROUNDS = 50 }; /* the search is many times slower there */
#else
enum { ROWS = 120, SOAK_ROUNDS = 1500 };
#endif
enum { COLUMNS = 6 };

/* ---- tables ---- */

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                    "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};

/* A chain with curved links, whose second link and third noise change. */
static scone_pair *draw_chain(size_t columns, const size_t rows[2], uint64_t seed)
{
    sample_stream s = {seed};
    scone_table *tables[2];
    scone_pair *pair;
    for (int regime = 0; regime < 2; regime++) {
        CHECK_OK(table_alloc(&tables[regime], rows[regime], columns, names));
        for (size_t j = 0; j < columns; j++) {
            double *x = table_column(tables[regime], j);
            for (size_t i = 0; i < rows[regime]; i++) {
                double cause = j ? table_column(tables[regime], j - 1)[i] : 0.0;
                double slope = regime == 1 && j == 2 ? -0.5 : 1.0;
                double noise = regime == 1 && j == 3 ? 2.0 : 0.7;
                x[i] = slope * (cause + 0.4 * sin(2.0 * cause)) + noise * sample_normal(&s);
            }
        }
    }
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

/* What is done to a cell: x its value, j its column, cause the value of the column before. */
typedef double (*spoil_cell)(double x, double cause, size_t j, size_t row, int regime,
                             sample_stream *s);

static double constant(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)row, (void)regime, (void)s;
    return j % 2 ? 0.1 : x;
}

static double all_constant(double x, double cause, size_t j, size_t row, int regime,
                           sample_stream *s)
{
    (void)x, (void)cause, (void)row, (void)s;
    return j % 2 ? 0.1 : (double)regime;
}

static double constant_before(double x, double cause, size_t j, size_t row, int regime,
                              sample_stream *s)
{
    (void)cause, (void)row, (void)s;
    return regime == 0 && j > 2 ? -3.0 : x;
}

static double duplicate(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)row, (void)regime, (void)s;
    return j % 2 ? cause : x;
}

static double identical(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)row, (void)regime, (void)s;
    return j ? cause : x;
}

static double collinear(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)row, (void)regime, (void)s;
    return j % 2 ? 5.0 - 3.0 * cause : x;
}

/* The last column of a running sum is the sum of all others. */
static double running_sum(double x, double cause, size_t j, size_t row, int regime,
                          sample_stream *s)
{
    (void)row, (void)regime, (void)s;
    return j == COLUMNS - 1 ? 2.0 * cause : j ? cause + rint(4.0 * x) : rint(4.0 * x);
}

static double square(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)row, (void)regime, (void)s;
    return j % 2 ? cause * cause : x;
}

static double exponential(double x, double cause, size_t j, size_t row, int regime,
                          sample_stream *s)
{
    (void)row, (void)regime, (void)s;
    return j == 1 ? exp(cause) : x;
}

static double two_levels(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)j, (void)row, (void)regime, (void)s;
    return x > 0.3 ? 1.0 : 0.0;
}

static double three_levels(double x, double cause, size_t j, size_t row, int regime,
                           sample_stream *s)
{
    (void)cause, (void)row, (void)regime, (void)s;
    return j % 2 ? x : x > 0.8 ? 2.0 : x > -0.2 ? 1.0 : 0.0;
}

static double ten_levels(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)j, (void)row, (void)regime, (void)s;
    return fmin(9.0, fmax(0.0, floor(2.0 * x + 5.0)));
}

static double tied(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)j, (void)row, (void)regime, (void)s;
    return rint(10.0 * x) / 10.0;
}

static double counts(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)j, (void)row, (void)regime;
    return sample_uniform(s) < 0.7 ? 0.0 : floor(exp(fmin(x, 12.0)));
}

/* One row in the whole column is not 0. */
static double one_cell(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)x, (void)cause, (void)s;
    return row == j / 2 && regime == (int)(j % 2) ? 1e300 : 0.0;
}

static double cauchy(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)j, (void)row, (void)regime;
    return cause + x / sample_normal(s);
}

static double exponential_cauchy(double x, double cause, size_t j, size_t row, int regime,
                                 sample_stream *s)
{
    (void)cause, (void)j, (void)row, (void)regime;
    return fmin(1e300, exp(fmin(700.0, 20.0 * x / sample_normal(s))));
}

static double denormal(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)row, (void)regime, (void)s;
    return j % 2 ? x * 1e-305 : rint(8.0 * x) * 0x1p-1074;
}

static double enormous(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)row, (void)regime, (void)s;
    return fmax(-1.0, fmin(1.0, x / (j % 2 ? 4.0 : 0.5))) * DBL_MAX;
}

/* Sizes from the smallest to the largest side by side. */
static double every_size(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)row, (void)regime, (void)s;
    return ldexp(x, (int)(j * 270) - 1000);
}

/* Steps of a few units in the last place. */
static double offset(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)row, (void)regime, (void)s;
    return j % 2 ? x + 1e15 : x * 1e-12 + 1.0;
}

static double sorted(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)x, (void)cause, (void)s;
    return (double)(row + (size_t)regime) * (double)(j + 1);
}

static double as_it_is(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)j, (void)row, (void)regime, (void)s;
    return x;
}

static void spoil(const scone_pair *pair, spoil_cell how, uint64_t seed)
{
    sample_stream s = {seed};
    for (int regime = 0; regime < 2; regime++) {
        const table *t = pair->tables[regime];
        for (size_t j = 0; j < t->columns; j++) {
            double *x = table_column(t, j);
            const double *before = j ? table_column(t, j - 1) : x;
            for (size_t i = 0; i < t->rows; i++) {
                x[i] = how(x[i], j ? before[i] : 0.0, j, i, regime, &s);
                CHECK(isfinite(x[i]));
            }
        }
    }
}

/* ---- what holds of all of them ---- */

static scone_result *discover_with(const scone_pair *pair, const char *method, scone_effort effort,
                                   int threads)
{
    const scone_discover_options options = {
        .preset = method, .model = learned_file(method), .effort = effort, .seed = 4};
    const scone_context context = {.threads = threads};
    scone_result *r;
    scone_status status = scone_discover(&r, pair, &options, &context);
    if (status != SCONE_OK) {
        print_message("with the method %s:\n", method);
        CHECK_OK(status);
    }
    check_result(r);
    return r;
}

static scone_result *discover(const scone_pair *pair, const char *method, int threads)
{
    return discover_with(pair, method, SCONE_EFFORT_FAST, threads);
}

/* Every method, and again with the columns in another order on two threads. */
static void check_methods(const scone_pair *pair, uint64_t seed)
{
    size_t order[64], columns = pair->tables[0]->columns;
    rng r = rng_stream(seed, RNG_TEST, 0, 0, 0);
    for (const char *const *method = scone_method_names(); *method; method++) {
        if (strcmp(*method, "best-ood") == 0) continue; /* does what best does */
        scone_result *first = discover(pair, *method, 1);
        rng_permutation(&r, order, columns);
        scone_pair *moved = rearrange(pair, order, NULL);
        scone_result *again = discover(moved, *method, 2);
        check_same_result(first, again);
        scone_result_free(first);
        scone_result_free(again);
        scone_pair_free(moved);
    }
}

typedef struct hostile_case {
    const char *name;
    spoil_cell how;
    size_t columns, rows[2];
} hostile_case;

static const hostile_case cases[] = {
    {"constant columns", constant, COLUMNS, {ROWS, ROWS}},
    {"only constant columns", all_constant, COLUMNS, {ROWS, ROWS}},
    {"columns that are constant in one table", constant_before, COLUMNS, {ROWS, ROWS}},
    {"duplicate columns", duplicate, COLUMNS, {ROWS, ROWS}},
    {"identical columns", identical, COLUMNS, {ROWS, ROWS}},
    {"many identical columns", identical, 12, {ROWS, ROWS}},
    {"collinear columns", collinear, COLUMNS, {ROWS, ROWS}},
    {"sums of columns", running_sum, COLUMNS, {ROWS, ROWS}},
    {"squares of columns", square, COLUMNS, {ROWS, ROWS}},
    {"a monotone function of a column", exponential, COLUMNS, {ROWS, ROWS}},
    {"two levels", two_levels, COLUMNS, {ROWS, ROWS}},
    {"three levels", three_levels, COLUMNS, {ROWS, ROWS}},
    {"ten levels", ten_levels, COLUMNS, {ROWS, ROWS}},
    {"ties", tied, COLUMNS, {ROWS, ROWS}},
    {"counts with many zeros", counts, COLUMNS, {ROWS, ROWS}},
    {"one cell", one_cell, COLUMNS, {ROWS, ROWS}},
    {"Cauchy", cauchy, COLUMNS, {ROWS, ROWS}},
    {"exponential of Cauchy", exponential_cauchy, COLUMNS, {ROWS, ROWS}},
    {"denormal numbers", denormal, COLUMNS, {ROWS, ROWS}},
    {"numbers near the largest", enormous, COLUMNS, {ROWS, ROWS}},
    {"numbers of all sizes", every_size, COLUMNS, {ROWS, ROWS}},
    {"small steps on a large offset", offset, COLUMNS, {ROWS, ROWS}},
    {"row numbers", sorted, COLUMNS, {ROWS, ROWS}},
    {"more columns than rows", as_it_is, 12, {7, 5}},
    {"as many columns as rows", as_it_is, 8, {8, 8}},
    {"two rows", as_it_is, COLUMNS, {2, 2}},
    {"two rows before", as_it_is, COLUMNS, {2, ROWS}},
    {"two rows after", as_it_is, COLUMNS, {ROWS, 2}},
    {"three rows of two levels", two_levels, COLUMNS, {3, 3}},
    {"one column", as_it_is, 1, {ROWS, ROWS}},
    {"two columns", as_it_is, 2, {ROWS, ROWS}},
    {"two identical columns", identical, 2, {ROWS, ROWS}},
    {"two columns, two rows", as_it_is, 2, {2, 2}},
};

enum { CASES = sizeof cases / sizeof *cases };

static void test_case(void **state)
{
    const hostile_case *c = *state;
    scone_pair *pair = draw_chain(c->columns, c->rows, 11);
    spoil(pair, c->how, 12);
    check_methods(pair, 13);
    scone_result_free(discover_with(pair, "search", SCONE_EFFORT_NORMAL, 1));
    scone_pair_free(pair);
}

/* Columns of different kinds side by side, tables of any size. */
static void test_mixtures(void **state)
{
    (void)state;
    uint64_t rounds = getenv("SCONE_SOAK") ? SOAK_ROUNDS : 8;
    for (uint64_t round = 0; round < rounds; round++) {
        rng r = rng_stream(77, RNG_TEST, round, 0, 0);
        size_t columns = 2 + rng_below(&r, 7);
        size_t rows[2] = {2 + rng_below(&r, 40), 2 + rng_below(&r, 40)};
        scone_pair *pair = draw_chain(columns, rows, round);
        for (size_t j = 0; j < columns; j++) {
            scone_pair *other = draw_chain(columns, rows, 1000 + round);
            spoil(other, cases[rng_below(&r, CASES)].how, round);
            for (int regime = 0; regime < 2; regime++) {
                if (rng_below(&r, 8) == 0) continue; /* the kind holds in one table */
                memcpy(table_column(pair->tables[regime], j),
                       table_column(other->tables[regime], j), rows[regime] * sizeof(double));
            }
            scone_pair_free(other);
        }
        check_methods(pair, round);
        scone_pair_free(pair);
    }
}

/* ---- what must not matter ---- */

static void check_same_graph(const scone_result *a, const scone_result *b)
{
    for (size_t i = 0; i < scone_result_variables(a); i++) {
        for (size_t j = i + 1; j < scone_result_variables(a); j++) {
            CHECK(scone_graph_mark(scone_result_graph(a), i, j) ==
                  scone_graph_mark(scone_result_graph(b), i, j));
        }
    }
    size_t found[2] = {0, 0};
    for (size_t t = 0; t < scone_result_variables(a); t++) {
        found[0] += scone_result_target(a, t)->target;
        found[1] += scone_result_target(b, t)->target;
    }
    CHECK(found[0] == found[1]);
}

static double millionfold(double x, double cause, size_t j, size_t row, int regime,
                          sample_stream *s)
{
    (void)cause, (void)j, (void)row, (void)regime, (void)s;
    return x * 1e6;
}

static double far_away(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)j, (void)row, (void)regime, (void)s;
    return x + 1e8;
}

static double either(double x, double cause, size_t j, size_t row, int regime, sample_stream *s)
{
    (void)cause, (void)row, (void)regime, (void)s;
    return j % 2 ? x * 1e6 : x + 1e8;
}

/* Numbers that every one of the units above can hold exactly or nearly so. */
static void test_units(void **state)
{
    (void)state;
    static const spoil_cell units[] = {millionfold, far_away, either};
    static const size_t rows[2] = {ROWS, ROWS};
    for (const char *const *preset = scone_preset_names(); *preset; preset++) {
        if (strcmp(*preset, "best-ood") == 0) continue; /* does what best does */
        scone_pair *plain = draw_chain(COLUMNS, rows, 41);
        scone_result *before = discover(plain, *preset, 1);
        CHECK(scone_preset_learned(*preset) || scone_result_edges(before) >= 3);
        for (size_t u = 0; u < 3; u++) {
            scone_pair *changed = draw_chain(COLUMNS, rows, 41);
            spoil(changed, units[u], 0);
            scone_result *after = discover(changed, *preset, 1);
            check_same_graph(before, after);
            scone_result_free(after);
            scone_pair_free(changed);
        }
        scone_result_free(before);
        scone_pair_free(plain);
    }
}

/* A power of two loses nothing, so every bit is the same, also at the ends of the range. */
static void test_powers_of_two(void **state)
{
    (void)state;
    static const int exponents[] = {40, -333, 1000, -1000};
    static const size_t rows[2] = {ROWS, ROWS / 2};
    for (const char *const *preset = scone_preset_names(); *preset; preset++) {
        if (strcmp(*preset, "best-ood") == 0) continue; /* does what best does */
        scone_pair *pair = draw_chain(COLUMNS, rows, 42);
        spoil(pair, tied, 0);
        for (int regime = 0; regime < 2; regime++) { /* short numbers: nothing gets denormal */
            table *t = pair->tables[regime];
            for (size_t c = 0; c < t->rows * t->columns; c++) t->values[c] = rint(8 * t->values[c]);
        }
        scone_result *before = discover(pair, *preset, 1);
        int last = 0;
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            for (int regime = 0; regime < 2; regime++) {
                table *t = pair->tables[regime];
                for (size_t c = 0; c < t->rows * t->columns; c++) {
                    t->values[c] = ldexp(t->values[c], exponents[e] - last);
                }
            }
            last = exponents[e];
            scone_result *after = discover(pair, *preset, 1);
            check_same_result(before, after);
            scone_result_free(after);
        }
        scone_result_free(before);
        scone_pair_free(pair);
    }
}

static bool warns(const scone_result *r, const char *text)
{
    for (size_t w = 0; w < scone_result_warnings(r); w++) {
        if (strstr(scone_result_warning(r, w), text)) return true;
    }
    return false;
}

/* The same rows, as they are and in another order: nothing changed. */
static void test_same_table(void **state)
{
    (void)state;
    static const size_t rows[2] = {ROWS, ROWS};
    static const spoil_cell kinds[] = {as_it_is, two_levels, counts, cauchy};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        scone_pair *pair = draw_chain(COLUMNS, rows, 43 + k);
        spoil(pair, kinds[k], 7);
        for (int turned = 0; turned < 2; turned++) {
            for (size_t j = 0; j < COLUMNS; j++) {
                const double *from = table_column(pair->tables[0], j);
                double *to = table_column(pair->tables[1], j);
                for (size_t i = 0; i < ROWS; i++) to[i] = from[turned ? ROWS - 1 - i : i];
            }
            for (const char *const *preset = scone_preset_names(); *preset; preset++) {
                if (strcmp(*preset, "best-ood") == 0) continue; /* does what best does */
                scone_result *r = discover(pair, *preset, 1);
                CHECK(warns(r, "the same"));
                CHECK(warns(r, "no targets"));
                for (size_t t = 0; t < COLUMNS; t++) CHECK(!scone_result_target(r, t)->target);
                scone_result_free(r);
            }
        }
        scone_pair_free(pair);
    }
}

/* A copy explains everything about the original and nothing can tell which is which. */
static void test_copies(void **state)
{
    (void)state;
    static const size_t rows[2] = {ROWS, ROWS};
    scone_pair *pair = draw_chain(2, rows, 44);
    spoil(pair, identical, 0);
    for (const char *const *preset = scone_preset_names(); *preset; preset++) {
        if (strcmp(*preset, "best-ood") == 0) continue; /* does what best does */
        if (scone_preset_learned(*preset)) continue;    /* names have identities, which may tell */
        scone_result *r = discover(pair, *preset, 1);
        if (strcmp(*preset, "polybic") != 0) { /* which does not call a tie an edge */
            CHECK(scone_graph_mark(scone_result_graph(r), 0, 1) == SCONE_MARK_UNDIRECTED);
        }
        CHECK_SAME(scone_result_probability(r, 0, 1), scone_result_probability(r, 1, 0));
        scone_result_free(r);
    }
    scone_pair_free(pair);
}

/* ---- refused ---- */

static void test_refused(void **state)
{
    (void)state;
    static const double cells[] = {1, 2, 3, 4};
    for (const char *const *preset = scone_preset_names(); *preset; preset++) {
        if (strcmp(*preset, "best-ood") == 0) continue; /* does what best does */
        for (size_t rows = 0; rows < 2; rows++) {
            scone_table *tables[2];
            scone_pair *pair;
            scone_result *r;
            const scone_discover_options options = {.preset = *preset,
                                                    .model = learned_file(*preset)};
            CHECK_OK(scone_table_from_columns(&tables[0], cells, 2, 2, NULL));
            CHECK_OK(scone_table_from_columns(&tables[1], cells, rows, 2, NULL));
            CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
            CHECK_FAILS(scone_discover(&r, pair, &options, NULL), SCONE_ERR_INPUT,
                        rows ? "the interventional table has 1 row; at least 2"
                             : "the interventional table has 0 rows; at least 2");
            CHECK(r == NULL);
            scone_pair_free(pair);
        }
    }
}

int main(void)
{
    struct CMUnitTest tests[CASES + 6];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_mixtures),      cmocka_unit_test(test_units),
        cmocka_unit_test(test_powers_of_two), cmocka_unit_test(test_same_table),
        cmocka_unit_test(test_copies),        cmocka_unit_test(test_refused),
    };
    for (size_t c = 0; c < CASES; c++) {
        tests[c] = (struct CMUnitTest){cases[c].name, test_case, NULL, NULL, NULL};
        tests[c].initial_state = (void *)(uintptr_t)&cases[c];
    }
    memcpy(tests + CASES, others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, learned_clean);
}
