/* test_json_write.c - JSON as it is written: layout, escapes, and what a JSON reader makes of it.
 */
#include "written.h"

#include "text/write/json_write.h"

#include <cJSON.h>

static const char path[] = "test_json_write.json";

static void test_layout(void **state)
{
    (void)state;
    json_writer j = json_write_start(written_open(path));
    json_write_string(&j, "format", "example");
    json_write_lines(&j, "none");
    json_write_close(&j);
    json_write_array(&j, "empty");
    json_write_close(&j);
    json_write_object(&j, "bare");
    json_write_close(&j);
    json_write_lines(&j, "pairs");
    for (uint64_t k = 1; k <= 2; k++) {
        json_write_object(&j, NULL);
        json_write_count(&j, "a", k);
        json_write_array(&j, "b");
        json_write_array(&j, NULL);
        json_write_boolean(&j, NULL, k == 1);
        json_write_null(&j, NULL);
        json_write_close(&j);
        json_write_number(&j, NULL, 0.5);
        json_write_close(&j);
        json_write_close(&j);
    }
    json_write_close(&j);
    json_write_lines(&j, "outer");
    json_write_lines(&j, NULL);
    json_write_count(&j, NULL, 7);
    json_write_close(&j);
    json_write_close(&j);
    json_write_decimals(&j, "last", 0.25, 3);
    CHECK_OK(json_write_end(&j));
    written_expect(j.out.stream, path,
                   "{\n"
                   "  \"format\": \"example\",\n"
                   "  \"none\": [],\n"
                   "  \"empty\": [],\n"
                   "  \"bare\": {},\n"
                   "  \"pairs\": [\n"
                   "    {\"a\": 1, \"b\": [[true, null], 0.5]},\n"
                   "    {\"a\": 2, \"b\": [[false, null], 0.5]}\n"
                   "  ],\n"
                   "  \"outer\": [\n"
                   "    [\n"
                   "      7\n"
                   "    ]\n"
                   "  ],\n"
                   "  \"last\": 0.250\n"
                   "}\n");
    j = json_write_start(written_open(path));
    CHECK_OK(json_write_end(&j));
    written_expect(j.out.stream, path, "{}\n");
}

static void test_values(void **state)
{
    (void)state;
    json_writer j = json_write_start(written_open(path));
    json_write_number(&j, "shortest", 0.1);
    json_write_number(&j, "nan", NAN);
    json_write_number(&j, "infinite", -INFINITY);
    json_write_decimals(&j, "rounded nan", NAN, 2);
    json_write_count(&j, "most", UINT64_MAX);
    json_write_hash(&j, "hash", 0xabc);
    json_write_string(&j, "no text", NULL);
    CHECK_OK(json_write_end(&j));
    written_expect(j.out.stream, path,
                   "{\n"
                   "  \"shortest\": 0.1,\n"
                   "  \"nan\": null,\n"
                   "  \"infinite\": null,\n"
                   "  \"rounded nan\": null,\n"
                   "  \"most\": 18446744073709551615,\n"
                   "  \"hash\": \"0000000000000abc\",\n"
                   "  \"no text\": null\n"
                   "}\n");
}

/* Every ASCII character, and what a reader makes of keys and values. */
static void test_escapes(void **state)
{
    (void)state;
    char all[256];
    size_t used = 0;
    for (int c = 1; c < 128; c++) all[used++] = (char)c;
    memcpy(all + used, "\xC3\xBC\xE2\x86\x92", 6);
    json_writer j = json_write_start(written_open(path));
    json_write_string(&j, all, all);
    json_write_string(&j, "plain", "a\"b\\c\nd\te/f\x01");
    CHECK_OK(json_write_end(&j));
    char *text = written_text(j.out.stream, path);
    CHECK(strstr(text, "\"plain\": \"a\\\"b\\\\c\\nd\\u0009e/f\\u0001\"\n"));
    CHECK(strstr(text, "\xC3\xBC\xE2\x86\x92\""));
    for (const char *at = text; *at; at++) CHECK((unsigned char)*at >= 0x20 || *at == '\n');
    cJSON *root = cJSON_Parse(text);
    CHECK(root != NULL);
    assert_string_equal(root->child->string, all);
    assert_string_equal(root->child->valuestring, all);
    cJSON_Delete(root);
    mem_free(text);
}

static void test_failures(void **state)
{
    (void)state;
    json_writer j = json_write_start(written_full());
    CHECK_FAILS(j.out.status, SCONE_ERR_IO, "cannot write");
    json_write_lines(&j, "list");
    json_write_string(&j, NULL, "a");
    json_write_close(&j);
    CHECK_FAILS(json_write_end(&j), SCONE_ERR_IO, "/dev/full: cannot write");
    output_discard(j.out.stream);

    j = json_write_start(written_open(path));
    json_write_array(&j, "left open");
    CHECK_FAILS(json_write_end(&j), SCONE_ERR_DEFECT, "not closed");
    output_discard(j.out.stream);

    j = json_write_start(written_open(path));
    for (int k = 0; k < 3; k++) json_write_close(&j);
    CHECK_FAILS(json_write_end(&j), SCONE_ERR_DEFECT, "not closed");
    output_discard(j.out.stream);

    for (int more = 0; more < 2; more++) { /* the root is the first level */
        int levels = JSON_WRITE_DEPTH - 1 + more;
        j = json_write_start(written_open(path));
        for (int k = 0; k < levels; k++) json_write_array(&j, k ? NULL : "deep");
        for (int k = 0; k < levels; k++) json_write_close(&j);
        if (more) {
            CHECK_FAILS(json_write_end(&j), SCONE_ERR_DEFECT, "too deep");
        } else {
            CHECK_OK(json_write_end(&j));
        }
        output_discard(j.out.stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
