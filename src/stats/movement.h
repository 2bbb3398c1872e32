/* movement.h - how far did the mechanism of a variable move between the regimes?
 *
 * The control's mechanism is the regression of the variable on functions of its parents, fitted to
 * regime 0 alone. With e0 and e1 the residuals of both regimes under it,
 *     d^2 = integral from 0 to 1 of (Q1(u) - Q0(u))^2 du
 * is the squared distance of Wasserstein between their distributions, Q being quantile functions:
 * for normal residuals the squared shift of the mean and that of the standard deviation, added, and
 * else what changed of the shape as well. In standard deviations of what the mechanism leaves
 * unexplained,
 *     size = d / sqrt((n0 s^2 + d^2) / (n0 + 1)),
 * where s is that of e0. The d^2 below counts the move as one more row of the control, so a control
 * of n0 rows that never varied gives sqrt(n0 + 1) and not infinity.
 *
 * Where a parent is outside of the range that it has in regime 0, the control does not say how the
 * mechanism goes on: straight on or not at all. A value between the two predictions has residual 0.
 *
 * Natural variation: the same distance between blocks of the control's rows in their order and the
 * whole control. Blocks have n1 rows, or a quarter of n0 if that is less. With c^2 the mean
 * of d^2 over contiguous blocks and i^2 over as large ones of rows spread evenly,
 *     natural = 2 sqrt(max(0, c^2 - i^2) + i^2 (1/n1 + 1/n0) / (1/b - 1/n0)) / s:
 * drifts and dependence between rows are in c^2 alone and do not shrink with the rows of a block;
 * the rest does. Cost O(n0 k^2 + n0 log n0) for k functions.
 */
#ifndef SCONE_STATS_MOVEMENT_H
#define SCONE_STATS_MOVEMENT_H

#include "data/table.h"

enum {
    MOVEMENT_BLOCKS = 64,      /* at most */
    MOVEMENT_ROWS_HINGES = 20, /* rows of the control for each function, with hinges */
    MOVEMENT_ROWS_LINES = 4,   /* and with straight lines; below, parents are left out */
    MOVEMENT_ROWS_LEAST = 16,  /* of the control, below which blocks say nothing */
    MOVEMENT_ROWS_FEW = 100    /* of regime 1, below which a test is not trusted beside blocks */
};

/* The dependence from which on rows are said to depend on each other. */
#define MOVEMENT_DEPENDENCE 2.5

typedef struct movement {
    double size;       /* given the parents */
    double alone;      /* the same without parents: how far the variable itself moved */
    double natural;    /* NaN: too few rows to tell */
    double dependence; /* c^2 / i^2 of blocks of the root of n0 rows: near 1 if rows do not depend
                          on their neighbours */
    bool decides;      /* does `natural` decide, since rows are few or depend on each other? Else a
                          test for independent rows knows better what is chance */
    size_t onset;      /* the first row of regime 1 that is beyond what regime 0 has; its rows if
                          none is */
} movement;

/* Scratch for one worker, for any variable of the pair. */
typedef struct movement_work movement_work;
scone_status movement_work_alloc(movement_work **out, const scone_pair *pair);
void movement_work_free(movement_work *work);

/* Of column y given its parents. Finite for finite tables but for `natural`. */
scone_status movement_find(movement *out, size_t y, const size_t *parents, size_t count,
                           movement_work *w);

/* The size of a move of a variable that had a single value in `rows` rows of the control. */
double movement_of_constant(size_t rows);

#endif
