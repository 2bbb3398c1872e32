/* sampler.h - the greedy sampler of node subsets (paper, appendix "Sampling admissible subsets of
 * nodes"; D4). docs/methods/sampler.md explains it.
 *
 * With the scores of sample/sensitivity.h (a association, G contrast, s sensitivity), n_i the
 * number of earlier subsets with node i and n_ij with the pair:
 *
 *   a^t_ij = a_ij / q^n_ij        G^t_ij = G_ij / r^n_ij
 *   first node    w_i = [ (1 - rho) sum_{j != i} a^t_ij + rho s_i ] / (1 + n_i)^beta          (D4)
 *   next nodes    w_j = [ lambda sum_{i in S} a^t_ij
 *                         + (1 - lambda) (s_j + sum_{i in S} G^t_ij / |S|) ] / (1 + n_j)^beta
 * Nodes are drawn in proportion to w; if all are 0, uniformly. Subset t draws from the stream
 * (seed, RNG_SUBSET, graph, t), so the subsets depend on scores, options and t alone.
 *
 * Cost: a subset changes k rows of a^t and G^t, and each chosen node adds one row to the sums, so a
 * subset costs order k N; memory 20 N^2 bytes.
 */
#ifndef SCONE_SAMPLE_SAMPLER_H
#define SCONE_SAMPLE_SAMPLER_H

#include "sample/pairs.h"

typedef struct sampler_options {
    size_t size;             /* k, nodes of a subset; all nodes if there are fewer */
    size_t count;            /* T; 0: until the mean likely pair is in pair_visits subsets */
    double pair_visits;      /* for count = 0 */
    size_t least_count;      /* for count = 0 */
    double seed_sensitivity; /* rho in [0, 1]: sensitivity against association of the first node */
    double association;      /* lambda in [0, 1]: association against contrast of the others */
    double coverage;         /* beta_cov >= 0: how much visited nodes lose */
    double association_base; /* q >= 1: a pair's association is divided by this at each visit */
    double contrast_base;    /* r >= 1: the same for its contrast */
    bool use_contrast;       /* false: without s and G (the paper's ablation "no contrast") */
    uint64_t seed, graph;    /* key of the random streams */
} sampler_options;

/* All nodes' scores, from 0 to 1e100 (those of sample/sensitivity.h: to 1); diagonals are ignored,
 * matrices symmetric (the lower triangle of a column-major matrix is read). contrast and
 * sensitivity may be NULL without use_contrast. */
typedef struct sampler_scores {
    size_t nodes;
    const double *association; /* [nodes, nodes] */
    const double *contrast;    /* [nodes, nodes] */
    const double *sensitivity; /* [nodes] */
} sampler_scores;

typedef struct sampler {
    sampler_options options;
    size_t nodes, size;     /* N and k, size <= nodes */
    size_t count, capacity; /* finished subsets */
    size_t *members;        /* [capacity, size]: increasing within a subset */
    uint32_t *visits;       /* [nodes]: n_i */
    uint32_t *pair_visits;  /* [nodes, nodes]: n_ij, diagonal 0 */
    double *association;    /* [nodes, nodes]: a^t, diagonal 0 */
    double *contrast;       /* [nodes, nodes]: G^t, diagonal 0; NULL without use_contrast */
    double *sensitivity;    /* [nodes]: s, 0 without use_contrast */
    double *row_sums;       /* [nodes]: sum_j a^t_ij */
    double *discounts;      /* [nodes]: (1 + n_i)^beta */
    /* the subset that is being formed */
    size_t chosen;            /* its nodes so far */
    size_t *order;            /* [size]: in the order of choice; kept until the next one starts */
    double *association_sums; /* [nodes]: sum_{i in S} a^t_ij */
    double *contrast_sums;    /* [nodes]: sum_{i in S} G^t_ij */
    double *weights;          /* [nodes]: scratch */
    bool *taken;              /* [nodes]: in S? */
} sampler;

/* k = 8, T = 0 with 4 visits and at least 16 subsets, rho = 0.5, lambda = 0.75, beta = 1,
 * q = r = 1.5, with contrast, seed 0. docs/methods/sampler.md has the measurement behind them. */
sampler_options sampler_defaults(void);

/* options may be NULL for the defaults. The scores are copied. */
scone_status sampler_alloc(sampler **out, const sampler_scores *scores,
                           const sampler_options *options);
void sampler_free(sampler *s);

/* Draws one more subset. */
scone_status sampler_draw(sampler *s);
/* Draws options.count subsets. For count = 0: until the mean of the likely pairs (the N pairs with
 * the largest association and the N with the largest contrast, where the candidates will mostly
 * come from) is in pair_visits subsets and least_count is reached, or every pair of nodes is
 * in that many on average. */
scone_status sampler_run(sampler *s);

/* Members of subset t [size], increasing. */
static inline const size_t *sampler_subset(const sampler *s, size_t t)
{
    return s->members + t * s->size;
}

/* One subset step by step, for those that choose its nodes otherwise (sampler_cover.h): start, add
 * until chosen == size, finish. finish counts the visits and refreshes a^t and G^t. */
scone_status sampler_start(sampler *s);
void sampler_add(sampler *s, size_t node); /* not yet in the subset */
void sampler_finish(sampler *s);
/* weights [nodes] of the first and of the next node, as above. */
void sampler_seed_weights(double *weights, const sampler *s);
void sampler_growth_weights(double *weights, const sampler *s);

#endif
