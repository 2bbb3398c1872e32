/* invariance.h - Is the distribution of v given Z the same in both regimes? (paper, Inv(v | Z);
 * docs/invariance.md)
 *
 * A test object holds what all tests of a run share (standardized columns and their expansions,
 * regime labels); each test then costs O(n k^2) for k columns of Z's expansion, in a workspace of
 * the caller's, and allocates nothing. The p-value holds its level under "no change"; the effect
 * and its interval say what a test that did not reject could have missed, which decides between
 * "invariant" and "unknown". */
#ifndef SCONE_SCORE_INVARIANCE_H
#define SCONE_SCORE_INVARIANCE_H

#include "data/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INVARIANCE_MOST_GIVEN 8 /* larger sets are not tested: the answer is "not possible" */

typedef struct invariance invariance;
typedef struct invariance_work invariance_work;

typedef struct invariance_options {
    uint64_t seed;
    size_t most_rows; /* of each regime, chosen at random; 0: all */
} invariance_options;

typedef struct invariance_result {
    bool possible; /* false: too few rows, too many or degenerate columns; the rest is then NaN */
    double statistic; /* chi-squared under no change, with */
    double degrees;   /* this many degrees of freedom */
    double p_value;
    double effect;      /* size of the change in v given Z, in units that do not grow with n */
    double effect_high; /* with 95% confidence it is not larger than this */
} invariance_result;

/* Columns are numbered as in the pair, which must outlive the object. */
scone_status invariance_create(invariance **out, const scone_pair *pair,
                               const invariance_options *options);
void invariance_free(invariance *test);
scone_status invariance_work_create(invariance_work **out, const invariance *test);
void invariance_work_free(invariance_work *work);

/* given: count distinct columns, not v; their order does not matter. */
void invariance_test(const invariance *test, invariance_work *work, size_t v, const size_t *given,
                     size_t count, invariance_result *result);

#endif
