/* bench_invariance.c - the invariance test (src/stats/invariance.h): level, power and cost.
 *
 * level ROWS CASES SEED [FAMILY]: share of p-values up to 0.01, 0.05 and 0.10 over queries without
 * a change (invariance_cases.h), with the standard error of the second. time: milliseconds of a
 * test at N = 100, by rows of a regime and size of Z: the first with its Z, and a further one with
 * the same Z. Processor times, one thread. Prints CSV after lines that start with '#'.
 *
 *     for n in 200 1000 5000; do nice build/bench/bench_invariance level $n 2000 1; done
 *     nice build/bench/bench_invariance time
 * bench_invariance_power.c compares it with other tests.
 */
#include "invariance_cases.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static scone_status run_case(invariance_result *result, const family *f, size_t rows, uint64_t seed,
                             size_t number)
{
    scone_status status = SCONE_OK;
    query q = {0};
    scone_pair *pair = NULL;
    invariance *test = NULL;
    invariance_work *work = NULL;
    if (f->own) {
        TRY(own_query(&q, f->own, CHANGE_NONE, 0.0, rows, seed, number));
    } else {
        TRY(generator_query(&q, f, false, rows, seed, number));
    }
    TRY(narrow(&pair, &q));
    TRY(invariance_create(&test, pair, &(invariance_options){.seed = 1}));
    TRY(invariance_work_create(&work, test));
    invariance_test(test, work, q.v, q.given, q.count, result);
cleanup:
    invariance_work_free(work);
    invariance_free(test);
    scone_pair_free(pair);
    query_free(&q);
    return status;
}

static scone_status level(size_t rows, size_t cases, uint64_t seed, const char *only)
{
    scone_status status = SCONE_OK;
    static const double levels[3] = {0.01, 0.05, 0.10};
    for (size_t f = 0; f < FAMILIES; f++) {
        double share[3] = {0.0}, possible = 0.0, covered = 0.0, overlap = 0.0;
        if (only && strcmp(family_list[f].name, only) != 0) continue;
        for (size_t i = 0; i < cases; i++) {
            invariance_result r;
            TRY(run_case(&r, &family_list[f], rows, seed, i));
            if (!r.possible) continue;
            possible += 1.0;
            overlap += r.overlap;
            covered += r.effect_high <= INVARIANCE_MARGIN;
            for (int k = 0; k < 3; k++) share[k] += r.p_value <= levels[k];
        }
        for (int k = 0; k < 3; k++) share[k] /= possible;
        printf("%s,%zu,%.0f,%.4f,%.4f,%.4f,%.4f,%.3f,%.3f\n", family_list[f].name, rows, possible,
               share[0], share[1], sqrt(share[1] * (1.0 - share[1]) / possible), share[2],
               overlap / possible, covered / possible);
        (void)fflush(stdout);
    }
cleanup:
    return status;
}

static scone_status cost(size_t rows)
{
    scone_status status = SCONE_OK;
    enum { TIMES = 10 };
    scone_setting setting;
    scone_problem *problem = NULL;
    invariance *test = NULL;
    invariance_work *work = NULL;
    TRY(scone_setting_named(&setting, "ood-100-100"));
    setting.samples = rows;
    TRY(scone_simulate(&problem, &setting, 0, NULL));
    double start = now();
    TRY(invariance_create(&test, scone_problem_pair(problem), &(invariance_options){.seed = 1}));
    double create = now() - start;
    TRY(invariance_work_create(&work, test));
    for (size_t count = 0; count <= 4; count++) {
        double first = 0.0, again = 0.0;
        for (size_t k = 0; k < TIMES; k++) {
            size_t given[4] = {5 * k, 5 * k + 1, 5 * k + 2, 5 * k + 3};
            invariance_result r;
            if (count == 0) invariance_test(test, work, 99, given, 1, &r); /* another Z */
            start = now();
            invariance_test(test, work, 5 * k + 4, given, count, &r);
            first += (now() - start) / TIMES;
            start = now();
            invariance_test(test, work, 98, given, count, &r);
            again += (now() - start) / TIMES;
        }
        printf("%zu,%zu,%.1f,%.2f,%.2f\n", rows, count, create, first, again);
    }
cleanup:
    invariance_work_free(work);
    invariance_free(test);
    scone_problem_free(problem);
    return status;
}

int main(int argc, char **argv)
{
    scone_status status = SCONE_OK;
    if (argc >= 5 && strcmp(argv[1], "level") == 0) {
        printf("family,rows,possible,p_01,p_05,se_05,p_10,overlap,within_margin\n");
        status = level((size_t)atoi(argv[2]), (size_t)atoi(argv[3]), (uint64_t)atoi(argv[4]),
                       argc > 5 ? argv[5] : NULL);
    } else if (argc == 2 && strcmp(argv[1], "time") == 0) {
        printf("rows,given,create_ms,first_ms,again_ms\n");
        static const size_t rows[3] = {1000, 2500, 10000};
        for (int k = 0; k < 3 && status == SCONE_OK; k++) status = cost(rows[k]);
    } else {
        (void)fprintf(stderr, "bench_invariance level ROWS CASES SEED [FAMILY] | time\n");
        return 2;
    }
    if (status != SCONE_OK) (void)fprintf(stderr, "%s\n", scone_error_message());
    return (int)status;
}
