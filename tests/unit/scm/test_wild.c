/* test_wild.c - the second benchmark: parameters, functions, shapes, and whole columns rebuilt. */
#include "statistics.h"

#include "scm/scm.h"
#include "scm/wild.h"

enum { DRAWS = 6000, PARENTS = 3 };

static const size_t parent_list[PARENTS] = {0, 2, 3};

static wild_node draw_node(arena *memory, size_t parents, bool target, size_t i)
{
    wild_node node = {.parents = parents, .parent = parent_list};
    rng weights = rng_stream(1, RNG_MECHANISM, i, 0, 0),
        change = rng_stream(1, RNG_MECHANISM, i, 0, 1);
    CHECK_OK(wild_draw(&node, memory, target, &weights, &change));
    return node;
}

static void check_even(const double *counts, size_t n, double total)
{
    double expected[8];
    for (size_t i = 0; i < n; i++) expected[i] = total / (double)n;
    CHECK_NEAR(chi_square_score(counts, expected, n), 0.0, 3.3);
}

/* ---- parameters ---- */

static void test_choices(void **state)
{
    (void)state;
    static double noise[DRAWS], move[DRAWS];
    double kinds[4] = {0}, shapes[5] = {0}, changes[4] = {0}, spread = 0.0, louder = 0.0;
    size_t moves = 0, ups = 0;
    arena *memory;
    CHECK_OK(arena_alloc(&memory, 0));
    for (size_t i = 0; i < DRAWS; i++) {
        arena_clear(memory);
        wild_node node = draw_node(memory, PARENTS, true, i);
        kinds[node.kind] += 1.0;
        shapes[node.shape] += 1.0;
        changes[node.change] += 1.0;
        spread += node.spread != NULL;
        noise[i] = node.noise_sd;
        CHECK((node.change == WILD_WEIGHTS) == (node.outer[0] != node.outer[1]));
        if (node.change == WILD_NOISE) {
            CHECK(node.amount == 0.4 || node.amount == 2.5);
            louder += node.amount > 1.0;
        }
        if (node.change == WILD_MEAN) {
            ups += node.amount > 0.0;
            move[moves++] = fabs(node.amount);
        }
    }
    check_even(kinds, 4, DRAWS);
    CHECK(shapes[WILD_MIXTURE] == 0.0 && changes[WILD_SAME] == 0.0);
    shapes[WILD_MIXTURE] = shapes[WILD_STUDENT];
    check_even(shapes, 4, DRAWS);
    check_even(changes + 1, 3, DRAWS);
    CHECK_RATE(spread, DRAWS, 0.3);
    CHECK_RATE(louder, changes[WILD_NOISE], 0.5);
    CHECK_RATE(ups, moves, 0.5);
    CHECK_UNIFORM(noise, DRAWS, 0.3, 0.8);
    CHECK_UNIFORM(move, moves, 0.7, 1.5);
    double roots[4] = {0};
    for (size_t i = 0; i < DRAWS; i++) {
        wild_node root = draw_node(memory, 0, false, i);
        CHECK(root.change == WILD_SAME && root.shape != WILD_STUDENT);
        roots[root.shape] += 1.0;
    }
    check_even(roots, 4, DRAWS);
    for (size_t i = 0; i < 100; i++) {
        wild_node node = draw_node(memory, PARENTS, false, i);
        CHECK(node.change == WILD_SAME && node.outer[0] == node.outer[1]);
    }
    arena_free(memory);
}

/* Frequencies in radians are Normal(0, 1) over one length scale in (1, 2) per function; phases
 * are uniform; outer weights of features normal; a perturbation adds half a standard normal. */
