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

/* Wishes for what the nodes with refined models would lose. */
static scone_status look(search *s)
{
    scone_status status = SCONE_OK;
    for (size_t v = 0; v < s->nodes; v++) {
        const family *f = &s->families[v];
        if (f->count == 0 || !is_refined(s, f)) continue;
        for (size_t i = 0; i < f->count; i++) {
            family less = family_without(f, f->parents[i]);
            TRY(search_wish(s, &less, f));
        }
    }
    TRY(search_fulfil(s, NULL));
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
        family less = family_without(f, f->parents[i]);
        double worth = local_score_get(s->scores, f) - local_score_get(s->scores, &less);
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
