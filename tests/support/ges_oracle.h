/* ges_oracle.h - linear Gaussian models and their scores, written down plainly, to check the Greedy
 * Equivalence Search against. Nothing here shares code with src/learn.
 */
#ifndef SCONE_TESTS_GES_ORACLE_H
#define SCONE_TESTS_GES_ORACLE_H

#include "testing.h"

#include "base/rng.h"
#include "graph/dsep.h"
#include "graph/graph_order.h"

enum { MODEL = 32 }; /* nodes at most */

/* Covariance of x_j = sum_p w_pj x_p + noise_j with random weights of at least 0.4. */
static inline void model_covariance(double *covariance, const graph *dag, rng *r, graph_work *work)
{
    size_t n = dag->nodes, order[MODEL];
    CHECK(n <= MODEL && graph_order(order, dag, work));
    memset(covariance, 0, n * n * sizeof *covariance);
    for (size_t k = 0; k < n; k++) {
        size_t j = order[k];
        double row[MODEL] = {0}, weights[MODEL] = {0};
        BITS_EACH(p, graph_parents(dag, j), dag->words) {
            weights[p] = rng_sign(r) * rng_range(r, 0.4, 1.2);
            for (size_t i = 0; i < n; i++) row[i] += weights[p] * covariance[p * n + i];
        }
        double variance = rng_range(r, 0.5, 1.5); /* of the noise */
        for (size_t p = 0; p < n; p++) variance += weights[p] * row[p];
        for (size_t i = 0; i < n; i++) covariance[j * n + i] = covariance[i * n + j] = row[i];
        covariance[j * n + j] = variance;
    }
}

/* Log determinant of the covariance of a set, by elimination with full pivoting. */
static inline double log_determinant(const double *covariance, size_t n, const size_t *set,
                                     size_t count)
{
    double a[MODEL][MODEL], sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) a[i][j] = covariance[set[i] * n + set[j]];
    }
    for (size_t k = 0; k < count; k++) {
        size_t best = k;
        for (size_t i = k; i < count; i++) {
            if (a[i][i] > a[best][best]) best = i;
        }
        for (size_t j = 0; j < count; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = t;
        }
        for (size_t i = 0; i < count; i++) {
            double t = a[i][k];
            a[i][k] = a[i][best];
            a[i][best] = t;
        }
        sum += log(a[k][k]);
        for (size_t i = k + 1; i < count; i++) {
            double share = a[i][k] / a[k][k];
            for (size_t j = k; j < count; j++) a[i][j] -= share * a[k][j];
        }
    }
    return sum;
}

/* -n/2 log(residual variance) - 1/2 log(n) |parents|, from two determinants. */
static inline double oracle_local(const double *covariance, size_t n, double rows, size_t y,
                                  const bits_word *parents)
{
    size_t set[MODEL], count = 0;
    BITS_EACH(p, parents, 1) set[count++] = p;
    double below = log_determinant(covariance, n, set, count);
    set[count] = y;
    double above = log_determinant(covariance, n, set, count + 1);
    return -0.5 * rows * (above - below) - 0.5 * log(rows) * (double)count;
}

static inline double oracle_score(const double *covariance, const graph *dag, double rows)
{
    double sum = 0.0;
    for (size_t y = 0; y < dag->nodes; y++) {
        sum += oracle_local(covariance, dag->nodes, rows, y, graph_parents(dag, y));
    }
    return sum;
}

/* Squared partial correlation of x and y given a set, from residual variances. */
static inline double oracle_partial(const double *covariance, size_t n, size_t x, size_t y,
                                    const bits_word *given)
{
    bits_word with[1] = {given[0] | (bits_word)1 << x};
    double log_rest = oracle_local(covariance, n, 1.0, y, given);
    double log_less = oracle_local(covariance, n, 1.0, y, with);
    return -expm1(2.0 * (log_rest - log_less));
}

/* Is every d-connected pair, given every set, correlated by at least `margin`? */
static inline bool model_is_faithful(const double *covariance, const graph *dag, double margin,
                                     graph_work *work)
{
    size_t n = dag->nodes;
    for (size_t x = 0; x < n; x++) {
        for (size_t y = 0; y < x; y++) {
            for (bits_word z = 0; z >> n == 0; z++) {
                if (z >> x & 1u || z >> y & 1u || dsep_pair(dag, x, y, &z, work)) continue;
                if (!(oracle_partial(covariance, n, x, y, &z) >= margin * margin)) return false;
            }
        }
    }
    return true;
}

/* A model of the DAG that is faithful by the margin: weights are drawn until it is. */
static inline void faithful_covariance(double *covariance, const graph *dag, double margin, rng *r,
                                       graph_work *work)
{
    for (int tries = 0; tries < 1000; tries++) {
        model_covariance(covariance, dag, r, work);
        if (model_is_faithful(covariance, dag, margin, work)) return;
    }
    fail_msg("no faithful model in 1,000 draws");
}

/* A random DAG with about `edges` edges. */
static inline void random_dag(graph *dag, double edges, rng *r)
{
    size_t n = dag->nodes, order[MODEL];
    double chance = 2.0 * edges / (double)(n * (n - 1));
    bits_clear(dag->parents, 3 * n * dag->words);
    rng_permutation(r, order, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (rng_uniform(r) < chance) graph_direct(dag, order[j], order[i]);
        }
    }
}

/* Sample covariance of `rows` draws, column-major table in values [n][rows]. */
static inline void sample_model(double *values, const graph *dag, size_t rows, rng *r,
                                graph_work *work)
{
    size_t n = dag->nodes, order[MODEL];
    CHECK(graph_order(order, dag, work));
    for (size_t k = 0; k < n; k++) {
        double *x = values + order[k] * rows;
        rng_fill_normal(r, x, rows);
        BITS_EACH(p, graph_parents(dag, order[k]), dag->words) {
            double weight = rng_sign(r) * rng_range(r, 0.4, 1.2);
            for (size_t i = 0; i < rows; i++) x[i] += weight * values[p * rows + i];
        }
    }
}

static inline void plain_sample_covariance(double *covariance, const double *values, size_t rows,
                                           size_t n)
{
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            double ma = 0.0, mb = 0.0, sum = 0.0;
            const double *x = values + a * rows, *y = values + b * rows;
            for (size_t i = 0; i < rows; i++) {
                ma += x[i] / (double)rows;
                mb += y[i] / (double)rows;
            }
            for (size_t i = 0; i < rows; i++) sum += (x[i] - ma) * (y[i] - mb);
            covariance[a * n + b] = sum / (double)rows;
        }
    }
}

#endif
