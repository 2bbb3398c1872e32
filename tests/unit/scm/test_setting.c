/* test_setting.c - named settings, their limits, setting.json, and the folders that are written. */
#include "testing.h"

#include "io/file.h"
#include "data/dcdi.h"
#include "data/table.h"
#include "scm/scm.h"
#include "scm/setting_json.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static char root[] = "/tmp/scone-test-setting-XXXXXX";

static char *in_root(const char *name)
{
    static char paths[8][512];
    static int next;
    next = (next + 1) % 8;
    (void)snprintf(paths[next], sizeof paths[next], "%s/%s", root, name);
    return paths[next];
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

static scone_setting named(const char *name)
{
    scone_setting setting;
    CHECK_OK(scone_setting_named(&setting, name));
    return setting;
}

/* ---- names and limits ---- */

static void test_names(void **state)
{
    (void)state;
    enum { OOD = SCONE_POLYNOMIAL | SCONE_SIGMOID };
    static const struct {
        const char *name;
        size_t nodes, count;
        double edges;
        unsigned families;
        bool wild;
    } known[] = {
        {"indist-20-20", 20, 10, 20, SCONE_POLYNOMIAL, false},
        {"ood-20-20", 20, 10, 20, OOD, false},
        {"ood-20-30", 20, 10, 30, OOD, false},
        {"ood-20-40", 20, 10, 40, OOD, false},
        {"ood-50-50", 50, 20, 50, OOD, false},
        {"ood-100-100", 100, 20, 100, OOD, false},
        {"train-indist", 20, 512, 20, SCONE_POLYNOMIAL, false},
        {"wild-20-20", 20, 10, 20, 0, true},
        {"wild-20-40", 20, 10, 40, 0, true},
        {"wild-50-50", 50, 20, 50, 0, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        scone_setting s = named(known[i].name);
        CHECK(strcmp(s.name, known[i].name) == 0);
        CHECK(s.nodes_min == known[i].nodes && s.nodes_max == known[i].nodes);
        CHECK(s.edges_min == known[i].edges && s.edges_max == known[i].edges && !s.edges_per_node);
        CHECK(s.families == known[i].families && s.wild == known[i].wild);
        CHECK(s.count == known[i].count && s.samples == 10000 && s.seed == 0);
        CHECK(s.p_target == 0.4 && s.noise == SCONE_NOISE_MIXED);
    }
    scone_setting s = named("train-ood");
    CHECK(s.nodes_min == 10 && s.nodes_max == 100 && s.count == 512);
    CHECK(s.edges_min == 1.0 && s.edges_max == 2.0 && s.edges_per_node);
    CHECK(s.families == (SCONE_LINEAR | SCONE_NN | SCONE_NN_ADD));
    size_t count = 0;
    for (const char *const *name = scone_setting_names(); *name; name++, count++) {
        s = named(*name);
        CHECK_OK(setting_check(&s));
    }
    CHECK(count == sizeof known / sizeof *known + 1);
    CHECK_FAILS(scone_setting_named(&s, "ood-20-21"), SCONE_ERR_INPUT, "ood-100-100, wild-20-20");
    CHECK_FAILS(scone_setting_named(&s, ""), SCONE_ERR_INPUT, "there is no setting ''");
}

static void test_limits(void **state)
{
    (void)state;
    scone_setting s;
#define REFUSED(change_, text_)                                                                    \
    do {                                                                                           \
        s = named("ood-20-20");                                                                    \
        change_;                                                                                   \
        CHECK_FAILS(setting_check(&s), SCONE_ERR_INPUT, text_);                                    \
    } while (0)
    REFUSED(s.nodes_min = 0, "--nodes must be between 1 and 10000, not 0");
    REFUSED(s.nodes_max = 10001, "--nodes must be between 1 and 10000, not 10001");
    REFUSED(s.nodes_min = 21, "--nodes: the range 21 to 20 is empty");
    REFUSED(s.edges_min = -1.0, "--edges must be a number from 0 on, not -1");
    REFUSED(s.edges_max = (double)INFINITY, "--edges must be");
    REFUSED(s.edges_min = (double)NAN, "--edges must be");
    REFUSED(s.edges_max = (double)NAN, "--edges must be");
    REFUSED(s.edges_min = 30.0, "--edges: the range 30 to 20 is empty");
    REFUSED((s.nodes_max = 10000, s.edges_max = 3e6), "limit of 2000000 edges");
    REFUSED((s.nodes_max = 10000, s.edges_max = 300, s.edges_per_node = true), "--edges 3e+06");
    REFUSED(s.samples = 0, "--samples must be at least 1");
    REFUSED(s.samples = 50000001, "--samples 50000001 with --nodes 20");
    REFUSED(s.samples = SIZE_MAX / 4, "use fewer");
    REFUSED(s.families = 0, "--mechanisms");
    REFUSED(s.families = 32, "--mechanisms");
    REFUSED(s.noise = (scone_noise)3, "--noise");
    REFUSED(s.p_target = -0.1, "--p-target must be between 0 and 1, not -0.1");
    REFUSED(s.p_target = 1.1, "--p-target");
    REFUSED(s.p_target = (double)NAN, "--p-target");
    REFUSED(s.count = 0, "--count");
    REFUSED(s.count = 1000001, "--count");
    REFUSED(memset(s.name, 'x', sizeof s.name), "name of the setting");
    REFUSED(s.conditions = 1001, "--conditions must be between 1 and 1000, not 1001");
    REFUSED((s.conditions = 1000, s.samples = 50001), "--samples 50001 with --nodes 20 and "
                                                      "--conditions 1000 makes more than");
    REFUSED(s.control_samples = 50000001, "--control-samples 50000001 with --nodes 20");
    REFUSED(s.control_samples = SIZE_MAX / 4, "--control-samples");
    REFUSED((s.conditions = 2, s.condition_targets_min = 3, s.condition_targets_max = 2),
            "--condition-targets: the range 3 to 2 is empty");
    REFUSED((s.conditions = 2, s.condition_targets_max = 10001), "at most 10000, not 10001");
    REFUSED(s.condition_targets_max = 2, "--condition-targets goes with --conditions 2 or more");
    REFUSED((s.conditions = 1, s.condition_targets_max = 2), "--p-target");
#undef REFUSED
    s = named("ood-20-20");
    s.edges_max = s.edges_min = 1e12; /* more than there are pairs: the complete graph */
    CHECK_OK(setting_check(&s));
    s = named("wild-20-20"); /* has mechanisms of its own */
    CHECK_OK(setting_check(&s));
}

/* ---- setting.json ---- */

static void check_same_setting(const scone_setting *a, const scone_setting *b)
{
    CHECK(strcmp(a->name, b->name) == 0);
    CHECK(a->nodes_min == b->nodes_min && a->nodes_max == b->nodes_max);
    CHECK_SAME(a->edges_min, b->edges_min);
    CHECK_SAME(a->edges_max, b->edges_max);
    CHECK(a->edges_per_node == b->edges_per_node && a->families == b->families);
    CHECK(a->noise == b->noise && a->wild == b->wild);
    CHECK_SAME(a->p_target, b->p_target);
    CHECK(a->samples == b->samples && a->count == b->count && a->seed == b->seed);
    CHECK(a->conditions == b->conditions && a->control_samples == b->control_samples);
    CHECK(a->condition_targets_min == b->condition_targets_min);
    CHECK(a->condition_targets_max == b->condition_targets_max);
}

static void test_json_round_trip(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {0, 1, UINT64_C(9007199254740993), UINT64_MAX};
    setting_outcome outcomes[512] = {{20, 23, 7}};
    size_t round = 0;
    for (const char *const *name = scone_setting_names(); *name; name++, round++) {
        scone_setting written = named(*name), read;
        written.seed = seeds[round % 4];
        written.p_target = 0.1 + (double)round / 30.0;
        written.edges_max += 1.0 / 3.0;
        written.noise = (scone_noise)(round % 3);
        if (round % 2) written.conditions = 2 + round;
        if (round % 3 == 1) written.condition_targets_max = round + 1;
        if (round % 3 == 1) written.conditions = 1000;
        if (round % 4 == 3) written.control_samples = 17 + round;
        char *text;
        CHECK_OK(setting_print(&text, &written, SCONE_PROBLEM_DCDI, outcomes));
        CHECK(strstr(text, "\"format\":\t\"dcdi\"") && strstr(text, "\"edges\":\t23"));
        CHECK((strstr(text, "\"conditions\"") != NULL) == (written.conditions > 1));
        CHECK((strstr(text, "condition_targets") != NULL) == (written.condition_targets_max > 0));
        CHECK((strstr(text, "control_samples") != NULL) == (written.control_samples > 0));
        CHECK_OK(setting_parse(&read, text, strlen(text)));
        check_same_setting(&read, &written);
        /* Cut anywhere, it is refused. */
        for (size_t size = 0; size < 400 && size < strlen(text); size += 7) {
            CHECK_FAILS(setting_parse(&read, text, size), SCONE_ERR_INPUT, "JSON");
        }
        mem_free(text);
    }
}

static void test_json_refused(void **state)
{
    (void)state;
    static const char good[] =
        "{\"name\":\"custom\",\"nodes_min\":5,\"nodes_max\":6,\"edges_min\":5,\"edges_max\":7.5,"
        "\"edges_per_node\":false,\"families\":[\"nn\",\"linear\"],\"noise\":\"additive\","
        "\"wild\":false,\"p_target\":0.25,\"samples\":10,\"count\":3,\"seed\":\"17\"}";
    static const char *const changes[][3] = {
        {"\"custom\"", "7", "\"name\" is not a text"},
        {"\"custom\"", "\"a name that is much too long for this\"", "\"name\" is longer than 31"},
        {"\"nodes_min\":5", "\"nodes_mid\":5", "\"nodes_min\" is not a number"},
        {"\"nodes_min\":5", "\"nodes_min\":5.5", "\"nodes_min\" is not a whole number"},
        {"\"nodes_min\":5", "\"nodes_min\":-5", "\"nodes_min\" is not a whole number"},
        {"\"nodes_min\":5", "\"nodes_min\":1e400", "\"nodes_min\" is not a whole number"},
        {"\"nodes_min\":5", "\"nodes_min\":9", "--nodes: the range 9 to 6"},
        {"7.5", "null", "\"edges_max\" is not a number"},
        {"\"edges_per_node\":false", "\"edges_per_node\":0", "\"edges_per_node\" is not true"},
        {"[\"nn\",\"linear\"]", "\"nn\"", "\"families\" is not a list"},
        {"\"linear\"", "\"cubic\"", "holds 'cubic'"},
        {"\"linear\"", "3", "\"families\" holds ''"},
        {"[\"nn\",\"linear\"]", "[]", "--mechanisms"},
        {"\"additive\"", "\"loud\"", "\"noise\" is 'loud'"},
        {"\"17\"", "17", "\"seed\" is not a text"},
        {"\"17\"", "\"\"", "\"seed\" is ''"},
        {"\"17\"", "\"-1\"", "\"seed\" is '-1'"},
        {"\"17\"", "\"18446744073709551616\"", "below 2^64"},
        {"0.25", "2", "--p-target"},
        {"\"count\":3", "\"count\":0", "--count"},
        {"\"count\":3", "\"count\":3,\"conditions\":1001", "--conditions must be between"},
        {"\"count\":3", "\"count\":3,\"conditions\":\"2\"", "\"conditions\" is not a number"},
        {"\"count\":3", "\"count\":3,\"conditions\":2.5", "\"conditions\" is not a whole"},
        {"\"count\":3", "\"count\":3,\"condition_targets_max\":2", "--condition-targets goes"},
        {"\"count\":3", "\"count\":3,\"control_samples\":-1", "\"control_samples\" is not"},
        {"\"17\"}", "\"17\"} x", "text after the end"},
        {"{\"name\"", "[{\"name\"", "not a JSON object"},
    };
    scone_setting s;
    CHECK_OK(setting_parse(&s, good, strlen(good)));
    CHECK(s.seed == 17 && s.edges_max == 7.5 && s.families == (SCONE_NN | SCONE_LINEAR));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char text[1024];
        const char *at = strstr(good, changes[i][0]);
        assert_non_null(at);
        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, changes[i][1],
                       at + strlen(changes[i][0]));
        CHECK_FAILS(setting_parse(&s, text, strlen(text)), SCONE_ERR_INPUT, changes[i][2]);
        CHECK(s.count == 0);
    }
    CHECK_FAILS(scone_setting_read(&s, in_root("missing.json")), SCONE_ERR_IO, "missing.json");
}

