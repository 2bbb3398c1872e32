/* test_ges.c - the Greedy Equivalence Search against brute force over equivalence classes, in the
 * population limit, and on networks whose CPDAGs are published. */
#include "testing.h"
#include "ges_oracle.h"
#include "graph_oracle.h"

#include "graph/graph_cpdag.h"
#include "learn/ges/ges_parts.h"

enum { DAGS = 543, CLASSES = 185 };

/* All DAGs on n <= 4 nodes and their equivalence classes. */
typedef struct universe {
    size_t n, dags, classes;
    graph *dag[DAGS], *cpdag[CLASSES];
    size_t class_of[DAGS];
    graph_work *work;
} universe;

static size_t find_class(const universe *u, const graph *cpdag)
{
    for (size_t c = 0; c < u->classes; c++) {
        if (graph_equal_marks(u->cpdag[c], cpdag)) return c;
    }
    return SIZE_MAX;
}

static void universe_make(universe *u, size_t n)
{
    static small dags[DAGS];
    *u = (universe){.n = n};
    CHECK_OK(graph_work_alloc(&u->work, n));
    u->dags = small_dags(dags, n);
    for (size_t d = 0; d < u->dags; d++) {
        graph *cpdag;
        CHECK_OK(graph_alloc(&u->dag[d], n));
        CHECK_OK(graph_alloc(&cpdag, n));
        small_store(u->dag[d], &dags[d]);
        CHECK(graph_cpdag(cpdag, u->dag[d], u->work));
        u->class_of[d] = find_class(u, cpdag);
        if (u->class_of[d] == SIZE_MAX) {
            CHECK(u->classes < CLASSES);
            u->class_of[d] = u->classes;
            u->cpdag[u->classes++] = cpdag;
        } else {
            scone_graph_free(cpdag);
        }
    }
}

static void universe_free(universe *u)
{
    for (size_t d = 0; d < u->dags; d++) scone_graph_free(u->dag[d]);
    for (size_t c = 0; c < u->classes; c++) scone_graph_free(u->cpdag[c]);
    graph_work_free(u->work);
}

/* reach[phase][class]: does one edge more, one edge less or one edge turned lead from a member of
 * the class to a member of the other? */
typedef struct reach_table {
    bool to[3][CLASSES][CLASSES];
} reach_table;

static void reach_make(reach_table *reach, const universe *u)
{
    memset(reach, 0, sizeof *reach);
    for (size_t d = 0; d < u->dags; d++) {
        for (size_t e = 0; e < u->dags; e++) {
            size_t more = 0, less = 0, turned = 0, a = u->class_of[d], b = u->class_of[e];
            for (size_t i = 0; i < u->n; i++) {
                for (size_t j = 0; j < i; j++) {
                    scone_mark old = scone_graph_mark(u->dag[d], i, j);
                    scone_mark new = scone_graph_mark(u->dag[e], i, j);
                    if (old == new) continue;
                    more += old == SCONE_MARK_NONE;
                    less += new == SCONE_MARK_NONE;
                    turned += old != SCONE_MARK_NONE && new != SCONE_MARK_NONE;
                }
            }
            if (more + less + turned != 1 || a == b) continue;
            reach->to[more ? 0 : less ? 1 : 2][a][b] = true;
        }
    }
}

static const ges_phase *const phases[3] = {&ges_insert, &ges_delete, &ges_turn};

static void random_covariance(double *covariance, size_t n, size_t rows, rng *r)
{
    double values[MODEL * 64];
    rng_fill_normal(r, values, n * rows);
    for (size_t i = rows; i < n * rows; i++) values[i] += 0.5 * values[i - rows];
    plain_sample_covariance(covariance, values, rows, n);
}

/* Class of every valid operator of a state, and its gain against the scores of whole DAGs. */
static void check_operators(ges_search *s, const universe *u, const reach_table *reach, size_t from,
                            int phase, const double *scores)
{
    bool reached[CLASSES] = {false};
    ges_search_move(s, u->cpdag[from]);
    for (size_t x = 0; x < u->n; x++) {
        for (size_t y = 0; y < u->n; y++) {
            s->candidates.count = 0;
            if (x != y) phases[phase]->candidates(s, x, y);
            double best = GES_NO_GAIN;
            for (size_t i = 0; i < s->candidates.count; i++) {
                const bits_word *set = s->candidates.sets + i * s->words;
                best = fmax(best, s->candidates.gains[i]);
                if (!phases[phase]->valid(s, x, y, set)) continue;
                CHECK(phases[phase]->apply(s, x, y, set));
                size_t to = find_class(u, s->next);
                CHECK(to != SIZE_MAX && reach->to[phase][from][to]);
                CHECK_NEAR(s->candidates.gains[i], scores[to] - scores[from], 1e-5);
                reached[to] = true;
            }
            /* The key is the best of the candidates, or says that none is worth it. */
            phases[phase]->row(s, y);
            double key = s->keys[phase].gains[y * u->n + x];
            if (best > s->least) CHECK_NEAR(key, best, 1e-6);
            if (!(best > s->least)) CHECK(!(key > s->least));
        }
    }
    for (size_t to = 0; to < u->classes; to++) CHECK(reached[to] == reach->to[phase][from][to]);
}

