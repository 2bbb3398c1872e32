/* literals.h - the tested literals Inv(v | Z) of a run (docs/methods/reasons.md).
 *
 * A test is asked for, answered together with others, and never made twice: tests are kept by
 * (v, Z) in a table with open addressing. Answers are computed on all threads and processes; which
 * tests are made and what they say depends on neither.
 *
 * A literal has three values. It is "changed" if its p-value stands up to Holm's correction over
 * all tests of the run. It is "invariant" if the test does not reject even by itself and, with 95%
 * confidence, the change is smaller than the margin: a test that could not have seen a change says
 * "unknown". Each pair of tables has a store of its own; p-values are multiplied by the number of
 * pairs, so that the levels hold for all of them together (docs/methods/reasons.md).
 */
#ifndef SCONE_REASONS_LITERALS_H
#define SCONE_REASONS_LITERALS_H

#include "base/context.h"
#include "rules/rule_view.h"
#include "stats/invariance.h"

/* Nodes are the columns of the pair. Written as bytes between processes. */
typedef struct tested_literal {
    uint32_t v, count;
    uint32_t given[INVARIANCE_MOST_GIVEN]; /* increasing; 0 past the end */
    invariance_result result;
    literal value;
    uint32_t pair; /* of several pairs of tables: the one that it was tested on */
} tested_literal;

/* How literals are decided. */
typedef struct literal_levels {
    double changed;   /* level of the tests of a run together (Holm) */
    double invariant; /* a single test with a p-value below this is not invariant */
    double margin;    /* nor is one whose effect may be larger than this */
    size_t pairs; /* of tables that the tests of a run are made on, one after the other (0: one).
                     A literal must stand up to so many times its p-value */
} literal_levels;

extern const literal_levels literals_usual;

/* The literal of one test, with its p-value after the correction for all tests of the run. */
literal literals_decide(const invariance_result *result, double p_corrected,
                        const literal_levels *levels);

/* A pair of variables given Z. */
typedef struct literal_link {
    double shared[2]; /* of each regime: share of the variance of one that the other explains, in
                         [0, 1]; NaN if Z leaves nothing of it */
    double p_value;   /* of their independence given Z within both regimes, or within all tables if
                         there are several pairs */
} literal_link;

/* Where answers come from: the data, or in tests a population. Called from several threads at a
 * time, each with its own number. */
typedef struct literal_source {
    void (*test)(void *context, int worker, size_t v, const size_t *given, size_t count,
                 invariance_result *result);
    /* What i and j have to do with each other given Z, within the regimes; from one thread at a
     * time. */
    literal_link (*link)(void *context, size_t i, size_t j, const uint32_t *given, size_t count);
    void *context;
    /* Several pairs of tables: from now on this one answers. NULL: there is only one. */
    scone_status (*turn)(void *context, size_t pair);
} literal_source;

typedef struct literal_store literal_store;

scone_status literals_alloc(literal_store **out, const literal_source *source,
                            const literal_levels *levels, const scone_context *context);
void literals_free(literal_store *e);

/* Asks for a test unless it is known; sets larger than INVARIANCE_MOST_GIVEN are passed over.
 * given: distinct, in any order, without v. */
scone_status literals_ask(literal_store *e, size_t v, const uint32_t *given, size_t count);
/* Answers what was asked since the last time, and decides all literals anew. */
scone_status literals_answer(literal_store *e);
/* NULL if it was not answered. given increasing. */
const tested_literal *literals_find(const literal_store *e, size_t v, const uint32_t *given,
                                    size_t count);
size_t literals_count(const literal_store *e);
const tested_literal *literals_get(const literal_store *e, size_t index);
size_t literals_index(const literal_store *e, const tested_literal *test);
/* Its p-value after Holm's correction, times the pairs of the run. */
double literals_corrected(const literal_store *e, size_t index);
/* How sure the literal is, as a log-odds: 0 for an unknown one. An invariant one is as sure as a
 * change of at least `margin` would have been seen. O(1). */
double literals_weight(const literal_store *e, const tested_literal *test, double margin);

/* ---- literals_data.c: tests on the tables ---- */

typedef struct data_source data_source;
/* Rows of each regime that a test looks at: enough to see a change of a tenth of a standard
 * deviation, and the rule stage stays short beside the search. */
enum { DATA_SOURCE_ROWS = 2500, DATA_SOURCE_ROWS_FAST = 1000 };

/* The pair must outlive it; tests look at no more than `most_rows` of each regime. */
scone_status literals_data_alloc(data_source **out, const scone_pair *pair, uint64_t seed,
                                 size_t most_rows, const scone_context *context);
/* Several conditions: the second table of the pair holds their rows, one condition after the other.
 * The pairs are the control with one of them each; the first one answers until another is asked
 * for. Keeps the correlations of the control and of the chosen conditions, and what tests need of
 * one pair at a time. */
typedef struct literal_conditions {
    const scone_pair *pair;
    const size_t *rows;   /* of each condition */
    const size_t *chosen; /* [count] the conditions of the pairs, which all have rows */
    size_t count;         /* at least one */
} literal_conditions;
scone_status literals_data_conditions(data_source **out, const literal_conditions *conditions,
                                      uint64_t seed, size_t most_rows,
                                      const scone_context *context);
void literals_data_free(data_source *d);
literal_source literals_data_use(data_source *d);

#endif
