/* table_write.c - tables to CSV or NPY files.
 *
 * Values lie column by column but text goes row by row, so a tile of rows that fits the second
 * level cache is gathered first; every number is then the shortest text that reads back to the
 * same bits. Cost O(cells), dominated by the digits.
 */
#include "io/file.h"
#include "io/npy.h"
#include "text/number/number.h"
#include "text/write/delimited_write.h"
#include "data/table.h"

#include <string.h>

enum {
    TILE_VALUES = 16384, /* 128 KiB */
    TILE_ROWS = 256,
    TEXT_SIZE = 65536
};

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && memcmp(text + a - b, end, b) == 0;
}

static scone_status write_names(output_file *file, const table *t)
{
    delimited_writer w = delimited_write_start(file, ',');
    for (size_t j = 0; j < t->columns; j++) delimited_write_text(&w, t->names[j]);
    delimited_write_end(&w);
    return w.out.status;
}

/* tile[row][column] = rows first .. first + count - 1 of the table */
static void gather_tile(double *tile, const table *t, size_t first, size_t count)
{
    for (size_t j = 0; j < t->columns; j++) {
        const double *column = table_column(t, j) + first;
        for (size_t r = 0; r < count; r++) tile[r * t->columns + j] = column[r];
    }
}

/* Formats `rows` rows; text is a buffer of TEXT_SIZE bytes. */
static scone_status write_rows(output_file *file, char *text, const double *tile, size_t rows,
                               size_t columns)
{
    scone_status status = SCONE_OK;
    size_t used = 0;
    for (size_t r = 0; r < rows; r++) {
        for (size_t j = 0; j < columns; j++) {
            if (used + NUMBER_TEXT_SIZE + 1 > TEXT_SIZE) {
                TRY(output_write(file, text, used));
                used = 0;
            }
            used += number_format(text + used, tile[r * columns + j]);
            text[used++] = j + 1 < columns ? ',' : '\n';
        }
    }
    TRY(output_write(file, text, used));
cleanup:
    return status;
}

static scone_status write_csv(output_file *file, const table *t)
{
    scone_status status = SCONE_OK;
    double *tile = NULL;
    char *text = NULL;
    if (t->columns == 0) FAIL(SCONE_ERR_INPUT, "a table without columns cannot be written");
    size_t rows = TILE_VALUES / t->columns;
    rows = rows < 1 ? 1 : rows > TILE_ROWS ? TILE_ROWS : rows;
    TRY_ALLOC(tile, rows * t->columns);
    TRY_ALLOC(text, TEXT_SIZE);
    TRY(write_names(file, t));
    for (size_t first = 0; first < t->rows; first += rows) {
        size_t count = t->rows - first < rows ? t->rows - first : rows;
        gather_tile(tile, t, first, count);
        TRY(write_rows(file, text, tile, count, t->columns));
    }
cleanup:
    mem_free(tile);
    mem_free(text);
    return status;
}

scone_status scone_table_write(const scone_table *t, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *file = NULL;
    if (ends_with(path, ".gz")) {
        FAIL(SCONE_ERR_INPUT, "%s: tables are written uncompressed; leave out '.gz'", path);
    }
    TRY(output_open(&file, path));
    if (ends_with(path, ".npy")) {
        TRY(npy_write(file, t->values, t->rows, t->columns, false));
    } else {
        TRY(write_csv(file, t));
    }
    TRY(output_commit(&file));
cleanup:
    output_discard(file);
    return status;
}
