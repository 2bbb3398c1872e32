/* batch.c - many graphs one after the other, read under an assignment of identities (see batch.h).
 *
 * All arrays lie in one block, which is laid out anew for each batch and only ever grows.
 */
#include "model/setup/batch.h"

#include "model/setup/batch_parts.h"
#include "model/nn/loss.h"

#include <math.h>
#include <string.h>

enum { BATCH_ALIGNMENT = 64 };

/* Every array with its length, `b` being the batch with its sizes and `l` its lists. */
#define BATCH_ARRAYS(X_)                                                                           \
    X_(b->graph_node, b->graphs + 1)                                                               \
    X_(b->graph_pair, b->graphs + 1)                                                               \
    X_(b->graph_cell, b->graphs + 1)                                                               \
    X_(b->graph_grid, b->graphs + 1)                                                               \
    X_(b->features, b->cells * 2 * b->feature_count)                                               \
    X_(b->cell_pair, b->cells)                                                                     \
    X_(b->cell_subset_place, b->cells)                                                             \
    X_(b->cell_ends, b->cells)                                                                     \
    X_(b->cell_members, b->cells)                                                                  \
    X_(b->cell_grid, b->cells)                                                                     \
    X_(b->pair_place, b->pairs)                                                                    \
    X_(b->pair_grid, b->pairs)                                                                     \
    X_(b->labels, b->pairs)                                                                        \
    X_(b->node_identity, b->nodes)                                                                 \
    X_(b->node_statistics, b->nodes *TOKEN_NODE_STATISTICS)                                        \
    X_(b->node_changed, b->nodes)                                                                  \
    X_(b->member_node, b->members)                                                                 \
    X_(b->precision, b->grid)                                                                      \
    X_(b->grid_ends, b->grid)                                                                      \
    X_(b->grid_mirror, b->grid)                                                                    \
    X_(b->prior, b->feature_count > MODEL_FEATURES ? b->grid : 0)                                  \
    X_(b->grid_labels, b->grid)                                                                    \
    X_(b->triple_cells, b->triples)                                                                \
    X_(b->triple_centre, b->triples)                                                               \
    X_(b->triple_second, b->triples)                                                               \
    X_(b->triple_ends, b->triples)                                                                 \
    X_(b->step_sense, b->steps)                                                                    \
    X_(b->instance_owner, b->instances)                                                            \
    X_(l->flipped, b->pairs)                                                                       \
    X_(l->row_offsets, b->subsets + 1)                                                             \
    X_(l->column_offsets, 2 * b->pairs + 1)                                                        \
    X_(l->column_index, 2 * b->cells)                                                              \
    X_(l->pair_offsets, b->pairs + 1)                                                              \
    X_(l->pair_index, b->cells)                                                                    \
    X_(l->grid_row_offsets, b->nodes + 1)                                                          \
    X_(l->grid_column_offsets, b->nodes + 1)                                                       \
    X_(l->grid_column_index, b->grid)                                                              \
    X_(l->touch_offsets, b->members + 1)                                                           \
    X_(l->touch_index, 2 * b->cells)                                                               \
    X_(l->context_offsets, b->members + 1)                                                         \
    X_(l->context_index, 2 * b->cells)                                                             \
    X_(l->subset_offsets, b->subsets + 1)                                                          \
    X_(l->node_offsets, b->nodes + 1)                                                              \
    X_(l->node_index, 2 * b->cells)                                                                \
    X_(l->identity_offsets, l->identities + 1)                                                     \
    X_(l->identity_index, b->nodes)                                                                \
    X_(l->step_offsets, b->instances + 1)                                                          \
    X_(l->step_index, b->steps)

/* ---- memory ---- */

scone_status batch_alloc(batch **out)
{
    scone_status status = SCONE_OK;
    batch *b = NULL;
    batch_lists *lists = NULL;
    *out = NULL;
    TRY_ZERO(b, 1);
    TRY_ZERO(lists, 1);
    b->memory = lists;
    *out = b;
    return SCONE_OK;
cleanup:
    mem_free(b);
    return status;
}

