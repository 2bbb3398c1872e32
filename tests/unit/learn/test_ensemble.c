/* test_ensemble.c - decoding, majorities, bootstrap draws and the ensemble as a whole. */
#include "testing.h"
#include "statistics.h"

#include "learn/ensemble.h"
#include "learn/polybic/polybic.h"

/* ---- decoding ---- */

static void test_decode(void **state)
{
    (void)state;
    const double tau = 0.5, epsilon = 0.1;
    const struct {
        double forward, backward;
        scone_mark expected;
    } cases[] = {
        {0.7, 0.3, SCONE_MARK_FORWARD},      {0.3, 0.7, SCONE_MARK_BACKWARD},
        {0.55, 0.5, SCONE_MARK_UNDIRECTED},  {0.5, 0.55, SCONE_MARK_UNDIRECTED},
        {0.5, 0.5, SCONE_MARK_UNDIRECTED}, /* reaches the threshold exactly */
        {0.499, 0.1, SCONE_MARK_NONE},       {0.1, 0.499, SCONE_MARK_NONE},
        {0.0, 0.0, SCONE_MARK_NONE},         {1.0, 1.0, SCONE_MARK_UNDIRECTED},
        {0.625, 0.5, SCONE_MARK_FORWARD},    {0.5, 0.0, SCONE_MARK_FORWARD},
        {(double)NAN, 0.2, SCONE_MARK_NONE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK(ensemble_decode(cases[k].forward, cases[k].backward, tau, epsilon) ==
              cases[k].expected);
    }
    /* The margin has to be exceeded, in exact binary numbers. */
    CHECK(ensemble_decode(0.75, 0.5, 0.5, 0.25) == SCONE_MARK_UNDIRECTED);
    CHECK(ensemble_decode(0.5, 0.75, 0.5, 0.25) == SCONE_MARK_UNDIRECTED);
    CHECK(ensemble_decode(0.75, 0.4375, 0.5, 0.25) == SCONE_MARK_FORWARD);
    CHECK(ensemble_decode(0.75, 0.5, 0.5, 0.0) == SCONE_MARK_FORWARD);
}

static void test_majority(void **state)
{
    (void)state;
    const struct {
        double votes[ENSEMBLE_CLASSES]; /* none, forward, backward, undirected */
        scone_mark expected;
    } cases[] = {
        {{1, 5, 2, 2}, SCONE_MARK_FORWARD},        {{1, 2, 5, 2}, SCONE_MARK_BACKWARD},
        {{1, 2, 2, 5}, SCONE_MARK_UNDIRECTED},     {{5, 2, 2, 1}, SCONE_MARK_NONE},
        {{0, 5, 5, 0}, SCONE_MARK_NONE}, /* a tie is no edge, whoever ties */
        {{0, 5, 0, 5}, SCONE_MARK_NONE},           {{5, 5, 0, 0}, SCONE_MARK_NONE},
        {{0, 4, 4, 4}, SCONE_MARK_NONE},           {{0, 0, 0, 0}, SCONE_MARK_NONE},
        {{4, 4, 5, 4}, SCONE_MARK_BACKWARD},       /* ties below the top do not matter */
        {{0, 0.1 + 0.2, 0.3, 0}, SCONE_MARK_NONE}, /* equal but for rounding */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK(ensemble_majority(cases[k].votes) == cases[k].expected);
    }
}

/* ---- draws ---- */

static void test_draw(void **state)
{
    (void)state;
    enum { ROWS = 50, DRAWS = 100000 };
    uint32_t weights[ROWS], again[ROWS], other[ROWS];
    double counts[ROWS], expected[ROWS], total = 0.0;
    ensemble_draw(weights, ROWS, DRAWS, 3, 1, 2, 7, 0);
    ensemble_draw(again, ROWS, DRAWS, 3, 1, 2, 7, 0);
    assert_memory_equal(weights, again, sizeof weights);
    for (size_t r = 0; r < ROWS; r++) {
        counts[r] = (double)weights[r];
        expected[r] = (double)DRAWS / ROWS;
        total += counts[r];
    }
    CHECK_SAME(total, (double)DRAWS);
    CHECK_NEAR(chi_square_score(counts, expected, ROWS), 0.0, 3.1);
    /* Every coordinate has streams of its own. */
    for (int k = 0; k < 5; k++) {
        ensemble_draw(other, ROWS, DRAWS, 3 + (k == 0), 1 + (k == 1), 2 + (k == 2),
                      7 + (uint32_t)(k == 3), k == 4);
        CHECK(memcmp(weights, other, sizeof weights) != 0);
    }
    /* A bootstrap of n rows draws 1 - 1/e of them at least once. */
    static uint32_t large[20000];
    size_t drawn = 0;
    ensemble_draw(large, 20000, 20000, 5, 0, 0, 0, 1);
    for (size_t r = 0; r < 20000; r++) drawn += large[r] > 0;
    CHECK_NEAR((double)drawn / 20000.0, 1.0 - exp(-1.0), 0.01);
    ensemble_draw(large, 1, 10, 5, 0, 0, 0, 1);
    CHECK(large[0] == 10);
}

/* ---- learners whose votes are known ---- */

/* Scores from the first drawn row of the task: cell value v of column i stands for A[i][j] = v for
 * every j. Counts how often it was prepared and released. */
static int open_states;

static scone_status probe_prepare(void **state, const scone_pair *pair,
                                  const scone_context *context)
{
    (void)context;
    *state = mem_alloc(1, sizeof pair);
    if (!*state) return SCONE_ERR_MEMORY;
    memcpy(*state, &pair, sizeof pair);
    open_states++;
    return SCONE_OK;
}

static void probe_release(void *state)
{
    open_states--;
    mem_free(state);
}

static scone_status probe_run(double *scores, const void *state, const learner_task *task)
{
    const scone_pair *pair;
    memcpy(&pair, state, sizeof pair);
    size_t regime = task->regimes == 2 ? 1 : 0, row = 0;
    const table *t = pair->tables[regime];
    while (task->weights[regime] && task->weights[regime][row] == 0) row++;
    for (size_t i = 0; i < task->count; i++) {
        for (size_t j = 0; j < task->count; j++) {
            scores[i * task->count + j] = i == j ? 0.0 : table_column(t, task->columns[i])[row];
        }
    }
    return SCONE_OK;
}

static scone_status failing_run(double *scores, const void *state, const learner_task *task)
{
    (void)scores;
    (void)state;
    return RAISE(SCONE_ERR_INPUT, "no verdict on %zu columns", task->count);
}

/* always i -> j for i < j */
static scone_status forward_run(double *scores, const void *state, const learner_task *task)
{
    (void)state;
    for (size_t i = 0; i < task->count; i++) {
        for (size_t j = 0; j < task->count; j++) {
            scores[i * task->count + j] = i < j ? 0.9 : 0.0;
        }
    }
    return SCONE_OK;
}

static const learner probe = {"probe", 0.5, 1.0, probe_prepare, probe_release, probe_run};
static const learner failing = {"failing", 0.5, 1.0, probe_prepare, probe_release, failing_run};
static const learner forward_heavy = {"forward",     0.5,           3.0,
                                      probe_prepare, probe_release, forward_run};
static const learner forward_equal = {"forward",     0.5,           1.0,
                                      probe_prepare, probe_release, forward_run};

static scone_pair probe_pair(void)
{
    scone_pair pair;
    CHECK_OK(table_alloc(&pair.tables[0], 1, 4, NULL));
    CHECK_OK(table_alloc(&pair.tables[1], 1, 4, NULL));
    const double first[] = {0.9, 0.2, 0.85, 0.1}, second[] = {0.1, 0.2, 0.3, 0.7};
    memcpy(pair.tables[0]->values, first, sizeof first);
    memcpy(pair.tables[1]->values, second, sizeof second);
    return pair;
}

static void free_pair(scone_pair *pair)
{
    scone_table_free(pair->tables[0]);
    scone_table_free(pair->tables[1]);
}

static const size_t probe_offsets[] = {0, 3, 3, 4, 6}, probe_members[] = {0, 1, 2, 1, 2, 3};
static const ensemble_subsets probe_subsets = {4, probe_offsets, probe_members};

static void test_votes(void **state)
{
    (void)state;
    scone_pair pair = probe_pair();
    const learner *learners[] = {&probe};
    ensemble_options options = ensemble_defaults;
    options.learners = learners;
    options.replicates = 3;
    options.margin = 0.1;
    ensemble_result *result;
    CHECK_OK(ensemble_run(&result, &pair, &probe_subsets, &options, NULL));
    CHECK(open_states == 0);
    CHECK(result->subsets == 4 && result->channels == 2 && result->cells == 4);
    const size_t offsets[] = {0, 3, 3, 3, 4}, pairs[4][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}};
    assert_memory_equal(result->offsets, offsets, sizeof offsets);
    assert_memory_equal(result->pairs, pairs, sizeof pairs);
    /* regime 0: 0.9/0.2, 0.9/0.85, 0.2/0.85, 0.85/0.1; regime 1: 0.1/0.2,
     * 0.1/0.3, 0.2/0.3, 0.3/0.7 */
    const unsigned char winners[] = {SCONE_MARK_FORWARD, SCONE_MARK_UNDIRECTED, SCONE_MARK_BACKWARD,
                                     SCONE_MARK_FORWARD, SCONE_MARK_NONE,       SCONE_MARK_NONE,
                                     SCONE_MARK_NONE,    SCONE_MARK_BACKWARD};
    assert_memory_equal(result->winners, winners, sizeof winners);
    for (size_t cell = 0; cell < 8; cell++) {
        for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) {
            CHECK_SAME(result->shares[cell][c], c == winners[cell] ? 1.0 : 0.0);
        }
    }
    ensemble_result_free(result);
    free_pair(&pair);
}

