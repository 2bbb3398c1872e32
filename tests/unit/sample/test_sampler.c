/* test_sampler.c - the sampler against the paper's equations, evaluated here from the raw scores
 * and from counts of the subsets drawn so far; degenerate sizes and weights. */
#include "sampler_problem.h"

#include "sample/sampler_cover.h"

/* ---- the paper's formulas taken literally ---- */

static double paper_alpha(const problem *p, const sampler *s, size_t count, size_t i, size_t j)
{
    double n = times_together(s, count, i, j);
    return p->association[i + p->nodes * j] / pow(s->options.association_base, n);
}

static double paper_gamma(const problem *p, const sampler *s, size_t count, size_t i, size_t j)
{
    double n = times_together(s, count, i, j);
    if (!s->options.use_contrast) return 0.0;
    return p->contrast[i + p->nodes * j] / pow(s->options.contrast_base, n);
}

static double paper_bonus(const sampler *s, size_t count, size_t i)
{
    return 1.0 / pow(1.0 + times_together(s, count, i, i), s->options.coverage);
}

static void paper_seed(double *weights, const problem *p, const sampler *s, size_t count)
{
    double rho = s->options.seed_sensitivity;
    for (size_t i = 0; i < p->nodes; i++) {
        double sum = 0.0, own = s->options.use_contrast ? p->sensitivity[i] : 0.0;
        for (size_t j = 0; j < p->nodes; j++) {
            if (j != i) sum += paper_alpha(p, s, count, i, j);
        }
        weights[i] = ((1.0 - rho) * sum + rho * own) * paper_bonus(s, count, i);
    }
}

static void paper_growth(double *weights, const problem *p, const sampler *s, size_t count,
                         const size_t *chosen, size_t chosen_count)
{
    double lambda = s->options.association;
    for (size_t j = 0; j < p->nodes; j++) {
        double alpha = 0.0, gamma = 0.0, own = s->options.use_contrast ? p->sensitivity[j] : 0.0;
        bool taken = false;
        for (size_t k = 0; k < chosen_count; k++) {
            taken = taken || chosen[k] == j;
            alpha += paper_alpha(p, s, count, chosen[k], j);
            gamma += paper_gamma(p, s, count, chosen[k], j);
        }
        double weight = lambda * alpha + (1.0 - lambda) * (own + gamma / (double)chosen_count);
        weights[j] = taken ? 0.0 : weight * paper_bonus(s, count, j);
    }
}

static void normalize(double *weights, size_t n, double total)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += weights[i];
    for (size_t i = 0; i < n; i++) weights[i] *= total / sum;
}

/* ---- drawn frequencies ---- */

enum { DRAWS = 40000 };

static void check_frequencies(const sampler_options *given, size_t subsets)
{
    problem p = random_problem(NODES, 71);
    static double third[NODES * NODES * NODES];
    double first[NODES] = {0}, second[NODES][NODES] = {{0}}, expected[NODES];
    sampler_options options = *given;
    sampler *s = NULL;
    options.size = 3;
    memset(third, 0, sizeof third);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        sampler_free(s);
        options.seed = 1000 + draw;
        s = make_sampler(&p, &options);
        replay_history(s, subsets);
        CHECK_OK(sampler_draw(s));
        first[s->order[0]] += 1.0;
        second[s->order[0]][s->order[1]] += 1.0;
        third[(s->order[0] * NODES + s->order[1]) * NODES + s->order[2]] += 1.0;
    }
    paper_seed(expected, &p, s, subsets);
    normalize(expected, NODES, DRAWS);
    CHECK_NEAR(chi_square_score(first, expected, NODES), 0.0, 3.3);
    for (size_t a = 0; a < NODES; a++) {
        paper_growth(expected, &p, s, subsets, (size_t[]){a}, 1);
        normalize(expected, NODES, first[a]);
        CHECK_NEAR(chi_square_score(second[a], expected, NODES), 0.0, 3.6);
        for (size_t b = 0; b < NODES; b++) {
            if (b == a || second[a][b] < 300.0) continue;
            paper_growth(expected, &p, s, subsets, (size_t[]){a, b}, 2);
            normalize(expected, NODES, second[a][b]);
            double *counts = third + (a * NODES + b) * NODES;
            CHECK_NEAR(chi_square_score(counts, expected, NODES), 0.0, 4.0);
        }
    }
    sampler_free(s);
    problem_free(&p);
}

