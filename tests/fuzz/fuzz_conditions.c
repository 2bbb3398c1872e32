/* fuzz_conditions.c - any bytes as a request and one long table: an error, or conditions whose rows
 * are those of the table, each in one of them at most. The first line is the request.
 */
#include "data/conditions/conditions.h"
#include "data/csv.h"
#include "data/labelled.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_message(scone_status status)
{
    if (status != SCONE_ERR_INPUT || !scone_error_message()[0]) abort();
}

static void look_at(const scone_conditions *c, size_t rows, size_t columns)
{
    size_t sum = 0;
    if (c->count < 1 || c->count > CONDITIONS_MOST) abort();
    for (size_t k = 0; k <= c->count; k++) {
        const scone_table *t = c->tables[k];
        if (t->columns != columns || t->rows == 0 || !c->names[k][0]) abort();
        sum += t->rows;
        for (size_t j = k + 1; j <= c->count; j++) {
            if (strcmp(c->names[k], c->names[j]) == 0) abort();
        }
    }
    if (sum > rows) abort();
}

static void read_long(const char *request, const char *bytes, size_t size)
{
    char *column = NULL, **labels = NULL;
    scone_table *t = NULL;
    scone_conditions *c = NULL;
    scone_status status = conditions_request_column(&column, request);
    if (status != SCONE_OK) {
        expect_message(status);
        return;
    }
    status = csv_parse(&t, &labels, column, bytes, size, 0, NULL, NULL);
    if (status == SCONE_OK) {
        size_t rows = t->rows, columns = t->columns;
        status = conditions_divide(&c, t, labels, request, NULL);
        if (status == SCONE_OK) look_at(c, rows, columns);
        labelled_free(labels, rows);
    }
    if (status != SCONE_OK) expect_message(status);
    scone_conditions_free(c);
    mem_free(column);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    if (!end) return 0;
    size_t length = (size_t)(end - data);
    char *request = mem_copy_text((const char *)data, length);
    if (!request) return 0;
    read_long(request, (const char *)end + 1, size - length - 1);
    mem_free(request);
    return 0;
}
