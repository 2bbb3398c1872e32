/* test_polybic_votes.c - votes on subsets from shared fits, against the ensemble and against the
 * learner run on every subset with the rows of the replicate. */
#include "testing.h"

#include "data/table.h"
#include "learn/polybic/polybic_votes.h"

static scone_problem *simulated(size_t samples)
{
    scone_setting setting;
    scone_problem *problem;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.nodes_min = setting.nodes_max = 12;
    setting.edges_min = setting.edges_max = 14.0;
    setting.samples = samples;
    setting.seed = 17;
    CHECK_OK(scone_simulate(&problem, &setting, 0, NULL));
    return problem;
}

static void check_same(const ensemble_result *a, const ensemble_result *b)
{
    CHECK(a->subsets == b->subsets && a->channels == b->channels && a->cells == b->cells);
    size_t all = a->channels * a->cells;
    assert_memory_equal(a->offsets, b->offsets, (a->subsets + 1) * sizeof *a->offsets);
    assert_memory_equal(a->pairs, b->pairs, a->cells * sizeof *a->pairs);
    assert_memory_equal(a->winners, b->winners, all);
    assert_memory_equal(a->shares, b->shares, all * sizeof *a->shares);
}

/* One subset of all columns sees the rows that the ensemble draws for its first subset. */
static void test_all_columns(void **state)
{
    (void)state;
    scone_problem *problem = simulated(300);
    const scone_pair *pair = scone_problem_pair(problem);
    size_t members[12], offsets[] = {0, 12};
    for (size_t j = 0; j < 12; j++) members[j] = j;
    const ensemble_subsets subsets = {1, offsets, members};
    ensemble_options options = ensemble_defaults;
    options.channel_count = 3;
    options.channels[2] = 3;
    options.seed = 5;
    options.graph = 2;
    for (options.replicates = 0; options.replicates <= 14; options.replicates += 7) {
        polybic_votes *votes;
        ensemble_result *expected, *got;
        CHECK_OK(ensemble_run(&expected, pair, &subsets, &options, NULL));
        CHECK_OK(polybic_votes_alloc(&votes, pair, NULL, &options, NULL));
        CHECK_OK(polybic_votes_elect(&got, votes, &subsets, NULL));
        check_same(got, expected);
        size_t edges = 0;
        for (size_t k = 0; k < 3 * got->cells; k++) edges += got->winners[k] != SCONE_MARK_NONE;
        CHECK(edges > 10 && edges < 3 * got->cells);
        ensemble_result_free(got);
        ensemble_result_free(expected);
        polybic_votes_free(votes);
    }
    scone_problem_free(problem);
}

static const size_t some_offsets[] = {0, 5, 8, 8, 9, 13, 15};
static const size_t some_members[] = {0, 3, 5, 7, 9, 1, 2, 11, 4, 2, 5, 7, 8, 3, 10};
static const ensemble_subsets some = {6, some_offsets, some_members};

/* Counts of one replicate's votes, as the learner gives them for the subset alone. */
static void count_directly(double *counts, const void *learner_state, const scone_pair *pair,
                           const ensemble_options *options, size_t subset, size_t channel,
                           uint32_t replicate)
{
    size_t size = some_offsets[subset + 1] - some_offsets[subset];
    size_t rows = pair->tables[channel]->rows;
    uint32_t *weights = mem_alloc(rows, sizeof *weights);
    double *scores = mem_alloc(size * size, sizeof *scores);
    assert_non_null(weights);
    assert_non_null(scores);
    ensemble_draw(weights, rows, rows, options->seed, options->graph, 0, replicate,
                  (unsigned)channel);
    learner_task task = {
        .columns = some_members + some_offsets[subset], .count = size, .regimes = 1U << channel};
    task.weights[channel] = weights;
    CHECK_OK(learner_polybic.run(scores, learner_state, &task));
    size_t cell = 0;
    for (size_t i = 0; i < size; i++) {
        for (size_t j = i + 1; j < size; j++, cell++) {
            scone_mark vote = ensemble_decode(scores[i * size + j], scores[j * size + i],
                                              learner_polybic.threshold, options->margin);
            counts[cell * ENSEMBLE_CLASSES + vote] += 1.0;
        }
    }
    mem_free(weights);
    mem_free(scores);
}

