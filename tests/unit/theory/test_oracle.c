/* test_oracle.c - the population on bit masks against the plain definitions of graph_oracle.h. */
#include "testing.h"
#include "graph_oracle.h"

#include "base/memory.h"
#include "theory/classes.h"

static local_graph masks_of(const small *s)
{
    local_graph g;
    memset(&g, 0, sizeof g);
    for (size_t a = 0; a < s->n; a++) {
        for (size_t b = 0; b < s->n; b++) {
            if (small_directed(s, a, b)) pdag_direct(&g, (int)a, (int)b);
            if (a < b && small_undirected(s, a, b)) pdag_undirect(&g, (int)a, (int)b);
        }
    }
    return g;
}

static small small_of(const local_graph *g, size_t n)
{
    small s = {.n = n};
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            s.edge[a][b] = pdag_directed(g, (int)a, (int)b) || pdag_undirected(g, (int)a, (int)b);
        }
    }
    return s;
}

static small cpdag_of(const small *dag)
{
    small pattern = *dag;
    for (size_t a = 0; a < dag->n; a++) {
        for (size_t b = 0; b < dag->n; b++) {
            bool kept = false;
            for (size_t c = 0; c < dag->n; c++) kept |= c != a && small_vstructure(dag, a, b, c);
            if (small_directed(dag, a, b) && !kept) pattern.edge[b][a] = 1;
        }
    }
    return small_enumerate(&pattern).shared;
}

/* ---- separation ---- */

static void check_separation(const small *s)
{
    local_graph g = masks_of(s);
    for (unsigned z = 0; z < 1u << s->n; z++) {
        for (size_t x = 0; x < s->n; x++) {
            if (z >> x & 1u) continue;
            uint16_t connected = oracle_connected(&g, (int)s->n, (int)x, z);
            for (size_t y = 0; y < s->n; y++) {
                if (y == x || z >> y & 1u) {
                    CHECK(!mask_has(connected, (int)y));
                } else {
                    CHECK(mask_has(connected, (int)y) == !small_separated(s, x, y, z));
                }
            }
        }
    }
}

/* Outcomes are separations from C in the graph with C, which is the last node here. */
static void check_outcomes(const small *s)
{
    local_graph g = masks_of(s);
    int count = (int)s->n;
    CHECK(s->n < SMALL);
    size_t c = s->n < SMALL ? s->n : 0;
    for (unsigned targets = 1; targets < 1u << s->n; targets++) {
        small with_c = *s;
        with_c.n++;
        for (size_t t = 0; t < s->n; t++) with_c.edge[c][t] = targets >> t & 1u;
        oracle_outcomes of_set = {{0}};
        MASK_FOR(t, targets) {
            oracle_outcomes one;
            oracle_target_outcomes(&one, &g, count, t, count - 1);
            for (int w = 0; w < ORACLE_WORDS; w++) of_set.words[w] |= one.words[w];
        }
        for (unsigned z = 0; z < 1u << s->n; z++) {
            uint16_t changed = oracle_changed(&g, count, targets, z);
            for (size_t v = 0; v < s->n; v++) {
                bool expected = !(z >> v & 1u) && !small_separated(&with_c, c, v, z);
                CHECK(mask_has(changed, (int)v) == expected);
                CHECK(oracle_outcome(&of_set, count, (int)v, z) == expected);
            }
        }
    }
}

static void test_separation(void **state)
{
    (void)state;
    static small dags[543];
    for (size_t n = 1; n <= 4; n++) {
        size_t count = small_dags(dags, n);
        for (size_t d = 0; d < count; d++) {
            check_separation(&dags[d]);
            if (n < 4 || d % 5 == 0) check_outcomes(&dags[d]);
        }
    }
    rng r = rng_stream(1, RNG_TEST, 1, 0, 0);
    for (int round = 0; round < 40; round++) {
        small s = small_random_dag(&r, 6);
        check_separation(&s);
    }
}

/* Only tests that subsets of a size can make are in the outcomes. */
static void test_tested(void **state)
{
    (void)state;
    local_graph chain;
    oracle_outcomes o;
    memset(&chain, 0, sizeof chain);
    pdag_direct(&chain, 0, 1);
    pdag_direct(&chain, 1, 2);
    oracle_target_outcomes(&o, &chain, 3, 0, 0);
    CHECK(oracle_outcome(&o, 3, 2, 0));
    CHECK(!oracle_outcome(&o, 3, 0, 2)); /* |Z| = 1 is not tested */
    oracle_view view;
    oracle_view_make(&view, &chain, 3, 7, 1);
    view.outcomes = &o;
    CHECK(view.view.look(view.view.context, 2, 0) == LITERAL_CHANGED);
    CHECK(view.view.look(view.view.context, 2, 2) == LITERAL_INVARIANT);
    CHECK(view.view.look(view.view.context, 2, 3) == LITERAL_UNKNOWN);
}

