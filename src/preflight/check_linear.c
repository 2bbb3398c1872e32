/* check_linear.c - correlations of all columns, within each regime and over both (see check.h).
 *
 * Over both regimes together, with n = n0 + n1 rows and d the difference of the means,
 *   n S_ij = n0 S0_ij + n1 S1_ij + (n0 n1 / n) d_i d_j,
 * so the pooled correlations need no second pass over the data. n p^2 flops per regime.
 */
#include "preflight/check_linear.h"

#include "linalg/gram.h"

#include <math.h>
#include <string.h>

/* Columns that vary by more than rounding and have at least half of their cells. */
static bool is_comparable(const check_input *input, size_t column)
{
    double deviation = 0.0, size = 0.0;
    for (int regime = 0; regime < 2; regime++) {
        const column_summary *s = &input->facts[column].regime[regime];
        if (s->missing + s->infinite > s->finite) return false;
        deviation = fmax(deviation, s->deviation);
        if (s->finite) size = fmax(size, fmax(fabs(s->low), fabs(s->high)));
    }
    return deviation > CHECK_ROUNDING * size;
}

static scone_status select_columns(linear_columns *c)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(c->columns, c->input->columns);
    for (size_t j = 0; j < c->input->columns; j++) {
        if (is_comparable(c->input, j)) c->columns[c->count++] = j;
    }
    TRY_ALLOC(c->twin, c->count);
    TRY_ZERO(c->dependent, c->count);
    for (size_t i = 0; i < c->count; i++) c->twin[i] = i;
cleanup:
    return status;
}

/* The columns of one regime without the rows that miss a cell of them. If every row is complete
 * *copy stays NULL and the view is of the table itself. */
static scone_status complete_rows(matrix_view *view, double **copy, size_t *positions,
                                  const linear_columns *c, int regime)
{
    scone_status status = SCONE_OK;
    const check_input *input = c->input;
    size_t rows = input->tables[regime]->rows, kept = 0, cells;
    bool *bad = NULL;
    TRY_ZERO(bad, rows);
    for (size_t i = 0; i < c->count; i++) {
        const column_summary *s = &input->facts[c->columns[i]].regime[regime];
        const double *values = check_values(input, regime, c->columns[i]);
        positions[i] = input->order[c->columns[i]];
        if (s->missing + s->infinite == 0) continue;
        for (size_t r = 0; r < rows; r++) bad[r] = bad[r] || !isfinite(values[r]);
    }
    for (size_t r = 0; r < rows; r++) kept += !bad[r];
    *view = (matrix_view){input->tables[regime]->values, rows, c->count, positions};
    if (kept == rows) goto cleanup;
    if (!size_multiply(&cells, kept, c->count)) TRY(SCONE_ERR_MEMORY);
    TRY_ALLOC(*copy, cells);
    for (size_t i = 0, next = 0; i < c->count; i++) {
        const double *values = check_values(input, regime, c->columns[i]);
        for (size_t r = 0; r < rows; r++) {
            if (!bad[r]) (*copy)[next++] = values[r];
        }
    }
    *view = (matrix_view){*copy, kept, c->count, NULL};
cleanup:
    mem_free(bad);
    return status;
}

static scone_status moments_alloc(linear_moments *m, size_t count)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(m->correlation, count * count);
    TRY_ALLOC(m->means, count);
    TRY_ALLOC(m->deviations, count);
cleanup:
    return status;
}

static void moments_free(linear_moments *m)
{
    mem_free(m->correlation);
    mem_free(m->means);
    mem_free(m->deviations);
}

static scone_status correlate_regime(linear_columns *c, int regime)
{
    scone_status status = SCONE_OK;
    linear_moments *m = &c->regime[regime];
    gram_work *work = NULL;
    double *copy = NULL;
    size_t *positions = NULL;
    matrix_view view;
    TRY_ALLOC(positions, c->count);
    TRY(complete_rows(&view, &copy, positions, c, regime));
    m->rows = view.rows;
    if (m->rows < 3) goto cleanup;
    TRY(moments_alloc(m, c->count));
    TRY(gram_work_alloc(&work, c->input->context));
    TRY(correlation_matrix(m->correlation, m->means, m->deviations, &view, work));
cleanup:
    gram_work_free(work);
    mem_free(copy);
    mem_free(positions);
    return status;
}

