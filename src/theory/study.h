/* study.h - what can be known of a graph from which information (paper, section on the global
 * restricted Psi essential graph; docs/methods/theory.md), for every DAG of one Markov equivalence
 * class and every target set at once.
 *
 * The information is H_obs, the local graphs on the admissible subsets and the tested outcomes
 * (D22). Admissible are all subsets of k nodes, or all subsets; tested is every (v, Z) that fits
 * into one. H_obs decides the class and the local graphs, so that one class can be studied at a
 * time, and the graphs that agree with what was observed (D19) are those cases, members with a
 * target set, that have the same outcomes.
 */
#ifndef SCONE_THEORY_STUDY_H
#define SCONE_THEORY_STUDY_H

#include "theory/classes.h"

/* DirE(.): to[a] holds the b with a -> b. */
typedef struct directions {
    uint16_t to[ORACLE_MOST_NODES];
} directions;

typedef struct study_case {
    oracle_outcomes outcomes;
    uint32_t member, targets;
} study_case;

typedef struct study {
    int count;
    int subset_size; /* 0: all subsets */
    local_graph cpdag;
    local_graph *members; /* [CLASSES_MOST_MEMBERS] */
    size_t member_count;
    directions reduced;      /* DirE(reduced G_test): what all members share */
    oracle_outcomes *single; /* [members, count]: of one target each */
    oracle_view *views;      /* of the admissible subsets with two nodes or more */
    size_t view_count;
    oracle_view whole; /* of all nodes, with what the subsets test: for SSI with any witness, whose
                          two literals may come from different subsets, and SCR */
    study_case *cases; /* by outcomes, so that equal ones are neighbours; then member, targets */
    size_t case_count, case_capacity;
    uint32_t *group; /* [members << count]: the first case with the outcomes of (member, targets) */
} study;

/* Everything that the cases of one group share. */
typedef struct estimands {
    directions h_obs, k_per, h_per; /* K_per = DirE(reduced G_test) */
    directions reduced, g_test;
    directions k_rule[RULE_KINDS], k_dpt_literal;
} estimands;

scone_status study_alloc(study **out, int count, int subset_size);
void study_free(study *s);
/* Looks at another class. */
scone_status study_class(study *s, uint64_t code);

/* The cases first .. *end - 1 have equal outcomes; what follows from them. Linear in their number,
 * and the rules on every view. */
void study_group(estimands *e, size_t *end, study *s, size_t first);

/* MPDAG(H_obs subject to knowledge); false if the knowledge contradicts it or itself. */
bool study_close(directions *h, const study *s, const directions *knowledge);

/* Directions of all members that have the knowledge: the closure by brute force. */
void study_shared(directions *shared, const study *s, const directions *knowledge);

/* G_test by the letter of the definition (D19): what all members share whose target sets make the
 * same set of outcomes. g_test[m] for member m. */
scone_status study_literal(directions *g_test, const study *s);

static inline directions directions_of(const local_graph *g, int count)
{
    directions d = {{0}};
    for (int v = 0; v < count; v++) d.to[v] = g->children[v];
    return d;
}

static inline void directions_add(directions *d, const directions *other)
{
    for (int v = 0; v < ORACLE_MOST_NODES; v++) d->to[v] |= other->to[v];
}

static inline bool directions_within(const directions *a, const directions *b)
{
    uint16_t outside = 0;
    for (int v = 0; v < ORACLE_MOST_NODES; v++) outside |= (uint16_t)(a->to[v] & ~b->to[v]);
    return !outside;
}

/* a \ b */
static inline directions directions_without(const directions *a, const directions *b)
{
    directions d;
    for (int v = 0; v < ORACLE_MOST_NODES; v++) d.to[v] = (uint16_t)(a->to[v] & ~b->to[v]);
    return d;
}

static inline directions directions_common(const directions *a, const directions *b)
{
    directions d;
    for (int v = 0; v < ORACLE_MOST_NODES; v++) d.to[v] = a->to[v] & b->to[v];
    return d;
}

static inline int directions_count(const directions *d)
{
    int count = 0;
    for (int v = 0; v < ORACLE_MOST_NODES; v++) count += mask_count(d->to[v]);
    return count;
}

#endif
