/* test_nn.c - the operations of src/model/nn in float against plain loops in double.
 *
 * Built twice: test_nn runs what the machine's vector unit gets, test_nn_plain the plain build of
 * the same sources; both stay within the same tolerance of the same loops, TOLERANCE of the largest
 * element, and so within twice that of each other. Attention is compared with dense masked tensors.
 */
#include "testing.h"
#include "nn_data.h"

#include "model/nn/loss.h"
#include "model/nn/ops.h"

#pragma GCC diagnostic ignored "-Wpsabi"
#include "model/nn/vector.h"

static rng stream(uint64_t seed)
{
    return rng_stream(seed, RNG_TEST, 61, 0, 0);
}

static void test_vector(void **state)
{
    (void)state;
    rng r = stream(0);
    for (int i = 0; i < 200000; i++) {
        float x = (float)rng_range(&r, -100.0, 120.0), y = (float)exp(rng_range(&r, -60.0, 60.0));
        lanes power = vector_exp2(vector_all(x)), log = vector_log2(vector_all(y));
        double exact = exp2((double)x), exact_log = log2((double)y);
        CHECK_NEAR((double)power[i % LANES], exact, 1.2e-7 * exact);
        CHECK_NEAR((double)log[i % LANES], exact_log, 1e-7 * fmax(3.0, fabs(exact_log)));
    }
    CHECK_SAME((double)vector_exp2(vector_all(0.0f))[0], 1.0);
    CHECK_SAME((double)vector_log2(vector_all(1.0f))[0], 0.0);
    CHECK_SAME((double)vector_exp2(vector_all(-INFINITY))[0], 0x1p-100);
    CHECK(isnan(vector_exp2(vector_all(NAN))[0]));
    CHECK(isnan(vector_logistic2(vector_all(NAN))[0]));
}

/* c[m, n] += a b over k; strides by row and by column of a and b */
static void multiply(double *c, const real *a, size_t a_row, size_t a_column, const real *b,
                     size_t b_row, size_t b_column, size_t m, size_t n, size_t k)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t l = 0; l < k; l++) {
                c[i * n + j] +=
                    (double)a[i * a_row + l * a_column] * (double)b[l * b_row + j * b_column];
            }
        }
    }
}

static void check_linear(size_t m, size_t in, size_t out, size_t largest, nn_into into)
{
    rng r = stream(m);
    nn_work *work = make_work(2, largest);
    real *x = random_reals(&r, m * in, 1.0), *w = random_reals(&r, in * out, 1.0);
    real *b = random_reals(&r, out, 1.0), *dy = random_reals(&r, m * out, 1.0);
    real *y = constant_reals(m * out, into == NN_ADD ? 2.0 : (double)NAN);
    real *dx = constant_reals(m * in, into == NN_ADD ? 2.0 : (double)NAN);
    real *dw = constant_reals(in * out, 3.0), *db = constant_reals(out, 3.0);
    double *ey = zeros(m * out), *edx = zeros(m * in), *edw = zeros(in * out), *edb = zeros(out);
    linear_forward(y, x, w, b, m, in, out, into, work);
    linear_backward(dx, dw, db, dy, x, w, m, in, out, into, work);
    multiply(ey, x, in, 1, w, 1, in, m, out, in);
    multiply(edx, dy, out, 1, w, in, 1, m, in, out);
    multiply(edw, dy, 1, out, x, in, 1, out, in, m);
    double start = into == NN_ADD ? 2.0 : 0.0;
    for (size_t i = 0; i < m * out; i++) {
        ey[i] += (double)b[i % out] + start;
        edb[i % out] += (double)dy[i];
    }
    for (size_t i = 0; i < m * in; i++) edx[i] += start;
    for (size_t i = 0; i < in * out; i++) edw[i] += 3.0;
    for (size_t i = 0; i < out; i++) edb[i] += 3.0;
    check_close("y", y, ey, m * out, TOLERANCE);
    check_close("dx", dx, edx, m * in, TOLERANCE);
    check_close("dw", dw, edw, in * out, TOLERANCE);
    check_close("db", db, edb, out, TOLERANCE);
    /* without a bias, and without gradients that nobody asks for */
    real *again = constant_reals(in * out, 3.0);
    linear_backward(NULL, again, NULL, dy, x, w, m, in, out, into, work);
    CHECK(memcmp(again, dw, in * out * sizeof *dw) == 0);
    linear_backward(NULL, NULL, NULL, dy, x, w, m, in, out, into, work);
    linear_forward(y, x, w, NULL, m, in, out, NN_SET, work);
    for (size_t i = 0; i < m * out; i++) ey[i] -= (double)b[i % out] + start;
    check_close("y without bias", y, ey, m * out, TOLERANCE);
    void *all[] = {x, w, b, dy, y, dx, dw, db, ey, edx, edw, edb, again};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    nn_work_free(work);
}

