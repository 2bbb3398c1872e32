/* npy_header.h - what the header of an NPY file says about its array.
 *
 * The header is a Python dictionary literal with exactly the keys descr, fortran_order and shape
 * (NumPy's format description, numpy.lib.format). Only that grammar is understood: nothing is
 * evaluated, and whatever is not expected is an error that says so.
 */
#ifndef SCONE_IO_NPY_HEADER_H
#define SCONE_IO_NPY_HEADER_H

#include "base/memory.h"

enum { NPY_TYPE_TEXT_SIZE = 16 };

typedef struct npy_layout {
    char type[NPY_TYPE_TEXT_SIZE]; /* descr as written, for messages */
    char kind;                     /* 'b' bool, 'i' signed, 'u' unsigned, 'f' float */
    size_t bytes;                  /* of one value */
    bool swap;                     /* the file's byte order is not this machine's */
    bool fortran;                  /* the first index runs fastest */
    size_t dimensions;             /* 1 or 2 */
    size_t rows, columns;          /* columns is at least 1 */
    size_t values;                 /* rows * columns */
    size_t data_bytes;             /* values * bytes; values doubles fit a size_t as well */
} npy_layout;

/* Parses the dictionary in text[0 .. length). Allocates nothing. O(length). */
scone_status npy_header_parse(npy_layout *layout, const char *text, size_t length);

#endif
