/* vector.h - lanes of reals and their exponential and logarithm, for functions marked
 * SIMD_CLONES_FUSED (base/simd.h).
 *
 * A vector has 32 bytes: 8 floats, or 4 doubles in the double build. The float polynomials come
 * from tools/vmath_coefficients.py; exp2 is within 1.2e-7 relative, log2 within 1e-7 of the
 * larger of 3 and itself (tests/unit/model/test_nn.c). The double build asks libm. NaN goes through
 * all of them.
 */
#ifndef SCONE_MODEL_NN_VECTOR_H
#define SCONE_MODEL_NN_VECTOR_H

#include "base/simd.h"
#include "model/nn/real.h"

#include <math.h>
#include <string.h>

enum { LANES = 32 / sizeof(real) };

typedef real lanes __attribute__((vector_size(32)));
#ifdef SCONE_NN_DOUBLE
typedef int64_t lane_bits __attribute__((vector_size(32)));
#else
typedef int32_t lane_bits __attribute__((vector_size(32)));
typedef uint32_t lane_words __attribute__((vector_size(32)));
#endif

#define VECTOR_LOG2_E ((real)1.44269504088896340736)
#define VECTOR_LN2    ((real)0.69314718055994530942)

SIMD_INLINE lanes vector_load(const real *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void vector_store(real *p, lanes v)
{
    memcpy(p, &v, sizeof v);
}

SIMD_INLINE lanes vector_all(real x)
{
    const lanes zero = {0};
    return zero + x;
}

/* The first `width` lanes; the others are 0. */
SIMD_INLINE lanes vector_load_part(const real *p, size_t width)
{
    if (width == LANES) return vector_load(p);
    lanes v = {0};
    for (size_t j = 0; j < width; j++) v[j] = p[j];
    return v;
}

SIMD_INLINE void vector_store_part(real *p, lanes v, size_t width)
{
    if (width == LANES) {
        vector_store(p, v);
    } else {
        for (size_t j = 0; j < width; j++) p[j] = v[j];
    }
}

SIMD_INLINE real vector_total(lanes v)
{
#ifdef SCONE_NN_DOUBLE
    return (v[0] + v[2]) + (v[1] + v[3]);
#else
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
#endif
}

/* mask ? a : b, lane by lane; a mask is the result of a comparison */
SIMD_INLINE lanes vector_choose(lane_bits mask, lanes a, lanes b)
{
    return (lanes)((mask & (lane_bits)a) | (~mask & (lane_bits)b));
}

SIMD_INLINE lanes vector_larger(lanes a, lanes b)
{
    return vector_choose(a > b, a, b);
}

#ifdef SCONE_NN_DOUBLE
SIMD_INLINE lanes vector_exp2(lanes x)
{
    for (int j = 0; j < LANES; j++) x[j] = exp2(x[j]);
    return x;
}

SIMD_INLINE lanes vector_log2(lanes x)
{
    for (int j = 0; j < LANES; j++) x[j] = log2(x[j]);
    return x;
}
#else
/* 2^x for x < 127, where x is first raised to -100: far enough for a soft-max, and no denormal
 * arises in what is multiplied with it. 2^x = 2^k 2^r with |r| <= 1/2. */
SIMD_INLINE lanes vector_exp2(lanes x)
{
    const lanes low = vector_all(-100.0f);
    x = vector_choose(x < low, low, x);
    lanes shifted = x + 0x1.8p23f; /* rounds to the nearest integer, which stands in the low bits */
    lanes r = x - (shifted - 0x1.8p23f);
    lanes p = r * 0x1.44138ap-13f + 0x1.5f0890p-10f;
    p = p * r + 0x1.3b2a54p-7f;
    p = p * r + 0x1.c6af6cp-5f;
    p = p * r + 0x1.ebfbe0p-3f;
    p = p * r + 0x1.62e430p-1f;
    lanes power = (lanes)(((lane_words)shifted + 127u) << 23);
    return (p * r + 1.0f) * power;
}

/* log2 of positive, finite, normal numbers. x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)) and
 * log(1 + f) = s (2 + s^2 P(s^2)), s = f / (2 + f) */
SIMD_INLINE lanes vector_log2(lanes x)
{
    lane_bits bits = (lane_bits)x;
    lane_bits k = (bits - 0x3f3504f3) >> 23;
    lanes f = (lanes)(bits - (lane_bits)((lane_words)k << 23)) - 1.0f;
    lanes s = f / (f + 2.0f), t = s * s;
    lanes p = (t * 0x1.2ee610p-2f + 0x1.997c30p-2f) * t + 0x1.55555cp-1f;
    return s * (t * p + 2.0f) * VECTOR_LOG2_E + __builtin_convertvector(k, lanes);
}
#endif

/* 1 / (1 + 2^x), at least 2^-100 */
SIMD_INLINE lanes vector_logistic2(lanes x)
{
    const lanes high = vector_all(100);
    return (real)1 / (vector_exp2(vector_choose(x > high, high, x)) + (real)1);
}

#endif
