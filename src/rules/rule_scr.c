/* rule_scr.c - Screening: a changed cause whose effect is unchanged given it
 * (docs/methods/theory.md; D23).
 *
 * For an adjacency i - j: if Inv(i | W) = 1 with j in W, and Chg(i | W \ {w}) = 1 for every w in W,
 * then j -> i. Why: a member w of a set W that separates C and i, without which W no longer does,
 * is an ancestor of C, of i or of another member; followed up, every member is an ancestor of C or
 * of i (Claassen and Heskes, UAI 2011); nothing causes C, so j is an ancestor of its neighbour i.
 *
 * W in W(i), where regime-faithfulness is assumed; it then is for the smaller sets, too. One pass
 * over the sets serves all members: each that is adjacent to i gets a certificate.
 */
#include "rules/rule_premise.h"

/* Inv(i | W), and no member can be spared. */
static bool screens(certificate *c, const rule_view *view, int i, uint32_t w)
{
    if (!premise_literal(c, view, i, w, LITERAL_INVARIANT)) return false;
    MASK_FOR(u, w) {
        if (!premise_literal(c, view, i, w & ~(uint32_t)MASK_BIT(u), LITERAL_CHANGED)) return false;
    }
    return true;
}

bool rule_scr_at(certificate *c, const rule_view *view, int j, int i, uint32_t w)
{
    if (mask_has(w, i) || !mask_has(w, j) || !mask_has(view->skeleton[i], j)) return false;
    if (w & ~(uint32_t)mask_all(view->count) || !view_is_witness(view, i, w)) return false;
    *c = certificate_of(RULE_SCR, j, i, w);
    return screens(c, view, i, w);
}

void rule_scr(const rule_view *view, rule_emit emit, void *context)
{
    for (int i = 0; i < view->count; i++) {
        uint32_t blocked = MASK_BIT(i) | (uint32_t)view->descendants[i];
        uint32_t allowed = mask_all(view->count) & ~blocked;
        /* all non-empty subsets of the allowed, by rising number */
        for (uint32_t w = 0; w != allowed;) {
            w = (w - allowed) & allowed;
            if (!(w & view->skeleton[i])) continue;
            certificate c = certificate_of(RULE_SCR, 0, i, w);
            if (!screens(&c, view, i, w)) continue;
            MASK_FOR(j, w & view->skeleton[i]) {
                c.source = (uint8_t)j;
                if (!emit(context, &c)) return;
            }
        }
    }
}