/* ---- local graphs ---- */

/* The local graph from the definition, with the nodes of S under their own numbers. */
static void check_local(const small *s, unsigned set)
{
    local_graph dag = masks_of(s), local;
    int place[SMALL], size = 0;
    MASK_FOR(v, set) place[v] = size++;
    oracle_local_graph(&local, &dag, (int)s->n, set);
    MASK_FOR(a, set) {
        MASK_FOR(b, set & ~((2u << a) - 1u)) {
            unsigned inside = set & ~(1u << a) & ~(1u << b);
            bool adjacent = true;
            for (unsigned z = 0; z < 1u << s->n; z++) {
                if (z & ~inside) continue;
                adjacent &= !small_separated(s, (size_t)a, (size_t)b, z);
            }
            CHECK(mask_has(pdag_adjacent(&local, place[a]), place[b]) == adjacent);
        }
    }
}

static void test_local_graphs(void **state)
{
    (void)state;
    static small dags[543];
    size_t count = small_dags(dags, 4);
    for (size_t d = 0; d < count; d++) {
        local_graph dag = masks_of(&dags[d]), local, cpdag;
        small expected = cpdag_of(&dags[d]);
        for (unsigned set = 1; set < 16; set++) check_local(&dags[d], set);
        /* on all nodes it is the CPDAG, here by enumeration */
        oracle_local_graph(&local, &dag, 4, 15);
        oracle_cpdag(&cpdag, &dag, 4);
        small got = small_of(&local, 4), got_cpdag = small_of(&cpdag, 4);
        CHECK(small_equal(&got, &expected));
        CHECK(small_equal(&got_cpdag, &expected));
    }
}

/* A hidden common cause makes an edge with two arrowheads: left undirected, whatever the closure
 * would like. 0 -> 1 <- 4 -> 2 <- 3 without 4. */
static void test_hidden_cause(void **state)
{
    (void)state;
    local_graph dag, local;
    memset(&dag, 0, sizeof dag);
    pdag_direct(&dag, 0, 1);
    pdag_direct(&dag, 4, 1);
    pdag_direct(&dag, 4, 2);
    pdag_direct(&dag, 3, 2);
    oracle_local_graph(&local, &dag, 5, 15);
    CHECK(pdag_directed(&local, 0, 1));
    CHECK(pdag_directed(&local, 3, 2));
    CHECK(pdag_undirected(&local, 1, 2));
    /* no DAG extends it: definite descendants are those of directed paths */
    CHECK(definite_descendants(&local, 4, 0) == MASK_BIT(1));
    CHECK(definite_descendants(&local, 4, 1) == 0);
}

/* ---- closure and descendants ---- */

/* A CPDAG with some of the directions of a DAG as knowledge. */
static small random_knowledge(small *dag, rng *r, size_t n)
{
    *dag = small_random_dag(r, n);
    small s = cpdag_of(dag);
    double known = rng_uniform(r);
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            if (!small_directed(dag, a, b) || !small_undirected(&s, a, b)) continue;
            if (rng_uniform(r) < known * 0.5) small_direct(&s, a, b);
        }
    }
    return s;
}

/* Directions that all extensions share, when knowledge may stand for new v-structures' halves:
 * extensions of the CPDAG that have the known directions. */
static small shared_by_extensions(unsigned *descendants, const small *cpdag, const small *known)
{
    size_t from[15], to[15], undirected = 0;
    small shared = *known;
    bool first = true;
    for (size_t i = 0; i < cpdag->n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!small_undirected(cpdag, i, j)) continue;
            from[undirected] = i;
            to[undirected++] = j;
        }
    }
    for (size_t code = 0; code >> undirected == 0; code++) {
        small dag = *cpdag;
        unsigned reach[SMALL];
        bool agrees = true;
        for (size_t e = 0; e < undirected; e++) {
            size_t a = code >> e & 1u ? from[e] : to[e], b = code >> e & 1u ? to[e] : from[e];
            small_direct(&dag, a, b);
            agrees &= !small_directed(known, b, a);
        }
        if (!agrees || !small_acyclic(&dag) || !small_same_vstructures(&dag, cpdag)) continue;
        small_reach(reach, &dag);
        for (size_t a = 0; a < dag.n; a++) {
            unsigned below = reach[a] & ~(1u << a);
            descendants[a] = first ? below : descendants[a] & below;
            for (size_t b = 0; b < dag.n; b++) {
                shared.edge[a][b] =
                    (unsigned char)(dag.edge[a][b] || (!first && shared.edge[a][b]));
            }
        }
        first = false;
    }
    CHECK(!first);
    return shared;
}

