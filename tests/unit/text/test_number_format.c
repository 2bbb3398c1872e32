/* test_number_format.c - writing decimal numbers against printf of the C library, which is exact.
 */
#include "testing.h"

#include "text/number/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static uint64_t next_word(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The fewest digits with which printf's correctly rounded output reads back, as "d.ddd" digits and
 * an exponent. Of texts with that many digits, the shortest form must be the nearest one. */
static void check_shortest(double value)
{
    char text[NUMBER_TEXT_SIZE + 1], wanted[64];
    memset(text, 'x', sizeof text);
    size_t length = number_format(text, value);
    CHECK(length < NUMBER_TEXT_SIZE && text[length] == '\0' && text[NUMBER_TEXT_SIZE] == 'x');
    double back = 0.0;
    CHECK(number_parse(&back, text, text + length) == NUMBER_OK);
    CHECK_SAME(back, value);
    CHECK_SAME(strtod(text, NULL), value);

    int digits = 0; /* after the point */
    do {
        (void)snprintf(wanted, sizeof wanted, "%.*e", digits, value);
    } while (strtod(wanted, NULL) != value && ++digits < 17);
    int exponent = atoi(strchr(wanted, 'e') + 1);
    char layout[64];
    if (exponent >= -4 && exponent < 16) {
        int places = digits - exponent;
        (void)snprintf(layout, sizeof layout, "%.*f", places > 0 ? places : 0, value);
    } else {
        (void)snprintf(layout, sizeof layout, "%s", wanted);
    }
    if (strcmp(layout, text) == 0) return;
    /* A shorter correct text may exist that is not printf's rounding (5e-324 for 4.9e-324 has the
     * same length; 9007199254740993 needs none): accept only fewer digits, never more. */
    int count = 0;
    bool leading = true;
    for (const char *c = text; *c && *c != 'e'; c++) {
        if (*c < '0' || *c > '9') continue;
        if (*c != '0') leading = false;
        if (!leading) count++;
    }
    if (count > digits + 1) fail_msg("%s has more digits than %s", text, wanted);
    if (count == digits + 1) fail_msg("%s is laid out differently from %s", text, layout);
}

static void test_format_fixed(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-1.0, "-1"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {100.0, "100"},
        {1e15, "1000000000000000"},
        {1e16, "1e+16"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {1e300, "1e+300"},
        {1e-4, "0.0001"},
        {1e-5, "1e-05"},
        {1e-10, "1e-10"},
        {1.5e-7, "1.5e-07"},
        {123456.789, "123456.789"},
        {5e-324, "5e-324"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {9007199254740993.0, "9007199254740992"},
        {9007199254740991.0, "9007199254740991"},
        {1.7976931348623155e308, "1.7976931348623155e+308"},
        {-1.2345678901234567e-308, "-1.2345678901234567e-308"},
        {0.1 + 0.2, "0.30000000000000004"},
        {2.0 / 3.0, "0.6666666666666666"},
        {1234567890123456.7, "1234567890123456.8"},
        {9.5367431640625e-07, "9.5367431640625e-07"},
        {4.35, "4.35"},
        {1e21, "1e+21"},
        {NAN, "nan"},
        {-NAN, "nan"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {72057594037927936.0, "7.205759403792794e+16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMBER_TEXT_SIZE];
        CHECK(number_format(text, cases[i].value) == strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

static void test_format_random(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 50000; i++) {
        double value = from_bits(next_word(&seed));
        if (isfinite(value)) check_shortest(value);
        check_shortest((double)(int64_t)next_word(&seed) / 9.3e18 * 10.0);
        check_shortest((double)((int64_t)next_word(&seed) >> (i % 64)) / (i % 3 ? 1000.0 : 1.0));
        if (i < 2046) { /* powers of two: the interval below is half as wide */
            check_shortest(ldexp(1.0, i - 1022));
            check_shortest(nextafter(ldexp(1.0, i - 1022), 0.0));
        }
        if (i < 1200) check_shortest(from_bits((uint64_t)i + 1)); /* subnormals */
        if (i < 632) {
            char text[16];
            (void)snprintf(text, sizeof text, "1e%d", i - 323);
            check_shortest(strtod(text, NULL));
        }
    }
}

/* Every bit pattern survives writing and reading. */
static void test_identity(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 1000000; i++) {
        uint64_t bits = next_word(&seed);
        if (i % 4 == 0) bits &= 0x800fffffffffffffu;
        double value = from_bits(bits), back = 0.0;
        if (!isfinite(value)) continue;
        char text[NUMBER_TEXT_SIZE];
        size_t length = number_format(text, value);
        CHECK(number_parse(&back, text, text + length) == NUMBER_OK);
        CHECK_SAME(back, value);
    }
}

/* As near to the value as so many digits allow, and no longer than they need. */
static void test_rounded(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {{0.0, 4, "0"},
                 {-0.5, 4, "-0.5"},
                 {1.0 / 3.0, 4, "0.3333"},
                 {0.99999, 4, "1"},
                 {12345.6, 4, "12350"},
                 {2.5e-17, 3, "2.5e-17"},
                 {-1.2346e300, 3, "-1.23e+300"},
                 {0.00015224, 4, "0.0001522"}};
    uint64_t seed = 9;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        assert_string_equal(number_rounded(cases[c].value, cases[c].digits).text, cases[c].text);
    }
    for (int i = 0; i < 200000; i++) {
        double value = from_bits(next_word(&seed)), back = 0.0;
        int digits = 1 + i % 6;
        if (!isnormal(value)) continue;
        number_text shown = number_rounded(value, digits);
        size_t length = strlen(shown.text), figures = 0;
        CHECK(number_parse(&back, shown.text, shown.text + length) != NUMBER_BAD);
        if (isfinite(back)) {
            CHECK(fabs(back / value - 1.0) <= 0.5000001 * pow(10.0, 1 - digits));
        } else {
            CHECK(fabs(value) > 1e308);
        }
        if (!strchr(shown.text, 'e')) continue; /* zeros hold the places */
        for (const char *at = shown.text; *at && *at != 'e'; at++)
            figures += *at >= '0' && *at <= '9';
        CHECK(figures <= (size_t)digits + 1); /* 9.96 with two digits is 10 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_fixed),
        cmocka_unit_test(test_format_random),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
