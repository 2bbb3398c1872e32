/* literals_data.c - literals from the tables (see literals.h and stats/invariance.h). */
#include "reasons/literals.h"

#include "stats/f_tail.h"
#include "stats/moments.h"

#include <math.h>
#include <string.h>

/* The correlations of one table. */
typedef struct table_links {
    size_t rows;
    const double *values; /* [columns, columns] */
} table_links;

struct data_source {
    invariance *tests;       /* of the pair that answers */
    invariance_work **works; /* [threads] */
    size_t threads;
    moments *correlations; /* of two tables */
    size_t columns, link_count, at;
    table_links *links; /* [link_count] of the control and of the condition of each pair; `at`: the
                           one that answers, from 1 on */
    double *storage;    /* of several pairs: their correlations */
    /* several pairs */
    literal_conditions asked;
    size_t *firsts; /* [asked.count] their conditions' first rows */
    invariance_options options;
    const scone_context *context;
};

/* ---- two tables ---- */

static void close_tests(data_source *d)
{
    for (size_t t = 0; d->works && t < d->threads; t++) invariance_work_free(d->works[t]);
    mem_free(d->works);
    invariance_free(d->tests);
    d->works = NULL;
    d->tests = NULL;
}

static scone_status open_tests(data_source *d, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    TRY(invariance_create(&d->tests, pair, &d->options));
    TRY_ZERO(d->works, d->threads);
    for (size_t t = 0; t < d->threads; t++) {
        TRY(invariance_work_create(&d->works[t], d->tests));
    }
cleanup:
    return status;
}

static scone_status alloc(data_source **out, size_t tables, uint64_t seed, size_t most_rows,
                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    data_source *d = NULL;
    *out = NULL;
    TRY_ZERO(d, 1);
    d->threads = (size_t)context_threads(context);
    d->options = (invariance_options){.seed = seed, .most_rows = most_rows};
    d->context = context;
    d->at = 1;
    TRY_ZERO(d->links, tables);
    d->link_count = tables;
    *out = d;
    return SCONE_OK;
cleanup:
    literals_data_free(d);
    return status;
}

scone_status literals_data_alloc(data_source **out, const scone_pair *pair, uint64_t seed,
                                 size_t most_rows, const scone_context *context)
{
    scone_status status = SCONE_OK;
    data_source *d = NULL;
    *out = NULL;
    TRY(alloc(&d, 2, seed, most_rows, context));
    TRY(open_tests(d, pair));
    TRY(moments_alloc(&d->correlations, pair, context));
    d->columns = d->correlations->columns;
    for (size_t r = 0; r < 2; r++) {
        d->links[r] = (table_links){d->correlations->rows[r], d->correlations->correlations[r]};
    }
    *out = d;
    return SCONE_OK;
cleanup:
    literals_data_free(d);
    return status;
}

void literals_data_free(data_source *d)
{
    if (!d) return;
    close_tests(d);
    moments_free(d->correlations);
    mem_free(d->links);
    mem_free(d->storage);
    mem_free(d->firsts);
    mem_free(d);
}

/* ---- several pairs ---- */

/* The condition's rows; with the control a pair. */
static scone_status take_rows(table **rows, const data_source *d, size_t pair)
{
    size_t condition = d->asked.chosen[pair];
    return table_part(rows, d->asked.pair->tables[1], d->firsts[pair], d->asked.rows[condition]);
}

static scone_status turn_data(void *context, size_t pair)
{
    scone_status status = SCONE_OK;
    data_source *d = context;
    table *rows = NULL;
    close_tests(d);
    TRY(take_rows(&rows, d, pair));
    const scone_pair view = {{d->asked.pair->tables[0], rows}};
    TRY(open_tests(d, &view));
    d->at = pair + 1;
cleanup:
    scone_table_free(rows);
    return status;
}

static scone_status correlate(data_source *d)
{
    scone_status status = SCONE_OK;
    size_t square, cells;
    moments *m = NULL;
    table *rows = NULL;
    if (!size_multiply(&square, d->columns, d->columns) ||
        !size_multiply(&cells, square, d->link_count)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory");
    }
    TRY_ALLOC(d->storage, cells);
    for (size_t pair = 0; pair + 1 < d->link_count; pair++) {
        TRY(take_rows(&rows, d, pair));
        const scone_pair view = {{d->asked.pair->tables[0], rows}};
        TRY(moments_alloc(&m, &view, d->context));
        for (size_t r = pair > 0; r < 2; r++) { /* the control is the same in all */
            double *values = d->storage + square * (r == 0 ? 0 : pair + 1);
            if (square) memcpy(values, m->correlations[r], square * sizeof *values);
            d->links[r == 0 ? 0 : pair + 1] = (table_links){m->rows[r], values};
        }
        moments_free(m);
        scone_table_free(rows);
        m = NULL;
        rows = NULL;
    }
cleanup:
    moments_free(m);
    scone_table_free(rows);
    return status;
}