static void test_weights(void **state)
{
    (void)state;
    scone_pair pair = probe_pair();
    const learner *heavy[] = {&probe, &forward_heavy}, *equal[] = {&forward_equal, &probe};
    ensemble_options options = ensemble_defaults;
    ensemble_result *result;
    options.learners = heavy;
    options.learner_count = 2;
    options.replicates = 5;
    options.margin = 0.1;
    CHECK_OK(ensemble_run(&result, &pair, &probe_subsets, &options, NULL));
    for (size_t cell = 0; cell < 8; cell++) CHECK(result->winners[cell] == SCONE_MARK_FORWARD);
    CHECK_SAME(result->shares[2][SCONE_MARK_FORWARD], 0.75);
    CHECK_SAME(result->shares[2][SCONE_MARK_BACKWARD], 0.25);
    ensemble_result_free(result);
    /* With equal weights one vote against one is a tie. */
    options.learners = equal;
    CHECK_OK(ensemble_run(&result, &pair, &probe_subsets, &options, NULL));
    CHECK(result->winners[0] == SCONE_MARK_FORWARD); /* both say so */
    CHECK(result->winners[1] == SCONE_MARK_NONE && result->winners[2] == SCONE_MARK_NONE);
    CHECK_SAME(result->shares[1][SCONE_MARK_FORWARD], 0.5);
    CHECK_SAME(result->shares[1][SCONE_MARK_UNDIRECTED], 0.5);
    ensemble_result_free(result);
    CHECK(open_states == 0);
    free_pair(&pair);
}

