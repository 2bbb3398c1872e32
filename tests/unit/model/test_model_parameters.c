/* test_model_parameters.c - the list of parameters, its starting values and its files, and which
 * node gets which row of the identity table. */
#include "testing.h"
#include "model_data.h"

#include <unistd.h>

/* ---- parameters ---- */

static const parameter *find(const parameter_layout *layout, const char *name)
{
    for (size_t k = 0; k < layout->list_count; k++) {
        if (strcmp(layout->list[k].name, name) == 0) return &layout->list[k];
    }
    return NULL;
}

static void check_parameter(const parameter_layout *layout, const char *name, size_t offset,
                            size_t rows, size_t columns, bool decay)
{
    const parameter *p = find(layout, name);
    if (!p) fail_msg("no tensor %s", name);
    CHECK(p->offset == offset && p->rows == rows && p->columns == columns && p->decay == decay);
}

static void test_layout(void **state)
{
    (void)state;
    const char *const presets[] = {"paper", "paper-nb", "paper-nc"};
    /* 131,072 of tables, 13,056 + 64 of the embeddings, 2 x 195 of the classes; in each block
     * 2 x 66,752 of the axial blocks, 64 of pooling, 25,748 of the heads */
    const size_t rest = 131072 + 13056 + 64 + 390, block = 2 * 66752 + 64, head = 25748;
    const size_t counts[] = {rest + 4 * (block + head), rest + 4 * block,
                             rest + 4 * (block + head)};
    for (size_t k = 0; k < 3; k++) {
        model_config config;
        parameter_layout *layout;
        CHECK_OK(config_preset(&config, presets[k]));
        CHECK_OK(parameters_layout_make(&layout, &config));
        size_t next = 0;
        for (size_t i = 0; i < layout->list_count; i++) {
            const parameter *p = &layout->list[i];
            CHECK(p->offset == next && p->rows > 0 && p->columns > 0);
            CHECK(find(layout, p->name) == p); /* names are unique */
            next += p->rows * p->columns;
        }
        CHECK(layout->count == next && next == counts[k]);
        const place_block *b = &layout->blocks[2];
        check_parameter(layout, "identity", layout->identity, 1024, 64, false);
        check_parameter(layout, "embed.in.weight", layout->embed_in.weight, 64, 138, true);
        check_parameter(layout, "block.2.row.qkv.weight", b->marginal.row.qkv.weight, 192, 64,
                        true);
        check_parameter(layout, "block.2.column.norm.gain", b->marginal.column.norm.gain, 1, 64,
                        false);
        check_parameter(layout, "block.2.global.feed.out.bias", b->global.feed.out.bias, 1, 64,
                        false);
        check_parameter(layout, "block.2.global.column.qkv.bias", b->global.column.qkv.bias, 1, 192,
                        false);
        check_parameter(layout, "block.2.pool.weight", b->pool, 1, 64, true);
        if (k != 1) {
            check_parameter(layout, "block.2.ssi.out.weight", b->heads.ssi_out, 32, 64, true);
            check_parameter(layout, "block.2.dpt.scale", b->heads.dpt_scale, 1, 1, false);
        } else {
            CHECK(find(layout, "block.2.dpt.scale") == NULL);
        }
        parameters_layout_free(layout);
    }
}

static void test_layout_limits(void **state)
{
    (void)state;
    parameter_layout *layout;
    model_config config = config_default();
    config.blocks = MODEL_MOST_BLOCKS + 1;
    CHECK_FAILS(parameters_layout_make(&layout, &config), SCONE_ERR_INPUT, "blocks is 17");
    config = config_default();
    config.width = 130;
    config.heads = 2;
    CHECK_FAILS(parameters_layout_make(&layout, &config), SCONE_ERR_INPUT, "width / heads is 65");
    config.width = 127;
    CHECK_FAILS(parameters_layout_make(&layout, &config), SCONE_ERR_INPUT, "width");
    CHECK(layout == NULL);
    parameters_layout_free(NULL);
}

static void test_start(void **state)
{
    (void)state;
    parameter_layout *layout, *without;
    model_config config = config_default();
    config.scale_start = 0.7;
    CHECK_OK(parameters_layout_make(&layout, &config));
    config.bias_heads = false;
    CHECK_OK(parameters_layout_make(&without, &config));
    float *a = mem_alloc(layout->count, sizeof *a), *b = mem_alloc(layout->count, sizeof *b);
    assert_true(a && b);
    parameters_start(a, layout, 7);
    parameters_start(b, layout, 7);
    assert_memory_equal(a, b, layout->count * sizeof *a);
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        size_t count = p->rows * p->columns;
        double sum = 0.0, squares = 0.0, n = (double)count;
        for (size_t i = 0; i < count; i++) {
            sum += (double)a[p->offset + i];
            squares += (double)a[p->offset + i] * (double)a[p->offset + i];
        }
        double middle = p->start == START_ONE ? 1.0 : p->start == START_SCALE ? (double)0.7f : 0.0;
        double sd = 1.0 / sqrt((double)p->columns);
        if (p->start == START_SMALL) sd = 0.02;
        if (p->start == START_RESIDUAL) sd /= sqrt(24.0);
        if (p->start == START_ZERO || p->start == START_ONE || p->start == START_SCALE) sd = 0.0;
        CHECK_NEAR(sum / n, middle, 4.5 * sd / sqrt(n) + 1e-7);
        CHECK_NEAR(sqrt(squares / n), sd > 0.0 ? sd : middle, 4.5 * sd / sqrt(2.0 * n) + 1e-6);
    }
    parameters_start(b, without, 7); /* what both models have starts alike */
    for (size_t k = 0; k < without->list_count; k++) {
        const parameter *p = &without->list[k], *q = find(layout, p->name);
        assert_memory_equal(b + p->offset, a + q->offset, p->rows * p->columns * sizeof *a);
    }
    parameters_start(b, layout, 8);
    size_t same = 0;
    for (size_t i = 0; i < 1024; i++) same += a[i] == b[i];
    CHECK(same < 3);
    mem_free(a);
    mem_free(b);
    parameters_layout_free(layout);
    parameters_layout_free(without);
}

