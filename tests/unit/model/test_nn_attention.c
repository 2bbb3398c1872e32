/* test_nn_attention.c - attention within groups against dense masked tensors in double, in the
 * machine's and in the plain build (see test_nn.c). */
#include "testing.h"
#include "nn_data.h"

#include "model/nn/ops.h"

static rng stream(uint64_t seed)
{
    return rng_stream(seed, RNG_TEST, 62, 0, 0);
}

/* The oracle: scores of all pairs of tokens, those of different groups masked by -infinity, head by
 * head, in double. member[t] is the group of a token or SIZE_MAX. */
typedef struct dense {
    size_t tokens, d, heads;
    const size_t *member;
    const real *qkv, *dy;
    double *p, *y, *dqkv; /* p [tokens, tokens] of the current head */
} dense;

static double part(const dense *o, size_t token, int which, size_t head, size_t c)
{
    return (double)o->qkv[(3 * token + (size_t)which) * o->d + c * o->heads + head];
}

static double dot_parts(const dense *o, size_t i, int a, size_t j, int b, size_t head)
{
    double sum = 0.0;
    for (size_t c = 0; c < o->d / o->heads; c++) {
        sum += part(o, i, a, head, c) * part(o, j, b, head, c);
    }
    return sum;
}

static void dense_probabilities(const dense *o, size_t head)
{
    double scale = 1.0 / sqrt((double)(o->d / o->heads));
    for (size_t i = 0; i < o->tokens; i++) {
        double *p = o->p + i * o->tokens, peak = -(double)INFINITY, total = 0.0;
        for (size_t j = 0; j < o->tokens; j++) {
            bool seen = o->member[i] == o->member[j] && o->member[i] != SIZE_MAX;
            p[j] = seen ? scale * dot_parts(o, i, 0, j, 1, head) : -(double)INFINITY;
            peak = fmax(peak, p[j]);
        }
        for (size_t j = 0; j < o->tokens; j++) {
            p[j] = o->member[i] == SIZE_MAX ? 0.0 : exp(p[j] - peak);
            total += p[j];
        }
        for (size_t j = 0; j < o->tokens && total > 0.0; j++) p[j] /= total;
    }
}

static void dense_head(const dense *o, size_t head)
{
    size_t n = o->tokens, d = o->d, size = d / o->heads;
    double scale = 1.0 / sqrt((double)size);
    dense_probabilities(o, head);
    for (size_t i = 0; i < n; i++) {
        double mean = 0.0;
        for (size_t c = 0; c < size; c++) {
            size_t at = i * d + c * o->heads + head;
            for (size_t j = 0; j < n; j++) o->y[at] += o->p[i * n + j] * part(o, j, 2, head, c);
            mean += o->y[at] * (double)o->dy[at];
        }
        for (size_t j = 0; j < n; j++) {
            double p = o->p[i * n + j], dp = 0.0;
            if (p == 0.0) continue;
            for (size_t c = 0; c < size; c++) {
                dp += (double)o->dy[i * d + c * o->heads + head] * part(o, j, 2, head, c);
            }
            double t = p * (dp - mean) * scale;
            for (size_t c = 0; c < size; c++) {
                size_t at = c * o->heads + head;
                o->dqkv[3 * i * d + at] += t * part(o, j, 1, head, c);
                o->dqkv[(3 * j + 1) * d + at] += t * part(o, i, 0, head, c);
                o->dqkv[(3 * j + 2) * d + at] += p * (double)o->dy[i * d + at];
            }
        }
    }
}

static const uint32_t SIZES[] = {36, 0, 1, 2, 48, 49, 97, 4, 0, 21};
enum { GROUPS = 10, GROUPED = 258, TOKENS = 261 };

