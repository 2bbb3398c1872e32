/* bench_sampler.c - how the sampler grows with the number of nodes, against the direct reading of
 * the paper's equations, and what the selection scores before it cost.
 *
 * T = 500 subsets of k = 8 nodes at N = 100, 300, 1,000. The direct version computes all of a^t and
 * G^t from the pair counts before every draw, T k N^2 in all; it runs its first subsets alone, and
 * they are compared with the sampler's. Processor times in milliseconds, one thread; exponents are
 * those of growth since the size before. Prints CSV after lines that start with '#'.
 *
 *     nice build/bench/bench_sampler [SEED] > bench/results/speed/sampler_growth.csv
 */
#include "base/rng.h"
#include "sample/sensitivity.h"
#include "sample/sampler_cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES = 3, SUBSETS = 500, NAIVE_SUBSETS = 25, ROWS = 5000, REPEATS = 5 };

static const size_t sizes[SIZES] = {100, 300, 1000};

typedef struct times {
    double moments, sensitivity, sampler, naive, cover;
    size_t covering; /* subsets added for the candidates */
} times;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Chains of ten columns, with a change in every fourth column. */
static scone_status make_pair(scone_pair **pair, size_t nodes, uint64_t seed)
{
    scone_status status = SCONE_OK;
    scone_table *tables[2] = {NULL, NULL};
    for (int c = 0; c < 2; c++) {
        rng r = rng_stream(seed, RNG_TEST, nodes, (uint64_t)c, 0);
        TRY(table_alloc(&tables[c], ROWS, nodes, NULL));
        rng_fill_normal(&r, tables[c]->values, ROWS * nodes);
        for (size_t j = 1; j < nodes; j++) {
            double slope = j % 10 == 0 ? 0.0 : c && j % 4 == 0 ? -0.5 : 0.8;
            const double *parent = table_column(tables[c], j - 1);
            double *x = table_column(tables[c], j);
            for (size_t row = 0; row < ROWS; row++) x[row] += slope * parent[row];
        }
    }
    TRY(scone_pair_join(pair, tables[0], tables[1]));
    tables[0] = tables[1] = NULL;
cleanup:
    scone_table_free(tables[0]);
    scone_table_free(tables[1]);
    return status;
}

/* ---- the direct version ---- */

typedef struct naive {
    const sensitivity *scores;
    sampler_options options;
    uint32_t *visits, *pair_visits;
    double *alpha, *gamma, *weights;
} naive;

static void naive_refresh(naive *v)
{
    double q_powers[64] = {1.0}, r_powers[64] = {1.0};
    size_t n = v->scores->columns;
    for (size_t i = 1; i < 64; i++) {
        q_powers[i] = q_powers[i - 1] * v->options.association_base;
        r_powers[i] = r_powers[i - 1] * v->options.contrast_base;
    }
    for (size_t i = 0; i < n * n; i++) {
        v->alpha[i] = v->scores->association[i] / q_powers[v->pair_visits[i] & 63];
        v->gamma[i] = v->scores->contrast[i] / r_powers[v->pair_visits[i] & 63];
    }
}

static void naive_weights(naive *v, const size_t *chosen, size_t count)
{
    size_t n = v->scores->columns;
    double rho = v->options.seed_sensitivity, lambda = v->options.association;
    for (size_t j = 0; j < n; j++) {
        double alpha = 0.0, gamma = 0.0, s = v->scores->score[j];
        bool taken = false;
        for (size_t i = 0; i < n && count == 0; i++) alpha += v->alpha[i + n * j];
        for (size_t k = 0; k < count; k++) {
            taken = taken || chosen[k] == j;
            alpha += v->alpha[chosen[k] + n * j];
            gamma += v->gamma[chosen[k] + n * j];
        }
        double weight = count == 0 ? (1.0 - rho) * alpha + rho * s
                                   : lambda * alpha + (1.0 - lambda) * (s + gamma / (double)count);
        weight /= pow(1.0 + (double)v->visits[j], v->options.coverage);
        v->weights[j] = taken ? 0.0 : weight;
    }
}

static void naive_draw(size_t *chosen, naive *v, size_t t)
{
    size_t n = v->scores->columns, k = v->options.size;
    rng r = rng_stream(v->options.seed, RNG_SUBSET, v->options.graph, t, 0);
    for (size_t count = 0; count < k; count++) {
        naive_refresh(v);
        naive_weights(v, chosen, count);
        chosen[count] = rng_categorical(&r, v->weights, n);
    }
    for (size_t a = 0; a < k; a++) {
        v->visits[chosen[a]]++;
        for (size_t b = 0; b < k; b++) v->pair_visits[chosen[a] + n * chosen[b]] += a != b;
    }
}