void batch_free(batch *b)
{
    if (!b) return;
    mem_free(((batch_lists *)b->memory)->block);
    mem_free(b->memory);
    mem_free(b);
}

/* Places the arrays in the block and returns the bytes they take; with NULL only the bytes. Counts
 * of 32 bits and elements of at most 304 bytes cannot wrap 64. */
static size_t place_arrays(batch *b, batch_lists *l, unsigned char *block)
{
    size_t at = 0;
#define PLACE(name_, count_)                                                                       \
    if (block) name_ = (void *)(block + at);                                                       \
    at += ((count_) * sizeof *name_ + BATCH_ALIGNMENT - 1) / BATCH_ALIGNMENT * BATCH_ALIGNMENT;
    BATCH_ARRAYS(PLACE)
#undef PLACE
    return at;
}

static scone_status reserve(batch *b, batch_lists *lists)
{
    size_t bytes = place_arrays(b, lists, NULL);
    if (bytes > lists->bytes) {
        mem_free(lists->block);
        lists->bytes = 0;
        lists->block = mem_aligned(bytes, 1);
        if (!lists->block) return SCONE_ERR_MEMORY;
        lists->bytes = bytes;
    }
    (void)place_arrays(b, lists, lists->block);
    if (b->feature_count == MODEL_FEATURES) b->prior = NULL;
    return SCONE_OK;
}

/* ---- sizes ---- */

static scone_status count_all(batch *b, const batch_item *items, size_t count,
                              const model_config *config)
{
    void *memory = b->memory;
    *b = (batch){.graphs = count, .feature_count = model_features(config), .memory = memory};
    for (size_t g = 0; g < count; g++) {
        const token_sizes *s = &items[g].t->size;
        b->nodes += s->nodes;
        b->members += s->members;
        b->pairs += s->pairs;
        b->cells += s->cells;
        b->grid += (size_t)s->nodes * s->nodes;
        b->subsets += s->subsets;
        if (s->subsets > b->places) b->places = s->subsets;
        if (s->pairs > b->places) b->places = s->pairs;
        if (config->bias_heads) batch_count_motifs(b, items[g].t, config);
        if (config->evidence != (s->evidence > 0)) {
            return RAISE(SCONE_ERR_DEFECT, "internal error: tokens with evidence for a model "
                                           "without, or the reverse; please report this");
        }
    }
    size_t most = UINT32_MAX / 4; /* tokens, and twice as many, are counted as well */
    if (count > most || b->cells > most || b->grid > most || b->members > most ||
        b->triples > most || b->instances > most || b->steps > most) {
        return RAISE(SCONE_ERR_INPUT,
                     "a batch of %zu graphs with %zu cells is too large; use fewer graphs", count,
                     b->cells);
    }
    return SCONE_OK;
}

/* ---- one graph ---- */

static uint8_t class_of(const tokens *t, uint8_t code)
{
    if (!t->labelled) return LOSS_NO_LABEL;
    return code == TOKEN_FORWARD    ? LOSS_FORWARD
           : code == TOKEN_BACKWARD ? LOSS_BACKWARD
                                    : LOSS_NONE;
}

