/* test_reasons_pairs.c - several conditions: which pairs of tables are looked at, that a pair
 * answers as two tables do, and certificates that name the pair they rest on. */
#include "testing.h"

#include "base/rng.h"
#include "graph/dsep.h"
#include "reasons/reasons.h"
#include "rules/pdag.h"

enum { NODES = 4, PAIRS = 3 };

/* ---- which pairs ---- */

static void check_chosen(const pairs_request *r, const size_t *wanted, size_t count)
{
    size_t *chosen, found;
    CHECK_OK(reasons_choose_pairs(&chosen, &found, r));
    CHECK(found == count);
    for (size_t k = 0; k < count; k++) CHECK(chosen[k] == wanted[k]);
    mem_free(chosen);
}

static void test_choice(void **state)
{
    (void)state;
    enum { CONDITIONS = 6 };
    graph *g;
    CHECK_OK(graph_alloc(&g, NODES)); /* 0 -> 1 -> 2 -> 3 */
    for (size_t v = 0; v + 1 < NODES; v++) graph_direct(g, v, v + 1);
    size_t rows[CONDITIONS] = {500, 19, 500, 400, 900, 500};
    double margins[NODES * CONDITIONS] = {0};
    pairs_request r = {.conditions = CONDITIONS,
                       .control_rows = 1000,
                       .rows = rows,
                       .most_rows = 2500,
                       .most = CONDITIONS,
                       .found = g,
                       .least = 10.0};
    /* All but the one with too few rows; without margins, by rows; ties fall to the first. */
    check_chosen(&r, (const size_t[]){0, 2, 3, 4, 5}, 5);
    r.most = 1;
    check_chosen(&r, (const size_t[]){4}, 1);
    r.most = 2;
    check_chosen(&r, (const size_t[]){0, 4}, 2);
    rows[1] = 0;
    rows[3] = 1; /* those stay out even if there is room */
    r.most = 5;
    check_chosen(&r, (const size_t[]){0, 2, 4, 5}, 4);
    rows[3] = 400;

    /* Condition 0 changes node 1: the edges 0-1 and 1-2. 2 changes the same, 3 changes node 3: the
     * edge 2-3 that no other has. 4 changes all: no edge tells anything. */
    r.margins = margins;
    margins[1 * CONDITIONS + 0] = margins[1 * CONDITIONS + 2] = 10.0;
    margins[3 * CONDITIONS + 3] = 50.0;
    for (size_t v = 0; v < NODES; v++) margins[v * CONDITIONS + 4] = 99.0;
    margins[0 * CONDITIONS + 5] = 9.9;
    r.most = 1;
    check_chosen(&r, (const size_t[]){0}, 1);
    r.most = 2;
    check_chosen(&r, (const size_t[]){0, 3}, 2);
    r.most = 3; /* nothing is new any more: by rows */
    check_chosen(&r, (const size_t[]){0, 3, 4}, 3);
    memset(rows, 0, sizeof rows);
    check_chosen(&r, NULL, 0);
    scone_graph_free(g);
}

/* ---- a pair answers as two tables do ---- */

static void test_source(void **state)
{
    (void)state;
    static const size_t rows[PAIRS + 1] = {300, 7, 250, 400}, chosen[PAIRS] = {0, 2, 3};
    scone_pair pooled;
    size_t all = 0, first = 0;
    for (size_t k = 0; k <= PAIRS; k++) all += rows[k];
    CHECK_OK(table_alloc(&pooled.tables[0], 350, NODES, NULL));
    CHECK_OK(table_alloc(&pooled.tables[1], all, NODES, NULL));
    for (int t = 0; t < 2; t++) {
        const scone_table *values = pooled.tables[t];
        rng r = rng_stream(61, RNG_TEST, (uint64_t)t, 0, 0);
        for (size_t j = 0; j < NODES; j++) {
            for (size_t i = 0; i < values->rows; i++) {
                double cause = j ? table_column(values, j - 1)[i] : 0.0;
                table_column(values, j)[i] = 0.3 * cause + rng_normal(&r) * (1 + (t && j == 2));
            }
        }
    }
    const literal_conditions asked = {
        .pair = &pooled, .rows = rows, .chosen = chosen, .count = PAIRS};
    data_source *many, *one;
    CHECK_OK(literals_data_conditions(&many, &asked, 5, 200, NULL));
    literal_source source = literals_data_use(many);
    CHECK(source.turn != NULL);
    for (size_t p = PAIRS; p-- > 0;) { /* in any order */
        scone_table *part;
        first = 0;
        for (size_t k = 0; k < chosen[p]; k++) first += rows[k];
        CHECK_OK(table_part(&part, pooled.tables[1], first, rows[chosen[p]]));
        scone_pair view = {{pooled.tables[0], part}};
        CHECK_OK(literals_data_alloc(&one, &view, 5, 200, NULL));
        literal_source plain = literals_data_use(one);
        CHECK(plain.turn == NULL);
        CHECK_OK(source.turn(source.context, p));
        for (size_t v = 0; v < NODES; v++) {
            size_t given = (v + 1) % NODES;
            uint32_t other = (uint32_t)((v + 2) % NODES);
            invariance_result a, b;
            source.test(source.context, 0, v, &given, 1, &a);
            plain.test(plain.context, 0, v, &given, 1, &b);
            CHECK(a.possible && b.possible);
            CHECK_SAME(a.statistic, b.statistic);
            CHECK_SAME(a.effect_high, b.effect_high);
            literal_link c = source.link(source.context, v, given, &other, 1);
            literal_link d = plain.link(plain.context, v, given, &other, 1);
            CHECK_SAME(c.shared[0], d.shared[0]);
            CHECK_SAME(c.shared[1], d.shared[1]);
            CHECK(c.p_value >= 0.0 && c.p_value <= 1.0);
        }
        literals_data_free(one);
        scone_table_free(part);
    }
    /* Independence is that of all tables: neighbours in the chain are not, 0 and 3 given 1 are. */
    uint32_t between = 1;
    for (size_t p = 0; p < PAIRS; p++) {
        CHECK_OK(source.turn(source.context, p));
        CHECK(source.link(source.context, 0, 1, NULL, 0).p_value < 1e-6);
        CHECK(source.link(source.context, 0, 3, &between, 1).p_value > 1e-3);
    }
    literals_data_free(many);
    scone_table_free(pooled.tables[0]);
    scone_table_free(pooled.tables[1]);
}

