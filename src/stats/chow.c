/* chow.c - the test of chow.h. */
#include "stats/chow.h"

#include "stats/standardize.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "linalg/matrix.h"
#include "stats/f_tail.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HINGES = 4 };

struct chow_work {
    const scone_pair *pair;
    size_t rows[2], capacity;        /* capacity: basis functions that the arrays have room for */
    double *pooled, *sorted;         /* [rows of both], for quantiles */
    uint64_t *keys;                  /* [2, rows of both] */
    double *response[2], *fitted[2]; /* [rows] */
    double *weights;                 /* [rows of the longer] */
    gram_work *gram;
    /* by capacity k */
    double *design[2];                         /* [rows, k] */
    double *product;                           /* [rows of the longer, k] */
    double *grams[2], *cross[2], *meats[2];    /* [k, k], [k], [k, k] */
    double *joint, *inverse, *sandwich, *half; /* [2k, 2k] */
    double *coefficients, *column;             /* [2k] */
    size_t *selected;                          /* [2k] */
    cholesky *factor;                          /* 2k */
};

/* ---- memory ---- */

static void free_designs(chow_work *w)
{
    for (int r = 0; r < 2; r++) {
        mem_free(w->design[r]);
        mem_free(w->grams[r]);
        mem_free(w->cross[r]);
        mem_free(w->meats[r]);
        w->design[r] = w->grams[r] = w->cross[r] = w->meats[r] = NULL;
    }
    mem_free(w->product);
    mem_free(w->joint);
    mem_free(w->inverse);
    mem_free(w->sandwich);
    mem_free(w->half);
    mem_free(w->coefficients);
    mem_free(w->column);
    mem_free(w->selected);
    cholesky_free(w->factor);
    w->product = w->joint = w->inverse = w->sandwich = w->half = NULL;
    w->coefficients = w->column = NULL;
    w->selected = NULL;
    w->factor = NULL;
    w->capacity = 0;
}

void chow_work_free(chow_work *w)
{
    if (!w) return;
    free_designs(w);
    for (int r = 0; r < 2; r++) {
        mem_free(w->response[r]);
        mem_free(w->fitted[r]);
    }
    mem_free(w->pooled);
    mem_free(w->sorted);
    mem_free(w->keys);
    mem_free(w->weights);
    gram_work_free(w->gram);
    mem_free(w);
}

scone_status chow_work_alloc(chow_work **out, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    chow_work *w = NULL;
    *out = NULL;
    TRY_ZERO(w, 1);
    w->pair = pair;
    for (int r = 0; r < 2; r++) {
        w->rows[r] = pair->tables[r]->rows;
        TRY_ALLOC(w->response[r], w->rows[r]);
        TRY_ALLOC(w->fitted[r], w->rows[r]);
    }
    TRY_ALLOC(w->pooled, w->rows[0] + w->rows[1]);
    TRY_ALLOC(w->sorted, w->rows[0] + w->rows[1]);
    TRY_ALLOC(w->keys, 2 * (w->rows[0] + w->rows[1]));
    TRY_ALLOC(w->weights, w->rows[0] > w->rows[1] ? w->rows[0] : w->rows[1]);
    TRY(gram_work_alloc(&w->gram, NULL));
    *out = w;
    return SCONE_OK;
cleanup:
    chow_work_free(w);
    return status;
}

/* Room for k basis functions. */
static scone_status reserve(chow_work *w, size_t k)
{
    scone_status status = SCONE_OK;
    size_t cells[2], longer = w->rows[0] > w->rows[1] ? w->rows[0] : w->rows[1], both;
    if (k <= w->capacity) return SCONE_OK;
    free_designs(w);
    for (int r = 0; r < 2; r++) {
        if (!size_multiply(&cells[r], w->rows[r], k)) FAIL(SCONE_ERR_MEMORY, "out of memory");
        TRY_ALLOC(w->design[r], cells[r]);
        TRY_ALLOC(w->grams[r], k * k);
        TRY_ALLOC(w->cross[r], k);
        TRY_ALLOC(w->meats[r], k * k);
    }
    both = 4 * k * k; /* k is at most CHOW_COLUMN_LIMIT */
    TRY_ALLOC(w->product, longer * k);
    TRY_ALLOC(w->joint, both);
    TRY_ALLOC(w->inverse, both);
    TRY_ALLOC(w->sandwich, both);
    TRY_ALLOC(w->half, both);
    TRY_ALLOC(w->coefficients, 2 * k);
    TRY_ALLOC(w->column, 2 * k);
    TRY_ALLOC(w->selected, 2 * k);
    TRY(cholesky_alloc(&w->factor, 2 * k));
    w->capacity = k;
cleanup:
    return status;
}

/* ---- the basis ---- */

