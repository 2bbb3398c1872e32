/* test_token_file.c - token files: round trips, writers that are stopped anywhere, damage of every
 * kind, and headers that lie with right checksums. */
#include "token_problem.h"

#include "io/file.h"
#include "parallel/parallel.h"
#include "model/tokens/token_file_parts.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { GRAPHS = 3 };

static char folder[] = "token_file_XXXXXX", path[64];
static tokens *graphs[GRAPHS];
static char *whole; /* a file of the three graphs */
static size_t whole_size, ends[GRAPHS + 1];
static char warning[4096]; /* the last one */

static void keep_warning(void *user, scone_level level, const char *message)
{
    (void)user;
    CHECK(level == SCONE_WARNING);
    (void)snprintf(warning, sizeof warning, "%s", message);
}

static const scone_context noisy = {.log = keep_warning};

/* ---- files as bytes ---- */

static void put_bytes(const char *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    CHECK(fwrite(bytes, 1, size, stream) == size);
    CHECK(fclose(stream) == 0);
}

/* One byte of the file in place: writing it whole thousands of times is slow on some disks. */
static void put_byte(char byte, size_t offset)
{
    int descriptor = open(path, O_WRONLY);
    CHECK(descriptor >= 0 && pwrite(descriptor, &byte, 1, (off_t)offset) == 1);
    CHECK(close(descriptor) == 0);
}

static void check_file_is(const char *bytes, size_t size)
{
    char *there;
    size_t there_size;
    CHECK_OK(file_read_all(&there, &there_size, path, 1 << 24));
    CHECK(there_size == size);
    assert_memory_equal(there, bytes, size);
    mem_free(there);
}

static void write_all(const char *description, size_t first, size_t count)
{
    token_file *file;
    CHECK_OK(token_file_continue(&file, path, description, NULL));
    for (size_t k = first; k < count; k++) CHECK_OK(token_file_append(file, graphs[k]));
    CHECK_OK(token_file_finish(&file));
    CHECK(file == NULL);
}

