/* test_problem_conditions.c - a control and several conditions: every node against its formula,
 * targets, what does not depend on how many conditions there are, and the files. */
#include "statistics.h"

#include "data/conditions/conditions.h"
#include "data/dcdi.h"
#include "scm/scm.h"
#include "scm/wild.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ROWS = 3000, CONDITIONS = 4 };

static scone_setting named(const char *name, size_t conditions)
{
    scone_setting setting;
    CHECK_OK(scone_setting_named(&setting, name));
    setting.conditions = conditions;
    setting.seed = 5;
    return setting;
}

static const double *cells(const scone_problem *p, size_t k, size_t v)
{
    return scone_table_column(scone_conditions_table(scone_problem_conditions(p), k), v);
}

/* ---- each node given its parents ---- */

/* Linear, polynomial and sigmoid without noise, as docs/methods/generator.md has them. */
static double naive_sum(const mechanism *m, const double *w, const scone_problem *p, size_t k,
                        size_t row)
{
    double f = 0.0;
    for (size_t j = 0; j < m->parents; j++) {
        double x = cells(p, k, m->parent[j])[row];
        if (m->family == SCONE_LINEAR) {
            f += w[j] * x;
        } else if (m->family == SCONE_POLYNOMIAL) {
            f += fmax(-1.0, fmin(1.0, w[3 * j] + w[3 * j + 1] * x + w[3 * j + 2] * x * x));
        } else {
            double z = w[3 * j + 1] * (x + w[3 * j + 2]);
            f += w[3 * j] * z / (1.0 + fabs(z));
        }
    }
    return f;
}

/* The noise of a node is standard normal after division by its sd. */
static double noise_statistic(double *noise, const mechanism *m, const scone_problem *p, size_t k,
                              size_t v, size_t rows)
{
    static double sorted[ROWS];
    const double *y = cells(p, k, v), *w = m->weights[k > 0];
    for (size_t i = 0; i < rows; i++) {
        double f = m->parents ? naive_sum(m, w, p, k, i) : 0.0;
        noise[i] = m->parents == 0     ? y[i] / 4.0 + 0.5
                   : m->multiplicative ? y[i] / f / m->noise_sd
                                       : (y[i] - f) / m->noise_sd;
        sorted[i] = noise[i];
    }
    return ks_statistic(sorted, rows, m->parents ? normal_cdf : uniform_cdf);
}

/* A target follows weights of its own in each of its conditions, every other node those of the
 * control; noise is fresh in each. */
static void test_every_node(void **state)
{
    (void)state;
    static double noise[ROWS], other[ROWS];
    scone_setting setting = named("ood-20-30", CONDITIONS);
    setting.families = SCONE_LINEAR | SCONE_POLYNOMIAL | SCONE_SIGMOID;
    setting.samples = ROWS - 500;
    setting.control_samples = ROWS;
    scone_problem *p;
    model m = {0};
    mechanism *mechanisms;
    size_t checked = 0, above = 0, shared = 0;
    CHECK_OK(scone_simulate(&p, &setting, 1, NULL));
    CHECK_OK(scm_draw(&m, &setting, 1));
    CHECK_OK(scm_mechanisms(&mechanisms, &m, &setting));
    for (size_t v = 0; v < 20; v++) {
        for (size_t k = 0; k <= CONDITIONS; k++, checked++) {
            const mechanism *node = &mechanisms[(k ? k - 1 : 0) * 20 + v];
            size_t rows = k ? ROWS - 500 : ROWS;
            bool target = scone_problem_condition_targets(p, k)[v];
            CHECK(k > 0 || !target);
            CHECK(k == 0 || target == (node->weights[0] != node->weights[1]));
            double ks = noise_statistic(noise, node, p, k, v, rows);
            CHECK_NEAR(ks, 0.0, 2.2);
            above += ks > 1.63; /* probability 0.01 */
            if (k > 1 && node->parents && !node->multiplicative) {
                CHECK_NEAR(correlation(noise, other, rows), 0.0, 4.5 / sqrt((double)rows));
            }
            memcpy(other, noise, sizeof noise);
            for (size_t l = 1; l < k; l++) { /* a target twice changes twice, and differently */
                if (!target || !scone_problem_condition_targets(p, l)[v]) continue;
                const mechanism *before = &mechanisms[(l - 1) * 20 + v];
                CHECK(before->weights[1][0] != node->weights[1][0] ||
                      node->family == SCONE_SIGMOID);
                shared++;
            }
        }
    }
    CHECK(checked == 100 && above <= 5 && shared > 0);
    scm_free(&m);
    scone_problem_free(p);
}

