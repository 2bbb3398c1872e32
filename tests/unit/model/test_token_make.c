/* test_token_make.c - from tables to tokens: codes, candidates and coverage, labels, what must not
 * matter (threads, order of columns), and tables with little in them. */
#include "sample.h"
#include "token_problem.h"

#include "graph/graph.h"
#include "learn/polybic/polybic_votes.h"
#include "sample/sensitivity.h"

/* ---- what is where ---- */

static void test_codes(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(15, 300, 5);
    token_options options = token_quick(11);
    options.graph = 3;
    tokens *t = token_of(problem, &options, 1);
    ensemble_options how = ensemble_defaults;
    how.replicates = options.replicates;
    how.seed = 11;
    how.graph = 3;
    size_t *members = mem_alloc(t->size.members, sizeof *members), offsets[2] = {0, 0}, kinds = 0;
    polybic_votes *votes;
    assert_non_null(members);
    CHECK_OK(polybic_votes_alloc(&votes, scone_problem_pair(problem), NULL, &how, NULL));
    for (size_t g = 0; g < t->size.subsets; g++) {
        ensemble_result *elected;
        offsets[1] = t->subset_offsets[g + 1] - t->subset_offsets[g];
        for (size_t k = 0; k < offsets[1]; k++) {
            members[k] = t->subset_nodes[t->subset_offsets[g] + k];
        }
        const ensemble_subsets one = {1, offsets, members};
        CHECK_OK(polybic_votes_elect(&elected, votes, &one, NULL));
        for (size_t c = t->row_offsets[g]; c < t->row_offsets[g + 1]; c++) {
            const uint32_t *ends = t->ends[t->cell_pair[c]];
            size_t k = 0;
            while (elected->pairs[k][0] != ends[0] || elected->pairs[k][1] != ends[1]) k++;
            CHECK(t->codes[c][0] == elected->winners[k]);
            CHECK(t->codes[c][1] == elected->winners[elected->cells + k]);
            kinds |= (size_t)1 << t->codes[c][0];
        }
        ensemble_result_free(elected);
    }
    CHECK((kinds & 7) == 7); /* none, forward and backward all occur */
    polybic_votes_free(votes);
    mem_free(members);
    tokens_free(t);
    scone_problem_free(problem);
}

/* The K_env pairs of largest contrast are candidates, every candidate is one of them or elected,
 * and every candidate is covered. */
static void check_candidates(double contrast_per_node, size_t wanted)
{
    scone_problem *problem = token_problem(18, 250, 8);
    tokens *t = token_of(problem,
                         &(token_options){.subset_size = 5,
                                          .pair_visits = 1.0,
                                          .least_subsets = 3,
                                          .contrast_per_node = contrast_per_node,
                                          .cap_per_node = 9,
                                          .replicates = 3,
                                          .learners = LEARNER_POLYBIC,
                                          .degree = 2,
                                          .context_share = 0.5,
                                          .contrast = true,
                                          .seed = 4},
                         1);
    moments *m;
    CHECK_OK(moments_alloc(&m, scone_problem_pair(problem), NULL));
    size_t n = 18, contrast_only = 0, large = 0;
    for (size_t e = 0; e < t->size.pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1], larger = 0, edges = 0;
        double own = fabs(m->correlations[0][i + n * j] - m->correlations[1][i + n * j]);
        for (size_t k = 0; k < n * n; k++) {
            double other = fabs(m->correlations[0][k] - m->correlations[1][k]);
            larger += k / n < k % n && other > own;
        }
        CHECK(t->column_offsets[e] < t->column_offsets[e + 1]); /* covered */
        for (size_t k = t->column_offsets[e]; k < t->column_offsets[e + 1]; k++) {
            edges += t->codes[t->column_cells[k]][0] || t->codes[t->column_cells[k]][1];
        }
        CHECK(edges > 0 || larger < wanted);
        contrast_only += edges == 0;
        large += larger < wanted;
    }
    CHECK(large == wanted && (wanted < n || contrast_only > 0));
    CHECK(t->size.pairs > n / 2 && t->size.pairs < 9 * n); /* the cap does not cut */
    moments_free(m);
    tokens_free(t);
    scone_problem_free(problem);
}

static void test_candidates(void **state)
{
    (void)state;
    check_candidates(1.0, 18);
    check_candidates(0.25, 5); /* rounded up */
    check_candidates(0.5, 9);  /* as it is */
    check_candidates(0.0, 0);
}

