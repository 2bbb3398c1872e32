/* trivial.c - trivial baselines (see trivial.h).
 *
 * All regressions come from the correlation matrix R of the terms. With an orthonormal basis of the
 * terms chosen so far, u_1 .. u_q, and W[f][q] the product of term f and u_q, what is left of R is
 * R(f, g) - sum_q W[f][q] W[g][q]; per predecessor only the few entries that its gain needs are
 * kept up to date.
 */
#include "learn/trivial.h"

#include "parallel/parallel.h"
#include "linalg/gram.h"
#include "linalg/symmetric.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POWERS = 3,         /* z, z^2, z^3 */
    TERMS = POWERS + 1, /* and |z|, which is only a response */
    RESPONSES = 2,      /* z and |z| */
    PARENTS_MAX = 16,
    ROWS_PER_PARENT = 30,
    BASIS_MAX = POWERS * PARENTS_MAX
};

static const double penalty_factor = 8.0;
static const double smallest_share = 1e-6; /* of a response's variance, that a residual can have */
static const double smallest_pivot = 1e-8; /* of a term's variance; below, it depends on others */

/* The terms of all columns over the rows of both regimes. */
typedef struct term_table {
    size_t columns, rows;
    double *values;      /* [rows, TERMS * columns]: term a of column k is column TERMS * k + a */
    double *correlation; /* [TERMS * columns, TERMS * columns] */
    double *variances, *kurtoses; /* [columns] */
} term_table;

static void terms_free(term_table *terms)
{
    mem_free(terms->values);
    mem_free(terms->correlation);
    mem_free(terms->variances);
    mem_free(terms->kurtoses);
}

/* ---- terms and statistics ---- */

typedef struct term_job {
    term_table *terms;
    const scone_pair *pair;
} term_job;

/* Mean and deviation about the first value, which is exact for constant columns; two passes. */
static scone_status fill_terms(void *argument, size_t k, int worker)
{
    (void)worker;
    const term_job *job = argument;
    term_table *terms = job->terms;
    size_t rows = terms->rows, at = 0;
    double *z = terms->values + TERMS * k * rows;
    double largest = 0.0;
    for (int regime = 0; regime < 2; regime++) {
        const table *t = job->pair->tables[regime];
        const double *x = table_column(t, k);
        for (size_t r = 0; r < t->rows; r++, at++) {
            if (!isfinite(x[r])) {
                return RAISE(SCONE_ERR_INPUT,
                             "column %zu (%s) holds a value that is not finite; remove its rows",
                             k + 1, t->names[k]);
            }
            z[at] = x[r];
            largest = fmax(largest, fabs(x[r]));
        }
    }
    /* Brought to size 1 first, so that no square overflows. */
    double factor =
        largest > 0.0 ? ldexp(1.0, ilogb(largest) < -1000 ? 1000 : -ilogb(largest)) : 1.0;
    double origin = z[0] * factor, mean = 0.0, variance = 0.0, fourth = 0.0;
    for (size_t r = 0; r < rows; r++) {
        z[r] = z[r] * factor - origin;
        mean += z[r] / (double)rows;
    }
    for (size_t r = 0; r < rows; r++) variance += (z[r] - mean) * (z[r] - mean) / (double)rows;
    double inverse = variance > 0.0 ? 1.0 / sqrt(variance) : 0.0;
    if (!isfinite(inverse)) inverse = 0.0;
    for (size_t r = 0; r < rows; r++) {
        double value = (z[r] - mean) * inverse, power = value;
        for (size_t a = 0; a < POWERS; a++, power *= value) z[a * rows + r] = power;
        z[POWERS * rows + r] = fabs(value);
        fourth += power / (double)rows; /* z^4 by now */
    }
    terms->variances[k] = inverse > 0.0 ? fmin(variance / factor / factor, DBL_MAX) : 0.0;
    terms->kurtoses[k] = fourth;
    return SCONE_OK;
}

