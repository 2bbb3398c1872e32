/* test_tokens.c - the block of arrays, endpoint codes, cells and motifs: against hand-computed
 * cases and against all triples and paths; and that the check notices every kind of damage. */
#include "testing.h"
#include "sample.h"

#include "model/tokens/token_layout.h"

/* ---- drafts ---- */

enum { MOST = 64 };

typedef struct draft {
    tokens t;
    arena *memory;
    uint32_t offsets[MOST + 1], members[MOST * 8];
    token_two ends[MOST * 4];
} draft;

static void draft_fill(draft *d)
{
    const token_sizes *s = &d->t.size;
    size_t n = s->nodes;
    d->t.subset_offsets = d->offsets;
    d->t.subset_nodes = d->members;
    d->t.ends = d->ends;
    CHECK_OK(arena_alloc(&d->memory, 0));
    CHECK_OK(token_layout_fill(&d->t, d->memory));
    d->t.pair_statistics = arena_get(d->memory, s->pairs, sizeof *d->t.pair_statistics);
    d->t.node_statistics = arena_get(d->memory, n, sizeof *d->t.node_statistics);
    d->t.changed = arena_get(d->memory, n, 1);
    d->t.precision = arena_get(d->memory, n * n, sizeof *d->t.precision);
    d->t.context = arena_get(d->memory, s->pairs, 1);
    d->t.labels = arena_get(d->memory, s->pairs, 1);
    d->t.truth = arena_get(d->memory, n * n, 1);
    memset(d->t.pair_statistics, 0, s->pairs * sizeof *d->t.pair_statistics);
    memset(d->t.node_statistics, 0, n * sizeof *d->t.node_statistics);
    memset(d->t.changed, 0, n);
    memset(d->t.precision, 0, n * n * sizeof *d->t.precision);
    memset(d->t.context, 0, s->pairs);
    memset(d->t.labels, 0, s->pairs);
    memset(d->t.truth, 0, n * n);
}

/* Nodes 0 .. 5; pairs, in this order, 1-2, 0-1, 2-3, 0-3, 3-4; subsets {0,1,2,3} and {1,3,4,5}. */
static void draft_small(draft *d)
{
    static const uint32_t members[] = {0, 1, 2, 3, 1, 3, 4, 5};
    static const token_two ends[] = {{1, 2}, {0, 1}, {2, 3}, {0, 3}, {3, 4}};
    *d = (draft){.t.size = {.nodes = 6, .subsets = 2, .members = 8, .pairs = 5},
                 .offsets = {0, 4, 8}};
    memcpy(d->members, members, sizeof members);
    memcpy(d->ends, ends, sizeof ends);
    draft_fill(d);
}

static size_t below(sample_stream *random, size_t n)
{
    return (size_t)(sample_uniform(random) * (double)n);
}

/* Random subsets of unequal sizes, each pair of nodes a candidate with chance `density`. */
static void draft_random(draft *d, size_t nodes, size_t subsets, double density, uint64_t seed)
{
    sample_stream random = {seed};
    *d = (draft){.t.size = {.nodes = (uint32_t)nodes, .subsets = (uint32_t)subsets}};
    for (size_t g = 0; g < subsets; g++) {
        for (uint32_t v = 0; v < nodes && d->t.size.members - d->offsets[g] < 8; v++) {
            if (sample_uniform(&random) < 0.6) d->members[d->t.size.members++] = v;
        }
        d->offsets[g + 1] = d->t.size.members;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t j = i + 1; j < nodes; j++) {
            if (sample_uniform(&random) >= density) continue;
            d->ends[d->t.size.pairs][0] = i;
            d->ends[d->t.size.pairs++][1] = j;
        }
    }
    for (size_t e = d->t.size.pairs; e-- > 1;) { /* pairs come in any order */
        size_t other = below(&random, e + 1);
        token_two moved = {d->ends[e][0], d->ends[e][1]};
        memcpy(d->ends[e], d->ends[other], sizeof moved);
        memcpy(d->ends[other], moved, sizeof moved);
    }
    draft_fill(d);
}

