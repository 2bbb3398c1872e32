/* invariance_parts.h - what the files of the invariance test share. */
#ifndef SCONE_STATS_INVARIANCE_PARTS_H
#define SCONE_STATS_INVARIANCE_PARTS_H

#include "stats/invariance.h"

enum {
    INVARIANCE_KNOTS = 25,                                   /* quantiles of a column */
    INVARIANCE_MOST_BASIS = 352,                             /* functions of Z */
    INVARIANCE_MOST_UNITS = 256,                             /* of them random ones */
    INVARIANCE_SHAPES = 4,                                   /* functions of v's residual */
    INVARIANCE_MOST_WEIGHTS = 1 + 2 * INVARIANCE_MOST_GIVEN, /* functions of Z that weigh them */
    INVARIANCE_MOST_TERMS = 2 + INVARIANCE_MOST_WEIGHTS + 1 + INVARIANCE_MOST_GIVEN,
    INVARIANCE_BLOCK = 64 /* rows for which leverages are computed together */
};

#define INVARIANCE_CUT 6.0

/* a function of Z: x / sqrt(1 + x^2), x = slopes' z + offset */
typedef struct invariance_unit {
    double slopes[INVARIANCE_MOST_GIVEN], offset;
} invariance_unit;

/* Columns stand in the order of a hash of their values, so that nothing depends on their order in
 * the pair. Rows of regime 0 come first. */
struct invariance {
    size_t columns, rows[2], n;
    uint64_t seed;
    size_t *place;      /* [columns]: where a column of the pair stands here */
    bool *constant;     /* [columns] */
    double *values;     /* [columns][n]: robustly standardized, cut off at +-INVARIANCE_CUT */
    double *ranks;      /* [columns][n]: 2 F - 1, F the distribution function of both regimes */
    double *knots;      /* [columns][INVARIANCE_KNOTS], ascending and distinct */
    size_t *knot_count; /* [columns] */
};

/* In all arrays over rows a function of Z stands multiplied by root = sqrt(p (1 - p)), p the
 * probability of regime 1 given Z, so that least squares weigh rows by p (1 - p). */
struct invariance_work {
    /* Z that the functions are for; given_count is SIZE_MAX if there is none yet */
    size_t given[INVARIANCE_MOST_GIVEN], given_count;
    size_t size;          /* functions, none of which depends on the others */
    double *basis;        /* [INVARIANCE_MOST_BASIS][n] */
    double *factor;       /* [INVARIANCE_MOST_BASIS, INVARIANCE_MOST_BASIS]: U with U'U the Gram
                             matrix, upper triangle */
    double *coefficients; /* [INVARIANCE_MOST_BASIS, INVARIANCE_MOST_TERMS] */
    double *logit;        /* [n]: log p / (1 - p) */
    double *root;         /* [n] */
    double *pull;         /* [n]: (regime - p) / root */
    double *unused;       /* [n]: 1 / sqrt(1 - leverage) */
    double *weights;      /* [INVARIANCE_MOST_WEIGHTS][n], not multiplied by root */
    double *sides;        /* [INVARIANCE_SHAPES][n] */
    double *terms;        /* [INVARIANCE_MOST_TERMS][n] */
    double information;   /* sum of (regime - p)^2 */
};

/* ---- invariance_basis.c ---- */

/* Write the first functions of Z (the places work->given), or random ones, behind the functions
 * that are in the basis; return how many. */
size_t invariance_fill_first(const invariance *test, invariance_work *work);
size_t invariance_fill_units(const invariance *test, invariance_work *work);
void invariance_fill_weights(const invariance *test, invariance_work *work);

/* ---- invariance_algebra.c ---- */

/* Takes `count` further functions, which stand in the basis after the others, into the factor;
 * those that depend on others are left out. */
void invariance_append(const invariance *test, invariance_work *work, size_t count);
/* sides [count][n] less their projections on the functions. */
void invariance_residuals(const invariance *test, invariance_work *work, double *sides,
                          size_t count);
void invariance_leverages(const invariance *test, invariance_work *work);
/* Columns done .. n - 1 of the Cholesky factor of a [n, n] in place (upper triangle, column-major
 * with `stride`, the first `done` being factored), leaving out what depends on those before it:
 * kept [n] receives what stays, in order, and the factor of those stands first.
 * Returns how many. */
size_t invariance_factor(double *a, size_t done, size_t n, size_t stride, double tolerance,
                         size_t *kept);

/* ---- invariance_regime.c ---- */

/* The regime given Z, `count` places in ascending order: fills the workspace but for sides and
 * terms. Nothing to do if that was for the same Z. */
void invariance_expand(const invariance *test, invariance_work *work, const size_t *given,
                       size_t count);

/* ---- invariance_bound.c ---- */

/* The noncentrality below which a chi-squared variable with q degrees of freedom lies above
 * `statistic` with probability at most 0.05. */
double invariance_noncentrality_high(double statistic, double q);

#endif
