/* number_decide.c - the exact comparison that decides how a long decimal rounds.
 *
 * digits * 10^e is compared with the halfway point (2m + 1) * 2^(k-1) between the double m * 2^k
 * and the next one, both as integers after moving 5^|e| and the power of two to the side where the
 * exponent is positive. A halfway point has at most 767 significant digits, so of longer texts it
 * is enough to know whether anything but zeros follows. Cost: O(digits) multiplications of a number
 * of at most 2,700 bits.
 */
#include "text/number/number_powers.h"

#include <stdbool.h>
#include <stddef.h>

enum { LIMBS = 64, DIGITS_MAX = 770, CHUNK_DIGITS = 19 };

/* Little-endian limbs; limbs from count on are not valid. Nothing here exceeds 2,700 bits, so
 * 4,096 never overflow. */
typedef struct big {
    uint64_t limb[LIMBS];
    size_t count;
} big;

static void big_multiply_add(big *b, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < b->count; i++) {
        uint128 product = (uint128)b->limb[i] * factor + carry;
        b->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry && b->count < LIMBS) b->limb[b->count++] = carry;
}

static void big_multiply_power_of_five(big *b, int64_t exponent)
{
    const uint64_t five_27 = 7450580596923828125u; /* 5^27, the largest below 2^64 */
    for (; exponent >= 27; exponent -= 27) big_multiply_add(b, five_27, 0);
    uint64_t rest = 1;
    for (; exponent > 0; exponent--) rest *= 5;
    big_multiply_add(b, rest, 0);
}

static void big_shift(big *b, int64_t bits)
{
    for (; bits >= 63; bits -= 63) big_multiply_add(b, (uint64_t)1 << 63, 0);
    big_multiply_add(b, (uint64_t)1 << bits, 0);
}

static int big_compare(const big *a, const big *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    }
    return 0;
}

/* Reads at most DIGITS_MAX digits; returns the power of ten that the rest of them contributes. */
static int64_t big_read(big *b, const char *text, const char *end)
{
    uint64_t chunk = 0, scale = 1;
    int taken = 0, in_chunk = 0;
    int64_t left = 0;
    bool rest = false;
    b->count = 0;
    for (; text < end; text++) {
        if (*text == '.') continue;
        if (taken == DIGITS_MAX) {
            left++;
            rest = rest || *text != '0';
            continue;
        }
        chunk = chunk * 10 + (uint64_t)(*text - '0');
        scale *= 10;
        taken++;
        if (++in_chunk == CHUNK_DIGITS) {
            big_multiply_add(b, scale, chunk);
            chunk = 0;
            scale = 1;
            in_chunk = 0;
        }
    }
    big_multiply_add(b, scale, chunk);
    if (rest) { /* one more digit stands for all that follow */
        big_multiply_add(b, 10, 1);
        left--;
    }
    return left;
}

uint64_t number_decide(uint64_t low, const char *text, const char *end, int64_t exponent)
{
    int biased = (int)(low >> 52);
    uint64_t mantissa = low & (((uint64_t)1 << 52) - 1);
    if (biased) mantissa |= (uint64_t)1 << 52;
    int64_t binary = (biased ? biased : 1) - 1075 - 1; /* of the halfway point */

    big decimal, halfway = {.limb = {2 * mantissa + 1}, .count = 1};
    exponent += big_read(&decimal, text, end);
    big_multiply_power_of_five(exponent >= 0 ? &decimal : &halfway,
                               exponent >= 0 ? exponent : -exponent);
    int64_t shift = exponent - binary;
    big_shift(shift >= 0 ? &decimal : &halfway, shift >= 0 ? shift : -shift);
    int order = big_compare(&decimal, &halfway);
    bool up = order > 0 || (order == 0 && (mantissa & 1));
    return low + (up ? 1 : 0); /* the bits of the next double are one more; of the last, infinity */
}
