/* heads_data.h - small batches and parameters for the tests of the bias heads; include testing.h
 * first.
 *
 * A case has random pairs read from a random end, random subsets and all cells, unshielded triples
 * and some paths within them, filled into a batch by hand: only what the heads read.
 */
#ifndef SCONE_TESTS_HEADS_DATA_H
#define SCONE_TESTS_HEADS_DATA_H

#include "base/arena.h"
#include "model/heads/heads_parts.h"
#include "nn_data.h"

enum { CASE_BLOCK = 1, CASE_LIST = 4096, CASE_NODES = 40, CASE_PATHS = 3 };

typedef struct heads_case {
    arena *memory;
    parameter_layout *layout;
    batch b;
    uint32_t (*ends)[2]; /* [pairs]: nodes as read */
    bool *pair_context;
    int pair_of[CASE_NODES][CASE_NODES]; /* -1: none */
    real *values, *h;
} heads_case;

typedef struct case_sizes {
    size_t nodes, subsets, k, pairs, d;
} case_sizes;

static inline void *case_take(heads_case *x, size_t count, size_t size)
{
    void *p = arena_get(x->memory, count, size);
    assert_non_null(p);
    return p;
}

/* Is this one of the tensors of the heads of the case's block? */
static inline bool case_group(const parameter *p)
{
    const char *const starts[] = {"block.1.heads.", "block.1.gamma.", "block.1.ssi.",
                                  "block.1.cvt.", "block.1.dpt."};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        if (strncmp(p->name, starts[k], strlen(starts[k])) == 0) return true;
    }
    return false;
}

static inline model_config case_config(size_t d, bool contrast, model_cvt_gate gate)
{
    model_config config = config_default();
    config.width = d;
    config.heads = 1;
    config.blocks = 2;
    config.identities = 8;
    config.contrast = contrast;
    if (!contrast) config.contrast_per_node = 0.0;
    config.cvt_gate = gate;
    config.gate_min = 0.12;
    config.gate_temperature = 0.7;
    config.ssi_clip = 0.8;
    config.ssi_margin = 0.07;
    config.ssi_change_max = 0.65;
    config.cvt_score_min = 0.45;
    config.cvt_change_max = 0.6;
    config.dpt_score_min = 0.53;
    return config;
}

static inline void case_pairs(heads_case *x, rng *r, size_t pairs)
{
    size_t nodes = x->b.nodes, made = 0;
    x->ends = case_take(x, pairs + 1, sizeof *x->ends);
    x->pair_context = case_take(x, pairs + 1, sizeof *x->pair_context);
    memset(x->pair_of, -1, sizeof x->pair_of);
    while (made < pairs) {
        size_t i = rng_below(r, nodes), j = rng_below(r, nodes);
        if (i == j || x->pair_of[i][j] >= 0) continue;
        x->pair_of[i][j] = x->pair_of[j][i] = (int)made;
        x->ends[made][0] = (uint32_t)i;
        x->ends[made][1] = (uint32_t)j;
        x->pair_context[made++] = rng_uniform(r) < 0.6;
    }
    x->b.pairs = pairs;
}

/* Members in a random order within each subset, cells by subset and pair. */
static inline void case_cells(heads_case *x, rng *r, size_t subsets, size_t k)
{
    batch *b = &x->b;
    size_t order[CASE_NODES];
    uint32_t *offsets = case_take(x, subsets + 1, sizeof *offsets);
    b->subsets = subsets;
    b->members = subsets * k;
    b->member_node = case_take(x, b->members, sizeof *b->member_node);
    b->cell_members = case_take(x, CASE_LIST, sizeof *b->cell_members);
    b->cell_pair = case_take(x, CASE_LIST, sizeof *b->cell_pair);
    for (size_t t = 0; t < subsets; t++) {
        size_t place[CASE_NODES];
        rng_permutation(r, order, b->nodes);
        for (size_t v = 0; v < b->nodes; v++) place[order[v]] = v;
        for (size_t m = 0; m < k; m++) b->member_node[t * k + m] = (uint32_t)order[m];
        for (size_t e = 0; e < b->pairs; e++) {
            size_t i = place[x->ends[e][0]], j = place[x->ends[e][1]];
            if (i >= k || j >= k) continue;
            assert_true(b->cells < CASE_LIST);
            b->cell_pair[b->cells] = (uint32_t)e;
            b->cell_members[b->cells][0] = (uint32_t)(t * k + i);
            b->cell_members[b->cells++][1] = (uint32_t)(t * k + j);
        }
    }
    for (size_t t = 0; t <= subsets; t++) offsets[t] = (uint32_t)(t * k);
    b->subset_members = (nn_groups){subsets, offsets, NULL};
}