static void test_operators(void **state)
{
    (void)state;
    static const size_t class_counts[] = {1, 1, 2, 11, 185};
    static reach_table reach;
    rng r = rng_stream(1, RNG_TEST, 0, 0, 0);
    for (size_t n = 2; n <= 4; n++) {
        universe u;
        double covariance[16], scores[CLASSES];
        ges_search *s;
        universe_make(&u, n);
        CHECK(u.classes == class_counts[n]);
        reach_make(&reach, &u);
        random_covariance(covariance, n, 20, &r);
        for (size_t d = 0; d < u.dags; d++) {
            scores[u.class_of[d]] = oracle_score(covariance, u.dag[d], 20.0);
        }
        CHECK_OK(ges_search_alloc(&s, covariance, n, 20.0, NULL));
        for (size_t from = 0; from < u.classes; from++) {
            for (int phase = 0; phase < 3; phase++) {
                check_operators(s, &u, &reach, from, phase, scores);
            }
        }
        ges_search_free(s);
        universe_free(&u);
    }
}

/* The search by the book: from a class to the best one that can be reached, phase by phase. */
static size_t brute_search(const universe *u, const reach_table *reach, const double *scores,
                           size_t empty)
{
    size_t at = empty;
    for (bool improved = true; improved;) {
        improved = false;
        for (int phase = 0; phase < 3; phase++) {
            for (;;) {
                size_t best = at;
                for (size_t c = 0; c < u->classes; c++) {
                    if (reach->to[phase][at][c] && scores[c] > scores[best] + 1e-6) best = c;
                }
                if (best == at) break;
                at = best;
                improved = true;
            }
        }
    }
    return at;
}

static void test_whole_search(void **state)
{
    (void)state;
    static reach_table reach;
    universe u;
    graph *none;
    rng r = rng_stream(1, RNG_TEST, 1, 0, 0);
    size_t different = 0, before = SIZE_MAX, turned = 0;
    universe_make(&u, 4);
    reach_make(&reach, &u);
    CHECK_OK(graph_alloc(&none, 4));
    for (int trial = 0; trial < 400; trial++) {
        double covariance[16], scores[CLASSES];
        size_t rows = 10 + (size_t)trial % 50;
        graph *found;
        ges_statistics statistics;
        random_covariance(covariance, 4, rows, &r);
        for (size_t d = 0; d < u.dags; d++) {
            scores[u.class_of[d]] = oracle_score(covariance, u.dag[d], (double)rows);
        }
        size_t expected = brute_search(&u, &reach, scores, find_class(&u, none));
        CHECK_OK(ges_run(&found, covariance, 4, (double)rows, NULL, &statistics, NULL));
        CHECK(find_class(&u, found) == expected);
        different += expected != before;
        turned += statistics.steps[2];
        before = expected;
        scone_graph_free(found);
    }
    CHECK(different > 200 && turned > 0); /* the trials are not all alike */
    scone_graph_free(none);
    universe_free(&u);
}

static void test_score_equivalence(void **state)
{
    (void)state;
    universe u;
    rng r = rng_stream(1, RNG_TEST, 2, 0, 0);
    universe_make(&u, 4);
    for (int trial = 0; trial < 20; trial++) {
        double covariance[16], first[CLASSES];
        bool known[CLASSES] = {false};
        random_covariance(covariance, 4, 30, &r);
        /* column 2 constant */
        for (size_t i = 0; i < 4 && trial % 4 == 3; i++) {
            covariance[i * 4 + 2] = covariance[2 * 4 + i] = 0.0;
        }
        for (size_t d = 0; d < u.dags; d++) {
            double score;
            size_t c = u.class_of[d];
            CHECK_OK(ges_dag_score(&score, u.dag[d], covariance, 1000.0, NULL));
            if (!known[c]) first[c] = score;
            known[c] = true;
            CHECK_NEAR(score, first[c], 1e-9);
        }
    }
    universe_free(&u);
}

