/* learner.h - what a local learner is: one small struct of functions.
 *
 * A learner looks at some columns of the two tables, in one regime or in both, with every row
 * counted a given number of times (bootstrap), and returns a score matrix A in [0, 1] whose entry
 * A[i][j] estimates P(i -> j) (paper, appendix "Classical causal discovery ensemble"). A new
 * learner is one file that defines one constant of this type.
 */
#ifndef SCONE_LEARN_LEARNER_H
#define SCONE_LEARN_LEARNER_H

#include "base/context.h"
#include "data/table.h"

/* The rows and columns of one call. */
typedef struct learner_task {
    const size_t *columns; /* [count], increasing column indices: the subset */
    size_t count;
    unsigned regimes;           /* bit 0: regime 0, bit 1: regime 1; both: their rows together */
    const uint32_t *weights[2]; /* times each row counts, [rows of the regime]; NULL: once */
} learner_task;

typedef struct learner {
    const char *name;
    double threshold; /* tau_l: the score from which on an edge is believed */
    double weight;    /* w_l: weight of its votes */
    /* What is computed once per pair of tables (Gram matrices, standardization, ...). */
    scone_status (*prepare)(void **state, const scone_pair *pair, const scone_context *context);
    void (*release)(void *state);
    /* scores[i * count + j] = A[i][j] for task->columns[i] -> task->columns[j], diagonal 0. May run
     * in several threads at once on one state. */
    scone_status (*run)(double *scores, const void *state, const learner_task *task);
} learner;

extern const learner learner_polybic, learner_ges, learner_search;

/* ---- learner.c: which of them vote, as a bit set and in words ---- */

enum { LEARNER_POLYBIC = 1, LEARNER_GES = 2, LEARNER_SEARCH = 4, LEARNER_ALL = 7 };
enum { LEARNER_TEXT = 24 };

/* "polybic", "ges", "search" with commas between, or '+' where commas mean something else. Fails
 * with SCONE_ERR_INPUT for another name or a name that occurs twice. */
scone_status learner_parse(unsigned *set, const char *text, size_t length);
/* The names of the set in a fixed order. */
void learner_text(char out[LEARNER_TEXT], unsigned set, char between);

#endif
