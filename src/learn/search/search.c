/* search.c - the stages of the search (see search.h).
 *
 *     start      scores, the required edges
 *     screen     for each node the candidate parents that a scan of the empty family ranks first
 *     greedy     additions, deletions, reversals
 *     joint      parents that show only together; then greedy again
 *     order      moves of one variable along the order of the graph
 *     prune      parents that a refined model may only have lent itself to
 *     describe   probabilities from score differences
 */
#include "learn/search/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to this many nodes every other node is a candidate parent. */
enum { SEARCH_ALL_CANDIDATES = 25, SEARCH_CANDIDATES = 24 };

/* With fast effort no more rows of a regime are looked at. */
enum { SEARCH_FAST_ROWS = 2000 };

double search_edge_cost(size_t nodes)
{
    return 2.0 + 1.5 * log((double)nodes);
}

double search_discount(double rows)
{
    return fmin(fmax(0.2 * log(rows / 1000.0), 0.0), 0.6);
}

/* ---- several conditions ---- */

/* What it costs to say that a mechanism changed, if this share of them does. */
static double search_odds(double share)
{
    return log((1.0 - share) / share);
}

/* Counts what changed in the graph at hand, and tells the scores. */
static void learn_share(search *s)
{
    double changed = 0.0, all = (double)s->nodes * (double)(s->parts - 1);
    if (s->parts == 2) return;
    for (size_t v = 0; v < s->nodes; v++) {
        changed += (double)family_score_fit(s->scores, &s->families[v])->changed;
    }
    /* As if one more variable had been looked at that changed in half of the conditions */
    double more = 0.5 * (double)(s->parts - 1);
    double share = (changed + 0.5 * more) / (all + more);
    family_score_set_odds(s->scores, search_odds(fmin(share, 0.5)));
}

/* ---- screen ---- */

typedef struct ranked {
    float gain;
    uint32_t node;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int compare_nodes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Keeps for each node the candidates that gain most alone. */
static scone_status screen(search *s)
{
    scone_status status = SCONE_OK;
    ranked *order = NULL;
    uint32_t *kept = NULL;
    family *alone = NULL;
    size_t n = s->nodes, keep = s->options->candidates, count;
    if (keep == 0) keep = n <= SEARCH_ALL_CANDIDATES ? n : SEARCH_CANDIDATES;
    TRY_ALLOC(order, n);
    TRY_ALLOC(kept, n);
    TRY_ZERO(alone, n);
    for (size_t v = 0; v < n; v++) {
        alone[v].node = (uint32_t)v;
        TRY(search_wish(s, &alone[v], &alone[v]));
    }
    TRY(search_fulfil(s, NULL));
    TRY(family_score_scan(s->scores, alone, n, "screening"));
    for (size_t v = 0; v < n && keep < n; v++) {
        const uint32_t *candidates = family_score_candidates(s->scores, v, &count);
        const float *gains = family_score_gains(s->scores, &alone[v]);
        size_t found = 0;
        for (size_t c = 0; c < count; c++) {
            if (!search_allowed(s, candidates[c], v)) continue;
            order[found++] = (ranked){gains[c], candidates[c]};
        }
        if (found > 1) qsort(order, found, sizeof *order, compare_ranked);
        if (found > keep) found = keep;
        for (size_t i = 0; i < found; i++) kept[i] = order[i].node;
        if (found > 1) qsort(kept, found, sizeof *kept, compare_nodes);
        TRY(family_score_restrict(s->scores, v, kept, found));
    }
cleanup:
    mem_free(order);
    mem_free(kept);
    mem_free(alone);
    return status;
}

/* ---- start ---- */

static scone_status require(search *s)
{
    for (size_t to = 0; to < s->nodes; to++) {
        for (size_t from = 0; from < s->nodes; from++) {
            if (!search_fixed(s, from, to)) continue;
            if (s->families[to].count == FAMILY_MAX_PARENTS ||
                closure_would_cycle(s->reach, from, to)) {
                return RAISE(SCONE_ERR_INPUT,
                             "the required edges form a cycle, or one variable has more than "
                             "%d required causes; the search cannot honour them",
                             FAMILY_MAX_PARENTS);
            }
            search_add(s, from, to);
        }
    }
    return SCONE_OK;
}

static scone_status start(search *s, const basis *b)
{
    static const size_t looks[] = {2, 4, 8}, passes[] = {0, 6, 20};
    scone_status status = SCONE_OK;
    size_t n = b->nodes;
    const search_options *options = s->options;
    int effort = options->effort < 0 ? 0 : options->effort > 2 ? 2 : options->effort;
    const family_score_options how = {
        .edge_cost = options->edge_cost < 0.0 ? search_edge_cost(n) : options->edge_cost,
        .discount = search_discount((double)b->total),
        .effort = effort,
        .odds = search_odds(fmin(2.0 / (double)n, 0.5)),
    };
    s->parts = b->parts;
    s->nodes = n;
    s->words = bits_words(n);
    s->looks = looks[effort];
    s->passes = passes[effort];
    s->price = 0.2 * BASIS_SIZE * log((double)b->total) + family_score_edge_cost(&how, BASIS_SIZE);
    s->least_gain = 0.6 * s->price;
    s->rows = (double)b->total;
    s->luck = 0.05 * s->rows;
    s->max_parents = options->max_parents;
    if (s->max_parents == 0 || s->max_parents > FAMILY_MAX_PARENTS) {
        s->max_parents = FAMILY_MAX_PARENTS;
    }
    TRY(family_score_alloc(&s->scores, b, &how, s->context));
    TRY(graph_alloc(&s->dag, n));
    TRY(closure_alloc(&s->reach, n));
    TRY_ZERO(s->families, n);
    for (size_t v = 0; v < n; v++) s->families[v].node = (uint32_t)v;
    TRY(require(s));
cleanup:
    return status;
}

scone_status search_run(search_result *out, const scone_pair *pair, const search_options *options,
                        const scone_context *context)
{
    scone_status status = SCONE_OK;
    search s = {.options = options, .context = context};
    basis *b = NULL;
    *out = (search_result){0};
    const basis_options how = {.seed = options->seed,
                               .most_rows = options->effort <= 0 ? SEARCH_FAST_ROWS : 0,
                               .plain = options->effort <= 0,
                               .conditions = options->conditions,
                               .condition_rows = options->condition_rows};
    TRY(basis_alloc(&b, pair, &how, context));
    TRY(start(&s, b));
    TRY(screen(&s));
    TRY(search_greedy(&s));
    learn_share(&s);
    if (options->joint) {
        bool improved;
        TRY(search_joint(&s, b, &improved));
        if (improved) TRY(search_greedy(&s));
    }
    TRY(search_order(&s, s.passes));
    learn_share(&s);
    TRY(search_prune(&s));
    TRY(search_describe(out, &s));
cleanup:
    family_score_free(s.scores);
    scone_graph_free(s.dag);
    closure_free(s.reach);
    mem_free(s.families);
    mem_free(s.wishes);
    basis_free(b);
    return status;
}

void search_result_free(search_result *result)
{
    scone_graph_free(result->graph);
    mem_free(result->probabilities);
    mem_free(result->values);
    mem_free(result->gains);
    mem_free(result->fits);
    mem_free(result->margins);
    *result = (search_result){0};
}
