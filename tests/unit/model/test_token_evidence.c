/* test_token_evidence.c - tokens that hold the evidence of a search: what they say is what the
 * search found, in any order of columns; and a model that has learnt nothing says what the search
 * says. */
#include "testing.h"

#include "base/rng.h"
#include "graph/graph.h"
#include "learn/search/search.h"
#include "model_data.h"

#include <math.h>

static token_options evidence_options(uint64_t seed)
{
    token_options options = token_quick(seed);
    options.evidence = true;
    options.cap_per_node = 2;
    return options;
}

static void search(search_result *found, const scone_problem *problem, uint64_t seed)
{
    const search_options how = {.effort = 1, .edge_cost = -1.0, .seed = seed};
    CHECK_OK(search_run(found, scone_problem_pair(problem), &how, NULL));
}

static void test_candidates(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(9, 400, 3);
    token_options options = evidence_options(3);
    search_result found = {0};
    search(&found, problem, 3);
    tokens *t = token_of(problem, &options, 2);
    size_t edges = 0, n = 9;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) edges += graph_adjacent(found.graph, i, j);
    }
    CHECK(t->size.subsets == 1 && t->size.members == n && t->size.evidence == TOKEN_EVIDENCE);
    CHECK(t->size.pairs == 2 * n && t->size.cells == t->size.pairs && edges > 0 && edges < 2 * n);
    double before = 2.0;
    for (size_t e = 0; e < t->size.pairs; e++) { /* the edges, then the likeliest */
        size_t i = t->ends[e][0], j = t->ends[e][1];
        CHECK(graph_adjacent(found.graph, i, j) == (e < edges));
        double p = found.probabilities[i * n + j] + found.probabilities[j * n + i];
        CHECK(e == edges || p <= before);
        before = p;
    }
    tokens_free(t);
    options.cap_per_node = 0;
    t = token_of(problem, &options, 1);
    CHECK(t->size.pairs == n * (n - 1) / 2);
    tokens_free(t);
    search_result_free(&found);
    scone_problem_free(problem);
}

/* Some of the numbers, computed anew. */
static void test_numbers(void **state)
{
    (void)state;
    scone_problem *problem = token_problem(8, 500, 5);
    token_options options = evidence_options(5);
    search_result found = {0};
    size_t n = 8, turned = 0, impossible = 0;
    search(&found, problem, 5);
    tokens *t = token_of(problem, &options, 1);
    options.found = &found; /* the same if the search is given */
    tokens *given = token_of(problem, &options, 1);
    token_same(t, given);
    for (size_t k = 0; k < n * n; k++) {
        CHECK_NEAR((double)t->prior[k], found.probabilities[k], 1e-7);
    }
    for (size_t e = 0; e < t->size.pairs; e++) {
        for (size_t way = 0; way < 2; way++) {
            size_t a = t->ends[e][way], b = t->ends[e][1 - way], at = a * n + b;
            const float *x = t->evidence + e * TOKEN_EVIDENCE + way * TOKEN_SIDE;
            bool possible = isfinite(found.values[at]) != 0;
            double unit = log(1000.0);
            CHECK_NEAR((double)x[0], possible ? asinh(found.values[at] / unit) : 0.0, 1e-5);
            CHECK_SAME((double)x[1], possible ? 1.0 : 0.0);
            CHECK_NEAR((double)x[2], asinh(found.gains[at] / unit), 1e-5);
            CHECK_SAME((double)x[3], graph_directed(found.graph, a, b) ? 1.0 : 0.0);
            if (graph_directed(found.graph, a, b)) {
                CHECK_SAME((double)x[4], 1.0);
                CHECK_SAME(found.gains[at], found.values[at]);
                CHECK(t->codes[t->column_cells[e]][1] == (way ? TOKEN_BACKWARD : TOKEN_FORWARD));
            }
            double margin = found.fits[b].separate - found.fits[b].shared;
            CHECK_NEAR((double)x[8], asinh(margin / unit), 1e-5);
            turned += way;
            impossible += !possible;
        }
    }
    CHECK(turned > 0 && impossible > 0);
    tokens_free(t);
    tokens_free(given);
    search_result_free(&found);
    scone_problem_free(problem);
}

