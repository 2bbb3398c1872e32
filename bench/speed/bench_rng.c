/* bench_rng.c - time of random arrays of 2,048 values, which stay in the cache.
 * Prints "uniform" and "normal" with nanoseconds per value, the least of 50 rounds.
 */
#include "base/rng.h"

#include <stdio.h>
#include <time.h>

enum { VALUES = 2048, REPEATS = 200, ROUNDS = 50 };

static double seconds_now(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double least_time(void (*fill)(rng *, double *, size_t), double *sum)
{
    static double x[VALUES];
    double least = 1e9;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        rng r = rng_stream(1, RNG_TEST, round, 0, 0);
        double start = seconds_now();
        for (int i = 0; i < REPEATS; i++) {
            fill(&r, x, VALUES);
            *sum += x[0]; /* so that no call can be left out */
        }
        double seconds = (seconds_now() - start) / ((double)REPEATS * VALUES);
        if (seconds < least) least = seconds;
    }
    return 1e9 * least;
}

int main(void)
{
    double sum = 0.0;
    double uniform = least_time(rng_fill_uniform, &sum), normal = least_time(rng_fill_normal, &sum);
    (void)printf("uniform %.3f\nnormal %.3f\n", uniform, normal);
    return sum == 0.0; /* never 0 */
}
