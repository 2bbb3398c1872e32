/* kernel.c - see kernel.h. Vector lanes are spelt with the compiler's vector type; the functions
 * are built for plain, AVX2+FMA and AVX-512 machines and chosen at load time. */
#include "learn/fit/kernel.h"

#include "learn/fit/lanes.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TILE_LEFT = 3, TILE_RIGHT = 4 };

/* out = (first ? 0 : out) + `width` columns: few streams at a time, each read from end to end */
SIMD_INLINE void linear_columns(float *out, const float *const *columns, const float *coefficients,
                                size_t width, bool first, size_t offset, size_t rows)
{
    const float *c[6];
    float k[6];
#pragma GCC unroll 6
    for (size_t a = 0; a < width; a++) {
        c[a] = columns[a] + offset;
        k[a] = coefficients[a];
    }
    for (size_t i = 0; i < rows; i += 16) {
        lanes s = {0}, t = {0};
        if (!first) {
            s = load(out + i);
            t = load(out + i + 8);
        }
#pragma GCC unroll 6
        for (size_t a = 0; a < width; a++) {
            s += load(c[a] + i) * k[a];
            t += load(c[a] + i + 8) * k[a];
        }
        memcpy(out + i, &s, sizeof s);
        memcpy(out + i + 8, &t, sizeof t);
    }
}

SIMD_CLONES_FUSED void kernel_linear(float *out, const float *const *columns,
                                     const float *coefficients, size_t count, size_t offset,
                                     size_t rows)
{
    size_t a = count % 6;
    switch (a) {
    case 5:
        linear_columns(out, columns, coefficients, 5, true, offset, rows);
        break;
    case 4:
        linear_columns(out, columns, coefficients, 4, true, offset, rows);
        break;
    case 3:
        linear_columns(out, columns, coefficients, 3, true, offset, rows);
        break;
    case 2:
        linear_columns(out, columns, coefficients, 2, true, offset, rows);
        break;
    case 1:
        linear_columns(out, columns, coefficients, 1, true, offset, rows);
        break;
    default:
        break;
    }
    if (a == 0) linear_columns(out, columns, coefficients, 0, true, offset, rows);
    for (; a < count; a += 6) {
        linear_columns(out, columns + a, coefficients + a, 6, false, offset, rows);
    }
}

SIMD_CLONES_FUSED void kernel_linear_four(float *const *out, const float *const *columns,
                                          const float *const *coefficients, size_t count,
                                          size_t offset, size_t rows)
{
    for (size_t i = 0; i < rows; i += 16) {
        lanes s[4][2];
#pragma GCC unroll 4
        for (size_t b = 0; b < 4; b++) s[b][0] = s[b][1] = (lanes){0};
        for (size_t a = 0; a < count; a++) {
            lanes x = load(columns[a] + offset + i), y = load(columns[a] + offset + i + 8);
#pragma GCC unroll 4
            for (size_t b = 0; b < 4; b++) {
                s[b][0] += x * coefficients[b][a];
                s[b][1] += y * coefficients[b][a];
            }
        }
#pragma GCC unroll 4
        for (size_t b = 0; b < 4; b++) memcpy(out[b] + i, s[b], sizeof s[b]);
    }
}

/* Inner products of `width` columns with v, two sums each */
SIMD_INLINE void project_columns(double *out, const float *const *columns, const float *v,
                                 size_t width, size_t offset, size_t rows)
{
    lanes s[4][2];
#pragma GCC unroll 4
    for (size_t a = 0; a < width; a++) s[a][0] = s[a][1] = (lanes){0};
    for (size_t i = 0; i < rows; i += 16) {
        lanes x = load(v + i), y = load(v + i + 8);
#pragma GCC unroll 4
        for (size_t a = 0; a < width; a++) {
            s[a][0] += load(columns[a] + offset + i) * x;
            s[a][1] += load(columns[a] + offset + i + 8) * y;
        }
    }
#pragma GCC unroll 4
    for (size_t a = 0; a < width; a++) out[a] += (double)total(s[a][0] + s[a][1]);
}

