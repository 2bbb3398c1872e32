/* targets.h - which variables' mechanisms differ between the regimes, given a graph.
 *
 * Each variable is tested given its parents (chow.h) in a DAG that extends the graph; the decision
 * controls the false discovery rate (Benjamini and Hochberg, JRSS B 57, 1995). A variable that is
 * merely downstream of a target changes its distribution but not its mechanism and is no target.
 * Where the graph comes from a score of mechanisms, that must speak for a change as well, and no
 * mechanism is called changed that moved no more than the control does by itself (movement.h),
 * where rows are few or depend on each other.
 */
#ifndef SCONE_DISCOVER_TARGETS_H
#define SCONE_DISCOVER_TARGETS_H

#include "decode/knowledge.h"
#include "discover/column_map.h"
#include "graph/graph.h"
#include "stats/movement.h"

typedef struct target_test {
    double score;   /* -log10 of the p-value, however small that is; in a result not more than the
                       margin in the same units */
    double p_value; /* uniform if the mechanism did not change */
    double margin;  /* nats by which a changed mechanism explains the variable better than one for
                       both regimes, prices paid, in the score that chose the graph; infinite
                       without such a score */
    movement moved; /* how far, beside the evidence that it did */
    unsigned char known; /* does knowledge decide? */
    bool target;
} target_test;

/* The DAG that extends g, in which the targets are tested. */
scone_status targets_extend(graph **dag, const graph *g);

/* tests [columns of the pair]; g has as many nodes and extends to a DAG. No more than `rows` rows
 * of a table are looked at; 0: all. */
scone_status targets_test(target_test *tests, const scone_pair *pair, const graph *g, size_t rows,
                          const scone_context *context);

/* For a variable with one value in each table: the chance 1 / C(a + b, a) that values which have
 * nothing to do with the tables are divided as they are. */
target_test targets_split(size_t a, size_t b);

/* A test can reject for a change that is none, where the parents act in a way that its basis cannot
 * follow; the score's models are richer, but know no level. A target needs both
 * (docs/methods/score.md). */
#define TARGET_LEAST_MARGIN 10.0

/* Decides by p-values and margins; known [count] holds 1 for a known target, -1 for a known
 * non-target and 0 else, or is NULL. What is known is not among the hypotheses. */
scone_status targets_decide(target_test *tests, size_t count, double alpha,
                            const signed char *known);

/* All of it: tests [variables of the map] with decisions, from tests of the nodes and the margins
 * [nodes] of the score. k is about variables, or NULL. */
scone_status targets_of_variables(target_test *tests, const column_map *map,
                                  const target_test *of_nodes, const double *margins,
                                  const knowledge *k, double alpha);

/* Are more than half of the variables called changed? That is seldom what happened. */
bool targets_too_many(const target_test *tests, size_t count);

/* The median of movement.dependence over the nodes of the map; 1 without nodes. */
scone_status targets_dependence(double *median, const target_test *tests, const column_map *map);

/* Why a variable is or is not called a target, in words: a sentence without its full stop. dag: of
 * targets_extend, about nodes. The caller frees the text. */
scone_status targets_reason(char **text, const target_test *test, size_t variable,
                            const column_map *map, const graph *dag, double alpha);
/* Several conditions (targets_conditions.c): the second table of the pair holds their rows, one
 * condition after the other. */
typedef struct targets_request {
    const scone_pair *pair;
    size_t conditions;
    const size_t *condition_rows; /* [conditions] */
    const graph *graph;
    const column_map *map;
    const double *margins; /* [nodes, conditions], or NULL: no score */
    const knowledge *known;
    double alpha;
    size_t rows; /* of a table that are looked at; 0: all */
} targets_request;

/* tests [conditions, variables]; of_variables [variables] the strongest of each variable. */
scone_status targets_conditions(target_test *tests, target_test *of_variables,
                                const targets_request *r, const scone_context *context);

#endif
