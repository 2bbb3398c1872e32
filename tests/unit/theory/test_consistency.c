/* test_consistency.c - graphs from data against what can be known: the tests of independence, the
 * way from answers to a graph, the bound on coverage, whole runs. */
#include "testing.h"

#include "base/rng.h"
#include "theory/consistency.h"
#include "stats/independence.h"

#include <stdlib.h>

/* ---- independence ---- */

static scone_table *filled(size_t rows, size_t columns, uint64_t seed)
{
    scone_table *t;
    rng r = rng_stream(seed, RNG_TEST, 0, 0, 0);
    CHECK_OK(table_alloc(&t, rows, columns, NULL));
    for (size_t i = 0; i < rows * columns; i++) t->values[i] = rng_normal(&r);
    return t;
}

static double correlation(const double *x, const double *y, size_t n)
{
    double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0, m = (double)n;
    for (size_t i = 0; i < n; i++) {
        sx += x[i];
        sy += y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
    }
    return (xy - sx * sy / m) / sqrt((xx - sx * sx / m) * (yy - sy * sy / m));
}

/* Partial correlation by its recursion formula, and as regression gives it. */
static void test_partial_correlation(void **state)
{
    (void)state;
    enum { ROWS = 83 };
    scone_table *t = filled(ROWS, 3, 1);
    double *a = table_column(t, 0), *b = table_column(t, 1), *c = table_column(t, 2);
    for (size_t i = 0; i < ROWS; i++) {
        a[i] = 3.0 + 0.7 * c[i] + a[i];
        b[i] = 100.0 * (b[i] - 0.4 * c[i] + 0.3 * a[i]);
    }
    double ab = correlation(a, b, ROWS), ac = correlation(a, c, ROWS), bc = correlation(b, c, ROWS);
    double r = (ab - ac * bc) / sqrt((1.0 - ac * ac) * (1.0 - bc * bc));
    independence *test;
    CHECK_OK(independence_alloc(&test, t, true));
    CHECK_OK(independence_given(test, 4));
    independence_result result = independence_of(test, 0, 1);
    CHECK_NEAR(result.statistic, r * r / (1.0 - r * r) * (ROWS - 3.0), 1e-6);
    CHECK_NEAR(result.rest, ROWS - 3.0, 0.0);
    CHECK_OK(independence_given(test, 0));
    result = independence_of(test, 1, 0);
    CHECK_NEAR(result.statistic, ab * ab / (1.0 - ab * ab) * (ROWS - 2.0), 1e-6);
    independence_free(test);
    scone_table_free(t);
}

/* Rejections at 0.05 of "a and b are independent given c" when b depends on a by `strength` a^2. */
static int rejections(int tables, size_t rows, double strength, uint32_t given, bool linear)
{
    int rejected = 0;
    for (int k = 0; k < tables; k++) {
        scone_table *t = filled(rows, 3, (uint64_t)(100 + k));
        double *a = table_column(t, 0), *b = table_column(t, 1), *c = table_column(t, 2);
        independence *test;
        for (size_t i = 0; i < rows; i++) {
            a[i] = sin(2.0 * c[i]) + 0.5 * a[i];
            b[i] = c[i] * c[i] + c[i] + (0.3 + 0.3 * fabs(c[i])) * b[i] + strength * a[i] * a[i];
        }
        CHECK_OK(independence_alloc(&test, t, linear));
        CHECK_OK(independence_given(test, given));
        independence_result result = independence_of(test, 0, 1);
        rejected += independence_log_p(&result) <= log(0.05);
        independence_free(test);
        scone_table_free(t);
    }
    return rejected;
}

static void test_generalised_covariance(void **state)
{
    (void)state;
    int level = rejections(400, 400, 0.0, 4, false);
    if (level < 8 || level > 36) fail_msg("%d of 400 rejected at level 0.05", level);
    CHECK(rejections(50, 400, 0.5, 4, false) >= 48); /* a U-shaped effect */
    CHECK(rejections(50, 400, 0.0, 0, false) >= 48); /* c left out */
}

