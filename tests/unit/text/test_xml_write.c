/* test_xml_write.c - XML as it is written: lines and indentation, escapes, and what the project's
 * own reader makes of it. */
#include "written.h"

#include "text/write/xml_write.h"
#include "text/xml.h"

static const char path[] = "test_xml_write.xml";

static void write_sample(xml_writer *x)
{
    xml_write_markup(x, "<?xml version=\"1.0\"?>\n");
    xml_write_block(x, "list");
    xml_write_attribute(x, "kind", "short");
    xml_write_element(x, "item", "1 < 2");
    xml_write_block(x, "inner");
    xml_write_open(x, "line");
    xml_write_length(x, "x1", 0.5);
    xml_write_value(x, "d");
    xml_write_markup(x, "M");
    xml_write_decimals(x, 2.0, 0);
    xml_write_text(x, ">");
    xml_write_value_end(x);
    xml_write_close(x);
    xml_write_close(x);
    xml_write_open(x, "p");
    xml_write_text(x, "a ");
    xml_write_element(x, "b", "c");
    xml_write_print(x, " %d&#8594;", 3);
    xml_write_decimals(x, NAN, 1);
    xml_write_close(x);
    xml_write_block(x, "empty");
    xml_write_close(x);
    xml_write_close(x);
}

static void test_layout(void **state)
{
    (void)state;
    static const char *const expected[] = {"<?xml version=\"1.0\"?>\n"
                                           "<list kind=\"short\">\n"
                                           "<item>1 &lt; 2</item>\n"
                                           "<inner>\n"
                                           "<line x1=\"0.5\" d=\"M2&gt;\"/>\n"
                                           "</inner>\n"
                                           "<p>a <b>c</b> 3&#8594;-</p>\n"
                                           "<empty>\n"
                                           "</empty>\n"
                                           "</list>\n",
                                           "<?xml version=\"1.0\"?>\n"
                                           "<list kind=\"short\">\n"
                                           "  <item>1 &lt; 2</item>\n"
                                           "  <inner>\n"
                                           "    <line x1=\"0.5\" d=\"M2&gt;\"/>\n"
                                           "  </inner>\n"
                                           "  <p>a <b>c</b> 3&#8594;-</p>\n"
                                           "  <empty>\n"
                                           "  </empty>\n"
                                           "</list>\n"};
    for (int k = 0; k < 2; k++) {
        xml_writer x = xml_write_start(written_open(path), 2 * k);
        write_sample(&x);
        CHECK_OK(xml_write_end(&x));
        written_expect(x.out.stream, path, expected[k]);
    }
}

/* Text and attributes come back as they were, whatever they hold that XML can. */
static void test_escapes(void **state)
{
    (void)state;
    static const char strange[] = "<a href=\"x\">&amp;'\t\r\n]]> \xC3\xBC";
    xml_writer x = xml_write_start(written_open(path), 0);
    xml_write_open(&x, "e");
    xml_write_attribute(&x, "v", strange);
    xml_write_text(&x, strange);
    xml_write_close(&x);
    CHECK_OK(xml_write_end(&x));
    char *text = written_text(x.out.stream, path);
    const char *escaped = "&lt;a href=&quot;x&quot;&gt;&amp;amp;'&#9;&#13;&#10;]]&gt; \xC3\xBC";
    char expected[256];
    (void)snprintf(expected, sizeof expected, "<e v=\"%s\">%s</e>\n", escaped, escaped);
    assert_string_equal(text, expected);
    xml_reader reader;
    CHECK_OK(xml_open(&reader, text, strlen(text)));
    CHECK_OK(xml_next(&reader));
    CHECK(reader.event == XML_OPEN && xml_is(*xml_attribute_find(&reader, "v"), strange));
    CHECK_OK(xml_next(&reader));
    CHECK(reader.event == XML_TEXT && xml_is(reader.text, strange));
    xml_close(&reader);
    mem_free(text);
}

static void test_failures(void **state)
{
    (void)state;
    xml_writer x = xml_write_start(written_full(), 2);
    write_sample(&x);
    CHECK_FAILS(xml_write_end(&x), SCONE_ERR_IO, "/dev/full: cannot write");
    output_discard(x.out.stream);

    x = xml_write_start(written_open(path), 0);
    xml_write_open(&x, "left");
    CHECK_FAILS(xml_write_end(&x), SCONE_ERR_DEFECT, "not closed");
    output_discard(x.out.stream);

    x = xml_write_start(written_open(path), 0);
    xml_write_close(&x);
    CHECK_FAILS(xml_write_end(&x), SCONE_ERR_DEFECT, "not closed");
    output_discard(x.out.stream);

    x = xml_write_start(written_open(path), 0);
    xml_write_open(&x, "e");
    xml_write_text(&x, "text");
    xml_write_attribute(&x, "late", "");
    xml_write_close(&x);
    CHECK_FAILS(xml_write_end(&x), SCONE_ERR_DEFECT, "internal error");
    output_discard(x.out.stream);

    for (int more = 0; more < 2; more++) {
        x = xml_write_start(written_open(path), 0);
        for (int k = 0; k < XML_WRITE_DEPTH + more; k++) xml_write_open(&x, "e");
        for (int k = 0; k < XML_WRITE_DEPTH; k++) xml_write_close(&x);
        CHECK(xml_write_end(&x) == (more ? SCONE_ERR_DEFECT : SCONE_OK));
        output_discard(x.out.stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
