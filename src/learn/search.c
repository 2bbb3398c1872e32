/* search.c - greedy search over DAGs (see search.h).
 *
 * Every step looks at all additions, deletions and reversals. Scores are local and cached, so after
 * a step only the families of the changed nodes are fitted: at most N + |P| fits. Candidate parents
 * are ranked by what they gain alone (N (N - 1) fits).
 */
#include "learn/search.h"

#include "graph/closure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to this many nodes every other node is a candidate parent. */
enum { SEARCH_ALL_CANDIDATES = 25, SEARCH_CANDIDATES = 16 };

/* Score differences are worth this many nats per unit of log-odds. */
static const double search_temperature = 8.0;

typedef struct search {
    size_t nodes, words, max_parents;
    const search_options *options;
    local_score *scores;
    graph *dag;
    closure *reach;
    family *families;      /* [nodes] the current parents */
    bits_word *candidates; /* [nodes, words] possible parents of each node */
    family *requests;      /* [nodes * (nodes + 1)] */
} search;

typedef enum move_kind { MOVE_NONE, MOVE_ADD, MOVE_DELETE, MOVE_REVERSE } move_kind;

typedef struct move {
    move_kind kind;
    size_t from, to;
    double gain;
} move;

static bool matrix_has(const bits_word *matrix, size_t words, size_t i, size_t j)
{
    return matrix && bits_has(matrix + i * words, j);
}

static bool allowed(const search *s, size_t from, size_t to)
{
    return !matrix_has(s->options->forbidden, s->words, from, to) &&
           bits_has(s->candidates + to * s->words, from) && s->families[to].count < s->max_parents;
}

static bool fixed(const search *s, size_t from, size_t to)
{
    return matrix_has(s->options->required, s->words, from, to);
}

/* ---- candidates ---- */

typedef struct ranked {
    double gain;
    size_t node;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Keeps for each node the parents that gain most alone. */
static scone_status rank_candidates(search *s)
{
    scone_status status = SCONE_OK;
    ranked *order = NULL;
    size_t n = s->nodes, count = 0, keep = s->options->candidates;
    if (keep == 0) keep = n <= SEARCH_ALL_CANDIDATES ? n : SEARCH_CANDIDATES;
    for (size_t v = 0; v < n; v++) {
        family alone = {.node = (uint32_t)v};
        s->requests[count++] = alone;
        for (size_t u = 0; u < n; u++) {
            if (u != v && !matrix_has(s->options->forbidden, s->words, u, v)) {
                s->requests[count++] = family_with(&alone, u);
            }
        }
    }
    TRY(local_score_request(s->scores, s->requests, count, "pairs"));
    TRY_ALLOC(order, n);
    for (size_t v = 0; v < n; v++) {
        family alone = {.node = (uint32_t)v};
        size_t found = 0;
        for (size_t u = 0; u < n; u++) {
            if (u == v || matrix_has(s->options->forbidden, s->words, u, v)) continue;
            family with = family_with(&alone, u);
            order[found++] = (ranked){local_score_get(s->scores, &with), u};
        }
        if (found > 1) qsort(order, found, sizeof *order, compare_ranked);
        for (size_t i = 0; i < found && i < keep; i++) {
            bits_add(s->candidates + v * s->words, order[i].node);
        }
    }
cleanup:
    mem_free(order);
    return status;
}

/* ---- moves ---- */

/* Families that differ from the current ones by one parent. */
static scone_status request_neighbours(search *s)
{
    size_t count = 0;
    for (size_t v = 0; v < s->nodes; v++) {
        const family *f = &s->families[v];
        s->requests[count++] = *f;
        for (size_t u = 0; u < s->nodes; u++) {
            if (u == v) continue;
            if (family_has(f, u)) {
                s->requests[count++] = family_without(f, u);
            } else if (allowed(s, u, v)) {
                s->requests[count++] = family_with(f, u);
            }
        }
    }
    return local_score_request(s->scores, s->requests, count, NULL);
}

static double gain_with(const search *s, size_t from, size_t to)
{
    family with = family_with(&s->families[to], from);
    return local_score_get(s->scores, &with) - local_score_get(s->scores, &s->families[to]);
}

static double gain_without(const search *s, size_t from, size_t to)
{
    family without = family_without(&s->families[to], from);
    return local_score_get(s->scores, &without) - local_score_get(s->scores, &s->families[to]);
}

static void consider(move *best, move_kind kind, size_t from, size_t to, double gain)
{
    if (gain > best->gain) *best = (move){kind, from, to, gain};
}

static move best_move(const search *s)
{
    move best = {.kind = MOVE_NONE, .gain = 1e-6};
    for (size_t to = 0; to < s->nodes; to++) {
        for (size_t from = 0; from < s->nodes; from++) {
            if (from == to) continue;
            if (!family_has(&s->families[to], from)) {
                if (allowed(s, from, to) && !closure_would_cycle(s->reach, from, to)) {
                    consider(&best, MOVE_ADD, from, to, gain_with(s, from, to));
                }
                continue;
            }
            if (fixed(s, from, to)) continue;
            double loss = gain_without(s, from, to);
            consider(&best, MOVE_DELETE, from, to, loss);
            if (allowed(s, to, from) && !closure_has_detour(s->reach, s->dag, from, to)) {
                consider(&best, MOVE_REVERSE, from, to, loss + gain_with(s, to, from));
            }
        }
    }
    return best;
}

static void add_edge(search *s, size_t from, size_t to)
{
    graph_direct(s->dag, from, to);
    closure_add(s->reach, from, to);
    s->families[to] = family_with(&s->families[to], from);
}

static void delete_edge(search *s, size_t from, size_t to)
{
    graph_remove(s->dag, from, to);
    closure_delete(s->reach, s->dag, from, to);
    s->families[to] = family_without(&s->families[to], from);
}

static scone_status climb(search *s, const scone_context *context)
{
    scone_status status = SCONE_OK;
    for (size_t step = 0;; step++) {
        TRY(request_neighbours(s));
        move best = best_move(s);
        if (best.kind == MOVE_NONE) break;
        if (best.kind != MOVE_ADD) delete_edge(s, best.from, best.to);
        if (best.kind == MOVE_ADD) add_edge(s, best.from, best.to);
        if (best.kind == MOVE_REVERSE) add_edge(s, best.to, best.from);
        /* about 1.2 N steps are usual; the bar slows down if there are more */
        TRY(context_progress(context, "search", 1.0 - exp(-(double)step / (double)s->nodes)));
    }
cleanup:
    return status;
}

/* ---- what the search returns ---- */

/* P of the three states of a pair from the score of each, all else as it is. */
static void pair_probabilities(const search *s, double *p, size_t i, size_t j)
{
    bool forward = family_has(&s->families[j], i), backward = family_has(&s->families[i], j);
    double value[3] = {0.0, -HUGE_VAL, -HUGE_VAL}; /* none, i -> j, j -> i */
    if (forward || (allowed(s, i, j) && !closure_would_cycle(s->reach, i, j))) {
        value[1] = forward ? -gain_without(s, i, j) : gain_with(s, i, j);
    }
    if (backward || (allowed(s, j, i) && !closure_would_cycle(s->reach, j, i))) {
        value[2] = backward ? -gain_without(s, j, i) : gain_with(s, j, i);
    }
    /* an edge that is there could also be turned round */
    if (forward && allowed(s, j, i) && !closure_has_detour(s->reach, s->dag, i, j)) {
        value[2] = gain_with(s, j, i);
    }
    if (backward && allowed(s, i, j) && !closure_has_detour(s->reach, s->dag, j, i)) {
        value[1] = gain_with(s, i, j);
    }
    double top = fmax(value[0], fmax(value[1], value[2])), weight[3], sum = 0.0;
    for (int k = 0; k < 3; k++) sum += weight[k] = exp((value[k] - top) / search_temperature);
    p[i * s->nodes + j] = weight[1] / sum;
    p[j * s->nodes + i] = weight[2] / sum;
}

static scone_status describe(search_result *out, search *s)
{
    scone_status status = SCONE_OK;
    size_t n = s->nodes;
    TRY_ZERO(out->probabilities, n * n);
    TRY_ZERO(out->margins, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) pair_probabilities(s, out->probabilities, i, j);
        const fit_result *fit = local_score_fit(s->scores, &s->families[i]);
        out->margins[i] = fit->separate - fit->shared;
        out->score += local_score_get(s->scores, &s->families[i]);
    }
    out->evaluations = local_score_count(s->scores);
    out->graph = s->dag;
    s->dag = NULL;
cleanup:
    return status;
}

