/* sample.h - random numbers for tests of linear algebra and the preflight, independent of the
 * library's own streams (splitmix64; normals by Marsaglia's polar method). */
#ifndef SCONE_TESTS_SAMPLE_H
#define SCONE_TESTS_SAMPLE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* As doubles: the macros of math.h are floats, which -Wdouble-promotion minds. */
#define MISSING  ((double)NAN)
#define INFINITE ((double)INFINITY)

typedef struct sample_stream {
    uint64_t state;
} sample_stream;

static inline double sample_uniform(sample_stream *s) /* (0, 1) */
{
    uint64_t z = (s->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((double)(z >> 12) + 0.5) * 0x1p-52;
}

static inline double sample_normal(sample_stream *s)
{
    for (;;) {
        double u = 2.0 * sample_uniform(s) - 1.0, v = 2.0 * sample_uniform(s) - 1.0;
        double q = u * u + v * v;
        if (q < 1.0) return u * sqrt(-2.0 * log(q) / q);
    }
}

static inline void sample_normals(sample_stream *s, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = sample_normal(s);
}

#endif
