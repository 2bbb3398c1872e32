/* check_linear.h - columns that are linear functions of others: what check_linear.c computes and
 * check_linear_findings.c tells. */
#ifndef SCONE_PREFLIGHT_CHECK_LINEAR_H
#define SCONE_PREFLIGHT_CHECK_LINEAR_H

#include "preflight/check.h"

/* Correlations over some rows: those of one regime, or of both together. */
typedef struct linear_moments {
    size_t rows;         /* complete rows; below 3 nothing else is known */
    double *correlation; /* [count, count] */
    double *means, *deviations;
} linear_moments;

typedef struct linear_columns {
    const check_input *input;
    size_t count;
    size_t *columns;          /* [count] columns (in the order of names) that can be compared */
    linear_moments regime[2]; /* rows with a cell that is not finite left out */
    linear_moments pooled;
    size_t *twin;    /* [count] index of the first column equal up to sign and scale, or itself */
    bool *dependent; /* [count] a combination of others in the pooled rows */
} linear_columns;

static inline const char *linear_name(const linear_columns *c, size_t index)
{
    return check_name(c->input, c->columns[index]);
}

/* Sets c->twin and reports groups of duplicates. */
scone_status check_linear_duplicates(scone_check *report, linear_columns *c);
/* The same for tables too wide for a correlation matrix: exact copies only. */
scone_status check_linear_identical(scone_check *report, linear_columns *c);
/* Sets c->dependent from the pooled rows and reports combinations, there and within regimes. */
scone_status check_linear_combinations(scone_check *report, linear_columns *c);

#endif
