/* csv_store.c - column-major storage for rows that arrive one by one (see csv_parts.h).
 *
 * The columns are `capacity` apart while reading. The capacity comes from the size of the file and
 * the bytes a row has taken so far, so that it rarely has to grow: growing copies, and for that
 * moment takes memory for the rows twice. Memory beyond the rows read is never touched.
 */
#include "data/csv_parts.h"

#include <string.h>
#include <sys/mman.h>

enum {
    BLOCK_BYTES = 16 * 1024, /* of a usual block: stays in the second-level cache */
    BLOCK_ROWS_MIN = 8,      /* a cache line in each column */
    BLOCK_ROWS_MAX = 512,
    LARGE_PAGE = 2 * 1024 * 1024
};

scone_status csv_store_start(csv_store *store, size_t columns, bool labelled)
{
    scone_status status = SCONE_OK;
    store->columns = columns;
    store->labelled = labelled;
    size_t rows = BLOCK_BYTES / (columns * sizeof(double)), cells;
    if (rows < BLOCK_ROWS_MIN) rows = BLOCK_ROWS_MIN;
    if (rows > BLOCK_ROWS_MAX) rows = BLOCK_ROWS_MAX;
    store->block_capacity = rows;
    if (!size_multiply(&cells, rows, columns)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(store->block, cells);
cleanup:
    return status;
}

scone_status csv_store_label(csv_store *store, const char *text, size_t length)
{
    if (store->label_count == store->label_capacity) {
        size_t capacity = store->label_capacity ? store->label_capacity : 512, doubled;
        if (!size_multiply(&doubled, capacity, 2)) return RAISE(SCONE_ERR_MEMORY, "out of memory");
        char **grown = mem_resize(store->labels, doubled, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        store->labels = grown;
        store->label_capacity = doubled;
    }
    char *copy = mem_copy_text(text, length);
    if (!copy) return SCONE_ERR_MEMORY;
    store->labels[store->label_count++] = copy;
    return SCONE_OK;
}

/* A table is written once from end to end; with large pages that takes a fraction of the faults.
 * Only a wish: where it is not granted nothing changes. */
static void ask_for_large_pages(void *block, size_t bytes)
{
    uintptr_t begin = ((uintptr_t)block + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)block + bytes) & ~(uintptr_t)(LARGE_PAGE - 1);
    if (begin < end)
        (void)madvise((char *)block + (begin - (uintptr_t)block), end - begin, MADV_HUGEPAGE);
}

/* Moves to a block with room for `capacity` rows. */
static scone_status set_capacity(csv_store *store, size_t capacity)
{
    scone_status status = SCONE_OK;
    size_t cells;
    if (!size_multiply(&cells, capacity, store->columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: %zu rows of %zu columns", capacity, store->columns);
    }
    double *values = mem_aligned(cells, sizeof *values);
    if (!values) TRY(SCONE_ERR_MEMORY);
    ask_for_large_pages(values, cells * sizeof *values);
    for (size_t j = 0; j < store->columns && store->rows; j++) {
        memcpy(values + j * capacity, store->values + j * store->capacity,
               store->rows * sizeof *values);
    }
    mem_free(store->values);
    store->values = values;
    store->capacity = capacity;
cleanup:
    return status;
}

scone_status csv_store_flush(csv_store *store, size_t expected_rows)
{
    size_t columns = store->columns, block_rows = store->block_rows, needed;
    if (!size_add(&needed, store->rows, block_rows))
        return RAISE(SCONE_ERR_MEMORY, "out of memory");
    if (needed > store->capacity) {
        /* a margin of 1/32 for rows that turn out shorter; without a guess, double */
        size_t capacity = expected_rows / 32 > SIZE_MAX - expected_rows - 64
                              ? expected_rows
                              : expected_rows + expected_rows / 32 + 64;
        size_t doubled = needed <= SIZE_MAX / 2 ? 2 * needed : needed;
        if (expected_rows < needed) capacity = doubled;
        scone_status status = set_capacity(store, capacity);
        if (status != SCONE_OK) return status;
    }
    for (size_t j = 0; j < columns; j++) {
        double *column = store->values + j * store->capacity + store->rows;
        const double *from = store->block + j;
        for (size_t i = 0; i < block_rows; i++) column[i] = from[i * columns];
    }
    store->rows = needed;
    store->block_rows = 0;
    return SCONE_OK;
}

/* Gives back what was reserved for nothing, if that is much. */
static scone_status trim(csv_store *store)
{
    scone_status status = SCONE_OK;
    size_t cells = store->rows * store->columns; /* less than was allocated */
    if (store->capacity - store->rows <= store->rows / 8) return SCONE_OK;
    double *values = mem_resize(store->values, cells, sizeof *values);
    if (!values) TRY(SCONE_ERR_MEMORY);
    store->values = values;
    if ((uintptr_t)values % 64 != 0) { /* realloc promises less than a table does */
        double *aligned = mem_aligned(cells, sizeof *aligned);
        if (!aligned) TRY(SCONE_ERR_MEMORY);
        memcpy(aligned, values, cells * sizeof *aligned);
        mem_free(values);
        store->values = aligned;
    }
cleanup:
    return status;
}

scone_status csv_store_finish(csv_store *store, double **values, size_t *rows, char ***labels)
{
    scone_status status = SCONE_OK;
    size_t needed;
    if (!size_add(&needed, store->rows, store->block_rows)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    /* also for no rows at all: an empty table has an address, and an empty array of labels */
    if (!store->values || needed > store->capacity) TRY(set_capacity(store, needed));
    if (store->labelled && !store->labels) TRY_ALLOC(store->labels, 1);
    TRY(csv_store_flush(store, 0));
    if (store->rows < store->capacity) {
        for (size_t j = 1; j < store->columns; j++) {
            memmove(store->values + j * store->rows, store->values + j * store->capacity,
                    store->rows * sizeof *store->values);
        }
        TRY(trim(store));
    }
    *values = store->values;
    *rows = store->rows;
    store->values = NULL;
    if (store->labelled) {
        *labels = store->labels;
        store->labels = NULL;
        store->label_count = 0;
    }
cleanup:
    return status;
}

void csv_store_free(csv_store *store)
{
    for (size_t i = 0; i < store->label_count; i++) mem_free(store->labels[i]);
    mem_free(store->labels);
    mem_free(store->block);
    mem_free(store->values);
}
