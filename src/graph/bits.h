/* bits.h - sets of nodes as arrays of 64-bit words. Bits past the last node are always 0. */
#ifndef SCONE_GRAPH_BITS_H
#define SCONE_GRAPH_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t bits_word;

static inline size_t bits_words(size_t nodes)
{
    return nodes / 64 + (nodes % 64 != 0);
}

static inline bool bits_has(const bits_word *set, size_t i)
{
    return (set[i / 64] >> (i % 64)) & 1u;
}

static inline void bits_add(bits_word *set, size_t i)
{
    set[i / 64] |= (bits_word)1 << (i % 64);
}

static inline void bits_remove(bits_word *set, size_t i)
{
    set[i / 64] &= ~((bits_word)1 << (i % 64));
}

static inline void bits_clear(bits_word *set, size_t words)
{
    memset(set, 0, words * sizeof *set);
}

static inline size_t bits_count(const bits_word *set, size_t words)
{
    size_t count = 0;
    for (size_t w = 0; w < words; w++) count += (size_t)__builtin_popcountll(set[w]);
    return count;
}

static inline bool bits_empty(const bits_word *set, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        if (set[w]) return false;
    }
    return true;
}

static inline bool bits_meet(const bits_word *a, const bits_word *b, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        if (a[w] & b[w]) return true;
    }
    return false;
}

/* Is a a subset of b? */
static inline bool bits_within(const bits_word *a, const bits_word *b, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        if (a[w] & ~b[w]) return false;
    }
    return true;
}

static inline void bits_unite(bits_word *to, const bits_word *from, size_t words)
{
    for (size_t w = 0; w < words; w++) to[w] |= from[w];
}

static inline void bits_intersect(bits_word *to, const bits_word *with, size_t words)
{
    for (size_t w = 0; w < words; w++) to[w] &= with[w];
}

static inline void bits_subtract(bits_word *to, const bits_word *without, size_t words)
{
    for (size_t w = 0; w < words; w++) to[w] &= ~without[w];
}

static inline void bits_copy(bits_word *to, const bits_word *from, size_t words)
{
    memmove(to, from, words * sizeof *to);
}

static inline bool bits_equal(const bits_word *a, const bits_word *b, size_t words)
{
    return memcmp(a, b, words * sizeof *a) == 0;
}

/* The first member at or after `from`, or SIZE_MAX:
 * for (size_t i = bits_next(s, words, 0); i != SIZE_MAX; i = bits_next(s, words, i + 1)) */
static inline size_t bits_next(const bits_word *set, size_t words, size_t from)
{
    size_t w = from / 64;
    if (w >= words) return SIZE_MAX;
    bits_word rest = set[w] & (~(bits_word)0 << (from % 64));
    while (!rest) {
        if (++w >= words) return SIZE_MAX;
        rest = set[w];
    }
    return w * 64 + (size_t)__builtin_ctzll(rest);
}

#define BITS_EACH(i_, set_, words_)                                                                \
    for (size_t i_ = bits_next((set_), (words_), 0); i_ != SIZE_MAX;                               \
         i_ = bits_next((set_), (words_), i_ + 1))

/* Members of a set that is computed word by word, without a place to store it:
 * BITS_EACH_WORD(i, w, words, a[w] & ~b[w]) { ... }
 * A word is computed once, before its members are visited, so the body may change a and b.
 * break leaves only the word: use return to leave the loop. */
#define BITS_EACH_WORD(i_, w_, words_, expression_)                                                \
    for (size_t w_ = 0; w_ < (words_); w_++)                                                       \
        for (size_t rest_##i_ = (expression_), i_ = 0;                                             \
             rest_##i_ && (i_ = w_ * 64 + (size_t)__builtin_ctzll(rest_##i_), true);               \
             rest_##i_ &= rest_##i_ - 1)

#endif
