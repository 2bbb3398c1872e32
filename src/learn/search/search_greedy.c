/* search_greedy.c - additions, deletions and reversals while they improve the score.
 *
 * A round looks at all moves of all nodes; only the families near nodes that changed are new. It
 * makes the best move and then others that touch no node of a move made before and gain at least
 * half as much, so that large graphs take few rounds. Additions are chosen by scans: only the best
 * candidates of a node are fitted. Before an addition to a node whose spread carries the signal
 * counts, the smaller family is fitted again from the larger one.
 */
#include "learn/search/search_parts.h"

#include <math.h>
#include <stdlib.h>

enum { LOOKS_LIMIT = 16 };

typedef enum move_kind { MOVE_ADD, MOVE_DELETE, MOVE_REVERSE } move_kind;

typedef struct move {
    move_kind kind;
    size_t from, to;
    double gain;
} move;

typedef struct move_list {
    move *items;
    size_t count, capacity;
} move_list;

static scone_status list_add(move_list *list, move_kind kind, size_t from, size_t to, double gain)
{
    if (!(gain > 1e-6)) return SCONE_OK;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        move *more = mem_resize(list->items, capacity, sizeof *more);
        if (!more) return SCONE_ERR_MEMORY;
        list->items = more;
        list->capacity = capacity;
    }
    list->items[list->count++] = (move){kind, from, to, gain};
    return SCONE_OK;
}

static int compare_moves(const void *a, const void *b)
{
    const move *x = a, *y = b;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static double score_of(const search *s, const family *f)
{
    return family_score_get(s->scores, f);
}

static double gain_without(const search *s, size_t from, size_t to)
{
    family less = family_without(&s->families[to], from);
    return score_of(s, &less) - score_of(s, &s->families[to]);
}

/* Is turning from -> to round worth a fit of the reversed edge? A scan may see too little. */
static bool worth_reversing(const search *s, size_t from, size_t to)
{
    const family *f = &s->families[from];
    if (search_fixed(s, from, to) || !search_allowed(s, to, from) || !search_room(s, f))
        return false;
    return 2.0 * search_gain(s, f, to) + 30.0 + gain_without(s, from, to) > 0.0;
}

/* Everything that the moves from here need to know. */
static scone_status look(search *s)
{
    scone_status status = SCONE_OK;
    size_t best[LOOKS_LIMIT];
    for (size_t v = 0; v < s->nodes; v++) TRY(search_wish(s, &s->families[v], &s->families[v]));
    TRY(search_fulfil(s, NULL));
    TRY(family_score_scan(s->scores, s->families, s->nodes, NULL));
    for (size_t v = 0; v < s->nodes; v++) {
        const family *f = &s->families[v];
        size_t limit = f->count == 0 ? 2 * s->looks : s->looks;
        size_t found = search_best(s, f, NULL, best, limit);
        for (size_t i = 0; i < found; i++) {
            family more = family_with(f, best[i]);
            TRY(search_wish(s, &more, f));
        }
        for (size_t i = 0; i < f->count; i++) {
            family less = family_without(f, f->parents[i]);
            TRY(search_wish(s, &less, f));
        }
    }
    TRY(search_fulfil(s, NULL));
    for (size_t v = 0; v < s->nodes; v++) {
        for (size_t i = 0; i < s->families[v].count; i++) {
            size_t u = s->families[v].parents[i];
            if (!worth_reversing(s, u, v)) continue;
            family turned = family_with(&s->families[u], v);
            TRY(search_wish(s, &turned, &s->families[u]));
        }
    }
    TRY(search_fulfil(s, NULL));
cleanup:
    return status;
}

static scone_status list_moves(search *s, move_list *list)
{
    scone_status status = SCONE_OK;
    size_t best[LOOKS_LIMIT];
    list->count = 0;
    for (size_t to = 0; to < s->nodes; to++) {
        const family *f = &s->families[to];
        size_t limit = f->count == 0 ? 2 * s->looks : s->looks;
        size_t found = search_best(s, f, NULL, best, limit);
        for (size_t i = 0; i < found; i++) {
            family more = family_with(f, best[i]);
            TRY(list_add(list, MOVE_ADD, best[i], to, score_of(s, &more) - score_of(s, f)));
        }
        for (size_t i = 0; i < f->count; i++) {
            size_t from = f->parents[i];
            if (search_fixed(s, from, to)) continue;
            double loss = gain_without(s, from, to);
            TRY(list_add(list, MOVE_DELETE, from, to, loss));
            if (!worth_reversing(s, from, to)) continue;
            family turned = family_with(&s->families[from], to);
            double gain = score_of(s, &turned) - score_of(s, &s->families[from]);
            TRY(list_add(list, MOVE_REVERSE, from, to, loss + gain));
        }
    }
    if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, compare_moves);
cleanup:
    return status;
}