/* Cells at each member, all or those of context pairs. */
static inline nn_groups case_touch(heads_case *x, bool context)
{
    const batch *b = &x->b;
    uint32_t *offsets = case_take(x, b->members + 1, sizeof *offsets);
    uint32_t *cells = case_take(x, 2 * b->cells + 1, sizeof *cells), count = 0;
    for (size_t m = 0; m < b->members; m++) {
        offsets[m] = count;
        for (size_t c = 0; c < b->cells; c++) {
            if (b->cell_members[c][0] != m && b->cell_members[c][1] != m) continue;
            if (!context || x->pair_context[b->cell_pair[c]]) cells[count++] = (uint32_t)c;
        }
    }
    offsets[b->members] = count;
    return (nn_groups){b->members, offsets, cells};
}

static inline size_t case_other_end(const batch *b, size_t cell, size_t member)
{
    return b->cell_members[cell][b->cell_members[cell][0] == member];
}

static inline void case_triples(heads_case *x)
{
    batch *b = &x->b;
    b->triple_cells = case_take(x, CASE_LIST, sizeof *b->triple_cells);
    b->triple_centre = case_take(x, CASE_LIST, sizeof *b->triple_centre);
    b->triple_second = case_take(x, CASE_LIST, sizeof *b->triple_second);
    b->triple_ends = case_take(x, CASE_LIST, sizeof *b->triple_ends);
    for (size_t m = 0; m < b->members; m++) {
        for (size_t k = b->touch.offsets[m]; k < b->touch.offsets[m + 1]; k++) {
            for (size_t l = k + 1; l < b->touch.offsets[m + 1]; l++) {
                size_t cells[2] = {b->touch.index[k], b->touch.index[l]}, q = b->triples;
                size_t ends[2] = {case_other_end(b, cells[0], m), case_other_end(b, cells[1], m)};
                if (x->pair_of[b->member_node[ends[0]]][b->member_node[ends[1]]] >= 0) continue;
                assert_true(q < CASE_LIST);
                for (size_t side = 0; side < 2; side++) {
                    b->triple_cells[q][side] = (uint32_t)cells[side];
                    b->triple_ends[q][side] = (uint32_t)ends[side];
                    b->triple_second[q][side] = b->cell_members[cells[side]][1] == m;
                }
                b->triple_centre[b->triples++] = (uint32_t)m;
            }
        }
    }
}

typedef struct path_walk {
    size_t owner, goal, length;
    uint32_t cells[3], visited[4];
    int8_t sense[3];
} path_walk;

/* Paths of two or three cells from `at` to the goal beside the owner; CASE_PATHS of a cell. */
static inline void case_walk(heads_case *x, path_walk *w, size_t at, size_t *left,
                             uint32_t *offsets, uint32_t *steps)
{
    batch *b = &x->b;
    w->visited[w->length] = (uint32_t)at;
    for (size_t e = b->touch.offsets[at]; e < b->touch.offsets[at + 1] && *left > 0; e++) {
        size_t cell = b->touch.index[e], next = case_other_end(b, cell, at);
        bool seen = cell == w->owner;
        for (size_t v = 0; v <= w->length; v++) seen = seen || w->visited[v] == next;
        if (seen) continue;
        w->cells[w->length] = (uint32_t)cell;
        w->sense[w->length] = b->cell_members[cell][0] == at ? 1 : -1;
        w->length++;
        if (next == w->goal) {
            assert_true(b->steps + 3 < CASE_LIST && b->instances < CASE_LIST);
            memcpy(steps + b->steps, w->cells, w->length * sizeof *steps);
            memcpy(b->step_sense + b->steps, w->sense, w->length);
            b->steps += w->length;
            b->instance_owner[b->instances++] = (uint32_t)w->owner;
            offsets[b->instances] = (uint32_t)b->steps;
            --*left;
        } else if (w->length < 3) {
            case_walk(x, w, next, left, offsets, steps);
        }
        w->length--;
    }
}

