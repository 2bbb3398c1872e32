/* movement.c - see movement.h. */
#include "stats/movement.h"

#include "base/sort.h"
#include "linalg/gram.h"
#include "linalg/matrix.h"
#include "linalg/symmetric.h"

#include <math.h>
#include <string.h>

enum { HINGES = 3, FUNCTIONS_LIMIT = 256 };

struct movement_work {
    const scone_pair *pair;
    size_t rows[2], capacity;
    double *residual[2]; /* [rows] */
    double *clipped;     /* [rows of regime 1]: residuals with parents kept within their range */
    double *sorted[2];   /* [longer] */
    double *block;       /* [longer] */
    double *sums;        /* [rows of regime 0 + 1]: of the sorted ones of regime 0 */
    double square;       /* the mean of their squares */
    uint64_t *keys;      /* [2, longer] */
    gram_work *gram;
    /* by capacity k */
    double *design[3];        /* [rows, k]; the third is regime 1 within the range */
    double *product, *cross;  /* [k, k], [k] */
    double *beta, *penalties; /* [k] */
    symmetric_work *solver;   /* k */
};

/* ---- memory ---- */

static void free_designs(movement_work *w)
{
    for (int d = 0; d < 3; d++) {
        mem_free(w->design[d]);
        w->design[d] = NULL;
    }
    mem_free(w->product);
    mem_free(w->cross);
    mem_free(w->beta);
    mem_free(w->penalties);
    symmetric_work_free(w->solver);
    w->product = w->cross = w->beta = w->penalties = NULL;
    w->solver = NULL;
    w->capacity = 0;
}

void movement_work_free(movement_work *w)
{
    if (!w) return;
    free_designs(w);
    for (int r = 0; r < 2; r++) {
        mem_free(w->residual[r]);
        mem_free(w->sorted[r]);
    }
    mem_free(w->clipped);
    mem_free(w->block);
    mem_free(w->sums);
    mem_free(w->keys);
    gram_work_free(w->gram);
    mem_free(w);
}

scone_status movement_work_alloc(movement_work **out, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    movement_work *w = NULL;
    size_t rows[2] = {pair->tables[0]->rows, pair->tables[1]->rows};
    size_t longer = rows[0] > rows[1] ? rows[0] : rows[1];
    *out = NULL;
    TRY_ZERO(w, 1);
    w->pair = pair;
    for (int r = 0; r < 2; r++) {
        w->rows[r] = rows[r];
        TRY_ALLOC(w->residual[r], w->rows[r]);
        TRY_ALLOC(w->sorted[r], longer); /* blocks of the control come into the second */
    }
    TRY_ALLOC(w->clipped, w->rows[1]);
    TRY_ALLOC(w->block, longer);
    TRY_ALLOC(w->sums, rows[0] + 1);
    TRY_ALLOC(w->keys, 2 * longer);
    TRY(gram_work_alloc(&w->gram, NULL));
    *out = w;
    return SCONE_OK;
cleanup:
    movement_work_free(w);
    return status;
}

static scone_status reserve(movement_work *w, size_t k)
{
    scone_status status = SCONE_OK;
    size_t cells;
    if (k <= w->capacity) return SCONE_OK;
    free_designs(w);
    for (int d = 0; d < 3; d++) {
        if (!size_multiply(&cells, w->rows[d > 0], k)) FAIL(SCONE_ERR_MEMORY, "out of memory");
        TRY_ALLOC(w->design[d], cells);
    }
    TRY_ALLOC(w->product, k * k); /* k is at most FUNCTIONS_LIMIT */
    TRY_ALLOC(w->cross, k);
    TRY_ALLOC(w->beta, k);
    TRY_ALLOC(w->penalties, k);
    TRY(symmetric_work_alloc(&w->solver, k));
    w->capacity = k;
cleanup:
    return status;
}

/* ---- the control's mechanism ---- */

typedef struct column_scale {
    double center, deviation, low, high;
} column_scale;

/* (x - center) / deviation, of a size whose square is finite. */
static double standardized(double x, const column_scale *s)
{
    return s->deviation > 0.0 ? fmin(fmax((x - s->center) / s->deviation, -1e100), 1e100) : 0.0;
}

/* Mean, deviation and range of n values; those of a constant column have deviation 0 exactly. */
static column_scale scale_of(const double *x, size_t n)
{
    column_scale s = {.low = x[0], .high = x[0]};
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        s.low = fmin(s.low, x[i]);
        s.high = fmax(s.high, x[i]);
        s.center += (x[i] - x[0]) / (double)n;
    }
    s.center += x[0];
    if (!(s.low < s.high)) return s;
    double unit = s.high - s.low; /* so that squares neither overflow nor vanish */
    for (size_t i = 0; i < n; i++) {
        double z = (x[i] - s.center) / unit;
        sum += z * z;
    }
    s.deviation = unit * sqrt(sum / (double)n);
    return s;
}

