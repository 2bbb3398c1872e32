/* test_writer.c - text and numbers into a stream; the first failure stays. */
#include "written.h"

#include "text/write/writer.h"

static const char path[] = "test_writer.txt";

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        int decimals; /* -1: the shortest digits */
        const char *text;
    } cases[] = {
        {0.1, -1, "0.1"},
        {-3.0, -1, "-3"},
        {1e300, -1, "1e+300"},
        {NAN, -1, "none"},
        {-INFINITY, -1, "none"},
        {0.95, 2, "0.95"},
        {-3.0, 1, "-3.0"},
        {0.05, 1, "0.1"},
        {2.5, 0, "3"},
        {-0.04, 1, "0.0"},
        {-0.06, 1, "-0.1"},
        {1.0078, 2, "1.01"},
        {1.0078, 3, "1.008"},
        {999999999999.0, 1, "999999999999.0"},
        {1e12, 1, "1000000000000"},
        {INFINITY, 2, "none"},
        {NAN, 0, "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        writer w = {.stream = written_open(path)};
        if (cases[i].decimals < 0) {
            writer_number(&w, cases[i].value, "none");
        } else {
            writer_decimals(&w, cases[i].value, cases[i].decimals, "none");
        }
        CHECK_OK(w.status);
        written_expect(w.stream, path, cases[i].text);
    }
}

static const char *escape(char character, char room[WRITER_ESCAPE_SIZE])
{
    if (character == 'b') return "";
    if (character != '?') return NULL;
    (void)snprintf(room, WRITER_ESCAPE_SIZE, "<%c>", character);
    return room;
}

static void test_text(void **state)
{
    (void)state;
    writer w = {.stream = written_open(path)};
    writer_text(&w, "one ");
    writer_print(&w, "%d %s ", 2, "three");
    writer_bytes(&w, "fourfive", 4);
    writer_escaped(&w, " ab?c", escape);
    writer_escaped(&w, "??", escape);
    writer_escaped(&w, "", escape);
    CHECK_OK(w.status);
    written_expect(w.stream, path, "one 2 three four a<?>c<?><?>");
}

static void test_too_long(void **state)
{
    (void)state;
    char longest[1024];
    memset(longest, 'y', 1023);
    longest[1023] = '\0';
    writer w = {.stream = written_open(path)};
    writer_print(&w, "%s", longest);
    CHECK_OK(w.status);
    writer_print(&w, "%sz", longest);
    CHECK_FAILS(w.status, SCONE_ERR_DEFECT, "too long");
    writer_text(&w, "after it");
    written_expect(w.stream, path, longest);
}

/* A stream that fails once is not written to again, and the status is that of the failure. */
static void test_failure_stays(void **state)
{
    (void)state;
    writer w = {.stream = written_full()};
    writer_text(&w, "lost");
    CHECK_FAILS(w.status, SCONE_ERR_IO, "/dev/full: cannot write");
    writer_text(&w, "lost");
    writer_print(&w, "%d", 3);
    writer_number(&w, 1.0, "");
    writer_decimals(&w, 1.0, 2, "");
    writer_escaped(&w, "?", escape);
    CHECK_FAILS(w.status, SCONE_ERR_IO, "/dev/full: cannot write");
    output_discard(w.stream);
    writer other = {.stream = written_open(path), .status = SCONE_ERR_INPUT};
    writer_text(&other, "not written");
    CHECK(other.status == SCONE_ERR_INPUT);
    written_expect(other.stream, path, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_failure_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
