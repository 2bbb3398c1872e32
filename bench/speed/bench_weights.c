/* bench_weights.c - how long writing and opening a weights file takes; used by
 * bench/speed/weights.py.
 *
 *     bench_weights FILE [REPEATS]
 *
 * writes a file of the size of a model with 4 blocks (about a million floats, and two tensors of
 * whole numbers as a checkpoint has them), opens it REPEATS times, and prints for every repeat the
 * processor seconds, all checks included. Value i of tensor t is a function of i and t that the
 * script computes again.
 */
#include "model/weights/weights.h"

#include "settings.h"

#include <time.h>

enum { TENSORS = 64, FLOATS = 16384, WORDS = 257 };

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void write_sample(const char *path)
{
    static float floats[TENSORS][FLOATS];
    static uint64_t words[2][WORDS];
    static char names[TENSORS][32];
    weights_tensor tensors[TENSORS + 2];
    for (size_t t = 0; t < TENSORS; t++) {
        (void)snprintf(names[t], sizeof names[t], "block.%zu.weight", t);
        for (size_t i = 0; i < FLOATS; i++) {
            /* a multiple of 2^-12, which float holds exactly */
            floats[t][i] = (float)((i * 7919 + t * 104729) % 65536) / 4096.0f - 8.0f;
        }
        tensors[t] = (weights_tensor){
            .name = names[t], .rank = 2, .shape = {FLOATS / 64, 64}, .data = floats[t]};
    }
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < WORDS; i++) {
            words[t][i] = (i + 1) * UINT64_C(0x9E3779B97F4A7C15) + t;
        }
        tensors[TENSORS + t] = (weights_tensor){.name = t ? "random" : "position",
                                                .type = WEIGHTS_U64,
                                                .rank = 1,
                                                .shape = {WORDS},
                                                .data = words[t]};
    }
    const weights_note note = {"command", "bench_weights \"quoted\" \\ \xc3\xa4"};
    require(weights_write(path, WEIGHTS_FORMAT_CHECKPOINT, tensors, TENSORS + 2, &note, 1));
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_weights FILE [REPEATS]\n");
        return 2;
    }
    int repeats = argc > 2 ? atoi(argv[2]) : 1;
    double start = seconds_now();
    write_sample(argv[1]);
    (void)printf("write %.6f\n", seconds_now() - start);
    for (int k = 0; k < repeats; k++) {
        weights *w;
        start = seconds_now();
        require(weights_open(&w, argv[1], WEIGHTS_FORMAT_CHECKPOINT));
        (void)printf("open %.6f\n", seconds_now() - start);
        weights_free(w);
    }
    return 0;
}
