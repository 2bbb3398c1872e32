/* number_scan.h - the usual case of reading a number, to be inlined into loops over many of them.
 *
 * number.c explains the method. Here nothing branches on the sign or on the number of digits within
 * a group of eight or sixteen, which no processor can guess. The wide variant combines sixteen
 * digits at once and needs AVX2 and BMI2 (see number_has_wide); both give the same bits.
 */
#ifndef SCONE_TEXT_NUMBER_NUMBER_SCAN_H
#define SCONE_TEXT_NUMBER_NUMBER_SCAN_H

#include "text/number/number.h"
#include "text/number/number_powers.h"
#include "base/simd.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define NUMBER_WIDE_TARGET __attribute__((target("avx2,bmi,bmi2")))
#endif

enum {
    NUMBER_DIGITS = 19, /* as many as always fit in 64 bits */
    NUMBER_SIGNIFICAND = 52,
    NUMBER_BIAS = 1023,
    NUMBER_INFINITE = 0x7ff,
    NUMBER_EXPONENT_CAP = 1000000000, /* larger exponents in the text mean the same */
    NUMBER_ROOM = 48                  /* bytes read without looking for the end */
};

static const uint64_t number_small_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

SIMD_INLINE bool number_is_digit(char c)
{
    return (unsigned)(c - '0') <= 9;
}

/* Eight characters with the first in the lowest byte, each with '0' taken away: a digit becomes
 * 0 to 9, anything else something larger. */
SIMD_INLINE uint64_t number_load(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ 0x3030303030303030u;
}

/* The top bit of every byte that is no digit. A carry can spoil bytes above the first such one
 * only, and only the first one is used. */
SIMD_INLINE uint64_t number_others(uint64_t digits)
{
    return ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
}

/* The number that eight digits make: pairs, then fours, then all. */
SIMD_INLINE uint64_t number_combine(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    uint64_t even = (digits & 0x000000FF000000FFu) * (100 + (1000000ull << 32));
    uint64_t odd = ((digits >> 16) & 0x000000FF000000FFu) * (1 + (10000ull << 32));
    return (even + odd) >> 32;
}

SIMD_INLINE double number_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of the double nearest to w * 10^q. Section 8 of Lemire 2021: keep 55 bits of the
 * product (53, one to round with, one to absorb a product below 2^127), then round
 * half to even. */
SIMD_INLINE uint64_t number_round(uint64_t w, int64_t q)
{
    if (w == 0 || q < NUMBER_POWER_LOWEST) return 0;
    if (q > 308) return (uint64_t)NUMBER_INFINITE << NUMBER_SIGNIFICAND;
    int leading = __builtin_clzll(w);
    w <<= leading;
    const uint64_t *power = number_powers[q - NUMBER_POWER_LOWEST];
    uint128 product = (uint128)w * power[0];
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if (__builtin_expect((high & 0x1ff) == 0x1ff, 0)) {
        /* the lower half of the power could carry into the 55 bits */
        product += ((uint128)w * power[1]) >> 64;
        high = (uint64_t)(product >> 64);
        low = (uint64_t)product;
    }
    int upper = (int)(high >> 63), shift = upper + 64 - NUMBER_SIGNIFICAND - 3;
    uint64_t mantissa = high >> shift;
    int exponent = number_log2_power((int)q) + 63 + upper - leading + NUMBER_BIAS;
    if (exponent <= 0) { /* subnormal: shift further before rounding; never exactly halfway here */
        if (exponent <= -63) return 0;
        mantissa >>= 1 - exponent;
        return (mantissa + (mantissa & 1)) >> 1; /* a carry gives the smallest normal number */
    }
    /* Exactly halfway is possible only for these q; then do not round up to an odd number. */
    if (__builtin_expect(low <= 1, 0) && q >= -4 && q <= 23 && (mantissa & 3) == 1 &&
        mantissa << shift == high) {
        mantissa &= ~(uint64_t)1;
    }
    /* The leading bit of the mantissa adds one to the exponent, two if rounding carried. */
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    uint64_t bits = ((uint64_t)(exponent - 1) << NUMBER_SIGNIFICAND) + mantissa;
    uint64_t infinite = (uint64_t)NUMBER_INFINITE << NUMBER_SIGNIFICAND;
    return bits < infinite ? bits : infinite;
}

/* Up to seven digits before the point; NULL if there is none, or if they go on. */
SIMD_INLINE const char *number_quick_whole(uint64_t *w, const char *at)
{
    if (at[1] == '.' && number_is_digit(at[0])) { /* the most usual case */
        *w = (uint64_t)(at[0] - '0');
        return at + 1;
    }
    uint64_t digits = number_load(at), others = number_others(digits);
    unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 0;
    *w = number_combine(digits << 8 << (56 - 8 * count));
    return count ? at + count : NULL;
}

