/* test_examine.c - what the preflight finds becomes warnings of a run, one for each kind. */
#include "preflight.h"

#include "discover/examine.h"

static size_t count_warnings(const warning_list *list, const char *part)
{
    size_t count = 0;
    for (size_t w = 0; w < list->count; w++) count += strstr(list->texts[w], part) != NULL;
    return count;
}

static void count_logged(void *user, scone_level level, const char *message)
{
    size_t *logged = user;
    if (level == SCONE_WARNING && *message) ++*logged;
}

static void test_clean(void **state)
{
    (void)state;
    warning_list warnings = {0};
    scone_pair pair = preflight_clean(5, 500, 500, 5);
    CHECK_OK(examine_tables(&warnings, &pair, NULL, NULL));
    CHECK(warnings.count == 0);
    warnings_free(&warnings);
    preflight_free(&pair);
}

/* Two wild values are one warning, a change of units another; notes and what a run tells by itself
 * are none. */
static void test_findings(void **state)
{
    (void)state;
    warning_list warnings = {0};
    size_t logged = 0;
    const scone_context context = {.log = count_logged, .user = &logged};
    scone_pair pair = preflight_clean(6, 500, 500, 6);
    preflight_column(&pair, 0, 2)[17] = 1e9;
    preflight_column(&pair, 1, 4)[3] = -1e8;
    for (size_t r = 0; r < 500; r++) {
        preflight_column(&pair, 1, 3)[r] = 1000.0 * preflight_column(&pair, 0, 3)[r];
        preflight_column(&pair, 0, 5)[r] = preflight_column(&pair, 1, 5)[r] = 7.0;
    }
    CHECK_OK(examine_tables(&warnings, &pair, NULL, &context));
    CHECK(warnings.count == 2 && logged == 2);
    CHECK(count_warnings(&warnings, "and 1 more like this: scone check has all") == 1);
    CHECK(count_warnings(&warnings, "'X2' is 1000000000 in row") == 1);
    CHECK(count_warnings(&warnings, "factor of 1000") == 1);
    CHECK(count_warnings(&warnings, "X5") == 0); /* constant */
    warnings_free(&warnings);
    preflight_free(&pair);
}

/* The run itself has them, first those of its own tables. */
static void test_run(void **state)
{
    (void)state;
    const scone_discover_options options = {.preset = "search", .effort = SCONE_EFFORT_FAST};
    scone_pair pair = preflight_clean(7, 300, 300, 4);
    scone_result *result;
    bool checked = false;
    preflight_column(&pair, 0, 2)[17] = 1e9;
    CHECK_OK(scone_discover(&result, &pair, &options, NULL));
    CHECK(scone_result_warnings(result) >= 1);
    CHECK(strstr(scone_result_warning(result, 0), "'X2' is 1000000000") != NULL);
    for (size_t s = 0; s < scone_result_stages(result); s++) {
        checked = checked || strcmp(scone_result_stage(result, s)->name, "check") == 0;
    }
    CHECK(checked);
    scone_result_free(result);
    preflight_free(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests_name("examine", tests, NULL, NULL);
}