/* The share of votes of a learner that looks at one drawn row is the share of rows of that kind. */
static void test_replicates(void **state)
{
    (void)state;
    enum { ROWS = 10 };
    scone_pair pair;
    for (size_t regime = 0; regime < 2; regime++) {
        CHECK_OK(table_alloc(&pair.tables[regime], ROWS, 2, NULL));
        for (size_t r = 0; r < ROWS; r++) {
            table_column(pair.tables[regime], 0)[r] = r < 3 ? 0.9 : 0.0;
            table_column(pair.tables[regime], 1)[r] = 0.6;
        }
    }
    const size_t offsets[] = {0, 2}, members[] = {0, 1};
    ensemble_subsets subsets = {1, offsets, members};
    const learner *learners[] = {&probe};
    ensemble_options options = ensemble_defaults;
    options.learners = learners;
    options.replicates = 4000;
    options.rows = 1; /* so the first drawn row is the only one */
    ensemble_result *result;
    CHECK_OK(ensemble_run(&result, &pair, &subsets, &options, NULL));
    for (size_t channel = 0; channel < 2; channel++) {
        CHECK_RATE(result->shares[channel][SCONE_MARK_FORWARD] * 4000.0, 4000, 0.3);
        CHECK_NEAR(result->shares[channel][SCONE_MARK_FORWARD] +
                       result->shares[channel][SCONE_MARK_BACKWARD],
                   1.0, 1e-12);
        CHECK(result->winners[channel] == SCONE_MARK_BACKWARD);
    }
    CHECK(result->shares[0][1] != result->shares[1][1]); /* regimes are drawn apart */
    ensemble_result_free(result);
    free_pair(&pair);
}

/* ---- the whole, on simulated data ---- */