static scone_status terms_build(term_table *terms, const scone_pair *pair,
                                const scone_context *context)
{
    scone_status status = SCONE_OK;
    gram_work *work = NULL;
    size_t cells, square, all = 0;
    terms->columns = pair->tables[0]->columns;
    terms->rows = pair->tables[0]->rows + pair->tables[1]->rows;
    if (!size_multiply(&all, terms->columns, TERMS) || !size_multiply(&cells, terms->rows, all) ||
        !size_multiply(&square, all, all)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: terms of %zu columns", terms->columns);
    }
    TRY_ALLOC(terms->values, cells);
    TRY_ZERO(terms->correlation, square);
    TRY_ZERO(terms->variances, terms->columns);
    TRY_ZERO(terms->kurtoses, terms->columns);
    if (terms->rows == 0) goto cleanup;
    term_job job = {terms, pair};
    TRY(parallel_for(terms->columns, context, NULL, fill_terms, &job));
    TRY(gram_work_alloc(&work, context));
    matrix_view view = {.values = terms->values, .rows = terms->rows, .columns = all};
    TRY(correlation_matrix(terms->correlation, NULL, NULL, &view, work));
cleanup:
    gram_work_free(work);
    return status;
}

/* R^2 of each column on all others, linear: 1 - 1 / (R^-1)_kk. The ridge keeps R regular; a column
 * that the others determine then has R^2 of nearly 1. */
static scone_status explained_shares(double *shares, const term_table *terms)
{
    scone_status status = SCONE_OK;
    symmetric_work *work = NULL;
    double *matrix = NULL, *inverse = NULL;
    size_t n = terms->columns;
    TRY(symmetric_work_alloc(&work, n));
    TRY_ALLOC(matrix, n * n);
    TRY_ALLOC(inverse, n * n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            matrix[i * n + j] = terms->correlation[TERMS * i * TERMS * n + TERMS * j];
        }
        matrix[i * n + i] = 1.0 + 1e-9;
    }
    TRY(symmetric_inverse(inverse, NULL, matrix, n, work));
    for (size_t i = 0; i < n; i++) {
        shares[i] = terms->variances[i] > 0.0 ? 1.0 - 1.0 / inverse[i * n + i] : 0.0;
    }
cleanup:
    symmetric_work_free(work);
    mem_free(matrix);
    mem_free(inverse);
    return status;
}

static scone_status statistics_of(double *statistics, const term_table *terms, trivial_kind kind)
{
    const double *source = kind == TRIVIAL_VARIANCE ? terms->variances : terms->kurtoses;
    if (kind == TRIVIAL_R2) return explained_shares(statistics, terms);
    for (size_t k = 0; k < terms->columns; k++) {
        statistics[k] = kind == TRIVIAL_EMPTY ? 0.0 : source[k];
    }
    return SCONE_OK;
}

scone_status trivial_statistics(double *statistics, const scone_pair *pair, trivial_kind kind,
                                const scone_context *context)
{
    scone_status status = SCONE_OK;
    term_table terms = {0};
    TRY(terms_build(&terms, pair, context));
    TRY(statistics_of(statistics, &terms, kind));
cleanup:
    terms_free(&terms);
    return status;
}

/* ---- parents of one column ---- */

typedef struct ranked_column {
    double statistic;
    size_t column;
} ranked_column;

