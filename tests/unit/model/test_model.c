/* test_model.c - what holds for the model whatever its weights: the order of nodes, the reading of
 * pairs, the composition of a batch and the number of threads do not matter; small graphs work. */
#include "testing.h"
#include "model_data.h"
#include "model_permuted.h"

static const double WEIGHTS[3] = {1.4, 1.4, 0.7};

/* Probabilities of graph g of the case's batch under a reading of its own. */
static void predict(double *p, const model_case *x, model_run *run, const tokens *t,
                    const uint32_t *identity, bool reversed, double share)
{
    batch_item item = {t, identity, reversed};
    CHECK_OK(batch_make(x->b, &item, 1, &x->config));
    CHECK_OK(model_predict(run, x->values, x->b));
    model_probabilities(p, run, x->b, 0, 1.3, share);
}

static void check_probabilities(const double *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CHECK_SAME(p[i * n + i], 0.0);
        for (size_t j = 0; j < n; j++) {
            CHECK(p[i * n + j] >= 0.0 && p[i * n + j] + p[j * n + i] <= 1.0 + 1e-12);
        }
    }
}

/* ---- order and reading ---- */

static double largest_difference(const double *a, const double *b, size_t count)
{
    double largest = 0.0;
    for (size_t k = 0; k < count; k++) {
        double difference = fabs(a[k] - b[k]);
        if (!(difference <= largest)) largest = difference;
    }
    return largest;
}

/* Nodes in another order with their names: probabilities move along. */
static void test_equivariance(void **state)
{
    (void)state;
    enum { N = 11 };
    const size_t nodes[] = {N};
    for (int heads = 0; heads < 2; heads++) {
        model_case *x = model_make(model_small(true, heads == 1), nodes, 1, 6, 40);
        model_run *run = model_runs(x, 1);
        char texts[N][8];
        const char *names[N], *moved_names[N];
        uint32_t number[N], identity[N], moved[N];
        double p[N * N] = {0}, q[N * N] = {0}, back[N * N];
        for (size_t v = 0; v < N; v++) {
            (void)snprintf(texts[v], sizeof texts[v], "g%zu", v);
            number[v] = (uint32_t)((7 * v + 4) % N);
            names[v] = texts[v];
            moved_names[number[v]] = texts[v];
        }
        tokens *t = tokens_permuted(x->t[0], number);
        CHECK_OK(tokens_check(t));
        CHECK_OK(batch_named_identity(identity, names, N, x->config.identities, 3));
        CHECK_OK(batch_named_identity(moved, moved_names, N, x->config.identities, 3));
        predict(p, x, run, x->t[0], identity, false, 1.0);
        predict(q, x, run, t, moved, false, 1.0);
        for (size_t k = 0; k < N * N; k++) {
            back[k] = q[number[k / N] * N + number[k % N]];
        }
        check_probabilities(p, N);
        CHECK(largest_difference(p, q, N * N) > 0.05);
        CHECK_NEAR(largest_difference(p, back, N * N), 0.0, 2e-5);
        tokens_free(t);
        model_run_free(run);
        model_case_free(x);
    }
}

/* The mean of both readings does not depend on which of them is called the first. */
static void test_antisymmetry(void **state)
{
    (void)state;
    enum { N = 10 };
    const size_t nodes[] = {N};
    model_case *x = model_make(model_small(true, true), nodes, 1, 6, 50);
    model_run *run = model_runs(x, 1);
    double once[N * N] = {0}, p[N * N] = {0}, q[N * N] = {0};
    predict(once, x, run, x->t[0], x->identity[0], false, 1.0);
    for (int k = 0; k < 2; k++) {
        predict(p, x, run, x->t[0], x->identity[0], k == 1, 0.5);
        predict(q, x, run, x->t[0], x->identity[0], k == 0, 0.5);
    }
    assert_memory_equal(p, q, sizeof p);
    CHECK(largest_difference(p, once, N * N) > 0.01); /* a single reading is not */
    check_probabilities(p, N);
    /* identities and the rows of their tables in the reverse order: the other reading is now this
     */
    size_t rows = x->config.identities, d = x->config.width;
    const size_t tables[2] = {x->layout->identity, x->layout->node};
    for (size_t k = 0; k < 2; k++) {
        for (size_t r = 0; r < rows / 2; r++) {
            for (size_t c = 0; c < d; c++) {
                real *low = x->values + tables[k] + r * d + c;
                real *high = x->values + tables[k] + (rows - 1 - r) * d + c, moved = *low;
                *low = *high;
                *high = moved;
            }
        }
    }
    for (size_t v = 0; v < N; v++) {
        x->identity[0][v] = (uint32_t)(rows - 1 - x->identity[0][v]);
    }
    memset(q, 0, sizeof q);
    predict(q, x, run, x->t[0], x->identity[0], true, 1.0);
    assert_memory_equal(q, once, sizeof q);
    model_run_free(run);
    model_case_free(x);
}

