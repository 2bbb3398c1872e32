/* explain_check.c - certificates, replayed on the data (see explain.h): every test of a certificate
 * is made again, the rule is asked again with what the tests say now, and the closure is replayed
 * step by step. */
#include "explain/explain.h"

#include "parallel/team.h"
#include "discover/prepare.h"
#include "rules/pdag.h"
#include "text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Tests differ by rounding on another machine, by more if something is wrong. */
static const double tolerance = 1e-6;

typedef struct checking {
    scone_explanation *x;
    size_t *node_of; /* [variables] node, SIZE_MAX: it does not vary */
    literal_source source;
    tested_literal *again; /* [tests] */
    size_t *items;         /* of the pair at hand: its tests */
} checking;

static scone_status doubt(scone_explanation *x, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static scone_status doubt(scone_explanation *x, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (x->doubt_count == x->doubt_capacity) {
        size_t capacity = 2 * x->doubt_capacity + 8;
        const char **grown = mem_resize(x->doubts, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        x->doubts = grown;
        x->doubt_capacity = capacity;
    }
    x->doubts[x->doubt_count] = arena_text(x->memory, text, strlen(text));
    return x->doubts[x->doubt_count++] ? SCONE_OK : SCONE_ERR_MEMORY;
}

/* A name as messages have it. */
static text_shown shown(const scone_explanation *x, size_t node)
{
    return text_show(x->names[node], strlen(x->names[node]));
}

/* ---- the tables ---- */

static scone_status check_tables(const scone_explanation *x, const column_map *m)
{
    scone_status status = SCONE_OK;
    bool same = m->count == x->count;
    for (size_t v = 0; same && v < x->count; v++) same = strcmp(m->names[v], x->names[v]) == 0;
    if (!same) {
        FAIL(SCONE_ERR_INPUT,
             "the tables do not have the variables of %s/graph.json; give those "
             "of the run",
             x->folder);
    }
    for (int regime = 0; regime < 2; regime++) {
        if (m->hashes[regime] == x->hashes[regime]) continue;
        FAIL(SCONE_ERR_INPUT,
             "the %s table is not the one of the run: %zu rows with hash %016llx, then %zu with "
             "%016llx; give the tables of the run, or run scone discover again",
             regime ? "interventional" : "observational", m->rows[regime],
             (unsigned long long)m->hashes[regime], x->rows[regime],
             (unsigned long long)x->hashes[regime]);
    }
cleanup:
    return status;
}

/* ---- tests ---- */

static scone_status test_again(void *argument, size_t place, int worker)
{
    const checking *c = argument;
    size_t item = c->items[place];
    const tested_literal *test = &c->x->reasons.tests[item];
    tested_literal *again = &c->again[item];
    size_t given[INVARIANCE_MOST_GIVEN], v = c->node_of[test->v];
    *again = *test;
    again->result = (invariance_result){.possible = false};
    again->value = LITERAL_UNKNOWN;
    for (size_t g = 0; g < test->count; g++) {
        given[g] = c->node_of[test->given[g]];
        if (given[g] == SIZE_MAX) v = SIZE_MAX;
    }
    if (v == SIZE_MAX) return SCONE_OK;
    c->source.test(c->source.context, worker, v, given, test->count, &again->result);
    /* The correction was for all tests of the run, of which these are the ones that were used. */
    double corrected = c->x->reasons.corrected[item], most = (double)c->x->reasons.tested;
    most *= fmax(1.0, (double)c->x->reasons.levels.pairs);
    bool fits = corrected >= again->result.p_value * (1.0 - tolerance) &&
                (corrected >= 1.0 || corrected <= most * again->result.p_value + tolerance);
    if (fits) again->value = literals_decide(&again->result, corrected, &c->x->reasons.levels);
    return SCONE_OK;
}

/* Of each pair of tables, one after the other. */
static scone_status test_pairs(checking *c, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const reasons *r = &c->x->reasons;
    size_t pairs = r->pair_count ? r->pair_count : 1;
    TRY_ALLOC(c->items, r->test_count);
    for (size_t pair = 0; pair < pairs; pair++) {
        size_t count = 0;
        for (size_t t = 0; t < r->test_count; t++) {
            if (r->tests[t].pair == pair) c->items[count++] = t;
        }
        if (count == 0) continue;
        if (c->source.turn) TRY(c->source.turn(c->source.context, pair));
        TRY(parallel_for(count, context, "check", test_again, c));
    }
cleanup:
    return status;
}

/* What answers for the tables of the run. The caller frees it and the rows. */
static scone_status open_source(data_source **data, size_t **rows, const scone_explanation *x,
                                const scone_pair *pair, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const reasons *r = &x->reasons;
    size_t left = pair->tables[1]->rows;
    if (r->pair_count == 0) {
        return literals_data_alloc(data, pair, x->seed, r->rows, context);
    }
    TRY_ALLOC(*rows, x->condition_count);
    for (size_t k = 0; k < x->condition_count; k++) {
        (*rows)[k] = x->conditions[k].rows;
        if ((*rows)[k] > left || (x->conditions[k].pair != SIZE_MAX && (*rows)[k] == 0)) {
            FAIL(SCONE_ERR_INPUT,
                 "%s/graph.json: the rows of the conditions are not those of "
                 "the table; the file is damaged",
                 x->folder);
        }
        left -= (*rows)[k];
    }
    const literal_conditions pairs = {
        .pair = pair, .rows = *rows, .chosen = r->pairs, .count = r->pair_count};
    TRY(literals_data_conditions(data, &pairs, x->seed, r->rows, context));
cleanup:
    return status;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
}

static bool same_result(const tested_literal *a, const tested_literal *b)
{
    return b->result.possible && a->value == b->value &&
           is_near(a->result.statistic, b->result.statistic) &&
           is_near(a->result.degrees, b->result.degrees) &&
           is_near(a->result.effect, b->result.effect) &&
           is_near(a->result.effect_high, b->result.effect_high);
}

static scone_status compare_tests(const checking *c)
{
    scone_status status = SCONE_OK;
    for (size_t t = 0; t < c->x->reasons.test_count; t++) {
        const tested_literal *then = &c->x->reasons.tests[t], *now = &c->again[t];
        if (same_result(then, now)) continue;
        TRY(doubt(c->x, "test %zu of %s comes out differently: statistic %.6g, then %.6g", t + 1,
                  shown(c->x, then->v).text,
                  now->result.possible ? now->result.statistic : (double)NAN,
                  then->result.statistic));
    }
cleanup:
    return status;
}

/* ---- certificates ---- */

typedef struct replay {
    const checking *c;
    const reason *one;
} replay;

/* What the tests of the certificate say now. */
static literal look_again(void *context, int v, uint32_t z)
{
    const replay *r = context;
    const certificate *c = &r->one->certificate;
    for (int l = 0; l < c->literal_count; l++) {
        if (c->literals[l].v != v || c->literals[l].z != z) continue;
        return r->c->again[r->one->tests[l]].value;
    }
    return LITERAL_UNKNOWN;
}

static scone_status check_certificates(const checking *c)
{
    scone_status status = SCONE_OK;
    scone_explanation *x = c->x;
    for (size_t i = 0; i < x->reasons.count; i++) {
        const reason *one = &x->reasons.list[i];
        replay context = {c, one};
        rule_view view = local_subset_view(&one->subset);
        view.look = look_again;
        view.context = &context;
        x->confirmed[i] = certificate_holds(&one->certificate, &view);
        if (!x->confirmed[i]) {
            TRY(doubt(x, "certificate %zu (%s, %s -> %s) does not follow from the tests", i + 1,
                      rule_name(one->certificate.rule), shown(x, one->from).text,
                      shown(x, one->to).text));
        }
    }
    for (size_t e = 0; e < x->edge_count; e++) {
        const explained_edge *edge = &x->edges[e];
        x->shown[e].confirmed = 0;
        for (size_t i = 0; i < x->reasons.count; i++) {
            const reason *one = &x->reasons.list[i];
            bool about = (one->from == edge->from && one->to == edge->to) ||
                         (edge->undirected && one->from == edge->to && one->to == edge->from);
            x->shown[e].confirmed += about && x->confirmed[i];
        }
    }
cleanup:
    return status;
}

/* ---- closure ---- */

/* Takes the steps back, and applies them one after the other. */
static scone_status check_closure(scone_explanation *x)
{
    scone_status status = SCONE_OK;
    graph *g = NULL;
    TRY(graph_alloc(&g, x->count));
    for (size_t e = 0; e < x->edge_count; e++) {
        const explained_edge *edge = &x->edges[e];
        if (edge->undirected) {
            graph_undirect(g, edge->from, edge->to);
        } else {
            graph_direct(g, edge->from, edge->to);
        }
    }
    for (size_t s = 0; s < x->step_count; s++) {
        if (!graph_adjacent(g, x->steps[s].from, x->steps[s].to)) continue; /* does not hold */
        graph_undirect(g, x->steps[s].from, x->steps[s].to);
    }
    for (size_t s = 0; s < x->step_count; s++) {
        if (!meek_reason_holds(g, &x->steps[s])) {
            TRY(doubt(x, "closure step %zu (%s -> %s) does not follow", s + 1,
                      shown(x, x->steps[s].from).text, shown(x, x->steps[s].to).text));
            continue;
        }
        graph_direct(g, x->steps[s].from, x->steps[s].to);
    }
    for (size_t i = 0; i < x->reasons.count; i++) {
        const reason *one = &x->reasons.list[i];
        if (one->outcome > REASON_TURNS || graph_directed(g, one->from, one->to)) continue;
        TRY(doubt(x, "certificate %zu is said to be used, but the graph lacks %s -> %s", i + 1,
                  shown(x, one->from).text, shown(x, one->to).text));
    }
cleanup:
    scone_graph_free(g);
    return status;
}

scone_status scone_explain_check(scone_explanation *x, const scone_pair *given,
                                 const scone_context *context)
{
    scone_status status = SCONE_OK;
    column_map map = {.count = 0};
    warning_list warnings = {0}; /* told by the run already */
    scone_pair *pair = NULL;
    data_source *data = NULL;
    size_t *rows = NULL;
    checking c = {.x = x};
    x->doubt_count = 0;
    TRY(column_map_make(&map, given, &warnings, NULL));
    TRY(check_tables(x, &map));
    TRY(prepare_pair(&pair, &map, given, true));
    TRY_ALLOC(c.node_of, x->count);
    for (size_t v = 0; v < x->count; v++) c.node_of[v] = SIZE_MAX;
    for (size_t i = 0; i < map.node_count; i++) c.node_of[map.nodes[i]] = i;
    TRY_ZERO(c.again, x->reasons.test_count);
    if (map.node_count > 0) {
        TRY(open_source(&data, &rows, x, pair, context));
        c.source = literals_data_use(data);
        TRY(test_pairs(&c, context));
    }
    x->made = x->reasons.test_count;
    TRY(compare_tests(&c));
    TRY(check_certificates(&c));
    TRY(check_closure(x));
cleanup:
    mem_free(c.node_of);
    mem_free(c.again);
    mem_free(c.items);
    mem_free(rows);
    literals_data_free(data);
    scone_pair_free(pair);
    warnings_free(&warnings);
    column_map_free(&map);
    return status;
}

size_t scone_explain_tests(const scone_explanation *x)
{
    return x->made;
}

size_t scone_explain_doubts(const scone_explanation *x)
{
    return x->doubt_count;
}

const char *scone_explain_doubt(const scone_explanation *x, size_t index)
{
    return x->doubts[index];
}
