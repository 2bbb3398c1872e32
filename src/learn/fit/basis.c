/* basis.c - see basis.h. Cost: O(N n log n) for the quantiles, O((S N)^2 n) for the Gram matrices.
 */
#include "learn/fit/basis.h"

#include "base/rng.h"
#include "learn/fit/kernel.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Knots; every second one belongs to the basis, all to the detail. */
enum { BASIS_KNOTS = 2 * BASIS_SIZE + 1 };

static const double knot_places[BASIS_KNOTS] = {0.01, 0.05, 0.1, 0.2, 0.3,  0.4, 0.5,
                                                0.6,  0.7,  0.8, 0.9, 0.95, 0.99};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct fill_job {
    basis *b;
    const scone_pair *pair;
    const basis_options *options;
    size_t *const *order; /* [parts] the shuffle of each */
    size_t *place;        /* [total]: where each row is kept */
    size_t *part;         /* [total]: the part that it belongs to */
} fill_job;

/* value to mean 0 and mean square 1; false if it is constant */
static bool standardize(double *value, size_t n)
{
    double mean = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++) mean += value[i] - value[0]; /* a constant has exactly 0 */
    mean = value[0] + mean / (double)n;
    for (size_t i = 0; i < n; i++) square += (value[i] - mean) * (value[i] - mean);
    double sd = sqrt(square / (double)n);
    if (!(sd > 0.0)) return false; /* no absolute limit: a column may have any unit */
    for (size_t i = 0; i < n; i++) value[i] = (value[i] - mean) / sd;
    return true;
}

/* The part of `value` that the kept columns [count][n] (orthonormal with mean square 1) leave over
 * is appended to them; false if hardly anything is left. */
static bool independent(double *kept, size_t count, const double *value, size_t n)
{
    double *left = kept + count * n, square = 0.0;
    memcpy(left, value, n * sizeof *left);
    for (int pass = 0; pass < 2; pass++) { /* twice is enough (Kahan, Parlett) */
        for (size_t a = 0; a < count; a++) {
            double dot = 0.0;
            for (size_t i = 0; i < n; i++) dot += kept[a * n + i] * left[i];
            dot /= (double)n;
            for (size_t i = 0; i < n; i++) left[i] -= dot * kept[a * n + i];
        }
    }
    for (size_t i = 0; i < n; i++) square += left[i] * left[i];
    double sd = sqrt(square / (double)n);
    if (!(sd > 1e-3)) return false;
    for (size_t i = 0; i < n; i++) left[i] /= sd;
    return true;
}

static void store(const basis *b, float *out, const double *value)
{
    for (size_t c = 0; c < b->parts; value += b->rows[c++]) {
        for (size_t i = 0; i < b->rows[c]; i++) out[b->start[c] + i] = (float)value[i];
    }
}

/* The integral of a hat function over (low, middle, high), from 0 to 1. */
static double ramp(double z, double low, double middle, double high)
{
    if (z <= low) return 0.0;
    if (z >= high) return 1.0;
    if (z < middle) return (z - low) * (z - low) / ((middle - low) * (high - low));
    return 1.0 - (high - z) * (high - z) / ((high - middle) * (high - low));
}

/* The lower ends of the bins: one for each value if they are few, else of equal counts. */
static void find_edges(double edge[BASIS_BINS], basis *b, size_t node, const double *sorted)
{
    size_t n = b->total, levels = 0;
    for (size_t i = 0; i < n && levels <= BASIS_LEVELS; i++) {
        if (i > 0 && sorted[i] == sorted[i - 1]) continue;
        if (levels < BASIS_LEVELS) edge[levels] = sorted[i];
        levels++;
    }
    if (levels > 1 && levels <= BASIS_LEVELS && 10 * levels <= n) {
        b->levels[node] = levels;
        for (size_t k = levels; k < BASIS_BINS; k++) edge[k] = HUGE_VAL;
        return;
    }
    for (size_t k = 0; k < BASIS_BINS; k++) {
        edge[k] = sorted[(size_t)((double)k / BASIS_BINS * (double)(n - 1))];
    }
}

