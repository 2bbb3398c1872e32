/* csv.c - the loop over the rows of a table in text (see csv.h and csv_parts.h).
 *
 * A row is first tried as what nearly all rows are: numbers with single delimiters between them,
 * parsed where they lie in the buffer. Anything else - quotes, blanks, missing cells, a row that
 * the buffer cuts - is left to the tokenizer, which also finds the words for what is wrong.
 */
#include "data/csv.h"

#include "base/context.h"
#include "text/number/number.h"
#include "data/csv_parts.h"

#include <math.h>
#include <string.h>

enum { PROGRESS_FROM = 4 * 1024 * 1024 }; /* bytes; smaller files are read in no time */

typedef struct csv_reader {
    csv_text text;
    csv_header header;
    csv_store store;
    row_map origins; /* of the rows in the store */
    delimited_record record;
    arena *memory; /* fields with doubled quotes */
    const char *name;
    scone_read_options options;
    const scone_context *context;
    size_t row; /* of the last record, from 1; blank ones count */
    size_t rows_read, bad_rows, bad_cells;
    size_t bad_row, bad_field; /* where the first missing or infinite cell is */
    csv_cell bad_kind;
    char bad_text[CSV_SHOW_SIZE];
} csv_reader;

/* ---- one row, the careful way ---- */

static bool is_blank(const csv_reader *reader, const char *start, const char *stop)
{
    for (; start < stop; start++) {
        bool blank = *start == ' ' || (*start == '\t' && reader->header.delimiter != '\t');
        if (!blank) return false;
    }
    return true;
}

/* The next record that is not blank, split; *got = false at the end of the text. */
static scone_status next_record(csv_reader *reader, bool *got)
{
    scone_status status = SCONE_OK;
    const char *start, *stop;
    *got = false;
    do {
        reader->row++;
        TRY(csv_text_record(&reader->text, &start, &stop));
        if (!start) return SCONE_OK;
    } while (is_blank(reader, start, stop));
    TRY(csv_text_check(start, (size_t)(stop - start)));
    if (!reader->header.fields) reader->header.delimiter = delimited_detect(start, stop);
    arena_clear(reader->memory);
    TRY(delimited_split(&reader->record, reader->memory, start, stop, reader->header.delimiter));
    *got = true;
cleanup:
    if (status == SCONE_ERR_INPUT && !reader->text.failed) status_prefix("row %zu", reader->row);
    return status;
}

static scone_status raise_ragged(const csv_reader *reader)
{
    size_t got = reader->record.count, expected = reader->header.fields;
    const char *remedy = "give every row as many fields as the header, and put fields that hold "
                         "the delimiter in quotes";
    if (got == expected + 1 && reader->record.fields[got - 1].length == 0) {
        remedy = "remove the delimiter at the end of the row";
    } else if (got == expected + 1 && reader->rows_read == 1) {
        remedy = "name the first column if it holds row names (R's write.table leaves that name "
                 "out; use row.names = FALSE)";
    } else if (got == 1 && expected > 1) {
        remedy = "is the row cut off, or does it use another delimiter than the header?";
    }
    return RAISE(SCONE_ERR_INPUT, "row %zu has %zu field%s, but the header has %zu; %s",
                 reader->row, got, got == 1 ? "" : "s", expected, remedy);
}

static void remember_bad(csv_reader *reader, size_t field, csv_cell kind, delimited_field cell)
{
    if (reader->bad_cells++ > 0) return;
    reader->bad_row = reader->row;
    reader->bad_field = field;
    reader->bad_kind = kind;
    (void)csv_show(reader->bad_text, cell.text, cell.length);
}

/* Turns the split record into values; *bad tells that a cell is missing or infinite. */
static scone_status parse_cells(csv_reader *reader, double *out, delimited_field *label, bool *bad)
{
    const csv_header *header = &reader->header;
    *bad = false;
    for (size_t j = 0; j < header->fields; j++) {
        delimited_field field = reader->record.fields[j];
        csv_cell kind = CSV_NUMBER;
        if (header->roles[j] == CSV_VALUE) {
            kind = csv_cell_parse(out++, field.text, field.length);
        } else if (header->roles[j] == CSV_LABEL) {
            *label = field;
            if (csv_label_missing(field.text, field.length)) kind = CSV_MISSING;
        }
        if (kind == CSV_TEXT) {
            char cell[CSV_SHOW_SIZE], name[CSV_SHOW_SIZE];
            return RAISE(SCONE_ERR_INPUT, "row %zu, column %zu ('%s'): '%s' %s", reader->row, j + 1,
                         csv_show(name, header->names[j], strlen(header->names[j])),
                         csv_show(cell, field.text, field.length),
                         csv_cell_complaint(field.text, field.length));
        }
        if (kind == CSV_NUMBER) continue;
        *bad = true;
        remember_bad(reader, j, kind, field);
    }
    return SCONE_OK;
}