static void test_cap(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(18, 400, 9);
    token_options options = token_quick(1);
    tokens *all = token_of(problem, &options, 1);
    options.cap_per_node = 1;
    tokens *capped = token_of(problem, &options, 1);
    CHECK(all->size.pairs > 18 && capped->size.pairs == 18);
    assert_memory_equal(all->ends, capped->ends, 18 * sizeof *all->ends); /* the strongest */
    tokens_free(all);
    tokens_free(capped);
    scone_problem_free(problem);
}

static void test_labels(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(20, 500, 6);
    token_options options = token_quick(2);
    tokens *t = token_of(problem, &options, 1);
    const scone_graph *truth = scone_problem_graph(problem);
    size_t edges = 0, labelled = 0;
    CHECK(t->labelled && t->seed == 2 && t->graph == 0);
    for (size_t i = 0; i < 20; i++) {
        for (size_t j = 0; j < 20; j++) {
            CHECK(t->truth[i * 20 + j] == (i == j ? 0 : scone_graph_mark(truth, i, j)));
            edges += t->truth[i * 20 + j] == TOKEN_FORWARD;
        }
    }
    for (size_t e = 0; e < t->size.pairs; e++) {
        CHECK(t->labels[e] == scone_graph_mark(truth, t->ends[e][0], t->ends[e][1]));
        labelled += t->labels[e] != TOKEN_NONE;
    }
    CHECK(edges == scone_graph_edges(truth) && labelled > edges / 2);
    tokens_free(t);
    scone_problem_free(problem);
}

/* ---- what must not matter ---- */

static void test_threads(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(20, 700, 3);
    token_options options = token_quick(7);
    for (int contrast = 0; contrast < 2; contrast++) {
        options.contrast = contrast;
        tokens *one = token_of(problem, &options, 1), *two = token_of(problem, &options, 2),
               *three = token_of(problem, &options, 3);
        token_same(one, two);
        token_same(one, three);
        tokens_free(one);
        tokens_free(two);
        tokens_free(three);
    }
    tokens *one = token_of(problem, &options, 1);
    options.seed = 8;
    tokens *other = token_of(problem, &options, 1);
    CHECK(one->bytes != other->bytes || memcmp(one->block, other->block, one->bytes) != 0);
    tokens_free(one);
    tokens_free(other);
    scone_problem_free(problem);
}

static void test_column_order(void **state)
{
    (void)state;
    enum { NODES = 14 };
    scone_problem *problem = token_problem(NODES, 300, 12);
    const scone_pair *pair = scone_problem_pair(problem);
    const scone_graph *truth = scone_problem_graph(problem);
    token_options options = token_quick(3);
    tokens *expected = token_of(problem, &options, 1), *got;
    size_t order[NODES], columns[NODES];
    const char *names[NODES];
    scone_table *tables[2];
    scone_pair *mixed;
    scone_graph *mixed_truth;
    for (size_t j = 0; j < NODES; j++) order[j] = (5 * j + 3) % NODES; /* 5 and 14 are coprime */
    for (size_t j = 0; j < NODES; j++) names[j] = pair->tables[0]->names[order[j]];
    for (int c = 0; c < 2; c++) {
        size_t rows = pair->tables[c]->rows;
        CHECK_OK(table_alloc(&tables[c], rows, NODES, names));
        for (size_t j = 0; j < NODES; j++) {
            memcpy(table_column(tables[c], j), table_column(pair->tables[c], order[j]),
                   rows * sizeof(double));
        }
    }
    CHECK_OK(scone_pair_join(&mixed, tables[0], tables[1]));
    CHECK_OK(scone_graph_alloc(&mixed_truth, NODES, names));
    for (size_t i = 0; i < NODES; i++) {
        for (size_t j = i + 1; j < NODES; j++) {
            scone_graph_set(mixed_truth, i, j, scone_graph_mark(truth, order[i], order[j]));
        }
    }
    bool mixed_targets[NODES];
    for (size_t j = 0; j < NODES; j++) {
        mixed_targets[j] = scone_problem_targets(problem)[order[j]];
    }
    const token_truth known = {mixed_truth, mixed_targets};
    CHECK_OK(token_make(&got, mixed, &known, &options, NULL));
    token_same(got, expected);
    CHECK_OK(token_order(columns, mixed));
    for (size_t v = 0; v < NODES; v++) {
        char name[24]; /* X2 comes before X10 */
        (void)snprintf(name, sizeof name, "X%zu", v);
        assert_string_equal(names[columns[v]], name);
    }
    tokens_free(got);
    tokens_free(expected);
    scone_graph_free(mixed_truth);
    scone_pair_free(mixed);
    scone_problem_free(problem);
}

