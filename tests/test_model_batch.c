/* test_model_batch.c - the list of parameters and its files, identities, and batches against what
 * the tokens say, looked up in other ways. */
#include "check.h"
#include "model_data.h"

#include "nn/loss.h"

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
     * 2 x 66,752 of the axial blocks, 64 of pooling, 21,326 of the heads */
    const size_t rest = 131072 + 13056 + 64 + 390, block = 2 * 66752 + 64, head = 21326;
    const size_t counts[] = {rest + 4 * (block + head), rest + 4 * block,
                             rest + 4 * (block + head)};
    for (size_t k = 0; k < 3; k++) {
        model_config config;
        parameter_layout *layout;
        CHECK_OK(config_preset(&config, presets[k]));
        CHECK_OK(layout_make(&layout, &config));
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
        check_parameter(layout, "block.2.pool.weight", b->pool, 1, 64, true);
        if (k != 1) {
            check_parameter(layout, "block.2.ssi.out.weight", b->heads.ssi_out, 32, 64, true);
            check_parameter(layout, "block.2.dpt.scale", b->heads.dpt_scale, 1, 1, false);
        } else {
            CHECK(find(layout, "block.2.dpt.scale") == NULL);
        }
        layout_free(layout);
    }
}

static void test_layout_limits(void **state)
{
    (void)state;
    parameter_layout *layout;
    model_config config = config_default();
    config.blocks = MODEL_MOST_BLOCKS + 1;
    CHECK_FAILS(layout_make(&layout, &config), SCONE_ERR_INPUT, "blocks is 17");
    config = config_default();
    config.width = 130;
    config.heads = 2;
    CHECK_FAILS(layout_make(&layout, &config), SCONE_ERR_INPUT, "width / heads is 65");
    config.width = 127;
    CHECK_FAILS(layout_make(&layout, &config), SCONE_ERR_INPUT, "width");
    CHECK(layout == NULL);
    layout_free(NULL);
}

static void test_start(void **state)
{
    (void)state;
    parameter_layout *layout, *without;
    model_config config = config_default();
    config.scale_start = 0.7;
    CHECK_OK(layout_make(&layout, &config));
    config.bias_heads = false;
    CHECK_OK(layout_make(&without, &config));
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
    layout_free(layout);
    layout_free(without);
}

