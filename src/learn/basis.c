/* basis.c - see basis.h. Cost: O(N n log n) for the quantiles, O((6N)^2 n) for the Gram matrices.
 */
#include "learn/basis.h"

#include "learn/kernel.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct fill_job {
    basis *b;
    const scone_pair *pair;
} fill_job;

/* Writes one basis column from `value`, standardized over the true rows of both regimes. */
static void store(basis *b, size_t column, const double *value)
{
    size_t n = b->rows[0] + b->rows[1];
    double mean = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++) mean += value[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) square += (value[i] - mean) * (value[i] - mean);
    double sd = sqrt(square / (double)n);
    double scale = sd > 1e-12 ? 1.0 / sd : 0.0;
    float *out = b->values + column * b->stride;
    for (size_t i = 0; i < b->rows[0]; i++) out[i] = (float)((value[i] - mean) * scale);
    for (size_t i = 0; i < b->rows[1]; i++) {
        out[b->start[1] + i] = (float)((value[b->rows[0] + i] - mean) * scale);
    }
}

static scone_status fill_node(void *argument, size_t node, int worker)
{
    (void)worker;
    fill_job *job = argument;
    basis *b = job->b;
    scone_status status = SCONE_OK;
    double *z = NULL, *sorted = NULL, *value = NULL;
    size_t n = b->rows[0] + b->rows[1];
    TRY_ALLOC(z, n);
    TRY_ALLOC(sorted, n);
    TRY_ALLOC(value, n);
    double mean = 0.0, square = 0.0;
    for (int c = 0; c < 2; c++) {
        memcpy(z + (c ? b->rows[0] : 0), table_column(job->pair->tables[c], node),
               b->rows[c] * sizeof *z);
    }
    for (size_t i = 0; i < n; i++) mean += z[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) square += (z[i] - mean) * (z[i] - mean);
    double sd = sqrt(square / (double)n);
    for (size_t i = 0; i < n; i++) z[i] = sd > 0.0 ? (z[i] - mean) / sd : 0.0;
    memcpy(sorted, z, n * sizeof *z);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    size_t column = node * BASIS_SIZE;
    store(b, column, z);
    for (size_t i = 0; i < n; i++) value[i] = z[i] * z[i];
    store(b, column + 1, value);
    for (size_t k = 0; k < BASIS_KNOTS; k++) {
        double t = sorted[(size_t)((double)(k + 1) / (BASIS_KNOTS + 1) * (double)(n - 1))];
        for (size_t i = 0; i < n; i++) {
            double d = z[i] > t ? z[i] - t : 0.0;
            value[i] = d * d;
        }
        store(b, column + 2 + k, value);
    }
cleanup:
    mem_free(z);
    mem_free(sorted);
    mem_free(value);
    return status;
}

/* Gram matrix of a regime: single-precision products over blocks of rows, summed in double. */
static scone_status fill_gram(void *argument, size_t regime, int worker)
{
    (void)worker;
    basis *b = ((fill_job *)argument)->b;
    scone_status status = SCONE_OK;
    float *block = NULL;
    size_t c = b->columns;
    double *gram = b->gram[regime];
    TRY_ALLOC(block, c * c);
    memset(gram, 0, c * c * sizeof *gram);
    for (size_t i = 0; i < b->padded[regime]; i += 2048) {
        size_t m = b->padded[regime] - i < 2048 ? b->padded[regime] - i : 2048;
        cblas_ssyrk(CblasColMajor, CblasLower, CblasTrans, (int)c, (int)m, 1.0f,
                    b->values + b->start[regime] + i, (int)b->stride, 0.0f, block, (int)c);
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

scone_status basis_alloc(basis **out, const scone_pair *pair, const scone_context *context)
{
    scone_status status = SCONE_OK;
    basis *b = NULL;
    *out = NULL;
    TRY_ZERO(b, 1);
    b->nodes = pair->tables[0]->columns;
    for (int c = 0; c < 2; c++) {
        b->rows[c] = pair->tables[c]->rows;
        b->padded[c] = (b->rows[c] + KERNEL_LANES - 1) / KERNEL_LANES * KERNEL_LANES;
    }
    b->start[1] = b->padded[0];
    b->stride = b->padded[0] + b->padded[1];
    b->columns = b->nodes * BASIS_SIZE + 1;
    size_t cells;
    if (!size_multiply(&cells, b->columns, b->stride)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    b->values = mem_aligned(cells, sizeof *b->values);
    if (!b->values) TRY(SCONE_ERR_MEMORY);
    memset(b->values, 0, cells * sizeof *b->values);
    float *one = b->values + (b->columns - 1) * b->stride;
    for (int c = 0; c < 2; c++) {
        for (size_t i = 0; i < b->rows[c]; i++) one[b->start[c] + i] = 1.0f;
        TRY_ALLOC(b->gram[c], b->columns * b->columns);
    }
    blas_prepare();
    fill_job job = {b, pair};
    TRY(parallel_for(b->nodes, context, NULL, fill_node, &job));
    TRY(parallel_for(2, context, NULL, fill_gram, &job));
    *out = b;
    return SCONE_OK;
cleanup:
    basis_free(b);
    return status;
}

void basis_free(basis *b)
{
    if (!b) return;
    mem_free(b->values);
    mem_free(b->gram[0]);
    mem_free(b->gram[1]);
    mem_free(b);
}
