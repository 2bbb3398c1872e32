/* ges.c - Greedy Equivalence Search: setting up, the phases, knowledge (see ges.h).
 *
 * Knowledge. The state is always the CPDAG of a class with at least one member that honours all
 * forbidden and required directions; that is what an operator's result is tested for (the known
 * directions of undirected edges, closed under the Meek rules, without contradiction). An operator
 * that makes a forbidden x -> y, or removes or turns a required edge, is not tried at all. The
 * search first runs without knowledge: if the class it ends in honours the knowledge, that is the
 * result, so that with many rows true knowledge leads to the true class as no knowledge does. Else
 * it starts again, from the required edges alone, and stays within what is allowed; steps that
 * are not allowed may then stand between it and a better class.
 */
#include "learn/ges/ges_parts.h"

#include "graph/graph_cpdag.h"

#include <float.h>

enum { GES_CLIQUES = 256 };

static scone_status check_options(const ges_options *options, double rows)
{
    if (!(rows >= 0.0 && rows <= DBL_MAX)) {
        return RAISE(SCONE_ERR_INPUT, "the number of rows must be a finite number from 0 on");
    }
    if (!(options->penalty >= 0.0 && options->penalty <= 1e9)) {
        return RAISE(SCONE_ERR_INPUT, "the penalty factor must lie between 0 and 1e9");
    }
    return SCONE_OK;
}

static void fill_options(ges_options *options, size_t nodes, double rows)
{
    size_t most = nodes > 0 ? nodes - 1 : 0;
    if (options->penalty == 0.0) options->penalty = 1.0;
    if (options->max_parents > 0 && options->max_parents < most) most = options->max_parents;
    double sensible = rows >= 2.0 ? floor((rows - 2.0) / 2.0) : 0.0;
    options->max_parents = (double)most <= sensible ? most : (size_t)sensible;
    if (options->clique_limit == 0) options->clique_limit = GES_CLIQUES;
    if (options->clique_limit < 2) options->clique_limit = 2;
    if (options->clique_limit > (size_t)1 << GES_DEPTH) {
        options->clique_limit = (size_t)1 << GES_DEPTH;
    }
}

/* The CPDAG of the required edges becomes the state. */
static scone_status start_from_required(ges_search *s)
{
    const bits_word *required = s->options.required, *forbidden = s->options.forbidden;
    for (size_t i = 0; i < s->nodes; i++) {
        BITS_EACH(j, required + i * s->words, s->words) {
            if (ges_known(s, forbidden, i, j)) {
                return RAISE(SCONE_ERR_INPUT,
                             "knowledge: the edge from column %zu to column %zu is both required "
                             "and forbidden; remove one of the two",
                             i + 1, j + 1);
            }
            if (i == j || ges_known(s, required, j, i)) {
                return RAISE(SCONE_ERR_INPUT,
                             "knowledge: edges from column %zu to column %zu and back are "
                             "required; remove one of the two",
                             i + 1, j + 1);
            }
            graph_direct(s->dag, i, j);
        }
    }
    if (!graph_cpdag(s->next, s->dag, s->work)) {
        return RAISE(SCONE_ERR_INPUT, "knowledge: the required edges form a directed cycle; remove "
                                      "one of its edges");
    }
    ges_search_move(s, s->next);
    return SCONE_OK;
}

static scone_status alloc_sets(ges_search *s)
{
    scone_status status = SCONE_OK;
    size_t sets = sizeof s->sets / sizeof *s->sets, cells, doubles;
    ges_candidates *c = &s->candidates;
    c->capacity = s->options.clique_limit + 2 * s->nodes + 2;
    if (!size_multiply(&cells, c->capacity, s->words) ||
        !size_add(&doubles, s->nodes, 3 * (GES_DEPTH + 1) + 2) ||
        !size_multiply(&doubles, doubles, s->nodes)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a search over %zu columns", s->nodes);
    }
    TRY_ALLOC(c->gains, c->capacity);
    TRY_ALLOC(c->sets, cells);
    TRY_ZERO(s->clique, s->words);
    TRY_ZERO(s->open, (GES_DEPTH + 2) * s->words);
    TRY_ZERO(s->path, s->words);
    TRY_ZERO(s->before, 2 * s->nodes);
    TRY_ZERO(s->sets[0], sets * s->words);
    for (size_t i = 1; i < sets; i++) s->sets[i] = s->sets[0] + i * s->words;
    TRY_ALLOC(s->sweep, doubles);
    TRY_ZERO(s->adjacent, s->nodes * s->words);
cleanup:
    return status;
}

