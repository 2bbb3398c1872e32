/* test_stages.c - the three aggregates: each keeps what the one before it directed, is closed and
 * extends to a DAG, whatever local graphs and rules say; with directions of the truth they are what
 * the Meek rules make of them; what contradicts is counted. */
#include "testing.h"

#include "base/rng.h"
#include "graph/format/format.h"
#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"
#include "model/tokens/token_make.h"
#include "reasons/stages.h"

/* A random DAG and its class. */
static void random_class(graph **dag, graph **class, size_t nodes, double density, rng *r,
                         graph_work *work)
{
    size_t order[16];
    CHECK_OK(graph_alloc(dag, nodes));
    CHECK_OK(graph_alloc(class, nodes));
    rng_permutation(r, order, nodes);
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = i + 1; j < nodes; j++) {
            if (rng_uniform(r) < density) graph_direct(*dag, order[i], order[j]);
        }
    }
    CHECK(graph_cpdag(*class, *dag, work));
}

/* What must hold of every list of stages. Returns the directions that later stages added. */
static size_t check_stages(const stage_list *s)
{
    graph *dag, *again;
    graph_work *work;
    meek *m;
    size_t nodes = s->list[0].graph->nodes, added = 0;
    CHECK_OK(graph_alloc(&dag, nodes));
    CHECK_OK(graph_work_alloc(&work, nodes));
    CHECK_OK(meek_alloc(&m, nodes));
    for (size_t k = 0; k < s->count; k++) {
        const graph *g = s->list[k].graph, *before = s->list[k ? k - 1 : 0].graph;
        size_t fresh = 0;
        CHECK(graph_extend(dag, g, work));
        CHECK_OK(graph_copy(&again, g));
        CHECK_OK(meek_close(again, m));
        CHECK(graph_equal_marks(again, g));
        CHECK(graph_same_skeleton(g, before));
        for (size_t i = 0; i < nodes; i++) {
            for (size_t j = 0; j < nodes; j++) {
                bool here = graph_directed(g, i, j);
                if (graph_directed(before, i, j)) CHECK(here);
                fresh += here && !graph_directed(before, i, j);
            }
        }
        CHECK(fresh == s->list[k].added_count);
        for (size_t e = 0; e < fresh; e++) {
            const stage_edge *edge = &s->list[k].added[e];
            CHECK(graph_directed(g, edge->from, edge->to));
            CHECK(graph_undirected(before, edge->from, edge->to));
        }
        added += fresh;
        scone_graph_free(again);
    }
    scone_graph_free(dag);
    graph_work_free(work);
    meek_free(m);
    return added;
}

/* Directions of any pairs, about as many right as wrong, some of them twice and both ways. */
static void test_random(void **state)
{
    (void)state;
    enum { NODES = 9, MOST = 60 };
    rng r = rng_stream(3, RNG_TEST, 0, 0, 0);
    graph_work *work;
    size_t added = 0, skipped = 0, closed = 0;
    CHECK_OK(graph_work_alloc(&work, NODES));
    for (int trial = 0; trial < 2000; trial++) {
        graph *dag, *class;
        stage_direction list[2][MOST];
        stage_list s;
        random_class(&dag, &class, NODES, 0.1 + 0.6 * rng_uniform(&r), &r, work);
        CHECK_OK(stages_begin(&s, class));
        for (int k = 0; k < 2; k++) {
            size_t count = rng_below(&r, MOST);
            for (size_t d = 0; d < count; d++) {
                size_t from = rng_below(&r, NODES), to = (from + 1 + rng_below(&r, 8)) % NODES;
                list[k][d] = (stage_direction){from, to, k ? STAGE_RULE : STAGE_REGIME_1};
            }
            CHECK_OK(stages_next(&s, list[k], count, NULL));
            skipped += s.list[k + 1].skipped;
            for (size_t e = 0; e < s.list[k + 1].added_count; e++) {
                closed += s.list[k + 1].added[e].source == STAGE_CLOSURE;
            }
        }
        added += check_stages(&s);
        CHECK_FAILS(stages_next(&s, NULL, 0, NULL), SCONE_ERR_DEFECT, "no stage");
        stages_free(&s);
        scone_graph_free(dag);
        scone_graph_free(class);
    }
    CHECK(added > 5000 && skipped > 5000 && closed > 1000);
    graph_work_free(work);
}

