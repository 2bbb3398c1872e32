/* oracle.h - what the population says: d-separation, local graphs and outcomes of a DAG of a few
 * nodes, on bit masks (docs/methods/theory.md).
 *
 * G is a DAG, I a set of targets, G* is G with a node C and C -> t for each t in I. Outcomes:
 * Inv(v | Z) = 1 iff C and v are d-separated by Z in G*. C is connected to v iff one of its
 * children is, through the arrow into it, so that the outcomes of a target set are the union of
 * those of its members.
 */
#ifndef SCONE_THEORY_ORACLE_H
#define SCONE_THEORY_ORACLE_H

#include "rules/witness.h"

#define ORACLE_MOST_NODES 7
#define ORACLE_WORDS      14 /* (7 << 7) / 64 */

/* Nodes that x is d-connected to given z (x not in z); without x. O(edges) words. */
uint16_t oracle_connected(const local_graph *dag, int count, int x, uint32_t z);

/* Nodes v with Chg(v | z) = 1 under these targets; members of z have no meaning and
 * are left out. */
uint16_t oracle_changed(const local_graph *dag, int count, uint32_t targets, uint32_t z);

/* All outcomes: bit v << count | z is 1 if Chg(v | z) = 1. Bits with v in z are 0. */
typedef struct oracle_outcomes {
    uint64_t words[ORACLE_WORDS];
} oracle_outcomes;

static inline bool oracle_outcome(const oracle_outcomes *o, int count, int v, uint32_t z)
{
    uint32_t bit = (uint32_t)v << count | z;
    return o->words[bit >> 6] >> (bit & 63) & 1;
}

static inline int oracle_words(int count)
{
    return ((count << count) + 63) / 64;
}

/* Of one target, for every (v, Z) with |Z| <= most_given: what subsets of
 * most_given + 1 can test. */
void oracle_target_outcomes(oracle_outcomes *o, const local_graph *dag, int count, int target,
                            int most_given);

/* Finds a set inside S that separates a and b, false if there is none: by the population here, by
 * data elsewhere. */
typedef bool (*separator)(uint32_t *set, const void *context, int a, int b, uint32_t s);

/* The local graph on S, with the nodes of S numbered 0, 1, ... in rising order: adjacent iff no set
 * inside S separates them, colliders from the separating sets, closed by the Meek rules. An edge
 * with two arrowheads, which a hidden common cause makes, is left undirected. */
void oracle_local_graph_with(local_graph *local, uint32_t s, separator separate,
                             const void *context);
/* By d-separation in the DAG. */
void oracle_local_graph(local_graph *local, const local_graph *dag, int count, uint32_t s);

/* The CPDAG of a DAG. */
void oracle_cpdag(local_graph *cpdag, const local_graph *dag, int count);

/* A view of S whose literals come from outcomes on all nodes. */
typedef struct oracle_view {
    rule_view view; /* its context is this object: do not copy */
    uint8_t node[ORACLE_MOST_NODES];
    uint16_t spread[1 << ORACLE_MOST_NODES]; /* a set of the view as a set of all nodes */
    int all_count, most_given;               /* (v, Z) with a larger Z is not tested */
    const oracle_outcomes *outcomes;         /* to be set before a rule runs */
} oracle_view;

/* The DAG gives the local graphs (the same in both regimes, as its separations are) and the
 * skeleton. */
void oracle_view_make(oracle_view *o, const local_graph *dag, int count, uint32_t s,
                      int most_given);

#endif
