/* model_cases.h - batches to measure the model on, for bench_model.c and bench_model_export.c.
 *
 * ring-*: candidate pairs join nodes that are close on a ring, subsets of 8 nodes lie in a window
 * of 20 and cover all pairs; values are random. 8 graphs of N 20, T 24, K 60, and one of N 100, T
 * 150, K 400. train-*: tokens of simulated graphs of train-ood with so many nodes, as training sees
 * them; T and K are what these give. The number after the nodes is that of graphs. */
#ifndef SCONE_BENCH_SPEED_MODEL_CASES_H
#define SCONE_BENCH_SPEED_MODEL_CASES_H

#include "base/arena.h"
#include "base/rng.h"
#include "model/setup/batch.h"
#include "model/tokens/token_layout.h"
#include "train/training_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K_SUBSET = 8, WINDOW = 20, MOST_GRAPHS = 8, MOST_NODES = 128, CASE_SEED = 1 };

typedef struct size_case {
    const char *name;
    size_t graphs, nodes;
    size_t subsets, reach; /* of a ring: T, and reach of a pair; else 0 */
} size_case;

static const size_case CASES[] = {{"ring-20-8", 8, 20, 24, 3},
                                  {"ring-100-1", 1, 100, 150, 4},
                                  {"train-20-8", 8, 20, 0, 0},
                                  {"train-100-1", 1, 100, 0, 0},
                                  {"train-100-8", 8, 100, 0, 0}};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static inline void require(bool fine)
{
    if (fine) return;
    (void)fprintf(stderr, "bench_model: %s\n", scone_error_message());
    exit(2);
}

/* ---- rings ---- */

/* Subset g: the ends of the pairs that are its share, then others of the window around them. */
static inline void draw_subset(tokens *t, rng *r, const size_case *c, size_t g)
{
    uint32_t *nodes = t->subset_nodes + g * K_SUBSET;
    size_t pairs = t->size.pairs, count = 0;
    bool taken[MOST_NODES] = {false};
    for (size_t e = g * pairs / c->subsets; e < (g + 1) * pairs / c->subsets; e++) {
        for (size_t k = 0; k < 2; k++) taken[t->ends[e][k]] = true;
    }
    for (size_t v = 0; v < c->nodes; v++) count += taken[v];
    size_t start = t->ends[g * pairs / c->subsets][0];
    while (count < K_SUBSET) {
        size_t v = (start + c->nodes - WINDOW / 2 + rng_below(r, WINDOW)) % c->nodes;
        count += !taken[v];
        taken[v] = true;
    }
    for (size_t v = 0, m = 0; v < c->nodes && m < K_SUBSET; v++) {
        if (taken[v]) nodes[m++] = (uint32_t)v;
    }
    t->subset_offsets[g + 1] = (uint32_t)((g + 1) * K_SUBSET);
}

static inline void fill_values(tokens *t, rng *r, arena *memory)
{
    const token_sizes *s = &t->size;
    size_t n = s->nodes;
    t->pair_statistics = arena_get(memory, s->pairs, sizeof *t->pair_statistics);
    t->node_statistics = arena_get(memory, n, sizeof *t->node_statistics);
    t->changed = arena_get(memory, n, 1);
    t->precision = arena_get(memory, n * n, sizeof *t->precision);
    t->context = arena_get(memory, s->pairs, 1);
    t->labels = arena_get(memory, s->pairs, 1);
    t->truth = arena_get(memory, n * n, 1);
    require(t->pair_statistics && t->node_statistics && t->changed && t->precision && t->context &&
            t->labels && t->truth);
    memset(t->truth, 0, n * n);
    memset(t->precision, 0, n * n * sizeof *t->precision);
    for (size_t i = 0; i < n; i++) {
        t->changed[i] = rng_uniform(r) < 0.4;
        for (size_t k = 0; k < TOKEN_NODE_STATISTICS; k++) {
            t->node_statistics[i][k] = (float)rng_uniform(r);
        }
    }
    for (size_t c = 0; c < 2 * s->cells; c++) t->codes[c / 2][c % 2] = (uint8_t)rng_below(r, 4);
    for (size_t e = 0; e < s->pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1];
        for (size_t k = 0; k < 8; k++) {
            t->pair_statistics[e][k / 4][k % 4] = (float)(rng_uniform(r) - 0.5);
        }
        t->precision[i * n + j] = t->precision[j * n + i] = (float)(rng_uniform(r) - 0.5);
        t->context[e] = rng_uniform(r) < 0.5;
        t->labels[e] = t->truth[i * n + j] = (uint8_t)rng_below(r, 3);
        t->truth[j * n + i] = token_swapped(t->labels[e]);
    }
}

