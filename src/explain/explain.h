/* explain.h - a finished discovery as it is read back from its folder, to be explained and checked.
 *
 * Everything comes from files that may be damaged: every index, set and number is checked when it
 * is read, so that words and checks can rely on it. Nodes are the variables of graph.json.
 */
#ifndef SCONE_EXPLAIN_EXPLAIN_H
#define SCONE_EXPLAIN_EXPLAIN_H

#include "base/arena.h"
#include "reasons/reasons.h"
#include "text/names.h"

typedef struct explained_edge {
    size_t from, to;
    bool undirected;
    decode_cause cause;
    size_t step;          /* of DECODE_MEEK, from 0 on */
    double worth, turned; /* of scone_edge */
} explained_edge;

/* What targets.csv has of a variable. */
typedef struct explained_target {
    bool target;
    double size, p_value, evidence;
    const char *reason;
} explained_target;

/* One of several conditions. */
typedef struct explained_condition {
    const char *name;
    size_t rows;
    size_t pair;               /* of reasons.pairs; SIZE_MAX: the rules did not look at it */
    explained_target *targets; /* [count] */
} explained_condition;

/* A pair likely enough for an edge that the graph leaves out. */
typedef struct explained_absence {
    size_t from, to;
    const char *why;
} explained_absence;

/* An edge of an aggregate (reasons/stages.h): low - high, low -> high or high -> low. */
typedef struct explained_link {
    uint32_t low, high;  /* low < high */
    scone_mark mark;     /* forward: low -> high */
    stage_source source; /* 0: the stage before has the direction, or there is none */
} explained_link;

typedef struct explained_stage {
    explained_link *links; /* [count] by low, high */
    size_t count;
} explained_stage;

typedef struct explained_input {
    const char *path;
    bool hashed;
    uint64_t hash;
} explained_input;

struct scone_explanation {
    arena *memory;
    const char *folder;
    size_t count;
    const char **names;
    named_place *by_name; /* nodes in byte order, to find one */

    explained_edge *edges;
    scone_explained *shown; /* the same, for callers */
    size_t edge_count;
    meek_reason *steps;
    size_t step_count;
    reasons reasons; /* tests, certificates and levels; learner and weight as written */
    uint64_t seed;
    const char *voice;         /* of the preset: who gave the probabilities, "search" */
    explained_target *targets; /* [count] */
    explained_absence *absences;
    size_t absence_count;
    double threshold, alpha;
    explained_condition *conditions; /* [condition_count]; none: two tables */
    const char **condition_names;
    named_place *by_condition; /* in byte order, to find one */
    const char *control;       /* its name */
    size_t condition_count;
    explained_stage stages[STAGES_MOST];
    size_t stage_count; /* 0: the preset has no local learners */

    /* run.json */
    explained_input *inputs;
    size_t input_count;
    const char *regime, *dcdi; /* NULL: it read two files */
    size_t index;
    const char *column; /* of conditions in one long table, as it was asked for; or NULL */
    const char **files; /* [condition_count + 1] of the control and the conditions, NULL
                           where the file is not known; NULL: not from files */
    bool drop;
    uint64_t hashes[2];
    size_t rows[2];

    bool *confirmed; /* [certificates], after a check */
    size_t made;     /* tests made again */
    const char **doubts;
    size_t doubt_count, doubt_capacity;
};

/* The node of a JSON string; SCONE_ERR_INPUT if there is none. */
struct cJSON;
scone_status explain_find_node(size_t *node, const scone_explanation *x, const struct cJSON *item);
/* The node of a name that a user wrote; the message has the nearest name. */
scone_status explain_find_name(size_t *node, const scone_explanation *x, const char *name);
/* A copy in the arena. */
scone_status explain_keep_text(const char **out, scone_explanation *x, const char *text);

/* explain_reasons.c: tests and certificates. */
scone_status explain_read_reasons(scone_explanation *x, const struct cJSON *root);

/* explain_conditions.c: several conditions with their targets, and the pairs that were tested; the
 * pair that a test or a certificate rests on. */
scone_status explain_read_conditions(scone_explanation *x, const struct cJSON *root);
scone_status explain_read_pair(size_t *pair, const scone_explanation *x,
                               const struct cJSON *object);

/* explain_stages.c: the aggregates of presets with local learners; and at which of them from -> to
 * came, in words, NULL if there are none. alone: nothing but the model speaks for it. */
scone_status explain_read_stages(scone_explanation *x, const struct cJSON *root);
const char *explain_stage(const scone_explanation *x, size_t from, size_t to, bool alone);

/* explain_run.c: the part of run.json that is needed to read the tables again. */
scone_status explain_read_run(scone_explanation *x, const char *path);

/* explain_words.c: fills shown[..].text. */
scone_status explain_words(scone_explanation *x);
/* "p = 0.03" */
typedef struct explain_p_text {
    char text[32];
} explain_p_text;
explain_p_text explain_show_p(double p);

/* explain_variable.c: targets, what was left out, threshold and level. */
scone_status explain_read_variables(scone_explanation *x, const struct cJSON *root);
/* A list "targets" with every node, into targets [count]. */
scone_status explain_read_targets(explained_target **targets, scone_explanation *x,
                                  const struct cJSON *object);

#endif
