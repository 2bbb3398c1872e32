/* history.h - the curves of a training: one row of numbers per validation, as CSV and as a drawing.
 *
 * Only numbers that a repetition gives again: no times. So the files, too, are the same bytes after
 * a stop.
 */
#ifndef SCONE_TRAIN_HISTORY_H
#define SCONE_TRAIN_HISTORY_H

#include "base/memory.h"

/* Of training: means over the steps since the row before. Of validation: validate.h. */
typedef enum history_column {
    HISTORY_STEP,
    HISTORY_RATE, /* of the last step */
    HISTORY_LOSS, /* the next six add up to it */
    HISTORY_CROSS_ENTROPY,
    HISTORY_SHD_TERM,
    HISTORY_RANK_TERM,
    HISTORY_GLOBAL_TERM,
    HISTORY_GATE_TERM,
    HISTORY_TARGET_TERM,
    HISTORY_RIGHT, /* share of the candidate pairs whose likeliest class is the true one */
    HISTORY_NORM,  /* of the gradient, before clipping */
    HISTORY_VALIDATION_LOSS,
    HISTORY_TEMPERATURE,
    HISTORY_CALIBRATION,
    HISTORY_THRESHOLD,
    HISTORY_ERROR,
    HISTORY_SHD,
    HISTORY_F1,
    HISTORY_SHD_HALF,
    HISTORY_F1_HALF,
    HISTORY_COLUMNS
} history_column;

typedef double history_row[HISTORY_COLUMNS];

typedef struct history {
    history_row *rows; /* [count] */
    size_t count, capacity;
} history;

scone_status history_add(history *h, const history_row row);
void history_clear(history *h); /* frees the rows */

/* Both files appear whole or not at all. The drawing: losses, and errors and F1, by step. */
scone_status history_write_csv(const history *h, const char *path);
scone_status history_write_svg(const history *h, const char *path);

#endif
