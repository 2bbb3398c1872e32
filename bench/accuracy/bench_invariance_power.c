/* bench_invariance_power.c - power of the invariance test beside three others at equal level.
 *
 *   ks     two-sample Kolmogorov-Smirnov distance of residuals of a regression that is shared by
 *          both regimes (cubic in each column of Z, and products of pairs)
 *   chow   the regression's equality, in mean and in absolute residuals (src/stats/chow.h)
 *   rcit   a kernel test of the independence of the regime and v given Z with random Fourier
 *          features (Strobl, Zhang and Visweswaran, Journal of Causal Inference 7, 2019): 100 of
 *          Z, 5 of v, a weighted sum of chi-squared variables approximated by two moments
 * Every method rejects where its statistic exceeds its own 95% quantile over CASES queries of the
 * same design without a change, so all have level 0.05. Designs: ours with normal noise
 * (invariance_cases.h) and one kind of change; the generator's soft changes. Prints CSV.
 *
 *     nice build/bench/bench_invariance_power 500 > bench/results/rules/invariance_power.csv
 */
#include "invariance_cases.h"

#include "stats/chow.h"
#include "linalg/symmetric.h"
#include "stats/f_tail.h"
#include "sample/sensitivity.h"
#include "base/sort.h"

#include <stdio.h>

enum { METHODS = 4, MOST_COLUMNS = 128, RCIT_Z = 100, RCIT_V = 5 };

/* ---- regression ---- */

/* sides [count][n] become residuals on x [k][n], with a ridge. */
static scone_status regress(double *sides, const double *x, size_t n, size_t k, size_t count,
                            double ridge)
{
    scone_status status = SCONE_OK;
    double *gram = NULL, *cross = NULL, *beta = NULL, penalties[MOST_COLUMNS];
    symmetric_work *work = NULL;
    TRY_ZERO(gram, k * k);
    TRY_ZERO(cross, k * count);
    TRY_ALLOC(beta, k * count);
    TRY(symmetric_work_alloc(&work, k));
    for (size_t a = 0; a < k; a++) {
        penalties[a] = ridge;
        for (size_t b = 0; b <= a; b++) {
            double sum = 0.0;
            for (size_t i = 0; i < n; i++) sum += x[a * n + i] * x[b * n + i];
            gram[a + k * b] = gram[b + k * a] = sum;
        }
        for (size_t c = 0; c < count; c++) {
            for (size_t i = 0; i < n; i++) cross[a + k * c] += x[a * n + i] * sides[c * n + i];
        }
    }
    TRY(ridge_solve(beta, gram, cross, penalties, k, count, work));
    for (size_t c = 0; c < count; c++) {
        for (size_t a = 0; a < k; a++) {
            for (size_t i = 0; i < n; i++) sides[c * n + i] -= beta[a + k * c] * x[a * n + i];
        }
    }
cleanup:
    mem_free(gram);
    mem_free(cross);
    mem_free(beta);
    symmetric_work_free(work);
    return status;
}

/* Column j of both tables, one after the other, with mean 0 and variance 1. */
static void pooled(double *out, const scone_pair *pair, size_t j)
{
    size_t n0 = pair->tables[0]->rows, n1 = pair->tables[1]->rows, n = n0 + n1;
    double mean = 0.0, square = 0.0;
    memcpy(out, table_column(pair->tables[0], j), n0 * sizeof *out);
    memcpy(out + n0, table_column(pair->tables[1], j), n1 * sizeof *out);
    for (size_t i = 0; i < n; i++) mean += out[i] / (double)n;
    for (size_t i = 0; i < n; i++) square += (out[i] - mean) * (out[i] - mean) / (double)n;
    for (size_t i = 0; i < n; i++) out[i] = (out[i] - mean) / sqrt(square);
}

/* ---- the alternatives: each a number that grows with the evidence of a change ---- */

