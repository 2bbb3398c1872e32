/* test_weights.c - weight files: the bytes that are written, against a file built by hand; what is
 * read back; damage of every kind: each cut, each flipped bit. Lying headers are in
 * test_weights_refused.c. */
#include "weights_files.h"

#include <cJSON.h>
#include <sys/stat.h>
#include <unistd.h>

static const float small[6] = {1.0f, -2.5f, 0x1p-149f, 3.4e38f, -0.0f, 0.1f};
static const float bias[1] = {7.25f};
static const uint64_t position[2] = {0x0123456789abcdef, UINT64_MAX};

/* In an order that is not that of the file. */
static const weights_tensor tensors[] = {
    {.name = "b.weight", .rank = 2, .shape = {2, 3}, .data = small},
    {.name = "z", .type = WEIGHTS_U64, .rank = 1, .shape = {2}, .data = position},
    {.name = "a.bias \"\xc3\xa4\"", .data = bias},
};
static const weights_note notes[] = {{"preset", "pa\\per \"x\""}, {"command", "scone train"}};

static scone_status write_sample(const char *path)
{
    return weights_write(path, WEIGHTS_FORMAT_CHECKPOINT, tensors, 3, notes, 2);
}

/* The same file from the description of the format in docs/reference/formats.md. */
static file_bytes sample_by_hand(void)
{
    char header[1024];
    unsigned char values[44];
    memcpy(values, position, 16);
    memcpy(values + 16, bias, 4);
    memcpy(values + 20, small, 24);
    (void)snprintf(header, sizeof header,
                   "{\"__metadata__\":{\"format\":\"scone-checkpoint\",\"version\":\"1\","
                   "\"header_xxh64\":\"----------------\",\"command\":\"scone train\","
                   "\"preset\":\"pa\\\\per \\\"x\\\"\",\"xxh64.z\":\"%s\","
                   "\"xxh64.a.bias \\\"\xc3\xa4\\\"\":\"%s\",\"xxh64.b.weight\":\"%s\"},"
                   "\"z\":{\"dtype\":\"U64\",\"shape\":[2],\"data_offsets\":[0,16]},"
                   "\"a.bias \\\"\xc3\xa4\\\"\":{\"dtype\":\"F32\",\"shape\":[],"
                   "\"data_offsets\":[16,20]},"
                   "\"b.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[20,44]}}",
                   hash_text(position, 16), hash_text(bias, 4), hash_text(small, 24));
    return file_make(header, values, sizeof values);
}

/* ---- writing and reading ---- */

static void test_bytes(void **state)
{
    (void)state;
    const char *path = "test_weights_bytes.safetensors";
    CHECK_OK(write_sample(path));
    file_bytes wrote = file_load(path), hand = sample_by_hand();
    CHECK(wrote.size == hand.size && memcmp(wrote.data, hand.data, hand.size) == 0);
    /* the same bytes whatever the order of the arguments */
    weights_tensor turned[3] = {tensors[2], tensors[0], tensors[1]};
    weights_note other[2] = {notes[1], notes[0]};
    CHECK_OK(weights_write(path, WEIGHTS_FORMAT_CHECKPOINT, turned, 3, other, 2));
    file_free(&wrote);
    wrote = file_load(path);
    CHECK(wrote.size == hand.size && memcmp(wrote.data, hand.data, hand.size) == 0);
    file_free(&wrote);
    file_free(&hand);
    CHECK(unlink(path) == 0);
}