scone_status ges_search_alloc(ges_search **out, const double *covariance, size_t nodes, double rows,
                              const ges_options *options)
{
    scone_status status = SCONE_OK;
    ges_search *s = NULL;
    ges_options none = {0};
    *out = NULL;
    TRY(check_options(options ? options : &none, rows));
    TRY_ZERO(s, 1);
    s->nodes = nodes;
    s->words = bits_words(nodes);
    s->options = options ? *options : none;
    fill_options(&s->options, nodes, rows);
    s->least = 1e-9 * rows;
    TRY(ges_score_alloc(&s->score, covariance, nodes, rows, s->options.penalty));
    TRY(graph_alloc(&s->state, nodes));
    TRY(graph_alloc(&s->next, nodes));
    TRY(graph_alloc(&s->edited, nodes));
    TRY(graph_alloc(&s->dag, nodes));
    TRY(graph_work_alloc(&s->work, nodes));
    for (size_t p = 0; p < 3; p++) TRY(ges_keys_alloc(&s->keys[p], nodes));
    TRY(alloc_sets(s));
    if (s->options.forbidden || s->options.required) {
        TRY(meek_alloc(&s->closure, nodes));
        TRY(graph_alloc(&s->admitted, nodes));
    }
    if (s->options.required) TRY(start_from_required(s));
    *out = s;
    return SCONE_OK;
cleanup:
    ges_search_free(s);
    return status;
}

void ges_search_free(ges_search *s)
{
    if (!s) return;
    scone_graph_free(s->state);
    scone_graph_free(s->next);
    scone_graph_free(s->edited);
    scone_graph_free(s->dag);
    scone_graph_free(s->admitted);
    graph_work_free(s->work);
    meek_free(s->closure);
    ges_score_free(s->score);
    for (size_t p = 0; p < 3; p++) ges_keys_free(&s->keys[p]);
    mem_free(s->visited.hashes);
    mem_free(s->path);
    mem_free(s->before);
    mem_free(s->candidates.gains);
    mem_free(s->candidates.sets);
    mem_free(s->clique);
    mem_free(s->open);
    mem_free(s->sets[0]);
    mem_free(s->sweep);
    mem_free(s->adjacent);
    mem_free(s->known);
    mem_free(s);
}

void ges_search_move(ges_search *s, const graph *cpdag)
{
    graph_assign(s->state, cpdag);
    graph_skeleton(s->adjacent, s->state, false);
}

static scone_status add_known(ges_search *s, size_t *count, size_t from, size_t to)
{
    if (*count == s->known_capacity) {
        size_t capacity = s->known_capacity ? 2 * s->known_capacity : 64;
        meek_edge *known = mem_resize(s->known, capacity, sizeof *known);
        if (!known) return SCONE_ERR_MEMORY;
        s->known = known;
        s->known_capacity = capacity;
    }
    s->known[(*count)++] = (meek_edge){(uint32_t)from, (uint32_t)to};
    return SCONE_OK;
}

