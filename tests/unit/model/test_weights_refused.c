/* test_weights_refused.c - weight files that lie: every rule of docs/reference/formats.md broken on
 * purpose, with checksums that fit the lie, so that each rule has to find it by itself. */
#include "weights_files.h"

#include <sys/stat.h>
#include <unistd.h>

static const unsigned char zeros[4096];

#define IDENTITY                                                                                   \
    "\"format\":\"scone-weights\",\"version\":\"1\",\"header_xxh64\":\"0000000000000000\""
/* One float, four zero bytes. */
#define HASH_OF_ZERO "\"xxh64.a\":\"7aabe1b7\""
#define ONE(shape_, offsets_)                                                                      \
    "\"a\":{\"dtype\":\"F32\",\"shape\":" shape_ ",\"data_offsets\":" offsets_ "}"

typedef struct lie {
    const char *tensors; /* what follows the metadata */
    size_t bytes;        /* of zeros after the header */
    const char *message;
} lie;

/* Fails as it should, before memory of any size that the header claims is asked for. */
static void check_refused(const char *header, const void *values, size_t size, const char *message)
{
    file_bytes file = file_make(header, values, size);
    weights *w = (weights *)8;
    scone_status status = weights_parse(&w, file.data, file.size, WEIGHTS_FORMAT_MODEL);
    if (status != SCONE_ERR_INPUT || !strstr(scone_error_message(), message)) {
        fail_msg("%s: status %d, '%s' lacks '%s'", header, (int)status,
                 status ? scone_error_message() : "", message);
    }
    CHECK(w == NULL);
    file_free(&file);
}

/* ---- tensors ---- */

