/* fuzz_knowledge.c - any bytes are a knowledge file or an error; what compiles over a few columns
 * has no cycle and no edge that is both required and forbidden.
 */
#include "decode/knowledge.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"A", "B", "C", "D", "two words", "tier", "target", "#1"};
enum { NAMES = sizeof names / sizeof *names };
static const char *const doses[] = {"low", "high", "2 mg", "a@b", "#2"};
enum { DOSES = sizeof doses / sizeof *doses };

/* Is there a path of required edges from one node to another, `steps` at most? */
static int reaches(const knowledge *k, size_t from, size_t to, int steps)
{
    for (size_t j = 0; j < NAMES && steps > 0; j++) {
        if (!knowledge_requires(k, from, j)) continue;
        if (j == to || reaches(k, j, to, steps - 1)) return 1;
    }
    return 0;
}

/* What holds in all conditions holds in each. */
static void check_targets(const knowledge *k, size_t node)
{
    for (size_t c = 0; c < k->conditions; c++) {
        const knowledge here = knowledge_in(k, c);
        signed char known = here.targets[node];
        if (known < -1 || known > 1) abort();
        if (k->targets[node] != 0 && known != k->targets[node]) abort();
    }
}

static void check(const knowledge *k)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (reaches(k, i, i, NAMES)) abort();
        check_targets(k, i);
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
    knowledge *k = NULL, *two = NULL;
    const knowledge_names dosed = {names, NAMES, doses, DOSES, "none"};
    const knowledge_names changed = {names, NAMES, doses, 1, NULL};
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    scone_status status = knowledge_parse(&file, text, size);
    mem_free(text);
    if (status == SCONE_OK && knowledge_compile(&k, &file, &dosed) == SCONE_OK) check(k);
    /* one condition is two tables: what is refused there but for its names is refused here */
    if (status == SCONE_OK && knowledge_compile(&two, &file, &changed) == SCONE_OK) {
        if (!k || two->condition_targets) abort();
        check(two);
    }
    knowledge_free(two);
    knowledge_free(k);
    knowledge_file_free(&file);
    return 0;
}
