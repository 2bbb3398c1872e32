/* ops.h - the operations of the axial model: x_forward and x_backward in one file each.
 *
 * Arrays are row-major [rows, d], never padded; any alignment works, that of mem_aligned is faster.
 * Arguments stand in the order outputs, inputs, shapes, work. A backward function takes the
 * gradient of the loss by the output (dy) and gives that by the inputs; gradients of weights are
 * always added to what is there, those of activations are written or added as nn_into says. Nothing
 * allocates and nothing fails; results are the same bytes for any number of threads, and differ in
 * the last bits between plain, AVX2 and AVX-512 machines. Zero rows are fine everywhere.
 */
#ifndef SCONE_MODEL_NN_OPS_H
#define SCONE_MODEL_NN_OPS_H

#include "model/nn/groups.h"
#include "model/nn/nn_work.h"

typedef enum nn_into { NN_SET, NN_ADD } nn_into; /* overwrite the output, or add to it */

/* linear.c: y[m, out] = x[m, in] w[out, in]' + b[out]; b may be NULL. Cost 2 m in out. */
void linear_forward(real *y, const real *x, const real *w, const real *b, size_t m, size_t in,
                    size_t out, nn_into into, const nn_work *work);
/* dx[m, in] as `into` says, dw[out, in] and db[out] are added to; each of the three may be NULL.
 * x is read for dw alone. Cost 4 m in out. */
void linear_backward(real *dx, real *dw, real *db, const real *dy, const real *x, const real *w,
                     size_t m, size_t in, size_t out, nn_into into, const nn_work *work);

/* layer_norm.c: y = (x - mean) / sd * gain[d] + shift[d], by row. statistics[rows, 2] keeps mean
 * and 1 / sd for the backward pass. y may be x only if there is no backward pass. */
void layer_norm_forward(real *y, real *statistics, const real *x, const real *gain,
                        const real *shift, size_t rows, size_t d, const nn_work *work);
/* dgain[d] and dshift[d] are added to. */
void layer_norm_backward(real *dx, real *dgain, real *dshift, const real *dy, const real *x,
                         const real *statistics, const real *gain, size_t rows, size_t d,
                         nn_into into, const nn_work *work);

/* gelu.c: y = x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, n elements; y may be x if there is
 * no backward pass. */
void gelu_forward(real *y, const real *x, size_t n, const nn_work *work);
void gelu_backward(real *dx, const real *dy, const real *x, size_t n,
                   const nn_work *work); /* dx is overwritten; dx may be dy */

/* gate.c: y = floor + (1 - floor) / (1 + exp(-x / temperature)), n elements. */
void gate_forward(real *y, const real *x, real floor, real temperature, size_t n,
                  const nn_work *work);
void gate_backward(real *dx, const real *dy, const real *y, real floor, real temperature, size_t n,
                   nn_into into, const nn_work *work);

/* attention.c: self-attention within groups of tokens. Heads are interleaved: channel c * heads + h
 * of a query, key or value is coordinate c of head h, so a vector register holds one coordinate of
 * 8 heads and groups of any size fill it. (Weights in the usual order differ by a permutation of
 * the rows of the input projection and the columns of the output projection.) qkv[tokens, 3, d],
 * y[tokens, d], log_sum[tokens, heads]; d is a multiple of heads, d / heads at most
 * ATTENTION_HEAD_SIZE. A token is in at most one group; rows of tokens in none are not written.
 * Best with heads a multiple of 8. Cost per group of n: forward 4 n^2 d, backward 10 n^2 d. */
enum { ATTENTION_HEAD_SIZE = 64 };
void attention_forward(real *y, real *log_sum, const real *qkv, const nn_groups *groups, size_t d,
                       size_t heads, const nn_work *work);
void attention_backward(real *dqkv, const real *dy, const real *y, const real *log_sum,
                        const real *qkv, const nn_groups *groups, size_t d, size_t heads,
                        const nn_work *work); /* dqkv is overwritten */