static inline void case_instances(heads_case *x)
{
    batch *b = &x->b;
    uint32_t *offsets = case_take(x, CASE_LIST + 1, sizeof *offsets);
    uint32_t *steps = case_take(x, CASE_LIST, sizeof *steps);
    b->step_sense = case_take(x, CASE_LIST, sizeof *b->step_sense);
    b->instance_owner = case_take(x, CASE_LIST, sizeof *b->instance_owner);
    offsets[0] = 0;
    for (size_t cell = 0; cell < b->cells; cell++) {
        path_walk w = {.owner = cell, .goal = b->cell_members[cell][1]};
        size_t left = CASE_PATHS;
        case_walk(x, &w, b->cell_members[cell][0], &left, offsets, steps);
    }
    b->instance_steps = (nn_groups){b->instances, offsets, steps};
}

/* Parameters of other parts are NaN: nobody may read them. Channels whose contrast is of a very
 * different size from cell to cell, so that gamma is too. */
static inline void case_values(heads_case *x, rng *r)
{
    size_t d = x->layout->config.width;
    x->values = case_take(x, x->layout->count, sizeof *x->values);
    for (size_t i = 0; i < x->layout->count; i++) x->values[i] = (real)NAN;
    for (size_t k = 0; k < x->layout->list_count; k++) {
        const parameter *p = &x->layout->list[k];
        size_t count = p->rows * p->columns;
        double sd = count > d ? 1.0 / sqrt((double)d) : 0.7, mean = count == 1 ? 0.3 : 0.0;
        if (!case_group(p)) continue;
        for (size_t i = 0; i < count; i++) {
            x->values[p->offset + i] = (real)(mean + sd * rng_normal(r));
        }
    }
    x->h = case_take(x, 2 * x->b.cells * d + 1, sizeof *x->h);
    for (size_t cell = 0; cell < x->b.cells; cell++) {
        double size = exp(rng_normal(r) - 0.5);
        for (size_t j = 0; j < d; j++) {
            real *h = x->h + 2 * cell * d + j;
            double a = rng_normal(r), change = size * rng_normal(r);
            h[0] = (real)a;
            h[d] = (real)(x->layout->config.contrast ? change : a + change);
        }
    }
}

static inline heads_case *case_make(uint64_t seed, case_sizes sizes, model_config config)
{
    rng r = rng_stream(seed, RNG_TEST, 70, sizes.nodes, 0);
    heads_case *x = mem_zero(1, sizeof *x);
    assert_non_null(x);
    CHECK_OK(arena_alloc(&x->memory, 0));
    CHECK_OK(parameters_layout_make(&x->layout, &config));
    x->b.nodes = sizes.nodes;
    x->b.node_statistics = case_take(x, TOKEN_NODE_STATISTICS * sizes.nodes, sizeof(real));
    for (size_t i = 0; i < TOKEN_NODE_STATISTICS * sizes.nodes; i++) {
        x->b.node_statistics[i] = (real)rng_normal(&r);
    }
    case_pairs(x, &r, sizes.pairs);
    case_cells(x, &r, sizes.subsets, sizes.k);
    x->b.touch = case_touch(x, false);
    x->b.context = case_touch(x, true);
    case_triples(x);
    case_instances(x);
    case_values(x, &r);
    return x;
}

static inline void case_free(heads_case *x)
{
    parameters_layout_free(x->layout);
    arena_free(x->memory);
    mem_free(x);
}

#endif