/* Scaled so that nothing overflows: everything in units of `unit`, the size of the column. */
static void pool_moments(linear_moments *pooled, const linear_moments regime[2], double *unit,
                         size_t count)
{
    const linear_moments *a = &regime[0], *b = &regime[1];
    double n0 = (double)a->rows, n1 = (double)b->rows, n = n0 + n1;
    pooled->rows = a->rows + b->rows;
    for (size_t j = 0; j < count; j++) {
        unit[j] = fmax(fmax(fabs(a->means[j]), fabs(b->means[j])),
                       fmax(a->deviations[j], b->deviations[j]));
        if (!(unit[j] > 0.0)) unit[j] = 1.0;
        double sa = a->deviations[j] / unit[j], sb = b->deviations[j] / unit[j];
        double d = b->means[j] / unit[j] - a->means[j] / unit[j];
        double variance = (n0 * sa * sa + n1 * sb * sb + n0 * n1 / n * d * d) / n;
        pooled->deviations[j] = sqrt(variance) * unit[j];
        pooled->means[j] = (n0 / n) * a->means[j] + (n1 / n) * b->means[j];
    }
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < count; i++) {
            double da = b->means[i] / unit[i] - a->means[i] / unit[i];
            double db = b->means[j] / unit[j] - a->means[j] / unit[j];
            double s0 = (a->deviations[i] / unit[i]) * (a->deviations[j] / unit[j]);
            double s1 = (b->deviations[i] / unit[i]) * (b->deviations[j] / unit[j]);
            double covariance = (n0 * s0 * a->correlation[i + count * j] +
                                 n1 * s1 * b->correlation[i + count * j] + n0 * n1 / n * da * db) /
                                n;
            double scale = (pooled->deviations[i] / unit[i]) * (pooled->deviations[j] / unit[j]);
            double r = scale > 0.0 ? covariance / scale : 0.0;
            pooled->correlation[i + count * j] = i == j ? 1.0 : fmax(-1.0, fmin(1.0, r));
        }
    }
}

static scone_status correlate(linear_columns *c)
{
    scone_status status = SCONE_OK;
    double *unit = NULL;
    for (int regime = 0; regime < 2; regime++) TRY(correlate_regime(c, regime));
    bool known[2] = {c->regime[0].rows >= 3, c->regime[1].rows >= 3};
    if (!known[0] && !known[1]) goto cleanup;
    TRY(moments_alloc(&c->pooled, c->count));
    if (known[0] && known[1]) {
        TRY_ALLOC(unit, c->count);
        pool_moments(&c->pooled, c->regime, unit, c->count);
    } else {
        const linear_moments *only = &c->regime[known[0] ? 0 : 1];
        c->pooled.rows = only->rows;
        memcpy(c->pooled.correlation, only->correlation, c->count * c->count * sizeof(double));
        memcpy(c->pooled.means, only->means, c->count * sizeof(double));
        memcpy(c->pooled.deviations, only->deviations, c->count * sizeof(double));
    }
cleanup:
    mem_free(unit);
    return status;
}

scone_status check_linear(scone_check *report, const check_input *input)
{
    scone_status status = SCONE_OK;
    linear_columns c = {.input = input};
    TRY(select_columns(&c));
    if (c.count < 2) goto cleanup;
    if (c.count > CHECK_COMPARED_COLUMNS) {
        TRY(check_linear_identical(report, &c));
        goto cleanup;
    }
    TRY(correlate(&c));
    if (c.pooled.rows < 3) goto cleanup;
    TRY(check_linear_duplicates(report, &c));
    TRY(check_linear_combinations(report, &c));
cleanup:
    mem_free(c.columns);
    mem_free(c.twin);
    mem_free(c.dependent);
    moments_free(&c.regime[0]);
    moments_free(&c.regime[1]);
    moments_free(&c.pooled);
    return status;
}
