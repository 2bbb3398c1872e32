/* scm.c - drawing the models of the benchmark and sampling from them (see scm.h).
 *
 * Sampling takes blocks of rows through all nodes in topological order, so that the parents of a
 * node are in the cache when it is computed; blocks are independent of each other and run in
 * parallel. Cost O(rows * (nodes + edges)), with the hidden units as a factor for the networks.
 */
#include "scm/scm.h"

#include "parallel/parallel.h"
#include "scm/random_graph.h"

#include <math.h>

/* Training sets live in a half of their own, so that none shares a graph with a test set of the
 * same seed: train-indist and indist-20-20 differ in nothing else. */
static uint64_t graph_number(const scone_setting *setting, size_t index)
{
    bool training = strncmp(setting->name, "train", 5) == 0;
    return (uint64_t)index | (training ? UINT64_C(1) << 63 : 0);
}

static void draw_size(size_t *nodes, double *edges, const scone_setting *setting, uint64_t number)
{
    rng r = rng_stream(setting->seed, RNG_SETTING, number, 0, 0);
    *nodes = setting->nodes_min +
             (size_t)rng_below(&r, (uint64_t)(setting->nodes_max - setting->nodes_min) + 1);
    *edges = rng_range(&r, setting->edges_min, setting->edges_max);
    if (setting->edges_per_node) *edges *= (double)*nodes;
}

static scone_status list_parents(model *m)
{
    scone_status status = SCONE_OK;
    size_t nodes = m->truth->nodes;
    m->parents = arena_get(m->memory, nodes, sizeof *m->parents);
    m->parent_counts = arena_get(m->memory, nodes, sizeof *m->parent_counts);
    if (!m->parents || !m->parent_counts) TRY(SCONE_ERR_MEMORY);
    for (size_t v = 0; v < nodes; v++) {
        const bits_word *set = graph_parents(m->truth, v);
        size_t count = 0;
        m->parent_counts[v] = bits_count(set, m->truth->words);
        m->parents[v] = arena_get(m->memory, m->parent_counts[v], sizeof **m->parents);
        if (!m->parents[v]) TRY(SCONE_ERR_MEMORY);
        BITS_EACH(u, set, m->truth->words) m->parents[v][count++] = u;
    }
cleanup:
    return status;
}

/* One condition has every node with parents for a target with a chance; of several each has few. */
static scone_status draw_targets(model *m, const scone_setting *setting)
{
    scone_status status = SCONE_OK;
    size_t nodes = m->truth->nodes, cells;
    size_t low = setting->condition_targets_min, high = setting->condition_targets_max;
    if (!size_multiply(&cells, m->conditions + 1, nodes)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: %zu conditions", m->conditions);
    }
    if (high == 0) {
        low = SETTING_TARGETS_MIN;
        high = SETTING_TARGETS_MAX;
    }
    TRY_ZERO(m->targets, cells);
    for (size_t k = 1; k <= m->conditions; k++) {
        bool *targets = m->targets + k * nodes;
        rng r = scm_change_stream(m, k, 0, MODEL_TARGETS);
        if (m->conditions == 1) {
            TRY(random_targets_draw(targets, m->truth, setting->p_target, &r));
        } else {
            TRY(random_targets_choose(targets, m->truth, low, high, &r));
        }
    }
cleanup:
    return status;
}

scone_status scm_draw(model *m, const scone_setting *setting, size_t index)
{
    scone_status status = SCONE_OK;
    size_t nodes;
    double edges;
    TRY(setting_check(setting));
    m->seed = setting->seed;
    m->graph_number = graph_number(setting, index);
    m->conditions = scm_conditions(setting);
    draw_size(&nodes, &edges, setting, m->graph_number);
    TRY(arena_alloc(&m->memory, 0));
    m->order = arena_get(m->memory, nodes, sizeof *m->order);
    if (!m->order) TRY(SCONE_ERR_MEMORY);
    rng r = rng_stream(m->seed, RNG_GRAPH, m->graph_number, 0, 0);
    TRY(random_graph_draw(&m->truth, m->order, nodes, edges, &r));
    TRY(draw_targets(m, setting));
    TRY(list_parents(m));
cleanup:
    return status;
}

void scm_free(model *m)
{
    arena_free(m->memory);
    scone_graph_free(m->truth);
    mem_free(m->targets);
    *m = (model){0};
}

