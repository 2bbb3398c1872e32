/* local_view.h - what the found graph says about a small set of variables S: the local graphs that
 * the orientation rules start from (rules/rule_view.h, docs/methods/reasons.md), where no learner
 * has voted on S in each regime by itself (reasons/local_graphs.h).
 *
 * The rules do not take the directions of the search for granted. They get what every graph of the
 * found one's equivalence class says about S when all other variables are summed out: i and j are
 * adjacent if no Z in S d-separates them, a pair with a common neighbour k but not adjacent makes k
 * a collider if k is not in the separating set, and the Meek rules close it. If any set separates i
 * and j, the ancestors of the two within S do (Richardson and Spirtes, "Ancestral graph Markov
 * models", 2002), so a pair costs one d-separation. O(|S|^2 (reached part of the graph)).
 */
#ifndef SCONE_REASONS_LOCAL_VIEW_H
#define SCONE_REASONS_LOCAL_VIEW_H

#include "graph/graph.h"
#include "rules/rule_view.h"

typedef struct local_subset {
    uint32_t nodes[RULE_MOST_NODES]; /* increasing */
    int count;
    local_graph local[2];                  /* of regime 0 and 1 */
    uint16_t skeleton[RULE_MOST_NODES];    /* adjacencies that may be oriented */
    uint16_t descendants[RULE_MOST_NODES]; /* definite, in either local graph */
    bool sampled; /* its local graphs are what local learners elected, not views of the found graph
                   */
} local_subset;

typedef struct local_work local_work;

/* dag: any member of the class; firm: its adjacencies that rules may build on. Both must outlive
 * the work. */
scone_status local_work_alloc(local_work **out, const graph *dag, const graph *firm);
void local_work_free(local_work *work);

/* Fills all but nodes, count and sampled; one graph stands for both regimes. */
void local_subset_fill(local_subset *s, local_work *work);

/* The part of it that says what may be oriented. */
void local_subset_skeleton(local_subset *s, const graph *firm);

/* A view of it; look and context are still to be set. */
rule_view local_subset_view(const local_subset *s);

#endif
