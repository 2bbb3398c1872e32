/* test_discover_team.c - discovery and benchmarks by several processes: the same results and files
 * as by one, and refusals that all of them share. The processes are threads here (thread_team.h).
 */
#include "discovery.h"
#include "learned_data.h"
#include "thread_team.h"

#include "benchmark/bench.h"
#include "scone_lab.h"

enum { RANKS = 4, NODES = 7 };

typedef struct discovery_trial {
    const scone_pair *pairs[RANKS];
    scone_discover_options options[RANKS];
    scone_result *results[RANKS];
    scone_status status[RANKS];
    char message[RANKS][256];
} discovery_trial;

static void discover_body(int rank, const scone_context *context, void *shared)
{
    discovery_trial *t = shared;
    t->status[rank] = scone_discover(&t->results[rank], t->pairs[rank], &t->options[rank], context);
    (void)snprintf(t->message[rank], sizeof t->message[rank], "%s", scone_error_message());
}

static void fill_trial(discovery_trial *t, const scone_pair *pair, const char *preset)
{
    *t = (discovery_trial){0};
    for (int r = 0; r < RANKS; r++) {
        t->pairs[r] = pair;
        t->options[r] = (scone_discover_options){.preset = preset,
                                                 .model = learned_file(preset),
                                                 .effort = SCONE_EFFORT_FAST,
                                                 .bootstrap = 0,
                                                 .seed = 5};
    }
}

static void test_discover(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(NODES, 250, 31);
    const scone_pair *pair = scone_problem_pair(problem);
    static discovery_trial t;
    for (const char *const *name = scone_method_names(); *name; name++) {
        scone_result *alone;
        fill_trial(&t, pair, *name);
        CHECK_OK(scone_discover(&alone, pair, &t.options[0], NULL));
        for (int ranks = 2; ranks <= RANKS; ranks += 2) {
            CHECK(thread_team_run(ranks, 64, 1 + ranks / 4, 0, discover_body, &t) == ranks);
            for (int r = 0; r < ranks; r++) {
                if (t.status[r] != SCONE_OK) fail_msg("%s: %s", *name, t.message[r]);
                check_same_result(alone, t.results[r]);
                scone_result_free(t.results[r]);
            }
        }
        scone_result_free(alone);
    }
    scone_problem_free(problem);
}

