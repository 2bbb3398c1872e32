/* search_order.c - moves along the order of the graph, with parents chosen anew.
 *
 * A single reversal often costs more than it gains until other parents change too. Here an edge
 * u -> v is tucked (Lam, Andrews, Ramsey, UAI 2022): in an order of the graph v and those of its
 * ancestors that come after u are put before u, and every variable whose predecessors changed grows
 * and shrinks its parents among them, starting from those it has. All edges are tried side by side,
 * round by round, so that the fits of a round run in parallel; then the best tucks are made whose
 * variables do not meet, and the greedy search goes on from there.
 * Cost: a pass has one task for each edge and variable between its ends, of which few need a fit.
 */
#include "learn/search/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 24, LOOKS_LIMIT = 16 };

typedef enum task_phase { TASK_GROW, TASK_CONFIRM, TASK_REPLY, TASK_SHRINK, TASK_DONE } task_phase;

/* One variable choosing parents among its predecessors. */
typedef struct task {
    family f, more;          /* now; the addition to be confirmed */
    bits_word *predecessors; /* [words] */
    task_phase phase;
    bool changed; /* since it last grew */
} task;

typedef struct tuck {
    size_t from, to;
    size_t first, count; /* its tasks */
    double gain;
} tuck;

typedef struct order_pass {
    search *s;
    size_t *order, *place; /* [nodes]: the order, and where each node is in it */
    task *tasks;
    size_t task_count, task_capacity;
    bits_word *sets; /* [task_capacity][words]: the predecessors of the tasks */
    tuck *tucks;
    size_t tuck_count;
    family *scans; /* [task_capacity] */
} order_pass;

static double score_of(const search *s, const family *f)
{
    return family_score_get(s->scores, f);
}

/* ---- tasks ---- */

static scone_status task_add(order_pass *p, const family *f, const bits_word *predecessors)
{
    const search *s = p->s;
    if (p->task_count == p->task_capacity) {
        size_t capacity = p->task_capacity ? 2 * p->task_capacity : 256;
        task *tasks = mem_resize(p->tasks, capacity, sizeof *tasks);
        if (!tasks) return SCONE_ERR_MEMORY;
        p->tasks = tasks;
        family *scans = mem_resize(p->scans, capacity, sizeof *scans);
        if (!scans) return SCONE_ERR_MEMORY;
        p->scans = scans;
        bits_word *sets = mem_resize(p->sets, capacity, s->words * sizeof *sets);
        if (!sets) return SCONE_ERR_MEMORY;
        p->sets = sets;
        p->task_capacity = capacity;
    }
    bits_copy(p->sets + p->task_count * s->words, predecessors, s->words);
    p->tasks[p->task_count++] = (task){.f = *f, .phase = TASK_GROW};
    return SCONE_OK;
}

/* What a task wants to know next. */
static scone_status ask(search *s, const task *t)
{
    scone_status status = SCONE_OK;
    size_t best[LOOKS_LIMIT];
    if (t->phase == TASK_GROW) {
        size_t found = search_best(s, &t->f, t->predecessors, best, s->looks);
        for (size_t i = 0; i < found; i++) {
            family more = family_with(&t->f, best[i]);
            TRY(search_wish(s, &more, &t->f));
        }
    } else if (t->phase == TASK_CONFIRM) {
        TRY(search_revise(s, &t->f, &t->more));
    } else if (t->phase == TASK_REPLY) {
        TRY(search_revise(s, &t->more, &t->f));
    } else if (t->phase == TASK_SHRINK) {
        for (size_t i = 0; i < t->f.count; i++) {
            family less = family_without(&t->f, t->f.parents[i]);
            TRY(search_wish(s, &less, &t->f));
        }
    }
cleanup:
    return status;
}

static void grow(const search *s, task *t)
{
    size_t best[LOOKS_LIMIT], found = search_best(s, &t->f, t->predecessors, best, s->looks);
    double top = score_of(s, &t->f) + 1e-6;
    bool better = false;
    for (size_t i = 0; i < found; i++) {
        family more = family_with(&t->f, best[i]);
        if (!(score_of(s, &more) > top)) continue;
        top = score_of(s, &more);
        t->more = more;
        better = true;
    }
    t->phase = TASK_SHRINK;
    if (!better) return;
    if (t->f.count > 0 && search_optimum_matters(s, &t->more, top - score_of(s, &t->f))) {
        t->phase = TASK_CONFIRM;
        return;
    }
    t->f = t->more;
    t->changed = true;
    t->phase = TASK_GROW;
}

