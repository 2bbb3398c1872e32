/* test_graph_meek.c - the Meek rules: soundness, completeness, reasons, knowledge, conflicts. */
#include "testing.h"
#include "graph_oracle.h"

#include "graph/graph_cpdag.h"
#include "graph/meek.h"

typedef struct fixture {
    graph *g, *before, *replay;
    graph_work *work;
    meek *m;
    size_t fired[5]; /* how often each rule gave a reason */
} fixture;

static fixture fixture_alloc(size_t nodes)
{
    fixture f = {0};
    CHECK_OK(graph_alloc(&f.g, nodes));
    CHECK_OK(graph_alloc(&f.before, nodes));
    CHECK_OK(graph_alloc(&f.replay, nodes));
    CHECK_OK(graph_work_alloc(&f.work, nodes));
    CHECK_OK(meek_alloc(&f.m, nodes));
    return f;
}

static void fixture_free(fixture *f)
{
    meek_free(f->m);
    graph_work_free(f->work);
    scone_graph_free(f->replay);
    scone_graph_free(f->before);
    scone_graph_free(f->g);
}

/* Every reason holds when its turn comes, and together they lead from `before` to `g`. */
static void check_reasons(fixture *f, bool complete)
{
    graph_assign(f->replay, f->before);
    for (size_t i = 0; i < f->m->count; i++) {
        const meek_reason *reason = &f->m->reasons[i];
        CHECK(meek_reason_holds(f->replay, reason));
        graph_direct(f->replay, reason->from, reason->to);
        CHECK(!meek_reason_holds(f->replay, reason));
        f->fired[reason->rule]++;
    }
    if (complete) CHECK(graph_equal_marks(f->replay, f->g));
}

/* Is the conflict there, in the graph that the reasons lead to? */
static void check_conflict(fixture *f)
{
    const meek_conflict *conflict = &f->m->conflict;
    const size_t *nodes = conflict->nodes;
    const graph *g = f->replay;
    check_reasons(f, false);
    switch (conflict->kind) {
    case MEEK_CYCLE:
        CHECK(conflict->count >= 3);
        for (size_t i = 0; i < conflict->count; i++) {
            CHECK(graph_directed(g, nodes[i], nodes[(i + 1) % conflict->count]));
        }
        break;
    case MEEK_COLLIDER:
        CHECK(conflict->count == 3 && nodes[0] < nodes[2] &&
              !graph_adjacent(g, nodes[0], nodes[2]));
        CHECK(graph_directed(g, nodes[0], nodes[1]) && graph_directed(g, nodes[2], nodes[1]));
        CHECK(graph_undirected(f->before, nodes[0], nodes[1]) ||
              graph_undirected(f->before, nodes[2], nodes[1]));
        break;
    case MEEK_OPPOSED:
        CHECK(graph_directed(g, nodes[1], nodes[0]));
        break;
    case MEEK_ABSENT:
        CHECK(!graph_adjacent(g, nodes[1], nodes[0]));
        break;
    case MEEK_NO_CONFLICT:
        fail_msg("a failure without a conflict");
        break;
    }
    CHECK(graph_equal_marks(f->g, f->before)); /* as it was */
}

/* Closes s and checks what holds for every graph: the directions found are shared by all consistent
 * extensions, a contradiction means that there are none, and closing again changes nothing. */
static void check_close(const small *s, fixture *f)
{
    small_extensions all = small_enumerate(s);
    small_store(f->g, s);
    graph_assign(f->before, f->g);
    if (meek_close(f->g, f->m) != SCONE_OK) {
        CHECK(all.count == 0);
        CHECK(f->m->conflict.required_count == 0);
        check_conflict(f);
        return;
    }
    check_reasons(f, true);
    small closed = small_load(f->g, s->n);
    for (size_t i = 0; i < s->n && all.count; i++) {
        for (size_t j = 0; j < s->n; j++) {
            if (small_directed(&closed, i, j)) CHECK(small_directed(&all.shared, i, j));
        }
    }
    CHECK_OK(meek_close(f->g, f->m));
    CHECK(f->m->count == 0);
    small again = small_load(f->g, s->n);
    CHECK(small_equal(&again, &closed));
}

