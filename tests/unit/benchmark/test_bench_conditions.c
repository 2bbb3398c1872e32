/* test_bench_conditions.c - a comparison on graphs with several conditions: what each method sees,
 * its scores against a run by hand, and a file in which such rows stand beside others. */
#include "discovery.h"

#include "benchmark/bench.h"
#include "eval/eval.h"
#include "io/file.h"
#include "scone_lab.h"

#include <stdlib.h>

static const char *const methods[] = {"search", "ges"};
static const char path[] = "test_bench_conditions.csv";

static scone_setting small_setting(size_t conditions)
{
    scone_setting setting;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.nodes_min = setting.nodes_max = 5;
    setting.edges_min = setting.edges_max = 5;
    setting.samples = 120;
    setting.count = 1;
    setting.conditions = conditions;
    return setting;
}

static scone_bench_options small_options(const scone_setting *setting)
{
    return (scone_bench_options){.settings = setting,
                                 .setting_count = 1,
                                 .methods = methods,
                                 .method_count = 2,
                                 .output = path,
                                 .resume = true,
                                 .discover = {.effort = SCONE_EFFORT_FAST}};
}

/* ---- keys ---- */

static void check_key(const scone_setting *setting, const char *method, const char *wanted)
{
    const scone_discover_options none = {0};
    char key[BENCH_KEY_SIZE];
    bench_key(key, setting, 3, method, "", &none);
    assert_string_equal(key, wanted);
}

static void test_keys(void **state)
{
    (void)state;
    scone_setting s = small_setting(0);
#define PLAIN "ood-20-20,5,5,polynomial+sigmoid,mixed,0.4,120,0,3,"
    check_key(&s, "search", PLAIN "search,normal,0,0,");
    s.control_samples = 120; /* as the others */
    check_key(&s, "search", PLAIN "search,normal,0,0,");
    s.control_samples = 500;
    check_key(&s, "search", PLAIN "search,normal,0,0,,1,,500,");
    s.conditions = 7;
    check_key(&s, "search", PLAIN "search,normal,0,0,,7,1..3,500,conditions");
    s.control_samples = 0;
    check_key(&s, "best", PLAIN "best,normal,0,0,,7,1..3,120,pooled");
    s.condition_targets_min = s.condition_targets_max = 2;
    check_key(&s, "mine", PLAIN "mine,normal,0,0,,7,2,120,both");
#undef PLAIN
}

/* ---- scores ---- */

/* Hits over all conditions and variables, from the result by hand. */
static void test_scores(void **state)
{
    (void)state;
    scone_setting setting = small_setting(3);
    scone_bench_options options = small_options(&setting);
    scone_bench *bench;
    scone_problem *problem;
    scone_result *r;
    scone_scores scores;
    double hits = 0.0, said = 0.0, actual = 0.0;
    options.output = NULL;
    CHECK_OK(scone_bench_run(&bench, &options, NULL));
    CHECK_OK(scone_simulate(&problem, &setting, 0, NULL));
    scone_discover_options how = options.discover;
    how.preset = "search";
    CHECK_OK(scone_discover_conditions(&r, scone_problem_conditions(problem), &how, NULL));
    CHECK_OK(scone_eval_graphs(&scores, scone_result_graph(r), scone_problem_graph(problem)));
    for (size_t k = 0; k < 3; k++) {
        const bool *targets = scone_problem_condition_targets(problem, k + 1);
        for (size_t i = 0; i < 5; i++) {
            const scone_target *target = scone_result_condition_target(r, k, i);
            actual += targets[i];
            said += target->target;
            hits += target->target && targets[target->variable];
        }
    }
    const scone_bench_row *row = scone_bench_get(bench, 0);
    CHECK_SAME(row->scores.shd, scores.shd);
    CHECK(hits > 0.0 && actual >= 3.0);
    CHECK_NEAR(row->scores.target_precision, hits / said, 1e-15);
    CHECK_NEAR(row->scores.target_recall, hits / actual, 1e-15);
    scone_result_free(r);
    /* The other method sees the pair, and has no targets of conditions. */
    how.preset = "ges";
    CHECK_OK(scone_discover(&r, scone_problem_pair(problem), &how, NULL));
    CHECK_OK(scone_eval_graphs(&scores, scone_result_graph(r), scone_problem_graph(problem)));
    row = scone_bench_get(bench, 1);
    CHECK_SAME(row->scores.shd, scores.shd);
    CHECK(isnan(row->scores.target_f1) && isnan(row->scores.target_recall));
    CHECK(!isnan(row->scores.auprc));
    scone_result_free(r);
    scone_problem_free(problem);
    scone_bench_free(bench);
}

/* ---- the file ---- */

static size_t count_columns(void)
{
    char *text;
    size_t size, columns = 1;
    CHECK_OK(file_read_all(&text, &size, path, 1 << 20));
    for (const char *c = text; *c != '\n'; c++) columns += *c == ',';
    mem_free(text);
    return columns;
}

/* A score that no method has, in every row: what is there is not run again. */
static void doctor(size_t rows)
{
    bench_lines lines;
    CHECK_OK(bench_lines_open(&lines));
    CHECK_OK(bench_lines_read(&lines, path));
    CHECK(lines.count == rows);
    for (size_t i = 0; i < lines.count; i++) lines.items[i].scores.shd = 77.0;
    CHECK_OK(bench_lines_write(&lines, path));
    bench_lines_close(&lines);
}

static double run(const scone_setting *setting)
{
    scone_bench *bench;
    scone_bench_options options = small_options(setting);
    CHECK_OK(scone_bench_run(&bench, &options, NULL));
    double shd = scone_bench_get(bench, 0)->scores.shd;
    CHECK_SAME(scone_bench_get(bench, 1)->scores.shd == 77.0, shd == 77.0);
    scone_bench_free(bench);
    return shd;
}

/* Rows of one condition keep the columns that they always had, until others come to them. */
static void test_file(void **state)
{
    (void)state;
    (void)remove(path);
    scone_setting one = small_setting(1), three = small_setting(3), four = small_setting(4);
    CHECK(run(&one) < 70.0);
    CHECK(count_columns() == 36);
    doctor(2);
    CHECK(count_columns() == 36);
    CHECK(run(&three) < 70.0);
    CHECK(count_columns() == 40);
    doctor(4);
    CHECK_SAME(run(&three), 77.0);
    CHECK_SAME(run(&one), 77.0);
    CHECK(run(&four) < 70.0);
    three.condition_targets_max = 2;
    CHECK(run(&three) < 70.0);
    doctor(8);
    three.control_samples = 120;
    CHECK_SAME(run(&three), 77.0); /* as many as it had */
    three.control_samples = 121;
    CHECK(run(&three) < 70.0);
    doctor(10);
    CHECK_SAME(run(&one), 77.0);
    CHECK(remove(path) == 0);
}

static void test_few_rows(void **state)
{
    (void)state;
    scone_setting setting = small_setting(3);
    scone_bench *bench;
    scone_bench_options options = small_options(&setting);
    options.output = NULL;
    setting.control_samples = 1;
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_INPUT, "--control-samples 2");
    setting.conditions = 1001;
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_INPUT, "--con");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_few_rows),
    };
    return cmocka_run_group_tests_name("bench of conditions", tests, NULL, NULL);
}
