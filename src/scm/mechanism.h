/* mechanism.h - how a node of the benchmark gets its value from its parents and its noise.
 *
 * Weights per family, P parents:
 *   linear      w[P]
 *   polynomial  [P][3]: c0, c1, c2
 *   sigmoid     [P][3]: a, b, c
 *   nn          input [P + 1][20] (the last row is for the noise), then output [20]
 *   nn_add      input [P][10], then output [10]
 */
#ifndef SCONE_SCM_MECHANISM_H
#define SCONE_SCM_MECHANISM_H

#include "base/arena.h"
#include "base/rng.h"

enum { MECHANISM_NN_HIDDEN = 20, MECHANISM_NN_ADD_HIDDEN = 10 };

typedef struct mechanism {
    unsigned family;     /* one of SCONE_LINEAR ...; 0 for a root */
    bool multiplicative; /* polynomial and sigmoid: f * noise instead of f + noise */
    double noise_sd;     /* 0.4 sqrt(sigma2) */
    size_t parents;
    const size_t *parent; /* [parents], ascending */
    double *weights[2];   /* by regime; the same array unless the node is a target */
} mechanism;

size_t mechanism_weight_count(unsigned family, size_t parents);

/* Draws family, noise mode, noise scale and weights of a node whose parents are set. */
scone_status mechanism_draw(mechanism *m, arena *memory, unsigned families, scone_noise noise,
                            rng *r);
/* Gives the second regime weights of its own, drawn from the shifted ranges. */
scone_status mechanism_shift(mechanism *m, arena *memory, rng *r);

enum { MECHANISM_SCRATCH = 2 };
/* values[n] holds standard normal noise and receives the values of n rows; row i of node v is at
 * columns[v * stride + i]; scratch[MECHANISM_SCRATCH][n]. A root is left alone. Noise and values
 * share an array so that memory is first touched while the noise is computed. */
void mechanism_apply(double *values, const mechanism *m, int regime, const double *columns,
                     size_t stride, double *scratch, size_t n);

/* x = low + width u for every u in x[n]: roots are Uniform(-2, 2). */
void mechanism_stretch(double *x, size_t n, double low, double width);

#endif