/* Read from the other end, a pair has its two sides of the evidence exchanged, and the prior of a
 * grid cell stays. */
static void test_reading(void **state)
{
    (void)state;
    const size_t nodes[] = {7}, count = MODEL_FEATURES + 2 * MODEL_SIDE;
    model_config config = model_small(true, false);
    config.evidence = true;
    model_case *x = model_make(config, nodes, 1, 4, 9);
    const tokens *t = x->t[0];
    for (int reversed = 0; reversed < 2; reversed++) {
        x->items[0].reversed = reversed == 1;
        CHECK_OK(batch_make(x->b, x->items, 1, &config));
        CHECK(x->b->feature_count == count);
        for (size_t c = 0; c < t->size.cells; c++) {
            size_t e = t->cell_pair[c], i = t->ends[e][0], j = t->ends[e][1];
            bool turned = (x->identity[0][i] > x->identity[0][j]) != (reversed == 1);
            const float *stored = t->evidence + e * TOKEN_EVIDENCE;
            for (size_t k = 0; k < 4 * MODEL_SIDE; k++) { /* both regimes */
                size_t side = k / MODEL_SIDE % 2, regime = k / (2 * MODEL_SIDE);
                size_t from =
                    (turned ? 1 - side : side) * TOKEN_SIDE + batch_evidence[k % MODEL_SIDE];
                const real *read = x->b->features + (2 * c + regime) * count + MODEL_FEATURES;
                CHECK_SAME((double)read[k % (2 * MODEL_SIDE)], (double)stored[from]);
                for (int s = 1; s <= TOKEN_PAIR_STATISTICS; s++) CHECK(read[-s] == 0);
            }
            const real *prior = x->b->prior[i * 7 + j], *back = x->b->prior[j * 7 + i];
            CHECK_NEAR(exp((double)prior[0]), fmax((double)t->prior[i * 7 + j], 1e-4), 1e-6);
            CHECK_SAME((double)prior[0], (double)back[1]);
            CHECK_SAME((double)prior[2], (double)back[2]);
        }
    }
    model_case_free(x);
}

/* With class layers of 0 the probabilities are those of the search, pairs that are no candidates
 * included, however the rest of the model looks; with others they are not. */
static void test_prior(void **state)
{
    (void)state;
    const size_t nodes[] = {7};
    double p[49], at_most = 0.0;
    model_config config = model_small(true, true);
    config.evidence = true;
    model_case *x = model_make(config, nodes, 1, 4, 9);
    model_run *run = model_runs(x, 1);
    for (int zero = 1; zero >= 0; zero--) {
        const place_linear *heads[] = {&x->layout->classes, &x->layout->global_classes};
        for (size_t k = 0; k < 2; k++) {
            for (size_t i = 0; i < 3 * config.width; i++) {
                x->values[heads[k]->weight + i] = zero ? 0 : (real)0.1 * (real)(i % 5);
            }
            for (size_t i = 0; i < 3; i++) x->values[heads[k]->bias + i] = 0;
        }
        memset(p, 0, sizeof p);
        CHECK_OK(model_forward(run, x->values, x->b));
        model_probabilities(p, run, x->b, 0, 1.0, 1.0);
        for (size_t k = 0; k < 49; k++) {
            double prior = (double)x->t[0]->prior[k];
            if (zero && k / 7 != k % 7) CHECK_NEAR(p[k], prior, 3e-4); /* at least 1e-4 */
            if (!zero) at_most = fmax(at_most, fabs(p[k] - prior));
        }
    }
    CHECK(at_most > 0.01);
    model_run_free(run);
    model_case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
