/* test_delimited.c - records, fields, delimiter and encoding marks of delimited text. */
#include "testing.h"

#include "text/delimited.h"

#include <stdlib.h>

/* ---- the end of a record ---- */

static void test_record_end(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool final;
        int end, next; /* -1: incomplete */
        bool open_quote;
    } cases[] = {
        {"ab\ncd", false, 2, 3, false},
        {"ab\r\ncd", false, 2, 4, false},
        {"ab\rcd", false, 2, 3, false},
        {"ab\r", false, -1, 0, false},
        {"ab\r", true, 2, 3, false},
        {"ab", false, -1, 0, false},
        {"ab", true, 2, 2, false},
        {"", false, -1, 0, false},
        {"", true, 0, 0, false},
        {"\n", false, 0, 1, false},
        {"\r\n", false, 0, 2, false},
        {"\r\r", false, 0, 1, false},
        {"\n\r", false, 0, 1, false},
        {"\"a\nb\"\nc", false, 5, 6, false},
        {"\"a\r\nb\"\r\n", false, 6, 8, false},
        {"\"a\"\"\n\"\n", false, 6, 7, false},
        {"\"a\nb", false, -1, 0, true},
        {"\"a\nb", true, 4, 4, true},
        {"\"\"\n", false, 2, 3, false},
        {"a\"b\n", false, -1, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text, *next = NULL;
        bool open_quote = !cases[i].open_quote;
        const char *end =
            delimited_record_end(text, text + strlen(text), cases[i].final, &next, &open_quote);
        if (end ? end - text != cases[i].end || next - text != cases[i].next : cases[i].end >= 0) {
            fail_msg("case %zu ends at %d, next at %d", i, end ? (int)(end - text) : -1,
                     next ? (int)(next - text) : -1);
        }
        assert_int_equal(open_quote, cases[i].open_quote);
    }
}

/* ---- fields ---- */

/* Splits a copy of exactly the text's size and joins the fields with |, quoted ones in <>. */
static scone_status split_and_join(char *joined, const char *text, char delimiter)
{
    delimited_record record = {0};
    arena *memory;
    CHECK_OK(arena_alloc(&memory, 0));
    size_t length = strlen(text);
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    scone_status status = delimited_split(&record, memory, copy, copy + length, delimiter);
    char *at = joined;
    for (size_t j = 0; status == SCONE_OK && j < record.count; j++) {
        const delimited_field *field = &record.fields[j];
        at += sprintf(at, "%s%s%.*s%s", j ? "|" : "", field->quoted ? "<" : "", (int)field->length,
                      field->text, field->quoted ? ">" : "");
    }
    free(copy);
    delimited_record_free(&record);
    arena_free(memory);
    return status;
}

