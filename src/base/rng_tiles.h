/* rng_tiles.h - the arithmetic behind rng_fill_uniform and rng_fill_normal, one tile at a time.
 *
 * A tile is RNG_TILE blocks of four words: word j of block b is number j * RNG_TILE + b of the
 * tile, so that blocks lie side by side in the vectors and no word moves between lanes. Which word
 * makes which value depends on the index alone: a shorter array is a prefix of a longer one.
 * rng.c compiles these functions for every vector unit; the tests compile them plainly and compare.
 */
#ifndef SCONE_BASE_RNG_TILES_H
#define SCONE_BASE_RNG_TILES_H

#include "base/vmath.h"

#include <Random123/threefry.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { RNG_TILE = 32, RNG_TILE_WORDS = 4 * RNG_TILE, RNG_TILE_NORMALS = 2 * RNG_TILE_WORDS };

/* The centre of one of 2^52 equal cells of (0, 1): never 0 or 1, and symmetric about 1/2. */
SIMD_INLINE double rng_centre(uint64_t word)
{
    return vmath_from_bits((word >> 12) | UINT64_C(0x3ff0000000000000)) - (1.0 - 0x1p-53);
}

SIMD_INLINE void rng_mix(uint64_t *a, uint64_t *b, unsigned rotation)
{
    *a += *b;
    *b = RotL_64(*b, rotation) ^ *a;
}

/* Rounds 4 g - 3 .. 4 g of Threefry4x64 and the key injection g after them; ks is the key and its
 * parity word. The rotations repeat every eight rounds. */
SIMD_INLINE void rng_four_rounds(uint64_t x[4], const uint64_t ks[5], unsigned g)
{
    bool odd = g % 2 == 1;
    rng_mix(&x[0], &x[1], odd ? R_64x4_0_0 : R_64x4_4_0);
    rng_mix(&x[2], &x[3], odd ? R_64x4_0_1 : R_64x4_4_1);
    rng_mix(&x[0], &x[3], odd ? R_64x4_1_0 : R_64x4_5_0);
    rng_mix(&x[2], &x[1], odd ? R_64x4_1_1 : R_64x4_5_1);
    rng_mix(&x[0], &x[1], odd ? R_64x4_2_0 : R_64x4_6_0);
    rng_mix(&x[2], &x[3], odd ? R_64x4_2_1 : R_64x4_6_1);
    rng_mix(&x[0], &x[3], odd ? R_64x4_3_0 : R_64x4_7_0);
    rng_mix(&x[2], &x[1], odd ? R_64x4_3_1 : R_64x4_7_1);
    x[0] += ks[g % 5];
    x[1] += ks[(g + 1) % 5];
    x[2] += ks[(g + 2) % 5];
    x[3] += ks[(g + 3) % 5] + g;
}

/* Words of blocks counter .. counter + RNG_TILE - 1 into out[4][RNG_TILE]. The same as Random123's
 * threefry4x64_R(20, ...), with two blocks side by side: in one, every operation waits for the one
 * before it. */
