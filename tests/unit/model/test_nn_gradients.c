/* test_nn_gradients.c - every operation of src/model/nn in double against central differences.
 *
 * The loss is the sum of output times random weights, so a backward function that is handed these
 * weights as dy must give its gradient. Differences are of fourth order; components are compared at
 * relative error 1e-6 (plus 1e-9 of the largest). Gradients that are added to start at a constant,
 * those that are overwritten start as NaN.
 */
#include "testing.h"
#include "nn_data.h"

#include "model/nn/loss.h"
#include "model/nn/ops.h"

enum { VARIABLES = 5, COMPONENTS = 25 };
static const double START = 0.75; /* of a gradient that is added to */

typedef struct variable {
    const char *name;
    real *value, *gradient;
    size_t count;
    bool adds;
} variable;

typedef struct problem {
    rng random;
    nn_work *work;
    variable variables[VARIABLES];
    size_t count;
    real *y, *dy, *base; /* output, its weights, what it held before */
    size_t outputs;
    /* what the operation needs besides */
    size_t rows, d, other;
    nn_into into;
    real *kept;
    random_groups groups, inverse;
    uint8_t labels[64];
    void (*forward)(struct problem *p);
    void (*backward)(struct problem *p);
    double (*loss)(struct problem *p, real *gradient); /* instead of forward and backward */
} problem;

static problem *problem_start(uint64_t seed, size_t outputs)
{
    problem *p = mem_zero(1, sizeof *p);
    assert_non_null(p);
    p->random = rng_stream(seed, RNG_TEST, 60, 0, 0);
    p->work = make_work(1, 4096);
    assert_non_null(p->work);
    p->outputs = outputs;
    p->y = constant_reals(outputs, (double)NAN);
    p->dy = random_reals(&p->random, outputs, 1.0);
    p->base = random_reals(&p->random, outputs, 1.0);
    return p;
}

static real *add_variable(problem *p, const char *name, size_t count, double sd, bool adds)
{
    real *value = random_reals(&p->random, count, sd);
    variable *v = &p->variables[p->count++];
    *v = (variable){name, value, constant_reals(count, adds ? START : (double)NAN), count, adds};
    return value;
}

static void problem_free(problem *p)
{
    for (size_t v = 0; v < p->count; v++) {
        mem_free(p->variables[v].value);
        mem_free(p->variables[v].gradient);
    }
    mem_free(p->y);
    mem_free(p->dy);
    mem_free(p->base);
    mem_free(p->kept);
    nn_work_free(p->work);
    mem_free(p);
}

static double objective(problem *p)
{
    if (p->loss) return p->loss(p, NULL);
    if (p->into == NN_ADD) memcpy(p->y, p->base, p->outputs * sizeof *p->y);
    p->forward(p);
    double sum = 0.0;
    for (size_t i = 0; i < p->outputs; i++) sum += p->y[i] * p->dy[i];
    return sum;
}

static double slope_by_differences(problem *p, real *x)
{
    const double step = 2e-4;
    real old = *x;
    double at[4];
    for (int k = 0; k < 4; k++) {
        const double away[] = {-2.0, -1.0, 1.0, 2.0};
        *x = old + away[k] * step;
        at[k] = objective(p);
    }
    *x = old;
    return (8.0 * (at[2] - at[1]) - (at[3] - at[0])) / (12.0 * step);
}

/* Runs the backward pass and compares up to COMPONENTS components of each gradient. */
static void check_gradients(problem *p, const char *what)
{
    (void)objective(p);
    if (p->loss) {
        (void)p->loss(p, p->variables[0].gradient);
    } else {
        p->backward(p);
    }
    for (size_t v = 0; v < p->count; v++) {
        const variable *x = &p->variables[v];
        double largest = 0.0, start = x->adds ? START : 0.0;
        for (size_t i = 0; i < x->count; i++) largest = fmax(largest, fabs(x->gradient[i] - start));
        for (size_t k = 0; k < x->count && k < COMPONENTS; k++) {
            size_t i = x->count <= COMPONENTS ? k : rng_below(&p->random, x->count);
            double found = x->gradient[i] - start, expected = slope_by_differences(p, &x->value[i]);
            if (!(fabs(found - expected) <= 1e-6 * fabs(expected) + 1e-9 * largest)) {
                fail_msg("%s: gradient by %s[%zu] is %.12g, differences give %.12g", what, x->name,
                         i, found, expected);
            }
        }
    }
    problem_free(p);
}

static void linear_y(problem *p)
{
    const variable *v = p->variables;
    linear_forward(p->y, v[0].value, v[1].value, p->count > 2 ? v[2].value : NULL, p->rows, p->d,
                   p->other, p->into, p->work);
}

