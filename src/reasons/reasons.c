/* reasons.c - which tests are made, and what the rules make of them (see reasons.h). */
#include "reasons/reasons.h"

#include "base/context.h"
#include "graph/graph_extend.h"
#include "rules/pdag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A certificate whose odds are lower than this is not worth telling. */
static const double least_weight = 1.0;
/* Of the independence of two neighbours, in the regimes by themselves. */
static const double link_level = 0.01;
/* Of the change that the opposite direction would show, so much must be excluded: what a linear
 * measure of association says is not exact. */
static const double share_of_expected = 0.5;

/* ---- the work of a call ---- */

typedef struct finding {
    const reasons_request *request;
    const graph *dag; /* a member of the found graph's class */
    graph *firm;      /* undirected: the adjacencies that stand up to the regimes by themselves */
    size_t nodes;
    uint32_t (*pools)[REASONS_POOL]; /* [nodes] the likelier causes first */
    size_t *pool_counts;             /* [nodes] */
    int *levels;                     /* [nodes] the smallest |Z| that makes it unchanged */
    size_t *heads; /* [nodes] first certificate with this cause, from 1 on; 0: none */
    local_subset *subsets;
    size_t subset_count, subset_capacity;
    literal_store **stores; /* [pairs] */
    literal_store *tests;   /* of the pair at hand */
    size_t pairs, pair;
    reasons *out;
    const scone_context *context;
} finding;

/* What look and emit need to know of the view at hand. */
typedef struct view_context {
    finding *f;
    const local_subset *subset;
    bool ask; /* tests that are missing are wished for */
    scone_status status;
} view_context;

/* ---- subsets ---- */

typedef struct ranked_node {
    uint32_t node;
    double likely;
} ranked_node;