static scone_status run_ks(double *score, const query *q)
{
    scone_status status = SCONE_OK;
    size_t n0 = q->pair->tables[0]->rows, n = 2 * n0, k = 0;
    double *x = NULL, *v = NULL, *sorted = NULL;
    uint64_t *keys = NULL;
    TRY_ALLOC(x, MOST_COLUMNS * n);
    TRY_ALLOC(v, n);
    TRY_ALLOC(sorted, n);
    TRY_ALLOC(keys, 2 * n);
    for (size_t i = 0; i < n; i++) x[i] = 1.0;
    k = 1;
    for (size_t j = 0; j < q->count; j++, k += 3) {
        double *z = x + k * n;
        pooled(z, q->pair, q->given[j]);
        for (size_t i = 0; i < n; i++) z[n + i] = z[i] * z[i];
        for (size_t i = 0; i < n; i++) z[2 * n + i] = z[i] * z[i] * z[i];
    }
    for (size_t a = 0; a < q->count; a++) {
        for (size_t b = a + 1; b < q->count; b++, k++) {
            for (size_t i = 0; i < n; i++) {
                x[k * n + i] = x[(1 + 3 * a) * n + i] * x[(1 + 3 * b) * n + i];
            }
        }
    }
    pooled(v, q->pair, q->v);
    TRY(regress(v, x, n, k, 1, 0.0));
    sort_doubles(sorted, v, n0, keys);
    sort_doubles(sorted + n0, v + n0, n0, keys);
    *score = sensitivity_distance(sorted, n0, sorted + n0, n0);
cleanup:
    mem_free(x);
    mem_free(v);
    mem_free(sorted);
    mem_free(keys);
    return status;
}

static scone_status run_chow(double *score, const query *q)
{
    scone_status status = SCONE_OK;
    chow_work *work = NULL;
    TRY(chow_work_alloc(&work, q->pair));
    TRY(chow_test(score, q->v, q->given, q->count, work));
    *score = -*score;
cleanup:
    chow_work_free(work);
    return status;
}

/* features [count][n] of columns [columns][n]: sqrt(2) cos(w'x + b), w normal over `width`. */
static void fourier(double *features, const double *columns, size_t columns_count, size_t n,
                    size_t count, double width, rng *r)
{
    for (size_t f = 0; f < count; f++) {
        double *out = features + f * n, phase = rng_range(r, 0.0, 6.283185307179586);
        for (size_t i = 0; i < n; i++) out[i] = phase;
        for (size_t j = 0; j < columns_count; j++) {
            double w = rng_normal(r) / width;
            for (size_t i = 0; i < n; i++) out[i] += w * columns[j * n + i];
        }
        for (size_t i = 0; i < n; i++) out[i] = sqrt(2.0) * cos(out[i]);
    }
}

/* -log p of n |covariance|^2 by its first two moments under independence. */
static double moment_score(const double *sides, size_t n)
{
    double mean[RCIT_V] = {0.0}, v[RCIT_V][RCIT_V] = {{0.0}}, statistic = 0.0, first = 0.0;
    double second = 0.0, rows = (double)n;
    const double *regime = sides + RCIT_V * n;
    for (size_t a = 0; a < RCIT_V; a++) {
        for (size_t i = 0; i < n; i++) mean[a] += sides[a * n + i] * regime[i] / rows;
        statistic += rows * mean[a] * mean[a];
        for (size_t b = 0; b <= a; b++) {
            for (size_t i = 0; i < n; i++) {
                v[a][b] += sides[a * n + i] * sides[b * n + i] * regime[i] * regime[i] / rows;
            }
            v[b][a] = v[a][b];
        }
    }
    for (size_t a = 0; a < RCIT_V; a++) {
        first += v[a][a];
        for (size_t b = 0; b < RCIT_V; b++) second += 2.0 * v[a][b] * v[a][b];
    }
    return -f_tail_log(statistic / first, 2.0 * first * first / second, 1e6);
}

static scone_status run_rcit(double *score, const query *q)
{
    scone_status status = SCONE_OK;
    size_t n0 = q->pair->tables[0]->rows, n = 2 * n0;
    double *x = NULL, *z = NULL, *sides = NULL, *v = NULL;
    rng r = rng_stream(1, RNG_TEST, 7, 0, 0);
    TRY_ALLOC(x, (RCIT_Z + 1) * n);
    TRY_ALLOC(z, INVARIANCE_MOST_GIVEN * n);
    TRY_ALLOC(sides, (RCIT_V + 1) * n);
    TRY_ALLOC(v, n);
    for (size_t j = 0; j < q->count; j++) pooled(z + j * n, q->pair, q->given[j]);
    fourier(x, z, q->count, n, RCIT_Z, sqrt((double)q->count), &r);
    for (size_t i = 0; i < n; i++) x[RCIT_Z * n + i] = 1.0;
    pooled(v, q->pair, q->v);
    fourier(sides, v, 1, n, RCIT_V, 1.0, &r);
    for (size_t i = 0; i < n; i++) sides[RCIT_V * n + i] = i < n0 ? 0.0 : 1.0;
    TRY(regress(sides, x, n, RCIT_Z + 1, RCIT_V + 1, 1e-2));
    *score = moment_score(sides, n);
cleanup:
    mem_free(x);
    mem_free(z);
    mem_free(sides);
    mem_free(v);
    return status;
}