/* gather.c: y[i] = x[index[i]], i < count; an embedding when x is a table. Indices may repeat. */
void gather_forward(real *y, const real *x, const uint32_t *index, size_t count, size_t d,
                    nn_into into, const nn_work *work);
/* dx[r] (+)= sum of dy[i] over the i in `places` of row r (groups_of_index), r < places->count. */
void gather_backward(real *dx, const real *dy, const nn_groups *places, size_t d, nn_into into,
                     const nn_work *work);

/* segment.c: y[g] = sum, or mean, of x[r] over the rows r of group g; 0 for an empty group. Rows
 * may be in several groups. */
void segment_sum_forward(real *y, const real *x, const nn_groups *groups, size_t d, nn_into into,
                         const nn_work *work);
void segment_mean_forward(real *y, const real *x, const nn_groups *groups, size_t d, nn_into into,
                          const nn_work *work);
/* dx[r] (+)= sum of dy[g], or of dy[g] / size of g, over the `owners` of row r (groups_of_rows),
 * r < owners->count. */
void segment_sum_backward(real *dx, const real *dy, const nn_groups *owners, size_t d, nn_into into,
                          const nn_work *work);
void segment_mean_backward(real *dx, const real *dy, const nn_groups *owners,
                           const nn_groups *groups, size_t d, nn_into into, const nn_work *work);
/* p[r, c] = exp(x[r, c]) / sum of exp(x[s, c]) over the rows s of r's group, for each column c. A
 * row is in at most one group; others are not written. p may be x. */
void segment_softmax_forward(real *p, const real *x, const nn_groups *groups, size_t columns,
                             const nn_work *work);
void segment_softmax_backward(real *dx, const real *dp, const real *p, const nn_groups *groups,
                              size_t columns, nn_into into, const nn_work *work);
/* y[g, c] = sum of p[r, c] x[r, c] over the rows r of group g: p[rows, columns], x[rows, columns,
 * d], y[count, columns, d]. A row is in at most one group. */
void segment_pool_forward(real *y, const real *p, const real *x, const nn_groups *groups,
                          size_t columns, size_t d, nn_into into, const nn_work *work);
/* dp is overwritten, dx as `into` says; either may be NULL. Rows in no group are not written. */
void segment_pool_backward(real *dp, real *dx, const real *dy, const real *p, const real *x,
                           const nn_groups *groups, size_t columns, size_t d, nn_into into,
                           const nn_work *work);

/* rows.c */

/* y += x, n elements: a residual, or a gradient that arrives by two ways. */
void add_forward(real *y, const real *x, size_t n, const nn_work *work);
/* y[r] += b[d] for every row */
void bias_forward(real *y, const real *b, size_t rows, size_t d, const nn_work *work);
void bias_backward(real *db, const real *dy, size_t rows, size_t d, const nn_work *work); /* += */
/* y[r, k] (+)= s[r stride] x[r, k]: x[rows, repeat, d], k < repeat; s has one scale per row,
 * `stride` apart. */
void scale_forward(real *y, const real *s, const real *x, size_t rows, size_t stride, size_t repeat,
                   size_t d, nn_into into, const nn_work *work);
/* dx and ds (with s's stride) as `into` says; either may be NULL. */
void scale_backward(real *ds, real *dx, const real *dy, const real *s, const real *x, size_t rows,
                    size_t stride, size_t repeat, size_t d, nn_into into, const nn_work *work);
/* norm[r] = sqrt(sum of x[r]^2 + epsilon); epsilon > 0 keeps the gradient finite at 0 */
void norm_forward(real *norm, const real *x, real epsilon, size_t rows, size_t d,
                  const nn_work *work);
void norm_backward(real *dx, const real *dnorm, const real *norm, const real *x, size_t rows,
                   size_t d, nn_into into, const nn_work *work);

#endif
