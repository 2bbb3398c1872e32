/* ges_step.c - the best valid operator, again and again, until none improves.
 *
 * Keys are upper bounds: they leave out what can change with a step anywhere in the graph, the
 * paths and the knowledge. A pair that comes first by its bound is examined, and its key becomes
 * the gain of its best valid operator; the pair that comes first after being examined is the best
 * of all. A pair whose better operators failed because of paths keeps its lower key until a node
 * on one of these paths changes (as long as the paths are there, its operators stay invalid); one
 * that failed because of knowledge gets its bound back after the step. Rows of keys near what
 * changed are computed again. So each step takes the same operator as a search that looks at
 * everything anew.
 */
#include "learn/ges/ges_parts.h"

/* The pairs examined in this step. */
typedef struct checked_list {
    ges_keys *keys;
    bits_word *marks; /* [nodes, words]: row y holds x */
    ges_pair *pairs;
    bool *doubtful; /* of each: only knowledge stood against a better operator */
    size_t count, capacity;
} checked_list;

static double best_candidate(ges_search *s, const ges_phase *phase, size_t x, size_t y)
{
    double best = GES_NO_GAIN;
    s->candidates.count = 0;
    phase->candidates(s, x, y);
    for (size_t k = 0; k < s->candidates.count; k++) {
        if (s->candidates.gains[k] > best) best = s->candidates.gains[k];
    }
    return best > s->least ? best : GES_NO_GAIN;
}

void ges_cell_from_candidates(ges_search *s, const ges_phase *phase, size_t x, size_t y)
{
    ges_keys_set(&s->keys[phase->number], x, y, best_candidate(s, phase, x, y));
}

void ges_row_from_candidates(ges_search *s, const ges_phase *phase, size_t y, const bits_word *x)
{
    double *row = ges_keys_row(&s->keys[phase->number], y);
    for (size_t i = 0; i < s->nodes; i++) row[i] = GES_NO_GAIN;
    BITS_EACH(i, x, s->words) row[i] = best_candidate(s, phase, i, y);
}

void ges_cells_shared(ges_search *s, const ges_phase *phase, const bits_word *rows, size_t x,
                      size_t y)
{
    const bits_word *a = graph_siblings(s->state, x), *b = graph_siblings(s->state, y);
    BITS_EACH_WORD(v, w, s->words, a[w] & ~rows[w]) ges_cell_from_candidates(s, phase, y, v);
    BITS_EACH_WORD(v, w, s->words, b[w] & ~rows[w]) ges_cell_from_candidates(s, phase, x, v);
}

scone_status ges_pair_best(double *gain, const bits_word **set, bool *doubtful, ges_search *s,
                           const ges_phase *phase, size_t x, size_t y)
{
    scone_status status = SCONE_OK;
    ges_candidates *c = &s->candidates;
    bool knowledge = s->options.forbidden || s->options.required;
    c->count = 0;
    phase->candidates(s, x, y);
    s->statistics.checks++;
    *gain = GES_NO_GAIN;
    *set = NULL;
    *doubtful = false;
    bits_clear(s->path, s->words);
    for (;;) {
        size_t best = c->count;
        for (size_t i = 0; i < c->count; i++) {
            if (c->gains[i] > (best < c->count ? c->gains[best] : s->least)) best = i;
        }
        if (best == c->count) return SCONE_OK;
        const bits_word *members = c->sets + best * s->words;
        bool good = phase->valid(s, x, y, members);
        if (good && knowledge) {
            if (!phase->apply(s, x, y, members)) FAIL_DEFECT("a valid operator has no result");
            TRY(ges_admissible(&good, s));
            *doubtful = *doubtful || !good;
        }
        if (good) {
            *gain = c->gains[best];
            *set = members;
            return SCONE_OK;
        }
        c->gains[best] = GES_NO_GAIN;
    }
cleanup:
    return status;
}

static scone_status reserve(checked_list *list)
{
    if (list->count < list->capacity) return SCONE_OK;
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    ges_pair *pairs = mem_resize(list->pairs, capacity, sizeof *pairs);
    if (!pairs) return SCONE_ERR_MEMORY;
    list->pairs = pairs;
    bool *doubtful = mem_resize(list->doubtful, capacity, sizeof *doubtful);
    if (!doubtful) return SCONE_ERR_MEMORY;
    list->doubtful = doubtful;
    list->capacity = capacity;
    return SCONE_OK;
}

static scone_status check_pair(ges_search *s, const ges_phase *phase, checked_list *list, size_t x,
                               size_t y)
{
    scone_status status = SCONE_OK;
    double gain;
    const bits_word *set;
    bool doubtful;
    TRY(reserve(list));
    TRY(ges_pair_best(&gain, &set, &doubtful, s, phase, x, y));
    ges_keys_lower(list->keys, x, y, gain);
    BITS_EACH(v, s->path, s->words) TRY(ges_keys_wait(list->keys, x, y, v));
    list->pairs[list->count] = (ges_pair){(uint32_t)x, (uint32_t)y};
    list->doubtful[list->count++] = doubtful;
    bits_add(list->marks + y * s->words, x);
cleanup:
    return status;
}