static void test_split(void **state)
{
    (void)state;
    static const struct {
        char delimiter;
        const char *text, *joined;
    } cases[] = {
        {',', "a,b,c", "a|b|c"},
        {',', "", ""},
        {',', ",", "|"},
        {',', "a,", "a|"},
        {',', ",a", "|a"},
        {',', ",,", "||"},
        {',', "  a  ,\tb\t", "a|b"},
        {',', "a b,c", "a b|c"},
        {';', "a,b;c", "a,b|c"},
        {'\t', "a\tb\t", "a|b|"},
        {'\t', " a \t b ", "a|b"},
        {'\t', "\t\t", "||"},
        {',', "\"a\",\"b\"", "<a>|<b>"},
        {',', "\"a,b\",c", "<a,b>|c"},
        {',', "\"a\"\"b\"", "<a\"b>"},
        {',', "\"\"\"\"", "<\">"},
        {',', "\"\"\"\"\"\"", "<\"\">"},
        {',', "\"\"", "<>"},
        {',', "\"\",\"\"", "<>|<>"},
        {',', "  \" a \"  ,b", "< a >|b"},
        {',', "\"a\nb\",c", "<a\nb>|c"},
        {',', "\"a\r\nb\"", "<a\r\nb>"},
        {',', "a, \"b\" ", "a|<b>"},
        {'\t', "\"a\tb\"\tc", "<a\tb>|c"},
        {',', "   ", ""},
        {',', "1.5,-2,3e4", "1.5|-2|3e4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char joined[256] = "";
        CHECK_OK(split_and_join(joined, cases[i].text, cases[i].delimiter));
        assert_string_equal(joined, cases[i].joined);
    }
    char joined[256];
    CHECK_FAILS(split_and_join(joined, "a,b\"c", ','), SCONE_ERR_INPUT, "field 2 has a quote");
    CHECK_FAILS(split_and_join(joined, "\"a\"b,c", ','), SCONE_ERR_INPUT, "field 1 has text after");
    CHECK_FAILS(split_and_join(joined, "a,b,\"c", ','), SCONE_ERR_INPUT, "field 3 opens a quote");
    CHECK_FAILS(split_and_join(joined, "\"", ','), SCONE_ERR_INPUT, "never closed");
    CHECK_FAILS(split_and_join(joined, "\"a\"\"", ','), SCONE_ERR_INPUT, "never closed");
    CHECK_FAILS(split_and_join(joined, "\"a\" \"b\"", ','), SCONE_ERR_INPUT, "text after");
}

/* One record after another reuses the array; many fields make it grow. */
static void test_many_fields(void **state)
{
    (void)state;
    enum { FIELDS = 10000 };
    char *text = malloc(2 * FIELDS);
    assert_non_null(text);
    for (int j = 0; j < FIELDS; j++) memcpy(text + 2 * j, "7,", 2);
    delimited_record record = {0};
    arena *memory;
    CHECK_OK(arena_alloc(&memory, 0));
    CHECK_OK(delimited_split(&record, memory, text, text + 2 * FIELDS - 1, ','));
    assert_int_equal(record.count, FIELDS);
    for (size_t j = 0; j < FIELDS; j++) {
        CHECK(record.fields[j].length == 1 && record.fields[j].text == text + 2 * j);
    }
    CHECK_OK(delimited_split(&record, memory, "x", &"x"[1], ','));
    assert_int_equal(record.count, 1);
    delimited_record_free(&record);
    CHECK(record.fields == NULL && record.capacity == 0);
    arena_free(memory);
    free(text);
}

/* ---- delimiter and marks ---- */

static void test_detect(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char delimiter;
    } cases[] = {
        {"a,b", ','},
        {"a;b", ';'},
        {"a\tb", '\t'},
        {"a", ','},
        {"", ','},
        {"a,b;c;d", ';'},
        {"a;b,c", ','},
        {"\"a;b;c\",d", ','},
        {"\"a,b,c\";d", ';'},
        {"\"a\"\"b,c,d\"\te", '\t'},
        {"a b\tc", '\t'},
        {"x|y", ','},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        if (delimited_detect(text, text + strlen(text)) != cases[i].delimiter) {
            fail_msg("wrong delimiter for %s", text);
        }
    }
}

#define SKIP_MARK(text_, skipped_)                                                                 \
    do {                                                                                           \
        const char *start_ = (text_), *at_ = start_;                                               \
        CHECK_OK(delimited_skip_mark(&at_, start_ + sizeof(text_) - 1));                           \
        assert_int_equal(at_ - start_, (skipped_));                                                \
    } while (0)

#define REFUSE_MARK(text_, message_)                                                               \
    do {                                                                                           \
        const char *at_ = (text_);                                                                 \
        CHECK_FAILS(delimited_skip_mark(&at_, at_ + sizeof(text_) - 1), SCONE_ERR_INPUT,           \
                    (message_));                                                                   \
    } while (0)

static void test_marks(void **state)
{
    (void)state;
    SKIP_MARK("", 0);
    SKIP_MARK("a,b", 0);
    SKIP_MARK("\xEF\xBB\xBF", 3);
    SKIP_MARK("\xEF\xBB\xBF"
              "a,b",
              3);
    SKIP_MARK("\xEF\xBB", 0);
    REFUSE_MARK("\xFF\xFE"
                "a\0,\0b\0",
                "UTF-16");
    REFUSE_MARK("\xFE\xFF\0a\0,", "UTF-16");
    REFUSE_MARK("\xFF\xFE\0\0a\0\0\0", "UTF-32");
    REFUSE_MARK("\0\0\xFE\xFF\0\0\0a", "UTF-32");
    REFUSE_MARK("a\0,\0", "NUL");
    REFUSE_MARK("\xEF\xBB\xBF"
                "a\0",
                "NUL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record_end),  cmocka_unit_test(test_split),
        cmocka_unit_test(test_many_fields), cmocka_unit_test(test_detect),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
