/* bench_invariance.c - level of the invariance test (src/score/invariance.h). */
#include "invariance_cases.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? (size_t)atoi(argv[1]) : 1000, cases = argc > 2 ? (size_t)atoi(argv[2]) : 200;
    const char *only = argc > 3 ? argv[3] : "";
    for (size_t f = 0; f < FAMILIES; f++) {
        if (!strstr(family_list[f].name, only)) continue;
        size_t rejected[2] = {0}, possible[2] = {0}, r10[2]={0}, r01[2]={0};
        double spent = 0, q = 0, over = 0;
        for (size_t i = 0; i < cases; i++) {
            query x = {0};
            scone_status status = family_list[f].own
                ? own_query(&x, family_list[f].own, CHANGE_NONE, 0, rows, 1, i)
                : generator_query(&x, &family_list[f], false, rows, 1, i);
            if (status) { printf("%s\n", scone_error_message()); return 1; }
            invariance *t; invariance_work *w; invariance_result r;
            invariance_options o = {1, 0};
            if (invariance_create(&t, x.pair, &o) || invariance_work_create(&w, t)) return 1;
            double start = now();
            invariance_test(t, w, x.v, x.given, x.count, &r);
            spent += now() - start;
            possible[i%2] += r.possible;
            rejected[i%2] += r.possible && r.p_value <= 0.05;
            r10[i%2] += r.possible && r.p_value <= 0.10;
            r01[i%2] += r.possible && r.p_value <= 0.01;
            if (getenv("VERBOSE") && r.possible && r.p_value < 0.001) printf("case %zu v %zu count %zu p %g T %g q %g overlap %g\n", i, x.v, x.count, r.p_value, r.statistic, r.degrees, r.overlap);
            if (r.possible) { q += r.degrees; over += r.overlap; }
            invariance_free(t); invariance_work_free(w);
            query_free(&x);
        }
        for (int k = 0; k < 2; k++)
        printf("%-26s %s n %zu possible %zu  10%%: %.4f 5%%: %.4f 1%%: %.4f  ms %.3f q %.1f overlap %.2f\n", family_list[f].name, k?"other":"parents", rows, possible[k], (double)r10[k]/(double)possible[k],
            (double)rejected[k] / (double)possible[k], (double)r01[k]/(double)possible[k], spent/(double)cases, q/(double)(possible[0]+possible[1]), over/(double)(possible[0]+possible[1]));
        fflush(stdout);
    }
    return 0;
}
