/* wild.h - the second benchmark: mechanisms without the tells of the first
 * (docs/methods/generator.md).
 *
 * A value is standardize(f(parents) / sd(f) + noise), where every mean and sd is that of the rows
 * of regime 0. Weights of f, P parents:
 *
 *     joint     inner [40][P + 1]: frequencies per turn, phase; outer [40]
 *     additive  inner [P][40][2]: frequency per turn, phase; outer [P][40]
 *     products  outer [P + P (P - 1) / 2]: one per parent, one per pair (0,1), (0,2), ...
 *     tanh      inner [P][2]: slope, offset; outer [P]
 */
#ifndef SCONE_SCM_WILD_H
#define SCONE_SCM_WILD_H

#include "base/arena.h"
#include "base/rng.h"

enum { WILD_FEATURES = 40 };

typedef enum wild_kind {
    WILD_JOINT = 0,    /* random features of all parents together */
    WILD_ADDITIVE = 1, /* a sum of random-feature functions, one per parent */
    WILD_PRODUCTS = 2, /* linear plus pairwise products */
    WILD_TANH = 3      /* a sum of tanh */
} wild_kind;

typedef enum wild_shape {
    WILD_NORMAL = 0,
    WILD_LAPLACE = 1,
    WILD_UNIFORM = 2,
    WILD_MIXTURE = 3, /* roots only: two normal components */
    WILD_STUDENT = 4  /* noise only: t with 5 degrees of freedom */
} wild_shape;

typedef enum wild_change {
    WILD_SAME = 0,
    WILD_WEIGHTS = 1, /* the outer weights are perturbed */
    WILD_NOISE = 2,   /* the noise is multiplied by `amount` */
    WILD_MEAN = 3     /* the standardized value is moved by `amount` */
} wild_change;

typedef struct wild_mixture {
    double share;   /* of the first component */
    double mean[2]; /* of the components */
    double sd[2];
} wild_mixture;

typedef struct wild_node {
    size_t parents;
    const size_t *parent; /* [parents], ascending */
    wild_shape shape;     /* of a root's values, or of the noise */
    wild_mixture mixture;
    /* the rest is for nodes with parents */
    wild_kind kind;
    double noise_sd;
    double *spread; /* [parents] log noise scale = clip(sum spread x, -1.5, 1.5), or NULL */
    double *inner, *outer[2]; /* outer[1] is outer[0] unless the change is WILD_WEIGHTS */
    wild_change change;
    double amount;
} wild_node;

/* Draws a node whose parents are set; arrays come from memory. */
scone_status wild_draw(wild_node *node, arena *memory, bool target, rng *weights, rng *change);
/* Gives a node with parents, drawn as no target, a change. */
scone_status wild_draw_change(wild_node *node, arena *memory, rng *r);

/* out[n] = f of n rows of parents, row i of node v at columns[v * stride + i]; hidden[n] is
 * scratch. */
void wild_function(double *out, const wild_node *node, int regime, const double *columns,
                   size_t stride, double *hidden, size_t n);

enum { WILD_SCRATCH = 3 };
/* out[n]: a root's values, or noise of mean 0 and sd 1; scratch[WILD_SCRATCH][n]. */
void wild_shape_fill(double *out, const wild_node *node, rng *r, double *scratch, size_t n);

/* out[n] *= exp(clip(sum of spread x, -1.5, 1.5)) */
void wild_spread(double *out, const wild_node *node, const double *columns, size_t stride,
                 double *hidden, size_t n);

#endif