static int compare_ranked(const void *a, const void *b)
{
    const ranked_column *x = a, *y = b;
    if (x->statistic != y->statistic) return x->statistic < y->statistic ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* What is left of R for one predecessor. */
typedef struct predecessor {
    size_t column;
    bool chosen;
    double own[POWERS][POWERS];      /* among its powers */
    double cross[POWERS][RESPONSES]; /* with the responses */
} predecessor;

typedef struct parents_job {
    const term_table *terms;
    const ranked_column *order;
    size_t parents_max;
    size_t *counts;                 /* [columns]: parents of the column at this place */
    size_t (*parents)[PARENTS_MAX]; /* [columns] */
} parents_job;

typedef struct parents_work {
    size_t count; /* predecessors */
    predecessor *predecessors;
    double (*basis)[POWERS]; /* [count]: a new basis vector's products with their powers */
    double (*weights)[POWERS][BASIS_MAX];
    double on_responses[RESPONSES];
    double left[RESPONSES]; /* residual shares of the responses */
    size_t used;            /* basis vectors */
} parents_work;

static double correlation_of(const term_table *terms, size_t k, size_t a, size_t j, size_t b)
{
    return terms->correlation[(TERMS * k + a) * TERMS * terms->columns + TERMS * j + b];
}

static const size_t response_term[RESPONSES] = {0, POWERS};

/* Cholesky of what is left of the powers of p and the solution for the responses. */
static double gain_of(const predecessor *p, const double left[RESPONSES])
{
    double l[POWERS][POWERS], rest[RESPONSES], gain = 0.0;
    double y[POWERS][RESPONSES];
    for (size_t r = 0; r < RESPONSES; r++) rest[r] = left[r];
    for (size_t a = 0; a < POWERS; a++) {
        for (size_t b = 0; b <= a; b++) {
            double sum = p->own[a][b];
            for (size_t c = 0; c < b; c++) sum -= l[a][c] * l[b][c];
            if (a == b) {
                l[a][a] = sum > smallest_pivot ? sqrt(sum) : 0.0;
            } else {
                l[a][b] = l[b][b] > 0.0 ? sum / l[b][b] : 0.0;
            }
        }
        for (size_t r = 0; r < RESPONSES; r++) {
            double sum = p->cross[a][r];
            for (size_t c = 0; c < a; c++) sum -= l[a][c] * y[c][r];
            y[a][r] = l[a][a] > 0.0 ? sum / l[a][a] : 0.0;
            rest[r] -= y[a][r] * y[a][r];
        }
    }
    for (size_t r = 0; r < RESPONSES; r++) {
        gain = fmax(gain, log(fmax(left[r], smallest_share) / fmax(rest[r], smallest_share)));
    }
    return gain;
}

/* Adds what is left of one power of a chosen predecessor to the basis. */
static void extend_basis(parents_work *work, const term_table *terms, size_t chosen, size_t power)
{
    predecessor *from = &work->predecessors[chosen];
    size_t used = work->used;
    double pivot = from->own[power][power];
    if (!(pivot > smallest_pivot)) return;
    const double *own = work->weights[chosen][power];
    double scale = 1.0 / sqrt(pivot);
    for (size_t r = 0; r < RESPONSES; r++) {
        work->on_responses[r] = from->cross[power][r] * scale;
        work->left[r] -= work->on_responses[r] * work->on_responses[r];
    }
    for (size_t k = 0; k < work->count; k++) {
        predecessor *p = &work->predecessors[k];
        double product[POWERS];
        for (size_t a = 0; a < POWERS; a++) {
            double sum = correlation_of(terms, from->column, power, p->column, a);
            for (size_t q = 0; q < used; q++) sum -= own[q] * work->weights[k][a][q];
            product[a] = sum * scale;
        }
        for (size_t a = 0; a < POWERS; a++) work->basis[k][a] = product[a];
    }
    for (size_t k = 0; k < work->count; k++) {
        predecessor *p = &work->predecessors[k];
        for (size_t a = 0; a < POWERS; a++) {
            double product = work->basis[k][a];
            work->weights[k][a][used] = product;
            for (size_t b = 0; b <= a; b++) p->own[a][b] -= product * work->basis[k][b];
            for (size_t r = 0; r < RESPONSES; r++) {
                p->cross[a][r] -= product * work->on_responses[r];
            }
        }
    }
    work->used++;
}

static void start_work(parents_work *work, const parents_job *job, size_t place)
{
    const term_table *terms = job->terms;
    size_t j = job->order[place].column;
    for (size_t k = 0; k < place; k++) {
        predecessor *p = &work->predecessors[k];
        *p = (predecessor){.column = job->order[k].column};
        for (size_t a = 0; a < POWERS; a++) {
            for (size_t b = 0; b < POWERS; b++) {
                p->own[a][b] = correlation_of(terms, p->column, a, p->column, b);
            }
            for (size_t r = 0; r < RESPONSES; r++) {
                p->cross[a][r] = correlation_of(terms, p->column, a, j, response_term[r]);
            }
        }
    }
    for (size_t r = 0; r < RESPONSES; r++) work->left[r] = 1.0;
    work->count = place;
}

static scone_status choose_parents(void *argument, size_t place, int worker)
{
    (void)worker;
    scone_status status = SCONE_OK;
    const parents_job *job = argument;
    parents_work work = {0};
    double rows = (double)job->terms->rows;
    double needed = penalty_factor * POWERS * log(rows) / rows;
    job->counts[place] = 0;
    TRY_ALLOC(work.predecessors, place);
    TRY_ALLOC(work.basis, place);
    TRY_ALLOC(work.weights, place);
    start_work(&work, job, place);
    while (job->counts[place] < job->parents_max) {
        size_t best = place;
        double largest = needed;
        for (size_t k = 0; k < place; k++) {
            double gain =
                work.predecessors[k].chosen ? 0.0 : gain_of(&work.predecessors[k], work.left);
            /* Equal gains (copies of a column): the first column wins, wherever it was sorted. */
            if (gain > largest || (gain == largest && best < place &&
                                   work.predecessors[k].column < work.predecessors[best].column)) {
                largest = gain;
                best = k;
            }
        }
        if (best == place) break;
        work.predecessors[best].chosen = true;
        job->parents[place][job->counts[place]++] = work.predecessors[best].column;
        for (size_t a = 0; a < POWERS; a++) extend_basis(&work, job->terms, best, a);
    }
cleanup:
    mem_free(work.predecessors);
    mem_free(work.basis);
    mem_free(work.weights);
    return status;
}

/* ---- the methods ---- */

static scone_status connect(graph *g, const scone_pair *pair, trivial_kind kind,
                            const scone_context *context)
{
    scone_status status = SCONE_OK;
    term_table terms = {0};
    double *statistics = NULL;
    ranked_column *order = NULL;
    parents_job job = {.terms = &terms};
    TRY(terms_build(&terms, pair, context));
    TRY_ALLOC(statistics, g->nodes);
    TRY_ALLOC(order, g->nodes);
    TRY_ALLOC(job.counts, g->nodes);
    TRY_ALLOC(job.parents, g->nodes);
    TRY(statistics_of(statistics, &terms, kind));
    for (size_t k = 0; k < g->nodes; k++) order[k] = (ranked_column){statistics[k], k};
    qsort(order, g->nodes, sizeof *order, compare_ranked);
    job.order = order;
    job.parents_max = terms.rows / ROWS_PER_PARENT;
    if (job.parents_max > PARENTS_MAX) job.parents_max = PARENTS_MAX;
    if (job.parents_max == 0) goto cleanup;
    TRY(parallel_for(g->nodes, context, "regressions", choose_parents, &job));
    for (size_t k = 0; k < g->nodes; k++) {
        for (size_t p = 0; p < job.counts[k]; p++) {
            graph_direct(g, job.parents[k][p], order[k].column);
        }
    }
cleanup:
    terms_free(&terms);
    mem_free(statistics);
    mem_free(order);
    mem_free(job.counts);
    mem_free(job.parents);
    return status;
}

scone_status trivial_order(graph **out, const scone_pair *pair, trivial_kind kind,
                           const scone_context *context)
{
    scone_status status = SCONE_OK;
    graph *g = NULL;
    *out = NULL;
    TRY(scone_graph_alloc(&g, pair->tables[0]->columns,
                          (const char *const *)pair->tables[0]->names));
    if (kind != TRIVIAL_EMPTY) TRY(connect(g, pair, kind, context));
    *out = g;
    return SCONE_OK;
cleanup:
    scone_graph_free(g);
    return status;
}