scone_status literals_data_conditions(data_source **out, const literal_conditions *conditions,
                                      uint64_t seed, size_t most_rows, const scone_context *context)
{
    scone_status status = SCONE_OK;
    data_source *d = NULL;
    size_t first = 0, condition = 0;
    *out = NULL;
    TRY(alloc(&d, conditions->count + 1, seed, most_rows, context));
    d->asked = *conditions;
    d->columns = conditions->pair->tables[0]->columns;
    TRY_ALLOC(d->firsts, conditions->count);
    for (size_t k = 0; k < conditions->count; k++) { /* in the order of the conditions */
        while (condition < conditions->chosen[k]) first += conditions->rows[condition++];
        d->firsts[k] = first;
    }
    TRY(correlate(d));
    *out = d;
    return SCONE_OK;
cleanup:
    literals_data_free(d);
    return status;
}

/* ---- answers ---- */

static void test_data(void *context, int worker, size_t v, const size_t *given, size_t count,
                      invariance_result *result)
{
    const data_source *d = context;
    invariance_test(d->tests, d->works[worker], v, given, count, result);
}

/* The squared partial correlation: eliminates Z from the correlations of (Z, i, j), one variable
 * after the other. */
static double partial(const double *correlations, size_t columns, const size_t *nodes, size_t count)
{
    enum { SIZE = INVARIANCE_MOST_GIVEN + 2 };
    double a[SIZE][SIZE];
    size_t n = count + 2;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++) a[r][c] = correlations[nodes[r] + columns * nodes[c]];
    }
    for (size_t k = 0; k < count; k++) {
        if (!(a[k][k] > 1e-9)) continue; /* the others determine it */
        for (size_t r = k + 1; r < n; r++) {
            double factor = a[r][k] / a[k][k];
            for (size_t c = k + 1; c < n; c++) a[r][c] -= factor * a[k][c];
        }
    }
    double left = a[count][count] * a[count + 1][count + 1];
    if (!(left > 1e-18)) return (double)NAN;
    return fmin(1.0, a[count][count + 1] * a[count][count + 1] / left);
}

/* The tail of chi-squared: of F with very many degrees of freedom below; with two it is simple. */
static double chi_squared_tail(double statistic, size_t degrees)
{
    if (degrees == 0) return 0.0;
    if (degrees == 2) return exp(-0.5 * statistic);
    return exp(f_tail_log(statistic / (double)degrees, (double)degrees, 1e7));
}

/* -n log(1 - r^2) is chi-squared with one degree of freedom for each table if the partial
 * correlation r is 0 (the likelihood ratio, with Bartlett's correction for Z). Of several
 * conditions those with too few rows, and those where Z leaves nothing, do not count. */
static literal_link link_data(void *context, size_t i, size_t j, const uint32_t *given,
                              size_t count)
{
    const data_source *d = context;
    size_t nodes[INVARIANCE_MOST_GIVEN + 2], degrees = 0;
    literal_link link;
    double statistic = 0.0;
    for (size_t g = 0; g < count; g++) nodes[g] = given[g];
    nodes[count] = i;
    nodes[count + 1] = j;
    for (size_t t = 0; t < d->link_count; t++) {
        double rows = (double)d->links[t].rows - (double)count - 2.5;
        double shared = partial(d->links[t].values, d->columns, nodes, count);
        bool counts = d->link_count == 2 || (rows > 0.0 && !isnan(shared));
        if (t == 0) link.shared[0] = shared;
        if (t == d->at) link.shared[1] = shared;
        if (!counts) continue;
        degrees++;
        if (rows > 0.0) statistic -= rows * log1p(-fmin(shared, 1.0 - 1e-15));
    }
    link.p_value = chi_squared_tail(statistic, degrees);
    return link;
}

literal_source literals_data_use(data_source *d)
{
    bool many = d->firsts != NULL;
    return (literal_source){
        .test = test_data, .link = link_data, .context = d, .turn = many ? turn_data : NULL};
}