static void check_refused(const discovery_trial *t, scone_status status, const char *message)
{
    for (int r = 0; r < 3; r++) {
        if (t->status[r] != status)
            fail_msg("process %d: status %d: %s", r, (int)t->status[r], t->message[r]);
        CHECK(t->results[r] == NULL);
        if (!strstr(t->message[r], message)) {
            fail_msg("process %d: '%s' lacks '%s'", r, t->message[r], message);
        }
    }
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Other data, other options, knowledge that only some can read or that differs. */
static void test_discover_refused(void **state)
{
    (void)state;
    static const char here[] = "test_team_run_here.txt", there[] = "test_team_run_there.txt";
    scone_problem *problem = draw_problem(NODES, 250, 32), *other = draw_problem(NODES, 250, 33);
    static discovery_trial t;
    fill_trial(&t, scone_problem_pair(problem), "ges");
    t.pairs[2] = scone_problem_pair(other);
    CHECK(thread_team_run(3, TEAM_PIECE, 1, 0, discover_body, &t) == 3);
    check_refused(&t, SCONE_ERR_INPUT, "the tables of processes 0 and 2 differ");

    fill_trial(&t, scone_problem_pair(problem), "ges");
    t.options[1].seed = 6;
    CHECK(thread_team_run(3, TEAM_PIECE, 1, 0, discover_body, &t) == 3);
    check_refused(&t, SCONE_ERR_INPUT, "the options of processes 0 and 1 differ");

    write_text(here, "X0 -> X1\n");
    write_text(there, "X0 -> X2\n");
    fill_trial(&t, scone_problem_pair(problem), "ges");
    for (int r = 0; r < 3; r++) t.options[r].knowledge = r == 2 ? there : here;
    CHECK(thread_team_run(3, TEAM_PIECE, 1, 0, discover_body, &t) == 3);
    check_refused(&t, SCONE_ERR_INPUT, "the knowledge files of processes 0 and 2 differ");
    t.options[2].knowledge = NULL;
    CHECK(thread_team_run(3, TEAM_PIECE, 1, 0, discover_body, &t) == 3);
    check_refused(&t, SCONE_ERR_INPUT, "the knowledge files of processes 0 and 2 differ");
    CHECK(remove(there) == 0);
    t.options[2].knowledge = there;
    CHECK(thread_team_run(3, TEAM_PIECE, 1, 0, discover_body, &t) == 3);
    check_refused(&t, SCONE_ERR_IO, "test_team_run_there.txt");
    check_refused(&t, SCONE_ERR_IO, "(in process 2 of 3)");
    CHECK(remove(here) == 0);
    scone_problem_free(problem);
    scone_problem_free(other);
}

/* ---- benchmarks ---- */

typedef struct bench_trial {
    scone_bench_options options;
    scone_bench *results[RANKS];
    scone_status status[RANKS];
    char message[RANKS][256];
} bench_trial;

static void bench_body(int rank, const scone_context *context, void *shared)
{
    bench_trial *t = shared;
    t->status[rank] = scone_bench_run(&t->results[rank], &t->options, context);
    (void)snprintf(t->message[rank], sizeof t->message[rank], "%s", scone_error_message());
}

/* The same rows in the same order, but for the seconds. */
static void check_same_file(const char *path, const char *expected)
{
    bench_lines a, b;
    CHECK_OK(bench_lines_open(&a));
    CHECK_OK(bench_lines_open(&b));
    CHECK_OK(bench_lines_read(&a, path));
    CHECK_OK(bench_lines_read(&b, expected));
    CHECK(a.count == b.count);
    for (size_t i = 0; i < a.count; i++) {
        assert_string_equal(a.items[i].key, b.items[i].key);
        assert_memory_equal(&a.items[i].scores, &b.items[i].scores, sizeof a.items[i].scores);
    }
    bench_lines_close(&a);
    bench_lines_close(&b);
}

/* Keeps every so many lines of a file, with other seconds: as a run leaves it that was stopped. */
static void thin_out(const char *path, size_t from, size_t step)
{
    bench_lines all, some;
    CHECK_OK(bench_lines_open(&all));
    CHECK_OK(bench_lines_open(&some));
    CHECK_OK(bench_lines_read(&all, path));
    for (size_t i = from; i < all.count; i += step) {
        bench_line line = all.items[i];
        line.seconds = 99.0;
        line.place = 0;
        CHECK_OK(bench_lines_add(&some, &line));
    }
    CHECK_OK(bench_lines_write(&some, path));
    bench_lines_close(&all);
    bench_lines_close(&some);
}

static void test_bench(void **state)
{
    (void)state;
    static const char one[] = "test_team_run_one.csv", many[] = "test_team_run_many.csv";
    static const char *const methods[] = {"empty", "ges", "variance", "ges"};
    scone_setting settings[2];
    scone_bench *alone;
    for (int s = 0; s < 2; s++) {
        CHECK_OK(scone_setting_named(&settings[s], "indist-20-20"));
        settings[s].nodes_min = settings[s].nodes_max = 5;
        settings[s].samples = 100;
        settings[s].count = 5;
        settings[s].seed = (uint64_t)s;
    }
    bench_trial t = {.options = {.settings = settings,
                                 .setting_count = 2,
                                 .methods = methods,
                                 .method_count = 4, /* one of them twice */
                                 .discover = {.bootstrap = 3},
                                 .output = one,
                                 .force = true}};
    CHECK_OK(scone_bench_run(&alone, &t.options, NULL));
    CHECK(scone_bench_count(alone) == 40);
    t.options.output = many;
    for (int ranks = 2; ranks <= RANKS; ranks++) {
        /* from nothing, and from files of runs that were stopped with some graphs finished */
        for (size_t step = 0; step <= 3; step++) {
            if (step > 0) thin_out(many, step - 1, step + 1);
            t.options.force = step == 0;
            t.options.resume = step > 0;
            CHECK(thread_team_run(ranks, 64, 1, 0, bench_body, &t) == ranks);
            check_same_file(many, one);
            for (int r = 0; r < ranks; r++) {
                if (t.status[r] != SCONE_OK) fail_msg("process %d: %s", r, t.message[r]);
                CHECK(scone_bench_count(t.results[r]) == 40);
                for (size_t row = 0; row < 40; row++) {
                    const scone_bench_row *a = scone_bench_get(alone, row),
                                          *b = scone_bench_get(t.results[r], row);
                    CHECK(a->setting == b->setting && a->graph == b->graph &&
                          a->method == b->method);
                    assert_memory_equal(&a->scores, &b->scores, sizeof a->scores);
                }
                scone_bench_free(t.results[r]);
            }
        }
    }
    scone_bench_free(alone);
    t.options.resume = false; /* the file is there */
    CHECK(thread_team_run(3, TEAM_PIECE, 1, 0, bench_body, &t) == 3);
    for (int r = 0; r < 3; r++) {
        CHECK(t.status[r] == SCONE_ERR_INPUT && strstr(t.message[r], "--resume adds"));
    }
    CHECK(remove(one) == 0 && remove(many) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discover),
        cmocka_unit_test(test_discover_refused),
        cmocka_unit_test(test_bench),
    };
    return cmocka_run_group_tests(tests, NULL, learned_clean);
}