/* A pair is read from the end with the lower identity. */
static void fill_pairs(batch *b, batch_lists *lists, const batch_item *item,
                       const batch_start *start)
{
    const tokens *t = item->t;
    size_t n = t->size.nodes;
    for (size_t e = 0; e < t->size.pairs; e++) {
        size_t first = t->ends[e][0], second = t->ends[e][1], k = start->pair + e;
        bool flipped = (item->identity[first] > item->identity[second]) != item->reversed;
        lists->flipped[k] = flipped;
        b->pair_place[k] = (uint32_t)e;
        b->pair_grid[k] =
            (uint32_t)(start->grid + (flipped ? second * n + first : first * n + second));
        b->labels[k] = class_of(t, flipped ? token_swapped(t->labels[e]) : t->labels[e]);
        lists->pair_offsets[k] = (uint32_t)(start->cell + t->column_offsets[e]);
        for (size_t channel = 0; channel < 2; channel++) {
            lists->column_offsets[2 * k + channel] =
                (uint32_t)(2 * (start->cell + t->column_offsets[e]) +
                           channel * (t->column_offsets[e + 1] - t->column_offsets[e]));
        }
        for (size_t c = t->column_offsets[e]; c < t->column_offsets[e + 1]; c++) {
            size_t cell = start->cell + t->column_cells[c];
            size_t at = lists->column_offsets[2 * k] + (c - t->column_offsets[e]);
            size_t cells = t->column_offsets[e + 1] - t->column_offsets[e];
            lists->pair_index[start->cell + c] = (uint32_t)cell;
            lists->column_index[at] = (uint32_t)(2 * cell);
            lists->column_index[at + cells] = (uint32_t)(2 * cell + 1);
        }
    }
}

/* Of the evidence: value, is it possible?, gain, found?, ancestor?, log P, parents, children. The
 * other numbers, correlations and partial correlations tell families of functions apart; a model
 * that saw them did no better on the families it was trained on, and worse on others
 * (docs/notebook/weights.md). */
const uint8_t batch_evidence[MODEL_SIDE] = {0, 1, 2, 3, 4, 5, 9, 10};

static void fill_evidence(real *x, const tokens *t, size_t cell, bool flipped)
{
    const float *evidence = t->evidence + (size_t)t->cell_pair[cell] * TOKEN_EVIDENCE;
    const float *forward = evidence + (flipped ? TOKEN_SIDE : 0);
    const float *backward = evidence + (flipped ? 0 : TOKEN_SIDE);
    for (size_t k = 0; k < TOKEN_PAIR_STATISTICS; k++) x[k] = 0;
    x += TOKEN_PAIR_STATISTICS;
    for (size_t k = 0; k < MODEL_SIDE; k++) {
        x[k] = (real)forward[batch_evidence[k]];
        x[MODEL_SIDE + k] = (real)backward[batch_evidence[k]];
    }
}

static void fill_features(real *x, const tokens *t, size_t cell, size_t regime, bool flipped)
{
    const float *s = t->pair_statistics[t->cell_pair[cell]][regime];
    uint8_t code = t->codes[cell][regime];
    float ends[TOKEN_ENDPOINTS];
    token_endpoints(ends, flipped ? token_swapped(code) : code);
    for (size_t k = 0; k < TOKEN_ENDPOINTS; k++) x[k] = (real)ends[k];
    x += TOKEN_ENDPOINTS;
    if (t->size.evidence) {
        fill_evidence(x, t, cell, flipped);
        return;
    }
    x[TOKEN_CORRELATION] = (real)s[TOKEN_CORRELATION];
    x[TOKEN_PARTIAL] = (real)s[TOKEN_PARTIAL];
    x[TOKEN_SLOPE_FORWARD] = (real)s[flipped ? TOKEN_SLOPE_BACKWARD : TOKEN_SLOPE_FORWARD];
    x[TOKEN_SLOPE_BACKWARD] = (real)s[flipped ? TOKEN_SLOPE_FORWARD : TOKEN_SLOPE_BACKWARD];
}

/* Cells that have no prior of the search, on the diagonal, are never read. */
static void fill_prior(real out[3], const tokens *t, size_t i, size_t j)
{
    const double least = 1e-4;
    size_t n = t->size.nodes;
    double there = fmax((double)t->prior[i * n + j], least);
    double back = fmax((double)t->prior[j * n + i], least);
    out[LOSS_FORWARD] = (real)log(there);
    out[LOSS_BACKWARD] = (real)log(back);
    out[LOSS_NONE] = (real)log(fmax(1.0 - there - back, least));
}

