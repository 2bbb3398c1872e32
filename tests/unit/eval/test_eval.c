/* test_eval.c - scores of graphs and rankings: the worked examples of docs/reference/scores.md, and
 * second, naive implementations on random graphs. */
#include "testing.h"

#include "base/rng.h"
#include "eval/eval.h"

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

static scone_scores compare(const char *predicted, const char *truth)
{
    scone_scores scores;
    graph *p = make(5, predicted), *t = make(5, truth);
    CHECK_OK(scone_eval_graphs(&scores, p, t));
    scone_graph_free(p);
    scone_graph_free(t);
    return scores;
}

static void check_counts(scone_scores s, double missing, double extra, double reversed,
                         double undirected, double hits)
{
    CHECK_SAME(s.missing, missing);
    CHECK_SAME(s.extra, extra);
    CHECK_SAME(s.reversed, reversed);
    CHECK_SAME(s.undirected, undirected);
    CHECK_SAME(s.hits, hits);
    CHECK_SAME(s.shd, missing + extra + reversed + undirected);
}

/* ---- marks ---- */

static void test_each_mismatch(void **state)
{
    (void)state;
    check_counts(compare("A>B", "A>B"), 0, 0, 0, 0, 1);
    check_counts(compare("", "A>B"), 1, 0, 0, 0, 0);
    check_counts(compare("A>B", ""), 0, 1, 0, 0, 0);
    check_counts(compare("A-B", ""), 0, 1, 0, 0, 0);
    check_counts(compare("", "A-B"), 1, 0, 0, 0, 0);
    check_counts(compare("B>A", "A>B"), 0, 0, 1, 0, 0);
    check_counts(compare("A-B", "A>B"), 0, 0, 0, 1, 0);
    check_counts(compare("A>B", "A-B"), 0, 0, 0, 1, 0);
    check_counts(compare("B-A", "A-B"), 0, 0, 0, 0, 0); /* the same mark, and no hit */
}

/* The example of docs/reference/scores.md. */
static void test_worked_example(void **state)
{
    (void)state;
    scone_scores s = compare("A>B C>B C-D A>E B>E", "A>B B>C C>D D>E A>E");
    check_counts(s, 1, 1, 1, 1, 2);
    CHECK_SAME(s.true_edges, 5);
    CHECK_SAME(s.predicted_edges, 5);
    CHECK_SAME(s.precision, 2.0 / 5);
    CHECK_SAME(s.recall, 2.0 / 5);
    CHECK_NEAR(s.f1, 0.4, 1e-15);
    CHECK_SAME(s.skeleton_precision, 4.0 / 5);
    CHECK_SAME(s.skeleton_recall, 4.0 / 5);
    CHECK_NEAR(s.skeleton_f1, 0.8, 1e-15);
    CHECK(isnan(s.auprc) && isnan(s.target_f1) && isnan(s.target_precision));

    s = compare("A>B B-C", "A>B B>C C>D D>E");
    CHECK_SAME(s.precision, 0.5);
    CHECK_SAME(s.recall, 0.25);
    CHECK_NEAR(s.f1, 2.0 * 0.5 * 0.25 / 0.75, 1e-15);
    CHECK_SAME(s.skeleton_precision, 1.0);
    CHECK_SAME(s.skeleton_recall, 0.5);
}

static void test_empty_graphs(void **state)
{
    (void)state;
    scone_scores s = compare("", "");
    CHECK_SAME(s.shd, 0);
    CHECK_SAME(s.precision, 1);
    CHECK_SAME(s.recall, 1);
    CHECK_SAME(s.f1, 1);
    CHECK_SAME(s.skeleton_f1, 1);
    s = compare("", "A>B C>D");
    CHECK_SAME(s.precision, 0);
    CHECK_SAME(s.recall, 0);
    CHECK_SAME(s.f1, 0);
    CHECK_SAME(s.skeleton_f1, 0);
    s = compare("A>B", "");
    CHECK_SAME(s.precision, 0);
    CHECK_SAME(s.recall, 0);
    CHECK_SAME(s.f1, 0);
}

