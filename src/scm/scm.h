/* scm.h - a structural causal model of the benchmark: graph, targets, mechanisms, and sampling.
 *
 * Streams (base/rng.h), all with the setting's seed; g is the number of the graph:
 *   size        RNG_SETTING    g, 0, 0
 *   graph       RNG_GRAPH      g, 0, 0
 *   targets     RNG_MECHANISM  g, c << 32, MODEL_TARGETS
 *   mechanism   RNG_MECHANISM  g, node, MODEL_WEIGHTS
 *   change      RNG_MECHANISM  g, c << 32 | node, MODEL_SHIFT
 *   samples     RNG_SAMPLE     g, node << 32 | block, k
 * k is 0 for the control and counts the conditions from 1 on; c is k if there are several and 0 for
 * the only one. A block is MODEL_BLOCK rows. So every cell is a function of the setting and its
 * place alone, and condition k is the same whatever the number of conditions from 2 on.
 */
#ifndef SCONE_SCM_SCM_H
#define SCONE_SCM_SCM_H

#include "base/arena.h"
#include "base/context.h"
#include "base/rng.h"
#include "data/table.h"
#include "graph/graph.h"
#include "scm/mechanism.h"

enum { MODEL_BLOCK = 1024 };
enum { MODEL_WEIGHTS = 0, MODEL_SHIFT = 1, MODEL_TARGETS = 2 };
/* Targets of each of several conditions, unless the setting tells. */
enum { SETTING_TARGETS_MIN = 1, SETTING_TARGETS_MAX = 3 };

typedef struct model {
    uint64_t seed, graph_number;
    arena *memory;
    graph *truth;
    size_t *order;         /* [nodes] topological */
    size_t conditions;     /* at least 1 */
    bool *targets;         /* [conditions + 1, nodes]: of condition k in row k; none in row 0 */
    size_t **parents;      /* [nodes] lists of parents, ascending */
    size_t *parent_counts; /* [nodes] */
} model;

/* Draws size, graph and targets; *m is zero before, and freed by scm_free also on failure. */
scone_status scm_draw(model *m, const scone_setting *setting, size_t index);
void scm_free(model *m);

/* [nodes]: the targets of condition k. */
static inline const bool *scm_targets(const model *m, size_t k)
{
    return m->targets + k * m->truth->nodes;
}

/* The streams of the table above; the change of a node is that of condition k. */
rng scm_mechanism_stream(const model *m, size_t node, uint32_t replicate);
rng scm_change_stream(const model *m, size_t k, size_t node, uint32_t replicate);
rng scm_sample_stream(const model *m, size_t node, size_t block, size_t k);

/* Rows of the control, and of each condition. */
static inline size_t scm_rows(const scone_setting *setting, size_t k)
{
    return k == 0 && setting->control_samples ? setting->control_samples : setting->samples;
}
static inline size_t scm_conditions(const scone_setting *setting)
{
    return setting->conditions ? setting->conditions : 1;
}

/* mechanisms[conditions, nodes] of the first benchmark, in the model's memory: row k - 1 has those
 * of condition k as the second of their weights, and the control's as the first; roots have family
 * 0. */
scone_status scm_mechanisms(mechanism **mechanisms, const model *m, const scone_setting *setting);

/* Fills tables[conditions + 1], nodes columns each, from the model. */
scone_status scm_sample(scone_table *const *tables, const model *m, const mechanism *mechanisms,
                        const scone_context *context);

/* The second benchmark (wild.c): draws mechanisms and fills tables[conditions + 1]. */
scone_status wild_sample(scone_table *const *tables, const model *m, const scone_context *context);

/* Blocks of all tables, one table after the other; which of them is which. */
typedef struct sample_blocks {
    size_t control, condition; /* blocks of the control, and of each condition */
    size_t count;              /* of all */
} sample_blocks;

static inline sample_blocks scm_blocks(const table *control, const table *condition, size_t tables)
{
    sample_blocks b = {(control->rows + MODEL_BLOCK - 1) / MODEL_BLOCK,
                       (condition->rows + MODEL_BLOCK - 1) / MODEL_BLOCK, 0};
    b.count = b.control + (tables - 1) * b.condition;
    return b;
}

/* Block `item` of all is block *block of table k, which is returned. */
static inline size_t scm_block_place(size_t *block, const sample_blocks *b, size_t item)
{
    *block = item < b->control ? item : (item - b->control) % b->condition;
    return item < b->control ? 0 : 1 + (item - b->control) / b->condition;
}

/* Fails with SCONE_ERR_INPUT, naming the option, if the setting makes no sense (setting.c). */
scone_status setting_check(const scone_setting *setting);

#endif
