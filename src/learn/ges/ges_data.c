/* ges_data.c - covariances of tables and of bootstrap replicates for the Greedy Equivalence Search,
 * and the learner (see ges.h, learner.h).
 *
 * Once per pair of tables: means m_c, standard deviations d_c and correlations R_c of each regime
 * c, n_c rows. The rows of both together then have, with n = n_0 + n_1, the covariance sum_c n_c/n
 * R_c[i,j] d_c[i] d_c[j] + n_0 n_1 / n^2 (m_1 - m_0)[i] (m_1 - m_0)[j], computed in units of its
 * own standard deviations, so that nothing overflows. A task without weights costs O(k^2) for k
 * columns. With weights its rows are standardized by these moments, centred at their weighted
 * means, and multiplied: O(rows k^2).
 *
 * The learner's scores. i -> j in the CPDAG: A[i][j] = 1 and A[j][i] = 0. i - j: both are 1, the
 * project's sign for an undirected edge; whatever threshold in (0, 1] and margin in [0, 1) decode
 * the votes, this is i - j, since neither direction dominates. Not adjacent: both are 0.
 */
#include "learn/ges/ges.h"

#include "learn/learner.h"
#include "linalg/gram.h"

#include <math.h>

typedef struct regime_moments {
    size_t rows;
    double *correlation;        /* [columns, columns] */
    double *means, *deviations; /* [columns] */
} regime_moments;

typedef struct ges_data {
    const scone_pair *pair;
    size_t columns;
    regime_moments regimes[2];
} ges_data;

static void ges_data_free(void *state)
{
    ges_data *data = state;
    if (!data) return;
    for (int c = 0; c < 2; c++) {
        mem_free(data->regimes[c].correlation);
        mem_free(data->regimes[c].means);
        mem_free(data->regimes[c].deviations);
    }
    mem_free(data);
}

/* Of the regimes in the bit set alone. */
static scone_status ges_data_alloc(ges_data **out, const scone_pair *pair, unsigned regimes,
                                   const scone_context *context)
{
    scone_status status = SCONE_OK;
    ges_data *data = NULL;
    gram_work *work = NULL;
    size_t columns = pair->tables[0]->columns, cells;
    *out = NULL;
    if (!size_multiply(&cells, columns, columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a correlation matrix of %zu columns", columns);
    }
    TRY_ZERO(data, 1);
    data->pair = pair;
    data->columns = columns;
    TRY(gram_work_alloc(&work, context));
    for (unsigned c = 0; c < 2; c++) {
        regime_moments *m = &data->regimes[c];
        const table *t = pair->tables[c];
        matrix_view view = {t->values, t->rows, columns, NULL};
        if (!(regimes >> c & 1u)) continue;
        m->rows = t->rows;
        TRY_ZERO(m->correlation, cells);
        TRY_ZERO(m->means, columns);
        TRY_ZERO(m->deviations, columns);
        if (t->rows == 0) continue;
        status = correlation_matrix(m->correlation, m->means, m->deviations, &view, work);
        if (status != SCONE_OK) {
            status_prefix("regime %u", c);
            goto cleanup;
        }
    }
    *out = data;
    data = NULL;
cleanup:
    ges_data_free(data);
    gram_work_free(work);
    return status;
}

/* Mean and standard deviation of column j over the rows of the regimes, and the shares in its
 * variance: share[0]^2 + share[1]^2 + between^2 = 1 unless the column is constant. */
typedef struct pooled_column {
    double mean, deviation, share[2], between;
} pooled_column;

static pooled_column pool_column(const ges_data *data, unsigned regimes, size_t j)
{
    const regime_moments *m = data->regimes;
    double n[2] = {regimes & 1u ? (double)m[0].rows : 0.0, regimes & 2u ? (double)m[1].rows : 0.0};
    pooled_column p = {0};
    if (n[0] + n[1] == 0.0) return p;
    double part[2] = {n[0] / (n[0] + n[1]), n[1] / (n[0] + n[1])};
    for (int c = 0; c < 2; c++) {
        if (n[c] == 0.0) continue;
        p.mean += part[c] * m[c].means[j];
        p.share[c] = 0.25 * sqrt(part[c]) * m[c].deviations[j];
    }
    if (n[0] > 0.0 && n[1] > 0.0) {
        p.between = sqrt(part[0] * part[1]) * (0.25 * m[1].means[j] - 0.25 * m[0].means[j]);
    }
    double quarter = hypot(hypot(p.share[0], p.share[1]), p.between);
    p.deviation = 4.0 * quarter;
    double unit = quarter > 0.0 ? 1.0 / quarter : 0.0;
    if (!(unit <= 1e300)) unit = 0.0; /* below what can be divided by: constant */
    p.share[0] *= unit;
    p.share[1] *= unit;
    p.between *= unit;
    if (unit == 0.0) p.deviation = 0.0;
    return p;
}

/* covariance [k, k] of every row once, in units of standard deviations */
static scone_status plain_covariance(double *covariance, const ges_data *data,
                                     const learner_task *task)
{
    scone_status status = SCONE_OK;
    size_t k = task->count;
    pooled_column *pooled = NULL;
    TRY_ALLOC(pooled, k);
    for (size_t i = 0; i < k; i++) {
        pooled[i] = pool_column(data, task->regimes, task->columns[i]);
    }
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < k; i++) {
            const pooled_column *a = &pooled[i], *b = &pooled[j];
            size_t cell = task->columns[i] + data->columns * task->columns[j];
            double sum = a->between * b->between;
            for (int c = 0; c < 2; c++) {
                const double *r = data->regimes[c].correlation;
                if (r) sum += a->share[c] * b->share[c] * r[cell];
            }
            covariance[i + k * j] = i == j ? (double)(a->deviation > 0.0) : sum;
        }
    }
