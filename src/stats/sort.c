/* sort.c - radix sort of doubles (see sort.h).
 *
 * The bits of a double, with the sign bit flipped for positive and all bits flipped for negative
 * values, are unsigned integers in the same order. Eight passes over bytes, lowest first; a byte
 * that all keys share needs no pass.
 */
#include "stats/sort.h"

#include <string.h>

enum { BYTES = 8, BYTE_VALUES = 256 };

static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One stable pass by byte `byte`; places [BYTE_VALUES] holds how often each value occurs. */
static void sort_pass(uint64_t *to, const uint64_t *from, size_t n, unsigned byte, size_t *places)
{
    size_t start = 0;
    for (size_t v = 0; v < BYTE_VALUES; v++) {
        size_t count = places[v];
        places[v] = start;
        start += count;
    }
    for (size_t i = 0; i < n; i++) to[places[from[i] >> (8 * byte) & 0xff]++] = from[i];
}

void sort_doubles(double *sorted, const double *values, size_t n, uint64_t *keys)
{
    size_t places[BYTES][BYTE_VALUES] = {{0}};
    uint64_t *from = keys, *to = keys + n;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = key_of(values[i]);
        from[i] = key;
        for (unsigned byte = 0; byte < BYTES; byte++) places[byte][key >> (8 * byte) & 0xff]++;
    }
    for (unsigned byte = 0; byte < BYTES && n > 0; byte++) {
        if (places[byte][from[0] >> (8 * byte) & 0xff] == n) continue;
        sort_pass(to, from, n, byte, places[byte]);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < n; i++) sorted[i] = value_of(from[i]);
}
