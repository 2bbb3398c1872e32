/* polybic_moments.c - weighted power sums of standardized columns (see polybic_moments.h).
 *
 * Rows are taken in blocks that fit the second-level cache: gather and standardize the drawn rows
 * of each column, write their powers, and let one matrix product add the block to all cross
 * moments. Sums within a column run in LANES interleaved parts, so that they vectorize without
 * leaving the order of additions to the compiler.
 */
#include "learn/polybic/polybic_moments.h"

#include "base/simd.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { LANES = 4, BLOCK_ROWS = 256, MAX_SUMS = 2 * POLYBIC_MAX_DEGREE };

/* The rows of one regime that take part. */
typedef struct drawn_rows {
    const table *source;
    size_t count;    /* distinct rows */
    size_t *index;   /* [count] */
    double *weights; /* [count], followed by zeros up to a multiple of LANES */
} drawn_rows;

typedef struct moments_work {
    drawn_rows drawn[2];
    double *centres, *inverses; /* [columns of the task]: z = (x * factor - centre) * inverse */
    double *values;             /* [BLOCK_ROWS] */
    double *left;               /* [BLOCK_ROWS, count]: w z */
    double *right;              /* [BLOCK_ROWS, D * count]: z, z^2, ... of each column */
    double *lanes;              /* [count, 2D, LANES] */
} moments_work;

scone_status polybic_moments_alloc(polybic_moments **out, size_t count, size_t degree)
{
    scone_status status = SCONE_OK;
    polybic_moments *m = NULL;
    size_t cells;
    *out = NULL;
    if (degree < 1 || degree > POLYBIC_MAX_DEGREE) {
        FAIL(SCONE_ERR_INPUT, "a polynomial of degree %zu; use 1 to %d", degree,
             POLYBIC_MAX_DEGREE);
    }
    if (!size_multiply(&cells, count, count) || !size_multiply(&cells, cells, degree) ||
        !blas_fits(count * degree)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: moments of %zu columns", count);
    }
    TRY_ZERO(m, 1);
    m->count = count;
    m->degree = degree;
    TRY_ALLOC(m->powers, count * (2 * degree + 1));
    TRY_ALLOC(m->cross, cells);
    TRY_ALLOC(m->constant, count);
    *out = m;
    return SCONE_OK;
cleanup:
    polybic_moments_free(m);
    return status;
}

void polybic_moments_free(polybic_moments *m)
{
    if (!m) return;
    mem_free(m->powers);
    mem_free(m->cross);
    mem_free(m->constant);
    mem_free(m);
}

/* ---- which rows, how often ---- */

static size_t padded(size_t rows)
{
    return (rows + LANES - 1) / LANES * LANES;
}

static scone_status drawn_alloc(drawn_rows *drawn, const table *source, const uint32_t *weights)
{
    scone_status status = SCONE_OK;
    drawn->source = source;
    TRY_ALLOC(drawn->index, source->rows);
    TRY_ZERO(drawn->weights, padded(source->rows));
    size_t kept = 0;
    for (size_t r = 0; r < source->rows; r++) {
        /* Written always, kept if drawn: no branch that a random draw would mispredict. */
        drawn->index[kept] = r;
        drawn->weights[kept] = weights ? (double)weights[r] : 1.0;
        kept += drawn->weights[kept] > 0.0;
    }
    /* The last row may have left a weight of 0 behind, which is what padding needs. */
    drawn->count = kept;
cleanup:
    return status;
}

static void work_free(moments_work *work)
{
    for (size_t regime = 0; regime < 2; regime++) {
        mem_free(work->drawn[regime].index);
        mem_free(work->drawn[regime].weights);
    }
    mem_free(work->centres);
    mem_free(work->inverses);
    mem_free(work->values);
    mem_free(work->left);
    mem_free(work->right);
    mem_free(work->lanes);
}

