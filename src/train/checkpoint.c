/* checkpoint.c - checkpoints of a training and the folder they are kept in (see checkpoint.h). */
#include "train/checkpoint.h"

#include "io/file.h"
#include "io/listing.h"
#include "model/weights/weights.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Places in the tensor "state". */
enum { WORD_STEP, WORD_BEST_STEP, WORD_STALE, WORD_BEST_LOSS, WORD_ROWS, WORDS };
enum { TENSORS = 7, NOTES = 3 };

#define CHECKPOINT_PREFIX "checkpoint-"
#define CHECKPOINT_SUFFIX ".safetensors"
#define NOTE_COMMAND      "command"
#define NOTE_CONFIG       "config"
#define NOTE_DATA         "data_xxh64"

/* ---- the folder ---- */

typedef struct step_list {
    size_t *steps; /* falling */
    size_t count, capacity;
} step_list;

static void file_name(char out[64], size_t step)
{
    (void)snprintf(out, 64, CHECKPOINT_PREFIX "%012zu" CHECKPOINT_SUFFIX, step);
}

/* The step in the name of a checkpoint; false if it is no such name. */
static bool parse_name(size_t *step, const char *name)
{
    char expected[64];
    size_t digits = strlen(CHECKPOINT_PREFIX), value = 0;
    if (strncmp(name, CHECKPOINT_PREFIX, digits) != 0) return false;
    for (const char *at = name + digits; *at >= '0' && *at <= '9' && value < 1000000000000000;
         at++) {
        value = 10 * value + (size_t)(*at - '0');
    }
    file_name(expected, value);
    *step = value;
    return strcmp(name, expected) == 0;
}

static int compare_falling(const void *first, const void *second)
{
    size_t a = *(const size_t *)first, b = *(const size_t *)second;
    return a > b ? -1 : a < b;
}

static scone_status list_steps(step_list *list, const char *folder)
{
    scone_status status = SCONE_OK;
    *list = (step_list){0};
    listing entries;
    bool missing;
    TRY(listing_read(&entries, folder, &missing));
    for (size_t k = 0; k < entries.count; k++) {
        size_t step;
        if (!parse_name(&step, entries.names[k])) continue;
        if (list->count == list->capacity) {
            size_t capacity = 2 * list->capacity + 8;
            size_t *steps = mem_resize(list->steps, capacity, sizeof *steps);
            if (!steps) TRY(SCONE_ERR_MEMORY);
            list->steps = steps;
            list->capacity = capacity;
        }
        list->steps[list->count++] = step;
    }
    if (list->count > 0) qsort(list->steps, list->count, sizeof *list->steps, compare_falling);
cleanup:
    listing_free(&entries);
    return status;
}

static scone_status step_path(char **path, const char *folder, size_t step)
{
    char name[64];
    file_name(name, step);
    return path_join(path, folder, name);
}

/* Removes all but the first `kept` of the list. */
static scone_status remove_rest(const char *folder, size_t kept)
{
    scone_status status = SCONE_OK;
    step_list list;
    char *path = NULL;
    TRY(list_steps(&list, folder));
    for (size_t k = kept; k < list.count; k++) {
        TRY(step_path(&path, folder, list.steps[k]));
        if (unlink(path) != 0 && errno != ENOENT) {
            FAIL(SCONE_ERR_IO, "%s: cannot remove: %s", path, strerror(errno));
        }
        mem_free(path);
        path = NULL;
    }
cleanup:
    mem_free(path);
    mem_free(list.steps);
    return status;
}

/* "checkpoint-000000000400.safetensors.tmp-123-0", "curves.csv.tmp-123-0" */
static bool is_rest(const char *name)
{
    bool ours = strncmp(name, CHECKPOINT_PREFIX, strlen(CHECKPOINT_PREFIX)) == 0 ||
                strncmp(name, "curves.", strlen("curves.")) == 0;
    return ours && strstr(name, ".tmp-");
}

scone_status checkpoint_tidy(const char *folder)
{
    scone_status status = SCONE_OK;
    char *path = NULL;
    listing entries;
    TRY(listing_read(&entries, folder, NULL));
    for (size_t k = 0; k < entries.count; k++) {
        if (!is_rest(entries.names[k])) continue;
        TRY(path_join(&path, folder, entries.names[k]));
        (void)unlink(path); /* if not, it only takes room */
        mem_free(path);
        path = NULL;
    }
cleanup:
    listing_free(&entries);
    mem_free(path);
    return status;
}

