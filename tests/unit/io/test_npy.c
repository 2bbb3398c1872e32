/* test_npy.c - NPY files: every accepted type, order, version and shape against values that are
 * encoded here byte by byte, and every lie a header can tell. */
#include "testing.h"

#include "io/file.h"
#include "io/npy.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

typedef struct bytes {
    unsigned char data[70000];
    size_t size;
} bytes;

static void add(bytes *b, const void *data, size_t size)
{
    CHECK(b->size + size <= sizeof b->data);
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
}

/* An integer of `width` bytes, most significant first if `big`. */
static void add_integer(bytes *b, uint64_t value, size_t width, bool big)
{
    for (size_t i = 0; i < width; i++) {
        unsigned char byte = (unsigned char)(value >> 8 * (big ? width - 1 - i : i));
        add(b, &byte, 1);
    }
}

static void add_header(bytes *b, int major, int minor, const char *text)
{
    unsigned char version[2] = {(unsigned char)major, (unsigned char)minor};
    b->size = 0;
    add(b, "\x93NUMPY", 6);
    add(b, version, 2);
    add_integer(b, strlen(text), major == 1 ? 2 : 4, false);
    add(b, text, strlen(text));
}

static void make_header(bytes *b, int major, const char *type, const char *fortran,
                        const char *shape)
{
    char text[256];
    (void)snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }   \n",
                   type, fortran, shape);
    add_header(b, major, 0, text);
}

/* ---- accepted ---- */

typedef struct sample {
    const char *type; /* kind and size */
    size_t width;
    uint64_t bits[6];
    double values[6];
} sample;