scone_status ges_admissible(bool *answer, ges_search *s)
{
    scone_status status = SCONE_OK;
    const bits_word *forbidden = s->options.forbidden, *required = s->options.required;
    size_t count = 0;
    *answer = false;
    for (size_t i = 0; i < s->nodes; i++) {
        const bits_word *loose = graph_siblings(s->next, i);
        if (forbidden) {
            const bits_word *never = forbidden + i * s->words;
            if (bits_meet(never, graph_children(s->next, i), s->words)) return SCONE_OK;
            BITS_EACH_WORD(j, w, s->words, never[w] & loose[w]) TRY(add_known(s, &count, j, i));
        }
        if (required) {
            const bits_word *always = required + i * s->words;
            BITS_EACH(j, always, s->words) {
                if (bits_has(loose, j))
                    TRY(add_known(s, &count, i, j));
                else if (!graph_directed(s->next, i, j))
                    return SCONE_OK;
            }
        }
    }
    graph_assign(s->admitted, s->next);
    status = meek_require(s->admitted, s->closure, s->known, count);
    *answer = status == SCONE_OK;
    /* A contradiction is an answer. */
    if (status == SCONE_ERR_INPUT) status = SCONE_OK;
cleanup:
    return status;
}

static scone_status run_phases(ges_search *s, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const ges_phase *const phases[] = {&ges_insert, &ges_delete, &ges_turn};
    const ges_phase *const eager[] = {&ges_delete, &ges_turn, &ges_insert};
    const ges_phase *const eager_plain[] = {&ges_delete, &ges_insert};
    size_t count = s->options.skip_turning ? 2 : 3;
    bool improved = s->options.max_parents > 0, again;
    TRY(ges_visit(&again, &s->visited, s->state));
    while (improved && !s->circling) {
        improved = false;
        s->statistics.rounds++;
        if (s->options.eager) {
            return ges_steps(&improved, s, count == 3 ? eager : eager_plain, count, context);
        }
        for (size_t p = 0; p < count; p++) TRY(ges_steps(&improved, s, &phases[p], 1, context));
    }
cleanup:
    return status;
}

/* Where the search without knowledge ends becomes the state, if the knowledge allows it. */
static scone_status try_without_knowledge(ges_search *s, const double *covariance,
                                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    ges_search *plain = NULL;
    ges_options options = s->options;
    bool admissible;
    options.forbidden = options.required = NULL;
    TRY(ges_search_alloc(&plain, covariance, s->nodes, s->score->rows, &options));
    TRY(run_phases(plain, context));
    s->statistics = plain->statistics;
    graph_assign(s->next, plain->state);
    TRY(ges_admissible(&admissible, s));
    if (admissible) ges_search_move(s, s->next);
cleanup:
    ges_search_free(plain);
    return status;
}

scone_status ges_run(graph **out, const double *covariance, size_t nodes, double rows,
                     const ges_options *options, ges_statistics *statistics,
                     const scone_context *context)
{
    scone_status status = SCONE_OK;
    ges_search *s = NULL;
    bool admissible = true;
    *out = NULL;
    TRY(ges_search_alloc(&s, covariance, nodes, rows, options));
    if (!s->options.ask) s->options.ask = context;
    if (s->admitted) TRY(try_without_knowledge(s, covariance, context));
    TRY(run_phases(s, context));
    graph_assign(s->next, s->state);
    if (s->admitted) TRY(ges_admissible(&admissible, s));
    if (!admissible) FAIL_DEFECT("a search left what its knowledge allows");
    TRY(graph_copy(out, s->admitted ? s->admitted : s->state));
    if (statistics) *statistics = s->statistics;
cleanup:
    ges_search_free(s);
    return status;
}

scone_status ges_dag_score(double *score, const graph *dag, const double *covariance, double rows,
                           const ges_options *options)
{
    scone_status status = SCONE_OK;
    ges_score *s = NULL;
    ges_options filled = options ? *options : (ges_options){0};
    TRY(check_options(&filled, rows));
    fill_options(&filled, dag->nodes, rows);
    TRY(ges_score_alloc(&s, covariance, dag->nodes, rows, filled.penalty));
    *score = 0.0;
    for (size_t y = 0; y < dag->nodes; y++) {
        *score += ges_local(s, y, graph_parents(dag, y), SIZE_MAX, SIZE_MAX);
    }
cleanup:
    ges_score_free(s);
    return status;
}
