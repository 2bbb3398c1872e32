/* test_number.c - reading decimal numbers against strtod of the C library, which is exact. */
#include "testing.h"

#include "text/number/number.h"

#include <locale.h>
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

/* Parses text with strtod and with number_parse, from a block of exactly its size so that the
 * address sanitizer sees a read past its end. */
static void check_against_strtod(const char *text)
{
    size_t length = strlen(text);
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    double expected = strtod(text, NULL), value = 12345.0;
    number_kind kind = number_parse(&value, copy, copy + length);
    free(copy);
    if (kind != (isinf(expected) ? NUMBER_OVERFLOW : NUMBER_OK)) {
        fail_msg("%.60s... has kind %d", text, (int)kind);
    }
    if (memcmp(&value, &expected, sizeof value) != 0) {
        fail_msg("%.1200s is %.17g, expected %.17g", text, value, expected);
    }
}

static const char *const fixed_cases[] = {
    "0",
    "-0",
    "+0",
    "0.0",
    "-0.0e10",
    "00000",
    "1",
    "-1",
    "+1",
    "1.",
    ".5",
    "-.5",
    "+.5e1",
    "007",
    "1e0",
    "1E5",
    "1e+5",
    "1e-5",
    "1e00005",
    "0e999999999999",
    "0.1",
    "0.2",
    "0.3",
    "123456789",
    "12345678",
    "1234567",
    "123456789012345678",
    "1234567890123456789",
    "12345678901234567890",
    "123456789012345678901234567890",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0000000000000000000001",
    "9007199254740992.9999999999999999999999",
    "9007199254740995",
    "18014398509481985",
    "18446744073709551615",
    "18446744073709551616",
    "9999999999999999999",
    "99999999999999999999",
    "0.000000000000000000000000000000000000000000000001",
    "0.0000000000000000000000000000000000000012345678901234567",
    "1000000000000000000000000000000000000000000",
    "1.0000000000000000000000000000000000000",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "2.47032822920623272088284396434110686182e-324",
    "1e-323",
    "1e-324",
    "1e-400",
    "-1e-400",
    "1e-342",
    "1e-343",
    "0.1e-99999999999999999999",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "2.225073858507201136057e-308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "179769313486231580793e289",
    "-1.7976931348623159e308",
    "1e308",
    "1e309",
    "1e400",
    "-1e400",
    "1e99999999999999999999",
    "0.00001e313",
    "10000e304",
    "1e22",
    "1e23",
    "9007199254740992e22",
    "9007199254740993e22",
    "5e-324",
    "3e-324",
    "8.988465674311580536566680e307",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "6929495644600919.5",
    "3.7455744005952583e15",
    "4398046511105.7119140625",
    "358416272e-33",
    "5.9604644775390625e-8",
    "90054602635948575728e72",
    "7.0420557077594588669468784357561207962098443483187940792729600000e+59",
    "1.7339253062092163730578609458683877051596800000000000000000000000e+42",
    "2.0e-308",
    "8.5e-311",
};

static void test_fixed_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fixed_cases / sizeof *fixed_cases; i++)
        check_against_strtod(fixed_cases[i]);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    " ",   "-",   "+",    ".",  "-.",  "e5",   ".e5",      "1e",    "1e+",   "1e-",
        "1 ",  " 1",  "1,5", "0x10", "1f", "inf", "nan",  "--1",      "+-1",   "1.2.3", "1e5.5",
        "1_0", "1'0", "NA",  "1e5e", "١",  "1\n", "-inf", "infinity", "0x1p3", "1d5",   "1..",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 5.0;
        if (number_parse(&value, texts[i], texts[i] + strlen(texts[i])) != NUMBER_BAD) {
            fail_msg("'%s' is taken for a number", texts[i]);
        }
        CHECK_SAME(value, 5.0);
    }
}

static void test_scan_stops(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length; /* of the number */
        double value;
    } cases[] = {
        {"1,5", 1, 1.0},
        {"1.5;2", 3, 1.5},
        {"-2e3x", 4, -2000.0},
        {"7e", 1, 7.0},
        {"7e+", 1, 7.0},
        {"7e-\n", 1, 7.0},
        {"0x10", 1, 0.0},
        {"1.2.3", 3, 1.2},
        {"12345678\t9", 8, 12345678.0},
        {"1.23456789\r", 10, 1.23456789},
        {"3.14159265358979,", 16, 3.14159265358979},
        {"5.,1", 2, 5.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        double value = 0.0;
        number_kind kind;
        CHECK(number_scan(&value, &kind, text, text + strlen(text)) == text + cases[i].length);
        CHECK(kind == NUMBER_OK);
        CHECK_SAME(value, cases[i].value);
    }
    number_kind kind;
    double value = 0.0;
    const char *text = "x1";
    CHECK(number_scan(&value, &kind, text, text + 2) == text && kind == NUMBER_BAD);
    text = "-1e999;";
    CHECK(number_scan(&value, &kind, text, text + 7) == text + 6 && kind == NUMBER_OVERFLOW);
    CHECK(isinf(value) && value < 0);
}

