/* test_discover_conditions.c - several conditions: targets of each with the control's own movement
 * as their yardstick, the farthest first; certificates by pair; what speaks against targets by
 * condition; names that are refused. */
#include "discovery.h"

#include "data/conditions/conditions.h"
#include "discover/result.h"

enum { NODES = 4, CONDITIONS = 3, ROWS = 600 };

static const char *const columns[NODES] = {"a", "b", "c", "d"};

/* a -> b -> c -> d, with uniform noise. Condition k takes
 * shifts[k][v] from the slope of v, which is 1, or adds it to a; rows of the control drift if it is
 * asked for. */
static scone_conditions *draw(const double shifts[CONDITIONS][NODES], const char *const *names,
                              bool drift)
{
    scone_table *tables[CONDITIONS + 1];
    scone_conditions *c;
    for (size_t t = 0; t <= CONDITIONS; t++) {
        rng r = rng_stream(64, RNG_TEST, t, 0, 0);
        CHECK_OK(table_alloc(&tables[t], ROWS, NODES, columns));
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t v = 0; v < NODES; v++) {
                double wave = drift && t == 0 ? 3.0 * sin((double)i / 40.0 + 2.0 * (double)v) : 0.0;
                double cause = v > 0 ? table_column(tables[t], v - 1)[i] : 0.0;
                double shift = t > 0 ? shifts[t - 1][v] : 0.0;
                double noise = rng_range(&r, -1.7, 1.7) + wave;
                double slope = v > 0 ? 1.0 - shift : 1.0;
                table_column(tables[t], v)[i] = slope * cause + noise + (v > 0 ? 0.0 : shift);
            }
        }
    }
    CHECK_OK(conditions_adopt(&c, tables, names, CONDITIONS + 1));
    return c;
}

static scone_result *discover(const scone_conditions *c, int threads)
{
    static const char file[] = "test_discover_conditions.txt";
    const scone_discover_options options = {.effort = SCONE_EFFORT_FAST, .knowledge = file};
    const scone_context context = {.threads = threads};
    scone_result *r;
    FILE *stream = fopen(file, "wb"); /* the directions are not what is tested here */
    CHECK(stream && fputs("tier 1: a\ntier 2: b\ntier 3: c\ntier 4: d\n", stream) >= 0);
    CHECK(fclose(stream) == 0);
    CHECK_OK(scone_discover_conditions(&r, c, &options, &context));
    CHECK(remove(file) == 0);
    return r;
}

static const char *const names[] = {"control", "k10", "k2", "k1"};
static const double few[CONDITIONS][NODES] = {{0, 2, 0, 0}, {0, 0, 0, 2}, {0, 0, 2, 0}};

static void test_targets_and_pairs(void **state)
{
    (void)state;
    static const char *const order[] = {"k1", "k2", "k10"}; /* as a person counts */
    static const size_t changed[] = {2, 3, 1};
    scone_conditions *c = draw(few, names, false);
    scone_result *r = discover(c, 1), *again = discover(c, 3);
    CHECK(scone_result_conditions(r) == CONDITIONS && r->rate_holds);
    assert_string_equal(r->control, "control");
    for (size_t k = 0; k < CONDITIONS; k++) {
        assert_string_equal(scone_result_condition(r, k), order[k]);
        for (size_t t = 0; t < NODES; t++) {
            const scone_target *target = scone_result_condition_target(r, k, t);
            const scone_target *same = scone_result_condition_target(again, k, t);
            CHECK(target->target == (target->variable == changed[k]) && target->target == (t == 0));
            CHECK(same->variable == target->variable);
            CHECK_SAME(same->size, target->size);
            assert_string_equal(same->reason, target->reason);
            if (target->target)
                CHECK(strstr(target->reason, "blocks of the control's rows differ"));
            if (t > 0) CHECK(target->size <= scone_result_condition_target(r, k, t - 1)->size);
        }
    }
    CHECK(r->reasons.pair_count == CONDITIONS && r->reasons.levels.pairs == CONDITIONS);
    CHECK(r->reasons.count > 0 && r->reasons.count == again->reasons.count);
    for (size_t i = 0; i < r->reasons.count; i++) {
        const reason *one = &r->reasons.list[i];
        const char *name = reasons_condition(&r->reasons, one->pair);
        assert_string_equal(name, order[one->pair]);
        CHECK(one->pair == again->reasons.list[i].pair);
        CHECK_SAME(one->weight, again->reasons.list[i].weight);
    }
    scone_result_free(r);
    scone_result_free(again);
    scone_conditions_free(c);
}

static bool warned(const scone_result *r, const char *text)
{
    for (size_t w = 0; w < scone_result_warnings(r); w++) {
        if (strstr(scone_result_warning(r, w), text)) return true;
    }
    return false;
}

/* A condition in which nearly everything is called changed is named; the others are not. */
static void test_too_many(void **state)
{
    (void)state;
    static const double much[CONDITIONS][NODES] = {{0, 2, 0, 0}, {1, 2, 2, 2}, {0, 0, 2, 0}};
    scone_conditions *c = draw(much, names, false);
    scone_result *r = discover(c, 1);
    CHECK(warned(r, "in 1 of 3 conditions ('k2') more than half of the variables"));
    CHECK(!r->rate_holds);
    scone_result_free(r);
    scone_conditions_free(c);

    c = draw(few, names, true); /* neighbours in the control are alike */
    r = discover(c, 1);
    CHECK(warned(r, "rows of the control depend on their neighbours") && !r->rate_holds);
    scone_result_free(r);
    scone_conditions_free(c);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const wrong[] = {"a\nb", "\x1b[31m", "\xff", "\x7f"};
    scone_result *r;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        const char *const strange[] = {"control", "fine", wrong[w], "other"};
        scone_conditions *c = draw(few, strange, false);
        CHECK_FAILS(scone_discover_conditions(&r, c, NULL, NULL), SCONE_ERR_INPUT,
                    "not UTF-8 or holds control characters");
        CHECK(r == NULL);
        scone_conditions_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets_and_pairs),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