/* The p-value of independence is uniform if there is none, whatever the number of tables. */
static void test_link_level(void **state)
{
    (void)state;
    enum { ROUNDS = 400, ROWS = 40 };
    static const size_t rows[PAIRS] = {ROWS, ROWS, ROWS}, chosen[PAIRS] = {0, 1, 2};
    size_t below[2] = {0};
    scone_pair pooled;
    CHECK_OK(table_alloc(&pooled.tables[0], ROWS, 2, NULL));
    CHECK_OK(table_alloc(&pooled.tables[1], PAIRS * ROWS, 2, NULL));
    for (uint64_t round = 0; round < ROUNDS; round++) {
        rng r = rng_stream(62, RNG_TEST, round, 0, 0);
        for (int t = 0; t < 2; t++) {
            for (size_t i = 0; i < 2 * pooled.tables[t]->rows; i++) {
                pooled.tables[t]->values[i] = rng_normal(&r);
            }
        }
        const literal_conditions asked = {
            .pair = &pooled, .rows = rows, .chosen = chosen, .count = PAIRS};
        data_source *many;
        CHECK_OK(literals_data_conditions(&many, &asked, 0, 0, NULL));
        literal_source source = literals_data_use(many);
        double p = source.link(source.context, 0, 1, NULL, 0).p_value;
        below[0] += p < 0.1;
        below[1] += p < 0.5;
        literals_data_free(many);
    }
    CHECK(below[0] > 20 && below[0] < 65); /* 40 of 400 are expected, +-6 */
    CHECK(below[1] > 165 && below[1] < 235);
    scone_table_free(pooled.tables[0]);
    scone_table_free(pooled.tables[1]);
}

/* ---- certificates of several pairs ---- */

/* A DAG, of which each pair changes other nodes. */
typedef struct study {
    graph *dag, *augmented[PAIRS];
    graph_work *work;
    size_t at, tests;
    double p_changed;
} study;

static scone_status turn(void *context, size_t pair)
{
    ((study *)context)->at = pair;
    return SCONE_OK;
}

static bool is_invariant(study *s, size_t pair, size_t v, const size_t *given, size_t count)
{
    bits_word z[1] = {0};
    for (size_t g = 0; g < count; g++) bits_add(z, given[g]);
    return dsep_pair(s->augmented[pair], NODES, v, z, s->work);
}

static void test_study(void *context, int worker, size_t v, const size_t *given, size_t count,
                       invariance_result *result)
{
    study *s = context;
    (void)worker;
    bool same = is_invariant(s, s->at, v, given, count);
    *result = (invariance_result){.possible = true,
                                  .statistic = same ? 1.0 : 500.0,
                                  .degrees = 2.0,
                                  .p_value = same ? 0.6 : s->p_changed,
                                  .effect = same ? 0.0 : 1.0,
                                  .effect_high = same ? 0.02 : 1.1};
    s->tests++;
}

static literal_link link_study(void *context, size_t i, size_t j, const uint32_t *given,
                               size_t count)
{
    study *s = context;
    bits_word z[1] = {0};
    for (size_t g = 0; g < count; g++) bits_add(z, given[g]);
    bool apart = dsep_pair(s->dag, i, j, z, s->work);
    return (literal_link){.shared = {0.5, 0.5}, .p_value = apart ? 1.0 : 0.0};
}

