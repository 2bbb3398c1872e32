/* witness.h - definite descendants and witness sets (paper, "Admissible witness family").
 *
 * A definite descendant of v in a partially directed graph H is a descendant of v in every DAG
 * extension of H. Z is a witness set of v on S, written Z in W(v), if it holds no definite
 * descendant of v in either local graph on S: conditioning on an effect of v would make causes of v
 * look changed.
 */
#ifndef SCONE_RULES_WITNESS_H
#define SCONE_RULES_WITNESS_H

#include "rules/pdag.h"

/* The definite descendants of v, exactly. Not only those that a directed path leads to: v - a -> u
 * and v - b -> u with a and b not adjacent also do, since v may not be a collider there. If H has
 * no extension (then W(v) is not defined) those that a directed path leads to.
 *
 * How: direct all edges at v in each way that an extension has: the neighbours that become parents
 * must be pairwise adjacent. When no edge at v is undirected, the descendants that all extensions
 * share are those that a directed path of the closed graph leads to (docs/methods/theory.md has the
 * proof); intersect over the ways. At most one closure for each clique among the
 * neighbours of v. */
uint16_t definite_descendants(const local_graph *h, int count, int v);

/* view->descendants from view->local. */
void view_find_descendants(rule_view *view);

static inline bool view_is_witness(const rule_view *view, int v, uint32_t z)
{
    return !(z & view->descendants[v]);
}

#endif
