/* wild.c - drawing the mechanisms of the second benchmark, and its functions (see wild.h). */
#include "scm/wild.h"

#include "base/simd.h"
#include "base/vmath.h"

#include <math.h>

#define TURNS_PER_RADIAN 0x1.45f306dc9c883p-3 /* 1 / (2 pi) */

/* ---- drawing ---- */

static double signed_range(rng *r, double low, double high)
{
    double magnitude = rng_range(r, low, high);
    return rng_sign(r) * magnitude;
}

static size_t inner_count(wild_kind kind, size_t parents)
{
    switch (kind) {
    case WILD_JOINT:
        return WILD_FEATURES * (parents + 1);
    case WILD_ADDITIVE:
        return 2 * WILD_FEATURES * parents;
    case WILD_TANH:
        return 2 * parents;
    default:
        return 0;
    }
}

static size_t outer_count(wild_kind kind, size_t parents)
{
    switch (kind) {
    case WILD_JOINT:
        return WILD_FEATURES;
    case WILD_ADDITIVE:
        return WILD_FEATURES * parents;
    case WILD_PRODUCTS:
        return parents + parents * (parents - 1) / 2;
    default:
        return parents;
    }
}

static void draw_mixture(wild_mixture *mixture, rng *r)
{
    mixture->share = rng_range(r, 0.3, 0.7);
    double distance = rng_range(r, 2.0, 4.0);
    mixture->mean[0] = -0.5 * distance;
    mixture->mean[1] = 0.5 * distance;
    for (size_t k = 0; k < 2; k++) mixture->sd[k] = rng_range(r, 0.5, 1.0);
}

/* Frequencies are Normal(0, 1) / length scale, one length scale in (1, 2) per function; phases are
 * uniform. Everything is in turns. */
static void draw_features(double *inner, size_t inputs, rng *r)
{
    double per_turn = TURNS_PER_RADIAN / rng_range(r, 1.0, 2.0);
    for (size_t k = 0; k < WILD_FEATURES; k++, inner += inputs + 1) {
        for (size_t j = 0; j < inputs; j++) inner[j] = per_turn * rng_normal(r);
        inner[inputs] = rng_uniform(r);
    }
}

static void draw_weights(wild_node *node, rng *r)
{
    size_t outer = outer_count(node->kind, node->parents);
    for (size_t i = 0; i < outer; i++) {
        switch (node->kind) {
        case WILD_PRODUCTS:
            node->outer[0][i] = i < node->parents ? signed_range(r, 0.5, 1.5) : 0.5 * rng_normal(r);
            break;
        case WILD_TANH:
            node->outer[0][i] = signed_range(r, 0.5, 1.5);
            break;
        default:
            node->outer[0][i] = rng_normal(r);
            break;
        }
    }
    if (node->kind == WILD_JOINT) draw_features(node->inner, node->parents, r);
    for (size_t j = 0; j < node->parents; j++) {
        if (node->kind == WILD_ADDITIVE) {
            draw_features(node->inner + 2 * WILD_FEATURES * j, 1, r);
        } else if (node->kind == WILD_TANH) {
            node->inner[2 * j] = signed_range(r, 0.5, 2.0);
            node->inner[2 * j + 1] = rng_range(r, -1.0, 1.0);
        }
    }
}

scone_status wild_draw_change(wild_node *node, arena *memory, rng *r)
{
    node->change = (wild_change)(WILD_WEIGHTS + rng_below(r, 3));
    if (node->change == WILD_NOISE) node->amount = rng_sign(r) > 0.0 ? 2.5 : 0.4;
    if (node->change == WILD_MEAN) node->amount = signed_range(r, 0.7, 1.5);
    if (node->change != WILD_WEIGHTS) return SCONE_OK;
    size_t outer = outer_count(node->kind, node->parents);
    node->outer[1] = arena_get(memory, outer, sizeof *node->outer[1]);
    if (!node->outer[1]) return SCONE_ERR_MEMORY;
    for (size_t i = 0; i < outer; i++) node->outer[1][i] = node->outer[0][i] + 0.5 * rng_normal(r);
    return SCONE_OK;
}

scone_status wild_draw(wild_node *node, arena *memory, bool target, rng *weights, rng *change)
{
    *node = (wild_node){.parents = node->parents, .parent = node->parent};
    if (node->parents == 0) {
        node->shape = (wild_shape)rng_below(weights, 4);
        draw_mixture(&node->mixture, weights);
        return SCONE_OK;
    }
    static const wild_shape shapes[4] = {WILD_NORMAL, WILD_LAPLACE, WILD_UNIFORM, WILD_STUDENT};
    node->kind = (wild_kind)rng_below(weights, 4);
    node->shape = shapes[rng_below(weights, 4)];
    node->noise_sd = rng_range(weights, 0.3, 0.8);
    bool spread = rng_uniform(weights) < 0.3;
    node->inner = arena_get(memory, inner_count(node->kind, node->parents), sizeof *node->inner);
    node->outer[0] = arena_get(memory, outer_count(node->kind, node->parents), sizeof(double));
    if (!node->inner || !node->outer[0]) return SCONE_ERR_MEMORY;
    node->outer[1] = node->outer[0];
    draw_weights(node, weights);
    if (spread) {
        node->spread = arena_get(memory, node->parents, sizeof *node->spread);
        if (!node->spread) return SCONE_ERR_MEMORY;
        double scale = 0.5 / sqrt((double)node->parents);
        for (size_t j = 0; j < node->parents; j++) node->spread[j] = scale * rng_normal(weights);
    }
    return target ? wild_draw_change(node, memory, change) : SCONE_OK;
}