/* In the second benchmark a node without a change has the same distribution given its parents, so
 * roots do; a node whose mean moves has it moved by the amount, and only in this condition. */
static void test_wild_changes(void **state)
{
    (void)state;
    scone_setting setting = named("wild-20-20", CONDITIONS);
    setting.samples = ROWS;
    size_t moved = 0, roots = 0;
    for (size_t index = 0; index < 3; index++) {
        scone_problem *p;
        model m = {0};
        arena *memory;
        CHECK_OK(arena_alloc(&memory, 0));
        CHECK_OK(scone_simulate(&p, &setting, index, NULL));
        CHECK_OK(scm_draw(&m, &setting, index));
        for (size_t v = 0; v < 20; v++) {
            double mean[CONDITIONS + 1] = {0};
            for (size_t k = 0; k <= CONDITIONS; k++) {
                for (size_t i = 0; i < ROWS; i++) mean[k] += cells(p, k, v)[i] / ROWS;
            }
            CHECK_NEAR(mean[0], 0.0, 1e-9);
            for (size_t k = 1; k <= CONDITIONS; k++) {
                wild_node node = {.parents = m.parent_counts[v], .parent = m.parents[v]};
                rng weights = scm_mechanism_stream(&m, v, MODEL_WEIGHTS);
                rng change = scm_change_stream(&m, k, v, MODEL_SHIFT);
                bool target = scone_problem_condition_targets(p, k)[v];
                CHECK_OK(wild_draw(&node, memory, target, &weights, &change));
                bool deep = false; /* have its causes causes? Its mean moves with theirs. */
                for (size_t j = 0; j < node.parents; j++) {
                    deep = deep || m.parent_counts[node.parent[j]] > 0;
                }
                if (deep) continue;
                if (node.parents == 0) roots++;
                double wanted = node.change == WILD_MEAN ? node.amount : 0.0;
                if (node.change == WILD_WEIGHTS) continue;
                moved += wanted != 0.0;
                CHECK_NEAR(mean[k], wanted, 0.25);
            }
        }
        scm_free(&m);
        arena_free(memory);
        scone_problem_free(p);
    }
    CHECK(moved >= 2 && roots > 20);
}

/* ---- what a problem gives ---- */

static void check_targets(const scone_problem *p, size_t low, size_t high, size_t conditions)
{
    const scone_graph *g = scone_problem_graph(p);
    bool any[64] = {false};
    for (size_t k = 1; k <= conditions; k++) {
        size_t count = 0;
        const bool *targets = scone_problem_condition_targets(p, k);
        for (size_t v = 0; v < scone_graph_nodes(g); v++) {
            CHECK(!targets[v] || !bits_empty(graph_parents(g, v), g->words));
            count += targets[v];
            any[v] = any[v] || targets[v];
        }
        CHECK(count >= low && count <= high);
    }
    for (size_t v = 0; v < scone_graph_nodes(g); v++) {
        CHECK(scone_problem_targets(p)[v] == any[v]);
        CHECK(!scone_problem_condition_targets(p, 0)[v]);
    }
}

/* The pair is the control and the conditions one after the other. */
static void test_parts(void **state)
{
    (void)state;
    scone_setting setting = named("ood-20-20", 11);
    setting.samples = 7;
    setting.control_samples = 9;
    scone_problem *p;
    CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
    const scone_conditions *c = scone_problem_conditions(p);
    const scone_pair *pair = scone_problem_pair(p);
    CHECK(scone_conditions_count(c) == 11);
    assert_string_equal(scone_conditions_name(c, 0), "obs");
    assert_string_equal(scone_conditions_name(c, 2), "c2");
    assert_string_equal(scone_conditions_name(c, 11), "c11");
    CHECK(scone_table_rows(scone_pair_table(pair, 0)) == 9);
    CHECK(scone_table_rows(scone_pair_table(pair, 1)) == 77);
    for (size_t v = 0; v < 20; v++) {
        assert_memory_equal(scone_table_column(scone_pair_table(pair, 0), v), cells(p, 0, v),
                            9 * sizeof(double));
        for (size_t k = 1; k <= 11; k++) {
            assert_memory_equal(scone_table_column(scone_pair_table(pair, 1), v) + 7 * (k - 1),
                                cells(p, k, v), 7 * sizeof(double));
        }
    }
    check_targets(p, 1, 3, 11);
    scone_problem_free(p);
    setting.condition_targets_min = setting.condition_targets_max = 5;
    CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
    check_targets(p, 5, 5, 11);
    scone_problem_free(p);
    setting.edges_min = setting.edges_max = 0.0;
    setting.nodes_min = setting.nodes_max = 1;
    CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
    check_targets(p, 0, 0, 11);
    scone_problem_free(p);
}

