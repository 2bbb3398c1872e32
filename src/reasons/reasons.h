/* reasons.h - the rule stage of a discovery: from a found graph and two tables to certificates, and
 * from certificates to directions (docs/methods/reasons.md).
 *
 *     reasons_find     chooses small sets of variables, tests literals on them and collects what
 *                      the orientation rules say, each direction with its certificate
 *     reasons_weigh    sets certificates against the learner's probabilities, against knowledge and
 *                      against each other; the stronger evidence wins, and every conflict is noted
 *     reasons_mark     after decoding: which edge of the graph rests on which certificate
 *     reasons_give     all of these, one after the other
 *
 * Nodes are numbered as in the decoding, by name, and ties fall by number.
 */
#ifndef SCONE_REASONS_REASONS_H
#define SCONE_REASONS_REASONS_H

#include "decode/decode.h"
#include "reasons/literals.h"
#include "reasons/stages.h"

enum {
    REASONS_POOL = 7,    /* neighbours of a variable that its subset holds at most */
    REASONS_SMALL = 5,   /* neighbours of which all sets are tried; of more than these, sets of */
    REASONS_WITNESS = 3, /* so many, and those that the learner takes for the causes */
    REASONS_ROUNDS = 3
};

/* What became of a certificate. From REASON_TURNS on there is a conflict to tell about. */
typedef enum reason_outcome {
    REASON_AGREES = 0, /* the learner has this direction, too */
    REASON_ORIENTS,    /* the learner left the direction open */
    REASON_TURNS,      /* the learner had the other direction, with less evidence */
    REASON_OVERRULED,  /* the learner has the other direction, with more evidence */
    REASON_OPPOSED,    /* another certificate says the opposite and is not weaker */
    REASON_KNOWN,      /* knowledge says the opposite */
    REASON_CYCLE       /* it would close a cycle with other directions */
} reason_outcome;

typedef struct reason {
    size_t from, to;
    size_t pair;             /* of several: the one that its tests were made on */
    certificate certificate; /* in the numbering of its subset */
    local_subset subset;
    uint32_t tests[RULE_MOST_NODES + 1]; /* of its literals: indices into reasons.tests */
    double weight;                       /* log-odds, from its weakest literal */
    double learner;                      /* log-odds of from -> to by the learner */
    reason_outcome outcome;
    size_t next; /* while collecting: the next one with the same cause, from 1 on; 0: none */
} reason;

typedef struct reasons {
    reason *list; /* strongest first; ties by (from, to, rule, sampled) */
    size_t count, capacity;
    stage_direction *directions; /* of the certificates of sampled subsets, also on edges that the
                                    found graph does not have; strongest first */
    size_t direction_count;
    tested_literal *tests; /* those that certificates rest on */
    double *corrected;     /* [test_count] their p-values after Holm's correction */
    size_t test_count;
    size_t tested; /* tests of the run */
    size_t rows;   /* of each regime that a test looks at */
    literal_levels levels;
    /* Several conditions: */
    size_t *pairs; /* [pair_count] the condition that makes a pair with the control */
    size_t pair_count;
    const char *const *conditions; /* the names of all of them, not its own; NULL: two tables */
} reasons;

/* The name of the condition that the certificate rests on beside the control; NULL: two tables. */
static inline const char *reasons_condition(const reasons *r, size_t pair)
{
    return r->conditions && pair < r->pair_count ? r->conditions[r->pairs[pair]] : NULL;
}

/* ---- --rules ---- */

/* "all", "none", "paper", or names of rules with commas between; NULL: all. *rules becomes a bit
 * set by rule_kind. Fails with SCONE_ERR_INPUT and the list of names. */
scone_status reasons_parse_rules(unsigned *rules, const char *text);

/* ---- finding ---- */

typedef struct reasons_request {
    const graph *found;          /* extends to a DAG */
    const local_graphs *local;   /* of sampled subsets, which rules look at beside the local views
                                    of `found`; or NULL */
    const graph *other;          /* with `local`: in sampled subsets its adjacencies may be
                                    oriented, too */
    const double *probabilities; /* [nodes, nodes], conditioned on knowledge */
    literal_source source;
    literal_levels levels;
    size_t pairs; /* of tables that the source answers for, one after the other; 0: one */
    unsigned rules;
} reasons_request;