/* ---- tables with little in them, and large ones ---- */

/* Independent normal columns, except that column 1 follows column 0 if `related`. */
static scone_pair *plain_pair(size_t columns, size_t rows, bool related)
{
    scone_table *tables[2];
    scone_pair *pair;
    sample_stream random = {9};
    for (int c = 0; c < 2; c++) {
        CHECK_OK(table_alloc(&tables[c], rows, columns, NULL));
        sample_normals(&random, tables[c]->values, rows * columns);
        for (size_t r = 0; r < rows && related; r++) {
            table_column(tables[c], 1)[r] += 2.0 * table_column(tables[c], 0)[r];
        }
    }
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

static tokens *tokens_of_pair(const scone_pair *pair, const token_options *options)
{
    tokens *t;
    CHECK_OK(token_make(&t, pair, NULL, options, NULL));
    CHECK_OK(tokens_check(t));
    return t;
}

static void test_no_candidates(void **state)
{
    (void)state;
    scone_pair *pair = plain_pair(5, 4, false); /* too few rows for a residual */
    token_options options = token_defaults;
    options.contrast = false;
    tokens *t = tokens_of_pair(pair, &options);
    CHECK(t->size.pairs == 0 && t->size.cells == 0 && t->size.triples == 0 && t->size.paths == 0);
    CHECK(t->size.subsets == 16 && t->size.members == 16 * 5);
    tokens_free(t);
    scone_pair_free(pair);
}

static void test_one_pair(void **state)
{
    (void)state;
    scone_pair *pair = plain_pair(2, 200, true);
    tokens *t = tokens_of_pair(pair, NULL);
    CHECK(t->size.nodes == 2 && t->size.pairs == 1 && t->size.cells == t->size.subsets);
    CHECK(t->size.triples == 0 && t->size.paths == 0 && t->ends[0][0] == 0 && t->ends[0][1] == 1);
    CHECK(t->context[0] == 1);
    tokens_free(t);
    scone_pair_free(pair);
    pair = plain_pair(1, 50, false);
    t = tokens_of_pair(pair, NULL);
    CHECK(t->size.nodes == 1 && t->size.pairs == 0);
    tokens_free(t);
    scone_pair_free(pair);
    pair = plain_pair(3, 1, false); /* one row: nothing varies */
    t = tokens_of_pair(pair, NULL);
    CHECK(t->size.pairs == 0);
    tokens_free(t);
    scone_pair_free(pair);
}

static void test_constant_columns(void **state)
{
    (void)state;
    scone_pair *pair = plain_pair(6, 150, true);
    for (size_t r = 0; r < 150; r++) {
        table_column(pair->tables[0], 2)[r] = table_column(pair->tables[1], 2)[r] = 7.0;
        table_column(pair->tables[1], 4)[r] = -1.0; /* in one regime */
        table_column(pair->tables[0], 5)[r] = 1e6 * table_column(pair->tables[0], 0)[r] + 1e8;
    }
    for (int contrast = 0; contrast < 2; contrast++) {
        token_options options = token_quick(1);
        options.contrast = contrast;
        tokens *t = tokens_of_pair(pair, &options);
        CHECK(t->size.pairs > 0);
        for (size_t e = 0; e < t->size.pairs; e++) {
            CHECK(t->ends[e][0] != 2 && t->ends[e][1] != 2);
        }
        for (size_t j = 0; j < 6; j++) CHECK_SAME(fabs((double)t->precision[2 * 6 + j]), 0.0);
        tokens_free(t);
    }
    scone_pair_free(pair);
}

static void test_wide(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(200, 150, 2);
    token_options options = token_quick(1);
    options.replicates = 3;
    tokens *t = token_of(problem, &options, 2);
    CHECK(t->size.nodes == 200 && t->size.pairs >= 200 && t->size.pairs <= 1200);
    for (size_t e = 0; e < t->size.pairs; e++) {
        CHECK(t->column_offsets[e] < t->column_offsets[e + 1]);
    }
    tokens_free(t);
    scone_problem_free(problem);
}

static void test_widest(void **state)
{
    (void)state;
    scone_pair *pair = plain_pair(TOKEN_MOST_NODES, 12, true);
    token_options options = token_quick(1);
    options.replicates = 1;
    options.pair_visits = 0.0;
    options.contrast_per_node = 1.0;
    tokens *t = tokens_of_pair(pair, &options);
    CHECK(t->size.nodes == TOKEN_MOST_NODES && t->size.pairs >= TOKEN_MOST_NODES);
    tokens_free(t);
    scone_pair_free(pair);
    pair = plain_pair(TOKEN_MOST_NODES + 1, 12, true);
    CHECK_FAILS(token_make(&t, pair, NULL, &options, NULL), SCONE_ERR_INPUT,
                "1025 columns; the model tells at most 1024");
    CHECK(t == NULL);
    scone_pair_free(pair);
}

static void test_refused(void **state)
{
    (void)state;
    scone_pair *pair = plain_pair(4, 30, true);
    token_options options = token_defaults;
    scone_graph *truth;
    tokens *t;
    options.subset_size = 1;
    CHECK_FAILS(token_make(&t, pair, NULL, &options, NULL), SCONE_ERR_INPUT, "subsets of 1");
    options = token_defaults;
    options.degree = 0;
    CHECK_FAILS(token_make(&t, pair, NULL, &options, NULL), SCONE_ERR_INPUT, "degree 0");
    options = token_defaults;
    options.context_share = (double)NAN;
    CHECK_FAILS(token_make(&t, pair, NULL, &options, NULL), SCONE_ERR_INPUT, "context share");
    options = token_defaults;
    options.cap_per_node = SIZE_MAX;
    CHECK_FAILS(token_make(&t, pair, NULL, &options, NULL), SCONE_ERR_INPUT, "per node");
    options = token_defaults;
    options.learners = 0;
    CHECK_FAILS(token_make(&t, pair, NULL, &options, NULL), SCONE_ERR_INPUT, "no local learner");
    const bool targets[5] = {false};
    CHECK_OK(scone_graph_alloc(&truth, 5, NULL));
    token_truth known = {truth, targets};
    CHECK_FAILS(token_make(&t, pair, &known, NULL, NULL), SCONE_ERR_INPUT, "5 nodes for 4 columns");
    scone_graph_free(truth);
    CHECK_OK(scone_graph_alloc(&truth, 4, NULL));
    scone_graph_set(truth, 0, 1, SCONE_MARK_UNDIRECTED);
    known.graph = truth;
    CHECK_FAILS(token_make(&t, pair, &known, NULL, NULL), SCONE_ERR_INPUT, "undirected");
    scone_graph_free(truth);
    table_column(pair->tables[1], 2)[5] = (double)NAN;
    CHECK_FAILS(token_make(&t, pair, NULL, NULL, NULL), SCONE_ERR_INPUT, "'X2'");
    CHECK(t == NULL);
    scone_pair_free(pair);
}

/* Whatever changes the tokens shows in the text; seed and graph do not. */
static void test_options_text(void **state)
{
    (void)state;
    token_options changed[11];
    char texts[12][TOKEN_OPTIONS_TEXT];
    for (size_t k = 0; k < 11; k++) changed[k] = token_defaults;
    changed[0].subset_size = 7;
    changed[1].pair_visits = 4.5;
    changed[2].least_subsets = 17;
    changed[3].contrast_per_node = 2;
    changed[4].cap_per_node = 5;
    changed[5].replicates = 21;
    changed[6].degree = 2;
    changed[7].context_share = 0.25;
    changed[8].contrast = false;
    changed[9].learners = LEARNER_POLYBIC | LEARNER_GES;
    changed[10].seed = changed[10].graph = 5;
    token_options_text(texts[11], &token_defaults);
    CHECK(strstr(texts[11], "learners") == NULL); /* as files from before say it */
    for (size_t k = 0; k < 11; k++) {
        token_options_text(texts[k], &changed[k]);
        CHECK((strcmp(texts[k], texts[11]) == 0) == (k == 10));
        for (size_t other = 0; other < k; other++) {
            CHECK(strcmp(texts[k], texts[other]) != 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_column_order),
        cmocka_unit_test(test_no_candidates),
        cmocka_unit_test(test_one_pair),
        cmocka_unit_test(test_constant_columns),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_widest),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_options_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
