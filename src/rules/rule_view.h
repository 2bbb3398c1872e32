/* rule_view.h - What an orientation rule sees, and what it says (paper, "Restricted Psi-sound
 * orientation rules"; docs/methods/theory.md).
 *
 * A rule looks at one admissible subset S of at most RULE_MOST_NODES variables: the local graphs of
 * the two regimes and the tested literals Inv(v | Z) with {v} and Z inside S. Variables are
 * numbered 0 .. count - 1 here and sets are bit masks, so that the same code serves the population
 * oracle (millions of graphs) and data. Who made the view knows which variables they are.
 *
 * Every direction that a rule emits comes with a certificate: all that is needed to check it again.
 */
#ifndef SCONE_RULES_RULE_VIEW_H
#define SCONE_RULES_RULE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#define RULE_MOST_NODES 16
#define DPT_MOST_PATH   7 /* nodes of a path that the rule DPT looks at */

/* "Not rejected" is not "invariant": a test that could not have seen a change says unknown, and no
 * rule builds on it. */
typedef enum literal { LITERAL_UNKNOWN, LITERAL_INVARIANT, LITERAL_CHANGED } literal;

typedef enum rule_kind {
    RULE_SSI,     /* as printed: Z is all of S but the two ends */
    RULE_CVT,     /* unshielded triple with a changed centre and unchanged ends */
    RULE_DPT,     /* discriminating path */
    RULE_SSI_ANY, /* SSI with every tested witness set (D23) */
    RULE_SCR,     /* screening (D23) */
    RULE_KINDS
} rule_kind;

/* A partially directed graph on S. An adjacent pair is in exactly one of children, parents (the
 * transpose) or neighbours. */
typedef struct local_graph {
    uint16_t children[RULE_MOST_NODES];
    uint16_t parents[RULE_MOST_NODES];
    uint16_t neighbours[RULE_MOST_NODES];
} local_graph;

typedef struct rule_view {
    int count;
    local_graph local[2];               /* of regime 0 and 1 */
    uint16_t skeleton[RULE_MOST_NODES]; /* adjacencies of the final graph among S: only these may be
                                           oriented */
    uint16_t descendants[RULE_MOST_NODES]; /* definite descendants in either local graph: Z in W(v)
                                              iff it has none of them */
    literal (*look)(void *context, int v, uint32_t z); /* unknown if (v, z) is not tested */
    void *context;
} rule_view;

typedef struct rule_literal {
    uint8_t v;
    uint16_t z;
    literal value;
} rule_literal;

/* source -> target follows from these literals on this subset. */
typedef struct certificate {
    rule_kind rule;
    uint8_t source, target;
    uint16_t witness; /* Z; for SCR the set W, with source in it */
    uint8_t literal_count;
    rule_literal literals[RULE_MOST_NODES + 1];
    uint8_t path_count; /* DPT: v0 .. j, k; CVT: i, j, k */
    uint8_t path[RULE_MOST_NODES];
    uint16_t replay; /* DPT: the replay nodes */
} certificate;

/* A rule calls this for each certificate, in a fixed order; false stops it. A direction may come
 * with several: ssi_any, scr and dpt give one for each witness set, so that with data the best can
 * be chosen. */
typedef bool (*rule_emit)(void *context, const certificate *c);

/* The two literals of ssi_any may come from different subsets; so a view for it and for scr may
 * span several subsets, with the graph that is known of all its variables as both local graphs, and
 * say "unknown" for what no subset tests. Only then, and if all variables are tested given the same
 * sets, do these two rules with closure find all that can be known (docs/methods/theory.md).
 *
 * One rule on one view (rule_ssi.c, rule_cvt.c, rule_dpt.c, rule_scr.c). Cost: ssi_any and scr look
 * at up to 2^(count-2) sets an adjacency, dpt at as many a path of at most DPT_MOST_PATH nodes. */
void rule_ssi(const rule_view *view, rule_emit emit, void *context);
void rule_cvt(const rule_view *view, rule_emit emit, void *context);
void rule_dpt(const rule_view *view, rule_emit emit, void *context);
void rule_ssi_any(const rule_view *view, rule_emit emit, void *context);
void rule_scr(const rule_view *view, rule_emit emit, void *context);
/* The proposition on discriminating paths with its conditions (b) to (d) taken for granted: not
 * sound (docs/methods/theory.md). For `scone verify` alone; its certificates do not hold. */
void rule_dpt_literal(const rule_view *view, rule_emit emit, void *context);
void rule_apply(rule_kind rule, const rule_view *view, rule_emit emit, void *context);

/* Does the certificate follow from what the view says now? Checks its form, the local graphs and
 * every literal. */
bool certificate_holds(const certificate *c, const rule_view *view);

/* "ssi", "cvt", "dpt", "ssi-any", "scr" */
const char *rule_name(rule_kind rule);

#endif
