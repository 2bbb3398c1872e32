/* history.c - the curves of a training (see history.h). */
#include "train/history.h"

#include "draw/curves.h"
#include "io/file.h"
#include "text/write/delimited_write.h"

#include <string.h>

static const char *const names[HISTORY_COLUMNS] = {
    "step",          "rate",        "loss",        "cross_entropy", "shd_term",
    "rank_term",     "global_term", "gate_term",   "target_term",   "right",
    "gradient_norm", "validation",  "temperature", "calibration",   "threshold",
    "error",         "shd",         "f1",          "shd_half",      "f1_half"};

scone_status history_add(history *h, const history_row row)
{
    if (h->count == h->capacity) {
        size_t capacity = h->capacity ? 2 * h->capacity : 64;
        history_row *rows = mem_resize(h->rows, capacity, sizeof *rows);
        if (!rows) return SCONE_ERR_MEMORY;
        h->rows = rows;
        h->capacity = capacity;
    }
    memcpy(h->rows[h->count++], row, sizeof *h->rows);
    return SCONE_OK;
}

void history_clear(history *h)
{
    mem_free(h->rows);
    *h = (history){0};
}

scone_status history_write_csv(const history *h, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *stream = NULL;
    TRY(output_open(&stream, path));
    delimited_writer w = delimited_write_start(stream, ',');
    for (size_t c = 0; c < HISTORY_COLUMNS; c++) delimited_write_words(&w, names[c]);
    delimited_write_end(&w);
    for (size_t r = 0; r < h->count; r++) {
        for (size_t c = 0; c < HISTORY_COLUMNS; c++) delimited_write_number(&w, h->rows[r][c]);
        delimited_write_end(&w);
    }
    TRY(w.out.status);
    TRY(output_commit(&stream));
cleanup:
    output_discard(stream);
    return status;
}

static curve column_curve(const history *h, const char *name, history_column column)
{
    if (h->count == 0) return (curve){.name = name};
    return (curve){.name = name,
                   .x = &h->rows[0][HISTORY_STEP],
                   .y = &h->rows[0][column],
                   .count = h->count,
                   .stride = HISTORY_COLUMNS};
}

scone_status history_write_svg(const history *h, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *stream = NULL;
    const panel panels[] = {
        {.title = "Loss",
         .axis = "step",
         .curves = {column_curve(h, "training", HISTORY_LOSS),
                    column_curve(h, "validation", HISTORY_VALIDATION_LOSS)},
         .count = 2},
        {.title = "Validation graphs",
         .axis = "step",
         .curves = {column_curve(h, "SHD / edges", HISTORY_ERROR),
                    column_curve(h, "F1", HISTORY_F1)},
         .count = 2},
    };
    TRY(output_open(&stream, path));
    TRY(curves_write(stream, panels, sizeof panels / sizeof *panels));
    TRY(output_commit(&stream));
cleanup:
    output_discard(stream);
    return status;
}
