/* polybic.c - PolyBIC as a learner (see polybic.h).
 *
 * The regressions of all columns on X_i share one D x D matrix, the centred Gram matrix of its
 * powers, C_ab = S_(a+b) - S_a S_b / n; with c_a = M_a(i, j) - S_a(i) S_1(j) / n the ridge solution
 * of (C + l I) b = c leaves RSS = TSS - c'b - l b'b. Cost per run: the moments, then O(D^2) per
 * ordered pair.
 */
#include "learn/polybic/polybic.h"

#include <float.h>
#include <math.h>

enum { SIDE = POLYBIC_MAX_DEGREE };

static const double smallest_share = 1e-6;      /* of the variance, that a residual can have */
static const double smallest_difference = 1e-9; /* of the logarithms of two residuals */
static const double smallest_pivot = 1e-12;     /* of its diagonal element */

const polybic_options polybic_defaults = {.degree = 3, .ridge = 1.0};

typedef struct polybic_state {
    const scone_pair *pair;
    polybic_options options;
    double *factors;              /* [columns] */
    const scone_context *context; /* asked whether to go on; may be NULL */
} polybic_state;

/* ---- state ---- */

static void polybic_release(void *state)
{
    polybic_state *s = state;
    if (!s) return;
    mem_free(s->factors);
    mem_free(s);
}

static double column_largest(const scone_pair *pair, size_t column)
{
    double largest = 0.0;
    for (int regime = 0; regime < 2; regime++) {
        const table *t = pair->tables[regime];
        const double *x = table_column(t, column);
        for (size_t r = 0; r < t->rows; r++) {
            if (!isfinite(x[r])) return (double)INFINITY; /* fmax would skip NaN */
            largest = fmax(largest, fabs(x[r]));
        }
    }
    return largest;
}

scone_status polybic_factors(double *factors, const scone_pair *pair)
{
    for (size_t j = 0; j < pair->tables[0]->columns; j++) {
        double largest = column_largest(pair, j);
        if (!(largest <= DBL_MAX)) {
            return RAISE(SCONE_ERR_INPUT,
                         "column %zu (%s) holds a value that is not finite; remove its rows", j + 1,
                         pair->tables[0]->names[j]);
        }
        int exponent = largest > 0.0 ? ilogb(largest) : 0;
        factors[j] = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    }
    return SCONE_OK;
}

scone_status polybic_prepare(void **state, const scone_pair *pair, const polybic_options *options)
{
    scone_status status = SCONE_OK;
    polybic_state *s = NULL;
    *state = NULL;
    if (!(options->ridge >= 0.0 && options->ridge <= DBL_MAX)) {
        FAIL(SCONE_ERR_INPUT, "a ridge penalty of %g; use a finite number from 0 on",
             options->ridge);
    }
    TRY_ZERO(s, 1);
    s->pair = pair;
    s->options = *options;
    TRY_ALLOC(s->factors, pair->tables[0]->columns);
    TRY(polybic_factors(s->factors, pair));
    *state = s;
    return SCONE_OK;
cleanup:
    polybic_release(s);
    return status;
}

/* ---- regressions ---- */

/* Cholesky factor of C + l I, in place, lower triangle. A power that depends on the lower ones (a
 * column with few values, or one outlier that is all there is) gets an empty row: coefficient 0. */
