/* eval.h - the parts of an evaluation: matching nodes, scores of marks, of probabilities and of
 * targets, and where the files of a case are. The formulas stand in docs/reference/scores.md.
 */
#ifndef SCONE_EVAL_EVAL_H
#define SCONE_EVAL_EVAL_H

#include "base/memory.h"
#include "graph/graph.h"

/* ---- eval_match.c: which node of one side is which node of the other ---- */

/* The variables of one side; names may be NULL (X0, X1, ...). Borrowed. */
typedef struct variables {
    const char *label; /* what a message calls this side, e.g. its path */
    const char *const *names;
    size_t count;
} variables;

/* Node u of the union is node first[u] of the first side and second[u] of the second, SIZE_MAX
 * where a side does not have it. */
typedef struct node_match {
    size_t count;
    size_t *first, *second;
    bool by_position; /* one side had no names and the other's are not X0, X1, ... */
} node_match;

/* By name if both sides have names or the named side speaks of X0, X1, ...; by position if one
 * has no names and both are equally many. Sides without a common name are an error. O(N log N). */
scone_status eval_match_nodes(node_match *match, const variables *first, const variables *second);
/* By name alone, also where no name is common. Repeated names are an error. O(N log N). */
scone_status eval_match_names(node_match *match, const variables *first, const variables *second);
void eval_match_free(node_match *match);

/* ---- eval_match_check.c: names that should be known and are not ---- */

/* Fails with SCONE_ERR_INPUT if a name on one side only cannot be that of a node without edges on
 * the other: because the other side is complete, which is to list such nodes, too, or because both
 * sides have such names, as where one is misspelled. *alone counts the names on one side only.
 * O(N), on failure O(N^2). */
scone_status eval_match_check(size_t *alone, const node_match *match, const variables *first,
                              const variables *second, const bool complete[2]);
/* Fails with SCONE_ERR_INPUT if one side has the name of a condition that the other lacks.
 * O(N log N), on failure O(N^2). */
scone_status eval_match_conditions(const variables *first, const variables *second);
/* Fails with SCONE_ERR_INPUT if the list has a name that `known` lacks. known->names may repeat;
 * settled: they are those of one graph, known->label, which lists all its nodes; else of all that
 * is known, and the label names both graphs. O(N log N), on failure O(N^2). */
scone_status eval_match_known(const variables *list, const variables *known, bool settled);

/* ---- eval_scores.c ---- */

enum { EVAL_SCORES = 18 };

/* number < EVAL_SCORES, as for scone_scores_name */
void eval_scores_set(scone_scores *scores, size_t number, double value);
/* Every score NaN. */
void eval_scores_clear(scone_scores *scores);
/* first = predicted, second = truth. Sets everything except auprc and target_*. O(N^2). */
void eval_scores_of_marks(scone_scores *scores, const graph *predicted, const graph *truth,
                          const node_match *match);
/* hits / predicted, hits / actual and 2 hits / (predicted + actual), with the conventions for
 * empty sets: all 1 if both are empty, 0 where one denominator is 0. */
void eval_scores_ratio(double *precision, double *recall, double *f1, double hits, double predicted,
                       double actual);
/* Mean and sample standard deviation of each score over the cases where it is not NaN. */
void eval_scores_summary(scone_scores *mean, scone_scores *sd, const scone_eval_case *cases,
                         size_t count);

/* ---- eval_ranking.c: the directed probabilities ---- */

typedef struct probability_matrix {
    size_t nodes;
    double *values; /* [nodes, nodes], row i column j = P(i -> j) */
    char **names;   /* [nodes], or NULL for X0, X1, ... */
} probability_matrix;

/* CSV with header and row names, or NPY without names. */
scone_status eval_probabilities_read(probability_matrix *matrix, const char *path);
struct cell_table;
scone_status eval_probabilities_parse(probability_matrix *matrix, const struct cell_table *cells);
void eval_probabilities_free(probability_matrix *matrix);

/* One ordered pair: how sure the prediction is, and whether the truth has that directed edge. */
typedef struct ranked_pair {
    double probability;
    bool positive;
} ranked_pair;

/* Average precision; sorts the pairs. NaN if no pair is positive. O(n log n). */
double eval_average_precision(ranked_pair *pairs, size_t count);
/* Over all ordered pairs of the union of both node sets; first = matrix, second = truth. */
scone_status eval_ranking_auprc(double *auprc, const probability_matrix *matrix, const graph *truth,
                                const node_match *match);

/* ---- eval_targets.c ---- */

typedef struct target_list {
    size_t count;
    char **names; /* [count] */
    bool *target; /* [count] */
    /* Of a file with a column of conditions; else NULL. No condition has a variable twice. */
    char **conditions;      /* [condition_count], in byte order */
    size_t condition_count; /* more than one: they are told apart */
    size_t *condition;      /* [count]: its place there */
} target_list;

/* CSV with the columns `variable` and `target` (0 or 1), with or without `condition`; other columns
 * are ignored. With `condition` and without `target` each row is a target, and a row without a
 * variable is a condition without targets. */
scone_status eval_targets_read(target_list *list, const char *path);
scone_status eval_targets_parse(target_list *list, const struct cell_table *cells);
void eval_targets_free(target_list *list);
/* Sets the target_* scores. A variable that one side does not list is no target there; names are
 * taken as they are (eval_run_targets compares them with the nodes). */
scone_status eval_scores_of_targets(scone_scores *scores, const target_list *predicted,
                                    const target_list *truth, const char *predicted_path,
                                    const char *truth_path);

/* ---- eval_conditions.c: targets of several conditions ---- */

/* Gives the list the conditions of a column: its entries come from rows[count] of the table. */
scone_status eval_conditions_take(target_list *list, const struct cell_table *cells, size_t column,
                                  const size_t *rows);
/* Each variable once, a target if it is one in any condition; the list has conditions. */
scone_status eval_conditions_join(target_list *joined, const target_list *list);
/* As eval_scores_of_targets, over all conditions and variables. Conditions are matched by name;
 * fails with SCONE_ERR_INPUT if one side has a name that the other lacks. */
scone_status eval_scores_of_conditions(scone_scores *scores, const target_list *predicted,
                                       const target_list *truth, const char *predicted_path,
                                       const char *truth_path);

/* ---- eval_sources.c: the files of the cases behind a path ---- */

typedef struct eval_source {
    char *name;          /* g0, g1, ..., or the last part of the path */
    char *graph;         /* path */
    char *probabilities; /* path or NULL */
    char *targets;       /* path or NULL */
    char *dcdi;          /* the DCDI folder that this is problem `index` of, or NULL */
    size_t index;
} eval_source;

typedef struct source_list {
    eval_source *items; /* in natural order of their names: g2 before g10 */
    size_t count, capacity;
} source_list;

scone_status eval_sources_find(source_list *list, const char *path);
void eval_sources_free(source_list *list);

/* ---- eval_run_targets.c: the targets of one case ---- */

/* What is known of a case when its graphs have been matched; [0] = predicted, [1] = truth. */
typedef struct eval_graphs {
    const eval_source *sources[2];
    const graph *graphs[2];
    const node_match *match;
    bool complete[2]; /* does the side list all its nodes? */
} eval_graphs;

/* Nothing if one side has no targets. A name that is no node is an error. *joined: one side alone
 * tells conditions apart, so they were taken together. */
scone_status eval_run_targets(scone_scores *scores, bool *joined, const eval_graphs *graphs);

#endif