/* ---- small things ---- */

static void test_endpoints(void **state)
{
    (void)state;
    /* none, tail, arrowhead at i; the same at j */
    static const float expected[4][TOKEN_ENDPOINTS] = {
        {1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 0, 1}, {0, 0, 1, 0, 1, 0}, {0, 1, 0, 0, 1, 0}};
    for (uint8_t code = 0; code < 4; code++) {
        float out[TOKEN_ENDPOINTS], swapped[TOKEN_ENDPOINTS];
        token_endpoints(out, code);
        token_endpoints(swapped, token_swapped(code));
        for (size_t k = 0; k < TOKEN_ENDPOINTS; k++) {
            CHECK_SAME((double)out[k], (double)expected[code][k]);
            CHECK_SAME((double)swapped[k], (double)out[(k + 3) % 6]);
        }
    }
    const int marks[] = {SCONE_MARK_NONE, SCONE_MARK_FORWARD, SCONE_MARK_BACKWARD,
                         SCONE_MARK_UNDIRECTED};
    const int codes[] = {TOKEN_NONE, TOKEN_FORWARD, TOKEN_BACKWARD, TOKEN_UNDIRECTED};
    assert_memory_equal(codes, marks, sizeof marks);
}

#define SAME_LIST(actual_, ...)                                                                    \
    do {                                                                                           \
        const uint32_t list_[] = {__VA_ARGS__};                                                    \
        assert_memory_equal((actual_), list_, sizeof list_);                                       \
    } while (0)

static void test_small(void **state)
{
    (void)state;
    draft d;
    draft_small(&d);
    const tokens *t = &d.t;
    CHECK_OK(tokens_check(t));
    /* Subset 0 holds the pairs 0, 1, 2, 3; subset 1 (nodes 1, 3, 4, 5) holds pair 4 alone. */
    CHECK(t->size.cells == 5);
    SAME_LIST(t->row_offsets, 0, 4, 5);
    SAME_LIST(t->cell_subset, 0, 0, 0, 0, 1);
    SAME_LIST(t->cell_pair, 0, 1, 2, 3, 4);
    SAME_LIST(t->cell_members, 1, 2, 0, 1, 2, 3, 0, 3, 5, 6);
    SAME_LIST(t->column_offsets, 0, 1, 2, 3, 4, 5);
    SAME_LIST(t->column_cells, 0, 1, 2, 3, 4);
    SAME_LIST(t->touch_offsets, 0, 2, 4, 6, 8, 8, 9, 10, 10);
    SAME_LIST(t->touch_cells, 1, 3, 0, 1, 0, 2, 2, 3, 4, 4);
    /* 1 - 0 - 3, 2 - 1 - 0, 1 - 2 - 3, 2 - 3 - 0: a cycle of four without chords */
    CHECK(t->size.triples == 4);
    SAME_LIST(t->triple_offsets, 0, 4, 4);
    SAME_LIST(t->triple_cells, 1, 3, 0, 1, 0, 2, 2, 3);
    SAME_LIST(t->triple_centres, 0, 1, 2, 3);
    /* Each pair of the cycle has the way round; 3-4 has none. */
    CHECK(t->size.paths == 4 && t->size.path_steps == 12);
    SAME_LIST(t->path_offsets, 0, 1, 2, 3, 4, 4);
    SAME_LIST(t->path_step_offsets, 0, 3, 6, 9, 12);
    /* 1-0-3-2, 0-3-2-1, 2-1-0-3, 0-1-2-3 */
    SAME_LIST(t->path_pairs, 1, 3, 2, 3, 2, 0, 0, 1, 3, 1, 0, 2);
    static const uint8_t forward[] = {0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1};
    assert_memory_equal(t->path_forward, forward, sizeof forward);
    SAME_LIST(t->instance_offsets, 0, 1, 2, 3, 4, 4);
    SAME_LIST(t->instance_paths, 0, 1, 2, 3);
    SAME_LIST(t->instance_step_offsets, 0, 3, 6, 9, 12);
    SAME_LIST(t->instance_cells, 1, 3, 2, 3, 2, 0, 0, 1, 3, 1, 0, 2);
    arena_free(d.memory);
}

