/* bench_csv.c - how long the table reader takes and how much memory; used by
 * bench/speed/csv_read.py.
 *
 *     bench_csv FILE [REPEATS]
 *
 * prints for every repeat the processor seconds, then the growth of the peak memory over the first
 * read, the rows and columns, and the sum of all values (so that the work is visibly done). One
 * thread.
 */
#include "scone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor time, so that other work on the machine counts little. */
static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* VmHWM; ru_maxrss would start at the size of the process that started this one. */
static double peak_bytes(void)
{
    char line[256];
    double kilobytes = 0.0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtod(line + 6, NULL);
    }
    if (status) (void)fclose(status);
    return 1024.0 * kilobytes;
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