static const sample samples[] = {
    {"b1", 1, {0, 1, 1, 0, 1, 2}, {0, 1, 1, 0, 1, 1}},
    {"i1", 1, {0, 1, 0xff, 0x80, 0x7f, 0xd6}, {0, 1, -1, -128, 127, -42}},
    {"u1", 1, {0, 1, 0xff, 0x80, 0x7f, 0xd6}, {0, 1, 255, 128, 127, 214}},
    {"i2", 2, {0, 0x1234, 0xffff, 0x8000, 0x7fff, 0xfedc}, {0, 4660, -1, -32768, 32767, -292}},
    {"u2", 2, {0, 0x1234, 0xffff, 0x8000, 0x7fff, 0xfedc}, {0, 4660, 65535, 32768, 32767, 65244}},
    {"i4",
     4,
     {0, 0x12345678, 0xffffffff, 0x80000000, 0x7fffffff, 7},
     {0, 305419896, -1, -2147483648.0, 2147483647, 7}},
    {"u4",
     4,
     {0, 0x12345678, 0xffffffff, 0x80000000, 0x7fffffff, 7},
     {0, 305419896, 4294967295.0, 2147483648.0, 2147483647, 7}},
    {"i8",
     8,
     {0, 0x123456789abcdef, 0xffffffffffffffff, 0x8000000000000000, 0x20000000000001, 7},
     {0, 81985529216486896.0, -1, -9223372036854775808.0, 9007199254740992.0, 7}},
    {"u8",
     8,
     {0, 0x123456789abcdef, 0xffffffffffffffff, 0x8000000000000000, 0x20000000000003, 7},
     {0, 81985529216486896.0, 18446744073709551616.0, 9223372036854775808.0, 9007199254740996.0,
      7}},
    {"f2",
     2,
     {0x3c00, 0xc000, 0x3555, 0x8000, 0x0001, 0x7bff},
     {1, -2, 0.333251953125, -0.0, 0x1p-24, 65504}},
    {"f4",
     4,
     {0x3f800000, 0xc0000000, 0x3dcccccd, 0x80000000, 0x00000001, 0x7f800000},
     {1, -2, 0x1.99999ap-4, -0.0, 0x1p-149, (double)INFINITY}},
    {"f8",
     8,
     {0x3ff0000000000000, 0xc000000000000000, 0x3fb999999999999a, 0x8000000000000000, 1,
      0xfff0000000000000},
     {1, -2, 0.1, -0.0, 0x1p-1074, -(double)INFINITY}},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static const char *const shape_texts[] = {"(2, 3)", "(6,)", "(3, 2)", "(1, 6)", "(6, 1)", "(6L,)"};
static const size_t shapes[][2] = {{2, 3}, {6, 1}, {3, 2}, {1, 6}, {6, 1}, {6, 1}};

/* 12 types x 4 byte order marks x 2 orders x 6 shapes x 3 versions */
static void test_types(void **state)
{
    (void)state;
    bytes *file = malloc(sizeof *file);
    for (size_t t = 0; t < SAMPLES; t++) {
        for (size_t c = 0; c < 4 * 2 * 6 * 3; c++) {
            char mark = "<>=|"[c % 4], type[8];
            bool fortran = c / 4 % 2 == 1;
            size_t shape = c / 8 % 6;
            (void)snprintf(type, sizeof type, "%c%s", mark, samples[t].type);
            make_header(file, 1 + (int)(c / 48), type, fortran ? "True" : "False",
                        shape_texts[shape]);
            bool big = mark == '>' || (mark != '<' && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
            for (size_t i = 0; i < 6; i++) {
                add_integer(file, samples[t].bits[i], samples[t].width, big);
            }
            npy_array array;
            CHECK_OK(npy_parse(&array, file->data, file->size));
            CHECK(array.rows == shapes[shape][0] && array.columns == shapes[shape][1]);
            for (size_t i = 0; i < 6; i++) {
                size_t row = fortran ? i % array.rows : i / array.columns;
                size_t column = fortran ? i / array.rows : i % array.columns;
                CHECK_SAME(array.values[row + array.rows * column], samples[t].values[i]);
            }
            mem_free(array.values);
        }
    }
    free(file);
}

/* Every binary16 against the definition (-1)^s 2^(e-25) (1024 + f). */
static void test_half(void **state)
{
    (void)state;
    bytes *file = malloc(sizeof *file);
    for (unsigned half = 0; half < 65536; half += 4096) {
        make_header(file, 1, "<f2", "False", "(4096,)");
        for (unsigned i = 0; i < 4096; i++) add_integer(file, half + i, 2, false);
        npy_array array;
        CHECK_OK(npy_parse(&array, file->data, file->size));
        for (unsigned i = 0; i < 4096; i++) {
            unsigned sign = (half + i) >> 15, exponent = (half + i) >> 10 & 31;
            unsigned fraction = (half + i) & 1023;
            double value = array.values[i];
            CHECK(signbit(value) == 0 ? sign == 0 : sign == 1);
            if (exponent == 31 && fraction) {
                CHECK(isnan(value));
            } else if (exponent == 31) {
                CHECK(isinf(value));
            } else {
                double whole = exponent ? 1024.0 + fraction : fraction;
                CHECK_SAME(fabs(value), ldexp(whole, (exponent ? (int)exponent : 1) - 25));
            }
        }
        mem_free(array.values);
    }
    free(file);
}

/* Layouts of the dictionary that NumPy or another writer may produce. */
static void test_dictionaries(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}",
        "{\"shape\": (1, 2,), \"descr\": \"<f8\", \"fortran_order\": False}\n",
        "{'fortran_order':False,'shape':(1,2),'descr':'<f8'}",
        " {\t'shape' : ( 1L , 2L ) , 'fortran_order' : True , 'descr' : '<f8' , } \n\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0000000000000000000001, 2), }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bytes file;
        add_header(&file, 1, 0, texts[i]);
        add_integer(&file, 0x3ff0000000000000, 8, false);
        add_integer(&file, 0xc000000000000000, 8, false);
        npy_array array;
        CHECK_OK(npy_parse(&array, file.data, file.size));
        CHECK(array.rows == 1 && array.columns == 2);
        CHECK_SAME(array.values[0], 1.0);
        CHECK_SAME(array.values[1], -2.0);
        mem_free(array.values);
    }
}

/* ---- rejected ---- */

typedef struct lie {
    int major, minor;
    const char *header;
    size_t data; /* bytes after the header */
    const char *message;
} lie;

#define DICT(type_, order_, shape_)                                                                \
    "{'descr': " type_ ", 'fortran_order': " order_ ", 'shape': " shape_ ", }\n"
#define F8(shape_) DICT("'<f8'", "False", shape_)

