/* bench_csv.c - how long the table reader takes and how much memory; used by bench/csv_read.py.
 *
 *     bench_csv FILE [REPEATS]
 *
 * prints for every repeat the seconds, then the growth of the peak memory over the first read, the
 * rows and columns, and the sum of all values (so that the work is visibly done). One thread.
 */
#include "scone.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_bytes(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_csv FILE [REPEATS]\n");
        return 2;
    }
    int repeats = argc > 2 ? atoi(argv[2]) : 1;
    double before = peak_bytes(), peak = 0.0, sum = 0.0;
    size_t rows = 0, columns = 0;
    for (int k = 0; k < repeats; k++) {
        scone_table *table;
        double start = seconds_now();
        if (scone_table_read(&table, argv[1], NULL, NULL) != SCONE_OK) {
            (void)fprintf(stderr, "bench_csv: %s\n", scone_error_message());
            return 1;
        }
        (void)printf("seconds %.6f\n", seconds_now() - start);
        if (k == 0) peak = peak_bytes() - before;
        rows = scone_table_rows(table);
        columns = scone_table_columns(table);
        sum = 0.0;
        for (size_t j = 0; j < columns; j++) {
            for (size_t i = 0; i < rows; i++) sum += scone_table_column(table, j)[i];
        }
        scone_table_free(table);
    }
    (void)printf("peak_bytes %.0f\nrows %zu\ncolumns %zu\nsum %.17g\n", peak, rows, columns, sum);
    return 0;
}