static void test_population_small(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 3, 0, 0);
    for (size_t n = 1; n <= 4; n++) {
        universe u;
        universe_make(&u, n);
        for (size_t d = 0; d < u.dags; d++) {
            for (int draw = 0; draw < 3; draw++) {
                double covariance[16];
                graph *found;
                faithful_covariance(covariance, u.dag[d], 0.01, &r, u.work);
                CHECK_OK(ges_run(&found, covariance, n, 1e6, NULL, NULL, NULL));
                CHECK(graph_equal_marks(found, u.cpdag[u.class_of[d]]));
                scone_graph_free(found);
            }
        }
        universe_free(&u);
    }
}

static void test_population_random(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 4, 0, 0);
    graph *dag, *cpdag, *found;
    graph_work *work;
    CHECK_OK(graph_alloc(&dag, 10));
    CHECK_OK(graph_alloc(&cpdag, 10));
    CHECK_OK(graph_work_alloc(&work, 10));
    for (int trial = 0; trial < 12; trial++) {
        double covariance[100];
        random_dag(dag, 6.0 + trial, &r);
        faithful_covariance(covariance, dag, 1e-4, &r, work);
        CHECK(graph_cpdag(cpdag, dag, work));
        for (int variant = 0; variant < 4; variant++) {
            ges_options options = {.skip_turning = variant & 1, .eager = variant & 2};
            CHECK_OK(ges_run(&found, covariance, 10, 1e10, &options, NULL, NULL));
            CHECK(graph_equal_marks(found, cpdag));
            scone_graph_free(found);
        }
    }
    scone_graph_free(dag);
    scone_graph_free(cpdag);
    graph_work_free(work);
}

/* A published network: "a>b" a DAG's edges, and its CPDAG with "a-b" for the undirected ones. Nodes
 * are letters. */
typedef struct network {
    const char *name;
    size_t nodes;
    const char *dag, *cpdag;
} network;

static const network networks[] = {
    /* Lauritzen and Spiegelhalter (1988): Asia, Tub, Smoke, Lung, Bronc, Either, Xray, Dysp */
    {"asia", 8, "a>b b>f c>d d>f c>e e>h f>h f>g", "a-b b>f c-d d>f c-e e>h f>h f>g"},
    /* Korb and Nicholson (2010): Pollution, Smoker, Cancer, Xray, Dyspnoea */
    {"cancer", 5, "a>c b>c c>d c>e", "a>c b>c c>d c>e"},
    /* Korb and Nicholson (2010): Burglary, Earthquake, Alarm, JohnCalls, MaryCalls */
    {"earthquake", 5, "a>c b>c c>d c>e", "a>c b>c c>d c>e"},
    /* Sachs et al. (2005), the 17 edges of the bnlearn repository: PKC, PKA, Raf, Mek, Erk, Akt,
     * Jnk, P38, Plcg, PIP3, PIP2. It has no v-structure. */
    {"sachs", 11, "a>b a>g a>h a>c a>d b>c b>d b>e b>f b>g b>h c>d d>e e>f i>j i>k j>k",
     "a-b a-g a-h a-c a-d b-c b-d b-e b-f b-g b-h c-d d-e e-f i-j i-k j-k"},
};

static void parse_network(graph *g, const char *text)
{
    for (const char *at = text; *at; at += at[3] == ' ' ? 4 : 3) {
        size_t from = (size_t)(at[0] - 'a'), to = (size_t)(at[2] - 'a');
        if (at[1] == '>')
            graph_direct(g, from, to);
        else
            graph_undirect(g, from, to);
    }
}

static void test_networks(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 5, 0, 0);
    for (size_t k = 0; k < sizeof networks / sizeof *networks; k++) {
        const network *net = &networks[k];
        graph *dag, *cpdag, *found;
        graph_work *work;
        CHECK_OK(graph_alloc(&dag, net->nodes));
        CHECK_OK(graph_alloc(&cpdag, net->nodes));
        CHECK_OK(graph_work_alloc(&work, net->nodes));
        parse_network(dag, net->dag);
        parse_network(cpdag, net->cpdag);
        for (int draw = 0; draw < 3; draw++) {
            double covariance[MODEL * MODEL];
            faithful_covariance(covariance, dag, 1e-4, &r, work);
            CHECK_OK(ges_run(&found, covariance, net->nodes, 1e10, NULL, NULL, NULL));
            if (!graph_equal_marks(found, cpdag)) fail_msg("%s: another graph", net->name);
            scone_graph_free(found);
        }
        scone_graph_free(dag);
        scone_graph_free(cpdag);
        graph_work_free(work);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),         cmocka_unit_test(test_whole_search),
        cmocka_unit_test(test_score_equivalence), cmocka_unit_test(test_population_small),
        cmocka_unit_test(test_population_random), cmocka_unit_test(test_networks),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