/* An edge in some regime in at least the share of the cells of a pair; a pair without edges is no
 * context however small the share. */
static void test_contexts(void **state)
{
    (void)state;
    draft d = {.t.size = {.nodes = 3, .subsets = 4, .members = 12, .pairs = 3},
               .offsets = {0, 3, 6, 9, 12},
               .members = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2},
               .ends = {{0, 1}, {0, 2}, {1, 2}}};
    draft_fill(&d);
    tokens *t = &d.t;
    CHECK(t->size.cells == 12);
    t->codes[t->column_cells[0]][0] = TOKEN_FORWARD;
    t->codes[t->column_cells[2]][1] = TOKEN_UNDIRECTED; /* pair 0: 2 of 4 */
    t->codes[t->column_cells[5]][0] = TOKEN_FORWARD;
    t->codes[t->column_cells[5]][1] = TOKEN_BACKWARD; /* pair 1: 1 of 4, in both regimes */
    token_layout_contexts(t, 0.5);
    CHECK(t->context[0] == 1 && t->context[1] == 0 && t->context[2] == 0);
    token_layout_contexts(t, 0.51);
    CHECK(t->context[0] == 0);
    token_layout_contexts(t, 0.25);
    CHECK(t->context[0] == 1 && t->context[1] == 1);
    token_layout_contexts(t, 0.0);
    CHECK(t->context[2] == 0);
    arena_free(d.memory);
}

/* ---- brute force ---- */

static uint32_t find_pair(const tokens *t, uint32_t i, uint32_t j)
{
    for (uint32_t e = 0; e < t->size.pairs; e++) {
        if (t->ends[e][0] == (i < j ? i : j) && t->ends[e][1] == (i < j ? j : i)) return e;
    }
    return UINT32_MAX;
}

/* The member of a subset that is node v, UINT32_MAX if it is not there. */
static uint32_t find_member(const tokens *t, size_t g, uint32_t v)
{
    for (uint32_t m = t->subset_offsets[g]; m < t->subset_offsets[g + 1]; m++) {
        if (t->subset_nodes[m] == v) return m;
    }
    return UINT32_MAX;
}

static uint32_t find_cell(const tokens *t, size_t g, uint32_t e)
{
    for (uint32_t c = 0; c < t->size.cells; c++) {
        if (t->cell_subset[c] == g && t->cell_pair[c] == e) return c;
    }
    return UINT32_MAX;
}

static void check_cells(const tokens *t)
{
    size_t cells = 0;
    for (size_t g = 0; g < t->size.subsets; g++) {
        for (uint32_t e = 0; e < t->size.pairs; e++) {
            bool inside = find_member(t, g, t->ends[e][0]) != UINT32_MAX &&
                          find_member(t, g, t->ends[e][1]) != UINT32_MAX;
            CHECK(inside == (find_cell(t, g, e) != UINT32_MAX));
            if (!inside) continue;
            CHECK(t->cell_subset[cells] == g && t->cell_pair[cells] == e); /* in this order */
            cells++;
        }
    }
    CHECK(cells == t->size.cells);
}

static void check_triples(const tokens *t)
{
    uint32_t n = t->size.nodes;
    size_t found = 0;
    for (size_t g = 0; g < t->size.subsets; g++) {
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i = 0; i < n; i++) {
                for (uint32_t k = i + 1; k < n; k++) {
                    if (i == j || k == j || find_pair(t, i, k) != UINT32_MAX) continue;
                    uint32_t a = find_cell(t, g, find_pair(t, i, j));
                    uint32_t b = find_cell(t, g, find_pair(t, k, j));
                    if (a == UINT32_MAX || b == UINT32_MAX) continue;
                    size_t hits = 0;
                    for (size_t s = t->triple_offsets[g]; s < t->triple_offsets[g + 1]; s++) {
                        hits += t->triple_cells[s][0] == (a < b ? a : b) &&
                                t->triple_cells[s][1] == (a < b ? b : a) &&
                                t->triple_centres[s] == find_member(t, g, j);
                    }
                    CHECK(hits == 1);
                    found++;
                }
            }
        }
    }
    CHECK(found == t->size.triples);
}