static void test_linear(void **state)
{
    (void)state;
    check_linear(0, 3, 4, 100, NN_SET);
    check_linear(1, 1, 1, 100, NN_ADD);
    check_linear(257, 64, 3, 1000, NN_SET);
    check_linear(2300, 17, 33, 1000, NN_ADD);
    check_linear(2300, 17, 33, 10, NN_SET); /* parts have no room: one piece */
}

static void test_layer_norm(void **state)
{
    (void)state;
    const size_t shapes[][2] = {{300, 64}, {5, 7}, {1, 16}, {0, 8}};
    for (size_t k = 0; k < 4; k++) {
        size_t rows = shapes[k][0], d = shapes[k][1];
        rng r = stream(k);
        nn_work *work = make_work(2, 2 * d);
        real *x = random_reals(&r, rows * d, 1.0), *gain = random_reals(&r, d, 1.0);
        real *shift = random_reals(&r, d, 1.0), *dy = random_reals(&r, rows * d, 1.0);
        real *y = constant_reals(rows * d, (double)NAN), *kept = constant_reals(2 * rows, 0.0);
        real *dx = constant_reals(rows * d, (double)NAN);
        real *dgain = constant_reals(d, 0.0), *dshift = constant_reals(d, 0.0);
        double *ey = zeros(rows * d), *edx = zeros(rows * d), *ed = zeros(2 * d);
        for (size_t i = 0; i < rows * d; i++) x[i] += 100.0f; /* a mean far from 0 */
        layer_norm_forward(y, kept, x, gain, shift, rows, d, work);
        layer_norm_backward(dx, dgain, dshift, dy, x, kept, gain, rows, d, NN_SET, work);
        for (size_t i = 0; i < rows; i++) {
            double mean = 0.0, square = 0.0, g = 0.0, gz = 0.0;
            for (size_t j = 0; j < d; j++) mean += (double)x[i * d + j] / (double)d;
            for (size_t j = 0; j < d; j++) square += pow((double)x[i * d + j] - mean, 2);
            double scale = 1.0 / sqrt(square / (double)d + 1e-5);
            for (size_t j = 0; j < d; j++) {
                double z = ((double)x[i * d + j] - mean) * scale, slope = (double)dy[i * d + j];
                ey[i * d + j] = z * (double)gain[j] + (double)shift[j];
                g += slope * (double)gain[j] / (double)d;
                gz += slope * (double)gain[j] * z / (double)d;
                ed[j] += slope * z;
                ed[d + j] += slope;
            }
            for (size_t j = 0; j < d; j++) {
                double z = ((double)x[i * d + j] - mean) * scale, slope = (double)dy[i * d + j];
                edx[i * d + j] = scale * (slope * (double)gain[j] - g - z * gz);
            }
        }
        /* the mean of numbers near 100 is known to 100 * 2^-24 */
        check_close("y", y, ey, rows * d, 1e-5);
        check_close("dx", dx, edx, rows * d, 1e-5);
        check_close("dgain", dgain, ed, d, 1e-5);
        check_close("dshift", dshift, ed + d, d, TOLERANCE);
        void *all[] = {x, gain, shift, dy, y, kept, dx, dgain, dshift, ey, edx, ed};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
        nn_work_free(work);
    }
}

static void test_elements(void **state)
{
    (void)state;
    enum { N = 20011 };
    rng r = stream(3);
    nn_work *work = make_work(2, 0);
    real *x = random_reals(&r, N, 3.0), *dy = random_reals(&r, N, 1.0);
    real *y = constant_reals(N, (double)NAN), *dx = constant_reals(N, (double)NAN);
    double *ey = zeros(N), *edx = zeros(N);
    const float ends[] = {0.0f, -0.0f, 50.0f, -50.0f, 1e6f, -1e6f, 1e-20f};
    memcpy(x, ends, sizeof ends);
    const double a = sqrt(2.0 / 3.14159265358979323846), b = 0.044715;
    for (size_t i = 0; i < N; i++) {
        double v = (double)x[i], t = tanh(a * (v + b * v * v * v));
        ey[i] = 0.5 * v * (1.0 + t);
        edx[i] = (double)dy[i] *
                 (0.5 * (1.0 + t) + 0.5 * v * (1.0 - t * t) * a * (1.0 + 3.0 * b * v * v));
    }
    gelu_forward(y, x, N, work);
    gelu_backward(dx, dy, x, N, work);
    for (size_t i = 0; i < N; i++) {
        CHECK_NEAR((double)y[i], ey[i], 1e-6 * fabs(ey[i]) + 4e-7);
        CHECK_NEAR((double)dx[i], edx[i], 4e-6 * fabs((double)dy[i]));
    }
    gelu_backward(dy, dy, x, N, work); /* in place */
    CHECK(memcmp(dy, dx, N * sizeof *dx) == 0);
    for (size_t i = 0; i < N; i++) {
        double s = 1.0 / (1.0 + exp(-(double)x[i] / 2.0));
        ey[i] = 0.1 + 0.9 * s;
        edx[i] = (double)dy[i] * 0.9 * s * (1.0 - s) / 2.0;
    }
    gate_forward(y, x, 0.1f, 2.0f, N, work);
    gate_backward(dx, dy, y, 0.1f, 2.0f, N, NN_SET, work);
    check_close("gate", y, ey, N, 3e-7);
    check_close("gate gradient", dx, edx, N, TOLERANCE);
    void *all[] = {x, dy, y, dx, ey, edx};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    nn_work_free(work);
}

