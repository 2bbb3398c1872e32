/* test_joint.c - parents that show only together: the rank, and the search with and without it. */
#include "testing.h"

#include "learn/search/joint.h"
#include "learn/search/search.h"
#include "sample.h"

#include <stdlib.h>

enum { OTHERS = 4, PARENTS = 5, EFFECT = OTHERS + PARENTS, NODES = EFFECT + 1, ROWS = 1500 };

/* Variables are signs; the parents are the last five before the effect y = (their sum) e. Given one
 * of them the variance of y is 5, whatever its sign: alone each says nothing. */
static scone_pair *make_pair(uint64_t seed)
{
    sample_stream s = {seed};
    scone_table *tables[2];
    scone_pair *pair;
    for (int t = 0; t < 2; t++) {
        double *x = malloc(sizeof *x * NODES * ROWS);
        CHECK(x != NULL);
        for (size_t i = 0; i < ROWS; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < EFFECT; j++) {
                double sign = sample_uniform(&s) < 0.5 ? -1.0 : 1.0;
                x[j * ROWS + i] = sign;
                if (j >= OTHERS) sum += sign;
            }
            x[EFFECT * ROWS + i] = sum * sample_normal(&s);
        }
        CHECK_OK(scone_table_from_columns(&tables[t], x, ROWS, NODES, NULL));
        free(x);
    }
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

static void test_rank(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        scone_pair *pair = make_pair(seed);
        basis *b;
        joint_work *work;
        uint32_t candidates[EFFECT];
        double shares[EFFECT], least = HUGE_VAL, most = 0.0;
        for (uint32_t c = 0; c < EFFECT; c++) candidates[c] = EFFECT - 1 - c;
        CHECK_OK(basis_alloc(&b, pair, &(basis_options){.seed = seed}, NULL));
        CHECK_OK(joint_work_alloc(&work, b));
        joint_rank(shares, work, EFFECT, candidates, EFFECT);
        for (size_t c = 0; c < EFFECT; c++) {
            CHECK(isfinite(shares[c]) && shares[c] >= 0.0);
            if (candidates[c] >= OTHERS && shares[c] < least) least = shares[c];
            if (candidates[c] < OTHERS && shares[c] > most) most = shares[c];
        }
        CHECK(least > 3.0 * most);
        joint_rank(shares, work, EFFECT, candidates, 0);
        joint_work_free(work);
        basis_free(b);
        scone_pair_free(pair);
    }
}

static size_t parents_found(const scone_pair *pair, bool joint, size_t *wrong)
{
    search_result found;
    const search_options options = {.effort = 1, .edge_cost = -1.0, .joint = joint};
    size_t right = 0;
    CHECK_OK(search_run(&found, pair, &options, NULL));
    *wrong = 0;
    for (size_t u = 0; u < NODES; u++) {
        for (size_t v = 0; v < NODES; v++) {
            if (u == v || !graph_directed(found.graph, u, v)) continue;
            *(v == EFFECT && u >= OTHERS ? &right : wrong) += 1;
        }
    }
    search_result_free(&found);
    return right;
}

static void test_search(void **state)
{
    (void)state;
    scone_pair *pair = make_pair(7);
    size_t wrong;
    CHECK(parents_found(pair, false, &wrong) == 0 && wrong == 0);
    CHECK(parents_found(pair, true, &wrong) == PARENTS && wrong == 0);
    scone_pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rank), cmocka_unit_test(test_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
