/* fuzz_dcdi.c - any bytes are a regime or intervention file, or an error. The first byte gives the
 * number of nodes. The text is taken for each of the two, and, cut at its first empty line but one,
 * for both at once, whose targets by regime are those of all rows. */
#include "data/dcdi.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Regimes by number, each row in its own. */
static void check_numbers(const dcdi_regimes *n, const uint64_t *regimes)
{
    for (size_t k = 0; k < n->count; k++) {
        if (n->numbers[k] == 0 || (k > 0 && n->numbers[k] <= n->numbers[k - 1])) abort();
    }
    for (size_t r = 0; r < n->rows; r++) {
        if ((n->of_row[r] == SIZE_MAX) != (regimes[r] == 0)) abort();
        if (n->of_row[r] != SIZE_MAX && n->of_row[r] >= n->count) abort();
        if (n->of_row[r] != SIZE_MAX && n->numbers[n->of_row[r]] != regimes[r]) abort();
    }
}

static void look_at_regimes(const char *text, size_t length)
{
    uint64_t *regimes = NULL;
    dcdi_regimes numbers;
    size_t count;
    if (dcdi_parse_regimes(&regimes, &count, text, length) == SCONE_OK) {
        if (count > length) abort();
        if (dcdi_regimes_number(&numbers, regimes, count) != SCONE_OK) abort();
        check_numbers(&numbers, regimes);
        dcdi_regimes_free(&numbers);
    } else if (regimes) {
        abort();
    }
    mem_free(regimes);
}

/* The targets by regime, joined, are those of all rows. */
static void compare(const bool *by_regime, const dcdi_regimes *n, const char *text, size_t length,
                    size_t nodes)
{
    bool *targets = mem_zero(nodes, sizeof *targets);
    unsigned char *rows = NULL;
    size_t count;
    if (!targets) abort();
    if (dcdi_parse_interventions(&rows, &count, targets, nodes, text, length) != SCONE_OK) abort();
    for (size_t i = 0; i < nodes; i++) {
        bool any = false;
        for (size_t k = 0; k < n->count; k++) any = any || by_regime[k * nodes + i];
        if (any != targets[i]) abort();
    }
    mem_free(rows);
    mem_free(targets);
}

static void look_at_both(const char *text, size_t length, size_t nodes)
{
    size_t cut = 0, count;
    while (cut + 1 < length && (text[cut] != '\n' || text[cut + 1] != '\n')) cut++;
    if (cut + 2 > length) return;
    uint64_t *regimes = NULL;
    dcdi_regimes numbers = {0};
    if (dcdi_parse_regimes(&regimes, &count, text, cut + 1) == SCONE_OK) {
        if (dcdi_regimes_number(&numbers, regimes, count) != SCONE_OK) abort();
        const char *rest = text + cut + 2;
        size_t size = length - cut - 2;
        bool *targets = mem_zero(numbers.count * nodes + 1, sizeof *targets);
        if (!targets) abort();
        if (dcdi_parse_row_targets(targets, nodes, &numbers, rest, size) == SCONE_OK) {
            compare(targets, &numbers, rest, size, nodes);
        }
        mem_free(targets);
    }
    dcdi_regimes_free(&numbers);
    mem_free(regimes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    /* an exact copy, so that a read beyond the text is seen */
    size_t nodes = data[0], length = size - 1, count;
    char *text = mem_alloc(length, 1);
    bool *targets = mem_zero(nodes, sizeof *targets);
    unsigned char *rows = NULL;
    if (!text || !targets) abort();
    for (size_t i = 0; i < length; i++) text[i] = (char)data[i + 1];

    look_at_regimes(text, length);
    look_at_both(text, length, nodes);
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
