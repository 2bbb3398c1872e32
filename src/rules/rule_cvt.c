/* rule_cvt.c - Contrastive v-structure (paper, Prop. CVT).
 *
 * For i - j - k with i and k not adjacent in the local skeletons and Z = S \ {i, j, k}: if
 * Chg(j | Z) = 1, Inv(i | Z) = 1 and Inv(k | Z) = 1, then i -> j <- k. Each half is the argument of
 * rule_ssi.c. Gate of the proposition, not of the main text (D13). One certificate for each of the
 * two directions; its path is i, j, k with i < k.
 */
#include "rules/rule_premise.h"

bool rule_cvt_at(certificate *c, const rule_view *view, int i, int j, int k, bool first)
{
    uint32_t three = (uint32_t)(MASK_BIT(i) | MASK_BIT(j) | MASK_BIT(k));
    uint32_t z = mask_all(view->count) & ~three;
    if (i >= k || i == j || j == k) return false;
    if (!mask_has(premise_adjacent(view, j), i) || !mask_has(premise_adjacent(view, j), k))
        return false;
    if (mask_has(pdag_adjacent(&view->local[0], i) | pdag_adjacent(&view->local[1], i), k)) {
        return false;
    }
    if (!view_is_witness(view, i, z) || !view_is_witness(view, j, z) ||
        !view_is_witness(view, k, z)) {
        return false;
    }
    *c = certificate_of(RULE_CVT, first ? i : k, j, z);
    c->path_count = 3;
    c->path[0] = (uint8_t)i;
    c->path[1] = (uint8_t)j;
    c->path[2] = (uint8_t)k;
    return premise_literal(c, view, j, z, LITERAL_CHANGED) &&
           premise_literal(c, view, i, z, LITERAL_INVARIANT) &&
           premise_literal(c, view, k, z, LITERAL_INVARIANT);
}

void rule_cvt(const rule_view *view, rule_emit emit, void *context)
{
    for (int j = 0; j < view->count; j++) {
        uint16_t ends = premise_adjacent(view, j);
        MASK_FOR(i, ends) {
            MASK_FOR(k, (uint32_t)ends & ~((2u << i) - 1u)) {
                certificate c;
                if (!rule_cvt_at(&c, view, i, j, k, true)) continue;
                if (!emit(context, &c)) return;
                c.source = (uint8_t)k;
                if (!emit(context, &c)) return;
            }
        }
    }
}