/* Keeps the row written to the store. */
static scone_status keep_row(csv_reader *reader, delimited_field label)
{
    csv_store *store = &reader->store;
    scone_status status =
        table_row_map_add(&reader->origins, store->rows + store->block_rows, reader->row);
    if (status == SCONE_OK && store->labelled) {
        status = csv_store_label(store, label.text, label.length);
    }
    if (status != SCONE_OK) return status;
    if (++store->block_rows < store->block_capacity) return SCONE_OK;
    size_t used = reader->text.consumed + reader->text.begin, expected = 0;
    if (reader->text.total && used) {
        double rows = (double)(store->rows + store->block_rows);
        double guess = rows * ((double)reader->text.total / (double)used);
        if (guess < 1e15) expected = (size_t)guess;
    }
    return csv_store_flush(store, expected);
}

static scone_status careful_row(csv_reader *reader, bool *got)
{
    scone_status status = SCONE_OK;
    delimited_field label = {"", 0, false};
    bool bad;
    TRY(next_record(reader, got));
    if (!*got) return SCONE_OK;
    reader->rows_read++;
    if (reader->record.count != reader->header.fields) TRY(raise_ragged(reader));
    TRY(parse_cells(reader, csv_store_row(&reader->store), &label, &bad));
    reader->bad_rows += bad;
    if (!bad || reader->options.na == SCONE_NA_KEEP) TRY(keep_row(reader, label));
cleanup:
    return status;
}

/* ---- the whole table ---- */

static scone_status read_header(csv_reader *reader, const char *label_column)
{
    scone_status status = SCONE_OK;
    bool got;
    TRY(csv_header_preamble(&reader->text));
    TRY(next_record(reader, &got));
    if (!got)
        FAIL(SCONE_ERR_INPUT, "the file has only blank lines; a table needs a header and rows");
    reader->header.row = reader->row;
    TRY(csv_header_build(&reader->header, &reader->record, label_column));
    size_t left_out = 0;
    for (size_t j = 0; j < reader->header.fields; j++) {
        left_out += reader->header.roles[j] == CSV_INDEX;
    }
    if (left_out) {
        context_log(reader->context, SCONE_NOTE,
                    "%s: left out the first %s, a row index without a name", reader->name,
                    left_out == 1 ? "column" : "columns");
    }
cleanup:
    return status;
}

static scone_status report_progress(const csv_reader *reader, size_t *reported)
{
    const csv_text *text = &reader->text;
    size_t done = text->consumed + text->begin;
    if (text->total < PROGRESS_FROM || done - *reported < PROGRESS_FROM / 4) return SCONE_OK;
    *reported = done;
    double share = (double)done / (double)text->total;
    return context_progress(reader->context, "read", share < 1.0 ? share : 1.0);
}

static scone_status read_rows(csv_reader *reader)
{
    scone_status status = SCONE_OK;
    csv_text *text = &reader->text;
    const csv_quick quick = csv_quick_choose();
    size_t reported = 0;
    bool got = true;
    while (got) {
        const char *end = text->bytes + text->end, *next;
        delimited_field label = {"", 0, false};
        while ((next = quick(&reader->header, csv_store_row(&reader->store), &label,
                             text->bytes + text->begin, end))) {
            text->begin = (size_t)(next - text->bytes);
            reader->row++;
            reader->rows_read++;
            TRY(keep_row(reader, label));
        }
        TRY(report_progress(reader, &reported));
        TRY(careful_row(reader, &got));
    }
cleanup:
    return status;
}

