/* invariance_parts.h - what the files of the invariance test share. */
#ifndef SCONE_SCORE_INVARIANCE_PARTS_H
#define SCONE_SCORE_INVARIANCE_PARTS_H

#include "score/invariance.h"

enum {
    INVARIANCE_KNOTS = 7,
    INVARIANCE_MOST_BASIS = 96,                              /* functions of Z */
    INVARIANCE_RANDOM = 32,                                  /* of them random ones */
    INVARIANCE_SHAPES = 4,                                   /* functions of v's residual */
    INVARIANCE_MOST_WEIGHTS = 1 + 2 * INVARIANCE_MOST_GIVEN, /* functions of Z that weigh them */
    INVARIANCE_MOST_SIDES = INVARIANCE_SHAPES + INVARIANCE_MOST_WEIGHTS,
    INVARIANCE_MOST_TERMS = 2 + INVARIANCE_MOST_WEIGHTS + 1 + INVARIANCE_MOST_GIVEN,
    INVARIANCE_BLOCK = 64 /* rows for which leverages are computed together */
};

/* Columns stand in the order of a hash of their values, so that nothing depends on their order in
 * the pair. Rows of regime 0 come first. */
struct invariance {
    size_t columns, rows[2], n;
    size_t *place;      /* [columns]: where a column of the pair stands here */
    bool *constant;     /* [columns] */
    double *values;     /* [columns][n]: robustly standardized, cut off at +-INVARIANCE_CUT */
    double *ranks;      /* [columns][n]: 2 F - 1, F the distribution function of both regimes */
    double *knots;      /* [columns][INVARIANCE_KNOTS], ascending and distinct */
    size_t *knot_count; /* [columns] */
    double *random;     /* [INVARIANCE_RANDOM][INVARIANCE_MOST_GIVEN + 1]: directions, offset */
};

#define INVARIANCE_CUT 6.0

struct invariance_work {
    /* Z that the basis is for; given_count is SIZE_MAX if there is none yet */
    size_t given[INVARIANCE_MOST_GIVEN], given_count;
    size_t size;     /* functions of Z that do not depend on each other */
    double *basis;   /* [size][n] */
    double *gram;    /* [INVARIANCE_MOST_BASIS, INVARIANCE_MOST_BASIS]: factor U of their Gram
                        matrix U'U, upper triangle */
    double *unused;  /* [n]: 1 / sqrt(1 - leverage) */
    double *weights; /* [INVARIANCE_MOST_WEIGHTS][n] */
    size_t weight_count;
    double *sides; /* [INVARIANCE_MOST_SIDES][n]: shapes of v, regime times weights; residuals */
    double *terms; /* [INVARIANCE_MOST_TERMS][n] */
    double *coefficients; /* [INVARIANCE_MOST_BASIS, INVARIANCE_MOST_SIDES] */
};

/* Fills basis, factor, weights and leverages for Z: `count` places, ascending. */
void invariance_expand(const invariance *test, invariance_work *work, const size_t *given,
                       size_t count);
/* sides [count][n] less their projections on the basis. */
void invariance_residuals(const invariance *test, invariance_work *work, double *sides,
                          size_t count);

/* Cholesky factor of a [n, n] in place (lower triangle, column-major with `stride`), leaving out
 * what depends on those before it: kept [n] receives the indices that stay, in order; their factor
 * stands first. Returns how many. */
size_t invariance_factor(double *a, size_t n, size_t stride, double tolerance, size_t *kept);

/* The noncentrality below which a chi-squared variable with q degrees of freedom lies above
 * `statistic` with probability at most 0.05. */
double invariance_noncentrality_high(double statistic, double q);

#endif