static const lie lies[] = {
    /* versions */
    {0, 0, F8("(1,)"), 8, "version 0.0"},
    {1, 1, F8("(1,)"), 8, "version 1.1"},
    {4, 0, F8("(1,)"), 8, "version 4.0"},
    {255, 255, F8("(1,)"), 8, "version 255.255"},
    /* dimensions */
    {1, 0, F8("()"), 8, "0 dimensions"},
    {1, 0, F8("(1, 1, 1)"), 8, "3 dimensions"},
    {1, 0, F8("(1, 1, 1, 1, 1)"), 8, "5 dimensions"},
    {1, 0, F8("(3, 0)"), 0, "no columns"},
    {1, 0, F8("(0, 0)"), 0, "no columns"},
    {1, 0, F8("(0, 3)"), 8, "trailing bytes"},
    {1, 0, F8("(-1, 3)"), 24, "negative"},
    {1, 0, F8("(3, -1)"), 24, "negative"},
    {1, 0, F8("(3)"), 24, "a comma after one size"},
    {1, 0, F8("3"), 24, "a shape in parentheses"},
    {1, 0, F8("[3, 1]"), 24, "a shape in parentheses"},
    {1, 0, F8("(3 1)"), 24, "a comma in the shape"},
    {1, 0, F8("(,)"), 0, "a size"},
    {1, 0, F8("(3,,1)"), 24, "a size"},
    {1, 0, F8("(3.0, 1)"), 24, "a comma in the shape"},
    {1, 0, F8("(0x3, 1)"), 24, "a comma in the shape"},
    {1, 0, F8("(None, 1)"), 24, "a size"},
    {1, 0, F8("(3, 1"), 24, "a size expected at '}"},
    /* products that wrap, sizes that no file has */
    {1, 0, F8("(18446744073709551615,)"), 8, "any computer"},
    {1, 0, F8("(18446744073709551616,)"), 8, "no computer"},
    {1, 0, F8("(99999999999999999999999999, 1)"), 8, "no computer"},
    {1, 0, F8("(4294967296, 4294967296)"), 8, "any computer"},
    {1, 0, F8("(2305843009213693952, 1)"), 8, "any computer"}, /* * 8 = 2^64 */
    {1, 0, F8("(2305843009213693953, 1)"), 8, "any computer"}, /* * 8 = 8 after wrapping */
    {1, 0, DICT("'|u1'", "False", "(2305843009213693952, 1)"), 8, "any computer"},
    {1, 0, F8("(1000000000000, 1000)"), 8, "truncated"},
    {1, 0, DICT("'|u1'", "False", "(100000000000,)"), 100, "truncated"},
    {2, 0, F8("(1000000000, 1000)"), 16, "truncated"},
    {1, 0, F8("(2,)"), 15, "truncated"},
    {1, 0, F8("(2,)"), 0, "but 0 follow"},
    {1, 0, F8("(2,)"), 17, "trailing bytes"},
    {1, 0, DICT("'|b1'", "True", "(2, 2)"), 5, "trailing bytes"},
    /* types */
    {1, 0, DICT("'|O'", "False", "(1,)"), 8, "Python objects"},
    {1, 0, DICT("'|O8'", "False", "(1,)"), 8, "Python objects"},
    {1, 0, DICT("'<U4'", "False", "(1,)"), 16, "is text"},
    {1, 0, DICT("'|S4'", "False", "(1,)"), 4, "is text"},
    {1, 0, DICT("'<c8'", "False", "(1,)"), 8, "complex"},
    {1, 0, DICT("'<c16'", "False", "(1,)"), 16, "complex"},
    {1, 0, DICT("'<M8[ns]'", "False", "(1,)"), 8, "dates"},
    {1, 0, DICT("'<m8'", "False", "(1,)"), 8, "dates"},
    {1, 0, DICT("'|V8'", "False", "(1,)"), 8, "raw bytes"},
    {1, 0, DICT("'<f16'", "False", "(1,)"), 16, "float of another size"},
    {1, 0, DICT("'<f1'", "False", "(1,)"), 1, "float of another size"},
    {1, 0, DICT("'<i3'", "False", "(1,)"), 3, "not supported"},
    {1, 0, DICT("'<u16'", "False", "(1,)"), 16, "not supported"},
    {1, 0, DICT("'|b8'", "False", "(1,)"), 8, "not supported"},
    {1, 0, DICT("'f8'", "False", "(1,)"), 8, "not supported"},
    {1, 0, DICT("'!f8'", "False", "(1,)"), 8, "not supported"},
    {1, 0, DICT("'float64'", "False", "(1,)"), 8, "not supported"},
    {1, 0, DICT("''", "False", "(1,)"), 8, "not supported"},
    {1, 0, DICT("[('a', '<f8')]", "False", "(1,)"), 8, "structured"},
    {1, 0, DICT("8", "False", "(1,)"), 8, "a quoted name"},
    /* order */
    {1, 0, DICT("'<f8'", "1", "(1,)"), 8, "True or False"},
    {1, 0, DICT("'<f8'", "false", "(1,)"), 8, "True or False"},
    {1, 0, DICT("'<f8'", "'False'", "(1,)"), 8, "True or False"},
    {1, 0, DICT("'<f8'", "Falsey", "(1,)"), 8, "a comma"},
    /* the dictionary */
    {1, 0, "", 8, "header ends"},
    {1, 0, "     \n", 8, "header ends"},
    {1, 0, "{", 8, "header ends"},
    {1, 0, "{}", 8, "'descr' is missing"},
    {1, 0, "{'descr': '<f8', 'fortran_order': False}", 8, "'shape' is missing"},
    {1, 0, "{'descr': '<f8', 'shape': (1,)}", 8, "'fortran_order' is missing"},
    {1, 0, "{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", 8, "'descr' twice"},
    {1, 0, "{'descr': '<f8', 'extra': 1}", 8, "unknown key 'extra'"},
    {1, 0, "{'d\\x65scr': '<f8'}", 8, "a closing quote"},
    {1, 0, "{descr: '<f8'}", 8, "a quoted name"},
    {1, 0, "{'descr' '<f8'}", 8, "a colon"},
    {1, 0, "{'descr': '<f8' 'shape': (1,)}", 8, "a comma or '}'"},
    {1, 0, "{,}", 8, "a quoted name"},
    {1, 0, "{'descr: (1,)}", 8, "a closing quote"},
    {1, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} + x", 8, "nothing after '}'"},
    {1, 0, "__import__('os').system('true')", 8, "'{' expected"},
    {3, 0, "{'\xc3\xa4': 1}", 8, "unknown key '?"},
};

