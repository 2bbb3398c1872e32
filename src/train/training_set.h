/* training_set.h - graphs to train on, from seeds alone.
 *
 * A set of graphs is (setting, options of tokens, count): graph g is problem g of the setting, its
 * tokens are made with the key (setting's seed, g). They are kept in a token file whose name is the
 * hash of how they are made, so that a stopped run, a longer one or another preset with the same
 * tokens take it up again. All processes hold all graphs; making them is shared.
 *
 * Graphs become ready in their order, in blocks of LOADER_BLOCK. Threads of the set's own may make
 * them ahead, beside a training that takes them (docs/methods/training.md, "Graphs beside the
 * steps").
 */
#ifndef SCONE_TRAIN_TRAINING_SET_H
#define SCONE_TRAIN_TRAINING_SET_H

#include "base/context.h"
#include "model/setup/config.h"
#include "model/tokens/token_make.h"

enum { LOADER_BLOCK = 32 }; /* graphs between two writes: what a stop loses at most */

typedef struct training_set {
    size_t count;
    size_t ready;                /* graphs 0 .. ready-1 are there */
    tokens **graphs;             /* [count]; look at those that are ready alone */
    size_t most_nodes;           /* of any graph that is ready */
    uint64_t hash;               /* of the graphs that are ready, in their order */
    struct graph_source *source; /* of those that are not; NULL: there are none */
} training_set;

/* What a set is made from. */
typedef struct graph_recipe {
    scone_setting setting;
    size_t samples_min;    /* graph g has rows of its own, log-uniform from here to the setting's */
    token_options options; /* seed and graph do not matter */
    size_t count;          /* graphs */
    const char *folder;    /* of the token file; must outlive the set, like the stage */
    const char *stage;     /* a name for progress and messages */
} graph_recipe;

/* A set of which nothing is ready yet. Process 0 alone reads and writes the file. `ahead` threads
 * begin to make what the file does not have. The context must outlive the set, or its source. */
scone_status training_set_open(training_set **out, const graph_recipe *recipe, int ahead,
                               const scone_context *context);
/* Makes the first `count` graphs ready, and the rest of the last one's block; those that are
 * missing are made on the threads that training_set_threads tells and those ahead. Once all are
 * ready the file is complete. Called by all processes with the same count. Cost:
 * docs/methods/tokens.md, per graph. */
scone_status training_set_need(training_set *set, size_t count);
/* Threads of `context` that graphs being made ahead leave to others: all once they are made. */
int training_set_threads(const training_set *set, const scone_context *context);
/* Opens a set and makes all of it ready. */
scone_status training_set_load(training_set **out, const graph_recipe *recipe,
                               const scone_context *context);
/* Ends what is being made ahead. NULL is fine. */
void training_set_free(training_set *set);

/* Factors of the cross-entropy by class (->, <-, none): inverse to how often a candidate pair of
 * the graphs that are ready has it, the mean over pairs 1; both directions have the same one, since
 * either may be read. All 1 unless `weighted`, or if a class does not occur. */
void training_set_class_weights(double factors[3], const training_set *set, bool weighted);

#endif
