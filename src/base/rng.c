/* rng.c - random streams (see rng.h). Cost: docs/methods/generator.md. */
#include "base/rng.h"

#include "base/rng_tiles.h"
#include "base/simd.h"

rng rng_stream(uint64_t seed, rng_stage stage, uint64_t graph, uint64_t subset, uint32_t replicate)
{
    rng r = {.key = {seed, (uint64_t)stage << 32 | replicate, graph, subset}};
    return r;
}

uint64_t rng_word(rng *r)
{
    if (r->left == 0) {
        threefry4x64_key_t key = {{r->key[0], r->key[1], r->key[2], r->key[3]}};
        threefry4x64_ctr_t in = {{r->counter, 0, 0, 0}};
        threefry4x64_ctr_t words = threefry4x64_R(20, in, key);
        for (size_t j = 0; j < 4; j++) r->buffer[j] = words.v[j];
        r->counter++;
        r->left = 4;
    }
    return r->buffer[--r->left];
}

double rng_uniform(rng *r)
{
    return rng_centre(rng_word(r));
}

double rng_range(rng *r, double low, double high)
{
    return low + (high - low) * rng_uniform(r);
}

double rng_normal(rng *r)
{
    /* Box-Muller with 52 bits for each of radius and angle; the other value is not kept, so that
     * a call takes the same words whatever came before it. */
    double radius = sqrt(-2.0 * vmath_log(rng_uniform(r)));
    double sine, cosine;
    vmath_sincos_turn(rng_uniform(r), &sine, &cosine);
    return radius * cosine;
}

double rng_exponential(rng *r)
{
    return -vmath_log(rng_uniform(r));
}

double rng_sign(rng *r)
{
    return rng_word(r) >> 63 ? 1.0 : -1.0;
}

uint64_t rng_below(rng *r, uint64_t n)
{
    /* Words below 2^64 mod n are refused: what is left is a multiple of n many. */
    uint64_t refuse = (0 - n) % n, word;
    do {
        word = rng_word(r);
    } while (word < refuse);
    return word % n;
}

size_t rng_categorical(rng *r, const double *weights, size_t n)
{
    double total = 0.0;
    size_t last = 0; /* rounding may carry the sum past every weight; never pick one of weight 0 */
    for (size_t i = 0; i < n; i++) {
        total += weights[i];
        if (weights[i] > 0.0) last = i;
    }
    double place = total * rng_uniform(r), sum = 0.0;
    for (size_t i = 0; i < last; i++) {
        sum += weights[i];
        if (place < sum) return i;
    }
    return last;
}

void rng_permutation(rng *r, size_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)rng_below(r, i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}

/* ---- arrays ---- */

SIMD_CLONES static void tile_uniform(double *out, const uint64_t key[4], uint64_t counter)
{
    rng_tile_uniform(out, key, counter);
}

SIMD_CLONES static void tile_normal(double *out, const uint64_t key[4], uint64_t counter)
{
    rng_tile_normal(out, key, counter);
}

typedef void (*tile_function)(double *out, const uint64_t key[4], uint64_t counter);

static void fill(rng *r, double *out, size_t n, tile_function tile, size_t tile_values)
{
    r->left = 0;
    for (; n >= tile_values; n -= tile_values, out += tile_values, r->counter += RNG_TILE) {
        tile(out, r->key, r->counter);
    }
    if (n > 0) {
        double rest[RNG_TILE_NORMALS];
        tile(rest, r->key, r->counter);
        memcpy(out, rest, n * sizeof *out);
        r->counter += RNG_TILE;
    }
}

void rng_fill_uniform(rng *r, double *out, size_t n)
{
    fill(r, out, n, tile_uniform, RNG_TILE_WORDS);
}

void rng_fill_normal(rng *r, double *out, size_t n)
{
    fill(r, out, n, tile_normal, RNG_TILE_NORMALS);
}