static void test_threads(void **state)
{
    (void)state;
    scone_setting setting;
    scone_problem *problem;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.samples = 300;
    setting.seed = 11;
    CHECK_OK(scone_simulate(&problem, &setting, 0, NULL));
    size_t offsets[] = {0, 6, 12, 15, 20};
    size_t members[] = {0, 3, 5, 7, 9, 11, 1, 2, 3, 4, 5, 19, 6, 7, 8, 2, 5, 7, 12, 13};
    ensemble_subsets subsets = {4, offsets, members};
    ensemble_options options = ensemble_defaults;
    options.replicates = 7;
    options.channel_count = 3;
    options.channels[2] = 3;
    ensemble_result *results[4];
    for (int k = 0; k < 4; k++) {
        scone_context context = {.threads = k + 1};
        options.seed = k == 3;
        CHECK_OK(
            ensemble_run(&results[k], scone_problem_pair(problem), &subsets, &options, &context));
        for (size_t cell = 0; cell < 3 * results[k]->cells; cell++) {
            double sum = 0.0;
            for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) sum += results[k]->shares[cell][c];
            CHECK_NEAR(sum, 1.0, 1e-12);
        }
    }
    size_t bytes = 3 * results[0]->cells * sizeof *results[0]->shares;
    assert_memory_equal(results[0]->shares, results[1]->shares, bytes);
    assert_memory_equal(results[0]->shares, results[2]->shares, bytes);
    assert_memory_equal(results[0]->winners, results[2]->winners, 3 * results[0]->cells);
    CHECK(memcmp(results[0]->shares, results[3]->shares, bytes) != 0); /* another seed */
    for (int k = 0; k < 4; k++) ensemble_result_free(results[k]);
    scone_problem_free(problem);
}

/* Without replicates the votes are those of one plain run of the learner; an empty
 * regime has none. */
static void test_plain(void **state)
{
    (void)state;
    enum { ROWS = 400 };
    scone_pair pair;
    uint64_t random = 5;
    CHECK_OK(table_alloc(&pair.tables[0], ROWS, 3, NULL));
    CHECK_OK(table_alloc(&pair.tables[1], 0, 3, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        double x = 4.0 * naive_uniform(&random) - 2.0;
        table_column(pair.tables[0], 0)[r] = x * x * x - x + 0.2 * naive_normal(&random);
        table_column(pair.tables[0], 1)[r] = x;
        table_column(pair.tables[0], 2)[r] = naive_normal(&random);
    }
    const size_t offsets[] = {0, 3}, members[] = {0, 1, 2};
    ensemble_subsets subsets = {1, offsets, members};
    ensemble_options options = ensemble_defaults;
    ensemble_result *result;
    for (options.replicates = 0; options.replicates <= 20; options.replicates += 20) {
        CHECK_OK(ensemble_run(&result, &pair, &subsets, &options, NULL));
        CHECK(result->winners[0] == SCONE_MARK_BACKWARD);
        CHECK(result->winners[1] == SCONE_MARK_NONE && result->winners[2] == SCONE_MARK_NONE);
        for (size_t cell = 3; cell < 6; cell++) {
            CHECK(result->winners[cell] == SCONE_MARK_NONE);
            CHECK_SAME(result->shares[cell][SCONE_MARK_NONE], 1.0);
        }
        ensemble_result_free(result);
    }
    free_pair(&pair);
}

static void test_refused(void **state)
{
    (void)state;
    scone_pair pair = probe_pair();
    const learner *learners[] = {&probe, &failing};
    ensemble_options options = ensemble_defaults;
    ensemble_result *result;
    options.learners = learners;
    options.learner_count = 2;
    CHECK_FAILS(ensemble_run(&result, &pair, &probe_subsets, &options, NULL), SCONE_ERR_INPUT,
                "no verdict");
    CHECK(result == NULL && open_states == 0);
    options.learner_count = 1;
    const size_t offsets[] = {0, 2}, high[] = {1, 4}, falling[] = {1, 0}, twice[] = {2, 2};
    const size_t *bad[] = {high, falling, twice};
    for (size_t k = 0; k < 3; k++) {
        ensemble_subsets subsets = {1, offsets, bad[k]};
        CHECK_FAILS(ensemble_run(&result, &pair, &subsets, &options, NULL), SCONE_ERR_INPUT,
                    "subset 1");
    }
    options.channels[1] = 4;
    CHECK_FAILS(ensemble_run(&result, &pair, &probe_subsets, &options, NULL), SCONE_ERR_INPUT,
                "channel 2");
    options.channel_count = 0;
    CHECK_FAILS(ensemble_run(&result, &pair, &probe_subsets, &options, NULL), SCONE_ERR_INPUT,
                "0 channels");
    options.channel_count = 1;
    options.margin = (double)NAN;
    CHECK_FAILS(ensemble_run(&result, &pair, &probe_subsets, &options, NULL), SCONE_ERR_INPUT,
                "margin");
    free_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),  cmocka_unit_test(test_majority),
        cmocka_unit_test(test_draw),    cmocka_unit_test(test_votes),
        cmocka_unit_test(test_weights), cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_plain),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
