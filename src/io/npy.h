/* npy.h - NumPy's array files (format versions 1.0, 2.0 and 3.0), one or two dimensions, read and
 * written without trusting any number in the header.
 */
#ifndef SCONE_IO_NPY_H
#define SCONE_IO_NPY_H

#include "base/memory.h"
#include "io/file.h"

enum { NPY_HEADER_LIMIT = 10000 };

/* Values are column-major doubles, value[row + rows * column], whatever the file's order, type
 * (bool, signed and unsigned integers, float16, float32, float64) and byte order. A one-dimensional
 * array is one column. There is at least one column; rows may be 0, which is the caller's to judge.
 * Owned by the caller; values are 64-byte aligned; free them with mem_free. */
typedef struct npy_array {
    size_t rows, columns;
    double *values;
} npy_array;

/* From memory (the fuzz target) and from a file, which is noted in `inputs` unless that is NULL;
 * messages do not name the file in the first. */
scone_status npy_parse(npy_array *array, const unsigned char *bytes, size_t size);
scone_status npy_read(npy_array *array, const char *path, input_list *inputs);
/* Is this a regular file that starts like an NPY file, compressed or not? Pipes are not looked at,
 * since what is read from them is gone. */
scone_status npy_is_file(bool *npy, const char *path);

/* Writes float64, little-endian, Fortran order if `fortran`, else C order, from column-major
 * values. `stream` is an output file (file.h). */
struct output_file;
scone_status npy_write(struct output_file *stream, const double *values, size_t rows,
                       size_t columns, bool fortran);

#endif