/* ---- folders ---- */

static void check_csv_graph(const scone_setting *setting, const char *folder, size_t index)
{
    char path[600], text[64];
    scone_problem *p;
    CHECK_OK(scone_simulate(&p, setting, index, NULL));
    const scone_graph *truth = scone_problem_graph(p);
    static const char *const names[2] = {"obs.csv", "int.csv"};
    for (int regime = 0; regime < 2; regime++) {
        scone_table *t;
        (void)snprintf(path, sizeof path, "%s/g%zu/%s", folder, index, names[regime]);
        CHECK_OK(scone_table_read(&t, path, NULL, NULL));
        const scone_table *made = scone_pair_table(scone_problem_pair(p), regime);
        CHECK(t->rows == setting->samples && t->columns == truth->nodes);
        assert_memory_equal(t->values, made->values, t->rows * t->columns * sizeof(double));
        for (size_t v = 0; v < t->columns; v++) assert_string_equal(t->names[v], made->names[v]);
        scone_table_free(t);
    }
    scone_graph *g;
    (void)snprintf(path, sizeof path, "%s/g%zu/graph.csv", folder, index);
    CHECK_OK(scone_graph_read(&g, path, SCONE_GRAPH_EDGES));
    CHECK(scone_graph_edges(g) == scone_graph_edges(truth));
    for (size_t i = 0; i < g->nodes; i++) {
        for (size_t j = 0; j < g->nodes; j++) {
            size_t a = graph_find(truth, scone_graph_name(g, i));
            size_t b = graph_find(truth, scone_graph_name(g, j));
            CHECK(graph_directed(g, i, j) == graph_directed(truth, a, b));
        }
    }
    scone_graph_free(g);
    char *bytes, *next;
    size_t size;
    (void)snprintf(path, sizeof path, "%s/g%zu/targets.csv", folder, index);
    CHECK_OK(file_read_all(&bytes, &size, path, 1 << 20));
    CHECK(strncmp(bytes, "variable,target\n", 16) == 0);
    next = bytes + 16;
    for (size_t v = 0; v < truth->nodes; v++) {
        (void)snprintf(text, sizeof text, "X%zu,%d\n", v, scone_problem_targets(p)[v]);
        CHECK(strncmp(next, text, strlen(text)) == 0);
        next += strlen(text);
    }
    CHECK(next == bytes + size);
    mem_free(bytes);
    scone_problem_free(p);
}