static int start(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    (void)snprintf(path, sizeof path, "%s/tokens", folder);
    for (size_t k = 0; k < GRAPHS; k++) {
        scone_problem *problem = token_problem(3 + k, 60, 20 + k);
        token_options options = token_quick(k);
        options.least_subsets = 3;
        options.graph = 40 + k;
        graphs[k] = token_of(problem, &options, 1);
        scone_problem_free(problem);
    }
    write_all("as usual", 0, GRAPHS);
    if (file_read_all(&whole, &whole_size, path, 1 << 24) != SCONE_OK) return -1;
    ends[0] = sizeof(token_file_header);
    for (size_t k = 0; k < GRAPHS; k++) {
        ends[k + 1] = ends[k] + sizeof(token_record) + graphs[k]->bytes;
    }
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (size_t k = 0; k < GRAPHS; k++) tokens_free(graphs[k]);
    mem_free(whole);
    return unlink(path) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* ---- what works ---- */

static void test_round_trip(void **state)
{
    (void)state;
    token_file *file;
    tokens *t;
    put_bytes(whole, whole_size);
    CHECK(whole_size == ends[GRAPHS]);
    CHECK_OK(token_file_open(&file, path, &noisy));
    CHECK(token_file_count(file) == GRAPHS && token_file_rest(file) == 0);
    assert_string_equal(token_file_description(file), "as usual");
    for (size_t k = GRAPHS; k-- > 0;) { /* in any order */
        CHECK_OK(token_file_read(&t, file, k));
        token_same(t, graphs[k]);
        tokens_free(t);
    }
    CHECK_FAILS(token_file_read(&t, file, GRAPHS), SCONE_ERR_INPUT, "no graph 4; the file holds 3");
    CHECK(t == NULL);
    CHECK_FAILS(token_file_append(file, graphs[0]), SCONE_ERR_DEFECT, "reading alone");
    CHECK_OK(token_file_finish(&file));
    token_file_close(NULL);
    CHECK_OK(token_file_finish(&file));
}

/* One session or three: the same bytes. */
static void test_sessions(void **state)
{
    (void)state;
    CHECK(unlink(path) == 0);
    for (size_t k = 0; k < GRAPHS; k++) write_all("as usual", k, k + 1);
    check_file_is(whole, whole_size);
    write_all("as usual", 0, 0);
    check_file_is(whole, whole_size);
}

static scone_status read_item(void *argument, size_t item, int worker)
{
    (void)worker;
    tokens *t;
    scone_status status = token_file_read(&t, argument, item % GRAPHS);
    if (status != SCONE_OK) return status;
    bool same = t->bytes == graphs[item % GRAPHS]->bytes &&
                memcmp(t->block, graphs[item % GRAPHS]->block, t->bytes) == 0;
    tokens_free(t);
    return same ? SCONE_OK : RAISE(SCONE_ERR_DEFECT, "other bytes");
}

static void test_many_readers(void **state)
{
    (void)state;
    token_file *file;
    scone_context threads = {.threads = 4};
    put_bytes(whole, whole_size);
    CHECK_OK(token_file_open(&file, path, NULL));
    CHECK_OK(parallel_for(200, &threads, NULL, read_item, file));
    token_file_close(file);
}

static void test_refused(void **state)
{
    (void)state;
    token_file *file, *second;
    char long_text[2000];
    put_bytes(whole, whole_size);
    CHECK_FAILS(token_file_continue(&file, path, "otherwise", NULL), SCONE_ERR_INPUT,
                "was made with 'as usual', not with 'otherwise'");
    CHECK(file == NULL);
    CHECK_FAILS(token_file_open(&file, folder, NULL), SCONE_ERR_IO, "not a regular file");
    CHECK_FAILS(token_file_open(&file, "no/such/file", NULL), SCONE_ERR_IO, "no/such/file");
    CHECK_FAILS(token_file_continue(&file, "no/such/file", "", NULL), SCONE_ERR_IO, "cannot open");
    CHECK_OK(token_file_continue(&file, path, "as usual", NULL));
    CHECK_FAILS(token_file_continue(&second, path, "as usual", NULL), SCONE_ERR_IO,
                "another process writes");
    token_file_close(file);
    /* Descriptions that differ after what is kept of them differ. */
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    CHECK(unlink(path) == 0);
    write_all(long_text, 0, 1);
    CHECK_OK(token_file_continue(&file, path, long_text, NULL));
    CHECK(strlen(token_file_description(file)) == TOKEN_FILE_DESCRIPTION - 1);
    token_file_close(file);
    long_text[1990] = 'y';
    CHECK_FAILS(token_file_continue(&file, path, long_text, NULL), SCONE_ERR_INPUT, "was made");
}

/* ---- a writer that was stopped ---- */

static void test_every_length(void **state)
{
    (void)state;
    put_bytes(whole, whole_size);
    for (size_t size = whole_size + 1; size-- > 0;) {
        token_file *file;
        tokens *t;
        CHECK(truncate(path, (off_t)size) == 0);
        warning[0] = '\0';
        if (size < ends[0]) {
            CHECK_FAILS(token_file_open(&file, path, &noisy), SCONE_ERR_INPUT, "truncated");
            CHECK(file == NULL);
            continue;
        }
        size_t complete = 0;
        while (complete < GRAPHS && ends[complete + 1] <= size) complete++;
        CHECK_OK(token_file_open(&file, path, &noisy));
        CHECK(token_file_count(file) == complete);
        CHECK(token_file_rest(file) == size - ends[complete]);
        CHECK((warning[0] != '\0') == (size > ends[complete]));
        if (warning[0]) assert_non_null(strstr(warning, "truncated"));
        if (complete > 0 && size % 16 == 0) {
            CHECK_OK(token_file_read(&t, file, complete - 1));
            token_same(t, graphs[complete - 1]);
            tokens_free(t);
        }
        token_file_close(file);
    }
}

/* The next writer goes on where the last one was complete, whatever it left behind. */
static void test_continue(void **state)
{
    (void)state;
    for (size_t size = 0; size <= whole_size; size += 499) {
        token_file *file;
        put_bytes(whole, size);
        warning[0] = '\0';
        CHECK_OK(token_file_continue(&file, path, "as usual", &noisy));
        size_t complete = token_file_count(file);
        CHECK(complete == GRAPHS || ends[complete + 1] > size);
        CHECK(token_file_rest(file) == 0);
        if (size > ends[complete]) {
            char expected[64];
            (void)snprintf(expected, sizeof expected, "graph %zu is not complete", complete + 1);
            assert_non_null(strstr(warning, expected));
            assert_non_null(strstr(warning, "are overwritten"));
        } else {
            CHECK(warning[0] == '\0');
        }
        for (size_t k = complete; k < GRAPHS; k++) CHECK_OK(token_file_append(file, graphs[k]));
        CHECK_OK(token_file_finish(&file));
        check_file_is(whole, whole_size);
    }
    /* What is no beginning of a token file is left alone. */
    put_bytes("column,other\n1,2\n", 17);
    token_file *file;
    CHECK_FAILS(token_file_continue(&file, path, "as usual", NULL), SCONE_ERR_INPUT,
                "not a token file");
    check_file_is("column,other\n1,2\n", 17);
}

/* Space for the last graph that never got its bytes, as after a loss of power. */
static void test_unsound_end(void **state)
{
    (void)state;
    char *copy = mem_alloc(whole_size, 1);
    token_file *file;
    assert_non_null(copy);
    memcpy(copy, whole, whole_size);
    memset(copy + ends[1] + 200, 0, whole_size - ends[1] - 200); /* graphs 2 and 3 */
    memcpy(copy + ends[2], whole + ends[2], sizeof(token_record));
    put_bytes(copy, whole_size);
    CHECK_OK(token_file_continue(&file, path, "as usual", &noisy));
    CHECK(token_file_count(file) == 1);
    assert_non_null(strstr(warning, "graph 2 is not complete (its bytes do not match"));
    token_file_close(file);
    check_file_is(whole, ends[1]);
    mem_free(copy);
}

static size_t file_size(void)
{
    struct stat info;
    return stat(path, &info) == 0 ? (size_t)info.st_size : 0;
}

static void test_killed(void **state)
{
    (void)state;
    CHECK(unlink(path) == 0);
    for (unsigned k = 0; k < 12; k++) {
        size_t before = file_size();
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            token_file *file;
            if (token_file_continue(&file, path, "as usual", NULL) != SCONE_OK) _exit(1);
            for (size_t g = token_file_count(file);; g++) {
                if (token_file_append(file, graphs[g % GRAPHS]) != SCONE_OK) _exit(1);
            }
        }
        for (int tries = 0; tries < 10000 && file_size() <= before + 20000; tries++) {
            CHECK(usleep(300 + 10 * k) == 0);
        }
        int status = 0;
        CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status)); /* it did not fail by itself */
    }
    token_file *file;
    tokens *t;
    CHECK_OK(token_file_continue(&file, path, "as usual", NULL));
    size_t count = token_file_count(file);
    CHECK(count > 12);
    for (size_t g = 0; g < count; g += 1 + count / 50) {
        CHECK_OK(token_file_read(&t, file, g));
        token_same(t, graphs[g % GRAPHS]);
        tokens_free(t);
    }
    token_file_close(file);
}

