/* vmath.h - log, exp, tanh and sine and cosine of turns that give the same bytes on every machine.
 *
 * Only IEEE +, -, *, / and operations on bits are used, in a fixed order, without branches, so a
 * loop over an array vectorizes and every vector unit computes what plain code computes. The
 * coefficients come from tools/vmath_coefficients.py. Largest errors found against long double, in
 * units of the last place (tests/unit/base/test_rng.c): log 2.7, exp 0.9, tanh 2.3, sine 2.2 and
 * cosine 1.0 (of 1, beyond an eighth of a turn). Arguments outside the stated domains give
 * nonsense, never a trap.
 */
#ifndef SCONE_BASE_VMATH_H
#define SCONE_BASE_VMATH_H

#include "base/simd.h"

#include <stdint.h>
#include <string.h>

SIMD_INLINE double vmath_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

SIMD_INLINE uint64_t vmath_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

SIMD_INLINE double vmath_abs(double x)
{
    return vmath_from_bits(vmath_bits(x) & ~(UINT64_C(1) << 63));
}

/* Written as comparisons that compile to one instruction and never trap. */
SIMD_INLINE double vmath_min(double a, double b)
{
    return a < b ? a : b;
}

SIMD_INLINE double vmath_max(double a, double b)
{
    return a > b ? a : b;
}

/* x >= 0 with the sign of y */
SIMD_INLINE double vmath_copy_sign(double x, double y)
{
    return vmath_from_bits(vmath_bits(x) | (vmath_bits(y) & UINT64_C(1) << 63));
}

/* 1.5 * 2^52: adding it rounds to the nearest integer, which then stands in the low bits. */
#define VMATH_ROUND    0x1.8p52
#define VMATH_LN2      0x1.62e42fefa39efp-1
#define VMATH_LN2_HIGH 0x1.62e42p-1 /* k * this is exact for |k| < 2^21 */
#define VMATH_LN2_LOW  0x1.fdf473de6af28p-22
#define VMATH_LOG2_E   0x1.71547652b82fep+0

/* a + b x + ... + g x^6, paired so that few operations wait for each other. */
SIMD_INLINE double vmath_polynomial_6(double x, double a, double b, double c, double d, double e,
                                      double f, double g)
{
    double square = x * x;
    return ((a + b * x) + square * (c + d * x)) + (square * square) * ((e + f * x) + square * g);
}

/* sin(2 pi v) and cos(2 pi v) for |v| <= 1/8. */
SIMD_INLINE void vmath_sincos_eighth(double v, double *sine, double *cosine)
{
    double w = v * v;
    double s = vmath_polynomial_6(w, 0x1.921fb54442d18p+2, -0x1.4abbce625be41p+5,
                                  0x1.466bc677587f8p+6, -0x1.32d2cce2e5b19p+6, 0x1.50782fda12d96p+5,
                                  -0x1.e30071afc3e59p+3, 0x1.e3f38399551bfp+1);
    double c = vmath_polynomial_6(
        w, -0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5ac0p+6, -0x1.55d3c7e3cb241p+6, 0x1.e1f5068688d5bp+5,
        -0x1.a6d1eef479be1p+4, 0x1.f9ce245cada0bp+2, -0x1.b2f3eb054afcdp+0);
    *sine = s * v;
    *cosine = c * w + 1.0;
}

/* sin(2 pi u) and cos(2 pi u) for |u| < 2^49. */
SIMD_INLINE void vmath_sincos_turn(double u, double *sine, double *cosine)
{
    /* u = quarter / 4 + v with |v| <= 1/8; a quarter turn maps (c, s) to (-s, c) */
    double shifted = 4.0 * u + VMATH_ROUND;
    uint64_t quarter = vmath_bits(shifted);
    double v = u - 0.25 * (shifted - VMATH_ROUND);
    double s, c;
    vmath_sincos_eighth(v, &s, &c);
    uint64_t odd = (uint64_t)0 - (quarter & 1); /* all ones: exchange the two */
    uint64_t s_bits = vmath_bits(s), c_bits = vmath_bits(c), change = (s_bits ^ c_bits) & odd;
    uint64_t half = quarter & 2;         /* the sine changes its sign in quarters 2 and 3 */
    uint64_t middle = (quarter + 1) & 2; /* the cosine in quarters 1 and 2 */
    *sine = vmath_from_bits(s_bits ^ change ^ (half << 62));
    *cosine = vmath_from_bits(c_bits ^ change ^ (middle << 62));
}