/* Every partially directed graph of up to 4 nodes, and 2,000 random ones of up to 6. */
static void test_sound(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 4; n++) {
        fixture f = fixture_alloc(n);
        small s;
        for (size_t code = 0; small_from_code(&s, n, code, 4); code++) check_close(&s, &f);
        fixture_free(&f);
    }
    for (size_t k = 0; k < 3; k++) {
        fixture f = fixture_alloc(k == 2 ? SPREAD : 5 + k);
        rng r = rng_stream(1, RNG_TEST, k, 0, 0);
        for (int round = 0; round < 700; round++) {
            small s = small_random_pdag(&r, k ? 6 : 5);
            check_close(&s, &f);
        }
        for (size_t rule = MEEK_R1; rule <= MEEK_R4; rule++) CHECK(f.fired[rule] > 0);
        fixture_free(&f);
    }
}

static size_t list_directions(meek_edge *list, const graph *g, const small *s, const small *marks)
{
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->n; j++) {
            if (!small_directed(marks, i, j) || !small_undirected(s, i, j)) continue;
            size_t from = small_place(g, i), to = small_place(g, j);
            list[count++] = (meek_edge){(uint32_t)from, (uint32_t)to};
        }
    }
    return count;
}

/* The required directions that a conflict names are enough to bring a conflict about. */
static void check_named(fixture *f)
{
    meek_edge named[16];
    size_t count = f->m->conflict.required_count;
    CHECK(count > 0 && count <= 16);
    memcpy(named, f->m->conflict.required, count * sizeof *named);
    CHECK(meek_require(f->g, f->m, named, count) == SCONE_ERR_INPUT);
    CHECK(f->m->conflict.required_count <= count);
    check_conflict(f);
}

/* A CPDAG with knowledge (directions of `marks` for undirected edges of `cpdag`): the closure finds
 * exactly the directions shared by all consistent extensions, or a conflict if there are none. */
static bool check_knowledge(const small *cpdag, const small *marks, fixture *f, rng *r)
{
    meek_edge required[30];
    small_store(f->g, cpdag);
    graph_assign(f->before, f->g);
    size_t count = list_directions(required, f->g, cpdag, marks);
    small with = *cpdag;
    for (size_t i = 0; i < with.n; i++) {
        for (size_t j = 0; j < with.n; j++) {
            if (small_undirected(cpdag, i, j) && small_directed(marks, i, j)) {
                small_direct(&with, i, j);
            }
        }
    }
    for (size_t k = count; k > 1; k--) { /* the order of the list is of no importance */
        size_t other = rng_below(r, k);
        meek_edge swap = required[other];
        required[other] = required[k - 1];
        required[k - 1] = swap;
    }
    if (count) required[count] = required[0]; /* nor is a repetition */
    scone_status status = meek_require(f->g, f->m, required, count ? count + 1 : 0);
    /* Extensions have the v-structures of the CPDAG, not those that knowledge would add. */
    small_extensions all = small_enumerate(&with);
    bool possible = all.count > 0 && small_same_vstructures(&with, cpdag);
    CHECK((status == SCONE_OK) == possible);
    if (!possible) {
        check_conflict(f);
        check_named(f);
        return false;
    }
    check_reasons(f, true);
    small closed = small_load(f->g, cpdag->n);
    CHECK(small_equal(&closed, &all.shared));
    graph_assign(f->g, f->before); /* and the same one by one */
    for (size_t k = 0; k < count; k++) CHECK_OK(meek_require(f->g, f->m, &required[k], 1));
    closed = small_load(f->g, cpdag->n);
    CHECK(small_equal(&closed, &all.shared));
    return true;
}

