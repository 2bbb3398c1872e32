/* test_discover.c - from two tables to a result: every preset, whatever the order of the columns,
 * the threads and the quality of the data; knowledge; what is refused. */
#include "discovery.h"
#include "learned_data.h"

#include "discover/result.h"

enum { NODES = 8 };

static scone_result *discover(const scone_pair *pair, const char *method, int threads)
{
    const scone_discover_options options = {
        .preset = method, .model = learned_file(method), .effort = SCONE_EFFORT_FAST, .seed = 4};
    const scone_context context = {.threads = threads};
    scone_result *r;
    CHECK_OK(scone_discover(&r, pair, &options, &context));
    check_result(r);
    return r;
}

/* ---- names ---- */

static void test_names(void **state)
{
    (void)state;
    const preset *found, *first;
    CHECK_OK(preset_find(&first, NULL));
    assert_string_equal(first->name, scone_preset_names()[0]);
    size_t presets = 0, methods = 0, offered = 0;
    for (const char *const *name = scone_preset_names(); *name; name++, presets++) {
        CHECK_OK(preset_find(&found, *name));
        CHECK(!found->trivial);
    }
    for (const char *const *name = scone_method_names(); *name; name++, methods++) {
        CHECK_OK(preset_find(&found, *name));
        assert_string_equal(found->name, *name);
        offered += !found->trivial;
    }
    CHECK(offered == presets && methods > presets);
    CHECK_FAILS(preset_find(&found, "gess"), SCONE_ERR_INPUT, "no preset 'gess'; use one of");
}

/* ---- the same result ---- */

static void test_order_and_threads(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(NODES, 400, 21);
    const scone_pair *pair = scone_problem_pair(problem);
    size_t order[NODES];
    rng r = rng_stream(9, RNG_TEST, 0, 0, 0);
    for (const char *const *name = scone_method_names(); *name; name++) {
        scone_result *first = discover(pair, *name, 1);
        assert_string_equal(scone_result_name(first, 3), "X3");
        for (int threads = 2; threads <= 4; threads += 2) {
            rng_permutation(&r, order, NODES);
            scone_pair *moved = rearrange(pair, order, NULL);
            scone_result *again = discover(moved, *name, threads);
            check_same_result(first, again);
            CHECK(strcmp(scone_result_name(again, 0), moved->tables[0]->names[0]) == 0);
            scone_result_free(again);
            scone_pair_free(moved);
        }
        /* "paper" has the stage of its aggregates too; its ablations have it instead of rules */
        CHECK(scone_result_stages(first) == (strcmp(*name, "paper") == 0 ? 7 : 6));
        assert_string_equal(scone_result_stage(first, 1)->name, "check");
        assert_string_equal(scone_result_stage(first, 2)->name, "learn");
        scone_result_free(first);
    }
    scone_problem_free(problem);
}

/* Scale and offset are units: the graph does not depend on them. */
static void test_units(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(NODES, 500, 22);
    const scone_pair *pair = scone_problem_pair(problem);
    for (const char *const *name = scone_preset_names(); *name; name++) {
        if (scone_preset_learned(*name)) continue; /* it sees slopes in the units of the tables */
        scone_result *before = discover(pair, *name, 1);
        CHECK(scone_result_edges(before) > 0);
        for (int regime = 0; regime < 2; regime++) {
            scone_table *t = pair->tables[regime];
            for (size_t c = 0; c < t->rows * t->columns; c++) {
                t->values[c] = (c / t->rows) % 2 ? t->values[c] * 0x1p20 : t->values[c] + 1e6;
            }
        }
        scone_result *after = discover(pair, *name, 1);
        for (size_t i = 0; i < NODES; i++) {
            for (size_t j = i + 1; j < NODES; j++) {
                CHECK(scone_graph_mark(scone_result_graph(before), i, j) ==
                      scone_graph_mark(scone_result_graph(after), i, j));
            }
        }
        scone_result_free(before);
        scone_result_free(after);
    }
    scone_problem_free(problem);
}

/* ---- bad data ---- */

static bool warns(const scone_result *r, const char *text)
{
    for (size_t w = 0; w < scone_result_warnings(r); w++) {
        if (strstr(scone_result_warning(r, w), text)) return true;
    }
    return false;
}

static const scone_target *target_of(const scone_result *r, size_t variable)
{
    for (size_t t = 0; t < scone_result_variables(r); t++) {
        if (scone_result_target(r, t)->variable == variable) return scone_result_target(r, t);
    }
    return NULL;
}

