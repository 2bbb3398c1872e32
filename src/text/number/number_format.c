/* number_format.c - the shortest decimal that reads back to the same double (see number.h).
 *
 * Schubfach (Giulietti, "The Schubfach way to render doubles", 2020): scale the double c * 2^q and
 * the two ends of its rounding interval by 10^-k, where 10^k is just below the interval's width,
 * with one 64 x 128 bit product each. Rounding those products to odd keeps every comparison exact.
 * Of the decimals with exponent k + 1 at most one lies inside, of those with exponent k the two
 * neighbours are looked at; of two candidates the nearer one wins, on a tie the even one.
 * Layout as Python's repr without a final ".0": fixed for 1e-4 <= |value| < 1e16. Cost: O(1).
 */
#include "text/number/number.h"

#include "text/number/number_powers.h"

#include <math.h>
#include <string.h>

enum { SIGNIFICAND_BITS = 52, DIGITS_MAX = 20, FIXED_BELOW = 16, FIXED_FROM = -4 };

typedef struct decimal {
    uint64_t digits; /* value = digits * 10^exponent */
    int exponent;
} decimal;

/* 10^q to 128 bits, rounded up unless exact: Schubfach's g. */
static inline uint128 power_above(int q)
{
    const uint64_t *row = number_powers[q - NUMBER_POWER_LOWEST];
    uint128 power = (uint128)row[0] << 64 | row[1];
    return power + (q < -27 || q > 55 ? 1 : 0);
}

/* floor(power * c / 2^128) with the lowest bit set if anything was cut off */
static inline uint64_t multiply_to_odd(uint128 power, uint64_t c)
{
    uint128 low = (uint128)(uint64_t)power * c;
    uint128 high = (power >> 64) * c + (low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1 ? 1 : 0);
}

static decimal shortest(uint64_t fraction, int biased)
{
    uint64_t c = biased ? fraction | (uint64_t)1 << SIGNIFICAND_BITS : fraction;
    int q = (biased ? biased : 1) - 1075;
    if (q <= 0 && q > -53 && (c & (((uint64_t)1 << -q) - 1)) == 0) {
        return (decimal){c >> -q, 0}; /* an integer below 2^53 */
    }
    bool odd = c & 1, narrow = fraction == 0 && biased > 1; /* below a power of two: half as wide */
    /* floor(log10(2^q)), or floor(log10(3/4 * 2^q)) for the narrow interval */
    int k = (int)(((int64_t)q * 1262611 - (narrow ? 524031 : 0)) >> 22);
    int shift = q + number_log2_power(-k) + 1;
    uint128 power = power_above(-k);
    uint64_t low = multiply_to_odd(power, (4 * c - (narrow ? 1 : 2)) << shift);
    uint64_t middle = multiply_to_odd(power, (4 * c) << shift);
    uint64_t high = multiply_to_odd(power, (4 * c + 2) << shift);
    low += odd; /* the ends belong to the interval only if c is even */
    high -= odd;

    uint64_t s = middle / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;
        if (below != above) return (decimal){tens + above, k + 1};
    }
    bool below = low <= 4 * s, above = 4 * s + 4 <= high;
    if (below != above) return (decimal){s + above, k};
    uint64_t half = 4 * s + 2;
    bool up = middle > half || (middle == half && (s & 1));
    return (decimal){s + up, k};
}

/* Writes the digits so that they end just before `end`; returns where they start. */
static char *write_digits(char *end, uint64_t value)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + 2 * value, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

/* digits[0].digits[1..] * 10^exponent */
static char *write_scientific(char *out, const char *digits, int count, int exponent)
{
    *out++ = digits[0];
    if (count > 1) {
        *out++ = '.';
        memcpy(out, digits + 1, (size_t)count - 1);
        out += count - 1;
    }
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (size >= 100) {
        *out++ = (char)('0' + size / 100);
        size %= 100;
    }
    *out++ = (char)('0' + size / 10);
    *out++ = (char)('0' + size % 10);
    return out;
}

/* digits[0].digits[1..] * 10^exponent without an exponent part */
static char *write_fixed(char *out, const char *digits, int count, int exponent)
{
    if (exponent < 0) {
        memcpy(out, "0.000", 5);
        out += 1 - exponent;
        memcpy(out, digits, (size_t)count);
        return out + count;
    }
    int whole = exponent + 1 < count ? exponent + 1 : count;
    memcpy(out, digits, (size_t)whole);
    out += whole;
    for (int zeros = exponent + 1 - whole; zeros > 0; zeros--) *out++ = '0';
    if (count > whole) {
        *out++ = '.';
        memcpy(out, digits + whole, (size_t)(count - whole));
        out += count - whole;
    }
    return out;
}

size_t number_format(char *out, double value)
{
    if (!isfinite(value)) {
        const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        size_t length = strlen(word);
        memcpy(out, word, length + 1);
        return length;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    char *at = out;
    if (bits >> 63) *at++ = '-';
    bits &= ~((uint64_t)1 << 63);
    if (bits == 0) {
        *at++ = '0';
    } else {
        decimal d = shortest(bits & (((uint64_t)1 << SIGNIFICAND_BITS) - 1),
                             (int)(bits >> SIGNIFICAND_BITS));
        char buffer[DIGITS_MAX], *end = buffer + sizeof buffer;
        char *digits = write_digits(end, d.digits);
        int count = (int)(end - digits), exponent = d.exponent + count - 1;
        while (count > 1 && digits[count - 1] == '0') count--;
        at = exponent >= FIXED_FROM && exponent < FIXED_BELOW
                 ? write_fixed(at, digits, count, exponent)
                 : write_scientific(at, digits, count, exponent);
    }
    *at = '\0';
    return (size_t)(at - out);
}