static void fill_cells(batch *b, const batch_lists *lists, const batch_item *item,
                       const batch_start *start)
{
    const tokens *t = item->t;
    for (size_t c = 0; c < t->size.cells; c++) {
        size_t cell = start->cell + c, pair = start->pair + t->cell_pair[c];
        bool flipped = lists->flipped[pair];
        for (size_t regime = 0; regime < 2; regime++) {
            fill_features(b->features + (2 * cell + regime) * b->feature_count, t, c, regime,
                          flipped);
        }
        b->cell_pair[cell] = (uint32_t)pair;
        b->cell_subset_place[cell] = t->cell_subset[c];
        b->cell_grid[cell] = b->pair_grid[pair];
        for (size_t end = 0; end < 2; end++) {
            size_t stored = flipped ? 1 - end : end;
            b->cell_ends[cell][end] = item->identity[t->ends[t->cell_pair[c]][stored]];
            b->cell_members[cell][end] = (uint32_t)(start->member + t->cell_members[c][stored]);
        }
    }
    for (size_t s = 0; s < t->size.subsets; s++) {
        lists->row_offsets[start->subset + s + 1] =
            (uint32_t)(2 * (start->cell + t->row_offsets[s + 1]));
        lists->subset_offsets[start->subset + s + 1] =
            (uint32_t)(start->member + t->subset_offsets[s + 1]);
    }
}

static void fill_nodes(batch *b, const batch_lists *lists, const batch_item *item,
                       const batch_start *start)
{
    const tokens *t = item->t;
    size_t n = t->size.nodes;
    for (size_t m = 0; m < t->size.members; m++) {
        b->member_node[start->member + m] = (uint32_t)(start->node + t->subset_nodes[m]);
    }
    for (size_t i = 0; i < n; i++) {
        size_t node = start->node + i;
        real *statistics = b->node_statistics + node * TOKEN_NODE_STATISTICS;
        for (size_t k = 0; k < TOKEN_NODE_STATISTICS; k++) {
            statistics[k] = (real)t->node_statistics[i][k];
        }
        b->node_changed[node] = t->labelled ? t->changed[i] : LOSS_NO_LABEL;
        b->node_identity[node] = item->identity[i];
        lists->grid_row_offsets[node + 1] = (uint32_t)(start->grid + (i + 1) * n);
        lists->grid_column_offsets[node + 1] = (uint32_t)(start->grid + (i + 1) * n);
        for (size_t j = 0; j < n; j++) {
            size_t at = start->grid + i * n + j;
            b->precision[at] = t->size.evidence ? 0 : (real)t->precision[i * n + j];
            b->grid_ends[at][0] = item->identity[i];
            b->grid_ends[at][1] = item->identity[j];
            b->grid_mirror[at] = lists->grid_column_index[at] = (uint32_t)(start->grid + j * n + i);
            if (t->size.evidence) fill_prior(b->prior[at], t, i, j);
            b->grid_labels[at] = i == j ? LOSS_NO_LABEL : class_of(t, t->truth[i * n + j]);
        }
    }
}

static void fill_graph(batch *b, batch_lists *lists, const batch_item *item, batch_start *start,
                       const model_config *config)
{
    const token_sizes *s = &item->t->size;
    fill_pairs(b, lists, item, start);
    fill_cells(b, lists, item, start);
    fill_nodes(b, lists, item, start);
    batch_fill_touch(lists, item->t, start);
    if (config->bias_heads) {
        batch_fill_triples(b, item->t, start);
        batch_fill_instances(b, lists, item->t, start, config);
    }
    start->node += s->nodes;
    start->member += s->members;
    start->pair += s->pairs;
    start->cell += s->cells;
    start->grid += (size_t)s->nodes * s->nodes;
    start->subset += s->subsets;
}

