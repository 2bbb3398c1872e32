/* test_reasons.c - the rule stage on a population: literals by d-separation, certificates that are
 * right and can be replayed; the table of tests, Holm's correction, local graphs by definition. */
#include "testing.h"

#include "base/rng.h"
#include "graph/graph_cpdag.h"
#include "graph/dsep.h"
#include "graph/graph_extend.h"
#include "graph/format/format.h"
#include "graph/graph_order.h"
#include "reasons/reasons.h"
#include "rules/pdag.h"

enum { MOST = 8, WORKERS = 4 };

static const decode_options usual = {.threshold = 0.5, .margin = 0.2};

/* ---- a population ---- */

/* A DAG with targets; node `nodes` of `augmented` is the change itself. */
typedef struct population {
    size_t nodes;
    graph *dag, *augmented;
    graph_work *works[WORKERS];
    bool target[MOST];
    size_t asked; /* calls in all, with one thread */
} population;

static void population_open(population *p, size_t nodes, double density, double targets, rng *r)
{
    size_t order[MOST];
    *p = (population){.nodes = nodes};
    CHECK_OK(graph_alloc(&p->dag, nodes));
    CHECK_OK(graph_alloc(&p->augmented, nodes + 1));
    for (size_t w = 0; w < WORKERS; w++) CHECK_OK(graph_work_alloc(&p->works[w], nodes + 1));
    rng_permutation(r, order, nodes);
    for (size_t i = 0; i < nodes; i++) {
        p->target[i] = rng_uniform(r) < targets;
        if (p->target[i]) graph_direct(p->augmented, nodes, i);
        for (size_t j = i + 1; j < nodes; j++) {
            if (rng_uniform(r) >= density) continue;
            graph_direct(p->dag, order[i], order[j]);
            graph_direct(p->augmented, order[i], order[j]);
        }
    }
}

static void population_close(population *p)
{
    scone_graph_free(p->dag);
    scone_graph_free(p->augmented);
    for (size_t w = 0; w < WORKERS; w++) graph_work_free(p->works[w]);
}

static bool is_invariant(population *p, int worker, size_t v, const size_t *given, size_t count)
{
    bits_word z[1] = {0};
    for (size_t g = 0; g < count; g++) bits_add(z, given[g]);
    return dsep_pair(p->augmented, p->nodes, v, z, p->works[worker]);
}

static void test_population(void *context, int worker, size_t v, const size_t *given, size_t count,
                            invariance_result *result)
{
    population *p = context;
    bool same = is_invariant(p, worker, v, given, count);
    *result = (invariance_result){.possible = true,
                                  .statistic = same ? 1.0 : 500.0,
                                  .degrees = 2.0,
                                  .p_value = same ? 0.6 : 1e-60,
                                  .effect = same ? 0.0 : 1.0,
                                  .effect_high = same ? 0.02 : 1.1};
    (void)__atomic_fetch_add(&p->asked, 1, __ATOMIC_RELAXED);
}

static literal_link link_population(void *context, size_t i, size_t j, const uint32_t *given,
                                    size_t count)
{
    population *p = context;
    bits_word z[1] = {0};
    for (size_t g = 0; g < count; g++) bits_add(z, given[g]);
    bool apart = dsep_pair(p->dag, i, j, z, p->works[0]);
    return (literal_link){.shared = {0.5, 0.5}, .p_value = apart ? 1.0 : 0.0};
}

/* P(i -> j) as one regime knows it. */
static void class_probabilities(double *out, const population *p)
{
    graph *class;
    CHECK_OK(graph_alloc(&class, p->nodes));
    CHECK(graph_cpdag(class, p->dag, p->works[0]));
    for (size_t i = 0; i < p->nodes * p->nodes; i++) {
        size_t from = i / p->nodes, to = i % p->nodes;
        out[i] = graph_directed(class, from, to)     ? 1.0
                 : graph_undirected(class, from, to) ? 0.5
                                                     : 0;
    }
    scone_graph_free(class);
}

