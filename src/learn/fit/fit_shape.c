/* fit_shape.c - noise whose shape depends on the parents.
 *
 * A location-scale model leaves residuals e. With u = F(e), F their estimated distribution
 * function, the density of u given the parents is modelled as p(u | x) = exp(sum_j phi_j(u) D(x)'
 * theta_j) / Z(x), phi_1 .. phi_8 the orthonormal Legendre polynomials on [0, 1]: what remains of
 * location, scale, skewness, tails and edges. It is what noise inside a function, y = f(x, e),
 * looks like. Each order has to pay for its coefficients by its own score test, 1/2 t'(D'D)^-1 t
 * with t = D'phi_j, so where the location-scale model holds, this costs four projections and
 * changes nothing; the higher four orders are looked at where the lower ones gain a lot. The fit is
 * scoring with the information at theta = 0, which is D'D for each order. Z by quadrature.
 */
#include "learn/fit/fit_parts.h"

#include "learn/fit/lanes.h"

#include <math.h>
#include <string.h>

/* Low orders at first; all of them, with more care, where the low ones gain a lot. */
typedef struct shape_effort {
    int orders, steps;
    size_t sample;
} shape_effort;

enum { LOW = 4, LOW_NODES = 16, NODES = 32 };
static const shape_effort low_effort = {LOW, 5, 2048}, high_effort = {FIT_ORDERS, 8, 4096};
static const double worth_more = 0.05; /* nats a row */
/* Values with few atoms have no density, and polynomials can gather between the nodes of the
 * quadrature: if u alone is this uneven, or the gain this large, in nats a row, there
 * is no shape. */
static const double most_uneven = 0.01, most_gain = 1.5;

static const float norm[FIT_ORDERS] = {1.7320508f, 2.2360680f, 2.6457513f, 3.0f,
                                       3.3166248f, 3.6055513f, 3.8729833f, 4.1231056f};

/* sqrt(2j + 1) P_j(2u - 1), j = 1 .. FIT_ORDERS */
SIMD_INLINE void legendre(float *restrict phi, float u)
{
    float x = 2.0f * u - 1.0f, before = 1.0f, now = x;
    for (int j = 1; j <= FIT_ORDERS; j++) {
        phi[j - 1] = norm[j - 1] * now;
        float next = ((float)(2 * j + 1) * x * now - (float)j * before) / (float)(j + 1);
        before = now;
        now = next;
    }
}

/* The same of eight rows, j up to `orders` */
SIMD_INLINE void legendre_lanes(lanes *phi, lanes u, const int orders)
{
    lanes x = 2.0f * u - 1.0f, before = x * 0.0f + 1.0f, now = x;
#pragma GCC unroll 8
    for (int j = 1; j <= orders; j++) {
        phi[j - 1] = norm[j - 1] * now;
        lanes next = ((float)(2 * j + 1) * x * now - (float)j * before) * (1.0f / (float)(j + 1));
        before = now;
        now = next;
    }
}

/* e in rows of `values` becomes u, by the histogram of a logistic transform. */
static void to_uniform(float *values, const fit_rows *rows)
{
    double cumulated[FIT_BINS + 1] = {0};
    fit_grid grid;
    fit_grid_make(&grid, values, rows);
    for (size_t b = 0; b < FIT_BINS; b++) {
        cumulated[b + 1] = cumulated[b] + grid.bins[b] / (double)rows->count;
    }
    float scale = grid.scale, width = grid.high > grid.low ? grid.high - grid.low : 1.0f;
    FIT_EACH_BLOCK(rows, o, m)
    {
        float t[KERNEL_BLOCK], p[KERNEL_BLOCK];
        for (size_t i = 0; i < m; i++) {
            float x = -values[o + i] * scale;
            t[i] = x < -60.0f ? -60.0f : x > 60.0f ? 60.0f : x;
        }
        kernel_exp(p, t, m);
        for (size_t i = 0; i < m; i++) {
            float place = (float)FIT_BINS * (1.0f / (1.0f + p[i]) - grid.low) / width;
            place = place > 0.0f ? place : 0.0f;
            size_t b = place < (float)FIT_BINS ? (size_t)place : FIT_BINS - 1;
            float low = (float)cumulated[b], high = (float)cumulated[b + 1];
            float u = low + (high - low) * (place - (float)b);
            values[o + i] = u < 1.0f ? u : 1.0f;
        }
    }
}

/* Rows of one block: eta [orders][m] in, gradient phi_j(u) - E phi_j out in its place; returns the
 * log-likelihood. Eight rows stay in registers over all nodes of the quadrature. */
