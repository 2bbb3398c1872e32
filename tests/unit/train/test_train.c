/* test_train.c - whole trainings of a tiny model: stopped and resumed, on several threads and
 * processes, against an uninterrupted one; damaged and foreign checkpoints. */
#include "training.h"

#include "train/checkpoint.h"
#include "train/training_set.h"
#include "train/plan.h"

#include <math.h>
#include <unistd.h>

/* Weights and curves are those of the uninterrupted run. */
static void check_as_whole(const char *name)
{
    char a[PATH], b[PATH], curves[PATH + 32];
    check_same_file(in_folder(a, "whole.safetensors"), in_folder(b, name));
    in_folder(a, "whole.safetensors.run/curves.csv");
    (void)snprintf(curves, sizeof curves, "%s/%s.run/curves.csv", folder, name);
    check_same_file(a, curves);
}

static size_t checkpoints(const char *name, size_t *newest)
{
    char path[PATH + 64];
    size_t count = 0;
    for (size_t step = 0; step <= STEPS; step++) {
        (void)snprintf(path, sizeof path, "%s/%s.run/checkpoint-%012zu.safetensors", folder, name,
                       step);
        if (!path_exists(path)) continue;
        count++;
        *newest = step;
    }
    return count;
}

static void count_warnings(void *user, scone_level level, const char *message)
{
    (void)message;
    if (level == SCONE_WARNING) ++*(size_t *)user;
}

/* ---- trainings ---- */

/* The weights that are kept are those of the row of the curves with the smallest loss. */
static void check_best(const char *name, const scone_train_report *report)
{
    char path[PATH + 32], line[1024];
    double least = HUGE_VAL;
    size_t best = 0;
    (void)snprintf(path, sizeof path, "%s/%s.run/curves.csv", folder, name);
    FILE *stream = fopen(path, "rb");
    CHECK(stream != NULL);
    CHECK(fgets(line, sizeof line, stream) != NULL && strncmp(line, "step,", 5) == 0);
    while (fgets(line, sizeof line, stream)) {
        const char *cell = line;
        for (int c = 0; c < 11; c++) cell = strchr(cell, ',') + 1; /* validation */
        double loss = strtod(cell, NULL);
        if (loss < least) best = (size_t)strtoull(line, NULL, 10);
        least = fmin(least, loss);
    }
    CHECK(fclose(stream) == 0);
    CHECK(report->best_step == best);
    CHECK_SAME(report->loss, least);
}

static void test_whole(void **state)
{
    (void)state;
    char output[PATH], cache[PATH];
    size_t newest = 0;
    scone_train_options o =
        tiny(in_folder(output, "whole.safetensors"), in_folder(cache, "tokens"));
    scone_train_report report;
    CHECK_OK(scone_train_run(&report, &o, NULL));
    CHECK(report.steps == STEPS && !report.stopped && report.best_step % EVERY == 0);
    CHECK(report.best_step > 0 && report.f1 >= 0.0 && report.f1 <= 1.0 && report.loss > 0.0);
    check_best("whole.safetensors", &report);
    CHECK(checkpoints("whole.safetensors", &newest) == CHECKPOINTS_KEPT && newest == STEPS);
    scone_model *model;
    CHECK_OK(scone_model_open(&model, output));
    const scone_model_about *about = scone_model_describe(model);
    CHECK(about->parameters == report.parameters);
    CHECK(strncmp(about->command, "scone train --preset paper --config width=16,", 45) == 0);
    CHECK(strstr(about->command, "--setting train-ood --nodes 4..7 --samples 200 --data-seed 3 "
                                 "--graphs 6 --validation 3 --steps 12 --batch 4 --every 2 "
                                 "--seed 5"));
    bool seen = false;
    for (size_t s = 0; s < about->scores; s++) {
        const scone_model_score *score = scone_model_score_get(model, s);
        if (strcmp(score->name, "shd") != 0) continue;
        seen = true;
        CHECK_SAME(score->value, report.shd);
    }
    CHECK(seen);
    scone_model_free(model);
    CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_INPUT, "exists; give another name");
    for (int k = 0; k < 3; k++) {
        scone_train_options wrong = o;
        wrong.threshold = (double[]){1e-12, -0.5, 1.0}[k];
        CHECK_FAILS(scone_train_run(NULL, &wrong, NULL), SCONE_ERR_INPUT, "--threshold must be");
    }
    /* once finished, --resume only writes the same again */
    CHECK(unlink(output) == 0);
    o.resume = true;
    CHECK_OK(scone_train_run(&report, &o, NULL));
    CHECK(report.steps == STEPS && path_exists(output));
}