rng scm_mechanism_stream(const model *m, size_t node, uint32_t replicate)
{
    return rng_stream(m->seed, RNG_MECHANISM, m->graph_number, node, replicate);
}

rng scm_change_stream(const model *m, size_t k, size_t node, uint32_t replicate)
{
    uint64_t condition = m->conditions > 1 ? (uint64_t)k << 32 : 0;
    return rng_stream(m->seed, RNG_MECHANISM, m->graph_number, condition | node, replicate);
}

rng scm_sample_stream(const model *m, size_t node, size_t block, size_t k)
{
    uint64_t place = (uint64_t)node << 32 | block;
    return rng_stream(m->seed, RNG_SAMPLE, m->graph_number, place, (uint32_t)k);
}

scone_status scm_mechanisms(mechanism **mechanisms, const model *m, const scone_setting *setting)
{
    scone_status status = SCONE_OK;
    size_t nodes = m->truth->nodes, cells;
    mechanism *all = NULL;
    if (size_multiply(&cells, m->conditions, nodes)) all = arena_get(m->memory, cells, sizeof *all);
    if (!all) TRY(SCONE_ERR_MEMORY);
    for (size_t v = 0; v < nodes; v++) {
        mechanism same = {.parents = m->parent_counts[v], .parent = m->parents[v]};
        rng r = scm_mechanism_stream(m, v, MODEL_WEIGHTS);
        if (same.parents > 0) {
            TRY(mechanism_draw(&same, m->memory, setting->families, setting->noise, &r));
        }
        for (size_t k = 1; k <= m->conditions; k++) {
            mechanism *changed = &all[(k - 1) * nodes + v];
            *changed = same;
            if (!scm_targets(m, k)[v]) continue;
            r = scm_change_stream(m, k, v, MODEL_SHIFT);
            TRY(mechanism_shift(changed, m->memory, &r));
        }
    }
    *mechanisms = all;
cleanup:
    return status;
}

/* ---- sampling ---- */

typedef struct sample_job {
    scone_table *const *tables;
    const model *m;
    const mechanism *mechanisms;
    sample_blocks blocks;
} sample_job;

/* Sums of products along many edges can pass the largest double; other families are bounded. */
static bool all_finite(const double *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += 0.0 * x[i]; /* NaN as soon as one is not finite */
    return sum == 0.0;
}

static scone_status sample_block(void *argument, size_t item, int worker)
{
    (void)worker;
    const sample_job *job = argument;
    const model *m = job->m;
    size_t block, k = scm_block_place(&block, &job->blocks, item), start = block * MODEL_BLOCK;
    const mechanism *mechanisms = job->mechanisms + (k ? k - 1 : 0) * m->truth->nodes;
    scone_table *t = job->tables[k];
    size_t n = t->rows - start < MODEL_BLOCK ? t->rows - start : MODEL_BLOCK;
    _Alignas(64) double scratch[MECHANISM_SCRATCH * MODEL_BLOCK];
    for (size_t i = 0; i < t->columns; i++) {
        size_t v = m->order[i];
        const mechanism *node = &mechanisms[v];
        double *out = table_column(t, v) + start;
        rng r = scm_sample_stream(m, v, block, k);
        if (node->parents == 0) {
            rng_fill_uniform(&r, out, n);
            mechanism_stretch(out, n, -2.0, 4.0);
            continue;
        }
        rng_fill_normal(&r, out, n);
        mechanism_apply(out, node, k > 0, t->values + start, t->rows, scratch, n);
        if (node->family == SCONE_LINEAR && !all_finite(out, n)) {
            return RAISE(SCONE_ERR_INPUT,
                         "the values of X%zu pass the largest number: %zu edges of linear "
                         "mechanisms are too many; use fewer --edges or other --mechanisms",
                         v, scone_graph_edges(m->truth));
        }
    }
    return SCONE_OK;
}

scone_status scm_sample(scone_table *const *tables, const model *m, const mechanism *mechanisms,
                        const scone_context *context)
{
    sample_job job = {.tables = tables, .m = m, .mechanisms = mechanisms};
    job.blocks = scm_blocks(tables[0], tables[1], m->conditions + 1);
    return parallel_for(job.blocks.count, context, "simulate", sample_block, &job);
}
