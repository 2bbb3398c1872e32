/* test_training_set.c - graphs made beside the steps that take them: the set as it becomes ready,
 * and trainings whose bytes do not depend on who made which graph when. */
#include "training.h"

#include "model/tokens/token_file.h"
#include "train/training_set.h"
#include "train/shuffle.h"
#include "train/plan.h"

#include <dirent.h>
#include <unistd.h>

enum { GRAPHS = 70 };

/* A name of a path in the folder that lives as long as the test. */
static char *new_folder(const char *name)
{
    static char path[PATH];
    CHECK(mkdir(in_folder(path, name), 0777) == 0);
    return path;
}

static graph_recipe recipe_in(const char *path)
{
    model_config config;
    graph_recipe recipe = {.count = GRAPHS, .samples_min = 100, .folder = path, .stage = "graphs"};
    CHECK_OK(config_preset(&config, "paper"));
    CHECK_OK(plan_change_config(&config, tiny("x", NULL).changes));
    recipe.setting = tiny("x", NULL).setting;
    recipe.options = config_token_options(&config);
    return recipe;
}

static void check_same_set(const training_set *a, const training_set *b)
{
    CHECK(a->ready == b->ready && a->hash == b->hash && a->most_nodes == b->most_nodes);
    for (size_t g = 0; g < a->ready; g++) {
        CHECK(a->graphs[g]->bytes == b->graphs[g]->bytes && b->graphs[g]->graph == g);
        CHECK(memcmp(a->graphs[g]->block, b->graphs[g]->block, b->graphs[g]->bytes) == 0);
    }
}

/* ---- the set ---- */

static void test_ready(void **state)
{
    (void)state;
    const scone_context two = {.threads = 2}, four = {.threads = 4};
    graph_recipe recipe = recipe_in(new_folder("set"));
    training_set *all, *part, *again;
    uint64_t hash;
    CHECK_OK(training_set_load(&all, &recipe, &two));
    CHECK(all->ready == GRAPHS && !all->source && all->most_nodes == 7);
    double whole[3], some[3];
    training_set_class_weights(whole, all, true);
    for (int ahead = 0; ahead <= 2; ahead++) {
        char name[] = "part0";
        name[4] = (char)('0' + ahead);
        recipe.folder = new_folder(name);
        CHECK_OK(training_set_open(&part, &recipe, ahead, &four));
        CHECK(part->ready == 0 && training_set_threads(part, &four) >= 4 - ahead);
        CHECK(training_set_threads(part, NULL) == 1);
        CHECK_OK(training_set_need(part, 1));
        CHECK(part->ready == LOADER_BLOCK); /* whole blocks */
        hash = part->hash;
        CHECK(hash != all->hash);
        training_set_class_weights(some, part, true);
        CHECK(some[0] != whole[0]);
        CHECK_OK(training_set_need(part, LOADER_BLOCK));
        CHECK(part->ready == LOADER_BLOCK && part->hash == hash);
        training_set_free(part); /* while others are being made */
        /* the file has a block; the rest is made */
        CHECK_OK(training_set_open(&again, &recipe, ahead, &four));
        CHECK_OK(training_set_need(again, 3));
        CHECK(again->ready == LOADER_BLOCK && again->hash == hash);
        CHECK_OK(training_set_need(again, 10 * GRAPHS));
        CHECK(!again->source && training_set_threads(again, &four) == 4);
        check_same_set(again, all);
        training_set_free(again);
        /* all of it is there, for several at once */
        CHECK_OK(training_set_open(&again, &recipe, ahead, &four));
        CHECK_OK(training_set_open(&part, &recipe, ahead, &four));
        CHECK_OK(training_set_need(part, 1));
        training_set_free(part);
        CHECK(training_set_threads(again, &four) == 4);
        CHECK_OK(training_set_need(again, LOADER_BLOCK + 1));
        CHECK(again->ready == 2 * LOADER_BLOCK);
        CHECK_OK(training_set_need(again, GRAPHS));
        check_same_set(again, all);
        training_set_free(again);
    }
    /* somebody writes to it */
    recipe.count = GRAPHS + 1;
    CHECK_OK(training_set_open(&part, &recipe, 0, &two));
    CHECK_FAILS(training_set_open(&again, &recipe, 0, &two), SCONE_ERR_IO,
                "another process writes");
    training_set_free(part);
    training_set_free(all);
}

typedef struct set_case {
    graph_recipe recipe;
    uint64_t hash[THREAD_TEAM_LIMIT];
} set_case;

