/* test_heads.c - the bias heads in float: against the plain formulas, read from the other end, for
 * any number of threads, and at the edges.
 */
#include "testing.h"
#include "heads_data.h"
#include "heads_plain.h"

static const double HEADS_TOLERANCE = 2e-5;
static const case_sizes small_sizes = {8, 5, 5, 14, 6}, large_sizes = {30, 60, 8, 120, 8};

/* A forward and, unless dh is NULL, a backward pass over a case. */
typedef struct run {
    heads *x;
    real *h;         /* after the heads */
    real *dh;        /* of random weights on h; NULL: no backward pass */
    real *gradients; /* [count], from 0 */
} run;

static run run_case(const heads_case *c, int threads, bool backward)
{
    size_t n = 2 * c->b.cells * c->layout->config.width;
    rng r = rng_stream(5, RNG_TEST, 71, 0, 0);
    nn_work *work = make_work(threads, 4096);
    run y = {0};
    CHECK_OK(heads_alloc(&y.x, c->layout, CASE_BLOCK));
    CHECK_OK(heads_reserve(y.x, &c->b));
    y.h = constant_reals(n, 0.0);
    memcpy(y.h, c->h, n * sizeof *y.h);
    heads_forward(y.x, y.h, c->values, &c->b, work);
    if (backward) {
        real *dgates = random_reals(&r, 3 * c->b.cells, 0.1);
        real *dgamma = random_reals(&r, c->b.members, 0.1);
        y.dh = random_reals(&r, n, 1.0);
        y.gradients = constant_reals(c->layout->count, 0.0);
        heads_backward(y.x, y.dh, y.gradients, dgates, dgamma, c->values, &c->b, work);
        mem_free(dgates);
        mem_free(dgamma);
    }
    nn_work_free(work);
    return y;
}

static void run_free(run *y)
{
    heads_free(y->x);
    mem_free(y->h);
    mem_free(y->dh);
    mem_free(y->gradients);
}

static void check_finite(const char *what, const real *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite((double)values[i])) fail_msg("%s[%zu] is %g", what, i, (double)values[i]);
    }
}

static void check_against_plain(const heads_case *c, const plain_heads *plain)
{
    static const char *const names[] = {"CVT", "SSI", "DPT"};
    run y = run_case(c, 1, false);
    check_close("gamma", y.x->scores.gamma, plain->gamma, c->b.members, HEADS_TOLERANCE);
    check_close("gates", heads_gates(y.x), plain->gates, 3 * c->b.cells, HEADS_TOLERANCE);
    for (size_t head = 0; head < 3; head++) {
        double *forward = zeros(2 * c->b.cells);
        for (size_t k = 0; k < 2 * c->b.cells; k++) {
            forward[k] = plain->bias[head][3 * k];
            CHECK_SAME(plain->bias[head][3 * k + 1], 0.0 - forward[k]);
            CHECK_SAME(plain->bias[head][3 * k + 2], 0.0);
        }
        check_close(names[head], y.x->bias[head], forward, 2 * c->b.cells, HEADS_TOLERANCE);
        mem_free(forward);
    }
    check_close("h", y.h, plain->h, 2 * c->b.cells * c->layout->config.width, HEADS_TOLERANCE);
    run_free(&y);
}

static void test_formulas(void **state)
{
    (void)state;
    size_t idle[3] = {0, 0, 0};
    for (uint64_t k = 0; k < 8; k++) {
        case_sizes sizes = k < 6 ? small_sizes : large_sizes;
        plain_heads plain;
        model_config config =
            case_config(sizes.d, k % 2 == 0, k / 2 % 2 == 0 ? MODEL_CVT_PRINTED : MODEL_CVT_PROVED);
        heads_case *c = case_clear(100 * k, sizes, config, k < 6 ? 1e-4 : 5e-6, &plain);
        check_against_plain(c, &plain);
        for (size_t head = 0; head < 3; head++) idle[head] += plain.idle[head];
        plain_free(&plain);
        case_free(c);
    }
    for (size_t head = 0; head < 3; head++) CHECK(idle[head] > 5);
}

/* Reads pair e from its other end: as batch.h says, the sense of a step turns with its own pair and
 * with its owner's. */
