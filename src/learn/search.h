/* search.h - the graph with the best location-scale contrast score that a greedy search finds.
 *
 * From the empty graph (or what knowledge requires) the best addition, deletion or reversal is made
 * until none improves the score (docs/score.md). Nodes are the columns of the pair; ties go to the
 * lower index, so callers who sort columns by name get results that do not depend on their order.
 */
#ifndef SCONE_LEARN_SEARCH_H
#define SCONE_LEARN_SEARCH_H

#include "graph/graph.h"
#include "learn/local_score.h"

typedef struct search_options {
    int effort;         /* 0: few starts of the sd link, 1: all of them */
    size_t max_parents; /* 0: FIT_MAX_PARENTS */
    size_t candidates;  /* possible parents per node, by their gain alone; 0: a default */
    double edge_cost;   /* nats per edge on top of the BIC; negative: 4 + 2 log N */
    const bits_word *required, *forbidden; /* [N, words], row i holds the j of i -> j; or NULL */
} search_options;

typedef struct search_result {
    graph *graph;          /* a DAG */
    double *probabilities; /* [N, N]: row i column j = P(i -> j), from score differences */
    double *margins;       /* [N]: separate minus shared score given the parents found */
    double score;
    size_t evaluations; /* families that were fitted */
} search_result;

/* The required edges must be acyclic. The caller frees also after a failure. */
scone_status search_run(search_result *out, const scone_pair *pair, const search_options *options,
                        const scone_context *context);
void search_result_free(search_result *result);

#endif