static void find(reasons *r, decoding *d, double *probabilities, population *p, const char *rules,
                 int threads)
{
    const scone_context context = {.threads = threads};
    reasons_request request = {.probabilities = probabilities,
                               .source = {.test = test_population, .link = link_population, .context = p},
                               .levels = literals_usual};
    CHECK_OK(reasons_parse_rules(&request.rules, rules));
    CHECK_OK(decode(d, probabilities, p->nodes, NULL, &usual));
    request.found = d->graph;
    CHECK_OK(reasons_find(r, &request, &context));
}

static literal look_population(void *context, int v, uint32_t z)
{
    void *const *both = context;
    population *p = both[0];
    const local_subset *s = both[1];
    size_t given[RULE_MOST_NODES], count = 0;
    MASK_FOR(k, z) given[count++] = s->nodes[k];
    return is_invariant(p, 0, s->nodes[v], given, count) ? LITERAL_INVARIANT : LITERAL_CHANGED;
}

/* Right, replayable, and consistent with the tests that it names. */
static void check_certificates(const reasons *r, population *p)
{
    for (size_t i = 0; i < r->count; i++) {
        reason *one = &r->list[i];
        const certificate *c = &one->certificate;
        CHECK(graph_directed(p->dag, one->from, one->to));
        CHECK(one->subset.nodes[c->source] == one->from && one->subset.nodes[c->target] == one->to);
        CHECK(one->weight >= 1.0 && (i == 0 || one->weight <= r->list[i - 1].weight));
        void *both[2] = {p, &one->subset};
        rule_view view = local_subset_view(&one->subset);
        view.look = look_population;
        view.context = both;
        CHECK(certificate_holds(c, &view));
        for (int l = 0; l < c->literal_count; l++) {
            const tested_literal *test = &r->tests[one->tests[l]];
            size_t given[INVARIANCE_MOST_GIVEN];
            uint32_t z = 0;
            CHECK(test->v == one->subset.nodes[c->literals[l].v]);
            CHECK(test->value == c->literals[l].value);
            for (size_t g = 0; g < test->count; g++) {
                given[g] = test->given[g];
                for (int k = 0; k < one->subset.count; k++) {
                    if (one->subset.nodes[k] == given[g]) z |= MASK_BIT(k);
                }
            }
            CHECK(z == c->literals[l].z);
            CHECK(is_invariant(p, 0, test->v, given, test->count) ==
                  (test->value == LITERAL_INVARIANT));
        }
    }
}

static void test_population_rules(void **state)
{
    (void)state;
    size_t by_rule[RULE_KINDS] = {0};
    for (uint64_t round = 0; round < 600; round++) {
        rng r = rng_stream(21, RNG_TEST, round, 0, 0);
        population p;
        double given[MOST * MOST], probabilities[MOST * MOST], weighed[MOST * MOST];
        size_t nodes = 2 + rng_below(&r, 4 + 3 * (round % 2));
        population_open(&p, nodes, rng_range(&r, 0.2, 0.9), rng_uniform(&r), &r);
        class_probabilities(given, &p);
        memcpy(probabilities, given, sizeof given);
        reasons found;
        decoding d, final;
        find(&found, &d, probabilities, &p, round % 5 == 4 ? "paper" : "all", 1);
        check_certificates(&found, &p);
        for (size_t i = 0; i < found.count; i++) by_rule[found.list[i].certificate.rule]++;
        CHECK(found.tested == p.asked); /* none was made twice */
        CHECK_OK(reasons_weigh(weighed, &found, probabilities, &d, NULL, &usual));
        CHECK_OK(decode(&final, weighed, nodes, NULL, &usual));
        reasons_mark(&found, &final);
        /* With witness sets as large as it takes, an edge between a changed and an unchanged
         * mechanism is always directed, and everything that is directed is right. */
        for (edge_cursor e = {0}; graph_next_edge(final.graph, &e);) {
            if (!e.undirected) CHECK(graph_directed(p.dag, e.source, e.target));
            bool contrast = p.target[e.source] != p.target[e.target];
            if (nodes <= 5 && contrast && round % 5 != 4) CHECK(!e.undirected);
        }
        for (size_t i = 0; i < found.count; i++) CHECK(found.list[i].outcome <= REASON_ORIENTS);
        decoding_free(&d);
        decoding_free(&final);
        reasons_free(&found);
        population_close(&p);
    }
    for (int rule = 0; rule < RULE_KINDS; rule++) CHECK(by_rule[rule] > 5); /* each did occur */
}