static void check_sample(const weights *w)
{
    CHECK(weights_count(w) == 3);
    const weights_tensor *z = weights_get(w, 0), *b = weights_find(w, "b.weight");
    CHECK(strcmp(z->name, "z") == 0 && z->type == WEIGHTS_U64 && z->rank == 1 && z->shape[0] == 2);
    CHECK(b == weights_get(w, 2) && b->type == WEIGHTS_F32 && b->rank == 2);
    CHECK(b->shape[0] == 2 && b->shape[1] == 3 && weights_values(b) == 6);
    CHECK((uintptr_t)z->data % WEIGHTS_ALIGNMENT == 0);
    CHECK(memcmp(weights_words(w, "z"), position, sizeof position) == 0);
    CHECK(memcmp(weights_floats(w, "b.weight"), small, sizeof small) == 0);
    CHECK(weights_floats(w, "b.weight") == b->data);
    const weights_tensor *scalar = weights_find(w, tensors[2].name);
    CHECK(scalar && scalar->rank == 0 && weights_values(scalar) == 1);
    CHECK_SAME((double)*weights_floats(w, tensors[2].name), 7.25);
    /* another type, another name */
    CHECK(weights_words(w, "b.weight") == NULL && weights_floats(w, "z") == NULL);
    CHECK(weights_find(w, "b") == NULL && weights_find(w, "b.weights") == NULL);
    CHECK(strcmp(weights_text(w, "preset"), notes[0].value) == 0);
    CHECK(strcmp(weights_text(w, "command"), "scone train") == 0);
    CHECK(weights_text(w, "prese") == NULL);
}

static void test_read(void **state)
{
    (void)state;
    const char *path = "test_weights_read.safetensors", *value;
    weights *w;
    CHECK_OK(write_sample(path));
    CHECK_OK(weights_open(&w, path, WEIGHTS_FORMAT_CHECKPOINT));
    check_sample(w);
    CHECK(strcmp(weights_path(w), path) == 0);
    CHECK_OK(weights_need(&value, w, "preset"));
    CHECK(value == weights_text(w, "preset"));
    CHECK_FAILS(weights_need(&value, w, "config"), SCONE_ERR_INPUT,
                "test_weights_read.safetensors: metadata: \"config\" is missing");
    /* the map does not depend on the name */
    CHECK(unlink(path) == 0);
    check_sample(w);
    weights_free(w);
    weights_free(NULL);
    file_bytes hand = sample_by_hand();
    CHECK_OK(weights_parse(&w, hand.data, hand.size, WEIGHTS_FORMAT_CHECKPOINT));
    check_sample(w);
    CHECK(weights_bytes(w) == hand.size && weights_path(w)[0] == '\0');
    weights_free(w);
    file_free(&hand);
}

/* Many tensors: the order of names, and the search among them. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 700 };
    static char names[MANY][16];
    static float values[MANY][3];
    weights_tensor *many = malloc(MANY * sizeof *many);
    const char *path = "test_weights_many.safetensors";
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "t%zu", i * 389 % MANY);
        for (size_t k = 0; k < 3; k++) values[i][k] = (float)(3 * i + k);
        many[i] = (weights_tensor){.name = names[i], .rank = 1, .shape = {3}, .data = values[i]};
    }
    weights *w;
    CHECK_OK(weights_write(path, WEIGHTS_FORMAT_MODEL, many, MANY, NULL, 0));
    CHECK_OK(weights_open(&w, path, WEIGHTS_FORMAT_MODEL));
    CHECK(weights_count(w) == MANY);
    for (size_t i = 0; i < MANY; i++) {
        CHECK(memcmp(weights_floats(w, names[i]), values[i], sizeof values[i]) == 0);
        if (i) CHECK(strcmp(weights_get(w, i - 1)->name, weights_get(w, i)->name) < 0);
    }
    CHECK_OK(weights_expect(w, many, MANY));
    CHECK_FAILS(weights_expect(w, many, MANY - 1), SCONE_ERR_INPUT, "is unknown");
    weights_free(w);
    free(many);
    CHECK(unlink(path) == 0);
}

/* ---- what the caller expects ---- */

