/* bench_file.c - the file of a benchmark (see bench.h; its keys are made in bench_key.c). */
#include "benchmark/bench.h"

#include "eval/eval.h"
#include "io/file.h"
#include "text/number/number.h"
#include "text/delimited_cells.h"
#include "text/write/delimited_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const key_names[] = {
    "setting", "nodes", "edges",  "mechanisms", "noise",     "p_target",   "samples",
    "seed",    "graph", "method", "effort",     "bootstrap", "max_parents"};
_Static_assert(sizeof key_names / sizeof *key_names == BENCH_KEY_CELLS, "a name for every cell");

static const char *const last_names[] = {"conditions", "condition_targets", "control_samples",
                                         "sees"};
_Static_assert(sizeof last_names / sizeof *last_names == BENCH_KEY_LAST, "a name for every cell");

enum {
    SECONDS = BENCH_KEY_CELLS + EVAL_SCORES,
    MODEL,  /* missing in older files */
    COMMIT, /* likewise */
    STATUS, /* likewise, and then of success */
    REASON, /* comes with the one before */
    COLUMNS,
    ALL_COLUMNS = COLUMNS + BENCH_KEY_LAST /* if a row needs them */
};

static const char *const status_names[] = {"ok", "failed", "timeout"}; /* [scone_bench_status] */

/* ---- lines in memory ---- */

scone_status bench_lines_open(bench_lines *lines)
{
    *lines = (bench_lines){0};
    return arena_alloc(&lines->memory, 0);
}

void bench_lines_close(bench_lines *lines)
{
    arena_free(lines->memory);
    mem_free(lines->items);
    *lines = (bench_lines){0};
}

/* There is room. */
static void insert(bench_lines *lines, const bench_line *line)
{
    size_t at = lines->count++;
    for (; at > 0 && lines->items[at - 1].place > line->place; at--) {
        lines->items[at] = lines->items[at - 1];
    }
    lines->items[at] = *line;
}

scone_status bench_lines_add(bench_lines *lines, const bench_line *line)
{
    if (lines->count == lines->capacity) {
        size_t capacity = 2 * lines->capacity + 64;
        bench_line *grown = mem_resize(lines->items, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        lines->items = grown;
        lines->capacity = capacity;
    }
    bench_line kept = *line;
    kept.key = arena_text(lines->memory, line->key, strlen(line->key));
    kept.commit = arena_text(lines->memory, line->commit, strlen(line->commit));
    kept.reason = arena_text(lines->memory, line->reason, strlen(line->reason));
    if (!kept.key || !kept.commit || !kept.reason) return SCONE_ERR_MEMORY;
    insert(lines, &kept);
    return SCONE_OK;
}

static void take_out(bench_lines *lines, const bench_line *line)
{
    size_t index = (size_t)(line - lines->items);
    lines->count--;
    memmove(lines->items + index, lines->items + index + 1,
            (lines->count - index) * sizeof *lines->items);
}

bool bench_lines_place(bench_lines *lines, const char *key, size_t place)
{
    const bench_line *found = bench_lines_find(lines, key);
    if (!found) return false;
    bench_line line = *found;
    line.place = place;
    take_out(lines, found);
    insert(lines, &line);
    return true;
}

void bench_lines_drop(bench_lines *lines, const char *key)
{
    const bench_line *found = bench_lines_find(lines, key);
    if (found) take_out(lines, found);
}

const bench_line *bench_lines_find(const bench_lines *lines, const char *key)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (strcmp(lines->items[i].key, key) == 0) return &lines->items[i];
    }
    return NULL;
}

/* ---- the file ---- */

static const char *column_name(size_t column)
{
    if (column < BENCH_KEY_CELLS) return key_names[column];
    if (column < SECONDS) return scone_scores_name(column - BENCH_KEY_CELLS);
    if (column >= COLUMNS) return last_names[column - COLUMNS];
    static const char *const last[] = {"seconds", "model", "commit", "status", "reason"};
    return last[column - SECONDS];
}

static scone_status check_header(const cell_table *cells)
{
    bool fine = cells->rows > 0 && cells->columns >= MODEL && cells->columns <= COLUMNS;
    fine = fine && cells->columns != REASON; /* it comes with the status */
    fine = fine || (cells->rows > 0 && cells->columns == ALL_COLUMNS);
    for (size_t c = 0; fine && c < cells->columns; c++) {
        fine = delimited_field_equals(delimited_cells_get(cells, 0, c), column_name(c));
    }
    if (fine) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "this is not the table of a benchmark, or of another version of "
                                  "scone; choose another file with -o, or --force to replace it");
}

/* A number, or NaN for an empty cell. */
static scone_status read_number(double *value, const cell_table *cells, size_t row, size_t column)
{
    const delimited_field *field = delimited_cells_get(cells, row, column);
    *value = (double)NAN;
    if (field->length == 0) return SCONE_OK;
    if (number_parse(value, field->text, field->text + field->length) == NUMBER_OK) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "row %zu: the %s is not a number", cells->lines[row],
                 column_name(column));
}

enum { CELL_SIZE = 64 };

static scone_status read_text(char *cell, size_t size, const cell_table *cells, size_t row,
                              size_t column)
{
    const delimited_field *field = delimited_cells_get(cells, row, column);
    if (field->length >= size) {
        return RAISE(SCONE_ERR_INPUT, "row %zu: the %s is too long", cells->lines[row],
                     column_name(column));
    }
    memcpy(cell, field->text, field->length);
    cell[field->length] = '\0';
    return SCONE_OK;
}