/* The pair with the best valid operator of a phase; false if none improves. */
static scone_status choose(bool *found, size_t *x, size_t *y, ges_search *s, const ges_phase *phase,
                           checked_list *list)
{
    list->keys = &s->keys[phase->number];
    for (;;) {
        double bound = ges_keys_best(list->keys, x, y);
        *found = bound > s->least;
        if (!*found || bits_has(list->marks + *y * s->words, *x)) return SCONE_OK;
        scone_status status = context_check(s->options.ask);
        if (status == SCONE_OK) status = check_pair(s, phase, list, *x, *y);
        if (status != SCONE_OK) return status;
    }
}

static void forget_checks(ges_search *s, checked_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        ges_pair pair = list->pairs[i];
        bits_remove(list->marks + pair.y * s->words, pair.x);
        if (list->doubtful[i]) ges_keys_restore(list->keys, pair.x, pair.y);
    }
    list->count = 0;
}

/* Nodes whose rows differ between the state and what comes next. */
static void find_changed(bits_word *changed, const ges_search *s)
{
    const graph *a = s->state, *b = s->next;
    bits_clear(changed, s->words);
    for (size_t v = 0; v < s->nodes; v++) {
        if (!bits_equal(graph_parents(a, v), graph_parents(b, v), s->words) ||
            !bits_equal(graph_children(a, v), graph_children(b, v), s->words) ||
            !bits_equal(graph_siblings(a, v), graph_siblings(b, v), s->words)) {
            bits_add(changed, v);
        }
    }
}

static void compute_row(ges_search *s, const ges_phase *phase, size_t y)
{
    phase->row(s, y);
    ges_keys_keep_row(&s->keys[phase->number], y);
    s->statistics.rows++;
}

/* Moves to s->next and brings the keys of the phases up to date. rows is scratch. */
static scone_status move(ges_search *s, const ges_phase *const *phases, size_t count, bits_word *changed,
                 bits_word *rows, size_t x, size_t y)
{
    scone_status status = SCONE_OK;
    find_changed(changed, s);
    ges_search_move(s, s->next);
    const bits_word *a = graph_siblings(s->state, x), *b = graph_siblings(s->state, y);
    for (size_t w = 0; w < s->words; w++) rows[w] = changed[w] | (a[w] & b[w]);
    for (size_t p = 0; p < count; p++) {
        BITS_EACH(v, changed, s->words) ges_keys_wake(&s->keys[phases[p]->number], v);
        BITS_EACH(v, rows, s->words) {
            TRY(context_check(s->options.ask));
            compute_row(s, phases[p], v);
        }
        phases[p]->cells(s, rows, changed, x, y);
    }
cleanup:
    return status;
}

/* Applies the best operator of a pair that was chosen. */
static scone_status apply(ges_search *s, const ges_phase *phase, size_t x, size_t y)
{
    scone_status status = SCONE_OK;
    double gain;
    const bits_word *set;
    bool doubtful;
    TRY(ges_pair_best(&gain, &set, &doubtful, s, phase, x, y));
    if (!set) FAIL_DEFECT("an operator is valid once and not again");
    if (!phase->apply(s, x, y, set)) FAIL_DEFECT("a valid operator has no result");
    s->statistics.steps[phase->number]++;
    TRY(ges_visit(&s->circling, &s->visited, s->next));
cleanup:
    return status;
}

scone_status ges_steps(bool *improved, ges_search *s, const ges_phase *const *phases, size_t count,
                       const scone_context *context)
{
    scone_status status = SCONE_OK;
    checked_list list = {0};
    bits_word *sets = NULL;
    TRY_ZERO(list.marks, s->nodes * s->words);
    TRY_ZERO(sets, 2 * s->words);
    for (size_t p = 0; p < count; p++) {
        for (size_t v = 0; v < s->nodes; v++) ges_keys_wake(&s->keys[phases[p]->number], v);
        for (size_t v = 0; v < s->nodes; v++) {
            TRY(context_check(s->options.ask));
            compute_row(s, phases[p], v);
        }
    }
    while (!s->circling) {
        size_t x, y, p = 0;
        bool found = false;
        double done = (double)(s->statistics.steps[0] + s->statistics.steps[1]);
        TRY(context_progress(context, "equivalence search", done / (done + (double)s->nodes)));
        for (; p < count && !found; p++) {
            TRY(choose(&found, &x, &y, s, phases[p], &list));
            forget_checks(s, &list);
        }
        if (!found) break;
        TRY(apply(s, phases[p - 1], x, y));
        TRY(move(s, phases, count, sets, sets + s->words, x, y));
        *improved = true;
    }
cleanup:
    mem_free(list.marks);
    mem_free(list.pairs);
    mem_free(list.doubtful);
    mem_free(sets);
    return status;
}