static void test_constant_columns(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(NODES, 300, 23);
    const scone_pair *pair = scone_problem_pair(problem);
    for (int regime = 0; regime < 2; regime++) {
        for (size_t i = 0; i < 300; i++) {
            table_column(pair->tables[regime], 2)[i] = 7.0;
            table_column(pair->tables[regime], 5)[i] = regime ? 1.0 : 0.0;
        }
    }
    for (const char *const *name = scone_method_names(); *name; name++) {
        scone_result *r = discover(pair, *name, 1);
        CHECK(warns(r, "column X2: constant, so without edges"));
        CHECK(warns(r, "column X5: constant within each table"));
        for (size_t j = 0; j < NODES; j++) {
            CHECK(j == 2 || scone_graph_mark(scone_result_graph(r), 2, j) == SCONE_MARK_NONE);
            CHECK(j == 5 || scone_graph_mark(scone_result_graph(r), 5, j) == SCONE_MARK_NONE);
        }
        CHECK(!target_of(r, 2)->target && target_of(r, 2)->p_value == 1.0);
        CHECK(target_of(r, 5)->target); /* it did change */
        scone_result_free(r);
    }
    scone_problem_free(problem);
}

static void test_same_table_twice(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(NODES, 300, 24);
    const scone_pair *pair = scone_problem_pair(problem);
    memcpy(pair->tables[1]->values, pair->tables[0]->values, 300 * NODES * sizeof(double));
    for (const char *const *name = scone_preset_names(); *name; name++) {
        scone_result *r = discover(pair, *name, 1);
        CHECK(warns(r, "both tables are the same"));
        for (size_t t = 0; t < NODES; t++) CHECK(!scone_result_target(r, t)->target);
        scone_result_free(r);
    }
    scone_problem_free(problem);
}

/* Fills a column with one kind of trouble. */
static void draw_column(double *x, size_t rows, size_t kind, const double *other, rng *r)
{
    for (size_t i = 0; i < rows; i++) {
        double z = rng_normal(r);
        switch (kind) {
        case 0:
            x[i] = z;
            break;
        case 1:
            x[i] = 3.0; /* constant */
            break;
        case 2:
            x[i] = other ? other[i] : z; /* a copy */
            break;
        case 3:
            x[i] = other ? -2.0 * other[i] + 5.0 : z; /* collinear */
            break;
        case 4:
            x[i] = (double)rng_below(r, 3); /* discrete */
            break;
        case 5:
            x[i] = z / rng_normal(r); /* Cauchy */
            break;
        case 6:
            x[i] = z * 1e-200;
            break;
        case 7:
            x[i] = z * 1e150 + 1e155;
            break;
        default:
            x[i] = i == 0 ? 1e300 : 0.0; /* one cell */
        }
    }
}

static void test_random_tables(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 150; round++) {
        rng r = rng_stream(31, RNG_TEST, round, 0, 0);
        size_t columns = 1 + rng_below(&r, 7), kinds[8];
        scone_table *tables[2];
        scone_pair *pair;
        for (size_t j = 0; j < columns; j++) kinds[j] = rng_below(&r, 9);
        for (int regime = 0; regime < 2; regime++) {
            size_t rows = 2 + rng_below(&r, round % 3 ? 6 : 60);
            CHECK_OK(table_alloc(&tables[regime], rows, columns, NULL));
            for (size_t j = 0; j < columns; j++) {
                const double *other = j ? table_column(tables[regime], rng_below(&r, j)) : NULL;
                draw_column(table_column(tables[regime], j), rows, kinds[j], other, &r);
            }
        }
        CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
        for (const char *const *name = scone_method_names(); *name; name++) {
            scone_result_free(discover(pair, *name, 1));
        }
        scone_pair_free(pair);
    }
}

/* ---- knowledge ---- */

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL);
    CHECK(fputs(text, stream) >= 0);
    CHECK(fclose(stream) == 0);
}

