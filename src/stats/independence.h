/* independence.h - Are two columns of one table independent given others?
 *
 * Linear: a and b have partial correlation r given Z in n rows; r^2 (n - 2 - |Z|) / (1 - r^2) is
 * F(1, n - 2 - |Z|) under independence if everything is jointly normal.
 *
 * Otherwise the generalised covariance measure (Shah and Peters, Annals of Statistics 48, 2020) for
 * two functions of each column: with t the rank from -1 to 1 and f the Legendre polynomials of
 * degree 1 and 2, R = f(t) less its least-squares regression on products of Legendre polynomials of
 * the ranks of Z up to a total degree that grows with the rows. The q = 4 products g = R_a R_b have
 * mean 0 under independence if the regressions are right; T = S' V^-1 S with S = sum g and
 * V = sum g g' makes (T / q) / ((n - T) / (n - q)) an F(q, n - q) variable (Hotelling). It sees
 * what dependence does to the conditional covariances of these functions: monotone and U-shaped
 * effects and changes of spread, not every dependence.
 *
 * Cost: O(n k^2) for each Z with k functions of it, O(n) for a pair then.
 */
#ifndef SCONE_STATS_INDEPENDENCE_H
#define SCONE_STATS_INDEPENDENCE_H

#include "data/table.h"

enum {
    INDEPENDENCE_MOST_COLUMNS = 8, /* of the table */
    INDEPENDENCE_FUNCTIONS = 2,    /* of a column, if not linear */
    INDEPENDENCE_MOST_BASIS = 160  /* functions of Z */
};

typedef struct independence independence;

/* statistic / degrees is about F(degrees, rest) under independence. Sums of the statistics of
 * independent tables have the sums of the degrees. */
typedef struct independence_result {
    double statistic, degrees, rest;
} independence_result;

/* Of at most INDEPENDENCE_MOST_COLUMNS columns; the table is not needed afterwards. */
scone_status independence_alloc(independence **out, const scone_table *data, bool linear);
void independence_free(independence *test);

/* Regresses the columns that are not in the set (bit v: column v) on those that are. Fails with
 * SCONE_ERR_INPUT if the table has too few rows for it. */
scone_status independence_given(independence *test, uint32_t given);
/* a and b, not in the set. A column that the set determines is independent of everything. */
independence_result independence_of(independence *test, size_t a, size_t b);

/* log of the chance of a statistic at least as large under independence */
double independence_log_p(const independence_result *result);

#endif