cleanup:
    mem_free(pooled);
    return status;
}

/* z [rows, k]: standardized columns of the task's regimes, one regime after the other */
static void standardize(double *z, size_t rows, const ges_data *data, const learner_task *task)
{
    for (size_t i = 0; i < task->count; i++) {
        size_t column = task->columns[i];
        pooled_column p = pool_column(data, task->regimes, column);
        double unit = p.deviation > 0.0 ? 1.0 / (0.5 * p.deviation) : 0.0;
        double *to = z + rows * i;
        for (unsigned c = 0; c < 2; c++) {
            const table *t = data->pair->tables[c];
            if (!(task->regimes >> c & 1u)) continue;
            const double *from = table_column(t, column);
            for (size_t r = 0; r < t->rows; r++) to[r] = (0.5 * from[r] - 0.5 * p.mean) * unit;
            to += t->rows;
        }
    }
}

/* Centres z at its weighted means; a column that is then nothing but rounding becomes 0. */
static void centre(double *z, const double *weights, double total, size_t rows, size_t k)
{
    for (size_t i = 0; i < k; i++) {
        double *x = z + rows * i, sum = 0.0, squares = 0.0, largest = 0.0;
        for (size_t r = 0; r < rows; r++) sum += weights[r] * x[r];
        double mean = sum / total;
        for (size_t r = 0; r < rows; r++) {
            if (weights[r] > 0.0 && fabs(x[r]) > largest) largest = fabs(x[r]);
            x[r] -= mean;
            squares += weights[r] * x[r] * x[r];
        }
        if (squares > total * 1e-24 * largest * largest) continue;
        for (size_t r = 0; r < rows; r++) x[r] = 0.0;
    }
}

