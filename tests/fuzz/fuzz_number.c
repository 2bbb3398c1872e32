/* fuzz_number.c - any bytes as a number, against the C library: what number_parse accepts means the
 * same to strtod, and what it writes reads back to the same bits. */
#include "text/number/number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    double value = 0.0, again = 0.0;
    number_kind kind = number_parse(&value, bytes, bytes + size);
    if (kind != NUMBER_BAD) {
        char *text = malloc(size + 1);
        if (!text) return 0;
        memcpy(text, data, size);
        text[size] = '\0';
        char *end;
        double expected = strtod(text, &end);
        if (end != text + size || memcmp(&value, &expected, sizeof value) != 0) abort();
        if ((kind == NUMBER_OVERFLOW) != (isinf(expected) != 0)) abort();
        free(text);
    }
    if (size >= sizeof value) memcpy(&value, data, sizeof value);
    char out[NUMBER_TEXT_SIZE];
    size_t length = number_format(out, value);
    if (!isfinite(value)) return 0;
    if (number_parse(&again, out, out + length) != NUMBER_OK) abort();
    if (memcmp(&again, &value, sizeof value) != 0) abort();
    return 0;
}
