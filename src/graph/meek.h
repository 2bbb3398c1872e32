/* meek.h - closure of a partially directed graph under the Meek rules, with a reason for every
 * orientation, and background knowledge.
 *
 * Rules (Meek, "Causal inference and causal explanation with background knowledge", UAI 1995); each
 * turns an undirected a - b into a -> b:
 *   R1   c -> a, c and b not adjacent                               first = c
 *   R2   a -> c -> b                                                first = c
 *   R3   a - c -> b, a - d -> b, c and d not adjacent               first = c, second = d, c < d
 *   R4   a - d -> c -> b, a and c adjacent, b and d not adjacent    first = c, second = d
 * R1 to R3 make the CPDAG of a pattern; R4 is needed with background knowledge. Every orientation
 * they make is shared by all consistent extensions (DAGs with the same skeleton and v-structures
 * and these directions); from a CPDAG with knowledge they find all such orientations.
 *
 * Driven by a queue of new directions instead of sweeps: a direction x -> y is looked at once, and
 * only if x or y still has an undirected edge. Cost O(N words) to set up plus, for each such
 * direction, O(words) for R1 and R2 and O(degree words) for R3 and R4. The queue is first in first
 * out and all ties are broken by index: reasons come in the same order every time, and a chain of
 * reasons is short because directions close to the given ones come first.
 */
#ifndef SCONE_GRAPH_MEEK_H
#define SCONE_GRAPH_MEEK_H

#include "graph/graph_work.h"

typedef enum meek_rule {
    MEEK_REQUIRED = 0, /* background knowledge */
    MEEK_R1 = 1,
    MEEK_R2 = 2,
    MEEK_R3 = 3,
    MEEK_R4 = 4
} meek_rule;

#define MEEK_NO_NODE UINT32_MAX

typedef struct meek_edge {
    uint32_t from, to;
} meek_edge;

/* from -> to because of `rule`, with a = from, b = to in the table above. */
typedef struct meek_reason {
    meek_rule rule;
    uint32_t from, to;
    uint32_t first, second; /* MEEK_NO_NODE where the rule has none */
} meek_reason;

typedef enum meek_conflict_kind {
    MEEK_NO_CONFLICT = 0,
    MEEK_CYCLE,    /* nodes[0] -> nodes[1] -> ... -> nodes[0] */
    MEEK_COLLIDER, /* nodes[0] -> nodes[1] <- nodes[2]: a v-structure the graph did not have */
    MEEK_OPPOSED,  /* nodes[0] -> nodes[1] is required, but the graph has nodes[1] -> nodes[0] */
    MEEK_ABSENT    /* nodes[0] -> nodes[1] is required, but the two are not adjacent */
} meek_conflict_kind;

typedef struct meek_conflict {
    meek_conflict_kind kind;
    const size_t *nodes; /* owned by the workspace, like `required` */
    size_t count;
    const meek_edge
        *required;         /* the required directions it follows from, without those that have */
    size_t required_count; /* nothing to do with it; the request in MEEK_OPPOSED comes last */
} meek_conflict;

/* Workspace and results of the last call. Memory grows to what the largest graph needed and is
 * then reused: no allocation in later calls. */
typedef struct meek {
    meek_reason *reasons; /* in the order in which they were applied */
    size_t count;
    meek_conflict conflict;
    /* private */
    size_t capacity, edge_capacity;
    graph_work *work; /* matrix: closed neighbourhoods; numbers[3]: undirected edges at a node */
    meek_edge *edges; /* directions to start from; required directions of a conflict */
    size_t *cycle;    /* [nodes + 2]; nodes of a conflict */
} meek;

/* For graphs of at most `nodes` nodes. */
scone_status meek_alloc(meek **out, size_t nodes);
void meek_free(meek *m);

/* Closes g under R1 to R4. The reasons of all orientations are in m->reasons. If g contradicts
 * itself, fails with SCONE_ERR_INPUT and a message that names the edges; m->conflict has them too,
 * m->reasons what had been derived by then, and g is as it was. */
scone_status meek_close(graph *g, meek *m);

/* Directs edges of g by background knowledge and closes it. g must be closed (meek_close) or be a
 * CPDAG. Directions that g has already give no reason; the order and repetitions of `required` do
 * not matter. Fails as meek_close does; the conflict and the message then also name the required
 * directions that lead to it. O(N words) plus what follows from the new directions. */
scone_status meek_require(graph *g, meek *m, const meek_edge *required, size_t count);

/* Do the premises of the reason hold in g, with from - to still undirected? To replay reasons:
 * start from the graph before the call, check, direct from -> to, go on. O(1). */
bool meek_reason_holds(const graph *g, const meek_reason *reason);

/* For searches that try directions and take them back, such as graph_extend.h. meek_begin prepares
 * for g and forgets all reasons; meek_assume directs an undirected edge and closes, false on a
 * conflict; meek_undo takes back the reasons from the end until `count` are left, and must follow a
 * conflict. Between meek_begin and the last of these calls the graph is changed by them alone. */
scone_status meek_begin(meek *m, const graph *g);
bool meek_assume(meek *m, graph *g, size_t from, size_t to);
void meek_undo(meek *m, graph *g, size_t count);
/* Applies the rules to all directions g has; for meek_begin, then this, then assumptions. */
bool meek_propagate(meek *m, graph *g);

#endif
