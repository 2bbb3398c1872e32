/* fuzz_csv.c - any bytes as a table: an error or a table, and the same one however the buffer cuts
 * the text. The first byte picks the options. */
#include "base/memory.h"
#include "data/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    scone_status status;
    scone_table *table;
    char **labels;
    char message[2048];
} outcome;

static outcome parse(const char *bytes, size_t size, size_t chunk, unsigned choice)
{
    scone_read_options options = {(scone_na)(choice % 3), choice & 4};
    outcome o = {0};
    bool labelled = choice & 8;
    o.status = csv_parse(&o.table, labelled ? &o.labels : NULL, labelled ? "g" : NULL, bytes, size,
                         chunk, &options, NULL);
    if (o.status == SCONE_OK) return o;
    (void)strncpy(o.message, scone_error_message(), sizeof o.message - 1);
    if (o.table || o.labels || !o.message[0] || o.status != SCONE_ERR_INPUT) abort();
    return o;
}

static void release(outcome *o)
{
    if (o->labels) {
        for (size_t i = 0; i < o->table->rows; i++) mem_free(o->labels[i]);
        mem_free(o->labels);
    }
    scone_table_free(o->table);
}

static void compare(const outcome *a, const outcome *b)
{
    if (a->status != b->status || strcmp(a->message, b->message) != 0) abort();
    if (a->status != SCONE_OK) return;
    const scone_table *s = a->table, *t = b->table;
    if (s->rows != t->rows || s->columns != t->columns) abort();
    for (size_t j = 0; j < s->columns; j++) {
        if (strcmp(s->names[j], t->names[j]) != 0) abort();
        size_t bytes = s->rows * sizeof(double);
        if (bytes && memcmp(table_column(s, j), table_column(t, j), bytes) != 0) abort();
    }
    for (size_t i = 0; a->labels && i < s->rows; i++) {
        if (strcmp(a->labels[i], b->labels[i]) != 0) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const char *bytes = (const char *)data + 1;
    outcome whole = parse(bytes, size - 1, size, data[0]);
    outcome cut = parse(bytes, size - 1, 1 + data[0] / 16, data[0]);
    compare(&whole, &cut);
    release(&whole);
    release(&cut);
    return 0;
}