static void test_weights(void **state)
{
    (void)state;
    enum { LIMIT = 200000 };
    static double phases[LIMIT], outer[LIMIT], added[LIMIT], ratio[LIMIT];
    size_t phase_count = 0, outer_count = 0, added_count = 0, ratio_count = 0;
    double squares = 0.0, count = 0.0;
    arena *memory;
    CHECK_OK(arena_alloc(&memory, 0));
    for (size_t i = 0; i < 3000; i++) {
        arena_clear(memory);
        wild_node node = draw_node(memory, PARENTS, true, i);
        if (node.kind == WILD_JOINT) {
            for (size_t k = 0; k < WILD_FEATURES; k++) {
                const double *inner = node.inner + k * (PARENTS + 1);
                phases[phase_count++] = inner[PARENTS];
                outer[outer_count++] = node.outer[0][k];
                ratio[ratio_count++] = inner[0] / inner[1]; /* of two normals: Cauchy */
                for (size_t j = 0; j < PARENTS; j++) {
                    double radians = 6.283185307179586 * inner[j];
                    squares += radians * radians;
                    count += 1.0;
                }
            }
        }
        if (node.kind == WILD_TANH) {
            for (size_t j = 0; j < PARENTS; j++) {
                CHECK(fabs(node.inner[2 * j]) >= 0.5 && fabs(node.inner[2 * j]) <= 2.0);
                CHECK(fabs(node.inner[2 * j + 1]) <= 1.0);
                CHECK(fabs(node.outer[0][j]) >= 0.5 && fabs(node.outer[0][j]) <= 1.5);
            }
        }
        if (node.change == WILD_WEIGHTS && node.kind != WILD_ADDITIVE) {
            size_t weights = node.kind == WILD_JOINT ? 40 : node.kind == WILD_TANH ? 3 : 6;
            for (size_t w = 0; w < weights; w++) {
                added[added_count++] = 2.0 * (node.outer[1][w] - node.outer[0][w]);
            }
        }
    }
    CHECK(phase_count > 20000 && added_count > 5000 && phase_count <= LIMIT);
    CHECK_NEAR(squares / count, 0.5, 0.02); /* E 1/l^2 = 1/2 for l uniform in (1, 2) */
    CHECK_UNIFORM(phases, phase_count, 0.0, 1.0);
    CHECK_NEAR(ks_statistic(outer, outer_count, normal_cdf), 0.0, 1.95);
    CHECK_NEAR(ks_statistic(added, added_count, normal_cdf), 0.0, 1.95);
    for (size_t i = 0; i < ratio_count; i++) ratio[i] = 0.5 + atan(ratio[i]) / 3.141592653589793;
    CHECK_NEAR(ks_statistic(ratio, ratio_count, uniform_cdf), 0.0, 1.95);
    arena_free(memory);
}

/* ---- functions ---- */

static double naive_cosine(double turns)
{
    return cos(6.283185307179586476925 * turns);
}

/* f of one row x[parents], straight from the list in wild.h */
static double naive_function(const wild_node *node, const double *w, const double *x)
{
    double f = 0.0;
    size_t p = node->parents, next = p;
    for (size_t k = 0; k < WILD_FEATURES && node->kind == WILD_JOINT; k++) {
        const double *inner = node->inner + k * (p + 1);
        double z = inner[p];
        for (size_t j = 0; j < p; j++) z += inner[j] * x[j];
        f += w[k] * naive_cosine(z);
    }
    for (size_t j = 0; j < p && node->kind != WILD_JOINT; j++) {
        const double *inner = node->inner;
        for (size_t k = 0; k < WILD_FEATURES && node->kind == WILD_ADDITIVE; k++) {
            const double *feature = inner + 2 * (j * WILD_FEATURES + k);
            f += w[j * WILD_FEATURES + k] * naive_cosine(feature[0] * x[j] + feature[1]);
        }
        if (node->kind == WILD_TANH) f += w[j] * tanh(inner[2 * j] * x[j] + inner[2 * j + 1]);
        if (node->kind == WILD_PRODUCTS) {
            f += w[j] * x[j];
            for (size_t k = j + 1; k < p; k++) f += w[next++] * x[j] * x[k];
        }
    }
    return f;
}

