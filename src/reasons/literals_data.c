/* literals_data.c - literals from the two tables (see literals.h and stats/invariance.h). */
#include "reasons/literals.h"

#include "stats/moments.h"

#include <math.h>

struct data_source {
    invariance *tests;
    moments *correlations;
    invariance_work **works; /* [threads] */
    size_t threads;
};

scone_status literals_data_alloc(data_source **out, const scone_pair *pair, uint64_t seed,
                                 size_t most_rows, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const invariance_options options = {.seed = seed, .most_rows = most_rows};
    data_source *d = NULL;
    *out = NULL;
    TRY_ZERO(d, 1);
    d->threads = (size_t)context_threads(context);
    TRY(invariance_create(&d->tests, pair, &options));
    TRY(moments_alloc(&d->correlations, pair, context));
    TRY_ZERO(d->works, d->threads);
    for (size_t t = 0; t < d->threads; t++) {
        TRY(invariance_work_create(&d->works[t], d->tests));
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
    for (size_t t = 0; d->works && t < d->threads; t++) invariance_work_free(d->works[t]);
    mem_free(d->works);
    invariance_free(d->tests);
    moments_free(d->correlations);
    mem_free(d);
}

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

/* -n log(1 - r^2) is chi-squared with one degree of freedom for each regime if the partial
 * correlation r is 0 (the likelihood ratio, with Bartlett's correction for Z). */
static literal_link link_data(void *context, size_t i, size_t j, const uint32_t *given,
                              size_t count)
{
    const data_source *d = context;
    const moments *m = d->correlations;
    size_t nodes[INVARIANCE_MOST_GIVEN + 2];
    literal_link link;
    double statistic = 0.0;
    for (size_t g = 0; g < count; g++) nodes[g] = given[g];
    nodes[count] = i;
    nodes[count + 1] = j;
    for (int r = 0; r < 2; r++) {
        double rows = (double)m->rows[r] - (double)count - 2.5;
        link.shared[r] = partial(m->correlations[r], m->columns, nodes, count);
        if (rows > 0.0) statistic -= rows * log1p(-fmin(link.shared[r], 1.0 - 1e-15));
    }
    link.p_value = exp(-0.5 * statistic); /* the tail of chi-squared with two degrees of freedom */
    return link;
}

literal_source literals_data_use(data_source *d)
{
    return (literal_source){.test = test_data, .link = link_data, .context = d};
}