static void test_groups(void **state)
{
    (void)state;
    rng r = stream(4);
    enum { ROWS = 40, COUNT = 300 };
    uint32_t index[COUNT], offsets[ROWS + 1], places[COUNT];
    for (size_t i = 0; i < COUNT; i++) index[i] = (uint32_t)rng_below(&r, ROWS - 1);
    groups_of_index(offsets, places, index, COUNT, ROWS);
    size_t next = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        CHECK(offsets[row] == next);
        for (uint32_t i = 0; i < COUNT; i++) {
            if (index[i] == row) CHECK(places[next++] == i);
        }
    }
    CHECK(offsets[ROWS] == COUNT && next == COUNT);
    const uint32_t starts[] = {0, 100, 100, 180, COUNT};
    nn_groups groups = {4, starts, index};
    groups_of_rows(offsets, places, &groups, ROWS);
    next = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        CHECK(offsets[row] == next);
        for (uint32_t g = 0; g < 4; g++) {
            for (uint32_t i = starts[g]; i < starts[g + 1]; i++) {
                if (index[i] == row) CHECK(places[next++] == g);
            }
        }
    }
    groups_of_index(offsets, places, index, 0, 0);
    CHECK(offsets[0] == 0);
}

/* Segments and gathering are exact sums of few terms: loops in double, by hand. */
static void test_segments(void **state)
{
    (void)state;
    enum { ROWS = 60, D = 13, COUNT = 7, COLUMNS = 2 };
    rng r = stream(5);
    random_groups *made = mem_alloc(1, sizeof *made);
    const uint32_t sizes[COUNT] = {5, 0, 1, 30, 2, 0, 12};
    groups_make(made, sizes, COUNT, &r, ROWS, true);
    nn_work *work = make_work(2, 0);
    real *x = random_reals(&r, ROWS * COLUMNS * D, 1.0);
    real *w = random_reals(&r, ROWS * COLUMNS, 5.0), *p = constant_reals(ROWS * COLUMNS, 7.0);
    real *sum = constant_reals(COUNT * D, 2.0), *mean = constant_reals(COUNT * D, (double)NAN);
    real *pool = constant_reals(COUNT * COLUMNS * D, (double)NAN);
    double *esum = zeros(COUNT * D), *emean = zeros(COUNT * D), *ep = zeros(ROWS * COLUMNS);
    double *epool = zeros(COUNT * COLUMNS * D);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) ep[i] = 7.0;
    for (size_t i = 0; i < COUNT * D; i++) esum[i] = 2.0;
    for (size_t g = 0; g < COUNT; g++) {
        double total[COLUMNS] = {0};
        for (size_t k = made->offsets[g]; k < made->offsets[g + 1]; k++) {
            for (size_t c = 0; c < COLUMNS; c++) {
                total[c] += exp((double)w[made->index[k] * COLUMNS + c]);
            }
        }
        for (size_t k = made->offsets[g]; k < made->offsets[g + 1]; k++) {
            size_t row = made->index[k];
            for (size_t j = 0; j < D; j++) {
                esum[g * D + j] += (double)x[row * D + j];
                emean[g * D + j] += (double)x[row * D + j] / sizes[g];
            }
            for (size_t c = 0; c < COLUMNS; c++) {
                double share = exp((double)w[row * COLUMNS + c]) / total[c];
                ep[row * COLUMNS + c] = share;
                for (size_t j = 0; j < D; j++) {
                    epool[(g * COLUMNS + c) * D + j] +=
                        share * (double)x[(row * COLUMNS + c) * D + j];
                }
            }
        }
    }
    segment_sum_forward(sum, x, &made->groups, D, NN_ADD, work);
    segment_mean_forward(mean, x, &made->groups, D, NN_SET, work);
    segment_softmax_forward(p, w, &made->groups, COLUMNS, work);
    segment_pool_forward(pool, p, x, &made->groups, COLUMNS, D, NN_SET, work);
    check_close("sum", sum, esum, COUNT * D, TOLERANCE);
    check_close("mean", mean, emean, COUNT * D, TOLERANCE);
    check_close("soft-max", p, ep, ROWS * COLUMNS, TOLERANCE);
    check_close("pool", pool, epool, COUNT * COLUMNS * D, TOLERANCE);
    void *all[] = {made, x, w, p, sum, mean, pool, esum, emean, ep, epool};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    nn_work_free(work);
}