static scone_status start(search *s, const basis *b, const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t n = b->nodes, cells;
    const search_options *options = s->options;
    double cost = options->edge_cost;
    if (cost < 0.0) cost = 4.0 + 2.0 * log((double)n);
    s->nodes = n;
    s->words = bits_words(n);
    s->max_parents = options->max_parents;
    if (s->max_parents == 0 || s->max_parents > FIT_MAX_PARENTS) s->max_parents = FIT_MAX_PARENTS;
    if (!size_multiply(&cells, n, n + 1)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY(local_score_alloc(&s->scores, b, cost, options->effort, context));
    TRY(graph_alloc(&s->dag, n));
    TRY(closure_alloc(&s->reach, n));
    TRY_ZERO(s->families, n);
    TRY_ZERO(s->candidates, n * s->words);
    TRY_ALLOC(s->requests, cells);
    for (size_t v = 0; v < n; v++) s->families[v].node = (uint32_t)v;
    for (size_t to = 0; to < n; to++) {
        for (size_t from = 0; from < n; from++) {
            if (!fixed(s, from, to)) continue;
            if (s->families[to].count == FIT_MAX_PARENTS ||
                closure_would_cycle(s->reach, from, to)) {
                FAIL(SCONE_ERR_INPUT,
                     "the required edges form a cycle, or one variable has more than "
                     "%d required causes; the search cannot honour them",
                     FIT_MAX_PARENTS);
            }
            add_edge(s, from, to);
        }
    }
cleanup:
    return status;
}

scone_status search_run(search_result *out, const scone_pair *pair, const search_options *options,
                        const scone_context *context)
{
    scone_status status = SCONE_OK;
    search s = {.options = options};
    basis *b = NULL;
    *out = (search_result){0};
    TRY(basis_alloc(&b, pair, context));
    TRY(start(&s, b, context));
    TRY(rank_candidates(&s));
    TRY(climb(&s, context));
    TRY(describe(out, &s));
cleanup:
    local_score_free(s.scores);
    scone_graph_free(s.dag);
    closure_free(s.reach);
    mem_free(s.families);
    mem_free(s.candidates);
    mem_free(s.requests);
    basis_free(b);
    return status;
}

void search_result_free(search_result *result)
{
    scone_graph_free(result->graph);
    mem_free(result->probabilities);
    mem_free(result->margins);
    *result = (search_result){0};
}