static void test_closure_and_descendants(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 2, 0, 0);
    size_t more_than_paths = 0;
    for (int round = 0; round < 3000; round++) {
        size_t n = 3 + rng_below(&r, 4);
        unsigned descendants[SMALL];
        small dag, known = random_knowledge(&dag, &r, n), cpdag = cpdag_of(&dag);
        small shared = shared_by_extensions(descendants, &cpdag, &known);
        local_graph g = masks_of(&known);
        CHECK(pdag_close(&g, (int)n));
        small closed = small_of(&g, n);
        CHECK(small_equal(&closed, &shared));
        for (size_t v = 0; v < n; v++) {
            uint16_t fast = definite_descendants(&g, (int)n, (int)v);
            CHECK(fast == descendants[v]);
            more_than_paths += fast != pdag_reach(&g, (int)v);
        }
        local_graph extension;
        CHECK(pdag_extend(&extension, &g, (int)n));
        small extended = small_of(&extension, n);
        CHECK(small_extends(&extended, &cpdag));
    }
    CHECK(more_than_paths > 20); /* else directed paths would have done */
}

/* v - a -> u and v - b -> u, a and b apart: v -> a or v -> b in every extension. */
static void test_descendant_without_path(void **state)
{
    (void)state;
    local_graph g;
    memset(&g, 0, sizeof g);
    pdag_undirect(&g, 0, 1);
    pdag_undirect(&g, 0, 2);
    pdag_direct(&g, 1, 3);
    pdag_direct(&g, 2, 3);
    CHECK(pdag_reach(&g, 0) == 0);
    CHECK(definite_descendants(&g, 4, 0) == MASK_BIT(3));
}

static void test_contradictions(void **state)
{
    (void)state;
    local_graph g;
    memset(&g, 0, sizeof g);
    pdag_direct(&g, 0, 1);
    pdag_undirect(&g, 1, 2);
    pdag_direct(&g, 3, 2);
    CHECK(!pdag_close(&g, 4)); /* 1 -> 2 and 2 -> 1 by R1 */
    CHECK(pdag_undirected(&g, 1, 2));
    memset(&g, 0, sizeof g);
    pdag_direct(&g, 0, 1);
    pdag_direct(&g, 1, 2);
    pdag_direct(&g, 2, 0);
    CHECK(!pdag_close(&g, 3));
    CHECK(!pdag_acyclic(&g, 3));
    CHECK(!pdag_require(&g, 3, 1, 0));
    CHECK(!pdag_extend(&(local_graph){{0}, {0}, {0}}, &g, 3));
}

/* ---- classes ---- */

static void test_classes(void **state)
{
    (void)state;
    /* labelled classes: OEIS A007984; DAGs: A003024; classes and DAGs without names */
    static const uint64_t classes_known[] = {0, 1, 2, 11, 185, 8782, 1067825};
    static const uint64_t dags_known[] = {0, 1, 3, 25, 543, 29281, 3781503};
    static local_graph members[CLASSES_MOST_MEMBERS];
    for (int count = 1; count <= 6; count++) {
        markov_class *list;
        size_t found;
        uint64_t classes = 0, dags = 0;
        CHECK_OK(classes_list(&list, &found, count));
        for (size_t c = 0; c < found; c++) {
            local_graph cpdag;
            classes_decode(&cpdag, count, list[c].code);
            CHECK(classes_encode(&cpdag, count) == list[c].code);
            CHECK(!c || list[c - 1].code < list[c].code);
            classes += list[c].weight;
            dags += list[c].weight * class_members(members, &cpdag, count);
        }
        assert_int_equal(classes, classes_known[count]);
        assert_int_equal(dags, dags_known[count]);
        mem_free(list);
    }
}

/* The canonical code does not depend on names. */
static void test_canonical(void **state)
{
    (void)state;
    rng r = rng_stream(1, RNG_TEST, 3, 0, 0);
    for (int round = 0; round < 300; round++) {
        small s = small_random_pdag(&r, 6), other = {.n = 6};
        size_t order[6];
        rng_permutation(&r, order, 6);
        for (size_t a = 0; a < 6; a++) {
            for (size_t b = 0; b < 6; b++) other.edge[order[a]][order[b]] = s.edge[a][b];
        }
        local_graph g = masks_of(&s), h = masks_of(&other), back;
        uint64_t automorphisms, same;
        uint64_t code = classes_canonical(&g, 6, &automorphisms);
        CHECK(classes_canonical(&h, 6, &same) == code);
        CHECK(same == automorphisms);
        classes_decode(&back, 6, code);
        CHECK(classes_canonical(&back, 6, &same) == code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_separation),
        cmocka_unit_test(test_tested),
        cmocka_unit_test(test_local_graphs),
        cmocka_unit_test(test_hidden_cause),
        cmocka_unit_test(test_closure_and_descendants),
        cmocka_unit_test(test_descendant_without_path),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
