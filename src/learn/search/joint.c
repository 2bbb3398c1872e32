/* joint.c - the eigenvector of joint.h. */
#include "learn/search/joint.h"

#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = JOINT_MOST_CANDIDATES * BASIS_SIZE + 1 };

struct joint_work {
    const basis *b;
    size_t rows;         /* of the sample, both regimes */
    float *design;       /* [COLUMNS][rows] */
    float *weighted;     /* the same times the root of the weight */
    float *root;         /* [rows] */
    float *products[2];  /* [COLUMNS squared]: weighted, plain */
    double *matrices[2]; /* the same in double: destroyed by the eigenproblem */
    double *plain;       /* [COLUMNS squared] */
    double *vector, *values, *scratch;
    lapack_int *integers;
};

/* The conditions together have as many as the control. */
static size_t sampled(const basis *b, size_t part)
{
    size_t most = part == 0 ? JOINT_ROWS : JOINT_ROWS / (b->parts - 1);
    return b->rows[part] < most ? b->rows[part] : most;
}

scone_status joint_work_alloc(joint_work **out, const basis *b)
{
    scone_status status = SCONE_OK;
    joint_work *work = NULL;
    const size_t square = (size_t)COLUMNS * COLUMNS;
    *out = NULL;
    TRY_ZERO(work, 1);
    work->b = b;
    for (size_t c = 0; c < b->parts; c++) work->rows += sampled(b, c);
    TRY_ALLOC(work->design, COLUMNS * work->rows);
    TRY_ALLOC(work->weighted, COLUMNS * work->rows);
    TRY_ALLOC(work->root, work->rows);
    for (int i = 0; i < 2; i++) {
        TRY_ALLOC(work->products[i], square);
        TRY_ALLOC(work->matrices[i], square);
    }
    TRY_ALLOC(work->plain, square);
    TRY_ALLOC(work->vector, COLUMNS);
    TRY_ALLOC(work->values, COLUMNS);
    TRY_ALLOC(work->scratch, 8 * (size_t)COLUMNS);
    TRY_ALLOC(work->integers, 6 * (size_t)COLUMNS);
    *out = work;
    return SCONE_OK;
cleanup:
    joint_work_free(work);
    return status;
}

void joint_work_free(joint_work *work)
{
    if (!work) return;
    mem_free(work->design);
    mem_free(work->weighted);
    mem_free(work->root);
    for (int i = 0; i < 2; i++) {
        mem_free(work->products[i]);
        mem_free(work->matrices[i]);
    }
    mem_free(work->plain);
    mem_free(work->vector);
    mem_free(work->values);
    mem_free(work->scratch);
    mem_free(work->integers);
    mem_free(work);
}

/* The first rows of each part: the basis holds them in random order. */
static void take(float *out, const basis *b, const float *column)
{
    for (size_t c = 0; c < b->parts; out += sampled(b, c++)) {
        memcpy(out, column + b->start[c], sampled(b, c) * sizeof *out);
    }
}

/* root = sqrt(min(r^2 / v, 9)); false if y does not vary in the sample */
static bool weigh(joint_work *work, size_t node)
{
    double sum = 0.0, square = 0.0;
    take(work->root, work->b, basis_column(work->b, node * BASIS_SIZE));
    for (size_t i = 0; i < work->rows; i++) {
        sum += (double)work->root[i];
        square += (double)(work->root[i] * work->root[i]);
    }
    double mean = sum / (double)work->rows, variance = square / (double)work->rows - mean * mean;
    if (!(variance > 1e-6)) return false;
    for (size_t i = 0; i < work->rows; i++) {
        double size = fabs((double)work->root[i] - mean) / sqrt(variance);
        work->root[i] = size > 3.0 ? 3.0f : (float)size;
    }
    return true;
}

/* The columns of the candidates and a constant, plain and weighted; returns their number. */
static size_t fill(joint_work *work, const uint32_t *candidates, size_t count)
{
    const basis *b = work->b;
    size_t k = 0, rows = work->rows;
    for (size_t c = 0; c < count; c++) {
        for (size_t a = 0; a < b->size[candidates[c]]; a++) {
            take(work->design + k++ * rows, b, basis_column(b, candidates[c] * BASIS_SIZE + a));
        }
    }
    take(work->design + k++ * rows, b, basis_column(b, b->columns - 1));
    for (size_t a = 0; a < k; a++) {
        const float *x = work->design + a * rows;
        float *y = work->weighted + a * rows;
        for (size_t i = 0; i < rows; i++) y[i] = x[i] * work->root[i];
    }
    return k;
}

/* The eigenvector into work->vector; work->plain keeps D'D with both triangles. */
static bool solve(joint_work *work, size_t k)
{
    const float *designs[2] = {work->weighted, work->design};
    const int n = (int)k, rows = (int)work->rows;
    double trace = 0.0;
    for (int i = 0; i < 2; i++) {
        cblas_ssyrk(CblasColMajor, CblasUpper, CblasTrans, n, rows, 1.0f, designs[i], rows, 0.0f,
                    work->products[i], n);
        for (size_t c = 0; c < k; c++) {
            for (size_t r = 0; r <= c; r++) {
                double x = (double)work->products[i][r + c * k];
                work->matrices[i][r + c * k] = x;
                if (i == 1) work->plain[r + c * k] = work->plain[c + r * k] = x;
            }
        }
    }
    for (size_t a = 0; a < k; a++) trace += work->plain[a + a * k];
    for (size_t a = 0; a < k; a++) work->matrices[1][a + a * k] += 1e-4 * trace / (double)k;
    lapack_int found = 0;
    lapack_int info = LAPACKE_dsygvx_work(LAPACK_COL_MAJOR, 1, 'V', 'I', 'U', n, work->matrices[0],
                                          n, work->matrices[1], n, 0.0, 0.0, n, n, 0.0, &found,
                                          work->values, work->vector, n, work->scratch, 8 * COLUMNS,
                                          work->integers, work->integers + 5 * (size_t)COLUMNS);
    return info == 0 && found == 1;
}

void joint_rank(double *shares, joint_work *work, size_t node, const uint32_t *candidates,
                size_t count)
{
    const basis *b = work->b;
    for (size_t c = 0; c < count; c++) shares[c] = 0.0;
    if (count == 0 || !weigh(work, node)) return;
    size_t k = fill(work, candidates, count), first = 0;
    if (!solve(work, k)) return;
    for (size_t c = 0; c < count; first += b->size[candidates[c++]]) {
        for (size_t i = first; i < first + b->size[candidates[c]]; i++) {
            for (size_t j = first; j < first + b->size[candidates[c]]; j++) {
                shares[c] += work->vector[i] * work->plain[i + j * k] * work->vector[j];
            }
        }
        if (!(shares[c] > 0.0)) shares[c] = 0.0; /* rounding */
    }
}
