/* printing.h - how results are printed: JSON that remembers whether memory ran out, and aligned
 * text tables.
 */
#ifndef SCONE_CLI_PRINTING_H
#define SCONE_CLI_PRINTING_H

#include "scone.h"

#include <cjson/cJSON.h>

/* ---- JSON ---- */

typedef struct json {
    cJSON *root; /* an object */
    bool failed; /* out of memory while building */
} json;

void json_begin(json *j);
/* Additions to `object` (j->root or one made below). NaN becomes null. Nothing happens after a
 * failure, so a whole document can be built and checked once by json_end. */
void json_number(json *j, cJSON *object, const char *name, double value);
void json_integer(json *j, cJSON *object, const char *name, uint64_t value);
void json_text(json *j, cJSON *object, const char *name, const char *value);
void json_flag(json *j, cJSON *object, const char *name, bool value);
/* All scores of an evaluation as members. */
void json_scores(json *j, cJSON *object, const scone_scores *scores);
cJSON *json_object(json *j, cJSON *object, const char *name);
cJSON *json_array(json *j, cJSON *object, const char *name);
cJSON *json_append_object(json *j, cJSON *array);
void json_append_text(json *j, cJSON *array, const char *value, size_t length);
void json_append_number(json *j, cJSON *array, double value);
/* Prints the document and a line break on stdout and frees it; SCONE_ERR_MEMORY if building
 * failed, which is then reported. */
int json_end(json *j);
/* The same to another stream. */
int json_print(json *j, FILE *stream);

/* ---- text tables ---- */

enum { TABLE_COLUMNS = 16 };

/* Rows of cells, printed with columns as wide as needed: to the left or, as numbers want it, to the
 * right. */
typedef struct text_table {
    char **cells; /* [rows, columns], NULL: empty */
    size_t rows, columns, capacity;
    bool left[TABLE_COLUMNS]; /* to the left? at first only column 0 is */
    bool failed;
} text_table;

void table_begin(text_table *table, size_t columns);
/* The cells of the next row are set by table_cell. */
void table_row(text_table *table);
void table_cell(text_table *table, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "-" for NaN. */
void table_number(text_table *table, size_t column, int digits, double value);
int table_end(text_table *table); /* prints on stdout and frees */
int table_print(text_table *table, FILE *stream);

/* "1 graph", "3 graphs" */
const char *plural(size_t count, const char *one, const char *many);

#endif
