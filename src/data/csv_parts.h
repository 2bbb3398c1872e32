/* csv_parts.h - the parts of the CSV reader (see csv.h), in the order in which text passes them:
 * buffer (csv_text.c), header (csv_header.c), cells (csv_cell.c), rows of plain numbers
 * (csv_quick.c), storage (csv_store.c), and the loop over the rows that joins them (csv.c).
 */
#ifndef SCONE_DATA_CSV_PARTS_H
#define SCONE_DATA_CSV_PARTS_H

#include "text/delimited.h"
#include "io/file.h"
#include "data/table.h"

/* ---- buffer: a window on the text that holds at least one record ---- */

enum {
    CSV_BUFFER = 256 * 1024,
    CSV_RECORD_LIMIT = 256 * 1024 * 1024, /* bytes of one record */
    CSV_COLUMN_LIMIT = 1000000,
    CSV_PADDING = 64 /* zeros after the text in the buffer */
};

typedef struct csv_text {
    input_file *file;                /* NULL: from memory */
    const char *memory, *memory_end; /* what is left of it */
    char *bytes;                     /* owned, with CSV_PADDING zeros after end */
    size_t begin, end, capacity;     /* bytes[begin, end) is not used up */
    size_t limit;                    /* of capacity: CSV_RECORD_LIMIT unless a test lowers it */
    size_t total, consumed;          /* bytes in all (0: unknown), and those moved out of bytes */
    bool finished;                   /* the input has no more */
    bool failed;                     /* by the file itself, whose message names it */
} csv_text;

scone_status csv_text_start(csv_text *text, size_t capacity);
/* Fails if there is a NUL byte. */
scone_status csv_text_check(const char *text, size_t length);
/* Makes room and reads until the buffer is full or the input ends. */
scone_status csv_text_more(csv_text *text);
/* The next record, [*start, *stop) without its line break; *start = NULL at the end of the text.
 * Pointers hold until the next call. */
scone_status csv_text_record(csv_text *text, const char **start, const char **stop);
void csv_text_free(csv_text *text);

/* ---- header: what each field of a row is for ---- */

typedef enum csv_role { CSV_VALUE = 0, CSV_INDEX, CSV_LABEL } csv_role;

typedef struct csv_header {
    size_t fields;  /* in every record */
    size_t columns; /* of them, those with role CSV_VALUE */
    csv_role *roles;
    char **names; /* [fields] */
    size_t row;   /* where the header is */
    char delimiter;
} csv_header;

/* Refuses marks of other encodings and known binary formats; skips a UTF-8 mark. */
scone_status csv_header_preamble(csv_text *text);
/* From the split record; label_column may be NULL. */
scone_status csv_header_build(csv_header *header, const delimited_record *record,
                              const char *label_column);
void csv_header_free(csv_header *header);

/* ---- cells ---- */

typedef enum csv_cell { CSV_NUMBER = 0, CSV_MISSING, CSV_INFINITE, CSV_TEXT } csv_cell;

/* *value is NaN for CSV_MISSING and an infinity for CSV_INFINITE. */
csv_cell csv_cell_parse(double *value, const char *text, size_t length);
/* Like a missing cell, but "none", "." and "?" are labels. */
bool csv_label_missing(const char *text, size_t length);

enum { CSV_SHOW_SIZE = 64 };
/* A copy for messages: cut to about 40 bytes, control characters and broken UTF-8 replaced. */
const char *csv_show(char out[CSV_SHOW_SIZE], const char *text, size_t length);
/* Why this text is no number, as the second half of a sentence, with what to do. */
const char *csv_cell_complaint(const char *text, size_t length);
/* The length of the UTF-8 sequence at text, 0 if it is not a valid one. */
size_t csv_utf8_length(const char *text, const char *end);

/* ---- a row of plain numbers ---- */

/* Parses such a row at `at`, in the buffer of a csv_text that ends at `end`, into out (and label)
 * and returns where the next row starts, or NULL for any other row. */
typedef const char *(*csv_quick)(const csv_header *header, double *out, delimited_field *label,
                                 const char *at, const char *end);
/* The fastest one that this processor can run; all give the same bits. */
csv_quick csv_quick_choose(void);

/* ---- storage ---- */

/* Rows are collected in a small row-major block and moved to the columns together, so that each
 * column is written a few cache lines at a time. */
typedef struct csv_store {
    size_t columns;
    double *block; /* [block_capacity][columns] */
    size_t block_rows, block_capacity;
    double *values; /* [columns][capacity] */
    size_t rows, capacity;
    bool labelled;
    char **labels; /* [rows + block_rows] */
    size_t label_count, label_capacity;
} csv_store;

scone_status csv_store_start(csv_store *store, size_t columns, bool labelled);
/* Where to put the values of the next row. */
static inline double *csv_store_row(const csv_store *store)
{
    return store->block + store->block_rows * store->columns;
}
/* Keeps the row written there. The label is copied; ignored if not labelled. */
scone_status csv_store_label(csv_store *store, const char *text, size_t length);
/* Moves the block to the columns. expected_rows: a guess of the rows in all, 0 if there is none. */
scone_status csv_store_flush(csv_store *store, size_t expected_rows);
/* Makes the columns contiguous and hands values (and labels) over. */
scone_status csv_store_finish(csv_store *store, double **values, size_t *rows, char ***labels);
void csv_store_free(csv_store *store);

#endif