static void test_threads(void **state)
{
    (void)state;
    rng r = rng_stream(22, RNG_TEST, 0, 0, 0);
    population p;
    double probabilities[2][MOST * MOST];
    reasons found[2];
    decoding d[2];
    population_open(&p, MOST, 0.4, 0.4, &r);
    for (int t = 0; t < 2; t++) {
        class_probabilities(probabilities[t], &p);
        find(&found[t], &d[t], probabilities[t], &p, NULL, t ? WORKERS : 1);
    }
    CHECK(found[0].count > 0 && found[0].count == found[1].count);
    CHECK(found[0].test_count == found[1].test_count);
    for (size_t i = 0; i < found[0].count; i++) {
        CHECK(found[0].list[i].from == found[1].list[i].from);
        CHECK(found[0].list[i].to == found[1].list[i].to);
        CHECK_SAME(found[0].list[i].weight, found[1].list[i].weight);
    }
    for (int t = 0; t < 2; t++) {
        reasons_free(&found[t]);
        decoding_free(&d[t]);
    }
    population_close(&p);
}

/* ---- every adjacency has a subset, also at a node with many neighbours ---- */

static void test_hub(void **state)
{
    (void)state;
    enum { NODES = 30 };
    graph *dag;
    CHECK_OK(graph_alloc(&dag, NODES));
    double probabilities[NODES * NODES] = {0};
    for (size_t i = 1; i < NODES; i++) probabilities[i * NODES] = 0.9; /* all into node 0 */
    population p = {.nodes = NODES};
    CHECK_OK(graph_copy(&p.dag, dag));
    CHECK_OK(graph_alloc(&p.augmented, NODES + 1));
    for (size_t i = 1; i < NODES; i++) {
        graph_direct(p.dag, i, 0);
        graph_direct(p.augmented, i, 0);
    }
    graph_direct(p.augmented, NODES, 0);
    for (size_t w = 0; w < WORKERS; w++) CHECK_OK(graph_work_alloc(&p.works[w], NODES + 1));
    reasons found;
    decoding d;
    find(&found, &d, probabilities, &p, "ssi", 1);
    bool told[NODES] = {false};
    for (size_t i = 0; i < found.count; i++) {
        CHECK(found.list[i].to == 0 && found.list[i].subset.count <= REASONS_POOL + 1);
        told[found.list[i].from] = true;
    }
    for (size_t i = 1; i < NODES; i++) CHECK(told[i]);
    reasons_free(&found);
    decoding_free(&d);
    population_close(&p);
    scone_graph_free(dag);
}

/* ---- local graphs by definition ---- */

/* Some Z within S that separates a and b, the smallest number first; UINT32_MAX: none. */
static uint32_t separator(const graph *dag, const local_subset *s, int a, int b, graph_work *work)
{
    for (uint32_t set = 0; set < 1u << s->count; set++) {
        bits_word z[1] = {0};
        if (set & (MASK_BIT(a) | MASK_BIT(b))) continue;
        MASK_FOR(k, set) bits_add(z, s->nodes[k]);
        if (dsep_pair(dag, s->nodes[a], s->nodes[b], z, work)) return set;
    }
    return UINT32_MAX;
}