/* The definitions once more, on adjacency matrices with [i][j] = 1 for i -> j. */
typedef int adjacency[12][12];

static void naive(scone_scores *s, adjacency p, adjacency t, size_t n)
{
    double shd = 0, hits = 0, predicted = 0, actual = 0, both = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (p[i][j] != t[i][j] || p[j][i] != t[j][i]) shd++;
            predicted += p[i][j] || p[j][i];
            actual += t[i][j] || t[j][i];
            both += (p[i][j] || p[j][i]) && (t[i][j] || t[j][i]);
            hits += p[i][j] && !p[j][i] && t[i][j] && !t[j][i];
            hits += p[j][i] && !p[i][j] && t[j][i] && !t[i][j];
        }
    }
    double nothing = predicted + actual == 0 ? 1 : 0;
    s->shd = shd;
    s->hits = hits;
    s->precision = predicted > 0 ? hits / predicted : nothing;
    s->recall = actual > 0 ? hits / actual : nothing;
    s->f1 = s->precision + s->recall > 0 ? 2 * s->precision * s->recall / (s->precision + s->recall)
                                         : 0;
    s->skeleton_precision = predicted > 0 ? both / predicted : nothing;
    s->skeleton_recall = actual > 0 ? both / actual : nothing;
    double sum = s->skeleton_precision + s->skeleton_recall;
    s->skeleton_f1 = sum > 0 ? 2 * s->skeleton_precision * s->skeleton_recall / sum : 0;
}

/* A random partially directed graph under shuffled names, and its matrix in the order of names. */
static graph *random_graph(rng *r, adjacency matrix, size_t n)
{
    static const char *const names[] = {"n0", "n1", "n2", "n3", "n4",  "n5",
                                        "n6", "n7", "n8", "n9", "n10", "n11"};
    size_t order[12];
    const char *shuffled[12];
    graph *g;
    rng_permutation(r, order, n);
    for (size_t i = 0; i < n; i++) shuffled[i] = names[order[i]];
    CHECK_OK(scone_graph_alloc(&g, n, shuffled));
    double density = rng_uniform(r);
    memset(matrix, 0, sizeof(adjacency));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (rng_uniform(r) > density) continue;
            int mark = 1 + (int)(3.0 * rng_uniform(r));
            scone_graph_set(g, i, j, (scone_mark)mark);
            matrix[order[i]][order[j]] = mark & 1;
            matrix[order[j]][order[i]] = mark >> 1;
        }
    }
    return g;
}

static void test_against_naive(void **state)
{
    (void)state;
    rng r = rng_stream(11, RNG_TEST, 0, 0, 0);
    for (int round = 0; round < 10000; round++) {
        size_t n = 1 + (size_t)(12.0 * rng_uniform(&r));
        adjacency p_matrix, t_matrix;
        graph *p = random_graph(&r, p_matrix, n), *t = random_graph(&r, t_matrix, n);
        scone_scores s, expected;
        CHECK_OK(scone_eval_graphs(&s, p, t));
        naive(&expected, p_matrix, t_matrix, n);
        CHECK_SAME(s.shd, expected.shd);
        CHECK_SAME(s.missing + s.extra + s.reversed + s.undirected, expected.shd);
        CHECK_SAME(s.hits, expected.hits);
        CHECK_SAME(s.precision, expected.precision);
        CHECK_SAME(s.recall, expected.recall);
        CHECK_NEAR(s.f1, expected.f1, 1e-14);
        CHECK_SAME(s.skeleton_precision, expected.skeleton_precision);
        CHECK_SAME(s.skeleton_recall, expected.skeleton_recall);
        CHECK_NEAR(s.skeleton_f1, expected.skeleton_f1, 1e-14);
        CHECK_OK(scone_eval_graphs(&s, p, p));
        CHECK_SAME(s.shd, 0);
        CHECK_SAME(s.skeleton_f1, 1);
        scone_graph_free(p);
        scone_graph_free(t);
    }
}

/* ---- matching ---- */

