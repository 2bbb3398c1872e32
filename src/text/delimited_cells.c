/* delimited_cells.c - a small delimited file as text cells (see delimited_cells.h). */
#include "text/delimited_cells.h"

#include "io/file.h"

#include <string.h>

enum { CELLS_LIMIT = 1 << 28 }; /* bytes; enough for the probabilities of 4,000 nodes */

void delimited_cells_free(cell_table *table)
{
    mem_free(table->cells);
    mem_free(table->lines);
    mem_free(table->bytes);
    arena_free(table->memory);
    *table = (cell_table){0};
}

const delimited_field *delimited_cells_get(const cell_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->columns + column];
}

char *delimited_cells_copy(const cell_table *table, size_t row, size_t column)
{
    const delimited_field *field = delimited_cells_get(table, row, column);
    return mem_copy_text(field->text, field->length);
}

bool delimited_field_equals(const delimited_field *field, const char *text)
{
    return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

/* Room for one more element, in memory that doubles; false with the failure raised. */
static bool grow(void **block, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) return true;
    size_t grown = needed;
    if (*capacity > needed / 2 && !size_multiply(&grown, *capacity, 2)) grown = needed;
    void *more = mem_resize(*block, grown, size);
    if (!more) return false;
    *block = more;
    *capacity = grown;
    return true;
}

/* How much `cells` and `lines` of a table can hold while it is being read. */
typedef struct cell_room {
    size_t cells, lines;
} cell_room;

/* Appends a record's cells as one row. */
static scone_status cells_append(cell_table *table, cell_room *room, const delimited_record *record,
                                 size_t line)
{
    if (table->rows == 0) table->columns = record->count;
    if (record->count != table->columns) {
        return RAISE(SCONE_ERR_INPUT,
                     "row %zu has %zu cells where the header has %zu; every row needs as many "
                     "cells as the header",
                     line, record->count, table->columns);
    }
    size_t cells;
    if (!size_multiply(&cells, table->rows + 1, table->columns)) {
        return RAISE(SCONE_ERR_MEMORY, "out of memory: too many cells");
    }
    void *fields = table->cells, *lines = table->lines;
    bool fits = grow(&fields, &room->cells, cells, sizeof *table->cells);
    table->cells = fields;
    fits = fits && grow(&lines, &room->lines, table->rows + 1, sizeof *table->lines);
    table->lines = lines;
    if (!fits) return SCONE_ERR_MEMORY;
    memcpy(table->cells + table->rows * table->columns, record->fields,
           table->columns * sizeof *record->fields);
    table->lines[table->rows++] = line;
    return SCONE_OK;
}

static bool is_blank(const char *text, const char *end)
{
    while (text < end && (*text == ' ' || *text == '\t')) text++;
    return text == end;
}

static scone_status read_rows(cell_table *table, const char *text, const char *end)
{
    scone_status status = SCONE_OK;
    delimited_record record = {0};
    char delimiter = '\0';
    cell_room room = {0};
    TRY(delimited_skip_mark(&text, end));
    for (size_t line = 1; text < end; line++) {
        const char *next = end;
        bool open_quote = false;
        const char *stop = delimited_record_end(text, end, true, &next, &open_quote);
        if (open_quote || !stop) {
            FAIL(SCONE_ERR_INPUT, "row %zu: a quote is opened and never closed", line);
        }
        if (!is_blank(text, stop)) {
            if (!delimiter) delimiter = delimited_detect(text, stop);
            status = delimited_split(&record, table->memory, text, stop, delimiter);
            if (status != SCONE_OK) {
                status_prefix("row %zu", line);
                goto cleanup;
            }
            TRY(cells_append(table, &room, &record, line));
        }
        text = next;
    }
    if (table->rows == 0) FAIL(SCONE_ERR_INPUT, "the file is empty; it needs a header");
cleanup:
    delimited_record_free(&record);
    return status;
}

scone_status delimited_cells_parse(cell_table *table, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    *table = (cell_table){0};
    TRY(arena_alloc(&table->memory, 0));
    TRY(read_rows(table, text, text + size));
cleanup:
    if (status != SCONE_OK) delimited_cells_free(table);
    return status;
}

scone_status delimited_cells_read(cell_table *table, const char *path)
{
    char *bytes;
    size_t size;
    *table = (cell_table){0};
    scone_status status = file_read_all(&bytes, &size, path, CELLS_LIMIT);
    if (status != SCONE_OK) return status;
    status = delimited_cells_parse(table, bytes, size);
    if (status != SCONE_OK) {
        status_prefix("%s", path);
        mem_free(bytes);
        return status;
    }
    table->bytes = bytes;
    return SCONE_OK;
}
