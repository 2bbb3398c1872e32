/* decode_why.c - the reason of an edge in words (see decode.h). */
#include "decode/decode.h"

#include <stdio.h>
#include <string.h>

/* "Meek R1 from C -> A": the directed premises of the rule (meek.h has the table). */
static int print_step(char *out, size_t size, const meek_reason *step, const char *const *names)
{
    const char *first = names[step->first], *from = names[step->from], *to = names[step->to];
    const char *second = step->second == MEEK_NO_NODE ? "" : names[step->second];
    switch (step->rule) {
    case MEEK_R1:
        return snprintf(out, size, "Meek R1 from %s -> %s", first, from);
    case MEEK_R2:
        return snprintf(out, size, "Meek R2 from %s -> %s -> %s", from, first, to);
    case MEEK_R3:
        return snprintf(out, size, "Meek R3 from %s -> %s <- %s", first, to, second);
    case MEEK_R4:
        return snprintf(out, size, "Meek R4 from %s -> %s -> %s", second, first, to);
    case MEEK_REQUIRED:
        break;
    }
    return snprintf(out, size, "knowledge");
}

static int print_why(char *out, size_t size, const decoding *d, const decode_edge *edge,
                     const knowledge *k, const char *voice, const char *const *names)
{
    char place[KNOWLEDGE_PLACE_SIZE];
    switch (edge->cause) {
    case DECODE_SEARCH:
    case DECODE_RULE:
        break;
    case DECODE_REQUIRED:
        knowledge_place(place, k, edge->from, edge->to);
        return snprintf(out, size, "knowledge %s", place);
    case DECODE_FORBIDDEN:
        knowledge_place(place, k, edge->to, edge->from);
        return snprintf(out, size, "%s, direction by knowledge %s", voice, place);
    case DECODE_EXTENSION:
        return snprintf(out, size, "%s, direction so that the graph extends to a DAG", voice);
    case DECODE_MEEK:
        return print_step(out, size, &d->steps[edge->step], names);
    }
    return snprintf(out, size, "%s", voice);
}

scone_status decode_why(char **why, const decoding *d, size_t edge, const knowledge *k,
                        const char *voice, const char *const *names)
{
    int length = print_why(NULL, 0, d, &d->edges[edge], k, voice, names);
    *why = length < 0 ? NULL : mem_alloc((size_t)length + 1, 1);
    if (!*why) return SCONE_ERR_MEMORY;
    (void)print_why(*why, (size_t)length + 1, d, &d->edges[edge], k, voice, names);
    return SCONE_OK;
}