static const lie tensor_lies[] = {
    /* shapes */
    {ONE("[1]", "[0,8]"), 8, "tensor 'a': its shape [1] takes 4 bytes, its offsets give it 8"},
    {ONE("[3]", "[0,8]"), 8, "its shape [3] takes 12 bytes, its offsets give it 8"},
    {ONE("[]", "[0,8]"), 8, "its shape [] takes 4 bytes, its offsets give it 8"},
    {ONE("[0]", "[0,0]"), 0, "dimension 1 is 0"},
    {ONE("[2,0]", "[0,0]"), 0, "dimension 2 is 0"},
    {ONE("[-1]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[-1,-1]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[1.5]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[\"1\"]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[null]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[[1]]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[18446744073709551617]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[9007199254740994]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[1e999]", "[0,4]"), 4, "a dimension of its shape is not a whole number"},
    {ONE("[4294967296,4294967296]", "[0,4]"), 4, "more values than any computer holds"},
    {ONE("[4294967296,2147483648,2]", "[0,0]"), 0, "more values than any computer holds"},
    {ONE("[2147483648,2147483649]", "[0,4]"), 4, "more values than any computer holds"},
    {ONE("[9007199254740992]", "[0,36028797018963968]"), 4, "its second offset is not a whole"},
    {ONE("[2251799813685248]", "[0,9007199254740992]"), 4, "truncated: it ends at byte 90071992"},
    {ONE("[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "more than the 8 dimensions"},
    {ONE("1", "[0,4]"), 4, "its shape is not a list"},
    {ONE("{}", "[0,4]"), 4, "its shape is not a list"},
    /* offsets */
    {ONE("[1]", "[4,0]"), 4, "it ends at byte 0, before it begins at 4"},
    {ONE("[1]", "[4,8]"), 8, "a gap: it begins at byte 4, the tensor before it ends at 0"},
    {ONE("[1]", "[-4,0]"), 4, "its first offset is not a whole number"},
    {ONE("[1]", "[0,4.5]"), 4, "its second offset is not a whole number"},
    {ONE("[1]", "[0]"), 4, "its data_offsets are not two numbers"},
    {ONE("[1]", "[0,4,8]"), 4, "its data_offsets are not two numbers"},
    {ONE("[1]", "4"), 4, "its data_offsets are not two numbers"},
    {ONE("[1]", "{\"b\":0,\"e\":4}"), 4, "its data_offsets are"},
    {ONE("[2]", "[0,8]"), 7, "tensor 'a': truncated: it ends at byte 8 of the values, of which 7"},
    {ONE("[1000000000]", "[0,4000000000]"), 8, "truncated"},
    {ONE("[1]", "[0,4]"), 5, "trailing bytes: 1 after the last tensor"},
    {ONE("[1]", "[0,4]"), 4096, "trailing bytes: 4092"},
    {ONE("[1]", "[0,4]") ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}", 4,
     "tensor 'b': it overlaps: it is at bytes 0 to 4, the tensor before it at 0 to 4"},
    {ONE("[2]", "[0,8]") ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}", 12,
     "tensor 'b': it overlaps"},
    {ONE("[1]", "[0,4]") ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}", 12,
     "tensor 'b': a gap: it begins at byte 8, the tensor before it ends at 4"},
    {"\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}," ONE("[1]", "[0,4]"), 8,
     "tensor 'b': a gap"},
    {ONE("[1]", "[0,4]") ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]},"
                         "\"c\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}",
     8, "tensor 'c': out of order: it is at bytes 0 to 4, the tensor before it at 4 to 8"},
    {ONE("[1]", "[0,4]") ",\"b\":{\"dtype\":\"U64\",\"shape\":[1],\"data_offsets\":[4,12]}", 12,
     "tensor 'b': it begins at byte 4, which is no multiple of its 8 bytes a value"},
    /* types */
    {"\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}", 4,
     "its dtype is \"F16\"; only F32 and U64 are read"},
    {"\"a\":{\"dtype\":\"f32\",\"shape\":[1],\"data_offsets\":[0,4]}", 4, "its dtype is \"f32\""},
    {"\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}", 4, "its dtype is \"BF16\""},
    {"\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}", 8, "its dtype is \"F64\""},
    {"\"a\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]}", 8, "its dtype is \"I64\""},
    {"\"a\":{\"dtype\":32,\"shape\":[1],\"data_offsets\":[0,4]}", 4, "its dtype is \"\""},
    /* members */
    {"\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}", 4, "tensor 'a': \"dtype\" is missing"},
    {"\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}", 4, "\"shape\" is missing"},
    {"\"a\":{\"dtype\":\"F32\",\"shape\":[1]}", 4, "\"data_offsets\" is missing"},
    {"\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}", 4,
     "\"dtype\" occurs twice"},
    {"\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,4]}", 4,
     "\"shape\" occurs twice"},
    {"\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"code\":\"x\"}", 4,
     "members other than dtype, shape and data_offsets"},
    {"\"a\":[1,2]", 4, "tensor 'a': not an object"},
    {"\"a\":4", 4, "tensor 'a': not an object"},
    /* names */
    {ONE("[1]", "[0,4]") "," ONE("[1]", "[4,8]"), 8, "tensor 'a' occurs twice"},
    {ONE("[1]", "[0,4]") ",\"\\u0061\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}", 8,
     "tensor 'a' occurs twice"},
    {"\"\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}", 4, "its name is empty"},
    {"\"a\\u001b[2J\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}", 4,
     "its name is empty, longer than 127 bytes, or has control characters"},
    {"\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}", 4,
     "tensor 'b': its checksum is missing"},
    {ONE("[1]", "[0,4]") ",\"__metadata__\":{}", 4, "\"__metadata__\" occurs twice"},
    {NULL, 0, "there are no tensors in it"},
};

static void test_tensors(void **state)
{
    (void)state;
    size_t count = sizeof tensor_lies / sizeof *tensor_lies;
    for (size_t i = 0; i < count; i++) {
        const lie *l = &tensor_lies[i];
        char header[1024];
        (void)snprintf(
            header, sizeof header, "{\"__metadata__\":{" IDENTITY ",\"xxh64.a\":\"%s\"}%s%s}",
            hash_text(zeros, l->bytes), l->tensors ? "," : "", l->tensors ? l->tensors : "");
        check_refused(header, zeros, l->bytes, l->message);
    }
    CHECK(count >= 40);
}

/* ---- metadata ---- */