scone_status checkpoint_remove_all(const char *folder)
{
    return remove_rest(folder, 0);
}

scone_status checkpoint_exists(bool *exists, const char *folder)
{
    step_list list;
    scone_status status = list_steps(&list, folder);
    *exists = status == SCONE_OK && list.count > 0;
    mem_free(list.steps);
    return status;
}

/* ---- writing ---- */

/* Names, types and shapes; data only if there is a state. */
static void list_tensors(weights_tensor tensors[TENSORS], const train_state *state, size_t count,
                         const uint64_t *words, size_t rows, const uint64_t *curves)
{
    const optimizer *o = state->o;
    const weights_tensor all[TENSORS] = {
        {.name = "state", .type = WEIGHTS_U64, .rank = 1, .shape = {WORDS}, .data = words},
        {.name = "curves",
         .type = WEIGHTS_U64,
         .rank = 2,
         .shape = {rows, HISTORY_COLUMNS},
         .data = curves},
        {.name = "weights", .type = WEIGHTS_F32, .rank = 1, .shape = {count}, .data = o->weights},
        {.name = "moment1", .type = WEIGHTS_F32, .rank = 1, .shape = {count}, .data = o->moment1},
        {.name = "moment2", .type = WEIGHTS_F32, .rank = 1, .shape = {count}, .data = o->moment2},
        {.name = "average", .type = WEIGHTS_F32, .rank = 1, .shape = {count}, .data = o->average},
        {.name = "best", .type = WEIGHTS_F32, .rank = 1, .shape = {count}, .data = state->best}};
    memcpy(tensors, all, sizeof all);
}

scone_status checkpoint_write(const train_state *state, const train_plan *plan, uint64_t data)
{
    scone_status status = SCONE_OK;
    char hash[17], *path = NULL;
    uint64_t words[WORDS] = {state->o->step, state->best_step, state->stale, 0,
                             state->curves.count};
    weights_tensor tensors[TENSORS];
    uint64_t *curves = NULL; /* bits of doubles */
    TRY_ALLOC(curves, state->curves.count * HISTORY_COLUMNS);
    memcpy(curves, state->curves.rows, state->curves.count * sizeof *state->curves.rows);
    memcpy(&words[WORD_BEST_LOSS], &state->best_loss, sizeof state->best_loss);
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, data);
    const weights_note notes[NOTES] = {
        {NOTE_COMMAND, plan->command}, {NOTE_CONFIG, plan->config_text}, {NOTE_DATA, hash}};
    list_tensors(tensors, state, state->o->layout->count, words, state->curves.count, curves);
    TRY(step_path(&path, plan->work, state->o->step));
    TRY(weights_write(path, WEIGHTS_FORMAT_CHECKPOINT, tensors, TENSORS, notes, NOTES));
    TRY(remove_rest(plan->work, CHECKPOINTS_KEPT));
cleanup:
    mem_free(curves);
    mem_free(path);
    return status;
}

/* ---- reading ---- */

static scone_status compare_note(const weights *file, const char *key, const char *wanted,
                                 const char *what)
{
    const char *text;
    scone_status status = weights_need(&text, file, key);
    if (status != SCONE_OK || strcmp(text, wanted) == 0) return status;
    if (strcmp(key, NOTE_COMMAND) == 0) {
        return RAISE(
            SCONE_ERR_INPUT,
            "%s: the checkpoint is of another training, '%s'; repeat its options, or begin "
            "anew with --force",
            weights_path(file), text);
    }
    return RAISE(SCONE_ERR_INPUT, "%s: the checkpoint was made with %s; begin anew with --force",
                 weights_path(file), what);
}

static scone_status check_words(const weights *file, const uint64_t *words, size_t rows,
                                const train_plan *plan)
{
    double error;
    memcpy(&error, &words[WORD_BEST_LOSS], sizeof error);
    bool good = words[WORD_STEP] <= plan->steps && words[WORD_BEST_STEP] <= words[WORD_STEP] &&
                words[WORD_STALE] <= words[WORD_STEP] && words[WORD_ROWS] == rows && error >= 0.0;
    if (good) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "%s: its numbers contradict each other; delete it",
                 weights_path(file));
}

