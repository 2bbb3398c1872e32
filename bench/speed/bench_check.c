/* bench_check.c - times the preflight: bench_check [rows columns threads] (default 20000 1000 1).
 * The table holds a few copies and totals, so that every examination has something to do. */
#include "base/memory.h"
#include "base/rng.h"
#include "data/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill(table *t, uint64_t regime)
{
    for (size_t j = 0; j < t->columns; j++) {
        rng stream = rng_stream(1, RNG_TEST, regime, j, 0);
        double *x = table_column(t, j);
        rng_fill_normal(&stream, x, t->rows);
        if (j < 2 || j % 100) continue;
        for (size_t r = 0; r < t->rows; r++) {
            x[r] = (x - t->rows)[r] - (j % 200 ? 0.0 : 2.0 * (x - 2 * t->rows)[r]);
        }
    }
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    size_t columns = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    scone_context context = {.threads = argc > 3 ? atoi(argv[3]) : 1};
    scone_pair pair = {{NULL, NULL}};
    scone_check *check = NULL;
    int code = 1;
    for (int regime = 0; regime < 2; regime++) {
        if (table_alloc(&pair.tables[regime], rows, columns, NULL) != SCONE_OK) goto cleanup;
        fill(pair.tables[regime], (uint64_t)regime);
    }
    double start = seconds();
    if (scone_check_run(&check, &pair, &context) != SCONE_OK) goto cleanup;
    printf("rows,columns,threads,findings,seconds\n%zu,%zu,%d,%zu,%.3f\n", rows, columns,
           context.threads, scone_check_count(check), seconds() - start);
    code = 0;
cleanup:
    if (code) fprintf(stderr, "%s\n", scone_error_message());
    scone_check_free(check);
    scone_table_free(pair.tables[0]);
    scone_table_free(pair.tables[1]);
    return code;
}