static void test_local_graphs(void **state)
{
    (void)state;
    size_t latent = 0;
    for (uint64_t round = 0; round < 400; round++) {
        rng r = rng_stream(24, RNG_TEST, round, 0, 0);
        population p;
        local_work *work, *other_work;
        graph *class, *other;
        population_open(&p, MOST, rng_range(&r, 0.15, 0.5), 0.0, &r);
        local_subset s = {.count = 0}, t;
        for (size_t v = 0; v < MOST; v++) {
            if (rng_uniform(&r) < 0.6 && s.count < 5) s.nodes[s.count++] = (uint32_t)v;
        }
        CHECK_OK(local_work_alloc(&work, p.dag, p.dag));
        local_subset_fill(&s, work);
        for (int a = 0; a < s.count; a++) {
            for (int b = a + 1; b < s.count; b++) {
                uint32_t z = separator(p.dag, &s, a, b, p.works[0]);
                bool near = pdag_adjacent(&s.local[0], a) >> b & 1;
                CHECK(near == (z == UINT32_MAX));
                latent += near && !graph_adjacent(p.dag, s.nodes[a], s.nodes[b]);
                if (near) continue;
                for (int k = 0; k < s.count; k++) { /* no arrow contradicts a separating set */
                    bool head =
                        pdag_directed(&s.local[0], a, k) && pdag_directed(&s.local[0], b, k);
                    bool beside =
                        (pdag_adjacent(&s.local[0], a) & pdag_adjacent(&s.local[0], b)) >> k & 1;
                    if (!beside) continue;
                    if (head) CHECK(!(z >> k & 1));
                }
            }
        }
        /* every member of the class says the same */
        CHECK_OK(graph_alloc(&class, MOST));
        CHECK_OK(graph_alloc(&other, MOST));
        CHECK(graph_cpdag(class, p.dag, p.works[0]));
        CHECK(graph_extend(other, class, p.works[0]));
        CHECK_OK(local_work_alloc(&other_work, other, other));
        t = s;
        local_subset_fill(&t, other_work);
        CHECK(pdag_equal(&s.local[0], &t.local[0], s.count));
        CHECK(memcmp(s.descendants, t.descendants, sizeof s.descendants) == 0);
        local_work_free(work);
        local_work_free(other_work);
        scone_graph_free(class);
        scone_graph_free(other);
        population_close(&p);
    }
    CHECK(latent > 50); /* variables outside of S did matter */
}

/* ---- the table of tests ---- */

static void test_by_table(void *context, int worker, size_t v, const size_t *given, size_t count,
                          invariance_result *result)
{
    const double *p_values = context;
    (void)worker;
    (void)given;
    *result = (invariance_result){.possible = count < 3,
                                  .p_value = p_values[v],
                                  .effect = 0.05,
                                  .effect_high = v % 2 ? 0.1 : 0.9};
}