/* Adds the rows of the file, whose numbers go into weights and drawings. */
static scone_status take_curves(history *curves, const weights *file, size_t rows)
{
    const unsigned char *bits = (const void *)weights_words(file, "curves");
    for (size_t r = 0; r < rows; r++) {
        history_row row;
        memcpy(row, bits + r * sizeof row, sizeof row);
        for (size_t c = 0; c < HISTORY_COLUMNS; c++) {
            if (isfinite(row[c])) continue;
            return RAISE(SCONE_ERR_INPUT, "%s: row %zu of its curves is not finite; delete it",
                         weights_path(file), r + 1);
        }
        scone_status status = history_add(curves, row);
        if (status != SCONE_OK) return status;
    }
    return SCONE_OK;
}

static void take_floats(float *to, const weights *file, const char *name, size_t count)
{
    memcpy(to, weights_floats(file, name), count * sizeof *to);
}

/* The hash of the data, 16 digits. */
static scone_status take_hash(uint64_t *data, const weights *file)
{
    const char *text;
    char again[17];
    scone_status status = weights_need(&text, file, NOTE_DATA);
    if (status != SCONE_OK) return status;
    *data = strtoull(text, NULL, 16);
    (void)snprintf(again, sizeof again, "%016" PRIx64, *data);
    if (strcmp(text, again) == 0) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "%s: its hash of the data is not 16 digits; delete it",
                 weights_path(file));
}

scone_status checkpoint_take(train_state *state, uint64_t *data, const weights *file,
                             const train_plan *plan)
{
    scone_status status = SCONE_OK;
    optimizer *o = state->o;
    size_t count = o->layout->count;
    weights_tensor expected[TENSORS];
    history curves = {0};
    TRY(compare_note(file, NOTE_COMMAND, plan->command, "other options"));
    TRY(compare_note(file, NOTE_CONFIG, plan->config_text, "another configuration"));
    TRY(take_hash(data, file));
    const weights_tensor *rows = weights_find(file, "curves");
    list_tensors(expected, state, count, NULL, rows && rows->rank == 2 ? rows->shape[0] : 1, NULL);
    TRY(weights_expect(file, expected, TENSORS));
    const uint64_t *words = weights_words(file, "state");
    TRY(check_words(file, words, rows->shape[0], plan));
    TRY(take_curves(&curves, file, rows->shape[0]));
    history_clear(&state->curves);
    state->curves = curves;
    curves = (history){0};
    take_floats(o->weights, file, "weights", count);
    take_floats(o->moment1, file, "moment1", count);
    take_floats(o->moment2, file, "moment2", count);
    take_floats(o->average, file, "average", count);
    take_floats(state->best, file, "best", count);
    o->step = words[WORD_STEP];
    state->best_step = words[WORD_BEST_STEP];
    state->stale = words[WORD_STALE];
    memcpy(&state->best_loss, &words[WORD_BEST_LOSS], sizeof state->best_loss);
cleanup:
    history_clear(&curves);
    return status;
}

scone_status checkpoint_read(bool *found, train_state *state, uint64_t *data,
                             const train_plan *plan, const scone_context *context)
{
    scone_status status = SCONE_OK;
    step_list list;
    char *path = NULL;
    weights *file = NULL;
    *found = false;
    TRY(list_steps(&list, plan->work));
    for (size_t k = 0; k < list.count && !*found; k++) {
        mem_free(path);
        path = NULL;
        TRY(step_path(&path, plan->work, list.steps[k]));
        status = weights_open(&file, path, WEIGHTS_FORMAT_CHECKPOINT);
        if (status == SCONE_ERR_INPUT) { /* damaged: an older one will do */
            context_log(context, SCONE_WARNING, "%s; it is passed over", scone_error_message());
            status = SCONE_OK;
            continue;
        }
        TRY(status);
        TRY(checkpoint_take(state, data, file, plan));
        *found = true;
    }
cleanup:
    weights_free(file);
    mem_free(path);
    mem_free(list.steps);
    return status;
}
