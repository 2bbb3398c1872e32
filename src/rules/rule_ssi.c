/* rule_ssi.c - Single-sided invariance: an unchanged cause of a changed effect (paper, Prop. SSI).
 *
 * For an adjacency i - j and Z without i, j: if Inv(i | Z) = 1 and Chg(j | Z) = 1, then i -> j.
 * Why: the change C reaches j given Z along some path; with j -> i it would go on to i, since j is
 * not in Z and not a collider there.
 *
 *   RULE_SSI      as printed: Z is all of S but i and j, and i - j is undirected in both
 *                 local graphs
 *   RULE_SSI_ANY  Z is any tested set (D23), and it does not matter what the local graphs
 *                 say of i - j: the argument asks for the adjacency alone
 *
 * Both ask for Z in W(i) and in W(j), where regime-faithfulness is assumed.
 */
#include "rules/rule_premise.h"

bool rule_ssi_at(certificate *c, const rule_view *view, rule_kind rule, int i, int j, uint32_t z)
{
    if (!mask_has(view->skeleton[i], j) || z & (MASK_BIT(i) | MASK_BIT(j))) return false;
    if (rule == RULE_SSI) {
        if ((z | MASK_BIT(i) | MASK_BIT(j)) != mask_all(view->count)) return false;
        if (!premise_both_undirected(view, i, j)) return false;
    }
    if (!view_is_witness(view, i, z) || !view_is_witness(view, j, z)) return false;
    *c = certificate_of(rule, i, j, z);
    return premise_literal(c, view, j, z, LITERAL_CHANGED) &&
           premise_literal(c, view, i, z, LITERAL_INVARIANT);
}

void rule_ssi(const rule_view *view, rule_emit emit, void *context)
{
    for (int i = 0; i < view->count; i++) {
        MASK_FOR(j, view->skeleton[i]) {
            certificate c;
            uint32_t z = mask_all(view->count) & ~(uint32_t)(MASK_BIT(i) | MASK_BIT(j));
            if (rule_ssi_at(&c, view, RULE_SSI, i, j, z) && !emit(context, &c)) return;
        }
    }
}

void rule_ssi_any(const rule_view *view, rule_emit emit, void *context)
{
    for (int i = 0; i < view->count; i++) {
        MASK_FOR(j, view->skeleton[i]) {
            uint32_t blocked =
                MASK_BIT(i) | MASK_BIT(j) | (uint32_t)view->descendants[i] | view->descendants[j];
            uint32_t allowed = mask_all(view->count) & ~blocked;
            /* all subsets of the allowed, by rising number */
            for (uint32_t z = 0;; z = (z - allowed) & allowed) {
                certificate c;
                if (rule_ssi_at(&c, view, RULE_SSI_ANY, i, j, z) && !emit(context, &c)) return;
                if (z == allowed) break;
            }
        }
    }
}
