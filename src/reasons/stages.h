/* stages.h - the three aggregates of the paper ("Knowledge sets and aggregator"), on data:
 *
 *     observational   H_obs: GES on regime 0 over all columns, a CPDAG
 *     per-regime      H_per = MPDAG(H_obs subject to K_per), the directions of the local graphs
 *     contrastive     H_ctr = MPDAG(H_obs subject to K_per and K_rules), what SSI, CVT and DPT say
 *
 * In the population knowledge never contradicts itself; on data it does. A stage begins with the
 * graph of the stage before it. Directions are taken up by falling strength, each with all that
 * follows from it by the Meek rules; one that the graph contradicts, that closes a cycle or makes a
 * v-structure, or that background knowledge excludes is skipped and counted. Nothing is ever taken
 * back, so the directed edges of a stage are among those of the next one: Theorem 1's order holds
 * by construction. The skeleton is that of H_obs throughout; directions between columns that it
 * does not join say nothing here.
 */
#ifndef SCONE_REASONS_STAGES_H
#define SCONE_REASONS_STAGES_H

#include "base/context.h"
#include "data/table.h"
#include "decode/knowledge.h"
#include "graph/graph.h"
#include "reasons/local_graphs.h"

enum { STAGES_OBSERVATIONAL, STAGES_PER_REGIME, STAGES_CONTRASTIVE, STAGES_MOST };

/* What directed an edge at its stage. Those of local graphs are their regimes as bits. */
typedef enum stage_source {
    STAGE_REGIME_0 = 1,
    STAGE_REGIME_1 = 2,
    STAGE_BOTH = 3,
    STAGE_RULE,
    STAGE_CLOSURE
} stage_source;

typedef struct stage_edge {
    uint32_t from, to;
    stage_source source;
} stage_edge;

typedef struct stage_result {
    graph *graph;
    stage_edge
        *added; /* what it directs and the stage before does not, in the order of directing */
    size_t added_count;
    size_t skipped; /* directions that would have contradicted */
} stage_result;

typedef struct stage_list {
    stage_result list[STAGES_MOST];
    size_t count;
} stage_list;

/* A direction to take up. */
typedef struct stage_direction {
    size_t from, to;
    stage_source source;
} stage_direction;

/* The first stage. k: about the columns, or NULL. The caller frees also after a failure. */
scone_status stages_observe(stage_list *s, const scone_pair *pair, const knowledge *k,
                            const scone_context *context);
/* The same with a given graph, which must be closed and extend to a DAG. */
scone_status stages_begin(stage_list *s, const graph *observational);
/* The next stage: directions strongest first. O(count N words) at most. */
scone_status stages_next(stage_list *s, const stage_direction *list, size_t count,
                         const knowledge *k);
/* The second stage from the directions of local graphs. */
scone_status stages_locals(stage_list *s, const local_graphs *local, const knowledge *k);
void stages_free(stage_list *s);

/* "observational", "per_regime", "contrastive" */
const char *stages_name(size_t stage);
/* "regime 0", "regime 1", "both regimes", "rule", "closure" */
const char *stages_source(stage_source source);

#endif