/* Without contradictions: MPDAG as meek_require makes it from all directions at once. */
static void test_consistent(void **state)
{
    (void)state;
    enum { NODES = 10 };
    rng r = rng_stream(4, RNG_TEST, 0, 0, 0);
    graph_work *work;
    meek *m;
    CHECK_OK(graph_work_alloc(&work, NODES));
    CHECK_OK(meek_alloc(&m, NODES));
    for (int trial = 0; trial < 300; trial++) {
        graph *dag, *class;
        stage_direction list[100];
        meek_edge required[100];
        size_t count = 0;
        stage_list s;
        random_class(&dag, &class, NODES, 0.5, &r, work);
        CHECK_OK(stages_begin(&s, class));
        for (size_t i = 0; i < NODES * NODES; i++) {
            size_t from = i / NODES, to = i % NODES;
            if (!graph_directed(dag, from, to) || rng_uniform(&r) < 0.8) continue;
            list[count] = (stage_direction){from, to, STAGE_BOTH};
            required[count++] = (meek_edge){(uint32_t)from, (uint32_t)to};
        }
        CHECK_OK(stages_next(&s, list, count, NULL));
        CHECK_OK(meek_require(class, m, required, count));
        CHECK(graph_equal_marks(class, s.list[1].graph) && s.list[1].skipped == 0);
        (void)check_stages(&s);
        stages_free(&s);
        scone_graph_free(dag);
        scone_graph_free(class);
    }
    graph_work_free(work);
    meek_free(m);
}

/* By hand: a - b - c - d. */
static void test_by_hand(void **state)
{
    (void)state;
    graph *chain;
    stage_list s;
    CHECK_OK(graph_alloc(&chain, 5));
    for (size_t v = 0; v < 3; v++) graph_undirect(chain, v, v + 1);
    CHECK_OK(stages_begin(&s, chain));
    const stage_direction local[] = {{1, 2, STAGE_REGIME_0},  /* then 2 -> 3 follows */
                                     {3, 2, STAGE_REGIME_1},  /* opposed */
                                     {0, 4, STAGE_BOTH},      /* not adjacent */
                                     {2, 3, STAGE_REGIME_1}}; /* there already */
    CHECK_OK(stages_next(&s, local, 4, NULL));
    const stage_result *second = &s.list[1];
    CHECK(second->skipped == 1 && second->added_count == 2);
    CHECK(second->added[0].from == 1 && second->added[0].source == STAGE_REGIME_0);
    CHECK(second->added[1].from == 2 && second->added[1].source == STAGE_CLOSURE);
    CHECK(graph_undirected(second->graph, 0, 1));
    bits_word sets[2][5] = {{0}};
    const knowledge known = {.nodes = 5, .words = 1, .required = sets[0], .forbidden = sets[1]};
    bits_add(sets[1] + 0, 1); /* 0 -> 1 is forbidden */
    const stage_direction rules[] = {{0, 1, STAGE_RULE}, {1, 0, STAGE_RULE}};
    CHECK_OK(stages_next(&s, rules, 2, &known));
    const stage_result *third = &s.list[2];
    CHECK(third->skipped == 1 && third->added_count == 1 && graph_directed(third->graph, 1, 0));
    CHECK(third->added[0].source == STAGE_RULE);
    (void)check_stages(&s);
    stages_free(&s);
    scone_graph_free(chain);
}

/* On simulated tables, with the votes of each learner. */
static void test_simulated(void **state)
{
    (void)state;
    scone_setting setting;
    size_t added = 0;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.nodes_min = setting.nodes_max = 10;
    setting.edges_min = setting.edges_max = 12;
    setting.samples = 600;
    for (unsigned learners = 1; learners <= 4; learners *= 2) {
        for (size_t g = 0; g < 3; g++) {
            scone_problem *problem;
            token_options options = token_defaults;
            tokens *t;
            ensemble_locals *locals;
            local_graphs local;
            stage_list s;
            setting.seed = 40 + g;
            options.learners = learners;
            options.replicates = 5;
            CHECK_OK(scone_simulate(&problem, &setting, 0, NULL));
            const scone_pair *pair = scone_problem_pair(problem);
            CHECK_OK(token_make_locals(&t, &locals, pair, NULL, &options, NULL));
            CHECK_OK(local_graphs_make(&local, locals));
            CHECK(local.count > 0);
            CHECK_OK(stages_observe(&s, pair, NULL, NULL));
            CHECK_OK(stages_locals(&s, &local, NULL));
            added += check_stages(&s);
            stages_free(&s);
            local_graphs_free(&local);
            ensemble_locals_free(locals);
            tokens_free(t);
            scone_problem_free(problem);
        }
    }
    CHECK(added > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_consistent),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
