/* invariance.h - Is the distribution of v given Z the same in both regimes? (paper, Inv(v | Z);
 * docs/methods/invariance.md)
 *
 * A test object holds what all tests of a run share (standardized columns, their quantiles, regime
 * labels); each test then costs O(n k^2) for k functions of Z, in a workspace of the caller's, and
 * allocates nothing. Tests with the same Z one after the other share most of that. The p-value
 * is nearly uniform under "no change" (docs/methods/invariance.md has what was measured); the
 * effect and its interval say what a test that did not reject could have missed, which decides
 * between "invariant" and "unknown".
 *
 * A result depends on the values of v and Z and the seed alone: not on the order of the columns in
 * the pair or in `given`, on threads, or on what the workspace was used for before. */
#ifndef SCONE_STATS_INVARIANCE_H
#define SCONE_STATS_INVARIANCE_H

#include "data/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INVARIANCE_MOST_GIVEN 8 /* larger sets are not tested: the answer is "not possible" */

/* Inv(v | Z) is read off a result so: "changed" if the adjusted p-value (stats/adjust.h) is at most
 * alpha; "invariant" if effect_high is at most this margin; neither or both is "unknown". 0.2
 * standard deviations is the effect that Cohen calls small: a mechanism that moves by less is
 * taken to be the same. The bound needs 5 to 10 degrees / margin^2 rows in all where regimes have
 * the same Z, more where they overlap less, so a small sample says "unknown". */
#define INVARIANCE_MARGIN 0.2

typedef struct invariance invariance;
typedef struct invariance_work invariance_work;

typedef struct invariance_options {
    uint64_t seed;
    size_t most_rows; /* of each regime, chosen at random; 0: all */
} invariance_options;

typedef struct invariance_result {
    bool possible; /* false: too few rows, too many or degenerate columns; the rest is then NaN */
    double statistic; /* over `degrees` it is F with (degrees, rest) degrees of freedom under no */
    double degrees;   /* change, so nearly chi-squared for many rows */
    double rest;
    double p_value;
    double effect;      /* size of the change in v given Z, in standard deviations of v given Z */
    double effect_high; /* with 95% confidence it is not larger than this */
    double overlap;     /* share of the regime's variance that Z leaves over: 1 if Z has the same
                           distribution in both, 0 if it tells them apart */
} invariance_result;

/* Columns are numbered as in the pair, which is not needed afterwards. Fails with SCONE_ERR_INPUT
 * if a value is not finite. Cost: O(N n), memory 16 N n bytes. */
scone_status invariance_create(invariance **out, const scone_pair *pair,
                               const invariance_options *options);
void invariance_free(invariance *test);
scone_status invariance_work_create(invariance_work **out, const invariance *test);
void invariance_work_free(invariance_work *work);

/* given: count distinct columns, not v; their order does not matter. */
void invariance_test(const invariance *test, invariance_work *work, size_t v, const size_t *given,
                     size_t count, invariance_result *result);

#endif