static void test_metadata(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{" ONE("[1]", "[0,4]") "}", "no \"__metadata__\" in the header: scone did not write"},
        {"{\"__metadata__\":{\"format\":\"pt\"}," ONE("[1]", "[0,4]") "}",
         "its format is \"pt\", and \"scone-weights\" is needed here"},
        {"{\"__metadata__\":{\"format\":\"scone-checkpoint\",\"version\":\"1\"}}",
         "its format is \"scone-checkpoint\""},
        {"{\"__metadata__\":{}," ONE("[1]", "[0,4]") "}", "metadata: \"format\" is missing"},
        {"{\"__metadata__\":null}", "\"__metadata__\" is not an object"},
        {"{\"__metadata__\":[\"format\"]}", "\"__metadata__\" is not an object"},
        {"{\"__metadata__\":{\"format\":1}}", "the value of \"format\" is not a text"},
        {"{\"__metadata__\":{\"format\":\"scone-weights\",\"x\":{}}}",
         "the value of \"x\" is not a text"},
        {"{\"__metadata__\":{\"format\":\"scone-weights\",\"x\":\"a\\u001bb\"}}",
         "the value of \"x\" is not a text without control characters"},
        {"{\"__metadata__\":{\"\":\"x\"}}", "the key \"\" is empty or has control"},
        {"{\"__metadata__\":{\"x\\n\":\"x\"}}", "is empty or has control characters"},
        {"{\"__metadata__\":{\"x\":\"1\",\"x\":\"2\"}}", "metadata: \"x\" occurs twice"},
        {"{\"__metadata__\":{\"format\":\"scone-weights\"}}", "\"version\" is missing"},
        {"{\"__metadata__\":{\"format\":\"scone-weights\",\"version\":\"2\"}}",
         "version \"2\" of the format, and this program knows 1; use the scone that wrote it"},
        {"{\"__metadata__\":{\"format\":\"scone-weights\",\"version\":\"01\"}}", "version \"01\""},
        {"{\"__metadata__\":{\"format\":\"scone-weights\",\"version\":\"1\"}}",
         "\"header_xxh64\" is missing"},
        /* the member with a space before its value is not as scone writes it */
        {"{\"__metadata__\":{\"format\":\"scone-weights\",\"version\":\"1\","
         "\"header_xxh64\": \"0000000000000000\"}}",
         "\"header_xxh64\" is missing"},
        {"{\"__metadata__\":{\"format\":\"scone-weights\",\"version\":\"1\","
         "\"header_xxh64\":\"1234\"}}",
         "checksum of the header: 1234 noted"},
        {"{\"__metadata__\":{" IDENTITY
         ",\"xxh64.a\":\"0000000000000000\"}," ONE("[1]", "[0,4]") "}",
         "tensor 'a': checksum 0000000000000000 noted"},
        {"{\"__metadata__\":{" IDENTITY "," HASH_OF_ZERO "}," ONE("[1]", "[0,4]") "}",
         "tensor 'a': checksum 7aabe1b7 noted"},
        {"{\"__metadata__\":{" IDENTITY "," HASH_OF_ZERO
         ",\"xxh64.b\":\"0\"}," ONE("[1]", "[0,4]") "}",
         "tensor 'b': there is a checksum of it but no tensor"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(cases[i][0], zeros, 4, cases[i][1]);
    }
}

/* ---- JSON ---- */

static void test_json(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[]", "the header does not start with '{'"},
        {" {}", "the header does not start with '{'"},
        {"null", "the header does not start with '{'"},
        {"{", "the header is damaged, copy or download the file again: line 1: not valid JSON"},
        {"{}x", "the header is damaged, copy or download the file again: line 1: not valid JSON: "
                "expected the end"},
        {"{}{}", "the header is damaged, copy or download the file again: line 1: not valid JSON: "
                 "expected the end"},
        {"{\"a\":1,}", "not valid JSON"},
        {"{'a':1}", "not valid JSON"},
        {"{\"a\":007}", "not valid JSON"},
        {"{\"a\":NaN}", "not valid JSON"},
        {"{\"a\":\"\\u0000\"}", "NUL"},
        {"{\"a\":\"\xff\"}", "UTF-8"},
        {"{\"a\":\"\t\"}", "control character"},
        {"{/* x */}", "not valid JSON"},
        {"{}", "no \"__metadata__\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(cases[i][0], zeros, 4, cases[i][1]);
    }
    /* deep enough to exhaust a stack that does not count */
    char *deep = malloc(200001);
    for (size_t i = 0; i < 200000; i++) deep[i] = "{\"a\":"[i % 5];
    deep[200000] = '\0';
    check_refused(deep, zeros, 4, "nested more than 64 deep");
    free(deep);
}