/* Up to seven digits more. */
SIMD_INLINE const char *number_quick_rest(uint64_t *w, const char *at)
{
    uint64_t digits = number_load(at), others = number_others(digits);
    if (!others) return NULL;
    unsigned count = (unsigned)__builtin_ctzll(others) / 8;
    *w = *w * number_small_powers[count] + number_combine(digits << 8 << (56 - 8 * count));
    return at + count;
}

/* Up to three digits more, after sixteen. */
SIMD_INLINE const char *number_quick_tail(uint64_t *w, const char *at)
{
    uint64_t digits = number_load(at), others = number_others(digits) & 0x80808080u;
    if (!others) return NULL;
    unsigned bit = (unsigned)__builtin_ctzll(others), count = bit / 8; /* bit is 8 count + 7 */
    digits = (digits << 32 << (39 - bit)) >> 32; /* the last one in the highest of 4 bytes */
    digits = digits * 10 + (digits >> 8);
    digits = (digits & 0xff) * 100 + (digits >> 16 & 0xff);
    *w = *w * number_small_powers[count] + digits;
    return at + count;
}

SIMD_INLINE const char *number_quick_fraction(uint64_t *w, const char *at)
{
    for (int group = 0; group < 2; group++) {
        uint64_t digits = number_load(at);
        if (number_others(digits)) break;
        *w = *w * 100000000u + number_combine(digits);
        at += 8;
    }
    return number_quick_rest(w, at);
}

/* The end of number_scan_quick if an exponent may follow. */
const char *number_quick_exponent(double *value, uint64_t w, int64_t exponent, uint64_t negative,
                                  const char *at, const char *end);

/* The value once all digits of [start, at) are read; NULL if there are too many. */
SIMD_INLINE const char *number_quick_end(double *value, uint64_t w, int64_t exponent,
                                         uint64_t negative, const char *start, const char *at,
                                         const char *end, char delimiter)
{
    if (at - start > NUMBER_DIGITS + 1) return NULL; /* a point among them */
    if (*at != delimiter && (*at | 0x20) == 'e') {
        return number_quick_exponent(value, w, exponent, negative, at, end);
    }
    if (exponent > 0 || exponent < -NUMBER_ROOM) __builtin_unreachable(); /* at most 23 digits */
    *value = number_from_bits(number_round(w, exponent) | negative << 63);
    return at;
}

/* Like number_scan, but returns NULL for anything unusual. NUMBER_ROOM bytes must be readable from
 * text on; the number ends before `end` or with anything that cannot continue a number. `delimiter`
 * is what most likely follows. */
SIMD_INLINE const char *number_scan_quick(double *value, const char *text, const char *end,
                                          char delimiter)
{
    uint64_t negative = *text == '-', w;
    const char *start = text + negative, *at = number_quick_whole(&w, start);
    if (!at) return NULL;
    int64_t exponent = 0;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = number_quick_fraction(&w, fraction);
        if (!at) return NULL;
        exponent = fraction - at;
    }
    return number_quick_end(value, w, exponent, negative, start, at, end, delimiter);
}

#if defined(__x86_64__)

/* Sixteen characters, each with '0' taken away, as one number; only digits are valid. Pairs, fours,
 * eights by multiplying neighbours and adding. */
NUMBER_WIDE_TARGET SIMD_INLINE uint64_t number_combine_wide(__m128i digits)
{
    const __m128i tens = _mm_set1_epi16(10 | 1 << 8), hundreds = _mm_set1_epi32(100 | 1 << 16);
    const __m128i myriads = _mm_set1_epi32(10000 | 1 << 16);
    __m128i fours = _mm_madd_epi16(_mm_maddubs_epi16(digits, tens), hundreds);
    __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), myriads);
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    return (both & 0xffffffffu) * 100000000u + (both >> 32);
}

NUMBER_WIDE_TARGET SIMD_INLINE const char *number_wide_fraction(uint64_t *w, const char *at)
{
    const __m128i digits =
        _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)at), _mm_set1_epi8('0'));
    const __m128i valid = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    if (_mm_movemask_epi8(valid) != 0xffff) return number_quick_fraction(w, at);
    *w = *w * 10000000000000000u + number_combine_wide(digits);
    return number_quick_tail(w, at + 16);
}

/* number_scan_quick for processors with number_has_wide */
NUMBER_WIDE_TARGET SIMD_INLINE const char *number_scan_wide(double *value, const char *text,
                                                            const char *end, char delimiter)
{
    uint64_t negative = *text == '-', w;
    const char *start = text + negative, *at = number_quick_whole(&w, start);
    if (!at) return NULL;
    int64_t exponent = 0;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = number_wide_fraction(&w, fraction);
        if (!at) return NULL;
        exponent = fraction - at;
    }
    return number_quick_end(value, w, exponent, negative, start, at, end, delimiter);
}

SIMD_INLINE bool number_has_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

#endif

#endif
