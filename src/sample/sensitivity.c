/* sensitivity.c - selection scores (see sensitivity.h). */
#include "sample/sensitivity.h"

#include "parallel/parallel.h"
#include "linalg/symmetric.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { BINS = 16 };

static const double rounding_range = 1e-12;

/* ---- two samples in ascending order ---- */

/* Takes the next group of equal values off both samples; *i and *k move past it. */
static void merge_group(size_t *i, size_t *k, const double *x, size_t x_count, const double *y,
                        size_t y_count)
{
    bool from_x = *k == y_count || (*i < x_count && x[*i] <= y[*k]);
    double value = from_x ? x[*i] : y[*k];
    while (*i < x_count && x[*i] == value) ++*i;
    while (*k < y_count && y[*k] == value) ++*k;
}

double sensitivity_distance(const double *x, size_t x_count, const double *y, size_t y_count)
{
    double largest = 0.0;
    for (size_t i = 0, k = 0; i < x_count && k < y_count;) {
        merge_group(&i, &k, x, x_count, y, y_count);
        double apart = (double)i / (double)x_count - (double)k / (double)y_count;
        largest = fmax(largest, fabs(apart));
    }
    return largest;
}

/* floor(BINS u) for the middle rank u = middle / (2 n) of a group of equal values, which lies in
 * (0, 1); middle is the sum of its first and its past-the-end rank. */
static size_t bin_of(size_t middle, size_t n)
{
    return middle * (BINS / 2) / n;
}

double sensitivity_information(const double *x, size_t x_count, const double *y, size_t y_count)
{
    size_t counts[BINS][2] = {{0}}, n = x_count + y_count, occupied = 0;
    const double totals[2] = {(double)x_count, (double)y_count};
    if (x_count == 0 || y_count == 0) return 0.0;
    for (size_t i = 0, k = 0; i < x_count || k < y_count;) {
        size_t first_i = i, first_k = k;
        merge_group(&i, &k, x, x_count, y, y_count);
        size_t bin = bin_of(first_i + first_k + i + k, n);
        counts[bin][0] += i - first_i;
        counts[bin][1] += k - first_k;
    }
    double sum = 0.0;
    for (size_t b = 0; b < BINS; b++) {
        double in_bin = (double)(counts[b][0] + counts[b][1]);
        occupied += in_bin > 0.0;
        for (int c = 0; c < 2; c++) {
            double count = (double)counts[b][c];
            if (count > 0.0) sum += count * log(count / in_bin * ((double)n / totals[c]));
        }
    }
    return fmax(0.0, (sum - 0.5 * (double)(occupied - 1)) / (double)n);
}

/* ---- one column ---- */

static double limited(double value, double limit)
{
    return fmin(fmax(value, -limit), limit);
}

static double column_shift(const moments *m, size_t i)
{
    /* Halves, so that means of opposite sign near the end of the range do not overflow. */
    double half = 0.5 * m->means[1][i] - 0.5 * m->means[0][i];
    if (half == 0.0) return 0.0;
    return limited(2.0 * (half / m->scales[i]), SENSITIVITY_SHIFT_LIMIT);
}

static double column_ratio(const moments *m, size_t i)
{
    double before = m->deviations[0][i], after = m->deviations[1][i];
    if (before == after) return 0.0;
    return limited(2.0 * (log(after) - log(before)), SENSITIVITY_RATIO_LIMIT);
}

typedef struct column_job {
    sensitivity *s;
    const scone_pair *pair;
    const moments *m;
    size_t rows;    /* of both regimes */
    double *sorted; /* [threads, rows] */
    uint64_t *keys; /* [threads, 2, rows] */
} column_job;

static scone_status score_column(void *argument, size_t i, int worker)
{
    const column_job *job = argument;
    size_t n = job->m->rows[0], n1 = job->m->rows[1];
    double *x = job->sorted + (size_t)worker * job->rows, *y = x + n;
    uint64_t *keys = job->keys + (size_t)worker * 2 * job->rows;
    sort_doubles(x, table_column(job->pair->tables[0], i), n, keys);
    sort_doubles(y, table_column(job->pair->tables[1], i), n1, keys);
    job->s->information[i] = sensitivity_information(x, n, y, n1);
    job->s->distance[i] = sensitivity_distance(x, n, y, n1);
    job->s->shift[i] = column_shift(job->m, i);
    job->s->log_variance_ratio[i] = column_ratio(job->m, i);
    return SCONE_OK;
}

