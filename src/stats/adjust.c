/* adjust.c - adjusted p-values (see adjust.h). */
#include "stats/adjust.h"

#include <math.h>
#include <stdlib.h>

typedef struct ranked {
    double p;
    size_t index;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

/* The p-values that are numbers, ascending. */
static scone_status rank_values(ranked **out, size_t *count, const double *p, size_t n)
{
    scone_status status = SCONE_OK;
    *count = 0;
    TRY_ALLOC(*out, n);
    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i])) (*out)[(*count)++] = (ranked){p[i], i};
    }
    if (*count) qsort(*out, *count, sizeof **out, compare_ranked);
cleanup:
    return status;
}

scone_status adjust_holm(double *adjusted, const double *p, size_t n)
{
    scone_status status = SCONE_OK;
    ranked *order = NULL;
    size_t count;
    double most = 0.0; /* adjusted values do not fall */
    TRY(rank_values(&order, &count, p, n));
    for (size_t i = 0; i < n; i++) adjusted[i] = p[i];
    for (size_t k = 0; k < count; k++) {
        most = fmax(most, fmin(1.0, order[k].p * (double)(count - k)));
        adjusted[order[k].index] = most;
    }
cleanup:
    mem_free(order);
    return status;
}

scone_status adjust_benjamini_hochberg(double *adjusted, const double *p, size_t n)
{
    scone_status status = SCONE_OK;
    ranked *order = NULL;
    size_t count;
    double least = 1.0; /* seen from the largest down they do not rise */
    TRY(rank_values(&order, &count, p, n));
    for (size_t i = 0; i < n; i++) adjusted[i] = p[i];
    for (size_t k = count; k-- > 0;) {
        least = fmin(least, order[k].p * (double)count / (double)(k + 1));
        adjusted[order[k].index] = least;
    }
cleanup:
    mem_free(order);
    return status;
}
