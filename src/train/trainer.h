/* trainer.h - steps and validations of a training, on all threads and processes.
 *
 * A step is cut into its graphs: each is one item of team_for, with a forward and a backward pass
 * on one thread and gradients of its own, so that threads and processes share a step without any
 * of its sums depending on how many there are. Gradients are added in the order of the batch,
 * weighted by the number of candidate pairs of each graph (a mean over pairs, as model_loss makes
 * it within one graph). Every process then makes the same update.
 */
#ifndef SCONE_TRAIN_TRAINER_H
#define SCONE_TRAIN_TRAINER_H

#include "model/model.h"
#include "train/checkpoint.h"
#include "train/training_set.h"
#include "train/shuffle.h"
#include "train/validate.h"

typedef struct trainer trainer;

/* All of these must outlive the trainer. It takes graphs of the set as they become ready. Memory:
 * the gradients of a batch, activations of a graph for each thread. */
scone_status trainer_alloc(trainer **out, const train_plan *plan, training_set *set,
                           const training_set *validation, train_state *state,
                           const scone_context *context);
void trainer_free(trainer *t);

/* The next step of the state; the sums for the row of trainer_validate grow. */
scone_status trainer_step(trainer *t);
/* Scores of the averaged weights; adds a row to the curves and keeps the weights if they are the
 * best. Both readings of every graph, one assignment of identities. */
scone_status trainer_validate(trainer *t);

#endif