static void linear_back(problem *p)
{
    variable *v = p->variables;
    linear_backward(v[0].gradient, v[1].gradient, p->count > 2 ? v[2].gradient : NULL, p->dy,
                    v[0].value, v[1].value, p->rows, p->d, p->other, p->into, p->work);
}

static void test_linear(void **state)
{
    (void)state;
    const size_t shapes[][3] = {{1, 3, 4}, {7, 1, 1}, {300, 5, 3}, {2100, 4, 3}};
    for (uint64_t k = 0; k < 8; k++) {
        size_t m = shapes[k / 2][0], in = shapes[k / 2][1], out = shapes[k / 2][2];
        problem *p = problem_start(k, m * out);
        p->rows = m;
        p->d = in;
        p->other = out;
        p->into = k % 2 ? NN_ADD : NN_SET;
        p->forward = linear_y;
        p->backward = linear_back;
        add_variable(p, "x", m * in, 1.0, p->into == NN_ADD);
        add_variable(p, "w", in * out, 1.0, true);
        if (k != 3) add_variable(p, "b", out, 1.0, true);
        check_gradients(p, "linear");
    }
}

static void layer_norm_y(problem *p)
{
    const variable *v = p->variables;
    layer_norm_forward(p->y, p->kept, v[0].value, v[1].value, v[2].value, p->rows, p->d, p->work);
}

static void layer_norm_back(problem *p)
{
    variable *v = p->variables;
    layer_norm_backward(v[0].gradient, v[1].gradient, v[2].gradient, p->dy, v[0].value, p->kept,
                        v[1].value, p->rows, p->d, v[0].adds ? NN_ADD : NN_SET, p->work);
}

static void test_layer_norm(void **state)
{
    (void)state;
    const size_t shapes[][2] = {{3, 5}, {1, 64}, {700, 19}, {2, 2}};
    for (uint64_t k = 0; k < 8; k++) {
        size_t rows = shapes[k / 2][0], d = shapes[k / 2][1];
        problem *p = problem_start(k, rows * d);
        p->rows = rows;
        p->d = d;
        p->kept = constant_reals(2 * rows, (double)NAN);
        p->forward = layer_norm_y;
        p->backward = layer_norm_back;
        add_variable(p, "x", rows * d, 2.0, k % 2 == 1);
        add_variable(p, "gain", d, 1.0, true);
        add_variable(p, "shift", d, 1.0, true);
        check_gradients(p, "layer norm");
    }
}

static void gelu_y(problem *p)
{
    gelu_forward(p->y, p->variables[0].value, p->rows, p->work);
}

static void gelu_back(problem *p)
{
    gelu_backward(p->variables[0].gradient, p->dy, p->variables[0].value, p->rows, p->work);
}

static void gate_y(problem *p)
{
    gate_forward(p->y, p->variables[0].value, 0.1, 1.7, p->rows, p->work);
}

static void gate_back(problem *p)
{
    gate_backward(p->variables[0].gradient, p->dy, p->y, 0.1, 1.7, p->rows,
                  p->variables[0].adds ? NN_ADD : NN_SET, p->work);
}

static void test_elements(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 6; k++) {
        size_t n = k < 4 ? 37 : 16500;
        problem *p = problem_start(k, n);
        p->rows = n;
        p->forward = k % 2 ? gate_y : gelu_y;
        p->backward = k % 2 ? gate_back : gelu_back;
        add_variable(p, "x", n, 2.0, k == 3);
        check_gradients(p, k % 2 ? "gate" : "gelu");
    }
}

static void attention_y(problem *p)
{
    attention_forward(p->y, p->kept, p->variables[0].value, &p->groups.groups, p->d, p->other,
                      p->work);
}

static void attention_back(problem *p)
{
    attention_backward(p->variables[0].gradient, p->dy, p->y, p->kept, p->variables[0].value,
                       &p->groups.groups, p->d, p->other, p->work);
}

/* Groups of one, empty ones, ones of several tiles and several blocks of keys; usual and odd heads;
 * contiguous and by index; scores of every size, among them far below and above 0. */
static void test_attention(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1, 0, 3, 22, 53, 1, 0, 4};
    const size_t tokens = 84;
    const size_t shapes[][2] = {{64, 8}, {15, 5}, {24, 6}, {12, 1}, {48, 4}};
    for (uint64_t k = 0; k < 15; k++) {
        size_t d = shapes[k / 3][0], heads = shapes[k / 3][1];
        problem *p = problem_start(k, tokens * d);
        p->d = d;
        p->other = heads;
        p->kept = constant_reals(tokens * heads, (double)NAN);
        p->forward = attention_y;
        p->backward = attention_back;
        groups_make(&p->groups, sizes, 8, &p->random, tokens, k % 3 > 0);
        real *qkv = add_variable(p, "qkv", 3 * tokens * d, k % 3 == 2 ? 4.0 : 1.0, false);
        if (k % 3 == 2) { /* k = -30 q + noise: the score of a token with itself is very low */
            for (size_t t = 0; t < tokens; t++) {
                for (size_t c = 0; c < d; c++) {
                    qkv[(3 * t + 1) * d + c] -= 30.0 * qkv[3 * t * d + c];
                }
            }
        }
        check_gradients(p, "attention");
    }
}

