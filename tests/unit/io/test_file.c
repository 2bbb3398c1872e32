/* test_file.c - reading, gzip, atomic files and folders. */
#include "testing.h"

#include "io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char root[] = "/tmp/scone-test-file-XXXXXX";

static char *in_root(const char *name)
{
    static char paths[8][512];
    static int next;
    next = (next + 1) % 8;
    (void)snprintf(paths[next], sizeof paths[next], "%s/%s", root, name);
    return paths[next];
}

static void put(const char *path, const void *bytes, size_t size)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes, size), (ssize_t)size);
    (void)close(descriptor);
}

static void put_text(const char *path, const char *text)
{
    put(path, text, strlen(text));
}

static void expect_text(const char *path, const char *text)
{
    char *bytes;
    size_t size;
    CHECK_OK(file_read_all(&bytes, &size, path, 1 << 20));
    assert_string_equal(bytes, text);
    assert_int_equal(size, strlen(text));
    mem_free(bytes);
}

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) count++;
    (void)closedir(folder);
    return count - 2;
}

static size_t compress_text(unsigned char *out, size_t size, const char *text)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (unsigned)strlen(text);
    z.next_out = out;
    z.avail_out = (unsigned)size;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t used = size - z.avail_out;
    (void)deflateEnd(&z);
    return used;
}

static void test_read(void **state)
{
    (void)state;
    put_text(in_root("plain"), "hello\n");
    expect_text(in_root("plain"), "hello\n");
    put_text(in_root("empty"), "");
    expect_text(in_root("empty"), "");
    put_text(in_root("one"), "x");
    expect_text(in_root("one"), "x");

    char *bytes;
    size_t size;
    CHECK_FAILS(file_read_all(&bytes, &size, in_root("none"), 100), SCONE_ERR_IO, "cannot open");
    CHECK_FAILS(file_read_all(&bytes, &size, root, 100), SCONE_ERR_IO, "is a folder");
    CHECK_FAILS(file_read_all(&bytes, &size, in_root("plain"), 3), SCONE_ERR_INPUT, "larger than");
    CHECK(bytes == NULL);

    char *big = mem_alloc(300001, 1); /* several buffers */
    for (size_t i = 0; i < 300000; i++) big[i] = (char)('a' + i % 23);
    big[300000] = '\0';
    put_text(in_root("big"), big);
    expect_text(in_root("big"), big);
    mem_free(big);
}

static void test_gzip(void **state)
{
    (void)state;
    unsigned char packed[400];
    size_t first = compress_text(packed, 200, "one,two\n1,2\n");
    put(in_root("a.gz"), packed, first);
    expect_text(in_root("a.gz"), "one,two\n1,2\n");
    /* two members in one file, and zeros after them, are what gzip allows */
    size_t both = first + compress_text(packed + first, 200, "3,4\n");
    memset(packed + both, 0, 50);
    put(in_root("b.gz"), packed, both + 50);
    expect_text(in_root("b.gz"), "one,two\n1,2\n3,4\n");

    char *bytes;
    size_t size;
    for (size_t cut = 2; cut < first; cut++) { /* truncated at every byte */
        put(in_root("c.gz"), packed, cut);
        CHECK_FAILS(file_read_all(&bytes, &size, in_root("c.gz"), 1000), SCONE_ERR_INPUT,
                    "truncated");
    }
    packed[first - 6] ^= 1; /* checksum */
    put(in_root("d.gz"), packed, first);
    CHECK_FAILS(file_read_all(&bytes, &size, in_root("d.gz"), 1000), SCONE_ERR_INPUT, "damaged");
    packed[first - 6] ^= 1;
    packed[first] = 'x';
    put(in_root("e.gz"), packed, first + 1);
    CHECK_FAILS(file_read_all(&bytes, &size, in_root("e.gz"), 1000), SCONE_ERR_INPUT,
                "unexpected bytes");
}

static void test_output(void **state)
{
    (void)state;
    char *path = in_root("result");
    output_file *file;
    put_text(path, "old");
    CHECK_OK(output_open(&file, path));
    CHECK_OK(output_print(file, "%s %d\n", "value", 42));
    expect_text(path, "old"); /* until commit */
    CHECK_OK(output_commit(&file));
    CHECK(file == NULL);
    expect_text(path, "value 42\n");

    CHECK_OK(output_open(&file, path));
    CHECK_OK(output_write(file, "lost", 4));
    output_discard(file);
    expect_text(path, "value 42\n");

    char *longer = mem_alloc(600001, 1);
    memset(longer, 'y', 600000);
    longer[600000] = '\0';
    CHECK_OK(output_open(&file, path));
    CHECK_OK(output_print(file, "%s", longer));
    CHECK_OK(output_commit(&file));
    expect_text(path, longer);
    mem_free(longer);

    size_t entries = count_entries(root);
    CHECK_FAILS(output_open(&file, root), SCONE_ERR_IO, "is a folder");
    CHECK_FAILS(output_open(&file, in_root("none/result")), SCONE_ERR_IO, "cannot write");
    CHECK(count_entries(root) == entries); /* nothing left behind */
    output_discard(NULL);

    /* A device is written to, not replaced; a full one is an error. */
    CHECK_OK(output_open(&file, "/dev/full"));
    CHECK_OK(output_write(file, "x", 1));
    CHECK_FAILS(output_commit(&file), SCONE_ERR_IO, "/dev/full: cannot write");
    struct stat info;
    CHECK(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode));

    /* A link stays a link. */
    put_text(in_root("real"), "old");
    CHECK(symlink(in_root("real"), in_root("link")) == 0);
    CHECK_OK(output_open(&file, in_root("link")));
    CHECK_OK(output_write(file, "new", 3));
    CHECK_OK(output_commit(&file));
    CHECK(lstat(in_root("link"), &info) == 0 && S_ISLNK(info.st_mode));
    expect_text(in_root("real"), "new");
}

