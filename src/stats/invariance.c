/* invariance.c - what all invariance tests of a run share (see invariance.h): a sample of the rows,
 * every column standardized, ranked and with its knots. O(N n). */
#include "stats/invariance_parts.h"

#include "base/rng.h"
#include "linalg/blas.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct column_key {
    uint64_t hash;
    size_t column;
} column_key;

static int compare_keys(const void *a, const void *b)
{
    const column_key *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static double quantile(const double *sorted, size_t n, double place)
{
    return sorted[(size_t)(place * (double)(n - 1))];
}

/* Half the width of a column in units in which it is near 1 for a normal one; 0 if constant. Most
 * of a column may be one value: then its tails decide. */
static double half_scale(const double *sorted, size_t n)
{
    static const double tail[3] = {0.05, 0.005, 0.0}, normal[3] = {1.6449, 2.5758, 4.0};
    for (int k = 0; k < 3; k++) {
        double half = 0.5 * quantile(sorted, n, 1.0 - tail[k]) - 0.5 * quantile(sorted, n, tail[k]);
        if (half > 0.0) return half / normal[k];
    }
    return 0.0;
}

/* Standardizes by quantiles: a heavy tail must not decide how the rest is seen. */
static void standardize(double *value, const double *sorted, size_t n, double scale)
{
    double middle = 0.5 * quantile(sorted, n, 0.5);
    for (size_t i = 0; i < n; i++) {
        double z = 0.5 * ((0.5 * value[i] - middle) / (0.5 * scale));
        value[i] = fmin(fmax(z, -INVARIANCE_CUT), INVARIANCE_CUT);
    }
}

/* 2 F - 1 in the middle of a group of equal values; `sorted` holds the values ascending. */
static void rank_values(double *rank, const double *value, const double *sorted, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = n; /* first not below, first above */
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (sorted[middle] < value[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        size_t end = low + 1;
        if (end < n && sorted[end] == value[i]) {
            size_t top = n;
            while (end < top) {
                size_t middle = end + (top - end) / 2;
                if (sorted[middle] <= value[i]) {
                    end = middle + 1;
                } else {
                    top = middle;
                }
            }
        }
        rank[i] = (double)(low + end) / (double)n - 1.0;
    }
}

static void choose_knots(invariance *t, size_t place, const double *sorted)
{
    double *knots = t->knots + place * INVARIANCE_KNOTS;
    size_t count = 0;
    for (size_t k = 0; k < INVARIANCE_KNOTS; k++) {
        double share = (double)k / (INVARIANCE_KNOTS - 1), end = 0.01;
        double knot = quantile(sorted, t->n, fmin(fmax(share, end), 1.0 - end));
        if (count == 0 || knot > knots[count - 1] + 1e-9) knots[count++] = knot;
    }
    t->knot_count[place] = count;
}

/* Standardized values, ranks and knots of the column whose plain values stand at `place`. */
static void prepare_column(invariance *t, size_t place, double *sorted, uint64_t *keys)
{
    double *value = t->values + place * t->n, *rank = t->ranks + place * t->n;
    sort_doubles(sorted, value, t->n, keys);
    double scale = half_scale(sorted, t->n);
    t->constant[place] = !(scale > 0.0);
    if (t->constant[place]) {
        memset(value, 0, t->n * sizeof *value);
        memset(rank, 0, t->n * sizeof *rank);
        return;
    }
    rank_values(rank, value, sorted, t->n);
    standardize(value, sorted, t->n, scale);
    sort_doubles(sorted, value, t->n, keys);
    choose_knots(t, place, sorted);
}

/* chosen [rows[0] + rows[1]]: rows of each table. */
static scone_status choose_rows(size_t *chosen, const invariance *t, const scone_pair *pair,
                                uint64_t seed)
{
    scone_status status = SCONE_OK;
    size_t *order = NULL;
    for (size_t c = 0; c < 2; c++) {
        size_t all = pair->tables[c]->rows, *out = chosen + (c ? t->rows[0] : 0);
        for (size_t i = 0; i < t->rows[c] && t->rows[c] == all; i++) out[i] = i;
        if (t->rows[c] == all) continue;
        TRY_ALLOC(order, all);
        rng r = rng_stream(seed, RNG_INVARIANCE, c, 0, 0);
        rng_permutation(&r, order, all);
        memcpy(out, order, t->rows[c] * sizeof *out);
        mem_free(order);
        order = NULL;
    }
cleanup:
    mem_free(order);
    return status;
}

static void gather(double *out, const invariance *t, const scone_pair *pair, size_t column,
                   const size_t *chosen)
{
    for (size_t i = 0; i < t->n; i++) {
        out[i] = table_column(pair->tables[i >= t->rows[0]], column)[chosen[i]];
    }
}

static scone_status fill(invariance *t, const scone_pair *pair, uint64_t seed)
{
    scone_status status = SCONE_OK;
    size_t *chosen = NULL;
    double *sorted = NULL;
    uint64_t *keys = NULL;
    column_key *order = NULL;
    TRY_ALLOC(chosen, t->n);
    TRY_ALLOC(sorted, t->n);
    TRY_ALLOC(keys, 2 * t->n);
    TRY_ALLOC(order, t->columns);
    TRY(choose_rows(chosen, t, pair, seed));
    for (size_t j = 0; j < t->columns; j++) {
        gather(sorted, t, pair, j, chosen);
        for (size_t i = 0; i < t->n; i++) {
            sorted[i] += 0.0; /* -0 and +0 are one value */
            if (!isfinite(sorted[i])) {
                FAIL(SCONE_ERR_INPUT, "column '%s' has a missing or infinite value; remove its row",
                     pair->tables[0]->names[j]);
            }
        }
        order[j] = (column_key){XXH3_64bits(sorted, t->n * sizeof *sorted), j};
    }
    qsort(order, t->columns, sizeof *order, compare_keys);
    for (size_t place = 0; place < t->columns; place++) {
        double *value = t->values + place * t->n;
        t->place[order[place].column] = place;
        gather(value, t, pair, order[place].column, chosen);
        for (size_t i = 0; i < t->n; i++) value[i] += 0.0;
        prepare_column(t, place, sorted, keys);
    }
cleanup:
    mem_free(chosen);
    mem_free(sorted);
    mem_free(keys);
    mem_free(order);
    return status;
}

scone_status invariance_create(invariance **out, const scone_pair *pair,
                               const invariance_options *options)
{
    scone_status status = SCONE_OK;
    invariance *t = NULL;
    size_t cells;
    *out = NULL;
    blas_prepare();
    TRY_ZERO(t, 1);
    t->columns = pair->tables[0]->columns;
    t->seed = options->seed;
    for (int c = 0; c < 2; c++) {
        t->rows[c] = pair->tables[c]->rows;
        if (options->most_rows && t->rows[c] > options->most_rows) t->rows[c] = options->most_rows;
    }
    if (!size_add(&t->n, t->rows[0], t->rows[1]) || !blas_fits(t->n) ||
        !size_multiply(&cells, t->n, t->columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory");
    }
    TRY_ALLOC(t->place, t->columns);
    TRY_ZERO(t->constant, t->columns);
    TRY_ALLOC(t->values, cells);
    TRY_ALLOC(t->ranks, cells);
    TRY_ZERO(t->knots, t->columns * INVARIANCE_KNOTS);
    TRY_ZERO(t->knot_count, t->columns);
    if (t->n) TRY(fill(t, pair, options->seed));
    *out = t;
    t = NULL;
cleanup:
    invariance_free(t);
    return status;
}

void invariance_free(invariance *t)
{
    if (!t) return;
    mem_free(t->place);
    mem_free(t->constant);
    mem_free(t->values);
    mem_free(t->ranks);
    mem_free(t->knots);
    mem_free(t->knot_count);
    mem_free(t);
}

scone_status invariance_work_create(invariance_work **out, const invariance *test)
{
    scone_status status = SCONE_OK;
    invariance_work *w = NULL;
    size_t n = test->n, cells;
    *out = NULL;
    TRY_ZERO(w, 1);
    w->given_count = SIZE_MAX;
    if (!size_multiply(&cells, n, INVARIANCE_MOST_BASIS)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(w->basis, cells); /* the largest array */
    TRY_ALLOC(w->factor, (size_t)INVARIANCE_MOST_BASIS * INVARIANCE_MOST_BASIS);
    TRY_ALLOC(w->coefficients, (size_t)INVARIANCE_MOST_BASIS * INVARIANCE_MOST_TERMS);
    TRY_ALLOC(w->logit, n);
    TRY_ALLOC(w->root, n);
    TRY_ALLOC(w->pull, n);
    TRY_ALLOC(w->unused, n);
    TRY_ALLOC(w->weights, n * INVARIANCE_MOST_WEIGHTS);
    TRY_ALLOC(w->sides, n * INVARIANCE_SHAPES);
    TRY_ALLOC(w->terms, n * INVARIANCE_MOST_TERMS);
    *out = w;
    w = NULL;
cleanup:
    invariance_work_free(w);
    return status;
}

void invariance_work_free(invariance_work *w)
{
    if (!w) return;
    mem_free(w->basis);
    mem_free(w->factor);
    mem_free(w->coefficients);
    mem_free(w->logit);
    mem_free(w->root);
    mem_free(w->pull);
    mem_free(w->unused);
    mem_free(w->weights);
    mem_free(w->sides);
    mem_free(w->terms);
    mem_free(w);
}
