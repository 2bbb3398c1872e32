/* checkpoint.h - everything that a training needs to go on as if it had never stopped.
 *
 * A file of model/weights/weights.h (WEIGHTS_FORMAT_CHECKPOINT): written under another name, synced
 * and renamed, checksummed part by part. Random numbers need no state of their own: every stream is
 * keyed by (seed, step or epoch, graph), and the step is here. The plan's command, configuration
 * and the hash of the data are there to be compared.
 */
#ifndef SCONE_TRAIN_CHECKPOINT_H
#define SCONE_TRAIN_CHECKPOINT_H

#include "base/context.h"
#include "train/history.h"
#include "train/optimizer.h"
#include "train/plan.h"

enum { CHECKPOINTS_KEPT = 3 };

typedef struct train_state {
    optimizer *o;     /* with the number of steps made */
    float *best;      /* [count]: the averaged weights with the smallest loss in a validation */
    double best_loss; /* INFINITY before the first validation */
    size_t best_step;
    size_t stale; /* validations since then */
    history curves;
} train_state;

/* checkpoint-STEP.safetensors in the folder; of those there, the newest CHECKPOINTS_KEPT stay. */
scone_status checkpoint_write(const train_state *state, const train_plan *plan, uint64_t data);
/* The newest that is whole; damaged ones are passed over with a warning. *found is false if there
 * is none. Fails with SCONE_ERR_INPUT if it belongs to another plan. *data is the hash of the
 * graphs it was made with, for the caller to compare. The state is as before unless
 * one is found. */
scone_status checkpoint_read(bool *found, train_state *state, uint64_t *data,
                             const train_plan *plan, const scone_context *context);
/* The state of an open checkpoint, which was found whole; fails and is as before if its content
 * does not belong to the plan or itself. A part of checkpoint_read, for the fuzz target. */
scone_status checkpoint_take(train_state *state, uint64_t *data, const weights *file,
                             const train_plan *plan);
/* Is there any, and removes all of them. */
scone_status checkpoint_exists(bool *exists, const char *folder);
scone_status checkpoint_remove_all(const char *folder);
/* Removes what a killed run was writing. One run at a time uses a folder. */
scone_status checkpoint_tidy(const char *folder);

#endif