/* ---- batches and threads ---- */

/* Random numbers where the loss would put its gradients. */
static void fill_gradients(model_run *run, const batch *b, const uint64_t *graph)
{
    for (size_t g = 0; g < b->graphs; g++) {
        rng r = rng_stream(graph[g], RNG_TEST, 82, 0, 0);
        for (size_t k = 3 * b->graph_pair[g]; k < 3 * b->graph_pair[g + 1]; k++) {
            model_dlogits(run)[k] = (real)rng_normal(&r);
        }
        for (size_t k = 3 * b->graph_grid[g]; k < 3 * b->graph_grid[g + 1]; k++) {
            model_dglobal_logits(run)[k] = (real)rng_normal(&r);
        }
    }
}

typedef struct difference {
    double largest, scale;
    size_t bytes; /* numbers that are not the same bytes */
} difference;

static void compare(difference *d, const real *a, const real *b, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double away = fabs((double)a[k] - (double)b[k]);
        if (!(away <= d->largest)) d->largest = away;
        d->scale = fmax(d->scale, fabs((double)a[k]));
        d->bytes += memcmp(&a[k], &b[k], sizeof *a) != 0;
    }
}

/* A batch of three graphs, more rows than one piece has, and three batches of one. */
static void test_batches(void **state)
{
    (void)state;
    const size_t nodes[] = {16, 20, 13};
    const uint64_t graphs[] = {0, 1, 2};
    for (int heads = 0; heads < 2; heads++) {
        model_case *x = model_make(model_small(true, heads == 1), nodes, 3, 8, 60);
        model_run *run = model_runs(x, 1), *single = model_runs(x, 1);
        real *all = constant_reals(x->layout->count, 0.0),
             *sum = constant_reals(x->layout->count, 0.0);
        difference logits = {0}, gradients = {0};
        assert_true(x->b->grid > 512 && 2 * x->b->cells > 512);
        CHECK_OK(model_forward(run, x->values, x->b));
        fill_gradients(run, x->b, graphs);
        model_backward(run, all, x->values, x->b);
        size_t pair = 0, grid = 0;
        for (size_t g = 0; g < 3; g++) {
            CHECK_OK(batch_make(x->b, &x->items[g], 1, &x->config));
            CHECK_OK(model_forward(single, x->values, x->b));
            compare(&logits, model_logits(run) + 3 * pair, model_logits(single), 3 * x->b->pairs);
            compare(&logits, model_global_logits(run) + 3 * grid, model_global_logits(single),
                    3 * x->b->grid);
            fill_gradients(single, x->b, &graphs[g]);
            model_backward(single, sum, x->values, x->b);
            pair += x->b->pairs;
            grid += x->b->grid;
        }
        compare(&gradients, all, sum, x->layout->count);
        CHECK_NEAR(logits.largest / logits.scale, 0.0, 1e-5);
        CHECK_NEAR(gradients.largest / gradients.scale, 0.0, 3e-5);
        print_message("batch of 3: %zu logits of other bytes, largest %.1e of %.1f\n", logits.bytes,
                      logits.largest, logits.scale);
        mem_free(all);
        mem_free(sum);
        model_run_free(run);
        model_run_free(single);
        model_case_free(x);
    }
}

static void test_threads(void **state)
{
    (void)state;
    const size_t nodes[] = {18, 22};
    model_case *x = model_make(model_small(true, true), nodes, 2, 8, 70);
    size_t count = x->layout->count;
    real *gradients[3], *logits = NULL;
    for (int k = 0; k < 3; k++) {
        model_run *run = model_runs(x, k + 1);
        loss_terms terms;
        gradients[k] = constant_reals(count, 0.0);
        CHECK_OK(model_forward(run, x->values, x->b));
        model_loss(&terms, run, x->b, WEIGHTS, 3, 4);
        model_backward(run, gradients[k], x->values, x->b);
        if (k == 0) {
            logits = mem_alloc(3 * x->b->pairs, sizeof *logits);
            assert_non_null(logits);
            memcpy(logits, model_logits(run), 3 * x->b->pairs * sizeof *logits);
        }
        assert_memory_equal(logits, model_logits(run), 3 * x->b->pairs * sizeof *logits);
        assert_memory_equal(gradients[0], gradients[k], count * sizeof *logits);
        model_run_free(run);
    }
    for (int k = 0; k < 3; k++) mem_free(gradients[k]);
    mem_free(logits);
    model_case_free(x);
}

