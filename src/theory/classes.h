/* classes.h - all Markov equivalence classes of DAGs on a few nodes, one for each way up to the
 * names of the nodes, with the number of classes it stands for.
 *
 * Nothing that is checked depends on names, so one class stands for all that a permutation of the
 * nodes makes of it: p! over its number of automorphisms. For p = 6 this leaves a few thousand
 * classes of 1,067,825.
 */
#ifndef SCONE_THEORY_CLASSES_H
#define SCONE_THEORY_CLASSES_H

#include "base/status.h"
#include "theory/oracle.h"

#define CLASSES_MOST_MEMBERS 5040 /* the complete graph on 7 nodes */

typedef struct markov_class {
    uint64_t code;   /* its CPDAG (classes_decode) in the canonical numbering */
    uint64_t weight; /* how many classes it stands for */
} markov_class;

/* Two bits a pair a < b, in the order of b, then a: 1 a -> b, 2 b -> a, 3 a - b. */
uint64_t classes_encode(const local_graph *g, int count);
void classes_decode(local_graph *g, int count, uint64_t code);

/* The smallest code over the numberings that agree with colours of the nodes that do not depend on
 * names; *automorphisms counts the numberings that reach it. */
uint64_t classes_canonical(const local_graph *g, int count, uint64_t *automorphisms);

/* All classes on `count` nodes, 1 .. ORACLE_MOST_NODES, by code. Free with mem_free. */
scone_status classes_list(markov_class **classes, size_t *class_count, int count);

/* All members, by brute force over the directions of the undirected edges: acyclic, no other
 * v-structures. Returns how many; at most CLASSES_MOST_MEMBERS. */
size_t class_members(local_graph *members, const local_graph *cpdag, int count);

#endif