static void test_expect(void **state)
{
    (void)state;
    file_bytes hand = sample_by_hand();
    weights *w;
    CHECK_OK(weights_parse(&w, hand.data, hand.size, WEIGHTS_FORMAT_CHECKPOINT));
    weights_tensor list[4] = {tensors[0], tensors[1], tensors[2], {.name = "c"}};
    CHECK_OK(weights_expect(w, list, 3));
    CHECK_FAILS(weights_expect(w, list, 4), SCONE_ERR_INPUT,
                "tensor 'c' is missing; the weights belong to another model");
    CHECK_FAILS(weights_expect(w, list, 2), SCONE_ERR_INPUT, "is unknown; the weights belong");
    CHECK(strstr(scone_error_message(), "tensor 'a.bias \"\xc3\xa4\"'") != NULL);
    list[0].shape[1] = 4;
    CHECK_FAILS(weights_expect(w, list, 3), SCONE_ERR_INPUT,
                "tensor 'b.weight' is F32 [2, 3], and the model needs F32 [2, 4]");
    list[0] = tensors[0];
    list[0].rank = 1;
    CHECK_FAILS(weights_expect(w, list, 3), SCONE_ERR_INPUT, "needs F32 [2]");
    list[0] = tensors[0];
    list[1].type = WEIGHTS_F32;
    CHECK_FAILS(weights_expect(w, list, 3), SCONE_ERR_INPUT,
                "tensor 'z' is U64 [2], and the model needs F32 [2]");
    weights_free(w);
    file_free(&hand);
    CHECK_FAILS(weights_open(&w, "no_such_file", WEIGHTS_FORMAT_MODEL), SCONE_ERR_IO,
                "no_such_file: cannot open: No such file");
    CHECK(w == NULL);
}

/* ---- damage ---- */

/* Cut at every byte, and of every length: "truncated", nothing else. */
static void test_truncated(void **state)
{
    (void)state;
    file_bytes hand = sample_by_hand();
    weights *w;
    for (size_t size = 0; size < hand.size; size++) {
        /* an exact copy, so that a sanitizer sees any read beyond it */
        unsigned char *copy = malloc(size ? size : 1);
        memcpy(copy, hand.data, size);
        CHECK_FAILS(weights_parse(&w, copy, size, WEIGHTS_FORMAT_CHECKPOINT), SCONE_ERR_INPUT,
                    "truncated");
        CHECK(w == NULL);
        free(copy);
    }
    file_free(&hand);
    /* and from a disk, where a map must not go beyond the end */
    const char *path = "test_weights_cut.safetensors";
    CHECK_OK(write_sample(path));
    struct stat info;
    CHECK(stat(path, &info) == 0);
    for (off_t size = info.st_size - 1; size >= 0; size -= 37) {
        CHECK(truncate(path, size) == 0);
        CHECK_FAILS(weights_open(&w, path, WEIGHTS_FORMAT_CHECKPOINT), SCONE_ERR_INPUT,
                    "truncated: ");
        CHECK(strncmp(scone_error_message(), path, strlen(path)) == 0);
    }
    CHECK(truncate(path, 0) == 0);
    CHECK_FAILS(weights_open(&w, path, WEIGHTS_FORMAT_CHECKPOINT), SCONE_ERR_INPUT,
                "truncated: the file is empty");
    CHECK(unlink(path) == 0);
}

