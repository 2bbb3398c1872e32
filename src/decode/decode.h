/* decode.h - from probabilities of directed edges to a partially directed graph (decision D18).
 *
 *  1. Probabilities are conditioned on the knowledge (decode_condition): a required direction gets
 *     1, a forbidden one 0 and the other two outcomes of its pair are scaled to sum to 1.
 *  2. Pairs with P(edge) >= threshold are kept: directed if the two directions differ by at least
 *     the margin (decode_margin) or if one of them is forbidden, else undirected.
 *  3. Required edges come first, then directed ones by falling probability; one that would close a
 *     directed cycle is left out and remembered.
 *  4. Undirected edges that no DAG could carry without a cycle or a v-structure that the graph does
 *     not have (an undirected square, a chord of a directed path) become directed, the clearest
 *     first, until there is such a DAG: nodes are peeled off as Dor and Tarsi (1992) do, and only
 *     edges among those that cannot be peeled off are directed.
 *  5. Meek closure R1 to R4.
 *
 * The result extends to a DAG, is closed, has every required and no forbidden edge, and every
 * orientation has a reason. Where probabilities tie the lower index wins, so callers who want
 * results that do not depend on the order of columns sort them by name. Without ties the graph does
 * not depend on the order. O(E log E) and the closure.
 */
#ifndef SCONE_DECODE_DECODE_H
#define SCONE_DECODE_DECODE_H

#include "graph/meek.h"
#include "decode/knowledge.h"

typedef struct decode_options {
    double threshold; /* of P(edge), in (0, 1] */
    double margin;    /* of |P(i -> j) - P(j -> i)|, in [0, 1] (decode_margin) */
} decode_options;

/* By how much the directions of an edge with this P(edge) must differ: the margin, and below even
 * odds, where both directions are unlikely, as much less. */
static inline double decode_margin(const decode_options *options, double edge)
{
    return edge < 0.5 ? 2.0 * edge * options->margin : options->margin;
}

/* Why an edge of the final graph looks as it does. */
typedef enum decode_cause {
    DECODE_SEARCH = 0, /* the learner's probabilities */
    DECODE_REQUIRED,   /* knowledge requires the edge */
    DECODE_FORBIDDEN,  /* the edge is the learner's; knowledge forbids the other direction */
    DECODE_EXTENSION,  /* step 4 */
    DECODE_MEEK,       /* step 5 */
    DECODE_RULE        /* a certificate that the learner left open or had otherwise (reasons.h) */
} decode_cause;

typedef struct decode_edge {
    size_t from, to; /* from < to if undirected */
    bool undirected;
    decode_cause cause;
    size_t step;        /* of DECODE_MEEK: index into steps */
    size_t reason;      /* its strongest certificate, from 1 on; 0: none (reasons.h) */
    double probability; /* of the mark: P(from -> to), or P(edge) if undirected */
} decode_edge;

typedef struct decoding {
    graph *graph;       /* without names */
    decode_edge *edges; /* strongest first; ties by (from, to) */
    size_t count;
    meek_reason *steps; /* of the closure, in the order in which they follow from each other */
    size_t step_count;
    decode_edge *skipped; /* directed edges that would have closed a cycle, strongest first */
    size_t skipped_count;
} decoding;

/* Step 1: conditioned [nodes, nodes] from probabilities [nodes, nodes], row i column j = P(i -> j);
 * the rest of each pair is P(no edge). Conditioning twice changes nothing. Fails with
 * SCONE_ERR_DEFECT if they are not probabilities. k may be NULL. */
scone_status decode_condition(double *conditioned, const double *probabilities, size_t nodes,
                              const knowledge *k);
/* Steps 2 to 5, from conditioned probabilities. The caller frees also after a failure. */
scone_status decode(decoding *out, const double *probabilities, size_t nodes, const knowledge *k,
                    const decode_options *options);
void decoding_free(decoding *d);

/* The reason in words, in new memory: "search", "knowledge line 3", "Meek R1 from A -> B", ...
 * voice: who gave the probabilities ("search"); names are those of the nodes. */
scone_status decode_why(char **why, const decoding *d, size_t edge, const knowledge *k,
                        const char *voice, const char *const *names);

#endif
