/* number.c - decimal text to the nearest double (see number.h).
 *
 * The digits are read eight at a time into a 64-bit integer w, the value being w * 10^q. Small w
 * and q need one exact multiplication or division (Clinger, "How to read floating point numbers
 * accurately", PLDI 1990). The rest multiplies w by 128 bits of 10^q, which always decides the
 * rounding for w below 2^64 (Lemire, "Number parsing at a gigabyte per second", Software: Practice
 * and Experience 51, 2021; Mushtak and Lemire, "Fast number parsing without fallback", ibid. 53,
 * 2023). With more than 19 digits both w and w + 1 are tried; only if they differ is the full text
 * compared with the halfway point (number_decide.c). Cost: O(digits).
 */
#include "base/number.h"

#include "base/number_powers.h"

#include <math.h>
#include <string.h>

enum {
    SIGNIFICANT_DIGITS = 19, /* as many as always fit in 64 bits */
    SIGNIFICAND_BITS = 52,
    EXPONENT_BIAS = 1023,
    EXPONENT_INFINITE = 0x7ff,
    EXPONENT_CAP = 1000000000 /* larger exponents in the text mean the same */
};

static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t small_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

static inline bool is_digit(char c)
{
    return (unsigned)(c - '0') <= 9;
}

/* Eight characters with the first in the lowest byte, each with '0' taken away: a digit becomes
 * 0 to 9, anything else something larger. */
static inline uint64_t load_digits(const char *text)
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
static inline uint64_t other_bytes(uint64_t digits)
{
    return ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
}

/* The number that eight digits make: pairs, then fours, then all. */
static inline uint64_t combine_digits(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    uint64_t even = (digits & 0x000000FF000000FFu) * (100 + (1000000ull << 32));
    uint64_t odd = ((digits >> 16) & 0x000000FF000000FFu) * (1 + (10000ull << 32));
    return (even + odd) >> 32;
}

/* Appends a run of digits to *w (modulo 2^64; the caller counts) and returns its end. */
static inline const char *read_digits(uint64_t *w, const char *text, const char *end)
{
    while (end - text >= 8) {
        uint64_t digits = load_digits(text), others = other_bytes(digits);
        if (others) {
            unsigned count = (unsigned)__builtin_ctzll(others) / 8;
            if (count == 0) return text;
            *w = *w * small_powers[count] + combine_digits(digits << (64 - 8 * count));
            return text + count;
        }
        *w = *w * 100000000u + combine_digits(digits);
        text += 8;
    }
    while (text < end && is_digit(*text)) *w = *w * 10 + (uint64_t)(*text++ - '0');
    return text;
}

/* The bits of the double nearest to w * 10^q. Section 8 of Lemire 2021: keep 55 bits of the
 * product (53, one to round with, one to absorb a product below 2^127), then round half to even.
 */
static uint64_t round_product(uint64_t w, int64_t q)
{
    if (w == 0 || q < NUMBER_POWER_LOWEST) return 0;
    if (q > 308) return (uint64_t)EXPONENT_INFINITE << SIGNIFICAND_BITS;
    int leading = __builtin_clzll(w);
    w <<= leading;
    const uint64_t *power = number_powers[q - NUMBER_POWER_LOWEST];
    uint128 product = (uint128)w * power[0];
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1ff) == 0x1ff) { /* the lower half of the power could carry into the 55 bits */
        uint64_t below = (uint64_t)(((uint128)w * power[1]) >> 64);
        low += below;
        if (low < below) high++;
    }
    int upper = (int)(high >> 63), shift = upper + 64 - SIGNIFICAND_BITS - 3;
    uint64_t mantissa = high >> shift;
    int exponent = number_log2_power((int)q) + 63 + upper - leading + EXPONENT_BIAS;
    if (exponent <= 0) { /* subnormal: shift further before rounding; never exactly halfway here */
        if (exponent <= -63) return 0;
        mantissa >>= 1 - exponent;
        return (mantissa + (mantissa & 1)) >> 1; /* a carry gives the smallest normal number */
    }
    /* Exactly halfway is possible only for these q; then do not round up to an odd number. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == high) {
        mantissa &= ~(uint64_t)1;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> (SIGNIFICAND_BITS + 1)) {
        mantissa >>= 1;
        exponent++;
    }
    if (exponent >= EXPONENT_INFINITE) return (uint64_t)EXPONENT_INFINITE << SIGNIFICAND_BITS;
    return (uint64_t)exponent << SIGNIFICAND_BITS | (mantissa & (((uint64_t)1 << 52) - 1));
}

/* More than 19 characters of digits: reads the first 19 significant ones, and decides between the
 * two candidates that leaves. `exponent` is that of the last digit. */
static __attribute__((noinline)) uint64_t round_long(const char *text, const char *end,
                                                     int64_t exponent)
{
    while (text < end && (*text == '0' || *text == '.')) text++;
    uint64_t w = 0;
    int64_t count = 0, dropped = 0;
    bool exact = true;
    for (const char *c = text; c < end; c++) {
        if (*c == '.') continue;
        if (count < SIGNIFICANT_DIGITS) {
            w = w * 10 + (uint64_t)(*c - '0');
            count++;
        } else {
            exact = exact && *c == '0';
            dropped++;
        }
    }
    uint64_t low = round_product(w, exponent + dropped);
    if (exact || low == round_product(w + 1, exponent + dropped)) return low;
    return number_decide(low, text, end, exponent);
}

/* An exponent part at text ("e-12"), or nothing; returns its end. */
static const char *read_exponent(int64_t *exponent, const char *text, const char *end)
{
    const char *at = text + 1;
    if (text == end || (*text != 'e' && *text != 'E')) return text;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end || !is_digit(*at)) return text;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++) {
        if (value < EXPONENT_CAP) value = value * 10 + (*at - '0');
    }
    *exponent += negative ? -value : value;
    return at;
}

static inline double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *number_scan(double *value, number_kind *kind, const char *text, const char *end)
{
    const char *at = text;
    *kind = NUMBER_BAD;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;

    const char *digits = at;
    uint64_t w = 0;
    if (end - at >= 2 && at[1] == '.' && is_digit(at[0])) { /* the usual case */
        w = (uint64_t)(*at++ - '0');
    } else {
        at = read_digits(&w, at, end);
    }
    int64_t exponent = 0, count = at - digits;
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = read_digits(&w, fraction, end);
        exponent = fraction - at;
        count -= exponent;
    }
    if (count == 0) return text; /* no digit, or a point alone */
    const char *digits_end = at;
    if (at < end && (*at | 0x20) == 'e') at = read_exponent(&exponent, at, end);

    *kind = NUMBER_OK;
    double result;
    if (count > SIGNIFICANT_DIGITS) {
        result = from_bits(round_long(digits, digits_end, exponent));
    } else if (w <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        result = (double)w;
        result = exponent < 0 ? result / exact_powers[-exponent] : result * exact_powers[exponent];
    } else {
        result = from_bits(round_product(w, exponent));
    }
    if (isinf(result)) *kind = NUMBER_OVERFLOW;
    *value = negative ? -result : result;
    return at;
}

number_kind number_parse(double *value, const char *text, const char *end)
{
    number_kind kind;
    double result;
    const char *stop = number_scan(&result, &kind, text, end);
    if (stop == text || stop != end) return NUMBER_BAD;
    *value = result;
    return kind;
}