static scone_status run_ours(double *score, const query *q)
{
    scone_status status = SCONE_OK;
    invariance *test = NULL;
    invariance_work *work = NULL;
    invariance_result r;
    TRY(invariance_create(&test, q->pair, &(invariance_options){.seed = 1}));
    TRY(invariance_work_create(&work, test));
    invariance_test(test, work, q->v, q->given, q->count, &r);
    *score = r.possible ? -f_tail_log(r.statistic / r.degrees, r.degrees, r.rest) : 0.0;
cleanup:
    invariance_work_free(work);
    invariance_free(test);
    return status;
}

/* ---- the comparison ---- */

typedef struct design {
    const char *name;
    size_t rows;
    own_change change; /* of ours; CHANGE_NONE: the generator's */
    double amount;
    size_t family; /* of the generator */
} design;

static const design designs[] = {
    {"mean 0.35", 200, CHANGE_MEAN, 0.35, 0},
    {"slope 0.3", 200, CHANGE_SLOPE, 0.3, 0},
    {"spread x1.3", 200, CHANGE_SPREAD, 0.3, 0},
    {"shape 0.9", 200, CHANGE_SHAPE, 0.9, 0},
    {"mean 0.15", 1000, CHANGE_MEAN, 0.15, 0},
    {"slope 0.12", 1000, CHANGE_SLOPE, 0.12, 0},
    {"spread x1.12", 1000, CHANGE_SPREAD, 0.12, 0},
    {"shape 0.75", 1000, CHANGE_SHAPE, 0.75, 0},
    {"generator linear", 200, CHANGE_NONE, 0.0, 0},
    {"generator polynomial", 200, CHANGE_NONE, 0.0, 3},
    {"generator sigmoid", 200, CHANGE_NONE, 0.0, 6},
    {"generator nn", 200, CHANGE_NONE, 0.0, 7},
};

static scone_status make_query(query *q, const design *d, bool changed, size_t number)
{
    if (d->change == CHANGE_NONE) {
        return generator_query(q, &family_list[d->family], changed, d->rows, 2, 2 * number);
    }
    return own_query(q, OWN_PLAIN, changed ? d->change : CHANGE_NONE, d->amount, d->rows,
                     changed ? 3 : 2, number);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static scone_status compare(const design *d, size_t cases)
{
    scone_status status = SCONE_OK;
    double *scores[2] = {NULL, NULL};
    query q = {0};
    for (int changed = 0; changed < 2; changed++) {
        TRY_ALLOC(scores[changed], METHODS * cases);
        for (size_t i = 0; i < cases; i++) {
            double *s = scores[changed];
            TRY(make_query(&q, d, changed != 0, i));
            TRY(run_ours(&s[i], &q));
            TRY(run_ks(&s[cases + i], &q));
            TRY(run_chow(&s[2 * cases + i], &q));
            TRY(run_rcit(&s[3 * cases + i], &q));
            query_free(&q);
        }
    }
    printf("%s,%zu", d->name, d->rows);
    for (size_t m = 0; m < METHODS; m++) {
        double hits = 0.0, *null = scores[0] + m * cases;
        qsort(null, cases, sizeof *null, compare_doubles);
        double cut = null[(size_t)(0.95 * (double)cases)];
        for (size_t i = 0; i < cases; i++) hits += scores[1][m * cases + i] > cut;
        printf(",%.3f", hits / (double)cases);
    }
    printf("\n");
    (void)fflush(stdout);
cleanup:
    query_free(&q);
    mem_free(scores[0]);
    mem_free(scores[1]);
    return status;
}

int main(int argc, char **argv)
{
    scone_status status = SCONE_OK;
    size_t cases = argc > 1 ? (size_t)atoi(argv[1]) : 500;
    printf("# power at level 0.05, %zu queries with and %zu without a change for each row\n", cases,
           cases);
    printf("change,rows,invariance,ks,chow,rcit\n");
    for (size_t d = 0; d < sizeof designs / sizeof *designs && status == SCONE_OK; d++) {
        status = compare(&designs[d], cases);
    }
    if (status != SCONE_OK) (void)fprintf(stderr, "%s\n", scone_error_message());
    return (int)status;
}
