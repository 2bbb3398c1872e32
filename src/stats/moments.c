/* moments.c - per-regime moments and the shrunk average covariance (see moments.h).
 *
 * sum_r |x_r x_r' - S|^2 = sum_r (x_r'x_r)^2 - n trace(S S), so the rows are needed for their
 * squared lengths alone and no p x p matrix per row is formed.
 */
#include "stats/moments.h"

#include "parallel/parallel.h"
#include "linalg/gram.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LENGTH_ROWS = 512 }; /* rows of one item: their lengths stay in the cache */

static const char *const regime_names[2] = {"observational", "interventional"};

/* Vectors: means, deviations of both regimes, scales; matrices: correlations, average, shrunk. */
static scone_status moments_storage(moments *m)
{
    scone_status status = SCONE_OK;
    size_t p = m->columns, total;
    if (!size_add(&total, p, p) || !size_add(&total, total, total) || !size_add(&total, total, 5) ||
        !size_multiply(&total, total, p)) {
        FAIL(SCONE_ERR_MEMORY, "the moments of %zu columns do not fit into memory", p);
    }
    TRY_ZERO(m->storage, total); /* (4 p + 5) p */
    double *next = m->storage;
    for (int regime = 0; regime < 2; regime++) {
        m->correlations[regime] = next;
        next += p * p;
    }
    m->average = next;
    m->shrunk = m->average + p * p;
    next = m->shrunk + p * p;
    for (int regime = 0; regime < 2; regime++) {
        m->means[regime] = next;
        m->deviations[regime] = next + p;
        next += 2 * p;
    }
    m->scales = next;
cleanup:
    return status;
}

/* Gram matrices notice that some value is not finite; this says which. */
static scone_status raise_not_finite(const table *t, const char *regime)
{
    for (size_t j = 0; j < t->columns; j++) {
        const double *column = table_column(t, j);
        for (size_t r = 0; r < t->rows; r++) {
            if (!isfinite(column[r])) {
                return RAISE(SCONE_ERR_INPUT,
                             "%s table, row %zu, column '%s': the value is missing or infinite; "
                             "remove the row",
                             regime, r + 2, t->names[j]);
            }
        }
    }
    return SCONE_ERR_INPUT; /* finite values whose sums are not: the message stays */
}

static scone_status regime_moments(moments *m, const scone_pair *pair, int regime, gram_work *work)
{
    const table *t = pair->tables[regime];
    if (t->rows == 0) {
        return RAISE(SCONE_ERR_INPUT, "the %s table has no rows; give at least one",
                     regime_names[regime]);
    }
    matrix_view x = {t->values, t->rows, t->columns, NULL};
    m->rows[regime] = t->rows;
    scone_status status = correlation_matrix(m->correlations[regime], m->means[regime],
                                             m->deviations[regime], &x, work);
    if (status == SCONE_ERR_INPUT) return raise_not_finite(t, regime_names[regime]);
    for (size_t j = 0; j < t->columns; j++) { /* +-DBL_MAX: the last rounding may go over */
        m->deviations[regime][j] = fmin(m->deviations[regime][j], DBL_MAX);
    }
    return status;
}

/* Fills scales and average; squares[c] = trace(S_c S_c) in units of the scales. */
static void average_covariances(moments *m, double squares[2])
{
    size_t p = m->columns;
    for (size_t i = 0; i < p; i++) {
        double a = sqrt(0.5) * m->deviations[0][i], b = sqrt(0.5) * m->deviations[1][i];
        m->scales[i] = fmin(hypot(a, b), DBL_MAX);
    }
    for (int c = 0; c < 2; c++) {
        squares[c] = 0.0;
        for (size_t j = 0; j < p; j++) {
            if (!(m->scales[j] > 0.0)) continue;
            double unit_j = m->deviations[c][j] / m->scales[j];
            for (size_t i = 0; i < p; i++) {
                if (!(m->scales[i] > 0.0)) continue;
                double unit_i = m->deviations[c][i] / m->scales[i];
                double value = m->correlations[c][i + p * j] * (unit_i * unit_j);
                m->average[i + p * j] += 0.5 * value;
                squares[c] += value * value;
            }
        }
    }
    for (size_t i = 0; i < p * p; i++) { /* scales of columns near 1e-320 are rounded a lot */
        m->average[i] = fmin(fmax(m->average[i], -1.0), 1.0);
    }
    for (size_t i = 0; i < p; i++) m->average[i + p * i] = m->scales[i] > 0.0 ? 1.0 : 0.0;
}

