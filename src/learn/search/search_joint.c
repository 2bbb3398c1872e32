/* search_joint.c - parents that show only together (joint.h), tried on every node.
 *
 * The greedy search adds one parent at a time, so it never starts on a node whose parents say
 * nothing alone. Here each node is offered its present parents and the first few of the joint rank
 * among its non-descendants at once; if that scores higher, parents are taken away again while the
 * score rises, and the result replaces the parents if it is better. Cost: one small eigenproblem
 * and one large fit a node, and some ten fits for each node where it pays.
 */
#include "learn/search/search_parts.h"

#include "parallel/parallel.h"
#include "learn/search/joint.h"

#include <stdlib.h>

enum { JOINT_TOP = 7 };

typedef struct ranked {
    double share;
    uint32_t node;
} ranked;

typedef struct joint_stage {
    search *s;
    joint_work **works; /* [threads] */
    family *offers;     /* [nodes] */
} joint_stage;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The present parents and the best ranked of those that may be parents. */
static scone_status make_offer(void *argument, size_t v, int worker)
{
    const joint_stage *stage = argument;
    const search *s = stage->s;
    uint32_t possible[JOINT_MOST_CANDIDATES];
    double shares[JOINT_MOST_CANDIDATES];
    ranked order[JOINT_MOST_CANDIDATES];
    size_t count, found = 0;
    const uint32_t *candidates = family_score_candidates(s->scores, v, &count);
    for (size_t c = 0; c < count && found < JOINT_MOST_CANDIDATES; c++) {
        size_t u = candidates[c];
        if (search_allowed(s, u, v) && !closure_would_cycle(s->reach, u, v)) {
            possible[found++] = (uint32_t)u;
        }
    }
    joint_rank(shares, stage->works[worker], v, possible, found);
    for (size_t i = 0; i < found; i++) order[i] = (ranked){shares[i], possible[i]};
    if (found > 1) qsort(order, found, sizeof *order, compare_ranked);
    family f = s->families[v];
    for (size_t i = 0; i < found && i < JOINT_TOP && order[i].share > 0.0; i++) {
        if (search_room(s, &f) && !family_has(&f, order[i].node))
            f = family_with(&f, order[i].node);
    }
    stage->offers[v] = f;
    return SCONE_OK;
}

static double score_of(const search *s, const family *f)
{
    return family_score_get(s->scores, f);
}

/* Takes the parent away that helps most; false if none does. */
static bool shrink(const search *s, family *f)
{
    family best = *f;
    for (size_t i = 0; i < f->count; i++) {
        family less = family_without(f, f->parents[i]);
        if (search_fixed(s, f->parents[i], f->node)) continue;
        if (score_of(s, &less) > score_of(s, &best) + 1e-6) best = less;
    }
    bool smaller = best.count < f->count;
    *f = best;
    return smaller;
}

/* Shrinks all offers that beat the present parents, side by side. */
static scone_status shrink_offers(joint_stage *stage)
{
    scone_status status = SCONE_OK;
    search *s = stage->s;
    for (size_t v = 0; v < s->nodes; v++) TRY(search_wish(s, &stage->offers[v], &s->families[v]));
    TRY(search_fulfil(s, NULL));
    for (size_t v = 0; v < s->nodes; v++) {
        if (!(score_of(s, &stage->offers[v]) > score_of(s, &s->families[v]) + 1e-6)) {
            stage->offers[v] = s->families[v];
        }
    }
    for (bool busy = true; busy;) {
        busy = false;
        for (size_t v = 0; v < s->nodes; v++) {
            const family *f = &stage->offers[v];
            if (family_equal(f, &s->families[v])) continue;
            for (size_t i = 0; i < f->count; i++) {
                family less = family_without(f, f->parents[i]);
                TRY(search_wish(s, &less, f));
            }
        }
        TRY(search_fulfil(s, NULL));
        for (size_t v = 0; v < s->nodes; v++) {
            if (!family_equal(&stage->offers[v], &s->families[v])) {
                busy = shrink(s, &stage->offers[v]) || busy;
            }
        }
    }
cleanup:
    return status;
}

/* Replaces the parents of a node, if they still close no cycle. */
static bool take_up(search *s, const family *f)
{
    for (size_t i = 0; i < f->count; i++) {
        if (closure_would_cycle(s->reach, f->parents[i], f->node)) return false;
    }
    while (s->families[f->node].count > 0) {
        search_delete(s, s->families[f->node].parents[0], f->node);
    }
    for (size_t i = 0; i < f->count; i++) search_add(s, f->parents[i], f->node);
    return true;
}

scone_status search_joint(search *s, const basis *b, bool *improved)
{
    scone_status status = SCONE_OK;
    joint_stage stage = {.s = s};
    size_t threads = (size_t)context_threads(s->context);
    *improved = false;
    TRY_ALLOC(stage.offers, s->nodes);
    TRY_ZERO(stage.works, threads);
    for (size_t t = 0; t < threads; t++) TRY(joint_work_alloc(&stage.works[t], b));
    TRY(parallel_for(s->nodes, s->context, NULL, make_offer, &stage));
    TRY(shrink_offers(&stage));
    for (size_t v = 0; v < s->nodes; v++) {
        if (family_equal(&stage.offers[v], &s->families[v])) continue;
        if (take_up(s, &stage.offers[v])) *improved = true;
    }
cleanup:
    for (size_t t = 0; stage.works && t < threads; t++) joint_work_free(stage.works[t]);
    mem_free(stage.works);
    mem_free(stage.offers);
    return status;
}
