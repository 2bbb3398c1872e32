/* token_make.h - from two tables to the tokens of one graph.
 *
 *   scores      moments and sensitivity of both regimes               (score/)
 *   subsets     the greedy sampler                                    (subset/)
 *   votes       of the local learners, every subset, both regimes apart  (token_votes.h)
 *   candidates  elected pairs and those of largest contrast
 *   cover       further subsets, until every candidate pair is in one (D6); they vote as well
 *   layout      cells, motifs, statistics, labels
 *
 * Columns are taken in the order of their names (numbers in names as numbers), so their order in
 * the tables does not matter; token_order tells which column a node is. Nothing depends on the
 * threads.
 */
#ifndef SCONE_MODEL_TOKENS_TOKEN_MAKE_H
#define SCONE_MODEL_TOKENS_TOKEN_MAKE_H

#include "base/context.h"
#include "data/table.h"
#include "learn/ensemble.h"
#include "model/tokens/tokens.h"

typedef struct token_options {
    size_t subset_size;       /* k >= 2 */
    double pair_visits;       /* subsets that the mean likely pair is in, before covering */
    size_t least_subsets;     /* before covering */
    double contrast_per_node; /* K_env / N; K_env is rounded up */
    size_t cap_per_node;      /* largest number of candidate pairs / N; 0: no cap */
    size_t replicates;        /* R_boot; 0: one fit of the rows as they are */
    size_t degree;            /* D of PolyBIC */
    unsigned learners;        /* who votes: LEARNER_POLYBIC and others (learn/learner.h) */
    double context_share;     /* rho of the parent contexts, in [0, 1] */
    /* false (paper-nc): no s and Gamma in the sampler, no pairs for their contrast, statistics of
     * all rows together in both channels, node statistics 0. */
    bool contrast;
    /* Instead of subsets and votes one subset of all columns, the graph of a search in it and its
     * evidence (token_evidence.h). */
    bool evidence;
    const struct search_result
        *found;           /* evidence: of these tables, columns by name; NULL: search them */
    uint64_t seed, graph; /* key of the random streams */
} token_options;

/* 8, 4, 16, 0.1, 6, 20, 3, PolyBIC, 0.5, true, false, NULL, 0, 0 */
extern const token_options token_defaults;

enum { TOKEN_OPTIONS_TEXT = 256 };
/* The options but for seed and graph, in words: for the description of a token file. Options with
 * the same text give the same tokens from the same tables, seed and graph. */
void token_options_text(char text[TOKEN_OPTIONS_TEXT], const token_options *options);

/* What is true of the columns of a pair, in their order there: the labels of a training. */
typedef struct token_truth {
    const scone_graph *graph; /* its directed edges */
    const bool *targets;      /* [columns]: whose mechanism changed */
} token_truth;

/* truth may be NULL. options may be NULL for the defaults. Fails with SCONE_ERR_INPUT if there are
 * more than TOKEN_MOST_NODES columns or none, two of a name, no rows in a regime, a value that is
 * not finite, or an undirected edge in the truth. Cost: docs/methods/tokens.md. */
scone_status token_make(tokens **out, const scone_pair *pair, const token_truth *truth,
                        const token_options *options, const scone_context *context);

/* The same, and what the learners elected on the subsets, in the order of the nodes; NULL for
 * tokens of a search. ensemble_locals_free releases them. */
scone_status token_make_locals(tokens **out, ensemble_locals **locals, const scone_pair *pair,
                               const token_truth *truth, const token_options *options,
                               const scone_context *context);

/* columns [columns of the pair]: the column that each node is. */
scone_status token_order(size_t *columns, const scone_pair *pair);

#endif
