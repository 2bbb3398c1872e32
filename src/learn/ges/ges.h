/* ges.h - Greedy Equivalence Search with the Gaussian BIC.
 *
 * D. M. Chickering, "Optimal structure identification with greedy search", JMLR 3 (2002): a search
 * over equivalence classes of DAGs, each given by its CPDAG. Edges are inserted while that improves
 * the score, then deleted while that does. A third phase turns edges (A. Hauser and P. Buehlmann,
 * "Characterization and greedy learning of interventional Markov equivalence classes of directed
 * acyclic graphs", JMLR 13, 2012). The three phases repeat until none of them improves. Every step
 * takes the best valid operator.
 *
 * The score of a DAG, up to a constant, for n rows:
 *     sum_y  -n/2 log(residual variance of y given its parents) - penalty/2 log(n) |parents|
 * It is computed from a correlation matrix R with a ridge, (R + r I) / (1 + r), r = GES_RIDGE,
 * which is positive definite whatever the data: constant, duplicate and collinear columns, more
 * columns than rows. A residual variance below GES_FLOOR of the column's variance counts as
 * GES_FLOOR: what is explained so far is explained, and further copies of its causes are no further
 * causes. Above the floor, the score is the same for all DAGs of a class. A column of variance 0
 * gets no edges.
 *
 * docs/methods/ges.md tells how the operators are found again after a step, and what that costs.
 */
#ifndef SCONE_LEARN_GES_GES_H
#define SCONE_LEARN_GES_GES_H

#include "base/context.h"
#include "data/table.h"
#include "graph/graph.h"

#define GES_RIDGE 1e-9
#define GES_FLOOR 1e-7

typedef struct ges_options {
    double penalty; /* factor of the BIC penalty; 0 means 1 */
    /* Parents an operator may give to a node; 0: no limit. Never more than (rows - 2) / 2, where
     * residual variances stop to mean anything. */
    size_t max_parents;
    /* Cliques of neighbours tried for one node (the sets T, H and C of the operators); 0: 256, and
     * at most 2^20. Without effect on neighbourhoods of up to log2 of it, 8 nodes, or with no more
     * cliques; else larger cliques are left out (docs/methods/ges.md). */
    size_t clique_limit;
    bool skip_turning; /* only the two phases of Chickering */
    /* Instead of phases: before each insertion, whatever can be deleted or turned to advantage. On
     * finite data this avoids most of the surplus edges in which the phases get stuck where the
     * graph is dense; the limit of many rows is the same (docs/methods/ges.md; A. Nazaret and D.
     * Blei, "Extremely greedy equivalence search", UAI 2024). */
    bool eager;
    /* Background knowledge as bit matrices, or NULL: row i holds j if i -> j is forbidden, or
     * required. [nodes, words of a graph of that many nodes] */
    const bits_word *forbidden, *required;
    /* Asked often whether to go on, where the run itself has no context to report to; may be NULL. */
    const scone_context *ask;
} ges_options;

/* What a run did, for those who measure it. */
typedef struct ges_statistics {
    size_t rounds;   /* of the phases */
    size_t steps[3]; /* operators applied: Insert, Delete, Turn */
    size_t rows;     /* rows of keys computed */
    size_t checks;   /* pairs whose operators were examined for validity */
} ges_statistics;

/* The CPDAG that the search ends in, unnamed. covariance [nodes, nodes] may be a population
 * covariance with any number of rows above 0; without rows there are no edges. With knowledge, the
 * result is the CPDAG of a class with a member that honours it, with the known directions and what
 * follows from them (Meek rules); ges.c tells how it is found. Fails with SCONE_ERR_INPUT if the
 * covariance is not finite or the knowledge contradicts itself. options, statistics and context may
 * be NULL; the context is told about progress, and one thread is used. */
scone_status ges_run(graph **out, const double *covariance, size_t nodes, double rows,
                     const ges_options *options, ges_statistics *statistics,
                     const scone_context *context);

/* The same on all columns of the pair, with their names: regime 0 (regimes = 1), regime 1 (2), or
 * the rows of both together (3). */
scone_status ges_run_pair(graph **out, const scone_pair *pair, unsigned regimes,
                          const ges_options *options, const scone_context *context);

/* The score of a DAG as above; the covariance as for ges_run. */
scone_status ges_dag_score(double *score, const graph *dag, const double *covariance, double rows,
                           const ges_options *options);

#endif