/* Of several pairs each is a run of its own on the same subsets; of the certificates for one
 * direction by one rule the strongest of all pairs is kept. Tests go by the size of Z, from the
 * smallest on, until a variable is unchanged; for one with d neighbours at most sum_k (min(d, 7)
 * over k), k <= 3, and as many again for the neighbours of unchanged ones: linear in N for graphs
 * of bounded degree. The caller frees also after a failure. */
scone_status reasons_find(reasons *out, const reasons_request *request,
                          const scone_context *context);
void reasons_free(reasons *r);

/* ---- weighing ---- */

/* weighed [nodes, nodes] are the probabilities with other odds for the pairs whose direction
 * certificates settle; P(edge) is always the same. `found` is what decoding made of the
 * probabilities. Notes in r what became of each certificate. */
scone_status reasons_weigh(double *weighed, reasons *r, const double *probabilities,
                           const decoding *found, const knowledge *k,
                           const decode_options *options);

/* Notes in the edges of d which certificates they rest on (decode_edge.reason), and in r which
 * certificates did not make it into the graph after all. */
void reasons_mark(reasons *r, decoding *d);

static inline bool reason_conflicts(const reason *r)
{
    return r->outcome >= REASON_TURNS;
}

/* ---- several conditions (reasons_pairs.c) ---- */

/* Pairs of tables that are tested at most: with fast effort, and else, unless it is thorough. */
enum { REASONS_PAIRS_FAST = 4, REASONS_PAIRS = 12 };
/* Fewer rows of a condition are not tested. */
enum { REASONS_PAIR_ROWS = 20 };

typedef struct pairs_request {
    size_t conditions, control_rows;
    const size_t *rows;    /* [conditions] */
    size_t most_rows;      /* of each table that a test looks at */
    size_t most;           /* pairs */
    const graph *found;    /* of the search, and */
    const double *margins; /* [nodes, conditions] its nats for a change, or NULL: */
    double least;          /* so many call a mechanism changed */
} pairs_request;

/* The conditions that make a pair with the control, increasing: all that have rows enough, or if
 * there are more than `most` those that can tell most directions: one after the other the one with
 * the most edges between a changed and an unchanged variable that no other has yet, times the rows
 * that its tests rest on; ties fall to the first. O(most conditions edges). The caller frees. */
scone_status reasons_choose_pairs(size_t **chosen, size_t *count, const pairs_request *request);

/* ---- all of it ---- */

typedef struct reasons_options {
    unsigned rules;            /* bit set by rule_kind */
    size_t rows;               /* of each regime that a test looks at */
    const local_graphs *local; /* as in reasons_request */
    const graph *other;
    uint64_t seed;
    /* Several conditions, whose rows the second table has one after the other: */
    const literal_conditions *conditions; /* their pairs; NULL: two tables */
    size_t condition_count;
    const char *const *names; /* [condition_count] */
} reasons_options;

/* What the rule stage hands on. */
typedef struct reasoned {
    reasons reasons;
    double *probabilities; /* [nodes, nodes] weighed */
    decoding decoded;      /* of these, with the certificates that edges rest on */
} reasoned;

/* Finds, weighs, decodes again and marks; `found` is what decoding made of the probabilities,
 * which are conditioned on k. The caller frees also after a failure. */
scone_status reasons_give(reasoned *out, const scone_pair *pair, const decoding *found,
                          const double *probabilities, const knowledge *k,
                          const decode_options *how, const reasons_options *options,
                          const scone_context *context);
void reasoned_free(reasoned *r);

/* ---- words ---- */

/* The reason of an edge in short, in new memory: decode_why, with the rule and its literals where
 * there is a certificate: "SSI given C: B changed, A did not". r may be NULL. */
scone_status reasons_why(char **why, const reasons *r, const decoding *d, size_t edge,
                         const knowledge *k, const char *voice, const char *const *names);
/* A conflict in a sentence. */
scone_status reasons_conflict(char **text, const reasons *r, size_t index, const char *voice,
                              const char *const *names);

#endif
