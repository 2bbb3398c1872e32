/* search_prune.c - parents that a refined model may only have lent itself to.
 *
 * Where a node's function is followed by trained units (fit_features.c), no fit is perfect, and an
 * unrelated parent that happens to be correlated with what is left gains by it, the more the more
 * rows there are. On tuning graphs such parents gained up to some 1.5 sqrt(n) nats and hardly any
 * true one so little (docs/score.md). At the end of a search these are taken away, the least first.
 */
#include "learn/search_parts.h"

#include <math.h>

static const double least_root = 1.5, least_share = 0.6;
/* Nats a row: what a parent may be worth by the luck of a start. */
static const double luck_share = 0.25;

/* What a parent in this family must be worth. What a refined model misses is some share of what it
 * found, so little is missed where it found little. */
static double least_worth(const search *s, const family *f)
{
    return fmin(least_root * sqrt(s->rows), least_share * local_score_fit(s->scores, f)->refining);
}

static bool is_refined(const search *s, const family *f)
{
    return local_score_fit(s->scores, f)->refining > 0.0;
}

/* What the family is worth more than without this parent. */
static double worth_of(const search *s, const family *f, size_t parent)
{
    family less = family_without(f, parent);
    return local_score_get(s->scores, f) - local_score_get(s->scores, &less);
}

/* Asks for the families of refined nodes without each parent; or, where such a parent is worth so
 * little that a luckier start could be the reason, for fits of the smaller from the larger
 * family, or the other way round. */
typedef enum look_kind { LOOK_WITHOUT, LOOK_DOWN, LOOK_UP } look_kind;

static scone_status ask(search *s, look_kind kind)
{
    scone_status status = SCONE_OK;
    for (size_t v = 0; v < s->nodes; v++) {
        const family *f = &s->families[v];
        if (f->count == 0 || !is_refined(s, f)) continue;
        for (size_t i = 0; i < f->count; i++) {
            family less = family_without(f, f->parents[i]);
            if (kind == LOOK_WITHOUT) {
                TRY(search_wish(s, &less, f));
            } else if (worth_of(s, f, f->parents[i]) < luck_share * s->rows) {
                TRY(search_revise(s, kind == LOOK_DOWN ? &less : f, kind == LOOK_DOWN ? f : &less));
            }
        }
    }
    TRY(search_fulfil(s, NULL));
cleanup:
    return status;
}

static scone_status look(search *s)
{
    scone_status status = SCONE_OK;
    for (look_kind kind = LOOK_WITHOUT; kind <= LOOK_UP; kind++) TRY(ask(s, kind));
cleanup:
    return status;
}

/* Deletes the parent of v that is worth least, if that is too little. */
static bool prune_one(search *s, size_t v)
{
    const family *f = &s->families[v];
    double least = least_worth(s, f);
    size_t parent = SIZE_MAX;
    if (f->count == 0 || !is_refined(s, f)) return false;
    for (size_t i = 0; i < f->count; i++) {
        double worth = worth_of(s, f, f->parents[i]);
        if (!(worth < least) || search_fixed(s, f->parents[i], v)) continue;
        least = worth;
        parent = f->parents[i];
    }
    if (parent != SIZE_MAX) search_delete(s, parent, v);
    return parent != SIZE_MAX;
}

scone_status search_prune(search *s)
{
    scone_status status = SCONE_OK;
    for (bool pruned = true; pruned;) {
        pruned = false;
        TRY(look(s));
        for (size_t v = 0; v < s->nodes; v++) pruned = prune_one(s, v) || pruned;
    }
cleanup:
    return status;
}
