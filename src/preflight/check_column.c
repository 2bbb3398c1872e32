/* check_column.c - the statistics of one column in both regimes (see check.h).
 *
 * The finite values are sorted (radix sort on the bits, 8 passes at most); ties, quantiles, the
 * median absolute deviation and the distance between the regimes are then single passes. All sums
 * are over values scaled by a power of two, so that nothing overflows. Cost O(rows).
 */
#include "preflight/check.h"

#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Counts what is not finite and leaves the finite values sorted. */
static void collect(column_summary *summary, double *sorted, const double *values, size_t rows,
                    column_work *work)
{
    size_t count = 0;
    for (size_t r = 0; r < rows; r++) {
        if (isnan(values[r])) {
            if (summary->missing++ == 0) summary->first_missing = r;
        } else if (isinf(values[r])) {
            if (summary->infinite++ == 0) summary->first_infinite = r;
        } else {
            sorted[count++] = values[r];
        }
    }
    sort_doubles(sorted, sorted, count, work->keys); /* -0 lands beside 0 and equals it */
    summary->finite = count;
}

/* ---- statistics of sorted values ---- */

static void count_ties(column_summary *summary, const double *sorted)
{
    for (size_t i = 0, end; i < summary->finite; i = end) {
        for (end = i + 1; end < summary->finite && sorted[end] == sorted[i]; end++) continue;
        summary->distinct++;
        if (end - i > 1) summary->tied += end - i;
        if (end - i > summary->common_count) {
            summary->common_count = end - i;
            summary->common_value = sorted[i];
        }
    }
}

/* A power of two that brings the largest of the values to about 1. */
static double range_factor(const column_summary *summary)
{
    double largest = fmax(fabs(summary->low), fabs(summary->high));
    if (!(largest > 0.0)) return 1.0;
    int exponent = ilogb(largest);
    return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

static void find_moments(column_summary *summary, const double *sorted, double factor)
{
    double n = (double)summary->finite, sum = 0.0, again = 0.0, squares = 0.0, fourths = 0.0;
    for (size_t i = 0; i < summary->finite; i++) sum += sorted[i] * factor;
    double mean = sum / n;
    for (size_t i = 0; i < summary->finite; i++) again += sorted[i] * factor - mean;
    mean += again / n;
    for (size_t i = 0; i < summary->finite; i++) {
        double d = sorted[i] * factor - mean;
        squares += d * d;
        fourths += d * d * d * d;
    }
    summary->mean = mean / factor;
    if (summary->distinct == 1) { /* rounding of the mean is no variation */
        summary->mean = summary->low;
        return;
    }
    summary->deviation = sqrt(squares / n) / factor;
    summary->kurtosis = squares > 0.0 ? n * fourths / (squares * squares) - 3.0 : 0.0;
}

/* The middle of |x - median|, times factor: distances grow outwards from the median on both
 * sides, so the smallest half is found by merging the two sides. */
static double median_deviation(const double *sorted, size_t count, double median, double factor)
{
    size_t right = 0;
    while (right < count && sorted[right] < median) right++;
    size_t left = right;
    double distance = 0.0;
    for (size_t taken = 0; taken <= count / 2; taken++) {
        double below = left > 0 ? median * factor - sorted[left - 1] * factor : HUGE_VAL;
        double above = right < count ? sorted[right] * factor - median * factor : HUGE_VAL;
        if (below < above) {
            distance = below;
            left--;
        } else {
            distance = above;
            right++;
        }
    }
    return distance;
}

static void find_outlier(column_summary *summary, const double *sorted, const double *values,
                         size_t rows, double factor)
{
    size_t n = summary->finite;
    summary->median = 0.5 * sorted[(n - 1) / 2] + 0.5 * sorted[n / 2];
    double scale = 1.4826 * median_deviation(sorted, n, summary->median, factor);
    if (!(scale > 0.0)) { /* more than half the rows share one value: mean absolute deviation */
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) sum += fabs(sorted[i] * factor - summary->median * factor);
        scale = 1.2533 * sum / (double)n;
    }
    summary->scale = scale / factor;
    if (!(scale > 0.0)) return;
    double below = (summary->median * factor - summary->low * factor) / scale;
    double above = (summary->high * factor - summary->median * factor) / scale;
    summary->worst_z = fmax(below, above);
    summary->worst_value = above >= below ? summary->high : summary->low;
    for (size_t r = 0; r < rows; r++) {
        if (values[r] == summary->worst_value) {
            summary->worst_row = r;
            break;
        }
    }
}

