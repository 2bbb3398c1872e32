/* explain.h - a finished discovery as it is read back from its folder, to be explained and checked.
 *
 * Everything comes from files that may be damaged: every index, set and number is checked when it
 * is read, so that words and checks can rely on it. Nodes are the variables of graph.json.
 */
#ifndef SCONE_EXPLAIN_EXPLAIN_H
#define SCONE_EXPLAIN_EXPLAIN_H

#include "base/arena.h"
#include "reasons/reasons.h"

typedef struct explained_edge {
    size_t from, to;
    bool undirected;
    decode_cause cause;
    size_t step;          /* of DECODE_MEEK, from 0 on */
    double worth, turned; /* of scone_edge */
} explained_edge;

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
    size_t *by_name; /* nodes in the order of strcmp, to find one */

    explained_edge *edges;
    scone_explained *shown; /* the same, for callers */
    size_t edge_count;
    meek_reason *steps;
    size_t step_count;
    reasons reasons; /* tests, certificates and levels; learner and weight as written */
    uint64_t seed;
    const char *voice; /* of the preset: who gave the probabilities, "search" */

    /* run.json */
    explained_input *inputs;
    size_t input_count;
    const char *regime, *dcdi; /* NULL: it read two files */
    size_t index;
    bool drop;
    uint64_t hashes[2];
    size_t rows[2];

    bool *confirmed; /* [certificates], after a check */
    size_t made;     /* tests made again */
    const char **doubts;
    size_t doubt_count, doubt_capacity;
};

/* SIZE_MAX if there is none. */
size_t explain_node(const scone_explanation *x, const char *name);

/* The node of a JSON string; SCONE_ERR_INPUT if there is none. */
struct cJSON;
scone_status explain_find_node(size_t *node, const scone_explanation *x, const struct cJSON *item);

/* explain_reasons.c: tests and certificates. */
scone_status explain_read_reasons(scone_explanation *x, const struct cJSON *root);

/* explain_run.c: the part of run.json that is needed to read the tables again. */
scone_status explain_read_run(scone_explanation *x, const char *path);

/* explain_words.c: fills shown[..].text. */
scone_status explain_words(scone_explanation *x);

#endif