/* A number that is followed by something right at the end of the block, at every length. */
static void test_every_end(void **state)
{
    (void)state;
    const char *text = "-12345678901.23456789012345678e-12";
    for (size_t length = 1; length <= strlen(text); length++) {
        char *copy = malloc(length);
        assert_non_null(copy);
        memcpy(copy, text, length);
        char whole[64] = {0};
        memcpy(whole, text, length);
        char *stop;
        double expected = strtod(whole, &stop), value = 0.0;
        number_kind kind;
        const char *end = number_scan(&value, &kind, copy, copy + length);
        assert_int_equal(end - copy, stop - whole);
        if (end != copy) CHECK_SAME(value, expected);
        free(copy);
    }
}

static void test_random_bits(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 300000; i++) {
        double value = from_bits(next_word(&seed));
        if (!isfinite(value)) continue;
        char text[64];
        int digits = (int)(next_word(&seed) % 21); /* 1 to 21 significant digits */
        (void)snprintf(text, sizeof text, "%.*e", digits, value);
        check_against_strtod(text);
    }
    /* ordinary magnitudes, with and without exponent */
    for (int i = 0; i < 700000; i++) {
        char text[96];
        int64_t word = (int64_t)next_word(&seed);
        double value = (double)word / 9.3e18 * pow(10.0, (double)(next_word(&seed) % 12));
        int digits = (int)(next_word(&seed) % 20);
        switch (i % 4) {
        case 0:
            (void)snprintf(text, sizeof text, "%.17g", value);
            break;
        case 1:
            (void)snprintf(text, sizeof text, "%.*f", digits, value);
            break;
        case 2:
            (void)snprintf(text, sizeof text, "%lld", (long long)(word >> (i % 60)));
            break;
        default:
            (void)snprintf(text, sizeof text, "%llu.%0*llue%d",
                           (unsigned long long)word >> (i % 64), digits,
                           (unsigned long long)next_word(&seed) >> (i % 50),
                           (int)(next_word(&seed) % 80) - 40);
        }
        check_against_strtod(text);
    }
}

/* The exact decimal of the point between two doubles, and texts just below and above it. */
static void test_halfway(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static char text[2048];
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_word(&seed) >> 1;
        if (i % 4 == 0) bits >>= 12;                                      /* subnormal */
        if (i % 4 == 1) bits = (bits >> 12) + ((1000 + bits % 60) << 52); /* near 1 */
        if (i % 64 == 2) bits = 0x7fefffffffffffffu;                      /* the largest */
        if ((bits >> 52) >= 0x7ff) continue;
        uint64_t mantissa = bits & 0xfffffffffffffu;
        int exponent = (int)(bits >> 52);
        if (exponent) mantissa |= (uint64_t)1 << 52;
        /* long double holds 64 bits and far smaller exponents, so this is exact */
        long double half =
            ldexpl((long double)(2 * mantissa + 1), (exponent ? exponent : 1) - 1076);
        int length = snprintf(text, sizeof text, "%.800Le", half);
        assert_true(length > 800 && length < (int)sizeof text);
        check_against_strtod(text);
        char *mark = strchr(text, 'e');
        char tail[16];
        (void)snprintf(tail, sizeof tail, "%s", mark);
        mark[-1] = '1'; /* the digits before it are zeros: just above */
        check_against_strtod(text);
        memset(mark, '0', 300); /* and many digits later still */
        (void)snprintf(mark + 300, 64, "7%s", tail);
        mark[-1] = '0';
        check_against_strtod(text);
        char *last = mark - 1; /* just below: borrow from the last digit that is not 0 */
        while (*last == '0' || *last == '.') last--;
        *last = (char)(*last - 1);
        (void)snprintf(last + 1, 32, "9999999%s", tail);
        check_against_strtod(text);
    }
}

/* A locale with a decimal comma changes nothing. Skipped where none is installed. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",
                                        "de_DE",       "nl_NL.UTF-8", "it_IT.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        found = setlocale(LC_ALL, names[i]) != NULL;
    }
    if (!found) skip();
    double value = 0.0;
    CHECK(number_parse(&value, "1.5", &"1.5"[3]) == NUMBER_OK);
    CHECK_SAME(value, 1.5);
    CHECK(number_parse(&value, "1,5", &"1,5"[3]) == NUMBER_BAD);
    char text[NUMBER_TEXT_SIZE];
    (void)number_format(text, 1.5);
    assert_string_equal(text, "1.5");
    (void)setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_cases), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_scan_stops),  cmocka_unit_test(test_every_end),
        cmocka_unit_test(test_random_bits), cmocka_unit_test(test_halfway),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
