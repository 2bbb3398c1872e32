/* fuzz_npy.c - any bytes are an NPY array whose values can all be read, or an error. */
#include "io/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    npy_array array;
    if (npy_parse(&array, data, size) != SCONE_OK) {
        if (array.values || array.rows || array.columns) abort();
        return 0;
    }
    double sum = 0.0; /* under the memory sanitizers, every value must have been written */
    for (size_t i = 0; i < array.rows * array.columns; i++) sum += array.values[i] > 0.0;
    if (sum > (double)size) abort(); /* no type has more values than bytes */
    mem_free(array.values);
    return 0;
}
