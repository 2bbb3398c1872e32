/* certificate.c - the rules by name, and replay of certificates. */
#include "rules/rule_premise.h"

#include <string.h>

const char *rule_name(rule_kind rule)
{
    static const char *const names[RULE_KINDS] = {"ssi", "cvt", "dpt", "ssi-any", "scr"};
    return names[rule];
}

void rule_apply(rule_kind rule, const rule_view *view, rule_emit emit, void *context)
{
    static void (*const rules[RULE_KINDS])(const rule_view *, rule_emit, void *) = {
        rule_ssi, rule_cvt, rule_dpt, rule_ssi_any, rule_scr};
    rules[rule](view, emit, context);
}

/* The certificate that the rule gives today for the place that c names. */
static bool certificate_again(certificate *again, const certificate *c, const rule_view *view)
{
    switch (c->rule) {
    case RULE_SSI:
    case RULE_SSI_ANY:
        return rule_ssi_at(again, view, c->rule, c->source, c->target, c->witness);
    case RULE_CVT:
        return c->path_count == 3 && rule_cvt_at(again, view, c->path[0], c->path[1], c->path[2],
                                                 c->source == c->path[0]);
    case RULE_DPT:
        return rule_dpt_at(again, view, c->path, c->path_count, c->witness);
    case RULE_SCR:
        return rule_scr_at(again, view, c->source, c->target, c->witness);
    case RULE_KINDS:
        break;
    }
    return false;
}

static bool names_nodes_of(const certificate *c, const rule_view *view)
{
    if (view->count < 2 || view->count > RULE_MOST_NODES) return false;
    if (c->source >= view->count || c->target >= view->count || c->source == c->target)
        return false;
    if (c->witness & ~mask_all(view->count)) return false;
    if (c->literal_count > RULE_MOST_NODES + 1 || c->path_count > RULE_MOST_NODES) return false;
    for (int p = 0; p < c->path_count; p++) {
        if (c->path[p] >= view->count) return false;
    }
    return true;
}

bool certificate_holds(const certificate *c, const rule_view *view)
{
    certificate again;
    if (!names_nodes_of(c, view) || !certificate_again(&again, c, view)) return false;
    if (again.source != c->source || again.target != c->target || again.witness != c->witness ||
        again.replay != c->replay || again.literal_count != c->literal_count ||
        again.path_count != c->path_count || memcmp(again.path, c->path, c->path_count) != 0) {
        return false;
    }
    for (int l = 0; l < c->literal_count; l++) {
        if (again.literals[l].v != c->literals[l].v || again.literals[l].z != c->literals[l].z ||
            again.literals[l].value != c->literals[l].value) {
            return false;
        }
    }
    return true;
}