/* Functions of a parent: hinges and a line, a line, or none. */
static size_t functions_of(size_t parents, size_t rows)
{
    size_t curved = 1 + (HINGES + 1) * parents, straight = 1 + parents;
    if (curved <= FUNCTIONS_LIMIT && curved * MOVEMENT_ROWS_HINGES <= rows) return HINGES + 1;
    return straight <= FUNCTIONS_LIMIT && straight * MOVEMENT_ROWS_LINES <= rows ? 1 : 0;
}

/* The columns of one parent from `first` on, in all three designs. */
static void add_parent(movement_work *w, size_t parent, size_t first, size_t size)
{
    const double *control = table_column(w->pair->tables[0], parent);
    column_scale s = scale_of(control, w->rows[0]);
    double knots[HINGES] = {0};
    if (size > 1) {
        sort_doubles(w->sorted[0], control, w->rows[0], w->keys);
        for (size_t h = 0; h < HINGES; h++) {
            double knot = w->sorted[0][w->rows[0] * (h + 1) / (HINGES + 1)];
            knots[h] = standardized(knot, &s);
        }
    }
    for (int d = 0; d < 3; d++) {
        size_t rows = w->rows[d > 0];
        const double *x = table_column(w->pair->tables[d > 0], parent);
        for (size_t i = 0; i < rows; i++) {
            double value = d == 2 ? fmin(fmax(x[i], s.low), s.high) : x[i];
            double z = standardized(value, &s);
            w->design[d][i + first * rows] = z;
            for (size_t f = 1; f < size; f++) {
                w->design[d][i + (first + f) * rows] = fmax(0.0, z - knots[f - 1]);
            }
        }
    }
}

/* Subtracts the predictions from the residuals, which hold y in units of the control. */
static scone_status subtract_fit(movement_work *w, size_t k)
{
    scone_status status = SCONE_OK;
    double *const out[] = {w->residual[0], w->residual[1], w->clipped};
    for (int d = 0; d < 3; d++) {
        size_t rows = w->rows[d > 0];
        TRY(matrix_vector(w->block, w->design[d], w->beta, rows, k, false));
        for (size_t i = 0; i < rows; i++) out[d][i] -= w->block[i];
    }
    for (size_t i = 0; i < w->rows[1]; i++) {
        double on = w->residual[1][i], off = w->clipped[i];
        bool between = (on < 0.0) != (off < 0.0);
        w->residual[1][i] = between ? 0.0 : fabs(on) < fabs(off) ? on : off;
    }
cleanup:
    return status;
}

/* The residuals of both regimes given the parents; a small penalty keeps collinear parents apart.
 * Residuals hold y in standard deviations of the control. */
static scone_status explain(movement_work *w, const size_t *parents, size_t count)
{
    scone_status status = SCONE_OK;
    size_t size = functions_of(count, w->rows[0]), k = 1 + size * count;
    if (size == 0 || count == 0) return SCONE_OK;
    TRY(reserve(w, k));
    for (int d = 0; d < 3; d++) {
        for (size_t i = 0; i < w->rows[d > 0]; i++) w->design[d][i] = 1.0;
    }
    for (size_t p = 0; p < count; p++) add_parent(w, parents[p], 1 + p * size, size);
    matrix_view x = {w->design[0], w->rows[0], k, NULL};
    matrix_view y = {w->residual[0], w->rows[0], 1, NULL};
    TRY(gram_matrix(w->product, &x, NULL, w->gram));
    TRY(gram_cross(w->cross, &x, &y, NULL, w->gram));
    for (size_t f = 0; f < k; f++) w->penalties[f] = f ? 1e-3 : 0.0;
    TRY(ridge_solve(w->beta, w->product, w->cross, w->penalties, k, 1, w->solver));
    TRY(subtract_fit(w, k));
cleanup:
    return status;
}

/* ---- distances ---- */

/* d^2 of two sorted lists: the pieces on which both quantile functions are constant. */
static double distance_squared(const double *a, size_t n, const double *b, size_t m)
{
    double sum = 0.0, at = 0.0;
    for (size_t i = 0, j = 0; i < n && j < m;) {
        double next_a = (double)(i + 1) / (double)n, next_b = (double)(j + 1) / (double)m;
        double next = fmin(next_a, next_b), apart = a[i] - b[j];
        sum += (next - at) * apart * apart;
        at = next;
        i += next_a <= next_b;
        j += next_b <= next_a;
    }
    return sum;
}

static double size_of(double squared, double variance, size_t rows)
{
    double n = (double)rows, scale = (n * variance + squared) / (n + 1.0);
    return scale > 0.0 ? sqrt(squared / scale) : 0.0;
}

double movement_of_constant(size_t rows)
{
    return sqrt((double)rows + 1.0);
}

static double variance_of(const double *x, size_t n)
{
    double deviation = scale_of(x, n).deviation;
    return deviation * deviation;
}

/* The size of what the residuals at hand say; sorts both. */
static double size_at_hand(movement_work *w)
{
    for (int r = 0; r < 2; r++) sort_doubles(w->sorted[r], w->residual[r], w->rows[r], w->keys);
    double squared = distance_squared(w->sorted[0], w->rows[0], w->sorted[1], w->rows[1]);
    return size_of(squared, variance_of(w->residual[0], w->rows[0]), w->rows[0]);
}