static void test_lies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        bytes file;
        add_header(&file, lies[i].major, lies[i].minor, lies[i].header);
        for (size_t k = 0; k < lies[i].data; k++) add(&file, "\0", 1);
        npy_array array = {7, 7, (double *)8};
        scone_status status = npy_parse(&array, file.data, file.size);
        if (status != SCONE_ERR_INPUT || !strstr(scone_error_message(), lies[i].message)) {
            fail_msg("case %zu (%s): status %d, '%s' lacks '%s'", i, lies[i].header, (int)status,
                     scone_error_message(), lies[i].message);
        }
        CHECK(array.values == NULL && array.rows == 0 && array.columns == 0);
    }
    CHECK(sizeof lies / sizeof *lies >= 60);
}

/* No rows is for the caller to judge: a table may be empty, a graph may not. */
static void test_no_rows(void **state)
{
    (void)state;
    bytes file;
    npy_array array;
    add_header(&file, 1, 0, F8("(0, 3)"));
    CHECK_OK(npy_parse(&array, file.data, file.size));
    CHECK(array.rows == 0 && array.columns == 3 && array.values != NULL);
    mem_free(array.values);
    add_header(&file, 1, 0, F8("(0,)"));
    CHECK_OK(npy_parse(&array, file.data, file.size));
    CHECK(array.rows == 0 && array.columns == 1 && array.values != NULL);
    mem_free(array.values);
}

