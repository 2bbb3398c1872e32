/* bench_table.c - how fast tables are written as CSV and NPY and read from NPY.
 *
 *     bench_table FOLDER [ROWS COLUMNS [REPEATS]]
 *
 * writes a table of normal-looking values into FOLDER and prints for every repeat the seconds of
 * each step and the megabytes of the file per second, then the growth of the peak memory while the
 * NPY file is read, in multiples of the table. One thread. Includes the flush to the disk.
 */
#include "scone.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

static void report(const char *step, const char *path, double start)
{
    struct stat info;
    double seconds = seconds_now() - start;
    double bytes = stat(path, &info) == 0 ? (double)info.st_size : 0.0;
    (void)printf("%s seconds %.4f megabytes_per_second %.0f\n", step, seconds,
                 1e-6 * bytes / seconds);
}

static int stop(const char *what)
{
    (void)fprintf(stderr, "bench_table: %s: %s\n", what, scone_error_message());
    return 1;
}

/* Sums of four uniform numbers: 53-bit values around 0, as measured data have them. */
static scone_status make_table(scone_table **table, size_t rows, size_t columns)
{
    double *values = malloc(rows * columns * sizeof *values);
    uint64_t x = 88172645463325252u;
    *table = NULL;
    if (!values) return SCONE_ERR_MEMORY;
    for (size_t i = 0; i < rows * columns; i++) {
        values[i] = -2.0;
        for (int k = 0; k < 4; k++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            values[i] += 0x1p-53 * (double)(x >> 11);
        }
    }
    scone_status status = scone_table_from_columns(table, values, rows, columns, NULL);
    free(values);
    return status;
}

/* In a process of its own the peak is that of reading alone: run with "read FILE". */
static int read_once(const char *path)
{
    scone_table *table;
    double before = peak_bytes(), start = seconds_now();
    if (scone_table_read(&table, path, NULL, NULL) != SCONE_OK) return stop(path);
    report("read_npy", path, start);
    double cells = (double)scone_table_rows(table) * (double)scone_table_columns(table);
    (void)printf("read_npy peak_over_table %.3f\n", (peak_bytes() - before) / (8.0 * cells));
    scone_table_free(table);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "read") == 0) return read_once(argv[2]);
    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_table FOLDER [ROWS COLUMNS [REPEATS]]\n");
        return 2;
    }
    size_t rows = argc > 3 ? strtoul(argv[2], NULL, 10) : 100000;
    size_t columns = argc > 3 ? strtoul(argv[3], NULL, 10) : 100;
    int repeats = argc > 4 ? atoi(argv[4]) : 3;
    scone_table *table;
    char csv[4096], npy[4096], again[8300];
    (void)snprintf(csv, sizeof csv, "%s/bench_table.csv", argv[1]);
    (void)snprintf(npy, sizeof npy, "%s/bench_table.npy", argv[1]);
    (void)snprintf(again, sizeof again, "'%s' read '%s'", argv[0], npy);
    if (make_table(&table, rows, columns) != SCONE_OK) return stop("table");
    for (int k = 0; k < repeats; k++) {
        double start = seconds_now();
        if (scone_table_write(table, csv) != SCONE_OK) return stop(csv);
        report("write_csv", csv, start);
        start = seconds_now();
        if (scone_table_write(table, npy) != SCONE_OK) return stop(npy);
        report("write_npy", npy, start);
        (void)fflush(stdout);
        if (system(again) != 0) return 1;
    }
    scone_table_free(table);
    (void)remove(csv);
    (void)remove(npy);
    return 0;
}
