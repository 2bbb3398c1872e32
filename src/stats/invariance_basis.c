/* invariance_basis.c - functions of Z for an invariance test.
 *
 * Per column z: z, and smooth ramps between its quantiles (the integral of a hat function: 0 below
 * one knot, 1 above another), so that functions may bend where the data are. Per pair of columns
 * products of Legendre polynomials of their ranks. Then random functions of all columns together,
 * x / sqrt(1 + x^2) with x linear, from flat to steep and centred on rows of the data: the more
 * rows, the more of them, since what is missed shows more.
 */
#include "stats/invariance_parts.h"

#include "base/rng.h"
#include "base/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As many functions as the rows can carry. */
static size_t invariance_limit(const invariance *t)
{
    size_t limit = t->n / 12;
    return limit < INVARIANCE_MOST_BASIS ? limit : INVARIANCE_MOST_BASIS;
}

/* low < middle < high */
SIMD_CLONES static void fill_ramp(double *restrict out, const double *restrict z, size_t n,
                                  double low, double middle, double high)
{
    double first = 1.0 / ((middle - low) * (high - low));
    double second = 1.0 / ((middle - low) * (high - middle));
    double third = 1.0 / ((high - middle) * (high - low));
    for (size_t i = 0; i < n; i++) {
        double a = z[i] > low ? z[i] - low : 0.0, b = z[i] > middle ? z[i] - middle : 0.0;
        double c = z[i] > high ? z[i] - high : 0.0;
        out[i] = first * a * a - second * b * b + third * c * c;
    }
}

SIMD_INLINE double curve(double u)
{
    return 1.5 * u * u - 0.5;
}

/* The product of Legendre polynomials of two columns' ranks: both of degree 1, or one
 * of degree 2. */
SIMD_CLONES static void fill_product(double *restrict out, const double *restrict a,
                                     const double *restrict b, size_t n, int kind)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (kind == 1 ? curve(a[i]) : a[i]) * (kind == 2 ? curve(b[i]) : b[i]);
    }
}

typedef struct filling {
    const invariance *test;
    invariance_work *work;
    size_t count, limit;
} filling;

static double *next_function(filling *f)
{
    if (f->count >= f->limit) return NULL;
    return f->work->basis + f->count++ * f->test->n;
}

static void add_products(filling *f, const size_t *given, size_t count, int kind)
{
    const invariance *t = f->test;
    for (size_t j = 0; j < count; j++) {
        for (size_t k = j + 1; k < count; k++) {
            double *out = next_function(f);
            if (!out) return;
            fill_product(out, t->ranks + given[j] * t->n, t->ranks + given[k] * t->n, t->n, kind);
        }
    }
}

/* Ramps around every `step`-th knot that reach to the next of these on both sides; of a column with
 * few knots around all of them. */
static void add_ramps(filling *f, const size_t *given, size_t count, size_t step)
{
    const invariance *t = f->test;
    for (size_t j = 0; j < count; j++) {
        const double *knots = t->knots + given[j] * INVARIANCE_KNOTS;
        size_t last = t->knot_count[given[j]], reach = last > 2 * step ? step : 1;
        for (size_t k = reach; k + 1 < last; k += reach) {
            double *out = next_function(f);
            if (!out) return;
            fill_ramp(out, t->values + given[j] * t->n, t->n, knots[k - reach], knots[k],
                      knots[k + reach < last ? k + reach : last - 1]);
        }
    }
}

SIMD_CLONES static void scale(double *restrict out, const double *restrict root, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] *= root[i];
}

/* The important ones first, since the number of rows may stop us. */
size_t invariance_fill_first(const invariance *t, invariance_work *w)
{
    filling f = {t, w, 0, invariance_limit(t)};
    const size_t *given = w->given, count = w->given_count;
    double *out = next_function(&f);
    for (size_t i = 0; out && i < t->n; i++) out[i] = 1.0;
    for (size_t j = 0; j < count && (out = next_function(&f)); j++) {
        memcpy(out, t->values + given[j] * t->n, t->n * sizeof *out);
    }
    add_products(&f, given, count, 0);
    add_ramps(&f, given, count, 4);
    add_products(&f, given, count, 1);
    add_products(&f, given, count, 2);
    if (count == 1) add_ramps(&f, given, count, 1);
    for (size_t a = 0; a < f.count; a++) scale(w->basis + a * t->n, w->root, t->n);
    return f.count;
}

void invariance_fill_weights(const invariance *t, invariance_work *w)
{
    size_t n = t->n, count = w->given_count;
    for (size_t i = 0; i < n; i++) w->weights[i] = 1.0;
    for (size_t j = 0; j < count; j++) {
        const double *rank = t->ranks + w->given[j] * n;
        double *line = w->weights + (1 + j) * n, *bend = w->weights + (1 + count + j) * n;
        memcpy(line, rank, n * sizeof *line);
        for (size_t i = 0; i < n; i++) bend[i] = curve(rank[i]);
    }
}

/* ---- random functions ---- */

/* x / sqrt(1 + x^2), x = slopes' z + offset */
typedef struct random_unit {
    double slopes[INVARIANCE_MOST_GIVEN], offset;
} random_unit;

SIMD_CLONES static void start(double *restrict out, const double *restrict z, double slope,
                              double offset, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = offset + slope * z[i];
}

SIMD_CLONES static void add(double *restrict out, const double *restrict z, double slope, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] += slope * z[i];
}

SIMD_CLONES static void bend(double *restrict out, const double *restrict root, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = root[i] * (out[i] / sqrt(1.0 + out[i] * out[i]));
    }
}

/* Every eighth unit looks at one column alone. */
static void draw_unit(random_unit *unit, const invariance *t, const size_t *given, size_t count,
                      size_t number, rng *r)
{
    static const double steepness[4] = {1.0, 2.5, 6.0, 15.0};
    double length = 0.0, scale;
    size_t centre = (size_t)rng_below(r, t->n), alone = number / 8 % count;
    for (size_t j = 0; j < count; j++) {
        unit->slopes[j] = rng_normal(r);
        if (number % 8 == 0) unit->slopes[j] = j == alone ? 1.0 : 0.0;
        length += unit->slopes[j] * unit->slopes[j];
    }
    scale = steepness[(number + number / 8) % 4] / sqrt(length);
    unit->offset = 0.0;
    for (size_t j = 0; j < count; j++) {
        unit->slopes[j] *= scale;
        unit->offset -= unit->slopes[j] * t->values[given[j] * t->n + centre];
    }
}

size_t invariance_fill_units(const invariance *t, invariance_work *w)
{
    size_t count = t->n / 40, n = t->n, limit = invariance_limit(t);
    if (w->given_count < 2) return 0;
    if (count > INVARIANCE_MOST_UNITS) count = INVARIANCE_MOST_UNITS;
    if (w->size + count > limit) count = limit - w->size;
    rng r = rng_stream(t->seed, RNG_INVARIANCE, 2, w->given_count, 0);
    for (size_t k = 0; k < count; k++) {
        double *out = w->basis + (w->size + k) * n;
        random_unit unit;
        draw_unit(&unit, t, w->given, w->given_count, k, &r);
        start(out, t->values + w->given[0] * n, unit.slopes[0], unit.offset, n);
        for (size_t j = 1; j < w->given_count; j++) {
            add(out, t->values + w->given[j] * n, unit.slopes[j], n);
        }
        bend(out, w->root, n);
    }
    return count;
}
