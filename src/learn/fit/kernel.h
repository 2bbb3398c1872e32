/* kernel.h - the inner loops of the location-scale fits.
 *
 * Designs are lists of float columns; a loop handles one block of at most KERNEL_BLOCK rows, so
 * that the columns of a fit stay in the first-level caches between the steps of one iteration.
 * Sums over a block are float lanes, sums over blocks are double. Rows past the data are zero in
 * every column, including the constant, and so add nothing.
 */
#ifndef SCONE_LEARN_FIT_KERNEL_H
#define SCONE_LEARN_FIT_KERNEL_H

#include <stddef.h>

enum { KERNEL_BLOCK = 512, KERNEL_LANES = 16, KERNEL_BINS = 128 };

/* out[i] = sum_a coefficients[a] columns[a][offset + i], i < rows (a multiple of KERNEL_LANES) */
void kernel_linear(float *out, const float *const *columns, const float *coefficients, size_t count,
                   size_t offset, size_t rows);
/* out[a] += sum_i columns[a][offset + i] v[i] */
void kernel_project(double *out, const float *const *columns, const float *v, size_t count,
                    size_t offset, size_t rows);
/* kernel_linear with four sets of coefficients, each to an out of its own; columns are read once */
void kernel_linear_four(float *const *out, const float *const *columns,
                        const float *const *coefficients, size_t count, size_t offset, size_t rows);
/* gram[a * count + b] += sum_i w[i] columns[a][offset + i] columns[b][offset + i], b <= a; what is
 * above the diagonal is undefined */
void kernel_gram(double *gram, const float *const *columns, const float *w, size_t count,
                 size_t offset, size_t rows);

/* out[a * right_count + b] += sum_i w[i] left[a][offset + i] right[b][offset + i] */
void kernel_products(double *out, const float *const *left, size_t left_count,
                     const float *const *right, size_t right_count, const float *w, size_t offset,
                     size_t rows);

/* Element by element; accurate to about 2e-7 relative (log: absolute near 1). */
void kernel_log(float *out, const float *in, size_t rows);
void kernel_exp(float *out, const float *in, size_t rows); /* in within [-80, 80] */
void kernel_tanh(float *out, const float *in, size_t rows);

/* Smoothed histogram of a logistic transform: u = 1/(1+exp(-scale e)) adds a weight of 1 to the two
 * of `count` bins over (low, high) whose centres are nearest, in proportion; so counts move
 * smoothly with e. Returns the sum of the log base density, log(scale u (1-u)), over the rows.
 * count <= KERNEL_BINS; low <= u <= high. */
double kernel_histogram(double *bins, unsigned count, const float *e, float scale, float low,
                        float high, size_t rows);
/* Extends [range[0], range[1]] by the values; returns their sum of squares. */
double kernel_range(float range[2], const float *e, size_t rows);

#endif