static bool acyclic(const search *s, const move *m)
{
    if (m->kind == MOVE_ADD) return !closure_would_cycle(s->reach, m->from, m->to);
    if (m->kind == MOVE_REVERSE) return !closure_has_detour(s->reach, s->dag, m->from, m->to);
    return true;
}

/* Fits the family without the new parent again, from the fit with it, and the latter from that;
 * false if that undoes the gain. */
static scone_status confirm(search *s, const move *m, bool *stands)
{
    scone_status status = SCONE_OK;
    size_t child = m->kind == MOVE_REVERSE ? m->from : m->to;
    size_t parent = m->kind == MOVE_REVERSE ? m->to : m->from;
    const family *f = &s->families[child];
    family more = family_with(f, parent);
    *stands = true;
    if (m->kind == MOVE_DELETE || f->count == 0 || !search_optimum_matters(s, &more, m->gain))
        return SCONE_OK;
    double before = score_of(s, f), with = score_of(s, &more);
    TRY(search_revise(s, f, &more));
    TRY(search_fulfil(s, NULL));
    if (score_of(s, f) == before) return SCONE_OK;
    /* what made the smaller one better may do so for the larger one, too */
    TRY(search_revise(s, &more, f));
    TRY(search_fulfil(s, NULL));
    *stands = m->gain + (score_of(s, &more) - with) - (score_of(s, f) - before) > 1e-6;
    TRY(family_score_scan(s->scores, f, 1, NULL));
cleanup:
    return status;
}

static void make(search *s, const move *m)
{
    if (m->kind != MOVE_ADD) search_delete(s, m->from, m->to);
    if (m->kind == MOVE_ADD) search_add(s, m->from, m->to);
    if (m->kind == MOVE_REVERSE) search_add(s, m->to, m->from);
}

/* Makes the best moves of a round; *made is their number, *revised says that a score changed. */
static scone_status make_moves(search *s, const move_list *list, bits_word *touched, size_t *made,
                               bool *revised)
{
    scone_status status = SCONE_OK;
    double first = 0.0;
    *made = 0;
    *revised = false;
    bits_clear(touched, s->words);
    for (size_t i = 0; i < list->count; i++) {
        const move *m = &list->items[i];
        bool stands;
        if (*made > 0 && m->gain < 0.5 * first) break;
        if (bits_has(touched, m->to) || (m->kind == MOVE_REVERSE && bits_has(touched, m->from))) {
            continue;
        }
        if (!acyclic(s, m)) continue;
        bits_add(touched, m->to);
        if (m->kind == MOVE_REVERSE) bits_add(touched, m->from);
        TRY(confirm(s, m, &stands));
        if (!stands) {
            *revised = true;
            continue;
        }
        make(s, m);
        if ((*made)++ == 0) first = m->gain;
    }
cleanup:
    return status;
}

scone_status search_greedy(search *s)
{
    scone_status status = SCONE_OK;
    move_list list = {0};
    bits_word *touched = NULL;
    size_t made = 1, step = 0, limit = 20 * s->nodes + 100;
    bool revised = false;
    TRY_ZERO(touched, s->words);
    while ((made > 0 || revised) && step++ < limit) {
        TRY(look(s));
        TRY(list_moves(s, &list));
        TRY(make_moves(s, &list, touched, &made, &revised));
        TRY(context_progress(s->context, "search",
                             0.6 * (1.0 - exp(-(double)step / (10.0 + (double)s->nodes / 4.0)))));
    }
cleanup:
    mem_free(list.items);
    mem_free(touched);
    return status;
}