static void test_write_csv(void **state)
{
    (void)state;
    scone_setting setting = named("train-ood"), read;
    setting.nodes_max = 14;
    setting.samples = 25;
    setting.count = 3;
    setting.seed = UINT64_MAX;
    char *folder = in_root("csv");
    scone_context context = {.threads = 2};
    CHECK_OK(scone_simulate_write(&setting, folder, SCONE_PROBLEM_CSV, false, &context));
    CHECK(count_entries(folder) == 4);
    for (size_t i = 0; i < 3; i++) check_csv_graph(&setting, folder, i);
    CHECK_OK(scone_setting_read(&read, in_root("csv/setting.json")));
    check_same_setting(&read, &setting);
    /* Written again, with fewer graphs: the old ones are gone. */
    setting.count = 1;
    CHECK_OK(scone_simulate_write(&setting, folder, SCONE_PROBLEM_CSV, false, &context));
    CHECK(count_entries(folder) == 2);
    check_csv_graph(&setting, folder, 0);
    /* A request that makes no sense leaves it alone. */
    setting.samples = 0;
    CHECK_FAILS(scone_simulate_write(&setting, folder, SCONE_PROBLEM_CSV, false, NULL),
                SCONE_ERR_INPUT, "--samples");
    CHECK_FAILS(scone_simulate_write(&setting, folder, (scone_problem_format)2, false, NULL),
                SCONE_ERR_USAGE, "--format");
    CHECK(count_entries(folder) == 2);
    CHECK(count_entries(root) == 1);
}