static void test_frequencies(void **state)
{
    (void)state;
    sampler_options options = sampler_defaults();
    check_frequencies(&options, 0);
    check_frequencies(&options, HISTORY);
}

static void test_frequencies_other_options(void **state)
{
    (void)state;
    sampler_options options = sampler_defaults();
    options.seed_sensitivity = 0.8;
    options.association = 0.3;
    options.coverage = 0.5;
    options.association_base = 1.3;
    options.contrast_base = 4.0;
    check_frequencies(&options, HISTORY);
    options.use_contrast = false;
    check_frequencies(&options, HISTORY);
}

/* A case by hand: a path 0 - 1 - 2, the middle twice as sensitive as its neighbours.
 * Seeds: 1/2 (0.4) + 1/2 (0.5), 1/2 (1.0) + 1/2 (1.0), 1/2 (0.6) + 1/2 (0.5) = 0.45, 1, 0.55.
 * After {0, 1} was drawn: a_01 = 0.2, counts 1, 1, 0: 1/2 (0.2 + 0.5) / 2, 1/2 (0.8 + 1) / 2,
 * 0.55 = 0.175, 0.45, 0.55. Next to 2: 1/2 (0) + 1/2 (0.5 + 0.2), halved; 1/2 (0.6) + 1/2
 * (1 + 0). */
static void test_by_hand(void **state)
{
    (void)state;
    double association[9] = {0, 0.4, 0, 0.4, 0, 0.6, 0, 0.6, 0};
    double contrast[9] = {0, 0, 0.2, 0, 0, 0, 0.2, 0, 0}, sensitivity[3] = {0.5, 1.0, 0.5};
    sampler_options options = sampler_defaults();
    sampler_scores scores = {3, association, contrast, sensitivity};
    sampler *s = NULL;
    double w[3];
    options.size = 2;
    options.association = 0.5;
    options.association_base = options.contrast_base = 2.0;
    CHECK_OK(sampler_alloc(&s, &scores, &options));
    sampler_seed_weights(w, s);
    CHECK_NEAR(w[0], 0.45, 1e-15);
    CHECK_NEAR(w[1], 1.0, 1e-15);
    CHECK_NEAR(w[2], 0.55, 1e-15);
    CHECK_OK(sampler_start(s));
    sampler_add(s, 1);
    sampler_add(s, 0);
    sampler_finish(s);
    CHECK(sampler_subset(s, 0)[0] == 0 && sampler_subset(s, 0)[1] == 1);
    sampler_seed_weights(w, s);
    CHECK_NEAR(w[0], 0.175, 1e-15);
    CHECK_NEAR(w[1], 0.45, 1e-15);
    CHECK_NEAR(w[2], 0.55, 1e-15);
    CHECK_OK(sampler_start(s));
    sampler_add(s, 2);
    sampler_growth_weights(w, s);
    CHECK_NEAR(w[0], 0.175, 1e-15);
    CHECK_NEAR(w[1], 0.4, 1e-15);
    CHECK_SAME(w[2], 0.0);
    sampler_free(s);
}

/* ---- incremental against recomputed ---- */

static void check_recomputed(size_t nodes, const sampler_options *options, size_t subsets)
{
    problem p = random_problem(nodes, 81);
    sampler *s = make_sampler(&p, options);
    double *incremental = mem_alloc(nodes, sizeof *incremental);
    double *expected = mem_alloc(nodes, sizeof *expected);
    for (size_t t = 0; t < subsets; t++) CHECK_OK(sampler_draw(s));
    for (size_t i = 0; i < nodes; i++) {
        CHECK((double)s->visits[i] == times_together(s, subsets, i, i));
        for (size_t j = 0; j < i; j++) {
            CHECK((double)s->pair_visits[i + nodes * j] == times_together(s, subsets, i, j));
            CHECK(s->pair_visits[i + nodes * j] == s->pair_visits[j + nodes * i]);
        }
    }
    sampler_seed_weights(incremental, s);
    paper_seed(expected, &p, s, subsets);
    for (size_t i = 0; i < nodes; i++) {
        CHECK_NEAR(incremental[i], expected[i], 1e-12 * expected[i]);
    }
    CHECK_OK(sampler_start(s));
    for (size_t chosen = 1; chosen < s->size; chosen++) {
        sampler_add(s, chosen * 5 % nodes);
        sampler_growth_weights(incremental, s);
        paper_growth(expected, &p, s, subsets, s->order, chosen);
        for (size_t i = 0; i < nodes; i++) {
            CHECK_NEAR(incremental[i], expected[i], 1e-12 * expected[i]);
        }
    }
    mem_free(incremental);
    mem_free(expected);
    sampler_free(s);
    problem_free(&p);
}