/* A write that fails leaves the file as it was. */
static void test_full_disk(void **state)
{
    (void)state;
    struct rlimit old, low;
    token_file *file;
    put_bytes(whole, ends[2]);
    CHECK_OK(token_file_continue(&file, path, "as usual", NULL));
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    low = old;
    low.rlim_cur = (rlim_t)ends[2] + 300;
    CHECK(setrlimit(RLIMIT_FSIZE, &low) == 0);
    scone_status status = token_file_append(file, graphs[2]);
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK(status == SCONE_ERR_IO);
    assert_non_null(strstr(scone_error_message(), "cannot write"));
    CHECK(token_file_count(file) == 2);
    check_file_is(whole, ends[2]);
    CHECK_OK(token_file_append(file, graphs[2])); /* when there is room again */
    CHECK_OK(token_file_finish(&file));
    check_file_is(whole, whole_size);
}

/* ---- damage ---- */

/* Is the change noticed: at opening, or by fewer graphs, or when reading? */
static bool noticed(void)
{
    token_file *file;
    bool found = token_file_open(&file, path, NULL) != SCONE_OK;
    if (found) return true;
    found = token_file_count(file) < GRAPHS;
    for (size_t k = 0; k < token_file_count(file); k++) {
        tokens *t;
        if (token_file_read(&t, file, k) == SCONE_OK) {
            tokens_free(t);
            continue;
        }
        char expected[64];
        (void)snprintf(expected, sizeof expected, "graph %zu is damaged", k + 1);
        assert_non_null(strstr(scone_error_message(), expected));
        assert_non_null(strstr(scone_error_message(), path));
        found = true;
    }
    token_file_close(file);
    return found;
}

static void test_flipped_bits(void **state)
{
    (void)state;
    size_t bits = 8 * whole_size, headers = 8 * ends[0];
    put_bytes(whole, whole_size);
    for (size_t bit = 0; bit < bits; bit += bit < headers ? 7 : 53) {
        char byte = whole[bit / 8];
        put_byte((char)(byte ^ (1 << bit % 8)), bit / 8);
        if (!noticed()) fail_msg("bit %zu of byte %zu", bit % 8, bit / 8);
        put_byte(byte, bit / 8);
    }
    CHECK(!noticed());
}

/* Signs header k anew after a change and says how opening and reading take it. */
static void check_lie(token_record *record, const char *expected)
{
    char *copy = mem_alloc(whole_size, 1);
    token_file *file;
    assert_non_null(copy);
    memcpy(copy, whole, whole_size);
    record->own_checksum = XXH64(record, offsetof(token_record, own_checksum), 0);
    memcpy(copy + ends[1], record, sizeof *record);
    put_bytes(copy, whole_size);
    warning[0] = '\0';
    CHECK_OK(token_file_open(&file, path, &noisy));
    CHECK(token_file_count(file) == 1);
    if (!strstr(warning, expected)) fail_msg("'%s' lacks '%s'", warning, expected);
    token_file_close(file);
    mem_free(copy);
}

