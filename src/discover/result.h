/* result.h - what scone_discover found.
 *
 * Three numberings: columns as the caller has them; variables by name, in which everything is kept
 * and written, so that the order of the columns shows nowhere; and nodes, the variables that vary
 * within a table, which alone the learners and the decoding see.
 */
#ifndef SCONE_DISCOVER_RESULT_H
#define SCONE_DISCOVER_RESULT_H

#include "base/arena.h"
#include "base/context.h"
#include "decode/decode.h"
#include "discover/presets.h"
#include "reasons/reasons.h"

enum { RESULT_STAGES = 8 };

typedef enum variable_kind {
    VARIABLE_VARIES = 0,
    VARIABLE_CONSTANT = 1, /* one value in both tables */
    VARIABLE_SPLIT = 2     /* one value in each table: it tells the tables apart and nothing else */
} variable_kind;

struct scone_result {
    arena *memory;         /* of the texts */
    size_t count;          /* variables */
    size_t *columns;       /* [count] variable -> column */
    size_t *variables;     /* [count] column -> variable */
    const char **names;    /* [count] by variable */
    graph *by_name;        /* nodes = variables, with names */
    graph *by_column;      /* nodes = columns, with names */
    double *probabilities; /* [count, count] by variable */

    unsigned char *kinds; /* [count] variable_kind */
    size_t node_count;
    size_t *nodes;    /* [node_count] node -> variable, increasing */
    decoding decoded; /* in nodes */
    reasons reasons;  /* in nodes */
    knowledge *known; /* about variables, or NULL */

    scone_edge *edges;     /* strongest first, in columns; as many as decoded.count */
    scone_target *targets; /* [count] strongest first, in columns */

    const char **conflicts; /* in words, in the order of the certificates */
    size_t *conflicting;    /* their certificates */
    size_t conflict_count;

    const char **warnings;
    size_t warning_count, warning_capacity;
    scone_stage stages[RESULT_STAGES];
    size_t stage_count;
    double stage_started;

    /* the request, with defaults filled in */
    const preset *preset;
    scone_discover_options options;
    unsigned rules;                 /* bit set by rule_kind */
    learned_model *model;           /* until it has learned; NULL: the preset has none */
    char model_id[LEARNED_ID_SIZE]; /* "": the same */
    size_t rows[2];
    uint64_t hashes[2]; /* XXH64 of names and values by variable */
};

/* scone_discover, for calls on the same tables: searched (or NULL) keeps a search between them. */
scone_status discover_with(scone_result **out, const scone_pair *pair,
                           const scone_discover_options *options, preset_searched *searched,
                           const scone_context *context);

/* Adds a warning to the result and tells the context. */
scone_status result_warn(scone_result *r, const scone_context *context, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts the conflicts of the certificates into words, and warns of them. */
scone_status result_conflicts(scone_result *r, const scone_context *context);

/* Ends the stage at hand, if any, and begins the next; NULL only ends. The name is a literal. */
void result_stage(scone_result *r, const char *name);

/* Fills edges, targets and the graphs from what was decoded and tested (tests [count], by variable;
 * values of the preset's answer, by node). */
scone_status result_finish(scone_result *r, const target_test *tests, const double *values);

#endif