static void test_files(void **state)
{
    (void)state;
    static const char path[] = "test_model_batch.safetensors";
    model_config config = model_small(true, true), other = model_small(true, false);
    parameter_layout *layout, *wrong;
    weights *file;
    CHECK_OK(layout_make(&layout, &config));
    CHECK_OK(layout_make(&wrong, &other));
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
    layout_free(layout);
    layout_free(wrong);
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

/* ---- batches ---- */

/* Where a graph starts in a batch. */
typedef struct starts {
    size_t node, member, pair, cell, grid, subset;
} starts;

typedef struct view {
    const batch *b;
    const batch_item *item;
    const tokens *t;
    starts at;
} view;

/* Is node a the first end of a pair with b, as read? */
static bool reads_from(const view *v, size_t a, size_t b)
{
    bool lower = v->item->identity[a] < v->item->identity[b];
    return v->item->reversed ? !lower : lower;
}

/* Nodes i and j of a pair as read. */
static void ends_of(const view *v, size_t pair, size_t ends[2])
{
    size_t a = v->t->ends[pair][0], b = v->t->ends[pair][1];
    bool as_stored = reads_from(v, a, b);
    ends[0] = as_stored ? a : b;
    ends[1] = as_stored ? b : a;
}

static bool group_has(const nn_groups *groups, size_t group, size_t member)
{
    for (size_t k = groups->offsets[group]; k < groups->offsets[group + 1]; k++) {
        if (groups_member(groups, k) == member) return true;
    }
    return false;
}

static size_t group_size(const nn_groups *groups, size_t group)
{
    return groups->offsets[group + 1] - groups->offsets[group];
}

static void check_features(const view *v, size_t c)
{
    const tokens *t = v->t;
    size_t e = t->cell_pair[c], ends[2];
    ends_of(v, e, ends);
    bool as_stored = ends[0] == t->ends[e][0];
    for (size_t regime = 0; regime < 2; regime++) {
        const real *x = v->b->features + (2 * (v->at.cell + c) + regime) * MODEL_FEATURES;
        /* marks at the stored ends: 0 none, 1 tail, 2 arrowhead */
        const size_t marks[4][2] = {{0, 0}, {1, 2}, {2, 1}, {1, 1}};
        for (size_t side = 0; side < 2; side++) {
            size_t mark = marks[t->codes[c][regime]][as_stored ? side : 1 - side];
            for (size_t k = 0; k < 3; k++) {
                CHECK_SAME((double)x[3 * side + k], k == mark ? 1.0 : 0.0);
            }
        }
        const float *s = t->pair_statistics[e][regime];
        const float expected[4] = {s[0], s[1], as_stored ? s[2] : s[3], as_stored ? s[3] : s[2]};
        for (size_t k = 0; k < 4; k++) CHECK_SAME((double)x[6 + k], (double)expected[k]);
    }
}

static void check_cells(const view *v)
{
    const tokens *t = v->t;
    const batch *b = v->b;
    size_t n = t->size.nodes;
    for (size_t c = 0; c < t->size.cells; c++) {
        size_t cell = v->at.cell + c, e = t->cell_pair[c], ends[2];
        ends_of(v, e, ends);
        check_features(v, c);
        CHECK(b->cell_pair[cell] == v->at.pair + e);
        CHECK(b->cell_subset_place[cell] == t->cell_subset[c]);
        CHECK(b->cell_grid[cell] == v->at.grid + ends[0] * n + ends[1]);
        for (size_t side = 0; side < 2; side++) {
            size_t member = b->cell_members[cell][side], node = v->at.node + ends[side];
            CHECK(b->cell_ends[cell][side] == v->item->identity[ends[side]]);
            CHECK(b->member_node[member] == node);
            CHECK(group_has(&b->subset_members, v->at.subset + t->cell_subset[c], member));
            CHECK(group_has(&b->touch, member, cell));
            CHECK(group_has(&b->context, member, cell) == (t->context[e] == 1));
            CHECK(group_has(&b->node_cells, node, 2 * cell + side));
        }
        for (size_t channel = 0; channel < 2; channel++) {
            CHECK(group_has(&b->rows, v->at.subset + t->cell_subset[c], 2 * cell + channel));
            CHECK(group_has(&b->columns, 2 * (v->at.pair + e) + channel, 2 * cell + channel));
        }
        CHECK(group_has(&b->pair_cells, v->at.pair + e, cell));
    }
}

static uint8_t class_between(const view *v, size_t i, size_t j)
{
    uint8_t code = v->t->truth[i * v->t->size.nodes + j];
    if (!v->t->labelled) return LOSS_NO_LABEL;
    return code == TOKEN_NONE ? LOSS_NONE : code == TOKEN_FORWARD ? LOSS_FORWARD : LOSS_BACKWARD;
}

static void check_pairs_and_nodes(const view *v)
{
    const tokens *t = v->t;
    const batch *b = v->b;
    size_t n = t->size.nodes;
    for (size_t e = 0; e < t->size.pairs; e++) {
        size_t pair = v->at.pair + e, ends[2];
        ends_of(v, e, ends);
        CHECK(b->pair_place[pair] == e);
        CHECK(b->pair_grid[pair] == v->at.grid + ends[0] * n + ends[1]);
        CHECK(b->labels[pair] == class_between(v, ends[0], ends[1]));
        for (size_t k = b->pair_cells.offsets[pair] + 1; k < b->pair_cells.offsets[pair + 1]; k++) {
            CHECK(b->pair_cells.index[k - 1] < b->pair_cells.index[k]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        size_t node = v->at.node + i;
        CHECK(b->node_identity[node] == v->item->identity[i]);
        CHECK(group_has(&b->identity_nodes, v->item->identity[i], node));
        CHECK(group_size(&b->grid_rows, node) == n && group_size(&b->grid_columns, node) == n);
        for (size_t k = 0; k < 4; k++) {
            CHECK_SAME((double)b->node_statistics[4 * node + k], (double)t->node_statistics[i][k]);
        }
        for (size_t j = 0; j < n; j++) {
            size_t at = v->at.grid + i * n + j;
            CHECK_SAME((double)b->precision[at], (double)t->precision[i * n + j]);
            CHECK(b->grid_ends[at][0] == v->item->identity[i]);
            CHECK(b->grid_ends[at][1] == v->item->identity[j]);
            CHECK(b->grid_mirror[at] == v->at.grid + j * n + i);
            CHECK(b->grid_labels[at] == (i == j ? LOSS_NO_LABEL : class_between(v, i, j)));
            CHECK(group_has(&b->grid_rows, node, at));
            CHECK(group_has(&b->grid_columns, v->at.node + j, at));
        }
    }
}

/* Every triple has its centre between its ends; tokens and batch have as many. */
static void check_triples(const view *v, size_t first)
{
    const batch *b = v->b;
    for (size_t k = 0; k < v->t->size.triples; k++) {
        size_t centre = b->triple_centre[first + k];
        CHECK(centre == v->at.member + v->t->triple_centres[k]);
        for (size_t side = 0; side < 2; side++) {
            size_t cell = b->triple_cells[first + k][side];
            size_t second = b->triple_second[first + k][side];
            CHECK(cell == v->at.cell + v->t->triple_cells[k][side]);
            CHECK(b->cell_members[cell][second] == centre);
            CHECK(b->cell_members[cell][1 - second] == b->triple_ends[first + k][side]);
        }
    }
}

/* Walks each instance from the first end of its owner as read: it must arrive at the second. */
static void check_instances(const view *v, size_t *instance)
{
    const batch *b = v->b;
    const nn_groups *steps = &b->instance_steps;
    for (size_t c = 0; c < v->t->size.cells; c++) {
        for (size_t k = v->t->instance_offsets[c]; k < v->t->instance_offsets[c + 1]; k++) {
            size_t q = (*instance)++, owner = v->at.cell + c, count = group_size(steps, q);
            const uint32_t *ends = b->cell_members[owner];
            bool as_stored = ends[0] == v->at.member + v->t->cell_members[c][0];
            size_t at = ends[0];
            CHECK(b->instance_owner[q] == owner);
            CHECK(count == v->t->instance_step_offsets[k + 1] - v->t->instance_step_offsets[k]);
            for (size_t s = 0; s < count; s++) {
                size_t place = steps->offsets[q] + (as_stored ? s : count - 1 - s);
                const uint32_t *step = b->cell_members[steps->index[place]];
                bool along = b->step_sense[place] == 1;
                CHECK(along || b->step_sense[place] == -1);
                CHECK(step[along ? 0 : 1] == at);
                at = step[along ? 1 : 0];
            }
            CHECK(at == ends[1]);
        }
    }
}

static void check_batch(const batch *b, const batch_item *items, size_t count)
{
    starts at = {0};
    size_t triples = 0, instances = 0;
    for (size_t g = 0; g < count; g++) {
        const token_sizes *s = &items[g].t->size;
        view v = {b, &items[g], items[g].t, at};
        CHECK(b->graph_node[g] == at.node && b->graph_pair[g] == at.pair);
        CHECK(b->graph_cell[g] == at.cell && b->graph_grid[g] == at.grid);
        check_cells(&v);
        check_pairs_and_nodes(&v);
        if (b->triples > 0) check_triples(&v, triples);
        if (b->instances > 0) check_instances(&v, &instances);
        CHECK(b->places >= s->subsets && b->places >= s->pairs);
        triples += s->triples;
        at = (starts){at.node + s->nodes,
                      at.member + s->members,
                      at.pair + s->pairs,
                      at.cell + s->cells,
                      at.grid + (size_t)s->nodes * s->nodes,
                      at.subset + s->subsets};
    }
    CHECK(b->graph_node[count] == at.node && b->graph_grid[count] == at.grid);
    CHECK(b->nodes == at.node && b->members == at.member && b->pairs == at.pair);
    CHECK(b->cells == at.cell && b->grid == at.grid && b->subsets == at.subset);
    CHECK(b->instances == instances);
    /* no group has more than what was found in it */
    CHECK(b->rows.count == b->subsets && groups_entries(&b->rows) == 2 * b->cells);
    CHECK(b->columns.count == 2 * b->pairs && groups_entries(&b->columns) == 2 * b->cells);
    CHECK(b->pair_cells.count == b->pairs && groups_entries(&b->pair_cells) == b->cells);
    CHECK(b->grid_rows.count == b->nodes && groups_entries(&b->grid_rows) == b->grid);
    CHECK(b->grid_columns.count == b->nodes && groups_entries(&b->grid_columns) == b->grid);
    CHECK(b->touch.count == b->members && groups_entries(&b->touch) == 2 * b->cells);
    CHECK(b->subset_members.count == b->subsets &&
          groups_entries(&b->subset_members) == b->members);
    CHECK(b->node_cells.count == b->nodes && groups_entries(&b->node_cells) == 2 * b->cells);
    CHECK(groups_entries(&b->identity_nodes) == b->nodes);
}

static void test_batch(void **state)
{
    (void)state;
    const size_t nodes[] = {12, 7, 9};
    model_case *x = model_make(model_small(true, true), nodes, 3, 6, 21);
    check_batch(x->b, x->items, 3);
    CHECK(x->b->triples > 0 && x->b->instances > 0 && groups_entries(&x->b->context) > 0);
    x->items[1].reversed = true; /* smaller batches in the same memory, then the large one again */
    CHECK_OK(batch_make(x->b, x->items + 1, 1, &x->config));
    check_batch(x->b, x->items + 1, 1);
    x->t[2]->labelled = false;
    CHECK_OK(batch_make(x->b, x->items, 3, &x->config));
    check_batch(x->b, x->items, 3);
    CHECK_OK(batch_make(x->b, x->items, 0, &x->config));
    check_batch(x->b, x->items, 0);
    x->config.bias_heads = false;
    CHECK_OK(batch_make(x->b, x->items, 3, &x->config));
    CHECK(x->b->triples == 0 && x->b->instances == 0 && x->b->steps == 0);
    check_batch(x->b, x->items, 3);
    x->identity[1][3] = (uint32_t)x->config.identities;
    CHECK_FAILS(batch_make(x->b, x->items, 3, &x->config), SCONE_ERR_DEFECT, "identity");
    CHECK(x->b->graphs == 0 && x->b->cells == 0);
    model_free(x);
    batch_free(NULL);
}

/* Fewer and shorter paths than the tokens have. */
static void test_path_limits(void **state)
{
    (void)state;
    const size_t nodes[] = {14};
    model_config config = model_small(true, true);
    model_case *x = model_make(config, nodes, 1, 8, 33);
    const tokens *t = x->t[0];
    for (config.dpt_paths = 1; config.dpt_paths <= 3; config.dpt_paths++) {
        for (config.dpt_length = 1; config.dpt_length <= 4; config.dpt_length++) {
            size_t expected = 0;
            for (size_t c = 0; c < t->size.cells; c++) {
                size_t first = t->path_offsets[t->cell_pair[c]];
                for (size_t k = t->instance_offsets[c]; k < t->instance_offsets[c + 1]; k++) {
                    size_t steps = t->instance_step_offsets[k + 1] - t->instance_step_offsets[k];
                    expected += t->instance_paths[k] < first + config.dpt_paths &&
                                steps <= config.dpt_length;
                }
            }
            CHECK_OK(batch_make(x->b, x->items, 1, &config));
            CHECK(x->b->instances == expected);
            CHECK(groups_entries(&x->b->instance_steps) == x->b->steps);
        }
    }
    CHECK(x->b->instances > 0 && x->b->instances < t->size.instances);
    model_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),          cmocka_unit_test(test_layout_limits),
        cmocka_unit_test(test_start),           cmocka_unit_test(test_files),
        cmocka_unit_test(test_random_identity), cmocka_unit_test(test_named_identity),
        cmocka_unit_test(test_batch),           cmocka_unit_test(test_path_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