/* Appends a cell of the file to the key of its row. */
static scone_status read_cell(char key[BENCH_KEY_SIZE], const cell_table *cells, size_t row,
                              size_t column)
{
    char cell[CELL_SIZE];
    scone_status status = read_text(cell, sizeof cell, cells, row, column);
    if (status == SCONE_OK) bench_key_append(key, cell);
    return status;
}

static scone_status read_fared(scone_bench_status *fared, const cell_table *cells, size_t row)
{
    char cell[CELL_SIZE];
    scone_status status = read_text(cell, sizeof cell, cells, row, STATUS);
    if (status != SCONE_OK) return status;
    for (size_t s = 0; s < sizeof status_names / sizeof *status_names; s++) {
        if (strcmp(cell, status_names[s]) != 0) continue;
        *fared = (scone_bench_status)s;
        return SCONE_OK;
    }
    return RAISE(SCONE_ERR_INPUT, "row %zu: the status is not ok, failed or timeout",
                 cells->lines[row]);
}

/* The last cells, if the row has any of them. */
static scone_status read_last(char key[BENCH_KEY_SIZE], const cell_table *cells, size_t row)
{
    scone_status status = SCONE_OK;
    bool any = false;
    for (size_t c = COLUMNS; c < cells->columns; c++) {
        any = any || delimited_cells_get(cells, row, c)->length > 0;
    }
    for (size_t c = COLUMNS; any && c < cells->columns; c++) {
        bench_key_append(key, ",");
        TRY(read_cell(key, cells, row, c));
    }
cleanup:
    return status;
}

static scone_status read_line(bench_lines *lines, const cell_table *cells, size_t row)
{
    scone_status status = SCONE_OK;
    char key[BENCH_KEY_SIZE] = "", commit[CELL_SIZE] = "", reason[SCONE_BENCH_REASON] = "";
    bench_line line = {.key = key, .commit = commit, .reason = reason};
    double value;
    for (size_t c = 0; c < BENCH_KEY_CELLS; c++) {
        TRY(read_cell(key, cells, row, c));
        bench_key_append(key, ",");
    }
    if (cells->columns > MODEL) TRY(read_cell(key, cells, row, MODEL));
    TRY(read_last(key, cells, row));
    if (cells->columns > COMMIT) TRY(read_text(commit, sizeof commit, cells, row, COMMIT));
    if (cells->columns > STATUS) {
        TRY(read_fared(&line.status, cells, row));
        TRY(read_text(reason, sizeof reason, cells, row, REASON));
    }
    for (size_t s = 0; s < EVAL_SCORES; s++) {
        TRY(read_number(&value, cells, row, BENCH_KEY_CELLS + s));
        eval_scores_set(&line.scores, s, value);
    }
    TRY(read_number(&line.seconds, cells, row, SECONDS));
    TRY(bench_lines_add(lines, &line));
cleanup:
    return status;
}

scone_status bench_lines_read(bench_lines *lines, const char *path)
{
    cell_table cells = {0};
    scone_status status = delimited_cells_read(&cells, path);
    if (status != SCONE_OK) return status;
    status = check_header(&cells);
    for (size_t row = 1; row < cells.rows && status == SCONE_OK; row++) {
        status = read_line(lines, &cells, row);
    }
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    delimited_cells_free(&cells);
    return status;
}

/* columns: COLUMNS or ALL_COLUMNS */
static void write_line(delimited_writer *w, const bench_line *line, size_t columns)
{
    char key[BENCH_KEY_SIZE], id[BENCH_KEY_SIZE];
    size_t length;
    const char *model = bench_key_id(&length, line->key), *last = model + length;
    (void)snprintf(key, sizeof key, "%.*s", (int)(model - line->key) - 1, line->key);
    (void)snprintf(id, sizeof id, "%.*s", (int)length, model);
    delimited_write_words(w, key);
    for (size_t s = 0; s < EVAL_SCORES; s++) {
        delimited_write_number(w, scone_scores_get(&line->scores, s));
    }
    delimited_write_number(w, line->seconds);
    delimited_write_words(w, id);
    delimited_write_words(w, line->commit);
    delimited_write_words(w, status_names[line->status]);
    if (*line->reason) {
        delimited_write_text(w, line->reason);
    } else {
        delimited_write_words(w, "");
    }
    if (columns > COLUMNS) delimited_write_words(w, *last ? last + 1 : ",,,");
    delimited_write_end(w);
}

scone_status bench_lines_write(const bench_lines *lines, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *stream = NULL;
    TRY(output_open(&stream, path));
    delimited_writer w = delimited_write_start(stream, ',');
    size_t columns = COLUMNS;
    for (size_t i = 0; i < lines->count; i++) {
        size_t length;
        const char *id = bench_key_id(&length, lines->items[i].key);
        if (id[length]) columns = ALL_COLUMNS;
    }
    for (size_t c = 0; c < columns; c++) delimited_write_words(&w, column_name(c));
    delimited_write_end(&w);
    for (size_t i = 0; i < lines->count; i++) write_line(&w, &lines->items[i], columns);
    TRY(w.out.status);
    TRY(output_commit(&stream));
cleanup:
    output_discard(stream);
    return status;
}