/* All paths of a length as lists of nodes, in their order, by trying every list. */
static size_t naive_paths(uint32_t (*paths)[TOKEN_PATH_PAIRS + 1], size_t room, const tokens *t,
                          uint32_t e, size_t length)
{
    size_t n = t->size.nodes, count = 0, all = 1;
    for (size_t k = 1; k < length; k++) all *= n;
    for (size_t code = 0; code < all && count < room; code++) {
        uint32_t list[TOKEN_PATH_PAIRS + 1];
        size_t rest = code;
        for (size_t k = length - 1; k > 0; k--, rest /= n) list[k] = (uint32_t)(rest % n);
        list[0] = t->ends[e][0];
        list[length] = t->ends[e][1];
        bool fine = true;
        for (size_t k = 0; k <= length && fine; k++) {
            for (size_t past = 0; past < k && fine; past++) fine = list[past] != list[k];
        }
        for (size_t k = 0; k < length && fine; k++) {
            uint32_t step = find_pair(t, list[k], list[k + 1]);
            fine = step != UINT32_MAX && step != e;
        }
        if (fine) memcpy(paths[count++], list, sizeof list);
    }
    return count;
}

static void check_paths(const tokens *t)
{
    for (uint32_t e = 0; e < t->size.pairs; e++) {
        size_t at = t->path_offsets[e], room = TOKEN_PATHS;
        for (size_t length = 2; length <= TOKEN_PATH_PAIRS; length++) {
            uint32_t paths[TOKEN_PATHS][TOKEN_PATH_PAIRS + 1];
            size_t count = naive_paths(paths, room, t, e, length);
            room -= count;
            for (size_t p = 0; p < count; p++, at++) {
                CHECK(at < t->path_offsets[e + 1]);
                size_t first = t->path_step_offsets[at];
                CHECK(t->path_step_offsets[at + 1] - first == length);
                for (size_t k = 0; k < length; k++) {
                    CHECK(t->path_pairs[first + k] == find_pair(t, paths[p][k], paths[p][k + 1]));
                    CHECK(t->path_forward[first + k] == (paths[p][k] < paths[p][k + 1]));
                }
            }
        }
        CHECK(at == t->path_offsets[e + 1]);
    }
}

static void check_instances(const tokens *t)
{
    size_t instance = 0, step = 0;
    for (uint32_t c = 0; c < t->size.cells; c++) {
        CHECK(t->instance_offsets[c] == instance);
        uint32_t e = t->cell_pair[c];
        for (uint32_t p = t->path_offsets[e]; p < t->path_offsets[e + 1]; p++) {
            size_t first = t->path_step_offsets[p], end = t->path_step_offsets[p + 1];
            bool inside = true;
            for (size_t k = first; k < end; k++) {
                inside = inside && find_cell(t, t->cell_subset[c], t->path_pairs[k]) != UINT32_MAX;
            }
            if (!inside) continue;
            CHECK(t->instance_paths[instance] == p);
            CHECK(t->instance_step_offsets[instance++] == step);
            for (size_t k = first; k < end; k++, step++) {
                CHECK(t->instance_cells[step] == find_cell(t, t->cell_subset[c], t->path_pairs[k]));
            }
        }
    }
    CHECK(instance == t->size.instances && step == t->size.instance_steps);
}