SIMD_INLINE void rng_tile_words(uint64_t *restrict out, const uint64_t key[4], uint64_t counter)
{
    const uint64_t ks[5] = {key[0], key[1], key[2], key[3],
                            SKEIN_KS_PARITY64 ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
    for (size_t b = 0; b < RNG_TILE / 2; b++) {
        uint64_t x[4] = {counter + b + ks[0], ks[1], ks[2], ks[3]};
        uint64_t y[4] = {counter + b + RNG_TILE / 2 + ks[0], ks[1], ks[2], ks[3]};
        rng_four_rounds(x, ks, 1);
        rng_four_rounds(y, ks, 1);
        rng_four_rounds(x, ks, 2);
        rng_four_rounds(y, ks, 2);
        rng_four_rounds(x, ks, 3);
        rng_four_rounds(y, ks, 3);
        rng_four_rounds(x, ks, 4);
        rng_four_rounds(y, ks, 4);
        rng_four_rounds(x, ks, 5);
        rng_four_rounds(y, ks, 5);
        for (size_t j = 0; j < 4; j++) {
            out[j * RNG_TILE + b] = x[j];
            out[j * RNG_TILE + RNG_TILE / 2 + b] = y[j];
        }
    }
}

SIMD_INLINE void rng_tile_uniform(double *restrict out, const uint64_t key[4], uint64_t counter)
{
    uint64_t words[RNG_TILE_WORDS];
    rng_tile_words(words, key, counter);
    for (size_t i = 0; i < RNG_TILE_WORDS; i++) out[i] = rng_centre(words[i]);
}

/* -ln(u) for u = 2^k (1 + f) as in vmath_log, within 6e-12. */
SIMD_INLINE double rng_minus_log(double u)
{
    double f, k = vmath_log_split(u, &f);
    double s = f / (2.0 + f), t = s * s;
    double p = (0x1.5555554bb2b2cp-1 + 0x1.9999eb5d84f14p-2 * t) +
               t * t * (0x1.245c438323e9ap-2 + 0x1.ddced7078dd3ap-3 * t);
    return k * -VMATH_LN2 - s * (2.0 + t * p);
}

/* sin(2 pi v) within 4e-12 and cos(2 pi v) within 2e-10 for |v| <= 1/8. */
SIMD_INLINE void rng_sincos(double v, double *sine, double *cosine)
{
    double w = v * v, square = w * w;
    double s = (0x1.921fb5443b587p+2 - 0x1.4abbce56ae6e6p+5 * w) +
               square * ((0x1.466bbac8a54e8p+6 - 0x1.32ca9d79fc665p+6 * w) +
                         square * 0x1.4bc85ccb213adp+5);
    double c = (0x1.3bd3cc989e97ep+4 - 0x1.03c1e9f5eae3dp+6 * w) +
               square * (0x1.55cb977e5b5b4p+6 - 0x1.db6491ad4d74dp+5 * w);
    *sine = s * v;
    *cosine = 1.0 - c * w;
}

/* Two normals from one word: with u in (0, 1) from 32 bits and an angle phi in (-1/8, 1/8) turns
 * from 30 bits,
 *     sqrt(-ln u) (cos phi -+ sin phi) = sqrt(-2 ln u) (cos, sin)(phi + 1/8),
 * a point of the first quadrant whose two signs are the last two bits. So the pair has the radius
 * of Box-Muller at 2^32 levels (up to sqrt(66 ln 2) = 6.76; a normal exceeds that once in 7e10)
 * and 2^32 directions. The short polynomials err by less than the spacing of the directions. */
SIMD_INLINE void rng_tile_normal(double *restrict out, const uint64_t key[4], uint64_t counter)
{
    uint64_t words[RNG_TILE_WORDS];
    double half_square[RNG_TILE_WORDS]; /* of the radius */
    const uint64_t one = UINT64_C(0x3ff0000000000000);
    rng_tile_words(words, key, counter);
    for (size_t i = 0; i < RNG_TILE_WORDS; i++) {
        double u = vmath_from_bits((words[i] >> 32 << 20) | one) - (1.0 - 0x1p-33);
        half_square[i] = rng_minus_log(u);
    }
    /* A second loop, so that divisions above and roots here overlap with other work. */
    for (size_t i = 0; i < RNG_TILE_WORDS; i++) {
        uint64_t word = words[i];
        /* bits 2 .. 31 as the centre of one of 2^30 cells of (1, 1.25), less 1.125 */
        double phi =
            vmath_from_bits(((word & UINT64_C(0xfffffffc)) << 18) | one) - (1.125 - 0x1p-33);
        double sine, cosine, radius = sqrt(half_square[i]);
        rng_sincos(phi, &sine, &cosine);
        double first = radius * (cosine - sine), second = radius * (cosine + sine);
        out[i] = vmath_from_bits(vmath_bits(first) ^ (word << 63));
        out[i + RNG_TILE_WORDS] = vmath_from_bits(vmath_bits(second) ^ ((word >> 1) << 63));
    }
}

#endif