/* The pass that keeps nothing gives the same, in less memory, also after one that keeps. */
static void test_predict(void **state)
{
    (void)state;
    const size_t nodes[] = {15, 9};
    model_case *x = model_make(model_small(true, true), nodes, 2, 7, 75);
    model_run *run = model_runs(x, 2), *lean = model_runs(x, 2);
    CHECK_OK(model_forward(run, x->values, x->b));
    for (int k = 0; k < 2; k++) {
        CHECK_OK(model_predict(k ? run : lean, x->values, x->b));
        if (k == 1) CHECK_OK(model_forward(run, x->values, x->b));
        assert_memory_equal(model_logits(run), model_logits(lean), 3 * x->b->pairs * sizeof(real));
        assert_memory_equal(model_global_logits(run), model_global_logits(lean),
                            3 * x->b->grid * sizeof(real));
        assert_memory_equal(model_gates(run, 1), model_gates(lean, 1),
                            3 * x->b->cells * sizeof(real));
    }
    CHECK(model_run_bytes(lean) < model_run_bytes(run) / 2);
    model_run_free(run);
    model_run_free(lean);
    model_run_free(NULL);
    model_case_free(x);
}

/* ---- small graphs ---- */

/* `nodes` in one subset, with the first `pairs` pairs of node 0 as candidates. */
static tokens *star(uint32_t nodes, uint32_t pairs)
{
    token_sizes size = {
        .nodes = nodes, .subsets = 1, .members = nodes, .pairs = pairs, .cells = pairs};
    tokens *t;
    size.triples = pairs * (pairs - (pairs > 0)) / 2;
    CHECK_OK(tokens_alloc(&t, &size));
    t->labelled = true;
    t->subset_offsets[1] = nodes;
    for (uint32_t v = 0; v < nodes; v++) t->subset_nodes[v] = v;
    t->row_offsets[1] = pairs;
    for (uint32_t e = 0; e < pairs; e++) {
        t->ends[e][1] = e + 1;
        t->cell_pair[e] = e;
        t->cell_members[e][1] = e + 1;
        t->column_offsets[e + 1] = e + 1;
        t->column_cells[e] = e;
        t->codes[e][0] = TOKEN_FORWARD;
        t->touch_cells[e] = t->touch_cells[pairs + e] = e;
    }
    for (uint32_t v = 0; v < nodes; v++) {
        t->touch_offsets[v + 1] = pairs + (v < pairs ? v : pairs);
    }
    t->triple_offsets[1] = size.triples;
    for (uint32_t a = 0, k = 0; a < pairs; a++) {
        for (uint32_t b = a + 1; b < pairs; b++, k++) {
            t->triple_cells[k][0] = a;
            t->triple_cells[k][1] = b;
        }
    }
    CHECK_OK(tokens_check(t));
    return t;
}

static void check_small(const tokens *t, bool heads)
{
    model_config config = model_small(true, heads);
    uint32_t identity[4];
    double p[16] = {0};
    size_t n = t->size.nodes;
    parameter_layout *layout;
    batch *b;
    model_run *run;
    loss_terms terms;
    scone_context context = {.threads = 2};
    CHECK_OK(parameters_layout_make(&layout, &config));
    CHECK_OK(batch_alloc(&b));
    CHECK_OK(model_run_alloc(&run, layout, &context));
    real *values = model_values(layout, 5), *gradients = constant_reals(layout->count, 0.0);
    batch_random_identity(identity, n, config.identities, 1, 0);
    batch_item item = {t, identity, false};
    CHECK_OK(batch_make(b, &item, 1, &config));
    CHECK_OK(model_forward(run, values, b));
    model_probabilities(p, run, b, 0, 1.0, 1.0);
    check_probabilities(p, n);
    for (size_t k = 0; n > 1 && k < n; k++) CHECK(p[k * n + (k + 1) % n] > 0.0);
    model_loss(&terms, run, b, WEIGHTS, 1, 1);
    CHECK(isfinite(terms.total) && terms.labelled == t->size.pairs);
    model_backward(run, gradients, values, b);
    for (size_t k = 0; k < layout->count; k++) CHECK(isfinite(gradients[k]));
    mem_free(values);
    mem_free(gradients);
    model_run_free(run);
    batch_free(b);
    parameters_layout_free(layout);
}

static void test_small(void **state)
{
    (void)state;
    const uint32_t shapes[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 0}, {4, 1}, {4, 3}};
    for (size_t k = 0; k < 6; k++) {
        tokens *t = star(shapes[k][0], shapes[k][1]);
        check_small(t, false);
        check_small(t, true);
        tokens_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equivariance), cmocka_unit_test(test_antisymmetry),
        cmocka_unit_test(test_batches),      cmocka_unit_test(test_threads),
        cmocka_unit_test(test_predict),      cmocka_unit_test(test_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