/* ---- the length ---- */

static void set_length(file_bytes *file, uint64_t length)
{
    for (size_t i = 0; i < 8; i++) file->data[i] = (unsigned char)(length >> 8 * i);
}

static void test_length(void **state)
{
    (void)state;
    weights *w;
    file_bytes file = file_make("{\"__metadata__\":{}}", zeros, 4);
    static const struct {
        uint64_t length;
        const char *message;
    } cases[] = {
        {0, "the header does not start with '{'"},
        {1, "the header does not start with '{'"},
        {40, "the values start at byte 48, not at a multiple of 64"},
        {61, "truncated: a header of 61 bytes, of which 60 are there"},
        {WEIGHTS_HEADER_LIMIT, "truncated: a header of 1048576 bytes"},
        {WEIGHTS_HEADER_LIMIT + 1, "its header would have 1048577 bytes, and at most 1048576"},
        {INT64_MAX, "its header would have 9223372036854775807 bytes"},
        {UINT64_MAX - 7, "its header would have 18446744073709551608 bytes"},
        {UINT64_MAX, "its header would have 18446744073709551615 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_length(&file, cases[i].length);
        CHECK_FAILS(weights_parse(&w, file.data, file.size, WEIGHTS_FORMAT_MODEL), SCONE_ERR_INPUT,
                    cases[i].message);
        CHECK(w == NULL);
    }
    file_free(&file);
    /* other kinds of files */
    static const char *const other[] = {"PK\3\4 a zip archive, as PyTorch writes one",
                                        "\x89HDF\r\n\x1a\n an HDF5 file",
                                        "\x80\x02}q\1 a pickle of some size"};
    for (size_t i = 0; i < 3; i++) {
        CHECK_FAILS(weights_parse(&w, (const unsigned char *)other[i], strlen(other[i]),
                                  WEIGHTS_FORMAT_MODEL),
                    SCONE_ERR_INPUT, "not a weights file");
    }
}

/* ---- values ---- */

static void test_values(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        const char *message; /* NULL: fine */
    } cases[] = {
        {0x7f800000, "tensor 'a': value 2 of 3 is infinite"},
        {0xff800000, "tensor 'a': value 2 of 3 is infinite"},
        {0x7fc00000, "tensor 'a': value 2 of 3 is NaN; these weights cannot be used"},
        {0x7f800001, "tensor 'a': value 2 of 3 is NaN"},
        {0xffffffff, "tensor 'a': value 2 of 3 is NaN"},
        {0x7f7fffff, NULL},
        {0x80000001, NULL},
        {0x80000000, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t values[3] = {0x3f800000, cases[i].bits, 0xc0000000};
        char header[512];
        (void)snprintf(header, sizeof header,
                       "{\"__metadata__\":{" IDENTITY
                       ",\"xxh64.a\":\"%s\"}," ONE("[3]", "[0,12]") "}",
                       hash_text(values, 12));
        if (cases[i].message) {
            check_refused(header, values, 12, cases[i].message);
            continue;
        }
        weights *w;
        file_bytes file = file_make(header, values, 12);
        CHECK_OK(weights_parse(&w, file.data, file.size, WEIGHTS_FORMAT_MODEL));
        CHECK(memcmp(weights_floats(w, "a"), values, 12) == 0);
        weights_free(w);
        file_free(&file);
    }
}

/* ---- what is no file ---- */

static void test_paths(void **state)
{
    (void)state;
    weights *w;
    CHECK_FAILS(weights_open(&w, ".", WEIGHTS_FORMAT_MODEL), SCONE_ERR_IO, ".: is a folder");
    const char *pipe_path = "test_weights_pipe";
    (void)unlink(pipe_path);
    CHECK(mkfifo(pipe_path, 0600) == 0);
    CHECK_FAILS(weights_open(&w, pipe_path, WEIGHTS_FORMAT_MODEL), SCONE_ERR_IO,
                "test_weights_pipe: not a regular file");
    CHECK(unlink(pipe_path) == 0);
    CHECK(w == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensors), cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_json),    cmocka_unit_test(test_length),
        cmocka_unit_test(test_values),  cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