static void test_evidence(void **state)
{
    (void)state;
    /* Holm at 0.01 with 5 tests: 0.001 * 5, 0.0025 * 4 (exactly the level), 0.004 * 3 (not any
     * more), ... */
    const double p_values[5] = {0.9, 0.0025, 0.004, 0.001, 0.04};
    literal_store *e;
    const literal_source source = {.test = test_by_table, .context = (void *)(uintptr_t)p_values};
    const literal_levels levels = {.changed = 0.01, .invariant = 0.05, .margin = 0.25};
    CHECK_OK(literals_alloc(&e, &source, &levels, NULL));
    const uint32_t set[3] = {9, 7, 8}, sorted[3] = {7, 8, 9};
    for (size_t v = 0; v < 5; v++) CHECK_OK(literals_ask(e, v, set, 2));
    for (size_t v = 0; v < 5; v++) CHECK_OK(literals_ask(e, v, (uint32_t[]){7, 9}, 2)); /* again */
    CHECK_OK(literals_ask(e, 1, set, 3)); /* not possible, and not counted */
    uint32_t many[INVARIANCE_MOST_GIVEN + 1] = {0};
    CHECK_OK(literals_ask(e, 1, many, INVARIANCE_MOST_GIVEN + 1)); /* passed over */
    CHECK(!literals_find(e, 0, set, 2));
    CHECK_OK(literals_answer(e));
    CHECK(literals_count(e) == 6);
    const uint32_t two[2] = {7, 9};
    CHECK(literals_find(e, 3, two, 2)->value == LITERAL_CHANGED);
    CHECK(literals_find(e, 1, two, 2)->value == LITERAL_CHANGED);
    CHECK(literals_find(e, 2, two, 2)->value == LITERAL_UNKNOWN);
    CHECK(literals_find(e, 4, two, 2)->value == LITERAL_UNKNOWN); /* not rejected, not invariant */
    CHECK(literals_find(e, 0, two, 2)->value == LITERAL_UNKNOWN); /* may be large: 0.9 */
    CHECK(literals_find(e, 1, sorted, 3)->value == LITERAL_UNKNOWN);
    CHECK_NEAR(literals_corrected(e, 3), 0.005, 1e-15);
    CHECK_NEAR(literals_corrected(e, 2), 0.012, 1e-15);
    literals_free(e);
    const invariance_result fine = {.possible = true, .p_value = 0.05, .effect_high = 0.25};
    CHECK(literals_decide(&fine, 1.0, &levels) == LITERAL_INVARIANT);
    const invariance_result nothing = {
        .possible = true, .p_value = (double)NAN, .effect_high = (double)NAN};
    CHECK(literals_decide(&nothing, (double)NAN, &levels) == LITERAL_UNKNOWN);
}

static void test_many_tests(void **state)
{
    (void)state;
    double p_values[64];
    literal_store *e;
    const literal_source source = {.test = test_by_table, .context = p_values};
    for (size_t v = 0; v < 64; v++) p_values[v] = 0.5;
    CHECK_OK(literals_alloc(&e, &source, &literals_usual, NULL));
    for (uint32_t v = 0; v < 64; v++) {
        for (uint32_t a = 0; a < 64; a++) {
            if (a != v) CHECK_OK(literals_ask(e, v, &a, 1));
        }
        if (v % 10 == 0) CHECK_OK(literals_answer(e));
    }
    CHECK_OK(literals_answer(e));
    CHECK(literals_count(e) == 64 * 63);
    for (uint32_t v = 0; v < 64; v++) {
        for (uint32_t a = 0; a < 64; a++) {
            const tested_literal *test = literals_find(e, v, &a, 1);
            if (a == v) continue;
            CHECK(test && test->v == v && test->given[0] == a && test->result.p_value == 0.5);
        }
    }
    literals_free(e);
}

static void test_rule_names(void **state)
{
    (void)state;
    unsigned rules, same;
    CHECK_OK(reasons_parse_rules(&rules, NULL));
    CHECK_OK(reasons_parse_rules(&same, "ssi,cvt,dpt,scr"));
    CHECK(rules == same && rules);
    CHECK_OK(reasons_parse_rules(&rules, "none"));
    CHECK(rules == 0);
    CHECK_OK(reasons_parse_rules(&rules, "paper"));
    CHECK(rules == (1u << RULE_SSI | 1u << RULE_CVT | 1u << RULE_DPT));
    static const char *const wrong[] = {"",        ",",        "ssi,", ",ssi",
                                        "ssi,all", "none,scr", "meek", "ssi;cvt"};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        CHECK_FAILS(reasons_parse_rules(&rules, wrong[w]), SCONE_ERR_INPUT, "ssi, cvt, dpt, scr");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_population_rules),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_hub),
        cmocka_unit_test(test_local_graphs),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_many_tests),
        cmocka_unit_test(test_rule_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