SIMD_INLINE double terms(float eta[FIT_ORDERS][KERNEL_BLOCK], const float *restrict u,
                         const float *restrict one, size_t m, const int orders, const int places)
{
    float nodes[NODES][FIT_ORDERS];
    const lanes zero = {0}, limit = zero + 60.0f;
    lanes sum = zero;
    for (int q = 0; q < places; q++) legendre(nodes[q], ((float)q + 0.5f) / (float)places);
    for (size_t i = 0; i < m; i += 8) {
        lanes own[FIT_ORDERS], mean[FIT_ORDERS], phi[FIT_ORDERS], z = zero, row = load(one + i);
#pragma GCC unroll 8
        for (int j = 0; j < orders; j++) {
            own[j] = load(eta[j] + i);
            mean[j] = zero;
        }
        for (int q = 0; q < places; q++) {
            lanes t = own[0] * nodes[q][0];
#pragma GCC unroll 8
            for (int j = 1; j < orders; j++) t += own[j] * nodes[q][j];
            t = choose(t < -limit, -limit, choose(t > limit, limit, t));
            lanes w = exp_lanes(t);
            z += w;
#pragma GCC unroll 8
            for (int j = 0; j < orders; j++) mean[j] += w * nodes[q][j];
        }
        lanes value = -log_lanes(z / (float)places);
        legendre_lanes(phi, load(u + i), orders);
#pragma GCC unroll 8
        for (int j = 0; j < orders; j++) {
            lanes slope = (phi[j] - mean[j] / z) * row;
            value += own[j] * phi[j];
            memcpy(eta[j] + i, &slope, sizeof slope);
        }
        sum += value * row;
    }
    return (double)total(sum);
}

SIMD_CLONES_FUSED static double low_terms(float eta[FIT_ORDERS][KERNEL_BLOCK],
                                          const float *restrict u, const float *restrict one,
                                          size_t m)
{
    return terms(eta, u, one, m, LOW, LOW_NODES);
}

SIMD_CLONES_FUSED static double all_terms(float eta[FIT_ORDERS][KERNEL_BLOCK],
                                          const float *restrict u, const float *restrict one,
                                          size_t m)
{
    return terms(eta, u, one, m, FIT_ORDERS, NODES);
}

double fit_shape_terms(float eta[FIT_ORDERS][KERNEL_BLOCK], const float *u, const float *one,
                       size_t m, int orders)
{
    return orders == LOW ? low_terms(eta, u, one, m) : all_terms(eta, u, one, m);
}

/* Log-likelihood at theta, and its gradient for the orders in use. */
static double evaluate(const fit_design *d, const fit_rows *rows, const float *u,
                       double theta[FIT_ORDERS][FIT_MAX_COLUMNS],
                       double gradient[FIT_ORDERS][FIT_MAX_COLUMNS], const bool *use,
                       const shape_effort *effort)
{
    float eta[FIT_ORDERS][KERNEL_BLOCK] = {{0}}, c[FIT_ORDERS][FIT_MAX_COLUMNS] = {{0}};
    float *out[FIT_ORDERS];
    const float *coefficients[FIT_ORDERS], *used[FIT_ORDERS], *columns[FIT_MAX_COLUMNS];
    double products[FIT_ORDERS * FIT_MAX_COLUMNS] = {0}, sum = 0.0;
    size_t k = d->count, use_count = 0;
    for (int j = 0; j < effort->orders; j++) {
        out[j] = eta[j];
        coefficients[j] = c[j];
        if (!use[j]) continue; /* 0 */
        used[use_count++] = eta[j];
        for (size_t a = 0; a < k; a++) c[j][a] = (float)theta[j][a];
    }
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (int j = 0; j < effort->orders; j += 4) {
            kernel_linear_four(out + j, d->columns, coefficients + j, k, o, m);
        }
        for (int j = 0; j < effort->orders; j++) {
            for (size_t i = 0; i < m; i++) {
                float x = eta[j][i];
                eta[j][i] = x < -4.0f ? -4.0f : x > 4.0f ? 4.0f : x;
            }
        }
        sum += fit_shape_terms(eta, u + o, d->one + o, m, effort->orders);
        for (size_t a = 0; a < k; a++) columns[a] = d->columns[a] + o;
        kernel_products(products, used, use_count, columns, k, d->one + o, 0, m);
    }
    use_count = 0;
    for (int j = 0; j < effort->orders; j++) {
        memset(gradient[j], 0, k * sizeof **gradient);
        if (use[j]) memcpy(gradient[j], products + k * use_count++, k * sizeof **gradient);
    }
    return sum;
}

/* theta = 0: gradient phi_j(u) of the orders from `first` to before `end` */
static void gradients(const fit_design *d, const fit_rows *rows, const float *u,
                      double gradient[FIT_ORDERS][FIT_MAX_COLUMNS], int first, int end)
{
    float phi[FIT_ORDERS][KERNEL_BLOCK];
    for (int j = first; j < end; j++) memset(gradient[j], 0, d->count * sizeof **gradient);
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = 0; i < m; i++) {
            float p[FIT_ORDERS];
            legendre(p, u[o + i]);
            for (int j = first; j < end; j++) phi[j][i] = p[j] * d->one[o + i];
        }
        for (int j = first; j < end; j++) {
            kernel_project(gradient[j], d->columns, phi[j], d->count, o, m);
        }
    }
}

