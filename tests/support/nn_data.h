/* nn_data.h - random inputs and comparisons of the tests of src/model/nn and src/model; include
 * testing.h first. */
#ifndef SCONE_TESTS_NN_DATA_H
#define SCONE_TESTS_NN_DATA_H

#include "base/rng.h"
#include "model/nn/groups.h"
#include "model/nn/nn_work.h"

/* count reals, 64-byte aligned: normal with this sd; release with mem_free */
static inline real *random_reals(rng *r, size_t count, double sd)
{
    real *x = mem_aligned(count, sizeof *x);
    for (size_t i = 0; x && i < count; i++) x[i] = (real)(sd * rng_normal(r));
    return x;
}

static inline real *constant_reals(size_t count, double value)
{
    real *x = mem_aligned(count, sizeof *x);
    for (size_t i = 0; x && i < count; i++) x[i] = (real)value;
    return x;
}

/* Groups of these sizes; the members are contiguous, or in a random order of all rows below `rows`
 * (of which the first ones are used). */
typedef struct random_groups {
    nn_groups groups;
    uint32_t offsets[64], index[4096];
} random_groups;

static inline void groups_make(random_groups *made, const uint32_t *sizes, size_t count, rng *r,
                               size_t rows, bool shuffled)
{
    size_t order[4096];
    made->offsets[0] = 0;
    for (size_t g = 0; g < count; g++) made->offsets[g + 1] = made->offsets[g] + sizes[g];
    rng_permutation(r, order, rows);
    for (size_t i = 0; i < rows; i++) made->index[i] = (uint32_t)order[i];
    made->groups = (nn_groups){count, made->offsets, shuffled ? made->index : NULL};
}

static inline nn_work *make_work(int threads, size_t largest)
{
    scone_context context = {.threads = threads};
    nn_work *work;
    return nn_work_alloc(&work, &context, largest) == SCONE_OK ? work : NULL;
}

/* What sums of some hundred floats are good for, as a share of the largest element. */
static const double TOLERANCE = 3e-6;

/* max |actual - expected| <= tolerance max |expected|; NaN never passes */
static inline void check_close(const char *what, const real *actual, const double *expected,
                               size_t count, double tolerance)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(expected[i]));
    for (size_t i = 0; i < count; i++) {
        if (!(fabs((double)actual[i] - expected[i]) <= tolerance * largest)) {
            fail_msg("%s[%zu] is %.9g, expected %.9g (largest %.3g)", what, i, (double)actual[i],
                     expected[i], largest);
        }
    }
}

static inline double *zeros(size_t count)
{
    double *x = mem_zero(count, sizeof *x);
    assert_non_null(x);
    return x;
}

#endif