/* Bins with equal values in one bin, and the columns averaged over each. */
static void group(const fill_job *job, size_t node, const double *z, const double *sorted,
                  double *sums)
{
    basis *b = job->b;
    size_t n = b->total, counts[BASIS_BINS] = {0};
    double edge[BASIS_BINS];
    find_edges(edge, b, node, sorted);
    uint8_t *bin = b->bin + node * b->stride;
    memset(sums, 0, (size_t)BASIS_SIZE * BASIS_BINS * sizeof *sums);
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = BASIS_BINS, row = job->place[i];
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            if (z[i] >= edge[middle]) {
                low = middle;
            } else {
                high = middle;
            }
        }
        bin[row] = (uint8_t)low;
        counts[low]++;
        b->filled[job->part[i]][node * BASIS_BINS + low] += 1.0f;
        for (size_t a = 0; a < b->size[node]; a++) {
            sums[a * BASIS_BINS + low] += (double)basis_column(b, node * BASIS_SIZE + a)[row];
        }
    }
    float *centres = b->centres + node * BASIS_SIZE * BASIS_BINS;
    for (size_t i = 0; i < (size_t)BASIS_SIZE * BASIS_BINS; i++) {
        size_t count = counts[i % BASIS_BINS];
        centres[i] = count ? (float)(sums[i] / (double)count) : 0.0f;
    }
}

/* Adds a column to `size` ones at `out` unless it depends on the `count` kept ones. */
static bool keep_column(const basis *b, float *out, size_t *size, double *value, double *kept,
                        size_t count)
{
    size_t n = b->total;
    if (!standardize(value, n) || !independent(kept, count, value, n)) return false;
    store(b, out + (*size)++ * b->stride, value);
    return true;
}

/* A regime in which a variable is constant, as after a hard intervention, would have a likelihood
 * that only rounding bounds; noise far below what matters and far above rounding bounds it alike
 * for all. It depends on the bins of the rows: copies of a column get the same, and its unit does
 * not matter. */
static void blur(const basis *b, size_t node)
{
    float *z = b->values + node * BASIS_SIZE * b->stride;
    rng r = rng_stream(XXH3_64bits(b->bin + node * b->stride, b->stride), RNG_SEARCH, 3, 0, 0);
    for (size_t c = 0; c < b->parts; c++) {
        for (size_t i = 0; i < b->rows[c]; i++) z[b->start[c] + i] += 1e-4f * (float)rng_normal(&r);
    }
}

/* The columns of one node from its standardized values. */
static void fill_columns(basis *b, size_t node, const double *z, const double *sorted,
                         double *value, double *kept)
{
    size_t n = b->total, count = 0;
    float *out = b->values + node * BASIS_SIZE * b->stride;
    double knots[BASIS_KNOTS];
    for (size_t k = 0; k < BASIS_KNOTS; k++) {
        knots[k] = sorted[(size_t)(knot_places[k] * (double)(n - 1))];
    }
    memcpy(value, z, n * sizeof *z);
    count += keep_column(b, out, &b->size[node], value, kept, count);
    if (count == 0) b->size[node] = 1; /* a constant: its z is zero */
    for (int detail = 0; detail < (b->detail ? 2 : 1) && count > 0; detail++) {
        size_t reach = detail ? 1 : 2;
        if (detail) out = b->detail + node * BASIS_SIZE * b->stride;
        for (size_t k = reach; k + reach < BASIS_KNOTS; k += 2) {
            double low = knots[k - reach], high = knots[k + reach];
            if (!(low < high)) continue;
            for (size_t i = 0; i < n; i++) value[i] = ramp(z[i], low, knots[k], high);
            count += keep_column(b, out, detail ? &b->detail_size[node] : &b->size[node], value,
                                 kept, count);
        }
    }
}

