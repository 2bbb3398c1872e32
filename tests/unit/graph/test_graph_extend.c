/* test_graph_extend.c - consistent extensions against exhaustive enumeration. */
#include "testing.h"
#include "graph_oracle.h"

#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"
#include "graph/graph_order.h"

typedef struct fixture {
    graph *g, *dag;
    graph_work *work;
    meek *m;
} fixture;

static fixture fixture_alloc(size_t nodes)
{
    fixture f;
    CHECK_OK(graph_alloc(&f.g, nodes));
    CHECK_OK(graph_alloc(&f.dag, nodes));
    CHECK_OK(graph_work_alloc(&f.work, nodes));
    CHECK_OK(meek_alloc(&f.m, nodes));
    return f;
}

static void fixture_free(fixture *f)
{
    meek_free(f->m);
    graph_work_free(f->work);
    scone_graph_free(f->dag);
    scone_graph_free(f->g);
}

typedef struct collected {
    const small *s;
    small *found; /* all that were visited */
    size_t count, stop;
} collected;

enum { MOST = 720 }; /* a complete graph of 6 nodes */

static bool collect(void *user, const graph *dag)
{
    collected *c = user;
    CHECK(c->count < MOST);
    small s = small_load(dag, c->s->n);
    CHECK(small_extends(&s, c->s));
    for (size_t k = 0; k < c->count; k++) CHECK(!small_equal(&c->found[k], &s));
    c->found[c->count++] = s;
    return c->count != c->stop;
}

/* Dor and Tarsi succeed exactly if the exhaustive enumeration finds something, and find one of
 * these; the visitor gets each of them once. Returns how many there are. */
static size_t check_extensions(const small *s, fixture *f)
{
    static small found[MOST];
    small_extensions all = small_enumerate(s);
    small_store(f->g, s);
    bool extends = graph_extend(f->dag, f->g, f->work);
    CHECK(extends == (all.count > 0));
    if (extends) {
        small dag = small_load(f->dag, s->n);
        CHECK(small_extends(&dag, s));
    }
    size_t count = SIZE_MAX;
    collected c = {s, found, 0, 0};
    CHECK_OK(graph_extensions(&count, f->g, collect, &c, f->dag, f->m));
    CHECK(count == all.count && c.count == all.count);
    CHECK_OK(graph_extensions(&count, f->g, NULL, NULL, f->dag, f->m));
    CHECK(count == all.count);
    small unchanged = small_load(f->g, s->n);
    CHECK(small_equal(&unchanged, s));
    return all.count;
}

/* Every partially directed graph of up to 4 nodes. */
static void test_all_small(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 4; n++) {
        fixture f = fixture_alloc(n);
        small s;
        for (size_t code = 0; small_from_code(&s, n, code, 4); code++) check_extensions(&s, &f);
        fixture_free(&f);
    }
}

static void test_random(void **state)
{
    (void)state;
    size_t with = 0, without = 0;
    for (size_t k = 0; k < 2; k++) {
        rng r = rng_stream(1, RNG_TEST, k, 0, 0);
        fixture f = fixture_alloc(k ? SPREAD : 6);
        for (int round = 0; round < 1000; round++) {
            small s = small_random_pdag(&r, k ? 6 : 5 + rng_below(&r, 2));
            fixture five = {0};
            if (s.n == 5) five = fixture_alloc(5);
            size_t count = check_extensions(&s, s.n == 5 ? &five : &f);
            *(count ? &with : &without) += 1;
            if (s.n == 5) fixture_free(&five);
        }
        fixture_free(&f);
    }
    CHECK(with > 200 && without > 200);
}

/* Graphs that have an extension by construction: a DAG with some directions forgotten, but none of
 * a v-structure. */
static void test_forgotten(void **state)
{
    (void)state;
    fixture f = fixture_alloc(6);
    rng r = rng_stream(2, RNG_TEST, 0, 0, 0);
    for (int round = 0; round < 500; round++) {
        small dag = small_random_dag(&r, 6), s = dag;
        for (size_t i = 0; i < 6; i++) {
            for (size_t j = 0; j < 6; j++) {
                bool keep = !dag.edge[i][j] || rng_uniform(&r) < 0.3;
                for (size_t c = 0; c < 6; c++) keep = keep || small_vstructure(&dag, i, j, c);
                if (!keep) s.edge[j][i] = 1;
            }
        }
        CHECK(check_extensions(&s, &f) > 0);
    }
    fixture_free(&f);
}

static void test_stop(void **state)
{
    (void)state;
    small found[MOST], s = {.n = 4};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) s.edge[i][j] = i != j;
    }
    fixture f = fixture_alloc(4);
    CHECK(check_extensions(&s, &f) == 24);
    collected c = {&s, found, 0, 5};
    size_t count;
    CHECK_OK(graph_extensions(&count, f.g, collect, &c, f.dag, f.m));
    CHECK(count == 5 && c.count == 5);
    CHECK_OK(graph_extensions(NULL, f.g, collect, &(collected){&s, found, 0, 0}, f.dag, f.m));
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_small),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