static void test_knowledge(void **state)
{
    (void)state;
    static const char path[] = "test_pipeline_knowledge.txt";
    scone_problem *problem = draw_problem(NODES, 300, 25);
    const scone_pair *pair = scone_problem_pair(problem);
    write_text(path, "X7 -> X0\nX1 !-> X2\nX2 !-> X1\n# order\ntier 1: X7\ntier 2: X3 X4\n"
                     "target X6\nnot-target X5\n");
    for (const char *const *name = scone_preset_names(); *name; name++) {
        const scone_discover_options options = {.preset = *name,
                                                .model = learned_file(*name),
                                                .effort = SCONE_EFFORT_FAST,
                                                .knowledge = path,
                                                .alpha = 0.9};
        scone_result *r;
        CHECK_OK(scone_discover(&r, pair, &options, NULL));
        check_result(r);
        const scone_graph *g = scone_result_graph(r);
        CHECK(scone_graph_mark(g, 7, 0) == SCONE_MARK_FORWARD);
        CHECK_SAME(scone_result_probability(r, 7, 0), 1.0);
        CHECK(scone_graph_mark(g, 1, 2) == SCONE_MARK_NONE);
        for (size_t later = 3; later <= 4; later++) {
            scone_mark mark = scone_graph_mark(g, later, 7);
            CHECK(mark == SCONE_MARK_NONE || mark == SCONE_MARK_BACKWARD);
        }
        CHECK(target_of(r, 6)->target && !target_of(r, 5)->target);
        bool told = false;
        for (size_t e = 0; e < scone_result_edges(r); e++) {
            const scone_edge *edge = scone_result_edge(r, e);
            if (edge->source == 7 && edge->target == 0) {
                assert_string_equal(edge->why, "knowledge line 1");
                told = true;
            }
        }
        CHECK(told);
        scone_result_free(r);
    }
    scone_result *r;
    scone_discover_options options = {.preset = "search", .knowledge = path};
    write_text(path, "\nX0 -> X1\nX1 -> X0\n");
    CHECK_FAILS(scone_discover(&r, pair, &options, NULL), SCONE_ERR_INPUT,
                "test_pipeline_knowledge.txt: lines 2 and 3 require a cycle");
    CHECK(r == NULL);
    write_text(path, "X0 -> X8\n");
    CHECK_FAILS(scone_discover(&r, pair, &options, NULL), SCONE_ERR_INPUT, "did you mean 'X");
    for (size_t i = 0; i < 300; i++) {
        table_column(pair->tables[0], 4)[i] = table_column(pair->tables[1], 4)[i] = 1.0;
    }
    write_text(path, "X4 -> X1\n");
    CHECK_FAILS(scone_discover(&r, pair, &options, NULL), SCONE_ERR_INPUT,
                "line 1 requires X4 -> X1, but column 'X4' is constant");
    write_text(path, "X4 !-> X1\ntarget X4\n");
    CHECK_OK(scone_discover(&r, pair, &options, NULL));
    CHECK(target_of(r, 4)->target);
    scone_result_free(r);
    CHECK(remove(path) == 0);
    CHECK_FAILS(scone_discover(&r, pair, &options, NULL), SCONE_ERR_IO, path);
    scone_problem_free(problem);
}

/* ---- refused ---- */

static void test_refused(void **state)
{
    (void)state;
    static const double cells[] = {1, 2, 3, 4, 5, 6};
    static const char *const bad_names[] = {"a", "b\x01"};
    static const struct {
        scone_discover_options options;
        const char *message;
    } cases[] = {
        {{.preset = "magic"}, "no preset 'magic'"},
        {{.alpha = 1.0}, "--alpha"},
        {{.alpha = -0.1}, "--alpha"},
        {{.alpha = (double)NAN}, "--alpha"},
        {{.threshold = 1.5}, "--threshold"},
        {{.margin = 1.5}, "--margin"},
        {{.effort = (scone_effort)7}, "--effort"},
        {{.bootstrap = 2000000}, "--bootstrap"},
        {{.preset = "polybic", .max_parents = 3}, "--max-parents"},
        {{.preset = "ges", .model = "x"}, "--model means nothing to the preset ges"},
        {{.preset = "search", .bootstrap = 3}, "--bootstrap means nothing to the preset search"},
    };
    scone_problem *problem = draw_problem(NODES, 50, 26);
    const scone_pair *pair = scone_problem_pair(problem);
    scone_result *r;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        CHECK_FAILS(scone_discover(&r, pair, &cases[c].options, NULL), SCONE_ERR_INPUT,
                    cases[c].message);
        CHECK(r == NULL);
    }
    table_column(pair->tables[1], 3)[6] = (double)NAN;
    CHECK_FAILS(scone_discover(&r, pair, NULL, NULL), SCONE_ERR_INPUT,
                "the interventional table: row 7 of column 'X3' is missing or infinite");
    scone_problem_free(problem);
    for (size_t c = 0; c < 3; c++) {
        scone_table *a, *b;
        scone_pair *other;
        const char *const *names = c == 1 ? bad_names : NULL;
        size_t rows = c == 0 ? 1 : 3, columns = c == 2 ? 0 : 2;
        CHECK_OK(scone_table_from_columns(&a, cells, rows, columns, names));
        CHECK_OK(scone_table_from_columns(&b, cells, 3, columns, names));
        CHECK_OK(scone_pair_join(&other, a, b));
        CHECK_FAILS(scone_discover(&r, other, NULL, NULL), SCONE_ERR_INPUT,
                    c == 0   ? "the observational table has 1 row; at least 2"
                    : c == 1 ? "column 2: the name 'b\\x01'"
                             : "no columns");
        scone_pair_free(other);
    }
}

