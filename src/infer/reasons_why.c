/* reasons_why.c - certificates in short (see reasons.h). */
#include "infer/reasons.h"

#include "rules/pdag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that grows; the first failure for lack of memory sticks. */
typedef struct growing {
    char *text;
    size_t length, size;
    bool failed;
} growing;

static void add(growing *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(growing *g, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = g->failed ? -1 : vsnprintf(NULL, 0, format, again);
    va_end(again);
    g->failed |= length < 0;
    if (!g->failed && g->length + (size_t)length + 1 > g->size) {
        size_t size = 2 * g->size + (size_t)length + 64;
        char *text = mem_resize(g->text, size, 1);
        g->failed = !text;
        if (text) {
            g->text = text;
            g->size = size;
        }
    }
    if (!g->failed) {
        (void)vsnprintf(g->text + g->length, g->size - g->length, format, arguments);
        g->length += (size_t)length;
    }
    va_end(arguments);
}

static scone_status finish(char **out, growing *g)
{
    if (g->failed) {
        mem_free(g->text);
        *out = NULL;
        return SCONE_ERR_MEMORY;
    }
    *out = g->text;
    return SCONE_OK;
}

static const char *short_rule(rule_kind rule)
{
    switch (rule) {
    case RULE_SSI:
    case RULE_SSI_ANY:
        return "SSI";
    case RULE_CVT:
        return "CVT";
    case RULE_DPT:
        return "DPT";
    case RULE_SCR:
        return "SCR";
    case RULE_KINDS:
        break;
    }
    return "?";
}

static void add_set(growing *g, const local_subset *s, uint32_t set, const char *const *names)
{
    const char *before = "";
    MASK_FOR(k, set)
    {
        add(g, "%s%s", before, names[s->nodes[k]]);
        before = ", ";
    }
}

/* "SSI given C: B changed, A did not", "SCR: B did not change given A, and did without it" */
static void add_certificate(growing *g, const reason *r, const char *const *names)
{
    const certificate *c = &r->certificate;
    const char *from = names[r->from], *to = names[r->to];
    uint32_t others = c->witness & ~(uint32_t)MASK_BIT(c->source);
    add(g, "%s", short_rule(c->rule));
    if (others) add(g, " given ");
    add_set(g, &r->subset, others, names);
    switch (c->rule) {
    case RULE_SSI:
    case RULE_SSI_ANY:
        add(g, ": %s changed, %s did not", to, from);
        break;
    case RULE_CVT:
        add(g, ": %s changed, %s and %s did not", to, names[r->subset.nodes[c->path[0]]],
            names[r->subset.nodes[c->path[2]]]);
        break;
    case RULE_DPT:
        add(g, ": %s changed, ", names[r->subset.nodes[c->path[c->path_count - 2]]]);
        add_set(g, &r->subset, c->replay, names);
        add(g, " did not");
        break;
    case RULE_SCR:
        add(g, ": %s changed, but not given %s", to, from);
        break;
    case RULE_KINDS:
        break;
    }
}

scone_status reasons_why(char **why, const reasons *r, const decoding *d, size_t edge,
                         const knowledge *k, const char *const *names)
{
    const decode_edge *e = &d->edges[edge];
    growing g = {0};
    char *plain = NULL;
    if (!e->reason) return decode_why(why, d, edge, k, names);
    const reason *one = &r->list[e->reason - 1];
    if (e->cause != DECODE_RULE) {
        scone_status status = decode_why(&plain, d, edge, k, names);
        if (status != SCONE_OK) return status;
        add(&g, "%s; ", plain);
        mem_free(plain);
    }
    add_certificate(&g, one, names);
    if (one->outcome == REASON_TURNS) add(&g, " (against the search)");
    return finish(why, &g);
}

scone_status reasons_conflict(char **text, const reasons *r, size_t index, const char *const *names)
{
    const reason *one = &r->list[index];
    const char *from = names[one->from], *to = names[one->to];
    growing g = {0};
    add(&g, "%s says %s -> %s, ", short_rule(one->certificate.rule), from, to);
    switch (one->outcome) {
    case REASON_TURNS:
        add(&g, "the search %s -> %s with less evidence: %s -> %s it is", to, from, from, to);
        break;
    case REASON_OVERRULED:
        add(&g, "the search %s -> %s with more evidence: %s -> %s it is", to, from, to, from);
        break;
    case REASON_OPPOSED:
        add(&g, "another certificate %s -> %s: the search decides", to, from);
        break;
    case REASON_KNOWN:
        add(&g, "which the knowledge file excludes: it is honoured");
        break;
    case REASON_CYCLE:
        add(&g, "which would close a cycle: the search decides");
        break;
    case REASON_AGREES:
    case REASON_ORIENTS:
        break;
    }
    return finish(text, &g);
}