/* Milliseconds per subset; fails if a subset is not the sampler's. */
static scone_status time_naive(double *milliseconds, const sensitivity *scores, const sampler *s)
{
    scone_status status = SCONE_OK;
    size_t n = scores->columns, chosen[64];
    naive v = {.scores = scores, .options = s->options};
    TRY_ZERO(v.visits, n);
    TRY_ZERO(v.pair_visits, n * n);
    TRY_ALLOC(v.alpha, n * n);
    TRY_ALLOC(v.gamma, n * n);
    TRY_ALLOC(v.weights, n);
    *milliseconds = 0.0;
    for (size_t t = 0; t < NAIVE_SUBSETS; t++) {
        double start = now();
        naive_draw(chosen, &v, t);
        *milliseconds += (now() - start) / NAIVE_SUBSETS;
        size_t found = 0;
        for (size_t a = 0; a < s->size; a++) {
            for (size_t b = 0; b < s->size; b++) found += sampler_subset(s, t)[a] == chosen[b];
        }
        if (found != s->size) FAIL_DEFECT("the sampler and the direct version differ");
    }
cleanup:
    mem_free(v.visits);
    mem_free(v.pair_visits);
    mem_free(v.alpha);
    mem_free(v.gamma);
    mem_free(v.weights);
    return status;
}

/* ---- the measurement ---- */

static scone_status time_cover(times *out, sampler *s, const sensitivity *scores)
{
    scone_status status = SCONE_OK;
    node_pair *pairs = NULL;
    size_t limit = 6 * s->nodes;
    TRY_ALLOC(pairs, limit);
    size_t count = pairs_top(pairs, limit, scores->association, s->nodes);
    double start = now();
    TRY(sampler_cover(s, pairs, count, &out->covering));
    out->cover = now() - start;
cleanup:
    mem_free(pairs);
    return status;
}

/* The fastest of some runs, since other work on the machine only ever adds to the time. */
static scone_status time_sampler(times *out, const sensitivity *scores, const sampler_options *o)
{
    scone_status status = SCONE_OK;
    sampler *s = NULL;
    sampler_scores input = {scores->columns, scores->association, scores->contrast, scores->score};
    out->sampler = (double)INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        sampler_free(s);
        s = NULL;
        double start = now();
        TRY(sampler_alloc(&s, &input, o));
        TRY(sampler_run(s));
        out->sampler = fmin(out->sampler, now() - start);
    }
    TRY(time_naive(&out->naive, scores, s));
    out->naive *= SUBSETS;
    TRY(time_cover(out, s, scores));
cleanup:
    sampler_free(s);
    return status;
}

static scone_status measure(times *out, size_t nodes, uint64_t seed)
{
    scone_status status = SCONE_OK;
    scone_pair *pair = NULL;
    moments *m = NULL;
    sensitivity *scores = NULL;
    sampler_options options = sampler_defaults();
    options.count = SUBSETS;
    options.seed = seed;
    TRY(make_pair(&pair, nodes, seed));
    double start = now();
    TRY(moments_alloc(&m, pair, NULL));
    out->moments = now() - start;
    start = now();
    TRY(sensitivity_alloc(&scores, pair, m, NULL, NULL));
    out->sensitivity = now() - start;
    TRY(time_sampler(out, scores, &options));
cleanup:
    sensitivity_free(scores);
    moments_free(m);
    scone_pair_free(pair);
    return status;
}

static void print_commit(void)
{
    char text[64] = "";
    FILE *git = popen("git rev-parse --short HEAD 2>/dev/null", "r");
    if (git && fgets(text, sizeof text, git)) text[strcspn(text, "\n")] = '\0';
    if (git) (void)pclose(git);
    printf("# commit: %s\n", text[0] ? text : "unknown");
}

int main(int argc, char **argv)
{
    times before = {0}, t;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    printf("# command: build/bench/bench_sampler %llu\n", (unsigned long long)seed);
    print_commit();
    printf("# %d subsets of 8 nodes, %d rows a regime, processor milliseconds on one thread\n",
           (int)SUBSETS, (int)ROWS);
    printf(
        "# direct: %d subsets measured, times %d; the subsets are the same; cover: the 6 N pairs "
        "with the largest association\n",
        (int)NAIVE_SUBSETS, (int)(SUBSETS / NAIVE_SUBSETS));
    printf("nodes,moments,sensitivity,sampler,exponent,direct,direct_exponent,direct_over_sampler,"
           "cover,covering_subsets\n");
    for (size_t k = 0; k < SIZES; k++) {
        if (measure(&t, sizes[k], seed) != SCONE_OK) {
            fprintf(stderr, "bench_sampler: %s\n", scone_error_message());
            return 1;
        }
        printf("%zu,%.1f,%.1f,%.2f,", sizes[k], t.moments, t.sensitivity, t.sampler);
        double step = k > 0 ? log((double)sizes[k] / (double)sizes[k - 1]) : 1.0;
        if (k > 0) printf("%.2f", log(t.sampler / before.sampler) / step);
        printf(",%.1f,", t.naive);
        if (k > 0) printf("%.2f", log(t.naive / before.naive) / step);
        printf(",%.0f,%.2f,%zu\n", t.naive / t.sampler, t.cover, t.covering);
        before = t;
    }
    return 0;
}
