/* gram.c - Gram matrices in tiles (see gram.h).
 *
 * A column enters a block as ((x factor) - centre) scale. For plain Gram matrices that is x itself;
 * for covariances the centre is the mean; for correlations the factor is a power of two that brings
 * the largest value to about 1 (exact, and keeps squares in range) and the scale is one over the
 * norm of the centred column.
 */
#include "linalg/gram.h"

#include "parallel/parallel.h"
#include "linalg/blas.h"
#include "linalg/matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK_ROWS = 256,   /* two blocks of this size and a tile of results stay in the cache */
    TILE_COLUMNS = 96,  /* fixed: the partition decides the rounding, threads must not */
    STRIP_COLUMNS = 24, /* diagonal tiles with weights: skip most of the upper half */
};

typedef struct column_frame {
    double factor, centre, scale;
    double residual; /* mean of (x factor) - centre: what the rounded mean left over */
} column_frame;

struct gram_work {
    scone_context context; /* threads alone: products are too short to report progress */
    double *blocks;        /* [threads, 2, BLOCK_ROWS * TILE_COLUMNS] */
};

typedef struct gram_job {
    double *out; /* [left columns, right columns] */
    const matrix_view *left, *right;
    const column_frame *frames; /* of both sides, or NULL for values as they are */
    const double *weights;
    size_t tiles; /* of the left side */
    bool symmetric;
    gram_work *work;
} gram_job;

scone_status gram_work_alloc(gram_work **out, const scone_context *context)
{
    scone_status status = SCONE_OK;
    gram_work *work = NULL;
    *out = NULL;
    TRY_ZERO(work, 1);
    work->context.threads = context_threads(context);
    work->blocks = mem_aligned((size_t)work->context.threads,
                               2 * (size_t)BLOCK_ROWS * TILE_COLUMNS * sizeof *work->blocks);
    if (!work->blocks) TRY(SCONE_ERR_MEMORY);
    *out = work;
    return SCONE_OK;
cleanup:
    gram_work_free(work);
    return status;
}

void gram_work_free(gram_work *work)
{
    if (!work) return;
    mem_free(work->blocks);
    mem_free(work);
}

static const double *view_column(const matrix_view *x, size_t j)
{
    return x->values + x->rows * (x->order ? x->order[j] : j);
}

/* block [rows, columns] from rows first_row .. of columns first_column .. */
static void fill_block(double *block, const matrix_view *x, const column_frame *frames,
                       const double *weights, size_t first_row, size_t rows, size_t first_column,
                       size_t columns)
{
    for (size_t j = 0; j < columns; j++) {
        const double *from = view_column(x, first_column + j) + first_row;
        double *to = block + rows * j;
        if (frames) {
            column_frame frame = frames[first_column + j];
            for (size_t r = 0; r < rows; r++) {
                to[r] = (from[r] * frame.factor - frame.centre) * frame.scale;
            }
        } else {
            memcpy(to, from, rows * sizeof *to);
        }
        if (weights) {
            for (size_t r = 0; r < rows; r++) to[r] *= weights[first_row + r];
        }
    }
}

/* Adds left' right of one block of rows to the tile at `out`; of a diagonal tile the lower half. */
static void add_block(double *out, size_t stride, const double *left, const double *right,
                      size_t rows, size_t left_columns, size_t right_columns, bool diagonal)
{
    int n = blas_int(rows), ld = blas_int(stride);
    if (left == right) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, blas_int(left_columns), n, 1.0, left, n,
                    1.0, out, ld);
        return;
    }
    size_t strip = diagonal ? STRIP_COLUMNS : right_columns;
    for (size_t j = 0; j < right_columns; j += strip) {
        size_t width = right_columns - j < strip ? right_columns - j : strip;
        size_t top = diagonal ? j : 0;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(left_columns - top),
                    blas_int(width), n, 1.0, left + rows * top, n, right + rows * j, n, 1.0,
                    out + top + stride * j, ld);
    }
}