static void test_not_npy(void **state)
{
    (void)state;
    npy_array array;
    bytes file = {.size = 0};
    CHECK_FAILS(npy_parse(&array, file.data, 0), SCONE_ERR_INPUT, "it is empty");
    static const unsigned char pickle[] = "\x80\x04\x95\x0b\0\0\0\0\0";
    CHECK_FAILS(npy_parse(&array, pickle, 9), SCONE_ERR_INPUT, "pickle");
    static const unsigned char archive[] = "PK\3\4\x14\0\0\0\0\0";
    CHECK_FAILS(npy_parse(&array, archive, 10), SCONE_ERR_INPUT, ".npz");
    static const unsigned char text[] = "a,b\n1,2\n3,4\n";
    CHECK_FAILS(npy_parse(&array, text, 12), SCONE_ERR_INPUT, "not an NPY file");
    /* a header length that lies, within and beyond the limit */
    add_header(&file, 1, 0, F8("(1,)"));
    file.data[8] = 0xff;
    CHECK_FAILS(npy_parse(&array, file.data, file.size), SCONE_ERR_INPUT, "inside the NPY header");
    file.data[9] = 0xff;
    CHECK_FAILS(npy_parse(&array, file.data, file.size), SCONE_ERR_INPUT, "65535 bytes");
    add_header(&file, 2, 0, F8("(1,)"));
    memset(file.data + 8, 0xff, 4);
    CHECK_FAILS(npy_parse(&array, file.data, file.size), SCONE_ERR_INPUT, "4294967295 bytes");
}

/* A header of exactly the limit is read; one byte more is refused. */
static void test_header_limit(void **state)
{
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        char text[NPY_HEADER_LIMIT + 2];
        memset(text, ' ', sizeof text);
        memcpy(text, F8("(1,)"), strlen(F8("(1,)")));
        text[NPY_HEADER_LIMIT + extra] = '\0';
        bytes file;
        add_header(&file, 1, 0, text);
        add_integer(&file, 0x3ff0000000000000, 8, false);
        npy_array array;
        if (extra == 0) {
            CHECK_OK(npy_parse(&array, file.data, file.size));
            CHECK_SAME(array.values[0], 1.0);
            mem_free(array.values);
        } else {
            CHECK_FAILS(npy_parse(&array, file.data, file.size), SCONE_ERR_INPUT, "10001 bytes");
        }
    }
}

/* Cut at every byte, in all versions: always an error, never a short array. */
static void test_truncation(void **state)
{
    (void)state;
    for (int major = 1; major <= 3; major++) {
        bytes file;
        make_header(&file, major, ">i2", "True", "(2, 3)");
        for (uint64_t i = 0; i < 6; i++) add_integer(&file, i, 2, true);
        npy_array array;
        for (size_t size = 0; size < file.size; size++) {
            /* an exact copy, so that a sanitizer sees any read beyond it */
            unsigned char *copy = malloc(size ? size : 1);
            memcpy(copy, file.data, size);
            CHECK_FAILS(npy_parse(&array, copy, size), SCONE_ERR_INPUT,
                        size < 6 ? "not an NPY file" : "truncated");
            free(copy);
        }
        CHECK_OK(npy_parse(&array, file.data, file.size));
        mem_free(array.values);
    }
}

/* ---- files ---- */

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL);
    CHECK(fwrite(data, 1, size, stream) == size);
    CHECK(fclose(stream) == 0);
}

static void write_gzip(const char *path, const void *data, size_t size)
{
    gzFile stream = gzopen(path, "wb");
    CHECK(stream != NULL);
    CHECK(gzwrite(stream, data, (unsigned)size) == (int)size);
    CHECK(gzclose(stream) == Z_OK);
}

