/* scm.h - a structural causal model of the benchmark: graph, targets, mechanisms, and sampling.
 *
 * Streams (base/rng.h), all with the setting's seed; g is the number of the graph:
 *   size        RNG_SETTING    g, 0, 0
 *   graph       RNG_GRAPH      g, 0, 0
 *   targets     RNG_MECHANISM  g, 0, MODEL_TARGETS
 *   mechanism   RNG_MECHANISM  g, node, MODEL_WEIGHTS; in the second regime MODEL_SHIFT
 *   samples     RNG_SAMPLE     g, node << 32 | block, regime
 * A block is MODEL_BLOCK rows. So every cell is a function of the setting and its place alone.
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

typedef struct model {
    uint64_t seed, graph_number;
    arena *memory;
    graph *truth;
    size_t *order;         /* [nodes] topological */
    bool *targets;         /* [nodes] */
    size_t **parents;      /* [nodes] lists of parents, ascending */
    size_t *parent_counts; /* [nodes] */
} model;

/* Draws size, graph and targets; *m is zero before, and freed by scm_free also on failure. */
scone_status scm_draw(model *m, const scone_setting *setting, size_t index);
void scm_free(model *m);

/* The streams of the table above. */
rng scm_mechanism_stream(const model *m, size_t node, uint32_t replicate);
rng scm_sample_stream(const model *m, size_t node, size_t block, int regime);

/* mechanisms[nodes] of the first benchmark, in the model's memory; roots have family 0. */
scone_status scm_mechanisms(mechanism **mechanisms, const model *m, const scone_setting *setting);

/* Fills both tables, nodes columns each, from the model. */
scone_status scm_sample(scone_table *const tables[2], const model *m, const mechanism *mechanisms,
                        const scone_context *context);

/* The second benchmark (wild.c): draws mechanisms and fills both tables. */
scone_status wild_sample(scone_table *const tables[2], const model *m,
                         const scone_context *context);

/* Fails with SCONE_ERR_INPUT, naming the option, if the setting makes no sense (setting.c). */
scone_status setting_check(const scone_setting *setting);

#endif