static void test_rows(void **state)
{
    (void)state;
    enum { ROWS = 530, D = 9 };
    rng r = stream(6);
    nn_work *work = make_work(2, 100);
    real *x = random_reals(&r, ROWS * 2 * D, 1.0), *s = random_reals(&r, ROWS * 3, 1.0);
    real *y = constant_reals(ROWS * 2 * D, 1.0), *ds = constant_reals(ROWS * 3, 1.0);
    real *norm = constant_reals(ROWS, (double)NAN), *db = constant_reals(D, 1.0);
    double *expected = zeros(ROWS * 2 * D);
    scale_forward(y, s, x, ROWS, 3, 2, D, NN_ADD, work);
    for (size_t i = 0; i < ROWS * 2 * D; i++) {
        expected[i] = 1.0 + (double)s[i / (2 * D) * 3] * (double)x[i];
    }
    check_close("scale", y, expected, ROWS * 2 * D, TOLERANCE);
    add_forward(y, x, ROWS * 2 * D, work);
    for (size_t i = 0; i < ROWS * 2 * D; i++) expected[i] += (double)x[i];
    check_close("add", y, expected, ROWS * 2 * D, TOLERANCE);
    bias_forward(y, s, ROWS, 2 * D, work);
    for (size_t i = 0; i < ROWS * 2 * D; i++) expected[i] += (double)s[i % (2 * D)];
    check_close("bias", y, expected, ROWS * 2 * D, TOLERANCE);
    scale_backward(ds, NULL, y, s, x, ROWS, 3, 2, D, NN_ADD, work);
    norm_forward(norm, x, 0.5f, ROWS, D, work);
    bias_backward(db, x, ROWS, D, work);
    for (size_t i = 0; i < ROWS; i++) {
        double dot = 1.0, square = 0.5;
        for (size_t j = 0; j < 2 * D; j++) {
            dot += (double)y[i * 2 * D + j] * (double)x[i * 2 * D + j];
        }
        for (size_t j = 0; j < D; j++) square += pow((double)x[i * D + j], 2);
        CHECK_NEAR((double)ds[3 * i], dot, 1e-5 * fmax(10.0, fabs(dot)));
        CHECK_SAME((double)ds[3 * i + 1], 1.0);
        CHECK_NEAR((double)norm[i], sqrt(square), 1e-6 * sqrt(square));
    }
    for (size_t j = 0; j < D; j++) {
        double sum = 1.0;
        for (size_t i = 0; i < ROWS; i++) sum += (double)x[i * D + j];
        CHECK_NEAR((double)db[j], sum, 1e-5 * 30.0);
    }
    void *all[] = {x, s, y, ds, norm, db, expected};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    nn_work_free(work);
}