static void test_node_sets(void **state)
{
    (void)state;
    static const char *const some[] = {"C", "A", "Z"}, *const other[] = {"U", "V"},
                             *const twice[] = {"A", "A"};
    scone_scores s;
    graph *p, *t = make(4, "A>B B>C A>D"), *none;
    CHECK_OK(scone_graph_alloc(&p, 3, some));
    scone_graph_set(p, 1, 0, SCONE_MARK_FORWARD); /* A -> C: extra */
    scone_graph_set(p, 1, 2, SCONE_MARK_FORWARD); /* A -> Z: extra */
    CHECK_OK(scone_eval_graphs(&s, p, t));
    check_counts(s, 3, 2, 0, 0, 0);
    scone_graph_free(p);

    CHECK_OK(scone_graph_alloc(&p, 2, other));
    CHECK_FAILS(scone_eval_graphs(&s, p, t), SCONE_ERR_INPUT, "no node name in common");
    CHECK(strstr(scone_error_message(), "'U' and 'A'") != NULL);
    CHECK(isnan(s.shd));
    scone_graph_free(p);

    CHECK_OK(scone_graph_alloc(&p, 2, twice));
    CHECK_FAILS(scone_eval_graphs(&s, p, t), SCONE_ERR_INPUT, "two nodes are called 'A'");
    scone_graph_free(p);

    CHECK_OK(scone_graph_alloc(&none, 0, NULL)); /* an edge list without edges */
    CHECK_OK(scone_eval_graphs(&s, none, t));
    check_counts(s, 3, 0, 0, 0, 0);
    scone_graph_free(none);
    scone_graph_free(t);
}

static void test_without_names(void **state)
{
    (void)state;
    static const char *const numbered[] = {"X2", "X0"}, *const from_one[] = {"X1", "X2", "X3"};
    scone_scores s;
    graph *array, *p, *named = make(3, "A>B B>C");
    CHECK_OK(scone_graph_alloc(&array, 3, NULL));
    scone_graph_set(array, 0, 1, SCONE_MARK_FORWARD);
    scone_graph_set(array, 0, 2, SCONE_MARK_FORWARD);

    CHECK_OK(scone_eval_graphs(&s, named, array)); /* by position: A = X0 */
    check_counts(s, 1, 1, 0, 0, 1);

    CHECK_OK(scone_graph_alloc(&p, 2, numbered)); /* by name, though fewer and in another order */
    scone_graph_set(p, 1, 0, SCONE_MARK_FORWARD);
    CHECK_OK(scone_eval_graphs(&s, p, array));
    check_counts(s, 1, 0, 0, 0, 1);
    scone_graph_free(p);

    CHECK_OK(scone_graph_alloc(&p, 3, from_one)); /* X1 is the first of three: by position */
    scone_graph_set(p, 0, 1, SCONE_MARK_FORWARD);
    CHECK_OK(scone_eval_graphs(&s, p, array));
    check_counts(s, 1, 0, 0, 0, 1);
    scone_graph_free(p);

    p = make(4, "A>B");
    CHECK_FAILS(scone_eval_graphs(&s, p, array), SCONE_ERR_INPUT, "3 nodes without names");
    scone_graph_free(p);
    CHECK_OK(scone_graph_alloc(&p, 5, NULL));
    CHECK_FAILS(scone_eval_graphs(&s, p, array), SCONE_ERR_INPUT, "has 5 nodes and");
    scone_graph_free(p);
    scone_graph_free(named);
    scone_graph_free(array);
}

/* ---- probabilities ---- */

/* O(n^2): for every distinct threshold count from scratch; recall steps times precision. */
static double naive_average_precision(const ranked_pair *pairs, size_t count)
{
    double positives = 0, area = 0;
    for (size_t i = 0; i < count; i++) positives += pairs[i].positive;
    for (size_t i = 0; i < count; i++) {
        bool first = true; /* of its tie group */
        double here = 0, found = 0, chosen = 0;
        for (size_t j = 0; j < count; j++) {
            if (pairs[j].probability == pairs[i].probability) {
                if (j < i) first = false;
                here += pairs[j].positive;
            }
            if (pairs[j].probability >= pairs[i].probability) {
                found += pairs[j].positive;
                chosen++;
            }
        }
        if (first) area += here / positives * (found / chosen);
    }
    return area;
}

