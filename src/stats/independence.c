/* independence.c - conditional independence of two columns (independence.h). */
#include "stats/independence.h"

#include "linalg/cholesky.h"
#include "linalg/matrix.h"
#include "stats/f_tail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEGREE = 12,
    ROWS_PER_FUNCTION = 25, /* of Z */
    TERMS = INDEPENDENCE_FUNCTIONS * INDEPENDENCE_FUNCTIONS
};

struct independence {
    size_t rows, columns;
    bool linear;
    uint32_t given;
    size_t per_column;   /* functions of a column whose residuals are compared */
    double *sources;     /* [columns][degrees][rows]: 1, P1, ..., P12 of ranks; linear: 1, values */
    size_t degrees;      /* functions kept of a column */
    double *basis;       /* [INDEPENDENCE_MOST_BASIS][rows] */
    size_t basis_size;   /* functions of the present set */
    double *residuals;   /* [columns][per_column][rows] */
    double *gram, *beta; /* [k, k], [k, columns * per_column] */
    cholesky *factor;
};

/* ---- functions of the columns ---- */

typedef struct ranked {
    double value;
    size_t row;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* t[n]: the rank from -1 to 1, equal values share their middle rank; work[n] */
static void rank_column(double *t, const double *x, size_t n, ranked *work)
{
    for (size_t i = 0; i < n; i++) work[i] = (ranked){x[i], i};
    qsort(work, n, sizeof *work, compare_ranked);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && !(work[end].value > work[first].value);) end++;
        double middle = (double)(first + end) / (double)n - 1.0;
        for (size_t i = first; i < end; i++) t[work[i].row] = middle;
    }
}

/* P_2 .. of P_1 = t by (d + 1) P_(d+1) = (2 d + 1) t P_d - d P_(d-1), then scaled to
 * mean square 1 */
static void fill_legendre(double *functions, size_t n)
{
    const double *t = functions + n;
    for (size_t d = 1; d < MOST_DEGREE; d++) {
        const double *below = functions + (d - 1) * n, *last = functions + d * n;
        double *next = functions + (d + 1) * n;
        double s = (double)d;
        for (size_t i = 0; i < n; i++) {
            next[i] = ((2.0 * s + 1.0) * t[i] * last[i] - s * below[i]) / (s + 1.0);
        }
    }
    for (size_t d = 1; d <= MOST_DEGREE; d++) {
        double scale = sqrt(2.0 * (double)d + 1.0), *f = functions + d * n;
        for (size_t i = 0; i < n; i++) f[i] *= scale;
    }
}

/* The column less its mean over its standard deviation; 0 if it is constant. */
static void standardize(double *out, const double *x, size_t n)
{
    double mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean) / (double)n;
    double scale = squares > 0.0 ? 1.0 / sqrt(squares) : 0.0;
    for (size_t i = 0; i < n; i++) out[i] = (x[i] - mean) * scale;
}

static double *function_of(const independence *t, size_t column, size_t degree)
{
    return t->sources + (column * t->degrees + degree) * t->rows;
}

static scone_status fill_sources(independence *t, const scone_table *data)
{
    scone_status status = SCONE_OK;
    ranked *work = NULL;
    TRY_ALLOC(work, t->rows);
    for (size_t c = 0; c < t->columns; c++) {
        double *one = function_of(t, c, 0);
        for (size_t i = 0; i < t->rows; i++) one[i] = 1.0;
        if (t->linear) {
            standardize(function_of(t, c, 1), table_column(data, c), t->rows);
        } else {
            rank_column(function_of(t, c, 1), table_column(data, c), t->rows, work);
            fill_legendre(one, t->rows);
        }
    }
cleanup:
    mem_free(work);
    return status;
}

