/* fuzz_knowledge.c - any bytes are a knowledge file or an error; what compiles over a few columns
 * has no cycle and no edge that is both required and forbidden.
 */
#include "decode/knowledge.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"A", "B", "C", "D", "two words", "tier", "target", "#1"};
enum { NAMES = sizeof names / sizeof *names };

/* Is there a path of required edges from one node to another, `steps` at most? */
static int reaches(const knowledge *k, size_t from, size_t to, int steps)
{
    for (size_t j = 0; j < NAMES && steps > 0; j++) {
        if (!knowledge_requires(k, from, j)) continue;
        if (j == to || reaches(k, j, to, steps - 1)) return 1;
    }
    return 0;
}

static void check(const knowledge *k)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (reaches(k, i, i, NAMES)) abort();
        for (size_t j = 0; j < NAMES; j++) {
            if (knowledge_requires(k, i, j) && knowledge_forbids(k, i, j)) abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* an exact copy, so that a read beyond the text is seen */
    char *text = mem_alloc(size, 1);
    knowledge_file file;
    knowledge *k = NULL;
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    scone_status status = knowledge_parse(&file, text, size);
    mem_free(text);
    if (status == SCONE_OK && knowledge_compile(&k, &file, names, NAMES) == SCONE_OK) check(k);
    knowledge_free(k);
    knowledge_file_free(&file);
    return 0;
}