/* sums[i] = a[0] + ... + a[i - 1]; returns the mean square. */
static double sum_up(double *sums, const double *a, size_t n)
{
    double squares = 0.0;
    sums[0] = 0.0;
    for (size_t i = 0; i < n; i++) {
        sums[i + 1] = sums[i] + a[i];
        squares += a[i] * a[i];
    }
    return squares / (double)n;
}

/* d^2 of two sorted lists, of which the longer comes with its sums and its mean square: what is
 * left of the square is the integral of one quantile function times the other, whose pieces are
 * those of the shorter list. O(m) instead of O(n + m). */
static double distance_to_sums(const double *a, const double *sums, size_t n, double square,
                               const double *b, size_t m)
{
    double both = 0.0, squares = 0.0, before = 0.0;
    for (size_t j = 0; j < m; j++) {
        size_t whole = (j + 1) * n / m, rest = (j + 1) * n % m;
        double up_to = sums[whole];
        if (rest > 0) up_to += (double)rest / (double)m * a[whole];
        both += b[j] * (up_to - before);
        squares += b[j] * b[j];
        before = up_to;
    }
    return fmax(0.0, square + squares / (double)m - 2.0 * both / (double)n);
}

/* Mean d^2 between blocks of `rows` rows of the control, `step` apart, and all of it, whose sums
 * and mean square are at hand. */
static double mean_of_blocks(movement_work *w, size_t rows, size_t step)
{
    size_t starts = w->rows[0] - (rows - 1) * step, count = step > 1 ? step : w->rows[0] / rows;
    double sum = 0.0;
    if (count > MOVEMENT_BLOCKS) count = MOVEMENT_BLOCKS;
    for (size_t b = 0; b < count; b++) {
        size_t start = count > 1 ? b * (starts - 1) / (count - 1) : 0;
        for (size_t i = 0; i < rows; i++) w->block[i] = w->residual[0][start + i * step];
        sort_doubles(w->sorted[1], w->block, rows, w->keys);
        sum += distance_to_sums(w->sorted[0], w->sums, w->rows[0], w->square, w->sorted[1], rows);
    }
    return sum / (double)count;
}

/* From the residuals at hand, those of the control sorted; overwrites the sorted ones of regime 1.
 */
static void find_natural(movement *out, movement_work *w)
{
    size_t quarter = w->rows[0] / 4, rows = w->rows[1] < quarter ? w->rows[1] : quarter;
    double n0 = (double)w->rows[0], n1 = (double)w->rows[1], b = (double)rows;
    double variance = variance_of(w->residual[0], w->rows[0]);
    out->natural = (double)NAN;
    out->dependence = 1.0;
    if (w->rows[0] < MOVEMENT_ROWS_LEAST) return;
    out->natural = 0.0;
    if (!(variance > 0.0)) return;
    w->square = sum_up(w->sums, w->sorted[0], w->rows[0]);
    double near = mean_of_blocks(w, rows, 1), spread = mean_of_blocks(w, rows, w->rows[0] / rows);
    double noise = spread * (1.0 / n1 + 1.0 / n0) / (1.0 / b - 1.0 / n0);
    out->natural = 2.0 * sqrt((fmax(0.0, near - spread) + noise) / variance);
    size_t root = (size_t)sqrt(n0);
    double even = mean_of_blocks(w, root, w->rows[0] / root);
    if (even > 0.0) out->dependence = mean_of_blocks(w, root, 1) / even;
}

/* ---- all of it ---- */

/* y of both regimes in standard deviations of the control; false if it is constant there. */
static bool take_column(movement *out, movement_work *w, size_t y)
{
    column_scale s = scale_of(table_column(w->pair->tables[0], y), w->rows[0]);
    out->onset = w->rows[1];
    bool moved = false;
    for (int r = 0; r < 2; r++) {
        const double *x = table_column(w->pair->tables[r], y);
        for (size_t i = 0; i < w->rows[r]; i++) {
            bool beyond = x[i] < s.low || x[i] > s.high;
            if (r && beyond && !moved) {
                out->onset = i;
                moved = true;
            }
            double z = standardized(x[i], &s);
            w->residual[r][i] = z;
            if (r) w->clipped[i] = z;
        }
    }
    if (s.deviation > 0.0) return true;
    out->size = out->alone = moved ? movement_of_constant(w->rows[0]) : 0.0;
    out->natural = w->rows[0] < MOVEMENT_ROWS_LEAST ? (double)NAN : 0.0;
    out->dependence = 1.0;
    return false;
}

scone_status movement_find(movement *out, size_t y, const size_t *parents, size_t count,
                           movement_work *w)
{
    scone_status status = SCONE_OK;
    *out = (movement){0};
    if (!take_column(out, w, y)) return SCONE_OK;
    out->alone = size_at_hand(w);
    TRY(explain(w, parents, count));
    out->size = size_at_hand(w);
    find_natural(out, w);
    out->decides = w->rows[1] < MOVEMENT_ROWS_FEW || out->dependence > MOVEMENT_DEPENDENCE;
cleanup:
    return status;
}