static output_entry classify(const char *entry)
{
    if (strcmp(entry, "marker") == 0) return OUTPUT_MARKER;
    if (strcmp(entry, "data") == 0 || strcmp(entry, "g0/table") == 0) return OUTPUT_OURS;
    return strcmp(entry, "g0") == 0 ? OUTPUT_FOLDER : OUTPUT_FOREIGN;
}

static const output_kind kind = {classify, {"signed m"}};

static void put_into(output_folder *folder, const char *name, const char *text)
{
    char *path;
    output_file *file;
    CHECK_OK(output_folder_path(&path, folder, name));
    CHECK_OK(output_open(&file, path));
    CHECK_OK(output_write(file, text, strlen(text)));
    CHECK_OK(output_commit(&file));
    mem_free(path);
}

static void test_new_folder(void **state)
{
    (void)state;
    char *path = in_root("made");
    size_t before = count_entries(root);
    output_folder *folder;
    CHECK_OK(output_folder_open(&folder, in_root("made//"), &kind, false, NULL));
    put_into(folder, "data", "1");
    put_into(folder, "g0/table", "2");
    put_into(folder, "g0/graph", "3");
    CHECK(!path_exists(path)); /* until commit */
    output_folder_discard(folder);
    CHECK(count_entries(root) == before);

    CHECK_OK(output_folder_open(&folder, path, &kind, false, NULL));
    put_into(folder, "data", "1");
    put_into(folder, "g0/table", "2");
    CHECK_OK(output_folder_commit(&folder));
    CHECK(folder == NULL);
    CHECK(count_entries(root) == before + 1);
    expect_text(in_root("made/g0/table"), "2");
    output_folder_discard(NULL);
}

static void test_existing_folder(void **state)
{
    (void)state;
    char *path = in_root("there");
    output_folder *folder;
    CHECK(mkdir(path, 0755) == 0);
    put_text(in_root("there/notes.txt"), "mine");
    CHECK_OK(
        output_folder_open(&folder, path, &kind, false, NULL)); /* foreign files don't matter */
    put_into(folder, "data", "1");
    put_into(folder, "g0/table", "2");
    CHECK_OK(output_folder_commit(&folder));
    CHECK(count_entries(path) == 3);

    /* Our names without the marker: refused, or forced. */
    CHECK_FAILS(output_folder_open(&folder, path, &kind, false, NULL), SCONE_ERR_INPUT, "--force");
    CHECK(count_entries(path) == 3);
    CHECK_OK(output_folder_open(&folder, path, &kind, true, NULL));
    put_into(folder, "marker", "signed m");
    put_into(folder, "data", "11");
    CHECK_OK(output_folder_commit(&folder));
    CHECK(count_entries(path) == 3); /* notes.txt, marker, data; g0 of the earlier run is gone */
    expect_text(in_root("there/data"), "11");

    /* With the marker an earlier run is replaced; without commit it stays. */
    CHECK_OK(output_folder_open(&folder, path, &kind, false, NULL));
    put_into(folder, "data", "22");
    output_folder_discard(folder);
    expect_text(in_root("there/data"), "11");
    expect_text(in_root("there/marker"), "signed m");
    expect_text(in_root("there/notes.txt"), "mine");
    CHECK(count_entries(path) == 3);

    CHECK_FAILS(output_folder_open(&folder, in_root("there/notes.txt"), &kind, true, NULL),
                SCONE_ERR_IO, "is a file");
    CHECK_FAILS(output_folder_open(&folder, in_root("none/deeper"), &kind, true, NULL),
                SCONE_ERR_IO, "parent exists");
    CHECK_FAILS(output_folder_open(&folder, "", &kind, true, NULL), SCONE_ERR_INPUT, "empty");
}

static void append_note(void *user, scone_level level, const char *message)
{
    (void)level;
    char *notes = user;
    (void)snprintf(notes + strlen(notes), 400 - strlen(notes), "%s|", message);
}

