/* ges_step.c - one phase of the search: the best valid operator, until none improves.
 *
 * Keys are upper bounds: they leave out what can change with a step anywhere in the graph, the
 * paths and the knowledge. A pair that comes first by its bound is examined, and its key becomes
 * the gain of its best valid operator; the pair that comes first after being examined is the best
 * of all. After the step the bounds come back, and only the rows near what changed are computed
 * again. So each step takes the same operator as a search that looks at everything anew.
 */
#include "learn/ges_internal.h"

typedef struct checked_pair {
    uint32_t x, y;
    double bound;
} checked_pair;

/* The pairs examined in this step. */
typedef struct checked_list {
    bits_word *marks; /* [nodes, words]: row y holds x */
    checked_pair *pairs;
    size_t count, capacity;
} checked_list;

void ges_row_from_candidates(ges_search *s, const ges_phase *phase, size_t y, const bits_word *x)
{
    double *row = ges_keys_row(&s->keys, y);
    for (size_t i = 0; i < s->nodes; i++) row[i] = GES_NO_GAIN;
    for (size_t i = bits_next(x, s->words, 0); i != SIZE_MAX; i = bits_next(x, s->words, i + 1)) {
        s->candidates.count = 0;
        phase->candidates(s, i, y);
        for (size_t k = 0; k < s->candidates.count; k++) {
            if (s->candidates.gains[k] > row[i]) row[i] = s->candidates.gains[k];
        }
    }
}

void ges_affected_adjacent(const ges_search *s, bits_word *rows, size_t x, size_t y)
{
    bits_word *changed = s->sets[2];
    (void)x;
    (void)y;
    bits_copy(changed, rows, s->words);
    BITS_EACH(v, changed, s->words) {
        bits_unite(rows, graph_parents(s->next, v), s->words);
        bits_unite(rows, graph_children(s->next, v), s->words);
        bits_unite(rows, graph_siblings(s->next, v), s->words);
    }
}

scone_status ges_pair_best(double *gain, const bits_word **set, ges_search *s,
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

static scone_status check_pair(ges_search *s, const ges_phase *phase, checked_list *list, size_t x,
                               size_t y, double bound)
{
    scone_status status = SCONE_OK;
    double gain;
    const bits_word *set;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        checked_pair *pairs = mem_resize(list->pairs, capacity, sizeof *pairs);
        if (!pairs) return SCONE_ERR_MEMORY;
        list->pairs = pairs;
        list->capacity = capacity;
    }
    list->pairs[list->count++] = (checked_pair){(uint32_t)x, (uint32_t)y, bound};
    bits_add(list->marks + y * s->words, x);
    TRY(ges_pair_best(&gain, &set, s, phase, x, y));
    ges_keys_set(&s->keys, x, y, gain);
cleanup:
    return status;
}

/* The pair with the best valid operator; false if none improves. */
static scone_status choose(bool *found, size_t *x, size_t *y, ges_search *s, const ges_phase *phase,
                           checked_list *list)
{
    for (;;) {
        double bound = ges_keys_best(&s->keys, x, y);
        *found = bound > s->least;
        if (!*found || bits_has(list->marks + *y * s->words, *x)) return SCONE_OK;
        scone_status status = check_pair(s, phase, list, *x, *y, bound);
        if (status != SCONE_OK) return status;
    }
}

/* The keys get their bounds back. */
static void forget_checks(ges_search *s, checked_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const checked_pair *pair = list->pairs + i;
        bits_remove(list->marks + pair->y * s->words, pair->x);
        ges_keys_set(&s->keys, pair->x, pair->y, pair->bound);
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

static scone_status step(ges_search *s, const ges_phase *phase, checked_list *list, bits_word *rows,
                         size_t x, size_t y)
{
    scone_status status = SCONE_OK;
    double gain;
    const bits_word *set;
    TRY(ges_pair_best(&gain, &set, s, phase, x, y));
    if (!set) FAIL_DEFECT("an operator is valid once and not again");
    if (!phase->apply(s, x, y, set)) FAIL_DEFECT("a valid operator has no result");
    forget_checks(s, list);
    find_changed(rows, s);
    phase->affected(s, rows, x, y);
    ges_search_move(s, s->next);
    BITS_EACH(v, rows, s->words) {
        phase->row(s, v);
        s->statistics.rows++;
    }
    s->statistics.steps[phase->number]++;
cleanup:
    return status;
}

scone_status ges_phase_run(bool *improved, ges_search *s, const ges_phase *phase,
                           const scone_context *context)
{
    scone_status status = SCONE_OK;
    checked_list list = {0};
    bits_word *rows = NULL;
    size_t x, y;
    /* On singular data gains are as small as their rounding, and turning could go in circles. */
    size_t steps = phase == &ges_turn ? 2 * scone_graph_edges(s->state) : SIZE_MAX;
    bool found = true;
    TRY_ZERO(list.marks, s->nodes * s->words);
    TRY_ZERO(rows, s->words);
    for (size_t v = 0; v < s->nodes; v++) phase->row(s, v);
    s->statistics.rows += s->nodes;
    while (steps-- > 0) {
        double done = (double)(s->statistics.steps[0] + s->statistics.steps[1]);
        TRY(context_progress(context, "equivalence search", done / (done + (double)s->nodes)));
        TRY(choose(&found, &x, &y, s, phase, &list));
        if (!found) break;
        TRY(step(s, phase, &list, rows, x, y));
        *improved = true;
    }
cleanup:
    mem_free(list.marks);
    mem_free(list.pairs);
    mem_free(rows);
    return status;
}
