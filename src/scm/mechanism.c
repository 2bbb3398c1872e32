/* mechanism.c - the five families of the benchmark (see mechanism.h and docs/methods/generator.md).
 *
 * Drawing a node takes its numbers from one stream in a fixed order: family, sigma2, noise mode,
 * weights. The coin of the noise mode is tossed even if the setting decides, so that settings that
 * differ in the noise mode alone share everything else.
 */
#include "scm/mechanism.h"

#include "base/simd.h"
#include "base/vmath.h"

#include <math.h>

static size_t hidden_units(unsigned family)
{
    return family == SCONE_NN ? MECHANISM_NN_HIDDEN : MECHANISM_NN_ADD_HIDDEN;
}

/* rows of the input weights: parents, and the noise if it goes through the network */
static size_t network_inputs(unsigned family, size_t parents)
{
    return parents + (family == SCONE_NN);
}

size_t mechanism_weight_count(unsigned family, size_t parents)
{
    switch (family) {
    case SCONE_LINEAR:
        return parents;
    case SCONE_POLYNOMIAL:
    case SCONE_SIGMOID:
        return 3 * parents;
    default:
        return (network_inputs(family, parents) + 1) * hidden_units(family);
    }
}

static double signed_range(rng *r, double low, double high)
{
    double magnitude = rng_range(r, low, high);
    return rng_sign(r) * magnitude;
}

static unsigned draw_family(unsigned families, rng *r)
{
    uint64_t skip = rng_below(r, (uint64_t)__builtin_popcount(families));
    for (; skip > 0; skip--) families &= families - 1;
    return families & (~families + 1); /* the lowest bit that is left */
}

scone_status mechanism_draw(mechanism *m, arena *memory, unsigned families, scone_noise noise,
                            rng *r)
{
    m->family = draw_family(families, r);
    m->noise_sd = 0.4 * sqrt(rng_range(r, 1.0, 2.0));
    bool coin = rng_sign(r) > 0.0;
    bool product = m->family == SCONE_POLYNOMIAL || m->family == SCONE_SIGMOID;
    m->multiplicative =
        product && (noise == SCONE_NOISE_MIXED ? coin : noise == SCONE_NOISE_MULTIPLICATIVE);
    size_t count = mechanism_weight_count(m->family, m->parents);
    double *w = arena_get(memory, count, sizeof *w);
    if (!w) return SCONE_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        switch (m->family) {
        case SCONE_LINEAR:
            w[i] = signed_range(r, 0.25, 1.0);
            break;
        case SCONE_POLYNOMIAL:
            w[i] = rng_uniform(r);
            break;
        case SCONE_SIGMOID:
            if (i % 3 == 0) w[i] = 1.0 + 0.25 * rng_exponential(r);
            if (i % 3 == 1) w[i] = signed_range(r, 0.5, 2.0);
            if (i % 3 == 2) w[i] = rng_range(r, -2.0, 2.0);
            break;
        default:
            w[i] = rng_normal(r);
            break;
        }
    }
    m->weights[0] = m->weights[1] = w;
    return SCONE_OK;
}

scone_status mechanism_shift(mechanism *m, arena *memory, rng *r)
{
    size_t count = mechanism_weight_count(m->family, m->parents);
    double *w = arena_get(memory, count, sizeof *w);
    if (!w) return SCONE_ERR_MEMORY;
    memcpy(w, m->weights[0], count * sizeof *w);
    size_t kept = 0; /* input weights of a network stay */
    if (m->family == SCONE_NN || m->family == SCONE_NN_ADD) kept = count - hidden_units(m->family);
    for (size_t i = kept; i < count; i++) {
        switch (m->family) {
        case SCONE_LINEAR:
            w[i] = signed_range(r, 1.0, 2.0);
            break;
        case SCONE_POLYNOMIAL:
            w[i] = rng_range(r, 1.0, 2.0);
            break;
        case SCONE_SIGMOID:
            if (i % 3 == 1) w[i] = signed_range(r, 2.0, 4.0);
            if (i % 3 == 2) w[i] = rng_range(r, -2.0, 2.0);
            break;
        default:
            w[i] += rng_normal(r);
            break;
        }
    }
    m->weights[1] = w;
    return SCONE_OK;
}

/* ---- kernels: one pass over a block of rows that lies in the cache ---- */

SIMD_CLONES void mechanism_stretch(double *restrict x, size_t n, double low, double width)
{
    for (size_t i = 0; i < n; i++) x[i] = low + width * x[i];
}

/* y = w x */
SIMD_CLONES static void set_linear(double *restrict y, const double *restrict x, double w, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = w * x[i];
}

/* y += w x */
SIMD_CLONES static void add_linear(double *restrict y, const double *restrict x, double w, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += w * x[i];
}

/* clip(c0 + c1 x + c2 x^2, -1, 1) */
SIMD_INLINE double polynomial(double x, const double c[3])
{
    return vmath_min(vmath_max(c[0] + (c[1] + c[2] * x) * x, -1.0), 1.0);
}