/* Each bit of the file flipped: always refused, and in the values by the name of the tensor. */
static void test_flipped(void **state)
{
    (void)state;
    file_bytes hand = sample_by_hand();
    size_t start = hand.size - 44;
    weights *w;
    for (size_t bit = 0; bit < 8 * hand.size; bit++) {
        size_t byte = bit / 8;
        hand.data[byte] ^= (unsigned char)(1 << bit % 8);
        const char *text = "";
        if (byte >= start) text = "checksum";
        CHECK_FAILS(weights_parse(&w, hand.data, hand.size, WEIGHTS_FORMAT_CHECKPOINT),
                    SCONE_ERR_INPUT, text);
        if (byte >= start + 20) CHECK(strstr(scone_error_message(), "tensor 'b.weight'"));
        if (byte >= start && byte < start + 16) CHECK(strstr(scone_error_message(), "tensor 'z'"));
        hand.data[byte] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK_OK(weights_parse(&w, hand.data, hand.size, WEIGHTS_FORMAT_CHECKPOINT));
    weights_free(w);
    file_free(&hand);
}

/* The same for random bits of a file as large as a model's; 100,000 of them in the long run. */
static void test_flipped_large(void **state)
{
    (void)state;
    enum { VALUES = 60000 };
    float *values = malloc(VALUES * sizeof *values);
    for (size_t i = 0; i < VALUES; i++) values[i] = (float)sin((double)i);
    weights_tensor two[2] = {{.name = "a", .rank = 1, .shape = {VALUES - 1}, .data = values},
                             {.name = "b", .rank = 1, .shape = {VALUES}, .data = values}};
    const char *path = "test_weights_large.safetensors";
    CHECK_OK(weights_write(path, WEIGHTS_FORMAT_MODEL, two, 2, NULL, 0));
    file_bytes file = file_load(path);
    uint64_t random = 12345, flips = getenv("SCONE_SOAK") ? 100000 : 1000;
    weights *w;
    for (uint64_t flip = 0; flip < flips; flip++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t bit = (size_t)(random >> 20) % (8 * file.size);
        file.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK_FAILS(weights_parse(&w, file.data, file.size, WEIGHTS_FORMAT_MODEL), SCONE_ERR_INPUT,
                    "");
        file.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    file_free(&file);
    free(values);
    CHECK(unlink(path) == 0);
}

/* ---- what is not written ---- */

static void test_not_written(void **state)
{
    (void)state;
    const char *path = "test_weights_kept.safetensors";
    CHECK_OK(write_sample(path));
    file_bytes before = file_load(path);
    float bad[4] = {1.0f, 2.0f, (float)NAN, (float)INFINITY};
    weights_tensor one = {.name = "w", .rank = 1, .shape = {4}, .data = bad};
    const char *format = WEIGHTS_FORMAT_MODEL;
    CHECK_FAILS(weights_write(path, format, &one, 1, NULL, 0), SCONE_ERR_INPUT,
                "test_weights_kept.safetensors: tensor 'w': value 3 is NaN, so it is not written");
    bad[2] = -3.0f;
    CHECK_FAILS(weights_write(path, format, &one, 1, NULL, 0), SCONE_ERR_INPUT,
                "value 4 is infinite");
    bad[3] = 0.0f;
    one.shape[0] = 0;
    CHECK_FAILS(weights_write(path, format, &one, 1, NULL, 0), SCONE_ERR_INPUT, "dimension 1 is 0");
    one.rank = 9;
    CHECK_FAILS(weights_write(path, format, &one, 1, NULL, 0), SCONE_ERR_INPUT, "9 dimensions");
    one.rank = 2;
    one.shape[0] = one.shape[1] = SIZE_MAX / 2;
    CHECK_FAILS(weights_write(path, format, &one, 1, NULL, 0), SCONE_ERR_INPUT, "any computer");
    one = (weights_tensor){.name = "w", .rank = 1, .shape = {4}, .data = bad};
    weights_note note = {"command", "two\nlines"};
    CHECK_FAILS(weights_write(path, format, &one, 1, &note, 1), SCONE_ERR_INPUT,
                "the value of \"command\" is not UTF-8 or has control characters");
    note.value = "\xc2\x9b"; /* a control character above ASCII */
    CHECK_FAILS(weights_write(path, format, &one, 1, &note, 1), SCONE_ERR_INPUT, "control");
    note.value = "\xff";
    CHECK_FAILS(weights_write(path, format, &one, 1, &note, 1), SCONE_ERR_INPUT, "UTF-8");
    char *lots = malloc(WEIGHTS_HEADER_LIMIT + 1);
    memset(lots, 'x', WEIGHTS_HEADER_LIMIT);
    lots[WEIGHTS_HEADER_LIMIT] = '\0';
    note.value = lots;
    CHECK_FAILS(weights_write(path, format, &one, 1, &note, 1), SCONE_ERR_INPUT,
                "at most 1048576 are allowed");
    free(lots);
    CHECK_FAILS(weights_write("no_such_folder/w", format, &one, 1, NULL, 0), SCONE_ERR_IO,
                "no_such_folder/w: cannot write");
    /* the file of before is untouched */
    file_bytes after = file_load(path);
    CHECK(before.size == after.size && memcmp(before.data, after.data, after.size) == 0);
    file_free(&before);
    file_free(&after);
    CHECK(unlink(path) == 0);
}

/* Mistakes of the calling code. */
static void test_defects(void **state)
{
    (void)state;
    const char *path = "test_weights_never", *format = WEIGHTS_FORMAT_MODEL;
    const float values[2] = {1.0f, 2.0f};
    const uint64_t words[1] = {1};
    (void)unlink(path); /* of a run that failed */
    weights_tensor pair[3] = {{.name = "a", .rank = 1, .shape = {2}, .data = values},
                              {.name = "b", .rank = 1, .shape = {2}, .data = values},
                              {.name = "c", .type = WEIGHTS_U64, .data = words}};
    CHECK_FAILS(weights_write(path, format, pair, 0, NULL, 0), SCONE_ERR_DEFECT, "without tensors");
    pair[1].name = "a";
    CHECK_FAILS(weights_write(path, format, pair, 2, NULL, 0), SCONE_ERR_DEFECT, "written twice");
    pair[1].name = "c";
    CHECK_FAILS(weights_write(path, format, pair, 3, NULL, 0), SCONE_ERR_DEFECT, "written twice");
    static const char *const names[] = {"", "__metadata__", "a\tb", "\xc0"};
    for (size_t i = 0; i < 4; i++) {
        pair[0].name = names[i];
        CHECK_FAILS(weights_write(path, format, pair, 1, NULL, 0), SCONE_ERR_DEFECT, "the name");
    }
    char longest[WEIGHTS_NAME_LIMIT + 2];
    memset(longest, 'n', sizeof longest);
    longest[WEIGHTS_NAME_LIMIT + 1] = '\0';
    pair[0].name = longest;
    CHECK_FAILS(weights_write(path, format, pair, 1, NULL, 0), SCONE_ERR_DEFECT, "the name");
    pair[0].name = "a";
    static const char *const keys[] = {"", "format", "version", "header_xxh64", "xxh64.a", "a\n"};
    for (size_t i = 0; i < 6; i++) {
        weights_note note = {keys[i], "x"};
        CHECK_FAILS(weights_write(path, format, pair, 1, &note, 1), SCONE_ERR_DEFECT, "a key");
    }
    weights_note twice[2] = {{"k", "1"}, {"k", "2"}};
    CHECK_FAILS(weights_write(path, format, pair, 1, twice, 2), SCONE_ERR_DEFECT, "written twice");
    CHECK(access(path, F_OK) != 0);
    /* the longest name, on the other hand, is fine */
    weights *w;
    longest[WEIGHTS_NAME_LIMIT] = '\0';
    pair[0].name = longest;
    CHECK_OK(weights_write(path, format, pair, 1, NULL, 0));
    CHECK_OK(weights_open(&w, path, format));
    CHECK(weights_floats(w, longest) != NULL);
    weights_free(w);
    CHECK(unlink(path) == 0);
}

/* ---- memory ---- */

static long allocations_left;

static void *scarce_malloc(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* The k-th allocation of the JSON library fails, k = 0, 1, ...: out of memory, no file, no leak. */
static void test_memory(void **state)
{
    (void)state;
    const char *path = "test_weights_memory.safetensors";
    (void)unlink(path); /* of a run that failed */
    file_bytes hand = sample_by_hand();
    cJSON_Hooks scarce = {scarce_malloc, free};
    cJSON_InitHooks(&scarce);
    long k = 0;
    for (scone_status status = SCONE_ERR_MEMORY; status != SCONE_OK; k++) {
        allocations_left = k;
        status = write_sample(path);
        if (status == SCONE_OK) break;
        CHECK(status == SCONE_ERR_MEMORY && k < 1000);
        CHECK(strstr(scone_error_message(), "out of memory") && access(path, F_OK) != 0);
    }
    CHECK(k > 10);
    weights *w = NULL;
    for (k = 0; !w; k++) {
        allocations_left = k;
        scone_status status = weights_parse(&w, hand.data, hand.size, WEIGHTS_FORMAT_CHECKPOINT);
        CHECK(status == (w ? SCONE_OK : SCONE_ERR_MEMORY) && k < 1000);
    }
    CHECK(k > 10);
    cJSON_InitHooks(NULL);
    weights_free(w);
    file_free(&hand);
    CHECK(unlink(path) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_read),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_expect),
        cmocka_unit_test(test_truncated),     cmocka_unit_test(test_flipped),
        cmocka_unit_test(test_flipped_large), cmocka_unit_test(test_not_written),
        cmocka_unit_test(test_defects),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