static void test_lying_records(void **state)
{
    (void)state;
    token_record truth, lie;
    memcpy(&truth, whole + ends[1], sizeof truth);
#define LIE(expected_, ...)                                                                        \
    do {                                                                                           \
        lie = truth;                                                                               \
        __VA_ARGS__;                                                                               \
        check_lie(&lie, (expected_));                                                              \
    } while (0)
    LIE("there is no graph here", lie.magic[0] = 'X');
    LIE("this version does not know", lie.reserved[7] = 1);
    LIE("this version does not know", lie.labelled = 2);
    LIE("do not add up", lie.bytes += 64);
    LIE("do not add up", lie.bytes = UINT64_MAX);
    LIE("do not add up", lie.bytes = 0);
    LIE("1025 nodes", lie.size.nodes = 1025);
    LIE("without nodes", lie.size.nodes = 0);
    LIE("4294967295 subsets", lie.size.subsets = UINT32_MAX);
    LIE("4294967295 members", lie.size.members = UINT32_MAX);
    LIE("4294967295 candidate", lie.size.pairs = UINT32_MAX);
    LIE("4294967295 cells", lie.size.cells = UINT32_MAX);
    LIE("4294967295 paths", lie.size.paths = UINT32_MAX);
    LIE("4294967295 pairs of paths", lie.size.path_steps = UINT32_MAX);
    LIE("4294967295 instances", lie.size.instances = UINT32_MAX);
    LIE("4294967295 cells of", lie.size.instance_steps = UINT32_MAX);
    LIE("4294967295 triples", lie.size.triples = UINT32_MAX);
    LIE("do not add up", lie.size.triples += 100);
    /* sizes that are possible and agree with their bytes, but not with the file */
    LIE("truncated", lie.size.triples = TOKEN_MOST_CELLS; lie.bytes = token_sizes_bytes(&lie.size));
    LIE("truncated", lie.size.nodes = 1024; lie.bytes = token_sizes_bytes(&lie.size));
#undef LIE
}

/* A block with a right checksum and wrong numbers. */
static void test_lying_blocks(void **state)
{
    (void)state;
    tokens *t;
    token_file *file;
    CHECK_OK(tokens_copy(&t, graphs[1]));
    t->cell_pair[0] = t->size.pairs;
    CHECK(unlink(path) == 0);
    CHECK_OK(token_file_continue(&file, path, "lies", NULL));
    CHECK_OK(token_file_append(file, graphs[0]));
    CHECK_OK(token_file_append(file, t));
    CHECK_OK(token_file_append(file, graphs[2]));
    CHECK_OK(token_file_finish(&file));
    tokens_free(t);
    CHECK_OK(token_file_open(&file, path, &noisy));
    CHECK(token_file_count(file) == 3);
    CHECK_FAILS(token_file_read(&t, file, 1), SCONE_ERR_INPUT, "cell 1 does not fit the rest");
    CHECK(t == NULL);
    CHECK_OK(token_file_read(&t, file, 2));
    tokens_free(t);
    token_file_close(file);
}

static void test_lying_headers(void **state)
{
    (void)state;
    token_file_header truth, lie;
    token_file *file;
    memcpy(&truth, whole, sizeof truth);
#define LIE(expected_, ...)                                                                        \
    do {                                                                                           \
        lie = truth;                                                                               \
        __VA_ARGS__;                                                                               \
        lie.checksum = XXH64(&lie, offsetof(token_file_header, checksum), 0);                      \
        memcpy(whole, &lie, sizeof lie);                                                           \
        put_bytes(whole, whole_size);                                                              \
        memcpy(whole, &truth, sizeof truth);                                                       \
        CHECK_FAILS(token_file_open(&file, path, NULL), SCONE_ERR_INPUT, (expected_));             \
        assert_non_null(strstr(scone_error_message(), path));                                      \
    } while (0)
    LIE("not a token file", lie.magic[7] = 'k');
    LIE("version 99", lie.version = 99);
    LIE("order of bytes", lie.order = 0x04030201);
    LIE("checksum", lie.reserved = 1);
    LIE("checksum", memset(lie.text, 'x', sizeof lie.text)); /* a text without an end */
#undef LIE
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_many_readers),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_every_length),  cmocka_unit_test(test_continue),
        cmocka_unit_test(test_unsound_end),   cmocka_unit_test(test_killed),
        cmocka_unit_test(test_full_disk),     cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_lying_records), cmocka_unit_test(test_lying_blocks),
        cmocka_unit_test(test_lying_headers),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