static void test_independence_refused(void **state)
{
    (void)state;
    scone_table *many = filled(30, INDEPENDENCE_MOST_COLUMNS + 1, 1), *few = filled(12, 3, 1);
    independence *test;
    CHECK_FAILS(independence_alloc(&test, many, true), SCONE_ERR_INPUT, "at most 8 columns");
    assert_null(test);
    CHECK_OK(independence_alloc(&test, few, false));
    CHECK_FAILS(independence_given(test, 4), SCONE_ERR_INPUT, "12 rows are too few");
    independence_free(test);
    /* a constant column, and one that another determines */
    scone_table *t = filled(100, 3, 2);
    for (size_t i = 0; i < 100; i++) {
        table_column(t, 1)[i] = 7.0;
        table_column(t, 2)[i] = 2.0 * table_column(t, 0)[i] + 1.0;
    }
    for (int linear = 0; linear < 2; linear++) {
        CHECK_OK(independence_alloc(&test, t, linear));
        CHECK_OK(independence_given(test, 0));
        independence_result none = independence_of(test, 0, 1), all = independence_of(test, 0, 2);
        CHECK(independence_log_p(&none) > -1e-3);
        CHECK(independence_log_p(&all) < -20.0);
        CHECK_OK(independence_given(test, 6));
        independence_free(test);
    }
    scone_table_free(many);
    scone_table_free(few);
    scone_table_free(t);
}

/* ---- from answers to a graph ---- */

/* With the population's answers and all subsets the graph is G_test, for every DAG
 * and target set. */
static void check_population(int count, int size)
{
    markov_class *classes;
    size_t class_count, cases = 0;
    study *s;
    consistency_answers *known = malloc(sizeof *known);
    CHECK_OK(classes_list(&classes, &class_count, count));
    CHECK_OK(study_alloc(&s, count, size));
    for (size_t c = 0; c < class_count; c++) {
        CHECK_OK(study_class(s, classes[c].code));
        for (size_t first = 0, end; first < s->case_count; first = end) {
            estimands e;
            study_group(&e, &end, s, first);
            const study_case *one = &s->cases[first];
            local_graph h_obs, found;
            consistency_know(known, &s->members[one->member], count, one->targets, (size_t)size);
            consistency_graph(&h_obs, &found, known, consistency_all_subsets(count, (size_t)size));
            directions d = directions_of(&found, count);
            CHECK(pdag_equal(&h_obs, &s->cpdag, count));
            assert_memory_equal(&d, &e.g_test, sizeof d);
            cases++;
        }
    }
    CHECK(cases > 30);
    study_free(s);
    mem_free(classes);
    free(known);
}

static void test_population(void **state)
{
    (void)state;
    check_population(3, 2);
    check_population(4, 2);
    check_population(4, 3);
}

/* A -> B with the target B: Inv(A) and Chg(B) direct it; a wrong or missing answer does not. */
static void test_answers(void **state)
{
    (void)state;
    local_graph dag = {.children = {0}}, h_obs, found;
    consistency_answers *a = malloc(sizeof *a);
    pdag_direct(&dag, 0, 1);
    pdag_direct(&dag, 1, 2);
    consistency_know(a, &dag, 3, 2, 2);
    subset_family all = consistency_all_subsets(3, 2);
    assert_int_equal(all, 1 << 3 | 1 << 5 | 1 << 6);
    CHECK(consistency_tested(all, 0, 2) && !consistency_tested(all, 0, 6));
    CHECK(!consistency_tested(1 << 3, 2, 0));
    consistency_graph(&h_obs, &found, a, all);
    CHECK(pdag_undirected(&h_obs, 0, 1) && pdag_directed(&found, 0, 1));
    CHECK(pdag_directed(&found, 1, 2));
    consistency_graph(&h_obs, &found, a, 1 << 6); /* A is in no subset: SCR alone, B -> C */
    CHECK(pdag_directed(&found, 1, 2) && pdag_undirected(&found, 0, 1));
    a->literals[0][0] = LITERAL_CHANGED;
    a->literals[0][2] = LITERAL_CHANGED;
    a->literals[2][2] = LITERAL_CHANGED;
    consistency_graph(&h_obs, &found, a, all);
    CHECK(pdag_equal(&h_obs, &found, 3));
    a->independent[2][0][2][2] = -2.0; /* A and C look dependent given B: all adjacent */
    consistency_graph(&h_obs, &found, a, all);
    CHECK(pdag_undirected(&h_obs, 0, 2));
    free(a);
}

/* ---- the bound ---- */

static void test_bound(void **state)
{
    (void)state;
    CHECK_NEAR(consistency_tail(3, 2, 0.25), 0.421875 + 0.421875, 1e-15);
    CHECK_NEAR(consistency_tail(2, 3, 0.25), 1.0, 1e-15);
    CHECK_NEAR(consistency_bound(2, 1, 0.75), 0.75, 1e-15); /* 4 pi (1 - pi) */
    CHECK_NEAR(consistency_bound(8, 4, 0.5), 1.0, 1e-15);
    CHECK_NEAR(consistency_bound(8, 4, 1.0), 0.0, 0.0);
    for (size_t t = 1; t <= 40; t++) {
        for (size_t r = 1; r <= t; r++) {
            for (double mass = 0.01; mass < 1.0; mass += 0.03) {
                if ((double)r > mass * (double)t) continue;
                CHECK(consistency_tail(t, r, mass) <= consistency_bound(t, r, mass) * (1 + 1e-12));
            }
        }
    }
    /* The lemma is stated for every r. It does not hold for r / T > pi. */
    CHECK(consistency_tail(2, 2, 0.1) > 0.98 && consistency_bound(2, 2, 0.1) < 0.02);
}

