/* token_problem.h - simulated problems for the tests of tokens. */
#ifndef SCONE_TESTS_TOKEN_PROBLEM_H
#define SCONE_TESTS_TOKEN_PROBLEM_H

#include "testing.h"

#include "model/tokens/token_make.h"

/* linear, nn and nn_add mechanisms with one edge per node */
static inline scone_problem *token_problem(size_t nodes, size_t samples, uint64_t seed)
{
    scone_setting setting;
    scone_problem *problem;
    CHECK_OK(scone_setting_named(&setting, "train-ood"));
    setting.nodes_min = setting.nodes_max = nodes;
    setting.samples = samples;
    setting.seed = seed;
    CHECK_OK(scone_simulate(&problem, &setting, 0, NULL));
    return problem;
}

/* Few replicates, so that tests are quick. */
static inline token_options token_quick(uint64_t seed)
{
    token_options options = token_defaults;
    options.replicates = 5;
    options.seed = seed;
    return options;
}

static inline tokens *token_of(const scone_problem *problem, const token_options *options,
                               int threads)
{
    scone_context context = {.threads = threads};
    tokens *t;
    const token_truth truth = {scone_problem_graph(problem), scone_problem_targets(problem)};
    CHECK_OK(token_make(&t, scone_problem_pair(problem), &truth, options, &context));
    CHECK_OK(tokens_check(t));
    return t;
}

static inline void token_same(const tokens *a, const tokens *b)
{
    assert_memory_equal(&a->size, &b->size, sizeof a->size);
    CHECK(a->graph == b->graph && a->seed == b->seed && a->labelled == b->labelled);
    CHECK(a->bytes == b->bytes);
    assert_memory_equal(a->block, b->block, a->bytes);
}

#endif
