/* bench_team.c - time of a shared loop whose items cost nothing: what sharing itself costs.
 * Usage: mpirun -n RANKS bench_team ITEMS BYTES ROUNDS
 * Process 0 prints the median and the greatest of ROUNDS times in microseconds.
 */
#include "base/memory.h"
#include "parallel/team.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct job {
    char *results;
    size_t bytes;
} job;

static scone_status fill(void *argument, size_t item, int worker)
{
    const job *j = argument;
    (void)worker;
    memset(j->results + item * j->bytes, (int)(item % 100), j->bytes);
    return SCONE_OK;
}

static double seconds_now(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static scone_status measure(const scone_context *context, size_t items, size_t bytes, size_t rounds)
{
    scone_status status = SCONE_OK;
    job j = {.bytes = bytes};
    double *times = NULL;
    TRY_ALLOC(j.results, items * bytes);
    TRY_ALLOC(times, rounds);
    for (size_t r = 0; r < rounds; r++) {
        double start = seconds_now();
        TRY(team_for(items, context, NULL, fill, &j, j.results, bytes));
        times[r] = 1e6 * (seconds_now() - start);
    }
    qsort(times, rounds, sizeof *times, compare);
    if (team_is_first(context)) (void)printf("%.1f %.1f\n", times[rounds / 2], times[rounds - 1]);
cleanup:
    mem_free(j.results);
    mem_free(times);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        (void)fprintf(stderr, "usage: bench_team ITEMS BYTES ROUNDS\n");
        return 2;
    }
    scone_context context = {.threads = 1};
    scone_status status = scone_team_open(&context.team);
    if (status == SCONE_OK) {
        status = measure(&context, (size_t)strtoul(argv[1], NULL, 10),
                         (size_t)strtoul(argv[2], NULL, 10), (size_t)strtoul(argv[3], NULL, 10));
        status = team_agree(&context, status);
    }
    if (status != SCONE_OK) (void)fprintf(stderr, "%s\n", scone_error_message());
    scone_team_close(context.team);
    return (int)status;
}