/* ---- a search that presets share ---- */

static void test_shared_search(void **state)
{
    (void)state;
    static const char *const methods[] = {"search", "best", "ges", "best-ood"};
    preset_searched searched = {0};
    for (size_t c = 0; c < 4; c++) { /* other tables, another limit, other tables */
        scone_problem *problem = draw_problem(NODES, 300, c == 0 || c == 3 ? 31 : 32);
        const scone_pair *pair = scone_problem_pair(problem);
        for (size_t m = 0; m < 4; m++) {
            const scone_discover_options options = {.preset = methods[m],
                                                    .model = learned_file(methods[m]),
                                                    .effort = SCONE_EFFORT_FAST,
                                                    .max_parents = c / 2};
            scone_result *alone, *sharing;
            CHECK_OK(scone_discover(&alone, pair, &options, NULL));
            searched.saved = 0.0;
            CHECK_OK(discover_with(&sharing, pair, &options, &searched, NULL));
            check_same_result(alone, sharing);
            /* Made for the first of the tables and options, used by the others. */
            CHECK((searched.saved > 0.0) == (m == 1 || m == 3));
            CHECK(searched.saved == 0.0 || searched.saved == searched.seconds);
            scone_result_free(alone);
            scone_result_free(sharing);
        }
        scone_problem_free(problem);
    }
    preset_searched_clear(&searched);
}

/* With knowledge every search is made anew and none is left to others. */
static void test_unshared_search(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(NODES, 300, 33);
    const scone_pair *pair = scone_problem_pair(problem);
    static const char path[] = "test_pipeline_forbidden.txt";
    preset_searched searched = {0};
    write_text(path, "X0 !-> X1\nX1 !-> X0\n");
    for (int round = 0; round < 4; round++) {
        scone_discover_options options = {.preset = "search", .effort = SCONE_EFFORT_FAST};
        if (round % 2 == 0) options.knowledge = path;
        scone_result *alone, *sharing;
        CHECK_OK(scone_discover(&alone, pair, &options, NULL));
        CHECK_OK(discover_with(&sharing, pair, &options, &searched, NULL));
        check_same_result(alone, sharing);
        CHECK(searched.saved == 0.0);
        scone_result_free(alone);
        scone_result_free(sharing);
    }
    (void)remove(path);
    preset_searched_clear(&searched);
    scone_problem_free(problem);
}

static bool stop(void *user, const char *stage, double done)
{
    (void)done;
    return strcmp(stage, user) != 0;
}

static void test_stop(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(NODES, 100, 27);
    static const char *const stages[] = {"prepare", "ges", "decode", "targets"};
    for (size_t s = 0; s < 4; s++) {
        char stage[16];
        (void)snprintf(stage, sizeof stage, "%s", stages[s]);
        const scone_context context = {.progress = stop, .user = stage};
        scone_result *r;
        const scone_discover_options options = {.preset = "ges"};
        CHECK_FAILS(scone_discover(&r, scone_problem_pair(problem), &options, &context),
                    SCONE_ERR_INPUT, "stopped on request");
        CHECK(r == NULL);
    }
    scone_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_order_and_threads),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_constant_columns),
        cmocka_unit_test(test_same_table_twice),
        cmocka_unit_test(test_random_tables),
        cmocka_unit_test(test_knowledge),
        cmocka_unit_test(test_shared_search),
        cmocka_unit_test(test_unshared_search),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, learned_clean);
}