static inline tokens *make_ring(const size_case *c, uint64_t seed)
{
    rng r = rng_stream(seed, RNG_TEST, c->nodes, 0, 0);
    tokens draft = {.size = {.nodes = (uint32_t)c->nodes,
                             .subsets = (uint32_t)c->subsets,
                             .members = (uint32_t)(c->subsets * K_SUBSET),
                             .pairs = (uint32_t)(c->nodes * c->reach)},
                    .labelled = true};
    tokens *t;
    arena *memory;
    require(arena_alloc(&memory, 0) == SCONE_OK);
    draft.subset_offsets = arena_get(memory, c->subsets + 1, sizeof(uint32_t));
    draft.subset_nodes = arena_get(memory, draft.size.members, sizeof(uint32_t));
    draft.ends = arena_get(memory, draft.size.pairs, sizeof *draft.ends);
    require(draft.subset_offsets && draft.subset_nodes && draft.ends);
    for (size_t e = 0; e < draft.size.pairs; e++) {
        size_t i = e / c->reach, j = (i + 1 + e % c->reach) % c->nodes;
        draft.ends[e][0] = (uint32_t)(i < j ? i : j);
        draft.ends[e][1] = (uint32_t)(i < j ? j : i);
    }
    draft.subset_offsets[0] = 0;
    for (size_t g = 0; g < c->subsets; g++) draw_subset(&draft, &r, c, g);
    require(token_layout_fill(&draft, memory) == SCONE_OK);
    fill_values(&draft, &r, memory);
    require(tokens_copy(&t, &draft) == SCONE_OK && tokens_check(t) == SCONE_OK);
    arena_free(memory);
    return t;
}

/* ---- simulated graphs ---- */

/* Graph `index` of train-ood with this number of nodes. */
static inline tokens *make_simulated(const size_case *c, const model_config *config, size_t index)
{
    const scone_context context = {.threads = 1};
    token_options options = config_token_options(config);
    scone_setting setting;
    scone_problem *problem;
    tokens *t;
    require(scone_setting_named(&setting, "train-ood") == SCONE_OK);
    setting.nodes_min = setting.nodes_max = c->nodes;
    setting.seed = options.seed = CASE_SEED;
    options.graph = index;
    require(scone_simulate(&problem, &setting, index, &context) == SCONE_OK);
    const token_truth truth = {scone_problem_graph(problem), scone_problem_targets(problem)};
    require(token_make(&t, scone_problem_pair(problem), &truth, &options, &context) == SCONE_OK);
    scone_problem_free(problem);
    return t;
}

/* ---- batches ---- */

typedef struct case_batch {
    tokens *t[MOST_GRAPHS];
    uint32_t identity[MOST_GRAPHS][MOST_NODES];
    size_t graphs, subsets, pairs; /* the last two: most of a graph */
    batch *b;
} case_batch;

static inline void case_make(case_batch *made, const size_case *c, const model_config *config)
{
    batch_item items[MOST_GRAPHS];
    *made = (case_batch){.graphs = c->graphs};
    for (size_t g = 0; g < c->graphs; g++) {
        tokens *t = c->subsets > 0 ? make_ring(c, g + 1) : make_simulated(c, config, g);
        batch_random_identity(made->identity[g], c->nodes, config->identities, CASE_SEED, g);
        items[g] = (batch_item){t, made->identity[g], false};
        made->t[g] = t;
        if (t->size.subsets > made->subsets) made->subsets = t->size.subsets;
        if (t->size.pairs > made->pairs) made->pairs = t->size.pairs;
    }
    require(batch_alloc(&made->b) == SCONE_OK);
    require(batch_make(made->b, items, c->graphs, config) == SCONE_OK);
}

static inline void case_free(case_batch *made)
{
    for (size_t g = 0; g < made->graphs; g++) tokens_free(made->t[g]);
    batch_free(made->b);
}

static inline const size_case *case_named(const char *name)
{
    for (size_t k = 0; k < CASE_COUNT; k++) {
        if (strcmp(CASES[k].name, name) == 0) return &CASES[k];
    }
    (void)fprintf(stderr, "bench_model: there is no case '%s'\n", name);
    exit(2);
}

/* Weights to measure with: starting values and some noise on all of them, so that no tensor is 0
 * and biases of the heads fall on both sides of their thresholds. */
static inline void case_weights(float *values, const parameter_layout *layout)
{
    rng r = rng_stream(CASE_SEED, RNG_TEST, 0, 1, 0);
    parameters_start(values, layout, CASE_SEED);
    for (size_t k = 0; k < layout->count; k++) values[k] += 0.05f * (float)rng_normal(&r);
}

#endif