static void factor_powers(double a[SIDE][SIDE], size_t degree)
{
    for (size_t j = 0; j < degree; j++) {
        double diagonal = a[j][j], pivot = diagonal;
        for (size_t k = 0; k < j; k++) pivot -= a[j][k] * a[j][k];
        double root = pivot > smallest_pivot * diagonal ? sqrt(pivot) : 0.0;
        a[j][j] = root;
        for (size_t i = j + 1; i < degree; i++) {
            double sum = a[i][j];
            for (size_t k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            a[i][j] = root > 0.0 ? sum / root : 0.0;
        }
    }
}

/* RSS of the response with c and TSS, given the factor. */
static double ridge_rss(double factor[SIDE][SIDE], const double *c, double tss, size_t degree,
                        double ridge)
{
    double b[SIDE], rss = tss;
    for (size_t i = 0; i < degree; i++) {
        double sum = c[i];
        for (size_t k = 0; k < i; k++) sum -= factor[i][k] * b[k];
        b[i] = factor[i][i] > 0.0 ? sum / factor[i][i] : 0.0;
        rss -= b[i] * b[i];
    }
    for (size_t i = degree; i-- > 0;) {
        double sum = b[i];
        for (size_t k = i + 1; k < degree; k++) sum -= factor[k][i] * b[k];
        b[i] = factor[i][i] > 0.0 ? sum / factor[i][i] : 0.0;
        rss -= ridge * b[i] * b[i];
    }
    return rss;
}

scone_status polybic_residuals(double *shares, const polybic_moments *m, double ridge,
                               const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t count = m->count, degree = m->degree, orders = 2 * degree + 1;
    for (size_t i = 0; i < count; i++) {
        double factor[SIDE][SIDE];
        TRY(context_check(context));
        const double *s = m->powers + i * orders;
        for (size_t a = 0; a < degree && !m->constant[i]; a++) {
            for (size_t b = 0; b <= a; b++) {
                factor[a][b] = s[a + b + 2] - s[a + 1] * (s[b + 1] / m->rows);
            }
            factor[a][a] += ridge;
        }
        if (!m->constant[i]) factor_powers(factor, degree);
        for (size_t j = 0; j < count; j++) {
            double c[SIDE], share = 1.0;
            if (i != j && !m->constant[i] && !m->constant[j]) {
                const double *response = m->powers + j * orders;
                double mean = response[1] / m->rows, tss = response[2] - response[1] * mean;
                for (size_t a = 0; a < degree; a++) {
                    c[a] = m->cross[(i * degree + a) * count + j] - s[a + 1] * mean;
                }
                share = ridge_rss(factor, c, tss, degree, ridge) / tss;
            }
            shares[i * count + j] = fmin(1.0, fmax(smallest_share, share));
        }
    }
cleanup:
    return status;
}

/* ---- scores ---- */

/* BIC(i | j) - BIC(j | i); the penalties cancel. */
static double bic_difference(const double *shares, const polybic_moments *m, size_t i, size_t j)
{
    double difference = log(shares[j * m->count + i]) - log(shares[i * m->count + j]);
    return fabs(difference) < smallest_difference ? 0.0 : m->rows * difference;
}

/* Does the better direction of i and j gain on the constant model? */
static bool passes(const double *shares, const polybic_moments *m, size_t i, size_t j)
{
    double share = fmin(shares[i * m->count + j], shares[j * m->count + i]);
    double penalty = (double)m->degree * log(m->rows) / m->rows;
    return m->distinct > m->degree + 2 && -log(share) > penalty;
}

void polybic_pair_scores(double *forward, double *backward, double difference, double scale)
{
    double argument = scale > 0.0 ? difference / scale : 0.0;
    *forward = 1.0 / (1.0 + exp(-argument));
    *backward = 1.0 / (1.0 + exp(argument));
}

void polybic_pairs(double *differences, unsigned char *flags, const double *shares,
                   const polybic_moments *m)
{
    for (size_t i = 0; i < m->count; i++) {
        for (size_t j = i + 1; j < m->count; j++, differences++, flags++) {
            bool varies = !m->constant[i] && !m->constant[j];
            *differences = bic_difference(shares, m, i, j);
            *flags = (unsigned char)((varies ? POLYBIC_VARIES : 0) |
                                     (passes(shares, m, i, j) ? POLYBIC_PASSES : 0));
        }
    }
}

void polybic_scores(double *scores, const double *shares, const polybic_moments *m)
{
    size_t count = m->count, pairs = 0;
    double total = 0.0;
    for (size_t i = 0; i < count; i++) {
        scores[i * count + i] = 0.0;
        for (size_t j = i + 1; j < count; j++) {
            scores[i * count + j] = bic_difference(shares, m, i, j);
            total += fabs(scores[i * count + j]);
            pairs += !m->constant[i] && !m->constant[j];
        }
    }
    double scale = pairs ? total / (double)pairs : 0.0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            double *forward = &scores[i * count + j], *backward = &scores[j * count + i];
            if (passes(shares, m, i, j)) {
                polybic_pair_scores(forward, backward, *forward, scale);
            } else {
                *forward = *backward = 0.0;
            }
        }
    }
}

/* ---- the learner ---- */

static scone_status learner_prepare(void **state, const scone_pair *pair,
                                    const scone_context *context)
{
    scone_status status = polybic_prepare(state, pair, &polybic_defaults);
    if (status == SCONE_OK) ((polybic_state *)*state)->context = context;
    return status;
}

static scone_status learner_run(double *scores, const void *state, const learner_task *task)
{
    scone_status status = SCONE_OK;
    const polybic_state *s = state;
    polybic_moments *moments = NULL;
    double *shares = NULL;
    TRY(polybic_moments_alloc(&moments, task->count, s->options.degree));
    TRY_ALLOC(shares, task->count * task->count);
    TRY(polybic_moments_compute(moments, s->pair, s->factors, task));
    TRY(polybic_residuals(shares, moments, s->options.ridge, s->context));
    polybic_scores(scores, shares, moments);
cleanup:
    mem_free(shares);
    polybic_moments_free(moments);
    return status;
}

const learner learner_polybic = {.name = "polybic",
                                 .threshold = 0.5,
                                 .weight = 1.0,
                                 .prepare = learner_prepare,
                                 .release = polybic_release,
                                 .run = learner_run};
