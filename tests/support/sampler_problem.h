/* sampler_problem.h - selection scores for tests of the sampler, and counts taken from its subsets.
 */
#ifndef SCONE_TESTS_SAMPLER_PROBLEM_H
#define SCONE_TESTS_SAMPLER_PROBLEM_H

#include "testing.h"
#include "statistics.h"

#include "base/memory.h"
#include "sample/sampler.h"

typedef struct problem {
    size_t nodes;
    double *association, *contrast, *sensitivity;
} problem;

static inline problem random_problem(size_t nodes, uint64_t seed)
{
    problem p = {nodes, mem_alloc(nodes * nodes, sizeof(double)),
                 mem_alloc(nodes * nodes, sizeof(double)), mem_alloc(nodes, sizeof(double))};
    for (size_t j = 0; j < nodes; j++) {
        p.sensitivity[j] = naive_uniform(&seed);
        for (size_t i = 0; i <= j; i++) {
            double a = naive_uniform(&seed), g = naive_uniform(&seed);
            p.association[i + nodes * j] = p.association[j + nodes * i] = a * a;
            p.contrast[i + nodes * j] = p.contrast[j + nodes * i] = g * g;
        }
    }
    return p;
}

static inline void problem_free(problem *p)
{
    mem_free(p->association);
    mem_free(p->contrast);
    mem_free(p->sensitivity);
}

static inline sampler *make_sampler(const problem *p, const sampler_options *options)
{
    sampler_scores scores = {p->nodes, p->association, p->contrast, p->sensitivity};
    sampler *s = NULL;
    CHECK_OK(sampler_alloc(&s, &scores, options));
    return s;
}

/* How many of the first `count` subsets hold i and j (i = j: the node). */
static inline double times_together(const sampler *s, size_t count, size_t i, size_t j)
{
    double times = 0.0;
    for (size_t t = 0; t < count; t++) {
        bool has_i = false, has_j = false;
        for (size_t k = 0; k < s->size; k++) {
            has_i = has_i || sampler_subset(s, t)[k] == i;
            has_j = has_j || sampler_subset(s, t)[k] == j;
        }
        times += has_i && has_j;
    }
    return times;
}

enum { NODES = 6, HISTORY = 4 };

/* Three nodes per subset; 0 and 1 have been together often, so their counts matter. */
static const size_t history[HISTORY][3] = {{0, 1, 2}, {0, 1, 4}, {1, 3, 0}, {2, 5, 4}};

static inline void replay_history(sampler *s, size_t subsets)
{
    for (size_t t = 0; t < subsets; t++) {
        CHECK_OK(sampler_start(s));
        for (size_t k = 0; k < 3; k++) sampler_add(s, history[t][k]);
        sampler_finish(s);
    }
}

static inline void check_subsets(const sampler *s)
{
    for (size_t t = 0; t < s->count; t++) {
        const size_t *members = sampler_subset(s, t);
        for (size_t k = 0; k < s->size; k++) {
            CHECK(members[k] < s->nodes);
            if (k > 0) CHECK(members[k - 1] < members[k]);
        }
    }
}

#endif
