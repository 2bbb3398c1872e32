/* cells.c - a small delimited file as text cells (see cells.h). */
#include "eval/cells.h"

#include "base/file.h"

#include <string.h>

enum { CELLS_LIMIT = 1 << 30 }; /* bytes; 1 GiB holds the probabilities of about 8,000 nodes */

void cells_free(cell_table *table)
{
    mem_free(table->cells);
    mem_free(table->lines);
    mem_free(table->bytes);
    arena_free(table->memory);
    *table = (cell_table){0};
}

const delimited_field *cells_get(const cell_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->columns + column];
}

char *cells_copy(const cell_table *table, size_t row, size_t column)
{
    const delimited_field *field = cells_get(table, row, column);
    return mem_copy_text(field->text, field->length);
}

bool field_equals(const delimited_field *field, const char *text)
{
    return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

/* Appends a record's cells as one row; capacity is in rows. */
static scone_status cells_append(cell_table *table, size_t *capacity,
                                 const delimited_record *record, size_t line)
{
    if (table->rows == 0) table->columns = record->count;
    if (record->count != table->columns) {
        return RAISE(SCONE_ERR_INPUT,
                     "row %zu has %zu cells where the header has %zu; every row "
                     "needs as many cells as the header",
                     line, record->count, table->columns);
    }
    if (table->rows == *capacity) {
        size_t grown, cells;
        if (!size_multiply(&grown, *capacity ? *capacity : 8, 2) ||
            !size_multiply(&cells, grown, table->columns)) {
            return RAISE(SCONE_ERR_MEMORY, "out of memory: too many rows");
        }
        delimited_field *more = mem_resize(table->cells, cells, sizeof *more);
        if (!more) return SCONE_ERR_MEMORY;
        table->cells = more;
        size_t *lines = mem_resize(table->lines, grown, sizeof *lines);
        if (!lines) return SCONE_ERR_MEMORY;
        table->lines = lines;
        *capacity = grown;
    }
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

static scone_status cells_parse(cell_table *table, const char *text, const char *end)
{
    scone_status status = SCONE_OK;
    delimited_record record = {0};
    char delimiter = '\0';
    size_t capacity = 0;
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
            TRY(cells_append(table, &capacity, &record, line));
        }
        text = next;
    }
    if (table->rows == 0) FAIL(SCONE_ERR_INPUT, "the file is empty; it needs a header");
cleanup:
    delimited_record_free(&record);
    return status;
}

scone_status cells_read(cell_table *table, const char *path)
{
    scone_status status = SCONE_OK;
    size_t size;
    *table = (cell_table){0};
    TRY(file_read_all(&table->bytes, &size, path, CELLS_LIMIT));
    TRY(arena_alloc(&table->memory, 0));
    status = cells_parse(table, table->bytes, table->bytes + size);
    if (status != SCONE_OK) status_prefix("%s", path);
cleanup:
    if (status != SCONE_OK) cells_free(table);
    return status;
}