/* Every CPDAG of up to 4 nodes with every assignment of directions to its undirected edges. */
static void test_complete_small(void **state)
{
    (void)state;
    static small dags[543];
    size_t possible = 0, impossible = 0;
    rng r = rng_stream(2, RNG_TEST, 0, 0, 0);
    for (size_t n = 2; n <= 4; n++) {
        fixture f = fixture_alloc(n);
        size_t count = small_dags(dags, n);
        for (size_t d = 0; d < count; d++) {
            small_store(f.replay, &dags[d]);
            CHECK(graph_cpdag(f.g, f.replay, f.work));
            small cpdag = small_load(f.g, n), marks;
            size_t first = 0; /* one DAG per class is enough */
            while (!small_same_skeleton(&dags[first], &dags[d]) ||
                   !small_same_vstructures(&dags[first], &dags[d])) {
                first++;
            }
            if (first != d) continue;
            for (size_t code = 0; small_from_code(&marks, n, code, 3); code++) {
                bool used = true; /* skip codes that differ only where the CPDAG is directed */
                for (size_t i = 0; i < n; i++) {
                    for (size_t j = 0; j < n; j++) {
                        used = used && (!marks.edge[i][j] || small_undirected(&cpdag, i, j));
                    }
                }
                if (!used) continue;
                *(check_knowledge(&cpdag, &marks, &f, &r) ? &possible : &impossible) += 1;
            }
        }
        fixture_free(&f);
    }
    CHECK(possible > 500 && impossible > 500);
}

/* Random CPDAGs of 6 nodes with knowledge taken from a member, partly turned round. */
static void test_complete_random(void **state)
{
    (void)state;
    static const size_t sizes[] = {6, SPREAD};
    for (size_t k = 0; k < 2; k++) {
        fixture f = fixture_alloc(sizes[k]);
        rng r = rng_stream(3, RNG_TEST, k, 0, 0);
        size_t possible = 0, impossible = 0;
        for (int round = 0; round < 2000; round++) {
            small dag = small_random_dag(&r, 6), marks = {.n = 6};
            small_store(f.replay, &dag);
            CHECK(graph_cpdag(f.g, f.replay, f.work));
            small cpdag = small_load(f.g, 6);
            double chance = rng_uniform(&r), wrong = round % 2 ? 0.0 : 0.2;
            for (size_t i = 0; i < 6; i++) {
                for (size_t j = 0; j < 6; j++) {
                    if (!dag.edge[i][j] || rng_uniform(&r) > chance) continue;
                    if (rng_uniform(&r) < wrong)
                        marks.edge[j][i] = 1;
                    else
                        marks.edge[i][j] = 1;
                }
            }
            bool worked = check_knowledge(&cpdag, &marks, &f, &r);
            *(worked ? &possible : &impossible) += 1;
            if (round % 2) CHECK(worked);
        }
        CHECK(possible > 1000 && impossible > 50);
        /* R3 rests on a v-structure, and knowledge makes no new one. */
        CHECK(f.fired[MEEK_REQUIRED] > 0 && f.fired[MEEK_R1] > 0 && f.fired[MEEK_R2] > 0);
        CHECK(f.fired[MEEK_R3] == 0 && f.fired[MEEK_R4] > 0);
        fixture_free(&f);
    }
}

/* Renaming the nodes renames the closure, and nothing else. */
static void test_order_independent(void **state)
{
    (void)state;
    fixture f = fixture_alloc(6);
    rng r = rng_stream(4, RNG_TEST, 0, 0, 0);
    size_t closed_count = 0;
    for (int round = 0; round < 1000; round++) {
        small s = small_random_pdag(&r, 6), renamed = {.n = 6}, expected = {.n = 6};
        size_t to[6];
        small_store(f.g, &s);
        bool works = meek_close(f.g, f.m) == SCONE_OK;
        small closed = small_load(f.g, 6);
        rng_permutation(&r, to, 6);
        for (size_t i = 0; i < 6; i++) {
            for (size_t j = 0; j < 6; j++) {
                renamed.edge[to[i]][to[j]] = s.edge[i][j];
                expected.edge[to[i]][to[j]] = closed.edge[i][j];
            }
        }
        small_store(f.g, &renamed);
        CHECK((meek_close(f.g, f.m) == SCONE_OK) == works);
        small found = small_load(f.g, 6);
        CHECK(small_equal(&found, &expected));
        closed_count += works && !small_equal(&closed, &s);
    }
    CHECK(closed_count > 50);
    fixture_free(&f);
}

static void check_reason(const meek *m, size_t number, meek_reason expected)
{
    const meek_reason *found = &m->reasons[number];
    CHECK(number < m->count);
    CHECK(found->rule == expected.rule && found->from == expected.from && found->to == expected.to);
    CHECK(found->first == expected.first && found->second == expected.second);
}

