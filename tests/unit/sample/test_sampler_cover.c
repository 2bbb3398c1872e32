/* test_sampler_cover.c - how many subsets are drawn, and that all candidate pairs end up in one. */
#include "sampler_problem.h"

#include "sample/sampler_cover.h"

static void test_automatic_count(void **state)
{
    (void)state;
    enum { N = 50 };
    problem p = random_problem(N, 96);
    for (size_t i = 0; i < N * N; i++) { /* sparse: about two strong pairs per node */
        p.association[i] = p.association[i] > 0.85 ? p.association[i] : 0.01 * p.association[i];
        p.contrast[i] = p.contrast[i] > 0.85 ? p.contrast[i] : 0.01 * p.contrast[i];
    }
    node_pair likely[2 * N];
    size_t count = pairs_top(likely, N, p.association, N);
    size_t more = pairs_top(likely + count, N, p.contrast, N), all = count;
    for (size_t e = count; e < count + more; e++) {
        bool known = false;
        for (size_t k = 0; k < count; k++) {
            known = known || memcmp(&likely[k], &likely[e], sizeof *likely) == 0;
        }
        if (!known) likely[all++] = likely[e];
    }
    sampler *s = make_sampler(&p, NULL);
    CHECK_OK(sampler_run(s));
    CHECK(s->count >= 16 && s->count <= 4 * N * (N - 1) / 56);
    CHECK(sampler_coverage(s, likely, all).mean_pair_visits >= 4.0);
    double before = 0.0; /* one subset fewer would not have done */
    for (size_t e = 0; e < all; e++) {
        before += times_together(s, s->count - 1, likely[e].first, likely[e].second);
    }
    CHECK(before / (double)all < 4.0);
    sampler_free(s);
    problem_free(&p);
}

static bool in_some_subset(const sampler *s, node_pair pair)
{
    return times_together(s, s->count, pair.first, pair.second) > 0.0;
}

static void test_cover_random(void **state)
{
    (void)state;
    uint64_t seed = 101;
    for (size_t round = 0; round < 60; round++) {
        size_t nodes = 2 + (size_t)(40.0 * naive_uniform(&seed)), count = 0, added, fresh = 0;
        problem p = random_problem(nodes, 102 + round);
        node_pair *pairs = mem_alloc(nodes * nodes, sizeof *pairs);
        double share = naive_uniform(&seed);
        for (size_t a = 0; a < nodes; a++) { /* both orders occur, some pairs twice */
            for (size_t b = 0; b < nodes; b++) {
                if (a != b && naive_uniform(&seed) < share) pairs[count++] = (node_pair){a, b};
            }
        }
        sampler_options options = sampler_defaults();
        options.size = 2 + round % 9;
        options.count = round % 7;
        sampler *s = make_sampler(&p, &options), *again = make_sampler(&p, &options);
        if (options.count > 0) CHECK_OK(sampler_run(s));
        if (options.count > 0) CHECK_OK(sampler_run(again));
        size_t before = s->count;
        for (size_t e = 0; e < count; e++) fresh += !in_some_subset(s, pairs[e]);
        CHECK_OK(sampler_cover(s, pairs, count, &added));
        CHECK(s->count == before + added && added <= fresh);
        check_subsets(s);
        for (size_t e = 0; e < count; e++) CHECK(in_some_subset(s, pairs[e]));
        CHECK_SAME(sampler_coverage(s, pairs, count).share, 1.0);
        CHECK(count == 0 || sampler_coverage(s, pairs, count).least_pair_visits >= 1);
        CHECK_OK(sampler_cover(again, pairs, count, NULL));
        CHECK(memcmp(s->members, again->members, s->count * s->size * sizeof *s->members) == 0);
        CHECK_OK(sampler_cover(s, pairs, count, &added)); /* nothing left to do */
        CHECK(added == 0);
        sampler_free(s);
        sampler_free(again);
        mem_free(pairs);
        problem_free(&p);
    }
}

/* Two cliques of four and a path: with k = 4 each clique is one subset; with k = 8 the cliques
 * share one and the path of five nodes is in the other. */
static void test_cover_packs(void **state)
{
    (void)state;
    problem p = random_problem(20, 103);
    node_pair pairs[16];
    size_t count = 0, added;
    for (size_t clique = 0; clique < 2; clique++) {
        for (size_t a = 0; a < 4; a++) {
            for (size_t b = 0; b < a; b++) {
                pairs[count++] = (node_pair){4 * clique + b, 4 * clique + a};
            }
        }
    }
    sampler_options options = sampler_defaults();
    options.size = 4;
    sampler *s = make_sampler(&p, &options);
    CHECK_OK(sampler_cover(s, pairs, count, &added));
    CHECK(added == 2);
    sampler_free(s);
    for (size_t a = 10; a < 14; a++) pairs[count++] = (node_pair){a, a + 1};
    options.size = 8;
    s = make_sampler(&p, &options);
    CHECK_OK(sampler_cover(s, pairs, count, &added));
    CHECK(added == 2);
    for (size_t k = 0; k < 8; k++) CHECK(sampler_subset(s, 0)[k] == k);
    sampler_free(s);
    problem_free(&p);
}