/* Nothing but what an earlier run wrote is replaced: a name alone proves nothing. */
static void test_foreign_folder(void **state)
{
    (void)state;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/foreign", root);
    output_folder *folder;
    CHECK(mkdir(path, 0755) == 0 && mkdir(in_root("foreign/g0"), 0755) == 0);
    put_text(in_root("foreign/marker"), "of something else");
    CHECK_FAILS(output_folder_open(&folder, path, &kind, false, NULL), SCONE_ERR_INPUT,
                "no earlier run");
    put_text(in_root("foreign/marker"), "signed m");
    CHECK_OK(output_folder_open(&folder, path, &kind, false, NULL));
    output_folder_discard(folder);
    put_text(in_root("foreign/g0/diary"), "mine");
    CHECK_FAILS(output_folder_open(&folder, path, &kind, false, NULL), SCONE_ERR_INPUT, "g0/diary");
    CHECK_OK(output_folder_open(&folder, path, &kind, true, NULL));
    output_folder_discard(folder);
    CHECK(unlink(in_root("foreign/g0/diary")) == 0);

    /* A folder with the name of a file is never removed. */
    CHECK(mkdir(in_root("foreign/data"), 0755) == 0);
    CHECK_FAILS(output_folder_open(&folder, path, &kind, true, NULL), SCONE_ERR_INPUT,
                "foreign/data: is a folder");
    CHECK(count_entries(path) == 3);

    CHECK(symlink("nowhere", in_root("dangling")) == 0);
    CHECK_FAILS(output_folder_open(&folder, in_root("dangling"), &kind, false, NULL), SCONE_ERR_IO,
                "leads nowhere");
}

/* Whoever is first has the place; permissions are kept. */
static void test_claimed_folder(void **state)
{
    (void)state;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/claimed", root);
    (void)umask(022);
    size_t before = count_entries(root);
    output_folder *first, *second;
    struct stat about;
    for (int existing = 0; existing < 2; existing++) {
        CHECK_OK(output_folder_open(&first, path, &kind, false, NULL));
        CHECK_FAILS(output_folder_open(&second, path, &kind, true, NULL), SCONE_ERR_INPUT,
                    "another run");
        put_into(first, "marker", "signed m");
        put_into(first, "data", existing ? "new" : "old");
        CHECK_OK(output_folder_commit(&first));
        CHECK(stat(path, &about) == 0 && (about.st_mode & 077) == (existing ? 0 : 055));
        CHECK(chmod(path, 0700) == 0);
    }
    expect_text(in_root("claimed/data"), "new");
    CHECK(count_entries(path) == 2 && count_entries(root) == before + 1);

    CHECK(chmod(in_root("claimed/data"), 0600) == 0);
    output_file *file;
    CHECK_OK(output_open(&file, in_root("claimed/data")));
    CHECK_OK(output_commit(&file));
    CHECK(stat(in_root("claimed/data"), &about) == 0 && (about.st_mode & 0777) == 0600);
}

static void make_folder(const char *name, const char *file, const char *text)
{
    char path[600];
    CHECK(mkdir(in_root(name), 0755) == 0);
    (void)snprintf(path, sizeof path, "%s/%s", in_root(name), file);
    if (text) put_text(path, text);
}

/* What killed runs left is removed, put back or put in place, and told. */
static void test_leftovers(void **state)
{
    (void)state;
    char notes[400] = "", path[512];
    (void)snprintf(path, sizeof path, "%s/left", root);
    const scone_context context = {.log = append_note, .user = notes};
    output_folder *folder;
    make_folder("left", "marker", "signed m");
    make_folder("left.scone-tmp-1-0", "data", "unfinished");
    make_folder("left.scone-tmp-mine", "data", "not a name of ours");
    make_folder("left/.scone-tmp-2-0", "data", "unfinished");
    make_folder("left/.scone-tmp-2-0/.old", "data", "old");
    size_t before = count_entries(root);
    CHECK_OK(output_folder_open(&folder, path, &kind, false, &context));
    CHECK(count_entries(path) == 3); /* marker, data, the new temporary */
    expect_text(in_root("left/data"), "old");
    output_folder_discard(folder);
    CHECK(count_entries(root) == before - 1);
    assert_non_null(strstr(notes, "left.scone-tmp-1-0: removed"));
    assert_non_null(strstr(notes, "those are back"));

    CHECK(unlink(in_root("left/marker")) == 0);
    make_folder("left/.scone-place-3-1", "marker", "signed m");
    make_folder("left/.scone-place-3-1/.old", "marker", "older");
    CHECK_OK(output_folder_open(&folder, path, &kind, false, &context));
    output_folder_discard(folder);
    expect_text(in_root("left/marker"), "signed m");
    CHECK(count_entries(path) == 2);
    assert_non_null(strstr(notes, "all there now"));
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_new_folder),
        cmocka_unit_test(test_existing_folder),
        cmocka_unit_test(test_foreign_folder),
        cmocka_unit_test(test_claimed_folder),
        cmocka_unit_test(test_leftovers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