static void turn_pair(heads_case *c, size_t e)
{
    batch *b = &c->b;
    for (size_t cell = 0; cell < b->cells; cell++) {
        if (b->cell_pair[cell] != e) continue;
        uint32_t first = b->cell_members[cell][0];
        b->cell_members[cell][0] = b->cell_members[cell][1];
        b->cell_members[cell][1] = first;
    }
    for (size_t q = 0; q < b->triples; q++) {
        for (size_t side = 0; side < 2; side++) {
            if (b->cell_pair[b->triple_cells[q][side]] == e) b->triple_second[q][side] ^= 1;
        }
    }
    for (size_t p = 0; p < b->instances; p++) {
        for (size_t s = b->instance_steps.offsets[p]; s < b->instance_steps.offsets[p + 1]; s++) {
            bool turns = (b->cell_pair[b->instance_owner[p]] == e) !=
                         (b->cell_pair[b->instance_steps.index[s]] == e);
            if (turns) b->step_sense[s] = (int8_t)-b->step_sense[s];
        }
    }
}

/* What cells say of their first end and of their second one. */
static void swap_ends_said(heads_case *c, bool same)
{
    const place_heads *at = &c->layout->blocks[CASE_BLOCK].heads;
    size_t d = c->layout->config.width;
    const size_t places[] = {at->gamma_z, at->gamma_change};
    for (size_t k = 0; k < 2; k++) {
        for (size_t j = 0; j < d; j++) {
            real *first = c->values + places[k] + j, *second = first + d, old = *first;
            *first = *second;
            *second = same ? *second : old;
        }
    }
}

/* The embeddings stay, and gamma is told the same of both ends; so what SSI and CVT say turns with
 * the pair and nothing else does; so does what DPT says of the pair itself. (Of other pairs it may
 * say something else: the sense of its steps is relative to embeddings that would have turned
 * too.) */
static void test_other_end(void **state)
{
    (void)state;
    heads_case *c = case_make(903, small_sizes, case_config(6, true, MODEL_CVT_PRINTED));
    swap_ends_said(c, true);
    run before = run_case(c, 1, false);
    size_t spoken = 0;
    for (size_t e = 0; e < c->b.pairs; e++) {
        turn_pair(c, e);
        run after = run_case(c, 1, false);
        for (size_t head = 0; head < 3; head++) {
            for (size_t k = 0; k < 2 * c->b.cells; k++) {
                bool turned = c->b.cell_pair[k / 2] == e;
                double old = (double)before.x->bias[head][k];
                if (head == HEAD_DPT && !turned) continue;
                CHECK_NEAR((double)after.x->bias[head][k], turned ? -old : old, 1e-5);
                spoken += turned && fabs(old) > 0.01;
            }
        }
        run_free(&after);
        turn_pair(c, e);
    }
    CHECK(spoken > 20);
    run_free(&before);
    case_free(c);
}

/* All pairs turned, and what is said of the ends with them: gamma stays, SSI and CVT turn. */
static void test_all_turned(void **state)
{
    (void)state;
    heads_case *c = case_make(903, small_sizes, case_config(6, true, MODEL_CVT_PRINTED));
    run before = run_case(c, 1, false);
    size_t spoken[3] = {0, 0, 0};
    for (size_t e = 0; e < c->b.pairs; e++) turn_pair(c, e);
    swap_ends_said(c, false);
    run after = run_case(c, 1, false);
    for (size_t m = 0; m < c->b.members; m++) {
        CHECK_NEAR((double)after.x->scores.gamma[m], (double)before.x->scores.gamma[m], 1e-5);
    }
    for (size_t head = HEAD_CVT; head <= HEAD_SSI; head++) {
        for (size_t k = 0; k < 2 * c->b.cells; k++) {
            double old = (double)before.x->bias[head][k];
            CHECK_NEAR((double)after.x->bias[head][k], -old, 1e-5);
            spoken[head] += fabs(old) > 0.01;
        }
    }
    CHECK(spoken[HEAD_CVT] > 2 && spoken[HEAD_SSI] > 2);
    run_free(&before);
    run_free(&after);
    case_free(c);
}

static void test_threads(void **state)
{
    (void)state;
    heads_case *c = case_make(3, large_sizes, case_config(8, true, MODEL_CVT_PRINTED));
    size_t n = 2 * c->b.cells * 8 * sizeof(real), count = c->layout->count * sizeof(real);
    run one = run_case(c, 1, true);
    CHECK(c->b.cells > NN_PIECE_ROWS && c->b.triples > NN_PIECE_ROWS);
    CHECK(c->b.instances > NN_PIECE_ROWS);
    for (int threads = 2; threads < 4; threads++) {
        run many = run_case(c, threads, true);
        assert_memory_equal(one.h, many.h, n);
        assert_memory_equal(one.dh, many.dh, n);
        assert_memory_equal(one.gradients, many.gradients, count);
        run_free(&many);
    }
    run_free(&one);
    case_free(c);
}