/* ---- functions of the parents ---- */

SIMD_CLONES static void set_constant(double *restrict y, double value, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = value;
}

/* y += w x */
SIMD_CLONES static void add_linear(double *restrict y, const double *restrict x, double w, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += w * x[i];
}

/* y += w a b; a and b may be the same */
SIMD_CLONES static void add_product(double *restrict y, const double *a, const double *b, double w,
                                    size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += w * (a[i] * b[i]);
}

/* y += w cos(2 pi z) */
SIMD_CLONES static void add_cosine(double *restrict y, const double *restrict z, double w, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sine, cosine;
        vmath_sincos_turn(z[i], &sine, &cosine);
        y[i] += w * cosine;
    }
}

/* y += w tanh(b x + c) */
SIMD_CLONES static void add_tanh(double *restrict y, const double *restrict x, double w, double b,
                                 double c, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += w * vmath_tanh(b * x[i] + c);
}

void wild_function(double *out, const wild_node *node, int regime, const double *columns,
                   size_t stride, double *hidden, size_t n)
{
    size_t p = node->parents;
    const double *outer = node->outer[regime], *inner = node->inner;
    set_constant(out, 0.0, n);
    if (node->kind == WILD_JOINT) {
        for (size_t k = 0; k < WILD_FEATURES; k++, inner += p + 1) {
            set_constant(hidden, inner[p], n);
            for (size_t j = 0; j < p; j++) {
                add_linear(hidden, columns + node->parent[j] * stride, inner[j], n);
            }
            add_cosine(out, hidden, outer[k], n);
        }
        return;
    }
    size_t pair = p;
    for (size_t j = 0; j < p; j++) {
        const double *x = columns + node->parent[j] * stride;
        switch (node->kind) {
        case WILD_ADDITIVE:
            for (size_t k = 0; k < WILD_FEATURES; k++, inner += 2) {
                set_constant(hidden, inner[1], n);
                add_linear(hidden, x, inner[0], n);
                add_cosine(out, hidden, outer[j * WILD_FEATURES + k], n);
            }
            break;
        case WILD_PRODUCTS:
            add_linear(out, x, outer[j], n);
            for (size_t k = j + 1; k < p; k++, pair++) {
                add_product(out, x, columns + node->parent[k] * stride, outer[pair], n);
            }
            break;
        default:
            add_tanh(out, x, outer[j], inner[2 * j], inner[2 * j + 1], n);
            break;
        }
    }
}

/* ---- shapes of roots and noise ---- */

/* sd 1: -+ log(1 - |v|) / sqrt(2) with v uniform in (-1, 1), never 0 */
SIMD_CLONES static void uniform_to_laplace(double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double v = 2.0 * x[i] - 1.0;
        x[i] = vmath_copy_sign(-vmath_log(1.0 - vmath_abs(v)) * 0x1.6a09e667f3bcdp-1, v);
    }
}

/* sd 1: sqrt(12) (u - 1/2) */
SIMD_CLONES static void uniform_to_uniform(double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = 0x1.bb67ae8584caap+1 * (x[i] - 0.5);
}

/* z / sqrt(c / 5), c chi-square with 5 degrees = normal^2 - 2 log(u1 u2), times sqrt(3 / 5) */
SIMD_CLONES static void normal_to_student(double *restrict x, const double *restrict z,
                                          const double *restrict u, const double *restrict v,
                                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double chi_square = z[i] * z[i] - 2.0 * vmath_log(u[i] * v[i]);
        x[i] = x[i] * sqrt(3.0 / chi_square);
    }
}

SIMD_CLONES static void normal_to_mixture(double *restrict x, const double *restrict u,
                                          const wild_mixture *mixture, size_t n)
{
    const wild_mixture m = *mixture;
    for (size_t i = 0; i < n; i++) {
        double first = m.mean[0] + m.sd[0] * x[i], second = m.mean[1] + m.sd[1] * x[i];
        x[i] = u[i] < m.share ? first : second;
    }
}

void wild_shape_fill(double *out, const wild_node *node, rng *r, double *scratch, size_t n)
{
    switch (node->shape) {
    case WILD_LAPLACE:
        rng_fill_uniform(r, out, n);
        uniform_to_laplace(out, n);
        break;
    case WILD_UNIFORM:
        rng_fill_uniform(r, out, n);
        uniform_to_uniform(out, n);
        break;
    case WILD_MIXTURE:
        rng_fill_normal(r, out, n);
        rng_fill_uniform(r, scratch, n);
        normal_to_mixture(out, scratch, &node->mixture, n);
        break;
    case WILD_STUDENT:
        rng_fill_normal(r, out, n);
        rng_fill_normal(r, scratch, n);
        rng_fill_uniform(r, scratch + n, n);
        rng_fill_uniform(r, scratch + 2 * n, n);
        normal_to_student(out, scratch, scratch + n, scratch + 2 * n, n);
        break;
    default:
        rng_fill_normal(r, out, n);
        break;
    }
}

/* y *= exp(clip(z, -1.5, 1.5)) */
SIMD_CLONES static void multiply_exp(double *restrict y, const double *restrict z, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] *= vmath_exp(vmath_min(vmath_max(z[i], -1.5), 1.5));
}

void wild_spread(double *out, const wild_node *node, const double *columns, size_t stride,
                 double *hidden, size_t n)
{
    set_constant(hidden, 0.0, n);
    for (size_t j = 0; j < node->parents; j++) {
        add_linear(hidden, columns + node->parent[j] * stride, node->spread[j], n);
    }
    multiply_exp(out, hidden, n);
}
