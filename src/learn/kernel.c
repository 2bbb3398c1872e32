/* kernel.c - see kernel.h. Vector lanes are spelt with the compiler's vector type; the functions
 * are built for plain, AVX2+FMA and AVX-512 machines and chosen at load time. */
#include "learn/kernel.h"

#include "base/simd.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float lanes __attribute__((vector_size(32), aligned(4)));
typedef int32_t ints __attribute__((vector_size(32), aligned(4)));

SIMD_INLINE lanes load(const float *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE float total(lanes v)
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

SIMD_CLONES_FUSED void kernel_linear(float *out, const float *const *columns,
                                     const float *coefficients, size_t count, size_t offset,
                                     size_t rows)
{
    for (size_t i = 0; i < rows; i += 16) {
        lanes s0 = {0}, s1 = {0};
        for (size_t a = 0; a < count; a++) {
            const float *c = columns[a] + offset + i;
            float k = coefficients[a];
            s0 += load(c) * k;
            s1 += load(c + 8) * k;
        }
        memcpy(out + i, &s0, sizeof s0);
        memcpy(out + i + 8, &s1, sizeof s1);
    }
}

SIMD_CLONES_FUSED void kernel_project(double *out, const float *const *columns, const float *v,
                                      size_t count, size_t offset, size_t rows)
{
    for (size_t a = 0; a < count; a++) {
        const float *c = columns[a] + offset;
        lanes s0 = {0}, s1 = {0};
        for (size_t i = 0; i < rows; i += 16) {
            s0 += load(c + i) * load(v + i);
            s1 += load(c + i + 8) * load(v + i + 8);
        }
        out[a] += (double)total(s0 + s1);
    }
}

SIMD_CLONES_FUSED void kernel_gram(double *gram, const float *const *columns, const float *w,
                                   size_t count, size_t offset, size_t rows)
{
    float scaled[2][KERNEL_BLOCK];
    for (size_t a = 0; a < count; a += 2) {
        size_t two = a + 1 < count;
        const float *c0 = columns[a] + offset, *c1 = columns[a + two] + offset;
        for (size_t i = 0; i < rows; i += 8) {
            lanes x = load(w + i), p = x * load(c0 + i), q = x * load(c1 + i);
            memcpy(scaled[0] + i, &p, sizeof p);
            memcpy(scaled[1] + i, &q, sizeof q);
        }
        size_t b = 0;
        for (; b + 3 <= a + 1; b += 3) { /* 2 x 3 tile of inner products */
            const float *d0 = columns[b] + offset, *d1 = columns[b + 1] + offset,
                        *d2 = columns[b + 2] + offset;
            lanes s00 = {0}, s01 = {0}, s02 = {0}, s10 = {0}, s11 = {0}, s12 = {0};
            for (size_t i = 0; i < rows; i += 8) {
                lanes x = load(scaled[0] + i), y = load(scaled[1] + i);
                lanes u = load(d0 + i), v = load(d1 + i), z = load(d2 + i);
                s00 += x * u;
                s01 += x * v;
                s02 += x * z;
                s10 += y * u;
                s11 += y * v;
                s12 += y * z;
            }
            double *row = gram + a * count + b;
            row[0] += (double)total(s00);
            row[1] += (double)total(s01);
            row[2] += (double)total(s02);
            if (two) {
                row += count;
                row[0] += (double)total(s10);
                row[1] += (double)total(s11);
                row[2] += (double)total(s12);
            }
        }
        for (; b <= a + two; b++) {
            const float *d = columns[b] + offset;
            lanes s0 = {0}, s1 = {0};
            for (size_t i = 0; i < rows; i += 8) {
                lanes u = load(d + i);
                s0 += load(scaled[0] + i) * u;
                s1 += load(scaled[1] + i) * u;
            }
            if (b <= a) gram[a * count + b] += (double)total(s0);
            if (two) gram[(a + 1) * count + b] += (double)total(s1);
        }
    }
}

SIMD_CLONES_FUSED void kernel_products(double *out, const float *const *left, size_t left_count,
                                       const float *const *right, size_t right_count,
                                       const float *w, size_t offset, size_t rows)
{
    float scaled[2][KERNEL_BLOCK];
    for (size_t a = 0; a < left_count; a += 2) {
        size_t two = a + 1 < left_count;
        const float *c0 = left[a] + offset, *c1 = left[a + two] + offset;
        for (size_t i = 0; i < rows; i += 8) {
            lanes x = load(w + i), p = x * load(c0 + i), q = x * load(c1 + i);
            memcpy(scaled[0] + i, &p, sizeof p);
            memcpy(scaled[1] + i, &q, sizeof q);
        }
        for (size_t b = 0; b < right_count; b += 2) {
            size_t pair = b + 1 < right_count;
            const float *d0 = right[b] + offset, *d1 = right[b + pair] + offset;
            lanes s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0};
            for (size_t i = 0; i < rows; i += 8) {
                lanes x = load(scaled[0] + i), y = load(scaled[1] + i);
                lanes u = load(d0 + i), v = load(d1 + i);
                s00 += x * u;
                s01 += x * v;
                s10 += y * u;
                s11 += y * v;
            }
            double *row = out + a * right_count + b;
            row[0] += (double)total(s00);
            if (pair) row[1] += (double)total(s01);
            if (!two) continue;
            row += right_count;
            row[0] += (double)total(s10);
            if (pair) row[1] += (double)total(s11);
        }
    }
}