SIMD_CLONES_FUSED void kernel_project(double *out, const float *const *columns, const float *v,
                                      size_t count, size_t offset, size_t rows)
{
    size_t a = 0;
    for (; a + 4 <= count; a += 4) project_columns(out + a, columns + a, v, 4, offset, rows);
    for (; a < count; a++) project_columns(out + a, columns + a, v, 1, offset, rows);
}

/* One tile of inner products: out[a * stride + b] += left[a] . right[b]. */
SIMD_INLINE void tile_of(double *out, size_t stride, float left[][KERNEL_BLOCK],
                         const float *const *right, size_t height, size_t width, size_t offset,
                         size_t rows)
{
    lanes s[TILE_LEFT][TILE_RIGHT];
#pragma GCC unroll 3
    for (size_t a = 0; a < height; a++) {
#pragma GCC unroll 4
        for (size_t b = 0; b < width; b++) s[a][b] = (lanes){0};
    }
    for (size_t i = 0; i < rows; i += 8) {
        lanes x[TILE_LEFT];
#pragma GCC unroll 3
        for (size_t a = 0; a < height; a++) x[a] = load(left[a] + i);
#pragma GCC unroll 4
        for (size_t b = 0; b < width; b++) {
            lanes y = load(right[b] + offset + i);
#pragma GCC unroll 3
            for (size_t a = 0; a < height; a++) s[a][b] += x[a] * y;
        }
    }
#pragma GCC unroll 3
    for (size_t a = 0; a < height; a++) {
#pragma GCC unroll 4
        for (size_t b = 0; b < width; b++) out[a * stride + b] += (double)total(s[a][b]);
    }
}

SIMD_INLINE void tile_width(double *out, size_t stride, float left[][KERNEL_BLOCK],
                            const float *const *right, size_t height, size_t width, size_t offset,
                            size_t rows)
{
    if (width == 4) {
        tile_of(out, stride, left, right, height, 4, offset, rows);
    } else if (width == 3) {
        tile_of(out, stride, left, right, height, 3, offset, rows);
    } else if (width == 2) {
        tile_of(out, stride, left, right, height, 2, offset, rows);
    } else {
        tile_of(out, stride, left, right, height, 1, offset, rows);
    }
}

/* left[a] = w * columns[a], and their products with the first `right_count` columns of `right` */
SIMD_INLINE void tile_row(double *out, size_t stride, const float *const *columns, size_t height,
                          const float *const *right, size_t right_count, const float *w,
                          size_t offset, size_t rows)
{
    float left[TILE_LEFT][KERNEL_BLOCK];
    for (size_t a = 0; a < height; a++) {
        const float *c = columns[a] + offset;
        for (size_t i = 0; i < rows; i += 8) {
            lanes p = load(w + i) * load(c + i);
            memcpy(left[a] + i, &p, sizeof p);
        }
    }
    for (size_t b = 0; b < right_count; b += TILE_RIGHT) {
        size_t width = right_count - b < TILE_RIGHT ? right_count - b : TILE_RIGHT;
        if (height == 3) {
            tile_width(out + b, stride, left, right + b, 3, width, offset, rows);
        } else if (height == 2) {
            tile_width(out + b, stride, left, right + b, 2, width, offset, rows);
        } else {
            tile_width(out + b, stride, left, right + b, 1, width, offset, rows);
        }
    }
}

/* The upper triangle gets the products that complete a tile on the diagonal. */
SIMD_CLONES_FUSED void kernel_gram(double *gram, const float *const *columns, const float *w,
                                   size_t count, size_t offset, size_t rows)
{
    for (size_t a = 0; a < count; a += TILE_LEFT) {
        size_t height = count - a < TILE_LEFT ? count - a : TILE_LEFT;
        tile_row(gram + a * count, count, columns + a, height, columns, a + height, w, offset,
                 rows);
    }
}

SIMD_CLONES_FUSED void kernel_products(double *out, const float *const *left, size_t left_count,
                                       const float *const *right, size_t right_count,
                                       const float *w, size_t offset, size_t rows)
{
    for (size_t a = 0; a < left_count; a += TILE_LEFT) {
        size_t height = left_count - a < TILE_LEFT ? left_count - a : TILE_LEFT;
        tile_row(out + a * right_count, right_count, left + a, height, right, right_count, w,
                 offset, rows);
    }
}