static void test_subsets(void **state)
{
    (void)state;
    enum { REPLICATES = 9, MOST_CELLS = 10 };
    scone_problem *problem = simulated(250);
    const scone_pair *pair = scone_problem_pair(problem);
    /* A column that is constant in one regime takes no part in s there. */
    for (size_t r = 0; r < pair->tables[1]->rows; r++) table_column(pair->tables[1], 5)[r] = 2.5;
    ensemble_options options = ensemble_defaults;
    options.replicates = REPLICATES;
    options.margin = 0.4; /* so that votes hang on s */
    options.seed = 3;
    options.graph = 4;
    polybic_votes *votes;
    ensemble_result *got;
    void *learner_state;
    CHECK_OK(polybic_votes_alloc(&votes, pair, NULL, &options, NULL));
    CHECK_OK(polybic_votes_elect(&got, votes, &some, NULL));
    CHECK_OK(learner_polybic.prepare(&learner_state, pair, NULL));
    for (size_t t = 0; t < some.count; t++) {
        for (size_t channel = 0; channel < 2; channel++) {
            double counts[MOST_CELLS * ENSEMBLE_CLASSES] = {0};
            size_t cells = got->offsets[t + 1] - got->offsets[t];
            for (uint32_t r = 0; r < REPLICATES && cells; r++) {
                count_directly(counts, learner_state, pair, &options, t, channel, r);
            }
            for (size_t k = 0; k < cells * ENSEMBLE_CLASSES; k++) {
                size_t cell = channel * got->cells + got->offsets[t] + k / ENSEMBLE_CLASSES;
                CHECK_NEAR(got->shares[cell][k % ENSEMBLE_CLASSES] * REPLICATES, counts[k], 1e-9);
            }
        }
    }
    learner_polybic.release(learner_state);
    ensemble_result_free(got);
    polybic_votes_free(votes);
    scone_problem_free(problem);
}

static void test_threads(void **state)
{
    (void)state;
    scone_problem *problem = simulated(200);
    ensemble_options options = ensemble_defaults;
    options.replicates = 5;
    polybic_votes *votes[3];
    ensemble_result *results[3];
    for (int k = 0; k < 3; k++) {
        scone_context context = {.threads = k < 2 ? k + 1 : 64}; /* more than replicates */
        CHECK_OK(
            polybic_votes_alloc(&votes[k], scone_problem_pair(problem), NULL, &options, &context));
        CHECK_OK(polybic_votes_elect(&results[k], votes[k], &some, &context));
    }
    check_same(results[0], results[1]);
    check_same(results[0], results[2]);
    for (int k = 0; k < 3; k++) {
        ensemble_result_free(results[k]);
        polybic_votes_free(votes[k]);
    }
    scone_problem_free(problem);
}

/* A regime without rows elects nothing. */
static void test_empty_regime(void **state)
{
    (void)state;
    scone_pair pair;
    CHECK_OK(table_alloc(&pair.tables[0], 60, 12, NULL));
    CHECK_OK(table_alloc(&pair.tables[1], 0, 12, NULL));
    for (size_t k = 0; k < 60 * 12; k++) pair.tables[0]->values[k] = sin((double)(k * k % 977));
    for (size_t r = 0; r < 60; r++) { /* column 3 follows column 0 */
        table_column(pair.tables[0], 3)[r] = pow(table_column(pair.tables[0], 0)[r], 2.0);
    }
    polybic_votes *votes;
    ensemble_result *got;
    CHECK_OK(polybic_votes_alloc(&votes, &pair, NULL, &ensemble_defaults, NULL));
    CHECK_OK(polybic_votes_elect(&got, votes, &some, NULL));
    CHECK(got->winners[0] == SCONE_MARK_FORWARD);
    for (size_t k = 0; k < got->cells; k++) {
        CHECK(got->winners[got->cells + k] == SCONE_MARK_NONE);
        CHECK_SAME(got->shares[got->cells + k][SCONE_MARK_NONE], 1.0);
    }
    ensemble_result_free(got);
    polybic_votes_free(votes);
    scone_table_free(pair.tables[0]);
    scone_table_free(pair.tables[1]);
}

static void test_refused(void **state)
{
    (void)state;
    scone_problem *problem = simulated(20);
    const scone_pair *pair = scone_problem_pair(problem);
    ensemble_options options = ensemble_defaults;
    polybic_options fit = polybic_defaults;
    polybic_votes *votes;
    ensemble_result *got;
    fit.degree = POLYBIC_MAX_DEGREE + 1;
    CHECK_FAILS(polybic_votes_alloc(&votes, pair, &fit, &options, NULL), SCONE_ERR_INPUT,
                "degree 7");
    CHECK(votes == NULL);
    fit = polybic_defaults;
    fit.ridge = (double)NAN;
    CHECK_FAILS(polybic_votes_alloc(&votes, pair, &fit, &options, NULL), SCONE_ERR_INPUT, "ridge");
    options.channel_count = 0;
    CHECK_FAILS(polybic_votes_alloc(&votes, pair, NULL, &options, NULL), SCONE_ERR_INPUT,
                "0 channels");
    const size_t offsets[] = {0, 2}, members[] = {3, 12};
    const ensemble_subsets beyond = {1, offsets, members};
    CHECK_OK(polybic_votes_alloc(&votes, pair, NULL, &ensemble_defaults, NULL));
    CHECK_FAILS(polybic_votes_elect(&got, votes, &beyond, NULL), SCONE_ERR_INPUT, "subset 1");
    CHECK(got == NULL);
    polybic_votes_free(votes);
    table_column(pair->tables[1], 4)[3] = (double)INFINITY;
    CHECK_FAILS(polybic_votes_alloc(&votes, pair, NULL, &ensemble_defaults, NULL), SCONE_ERR_INPUT,
                "column 5");
    scone_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_columns), cmocka_unit_test(test_subsets),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_empty_regime),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
