/* number_powers.h - powers of ten to 128 bits, and the exact comparison behind number.c. */
#ifndef SCONE_TEXT_NUMBER_NUMBER_POWERS_H
#define SCONE_TEXT_NUMBER_NUMBER_POWERS_H

#include <stdint.h>

enum { NUMBER_POWER_LOWEST = -342, NUMBER_POWER_HIGHEST = 324 };

/* [q - NUMBER_POWER_LOWEST] = {high, low} 64 bits of 10^q with the top bit set, rounded down;
 * rounded up for -27 <= q < 0, exact for 0 <= q <= 55. See tools/make_number_powers.py. */
extern const uint64_t number_powers[NUMBER_POWER_HIGHEST - NUMBER_POWER_LOWEST + 1][2];

__extension__ typedef unsigned __int128 uint128;

/* floor(log2(10^q)), exact for |q| < 1650 */
static inline int number_log2_power(int q)
{
    return (int)(((int64_t)q * 217706) >> 16);
}

/* The double nearest to digits * 10^exponent, given that it is either the one with bits `low` or
 * the next one up. The digits are those in [text, end), where a point may stand among them and is
 * skipped; the first one is not 0. Exact, with big integers on the stack. */
uint64_t number_decide(uint64_t low, const char *text, const char *end, int64_t exponent);

#endif
