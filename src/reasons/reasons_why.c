/* reasons_why.c - certificates in short (see reasons.h). */
#include "reasons/reasons.h"

#include "text/growing.h"
#include "rules/pdag.h"

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
    MASK_FOR(k, set) {
        growing_print(g, "%s%s", before, names[s->nodes[k]]);
        before = ", ";
    }
}

/* "SSI", and with several conditions the one that it is about: "SSI in low" */
static void add_rule(growing *g, const reasons *all, const reason *r)
{
    const char *condition = reasons_condition(all, r->pair);
    growing_print(g, "%s", short_rule(r->certificate.rule));
    if (condition) growing_print(g, " in %s", condition);
}

/* "SSI given C: B changed, A did not", "SCR: B did not change given A, and did without it" */
static void add_certificate(growing *g, const reasons *all, const reason *r,
                            const char *const *names)
{
    const certificate *c = &r->certificate;
    const char *from = names[r->from], *to = names[r->to];
    uint32_t others = c->witness & ~(uint32_t)MASK_BIT(c->source);
    add_rule(g, all, r);
    if (others) growing_print(g, " given ");
    add_set(g, &r->subset, others, names);
    switch (c->rule) {
    case RULE_SSI:
    case RULE_SSI_ANY:
        growing_print(g, ": %s changed, %s did not", to, from);
        break;
    case RULE_CVT:
        growing_print(g, ": %s changed, %s and %s did not", to, names[r->subset.nodes[c->path[0]]],
                      names[r->subset.nodes[c->path[2]]]);
        break;
    case RULE_DPT:
        growing_print(g, ": %s changed, ", names[r->subset.nodes[c->path[c->path_count - 2]]]);
        add_set(g, &r->subset, c->replay, names);
        growing_print(g, " did not");
        break;
    case RULE_SCR:
        growing_print(g, ": %s changed, but not given %s", to, from);
        break;
    case RULE_KINDS:
        break;
    }
}

scone_status reasons_why(char **why, const reasons *r, const decoding *d, size_t edge,
                         const knowledge *k, const char *voice, const char *const *names)
{
    const decode_edge *e = &d->edges[edge];
    growing g = {0};
    char *plain = NULL;
    if (!e->reason) return decode_why(why, d, edge, k, voice, names);
    const reason *one = &r->list[e->reason - 1];
    if (e->cause != DECODE_RULE) {
        scone_status status = decode_why(&plain, d, edge, k, voice, names);
        if (status != SCONE_OK) return status;
        growing_print(&g, "%s; ", plain);
        mem_free(plain);
    }
    add_certificate(&g, r, one, names);
    if (one->outcome == REASON_TURNS) growing_print(&g, ", overruling the %s", voice);
    return growing_finish(why, &g);
}

scone_status reasons_conflict(char **text, const reasons *r, size_t index, const char *voice,
                              const char *const *names)
{
    const reason *one = &r->list[index];
    const char *from = names[one->from], *to = names[one->to];
    growing g = {0};
    add_rule(&g, r, one);
    growing_print(&g, " says %s -> %s, ", from, to);
    switch (one->outcome) {
    case REASON_TURNS:
        growing_print(&g, "the %s %s -> %s with less evidence: %s -> %s it is", voice, to, from,
                      from, to);
        break;
    case REASON_OVERRULED:
        growing_print(&g, "the %s %s -> %s with more evidence: %s -> %s it is", voice, to, from, to,
                      from);
        break;
    case REASON_OPPOSED:
        growing_print(&g,
                      "another certificate, as strong or stronger, %s -> %s: this one is not used",
                      to, from);
        break;
    case REASON_KNOWN:
        growing_print(&g, "which the knowledge file excludes: it is honoured");
        break;
    case REASON_CYCLE:
        growing_print(&g, "which would close a cycle: the other edges decide");
        break;
    case REASON_AGREES:
    case REASON_ORIENTS:
        break;
    }
    return growing_finish(text, &g);
}