static void test_brute_force(void **state)
{
    (void)state;
    static const double densities[] = {0.0, 0.1, 0.25, 0.5, 0.8, 1.0};
    size_t most_paths = 0, instances = 0, triples = 0;
    for (uint64_t k = 0; k < 24; k++) {
        draft d;
        draft_random(&d, 2 + k % 11, 1 + k % 7, densities[k % 6], 100 + k);
        CHECK_OK(tokens_check(&d.t));
        check_cells(&d.t);
        check_triples(&d.t);
        check_paths(&d.t);
        check_instances(&d.t);
        if (d.t.size.paths > most_paths) most_paths = d.t.size.paths;
        instances += d.t.size.instances;
        triples += d.t.size.triples;
        arena_free(d.memory);
    }
    CHECK(most_paths > 200 && instances > 500 && triples > 100); /* the cases are not empty ones */
}

/* ---- the block ---- */

static void test_copy(void **state)
{
    (void)state;
    draft d;
    tokens *copy, *again;
    draft_random(&d, 9, 5, 0.4, 3);
    d.t.graph = 17;
    d.t.seed = 99;
    d.t.labelled = true;
    CHECK_OK(tokens_copy(&copy, &d.t));
    CHECK_OK(tokens_check(copy));
    CHECK(copy->graph == 17 && copy->seed == 99 && copy->labelled);
    CHECK(copy->bytes == token_sizes_bytes(&d.t.size) && copy->bytes % 64 == 0);
#define ALIGNED(name_, count_)                                                                     \
    CHECK((uintptr_t)copy->name_ % 64 == 0);                                                       \
    CHECK((char *)copy->name_ >= (char *)copy->block);                                             \
    CHECK((char *)(copy->name_ + (count_)) <= (char *)copy->block + copy->bytes);                  \
    if ((count_) > 0) assert_memory_equal(copy->name_, d.t.name_, (count_) * sizeof *copy->name_);
    const token_sizes *s = &copy->size;
    TOKEN_ARRAYS(ALIGNED)
    CHECK_OK(tokens_copy(&again, copy));
    assert_memory_equal(copy->block, again->block, copy->bytes);
    tokens_free(copy);
    tokens_free(again);
    tokens_free(NULL);
    arena_free(d.memory);
}

static void test_limits(void **state)
{
    (void)state;
    tokens *t;
    token_sizes sizes = {.nodes = TOKEN_MOST_NODES + 1};
    CHECK_FAILS(tokens_alloc(&t, &sizes), SCONE_ERR_INPUT, "1025 nodes");
    CHECK(t == NULL);
    sizes.nodes = 0;
    CHECK_FAILS(tokens_alloc(&t, &sizes), SCONE_ERR_INPUT, "without nodes");
    static const token_sizes bad[] = {
        {.nodes = 4, .subsets = TOKEN_MOST_SUBSETS + 1},
        {.nodes = 4, .members = TOKEN_MOST_MEMBERS + 1},
        {.nodes = 4, .pairs = 7},
        {.nodes = 4, .pairs = 6, .subsets = 2, .cells = 13},
        {.nodes = 1024, .pairs = 523776, .subsets = 1000, .cells = TOKEN_MOST_CELLS + 1},
        {.nodes = 4, .triples = TOKEN_MOST_CELLS + 1},
        {.nodes = 4, .pairs = 1, .paths = 9},
        {.nodes = 4, .pairs = 1, .paths = 1, .path_steps = 5},
        {.nodes = 4, .pairs = 1, .subsets = 1, .cells = 1, .instances = 9},
        {.nodes = 4, .pairs = 1, .subsets = 1, .cells = 1, .instances = 1, .instance_steps = 5},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK_FAILS(tokens_alloc(&t, &bad[k]), SCONE_ERR_INPUT, "at most");
    }
}

/* ---- damage ---- */

/* Every number of every index array, changed in several ways, is noticed; a change that happens to
 * be another right answer would have to be of an array that holds values, not indices. */
static size_t damage_words(tokens *t, uint32_t *words, size_t count)
{
    static const uint32_t changes[] = {1, 2, UINT32_MAX, 0x80000000U, 1000};
    size_t missed = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t kept = words[k];
        for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
            words[k] = kept + changes[c];
            missed += tokens_check(t) == SCONE_OK;
        }
        words[k] = kept;
    }
    CHECK_OK(tokens_check(t));
    return missed;
}

