/* test_learner.c - lists of local learners, read and written. */
#include "testing.h"

#include "learn/learner.h"

static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *again;
        unsigned set;
    } cases[] = {
        {"polybic", "polybic", 1},
        {"ges", "ges", 2},
        {"search", "search", 4},
        {"polybic,ges", "polybic,ges", 3},
        {"ges+polybic", "polybic,ges", 3},
        {"search,polybic", "polybic,search", 5},
        {"search,ges,polybic", "polybic,ges,search", LEARNER_ALL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        unsigned set;
        char text[LEARNER_TEXT];
        CHECK_OK(learner_parse(&set, cases[k].text, strlen(cases[k].text)));
        CHECK(set == cases[k].set);
        learner_text(text, set, ',');
        assert_string_equal(text, cases[k].again);
    }
    char text[LEARNER_TEXT];
    learner_text(text, LEARNER_ALL, '+');
    assert_string_equal(text, "polybic+ges+search");
    learner_text(text, 0, ',');
    assert_string_equal(text, "");
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const lists[] = {"",       ",",          "polybic,", ",ges",
                                        "pc",     "ge",         "ges ges",  "ges,ges",
                                        "polybi", "polybicges", " ges",     "ges,,search"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        unsigned set;
        CHECK_FAILS(learner_parse(&set, lists[k], strlen(lists[k])), SCONE_ERR_INPUT,
                    "use some of polybic, ges, search, each once");
    }
    unsigned set;
    CHECK_OK(learner_parse(&set, "ges,polybic", 3)); /* no further than the length */
    CHECK(set == LEARNER_GES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
