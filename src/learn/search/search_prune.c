/* search_prune.c - parents that a model may only have lent itself to.
 *
 * Where a node's function is followed by trained units (fit_features.c), no fit is perfect, and an
 * unrelated parent that happens to be correlated with what is left gains by it, the more the more
 * rows there are. On tuning graphs such parents gained up to some 1.5 sqrt(n) nats and hardly any
 * true one so little (docs/notebook/search.md). At the end of a search these are taken away, the
 * least first.
 *
 * Before that, families whose score depends on where the fit started, these and those with the sd
 * link, learn from each other: an unrelated parent may be worth thousands of nats only because the
 * fit with it ended in a better optimum than the one without. It goes if that was all.
 */
#include "learn/search/search_parts.h"

#include <math.h>

static const double least_root = 1.5, least_share = 0.6;
/* Nats a row: what a parent may be worth by a luckier start, with trained units and without. */
static const double luck_units = 0.5, luck_sd = 0.02;

static double refining_of(const search *s, const family *f)
{
    return family_score_fit(s->scores, f)->refining;
}

/* What a parent in this family must be worth. What a refined model misses is some share of what it
 * found, so little is missed where it found little. */
static double least_worth(const search *s, const family *f)
{
    return fmin(least_root * sqrt(s->rows), least_share * refining_of(s, f));
}

/* Does the score of this family depend on where its fit started? */
static bool is_lucky(const search *s, const family *f)
{
    return f->count > 0 && (refining_of(s, f) > 0.0 || search_optimum_matters(s, f, 0.0));
}

/* What the family is worth more than without this parent. */
static double worth_of(const search *s, const family *f, size_t parent)
{
    family less = family_without(f, parent);
    return family_score_get(s->scores, f) - family_score_get(s->scores, &less);
}

/* Could luck be all that this parent is worth? */
static bool is_doubtful(const search *s, const family *f, size_t parent)
{
    double luck = refining_of(s, f) > 0.0 ? luck_units : luck_sd;
    return worth_of(s, f, parent) < luck * s->rows;
}

/* What is fitted: families without each of their parents; and where such a parent is doubtful, the
 * smaller one afresh, the smaller from the larger one, the larger from the smaller one. */
typedef enum look_kind { LOOK_WITHOUT, LOOK_AFRESH, LOOK_DOWN, LOOK_UP } look_kind;

static scone_status ask_one(search *s, look_kind kind, const family *f, size_t parent)
{
    family less = family_without(f, parent);
    if (kind == LOOK_WITHOUT) return search_wish(s, &less, f);
    if (!is_doubtful(s, f, parent)) return SCONE_OK;
    if (kind == LOOK_AFRESH) return search_afresh(s, &less);
    return kind == LOOK_DOWN ? search_revise(s, &less, f) : search_revise(s, f, &less);
}

static scone_status ask(search *s, look_kind kind)
{
    scone_status status = SCONE_OK;
    for (size_t v = 0; v < s->nodes; v++) {
        const family *f = &s->families[v];
        if (!is_lucky(s, f)) continue;
        for (size_t i = 0; i < f->count; i++) TRY(ask_one(s, kind, f, f->parents[i]));
    }
    TRY(search_fulfil(s, NULL));
cleanup:
    return status;
}

/* Twice down and up: what the larger family learnt from one smaller one the others
 * may need, too. */
static scone_status look(search *s)
{
    static const look_kind kinds[] = {LOOK_WITHOUT, LOOK_AFRESH, LOOK_DOWN,
                                      LOOK_UP,      LOOK_DOWN,   LOOK_UP};
    scone_status status = SCONE_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) TRY(ask(s, kinds[k]));
cleanup:
    return status;
}

/* Deletes the parent of v that is worth least, if that is too little. */
static bool prune_one(search *s, size_t v)
{
    const family *f = &s->families[v];
    double least = least_worth(s, f);
    size_t parent = SIZE_MAX;
    if (!is_lucky(s, f)) return false;
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
    if (s->options->effort <= 0) return SCONE_OK; /* no units, and no time for second looks */
    for (bool pruned = true; pruned;) {
        pruned = false;
        TRY(look(s));
        for (size_t v = 0; v < s->nodes; v++) pruned = prune_one(s, v) || pruned;
    }
cleanup:
    return status;
}