static int compare_nodes(const void *left, const void *right)
{
    const ranked_node *a = left, *b = right;
    if (a->likely != b->likely) return a->likely > b->likely ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static scone_status add_subset(finding *f, const uint32_t *nodes, size_t count)
{
    if (f->subset_count == f->subset_capacity) {
        size_t capacity = 2 * f->subset_capacity + 64;
        local_subset *grown = mem_resize(f->subsets, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        f->subsets = grown;
        f->subset_capacity = capacity;
    }
    local_subset *s = &f->subsets[f->subset_count++];
    *s = (local_subset){.count = (int)count};
    for (size_t n = 0; n < count; n++) {
        size_t at = n;
        for (; at > 0 && s->nodes[at - 1] > nodes[n]; at--) s->nodes[at] = s->nodes[at - 1];
        s->nodes[at] = nodes[n];
    }
    return SCONE_OK;
}

/* A variable with its neighbours is one subset; a neighbour that finds no room is in one with the
 * first of the others, so that every adjacency has a subset (D6). Each adjacency also makes a
 * subset by itself, for the rules as printed, whose Z is what is left of the subset. */
static scone_status subsets_of(finding *f, size_t v, ranked_node *near)
{
    scone_status status = SCONE_OK;
    size_t count = 0;
    uint32_t members[REASONS_POOL + 1];
    for (size_t u = 0; u < f->nodes; u++) {
        if (!graph_adjacent(f->dag, u, v)) continue;
        near[count++] = (ranked_node){(uint32_t)u, f->request->probabilities[u * f->nodes + v]};
    }
    if (count == 0) return SCONE_OK;
    qsort(near, count, sizeof *near, compare_nodes);
    size_t kept = count < REASONS_POOL ? count : REASONS_POOL;
    members[0] = (uint32_t)v;
    for (size_t n = 0; n < kept; n++) members[n + 1] = f->pools[v][n] = near[n].node;
    f->pool_counts[v] = kept;
    TRY(add_subset(f, members, kept + 1));
    for (size_t n = kept; n < count; n++) {
        members[REASONS_POOL] = near[n].node;
        TRY(add_subset(f, members, REASONS_POOL + 1));
    }
    for (size_t n = 0; n < count && count > 1; n++) {
        if (near[n].node < v) continue;
        members[1] = near[n].node;
        TRY(add_subset(f, members, 2));
    }
cleanup:
    return status;
}

/* Can some of v's neighbours, at most REASONS_WITNESS, make v and u look independent? */
static bool can_separate(const finding *f, size_t v, size_t u)
{
    const literal_source *source = &f->request->source;
    for (uint32_t set = 0; set < 1u << f->pool_counts[v]; set++) {
        uint32_t given[REASONS_POOL];
        size_t count = 0;
        bool with_u = false;
        if (mask_count(set) > REASONS_WITNESS) continue;
        MASK_FOR(n, set) {
            given[count++] = f->pools[v][n];
            with_u |= f->pools[v][n] == u;
        }
        if (with_u) continue;
        literal_link link = source->link(source->context, v, u, given, count);
        if (!(link.p_value <= link_level)) return true;
    }
    return false;
}

/* Every rule starts from an adjacency. One that rests on the contrast of the tables alone, as those
 * of a learner that pools their rows may, is not built on. */
static scone_status find_firm(finding *f)
{
    scone_status status = SCONE_OK;
    for (size_t v = 0; v < f->nodes; v++) {
        TRY(context_check(f->context));
        for (size_t u = 0; u < v; u++) {
            if (!graph_adjacent(f->dag, u, v)) continue;
            if (can_separate(f, v, u) || can_separate(f, u, v)) continue;
            graph_undirect(f->firm, u, v);
        }
    }
cleanup:
    return status;
}

/* The sampled subsets with their local graphs, after those of the found graph. */
static scone_status take_locals(finding *f)
{
    scone_status status = SCONE_OK;
    const local_graphs *local = f->request->local;
    const graph *other = f->request->other;
    if (!local) return SCONE_OK;
    for (size_t v = 0; other && v < f->nodes; v++) {
        for (size_t u = 0; u < v; u++) {
            if (graph_adjacent(other, u, v)) graph_undirect(f->firm, u, v);
        }
    }
    for (size_t s = 0; s < local->count; s++) {
        const local_subset *from = &local->subsets[s];
        TRY(add_subset(f, from->nodes, (size_t)from->count));
        local_subset *to = &f->subsets[f->subset_count - 1];
        *to = *from;
        to->sampled = true;
        local_subset_skeleton(to, f->firm);
    }
cleanup:
    return status;
}

static scone_status choose_subsets(finding *f)
{
    scone_status status = SCONE_OK;
    ranked_node *near = NULL;
    local_work *work = NULL;
    TRY_ALLOC(near, f->nodes);
    for (size_t v = 0; v < f->nodes; v++) TRY(subsets_of(f, v, near));
    TRY(find_firm(f));
    TRY(local_work_alloc(&work, f->dag, f->firm));
    for (size_t s = 0; s < f->subset_count; s++) {
        TRY(context_check(f->context));
        local_subset_fill(&f->subsets[s], work);
    }
    TRY(take_locals(f));
cleanup:
    mem_free(near);
    local_work_free(work);
    return status;
}

/* ---- tests ---- */

/* The causes that the learner gave v, as a set of its pool. */
static uint32_t learned_causes(const finding *f, size_t v)
{
    uint32_t causes = 0;
    for (size_t n = 0; n < f->pool_counts[v]; n++) {
        if (graph_directed(f->request->found, f->pools[v][n], v)) causes |= 1u << n;
    }
    return causes;
}

static scone_status ask_set(finding *f, size_t v, uint32_t set)
{
    uint32_t given[REASONS_POOL];
    size_t count = 0;
    MASK_FOR(n, set) given[count++] = f->pools[v][n];
    return literals_ask(f->tests, v, given, count);
}

static literal told(const finding *f, size_t v, uint32_t set)
{
    uint32_t given[REASONS_POOL];
    size_t count = 0;
    MASK_FOR(n, set) given[count++] = f->pools[v][n];
    const tested_literal *test = literals_find(f->tests, v, given, count);
    return test ? test->value : LITERAL_UNKNOWN;
}

/* Which Z of this size are worth a test? None if smaller ones make v unchanged: what is larger says
 * nothing new. Pairs and more not if v, with all its edges directed, changed given the causes that
 * the learner gave it: then it is likely to have changed by itself, and no Z hides that. */
static scone_status ask_level(finding *f, size_t v, int level)
{
    scone_status status = SCONE_OK;
    uint32_t causes = learned_causes(f, v);
    size_t pool = f->pool_counts[v];
    if (pool == 0 || f->levels[v] < level) return SCONE_OK;
    if (level == 0) TRY(ask_set(f, v, causes));
    bool open = !bits_empty(graph_siblings(f->request->found, v), f->dag->words);
    if (level > 1 && !open && told(f, v, causes) == LITERAL_CHANGED) return SCONE_OK;
    bool few = pool <= REASONS_SMALL || level <= REASONS_WITNESS;
    for (uint32_t set = 0; set < 1u << pool; set++) {
        bool among = (set & ~causes) == 0 && mask_count(causes & ~set) <= 1;
        if (mask_count(set) == level && (few || among)) TRY(ask_set(f, v, set));
    }
cleanup:
    return status;
}

/* By size of Z, all variables at a time; levels[v] becomes the first that makes v unchanged. */
static scone_status ask_levels(finding *f)
{
    scone_status status = SCONE_OK;
    for (size_t v = 0; v < f->nodes; v++) f->levels[v] = REASONS_POOL + 1;
    for (int level = 0; level <= REASONS_POOL; level++) {
        for (size_t v = 0; v < f->nodes; v++) {
            TRY(context_check(f->context));
            TRY(ask_level(f, v, level));
        }
        TRY(literals_answer(f->tests));
        for (size_t t = 0; t < literals_count(f->tests); t++) {
            const tested_literal *test = literals_get(f->tests, t);
            bool first = test->value == LITERAL_INVARIANT && (int)test->count <= level;
            if (first && f->levels[test->v] > level) f->levels[test->v] = level;
        }
    }
cleanup:
    return status;
}

/* Given what makes a variable unchanged: are its neighbours changed? */
static scone_status ask_neighbours(finding *f)
{
    scone_status status = SCONE_OK;
    size_t known = literals_count(f->tests);
    for (size_t t = 0; t < known; t++) {
        const tested_literal test = *literals_get(f->tests, t); /* asking may move it */
        if (test.value != LITERAL_INVARIANT || (int)test.count > f->levels[test.v]) continue;
        for (size_t n = 0; n < f->pool_counts[test.v]; n++) {
            uint32_t u = f->pools[test.v][n];
            bool inside = false;
            for (size_t g = 0; g < test.count; g++) inside |= test.given[g] == u;
            if (!inside) TRY(literals_ask(f->tests, u, test.given, test.count));
        }
    }
    TRY(literals_answer(f->tests));
cleanup:
    return status;
}

static const tested_literal *find_test(const finding *f, const local_subset *s, int v, uint32_t z)
{
    uint32_t given[RULE_MOST_NODES];
    size_t count = 0;
    MASK_FOR(k, z) given[count++] = s->nodes[k];
    return literals_find(f->tests, s->nodes[v], given, count);
}

static literal look_up(void *context, int v, uint32_t z)
{
    view_context *c = context;
    const tested_literal *test = find_test(c->f, c->subset, v, z);
    if (test) return test->value;
    if (c->ask && c->status == SCONE_OK) {
        uint32_t given[RULE_MOST_NODES];
        size_t count = 0;
        MASK_FOR(k, z) given[count++] = c->subset->nodes[k];
        c->status = literals_ask(c->f->tests, c->subset->nodes[v], given, count);
    }
    return LITERAL_UNKNOWN;
}

/* ---- certificates ---- */

/* The same direction by the same rule is told once for sampled subsets and once for the others, by
 * its strongest certificate, whichever pair of tables that is from; among equals the smaller
 * witness set is easier to follow. */
static bool is_better(const reason *a, const reason *b)
{
    if (a->weight != b->weight) return a->weight > b->weight;
    int size_a = mask_count(a->certificate.witness), size_b = mask_count(b->certificate.witness);
    if (size_a != size_b) return size_a < size_b;
    if (a->subset.count != b->subset.count) return a->subset.count < b->subset.count;
    return false;
}

static reason *find_reason(const finding *f, const reason *like)
{
    for (size_t i = f->heads[like->from]; i; i = f->out->list[i - 1].next) {
        reason *known = &f->out->list[i - 1];
        if (known->to == like->to && known->certificate.rule == like->certificate.rule &&
            known->subset.sampled == like->subset.sampled) {
            return known;
        }
    }
    return NULL;
}

static scone_status keep(finding *f, const reason *found)
{
    reasons *r = f->out;
    reason *known = find_reason(f, found);
    if (known) {
        size_t next = known->next;
        if (is_better(found, known)) *known = *found;
        known->next = next;
        return SCONE_OK;
    }
    if (r->count == r->capacity) {
        size_t capacity = 2 * r->capacity + 64;
        reason *grown = mem_resize(r->list, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        r->list = grown;
        r->capacity = capacity;
    }
    r->list[r->count] = *found;
    r->list[r->count++].next = f->heads[found->from];
    f->heads[found->from] = r->count;
    return SCONE_OK;
}

/* The change that an unchanged literal of the certificate would show if the direction were the
 * other one. SCR: had i changed by itself, fixing its effect j would hide no more of the change
 * than j knows of i. The others: the changed variable would hand its change on, by as much as it
 * has to do with the unchanged one. */
static double expected_change(const finding *f, const reason *found, const tested_literal *test)
{
    const certificate *c = &found->certificate;
    const literal_source *source = &f->request->source;
    uint32_t given[RULE_MOST_NODES], witness = c->witness;
    size_t count = 0;
    if (c->rule == RULE_SCR) witness &= ~(uint32_t)MASK_BIT(c->source);
    MASK_FOR(k, witness) given[count++] = found->subset.nodes[k];
    for (int l = 0; l < c->literal_count; l++) {
        if (c->literals[l].value != LITERAL_CHANGED || c->literals[l].z != witness) continue;
        const tested_literal *changed = literals_get(f->tests, found->tests[l]);
        size_t other = c->rule == RULE_SCR ? found->from : changed->v;
        literal_link link = source->link(source->context, test->v, other, given, count);
        double least = fmin(link.shared[0], link.shared[1]);
        double most = fmax(link.shared[0], link.shared[1]);
        if (isnan(link.shared[0]) || isnan(link.shared[1])) return 0.0;
        return changed->result.effect * sqrt(c->rule == RULE_SCR ? 1.0 - most : least);
    }
    return 0.0;
}

/* That of the weakest literal. */
static double weigh(const finding *f, const reason *found)
{
    double least = HUGE_VAL;
    for (int l = 0; l < found->certificate.literal_count; l++) {
        const tested_literal *test = literals_get(f->tests, found->tests[l]);
        double margin = 0.0;
        if (test->value == LITERAL_INVARIANT) {
            margin = share_of_expected * expected_change(f, found, test);
            if (!(margin > 0.0)) return 0.0;
        }
        least = fmin(least, literals_weight(f->tests, test, margin));
    }
    return least;
}

static bool collect(void *context, const certificate *c)
{
    view_context *view = context;
    finding *f = view->f;
    const local_subset *s = view->subset;
    reason found = {.from = s->nodes[c->source],
                    .to = s->nodes[c->target],
                    .pair = f->pair,
                    .certificate = *c,
                    .subset = *s};
    for (int l = 0; l < c->literal_count; l++) {
        const tested_literal *test = find_test(f, s, c->literals[l].v, c->literals[l].z);
        found.tests[l] = (uint32_t)literals_index(f->tests, test);
    }
    found.weight = weigh(f, &found);
    if (found.weight >= least_weight) view->status = keep(f, &found);
    return view->status == SCONE_OK;
}

static bool ignore(void *context, const certificate *c)
{
    (void)c;
    return ((view_context *)context)->status == SCONE_OK;
}

/* ask: only to learn which tests the rules are missing that try one set a place; SSI with any set,
 * which says what they do and more, does without. */
static scone_status apply_rules(finding *f, bool ask)
{
    if (ask && (f->request->rules >> RULE_SSI_ANY & 1)) return SCONE_OK;
    for (size_t n = 0; n < f->subset_count; n++) {
        scone_status status = context_check(f->context);
        if (status != SCONE_OK) return status;
        view_context context = {.f = f, .subset = &f->subsets[n], .ask = ask};
        rule_view view = local_subset_view(&f->subsets[n]);
        view.look = look_up;
        view.context = &context;
        for (int rule = 0; rule < RULE_KINDS; rule++) {
            if (!(f->request->rules >> rule & 1)) continue;
            if (ask && rule != RULE_SSI && rule != RULE_CVT) continue;
            rule_apply((rule_kind)rule, &view, ask ? ignore : collect, &context);
            if (context.status != SCONE_OK) return context.status;
        }
    }
    return SCONE_OK;
}

/* ---- what is kept ---- */

static int compare_reasons(const void *left, const void *right)
{
    const reason *a = left, *b = right;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    if (a->certificate.rule != b->certificate.rule) {
        return a->certificate.rule < b->certificate.rule ? -1 : 1;
    }
    return (a->subset.sampled > b->subset.sampled) - (a->subset.sampled < b->subset.sampled);
}

/* Notes the directions that sampled subsets certify; certificates on edges that the found graph
 * does not have then go, since nothing in it rests on them. */
static scone_status keep_directions(finding *f)
{
    scone_status status = SCONE_OK;
    reasons *r = f->out;
    size_t kept = 0;
    if (!f->request->other) return SCONE_OK;
    TRY_ALLOC(r->directions, r->count);
    for (size_t i = 0; i < r->count; i++) {
        const reason *one = &r->list[i];
        if (one->subset.sampled) {
            r->directions[r->direction_count++] = (stage_direction){one->from, one->to, STAGE_RULE};
        }
        if (graph_adjacent(f->request->found, one->from, one->to)) r->list[kept++] = *one;
    }
    r->count = kept;
cleanup:
    return status;
}

/* Copies the tests that certificates rest on, in the order of the certificates. */
static scone_status keep_tests(finding *f)
{
    scone_status status = SCONE_OK;
    reasons *r = f->out;
    uint32_t *places = NULL; /* index + 1 among those that are kept */
    size_t *firsts = NULL;   /* [pairs] of the tests of all pairs */
    r->tested = 0;
    TRY_ALLOC(firsts, f->pairs);
    for (size_t p = 0; p < f->pairs; p++) {
        firsts[p] = r->tested;
        r->tested += literals_count(f->stores[p]);
    }
    TRY_ZERO(places, r->tested);
    TRY_ALLOC(r->tests, r->tested);
    TRY_ALLOC(r->corrected, r->tested);
    for (size_t i = 0; i < r->count; i++) {
        const literal_store *store = f->stores[r->list[i].pair];
        for (int l = 0; l < r->list[i].certificate.literal_count; l++) {
            uint32_t test = r->list[i].tests[l];
            uint32_t *place = &places[firsts[r->list[i].pair] + test];
            if (!*place) {
                r->tests[r->test_count] = *literals_get(store, test);
                r->tests[r->test_count].pair = (uint32_t)r->list[i].pair;
                r->corrected[r->test_count] = literals_corrected(store, test);
                *place = (uint32_t)(++r->test_count);
            }
            r->list[i].tests[l] = *place - 1;
        }
    }
cleanup:
    mem_free(places);
    mem_free(firsts);
    return status;
}

/* Tests and rules on one pair of tables. */
static scone_status look_at_pair(finding *f, size_t pair)
{
    scone_status status = SCONE_OK;
    const reasons_request *request = f->request;
    const literal_source *source = &request->source;
    f->pair = pair;
    TRY(literals_alloc(&f->stores[pair], source, &request->levels, f->context));
    f->tests = f->stores[pair];
    if (source->turn) TRY(source->turn(source->context, pair));
    TRY(ask_levels(f));
    TRY(ask_neighbours(f));
    for (size_t round = 0; round < REASONS_ROUNDS; round++) {
        TRY(apply_rules(f, true));
        TRY(literals_answer(f->tests));
    }
    TRY(apply_rules(f, false));
cleanup:
    return status;
}

static scone_status run_stage(finding *f)
{
    scone_status status = SCONE_OK;
    TRY(choose_subsets(f));
    for (size_t pair = 0; pair < f->pairs; pair++) TRY(look_at_pair(f, pair));
    if (f->out->count) qsort(f->out->list, f->out->count, sizeof(reason), compare_reasons);
    TRY(keep_directions(f));
    TRY(keep_tests(f));
cleanup:
    return status;
}

scone_status reasons_find(reasons *out, const reasons_request *request,
                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t nodes = request->found->nodes;
    graph *dag = NULL;
    graph_work *work = NULL;
    finding f = {.request = request, .nodes = nodes, .out = out, .context = context};
    f.pairs = request->pairs > 1 ? request->pairs : 1;
    *out = (reasons){.levels = request->levels};
    TRY(graph_alloc(&dag, nodes));
    TRY(graph_work_alloc(&work, nodes));
    if (!graph_extend(dag, request->found, work)) FAIL_DEFECT("the found graph extends to no DAG");
    f.dag = dag;
    TRY(graph_alloc(&f.firm, nodes));
    TRY_ZERO(f.pools, nodes);
    TRY_ZERO(f.pool_counts, nodes);
    TRY_ZERO(f.levels, nodes);
    TRY_ZERO(f.heads, nodes);
    TRY_ZERO(f.stores, f.pairs);
    TRY(run_stage(&f));
cleanup:
    scone_graph_free(f.firm);
    mem_free(f.pools);
    mem_free(f.pool_counts);
    mem_free(f.levels);
    mem_free(f.heads);
    mem_free(f.subsets);
    for (size_t p = 0; f.stores && p < f.pairs; p++) literals_free(f.stores[p]);
    mem_free(f.stores);
    graph_work_free(work);
    scone_graph_free(dag);
    return status;
}

void reasons_free(reasons *r)
{
    mem_free(r->list);
    mem_free(r->directions);
    mem_free(r->tests);
    mem_free(r->corrected);
    mem_free(r->pairs);
    *r = (reasons){0};
}