/* The definitions, by hand, for logits whose probabilities are known. */
static void test_losses(void **state)
{
    (void)state;
    /* soft-max of 2 log(q) at temperature 2 is q */
    const double q[4][3] = {{0.2, 0.3, 0.5}, {0.6, 0.3, 0.1}, {0.1, 0.1, 0.8}, {0.4, 0.4, 0.2}};
    const uint8_t labels[4] = {1, 0, 2, LOSS_NO_LABEL};
    const double weights[3] = {2.0, 3.0, 0.5};
    real z[12];
    for (size_t i = 0; i < 12; i++) z[i] = (real)(2.0 * log(q[i / 3][i % 3]) + 11.0);
    double entropy = -(3.0 * log(0.3) + 2.0 * log(0.6) + 0.5 * log(0.8));
    CHECK_NEAR(loss_cross_entropy(NULL, z, labels, weights, 2.0, 4, 0.25), 0.25 * entropy, 1e-6);
    CHECK_NEAR(loss_weight(labels, weights, 4), 5.5, 0.0);
    double shd = 0.04 + 0.49 + 0.16 + 0.09 + 0.01 + 0.01;
    CHECK_NEAR(loss_shd(NULL, z, labels, 2.0, 4, 3.0), 3.0 * shd, 1e-6);
    const loss_pair pairs[] = {{3, 0}, {1, 6}, {7, 10}};
    double rank = 0.0 + 0.1 + 0.6; /* 0.3 - 0.6 + 0.2; 0.3 - 0.3 + 0.1; 0.3 - 0.1 + 0.4 */
    CHECK_NEAR(loss_rank(NULL, z, pairs, 3, 0.3, 2.0, 2.0), 2.0 * rank, 1e-6);
    const real gates[] = {0.1f, 1.0f, 0.5f, 0.3f, 1.0f, 0.7f};
    CHECK_NEAR(loss_gates(NULL, gates, 2, 3, 1.0), (0.64 + 0.0 + 0.16) / 3.0, 1e-7);
    CHECK_SAME(loss_gates(NULL, gates, 0, 3, 1.0), 0.0);
    z[4] = NAN; /* shows in the loss, whatever the label */
    CHECK(isnan(loss_cross_entropy(NULL, z, labels, weights, 2.0, 4, 1.0)));
    CHECK(isnan(loss_shd(NULL, z, labels, 2.0, 4, 1.0)));
}

enum { ROOM = 4 * 1000 * 1000 };

/* Runs every operation that is cut into pieces, and writes all results to `out`. */
static size_t run_all(real *out, int threads)
{
    enum { M = 2100, D = 64, F = 96, HEADS = 8, CUT = 30 };
    rng r = stream(8);
    nn_work *work = make_work(threads, D * F + F);
    uint32_t offsets[CUT + 1] = {0}, index[M], places[M];
    for (uint32_t g = 0; g < CUT; g++) offsets[g + 1] = offsets[g] + (g * 37) % 140;
    size_t tokens = offsets[CUT];
    CHECK(tokens <= M);
    for (size_t i = 0; i < M; i++) index[i] = (uint32_t)rng_below(&r, M / 2);
    uint32_t starts[M / 2 + 1];
    groups_of_index(starts, places, index, M, M / 2);
    nn_groups groups = {CUT, offsets, NULL}, inverse = {M / 2, starts, places};
    real *x = random_reals(&r, M * 3 * D, 1.0), *w = random_reals(&r, F * D, 0.2);
    real *o = out;
    memset(out, 0, sizeof *out * ROOM);
    real *y = o;
    linear_forward(y, x, w, x, M, D, F, NN_SET, work);
    o += M * F;
    linear_backward(o, o + M * D, o + M * D + F * D, y, x, w, M, D, F, NN_SET, work);
    o += M * D + F * D + F;
    gelu_forward(o, y, M * F, work);
    o += M * F;
    gelu_backward(o, y, y, M * F, work);
    o += M * F;
    layer_norm_forward(o, o + M * D, x, x, x, M, D, work);
    layer_norm_backward(o + M * D + 2 * M, o + 2 * M * D + 2 * M, o + 2 * M * D + 2 * M + D, y, x,
                        o + M * D, x, M, D, NN_SET, work);
    o += 2 * M * D + 2 * M + 2 * D;
    real *a = o, *kept = o + tokens * D;
    attention_forward(a, kept, x, &groups, D, HEADS, work);
    o = kept + tokens * HEADS;
    attention_backward(o, y, a, kept, x, &groups, D, HEADS, work);
    o += tokens * 3 * D;
    gather_backward(o, x, &inverse, D, NN_SET, work);
    o += M / 2 * D;
    bias_backward(o, x, M, D, work);
    o += D;
    mem_free(x);
    mem_free(w);
    nn_work_free(work);
    return (size_t)(o - out);
}

static void test_threads(void **state)
{
    (void)state;
    real *one = mem_zero(ROOM, sizeof *one), *more = mem_zero(ROOM, sizeof *more);
    assert_non_null(one);
    assert_non_null(more);
    size_t count = run_all(one, 1);
    CHECK(count > 1000000 && count < ROOM);
    for (size_t i = 0; i < count; i++) CHECK(isfinite(one[i]));
    for (int threads = 2; threads <= 3; threads++) {
        CHECK(run_all(more, threads) == count);
        CHECK(memcmp(one, more, count * sizeof *one) == 0);
    }
    mem_free(one);
    mem_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector),     cmocka_unit_test(test_linear),
        cmocka_unit_test(test_layer_norm), cmocka_unit_test(test_elements),

        cmocka_unit_test(test_groups),     cmocka_unit_test(test_segments),
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_losses),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
