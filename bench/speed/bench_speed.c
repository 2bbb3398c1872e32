/* bench_speed.c - how long `discover` takes, in units of a matrix product.
 *
 *     bench_speed SETTING EFFORT THREADS [ROWS] [GRAPHS] [SEED]
 *
 * Each graph is timed between two products of 1,024 x 1,024 matrices of doubles on the same number
 * of threads (half of the rows each for two). The least product counts, and the faster of two runs
 * of each graph, so that the ratio depends neither on the machine nor on what else it does. Prints
 * one line of CSV, with the peak of the process' memory and the mean F1. A number of nodes stands
 * for as many expected edges of the families of ood-20-20. Run it while nothing else runs.
 */
#include "parallel/parallel.h"
#include "settings.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { SIDE = 1024 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct product {
    double *a, *b, *c;
    int parts;
} product;

static scone_status multiply(void *argument, size_t item, int worker)
{
    product *p = argument;
    int rows = SIDE / p->parts;
    size_t first = item * (size_t)rows * SIDE;
    (void)worker;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, SIDE, SIDE, 1.0, p->a + first,
                SIDE, p->b, SIDE, 0.0, p->c + first, SIDE);
    return SCONE_OK;
}

static double time_product(product *p, const scone_context *context)
{
    double best = 1e300;
    for (int repeat = 0; repeat < 5; repeat++) {
        double start = seconds();
        require(parallel_for((size_t)p->parts, context, NULL, multiply, p));
        double taken = seconds() - start;
        if (taken < best) best = taken;
    }
    return best;
}

static scone_effort read_effort(const char *name)
{
    if (strcmp(name, "fast") == 0) return SCONE_EFFORT_FAST;
    return strcmp(name, "thorough") == 0 ? SCONE_EFFORT_THOROUGH : SCONE_EFFORT_NORMAL;
}

int main(int argc, char **argv)
{
    scone_setting setting;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_speed SETTING EFFORT THREADS [ROWS] [GRAPHS] [SEED]\n");
        return 2;
    }
    setting_read(&setting, argv[1]);
    const scone_context context = {.threads = atoi(argv[3])};
    const scone_discover_options options = {.effort = read_effort(argv[2])};
    size_t graphs = argc > 5 ? (size_t)atoll(argv[5]) : 1;
    if (argc > 4) setting.samples = (size_t)atoll(argv[4]);
    setting.seed = argc > 6 ? (uint64_t)atoll(argv[6]) : 71;
    product p = {.parts = context.threads};
    double **matrices[] = {&p.a, &p.b, &p.c};
    for (size_t m = 0; m < 3; m++) {
        *matrices[m] = malloc(SIDE * SIDE * sizeof(double));
        if (!*matrices[m]) return 4;
        for (size_t i = 0; i < SIDE * SIDE; i++) (*matrices[m])[i] = (double)(i % 97) / 97.0;
    }
    double unit = time_product(&p, &context), total = 0.0, f1 = 0.0;
    for (size_t g = 0; g < graphs; g++) {
        scone_problem *problem;
        scone_result *result = NULL;
        scone_scores scores;
        require(scone_simulate(&problem, &setting, g, &context));
        double taken = 1e300;
        for (int repeat = 0; repeat < 2; repeat++) {
            double start = seconds();
            if (repeat > 0) scone_result_free(result);
            require(scone_discover(&result, scone_problem_pair(problem), &options, &context));
            if (seconds() - start < taken) taken = seconds() - start;
        }
        total += taken;
        double again = time_product(&p, &context);
        if (again < unit) unit = again;
        require(
            scone_eval_graphs(&scores, scone_result_graph(result), scone_problem_graph(problem)));
        f1 += scores.f1;
        scone_result_free(result);
        scone_problem_free(problem);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double mean = total / (double)graphs;
    printf("%s,%s,%d,%zu,%zu,%llu,%.3f,%.5f,%.1f,%.0f,%.3f\n", argv[1], argv[2], context.threads,
           setting.samples, graphs, (unsigned long long)setting.seed, mean, unit, mean / unit,
           (double)usage.ru_maxrss / 1024.0, f1 / (double)graphs);
    for (size_t m = 0; m < 3; m++) free(*matrices[m]);
    return 0;
}