SIMD_INLINE lanes log_lanes(lanes x)
{
    /* x = 2^k m, m in [sqrt(1/2), sqrt(2)); log m by a polynomial in m - 1 (minimax, degree 9) */
    ints bits;
    memcpy(&bits, &x, sizeof bits);
    ints k = ((bits - 0x3f3504f3) >> 23);
    bits -= k << 23;
    lanes m;
    memcpy(&m, &bits, sizeof m);
    lanes f = m - 1.0f;
    lanes z = f * f;
    lanes p = 7.0376836292E-2f * f - 1.1514610310E-1f;
    p = p * f + 1.1676998740E-1f;
    p = p * f - 1.2420140846E-1f;
    p = p * f + 1.4249322787E-1f;
    p = p * f - 1.6668057665E-1f;
    p = p * f + 2.0000714765E-1f;
    p = p * f - 2.4999993993E-1f;
    p = p * f + 3.3333331174E-1f;
    lanes kf = __builtin_convertvector(k, lanes);
    return kf * 0.693359375f + (f + (z * f * p - 0.5f * z + kf * -2.12194440e-4f));
}

SIMD_CLONES_FUSED void kernel_log(float *out, const float *in, size_t rows)
{
    for (size_t i = 0; i < rows; i += 8) {
        lanes v = log_lanes(load(in + i));
        memcpy(out + i, &v, sizeof v);
    }
}

SIMD_INLINE lanes exp_lanes(lanes x)
{
    /* e^x = 2^k e^r, |r| <= log(2)/2 */
    lanes t = x * 1.44269504089f + 12582912.0f; /* round to nearest by the magic constant */
    ints k;
    memcpy(&k, &t, sizeof k);
    k -= 0x4b400000;
    lanes kf = t - 12582912.0f;
    lanes r = x - kf * 0.693359375f;
    r = r - kf * -2.12194440e-4f;
    lanes p = 1.9875691500E-4f * r + 1.3981999507E-3f;
    p = p * r + 8.3334519073E-3f;
    p = p * r + 4.1665795894E-2f;
    p = p * r + 1.6666665459E-1f;
    p = p * r + 5.0000001201E-1f;
    p = p * r * r + r + 1.0f;
    ints bits = (k + 127) << 23;
    lanes scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

/* mask ? a : b, lane by lane */
SIMD_INLINE lanes choose(ints mask, lanes a, lanes b)
{
    ints x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = (mask & x) | (~mask & y);
    memcpy(&a, &x, sizeof a);
    return a;
}

SIMD_CLONES_FUSED void kernel_exp(float *out, const float *in, size_t rows)
{
    for (size_t i = 0; i < rows; i += 8) {
        lanes v = exp_lanes(load(in + i));
        memcpy(out + i, &v, sizeof v);
    }
}

SIMD_CLONES_FUSED void kernel_tanh(float *out, const float *in, size_t rows)
{
    const lanes zero = {0}, limit = zero + 9.0f;
    for (size_t i = 0; i < rows; i += 8) { /* 1 - 2 / (1 + e^2x); |x| > 9 is 1 in a float */
        lanes x = load(in + i);
        x = choose(x > limit, limit, x);
        x = choose(x < -limit, -limit, x);
        lanes v = 1.0f - 2.0f / (1.0f + exp_lanes(2.0f * x));
        memcpy(out + i, &v, sizeof v);
    }
}

SIMD_CLONES_FUSED double kernel_range(float range[2], const float *e, size_t rows)
{
    lanes s = {0}, low = s + range[0], high = s + range[1];
    for (size_t i = 0; i < rows; i += 8) {
        lanes x = load(e + i);
        s += x * x;
        low = choose(x < low, x, low);
        high = choose(x > high, x, high);
    }
    for (int j = 0; j < 8; j++) {
        range[0] = low[j] < range[0] ? low[j] : range[0];
        range[1] = high[j] > range[1] ? high[j] : range[1];
    }
    return (double)total(s);
}

SIMD_CLONES_FUSED double kernel_histogram(double *bins, unsigned count, const float *e,
                                          float scale, float low_end, float high_end, size_t rows)
{
    double sum = 0.0;
    const float stretch = (float)count / (high_end > low_end ? high_end - low_end : 1.0f);
    float counts[KERNEL_BINS + 2] = {0}; /* the ends hold what belongs to the outer bins */
    const lanes zero = {0}, limit = zero + 80.0f;
    for (size_t i = 0; i < rows; i += 8) {
        /* with t = exp(-|x|): u or 1 - u is 1/(1+t), and log u (1-u) = -|x| - 2 log(1+t) */
        lanes x = load(e + i) * scale, size = choose(x < zero, -x, x);
        lanes t = exp_lanes(-choose(size > limit, limit, size));
        lanes near = 1.0f / (1.0f + t), u = choose(x < zero, t * near, near);
        lanes density = -size - 2.0f * log_lanes(1.0f + t);
        lanes place = (u - low_end) * stretch + 0.5f;
        place = choose(place < zero, zero, place); /* rounding at the ends */
        ints low = __builtin_convertvector(place, ints);
        lanes part = place - __builtin_convertvector(low, lanes);
        for (int j = 0; j < 8; j++) {
            unsigned b = (unsigned)low[j] <= count ? (unsigned)low[j] : count;
            counts[b] += 1.0f - part[j];
            counts[b + 1] += part[j];
        }
        sum += (double)total(density);
    }
    counts[1] += counts[0];
    counts[count] += counts[count + 1];
    for (unsigned b = 0; b < count; b++) bins[b] += (double)counts[b + 1];
    return sum + (double)rows * log((double)scale);
}