static void test_files(void **state)
{
    (void)state;
    static const char path[] = "test_model_batch.safetensors";
    model_config config = model_small(true, true), other = model_small(true, false);
    parameter_layout *layout, *wrong;
    weights *file;
    CHECK_OK(parameters_layout_make(&layout, &config));
    CHECK_OK(parameters_layout_make(&wrong, &other));
    weights_tensor *tensors = mem_alloc(layout->list_count, sizeof *tensors);
    float *values = mem_alloc(layout->count, sizeof *values);
    float *read = mem_zero(layout->count, sizeof *read);
    assert_true(tensors && values && read);
    parameters_start(values, layout, 3);
    parameters_tensors(tensors, layout, values);
    CHECK_OK(weights_write(path, WEIGHTS_FORMAT_CHECKPOINT, tensors, layout->list_count, NULL, 0));
    CHECK_OK(weights_open(&file, path, WEIGHTS_FORMAT_CHECKPOINT));
    CHECK_OK(parameters_load(read, layout, file));
    assert_memory_equal(values, read, layout->count * sizeof *values);
    const weights_tensor *gate = weights_find(file, "block.1.heads.gate.weight");
    CHECK(gate && gate->rank == 2 && gate->shape[0] == 3 && gate->shape[1] == 2);
    const weights_tensor *scale = weights_find(file, "block.0.cvt.scale");
    CHECK(scale && scale->rank == 1 && scale->shape[0] == 1);
    CHECK_FAILS(parameters_load(read, wrong, file), SCONE_ERR_INPUT, "unknown");
    weights_free(file);
    CHECK_OK(
        weights_write(path, WEIGHTS_FORMAT_CHECKPOINT, tensors, layout->list_count - 1, NULL, 0));
    CHECK_OK(weights_open(&file, path, WEIGHTS_FORMAT_CHECKPOINT));
    CHECK_FAILS(parameters_load(read, layout, file), SCONE_ERR_INPUT, "global.classes.bias");
    weights_free(file);
    (void)unlink(path);
    mem_free(tensors);
    mem_free(values);
    mem_free(read);
    parameters_layout_free(layout);
    parameters_layout_free(wrong);
}

/* ---- identities ---- */

static void test_random_identity(void **state)
{
    (void)state;
    enum { ROWS = 12, NODES = 5, DRAWS = 6000 };
    size_t counts[NODES][ROWS] = {{0}};
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        uint32_t identity[NODES], again[NODES];
        batch_random_identity(identity, NODES, ROWS, 5, draw);
        batch_random_identity(again, NODES, ROWS, 5, draw);
        assert_memory_equal(identity, again, sizeof again);
        for (size_t v = 0; v < NODES; v++) {
            CHECK(identity[v] < ROWS);
            for (size_t u = 0; u < v; u++) CHECK(identity[u] != identity[v]);
            counts[v][identity[v]]++;
        }
    }
    for (size_t v = 0; v < NODES; v++) { /* each node gets each row equally often: 500, sd 21 */
        for (size_t r = 0; r < ROWS; r++) CHECK_NEAR((double)counts[v][r], 500.0, 105.0);
    }
    uint32_t all[1024];
    bool seen[1024] = {false};
    batch_random_identity(all, 1024, 1024, 5, 0);
    for (size_t v = 0; v < 1024; v++) {
        CHECK(!seen[all[v]]);
        seen[all[v]] = true;
    }
}

static void test_named_identity(void **state)
{
    (void)state;
    enum { NODES = 20 };
    char texts[NODES][8];
    const char *names[NODES], *mixed[NODES];
    uint32_t a[NODES], b[NODES], c[NODES];
    for (size_t v = 0; v < NODES; v++) {
        (void)snprintf(texts[v], sizeof texts[v], "x%zu", v);
        names[v] = texts[v];
    }
    for (size_t v = 0; v < NODES; v++) mixed[v] = names[(7 * v + 3) % NODES];
    for (size_t rows = NODES; rows < 1024; rows += 47) { /* conflicts at first, none in the end */
        CHECK_OK(batch_named_identity(a, names, NODES, rows, 1));
        CHECK_OK(batch_named_identity(b, mixed, NODES, rows, 1));
        CHECK_OK(batch_named_identity(c, names, NODES, rows, 2));
        for (size_t v = 0; v < NODES; v++) {
            CHECK(a[v] < rows && b[v] == a[(7 * v + 3) % NODES]);
            for (size_t u = 0; u < v; u++) CHECK(a[u] != a[v]);
        }
        CHECK(memcmp(a, c, sizeof a) != 0);
    }
    CHECK_FAILS(batch_named_identity(a, names, NODES, NODES - 1, 1), SCONE_ERR_INPUT,
                "the model knows only 19");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),          cmocka_unit_test(test_layout_limits),
        cmocka_unit_test(test_start),           cmocka_unit_test(test_files),
        cmocka_unit_test(test_random_identity), cmocka_unit_test(test_named_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
