/* sort.c - radix sort (see sort.h).
 *
 * The bits of a double, with the sign bit flipped for positive and all bits flipped for negative
 * values, are unsigned integers in the same order. Eight passes over bytes, lowest first; a byte
 * that all keys share needs no pass.
 */
#include "base/sort.h"

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

static void count_bytes(size_t places[BYTES][BYTE_VALUES], uint64_t word)
{
    for (unsigned byte = 0; byte < BYTES; byte++) places[byte][word >> (8 * byte) & 0xff]++;
}

/* `from` with its bytes counted, sorted with the help of `to`; returns the one that
 * has the result. */
static uint64_t *sort_counted(uint64_t *from, uint64_t *to, size_t n,
                              size_t places[BYTES][BYTE_VALUES])
{
    for (unsigned byte = 0; byte < BYTES && n > 0; byte++) {
        if (places[byte][from[0] >> (8 * byte) & 0xff] == n) continue;
        sort_pass(to, from, n, byte, places[byte]);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

void sort_words(uint64_t *words, uint64_t *other, size_t n)
{
    size_t places[BYTES][BYTE_VALUES] = {{0}};
    for (size_t i = 0; i < n; i++) count_bytes(places, words[i]);
    const uint64_t *sorted = sort_counted(words, other, n, places);
    if (sorted != words) memcpy(words, sorted, n * sizeof *words);
}

void sort_doubles(double *sorted, const double *values, size_t n, uint64_t *keys)
{
    size_t places[BYTES][BYTE_VALUES] = {{0}};
    for (size_t i = 0; i < n; i++) {
        keys[i] = key_of(values[i]);
        count_bytes(places, keys[i]);
    }
    const uint64_t *in_order = sort_counted(keys, keys + n, n, places);
    for (size_t i = 0; i < n; i++) sorted[i] = value_of(in_order[i]);
}
