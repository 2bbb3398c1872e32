/* test_bench.c - a comparison of methods: its scores against a run by hand, and its file, which is
 * taken up where it ends. */
#include "discovery.h"

#include "benchmark/bench.h"
#include "eval/eval.h"
#include "scone_lab.h"

static const char *const methods[] = {"empty", "ges"};

static scone_setting small_setting(void)
{
    scone_setting setting;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.nodes_min = setting.nodes_max = 6;
    setting.edges_min = setting.edges_max = 6;
    setting.samples = 200;
    setting.count = 2;
    return setting;
}

static scone_bench_options small_options(const scone_setting *setting, const char *path)
{
    return (scone_bench_options){.settings = setting,
                                 .setting_count = 1,
                                 .methods = methods,
                                 .method_count = 1,
                                 .output = path,
                                 .discover = {.effort = SCONE_EFFORT_FAST}};
}

/* The rows of method 1 against simulate, discover and eval by hand; their mean and deviation. */
static void check_by_hand(const scone_bench *bench, const scone_setting *setting,
                          const scone_discover_options *options)
{
    scone_scores mean, sd;
    double seconds, seconds_sd, sum = 0.0, squares = 0.0, shd[3];
    CHECK(scone_bench_summary(bench, 0, 1, &mean, &sd, &seconds, &seconds_sd) == 3);
    for (size_t g = 0; g < 3; g++) {
        scone_problem *problem;
        scone_result *r;
        scone_scores scores;
        scone_discover_options how = *options;
        how.preset = "ges";
        CHECK_OK(scone_simulate(&problem, setting, g, NULL));
        CHECK_OK(scone_discover(&r, scone_problem_pair(problem), &how, NULL));
        CHECK_OK(scone_eval_graphs(&scores, scone_result_graph(r), scone_problem_graph(problem)));
        const scone_bench_row *row = scone_bench_get(bench, 2 * g + 1);
        CHECK(row->graph == g && row->method == 1 && row->setting == 0);
        CHECK_SAME(row->scores.shd, scores.shd);
        CHECK_SAME(row->scores.f1, scores.f1);
        CHECK(row->seconds >= 0.0);
        CHECK(row->scores.target_f1 >= 0.0 && row->scores.auprc >= 0.0);
        sum += shd[g] = scores.shd;
        scone_result_free(r);
        scone_problem_free(problem);
    }
    for (size_t g = 0; g < 3; g++) squares += (shd[g] - sum / 3) * (shd[g] - sum / 3);
    CHECK_NEAR(mean.shd, sum / 3, 1e-12);
    CHECK_NEAR(sd.shd, sqrt(squares / 2), 1e-12);
    CHECK(seconds > 0.0 && seconds_sd >= 0.0);
}

/* Writes a score into the file that no method has: what is there is not run again. */
static void doctor(const char *path, const scone_setting *setting,
                   const scone_discover_options *options)
{
    bench_lines lines;
    char key[BENCH_KEY_SIZE];
    CHECK_OK(bench_lines_open(&lines));
    CHECK_OK(bench_lines_read(&lines, path));
    CHECK(lines.count == 6);
    bench_key(key, setting, 1, "ges", "", options);
    CHECK(bench_lines_find(&lines, key) != NULL);
    for (size_t i = 0; i < lines.count; i++) lines.items[i].scores.shd = 77.0;
    CHECK_OK(bench_lines_write(&lines, path));
    bench_lines_close(&lines);
}

static void test_file_is_taken_up(void **state)
{
    (void)state;
    static const char path[] = "test_bench.csv";
    scone_setting setting = small_setting();
    scone_bench *bench;
    bench_lines lines;
    (void)remove(path);
    scone_bench_options options = small_options(&setting, path);
    CHECK_OK(scone_bench_run(&bench, &options, NULL));
    CHECK(scone_bench_count(bench) == 2);
    scone_bench_free(bench);
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_INPUT, "--resume");
    CHECK(bench == NULL);
    options.resume = true;
    options.method_count = 2;
    setting.count = 3;
    CHECK_OK(scone_bench_run(&bench, &options, NULL));
    CHECK(scone_bench_count(bench) == 6);
    check_by_hand(bench, &setting, &options.discover);
    scone_bench_free(bench);
    doctor(path, &setting, &options.discover);
    CHECK_OK(scone_bench_run(&bench, &options, NULL));
    CHECK_SAME(scone_bench_get(bench, 3)->scores.shd, 77.0);
    scone_bench_free(bench);
    setting.seed = 1; /* another seed has other rows, and the old ones stay */
    CHECK_OK(scone_bench_run(&bench, &options, NULL));
    CHECK(scone_bench_get(bench, 3)->scores.shd < 30.0);
    scone_bench_free(bench);
    CHECK_OK(bench_lines_open(&lines));
    CHECK_OK(bench_lines_read(&lines, path));
    CHECK(lines.count == 12);
    bench_lines_close(&lines);
    CHECK(remove(path) == 0);
}

static void test_unknown_method(void **state)
{
    (void)state;
    scone_setting setting = small_setting();
    scone_bench *bench;
    const char *const unknown[] = {"magic"};
    scone_bench_options options = small_options(&setting, NULL);
    options.methods = unknown;
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_INPUT, "no method 'magic'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_is_taken_up),
        cmocka_unit_test(test_unknown_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
