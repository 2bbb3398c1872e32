/* test_eval_conditions.c - targets of several conditions: lists that tell them apart, scores over
 * all of them, and what happens if one side alone does. */
#include "testing.h"

#include "eval/eval.h"

#include <stdlib.h>
#include <sys/stat.h>

static char folder[] = "/tmp/scone_eval_conditions_XXXXXX";

static const char *place(const char *name)
{
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static const char *put(const char *name, const char *text)
{
    const char *path = place(name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    return mkdir(place("found"), 0700) || mkdir(place("truth"), 0700);
}

static int end(void **state)
{
    (void)state;
    char command[64];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* ---- lists ---- */

static void test_lists(void **state)
{
    (void)state;
    target_list list, joined;
    CHECK_OK(
        eval_targets_read(&list, put("t.csv", "condition,variable\nc10,B\nc2,\nc1,A\nc1,B\n")));
    CHECK(list.count == 3 && list.condition_count == 3);
    assert_string_equal(list.conditions[0], "c1");
    assert_string_equal(list.conditions[1], "c10");
    assert_string_equal(list.conditions[2], "c2");
    CHECK(list.condition[0] == 1 && list.condition[1] == 0 && list.condition[2] == 0);
    for (size_t i = 0; i < 3; i++) CHECK(list.target[i]);
    eval_targets_free(&list);
    /* With a column of targets a row says either; the file of one condition tells none apart. */
    CHECK_OK(
        eval_targets_read(&list, put("t.csv", "variable,size,condition,target\n"
                                              "B,1,x,0\nA,2,x,1\nB,1,y,1\nA,2,y,0\nC,0,y,0\n")));
    CHECK(list.count == 5 && list.condition_count == 2);
    CHECK_OK(eval_conditions_join(&joined, &list));
    CHECK(joined.count == 3 && joined.condition_count == 0 && !joined.conditions);
    const bool wanted[3] = {true, true, false};
    static const char *const names[] = {"A", "B", "C"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(joined.names[i], names[i]);
        CHECK(joined.target[i] == wanted[i]);
    }
    eval_targets_free(&joined);
    eval_targets_free(&list);
    CHECK_OK(eval_targets_read(&list, put("t.csv", "condition,variable\n")));
    CHECK(list.count == 0 && list.condition_count == 0);
    eval_targets_free(&list);
}

static void test_refused(void **state)
{
    (void)state;
    target_list list;
    static const char *const files[][2] = {
        {"condition,variable\nc1,A\nc2,A\nc1,A\n",
         "row 4: 'A' is there twice for the condition 'c1'"},
        {"condition,variable,target\nc1,A,0\nc1,A,1\n", "row 3: 'A' is there twice"},
        {"condition,variable\nc1,A\n,B\n", "row 3, column 'condition': the cell is empty"},
        {"condition,target\nc1,1\n", "there is no column 'variable'"},
        {"condition,variable,target\nc1,A,2\n", "row 2, column 'target': '2' is neither 1 nor 0"},
        {"variable\nA\n", "there is no column 'target'"},
        {"condition,variable\nc1\n", "row 2 has 1 cells"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CHECK_FAILS(eval_targets_read(&list, put("t.csv", files[i][0])), SCONE_ERR_INPUT,
                    files[i][1]);
        CHECK(!list.names && !list.target && !list.conditions && !list.condition);
        CHECK(strstr(scone_error_message(), "t.csv") != NULL);
    }
}

/* ---- folders ---- */

static char last_note[512];

static void keep_note(void *user, scone_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)snprintf(last_note, sizeof last_note, "%s", text);
}

/* The scores of the lists `found` and `truth`, over a graph that lists A, B, C and D. */
static scone_status compare(scone_scores *scores, const char *found, const char *truth)
{
    const char *graph_text = ",A,B,C,D\nA,0,1,0,0\nB,0,0,1,0\nC,0,0,0,0\nD,0,0,0,0\n";
    const scone_context context = {.log = keep_note};
    scone_eval *eval;
    last_note[0] = '\0';
    (void)put("found/graph.csv", graph_text);
    (void)put("truth/graph.csv", graph_text);
    (void)put("found/targets.csv", found);
    (void)put("truth/targets.csv", truth);
    scone_status status = scone_eval_run(&eval, place("found"), place("truth"), NULL, &context);
    if (status == SCONE_OK) *scores = scone_eval_get(eval, 0)->scores;
    if (status == SCONE_OK) scone_eval_free(eval);
    return status;
}

static const char found_many[] = "condition,variable,target,size\n"
                                 "c1,A,1,3\nc1,B,1,2\nc1,C,0,1\nc1,D,0,0\n"
                                 "c2,C,1,3\nc2,B,0,2\nc2,A,0,1\nc2,D,0,0\n";

/* 3 said, 4 true, 2 right: a variable counts once for each condition. */
static void test_apart(void **state)
{
    (void)state;
    scone_scores s;
    CHECK_OK(compare(&s, found_many, "condition,variable\nc2,C\nc2,D\nc1,B\nc1,C\n"));
    CHECK_NEAR(s.target_precision, 2.0 / 3, 1e-15);
    CHECK_NEAR(s.target_recall, 2.0 / 4, 1e-15);
    CHECK_NEAR(s.target_f1, 4.0 / 7, 1e-15);
    assert_string_equal(last_note, "");
    /* The same variables, in the other condition: nothing is right. */
    CHECK_OK(compare(&s, found_many, "condition,variable\nc1,C\nc2,A\nc2,B\n"));
    CHECK_SAME(s.target_f1, 0.0);
    CHECK_OK(compare(&s, found_many, found_many));
    CHECK_SAME(s.target_f1, 1.0);
    /* A condition without targets is known by its row. */
    CHECK_OK(compare(&s, found_many, "condition,variable\nc1,A\nc1,B\nc2,\n"));
    CHECK_NEAR(s.target_precision, 2.0 / 3, 1e-15);
    CHECK_SAME(s.target_recall, 1.0);
    /* A name that could stand for another one with a delimiter in it. */
    CHECK_OK(compare(&s, "condition,variable\n0:1,A\n0,B\n", "condition,variable\n0,B\n0:1,A\n"));
    CHECK_SAME(s.target_f1, 1.0);
}

static void test_together(void **state)
{
    (void)state;
    scone_scores s;
    const char *one = "variable,target\nA,1\nB,0\nC,1\nD,1\n"; /* of A, B, C in any condition */
    CHECK_OK(compare(&s, found_many, one));
    CHECK_NEAR(s.target_precision, 2.0 / 3, 1e-15);
    CHECK_NEAR(s.target_recall, 2.0 / 3, 1e-15);
    CHECK(strstr(last_note, "in 1 of 1 comparisons one side alone tells conditions apart") != NULL);
    CHECK_OK(compare(&s, one, found_many));
    CHECK_NEAR(s.target_f1, 2.0 / 3, 1e-15);
    CHECK(strstr(last_note, "one side alone") != NULL);
    /* Two tables, whose condition has any name, against both kinds of truth. */
    const char *pair = "condition,variable,target\nint,A,1\nint,B,0\nint,C,1\nint,D,1\n";
    CHECK_OK(compare(&s, pair, one));
    CHECK_SAME(s.target_f1, 1.0);
    assert_string_equal(last_note, "");
    CHECK_OK(compare(&s, pair, "condition,variable\nchanged,A\n"));
    CHECK_SAME(s.target_recall, 1.0);
    assert_string_equal(last_note, "");
    CHECK_OK(compare(&s, pair, "condition,variable\nc1,A\nc2,A\n"));
    CHECK_NEAR(s.target_precision, 1.0 / 3, 1e-15);
    CHECK(strstr(last_note, "one side alone") != NULL);
}

static void test_names(void **state)
{
    (void)state;
    scone_scores s;
    CHECK_FAILS(compare(&s, found_many, "condition,variable\nc1,A\ncc2,A\n"), SCONE_ERR_INPUT,
                "found/targets.csv has the condition 'c2', which ");
    CHECK(strstr(scone_error_message(), "truth/targets.csv lacks; did you mean 'cc2' instead of "
                                        "'c2'?") != NULL);
    CHECK_FAILS(compare(&s, found_many, "condition,variable\nc1,A\nc2,A\nc3,A\nc4,\n"),
                SCONE_ERR_INPUT, "truth/targets.csv has the conditions 'c3', 'c4', which ");
    CHECK_FAILS(compare(&s, found_many, "condition,variable\nc1,A\nc2,Q\n"), SCONE_ERR_INPUT,
                "truth/targets.csv has 'Q', which ");
    CHECK_FAILS(compare(&s, found_many, "condition,variable\nc1,A\nc2,B\nc2,B\n"), SCONE_ERR_INPUT,
                "truth/targets.csv: row 4: 'B' is there twice for the condition 'c2'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_apart), cmocka_unit_test(test_together),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("targets of conditions", tests, begin, end);
}