SIMD_CLONES_FUSED void kernel_log(float *out, const float *in, size_t rows)
{
    for (size_t i = 0; i < rows; i += 8) {
        lanes v = log_lanes(load(in + i));
        memcpy(out + i, &v, sizeof v);
    }
}

SIMD_CLONES_FUSED void kernel_exp(float *out, const float *in, size_t rows)
{
    for (size_t i = 0; i < rows; i += 8) {
        lanes v = exp_lanes(load(in + i));
        memcpy(out + i, &v, sizeof v);
    }
}

SIMD_CLONES_FUSED void kernel_tanh(float *out, const float *in, size_t rows)
{
    const lanes zero = {0}, limit = zero + 9.0f;
    for (size_t i = 0; i < rows; i += 8) { /* 1 - 2 / (1 + e^2x); |x| > 9 is 1 in a float */
        lanes x = load(in + i);
        x = choose(x > limit, limit, x);
        x = choose(x < -limit, -limit, x);
        lanes v = 1.0f - 2.0f / (1.0f + exp_lanes(2.0f * x));
        memcpy(out + i, &v, sizeof v);
    }
}

SIMD_CLONES_FUSED double kernel_range(float range[2], const float *e, size_t rows)
{
    lanes s = {0}, low = s + range[0], high = s + range[1];
    for (size_t i = 0; i < rows; i += 8) {
        lanes x = load(e + i);
        s += x * x;
        low = choose(x < low, x, low);
        high = choose(x > high, x, high);
    }
    for (int j = 0; j < 8; j++) {
        range[0] = low[j] < range[0] ? low[j] : range[0];
        range[1] = high[j] > range[1] ? high[j] : range[1];
    }
    return (double)total(s);
}

typedef float two __attribute__((vector_size(8)));

SIMD_CLONES_FUSED double kernel_histogram(double *bins, unsigned count, const float *e, float scale,
                                          float low_end, float high_end, size_t rows)
{
    const float stretch = (float)count / (high_end > low_end ? high_end - low_end : 1.0f);
    /* the ends hold what belongs to the outer bins */
    float counts[8][KERNEL_BINS + 2] = {{0}};
    const lanes zero = {0}, limit = zero + 80.0f;
    double sum = 0.0;
    for (size_t begin = 0; begin < rows; begin += KERNEL_BLOCK) {
        size_t end = rows - begin < KERNEL_BLOCK ? rows : begin + KERNEL_BLOCK;
        lanes sizes = zero, product = zero + 1.0f; /* of at most 64 factors of at most 2 */
        for (size_t i = begin; i < end; i += 8) {
            /* with t = exp(-|x|): u or 1 - u is 1/(1+t), and log u (1-u) = -|x| - 2 log(1+t) */
            lanes x = load(e + i) * scale, size = choose(x < zero, -x, x);
            lanes t = exp_lanes(-choose(size > limit, limit, size));
            lanes near = 1.0f / (1.0f + t), u = choose(x < zero, t * near, near);
            lanes place = (u - low_end) * stretch + 0.5f;
            sizes += size;
            product *= 1.0f + t;
            place = choose(place < zero, zero, place); /* rounding at the ends */
            ints low = __builtin_convertvector(place, ints);
            lanes part = place - __builtin_convertvector(low, lanes);
            lanes rest = 1.0f - part;
#pragma GCC unroll 8
            for (int j = 0; j < 8; j++) { /* a lane has counts of its own: none waits for another */
                unsigned b = (unsigned)low[j] <= count ? (unsigned)low[j] : count;
                two at, more = {rest[j], part[j]};
                memcpy(&at, counts[j] + b, sizeof at);
                at += more;
                memcpy(counts[j] + b, &at, sizeof at);
            }
        }
        sum -= (double)total(sizes + 2.0f * log_lanes(product));
    }
    for (unsigned b = 0; b <= count + 1; b++) {
        counts[0][b] = ((counts[0][b] + counts[1][b]) + (counts[2][b] + counts[3][b])) +
                       ((counts[4][b] + counts[5][b]) + (counts[6][b] + counts[7][b]));
    }
    counts[0][1] += counts[0][0];
    counts[0][count] += counts[0][count + 1];
    for (unsigned b = 0; b < count; b++) bins[b] += (double)counts[0][b + 1];
    return sum + (double)rows * log((double)scale);
}