/* qkv normal with sd `spread`; keys get `pull` times their query added. */
static void check_attention(size_t d, size_t heads, bool shuffled, double spread, double pull,
                            double tolerance)
{
    rng r = stream(d + heads);
    random_groups *made = mem_alloc(1, sizeof *made);
    groups_make(made, SIZES, GROUPS, &r, TOKENS, shuffled);
    size_t member[TOKENS];
    for (size_t t = 0; t < TOKENS; t++) member[t] = SIZE_MAX;
    for (size_t g = 0; g < GROUPS; g++) {
        for (size_t k = made->offsets[g]; k < made->offsets[g + 1]; k++) {
            member[groups_member(&made->groups, k)] = g;
        }
    }
    nn_work *work = make_work(2, 0);
    real *qkv = random_reals(&r, TOKENS * 3 * d, spread), *dy = random_reals(&r, TOKENS * d, 1.0);
    for (size_t i = 0; i < TOKENS * d; i++) {
        size_t t = i / d, c = i % d;
        qkv[(3 * t + 1) * d + c] += (real)pull * qkv[3 * t * d + c];
    }
    real *y = constant_reals(TOKENS * d, 7.0), *kept = constant_reals(TOKENS * heads, 7.0);
    real *dqkv = constant_reals(TOKENS * 3 * d, 7.0);
    double *p = zeros(TOKENS * TOKENS), *ey = zeros(TOKENS * d), *edqkv = zeros(TOKENS * 3 * d);
    dense oracle = {TOKENS, d, heads, member, qkv, dy, p, ey, edqkv};
    for (size_t h = 0; h < heads; h++) dense_head(&oracle, h);
    attention_forward(y, kept, qkv, &made->groups, d, heads, work);
    attention_backward(dqkv, dy, y, kept, qkv, &made->groups, d, heads, work);
    for (size_t t = 0; t < TOKENS; t++) { /* what is in no group is left alone */
        for (size_t c = 0; c < d && member[t] == SIZE_MAX; c++) {
            ey[t * d + c] = 7.0;
            for (size_t k = 0; k < 3; k++) edqkv[(3 * t + k) * d + c] = 7.0;
        }
    }
    check_close("attention", y, ey, TOKENS * d, tolerance);
    check_close("its gradient", dqkv, edqkv, TOKENS * 3 * d, tolerance);
    void *all[] = {made, qkv, dy, y, kept, dqkv, p, ey, edqkv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    nn_work_free(work);
}

static void test_attention(void **state)
{
    (void)state;
    const size_t shapes[][2] = {{64, 8}, {64, 16}, {32, 8}, {20, 5}, {64, 1}};
    for (size_t k = 0; k < 5; k++) {
        check_attention(shapes[k][0], shapes[k][1], k % 2 == 1, 1.0, 0.0, TOLERANCE);
        check_attention(shapes[k][0], shapes[k][1], k % 2 == 0, 1.0, 0.0, TOLERANCE);
    }
}

/* Scores of the order of 1,000: their own rounding, 1,000 * 2^-24, times the slope is what is left.
 */
static void test_attention_large(void **state)
{
    (void)state;
    check_attention(64, 8, true, 10.0, 4.0, 1e-3);
    check_attention(64, 8, false, 10.0, -4.0, 1e-3);
    check_attention(20, 5, true, 10.0, -4.0, 1e-3);
}

/* NaN in a group shows in the group, and nowhere else. */
static void test_attention_nan(void **state)
{
    (void)state;
    enum { D = 64, HEADS = 8, N = 30 };
    rng r = stream(9);
    const uint32_t offsets[] = {0, 10, 20, 30};
    nn_groups groups = {3, offsets, NULL};
    nn_work *work = make_work(1, 0);
    real *qkv = random_reals(&r, N * 3 * D, 1.0), *y = constant_reals(N * D, 0.0);
    real *kept = constant_reals(N * HEADS, 0.0);
    for (size_t c = 0; c < D; c++) qkv[(3 * 13 + 1) * D + c] = NAN; /* the key of token 13 */
    attention_forward(y, kept, qkv, &groups, D, HEADS, work);
    for (size_t i = 0; i < N * D; i++) CHECK(isnan(y[i]) == (i / D >= 10 && i / D < 20));
    mem_free(qkv);
    mem_free(y);
    mem_free(kept);
    nn_work_free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_attention_large),
        cmocka_unit_test(test_attention_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
