/* statistics.h - tests of distributions, for tests with fixed seeds.
 *
 * Bounds are at p-values of about 0.001 or below; since the seeds are fixed they either pass always
 * or never.
 */
#ifndef SCONE_TESTS_STATISTICS_H
#define SCONE_TESTS_STATISTICS_H

#include "testing.h"

#include <stdlib.h>

static inline int statistics_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double uniform_cdf(double x)
{
    return fmin(fmax(x, 0.0), 1.0);
}

static inline double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static inline double exponential_cdf(double x)
{
    return x > 0.0 ? 1.0 - exp(-x) : 0.0;
}

/* Kolmogorov-Smirnov statistic sqrt(n) D; above 1.95 with probability 0.001. Sorts x. */
static inline double ks_statistic(double *x, size_t n, double (*cdf)(double))
{
    double largest = 0.0;
    qsort(x, n, sizeof *x, statistics_compare);
    for (size_t i = 0; i < n; i++) {
        double f = cdf(x[i]);
        if (!(f >= 0.0 && f <= 1.0)) return (double)NAN;
        largest = fmax(largest, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    return sqrt((double)n) * largest;
}

/* The same for two samples: sqrt(n m / (n + m)) D. Sorts both. */
static inline double ks_two_samples(double *x, size_t n, double *y, size_t m)
{
    double largest = 0.0;
    qsort(x, n, sizeof *x, statistics_compare);
    qsort(y, m, sizeof *y, statistics_compare);
    for (size_t i = 0, k = 0; i < n && k < m;) {
        double at = fmin(x[i], y[k]);
        if (!isfinite(at)) return (double)NAN;
        while (i < n && x[i] <= at) i++;
        while (k < m && y[k] <= at) k++;
        largest = fmax(largest, fabs((double)i / (double)n - (double)k / (double)m));
    }
    return sqrt((double)n * (double)m / (double)(n + m)) * largest;
}

/* |x - low| / (high - low) is uniform */
#define CHECK_UNIFORM(x_, n_, low_, high_)                                                         \
    do {                                                                                           \
        for (size_t i_ = 0; i_ < (n_); i_++) {                                                     \
            (x_)[i_] = ((x_)[i_] - (low_)) / ((high_) - (low_));                                   \
            CHECK((x_)[i_] >= 0.0 && (x_)[i_] <= 1.0);                                             \
        }                                                                                          \
        CHECK_NEAR(ks_statistic((x_), (n_), uniform_cdf), 0.0, 1.95);                              \
    } while (0)

/* chi-square of counts against expected counts, as a standard normal score (Wilson, Hilferty) */
static inline double chi_square_score(const double *counts, const double *expected, size_t n)
{
    double sum = 0.0, df = -1.0;
    for (size_t i = 0; i < n; i++) {
        if (expected[i] == 0.0) {
            if (counts[i] != 0.0) return (double)INFINITY;
            continue;
        }
        sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
        df += 1.0;
    }
    double c = 2.0 / (9.0 * df);
    return (cbrt(sum / df) - (1.0 - c)) / sqrt(c);
}

/* `hits` of n trials with probability p, within 4 standard deviations */
#define CHECK_RATE(hits_, n_, p_)                                                                  \
    CHECK_NEAR((double)(hits_) / (double)(n_), (p_), 4.0 * sqrt((p_) * (1.0 - (p_)) / (double)(n_)))

static inline double correlation(const double *a, const double *b, size_t n)
{
    double ma = 0.0, mb = 0.0, ab = 0.0, aa = 0.0, bb = 0.0;
    for (size_t i = 0; i < n; i++) {
        ma += a[i] / (double)n;
        mb += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

/* A generator that shares nothing with the library (xorshift64*), for naive simulations. */
static inline double naive_uniform(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return ((double)((x * UINT64_C(0x2545f4914f6cdd1d)) >> 11) + 0.5) * 0x1p-53;
}

static inline double naive_normal(uint64_t *state)
{
    double radius = sqrt(-2.0 * log(naive_uniform(state)));
    return radius * cos(6.283185307179586 * naive_uniform(state));
}

#endif
