/* lanes.h - eight floats at a time, for functions marked SIMD_CLONES_FUSED: loads, sums, a choice
 * by lane, exp and log. Spelt with the compiler's vector type, so that every version of a function
 * gets what its vector unit has.
 */
#ifndef SCONE_LEARN_FIT_LANES_H
#define SCONE_LEARN_FIT_LANES_H

#include "base/simd.h"

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

#endif
