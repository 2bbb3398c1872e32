/* test_token_votes.c - what several local learners elect: the mean of their shares, whatever their
 * replicates; subsets that come later change nothing; PolyBIC alone elects as it always did. */
#include "testing.h"
#include "token_problem.h"

#include "learn/polybic/polybic_votes.h"
#include "model/tokens/token_votes.h"

enum { NODES = 7, ROWS = 400 };
static const size_t members[] = {0, 1, 2, 3, 2, 3, 4, 5, 0, 3, 5, 6};
static const size_t offsets[] = {0, 4, 8, 12};
static const ensemble_subsets two = {2, offsets, members}, three = {3, offsets, members};

static ensemble_result *elect(const scone_pair *pair, unsigned learners, bool at_once, int threads)
{
    token_options options = token_quick(4);
    token_votes *votes;
    ensemble_result *result;
    const scone_context context = {.threads = threads};
    options.learners = learners;
    CHECK_OK(token_votes_alloc(&votes, pair, &options, &context));
    if (!at_once) {
        CHECK_OK(token_votes_elect(&result, votes, &two));
        CHECK(result->subsets == 2);
        ensemble_result_free(result);
    }
    CHECK_OK(token_votes_elect(&result, votes, &three));
    token_votes_free(votes);
    return result;
}

static void check_same(const ensemble_result *a, const ensemble_result *b)
{
    size_t all = a->channels * a->cells;
    CHECK(a->cells == b->cells && a->cells == 18 && a->channels == 2 && b->channels == 2);
    CHECK(memcmp(a->winners, b->winners, all) == 0);
    CHECK(memcmp(a->shares, b->shares, all * sizeof *a->shares) == 0);
}

static void test_parts(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(NODES, ROWS, 3);
    const scone_pair *pair = scone_problem_pair(problem);
    for (unsigned learners = 1; learners <= LEARNER_ALL; learners++) {
        ensemble_result *once = elect(pair, learners, true, 1);
        ensemble_result *later = elect(pair, learners, false, 3);
        check_same(once, later);
        ensemble_result_free(once);
        ensemble_result_free(later);
    }
    scone_problem_free(problem);
}

static void test_equal_weight(void **state)
{
    (void)state;
    size_t differ = 0;
    scone_problem *problem = token_problem(NODES, ROWS, 3);
    const scone_pair *pair = scone_problem_pair(problem);
    ensemble_result *each[3], *all = elect(pair, LEARNER_ALL, true, 2);
    for (unsigned l = 0; l < 3; l++) each[l] = elect(pair, 1u << l, true, 2);
    for (size_t cell = 0; cell < all->channels * all->cells; cell++) {
        double sums[ENSEMBLE_CLASSES];
        for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) {
            sums[c] = 0.0;
            for (unsigned l = 0; l < 3; l++) sums[c] += each[l]->shares[cell][c];
            CHECK_NEAR(all->shares[cell][c], sums[c] / 3.0, 1e-12);
        }
        CHECK(all->winners[cell] == ensemble_majority(sums));
        differ += all->winners[cell] != each[0]->winners[cell];
    }
    CHECK(differ > 0);
    for (unsigned l = 0; l < 3; l++) ensemble_result_free(each[l]);
    ensemble_result_free(all);
    scone_problem_free(problem);
}

static void test_polybic_alone(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(NODES, ROWS, 5);
    const scone_pair *pair = scone_problem_pair(problem);
    const token_options options = token_quick(4);
    const polybic_options fit = {.degree = options.degree, .ridge = polybic_defaults.ridge};
    ensemble_options how = ensemble_defaults;
    polybic_votes *votes;
    ensemble_result *expected, *got = elect(pair, LEARNER_POLYBIC, true, 2);
    how.replicates = options.replicates;
    how.seed = options.seed;
    how.graph = options.graph;
    CHECK_OK(polybic_votes_alloc(&votes, pair, &fit, &how, NULL));
    CHECK_OK(polybic_votes_elect(&expected, votes, &three, NULL));
    check_same(got, expected);
    polybic_votes_free(votes);
    ensemble_result_free(expected);
    ensemble_result_free(got);
    scone_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_equal_weight),
        cmocka_unit_test(test_polybic_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