/* The figures of Meek's rules, node by node. */
static void test_figures(void **state)
{
    (void)state;
    fixture f = fixture_alloc(4);
    graph *g = f.g;
    graph_direct(g, 2, 0); /* R1: c=2 -> a=0 - b=1 */
    graph_undirect(g, 0, 1);
    CHECK_OK(meek_close(g, f.m));
    CHECK(f.m->count == 1);
    check_reason(f.m, 0, (meek_reason){MEEK_R1, 0, 1, 2, MEEK_NO_NODE});

    small_store(g, &(small){.n = 4});
    graph_direct(g, 0, 2); /* R2: a=0 -> c=2 -> b=1 */
    graph_direct(g, 2, 1);
    graph_undirect(g, 0, 1);
    CHECK_OK(meek_close(g, f.m));
    CHECK(f.m->count == 1);
    check_reason(f.m, 0, (meek_reason){MEEK_R2, 0, 1, 2, MEEK_NO_NODE});

    small_store(g, &(small){.n = 4});
    graph_direct(g, 2, 1); /* R3: c=2, d=3 -> b=1, a=0 joined to all */
    graph_direct(g, 3, 1);
    for (size_t v = 1; v < 4; v++) graph_undirect(g, 0, v);
    CHECK_OK(meek_close(g, f.m));
    CHECK(f.m->count == 1);
    check_reason(f.m, 0, (meek_reason){MEEK_R3, 0, 1, 2, 3});

    small_store(g, &(small){.n = 4});
    graph_direct(g, 3, 2); /* R4: d=3 -> c=2 -> b=1, a=0 joined to all */
    graph_direct(g, 2, 1);
    for (size_t v = 1; v < 4; v++) graph_undirect(g, 0, v);
    CHECK_OK(meek_close(g, f.m));
    CHECK(f.m->count == 1);
    check_reason(f.m, 0, (meek_reason){MEEK_R4, 0, 1, 2, 3});
    fixture_free(&f);
}

/* Reasons that do not hold are told apart, premise by premise. */
static void test_reason_holds(void **state)
{
    (void)state;
    fixture f = fixture_alloc(4);
    graph *g = f.g;
    graph_direct(g, 3, 2);
    graph_direct(g, 2, 1);
    for (size_t v = 1; v < 4; v++) graph_undirect(g, 0, v);
    meek_reason r4 = {MEEK_R4, 0, 1, 2, 3};
    CHECK(meek_reason_holds(g, &r4));
    const meek_reason wrong[] = {
        {MEEK_R4, 1, 0, 2, 3}, {MEEK_R4, 0, 1, 3, 2},       {MEEK_R3, 0, 1, 2, 3},
        {MEEK_R1, 0, 1, 3, 3}, {MEEK_R2, 0, 1, 2, 3},       {MEEK_R4, 0, 1, 2, 2},
        {MEEK_R4, 0, 1, 2, 9}, {MEEK_R4, 0, 1, 9, 3},       {MEEK_R4, 9, 1, 2, 3},
        {MEEK_R1, 0, 1, 9, 9}, {MEEK_REQUIRED, 3, 2, 0, 0}, {(meek_rule)7, 0, 1, 2, 3},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!meek_reason_holds(g, &wrong[i]));
    }
    graph_undirect(g, 1, 3); /* b and d must not be adjacent */
    CHECK(!meek_reason_holds(g, &r4));
    graph_remove(g, 1, 3);
    graph_remove(g, 0, 2); /* a and c must be */
    CHECK(!meek_reason_holds(g, &r4));
    fixture_free(&f);
}