static scone_status score_columns(sensitivity *s, const scone_pair *pair, const moments *m,
                                  const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_context threads = {.threads = context_threads(context)};
    column_job job = {.s = s, .pair = pair, .m = m};
    size_t cells, workers = (size_t)threads.threads;
    if (!size_add(&job.rows, m->rows[0], m->rows[1]) || !size_multiply(&cells, workers, job.rows) ||
        !size_multiply(&cells, cells, 2)) {
        FAIL(SCONE_ERR_MEMORY, "the ranks of %zu rows do not fit into memory", m->rows[0]);
    }
    TRY_ALLOC(job.sorted, cells / 2);
    TRY_ALLOC(job.keys, cells);
    TRY(parallel_for(s->columns, &threads, NULL, score_column, &job));
cleanup:
    mem_free(job.sorted);
    mem_free(job.keys);
    return status;
}

/* ---- all of them ---- */

static void rescale(double *values, size_t count, double low, double high)
{
    double range = high - low;
    for (size_t i = 0; i < count; i++) {
        values[i] = range > rounding_range ? (values[i] - low) / range : 0.0;
    }
}

static void score_nodes(sensitivity *s, const sensitivity_options *options)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (size_t i = 0; i < s->columns; i++) {
        s->score[i] = options->shift_weight * fabs(s->shift[i]) +
                      options->information_weight * s->information[i];
        low = fmin(low, s->score[i]);
        high = fmax(high, s->score[i]);
    }
    rescale(s->score, s->columns, low, high);
}

static void score_contrast(sensitivity *s, const moments *m)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    size_t p = s->columns;
    for (size_t j = 0; j < p; j++) {
        for (size_t i = 0; i < p; i++) {
            if (i == j) continue;
            double apart = fabs(m->correlations[0][i + p * j] - m->correlations[1][i + p * j]);
            s->contrast[i + p * j] = apart;
            low = fmin(low, apart);
            high = fmax(high, apart);
        }
    }
    if (p < 2) low = high = 0.0;
    rescale(s->contrast, p * p, low, high);
    for (size_t i = 0; i < p; i++) s->contrast[i + p * i] = 0.0;
}

static scone_status score_association(sensitivity *s, const moments *m)
{
    scone_status status = SCONE_OK;
    symmetric_work *work = NULL;
    size_t p = s->columns;
    TRY(symmetric_work_alloc(&work, p));
    TRY(partial_correlations(s->association, m->shrunk, p, work));
    for (size_t i = 0; i < p * p; i++) s->association[i] = fabs(s->association[i]);
    for (size_t i = 0; i < p; i++) s->association[i + p * i] = 0.0;
cleanup:
    symmetric_work_free(work);
    return status;
}

static scone_status sensitivity_storage(sensitivity *s)
{
    scone_status status = SCONE_OK;
    size_t p = s->columns, total;
    if (!size_multiply(&total, p, 2) || !size_add(&total, total, 5) ||
        !size_multiply(&total, total, p)) {
        FAIL(SCONE_ERR_MEMORY, "the scores of %zu columns do not fit into memory", p);
    }
    TRY_ZERO(s->storage, total); /* (2 p + 5) p */
    s->contrast = s->storage;
    s->association = s->contrast + p * p;
    s->score = s->association + p * p;
    s->shift = s->score + p;
    s->information = s->shift + p;
    s->log_variance_ratio = s->information + p;
    s->distance = s->log_variance_ratio + p;
cleanup:
    return status;
}

scone_status sensitivity_alloc(sensitivity **out, const scone_pair *pair, const moments *m,
                               const sensitivity_options *options, const scone_context *context)
{
    static const sensitivity_options defaults = {.shift_weight = 1.0, .information_weight = 1.0};
    scone_status status = SCONE_OK;
    sensitivity *s = NULL;
    *out = NULL;
    if (!options) options = &defaults;
    if (!(options->shift_weight >= 0.0 && options->shift_weight <= 1e6) ||
        !(options->information_weight >= 0.0 && options->information_weight <= 1e6)) {
        FAIL(SCONE_ERR_INPUT,
             "the weights of mean shift and mutual information are %g and %g; "
             "give values between 0 and 1e6",
             options->shift_weight, options->information_weight);
    }
    TRY_ZERO(s, 1);
    s->columns = m->columns;
    TRY(sensitivity_storage(s));
    TRY(score_columns(s, pair, m, context));
    score_nodes(s, options);
    score_contrast(s, m);
    TRY(score_association(s, m));
    *out = s;
    s = NULL;
cleanup:
    sensitivity_free(s);
    return status;
}

void sensitivity_free(sensitivity *s)
{
    if (!s) return;
    mem_free(s->storage);
    mem_free(s);
}