/* What the rows that could not be used mean, by the options. */
static scone_status judge(const csv_reader *reader)
{
    scone_na na = reader->options.na;
    size_t kept = na == SCONE_NA_KEEP ? reader->rows_read : reader->rows_read - reader->bad_rows;
    if (reader->bad_cells && na != SCONE_NA_KEEP) {
        const char *name = reader->header.names[reader->bad_field];
        char shown[CSV_SHOW_SIZE], where[2 * CSV_SHOW_SIZE + 80];
        (void)snprintf(where, sizeof where, "row %zu, column %zu ('%s')", reader->bad_row,
                       reader->bad_field + 1, csv_show(shown, name, strlen(name)));
        if (na == SCONE_NA_ERROR) {
            return RAISE(SCONE_ERR_INPUT,
                         "%s: the cell is %s ('%s'); %zu such %s in %zu of %zu %s; put "
                         "numbers there, or remove such rows with --na drop",
                         where, reader->bad_kind == CSV_MISSING ? "missing" : "infinite",
                         reader->bad_text, reader->bad_cells,
                         reader->bad_cells == 1 ? "cell" : "cells", reader->bad_rows,
                         reader->rows_read, reader->rows_read == 1 ? "row" : "rows");
        }
        context_log(reader->context, SCONE_NOTE,
                    "%s: removed %zu of %zu rows with missing or infinite cells, the first at %s",
                    reader->name, reader->bad_rows, reader->rows_read, where);
    }
    if (kept > 0 || reader->options.allow_empty) return SCONE_OK;
    if (reader->rows_read > 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "no rows are left: all %zu have missing or infinite cells; fill them in or "
                     "remove the columns that hold them",
                     reader->rows_read);
    }
    return RAISE(SCONE_ERR_INPUT, "the table has a header but no rows; add at least one");
}

static scone_status build_table(csv_reader *reader, scone_table **out, char ***labels)
{
    scone_status status = SCONE_OK;
    csv_header *header = &reader->header;
    scone_table *t = NULL;
    char **names = NULL;
    TRY_ZERO(t, 1);
    TRY_ZERO(names, header->columns);
    TRY(csv_store_finish(&reader->store, &t->values, &t->rows, labels));
    if (reader->text.file) TRY(input_list_note(&t->inputs, reader->text.file));
    t->origins = reader->origins;
    reader->origins = (row_map){0};
    t->names = names;
    names = NULL;
    for (size_t j = 0; j < header->fields; j++) {
        if (header->roles[j] != CSV_VALUE) continue;
        t->names[t->columns++] = header->names[j];
        header->names[j] = NULL;
    }
    *out = t;
    t = NULL;
cleanup:
    mem_free(names);
    scone_table_free(t);
    return status;
}

/* Reads what reader->text is a window on, and frees the reader. */
static scone_status run(csv_reader *reader, scone_table **out, char ***labels,
                        const char *label_column, size_t chunk)
{
    scone_status status = SCONE_OK;
    TRY(csv_text_start(&reader->text, chunk));
    TRY(arena_alloc(&reader->memory, 0));
    TRY(read_header(reader, label_column));
    TRY(csv_store_start(&reader->store, reader->header.columns, label_column != NULL));
    TRY(read_rows(reader));
    TRY(judge(reader));
    TRY(build_table(reader, out, labels));
cleanup:
    csv_store_free(&reader->store);
    mem_free(reader->origins.segments);
    csv_header_free(&reader->header);
    delimited_record_free(&reader->record);
    arena_free(reader->memory);
    csv_text_free(&reader->text);
    return status;
}

static scone_status read_file(scone_table **out, char ***labels, const char *label_column,
                              const char *path, const scone_read_options *options,
                              const scone_context *context)
{
    csv_reader reader = {.name = path, .context = context};
    if (options) reader.options = *options;
    *out = NULL;
    scone_status status = input_open(&reader.text.file, path);
    if (status != SCONE_OK) return status; /* the message names the file */
    reader.text.total = input_size_hint(reader.text.file);
    status = run(&reader, out, labels, label_column, 0);
    if (status == SCONE_ERR_INPUT && !reader.text.failed) status_prefix("%s", path);
    return status;
}

scone_status csv_read(scone_table **out, const char *path, const scone_read_options *options,
                      const scone_context *context)
{
    return read_file(out, NULL, NULL, path, options, context);
}

scone_status csv_read_labelled(scone_table **out, char ***labels, const char *label_column,
                               const char *path, const scone_read_options *options,
                               const scone_context *context)
{
    *labels = NULL;
    return read_file(out, labels, label_column, path, options, context);
}

scone_status csv_parse(scone_table **out, char ***labels, const char *label_column,
                       const char *bytes, size_t size, size_t chunk,
                       const scone_read_options *options, const scone_context *context)
{
    csv_reader reader = {.name = "the table", .context = context};
    if (options) reader.options = *options;
    *out = NULL;
    if (labels) *labels = NULL;
    reader.text.memory = bytes;
    reader.text.memory_end = bytes + size;
    reader.text.total = size;
    return run(&reader, out, labels, label_column, chunk);
}
