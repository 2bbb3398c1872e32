/* fuzz_dcdi.c - any bytes are a regime or intervention file, or an error. The first byte gives the
 * number of nodes. */
#include "data/dcdi.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    /* an exact copy, so that a read beyond the text is seen */
    size_t nodes = data[0], length = size - 1, count, distinct;
    char *text = mem_alloc(length, 1);
    bool *targets = mem_zero(nodes, sizeof *targets);
    unsigned char *rows = NULL;
    if (!text || !targets) abort();
    for (size_t i = 0; i < length; i++) text[i] = (char)data[i + 1];

    if (dcdi_parse_regimes(&rows, &count, &distinct, text, length) == SCONE_OK) {
        if (count > length || distinct > 2) abort();
        size_t ones = 0;
        for (size_t i = 0; i < count; i++) ones += rows[i];
        if ((ones > 0) != (distinct > 0)) abort();
    } else if (rows) {
        abort();
    }
    mem_free(rows);
    if (dcdi_parse_interventions(&rows, &count, targets, nodes, text, length) == SCONE_OK) {
        if (count > length) abort();
        size_t ones = 0, named = 0;
        for (size_t i = 0; i < count; i++) ones += rows[i];
        for (size_t i = 0; i < nodes; i++) named += targets[i];
        if ((ones > 0) != (named > 0)) abort();
    } else if (rows) {
        abort();
    }
    mem_free(rows);
    mem_free(targets);
    mem_free(text);
    return 0;
}