/* The smaller family was fitted again from the larger one, and then the latter from that. */
static void confirm(const search *s, task *t)
{
    bool better = score_of(s, &t->more) > score_of(s, &t->f) + 1e-6;
    t->phase = t->phase == TASK_CONFIRM && !better ? TASK_REPLY : TASK_SHRINK;
    if (!better) return;
    t->f = t->more;
    t->changed = true;
    t->phase = TASK_GROW;
}

static void shrink(const search *s, task *t)
{
    double top = score_of(s, &t->f) + 1e-6;
    family next = t->f;
    for (size_t i = 0; i < t->f.count; i++) {
        if (search_fixed(s, t->f.parents[i], t->f.node)) continue;
        family less = family_without(&t->f, t->f.parents[i]);
        if (!(score_of(s, &less) > top)) continue;
        top = score_of(s, &less);
        next = less;
    }
    bool shrunk = next.count < t->f.count;
    t->f = next;
    if (shrunk) return; /* look again */
    t->phase = t->changed ? TASK_GROW : TASK_DONE;
    t->changed = false;
}

/* Scans of the families that are about to grow; those asked for must be known first. */
static scone_status scan_growing(order_pass *p)
{
    scone_status status = SCONE_OK;
    search *s = p->s;
    size_t count = 0;
    for (size_t i = 0; i < p->task_count; i++) {
        const task *t = &p->tasks[i];
        if (t->phase != TASK_GROW) continue;
        TRY(search_wish(s, &t->f, &s->families[t->f.node]));
        p->scans[count++] = t->f;
    }
    TRY(search_fulfil(s, NULL));
    TRY(family_score_scan(s->scores, p->scans, count, NULL));
cleanup:
    return status;
}

static scone_status run_tasks(order_pass *p)
{
    scone_status status = SCONE_OK;
    bool busy = true;
    for (int round = 0; round < ROUNDS_MOST && busy; round++) {
        busy = false;
        TRY(scan_growing(p));
        for (size_t i = 0; i < p->task_count; i++) TRY(ask(p->s, &p->tasks[i]));
        TRY(search_fulfil(p->s, NULL));
        for (size_t i = 0; i < p->task_count; i++) {
            task *t = &p->tasks[i];
            if (t->phase == TASK_GROW) {
                grow(p->s, t);
            } else if (t->phase == TASK_CONFIRM || t->phase == TASK_REPLY) {
                confirm(p->s, t);
            } else if (t->phase == TASK_SHRINK) {
                shrink(p->s, t);
            }
            busy = busy || t->phase != TASK_DONE;
        }
    }
cleanup:
    return status;
}

/* ---- tucks ---- */

/* Could one of the nodes in `gained` be a further parent? */
static bool tempted(const search *s, const family *f, const bits_word *gained)
{
    size_t best[1];
    return search_best(s, f, gained, best, 1) > 0;
}

/* The tasks of moving `to` and its ancestors behind `from` before `from`. */
static scone_status plan(order_pass *p, tuck *t, bits_word *before, bits_word *moved)
{
    scone_status status = SCONE_OK;
    search *s = p->s;
    size_t low = p->place[t->from], high = p->place[t->to];
    t->first = p->task_count;
    bits_clear(before, s->words);
    bits_clear(moved, s->words);
    for (size_t i = 0; i < low; i++) bits_add(before, p->order[i]);
    for (size_t i = low + 1; i <= high; i++) {
        size_t v = p->order[i];
        if (v == t->to || closure_reaches(s->reach, v, t->to)) bits_add(moved, v);
    }
    for (int stay = 0; stay < 2; stay++) {
        for (size_t i = low; i <= high; i++) {
            size_t v = p->order[i];
            if (bits_has(moved, v) == (stay == 1)) continue;
            family f = {.node = (uint32_t)v};
            for (size_t k = 0; k < s->families[v].count; k++) {
                size_t u = s->families[v].parents[k];
                if (bits_has(before, u)) f = family_with(&f, u);
                if (!bits_has(before, u) && search_fixed(s, u, v)) t->gain = -HUGE_VAL;
            }
            bool lost = f.count < s->families[v].count;
            if (lost || (stay == 1 && tempted(s, &s->families[v], moved))) {
                TRY(task_add(p, &f, before));
            }
            bits_add(before, v);
        }
    }
    t->count = p->task_count - t->first;
cleanup:
    return status;
}

static scone_status plan_all(order_pass *p)
{
    scone_status status = SCONE_OK;
    search *s = p->s;
    bits_word *sets = NULL;
    size_t words = s->words;
    TRY_ZERO(sets, 2 * words);
    p->task_count = p->tuck_count = 0;
    for (size_t v = 0; v < s->nodes; v++) {
        for (size_t i = 0; i < s->families[v].count; i++) {
            size_t u = s->families[v].parents[i];
            if (search_fixed(s, u, v)) continue;
            tuck *t = &p->tucks[p->tuck_count++];
            *t = (tuck){.from = u, .to = v};
            TRY(plan(p, t, sets, sets + words));
        }
    }
    for (size_t i = 0; i < p->task_count; i++) p->tasks[i].predecessors = p->sets + i * words;
cleanup:
    mem_free(sets);
    return status;
}