static scone_status work_alloc(moments_work *work, const scone_pair *pair, const learner_task *task,
                               size_t degree)
{
    scone_status status = SCONE_OK;
    size_t cells;
    for (unsigned regime = 0; regime < 2; regime++) {
        if (!(task->regimes >> regime & 1U)) continue;
        TRY(drawn_alloc(&work->drawn[regime], pair->tables[regime], task->weights[regime]));
    }
    if (!size_multiply(&cells, task->count, BLOCK_ROWS * degree)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: powers of %zu columns", task->count);
    }
    TRY_ALLOC(work->centres, task->count);
    TRY_ALLOC(work->inverses, task->count);
    TRY_ZERO(work->values, BLOCK_ROWS);
    TRY_ALLOC(work->left, BLOCK_ROWS * task->count);
    TRY_ALLOC(work->right, cells);
    TRY_ZERO(work->lanes, task->count * 2 * degree * LANES);
cleanup:
    return status;
}

/* ---- standardization ---- */

/* Adds sum w d and sum w d^2, d = x * factor - origin. */
SIMD_CLONES static void shifted_sums(double sums[2], const drawn_rows *drawn, const double *x,
                                     double factor, double origin)
{
    double first[LANES] = {0}, second[LANES] = {0};
    size_t r = 0;
    for (; r + LANES <= drawn->count; r += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            double d = x[drawn->index[r + l]] * factor - origin;
            double weighted = drawn->weights[r + l] * d;
            first[l] += weighted;
            second[l] += weighted * d;
        }
    }
    for (; r < drawn->count; r++) {
        double d = x[drawn->index[r]] * factor - origin;
        first[0] += drawn->weights[r] * d;
        second[0] += drawn->weights[r] * d * d;
    }
    for (size_t l = 0; l < LANES; l++) {
        sums[0] += first[l];
        sums[1] += second[l];
    }
}

/* Mean and deviation of the drawn rows in one pass about one of their values, v. That is as good as
 * two passes, since |v - mean| is at most sqrt(n) deviations; and the second sum is exactly 0 if
 * and only if the column is constant. */
static void standardize(moments_work *work, polybic_moments *m, const double *factors,
                        const learner_task *task)
{
    const drawn_rows *from = &work->drawn[work->drawn[0].count ? 0 : 1];
    for (size_t i = 0; i < task->count; i++) {
        size_t column = task->columns[i];
        double factor = factors[column], sums[2] = {0.0, 0.0};
        double origin = table_column(from->source, column)[from->index[0]] * factor;
        for (size_t regime = 0; regime < 2; regime++) {
            const drawn_rows *drawn = &work->drawn[regime];
            if (drawn->count == 0) continue;
            shifted_sums(sums, drawn, table_column(drawn->source, column), factor, origin);
        }
        double mean = sums[0] / m->rows;
        double variance = sums[1] / m->rows - mean * mean;
        double inverse = variance > 0.0 ? 1.0 / sqrt(variance) : 0.0;
        m->constant[i] = !(inverse > 0.0) || !isfinite(inverse);
        work->centres[i] = origin + mean;
        work->inverses[i] = m->constant[i] ? 0.0 : inverse;
    }
}

/* ---- blocks ---- */

/* LANES doubles as one value: left to itself the compiler shuffles these loops to pieces. */
typedef double lane_values __attribute__((vector_size(LANES * sizeof(double))));

/* Powers of one column in one block: left = w z, right = z .. z^D (BLOCK_ROWS apart), and the sums
 * of w z .. w z^2D, lane by lane. rows is a multiple of LANES. */
SIMD_INLINE void powers_of_degree(double *left, double *right, lane_values *sums, const double *z,
                                  const double *w, size_t rows, size_t degree)
{
    for (size_t r = 0; r < rows; r += LANES) {
        lane_values value, weighted;
        memcpy(&value, z + r, sizeof value);
        memcpy(&weighted, w + r, sizeof weighted);
        weighted *= value;
        memcpy(left + r, &weighted, sizeof weighted);
        lane_values power = value;
        for (size_t a = 0; a < degree; a++) {
            memcpy(right + a * BLOCK_ROWS + r, &power, sizeof power);
            power *= value;
        }
        for (size_t k = 0; k < 2 * degree; k++) {
            sums[k] += weighted;
            weighted *= value;
        }
    }
}

