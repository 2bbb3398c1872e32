/* loader.h - graphs to train on, from seeds alone, and the order in which they are taken.
 *
 * A set of graphs is (setting, options of tokens, count): graph g is problem g of the setting, its
 * tokens are made with the key (setting's seed, g). They are kept in a token file whose name is the
 * hash of how they are made, so that a stopped run, a longer one or another preset with the same
 * tokens take it up again. All processes hold all graphs; making them is shared.
 */
#ifndef SCONE_TRAIN_LOADER_H
#define SCONE_TRAIN_LOADER_H

#include "base/context.h"
#include "model/config.h"
#include "token/make.h"

typedef struct graph_set {
    size_t count;
    tokens **graphs;   /* [count] */
    size_t most_nodes; /* of any graph */
    uint64_t hash;     /* of the checksums of all graphs in their order */
} graph_set;

/* Options of tokens as a configuration asks for them; seed and graph are 0. */
token_options loader_token_options(const model_config *config);

/* Reads what `folder` has of the set and makes the rest, one thread per graph. Process 0 alone
 * reads and writes. Graph g has a number of rows of its own, log-uniform from samples_min to the
 * setting's. stage: a name for progress and messages. Cost: docs/tokens.md, per graph. */
scone_status graph_set_load(graph_set **out, const scone_setting *setting, size_t samples_min,
                            const token_options *options, size_t count, const char *folder,
                            const char *stage, const scone_context *context);
void graph_set_free(graph_set *set);

/* Factors of the cross-entropy by class (->, <-, none): inverse to how often a candidate pair has
 * it, the mean over pairs 1; both directions have the same one, since either may be read. All 1
 * unless `weighted`, or if a class does not occur. */
void graph_set_class_weights(double factors[3], const graph_set *set, bool weighted);

/* ---- the order ---- */

/* Position p of a training is graph p mod count of a random order that belongs to the epoch
 * p / count; a batch may begin in one epoch and end in the next. */
typedef struct shuffle {
    uint64_t seed, epoch;
    size_t count;
    size_t *order; /* [count], of the epoch */
} shuffle;

scone_status shuffle_alloc(shuffle **out, size_t count, uint64_t seed);
void shuffle_free(shuffle *s);
/* What is at this position. Cheap if positions rise. */
size_t shuffle_graph(shuffle *s, uint64_t position, uint64_t *epoch);
/* Is every pair of this graph read from its other end in this epoch? A coin by (seed, epoch,
 * graph). */
bool shuffle_reversed(const shuffle *s, uint64_t epoch, size_t graph);

#endif