static void find(reasons *out, study *s, const graph *found, size_t conditions)
{
    double probabilities[NODES * NODES] = {0};
    reasons_request request = {
        .found = found,
        .probabilities = probabilities,
        .source = {.test = test_study, .link = link_study, .context = s, .turn = turn},
        .levels = literals_usual,
        .pairs = PAIRS};
    request.levels.pairs = conditions;
    s->tests = 0;
    CHECK_OK(reasons_parse_rules(&request.rules, "all"));
    CHECK_OK(reasons_find(out, &request, NULL));
}

/* 0 -> 1 -> 2 -> 3. Pair 0 changes node 1, pair 1 nothing, pair 2 node 3. */
static void test_certificates(void **state)
{
    (void)state;
    static const size_t targets[PAIRS] = {1, SIZE_MAX, 3};
    study s = {.p_changed = 1e-9};
    graph *found;
    reasons r;
    CHECK_OK(graph_alloc(&s.dag, NODES));
    CHECK_OK(graph_alloc(&found, NODES));
    CHECK_OK(graph_work_alloc(&s.work, NODES + 1));
    for (size_t v = 0; v + 1 < NODES; v++) {
        graph_direct(s.dag, v, v + 1);
        graph_undirect(found, v, v + 1);
    }
    for (size_t p = 0; p < PAIRS; p++) {
        CHECK_OK(graph_alloc(&s.augmented[p], NODES + 1));
        for (size_t v = 0; v + 1 < NODES; v++) graph_direct(s.augmented[p], v, v + 1);
        if (targets[p] != SIZE_MAX) graph_direct(s.augmented[p], NODES, targets[p]);
    }
    find(&r, &s, found, PAIRS);
    bool told[PAIRS][NODES] = {{false}};
    CHECK(r.count > 0 && r.tested == s.tests);
    for (size_t i = 0; i < r.count; i++) {
        const reason *one = &r.list[i];
        CHECK(graph_directed(s.dag, one->from, one->to) && one->pair < PAIRS);
        told[one->pair][one->from] = true;
        for (int l = 0; l < one->certificate.literal_count; l++) {
            const tested_literal *test = &r.tests[one->tests[l]];
            size_t given[INVARIANCE_MOST_GIVEN];
            for (size_t g = 0; g < test->count; g++) given[g] = test->given[g];
            CHECK(test->pair == one->pair);
            CHECK(is_invariant(&s, one->pair, test->v, given, test->count) ==
                  (test->value == LITERAL_INVARIANT));
        }
    }
    CHECK(told[0][0] && told[0][1] && told[2][2]); /* 0 -> 1, 1 -> 2 by the first, 2 -> 3 */
    for (size_t v = 0; v < NODES; v++) CHECK(!told[1][v]);
    /* Every p-value counts for all pairs: 1e-9, Holm's factor, and three. */
    for (size_t t = 0; t < r.test_count; t++) {
        bool changed = r.tests[t].value == LITERAL_CHANGED;
        double times = r.corrected[t] / 1e-9;
        if (changed) CHECK(times >= 2.999 && times <= 3.001 * (double)r.tested);
    }
    reasons_free(&r);

    /* What is enough for one of few conditions is not for one of very many. */
    s.p_changed = 1e-5;
    find(&r, &s, found, PAIRS);
    CHECK(r.count > 0);
    reasons_free(&r);
    find(&r, &s, found, 100000);
    CHECK(r.count == 0);
    reasons_free(&r);
    for (size_t p = 0; p < PAIRS; p++) scone_graph_free(s.augmented[p]);
    graph_work_free(s.work);
    scone_graph_free(s.dag);
    scone_graph_free(found);
}

/* An unchanged literal weighs less the more pairs there are, and its odds are those of the p-value
 * times their number. */
static void weight_with(double *weight, size_t pairs)
{
    literal_levels levels = literals_usual;
    static const double nothing;
    literal_store *e;
    study s = {.p_changed = nothing};
    const literal_source source = {.test = test_study, .link = link_study, .context = &s};
    CHECK_OK(graph_alloc(&s.augmented[0], NODES + 1));
    CHECK_OK(graph_work_alloc(&s.work, NODES + 1));
    levels.pairs = pairs;
    CHECK_OK(literals_alloc(&e, &source, &levels, NULL));
    CHECK_OK(literals_ask(e, 0, NULL, 0));
    CHECK_OK(literals_answer(e));
    *weight = literals_weight(e, literals_find(e, 0, NULL, 0), 0.05);
    literals_free(e);
    graph_work_free(s.work);
    scone_graph_free(s.augmented[0]);
}

static void test_weight(void **state)
{
    (void)state;
    double one, none, ten;
    weight_with(&none, 0);
    weight_with(&one, 1);
    weight_with(&ten, 10);
    double p = 0.5 * erfc(0.05 / (0.02 / 1.645 * sqrt(2.0)));
    CHECK_SAME(none, one);
    CHECK_NEAR(one, -1.0 - log(p) - log(-log(p)), 1e-9);
    CHECK_NEAR(ten, -1.0 - log(10.0 * p) - log(-log(10.0 * p)), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),     cmocka_unit_test(test_source),
        cmocka_unit_test(test_link_level), cmocka_unit_test(test_certificates),
        cmocka_unit_test(test_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