scone_status independence_alloc(independence **out, const scone_table *data, bool linear)
{
    scone_status status = SCONE_OK;
    independence *t = NULL;
    size_t cells;
    *out = NULL;
    if (data->columns > INDEPENDENCE_MOST_COLUMNS) {
        FAIL(SCONE_ERR_INPUT, "independence is tested among at most %d columns, not %zu",
             INDEPENDENCE_MOST_COLUMNS, data->columns);
    }
    TRY_ZERO(t, 1);
    t->rows = data->rows;
    t->columns = data->columns;
    t->linear = linear;
    t->per_column = linear ? 1 : INDEPENDENCE_FUNCTIONS;
    t->degrees = linear ? 2 : MOST_DEGREE + 1;
    if (!size_multiply(&cells, t->rows, INDEPENDENCE_MOST_BASIS)) {
        FAIL(SCONE_ERR_MEMORY, "%zu rows do not fit into memory", t->rows);
    }
    TRY_ALLOC(t->sources, t->rows * t->columns * t->degrees);
    TRY_ALLOC(t->basis, cells);
    TRY_ALLOC(t->residuals, t->rows * t->columns * t->per_column);
    TRY_ALLOC(t->gram, (size_t)INDEPENDENCE_MOST_BASIS * INDEPENDENCE_MOST_BASIS);
    TRY_ALLOC(t->beta, INDEPENDENCE_MOST_BASIS * t->columns * t->per_column);
    TRY(cholesky_alloc(&t->factor, INDEPENDENCE_MOST_BASIS));
    TRY(fill_sources(t, data));
    *out = t;
    t = NULL;
cleanup:
    independence_free(t);
    return status;
}

void independence_free(independence *test)
{
    if (!test) return;
    mem_free(test->sources);
    mem_free(test->basis);
    mem_free(test->residuals);
    mem_free(test->gram);
    mem_free(test->beta);
    cholesky_free(test->factor);
    mem_free(test);
}

/* ---- functions of Z ---- */

/* (m + d) over m: products of polynomials of m columns up to total degree d */
static size_t product_count(size_t m, size_t d)
{
    size_t count = 1;
    for (size_t i = 1; i <= m; i++) count = count * (d + i) / i;
    return count;
}

static size_t total_degree(const independence *t, size_t m)
{
    size_t most = t->rows / ROWS_PER_FUNCTION, d = 1;
    if (t->linear || m == 0) return 1;
    if (most > INDEPENDENCE_MOST_BASIS) most = INDEPENDENCE_MOST_BASIS;
    while (d < MOST_DEGREE && product_count(m, d + 1) <= most) d++;
    return d;
}

/* All products of polynomials of the columns up to the total degree; of the values themselves, if
 * linear. A product is made of one with a column less: `first` onwards are those. */
static void fill_basis(independence *t, const size_t *columns, size_t m)
{
    size_t n = t->rows, degree = total_degree(t, m), size = 1;
    size_t total[INDEPENDENCE_MOST_BASIS] = {0};
    for (size_t i = 0; i < n; i++) t->basis[i] = 1.0;
    for (size_t c = 0; c < m; c++) {
        size_t known = t->linear ? 1 : size;
        for (size_t k = 0; k < known; k++) {
            for (size_t d = 1; total[k] + d <= degree; d++) {
                const double *f = function_of(t, columns[c], d), *before = t->basis + k * n;
                double *out = t->basis + size * n;
                for (size_t i = 0; i < n; i++) out[i] = before[i] * f[i];
                total[size++] = total[k] + d;
            }
        }
    }
    t->basis_size = size;
}

