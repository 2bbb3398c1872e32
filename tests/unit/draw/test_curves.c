/* test_curves.c - charts: where points, ticks and labels are, gaps, and that the file is XML. */
#include "written.h"

#include "draw/curves.h"
#include "text/xml.h"

static const char path[] = "test_curves.svg";

/* The drawing, read once by an XML reader. */
static char *drawn(const panel *panels, size_t count)
{
    output_file *stream = written_open(path);
    xml_reader reader;
    CHECK_OK(curves_write(stream, panels, count));
    char *text = written_text(stream, path);
    CHECK_OK(xml_open(&reader, text, strlen(text)));
    do {
        CHECK_OK(xml_next(&reader));
    } while (reader.event != XML_END_OF_FILE);
    xml_close(&reader);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no %s in\n%s", part, text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++) count++;
    return count;
}

/* The plot of the first panel reaches from (48, 204) to (298, 34), with a rim
 * for measured points. */
static void test_measured(void **state)
{
    (void)state;
    static const double points[3][3] = {{100, 0.25, 0.25}, {1000, 0.5, 0.0}, {10000, 2.0, 0.0}};
    const panel one = {.title = "R & D",
                       .axis = "rows",
                       .count = 1,
                       .measured = true,
                       .high = 1.0,
                       .curves = {{"<found>", points[0], points[0] + 1, points[0] + 2, 3, 3}}};
    char *text = drawn(&one, 1);
    expect(text, "width=\"338\" height=\"292\" viewBox=\"0 0 338 292\"");
    expect(text, ">R &amp; D</text>");
    expect(text, ">&lt;found&gt;</text>");
    expect(text, "<path class=\"c0\" d=\"M58.0,161.5 L173.0,119.0 L288.0,34.0\"/>");
    expect(text, "<line class=\"c0\" x1=\"58.0\" y1=\"204.0\" x2=\"58.0\" y2=\"119.0\"/>");
    expect(text, "<text class=\"m\" x=\"173.0\" y=\"221.0\">1000</text>");
    expect(text, "<text class=\"e\" x=\"42.0\" y=\"80.5\">0.75</text>");
    CHECK(count_of(text, "<circle") == 3);
    CHECK(count_of(text, "<line class=\"c0\"") == 2); /* a bar and the legend */
    mem_free(text);
}

/* An even axis from 0 to the last x, and values to the largest one. A value that is not finite is a
 * gap. */
static void test_even(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4, 10}, y[] = {4.0, 2.0, NAN, 1.0, 0.0};
    static const double low[] = {INFINITY, 1.0, 1.0, 1.0, -1.0};
    const panel two[2] = {
        {.title = "a", .axis = "step"},
        {.title = "b",
         .axis = "step",
         .count = 2,
         .curves = {{"first", x, y, NULL, 5, 1}, {"second", x, low, NULL, 5, 1}}}};
    char *text = drawn(two, 2);
    expect(text, "<path class=\"c0\" d=\"M411.0,34.0 L436.0,119.0 M486.0,161.5 L636.0,204.0\"/>");
    expect(text, "<path class=\"c1\" d=\" M436.0,161.5 L461.0,161.5 L486.0,161.5 L636.0,204.0\"/>");
    expect(text, "<text class=\"e\" x=\"380.0\" y=\"38.0\">4.00</text>");
    static const char *const ticks[] = {"0", "2.5", "5", "7.5", "10"};
    for (int k = 0; k < 5; k++) {
        char tick[80];
        (void)snprintf(tick, sizeof tick, "x=\"%.1f\" y=\"221.0\">%s</text>", 386.0 + 62.5 * k,
                       ticks[k]);
        expect(text, tick);
    }
    CHECK(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
    CHECK(count_of(text, "<circle") == 0);
    CHECK(strstr(text, "class=\"c1\"") < strstr(text, "class=\"c0\"")); /* the first on top */
    mem_free(text);
}

/* One point has a middle, and none leave an empty frame. */
static void test_few(void **state)
{
    (void)state;
    static const double x = 500.0, y = 0.5;
    panel one = {.title = "t",
                 .axis = "a",
                 .count = 1,
                 .measured = true,
                 .high = 1.0,
                 .curves = {{"c", &x, &y, NULL, 1, 1}}};
    char *text = drawn(&one, 1);
    expect(text, "cx=\"173.0\" cy=\"119.0\"");
    mem_free(text);
    for (int measured = 0; measured < 2; measured++) {
        one.curves[0].count = 0;
        one.measured = measured;
        text = drawn(&one, 1);
        expect(text, "<path class=\"c0\" d=\"\"/>");
        CHECK(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
        mem_free(text);
    }
}

static void test_failure(void **state)
{
    (void)state;
    const panel one = {.title = "t", .axis = "a"};
    output_file *stream = written_full();
    CHECK_FAILS(curves_write(stream, &one, 1), SCONE_ERR_IO, "/dev/full: cannot write");
    output_discard(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