/* ---- runs ---- */

static scone_consistency *ran(const scone_consistency_options *o, int threads)
{
    scone_consistency *r;
    scone_context context = {.threads = threads};
    CHECK_OK(scone_consistency_run(&r, o, &context));
    return r;
}

static void test_curves(void **state)
{
    (void)state;
    for (int linear = 0; linear < 2; linear++) {
        scone_consistency_options o = {.nodes = 4,
                                       .rows = {100, 3000},
                                       .row_count = 2,
                                       .subsets = {1, 3, 20},
                                       .subset_count = 3,
                                       .count = 8,
                                       .families = linear ? SCONE_LINEAR : SCONE_SIGMOID,
                                       .seed = 5};
        scone_consistency *r = ran(&o, 2);
        const scone_consistency_point *p = scone_consistency_point_get(r, 0);
        assert_int_equal(scone_consistency_points(r), 5);
        CHECK(p[0].rows == 100 && p[0].subsets == 0 && p[2].rows == 3000 && p[2].subsets == 1);
        CHECK(p[1].equal > p[0].equal && p[1].equal >= 6);
        CHECK(p[1].literal_right > p[0].literal_right && p[1].false_changes <= 2);
        CHECK_NEAR(p[1].share, (double)p[1].equal / 8.0, 0.0);
        assert_int_equal(p[0].literals, 8 * 4 * (1 + 3 + 3));
        assert_int_equal(p[0].equal_known, 8);
        CHECK(p[2].equal_known < p[4].equal_known && p[4].equal_known == 8);
        CHECK(p[2].equal <= p[4].equal && p[2].literals == 8 * 3 * 4);
        /* independent draws are what the sampler does for its first subset */
        const scone_consistency_coverage *c = scone_consistency_coverage_get(r, 0);
        CHECK(c->subsets == 1 && c->hits == 1 && c->directions > 8);
        CHECK_NEAR(c->measured, c->independent, 0.04);
        for (size_t i = 0; i < scone_consistency_coverages(r); i++) {
            CHECK(c[i].independent <= c[i].bound + 1e-9);
        }
        scone_consistency_free(r);
    }
}

static void test_threads(void **state)
{
    (void)state;
    scone_consistency_options o = {.nodes = 5,
                                   .rows = {120},
                                   .row_count = 1,
                                   .count = 6,
                                   .restarts = 10,
                                   .families = SCONE_POLYNOMIAL | SCONE_NN_ADD,
                                   .seed = 9};
    scone_consistency *one = ran(&o, 1), *three = ran(&o, 3);
    assert_memory_equal(one, three, sizeof *one);
    o.seed = 10;
    scone_consistency *other = ran(&o, 1);
    CHECK(memcmp(one->point, other->point, sizeof one->point) != 0);
    scone_consistency_free(one);
    scone_consistency_free(three);
    scone_consistency_free(other);
}

static void test_refused(void **state)
{
    (void)state;
    scone_consistency *r;
    scone_consistency_options nodes = {.nodes = 7}, size = {.nodes = 3, .subset_size = 4};
    scone_consistency_options falling = {.rows = {200, 100}, .row_count = 2};
    scone_consistency_options many = {.row_count = 17}, family = {.families = 64};
    scone_consistency_options none = {.subsets = {0}, .subset_count = 1};
    CHECK_FAILS(scone_consistency_run(&r, &nodes, NULL), SCONE_ERR_INPUT, "3 to 6 nodes");
    CHECK_FAILS(scone_consistency_run(&r, &size, NULL), SCONE_ERR_INPUT, "subsets of 4");
    CHECK_FAILS(scone_consistency_run(&r, &falling, NULL), SCONE_ERR_INPUT, "must rise");
    CHECK_FAILS(scone_consistency_run(&r, &many, NULL), SCONE_ERR_INPUT, "at most 16");
    CHECK_FAILS(scone_consistency_run(&r, &none, NULL), SCONE_ERR_INPUT, "from 1 on");
    CHECK_FAILS(scone_consistency_run(&r, &family, NULL), SCONE_ERR_INPUT, "family");
    assert_null(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partial_correlation),
        cmocka_unit_test(test_generalised_covariance),
        cmocka_unit_test(test_independence_refused),
        cmocka_unit_test(test_population),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
