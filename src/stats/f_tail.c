/* f_tail.c - the upper tail of the F distribution (see f_tail.h). O(sqrt(max(a, b))) steps. */
#include "stats/f_tail.h"

#include <float.h>
#include <math.h>

static double log_gamma(double x)
{
    int sign; /* lgamma itself writes to a global */
    return lgamma_r(x, &sign);
}

static double away_from_zero(double x)
{
    return fabs(x) < DBL_MIN / DBL_EPSILON ? DBL_MIN / DBL_EPSILON : x;
}

/* The continued fraction of I_x(p, q) for x < (p + 1) / (p + q + 2), without its prefix. */
static double beta_fraction(double x, double p, double q)
{
    enum { STEPS = 20000 };
    double c = 1.0, d = 1.0 / away_from_zero(1.0 - (p + q) * x / (p + 1.0)), value = d;
    for (int m = 1; m <= STEPS; m++) {
        double even = m * (q - m) * x / ((p + 2.0 * m - 1.0) * (p + 2.0 * m));
        double odd = -(p + m) * (p + q + m) * x / ((p + 2.0 * m) * (p + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        value *= c * d;
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        value *= c * d;
        if (fabs(c * d - 1.0) < 4.0 * DBL_EPSILON) break;
    }
    return value;
}

double f_tail_log(double f, double a, double b)
{
    if (!(f > 0.0)) return 0.0;
    double ratio = a * f / b; /* x = 1 / (1 + ratio) */
    double log_x = -log1p(ratio), log_rest = log(ratio) - log1p(ratio);
    double x = exp(log_x), p = 0.5 * b, q = 0.5 * a;
    double prefix = p * log_x + q * log_rest + log_gamma(p + q) - log_gamma(p) - log_gamma(q);
    if (x < (p + 1.0) / (p + q + 2.0))
        return fmin(0.0, prefix - log(p) + log(beta_fraction(x, p, q)));
    double below = exp(prefix - log(q)) * beta_fraction(exp(log_rest), q, p);
    return below < 1.0 ? log1p(-below) : -DBL_MAX;
}