/* With one condition the pair and the condition are the same tables. */
static void test_one_condition(void **state)
{
    (void)state;
    for (size_t conditions = 0; conditions < 2; conditions++) {
        scone_setting setting = named("ood-20-20", conditions);
        setting.samples = 5;
        scone_problem *p;
        CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
        const scone_conditions *c = scone_problem_conditions(p);
        CHECK(scone_conditions_count(c) == 1);
        assert_string_equal(scone_conditions_name(c, 1), "int");
        for (int k = 0; k < 2; k++) {
            CHECK(scone_conditions_table(c, (size_t)k) ==
                  scone_pair_table(scone_problem_pair(p), k));
        }
        assert_memory_equal(scone_problem_condition_targets(p, 1), scone_problem_targets(p), 20);
        scone_problem_free(p);
    }
}

/* ---- bytes ---- */

static uint64_t hash_condition(const scone_problem *p, size_t k)
{
    uint64_t hash = XXH64(scone_problem_condition_targets(p, k), 20, 0);
    size_t rows = scone_table_rows(scone_conditions_table(scone_problem_conditions(p), k));
    for (size_t v = 0; v < 20; v++) hash = XXH64(cells(p, k, v), rows * sizeof(double), hash);
    return hash;
}

/* Condition k of three is that of ten, on one thread and on several; the control is that of one
 * condition; no two conditions are alike. In every build the bytes are those recorded here. */
static void test_same_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t hash; /* of the third condition */
    } known[] = {{"ood-20-30", 0xd80215f17dd3740a}, {"wild-20-20", 0x44b8b683d2337743}};
    for (size_t i = 0; i < 2; i++) {
        scone_setting setting = named(known[i].name, 3);
        scone_problem *few, *many, *one;
        const scone_context threads = {.threads = 4};
        setting.samples = 1100;
        setting.control_samples = 2100;
        CHECK_OK(scone_simulate(&few, &setting, 2, NULL));
        setting.conditions = 10;
        CHECK_OK(scone_simulate(&many, &setting, 2, &threads));
        setting.conditions = 1;
        CHECK_OK(scone_simulate(&one, &setting, 2, &threads));
        CHECK(hash_condition(one, 0) == hash_condition(few, 0));
        for (size_t k = 0; k <= 3; k++) CHECK(hash_condition(few, k) == hash_condition(many, k));
        for (size_t k = 0; k <= 10; k++) {
            for (size_t l = 0; l < k; l++) CHECK(cells(many, k, 0)[0] != cells(many, l, 0)[0]);
        }
        if (hash_condition(few, 3) != known[i].hash) {
            fail_msg("%s: the hash is 0x%016llx", known[i].name,
                     (unsigned long long)hash_condition(few, 3));
        }
        scone_problem_free(few);
        scone_problem_free(many);
        scone_problem_free(one);
    }
}

/* ---- files ---- */

static char root[] = "/tmp/scone_conditions_XXXXXX";

