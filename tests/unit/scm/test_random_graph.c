/* test_random_graph.c - few targets of a condition: how many, which, and none among the roots. What
 * test_scm.c has of random graphs is not here. */
#include "statistics.h"

#include "scm/random_graph.h"

/* 0 -> 1, 0 -> 2, 0 -> 3, 3 -> 4, and 5 by itself: four nodes with parents. */
static graph *small_graph(void)
{
    graph *g;
    CHECK_OK(graph_alloc(&g, 6));
    for (size_t v = 1; v <= 3; v++) graph_direct(g, 0, v);
    graph_direct(g, 3, 4);
    return g;
}

/* The bits of the nodes with parents, after a check that no other is a target. */
static size_t choose(const graph *g, size_t low, size_t high, rng *r)
{
    bool targets[6];
    memset(targets, true, sizeof targets);
    CHECK_OK(random_targets_choose(targets, g, low, high, r));
    CHECK(!targets[0] && !targets[5]);
    return (size_t)(targets[1] + 2 * targets[2] + 4 * targets[3] + 8 * targets[4]);
}

/* Sizes 1 to 3 are as likely, and so are the sets of a size. */
static void test_every_set(void **state)
{
    (void)state;
    enum { DRAWS = 24000 };
    static const double sets_of_size[] = {1, 4, 6, 4, 1};
    double counts[16] = {0}, expected[16] = {0};
    graph *g = small_graph();
    for (size_t set = 1; set < 15; set++) {
        int size = __builtin_popcount((unsigned)set);
        expected[set] = DRAWS / 3.0 / sets_of_size[size];
    }
    rng r = rng_stream(4, RNG_MECHANISM, 0, 0, 0);
    for (size_t i = 0; i < DRAWS; i++) counts[choose(g, 1, 3, &r)] += 1.0;
    CHECK(counts[0] == 0.0 && counts[15] == 0.0);
    CHECK_NEAR(chi_square_score(counts, expected, 16), 0.0, 3.3);
    scone_graph_free(g);
}

static void test_corners(void **state)
{
    (void)state;
    graph *g = small_graph();
    rng r = rng_stream(4, RNG_MECHANISM, 1, 0, 0);
    for (size_t i = 0; i < 50; i++) {
        CHECK(choose(g, 4, 4, &r) == 15);
        CHECK(choose(g, 5, 1000, &r) == 15); /* more than there are */
        CHECK(__builtin_popcount((unsigned)choose(g, 2, 2, &r)) == 2);
    }
    size_t none = 0;
    for (size_t i = 0; i < 1000; i++) none += choose(g, 0, 1, &r) == 0;
    CHECK_NEAR((double)none, 500.0, 80.0);
    scone_graph_free(g);
    CHECK_OK(graph_alloc(&g, 6)); /* roots only */
    CHECK(choose(g, 1, 3, &r) == 0);
    scone_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_set),
        cmocka_unit_test(test_corners),
    };
    return cmocka_run_group_tests_name("targets of conditions", tests, NULL, NULL);
}
