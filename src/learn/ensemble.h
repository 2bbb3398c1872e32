/* ensemble.h - bootstrap replicates, votes and majorities of local learners.
 *
 * Paper, appendix "Classical causal discovery ensemble". For every subset of columns and every
 * channel (each regime by itself in the paper), R replicates of M rows are drawn with replacement;
 * every learner l scores every replicate, and its scores become one vote per pair:
 *
 *   max(A[i][j], A[j][i]) <  tau_l          no edge
 *   otherwise A[i][j] - A[j][i] >  epsilon  i -> j
 *             A[j][i] - A[i][j] >  epsilon  j -> i
 *             neither                       i - j
 *
 *   W[c] = sum_l w_l (votes of l for c);  the class with the largest W wins, "no edge" on a tie.
 *
 * Classes are scone_mark values. Votes are counted in integers per learner and weighted in the end,
 * and every replicate has a stream of its own, so nothing depends on threads or processes.
 */
#ifndef SCONE_LEARN_ENSEMBLE_H
#define SCONE_LEARN_ENSEMBLE_H

#include "learn/learner.h"

enum { ENSEMBLE_CLASSES = 4, ENSEMBLE_CHANNELS = 3 };

/* Subsets of the columns, one after the other. */
typedef struct ensemble_subsets {
    size_t count;          /* T */
    const size_t *offsets; /* [count + 1]: subset t is members[offsets[t]] .. offsets[t + 1] - 1 */
    const size_t *members; /* increasing within a subset */
} ensemble_subsets;

typedef struct ensemble_options {
    const learner *const *learners; /* [learner_count] */
    size_t learner_count;
    size_t replicates; /* R_boot; 0: one run on the rows as they are */
    size_t rows;       /* M for each regime; 0: as many as the regime has */
    double margin;     /* epsilon */
    uint64_t seed, graph;
    size_t first_subset; /* the number of the first subset in the keys of the streams */
    /* Bit sets of regimes as in learner_task; a channel of both regimes draws M rows from each. */
    unsigned channels[ENSEMBLE_CHANNELS];
    size_t channel_count;
} ensemble_options;

/* PolyBIC alone, 50 replicates, margin 0.05, the two regimes apart, seed 0. */
extern const ensemble_options ensemble_defaults;

/* Pairs of subset t in the order (0,1), (0,2), ..., (1,2), ... of its members are cells
 * offsets[t] .. offsets[t + 1] - 1 of every channel; channel c starts at c * cells. */
typedef struct ensemble_result {
    size_t subsets, channels, cells;
    size_t *offsets;        /* [subsets + 1] */
    size_t (*pairs)[2];     /* [cells]: the two columns, first < second */
    unsigned char *winners; /* [channels, cells]: scone_mark, forward = first -> second */
    double (*shares)[ENSEMBLE_CLASSES]; /* [channels, cells]: share of the weighted votes per class,
                                           summing to 1 */
} ensemble_result;

/* Fails with SCONE_ERR_INPUT if an option is out of range or a subset is not increasing. A regime
 * without rows votes "no edge". Cost: T * channels * R runs of every learner. */
scone_status ensemble_run(ensemble_result **out, const scone_pair *pair,
                          const ensemble_subsets *subsets, const ensemble_options *options,
                          const scone_context *context);
void ensemble_result_free(ensemble_result *result);

/* Elections together with the subsets of columns that they are about: the local graphs of a pair of
 * tables, channel 0 for regime 0 and channel 1 for regime 1. */
typedef struct ensemble_locals {
    size_t columns, count;
    size_t *offsets, *members; /* as in ensemble_subsets */
    ensemble_result *elected;
} ensemble_locals;

void ensemble_locals_free(ensemble_locals *locals);

/* One vote: the class that two scores decode to. */
scone_mark ensemble_decode(double forward, double backward, double threshold, double margin);
/* The class with the most weighted votes. Sums within 1e-12 of each other, relative to all votes,
 * are a tie: weights like 0.1 add up inexactly. */
scone_mark ensemble_majority(const double votes[ENSEMBLE_CLASSES]);

/* weights [rows]: how often each row comes up in `draws` draws with replacement, from the stream
 * (seed, RNG_BOOTSTRAP, graph, subset, 2 replicate + regime). rows > 0. */
void ensemble_draw(uint32_t *weights, size_t rows, size_t draws, uint64_t seed, uint64_t graph,
                   uint64_t subset, uint32_t replicate, unsigned regime);

#endif
