/* rule_premise.h - what the rules share: looking at literals and building certificates.
 *
 * Each rule has one function that fills a certificate if its premises hold. The rule itself tries
 * all places with it; replaying a certificate (certificate.c) fills it again for the place it names
 * and compares.
 */
#ifndef SCONE_RULES_RULE_PREMISE_H
#define SCONE_RULES_RULE_PREMISE_H

#include "rules/witness.h"

/* Adjacent in the final graph and in both local graphs. */
static inline uint16_t premise_adjacent(const rule_view *view, int v)
{
    return view->skeleton[v] & pdag_adjacent(&view->local[0], v) &
           pdag_adjacent(&view->local[1], v);
}

static inline bool premise_both_undirected(const rule_view *view, int a, int b)
{
    return pdag_undirected(&view->local[0], a, b) && pdag_undirected(&view->local[1], a, b);
}

static inline certificate certificate_of(rule_kind rule, int source, int target, uint32_t witness)
{
    return (certificate){.rule = rule,
                         .source = (uint8_t)source,
                         .target = (uint8_t)target,
                         .witness = (uint16_t)witness};
}

/* Notes the literal in the certificate if it has this value. */
static inline bool premise_literal(certificate *c, const rule_view *view, int v, uint32_t z,
                                   literal value)
{
    if (view->look(view->context, v, z) != value) return false;
    c->literals[c->literal_count++] = (rule_literal){(uint8_t)v, (uint16_t)z, value};
    return true;
}

/* The rules at one place: true and a whole certificate if the premises hold. */
bool rule_ssi_at(certificate *c, const rule_view *view, rule_kind rule, int i, int j, uint32_t z);
bool rule_cvt_at(certificate *c, const rule_view *view, int i, int j, int k, bool first);
bool rule_scr_at(certificate *c, const rule_view *view, int j, int i, uint32_t w);
/* path: v0 .. j, k */
bool rule_dpt_at(certificate *c, const rule_view *view, const uint8_t *path, int length,
                 uint32_t z);

#endif