/* The mean loss of a row of the curves, from 0. */
static double loss_of_row(const char *output, size_t row)
{
    char path[PATH + 32], *text;
    size_t size;
    (void)snprintf(path, sizeof path, "%s.run/curves.csv", output);
    CHECK_OK(file_read_all(&text, &size, path, 1 << 20));
    const char *at = text;
    for (size_t r = 0; r <= row; r++) {
        at = strchr(at, '\n');
        assert_non_null(at);
        at++;
    }
    double step, rate, loss;
    CHECK(sscanf(at, "%lf,%lf,%lf", &step, &rate, &loss) == 3);
    CHECK(step == (double)(30 * (row + 1)));
    mem_free(text);
    return loss;
}

/* Two graphs are learned by heart, and another seed gives other weights. */
static void test_learns(void **state)
{
    (void)state;
    char output[2][PATH], cache[PATH];
    char *bytes[2];
    size_t size[2];
    for (size_t k = 0; k < 2; k++) {
        scone_train_options o =
            tiny(in_folder(output[k], k ? "heart1.safetensors" : "heart0.safetensors"),
                 in_folder(cache, "tokens"));
        o.changes = "width=16,blocks=2,heads=4,feed_forward=24,identities=40,bootstraps=3,"
                    "subset_size=4,subsets_min=3,cells_per_pair=1,learning_rate=0.01";
        o.graphs = o.batch = 2;
        o.steps = k ? 1 : 120; /* the second is only there to be different */
        o.every = 30;
        o.seed = 5 + k;
        CHECK_OK(scone_train_run(NULL, &o, NULL));
        CHECK_OK(file_read_all(&bytes[k], &size[k], output[k], 1 << 24));
    }
    CHECK(memcmp(bytes[0] + size[0] - 4000, bytes[1] + size[1] - 4000, 4000) != 0);
    CHECK(loss_of_row(output[0], 3) < 0.6 * loss_of_row(output[0], 0));
    mem_free(bytes[0]);
    mem_free(bytes[1]);
}

static void test_resume(void **state)
{
    (void)state;
    char output[PATH], cache[PATH];
    size_t newest = 0;
    const scone_context stopping = {.threads = 1, .progress = stop_midway};
    scone_train_options o =
        tiny(in_folder(output, "stopped.safetensors"), in_folder(cache, "tokens"));
    CHECK_FAILS(scone_train_run(NULL, &o, &stopping), SCONE_ERR_INPUT, "stop");
    CHECK(!path_exists(output));
    CHECK(checkpoints("stopped.safetensors", &newest) == 2 && newest == 4);
    CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_INPUT, "holds checkpoints");
    o.resume = true;
    CHECK_OK(scone_train_run(NULL, &o, NULL));
    check_as_whole("stopped.safetensors");
}

/* The newest checkpoint is damaged: the one before it is taken, with a warning. */
static void test_damaged(void **state)
{
    (void)state;
    char output[PATH], cache[PATH], path[PATH + 64];
    size_t warnings = 0;
    const scone_context stopping = {.threads = 1, .progress = stop_midway};
    const scone_context listening = {.threads = 2, .log = count_warnings, .user = &warnings};
    scone_train_options o =
        tiny(in_folder(output, "damaged.safetensors"), in_folder(cache, "tokens"));
    CHECK_FAILS(scone_train_run(NULL, &o, &stopping), SCONE_ERR_INPUT, "stop");
    (void)snprintf(path, sizeof path, "%s.run/checkpoint-%012d.safetensors", output, 4);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    CHECK(fseek(file, -100, SEEK_END) == 0 && fputc(77, file) == 77 && fclose(file) == 0);
    o.resume = true;
    CHECK_OK(scone_train_run(NULL, &o, &listening));
    CHECK(warnings == 1);
    check_as_whole("damaged.safetensors");
}

static void test_foreign(void **state)
{
    (void)state;
    char output[PATH], cache[PATH];
    const scone_context stopping = {.threads = 1, .progress = stop_midway};
    scone_train_options o =
        tiny(in_folder(output, "foreign.safetensors"), in_folder(cache, "tokens"));
    CHECK_FAILS(scone_train_run(NULL, &o, &stopping), SCONE_ERR_INPUT, "stop");
    o.resume = true;
    o.seed = 99;
    CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_INPUT, "is of another training");
    o.resume = false;
    o.force = true;
    o.seed = 5;
    CHECK_OK(scone_train_run(NULL, &o, NULL));
    check_as_whole("foreign.safetensors");
}

/* Also where graphs at the threshold were better after another step. */
static void test_best(void **state)
{
    (void)state;
    char output[PATH], cache[PATH];
    for (uint64_t seed = 5; seed < 8; seed++) {
        scone_train_report report;
        scone_train_options o =
            tiny(in_folder(output, "best.safetensors"), in_folder(cache, "tokens"));
        o.every = 1;
        o.threshold = 0.5;
        o.seed = seed;
        o.force = true;
        CHECK_OK(scone_train_run(&report, &o, NULL));
        check_best("best.safetensors", &report);
    }
}

