/* invariance_bound.c - how large a change may be that a test did not see.
 *
 * If a chi-squared statistic with q degrees of freedom comes out as x, its noncentrality is, with
 * 95% confidence, not above the one for which values up to x have probability 0.05. The
 * distribution function is M. Sankaran's approximation (Biometrika 50, 1963): (x / (q + l))^h is
 * nearly normal. A statistic below its mean under no change gives no smaller bound than its mean
 * does: small by chance is no evidence of invariance.
 */
#include "stats/invariance_parts.h"

#include <math.h>

/* The normal deviate of x. */
static double deviate(double x, double q, double l)
{
    double sum = q + l, twice = q + 2.0 * l;
    double h = 1.0 - 2.0 * sum * (q + 3.0 * l) / (3.0 * twice * twice);
    double p = twice / (sum * sum), m = (h - 1.0) * (1.0 - 3.0 * h);
    double mean = 1.0 + h * p * (h - 1.0 - 0.5 * (2.0 - h) * m * p);
    return (pow(x / sum, h) - mean) / (h * sqrt(2.0 * p) * (1.0 + 0.5 * m * p));
}

double invariance_noncentrality_high(double statistic, double q)
{
    double x = fmax(statistic, q), low = 0.0, high = x + 8.0 * sqrt(x) + 20.0;
    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high);
        if (deviate(x, q, middle) > -1.6448536269514722) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}
