/* test_bench_outside.c - methods of the caller in a benchmark: their rows, means and identity. */
#include "discovery.h"

#include "benchmark/bench.h"
#include "scone_lab.h"

static const char path[] = "test_bench_outside.csv";

/* What a runner of the tests is to do on each graph. */
typedef struct script {
    scone_bench_status fares[3];
    size_t calls;
    bool broken;
} script;

static scone_status run_script(void *user, const scone_bench_outside *outside,
                               const scone_problem *problem, scone_bench_answer *answer)
{
    script *s = user;
    CHECK(strcmp(outside->name, "other") == 0);
    if (s->broken) {
        (void)snprintf(answer->reason, sizeof answer->reason, "the disk is full");
        return SCONE_ERR_IO;
    }
    answer->status = s->fares[s->calls++ % 3];
    answer->seconds = 2.0 * (double)s->calls;
    if (answer->status == SCONE_BENCH_OK) {
        const scone_graph *truth = scone_problem_graph(problem);
        CHECK_OK(scone_graph_write(truth, "test_bench_truth.csv", SCONE_GRAPH_EDGES));
        CHECK_OK(scone_graph_read(&answer->graph, "test_bench_truth.csv", SCONE_GRAPH_EDGES));
        CHECK(remove("test_bench_truth.csv") == 0);
    } else {
        (void)snprintf(answer->reason, sizeof answer->reason, "no, \"never\"\n\xC3\xA4  ");
    }
    return SCONE_OK;
}

static const scone_bench_outside other = {.name = "other", .command = "run it"};

static scone_bench_options options_for(scone_setting *setting, script *s)
{
    CHECK_OK(scone_setting_named(setting, "ood-20-20"));
    setting->nodes_min = setting->nodes_max = 5;
    setting->edges_min = setting->edges_max = 5;
    setting->samples = 50;
    setting->count = 3;
    return (scone_bench_options){.settings = setting,
                                 .setting_count = 1,
                                 .outside = &other,
                                 .outside_count = 1,
                                 .run_outside = run_script,
                                 .user = s,
                                 .output = path};
}

static void check_row(const scone_bench *bench, size_t index, scone_bench_status fared)
{
    const scone_bench_row *row = scone_bench_get(bench, index);
    CHECK(row->status == fared && row->graph == index && row->method == 0);
    CHECK_SAME(row->seconds, 2.0 * (double)(index + 1));
    CHECK(isnan(row->scores.auprc) && isnan(row->scores.target_f1));
    if (fared == SCONE_BENCH_OK) {
        CHECK_SAME(row->scores.shd, 0.0);
        CHECK_SAME(row->scores.f1, 1.0);
        CHECK(strcmp(row->reason, "") == 0);
    } else {
        CHECK(isnan(row->scores.shd) && isnan(row->scores.f1));
        CHECK(strcmp(row->reason, "no, \"never\"???") == 0);
    }
}

/* The rows at once and read back; the means are over what went well. */
static void test_rows(void **state)
{
    (void)state;
    scone_setting setting;
    script s = {.fares = {SCONE_BENCH_OK, SCONE_BENCH_FAILED, SCONE_BENCH_TIMEOUT}};
    scone_bench_options options = options_for(&setting, &s);
    scone_bench *bench;
    (void)remove(path);
    for (int time = 0; time < 2; time++) {
        scone_scores mean, sd;
        double seconds, seconds_sd;
        CHECK_OK(scone_bench_run(&bench, &options, NULL));
        CHECK(s.calls == 3); /* the second time they are read */
        for (size_t g = 0; g < 3; g++) check_row(bench, g, s.fares[g]);
        CHECK(scone_bench_summary(bench, 0, 0, &mean, &sd, &seconds, &seconds_sd) == 1);
        CHECK_SAME(mean.shd, 0.0);
        CHECK_SAME(seconds, 2.0);
        scone_bench_free(bench);
        options.resume = true;
    }
    options.retry = true;
    s.fares[0] = SCONE_BENCH_OK;
    s.fares[1] = SCONE_BENCH_OK; /* calls 3 and 4 are of graphs 1 and 2 */
    CHECK_OK(scone_bench_run(&bench, &options, NULL));
    CHECK(s.calls == 5);
    for (size_t g = 0; g < 3; g++) CHECK(scone_bench_get(bench, g)->status == SCONE_BENCH_OK);
    scone_bench_free(bench);
    CHECK(remove(path) == 0);
}

/* A runner that cannot go on ends the benchmark, with its words. */
static void test_broken_runner(void **state)
{
    (void)state;
    scone_setting setting;
    script s = {.broken = true};
    scone_bench_options options = options_for(&setting, &s);
    scone_bench *bench;
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_IO, "the disk is full");
    CHECK(bench == NULL);
}

static void test_identity(void **state)
{
    (void)state;
    char id[3][BENCH_ID_SIZE];
    bench_outside_id(id[0], &other);
    bench_outside_id(id[1], &(scone_bench_outside){.name = "other", .command = "run it "});
    bench_outside_id(
        id[2], &(scone_bench_outside){.name = "other", .command = "run it", .told_targets = true});
    for (size_t i = 0; i < 3; i++) {
        CHECK(strlen(id[i]) == 16);
        CHECK(strcmp(id[i], id[(i + 1) % 3]) != 0);
    }
}

static void test_names(void **state)
{
    (void)state;
    scone_setting setting;
    script s = {.broken = true};
    scone_bench_options options = options_for(&setting, &s);
    scone_bench *bench;
    scone_bench_outside pair[2] = {other, other};
    options.outside = pair;
    options.outside_count = 2;
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_INPUT, "two commands are named");
    pair[1].name = "ges";
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_INPUT, "a method of scone");
    pair[1].name = "a,b";
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_INPUT, "cannot name a method");
    options.outside_count = SCONE_BENCH_MOST_OUTSIDE + 1;
    CHECK_FAILS(scone_bench_run(&bench, &options, NULL), SCONE_ERR_INPUT, "at most 32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_broken_runner),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