static void load_in_team(int rank, const scone_context *context, void *shared)
{
    set_case *x = shared;
    training_set *set;
    scone_status status = training_set_open(&set, &x->recipe, 1, context);
    for (size_t need = 0; status == SCONE_OK && need < GRAPHS + 9; need += 9) {
        status = training_set_need(set, need);
    }
    if (status == SCONE_OK) x->hash[rank] = set->hash;
    training_set_free(set);
}

/* Processes that make some graphs each, from a file that ends in the middle of a block. */
static void test_processes(void **state)
{
    (void)state;
    const scone_context two = {.threads = 2};
    graph_recipe recipe = recipe_in(new_folder("processes"));
    training_set *set;
    recipe.count = 10;
    CHECK_OK(training_set_load(&set, &recipe, &two));
    training_set_free(set);
    recipe.count = GRAPHS;
    set_case x = {.recipe = recipe};
    CHECK(thread_team_run(3, 1 << 16, 2, 0, load_in_team, &x) == 3);
    CHECK_OK(training_set_load(&set, &recipe, &two)); /* what the file has now */
    for (int r = 0; r < 3; r++) CHECK(x.hash[r] == set->hash);
    training_set_free(set);
    recipe.folder = new_folder("alone");
    CHECK_OK(training_set_load(&set, &recipe, &two));
    CHECK(x.hash[0] == set->hash);
    training_set_free(set);
}

static bool stop_in_graphs(void *user, const char *stage, double done)
{
    (void)user;
    return strcmp(stage, "graphs") != 0 || done < 0.2;
}

static void test_stopped(void **state)
{
    (void)state;
    const scone_context stopping = {.threads = 2, .progress = stop_in_graphs};
    graph_recipe recipe = recipe_in(new_folder("stopped"));
    training_set *set;
    CHECK_OK(training_set_open(&set, &recipe, 1, &stopping));
    CHECK_FAILS(training_set_need(set, GRAPHS), SCONE_ERR_INPUT,
                "stopped on request during 'graphs'");
    training_set_free(set);
    CHECK_FAILS(training_set_load(&set, &recipe, &stopping), SCONE_ERR_INPUT, "stopped on request");
    CHECK(!set);
}

/* ---- the order ---- */

static void test_order(void **state)
{
    (void)state;
    shuffle *s, *random;
    uint64_t epoch;
    size_t moved = 0;
    CHECK_OK(shuffle_alloc(&s, GRAPHS, 3, true));
    CHECK_OK(shuffle_alloc(&random, GRAPHS, 3, false));
    for (size_t p = 0; p < 3 * GRAPHS; p++) {
        size_t g = shuffle_graph(s, p, &epoch);
        if (p < GRAPHS) {
            CHECK(g == p && epoch == 0);
            moved += g != shuffle_graph(random, p, &epoch);
        } else {
            CHECK(g == shuffle_graph(random, p, &epoch));
        }
    }
    CHECK(moved > GRAPHS / 2);
    CHECK(shuffle_graph(s, 5, &epoch) == 5); /* back again */
    shuffle_free(s);
    shuffle_free(random);
}

/* ---- trainings ---- */

/* 40 graphs in two blocks, and 12 steps of 4: the second epoch begins in step 11. */
static scone_train_options streaming(const char *output, const char *cache)
{
    scone_train_options o = tiny(output, cache);
    o.graphs = 40;
    o.stream = true;
    return o;
}

static void check_as_streamed(const char *name)
{
    char a[PATH], b[PATH];
    check_same_file(in_folder(a, "streamed.safetensors"), in_folder(b, name));
}

static void test_trainings(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int processes, threads;
        bool cached;
    } cases[] = {{"streamed.safetensors", 1, 1, false}, {"two.safetensors", 1, 2, false},
                 {"four.safetensors", 1, 4, false},     {"cached.safetensors", 1, 2, true},
                 {"ranks.safetensors", 2, 2, false},    {"three.safetensors", 3, 1, true}};
    char output[PATH], cache[PATH];
    (void)in_folder(cache, "streamed.safetensors.run");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        team_case x = {0};
        x.options = streaming(in_folder(output, cases[c].name), cases[c].cached ? cache : NULL);
        CHECK(thread_team_run(cases[c].processes, 1 << 16, cases[c].threads, 0, train_in_team,
                              &x) == cases[c].processes);
        for (int r = 0; r < cases[c].processes; r++) {
            if (x.status[r] != SCONE_OK) fail_msg("process %d: %s", r, x.message);
        }
        check_as_streamed(cases[c].name);
    }
    /* another order: other weights */
    scone_train_options o = streaming(in_folder(output, "before.safetensors"), cache);
    char *bytes[2], other[PATH];
    size_t size[2];
    o.stream = false;
    CHECK_OK(scone_train_run(NULL, &o, NULL));
    CHECK_OK(file_read_all(&bytes[0], &size[0], output, 1 << 24));
    CHECK_OK(file_read_all(&bytes[1], &size[1], in_folder(other, "two.safetensors"), 1 << 24));
    CHECK(memcmp(bytes[0] + size[0] - 4000, bytes[1] + size[1] - 4000, 4000) != 0);
    mem_free(bytes[0]);
    mem_free(bytes[1]);
    o.stream = o.resume = true;
    CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_INPUT, "is of another training");
}