static void test_functions(void **state)
{
    (void)state;
    enum { ROWS = 61, COLUMNS = 4 };
    double columns[COLUMNS * ROWS], out[ROWS], hidden[ROWS], seen[4] = {0};
    arena *memory;
    CHECK_OK(arena_alloc(&memory, 0));
    rng r = rng_stream(2, RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < COLUMNS * ROWS; i++) columns[i] = 3.0 * rng_normal(&r);
    for (size_t i = 0; i < 60; i++) {
        wild_node node = draw_node(memory, 1 + i % PARENTS, true, i);
        seen[node.kind] += 1.0;
        for (int regime = 0; regime < 2; regime++) {
            wild_function(out, &node, regime, columns, ROWS, hidden, ROWS);
            for (size_t row = 0; row < ROWS; row++) {
                double x[PARENTS];
                for (size_t j = 0; j < node.parents; j++)
                    x[j] = columns[parent_list[j] * ROWS + row];
                double expected = naive_function(&node, node.outer[regime], x);
                CHECK_NEAR(out[row], expected, 1e-12 * (1.0 + fabs(expected)));
            }
        }
        if (!node.spread) continue;
        for (size_t row = 0; row < ROWS; row++) out[row] = 2.0;
        wild_spread(out, &node, columns, ROWS, hidden, ROWS);
        for (size_t row = 0; row < ROWS; row++) {
            double z = 0.0;
            for (size_t j = 0; j < node.parents; j++) {
                z += node.spread[j] * columns[parent_list[j] * ROWS + row];
            }
            CHECK_NEAR(out[row], 2.0 * exp(fmax(-1.5, fmin(1.5, z))), 1e-13);
        }
    }
    for (size_t k = 0; k < 4; k++) CHECK(seen[k] >= 5.0);
    arena_free(memory);
}

/* ---- shapes ---- */

static double laplace_cdf(double x)
{
    return x < 0.0 ? 0.5 * exp(sqrt(2.0) * x) : 1.0 - 0.5 * exp(-sqrt(2.0) * x);
}

static double wide_uniform_cdf(double x)
{
    return uniform_cdf(x / sqrt(12.0) + 0.5);
}

static double student_cdf(double x)
{
    double t = x * sqrt(5.0 / 3.0) / sqrt(5.0), s = 1.0 / (1.0 + t * t);
    return 0.5 + (t * s * (1.0 + 2.0 / 3.0 * s) + atan(t)) / 3.141592653589793;
}

static const wild_mixture known_mixture = {0.35, {-1.2, 1.2}, {0.6, 0.9}};

static double mixture_cdf(double x)
{
    return 0.35 * normal_cdf((x + 1.2) / 0.6) + 0.65 * normal_cdf((x - 1.2) / 0.9);
}

static void test_shapes(void **state)
{
    (void)state;
    enum { N = 100000 };
    static double x[N], scratch[WILD_SCRATCH * N];
    double (*const cdf[5])(double) = {normal_cdf, laplace_cdf, wide_uniform_cdf, mixture_cdf,
                                      student_cdf};
    for (int shape = 0; shape < 5; shape++) {
        wild_node node = {.shape = (wild_shape)shape, .mixture = known_mixture};
        rng r = rng_stream(3, RNG_TEST, (uint64_t)shape, 0, 0);
        wild_shape_fill(x, &node, &r, scratch, N);
        double mean = 0.0, square = 0.0;
        for (size_t i = 0; i < N; i++) {
            mean += x[i] / N;
            square += x[i] * x[i] / N;
        }
        if (shape != WILD_MIXTURE) {
            CHECK_NEAR(mean, 0.0, 4.5 / sqrt(N));
            CHECK_NEAR(square, 1.0, 4.5 * sqrt(8.0 / N)); /* kurtosis at most 9 */
        }
        CHECK_NEAR(ks_statistic(x, N, cdf[shape]), 0.0, 1.95);
    }
}

/* ---- whole problems ---- */

enum { ROWS = 2300 };

/* Rebuilds node v from its parents' columns, its parameters and its noise stream by the rule at the
 * head of wild.h, and compares both regimes. */