static void test_files(void **state)
{
    (void)state;
    const char *path = "test_npy_file.npy";
    npy_array array;
    bytes *file = malloc(sizeof *file);
    make_header(file, 1, "<i4", "False", "(500, 30)");
    for (uint64_t i = 0; i < 15000; i++) add_integer(file, i, 4, false);
    for (int packed = 0; packed < 2; packed++) {
        void (*write)(const char *, const void *, size_t) = packed ? write_gzip : write_file;
        write(path, file->data, file->size);
        CHECK_OK(npy_read(&array, path, NULL));
        CHECK(array.rows == 500 && array.columns == 30);
        for (size_t i = 0; i < 15000; i++) {
            CHECK_SAME(array.values[i / 30 + 500 * (i % 30)], (double)i);
        }
        mem_free(array.values);
        write(path, file->data, file->size - 1);
        CHECK_FAILS(npy_read(&array, path, NULL), SCONE_ERR_INPUT, "test_npy_file.npy: truncated");
        file->data[file->size] = 0;
        write(path, file->data, file->size + 1);
        CHECK_FAILS(npy_read(&array, path, NULL), SCONE_ERR_INPUT,
                    "test_npy_file.npy: trailing bytes");
        bytes claim;
        make_header(&claim, 2, "<f8", "False", "(1000000000000, 1000)");
        write(path, claim.data, claim.size);
        CHECK_FAILS(npy_read(&array, path, NULL), SCONE_ERR_INPUT, "test_npy_file.npy: truncated");
    }
    /* a damaged gzip file is named once */
    write_gzip(path, file->data, file->size);
    CHECK(truncate(path, 1000) == 0);
    CHECK_FAILS(npy_read(&array, path, NULL), SCONE_ERR_INPUT, "the gzip data ends too early");
    CHECK(strstr(strstr(scone_error_message(), path) + 1, path) == NULL);
    write_file(path, "", 0);
    CHECK_FAILS(npy_read(&array, path, NULL), SCONE_ERR_INPUT,
                "test_npy_file.npy: not an NPY file");
    CHECK(remove(path) == 0);
    CHECK_FAILS(npy_read(&array, path, NULL), SCONE_ERR_IO, "test_npy_file.npy");
    free(file);
}

/* The bytes numpy.save writes for numpy.array([[1.0, 2.0]]) in either order. */
static void test_written_bytes(void **state)
{
    (void)state;
    static const char *const orders[] = {"False", "True"};
    const double values[] = {1.0, 2.0};
    for (int fortran = 0; fortran < 2; fortran++) {
        output_file *out;
        CHECK_OK(output_open(&out, "test_npy_bytes.npy"));
        CHECK_OK(npy_write(out, values, 1, 2, fortran == 1));
        CHECK_OK(output_commit(&out));
        unsigned char expected[144];
        memset(expected, ' ', sizeof expected);
        memcpy(expected, "\x93NUMPY\1\0\x76\0", 10);
        char text[100];
        int length =
            snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': %s, 'shape': (1, 2), }",
                     orders[fortran]);
        memcpy(expected + 10, text, (size_t)length);
        expected[127] = '\n';
        memcpy(expected + 128, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40", 16);
        char *data;
        size_t size;
        CHECK_OK(file_read_all(&data, &size, "test_npy_bytes.npy", 1000));
        CHECK(size == sizeof expected);
        CHECK(memcmp(data, expected, size) == 0);
        mem_free(data);
    }
    CHECK(remove("test_npy_bytes.npy") == 0);
}

/* Shapes around the block size, rows longer than a block, special values. */
static void test_round_trips(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{0, 4},     {1, 1},     {3, 4},     {1, 7},     {7, 1},
                                      {1000, 3},  {70000, 1}, {33000, 2}, {3, 40000}, {1, 70000},
                                      {2, 32768}, {5, 32769}, {257, 255}, {32768, 2}};
    const char *path = "test_npy_trip.npy";
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t rows = sizes[s][0], columns = sizes[s][1];
        double *values = malloc((rows * columns + 1) * sizeof *values);
        uint64_t x = 88172645463325252u + s; /* xorshift64: bit patterns of all kinds */
        for (size_t i = 0; i < rows * columns; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            memcpy(&values[i], &x, sizeof x);
        }
        values[0] = -0.0;
        values[rows * columns / 2] = (double)NAN;
        for (int fortran = 0; fortran < 2; fortran++) {
            output_file *out;
            CHECK_OK(output_open(&out, path));
            CHECK_OK(npy_write(out, values, rows, columns, fortran == 1));
            CHECK_OK(output_commit(&out));
            npy_array array;
            CHECK_OK(npy_read(&array, path, NULL));
            CHECK(array.rows == rows && array.columns == columns);
            CHECK(memcmp(array.values, values, rows * columns * sizeof *values) == 0);
            mem_free(array.values);
        }
        free(values);
    }
    CHECK(remove(path) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),        cmocka_unit_test(test_half),
        cmocka_unit_test(test_dictionaries), cmocka_unit_test(test_lies),
        cmocka_unit_test(test_not_npy),      cmocka_unit_test(test_header_limit),
        cmocka_unit_test(test_truncation),   cmocka_unit_test(test_files),
        cmocka_unit_test(test_no_rows),      cmocka_unit_test(test_written_bytes),
        cmocka_unit_test(test_round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