static const char *in_root(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static char *read_text(const char *name)
{
    char *bytes;
    size_t size;
    CHECK_OK(file_read_all(&bytes, &size, in_root(name), 1 << 20));
    return bytes; /* ends with a NUL */
}

static void test_csv_files(void **state)
{
    (void)state;
    scone_setting setting = named("ood-20-20", 12);
    setting.samples = 6;
    setting.count = 1;
    setting.condition_targets_max = 1; /* from 0 */
    CHECK_OK(scone_simulate_write(&setting, in_root("csv"), SCONE_PROBLEM_CSV, false, NULL));
    char paths[13][256], wanted[2048] = "condition,variable\n";
    const char *names[13];
    scone_conditions *read;
    scone_problem *p;
    for (size_t k = 0; k < 13; k++) {
        (void)snprintf(paths[k], sizeof paths[k], k ? "%s/csv/g0/c%zu.csv" : "%s/csv/g0/obs.csv",
                       root, k);
        names[k] = paths[k];
    }
    CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
    CHECK_OK(scone_conditions_read(&read, names, NULL, 13, NULL, NULL));
    size_t without = 0;
    for (size_t k = 0; k < 13; k++) {
        size_t used = strlen(wanted);
        const bool *targets = scone_problem_condition_targets(p, k);
        const table *t = scone_conditions_table(read, k);
        assert_string_equal(scone_conditions_name(read, k),
                            scone_conditions_name(scone_problem_conditions(p), k));
        for (size_t v = 0; v < 20; v++) {
            assert_memory_equal(scone_table_column(t, v), cells(p, k, v), 6 * sizeof(double));
            if (!targets[v]) continue;
            (void)snprintf(wanted + used, sizeof wanted - used, "c%zu,X%zu\n", k, v);
        }
        if (k == 0 || wanted[used]) continue;
        (void)snprintf(wanted + used, sizeof wanted - used, "c%zu,\n", k);
        without++;
    }
    char *targets = read_text("csv/g0/targets.csv");
    assert_string_equal(targets, wanted);
    CHECK(without > 0 && without < 12);
    mem_free(targets);
    scone_conditions_free(read);
    scone_problem_free(p);
    /* One condition takes the place of the others, whose files are gone. */
    setting.conditions = 1;
    setting.condition_targets_max = 0;
    CHECK_OK(scone_simulate_write(&setting, in_root("csv"), SCONE_PROBLEM_CSV, false, NULL));
    CHECK(file_read_all(&targets, &(size_t){0}, in_root("csv/g0/c1.csv"), 1 << 20) != SCONE_OK);
    targets = read_text("csv/g0/targets.csv");
    CHECK(strncmp(targets, "variable,target\nX0,", 19) == 0);
    mem_free(targets);
}

/* Regimes 0 to K, with the targets of each row's condition. */
static void test_dcdi_files(void **state)
{
    (void)state;
    scone_setting setting = named("wild-20-20", 11);
    setting.samples = 2;
    setting.control_samples = 3;
    setting.count = 1;
    CHECK_OK(scone_simulate_write(&setting, in_root("dcdi"), SCONE_PROBLEM_DCDI, false, NULL));
    char regimes[256] = "", lines[2048] = "";
    scone_problem *p;
    scone_table *all;
    CHECK_OK(scone_simulate(&p, &setting, 0, NULL));
    CHECK_OK(scone_table_read(&all, in_root("dcdi/data_interv1.npy"), NULL, NULL));
    CHECK(scone_table_rows(all) == 25);
    for (size_t k = 0, row = 0; k <= 11; k++) {
        char line[256] = "";
        for (size_t v = 0; v < 20; v++) {
            size_t used = strlen(line);
            if (!scone_problem_condition_targets(p, k)[v]) continue;
            (void)snprintf(line + used, sizeof line - used, "%s%zu", used ? "," : "", v);
        }
        for (size_t i = 0; i < (k ? 2u : 3u); i++, row++) {
            for (size_t v = 0; v < 20; v++) {
                CHECK_SAME(scone_table_column(all, v)[row], cells(p, k, v)[i]);
            }
            size_t used = strlen(regimes), long_used = strlen(lines);
            (void)snprintf(regimes + used, sizeof regimes - used, "%zu\n", k);
            (void)snprintf(lines + long_used, sizeof lines - long_used, "%s\n", line);
        }
    }
    char *text = read_text("dcdi/regime1.csv");
    assert_string_equal(text, regimes);
    mem_free(text);
    text = read_text("dcdi/intervention1.csv");
    assert_string_equal(text, lines);
    mem_free(text);
    scone_table_free(all);
    scone_problem_free(p);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[300];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_node), cmocka_unit_test(test_wild_changes),
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_one_condition),
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_csv_files),
        cmocka_unit_test(test_dcdi_files),
    };
    return cmocka_run_group_tests_name("conditions", tests, make_root, remove_root);
}