static int compare_tucks(const void *a, const void *b)
{
    const tuck *x = a, *y = b;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Makes a tuck if its new families close no cycle with the present graph. */
static scone_status try_tuck(order_pass *p, const tuck *t, bits_word *touched, bool *made)
{
    scone_status status = SCONE_OK;
    search *s = p->s;
    family *old = NULL;
    *made = false;
    for (size_t i = t->first; i < t->first + t->count; i++) {
        if (bits_has(touched, p->tasks[i].f.node)) return SCONE_OK;
    }
    TRY_ALLOC(old, s->nodes);
    memcpy(old, s->families, s->nodes * sizeof *old);
    bool acyclic = true;
    for (size_t i = t->first; i < t->first + t->count; i++) {
        size_t v = p->tasks[i].f.node;
        while (s->families[v].count > 0) search_delete(s, s->families[v].parents[0], v);
    }
    for (size_t i = t->first; i < t->first + t->count && acyclic; i++) {
        const family *f = &p->tasks[i].f;
        for (size_t k = 0; k < f->count && acyclic; k++) {
            acyclic = !closure_would_cycle(s->reach, f->parents[k], f->node);
            if (acyclic) search_add(s, f->parents[k], f->node);
        }
    }
    if (!acyclic) {
        search_replace(s, old);
    } else {
        for (size_t i = t->first; i < t->first + t->count; i++) {
            bits_add(touched, p->tasks[i].f.node);
        }
        *made = true;
    }
cleanup:
    mem_free(old);
    return status;
}

static scone_status make_tucks(order_pass *p, bool *improved)
{
    scone_status status = SCONE_OK;
    search *s = p->s;
    bits_word *touched = NULL;
    *improved = false;
    TRY_ZERO(touched, s->words);
    for (size_t k = 0; k < p->tuck_count; k++) {
        tuck *t = &p->tucks[k];
        for (size_t i = t->first; i < t->first + t->count; i++) {
            const family *f = &p->tasks[i].f;
            t->gain += score_of(s, f) - score_of(s, &s->families[f->node]);
        }
    }
    if (p->tuck_count > 1) qsort(p->tucks, p->tuck_count, sizeof *p->tucks, compare_tucks);
    for (size_t k = 0; k < p->tuck_count && p->tucks[k].gain > 1e-3; k++) {
        bool made;
        TRY(try_tuck(p, &p->tucks[k], touched, &made));
        *improved = *improved || made;
    }
cleanup:
    mem_free(touched);
    return status;
}

/* A topological order; of the nodes that may come next, the lowest comes first. */
static void sort_nodes(order_pass *p)
{
    search *s = p->s;
    size_t n = s->nodes, found = 0;
    for (size_t v = 0; v < n; v++) p->place[v] = n;
    while (found < n) {
        for (size_t v = 0; v < n; v++) {
            bool ready = p->place[v] == n;
            for (size_t i = 0; i < s->families[v].count && ready; i++) {
                ready = p->place[s->families[v].parents[i]] < n;
            }
            if (!ready) continue;
            p->place[v] = found;
            p->order[found++] = v;
        }
    }
}

scone_status search_order(search *s, size_t passes)
{
    scone_status status = SCONE_OK;
    order_pass p = {.s = s};
    bool improved = true;
    TRY_ALLOC(p.order, s->nodes);
    TRY_ALLOC(p.place, s->nodes);
    for (size_t pass = 0; pass < passes && improved; pass++) {
        size_t edges = 0;
        for (size_t v = 0; v < s->nodes; v++) edges += s->families[v].count;
        tuck *tucks = mem_resize(p.tucks, edges + 1, sizeof *tucks);
        if (!tucks) TRY(SCONE_ERR_MEMORY);
        p.tucks = tucks;
        sort_nodes(&p);
        TRY(plan_all(&p));
        TRY(run_tasks(&p));
        TRY(make_tucks(&p, &improved));
        TRY(search_greedy(s));
        TRY(context_progress(s->context, "search",
                             0.6 + 0.4 * (double)(pass + 1) / (double)passes));
    }
cleanup:
    mem_free(p.order);
    mem_free(p.place);
    mem_free(p.tasks);
    mem_free(p.sets);
    mem_free(p.scans);
    mem_free(p.tucks);
    return status;
}