/* Item = pair of tiles; for symmetric results only those on and below the diagonal. */
static void item_tiles(size_t *left, size_t *right, const gram_job *job, size_t item)
{
    if (!job->symmetric) {
        *left = item % job->tiles;
        *right = item / job->tiles;
        return;
    }
    size_t row = 0;
    while (item > row) item -= ++row;
    *left = row;
    *right = item;
}

static scone_status gram_tile(void *argument, size_t item, int worker)
{
    const gram_job *job = argument;
    size_t a, b, rows = job->left->rows, stride = job->left->columns;
    item_tiles(&a, &b, job, item);
    size_t first_a = a * TILE_COLUMNS, first_b = b * TILE_COLUMNS;
    size_t count_a = stride - first_a, count_b = job->right->columns - first_b;
    if (count_a > TILE_COLUMNS) count_a = TILE_COLUMNS;
    if (count_b > TILE_COLUMNS) count_b = TILE_COLUMNS;

    bool diagonal = job->symmetric && a == b;
    double *left = job->work->blocks + (size_t)worker * 2 * BLOCK_ROWS * TILE_COLUMNS;
    double *right = diagonal && !job->weights ? left : left + (size_t)BLOCK_ROWS * TILE_COLUMNS;
    double *out = job->out + first_a + stride * first_b;
    for (size_t j = 0; j < count_b; j++) memset(out + stride * j, 0, count_a * sizeof *out);
    for (size_t first = 0; first < rows; first += BLOCK_ROWS) {
        size_t count = rows - first < BLOCK_ROWS ? rows - first : BLOCK_ROWS;
        fill_block(left, job->left, job->frames, NULL, first, count, first_a, count_a);
        if (right != left) {
            fill_block(right, job->right, job->frames, job->weights, first, count, first_b,
                       count_b);
        }
        add_block(out, stride, left, right, count, count_a, count_b, diagonal);
    }
    return SCONE_OK;
}