typedef struct length_job {
    const moments *m;
    const table *t;
    int regime;
    double *sums; /* one per item: sum over its rows of (x_r'x_r)^2 */
} length_job;

static scone_status add_lengths(void *argument, size_t item, int worker)
{
    (void)worker;
    const length_job *job = argument;
    size_t first = item * LENGTH_ROWS, rows = job->t->rows - first;
    if (rows > LENGTH_ROWS) rows = LENGTH_ROWS;
    double lengths[LENGTH_ROWS] = {0}, sum = 0.0;
    for (size_t j = 0; j < job->t->columns; j++) {
        double scale = job->m->scales[j], half_mean = 0.5 * job->m->means[job->regime][j];
        if (!(scale > 0.0)) continue;
        const double *x = table_column(job->t, j) + first;
        for (size_t r = 0; r < rows; r++) {
            double z = 2.0 * ((0.5 * x[r] - half_mean) / scale); /* no overflow on the way */
            lengths[r] += z * z;
        }
    }
    for (size_t r = 0; r < rows; r++) sum += lengths[r] * lengths[r];
    job->sums[item] = sum;
    return SCONE_OK;
}

/* *error = sum_r |x_r x_r' - S_c|^2 / n_c^2 */
static scone_status regime_error(double *error, const moments *m, const scone_pair *pair,
                                 int regime, double squares, const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t rows = m->rows[regime], items = rows / LENGTH_ROWS + (rows % LENGTH_ROWS != 0);
    double spread = 0.0, n = (double)rows;
    scone_context threads = {.threads = context_threads(context)};
    length_job job = {m, pair->tables[regime], regime, NULL};
    TRY_ALLOC(job.sums, items);
    TRY(parallel_for(items, &threads, NULL, add_lengths, &job));
    for (size_t item = 0; item < items; item++) spread += job.sums[item];
    *error = (spread / n - squares) / n;
cleanup:
    mem_free(job.sums);
    return status;
}

static void shrink_average(moments *m, double error)
{
    size_t p = m->columns;
    double trace = 0.0, distance = 0.0;
    for (size_t i = 0; i < p; i++) trace += m->average[i + p * i];
    double target = p ? trace / (double)p : 0.0;
    for (size_t j = 0; j < p; j++) {
        for (size_t i = 0; i < p; i++) {
            double away = m->average[i + p * j] - (i == j ? target : 0.0);
            distance += away * away;
        }
    }
    m->intensity = 0.0;
    if (distance > 0.0 && error > 0.0) m->intensity = error < distance ? error / distance : 1.0;
    for (size_t i = 0; i < p * p; i++) m->shrunk[i] = (1.0 - m->intensity) * m->average[i];
    for (size_t i = 0; i < p; i++) m->shrunk[i + p * i] += m->intensity * target;
}

scone_status moments_alloc(moments **out, const scone_pair *pair, const scone_context *context)
{
    scone_status status = SCONE_OK;
    moments *m = NULL;
    gram_work *work = NULL;
    double squares[2], errors[2];
    *out = NULL;
    TRY_ZERO(m, 1);
    m->columns = pair->tables[0]->columns;
    TRY(moments_storage(m));
    TRY(gram_work_alloc(&work, context));
    for (int regime = 0; regime < 2; regime++) TRY(regime_moments(m, pair, regime, work));
    average_covariances(m, squares);
    for (int regime = 0; regime < 2; regime++) {
        TRY(regime_error(&errors[regime], m, pair, regime, squares[regime], context));
    }
    shrink_average(m, 0.25 * (errors[0] + errors[1]));
    *out = m;
    m = NULL;
cleanup:
    moments_free(m);
    gram_work_free(work);
    return status;
}

void moments_free(moments *m)
{
    if (!m) return;
    mem_free(m->storage);
    mem_free(m);
}
