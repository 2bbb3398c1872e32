/* verify.h - the claims of the theory, checked on every DAG of a few nodes and every target set
 * (docs/methods/theory.md; the public side is scone_verify_* in scone_lab.h).
 *
 * One Markov equivalence class at a time, one for each way up to the names of the nodes
 * (classes.h), on all threads: counts are sums of whole numbers and the counterexample kept is the
 * smallest in a fixed order, so that the result does not depend on who did what.
 */
#ifndef SCONE_THEORY_VERIFY_H
#define SCONE_THEORY_VERIFY_H

#include "theory/study.h"
#include "scone_lab.h"

/* A case that contradicts a claim. */
typedef struct verify_case {
    int edges; /* -1: none */
    uint64_t dag;
    uint32_t targets;
    int from, to; /* the direction that is wrong or missing; -1: none */
} verify_case;

struct scone_verify {
    scone_verify_options options;
    size_t rows; /* nodes + 1: all target sets, then by their size */
    scone_verify_row row[ORACLE_MOST_NODES + 1];
    verify_case example[SCONE_VERIFY_CHECKS];
    char *text[SCONE_VERIFY_CHECKS]; /* of the example; NULL: none */
};

typedef struct verify_worker {
    study *study;
    directions *literal; /* [CLASSES_MOST_MEMBERS]: G_test by the letter */
    scone_verify_row row[ORACLE_MOST_NODES + 1];
    verify_case example[SCONE_VERIFY_CHECKS];
} verify_worker;

typedef struct verification {
    const markov_class *classes;
    verify_worker *workers; /* [threads] */
} verification;

/* All cases of class `item`: a parallel_body. */
scone_status verify_class(void *argument, size_t item, int worker_index);
/* The smaller of two examples; one with edges < 0 is none. */
void verify_keep_smaller(verify_case *kept, const verify_case *other);

#endif