SIMD_CLONES static void block_powers(double *left, double *right, double *lanes, const double *z,
                                     const double *w, size_t rows, size_t degree)
{
    lane_values sums[MAX_SUMS]; /* local, so that they can stay in registers */
    memcpy(sums, lanes, 2 * degree * sizeof *sums);
    if (degree == 3) {
        powers_of_degree(left, right, sums, z, w, rows, 3);
    } else {
        powers_of_degree(left, right, sums, z, w, rows, degree);
    }
    memcpy(lanes, sums, 2 * degree * sizeof *sums);
}

/* z of the drawn rows first .. first + rows - 1, then zeros up to a multiple of LANES */
static void gather(double *z, const drawn_rows *drawn, size_t first, size_t rows, const double *x,
                   double factor, double centre, double inverse)
{
    const size_t *index = drawn->index + first;
    for (size_t r = 0; r < rows; r++) z[r] = (x[index[r]] * factor - centre) * inverse;
    for (size_t r = rows; r < padded(rows); r++) z[r] = 0.0;
}

static void add_block(polybic_moments *m, moments_work *work, const drawn_rows *drawn, size_t first,
                      const double *factors, const learner_task *task)
{
    size_t rows = drawn->count - first < BLOCK_ROWS ? drawn->count - first : BLOCK_ROWS;
    size_t degree = m->degree, all = padded(rows);
    for (size_t i = 0; i < m->count; i++) {
        size_t column = task->columns[i];
        gather(work->values, drawn, first, rows, table_column(drawn->source, column),
               factors[column], work->centres[i], work->inverses[i]);
        block_powers(work->left + i * BLOCK_ROWS, work->right + i * degree * BLOCK_ROWS,
                     work->lanes + i * 2 * degree * LANES, work->values, drawn->weights + first,
                     all, degree);
    }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(m->count),
                blas_int(m->count * degree), blas_int(all), 1.0, work->left, BLOCK_ROWS,
                work->right, BLOCK_ROWS, 1.0, m->cross, blas_int(m->count));
}

static void sum_lanes(polybic_moments *m, const double *lanes)
{
    size_t sums = 2 * m->degree;
    for (size_t i = 0; i < m->count; i++) {
        double *powers = m->powers + i * (sums + 1);
        powers[0] = m->rows;
        for (size_t k = 0; k < sums; k++) {
            const double *lane = lanes + (i * sums + k) * LANES;
            double total = 0.0;
            for (size_t l = 0; l < LANES; l++) total += lane[l];
            powers[k + 1] = total;
        }
    }
}

scone_status polybic_moments_compute(polybic_moments *m, const scone_pair *pair,
                                     const double *factors, const learner_task *task)
{
    scone_status status = SCONE_OK;
    moments_work work = {0};
    TRY(work_alloc(&work, pair, task, m->degree));
    m->distinct = 0;
    m->rows = 0.0;
    for (size_t regime = 0; regime < 2; regime++) {
        const drawn_rows *drawn = &work.drawn[regime];
        m->distinct += drawn->count;
        for (size_t r = 0; r < drawn->count; r++) m->rows += drawn->weights[r];
    }
    memset(m->cross, 0, m->count * m->count * m->degree * sizeof *m->cross);
    for (size_t i = 0; i < m->count; i++) m->constant[i] = true;
    if (m->distinct > 0 && m->count > 0) {
        blas_prepare();
        standardize(&work, m, factors, task);
        for (size_t regime = 0; regime < 2; regime++) {
            const drawn_rows *drawn = &work.drawn[regime];
            for (size_t first = 0; first < drawn->count; first += BLOCK_ROWS) {
                add_block(m, &work, drawn, first, factors, task);
            }
        }
    }
    sum_lanes(m, work.lanes);
cleanup:
    work_free(&work);
    return status;
}