static void find_quantiles(double quantiles[HINGES], chow_work *w, double *const z[2])
{
    size_t total = w->rows[0] + w->rows[1];
    memcpy(w->pooled, z[0], w->rows[0] * sizeof *w->pooled);
    memcpy(w->pooled + w->rows[0], z[1], w->rows[1] * sizeof *w->pooled);
    sort_doubles(w->sorted, w->pooled, total, w->keys);
    for (size_t h = 0; h < HINGES; h++) quantiles[h] = w->sorted[total * (h + 1) / (HINGES + 1)];
}

/* Functions of one parent that this many rows in each regime allow: 6, 2, 1, or 0 if it cannot be
 * tested. */
static size_t basis_size(size_t parents, size_t rows)
{
    static const size_t sizes[] = {HINGES + 2, 2};
    static const size_t needed[] = {CHOW_ROWS_HINGES, CHOW_ROWS_SQUARES};
    for (size_t s = 0; s < 2; s++) {
        size_t k = 1 + sizes[s] * parents;
        if (k <= CHOW_CURVED_LIMIT && k * needed[s] <= rows) return sizes[s];
    }
    return parents < CHOW_COLUMN_LIMIT && 2 * (1 + parents) <= rows ? 1 : 0;
}

/* Fills the columns of one parent, from `first` on. */
static void add_parent(chow_work *w, size_t parent, size_t first, size_t size)
{
    double quantiles[HINGES] = {0};
    double *z[2] = {w->design[0] + first * w->rows[0], w->design[1] + first * w->rows[1]};
    standardize_column(z, w->pair, parent);
    if (size > 2) find_quantiles(quantiles, w, z);
    for (int r = 0; r < 2; r++) {
        size_t rows = w->rows[r];
        for (size_t f = 1; f < size; f++) {
            double *out = z[r] + f * rows, knot = f == 1 ? 0.0 : quantiles[f - 2];
            for (size_t i = 0; i < rows; i++) {
                double cut = z[r][i] > 4.0 ? 4.0 : z[r][i] < -4.0 ? -4.0 : z[r][i];
                double from = f == 1 || cut > knot ? cut - knot : 0.0;
                out[i] = from * from;
            }
        }
    }
}

/* ---- the joint regression ---- */

/* out [2k, 2k] = ((a + b, b), (b, b)), from k x k matrices of the regimes. */
static void join_blocks(double *out, const double *a, const double *b, size_t k)
{
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < k; i++) {
            double first = a[i + k * j], second = b[i + k * j];
            out[i + 2 * k * j] = first + second;
            out[i + k + 2 * k * j] = second;
            out[i + 2 * k * (j + k)] = second;
            out[i + k + 2 * k * (j + k)] = second;
        }
    }
}

/* Appends the columns from `first` to `last` of a symmetric matrix [side, side] to the factor, as
 * far as they do not depend on those before; returns how many are selected. */
static size_t select_columns(chow_work *w, const double *matrix, size_t side, size_t first,
                             size_t last)
{
    size_t count = 0;
    w->factor->size = 0;
    for (size_t j = first; j < last; j++) {
        double diagonal = matrix[j + side * j];
        for (size_t s = 0; s < count; s++) w->column[s] = matrix[w->selected[s] + side * j];
        w->column[count] = diagonal;
        if (!(diagonal > 0.0) || !cholesky_append(w->factor, w->column)) continue;
        double pivot = w->factor->factor[count + w->factor->capacity * count];
        if (pivot * pivot > 1e-9 * diagonal) {
            w->selected[count++] = j;
        } else {
            cholesky_remove(w->factor, count);
        }
    }
    return count;
}

/* inverse [2k, 2k] of the selected part, 0 elsewhere. */
static void invert_selected(chow_work *w, size_t side, size_t count)
{
    cholesky_inverse(w->factor, w->half);
    memset(w->inverse, 0, side * side * sizeof *w->inverse);
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < count; i++) {
            w->inverse[w->selected[i] + side * w->selected[j]] = w->half[i + count * j];
        }
    }
}

/* weights = (residual / (1 - leverage))^2 of one regime, whose rows have the k x k inverse
 * `part`; residuals, of even spread, take the place of the fitted values. */
static scone_status weigh_residuals(chow_work *w, int r, const double *part, size_t k)
{
    scone_status status = SCONE_OK;
    size_t rows = w->rows[r];
    TRY(matrix_multiply(w->product, w->design[r], part, rows, k, k, false, false));
    memset(w->weights, 0, rows * sizeof *w->weights);
    for (size_t j = 0; j < k; j++) {
        const double *x = w->design[r] + j * rows, *t = w->product + j * rows;
        for (size_t i = 0; i < rows; i++) w->weights[i] += x[i] * t[i];
    }
    for (size_t i = 0; i < rows; i++) {
        double residual = w->response[r][i] - w->fitted[r][i];
        double rest = fmax(1e-4, 1.0 - w->weights[i]);
        w->fitted[r][i] = residual / sqrt(rest); /* a fit shrinks residuals by this */
        /* Columns are standardized: 1e-16 is a residual of rounding. */
        w->weights[i] = (residual * residual + 1e-16) / (rest * rest);
    }
cleanup:
    return status;
}