static void test_recomputed(void **state)
{
    (void)state;
    sampler_options options = sampler_defaults();
    check_recomputed(23, &options, 100);
    options.association_base = 1.7;
    options.contrast_base = 3.1;
    options.coverage = 1.5;
    check_recomputed(11, &options, 100); /* pairs visited dozens of times */
    options.use_contrast = false;
    check_recomputed(11, &options, 100);
}

/* ---- reproducible, valid ---- */

static void test_deterministic(void **state)
{
    (void)state;
    problem p = random_problem(40, 91);
    sampler_options options = sampler_defaults();
    options.seed = 7;
    options.count = 60;
    sampler *a = make_sampler(&p, &options), *b = make_sampler(&p, &options);
    CHECK_OK(sampler_run(a));
    for (size_t t = 0; t < 60; t++) CHECK_OK(sampler_draw(b));
    CHECK(a->count == 60 && a->size == 8);
    check_subsets(a);
    CHECK(memcmp(a->members, b->members, 60 * 8 * sizeof *a->members) == 0);
    options.seed = 8;
    sampler *c = make_sampler(&p, &options);
    options.seed = 7;
    options.graph = 1;
    sampler *d = make_sampler(&p, &options);
    CHECK_OK(sampler_run(c));
    CHECK_OK(sampler_run(d));
    CHECK(memcmp(a->members, c->members, 60 * 8 * sizeof *a->members) != 0);
    CHECK(memcmp(a->members, d->members, 60 * 8 * sizeof *a->members) != 0);
    sampler_free(a);
    sampler_free(b);
    sampler_free(c);
    sampler_free(d);
    problem_free(&p);
}

static void test_without_contrast(void **state)
{
    (void)state;
    problem p = random_problem(30, 92);
    sampler_options options = sampler_defaults();
    options.count = 50;
    options.use_contrast = false;
    sampler_scores scores = {p.nodes, p.association, NULL, NULL};
    sampler *a = NULL, *b = make_sampler(&p, &options);
    CHECK_OK(sampler_alloc(&a, &scores, &options)); /* s and G are not looked at */
    CHECK_OK(sampler_run(a));
    CHECK_OK(sampler_run(b));
    CHECK(memcmp(a->members, b->members, 50 * 8 * sizeof *a->members) == 0);
    sampler_free(a);
    sampler_free(b);
    problem_free(&p);
}

/* All weights 0: every subset is as likely as any other. */
static void test_zero_weights(void **state)
{
    (void)state;
    enum { N = 5, ROUNDS = 6000 };
    double zeros[N * N] = {0}, counts[N * N] = {0}, expected[N * N] = {0};
    sampler_scores scores = {N, zeros, zeros, zeros};
    sampler_options options = sampler_defaults();
    options.size = 2;
    for (size_t round = 0; round < ROUNDS; round++) {
        sampler *s = NULL;
        options.seed = round;
        CHECK_OK(sampler_alloc(&s, &scores, &options));
        CHECK_OK(sampler_draw(s));
        counts[s->order[0] * N + s->order[1]] += 1.0;
        sampler_free(s);
    }
    for (size_t i = 0; i < N * N; i++) {
        expected[i] = i % N == i / N ? 0.0 : (double)ROUNDS / (N * (N - 1));
    }
    CHECK_NEAR(chi_square_score(counts, expected, N * N), 0.0, 3.3);

    sampler *s = NULL; /* the same for the subsets of one sampler: each has its own stream */
    memset(counts, 0, sizeof counts);
    CHECK_OK(sampler_alloc(&s, &scores, &options));
    for (size_t t = 0; t < ROUNDS; t++) {
        CHECK_OK(sampler_draw(s));
        counts[s->order[0] * N + s->order[1]] += 1.0;
    }
    CHECK_NEAR(chi_square_score(counts, expected, N * N), 0.0, 3.3);
    sampler_free(s);
}