static double quantile(const double *sorted, size_t count, double share)
{
    return sorted[(size_t)(share * (double)(count - 1) + 0.5)];
}

static void find_tails(column_summary *summary, const double *sorted, double factor)
{
    size_t n = summary->finite;
    if (n < CHECK_TAIL_ROWS) return;
    double middle = quantile(sorted, n, 0.75) * factor - quantile(sorted, n, 0.25) * factor;
    double all = quantile(sorted, n, 0.995) * factor - quantile(sorted, n, 0.005) * factor;
    if (middle > 0.0) summary->tail_ratio = all / middle;
}

void check_column_summarize(column_summary *summary, double *sorted, const double *values,
                            size_t rows, column_work *work)
{
    *summary = (column_summary){0};
    collect(summary, sorted, values, rows, work);
    if (summary->finite == 0) return;
    summary->low = sorted[0];
    summary->high = sorted[summary->finite - 1];
    double factor = range_factor(summary);
    count_ties(summary, sorted);
    find_moments(summary, sorted, factor);
    find_outlier(summary, sorted, values, rows, factor);
    find_tails(summary, sorted, factor);
}

double check_column_common(const column_summary *s)
{
    return s->finite ? (double)s->common_count / (double)s->finite : 0.0;
}

double check_column_spread(const column_summary *s)
{
    double size = fmax(fabs(s->low), fabs(s->high));
    return size > 0.0 ? s->deviation / size : 0.0;
}

/* ---- both regimes ---- */

static size_t count_distinct(const double *a, size_t count_a, const double *b, size_t count_b)
{
    size_t i = 0, j = 0, distinct = 0;
    while (i < count_a || j < count_b) {
        double value = j == count_b || (i < count_a && a[i] <= b[j]) ? a[i] : b[j];
        while (i < count_a && a[i] == value) i++;
        while (j < count_b && b[j] == value) j++;
        distinct++;
    }
    return distinct;
}

/* Largest difference between the two empirical distribution functions, b divided by `unit`. */
static double kolmogorov_distance(const double *a, size_t count_a, const double *b, size_t count_b,
                                  double unit)
{
    size_t i = 0, j = 0;
    double distance = 0.0;
    while (i < count_a && j < count_b) {
        double value = fmin(a[i], b[j] / unit);
        while (i < count_a && a[i] <= value) i++;
        while (j < count_b && b[j] / unit <= value) j++;
        double here = fabs((double)i / (double)count_a - (double)j / (double)count_b);
        distance = fmax(distance, here);
    }
    return distance;
}

/* Does regime 1 look like regime 0 in another unit? A factor of 10 alone could be a change of
 * noise, so it counts only when the location, away from 0, went along. */
int check_column_unit(const column_facts *facts, double *const sorted[2])
{
    const column_summary *a = &facts->regime[0], *b = &facts->regime[1];
    if (a->finite < CHECK_UNIT_ROWS || b->finite < CHECK_UNIT_ROWS) return 0;
    if (!(a->scale > 0.0) || !(b->scale > 0.0)) return 0;
    double logarithm = log10(b->scale) - log10(a->scale), exponent = nearbyint(logarithm);
    if (exponent == 0.0 || !(fabs(logarithm - exponent) <= CHECK_UNIT_LOG)) return 0;
    if (fabs(exponent) == 1.0 && !(fabs(a->median) >= a->scale)) return 0;
    double unit = pow(10.0, exponent);
    if (!(unit > 0.0 && unit <= DBL_MAX)) return 0;
    double distance = kolmogorov_distance(sorted[0], a->finite, sorted[1], b->finite, unit);
    double n = (double)a->finite, m = (double)b->finite;
    double limit = fmax(CHECK_UNIT_DISTANCE, CHECK_UNIT_KOLMOGOROV * sqrt((n + m) / (n * m)));
    return distance <= limit ? (int)exponent : 0;
}

void check_column_examine(column_facts *facts, const double *const values[2], const size_t rows[2],
                          column_work *work)
{
    for (int regime = 0; regime < 2; regime++) {
        check_column_summarize(&facts->regime[regime], work->sorted[regime], values[regime],
                               rows[regime], work);
    }
    facts->distinct = count_distinct(work->sorted[0], facts->regime[0].finite, work->sorted[1],
                                     facts->regime[1].finite);
    facts->unit_exponent = check_column_unit(facts, work->sorted);
}