static void check_column(const model *m, const scone_pair *pair, size_t v, wild_node *node)
{
    static double noise[2][ROWS], f[2][ROWS], scratch[WILD_SCRATCH * MODEL_BLOCK];
    double mean[2] = {0}, sd[2] = {0};
    for (int regime = 0; regime < 2; regime++) {
        const scone_table *t = scone_pair_table(pair, regime);
        for (size_t start = 0; start < ROWS; start += MODEL_BLOCK) {
            size_t n = ROWS - start < MODEL_BLOCK ? ROWS - start : MODEL_BLOCK;
            rng r = scm_sample_stream(m, v, start / MODEL_BLOCK, (size_t)regime);
            wild_shape_fill(noise[regime] + start, node, &r, scratch, n);
        }
        for (size_t i = 0; i < ROWS; i++) {
            double x[64], z = 0.0;
            for (size_t j = 0; j < node->parents; j++) {
                x[j] = scone_table_column(t, node->parent[j])[i];
                if (node->spread) z += node->spread[j] * x[j];
            }
            bool louder = regime == 1 && node->change == WILD_NOISE;
            noise[regime][i] *= exp(fmax(-1.5, fmin(1.5, z)));
            if (node->parents > 0)
                noise[regime][i] *= node->noise_sd * (louder ? node->amount : 1.0);
            f[regime][i] = node->parents > 0 ? naive_function(node, node->outer[regime], x) : 0.0;
        }
    }
    /* first the function alone, then the sum, is scaled by what regime 0 has */
    for (int step = 0; step < 2; step++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < ROWS; i++) sum += f[0][i];
        mean[step] = sum / ROWS;
        for (size_t i = 0; i < ROWS; i++) squares += pow(f[0][i] - mean[step], 2.0);
        sd[step] = squares > 0.0 ? sqrt(squares / ROWS) : 1.0;
        for (int regime = 0; regime < 2; regime++) {
            for (size_t i = 0; i < ROWS; i++) {
                f[regime][i] = (f[regime][i] - mean[step]) / sd[step];
                if (step == 0) f[regime][i] += noise[regime][i];
                if (step == 1 && regime == 1 && node->change == WILD_MEAN) {
                    f[regime][i] += node->amount;
                }
            }
        }
    }
    for (int regime = 0; regime < 2; regime++) {
        const double *y = scone_table_column(scone_pair_table(pair, regime), v);
        for (size_t i = 0; i < ROWS; i++) {
            CHECK_NEAR(y[i], f[regime][i], 1e-9 * (1.0 + fabs(f[regime][i])));
        }
    }
}

static void test_columns(void **state)
{
    (void)state;
    double changes[4] = {0};
    for (size_t index = 0; index < 3; index++) {
        scone_setting setting;
        CHECK_OK(scone_setting_named(&setting, "wild-20-40"));
        setting.samples = ROWS;
        setting.seed = 5;
        scone_problem *p;
        model m = {0};
        arena *memory;
        CHECK_OK(arena_alloc(&memory, 0));
        CHECK_OK(scone_simulate(&p, &setting, index, NULL));
        CHECK_OK(scm_draw(&m, &setting, index));
        for (size_t v = 0; v < 20; v++) {
            const double *y = scone_table_column(scone_pair_table(scone_problem_pair(p), 0), v);
            double mean = 0.0, square = 0.0;
            for (size_t i = 0; i < ROWS; i++) mean += y[i] / ROWS;
            for (size_t i = 0; i < ROWS; i++) square += y[i] * y[i] / ROWS;
            CHECK_NEAR(mean, 0.0, 1e-12);
            CHECK_NEAR(square, 1.0, 1e-12);
            wild_node node = {.parents = m.parent_counts[v], .parent = m.parents[v]};
            rng weights = scm_mechanism_stream(&m, v, MODEL_WEIGHTS);
            rng change = scm_mechanism_stream(&m, v, MODEL_SHIFT);
            CHECK_OK(wild_draw(&node, memory, scm_targets(&m, 1)[v], &weights, &change));
            changes[node.change] += 1.0;
            CHECK((node.change != WILD_SAME) == scone_problem_targets(p)[v]);
            check_column(&m, scone_problem_pair(p), v, &node);
        }
        scm_free(&m);
        arena_free(memory);
        scone_problem_free(p);
    }
    for (size_t c = 0; c < 4; c++) CHECK(changes[c] > 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),   cmocka_unit_test(test_weights),
        cmocka_unit_test(test_functions), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests_name("wild", tests, NULL, NULL);
}