static void test_patience(void **state)
{
    (void)state;
    char output[PATH], cache[PATH];
    scone_train_report report, again;
    scone_train_options o =
        tiny(in_folder(output, "patience.safetensors"), in_folder(cache, "tokens"));
    o.every = 1;
    o.patience = 1;
    o.changes =
        "width=16,blocks=2,heads=4,feed_forward=24,identities=40,bootstraps=3,"
        "subset_size=4,subsets_min=3,cells_per_pair=1,learning_rate=1e-9"; /* nothing gets better */
    CHECK_OK(scone_train_run(&report, &o, NULL));
    CHECK(report.stopped && report.steps < STEPS && report.best_step + 1 == report.steps);
    o.resume = true;
    CHECK_OK(scone_train_run(&again, &o, NULL));
    CHECK(again.steps == report.steps && again.stopped);
}

/* ---- threads and processes ---- */

static void test_teams(void **state)
{
    (void)state;
    const struct {
        int processes, threads;
        bool fresh; /* makes its own tokens */
    } cases[] = {{1, 2, true}, {2, 1, true}, {4, 1, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char name[64], output[PATH], cache[PATH];
        team_case x = {0};
        (void)snprintf(name, sizeof name, "team%zu.safetensors", c);
        x.options =
            tiny(in_folder(output, name), cases[c].fresh ? NULL : in_folder(cache, "tokens"));
        CHECK(thread_team_run(cases[c].processes, 1 << 16, cases[c].threads, 0, train_in_team,
                              &x) == cases[c].processes);
        for (int r = 0; r < cases[c].processes; r++) {
            if (x.status[r] != SCONE_OK) fail_msg("process %d: %s", r, x.message);
        }
        check_as_whole(name);
    }
}

/* A state read by process 0 reaches the others. */
static void test_team_resume(void **state)
{
    (void)state;
    char output[PATH], cache[PATH];
    const scone_context stopping = {.threads = 1, .progress = stop_midway};
    team_case x = {.options =
                       tiny(in_folder(output, "shared.safetensors"), in_folder(cache, "tokens"))};
    CHECK_FAILS(scone_train_run(NULL, &x.options, &stopping), SCONE_ERR_INPUT, "stop");
    x.options.resume = true;
    CHECK(thread_team_run(3, 1 << 16, 1, 0, train_in_team, &x) == 3);
    for (int r = 0; r < 3; r++) {
        if (x.status[r] != SCONE_OK) fail_msg("process %d: %s", r, x.message);
    }
    check_as_whole("shared.safetensors");
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    (void)state;
    char output[PATH], cache[PATH];
    scone_train_options o =
        tiny(in_folder(output, "refused.safetensors"), in_folder(cache, "tokens"));
    const struct {
        const char *changes, *message;
    } cases[] = {{"width", "'width' changes no field"},
                 {"wide=3", "'wide=3' changes no field"},
                 {"width=12.5", "width must be a whole number"},
                 {"width=big", "width is 'big', which is no number"},
                 {"contrast=maybe", "contrast is 'maybe'; use false or true"},
                 {"cvt_gate=x", "use printed or proved"},
                 {"width=15", "width is 15; use an even number"},
                 {"dpt_paths=9", "dpt_paths is 9; use a whole number from 1 to 8"},
                 {"dpt_length=5", "dpt_length is 5; use a whole number from 2 to 4"},
                 {"candidates_per_node=1.5", "candidates_per_node must be a whole number"},
                 {"identities=5", "graphs of 7 nodes, but the model has 5 identities"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        o.changes = cases[c].changes;
        CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_INPUT, cases[c].message);
    }
    o.changes = NULL;
    o.epochs = 2;
    CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_INPUT, "--steps or --epochs, not both");
    o.epochs = 0;
    o.preset = "beast";
    CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_INPUT,
                "there is no model preset 'beast'");
    o.preset = NULL;
    o.output = in_folder(output, "missing/refused.safetensors");
    CHECK_FAILS(scone_train_run(NULL, &o, NULL), SCONE_ERR_IO, "missing");
}

static void test_config_changes(void **state)
{
    (void)state;
    model_config c = config_default();
    CHECK_OK(plan_change_config(&c, "width=32,contrast=false,contrast_per_node=0,cvt_gate=proved,"
                                    "learning_rate=0.5"));
    CHECK(c.width == 32 && !c.contrast && c.cvt_gate == MODEL_CVT_PROVED);
    CHECK_SAME(c.learning_rate, 0.5);
    token_options t = config_token_options(&c);
    CHECK(!t.contrast && t.contrast_per_node == 0 && t.subset_size == 8 && t.replicates == 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), /* first: the others compare with it */
        cmocka_unit_test(test_learns),  cmocka_unit_test(test_resume),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_best),    cmocka_unit_test(test_patience),
        cmocka_unit_test(test_teams),   cmocka_unit_test(test_team_resume),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_config_changes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
