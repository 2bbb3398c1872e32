/* npy_write.c - writing NumPy's array files, version 1.0 (see npy.h).
 *
 * Like NumPy, the header is padded with spaces to end with a line break at a multiple of 64 bytes,
 * so that the values are aligned when the file is mapped into memory. Cost O(values).
 */
#include "io/npy.h"

#include "io/file.h"

#include <string.h>

enum { ALIGNMENT = 64, HEADER_ROOM = 256, CHUNK_VALUES = 32768 };

static scone_status write_header(output_file *stream, size_t rows, size_t columns, bool fortran)
{
    char header[HEADER_ROOM];
    memcpy(header, "\x93NUMPY\1\0", 8);
    int length = snprintf(header + 10, sizeof header - 10,
                          "{'descr': '<f8', 'fortran_order': %s, 'shape': (%zu, %zu), }",
                          fortran ? "True" : "False", rows, columns);
    if (length < 0) return RAISE(SCONE_ERR_DEFECT, "internal error: the NPY header is too long");
    size_t size = 10 + (size_t)length + 1; /* with the line break */
    size_t padded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(header + size - 1, ' ', padded - size);
    header[padded - 1] = '\n';
    header[8] = (char)((padded - 10) & 255);
    header[9] = (char)((padded - 10) >> 8);
    return output_write(stream, header, padded);
}

/* values to little-endian bytes, in place */
static void to_little_endian(double *values, size_t count)
{
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) return;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits = __builtin_bswap64(bits);
        memcpy(&values[i], &bits, sizeof bits);
    }
}

/* Values first .. first + count - 1 of the row-major array. Within whole rows the columns are
 * walked one after the other, so that the reads are contiguous. */
static void gather_rows(double *out, const double *values, size_t rows, size_t columns,
                        size_t first, size_t count)
{
    size_t row = first / columns, column = first % columns;
    if (column != 0 || count < columns) {
        for (size_t j = 0; j < count; j++) out[j] = values[row + rows * (column + j)];
        return;
    }
    size_t block = count / columns;
    for (size_t j = 0; j < columns; j++) {
        const double *in = values + rows * j + row;
        for (size_t r = 0; r < block; r++) out[r * columns + j] = in[r];
    }
}

scone_status npy_write(struct output_file *stream, const double *values, size_t rows,
                       size_t columns, bool fortran)
{
    scone_status status = SCONE_OK;
    double *block = NULL;
    size_t count = 0;
    if (!size_multiply(&count, rows, columns)) FAIL_DEFECT("an array larger than memory");
    TRY(write_header(stream, rows, columns, fortran));
    TRY_ALLOC(block, count < CHUNK_VALUES ? count : CHUNK_VALUES);
    for (size_t done = 0; done < count;) {
        size_t size = CHUNK_VALUES;
        if (!fortran && columns <= CHUNK_VALUES) {
            size = CHUNK_VALUES / columns * columns;
        } else if (!fortran && columns - done % columns < size) {
            size = columns - done % columns; /* a part that ends with its row */
        }
        if (size > count - done) size = count - done;
        if (fortran) {
            memcpy(block, values + done, size * sizeof *block);
        } else {
            gather_rows(block, values, rows, columns, done, size);
        }
        to_little_endian(block, size);
        TRY(output_write(stream, block, size * sizeof *block));
        done += size;
    }
cleanup:
    mem_free(block);
    return status;
}
