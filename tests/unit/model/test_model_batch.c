/* test_model_batch.c - batches against what the tokens say, looked up in other ways. */
#include "testing.h"
#include "model_data.h"

#include "model/nn/loss.h"

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
            CHECK_SAME((double)b->node_statistics[TOKEN_NODE_STATISTICS * node + k],
                       (double)t->node_statistics[i][k]);
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
    model_case_free(x);
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
    model_case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_path_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