static void test_average_precision(void **state)
{
    (void)state;
    /* 1/2 * 1 + 1/2 * 2/3, whatever the order inside the tie of 0.4 */
    ranked_pair worked[] = {{0.4, true}, {0.9, true}, {0.4, false}, {0.1, false}};
    CHECK_NEAR(eval_average_precision(worked, 4), 0.5 + 0.5 * 2.0 / 3.0, 1e-15);
    ranked_pair equal[] = {{0.5, false}, {0.5, true}, {0.5, false}, {0.5, false}};
    CHECK_SAME(eval_average_precision(equal, 4), 0.25);
    ranked_pair none[] = {{0.5, false}};
    CHECK(isnan(eval_average_precision(none, 1)));
    CHECK(isnan(eval_average_precision(none, 0)));

    rng r = rng_stream(12, RNG_TEST, 0, 0, 0);
    for (int round = 0; round < 500; round++) {
        ranked_pair pairs[132];
        size_t n = 2 + (size_t)(130.0 * rng_uniform(&r)), levels = round % 2 ? 5 : 1000000;
        for (size_t i = 0; i < n; i++) {
            pairs[i].probability = floor(rng_uniform(&r) * (double)levels) / (double)levels;
            pairs[i].positive = rng_uniform(&r) < 0.2;
        }
        pairs[0].positive = true;
        double expected = naive_average_precision(pairs, n);
        CHECK_NEAR(eval_average_precision(pairs, n), expected, 1e-13);
    }
}

/* ---- summary ---- */

static void test_summary(void **state)
{
    (void)state;
    scone_eval_case cases[4];
    scone_scores mean, sd;
    const double shd[] = {2, 4, 4, 9};
    for (size_t c = 0; c < 4; c++) {
        eval_scores_clear(&cases[c].scores);
        cases[c].scores.shd = shd[c];
    }
    cases[1].scores.auprc = 0.25; /* one value: a mean and no deviation */
    cases[0].scores.target_f1 = 0.5;
    cases[3].scores.target_f1 = 1.0;
    eval_scores_summary(&mean, &sd, cases, 4);
    CHECK_SAME(mean.shd, 4.75);
    CHECK_NEAR(sd.shd, sqrt((7.5625 + 2 * 0.5625 + 18.0625) / 3), 1e-15);
    CHECK_SAME(mean.auprc, 0.25);
    CHECK(isnan(sd.auprc));
    CHECK_SAME(mean.target_f1, 0.75);
    CHECK_NEAR(sd.target_f1, sqrt(0.125), 1e-15);
    CHECK(isnan(mean.f1) && isnan(sd.f1));
}

static void test_by_number(void **state)
{
    (void)state;
    scone_scores scores;
    eval_scores_clear(&scores);
    assert_string_equal(scone_scores_name(0), "shd");
    assert_string_equal(scone_scores_name(EVAL_SCORES - 1), "target_f1");
    CHECK(scone_scores_name(EVAL_SCORES) == NULL && scone_scores_name(SIZE_MAX) == NULL);
    CHECK(isnan(scone_scores_get(&scores, 14)));
    assert_string_equal(scone_scores_name(14), "auprc");
    scores.auprc = 0.75;
    CHECK_SAME(scone_scores_get(&scores, 14), 0.75);
    eval_scores_set(&scores, 14, 0.5);
    CHECK_SAME(scores.auprc, 0.5);
    CHECK(isnan(scores.skeleton_f1) && isnan(scores.target_precision));
    CHECK(isnan(scone_scores_get(&scores, EVAL_SCORES)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_mismatch),     cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_empty_graphs),      cmocka_unit_test(test_against_naive),
        cmocka_unit_test(test_node_sets),         cmocka_unit_test(test_without_names),
        cmocka_unit_test(test_average_precision), cmocka_unit_test(test_summary),
        cmocka_unit_test(test_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
