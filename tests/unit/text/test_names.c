/* test_names.c - the two orders of names, looking names up, and lists of names in messages. */
#include "testing.h"

#include "text/names.h"

static const char *const given[] = {"X10", "b", "X2", "a", "X2"};
enum { GIVEN = sizeof given / sizeof *given };

static void test_orders(void **state)
{
    (void)state;
    named_place bytes[GIVEN], natural[GIVEN];
    const size_t by_bytes[] = {0, 2, 4, 3, 1}, by_nature[] = {2, 4, 0, 3, 1};
    names_sort(bytes, given, GIVEN);
    names_sort_natural(natural, given, GIVEN);
    for (size_t i = 0; i < GIVEN; i++) {
        CHECK(bytes[i].place == by_bytes[i] && natural[i].place == by_nature[i]);
        CHECK(bytes[i].name == given[bytes[i].place]);
    }
    CHECK(names_repeated(bytes, GIVEN) == 2 && names_repeated(natural, GIVEN) == 1);
    CHECK(names_repeated(bytes, 2) == 2 && names_repeated(bytes, 0) == 0);
}

static void test_order(void **state)
{
    (void)state;
    size_t order[GIVEN] = {9, 9, 9, 9, 9};
    CHECK_OK(names_order(order, given, 4)); /* X2, X10, a, b */
    CHECK(order[0] == 2 && order[1] == 0 && order[2] == 3 && order[3] == 1 && order[4] == 9);
    CHECK_OK(names_order(order, given, 0));
    CHECK_FAILS(names_order(order, given, GIVEN), SCONE_ERR_INPUT,
                "two columns are named 'X2'; rename one");
}

static void test_find(void **state)
{
    (void)state;
    named_place sorted[4];
    names_sort(sorted, given, 4);
    for (size_t i = 0; i < 4; i++) CHECK(names_find(sorted, 4, given[i]) == i);
    CHECK(names_find(sorted, 4, "X3") == SIZE_MAX && names_find(sorted, 0, "a") == SIZE_MAX);
    assert_string_equal(names_nearest(sorted, 4, "X20"), "X10");
    CHECK(names_nearest(sorted, 4, "quite another name") == NULL);
}

static void test_tell(void **state)
{
    (void)state;
    names_told none = {.quote = "'"}, two = {.quote = "'"}, many = {.quote = ""};
    assert_string_equal(names_tell_end(&none), "");
    names_tell(&two, "a");
    names_tell(&two, "b, c");
    assert_string_equal(names_tell_end(&two), "'a', 'b, c'");
    for (int i = 0; i < 13; i++) names_tell(&many, "n");
    assert_string_equal(names_tell_end(&many), "n, n, n, n, n, n, n, n, n, n and 3 more");
}

/* Names that are long, or that a message shows by escapes, end the list instead of its text. */
static void test_long(void **state)
{
    (void)state;
    char name[400];
    names_told list = {.quote = "'"};
    memset(name, '\1', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < 9; i++) names_tell(&list, i == 8 ? "short" : name);
    const char *text = names_tell_end(&list);
    CHECK(strlen(text) < NAMES_TOLD_SIZE && list.count == 9 && list.told == 3);
    assert_string_equal(text + strlen(text) - strlen(" and 6 more"), " and 6 more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders), cmocka_unit_test(test_order), cmocka_unit_test(test_find),
        cmocka_unit_test(test_tell),   cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
