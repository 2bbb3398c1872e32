/* learner.c - which local learners vote (see learner.h). */
#include "learn/learner.h"

#include "text/text.h"

#include <string.h>

static const char *const names[] = {"polybic", "ges", "search"};
enum { NAMES = sizeof names / sizeof *names };

scone_status learner_parse(unsigned *set, const char *text, size_t length)
{
    const char *end = text + length;
    *set = 0;
    for (const char *at = text;;) {
        const char *stop = at;
        while (stop < end && *stop != ',' && *stop != '+') stop++;
        size_t n = 0;
        while (n < NAMES && !text_is(at, (size_t)(stop - at), names[n])) n++;
        if (n == NAMES || (*set >> n & 1u)) {
            return RAISE(SCONE_ERR_INPUT,
                         "there is no list of learners '%s'; use some of polybic, ges, search, "
                         "each once, with commas between",
                         SHOW(text, length));
        }
        *set |= 1u << n;
        if (stop == end) return SCONE_OK;
        at = stop + 1;
    }
}

void learner_text(char out[LEARNER_TEXT], unsigned set, char between)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t n = 0; n < NAMES; n++) {
        if (!(set >> n & 1u)) continue;
        if (used > 0) out[used++] = between;
        size_t length = strlen(names[n]);
        memcpy(out + used, names[n], length + 1);
        used += length;
    }
}
