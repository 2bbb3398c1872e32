/* rng.h - random streams keyed by what they are for.
 *
 * Counter-based (Threefry4x64-20 of Random123; Salmon et al., "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011). A stream is a pure function of its key, so results do not depend on threads,
 * ranks or the order of evaluation, and are the same bytes on every machine: only IEEE +, -, *, /
 * and sqrt are used, no libm.
 */
#ifndef SCONE_BASE_RNG_H
#define SCONE_BASE_RNG_H

#include "base/memory.h"

/* One value per use, so that no two uses share a stream. Never renumber: results would change. */
typedef enum rng_stage {
    RNG_TEST = 0,
    RNG_GRAPH = 1,     /* scm: order, edges, joins */
    RNG_MECHANISM = 2, /* scm: families, weights, noise scales, targets */
    RNG_SAMPLE = 3,    /* scm: root and noise samples */
    RNG_SUBSET = 4,
    RNG_BOOTSTRAP = 5,
    RNG_SEARCH = 6,
    RNG_TRAIN = 7,
    RNG_SETTING = 8,    /* scm: size of a graph in a setting with a range; train: its rows */
    RNG_INVARIANCE = 9, /* score: rows and random functions of the invariance tests */
    RNG_WEIGHTS = 10,   /* model: initial weights */
    RNG_IDENTITY = 11,  /* model: node identities of a graph */
    RNG_LOSS = 12       /* model: pairs that the loss samples */
} rng_stage;

typedef struct rng {
    uint64_t key[4];
    uint64_t counter;   /* next block of four words */
    uint64_t buffer[4]; /* current block */
    unsigned left;      /* unused words of buffer, taken from its end */
} rng;

/* (seed, stage, graph, subset, replicate); unused coordinates are 0. */
rng rng_stream(uint64_t seed, rng_stage stage, uint64_t graph, uint64_t subset, uint32_t replicate);

uint64_t rng_word(rng *r);
double rng_uniform(rng *r);                        /* (0, 1): centres of 2^52 cells */
double rng_range(rng *r, double low, double high); /* (low, high) */
double rng_normal(rng *r);                         /* mean 0, sd 1 */
double rng_exponential(rng *r);                    /* mean 1 */
double rng_sign(rng *r);                           /* -1 or +1 */
uint64_t rng_below(rng *r, uint64_t n);            /* 0 .. n-1 without bias; n > 0 */
/* Index with probability weights[i] / sum; weights finite, >= 0, sum > 0. */
size_t rng_categorical(rng *r, const double *weights, size_t n);
void rng_permutation(rng *r, size_t *out, size_t n); /* of 0 .. n-1 (Fisher-Yates) */

/* Arrays, vectorized; each starts on a fresh block. Not the same values as repeated single calls,
 * but a shorter array is a prefix of a longer one. Two normals of a pair share 64 random bits: see
 * rng_tiles.h. */
void rng_fill_uniform(rng *r, double *out, size_t n); /* (0, 1) */
void rng_fill_normal(rng *r, double *out, size_t n);

#endif
