/* bench_simulate.c - time of scone_simulate in memory.
 * Usage: bench_simulate SETTING THREADS ROUNDS SEED
 * Prints one line per round: seconds and processor seconds to make and free one graph. Eight
 * graphs that are not timed bring memory and threads to their steady state.
 */
#include "scone.h"

#include <stdlib.h>
#include <time.h>

enum { WARM_UP = 8 };

static double seconds_now(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        (void)fprintf(stderr, "usage: bench_simulate SETTING THREADS ROUNDS SEED\n");
        return 2;
    }
    scone_setting setting;
    scone_context context = {.threads = atoi(argv[2])};
    size_t rounds = (size_t)strtoul(argv[3], NULL, 10);
    if (scone_setting_named(&setting, argv[1]) != SCONE_OK) {
        (void)fprintf(stderr, "%s\n", scone_error_message());
        return 1;
    }
    setting.seed = strtoull(argv[4], NULL, 10);
    for (size_t i = 0; i < WARM_UP + rounds; i++) {
        scone_problem *problem;
        double start = seconds_now(CLOCK_MONOTONIC), used = seconds_now(CLOCK_PROCESS_CPUTIME_ID);
        scone_status status = scone_simulate(&problem, &setting, i, &context);
        scone_problem_free(problem);
        double seconds = seconds_now(CLOCK_MONOTONIC) - start;
        used = seconds_now(CLOCK_PROCESS_CPUTIME_ID) - used;
        if (status != SCONE_OK) {
            (void)fprintf(stderr, "%s\n", scone_error_message());
            return (int)status;
        }
        if (i >= WARM_UP) (void)printf("%.9f %.9f\n", seconds, used);
    }
    return 0;
}