/* The token file of the training graphs: the larger of the two in the folder. */
static void find_tokens(char out[2 * PATH], const char *path)
{
    struct stat about;
    off_t largest = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        char name[2 * PATH];
        if (!strstr(entry->d_name, ".tok")) continue;
        (void)snprintf(name, sizeof name, "%s/%.200s", path, entry->d_name);
        CHECK(stat(name, &about) == 0);
        if (about.st_size <= largest) continue;
        largest = about.st_size;
        memcpy(out, name, sizeof name);
    }
    (void)closedir(directory);
    CHECK(largest > 0);
}

/* Stopped in the first epoch, with one block taken. */
static void test_resume(void **state)
{
    (void)state;
    char output[PATH];
    const scone_context stopping = {.threads = 2, .progress = stop_midway}, two = {.threads = 2};
    scone_train_options o = streaming(in_folder(output, "broken.safetensors"), NULL);
    CHECK_FAILS(scone_train_run(NULL, &o, &stopping), SCONE_ERR_INPUT, "stop");
    CHECK(!path_exists(output));
    o.resume = true;
    CHECK_OK(scone_train_run(NULL, &o, &two));
    check_as_streamed("broken.safetensors");
    CHECK(unlink(output) == 0); /* when all is over */
    CHECK_OK(scone_train_run(NULL, &o, &two));
    check_as_streamed("broken.safetensors");
}

/* Somebody changed a number in a graph that steps before the stop took. */
static void test_other_data(void **state)
{
    (void)state;
    char output[PATH], path[2 * PATH];
    const scone_context stopping = {.threads = 2, .progress = stop_midway};
    scone_train_options o = streaming(in_folder(output, "other.safetensors"), NULL);
    token_file *file;
    tokens *graphs[40];
    char *description, run[PATH + 8];
    CHECK_FAILS(scone_train_run(NULL, &o, &stopping), SCONE_ERR_INPUT, "stop");
    (void)snprintf(run, sizeof run, "%s.run", output);
    find_tokens(path, run);
    CHECK_OK(token_file_open(&file, path, NULL));
    size_t count = token_file_count(file);
    CHECK(count >= LOADER_BLOCK && count <= 40);
    description = mem_copy_text(token_file_description(file), strlen(token_file_description(file)));
    assert_non_null(description);
    for (size_t g = 0; g < count; g++) CHECK_OK(token_file_read(&graphs[g], file, g));
    token_file_close(file);
    CHECK(unlink(path) == 0);
    graphs[7]->node_statistics[0][0] += 0.5f;
    CHECK_OK(token_file_continue(&file, path, description, NULL));
    for (size_t g = 0; g < count; g++) {
        CHECK_OK(token_file_append(file, graphs[g]));
        tokens_free(graphs[g]);
    }
    CHECK_OK(token_file_finish(&file));
    mem_free(description);
    o.resume = true;
    CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_INPUT,
                "the checkpoint of step 4 was made with other training data");
}

/* Fewer steps than an epoch has: graphs that nobody takes are not made. */
static void test_short(void **state)
{
    (void)state;
    char output[PATH], path[2 * PATH], run[PATH + 8];
    const scone_context two = {.threads = 2};
    scone_train_options o = streaming(in_folder(output, "short.safetensors"), NULL);
    token_file *file;
    o.steps = 3;
    CHECK_OK(scone_train_run(NULL, &o, &two));
    (void)snprintf(run, sizeof run, "%s.run", output);
    find_tokens(path, run);
    CHECK_OK(token_file_open(&file, path, NULL));
    CHECK(token_file_count(file) == 12);
    token_file_close(file);
    scone_model *model;
    CHECK_OK(scone_model_open(&model, output));
    CHECK(strstr(scone_model_describe(model)->command, "--graphs 40 "));
    CHECK(strstr(scone_model_describe(model)->command, " --stream"));
    scone_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready),     cmocka_unit_test(test_processes),
        cmocka_unit_test(test_stopped),   cmocka_unit_test(test_order),
        cmocka_unit_test(test_trainings), /* before the next */
        cmocka_unit_test(test_resume),    cmocka_unit_test(test_other_data),
        cmocka_unit_test(test_short),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