/* x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)): returns k. x positive, finite, normal. */
SIMD_INLINE double vmath_log_split(double x, double *f)
{
    /* Adding the distance from sqrt(1/2) to 1 to the bits moves the exponent on exactly when the
     * mantissa is above sqrt(2). */
    const uint64_t one = UINT64_C(0x3ff0000000000000), root = UINT64_C(0x3fe6a09e667f3bcd);
    uint64_t bits = vmath_bits(x) + (one - root);
    *f = vmath_from_bits((bits & UINT64_C(0x000fffffffffffff)) + root) - 1.0;
    /* the biased exponent as a double: 2^52 + k + 1023 */
    return vmath_from_bits((bits >> 52) | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
}

/* Natural logarithm of a positive, finite, normal number. */
SIMD_INLINE double vmath_log(double x)
{
    double f, k = vmath_log_split(x, &f);
    /* log(1 + f) = 2 atanh(s) = s (2 + s^2 P(s^2)), s = f / (2 + f) */
    double s = f / (2.0 + f), t = s * s;
    double p = vmath_polynomial_6(t, 0x1.5555555555558p-1, 0x1.99999999952e2p-2,
                                  0x1.2492492df148dp-2, 0x1.c71c62e5800a1p-3, 0x1.7462b4ab2ef6bp-3,
                                  0x1.39fe606542ddep-3, 0x1.2b584aae78a57p-3);
    return k * VMATH_LN2 + s * (2.0 + t * p);
}

/* exp(x) - 1 = 2^k (1 + p) - 1: *power is 2^k and the result p, for |x| <= 700. */
SIMD_INLINE double vmath_exp_parts(double x, double *power)
{
    double shifted = x * VMATH_LOG2_E + VMATH_ROUND;
    double k = shifted - VMATH_ROUND;
    double r = (x - k * VMATH_LN2_HIGH) - k * VMATH_LN2_LOW;
    double square = r * r;
    double high = vmath_polynomial_6(
        r, 0x1.6c16c16c162d6p-10, 0x1.a01a01abe62ddp-13, 0x1.a01a01a6d7808p-16,
        0x1.71de02375656cp-19, 0x1.27e4db67b4303p-22, 0x1.af4ddd84882fep-26, 0x1.1f72fc730b4ffp-29);
    double low = (0.5 + r * 0x1.5555555555557p-3) +
                 square * (0x1.5555555555556p-5 + r * 0x1.11111111100dfp-7);
    double p = low + square * square * high;
    /* the low bits of `shifted` hold k; its high bits leave by the shift */
    *power = vmath_from_bits((vmath_bits(shifted) + 1023) << 52);
    return r + square * p;
}

/* exp of x, which is first clipped to [-700, 700]. */
SIMD_INLINE double vmath_exp(double x)
{
    double power;
    double p = vmath_exp_parts(vmath_min(vmath_max(x, -700.0), 700.0), &power);
    return power + power * p;
}

/* tanh(x) = e / (e + 2) with e = exp(2 |x|) - 1; from |x| = 20 on it is 1 to the last bit. */
SIMD_INLINE double vmath_tanh(double x)
{
    double power;
    double p = vmath_exp_parts(2.0 * vmath_min(vmath_abs(x), 20.0), &power);
    double e = power * p + (power - 1.0);
    return vmath_copy_sign(e / (e + 2.0), x);
}

#endif