/* ---- all of them ---- */

/* Which end of which cells each node is, and which nodes have an identity: counting sorts. */
static void fill_node_lists(batch *b, batch_lists *lists)
{
    uint32_t *offsets = lists->node_offsets;
    memset(offsets, 0, (b->nodes + 1) * sizeof *offsets);
    for (size_t k = 0; k < 2 * b->cells; k++) {
        offsets[b->member_node[b->cell_members[k / 2][k % 2]] + 1]++;
    }
    for (size_t v = 0; v < b->nodes; v++) offsets[v + 1] += offsets[v];
    for (size_t k = 0; k < 2 * b->cells; k++) {
        lists->node_index[offsets[b->member_node[b->cell_members[k / 2][k % 2]]]++] = (uint32_t)k;
    }
    memmove(offsets + 1, offsets, b->nodes * sizeof *offsets);
    offsets[0] = 0;
    groups_of_index(lists->identity_offsets, lists->identity_index, b->node_identity, b->nodes,
                    lists->identities);
}

static void set_groups(batch *b, const batch_lists *l)
{
    b->rows = (nn_groups){b->subsets, l->row_offsets, NULL};
    b->columns = (nn_groups){2 * b->pairs, l->column_offsets, l->column_index};
    b->pair_cells = (nn_groups){b->pairs, l->pair_offsets, l->pair_index};
    b->grid_rows = (nn_groups){b->nodes, l->grid_row_offsets, NULL};
    b->grid_columns = (nn_groups){b->nodes, l->grid_column_offsets, l->grid_column_index};
    b->touch = (nn_groups){b->members, l->touch_offsets, l->touch_index};
    b->context = (nn_groups){b->members, l->context_offsets, l->context_index};
    b->subset_members = (nn_groups){b->subsets, l->subset_offsets, NULL};
    b->node_cells = (nn_groups){b->nodes, l->node_offsets, l->node_index};
    b->identity_nodes = (nn_groups){l->identities, l->identity_offsets, l->identity_index};
    b->instance_steps = (nn_groups){b->instances, l->step_offsets, l->step_index};
}

static scone_status check_identities(const batch_item *items, size_t count, size_t rows)
{
    scone_status status = SCONE_OK;
    for (size_t g = 0; g < count; g++) {
        for (size_t v = 0; v < items[g].t->size.nodes; v++) {
            if (items[g].identity[v] >= rows) FAIL_DEFECT("a node identity outside the table");
        }
    }
cleanup:
    return status;
}

scone_status batch_make(batch *b, const batch_item *items, size_t count, const model_config *config)
{
    scone_status status = SCONE_OK;
    batch_lists *lists = b->memory;
    batch_start start = {0};
    TRY(check_identities(items, count, config->identities));
    TRY(count_all(b, items, count, config));
    lists->identities = config->identities;
    TRY(reserve(b, lists));
    lists->row_offsets[0] = lists->subset_offsets[0] = lists->step_offsets[0] = 0;
    lists->grid_row_offsets[0] = lists->grid_column_offsets[0] = 0;
    lists->touch_offsets[0] = lists->context_offsets[0] = 0;
    for (size_t g = 0; g <= count; g++) {
        b->graph_node[g] = (uint32_t)start.node;
        b->graph_pair[g] = (uint32_t)start.pair;
        b->graph_cell[g] = (uint32_t)start.cell;
        b->graph_grid[g] = (uint32_t)start.grid;
        if (g < count) fill_graph(b, lists, &items[g], &start, config);
    }
    lists->pair_offsets[b->pairs] = (uint32_t)b->cells;
    lists->column_offsets[2 * b->pairs] = (uint32_t)(2 * b->cells);
    set_groups(b, lists);
    fill_node_lists(b, lists);
cleanup:
    if (status != SCONE_OK) *b = (batch){.memory = lists};
    return status;
}
