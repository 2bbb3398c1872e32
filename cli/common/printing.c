/* printing.c - JSON and aligned text tables (see printing.h). */
#include "printing.h"

#include "labels.h"
#include "launch.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

void json_begin(json *j)
{
    j->root = cJSON_CreateObject();
    j->failed = j->root == NULL;
}

static void json_add(json *j, cJSON *object, const char *name, cJSON *item)
{
    if (item && !j->failed && cJSON_AddItemToObject(object, name, item)) return;
    cJSON_Delete(item);
    j->failed = true;
}

static void json_append(json *j, cJSON *array, cJSON *item)
{
    if (item && !j->failed && cJSON_AddItemToArray(array, item)) return;
    cJSON_Delete(item);
    j->failed = true;
}

void json_number(json *j, cJSON *object, const char *name, double value)
{
    json_add(j, object, name, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void json_scores(json *j, cJSON *object, const scone_scores *scores)
{
    const char *name;
    for (size_t s = 0; (name = scone_scores_name(s)) != NULL; s++) {
        json_number(j, object, name, scone_scores_get(scores, s));
    }
}

void json_integer(json *j, cJSON *object, const char *name, uint64_t value)
{
    char text[24]; /* as digits: a double would round above 2^53 */
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    json_add(j, object, name, cJSON_CreateRaw(text));
}

void json_text(json *j, cJSON *object, const char *name, const char *value)
{
    json_add(j, object, name, cJSON_CreateString(value));
}

void json_flag(json *j, cJSON *object, const char *name, bool value)
{
    json_add(j, object, name, cJSON_CreateBool(value));
}

cJSON *json_object(json *j, cJSON *object, const char *name)
{
    cJSON *item = cJSON_CreateObject();
    json_add(j, object, name, item);
    return j->failed ? NULL : item;
}

cJSON *json_array(json *j, cJSON *object, const char *name)
{
    cJSON *item = cJSON_CreateArray();
    json_add(j, object, name, item);
    return j->failed ? NULL : item;
}

cJSON *json_append_object(json *j, cJSON *array)
{
    cJSON *item = cJSON_CreateObject();
    json_append(j, array, item);
    return j->failed ? NULL : item;
}

void json_append_text(json *j, cJSON *array, const char *value, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) {
        j->failed = true;
        return;
    }
    memcpy(copy, value, length);
    copy[length] = '\0';
    json_append(j, array, cJSON_CreateString(copy));
    free(copy);
}

void json_append_number(json *j, cJSON *array, double value)
{
    json_append(j, array, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static int out_of_memory(void)
{
    complain("out of memory while printing the result");
    return SCONE_ERR_MEMORY;
}

int json_end(json *j)
{
    return json_print(j, stdout);
}

int json_print(json *j, FILE *stream)
{
    char *text = j->failed ? NULL : cJSON_Print(j->root);
    if (text) {
        (void)fputs(text, stream);
        (void)fputc('\n', stream);
    }
    cJSON_free(text);
    cJSON_Delete(j->root);
    j->root = NULL;
    return text ? SCONE_OK : out_of_memory();
}

/* ---- text tables ---- */

void table_begin(text_table *table, size_t columns)
{
    *table = (text_table){.columns = columns, .left = {true}};
}

void table_row(text_table *table)
{
    if (table->rows == table->capacity) {
        size_t grown = table->capacity ? 2 * table->capacity : 16;
        char **cells = NULL;
        if (grown < SIZE_MAX / sizeof *cells / TABLE_COLUMNS) {
            cells = realloc(table->cells, grown * table->columns * sizeof *cells);
        }
        if (!cells) {
            table->failed = true;
            return;
        }
        table->cells = cells;
        table->capacity = grown;
    }
    for (size_t c = 0; c < table->columns; c++)
        table->cells[table->rows * table->columns + c] = NULL;
    table->rows++;
}

void table_cell(text_table *table, size_t column, const char *format, ...)
{
    if (table->failed) return;
    va_list list;
    char **cell = &table->cells[(table->rows - 1) * table->columns + column];
    free(*cell);
    va_start(list, format);
    if (vasprintf(cell, format, list) < 0) {
        *cell = NULL;
        table->failed = true;
    }
    va_end(list);
}

void table_number(text_table *table, size_t column, int digits, double value)
{
    if (isnan(value)) {
        table_cell(table, column, "-");
    } else {
        table_cell(table, column, "%.*f", digits, value);
    }
}

int table_end(text_table *table)
{
    return table_print(table, stdout);
}

static void print_cell(FILE *stream, const text_table *table, size_t c, const size_t *width)
{
    size_t column = c % table->columns;
    const char *text = table->cells[c] ? table->cells[c] : "";
    int padding = (int)(width[column] - labels_width(text));
    bool last = column + 1 == table->columns;
    if (column) (void)fputs("  ", stream);
    if (table->left[column]) {
        (void)fprintf(stream, "%s%*s", text, last ? 0 : padding, "");
    } else {
        (void)fprintf(stream, "%*s%s", padding, "", text);
    }
    if (last) (void)fputc('\n', stream);
}

int table_print(text_table *table, FILE *stream)
{
    size_t width[TABLE_COLUMNS] = {0}, cells = table->rows * table->columns;
    for (size_t c = 0; c < cells; c++) {
        size_t w = table->cells[c] ? labels_width(table->cells[c]) : 0;
        if (w > width[c % table->columns]) width[c % table->columns] = w;
    }
    for (size_t c = 0; c < cells; c++) {
        if (!table->failed) print_cell(stream, table, c, width);
        free(table->cells[c]);
    }
    free(table->cells);
    return table->failed ? out_of_memory() : SCONE_OK;
}

const char *plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}