/* A triangle and a pair with k = 4: one place is left, too few for the pair, and goes to the node
 * with the largest growth weight. */
static void test_cover_fills(void **state)
{
    (void)state;
    problem p = random_problem(9, 107);
    node_pair pairs[4] = {{0, 1}, {0, 2}, {1, 2}, {3, 4}};
    size_t added;
    sampler_options options = sampler_defaults();
    options.size = 4;
    for (size_t i = 0; i < 9; i++) {
        p.association[7 + 9 * i] = p.association[i + 9 * 7] = 1.0;
        p.contrast[7 + 9 * i] = p.contrast[i + 9 * 7] = 1.0;
    }
    p.sensitivity[7] = 1.0;
    sampler *s = make_sampler(&p, &options);
    CHECK_OK(sampler_cover(s, pairs, 4, &added));
    CHECK(added == 2 && s->visits[7] >= 1);
    for (size_t k = 0; k < 3; k++) CHECK(sampler_subset(s, 0)[k] == k);
    CHECK(sampler_subset(s, 0)[3] == 7);
    CHECK(sampler_subset(s, 1)[0] == 3 || sampler_subset(s, 1)[1] == 3);
    sampler_free(s);
    problem_free(&p);
}

static void test_cover_refused(void **state)
{
    (void)state;
    problem p = random_problem(5, 104);
    sampler_options options = sampler_defaults();
    options.size = 1;
    sampler *s = make_sampler(&p, &options);
    size_t added = 9;
    CHECK_FAILS(sampler_cover(s, (node_pair[]){{0, 1}}, 1, &added), SCONE_ERR_INPUT, "one node");
    CHECK(added == 0);
    CHECK_FAILS(sampler_cover(s, (node_pair[]){{0, 5}}, 1, NULL), SCONE_ERR_INPUT, "not a pair");
    CHECK_FAILS(sampler_cover(s, (node_pair[]){{2, 2}}, 1, NULL), SCONE_ERR_INPUT, "not a pair");
    CHECK_OK(sampler_cover(s, NULL, 0, &added));
    CHECK(added == 0 && s->count == 0);
    sampler_free(s);
    problem_free(&p);
}

static void test_coverage_report(void **state)
{
    (void)state;
    problem p = random_problem(NODES, 105);
    sampler_options options = sampler_defaults();
    options.size = 3;
    sampler *s = make_sampler(&p, &options);
    replay_history(s, HISTORY);
    coverage_report all = sampler_coverage(s, NULL, 0);
    CHECK(all.subsets == HISTORY && all.pairs == 15 && all.least_pair_visits == 0);
    CHECK_NEAR(all.share, 10.0 / 15.0, 1e-15); /* 01 02 12 04 14 03 13 24 25 45 */
    CHECK_NEAR(all.mean_pair_visits, 12.0 / 15.0, 1e-15);
    CHECK(all.least_node_visits == 1);
    CHECK_NEAR(all.mean_node_visits, 2.0, 1e-15);
    coverage_report some = sampler_coverage(s, (node_pair[]){{0, 1}, {4, 5}}, 2);
    CHECK(some.pairs == 2 && some.least_pair_visits == 1);
    CHECK_NEAR(some.mean_pair_visits, 2.0, 1e-15);
    sampler_free(s);
    problem_free(&p);
}

static void test_many_nodes(void **state)
{
    (void)state;
    enum { N = 1000, PAIRS = 6000 };
    problem p = random_problem(N, 106);
    sampler_options options = sampler_defaults();
    options.count = 300;
    sampler *s = make_sampler(&p, &options);
    node_pair *pairs = mem_alloc(PAIRS, sizeof *pairs);
    size_t added;
    CHECK_OK(sampler_run(s));
    check_subsets(s);
    CHECK(pairs_top(pairs, PAIRS, p.association, N) == PAIRS);
    CHECK_OK(sampler_cover(s, pairs, PAIRS, &added));
    CHECK_SAME(sampler_coverage(s, pairs, PAIRS).share, 1.0);
    CHECK(added * 3 < PAIRS); /* several new pairs in a subset */
    mem_free(pairs);
    sampler_free(s);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_automatic_count), cmocka_unit_test(test_cover_random),
        cmocka_unit_test(test_cover_packs),     cmocka_unit_test(test_cover_fills),
        cmocka_unit_test(test_cover_refused),   cmocka_unit_test(test_coverage_report),
        cmocka_unit_test(test_many_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