static void test_damage(void **state)
{
    (void)state;
    draft d;
    tokens *t;
    draft_random(&d, 8, 4, 0.6, 8);
    d.t.labelled = true;
    CHECK_OK(tokens_copy(&t, &d.t));
    arena_free(d.memory);
    const token_sizes *s = &t->size;
    CHECK(s->triples > 3 && s->instances > 10);
    /* A subset may hold a further or another node that no cell is about, and a triple offset may
     * move between subsets without triples: only what would be read wrongly has to be noticed. */
    (void)damage_words(t, t->subset_offsets, s->subsets + 1);
    (void)damage_words(t, t->subset_nodes, s->members);
    CHECK(damage_words(t, t->ends[0], 2 * s->pairs) == 0);
    CHECK(damage_words(t, t->row_offsets, s->subsets + 1) == 0);
    CHECK(damage_words(t, t->cell_subset, s->cells) == 0);
    CHECK(damage_words(t, t->cell_pair, s->cells) == 0);
    CHECK(damage_words(t, t->cell_members[0], 2 * s->cells) == 0);
    CHECK(damage_words(t, t->column_offsets, s->pairs + 1) == 0);
    CHECK(damage_words(t, t->column_cells, s->cells) == 0);
    CHECK(damage_words(t, t->touch_offsets, s->members + 1) == 0);
    CHECK(damage_words(t, t->touch_cells, 2 * s->cells) == 0);
    CHECK(damage_words(t, t->triple_offsets, s->subsets + 1) == 0);
    CHECK(damage_words(t, t->triple_centres, s->triples) == 0);
    CHECK(damage_words(t, t->path_offsets, s->pairs + 1) == 0);
    CHECK(damage_words(t, t->path_step_offsets, s->paths + 1) == 0);
    CHECK(damage_words(t, t->path_pairs, s->path_steps) == 0);
    CHECK(damage_words(t, t->instance_offsets, s->cells + 1) == 0);
    CHECK(damage_words(t, t->instance_step_offsets, s->instances + 1) == 0);
    CHECK(damage_words(t, t->instance_cells, s->instance_steps) == 0);
    (void)damage_words(t, t->triple_cells[0], 2 * s->triples); /* another triple may be there */
    (void)damage_words(t, t->instance_paths, s->instances);
    tokens_free(t);
}

static void test_bad_values(void **state)
{
    (void)state;
    draft d;
    draft_small(&d);
    tokens *t = &d.t;
    size_t n = t->size.nodes;
    t->pair_statistics[2][1][3] = NAN;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "pair_statistics");
    t->pair_statistics[2][1][3] = 0.5F;
    t->node_statistics[5][3] = INFINITY;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "value 29 of node_statistics");
    t->node_statistics[5][3] = 0.5F;
    t->changed[2] = 2;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "the change of node 3");
    t->changed[2] = 0;
    t->precision[1 * n + 2] = 0.25F;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "precision");
    t->precision[2 * n + 1] = 0.25F;
    CHECK_OK(tokens_check(t));
    t->precision[3 * n + 3] = 1.0F;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "precision");
    t->precision[3 * n + 3] = 0.0F;
    t->codes[1][0] = 4;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "cell 2");
    t->codes[1][0] = 3;
    t->context[4] = 2;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "pair 5");
    t->context[4] = 1;
    t->truth[1 * n + 2] = t->labels[0] = TOKEN_FORWARD;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "truth"); /* unlabelled, and not mirrored */
    t->labelled = true;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "truth");
    t->truth[2 * n + 1] = TOKEN_BACKWARD;
    CHECK_OK(tokens_check(t));
    t->labels[0] = TOKEN_BACKWARD;
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "pair 1");
    t->labels[0] = TOKEN_FORWARD;
    t->path_forward[3] = !t->path_forward[3];
    CHECK_FAILS(tokens_check(t), SCONE_ERR_INPUT, "path 2");
    arena_free(d.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endpoints), cmocka_unit_test(test_small),
        cmocka_unit_test(test_contexts),  cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_copy),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_damage),    cmocka_unit_test(test_bad_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
