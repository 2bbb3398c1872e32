/* test_models.c - where weights are looked for: the order of the folders, what is told if none has
 * them, and that a discovery without a path takes those of the clone. */
#include "discovery.h"

#include "presets/models.h"
#include "discover/result.h"
#include "io/file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders below a temporary one, outer ones first. */
static const char *const folders[] = {"a",
                                      "a/b",
                                      "a/b/c",
                                      "a/b/c/lib",
                                      "a/b/c/bin",
                                      "a/b/c/share",
                                      "a/b/c/share/scone",
                                      "a/b/c/share/scone/models",
                                      "a/b/c/lib/models",
                                      "a/b/c/bin/models",
                                      "a/b/c/models",
                                      "a/b/models",
                                      "a/models",
                                      "models",
                                      "installed"};
enum { FOLDERS = sizeof folders / sizeof *folders };

static char root[] = "/tmp/scone-test-models-XXXXXX";

static char *below(const char *name)
{
    char *path;
    CHECK_OK(path_join(&path, root, name));
    return path;
}

static void put(const char *folder, bool there)
{
    char name[128];
    (void)snprintf(name, sizeof name, "%s/best.safetensors", folder);
    char *path = below(name);
    if (there) {
        FILE *stream = fopen(path, "wb");
        CHECK(stream && fclose(stream) == 0);
    } else {
        CHECK(unlink(path) == 0);
    }
    mem_free(path);
}

/* The file in the first of these folders is found, without it that in the second, and so on. */
static void check_order(const models_homes *homes, const char *const *order, size_t count)
{
    char *path, expected[256];
    for (size_t k = 0; k < count; k++) put(order[k], true);
    for (size_t k = 0; k < count; k++) {
        CHECK_OK(models_find_near(&path, "best", homes));
        (void)snprintf(expected, sizeof expected, "%s/%s/best.safetensors", root, order[k]);
        assert_string_equal(path, expected);
        mem_free(path);
        put(order[k], false);
    }
    CHECK_FAILS(models_find_near(&path, "best", homes), SCONE_ERR_IO,
                "the weights of the preset best are missing: there is no best.safetensors in ");
    CHECK(path == NULL);
    const char *place = scone_error_message();
    for (size_t k = 0; k < count; k++) { /* all of them, in their order */
        (void)snprintf(expected, sizeof expected, "%s/%s%s", root, order[k],
                       k + 1 < count ? ", " : ";");
        place = strstr(place, expected);
        CHECK(place != NULL);
    }
}

static void test_order(void **state)
{
    (void)state;
    static const char *const both[] = {
        "a/b/c/share/scone/models", "a/b/c/lib/models", "a/b/c/models", "a/b/models", "a/models",
        "a/b/c/bin/models",         "installed"};
    char *library = below("a/b/c/lib"), *program = below("a/b/c/bin"),
         *installed = below("installed");
    const models_homes two = {library, program, installed}, one = {NULL, program, installed};
    check_order(&two, both, sizeof both / sizeof *both);
    static const char *const alone[] = {"a/b/c/share/scone/models",
                                        "a/b/c/bin/models",
                                        "a/b/c/models",
                                        "a/b/models",
                                        "a/models",
                                        "installed"};
    check_order(&one, alone, sizeof alone / sizeof *alone);
    const models_homes none = {NULL, NULL, installed};
    check_order(&none, both + 6, 1);
    /* Four levels and no more. */
    char *path;
    put("models", true);
    CHECK_FAILS(models_find_near(&path, "best", &two), SCONE_ERR_IO, "are missing");
    put("models", false);
    mem_free(library);
    mem_free(program);
    mem_free(installed);
}

/* At the root of the file system there are fewer levels, and no path without its slash. */
static void test_root(void **state)
{
    (void)state;
    char *path;
    const models_homes homes = {NULL, "/", "/nowhere"}, below_root = {NULL, "/bin", "/nowhere"};
    CHECK_FAILS(models_find_near(&path, "best", &homes), SCONE_ERR_IO,
                "there is no best.safetensors in /models, /nowhere;");
    CHECK_FAILS(models_find_near(&path, "best", &below_root), SCONE_ERR_IO,
                "in /share/scone/models, /bin/models, /models, /nowhere;");
}

static void test_given(void **state)
{
    (void)state;
    char *path, *folder = below("installed"), expected[256];
    CHECK_OK(scone_model_find(&path, "paper-nc", folder));
    (void)snprintf(expected, sizeof expected, "%s/paper-nc.safetensors", folder);
    assert_string_equal(path, expected);
    mem_free(path);
    CHECK_OK(scone_model_find(&path, "paper-nc", "any.file"));
    assert_string_equal(path, "any.file");
    mem_free(path);
    CHECK_FAILS(scone_model_find(&path, "search", NULL), SCONE_ERR_INPUT,
                "the preset search has no weights");
    CHECK(path == NULL);
    CHECK_FAILS(scone_model_find(&path, "beast", folder), SCONE_ERR_INPUT, "no preset 'beast'");
    CHECK(path == NULL);
    mem_free(folder);
}

/* The tests are built within the clone, which has weights for all learned presets. */
static void test_default(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(5, 100, 3);
    const scone_pair *pair = scone_problem_pair(problem);
    for (const char *const *name = scone_preset_names(); *name; name++) {
        if (!scone_preset_learned(*name)) continue;
        const scone_discover_options options = {.preset = *name};
        scone_result *r;
        char *path;
        CHECK_OK(scone_model_find(&path, *name, NULL));
        CHECK_OK(scone_discover(&r, pair, &options, NULL));
        assert_string_equal(r->request.options.model, path);
        mem_free(path);
        scone_result_free(r);
    }
    scone_result *r, *best;
    const scone_discover_options options = {.preset = "best"};
    CHECK_OK(scone_discover(&r, pair, NULL, NULL));
    CHECK_OK(scone_discover(&best, pair, &options, NULL));
    assert_string_equal(r->request.preset->name, "best");
    CHECK(r->request.model_id[0] != '\0');
    check_same_result(r, best);
    scone_result_free(r);
    scone_result_free(best);
    scone_problem_free(problem);
}

static int make_folders(void **state)
{
    (void)state;
    if (!mkdtemp(root)) return -1;
    for (size_t k = 0; k < FOLDERS; k++) {
        char *path = below(folders[k]);
        int code = mkdir(path, 0777);
        mem_free(path);
        if (code != 0) return -1;
    }
    return 0;
}

static int remove_folders(void **state)
{
    (void)state;
    for (size_t k = FOLDERS; k-- > 0;) {
        char *path = below(folders[k]);
        (void)rmdir(path);
        mem_free(path);
    }
    return rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_root),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_default),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