static void gather_y(problem *p)
{
    gather_forward(p->y, p->variables[0].value, p->groups.index, p->other, p->d, p->into, p->work);
}

static void gather_back(problem *p)
{
    gather_backward(p->variables[0].gradient, p->dy, &p->inverse.groups, p->d,
                    p->variables[0].adds ? NN_ADD : NN_SET, p->work);
}

static void test_gather(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 2; k++) {
        const size_t rows = 11, count = 60, d = 3;
        problem *p = problem_start(k, count * d);
        p->d = d;
        p->other = count;
        p->into = k ? NN_ADD : NN_SET;
        for (size_t i = 0; i < count; i++) p->groups.index[i] = (uint32_t)rng_below(&p->random, 8);
        groups_of_index(p->inverse.offsets, p->inverse.index, p->groups.index, count, rows);
        p->inverse.groups = (nn_groups){rows, p->inverse.offsets, p->inverse.index};
        p->forward = gather_y;
        p->backward = gather_back;
        add_variable(p, "x", rows * d, 1.0, k == 1);
        check_gradients(p, "gather");
    }
}

static void sum_y(problem *p)
{
    segment_sum_forward(p->y, p->variables[0].value, &p->groups.groups, p->d, p->into, p->work);
}

static void sum_back(problem *p)
{
    segment_sum_backward(p->variables[0].gradient, p->dy, &p->inverse.groups, p->d,
                         p->variables[0].adds ? NN_ADD : NN_SET, p->work);
}

static void mean_y(problem *p)
{
    segment_mean_forward(p->y, p->variables[0].value, &p->groups.groups, p->d, p->into, p->work);
}

static void mean_back(problem *p)
{
    segment_mean_backward(p->variables[0].gradient, p->dy, &p->inverse.groups, &p->groups.groups,
                          p->d, p->variables[0].adds ? NN_ADD : NN_SET, p->work);
}

/* Rows in several groups, in none, and twice in one. */
static void test_segment_sums(void **state)
{
    (void)state;
    const uint32_t sizes[] = {4, 0, 1, 9, 0};
    for (uint64_t k = 0; k < 4; k++) {
        const size_t rows = 8, d = 5, groups = 5;
        problem *p = problem_start(k, groups * d);
        p->d = d;
        p->into = k / 2 ? NN_ADD : NN_SET;
        groups_make(&p->groups, sizes, groups, &p->random, 14, true);
        for (size_t i = 0; i < 14; i++) p->groups.index[i] %= 7;
        groups_of_rows(p->inverse.offsets, p->inverse.index, &p->groups.groups, rows);
        p->inverse.groups = (nn_groups){rows, p->inverse.offsets, p->inverse.index};
        p->forward = k % 2 ? mean_y : sum_y;
        p->backward = k % 2 ? mean_back : sum_back;
        add_variable(p, "x", rows * d, 1.0, k / 2 == 1);
        check_gradients(p, k % 2 ? "segment mean" : "segment sum");
    }
}

static void softmax_y(problem *p)
{
    segment_softmax_forward(p->y, p->variables[0].value, &p->groups.groups, p->d, p->work);
}

static void softmax_back(problem *p)
{
    segment_softmax_backward(p->variables[0].gradient, p->dy, p->y, &p->groups.groups, p->d,
                             p->variables[0].adds ? NN_ADD : NN_SET, p->work);
}

static void pool_y(problem *p)
{
    segment_pool_forward(p->y, p->variables[0].value, p->variables[1].value, &p->groups.groups,
                         p->other, p->d, p->into, p->work);
}

static void pool_back(problem *p)
{
    variable *v = p->variables;
    segment_pool_backward(v[0].gradient, v[1].gradient, p->dy, v[0].value, v[1].value,
                          &p->groups.groups, p->other, p->d, v[1].adds ? NN_ADD : NN_SET, p->work);
}

static void test_segment_pooling(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1, 0, 6, 2, 0, 11};
    for (uint64_t k = 0; k < 4; k++) {
        const size_t rows = 20, columns = 2;
        bool pool = k / 2 == 1;
        problem *p = problem_start(k, pool ? 6 * columns * 5 : rows * columns);
        p->into = pool && k % 2 ? NN_ADD : NN_SET;
        groups_make(&p->groups, sizes, 6, &p->random, rows, k % 2 == 1);
        real *x = add_variable(p, "weight", rows * columns, 3.0, !pool && k % 2);
        if (pool) {
            p->d = 5;
            p->other = columns;
            add_variable(p, "x", rows * columns * p->d, 1.0, k % 2 == 1);
        } else {
            p->d = columns;
            for (size_t i = 0; i < rows * columns; i++) x[i] -= 2000.0; /* soft-max is as stable */
        }
        p->forward = pool ? pool_y : softmax_y;
        p->backward = pool ? pool_back : softmax_back;
        check_gradients(p, pool ? "segment pool" : "segment soft-max");
    }
}