/* The log-likelihood of the orders in use at a theta near the best, over that of uniform u;
 * gradient: at theta = 0. The steps are taken on a sample of the rows, the value is of all. */
static double climb(fit_work *work, const fit_design *d, const fit_rows *rows, const double *gram,
                    const float *u, double gradient[FIT_ORDERS][FIT_MAX_COLUMNS], const bool *use,
                    const shape_effort *effort)
{
    double theta[FIT_ORDERS][FIT_MAX_COLUMNS] = {{0}}, trial[FIT_ORDERS][FIT_MAX_COLUMNS] = {{0}};
    double next[FIT_ORDERS][FIT_MAX_COLUMNS], best = 0.0, scale = 1.0;
    fit_rows few = fit_rows_first(rows, effort->sample);
    double share = (double)rows->count / (double)few.count;
    size_t k = d->count;
    for (int step = 0; step < effort->steps; step++) {
        for (int j = 0; j < effort->orders; j++) {
            if (!use[j]) continue;
            double move[FIT_MAX_COLUMNS];
            memcpy(move, gradient[j], k * sizeof *move);
            fit_solve(gram, move, k, work->factor);
            for (size_t a = 0; a < k; a++) trial[j][a] = theta[j][a] + scale * move[a];
        }
        double value = share * evaluate(d, &few, u, trial, next, use, effort);
        if (value > best) {
            bool done = value < best + 2.0;
            best = value;
            memcpy(theta, trial, sizeof theta);
            for (int j = 0; j < effort->orders; j++) {
                for (size_t a = 0; a < k; a++) gradient[j][a] = share * next[j][a];
            }
            if (done) break;
        } else {
            scale *= 0.5;
        }
    }
    return few.count == rows->count ? best : evaluate(d, rows, u, theta, next, use, effort);
}

/* The orders of an effort that pay for themselves, and what the climb from theta = 0 gains. */
typedef struct shape_test {
    double gradient[FIT_ORDERS][FIT_MAX_COLUMNS], overall[FIT_ORDERS][FIT_MAX_COLUMNS];
    double price, paid; /* of one order; of those in use */
    bool use[FIT_ORDERS], any;
} shape_test;

/* Tests the orders from `first` to before `end`. */
static void test_orders(shape_test *t, fit_work *work, const fit_design *d, const fit_rows *rows,
                        const double *gram, const float *u, int first, int end)
{
    size_t k = d->count, last = k - 1;
    gradients(d, rows, u, t->gradient, first, end);
    for (int j = first; j < end; j++) {
        double step[FIT_MAX_COLUMNS], gain = 0.0;
        t->overall[j][0] = t->gradient[j][last];
        memcpy(step, t->gradient[j], k * sizeof *step);
        fit_solve(gram, step, k, work->factor);
        for (size_t a = 0; a < k; a++) gain += 0.5 * step[a] * t->gradient[j][a];
        gain -= 0.5 * t->overall[j][0] * t->overall[j][0] / gram[last * k + last];
        t->use[j] = gain > t->price;
        t->any = t->any || t->use[j];
        if (t->use[j]) t->paid += t->price;
    }
}

/* What the orders in use gain beyond their price and beyond a shape that is the same everywhere: u
 * of values with ties is not uniform, whatever the parents. */
static double gain_of(const shape_test *t, fit_work *work, const fit_design *d,
                      const fit_rows *rows, const double *gram, const float *u,
                      const shape_effort *effort)
{
    double gradient[FIT_ORDERS][FIT_MAX_COLUMNS], uneven = 0.0, paid = t->paid;
    size_t k = d->count, last = k - 1;
    fit_design constant = {.count = 1, .one = d->one};
    constant.columns[0] = d->one;
    for (int j = 0; j < effort->orders; j++) {
        uneven += 0.5 * t->overall[j][0] * t->overall[j][0] / gram[last * k + last];
    }
    if (uneven > most_uneven * (double)rows->count) return 0.0;
    if (uneven > 1.0) {
        memcpy(gradient, t->overall, sizeof gradient);
        paid += climb(work, &constant, rows, &gram[last * k + last], u, gradient, t->use, effort);
    }
    memcpy(gradient, t->gradient, sizeof gradient);
    double best = climb(work, d, rows, gram, u, gradient, t->use, effort);
    if (!(best < most_gain * (double)rows->count)) return 0.0;
    return best > paid ? best - paid : 0.0;
}

double fit_shape(fit_work *work, const fit_design *d, const fit_rows *rows, const double *gram,
                 float *e, int effort)
{
    shape_test t = {.price = 0.5 * (double)(d->count - 1) * log((double)rows->count)};
    to_uniform(e, rows);
    test_orders(&t, work, d, rows, gram, e, 0, LOW);
    if (!t.any) return 0.0;
    double low = gain_of(&t, work, d, rows, gram, e, &low_effort);
    if (effort == 0 || low < worth_more * (double)rows->count) return low;
    test_orders(&t, work, d, rows, gram, e, LOW, FIT_ORDERS);
    return fmax(low, gain_of(&t, work, d, rows, gram, e, &high_effort));
}