static scone_status gram_run(gram_job *job)
{
    size_t columns = job->right->columns;
    if (!blas_fits(job->left->columns) || !blas_fits(columns)) {
        return RAISE(SCONE_ERR_INPUT,
                     "a Gram matrix of %zu columns is too large; use fewer columns", columns);
    }
    if (job->left->columns == 0 || columns == 0) return SCONE_OK;
    blas_prepare();
    job->tiles = (job->left->columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    size_t right_tiles = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    size_t items = job->symmetric ? job->tiles * (job->tiles + 1) / 2 : job->tiles * right_tiles;
    return parallel_for(items, &job->work->context, NULL, gram_tile, job);
}

scone_status gram_matrix(double *gram, const matrix_view *x, const double *weights, gram_work *work)
{
    gram_job job = {
        .out = gram, .left = x, .right = x, .weights = weights, .symmetric = true, .work = work};
    scone_status status = gram_run(&job);
    if (status == SCONE_OK) matrix_mirror(gram, x->columns);
    return status;
}

scone_status gram_cross(double *cross, const matrix_view *x, const matrix_view *y,
                        const double *weights, gram_work *work)
{
    gram_job job = {.out = cross, .left = x, .right = y, .weights = weights, .work = work};
    return gram_run(&job);
}

/* ---- means and norms of single columns ---- */

typedef struct frame_job {
    column_frame *frames;
    const matrix_view *x;
    bool standardize;
} frame_job;

/* Partial sums of fixed length keep the rounding error near that of one block. */
static double sum_centred(const double *x, size_t n, double factor, double centre, bool squares)
{
    double total = 0.0;
    for (size_t first = 0; first < n; first += BLOCK_ROWS) {
        size_t end = n - first < BLOCK_ROWS ? n : first + BLOCK_ROWS;
        double sum = 0.0;
        for (size_t r = first; r < end; r++) {
            double d = x[r] * factor - centre;
            sum += squares ? d * d : d;
        }
        total += sum;
    }
    return total;
}

static scone_status frame_column(void *argument, size_t j, int worker)
{
    (void)worker;
    const frame_job *job = argument;
    const double *x = view_column(job->x, j);
    size_t n = job->x->rows;
    column_frame *frame = &job->frames[j];
    *frame = (column_frame){.factor = 1.0, .scale = 1.0};
    if (n == 0) return SCONE_OK;

    double largest = 0.0;
    bool constant = true; /* exactly, or rounding of the mean would pass for variation */
    for (size_t r = 0; r < n; r++) {
        largest = fabs(x[r]) > largest ? fabs(x[r]) : largest;
        constant = constant && x[r] == x[0]; /* not so for NaN, which then shows in the mean */
    }
    if (job->standardize && largest > 0.0 && largest <= DBL_MAX) {
        /* A power of two up to 2^1023 is a double; subnormal columns end below 1, no harm. */
        int exponent = ilogb(largest);
        frame->factor = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    }
    frame->centre = x[0] * frame->factor;
    if (constant) {
        frame->scale = job->standardize ? 0.0 : 1.0;
        return SCONE_OK;
    }
    frame->centre = sum_centred(x, n, frame->factor, 0.0, false) / (double)n;
    frame->centre += sum_centred(x, n, frame->factor, frame->centre, false) / (double)n;
    frame->residual = sum_centred(x, n, frame->factor, frame->centre, false) / (double)n;
    if (job->standardize) {
        double squares = sum_centred(x, n, frame->factor, frame->centre, true) -
                         (double)n * frame->residual * frame->residual;
        frame->scale = 1.0 / sqrt(squares);
    }
    return SCONE_OK;
}

/* out = sum of products in these frames, less n times the product of the left-over means */
static scone_status centred_gram(double *out, const column_frame *frames, const matrix_view *x,
                                 gram_work *work)
{
    gram_job job = {
        .out = out, .left = x, .right = x, .frames = frames, .symmetric = true, .work = work};
    scone_status status = gram_run(&job);
    if (status != SCONE_OK) return status;
    size_t k = x->columns;
    for (size_t j = 0; j < k; j++) {
        double right = (double)x->rows * frames[j].residual * frames[j].scale;
        for (size_t i = j; i < k; i++) {
            out[i + k * j] -= frames[i].residual * frames[i].scale * right;
        }
    }
    return SCONE_OK;
}

scone_status covariance_matrix(double *covariance, double *means, const matrix_view *x,
                               double divisor, gram_work *work)
{
    scone_status status = SCONE_OK;
    column_frame *frames = NULL;
    size_t k = x->columns;
    TRY_ALLOC(frames, k);
    frame_job job = {frames, x, false};
    TRY(parallel_for(k, &work->context, NULL, frame_column, &job));
    TRY(centred_gram(covariance, frames, x, work));
    for (size_t j = 0; j < k; j++) {
        means[j] = frames[j].centre + frames[j].residual;
        for (size_t i = j; i < k; i++) covariance[i + k * j] /= divisor;
    }
    matrix_mirror(covariance, k);
cleanup:
    mem_free(frames);
    return status;
}

scone_status correlation_matrix(double *correlation, double *means, double *deviations,
                                const matrix_view *x, gram_work *work)
{
    scone_status status = SCONE_OK;
    column_frame *frames = NULL;
    size_t k = x->columns;
    TRY_ALLOC(frames, k);
    frame_job job = {frames, x, true};
    TRY(parallel_for(k, &work->context, NULL, frame_column, &job));
    for (size_t j = 0; j < k; j++) {
        if (!isfinite(frames[j].centre) || !isfinite(frames[j].scale)) {
            FAIL(SCONE_ERR_INPUT,
                 "column %zu holds a value that is not finite; remove its rows first", j + 1);
        }
    }
    TRY(centred_gram(correlation, frames, x, work));
    for (size_t j = 0; j < k; j++) {
        column_frame f = frames[j];
        if (means) means[j] = (f.centre + f.residual) / f.factor;
        if (deviations) {
            deviations[j] =
                f.scale > 0.0 ? 1.0 / (f.scale * sqrt((double)x->rows)) / f.factor : 0.0;
        }
        correlation[j + k * j] = 1.0;
        for (size_t i = j + 1; i < k; i++) {
            correlation[i + k * j] = fmax(-1.0, fmin(1.0, correlation[i + k * j]));
        }
    }
    matrix_mirror(correlation, k);
cleanup:
    mem_free(frames);
    return status;
}