static run check_run_finite(const heads_case *c)
{
    size_t n = 2 * c->b.cells * c->layout->config.width;
    run y = run_case(c, 2, true);
    check_finite("h", y.h, n);
    check_finite("dh", y.dh, n);
    check_finite("gradient", y.gradients, c->layout->count);
    check_finite("gates", heads_gates(y.x), 3 * c->b.cells);
    return y;
}

/* No cell, one cell, subsets of one cell: no triples and no paths. */
static void test_few(void **state)
{
    (void)state;
    const case_sizes list[] = {{3, 2, 2, 0, 4}, {2, 1, 2, 1, 4}, {4, 6, 2, 6, 4}, {3, 1, 3, 3, 2}};
    for (size_t k = 0; k < 4; k++) {
        for (int contrast = 0; contrast < 2; contrast++) {
            model_config config = case_config(list[k].d, contrast == 1, MODEL_CVT_PROVED);
            heads_case *c = case_make(k, list[k], config);
            plain_heads plain = plain_make(c);
            CHECK(c->b.triples == 0 && (k == 3 || c->b.instances == 0));
            CHECK((c->b.cells == 0) == (k == 0));
            run y = check_run_finite(c);
            if (k < 3) check_against_plain(c, &plain); /* of one cell both gammas are 1 */
            run_free(&y);
            plain_free(&plain);
            case_free(c);
        }
    }
}

/* No change anywhere: every norm is 0, and no member stands out by it. */
static void test_no_change(void **state)
{
    (void)state;
    for (int contrast = 0; contrast < 2; contrast++) {
        heads_case *c =
            case_make(11, small_sizes, case_config(6, contrast == 1, MODEL_CVT_PRINTED));
        for (size_t cell = 0; cell < c->b.cells; cell++) {
            for (size_t j = 0; j < 6; j++) {
                real *h = c->h + 12 * cell + j;
                h[6] = contrast ? 0 : h[0];
            }
        }
        memset(c->b.node_statistics, 0, c->b.nodes * TOKEN_NODE_STATISTICS * sizeof(real));
        run y = check_run_finite(c);
        double spoken = 0.0;
        for (size_t m = 0; m < c->b.members; m++) CHECK_SAME((double)y.x->scores.place[m], 0.0);
        for (size_t k = 0; k < 2 * c->b.cells; k++) {
            CHECK_NEAR((double)y.x->bias[HEAD_SSI][k], 0.0, 0.0);
            spoken += fabs((double)y.x->bias[HEAD_CVT][k]);
        }
        CHECK(spoken > 0.0);
        run_free(&y);
        case_free(c);
    }
}

/* One object for a large batch, a small one and the large one again: as if made for each. */
static void test_reuse(void **state)
{
    (void)state;
    model_config config = case_config(8, true, MODEL_CVT_PRINTED);
    heads_case *large = case_make(3, large_sizes, config),
               *small = case_make(4, small_sizes, config);
    heads_case *const order[] = {small, large, small, large};
    nn_work *work = make_work(2, 4096);
    heads *x;
    CHECK_OK(heads_alloc(&x, large->layout, CASE_BLOCK));
    for (size_t k = 0; k < 4; k++) {
        const heads_case *c = order[k];
        size_t bytes = 2 * c->b.cells * 8 * sizeof(real);
        run fresh = run_case(c, 2, false);
        real *h = constant_reals(2 * c->b.cells * 8, 0.0);
        memcpy(h, c->h, bytes);
        CHECK_OK(heads_reserve(x, &c->b));
        heads_forward(x, h, c->values, &c->b, work);
        assert_memory_equal(h, fresh.h, bytes);
        mem_free(h);
        run_free(&fresh);
    }
    heads_free(x);
    heads_free(NULL);
    nn_work_free(work);
    case_free(large);
    case_free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),   cmocka_unit_test(test_other_end),
        cmocka_unit_test(test_all_turned), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_few),        cmocka_unit_test(test_no_change),
        cmocka_unit_test(test_reuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