/* Coefficients, residuals and meat of both regimes for the response at hand. */
static scone_status fit_regimes(chow_work *w, size_t k)
{
    scone_status status = SCONE_OK;
    size_t side = 2 * k;
    for (int r = 0; r < 2; r++) {
        matrix_view x = {w->design[r], w->rows[r], k, NULL},
                    y = {w->response[r], w->rows[r], 1, NULL};
        TRY(gram_cross(w->cross[r], &x, &y, NULL, w->gram));
    }
    for (size_t i = 0; i < k; i++) {
        w->column[i] = w->cross[0][i] + w->cross[1][i];
        w->column[i + k] = w->cross[1][i];
    }
    TRY(matrix_vector(w->coefficients, w->inverse, w->column, side, side, false));
    for (int r = 0; r < 2; r++) {
        /* Rows of regime 1 are (b, b): coefficients beta + delta, inverse summed
         * over the blocks. */
        for (size_t j = 0; j < k; j++) {
            w->column[j] = w->coefficients[j] + (r ? w->coefficients[j + k] : 0.0);
            for (size_t i = 0; i < k; i++) {
                const double *b = w->inverse + i + side * j;
                w->half[i + k * j] = r ? b[0] + b[k] + b[side * k] + b[k + side * k] : b[0];
            }
        }
        TRY(matrix_vector(w->fitted[r], w->design[r], w->column, w->rows[r], k, false));
        TRY(weigh_residuals(w, r, w->half, k));
        matrix_view x = {w->design[r], w->rows[r], k, NULL};
        TRY(gram_matrix(w->meats[r], &x, w->weights, w->gram));
    }
cleanup:
    return status;
}

/* log P of the Wald test that all delta are 0. The covariance is itself an estimate from no more
 * than `fewer` - k free rows, which Hotelling's T^2 takes into account. */
static scone_status wald_test(double *log_p, chow_work *w, size_t k, size_t fewer)
{
    scone_status status = SCONE_OK;
    size_t side = 2 * k;
    TRY(fit_regimes(w, k));
    join_blocks(w->joint, w->meats[0], w->meats[1], k);
    TRY(matrix_multiply(w->half, w->inverse, w->joint, side, side, side, false, false));
    TRY(matrix_multiply(w->sandwich, w->half, w->inverse, side, side, side, false, false));
    size_t count = select_columns(w, w->sandwich, side, k, side);
    double q = (double)count, freedom = (double)fewer - (double)k, wald = 0.0;
    *log_p = 0.0;
    if (count == 0 || !(freedom - q + 1.0 >= 1.0)) goto cleanup;
    for (size_t s = 0; s < count; s++) w->column[s] = w->coefficients[w->selected[s]];
    cholesky_solve_lower(w->factor, w->column);
    for (size_t s = 0; s < count; s++) wald += w->column[s] * w->column[s];
    double rest = freedom - q + 1.0;
    *log_p = f_tail_log(wald * rest / (freedom * q), q, rest);
cleanup:
    return status;
}

/* ---- both tests ---- */

static scone_status build_design(chow_work *w, size_t y, const size_t *parents, size_t count,
                                 size_t size)
{
    scone_status status = SCONE_OK;
    size_t k = 1 + size * count;
    TRY(reserve(w, k));
    standardize_column(w->response, w->pair, y);
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < w->rows[r]; i++) w->design[r][i] = 1.0;
    }
    for (size_t p = 0; p < count; p++) add_parent(w, parents[p], 1 + p * size, size);
    for (int r = 0; r < 2; r++) {
        matrix_view x = {w->design[r], w->rows[r], k, NULL};
        TRY(gram_matrix(w->grams[r], &x, NULL, w->gram));
    }
cleanup:
    return status;
}

scone_status chow_test(double *log_p, size_t y, const size_t *parents, size_t count, chow_work *w)
{
    scone_status status = SCONE_OK;
    size_t fewer = w->rows[0] < w->rows[1] ? w->rows[0] : w->rows[1];
    size_t size = basis_size(count, fewer), k = 1 + size * count;
    double mean_log, spread_log;
    *log_p = 0.0;
    if (size == 0) return SCONE_OK;
    TRY(build_design(w, y, parents, count, size));
    join_blocks(w->joint, w->grams[0], w->grams[1], k);
    invert_selected(w, 2 * k, select_columns(w, w->joint, 2 * k, 0, 2 * k));
    TRY(wald_test(&mean_log, w, k, fewer));
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < w->rows[r]; i++) w->response[r][i] = fabs(w->fitted[r][i]);
    }
    TRY(wald_test(&spread_log, w, k, fewer));
    double smaller = fmin(mean_log, spread_log);
    *log_p = fmin(0.0, smaller + log(2.0 - exp(smaller)));
cleanup:
    return status;
}