/* The message of each kind of conflict names the edges and the knowledge behind it. */
static void test_messages(void **state)
{
    (void)state;
    static const char *const names[] = {"rain", "wet", "sun", "dry", "left", "right"};
    scone_graph *g;
    meek *m;
    CHECK_OK(scone_graph_alloc(&g, 6, names));
    CHECK_OK(meek_alloc(&m, 6));
    graph_undirect(g, 0, 1);
    graph_undirect(g, 1, 2);
    graph_undirect(g, 4, 5);
    meek_edge chain[] = {{4, 5}, {2, 1}, {0, 1}}; /* left -> right is innocent */
    CHECK_FAILS(meek_require(g, m, chain, 3), SCONE_ERR_INPUT,
                "rain -> wet and sun -> wet make a v-structure that the graph does not have; this "
                "follows from the required directions rain -> wet, sun -> wet: drop one");
    CHECK(m->conflict.kind == MEEK_COLLIDER && m->conflict.required_count == 2);
    CHECK_FAILS(meek_require(g, m, &(meek_edge){0, 3}, 1), SCONE_ERR_INPUT,
                "rain -> dry is required, but there is no edge between dry and rain");
    CHECK(m->conflict.kind == MEEK_ABSENT);
    CHECK_FAILS(meek_require(g, m, &(meek_edge){2, 2}, 1), SCONE_ERR_INPUT, "no edge between sun");
    CHECK_FAILS(meek_require(g, m, &(meek_edge){0, 6}, 1), SCONE_ERR_USAGE, "direction 1 names");
    CHECK_OK(meek_require(g, m, &(meek_edge){0, 1}, 1));
    CHECK(m->count == 2 && graph_directed(g, 1, 2));
    CHECK_OK(meek_require(g, m, &(meek_edge){1, 2}, 1)); /* known already */
    CHECK(m->count == 0);
    CHECK_FAILS(meek_require(g, m, &(meek_edge){2, 1}, 1), SCONE_ERR_INPUT,
                "sun -> wet is required, but the graph has wet -> sun; this follows from the "
                "required directions sun -> wet: drop it");
    graph_undirect(g, 0, 1);
    graph_undirect(g, 1, 2);
    graph_undirect(g, 0, 2);
    meek_edge round_trip[] = {{0, 1}, {1, 2}, {2, 0}, {5, 4}};
    CHECK_FAILS(meek_require(g, m, round_trip, 4), SCONE_ERR_INPUT,
                "the directions rain -> wet -> sun -> rain form a cycle");
    CHECK(m->conflict.kind == MEEK_CYCLE && m->conflict.required_count == 3);
    for (size_t i = 0; i < 3; i++) graph_direct(g, i, (i + 1) % 3);
    CHECK_FAILS(meek_close(g, m), SCONE_ERR_INPUT, "form a cycle; no DAG has all edges");
    meek_free(m);
    scone_graph_free(g);
}

/* Long lists are cut, whatever the names. */
static void test_long_message(void **state)
{
    (void)state;
    enum { LENGTH = 40 };
    char text[LENGTH][200];
    const char *names[LENGTH];
    for (size_t i = 0; i < LENGTH; i++) {
        memset(text[i], 'a' + (int)(i % 26), sizeof text[i]);
        text[i][199] = '\0';
        names[i] = text[i];
    }
    scone_graph *g;
    meek *m;
    CHECK_OK(scone_graph_alloc(&g, LENGTH, names));
    CHECK_OK(meek_alloc(&m, LENGTH));
    meek_edge required[LENGTH];
    for (size_t i = 0; i < LENGTH; i++) {
        for (size_t j = 0; j < i; j++) graph_undirect(g, i, j);
        required[i] = (meek_edge){(uint32_t)i, (uint32_t)((i + 1) % LENGTH)};
    }
    CHECK_FAILS(meek_require(g, m, required, LENGTH), SCONE_ERR_INPUT, "form a cycle");
    CHECK(graph_count_undirected(g) == LENGTH * (LENGTH - 1) / 2);
    CHECK(m->conflict.required_count > 0);
    scone_graph_free(g);
    meek_free(m);
    CHECK_FAILS(meek_alloc(&m, SIZE_MAX / 2), SCONE_ERR_MEMORY, "out of memory");
    meek_free(m); /* NULL */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),           cmocka_unit_test(test_complete_small),
        cmocka_unit_test(test_complete_random), cmocka_unit_test(test_order_independent),
        cmocka_unit_test(test_figures),         cmocka_unit_test(test_reason_holds),
        cmocka_unit_test(test_messages),        cmocka_unit_test(test_long_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
