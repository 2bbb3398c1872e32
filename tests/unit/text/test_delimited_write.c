/* test_delimited_write.c - rows of cells as they are written, and read again by the project's own
 * reader. */
#include "written.h"

#include "text/delimited_cells.h"
#include "text/write/delimited_write.h"

static const char path[] = "test_delimited_write.csv";

static void test_cells(void **state)
{
    (void)state;
    delimited_writer w = delimited_write_start(written_open(path), ',');
    const uint64_t counts[] = {3, UINT64_MAX, 0};
    delimited_write_words(&w, "a,b");
    delimited_write_text(&w, "c");
    delimited_write_end(&w);
    delimited_write_words(&w, "");
    delimited_write_number(&w, 0.1);
    delimited_write_number(&w, NAN);
    delimited_write_decimals(&w, 2.0, 2);
    delimited_write_decimals(&w, INFINITY, 2);
    delimited_write_rounded(&w, 0.123456, 4);
    delimited_write_rounded(&w, NAN, 4);
    delimited_write_end(&w);
    delimited_write_counts(&w, counts, 3);
    delimited_write_counts(&w, counts, 0);
    delimited_write_count_or(&w, 1, "none");
    delimited_write_count_or(&w, 0, "none");
    delimited_write_end(&w);
    delimited_write_end(&w);
    CHECK_OK(w.out.status);
    written_expect(w.out.stream, path,
                   "a,b,c\n"
                   ",0.1,,2.00,,0.1235,\n3,18446744073709551615,0,1,none\n\n");
}

static void test_quotes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"in side", "in side"},
        {"", "\"\""},
        {" lead", "\" lead\""},
        {"trail ", "\"trail \""},
        {"a,b", "\"a,b\""},
        {"a;b", "\"a;b\""},
        {"a\tb", "\"a\tb\""},
        {"a|b", "\"a|b\""}, /* the delimiter below */
        {"a\nb", "\"a\nb\""},
        {"a\rb", "\"a\rb\""},
        {"\"", "\"\"\"\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"back\\slash", "back\\slash"},
        {"\xC3\xBC", "\xC3\xBC"},
        {"\xEF\xBB\xBFmark", "\"\xEF\xBB\xBFmark\""},
        {"\xEF\xBC\xA1", "\xEF\xBC\xA1"}, /* a wide letter, no mark */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[64];
        delimited_writer w = delimited_write_start(written_open(path), '|');
        delimited_write_text(&w, cases[i][0]);
        delimited_write_text(&w, "x");
        delimited_write_end(&w);
        CHECK_OK(w.out.status);
        (void)snprintf(expected, sizeof expected, "%s|x\n", cases[i][1]);
        written_expect(w.out.stream, path, expected);
    }
}

static void test_read_back(void **state)
{
    (void)state;
    static const char *const names[] = {"a,b", "say \"hi\"", " x", "y\nz", ";", "plain"};
    enum { NAMES = sizeof names / sizeof *names };
    cell_table cells;
    delimited_writer w = delimited_write_start(written_open(path), ',');
    for (int row = 0; row < 2; row++) {
        for (size_t n = 0; n < NAMES; n++) delimited_write_text(&w, names[n]);
        delimited_write_end(&w);
    }
    CHECK_OK(w.out.status);
    CHECK_OK(output_commit(&w.out.stream));
    CHECK_OK(delimited_cells_read(&cells, path));
    CHECK(cells.rows == 2 && cells.columns == NAMES);
    for (size_t n = 0; n < NAMES; n++) {
        CHECK(delimited_field_equals(delimited_cells_get(&cells, 0, n), names[n]));
        CHECK(delimited_field_equals(delimited_cells_get(&cells, 1, n), names[n]));
    }
    delimited_cells_free(&cells);
    CHECK(unlink(path) == 0);
}

static void test_failure_stays(void **state)
{
    (void)state;
    delimited_writer w = delimited_write_start(written_full(), ',');
    delimited_write_text(&w, "lost");
    delimited_write_number(&w, 1.0);
    delimited_write_end(&w);
    CHECK_FAILS(w.out.status, SCONE_ERR_IO, "/dev/full: cannot write");
    output_discard(w.out.stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_failure_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
