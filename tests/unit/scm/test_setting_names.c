/* test_setting_names.c - families of mechanisms as text. */
#include "testing.h"

#include "scm/setting_names.h"

static const char *text_of(unsigned families, char between)
{
    static char text[SETTING_FAMILIES_TEXT];
    memset(text, 'x', sizeof text);
    setting_families_text(text, families, between);
    return text;
}

static void test_families(void **state)
{
    (void)state;
    assert_string_equal(text_of(0, '+'), "");
    assert_string_equal(text_of(SCONE_NN, '+'), "nn");
    assert_string_equal(text_of(SCONE_LINEAR | SCONE_NN_ADD, '+'), "linear+nn_add");
    assert_string_equal(text_of(SCONE_SIGMOID | SCONE_POLYNOMIAL | 32, ','), "polynomial,sigmoid");
    assert_string_equal(text_of(31, ','), "linear,polynomial,sigmoid,nn,nn_add");
}

static void test_noises(void **state)
{
    (void)state;
    assert_string_equal(setting_noises[SCONE_NOISE_MIXED], "mixed");
    assert_string_equal(setting_noises[SCONE_NOISE_ADDITIVE], "additive");
    assert_string_equal(setting_noises[SCONE_NOISE_MULTIPLICATIVE], "multiplicative");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_noises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
