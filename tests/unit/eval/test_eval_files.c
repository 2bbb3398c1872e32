/* test_eval_files.c - evaluation from files: probabilities, targets, folders with many cases, DCDI.
 */
#include "testing.h"

#include "eval/eval.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- helpers ---- */

static const char *const letters[] = {"A", "B", "C", "D", "E", "F"};

/* A graph over A, B, ... from text such as "A>B C-D". */
static graph *make(size_t nodes, const char *edges)
{
    graph *g;
    CHECK_OK(scone_graph_alloc(&g, nodes, letters));
    for (; *edges; edges += edges[3] ? 4 : 3) {
        size_t i = (size_t)(edges[0] - 'A'), j = (size_t)(edges[2] - 'A');
        scone_graph_set(g, i, j, edges[1] == '>' ? SCONE_MARK_FORWARD : SCONE_MARK_UNDIRECTED);
    }
    return g;
}

static char folder[] = "/tmp/scone_eval_XXXXXX";

static const char *put(const char *name, const char *text)
{
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, 256, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

static const char *place(const char *name)
{
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static void make_folder(const char *name)
{
    CHECK(mkdir(place(name), 0700) == 0);
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char command[64];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* ---- probabilities ---- */

static double auprc_of(const char *file, const graph *truth)
{
    double area;
    probability_matrix matrix;
    node_match match;
    CHECK_OK(eval_probabilities_read(&matrix, file));
    variables first = {"p", (const char *const *)matrix.names, matrix.nodes};
    variables second = {"t", (const char *const *)truth->names, truth->nodes};
    CHECK_OK(eval_match_nodes(&match, &first, &second));
    CHECK_OK(eval_ranking_auprc(&area, &matrix, truth, &match));
    eval_match_free(&match);
    eval_probabilities_free(&matrix);
    return area;
}

static void test_probabilities(void **state)
{
    (void)state;
    graph *truth = make(3, "A>B B>C");
    /* ranking: A>B 0.9 hit, A>C 0.7, then B>C and C>B tied at 0.4 */
    double expected = 0.5 + 0.5 * 2.0 / 4.0;
    CHECK_NEAR(auprc_of(put("p.csv", ",A,B,C\nA,0,0.9,0.7\nB,0.1,0,0.4\nC,0,0.4,0\n"), truth),
               expected, 1e-15);
    /* rows in another order, semicolons, an empty diagonal, a byte order mark, blank lines */
    CHECK_NEAR(auprc_of(put("q.csv", "\xEF\xBB\xBFname;B;A;C\r\n\r\nC;0.4;0;\r\nA;0.9;;0.7\r\n"
                                     "B;;0.1;\"0.4\"\r\n\r\n"),
                        truth),
               expected, 1e-15);
    scone_graph_free(truth);

    /* A node that the probabilities do not know has probability 0 with everyone; undirected edges
     * of the truth are no positive pairs. */
    truth = make(4, "A>B B-C A>D");
    /* 12 pairs: A>B at the top, A>D among the 11 others at 0 */
    CHECK_NEAR(auprc_of(put("r.csv", ",A,B,C\nA,0,1,0\nB,0,0,0\nC,0,0,0\n"), truth),
               0.5 + 0.5 * 2.0 / 12.0, 1e-15);
    scone_graph_free(truth);

    probability_matrix m;
    CHECK_FAILS(eval_probabilities_read(&m, put("e.csv", ",A,B\nA,0,1.5\nB,0,0\n")),
                SCONE_ERR_INPUT, "row 2, column 'B': '1.5' is not a probability");
    CHECK(strstr(scone_error_message(), "e.csv") != NULL);
    CHECK_FAILS(eval_probabilities_read(&m, put("e.csv", ",A,B\nA,0,nan\nB,0,0\n")),
                SCONE_ERR_INPUT, "'nan' is not a probability");
    CHECK_FAILS(eval_probabilities_read(&m, put("e.csv", ",A,B\nA,0,1\n")), SCONE_ERR_INPUT,
                "1 rows under 2 names");
    CHECK_FAILS(eval_probabilities_read(&m, put("e.csv", ",A,B\nA,0,1\nC,0,0\n")), SCONE_ERR_INPUT,
                "row 3: 'C' is not in the header");
    CHECK_FAILS(eval_probabilities_read(&m, put("e.csv", ",A,B\nA,0,1\nA,0,0\n")), SCONE_ERR_INPUT,
                "row 3: 'A' has a row already");
    CHECK_FAILS(eval_probabilities_read(&m, put("e.csv", ",A,B\nA,0,1\nB,0\n")), SCONE_ERR_INPUT,
                "row 3 has 2 cells where the header has 3");
    CHECK_FAILS(eval_probabilities_read(&m, put("e.csv", ",A,B\nA,0,\"1\nB,0,1\n")),
                SCONE_ERR_INPUT, "never closed");
    CHECK_FAILS(eval_probabilities_read(&m, put("e.csv", "\n")), SCONE_ERR_INPUT, "empty");
    CHECK_FAILS(eval_probabilities_read(&m, place("nowhere.csv")), SCONE_ERR_IO, "nowhere.csv");
}

/* ---- targets ---- */

static void test_targets(void **state)
{
    (void)state;
    scone_scores s;
    target_list p, t;
    eval_scores_clear(&s);
    CHECK_OK(eval_targets_read(&p, put("p.csv", "variable,score,p_value,target\n"
                                                "B,9,0.01,1\nA,7,0.02,1\nC,1,0.5,0\nE,1,0.5,1\n")));
    CHECK_OK(eval_targets_read(&t, put("t.csv", "target,variable\n1,A\n0,B\n0,C\n1,D\n")));
    CHECK_OK(eval_scores_of_targets(&s, &p, &t, "p", "t")); /* said A B E, true A D */
    CHECK_NEAR(s.target_precision, 1.0 / 3, 1e-15);
    CHECK_NEAR(s.target_recall, 1.0 / 2, 1e-15);
    CHECK_NEAR(s.target_f1, 2.0 / 5, 1e-15);
    eval_targets_free(&p);
    /* A list of targets alone, all of them wrong. */
    CHECK_OK(eval_targets_read(&p, put("p.csv", "variable,target\nB,1\nE,1\n")));
    CHECK_OK(eval_scores_of_targets(&s, &p, &t, "p", "t"));
    CHECK_SAME(s.target_f1, 0);
    eval_targets_free(&p);
    eval_targets_free(&t);
    CHECK_FAILS(eval_targets_read(&p, put("p.csv", "name,target\nA,1\n")), SCONE_ERR_INPUT,
                "no column 'variable'");
    CHECK_FAILS(eval_targets_read(&p, put("p.csv", "variable,target\nA,1\nB,yes\n")),
                SCONE_ERR_INPUT, "row 3, column 'target': 'yes' is neither 1 nor 0");
}

/* A prediction and a truth with their graphs and lists of targets; the score, or the error that
 * says `refused`. */
static void score_lists(const char *predicted, const char *found, const char *truth,
                        const char *actual, double f1, const char *refused)
{
    scone_eval *eval;
    static const char *const graphs[] = {"graph.csv", "edges.csv"}; /* complete, or an edge list */
    const char *const texts[2][2] = {{predicted, found}, {truth, actual}};
    for (int side = 0; side < 2; side++) {
        char name[64];
        const char *place_of = side ? "lists_truth" : "lists_found";
        bool edges = strncmp(texts[side][0], "source", 6) == 0;
        (void)snprintf(name, sizeof name, "%s/%s", place_of, graphs[edges]);
        (void)put(name, texts[side][0]);
        (void)snprintf(name, sizeof name, "%s/%s", place_of, graphs[!edges]);
        (void)unlink(place(name));
        (void)snprintf(name, sizeof name, "%s/targets.csv", place_of);
        (void)put(name, texts[side][1]);
    }
    if (refused) {
        CHECK_FAILS(scone_eval_run(&eval, place("lists_found"), place("lists_truth"), NULL, NULL),
                    SCONE_ERR_INPUT, refused);
        return;
    }
    CHECK_OK(scone_eval_run(&eval, place("lists_found"), place("lists_truth"), NULL, NULL));
    CHECK_SAME(scone_eval_get(eval, 0)->scores.target_f1, f1);
    scone_eval_free(eval);
}

/* What a list of targets names must be a node; it need not name every node. */
static void test_target_names(void **state)
{
    (void)state;
    const char *all = ",Aa,Bb,Cc,Dd\nAa,0,1,0,0\nBb,0,0,1,0\nCc,0,0,0,0\nDd,0,0,0,0\n";
    const char *some = "source,target\nAa,Bb\nBb,Cc\n"; /* knows nothing of Dd */
    const char *full = "variable,target\nAa,0\nBb,1\nCc,0\nDd,0\n";
    const char *wrong = "variable,target\nAa,0\nBx,1\nCc,0\nDd,0\n";
    const char *one = "variable,target\nBb,1\n", *other = "variable,target\nDd,1\n";
    make_folder("lists_found");
    make_folder("lists_truth");
    score_lists(all, full, all, full, 1, NULL);
    score_lists(all, one, all, full, 1, NULL);
    score_lists(all, full, all, one, 1, NULL);
    score_lists(all, one, all, other, 0, NULL); /* no name in common, and all are nodes */
    score_lists(all, "variable,target\n", all, one, 0, NULL);
    score_lists(all, wrong, all, full, 0, "lists_found/targets.csv has 'Bx', which ");
    score_lists(all, wrong, all, full, 0,
                "lists_truth/graph.csv lacks; did you mean 'Bb' instead of 'Bx'?");
    score_lists(all, full, all, wrong, 0, "lists_truth/targets.csv has 'Bx', which ");
    score_lists(all, wrong, all, wrong, 0, "has 'Bx'"); /* although both lists have it */
    score_lists(all, "variable,target\nQ,1\nBb,1\nR,0\nS,0\nT,0\n", all, full, 0,
                "has 'Q', 'R', 'S' and 1 more, which ");
    /* One graph that lists all nodes settles what there is. */
    score_lists(some, full, all, full, 1, NULL);
    score_lists(all, full, some, full, 1, NULL);
    score_lists(some, wrong, all, full, 0, "lists_truth/graph.csv lacks");
    score_lists(all, full, some, wrong, 0, "lists_found/graph.csv lacks");
    /* Where none does, a node that both lists have can be one without edges. */
    score_lists(some, full, some, full, 1, NULL);
    score_lists(some, one, some, full, 0, "'Dd', which is no node of ");
    score_lists(some, full, some, one, 0, "list nodes without edges there, too");
    score_lists(some, wrong, some, full, 0, "did you mean 'Bb' instead of 'Bx'?");
    score_lists("source,target\n", one, some, one, 1, NULL);
}

/* ---- files and folders ---- */

static void test_many(void **state)
{
    (void)state;
    make_folder("truth");
    make_folder("found");
    const size_t numbers[] = {0, 2, 3, 10};
    for (size_t k = 0; k < 4; k++) {
        char name[64];
        for (int side = 0; side < 2; side++) {
            (void)snprintf(name, sizeof name, "%s/g%zu", side ? "truth" : "found", numbers[k]);
            make_folder(name);
            (void)snprintf(name, sizeof name, "%s/g%zu/%s", side ? "truth" : "found", numbers[k],
                           side ? "graph.csv" : "edges.csv");
            (void)put(name, side || k ? "source,target\nA,B\nB,C\n" : "source,target\nA,B\n");
        }
    }
    (void)put("truth/g2/targets.csv", "variable,target\nA,0\nB,1\n");
    (void)put("found/g2/targets.csv", "variable,target\nA,0\nB,1\n");
    (void)put("found/g2/probabilities.csv", ",A,B,C\nA,0,1,0\nB,0,0,1\nC,0,0,0\n");
    scone_eval *eval;
    CHECK_OK(scone_eval_run(&eval, place("found"), place("truth"), NULL, NULL));
    CHECK(scone_eval_count(eval) == 4);
    assert_string_equal(scone_eval_get(eval, 0)->name, "g0");
    assert_string_equal(scone_eval_get(eval, 1)->name, "g2"); /* before g10 */
    assert_string_equal(scone_eval_get(eval, 2)->name, "g3");
    assert_string_equal(scone_eval_get(eval, 3)->name, "g10");
    CHECK_SAME(scone_eval_get(eval, 0)->scores.missing, 1);
    CHECK_SAME(scone_eval_get(eval, 1)->scores.auprc, 1);
    CHECK_SAME(scone_eval_get(eval, 1)->scores.target_f1, 1);
    CHECK(isnan(scone_eval_get(eval, 2)->scores.auprc));
    scone_scores mean, sd;
    scone_eval_summary(eval, &mean, &sd);
    CHECK_NEAR(mean.shd, 0.25, 1e-15);
    CHECK_SAME(mean.auprc, 1);
    scone_eval_free(eval);

    /* One list with an unknown name stops all of it, whichever side it is on. */
    for (int side = 0; side < 2; side++) {
        const char *list = side ? "truth/g2/targets.csv" : "found/g2/targets.csv";
        (void)put(list, "variable,target\nA,0\nBb,1\n");
        CHECK_FAILS(scone_eval_run(&eval, place("found"), place("truth"), NULL, NULL),
                    SCONE_ERR_INPUT, list);
        CHECK(eval == NULL);
        (void)put(list, "variable,target\nA,0\nB,1\n");
    }

    make_folder("truth/g11");
    (void)put("truth/g11/graph.csv", "source,target\nA,B\n");
    CHECK_FAILS(scone_eval_run(&eval, place("found"), place("truth"), NULL, NULL), SCONE_ERR_INPUT,
                "truth has g11, but");
    CHECK(eval == NULL);
    CHECK_FAILS(scone_eval_run(&eval, place("truth"), place("found"), NULL, NULL), SCONE_ERR_INPUT,
                "truth has g11, but");
    CHECK_FAILS(scone_eval_run(&eval, place("found/g0"), place("truth"), NULL, NULL),
                SCONE_ERR_INPUT, "many graphs");
    CHECK_FAILS(scone_eval_run(&eval, place("found"), place("found"), place("p.csv"), NULL),
                SCONE_ERR_INPUT, "cannot serve 4 graphs");
    make_folder("nothing");
    CHECK_FAILS(scone_eval_run(&eval, place("nothing"), place("truth"), NULL, NULL),
                SCONE_ERR_INPUT, "no graph in this folder");
    CHECK_FAILS(scone_eval_run(&eval, place("nowhere"), place("truth"), NULL, NULL), SCONE_ERR_IO,
                "no such file or folder");
}

static char last_note[512];

static void keep_note(void *user, scone_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)snprintf(last_note, sizeof last_note, "%s", message);
}

/* A DCDI folder as truth: no names, and targets in its own layout. */
static void test_dcdi(void **state)
{
    (void)state;
    const scone_context context = {.log = keep_note};
    graph *g;
    make_folder("dcdi");
    make_folder("mine");
    CHECK_OK(scone_graph_alloc(&g, 3, NULL));
    scone_graph_set(g, 0, 1, SCONE_MARK_FORWARD);
    scone_graph_set(g, 1, 2, SCONE_MARK_FORWARD);
    CHECK_OK(scone_graph_write(g, place("dcdi/DAG1.npy"), SCONE_GRAPH_NPY));
    (void)put("dcdi/intervention1.csv", "\n\n2\n0,2\n");
    (void)put("mine/graph.csv", ",A,B,C\nA,0,1,0\nB,0,0,0\nC,0,1,0\n");
    (void)put("mine/targets.csv", "condition,variable,target,size,p_value,evidence,reason\n"
                                  "int,C,1,9,0.1,1,moved\nint,A,0,5,0.1,1,\"moved, as B\"\n"
                                  "int,B,1,1,1,0,moved\n");
    (void)put("mine/probabilities.csv", ",A,B,C\nA,0,1,0\nB,0,0,0.5\nC,0,0.75,0\n");
    scone_eval *eval;
    last_note[0] = '\0';
    CHECK_OK(scone_eval_run(&eval, place("mine"), place("dcdi"), NULL, &context));
    const scone_scores *s = &scone_eval_get(eval, 0)->scores;
    CHECK_SAME(s->shd, 1);
    CHECK_SAME(s->reversed, 1);
    CHECK_SAME(s->hits, 1);
    CHECK_NEAR(s->auprc, 0.5 + 0.5 * 2.0 / 3.0, 1e-15);
    CHECK_SAME(s->target_precision, 0.5); /* said B C, true A C */
    CHECK_SAME(s->target_recall, 0.5);
    CHECK(strstr(last_note, "by position in 1 of 1") != NULL);
    scone_eval_free(eval);

    /* The names of the prediction are those that a target may have. */
    (void)put("mine/targets.csv", "variable,target\nC,1\nX1,1\n");
    CHECK_FAILS(scone_eval_run(&eval, place("mine"), place("dcdi"), NULL, NULL), SCONE_ERR_INPUT,
                "mine/targets.csv has 'X1', which ");

    /* An edge list has no order of nodes: refused, unless its names are X0, X1, ... */
    const char *edges = put("edges.csv", "source,target\nC,B\nA,B\n");
    CHECK_FAILS(scone_eval_run(&eval, edges, place("dcdi"), NULL, NULL), SCONE_ERR_INPUT,
                "lists edges");
    last_note[0] = '\0';
    CHECK_OK(scone_eval_run(&eval, put("edges.csv", "source,target\nX1,X2\nX0,X1\n"), place("dcdi"),
                            NULL, &context));
    CHECK_SAME(scone_eval_get(eval, 0)->scores.shd, 0);
    assert_string_equal(last_note, "");
    scone_eval_free(eval);

    /* Problem 1 is graph 0: the name under which many are matched. */
    CHECK_OK(scone_graph_write(g, place("dcdi/DAG2.npy"), SCONE_GRAPH_NPY));
    make_folder("mine/many");
    make_folder("mine/many/g0");
    make_folder("mine/many/g1");
    CHECK_OK(scone_graph_write(g, place("mine/many/g0/graph.json"), SCONE_GRAPH_JSON));
    scone_graph_set(g, 0, 1, SCONE_MARK_NONE);
    CHECK_OK(scone_graph_write(g, place("mine/many/g1/graph.json"), SCONE_GRAPH_JSON));
    CHECK_OK(scone_eval_run(&eval, place("mine/many"), place("dcdi"), NULL, NULL));
    CHECK_SAME(scone_eval_get(eval, 0)->scores.shd, 0);
    CHECK_SAME(scone_eval_get(eval, 1)->scores.shd, 1);
    scone_eval_free(eval);
    scone_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probabilities), cmocka_unit_test(test_targets),
        cmocka_unit_test(test_target_names),  cmocka_unit_test(test_many),
        cmocka_unit_test(test_dcdi),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
