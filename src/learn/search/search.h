/* search.h - the graph with the best location-scale contrast score that can be found in the time.
 *
 * From the empty graph (or what knowledge requires) the best additions, deletions and reversals are
 * made until none improves the score; then variables are moved along the order of the graph, with
 * parents chosen anew (docs/methods/score.md). Nodes are the columns of the pair; ties go to the
 * lower index, so callers who sort columns by name get results that do not depend on their order.
 */
#ifndef SCONE_LEARN_SEARCH_SEARCH_H
#define SCONE_LEARN_SEARCH_SEARCH_H

#include "graph/graph.h"
#include "learn/search/family_score.h"

typedef struct search_options {
    int effort;         /* 0: fast, 1: normal, 2: thorough */
    size_t max_parents; /* 0: FAMILY_MAX_PARENTS */
    size_t candidates;  /* possible parents per node; 0: a default */
    bool joint;         /* also offer parents that show only together */
    double edge_cost;   /* nats per edge on top of the BIC; negative: a default */
    uint64_t seed;      /* of the samples of rows that first looks use */
    size_t conditions;  /* that the second table holds, one after the other; 0 or 1: one */
    const size_t *condition_rows;          /* of each, if there are several */
    const bits_word *required, *forbidden; /* [N, words], row i holds the j of i -> j; or NULL */
} search_options;

typedef struct search_result {
    graph *graph;          /* a DAG */
    double *probabilities; /* [N, N]: row i column j = P(i -> j), from score differences */
    double *values;        /* [N, N]: nats of i -> j against no edge, all else as it is */
    double
        *gains; /* [N, N]: the same, also where i -> j would close a cycle; 0 where not allowed */
    fit_result *fits; /* [N]: of the families found; separate - shared speaks for a target */
    double *margins;  /* [N, conditions], or NULL if there is one: nats by which a mechanism of its
                         own  is better there than the shared one; 0 at most where it is shared */
    double score;
    size_t evaluations; /* families that were fitted */
} search_result;

/* The default cost of an edge among N nodes. */
double search_edge_cost(size_t nodes);
/* What each column of a parent beyond the first saves of it, by the rows of both tables. Columns
 * cost 0.2 log(rows), but what chance finds in them does not grow with the rows. */
double search_discount(double rows);
/* The required edges must be acyclic. The caller frees also after a failure. */
scone_status search_run(search_result *out, const scone_pair *pair, const search_options *options,
                        const scone_context *context);
void search_result_free(search_result *result);

#endif