/* a z / (1 + |z|), z = b (x + c) */
SIMD_INLINE double sigmoid(double x, const double abc[3])
{
    double z = abc[1] * (x + abc[2]);
    return abc[0] * z / (1.0 + vmath_abs(z));
}

/* y = s y + f(x) for the first parent, y += f(x) for the others */
SIMD_CLONES static void start_polynomial(double *restrict y, double s, const double *restrict x,
                                         const double *w, size_t n)
{
    const double c[3] = {w[0], w[1], w[2]};
    for (size_t i = 0; i < n; i++) y[i] = s * y[i] + polynomial(x[i], c);
}

SIMD_CLONES static void add_polynomial(double *restrict y, const double *restrict x,
                                       const double *w, size_t n)
{
    const double c[3] = {w[0], w[1], w[2]};
    for (size_t i = 0; i < n; i++) y[i] += polynomial(x[i], c);
}

SIMD_CLONES static void start_sigmoid(double *restrict y, double s, const double *restrict x,
                                      const double *w, size_t n)
{
    const double abc[3] = {w[0], w[1], w[2]};
    for (size_t i = 0; i < n; i++) y[i] = s * y[i] + sigmoid(x[i], abc);
}

SIMD_CLONES static void add_sigmoid(double *restrict y, const double *restrict x, const double *w,
                                    size_t n)
{
    const double abc[3] = {w[0], w[1], w[2]};
    for (size_t i = 0; i < n; i++) y[i] += sigmoid(x[i], abc);
}

/* y += w tanh(z) */
SIMD_CLONES static void add_tanh(double *restrict y, const double *restrict z, double w, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += w * vmath_tanh(z[i]);
}

/* y = s y + w x */
SIMD_CLONES static void start_linear(double *restrict y, double s, const double *restrict x,
                                     double w, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = s * y[i] + w * x[i];
}

/* y *= s f */
SIMD_CLONES static void multiply(double *restrict y, double s, const double *restrict f, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] *= s * f[i];
}

static void clear(double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = 0.0;
}

/* y = s y + sum over parents of f */
static void sum_parents(double *y, double s, const mechanism *m, const double *weights,
                        const double *columns, size_t stride, size_t n)
{
    for (size_t j = 0; j < m->parents; j++) {
        const double *x = columns + m->parent[j] * stride, *w = weights + 3 * j;
        switch (m->family) {
        case SCONE_LINEAR:
            if (j == 0) {
                start_linear(y, s, x, weights[0], n);
            } else {
                add_linear(y, x, weights[j], n);
            }
            break;
        case SCONE_POLYNOMIAL:
            if (j == 0) {
                start_polynomial(y, s, x, w, n);
            } else {
                add_polynomial(y, x, w, n);
            }
            break;
        default:
            if (j == 0) {
                start_sigmoid(y, s, x, w, n);
            } else {
                add_sigmoid(y, x, w, n);
            }
            break;
        }
    }
}

/* tanh([X, eps] W_in) W_out or tanh(X W_in) W_out + eps, one hidden unit after the other */
static void apply_network(double *values, const mechanism *m, const double *weights,
                          const double *columns, size_t stride, double *scratch, size_t n)
{
    bool inside = m->family == SCONE_NN; /* the noise goes through the network */
    size_t units = hidden_units(m->family);
    const double *output = weights + network_inputs(m->family, m->parents) * units;
    double *sum = scratch, *hidden = scratch + n;
    clear(sum, n);
    for (size_t h = 0; h < units; h++) {
        set_linear(hidden, columns + m->parent[0] * stride, weights[h], n);
        for (size_t j = 1; j < m->parents; j++) {
            add_linear(hidden, columns + m->parent[j] * stride, weights[j * units + h], n);
        }
        if (inside) add_linear(hidden, values, m->noise_sd * weights[m->parents * units + h], n);
        add_tanh(sum, hidden, output[h], n);
    }
    start_linear(values, inside ? 0.0 : m->noise_sd, sum, 1.0, n);
}

void mechanism_apply(double *values, const mechanism *m, int regime, const double *columns,
                     size_t stride, double *scratch, size_t n)
{
    const double *weights = m->weights[regime];
    switch (m->family) {
    case SCONE_LINEAR:
    case SCONE_POLYNOMIAL:
    case SCONE_SIGMOID:
        if (m->multiplicative) {
            clear(scratch, n);
            sum_parents(scratch, 1.0, m, weights, columns, stride, n);
            multiply(values, m->noise_sd, scratch, n);
        } else {
            sum_parents(values, m->noise_sd, m, weights, columns, stride, n);
        }
        return;
    case SCONE_NN:
    case SCONE_NN_ADD:
        apply_network(values, m, weights, columns, stride, scratch, n);
        return;
    default:
        return; /* a root */
    }
}