static scone_status weighted_covariance(double *covariance, double *total, const ges_data *data,
                                        const learner_task *task)
{
    scone_status status = SCONE_OK;
    gram_work *work = NULL;
    double *z = NULL, *weights = NULL;
    size_t rows = 0, at = 0, cells, k = task->count;
    for (unsigned c = 0; c < 2; c++) {
        if (task->regimes >> c & 1u) rows += data->regimes[c].rows;
    }
    if (!size_multiply(&cells, rows, k)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: %zu rows of %zu columns", rows, k);
    }
    TRY_ALLOC(z, cells);
    TRY_ALLOC(weights, rows);
    *total = 0.0;
    for (unsigned c = 0; c < 2; c++) {
        if (!(task->regimes >> c & 1u)) continue;
        for (size_t r = 0; r < data->regimes[c].rows; r++, at++) {
            weights[at] = task->weights[c] ? (double)task->weights[c][r] : 1.0;
            *total += weights[at];
        }
    }
    for (size_t i = 0; i < k * k; i++) covariance[i] = 0.0;
    if (*total == 0.0) goto cleanup;
    standardize(z, rows, data, task);
    centre(z, weights, *total, rows, k);
    TRY(gram_work_alloc(&work, NULL));
    matrix_view view = {z, rows, k, NULL};
    TRY(gram_matrix(covariance, &view, weights, work));
cleanup:
    gram_work_free(work);
    mem_free(z);
    mem_free(weights);
    return status;
}

static scone_status task_covariance(double *covariance, double *rows, const ges_data *data,
                                    const learner_task *task)
{
    bool weighted = false;
    *rows = 0.0;
    for (unsigned c = 0; c < 2; c++) {
        if (!(task->regimes >> c & 1u)) continue;
        *rows += (double)data->regimes[c].rows;
        weighted = weighted || task->weights[c];
    }
    if (weighted) return weighted_covariance(covariance, rows, data, task);
    return plain_covariance(covariance, data, task);
}

scone_status ges_run_pair(graph **out, const scone_pair *pair, unsigned regimes,
                          const ges_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    ges_data *data = NULL;
    size_t *columns = NULL;
    double *covariance = NULL, rows;
    size_t count = pair->tables[0]->columns;
    *out = NULL;
    TRY(ges_data_alloc(&data, pair, regimes, context));
    TRY_ALLOC(columns, count);
    TRY_ALLOC(covariance, count * count);
    for (size_t i = 0; i < count; i++) columns[i] = i;
    learner_task task = {columns, count, regimes, {NULL, NULL}};
    TRY(task_covariance(covariance, &rows, data, &task));
    TRY(ges_run(out, covariance, count, rows, options, NULL, context));
    TRY(graph_set_names(*out, (const char *const *)pair->tables[0]->names));
cleanup:
    if (status != SCONE_OK) {
        scone_graph_free(*out);
        *out = NULL;
    }
    mem_free(columns);
    mem_free(covariance);
    ges_data_free(data);
    return status;
}

/* ---- the learner ---- */

static scone_status learner_ges_prepare(void **state, const scone_pair *pair,
                                        const scone_context *context)
{
    ges_data *data;
    scone_status status = ges_data_alloc(&data, pair, 3, context);
    *state = data;
    return status;
}

static scone_status learner_ges_run(double *scores, const void *state, const learner_task *task)
{
    scone_status status = SCONE_OK;
    const ges_data *data = state;
    graph *found = NULL;
    double *covariance = NULL, rows;
    size_t k = task->count, cells;
    if (!size_multiply(&cells, k, k)) FAIL(SCONE_ERR_MEMORY, "out of memory: %zu columns", k);
    TRY_ALLOC(covariance, cells);
    TRY(task_covariance(covariance, &rows, data, task));
    TRY(ges_run(&found, covariance, k, rows, NULL, NULL, NULL));
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++) {
            scores[i * k + j] = graph_directed(found, i, j) || graph_undirected(found, i, j);
        }
    }
cleanup:
    scone_graph_free(found);
    mem_free(covariance);
    return status;
}

const learner learner_ges = {
    .name = "ges",
    .threshold = 0.5,
    .weight = 1.0,
    .prepare = learner_ges_prepare,
    .release = ges_data_free,
    .run = learner_ges_run,
};