static void test_write_dcdi(void **state)
{
    (void)state;
    scone_setting setting = named("wild-20-20");
    setting.samples = 30;
    setting.count = 2;
    char *folder = in_root("dcdi");
    CHECK_OK(scone_simulate_write(&setting, folder, SCONE_PROBLEM_DCDI, false, NULL));
    CHECK(count_entries(folder) == 11);
    for (size_t i = 0; i < 2; i++) {
        scone_problem *p;
        scone_pair *pair;
        graph *truth;
        bool *targets;
        CHECK_OK(scone_simulate(&p, &setting, i, NULL));
        CHECK_OK(scone_pair_read_dcdi(&pair, folder, i + 1, NULL, NULL));
        for (int regime = 0; regime < 2; regime++) {
            const scone_table *a = scone_pair_table(pair, regime);
            const scone_table *b = scone_pair_table(scone_problem_pair(p), regime);
            CHECK(a->rows == 30 && a->columns == 20);
            assert_memory_equal(a->values, b->values, 600 * sizeof(double));
        }
        CHECK_OK(dcdi_read_graph(&truth, folder, i + 1));
        CHECK(graph_equal_marks(truth, scone_problem_graph(p)));
        CHECK_OK(dcdi_read_targets(&targets, folder, i + 1, 20));
        assert_memory_equal(targets, scone_problem_targets(p), 20);
        mem_free(targets);
        scone_graph_free(truth);
        scone_pair_free(pair);
        scone_problem_free(p);
    }
    scone_setting read;
    CHECK_OK(scone_setting_read(&read, in_root("dcdi/setting.json")));
    check_same_setting(&read, &setting);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[600];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),           cmocka_unit_test(test_limits),
        cmocka_unit_test(test_json_round_trip), cmocka_unit_test(test_json_refused),
        cmocka_unit_test(test_write_csv),       cmocka_unit_test(test_write_dcdi),
    };
    return cmocka_run_group_tests_name("setting", tests, make_root, remove_root);
}