scone_status independence_given(independence *test, uint32_t given)
{
    scone_status status = SCONE_OK;
    size_t columns[INDEPENDENCE_MOST_COLUMNS], m = 0, n = test->rows, k, sides = 0;
    test->given = given;
    for (size_t c = 0; c < test->columns; c++) {
        if (given >> c & 1) {
            columns[m++] = c;
            continue;
        }
        for (size_t f = 0; f < test->per_column; f++) {
            memcpy(test->residuals + (c * test->per_column + f) * n, function_of(test, c, f + 1),
                   n * sizeof *test->residuals);
        }
    }
    if (n < 4 * (m + 2) + 2 * TERMS) {
        FAIL(SCONE_ERR_INPUT, "%zu rows are too few for a test given %zu columns", n, m);
    }
    fill_basis(test, columns, m);
    k = test->basis_size;
    TRY(matrix_rank_update(test->gram, test->basis, k, n, true, 1.0, 0.0));
    /* columns that depend on each other share their part */
    for (size_t i = 0; i < k; i++) test->gram[i + k * i] += 1e-9 * (double)n;
    if (!cholesky_factor(test->factor, test->gram, k)) {
        FAIL_DEFECT("a Gram matrix with a ridge is not positive definite");
    }
    for (size_t c = 0; c < test->columns; c++) {
        if (given >> c & 1) continue;
        sides = test->per_column;
        double *r = test->residuals + c * sides * n;
        TRY(matrix_multiply(test->beta, test->basis, r, k, sides, n, true, false));
        cholesky_solve(test->factor, test->beta, sides);
        for (size_t f = 0; f < sides; f++) {
            for (size_t b = 0; b < k; b++) {
                double beta = test->beta[b + k * f];
                const double *x = test->basis + b * n;
                for (size_t i = 0; i < n; i++) r[f * n + i] -= beta * x[i];
            }
        }
    }
cleanup:
    return status;
}

/* ---- the tests ---- */

#define NOTHING_LEFT 1e-12 /* share of a column's variance that is rounding */

static independence_result partial_correlation(const independence *t, const double *x,
                                               const double *y)
{
    double xx = 0.0, yy = 0.0, xy = 0.0, n = (double)t->rows;
    for (size_t i = 0; i < t->rows; i++) {
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
    }
    independence_result result = {.degrees = 1.0, .rest = n - 1.0 - (double)t->basis_size};
    if (xx <= NOTHING_LEFT * n || yy <= NOTHING_LEFT * n) return result;
    double square = xy * xy / (xx * yy);
    result.statistic = result.rest * square / (1.0 - square < 1e-15 ? 1e-15 : 1.0 - square);
    return result;
}

static independence_result generalised_covariance(independence *t, const double *x, const double *y)
{
    size_t n = t->rows;
    double sums[TERMS] = {0}, squares[TERMS * TERMS] = {0}, solved[TERMS], total = 0.0;
    for (size_t i = 0; i < n; i++) {
        double g[TERMS];
        for (size_t k = 0; k < TERMS; k++) {
            g[k] = x[k / INDEPENDENCE_FUNCTIONS * n + i] * y[k % INDEPENDENCE_FUNCTIONS * n + i];
            sums[k] += g[k];
            for (size_t l = 0; l <= k; l++) squares[k + TERMS * l] += g[k] * g[l];
        }
    }
    independence_result result = {.degrees = TERMS,
                                  .rest = (double)n - TERMS - (double)t->basis_size};
    if (result.rest < 1.0) result.rest = 1.0;
    for (size_t k = 0; k < TERMS; k++) squares[k + TERMS * k] += NOTHING_LEFT * (double)n;
    if (!cholesky_factor(t->factor, squares, TERMS)) return result;
    memcpy(solved, sums, sizeof solved);
    cholesky_solve_lower(t->factor, solved);
    for (size_t k = 0; k < TERMS; k++) total += solved[k] * solved[k];
    double left = 1.0 - total / (double)n;
    result.statistic = result.rest / (double)n * total / (left < 1e-15 ? 1e-15 : left);
    return result;
}

independence_result independence_of(independence *test, size_t a, size_t b)
{
    size_t stride = test->per_column * test->rows;
    const double *x = test->residuals + a * stride, *y = test->residuals + b * stride;
    return test->linear ? partial_correlation(test, x, y) : generalised_covariance(test, x, y);
}

double independence_log_p(const independence_result *result)
{
    return f_tail_log(result->statistic / result->degrees, result->degrees, result->rest);
}
