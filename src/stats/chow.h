/* chow.h - is the regression of a variable on its parents the same in both regimes?
 *
 * With d = 0, 1 the regime and b(x) a basis of functions of the parents (constant first),
 *     y = b(x)' beta + d b(x)' delta + noise,
 * the hypothesis of no change is delta = 0 (G. C. Chow, "Tests of equality between sets of
 * coefficients in two linear regressions", Econometrica 28, 1960). The noise may depend on the
 * parents and differ between the regimes: the Wald statistic uses the covariance matrix of
 * H. White (1980) in the form HC3 (MacKinnon and White 1985), and
 *     F = delta' V^-1 delta / q,   q coefficients that can be told apart,
 * is compared with F(q, n - fitted coefficients). The same test with |residual| as the response
 * asks whether the spread changed (Glejser 1969). Two tests make one p-value, p (2 - p) of the
 * smaller.
 *
 * Basis per parent, standardized on both regimes: z; with enough rows also z^2; with more also
 * (z - t)^2_+ at four quantiles t; the curved ones of z cut off at +-4. Coefficients that the data
 * cannot tell apart (collinear parents, a parent that is constant in one regime) are left out in
 * the order of the columns. Cost O(n k^2) for n rows and k basis functions.
 */
#ifndef SCONE_STATS_CHOW_H
#define SCONE_STATS_CHOW_H

#include "data/table.h"

enum {
    CHOW_CURVED_LIMIT = 64,  /* basis functions, above which only z remains */
    CHOW_COLUMN_LIMIT = 256, /* above which a variable is not tested */
    CHOW_ROWS_HINGES = 40,   /* rows of the smaller regime for each basis function, with hinges */
    CHOW_ROWS_SQUARES = 20   /* and with squares; at least 2 in any case */
};

/* Scratch for one worker, for any variable of the pair. */
typedef struct chow_work chow_work;
scone_status chow_work_alloc(chow_work **out, const scone_pair *pair);
void chow_work_free(chow_work *work);

/* log of the p-value for column y given its parents; 0 (p = 1) if there are too few rows to tell.
 * Finite for finite tables. */
scone_status chow_test(double *log_p, size_t y, const size_t *parents, size_t count,
                       chow_work *work);

#endif
