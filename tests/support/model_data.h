/* model_data.h - small models on tokens of simulated problems, for the tests of src/model; include
 * testing.h first. */
#ifndef SCONE_TESTS_MODEL_DATA_H
#define SCONE_TESTS_MODEL_DATA_H

#include "model/model.h"
#include "nn_data.h"
#include "token_problem.h"

enum { MODEL_GRAPHS = 4, MODEL_NODES = 32 };

typedef struct model_case {
    model_config config;
    parameter_layout *layout;
    real *values;
    tokens *t[MODEL_GRAPHS];
    uint32_t identity[MODEL_GRAPHS][MODEL_NODES];
    batch_item items[MODEL_GRAPHS];
    size_t graphs;
    batch *b;
} model_case;

/* width 16, 2 blocks, 4 heads */
static inline model_config model_small(bool contrast, bool bias_heads)
{
    model_config config = config_default();
    config.width = 16;
    config.blocks = 2;
    config.heads = 4;
    config.feed_forward = 24;
    config.identities = 40;
    config.contrast = contrast;
    config.bias_heads = bias_heads;
    if (!contrast) config.contrast_per_node = 0.0;
    return config;
}

static inline tokens *model_tokens(size_t nodes, size_t subset_size, uint64_t seed,
                                   const model_config *config)
{
    scone_problem *problem = token_problem(nodes, 300, seed);
    token_options options = token_quick(seed);
    options.subset_size = subset_size;
    if (subset_size < 6) { /* few cells, and pairs that are no candidates */
        options.least_subsets = 4;
        options.pair_visits = 2.0;
        options.cap_per_node = 1;
    }
    options.contrast = config->contrast;
    options.evidence = config->evidence;
    tokens *t = token_of(problem, &options, 1);
    scone_problem_free(problem);
    return t;
}

/* Every value is random: also gains, biases and scales. */
static inline real *model_values(const parameter_layout *layout, uint64_t seed)
{
    rng r = rng_stream(seed, RNG_TEST, 80, 0, 0);
    real *values = mem_aligned(layout->count, sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        bool small = p->start == START_SMALL, one = p->start == START_ONE;
        double sd = p->rows > 1 && !small ? 0.8 / sqrt((double)p->columns) : 0.25;
        double mean = one || p->start == START_SCALE ? 1.0 : 0.0;
        for (size_t i = 0; i < p->rows * p->columns; i++) {
            values[p->offset + i] = (real)(mean + sd * rng_normal(&r));
        }
    }
    return values;
}

/* Graphs of these numbers of nodes under random identities. */
static inline model_case *model_make(model_config config, const size_t *nodes, size_t graphs,
                                     size_t subset_size, uint64_t seed)
{
    model_case *x = mem_zero(1, sizeof *x);
    assert_non_null(x);
    x->config = config;
    x->graphs = graphs;
    CHECK_OK(parameters_layout_make(&x->layout, &config));
    x->values = model_values(x->layout, seed);
    for (size_t g = 0; g < graphs; g++) {
        assert_true(nodes[g] <= MODEL_NODES);
        x->t[g] = model_tokens(nodes[g], subset_size, seed + g, &config);
        batch_random_identity(x->identity[g], nodes[g], config.identities, seed, g);
        x->items[g] = (batch_item){x->t[g], x->identity[g], false};
    }
    CHECK_OK(batch_alloc(&x->b));
    CHECK_OK(batch_make(x->b, x->items, graphs, &config));
    return x;
}

static inline model_run *model_runs(const model_case *x, int threads)
{
    scone_context context = {.threads = threads};
    model_run *run;
    CHECK_OK(model_run_alloc(&run, x->layout, &context));
    return run;
}

static inline void model_case_free(model_case *x)
{
    for (size_t g = 0; g < MODEL_GRAPHS; g++) tokens_free(x->t[g]);
    batch_free(x->b);
    parameters_layout_free(x->layout);
    mem_free(x->values);
    mem_free(x);
}

#endif