/* The rows of a part in its table: the control's, or those of a condition. */
static size_t part_rows(const scone_pair *pair, const basis_options *options, size_t part)
{
    if (part == 0 || options->conditions < 2) return pair->tables[part]->rows;
    return options->condition_rows[part - 1];
}

static scone_status fill_node(void *argument, size_t node, int worker)
{
    (void)worker;
    fill_job *job = argument;
    basis *b = job->b;
    scone_status status = SCONE_OK;
    double *z = NULL, *sorted = NULL, *value = NULL, *kept = NULL;
    double sums[BASIS_SIZE * BASIS_BINS];
    size_t n = b->total;
    TRY_ALLOC(z, n);
    TRY_ALLOC(sorted, n);
    TRY_ALLOC(value, n);
    TRY_ALLOC(kept, n * (2 * BASIS_SIZE + 1));
    for (size_t c = 0, row = 0, first = 0; c < b->parts; row += b->rows[c++]) {
        const double *x = table_column(job->pair->tables[c > 0], node) + first;
        for (size_t i = 0; i < b->rows[c]; i++) z[row + i] = x[job->order[c][i]];
        if (c > 0) first += part_rows(job->pair, job->options, c);
    }
    if (!standardize(z, n)) memset(z, 0, n * sizeof *z);
    memcpy(sorted, z, n * sizeof *z);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    fill_columns(b, node, z, sorted, value, kept);
    group(job, node, z, sorted, sums);
    if (sorted[0] < sorted[n - 1]) blur(b, node);
cleanup:
    mem_free(z);
    mem_free(sorted);
    mem_free(value);
    mem_free(kept);
    return status;
}

/* Gram matrix of a part: single-precision products over blocks of rows, summed in double. */
static scone_status fill_gram(void *argument, size_t part, int worker)
{
    (void)worker;
    basis *b = ((fill_job *)argument)->b;
    scone_status status = SCONE_OK;
    float *block = NULL;
    size_t c = b->columns;
    double *gram = b->gram[part];
    TRY_ALLOC(block, c * c);
    memset(gram, 0, c * c * sizeof *gram);
    for (size_t i = 0; i < b->padded[part]; i += 2048) {
        size_t m = b->padded[part] - i < 2048 ? b->padded[part] - i : 2048;
        cblas_ssyrk(CblasColMajor, CblasLower, CblasTrans, (int)c, (int)m, 1.0f,
                    b->values + b->start[part] + i, (int)b->stride, 0.0f, block, (int)c);
        for (size_t j = 0; j < c; j++) {
            for (size_t k = j; k < c; k++) gram[j * c + k] += (double)block[j * c + k];
        }
    }
    for (size_t j = 0; j < c; j++) {
        for (size_t k = j; k < c; k++) gram[k * c + j] = gram[j * c + k];
    }
cleanup:
    mem_free(block);
    return status;
}

/* The stages 0 to 3 of RNG_SEARCH have the streams of two tables. */
static void shuffle(size_t *order, size_t n, uint64_t seed, size_t part)
{
    rng r = part < 2 ? rng_stream(seed, RNG_SEARCH, part, 0, 0)
                     : rng_stream(seed, RNG_SEARCH, 4, part, 0);
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)rng_below(&r, i), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
}