static void bias_y(problem *p)
{
    bias_forward(p->y, p->variables[0].value, p->rows, p->d, p->work);
}

static void bias_back(problem *p)
{
    bias_backward(p->variables[0].gradient, p->dy, p->rows, p->d, p->work);
}

static void scale_y(problem *p)
{
    scale_forward(p->y, p->variables[0].value, p->variables[1].value, p->rows, 3, 2, p->d, p->into,
                  p->work);
}

static void scale_back(problem *p)
{
    variable *v = p->variables;
    if (!v[0].adds) memset(v[0].gradient, 0, v[0].count * sizeof(real)); /* between the strides */
    scale_backward(v[0].gradient, v[1].gradient, p->dy, v[0].value, v[1].value, p->rows, 3, 2, p->d,
                   v[0].adds ? NN_ADD : NN_SET, p->work);
}

static void norm_y(problem *p)
{
    norm_forward(p->y, p->variables[0].value, 0.01, p->rows, p->d, p->work);
}

static void norm_back(problem *p)
{
    norm_backward(p->variables[0].gradient, p->dy, p->y, p->variables[0].value, p->rows, p->d,
                  p->variables[0].adds ? NN_ADD : NN_SET, p->work);
}

static void test_rows(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 6; k++) {
        const size_t rows = k / 2 == 0 ? 600 : 21, d = 11;
        size_t outputs = k / 2 == 0 ? rows * d : k / 2 == 1 ? 2 * rows * d : rows;
        problem *p = problem_start(k, outputs);
        p->rows = rows;
        p->d = d;
        if (k / 2 == 0) {
            p->into = NN_ADD;
            add_variable(p, "b", d, 1.0, true);
            p->forward = bias_y;
            p->backward = bias_back;
        } else if (k / 2 == 1) {
            p->into = k % 2 ? NN_ADD : NN_SET;
            add_variable(p, "s", rows * 3, 1.0, k % 2 == 1);
            add_variable(p, "x", 2 * rows * d, 1.0, k % 2 == 1);
            p->forward = scale_y;
            p->backward = scale_back;
        } else {
            real *x = add_variable(p, "x", rows * d, 1.0, k % 2 == 1);
            for (size_t j = 0; j < d; j++) x[j] = 0.0;
            p->forward = norm_y;
            p->backward = norm_back;
        }
        check_gradients(p, k / 2 == 0 ? "bias" : k / 2 == 1 ? "scale" : "norm");
    }
}

static double entropy_loss(problem *p, real *gradient)
{
    const double weights[] = {1.5, 0.7, 0.2};
    return loss_cross_entropy(gradient, p->variables[0].value, p->labels, weights, 1.3, p->rows,
                              0.37);
}

static double shd_loss(problem *p, real *gradient)
{
    return loss_shd(gradient, p->variables[0].value, p->labels, 0.8, p->rows, 0.37);
}

static double rank_loss(problem *p, real *gradient)
{
    const loss_pair pairs[] = {{0, 7}, {4, 9}, {4, 4}, {12, 14}, {13, 3}, {0, 7}, {16, 18}};
    return loss_rank(gradient, p->variables[0].value, pairs, 7, 0.3, 1.1, 0.37);
}

static double gates_loss(problem *p, real *gradient)
{
    return loss_gates(gradient, p->variables[0].value, p->rows, 3, 0.37);
}

static void test_losses(void **state)
{
    (void)state;
    double (*const losses[])(problem *, real *) = {entropy_loss, shd_loss, rank_loss, gates_loss};
    const char *const names[] = {"cross-entropy", "soft SHD", "rank", "gates"};
    for (uint64_t k = 0; k < 8; k++) {
        problem *p = problem_start(k, 1);
        p->rows = 13;
        for (size_t r = 0; r < p->rows; r++) p->labels[r] = (uint8_t)rng_below(&p->random, 3);
        p->labels[5] = LOSS_NO_LABEL;
        real *z = add_variable(p, "z", 3 * p->rows, 1.5, true);
        if (k >= 4) z[6] += 60.0; /* a row that is certain */
        p->loss = losses[k % 4];
        assert_true(fabs(objective(p)) > 0.0);
        check_gradients(p, names[k % 4]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),          cmocka_unit_test(test_layer_norm),
        cmocka_unit_test(test_elements),        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_gather),          cmocka_unit_test(test_segment_sums),
        cmocka_unit_test(test_segment_pooling), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
