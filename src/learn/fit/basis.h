/* basis.h - the data of a search: standardized columns and their spline basis, in floats.
 *
 * Every column is standardized on all tables together and expanded to z and smooth ramps: a ramp
 * is 0 below one knot, 1 above another and quadratic between them, so a sum of ramps is a smooth
 * function that is flat in the tails, and z gives it a slope there. Knots are quantiles. Each basis
 * column is standardized again; columns that depend on those before them (few distinct values) are
 * left out, so a binary variable has one.
 * The rows stand in parts: the control, then each condition; with two tables there are two parts.
 * Rows of a part are shuffled, so that the first ones are a sample. Each part is padded with zero
 * rows to a multiple of KERNEL_LANES, and a last column of ones (zero in the padding) is the
 * constant. Gram matrices of all basis columns are kept per part, so that a least-squares fit costs
 * O(k^3) whatever the number of rows.
 * Ramps between closer knots are kept apart ("detail"): they refine fits whose function bends more
 * than the basis can.
 * For fits on one variable alone its values are also grouped in BASIS_BINS quantile bins; a
 * variable with at most BASIS_LEVELS different values, ten rows each on average, has one bin for
 * each. Memory: 8 (S N + 1) n bytes for the columns, 8 (S N + 1)^2 for each Gram matrix, S =
 * BASIS_SIZE; above BASIS_DETAIL_NODES nodes there is no detail.
 */
#ifndef SCONE_LEARN_FIT_BASIS_H
#define SCONE_LEARN_FIT_BASIS_H

#include "parallel/parallel.h"
#include "data/table.h"

enum { BASIS_SIZE = 6, BASIS_BINS = 64, BASIS_DETAIL_NODES = 300, BASIS_LEVELS = 10 };

typedef struct basis {
    size_t nodes;
    size_t parts;        /* the control and the conditions, at least two in all */
    size_t *rows;        /* [parts]: true rows of each */
    size_t *padded;      /* [parts]: rows with padding */
    size_t *start;       /* [parts]: first row of each */
    size_t total;        /* the sum of rows */
    size_t stride;       /* the sum of padded */
    size_t columns;      /* nodes * BASIS_SIZE + 1; the last is the constant */
    float *values;       /* [columns][stride] */
    size_t *size;        /* [nodes]: basis columns in use, at most BASIS_SIZE; z is the first */
    double **gram;       /* [parts] of [columns][columns] each, full */
    float *detail;       /* [nodes * BASIS_SIZE][stride], or NULL */
    size_t *detail_size; /* [nodes] */
    size_t *levels;      /* [nodes]: different values if they are few, else 0 */
    uint8_t *bin;        /* [nodes][stride]: quantile bin of each row, or which of the few values it
                            has; 0 in the padding */
    float *centres;      /* [nodes][BASIS_SIZE][BASIS_BINS]: basis columns averaged over each bin */
    float **filled;      /* [parts] of [nodes][BASIS_BINS]: rows of each part in each bin */
} basis;

static inline const float *basis_column(const basis *b, size_t column)
{
    return b->values + column * b->stride;
}

static inline const float *basis_detail(const basis *b, size_t node, size_t place)
{
    return b->detail + (node * BASIS_SIZE + place) * b->stride;
}

typedef struct basis_options {
    uint64_t seed;    /* of the shuffle */
    size_t most_rows; /* of each regime, a sample of which is taken; 0: all */
    bool plain;       /* no detail */
    /* The second table holds this many conditions, one after the other, with so many rows each; 0
     * or 1: it is one. */
    size_t conditions;
    const size_t *condition_rows;
} basis_options;

scone_status basis_alloc(basis **out, const scone_pair *pair, const basis_options *options,
                         const scone_context *context);
void basis_free(basis *b);

#endif