static scone_status allocate(basis *b, bool plain)
{
    scone_status status = SCONE_OK;
    size_t cells;
    if (!size_multiply(&cells, b->columns, b->stride)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    b->values = mem_aligned(cells, sizeof *b->values);
    if (!b->values) TRY(SCONE_ERR_MEMORY);
    memset(b->values, 0, cells * sizeof *b->values);
    TRY_ZERO(b->size, b->nodes);
    TRY_ZERO(b->detail_size, b->nodes);
    TRY_ZERO(b->levels, b->nodes);
    if (b->nodes <= BASIS_DETAIL_NODES && !plain) {
        b->detail = mem_aligned(cells, sizeof *b->detail);
        if (!b->detail) TRY(SCONE_ERR_MEMORY);
        memset(b->detail, 0, cells * sizeof *b->detail);
    }
    TRY_ZERO(b->bin, b->nodes * b->stride);
    TRY_ZERO(b->centres, b->nodes * BASIS_SIZE * BASIS_BINS);
    float *one = b->values + (b->columns - 1) * b->stride;
    for (size_t c = 0; c < b->parts; c++) {
        for (size_t i = 0; i < b->rows[c]; i++) one[b->start[c] + i] = 1.0f;
        TRY_ALLOC(b->gram[c], b->columns * b->columns);
        TRY_ZERO(b->filled[c], b->nodes * BASIS_BINS);
    }
cleanup:
    return status;
}

/* The sizes of the parts, and the shuffle of each. */
static scone_status divide(basis *b, size_t **order, const scone_pair *pair,
                           const basis_options *options)
{
    scone_status status = SCONE_OK;
    TRY_ZERO(b->rows, b->parts);
    TRY_ZERO(b->padded, b->parts);
    TRY_ZERO(b->start, b->parts);
    TRY_ZERO(b->gram, b->parts);
    TRY_ZERO(b->filled, b->parts);
    for (size_t c = 0; c < b->parts; c++) {
        size_t rows = part_rows(pair, options, c);
        b->rows[c] = rows;
        if (options->most_rows > 0 && rows > options->most_rows) b->rows[c] = options->most_rows;
        b->padded[c] = (b->rows[c] + KERNEL_LANES - 1) / KERNEL_LANES * KERNEL_LANES;
        b->start[c] = b->stride;
        b->stride += b->padded[c];
        b->total += b->rows[c];
        TRY_ALLOC(order[c], rows);
        shuffle(order[c], rows, options->seed, c);
    }
cleanup:
    return status;
}

static scone_status fill(basis *b, size_t *const *order, const scone_pair *pair,
                         const basis_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    fill_job job = {.b = b, .pair = pair, .options = options, .order = order};
    TRY_ALLOC(job.place, b->total);
    TRY_ALLOC(job.part, b->total);
    for (size_t c = 0, row = 0; c < b->parts; c++) {
        for (size_t i = 0; i < b->rows[c]; i++, row++) {
            job.place[row] = b->start[c] + i;
            job.part[row] = c;
        }
    }
    blas_prepare();
    TRY(parallel_for(b->nodes, context, NULL, fill_node, &job));
    TRY(parallel_for(b->parts, context, NULL, fill_gram, &job));
cleanup:
    mem_free(job.place);
    mem_free(job.part);
    return status;
}

scone_status basis_alloc(basis **out, const scone_pair *pair, const basis_options *options,
                         const scone_context *context)
{
    scone_status status = SCONE_OK;
    basis *b = NULL;
    size_t **order = NULL, parts = options->conditions > 1 ? options->conditions + 1 : 2;
    *out = NULL;
    TRY_ZERO(b, 1);
    TRY_ZERO(order, parts);
    b->nodes = pair->tables[0]->columns;
    b->columns = b->nodes * BASIS_SIZE + 1;
    b->parts = parts;
    TRY(divide(b, order, pair, options));
    TRY(allocate(b, options->plain));
    TRY(fill(b, order, pair, options, context));
    *out = b;
    b = NULL;
cleanup:
    for (size_t c = 0; order && c < parts; c++) mem_free(order[c]);
    mem_free(order);
    basis_free(b);
    return status;
}

void basis_free(basis *b)
{
    if (!b) return;
    mem_free(b->values);
    mem_free(b->levels);
    mem_free(b->size);
    mem_free(b->detail);
    mem_free(b->detail_size);
    mem_free(b->bin);
    mem_free(b->centres);
    for (size_t c = 0; c < b->parts; c++) {
        if (b->gram) mem_free(b->gram[c]);
        if (b->filled) mem_free(b->filled[c]);
    }
    mem_free(b->gram);
    mem_free(b->filled);
    mem_free(b->rows);
    mem_free(b->padded);
    mem_free(b->start);
    mem_free(b);
}