/* A node of weight 0 stays out while others have some; scores that underflow end up uniform. */
static void test_zero_sensitivity(void **state)
{
    (void)state;
    problem p = random_problem(12, 93);
    for (size_t i = 0; i < 12; i++) {
        p.sensitivity[i] = 0.0;
        p.association[3 + 12 * i] = p.association[i + 12 * 3] = 0.0;
        p.contrast[3 + 12 * i] = p.contrast[i + 12 * 3] = 0.0;
    }
    sampler_options options = sampler_defaults();
    options.size = 4;
    options.count = 200;
    sampler *s = make_sampler(&p, &options);
    CHECK_OK(sampler_run(s));
    CHECK(s->visits[3] == 0 && sampler_coverage(s, NULL, 0).least_node_visits == 0);
    sampler_free(s);
    options.association_base = options.contrast_base = 1e6;
    options.count = 3000;
    s = make_sampler(&p, &options);
    CHECK_OK(sampler_run(s));
    check_subsets(s);
    CHECK(s->visits[3] > 0);
    sampler_free(s);
    problem_free(&p);
}

static void test_few_nodes(void **state)
{
    (void)state;
    for (size_t nodes = 1; nodes <= 9; nodes++) {
        for (size_t size = 1; size <= 9; size += 2) {
            problem p = random_problem(nodes, 94);
            sampler_options options = sampler_defaults();
            options.size = size;
            sampler *s = make_sampler(&p, &options);
            CHECK_OK(sampler_run(s));
            CHECK(s->size == (size < nodes ? size : nodes) && s->count >= 16);
            check_subsets(s);
            coverage_report report = sampler_coverage(s, NULL, 0);
            CHECK(report.subsets == s->count && report.pairs == nodes * (nodes - 1) / 2);
            if (size >= nodes) {
                CHECK_SAME(report.share, 1.0);
                CHECK(report.least_node_visits == s->count);
            }
            sampler_free(s);
            problem_free(&p);
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    problem p = random_problem(4, 95);
    sampler_scores scores = {4, p.association, p.contrast, p.sensitivity};
    sampler *s = NULL;
    sampler_options wrong[9];
    for (size_t i = 0; i < 9; i++) wrong[i] = sampler_defaults();
    wrong[0].size = 0;
    wrong[1].seed_sensitivity = 1.1;
    wrong[2].association = -0.1;
    wrong[3].coverage = (double)NAN;
    wrong[4].association_base = 0.9;
    wrong[5].contrast_base = (double)INFINITY;
    wrong[6].pair_visits = -1.0;
    wrong[7].count = SIZE_MAX;
    wrong[8].association_base = (double)NAN;
    for (size_t i = 0; i < 9; i++) {
        CHECK_FAILS(sampler_alloc(&s, &scores, &wrong[i]), SCONE_ERR_INPUT, "");
        CHECK(s == NULL);
    }
    p.association[1] = -1e-9;
    CHECK_FAILS(sampler_alloc(&s, &scores, NULL), SCONE_ERR_INPUT, "selection score");
    p.association[1] = 0.5;
    p.sensitivity[3] = (double)NAN;
    CHECK_FAILS(sampler_alloc(&s, &scores, NULL), SCONE_ERR_INPUT, "selection score");
    scores.nodes = 0;
    CHECK_FAILS(sampler_alloc(&s, &scores, NULL), SCONE_ERR_INPUT, "no nodes");
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_frequencies_other_options),
        cmocka_unit_test(test_recomputed),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_without_contrast),
        cmocka_unit_test(test_zero_weights),
        cmocka_unit_test(test_zero_sensitivity),
        cmocka_unit_test(test_few_nodes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
