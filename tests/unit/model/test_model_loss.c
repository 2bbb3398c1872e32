/* test_model_loss.c - the training objective: every term by its formula, and what it samples. */
#include "testing.h"
#include "model_data.h"

#include "model/model_parts.h"

static const double WEIGHTS[3] = {1.4, 1.4, 0.7};

static void softmax(double p[3], const real *z, double temperature)
{
    double total = 0.0;
    for (int k = 0; k < 3; k++) total += p[k] = exp((double)z[k] / temperature);
    for (int k = 0; k < 3; k++) p[k] /= total;
}

/* Every term by its formula; the sampled ones lie within what sampling allows. */
static void test_loss(void **state)
{
    (void)state;
    const size_t nodes[] = {12, 9};
    model_config config = model_small(true, true);
    config.temperature = 0.9;
    config.loss_gate = 0.2;
    config.loss_target = 0.4;
    model_case *x = model_make(config, nodes, 2, 6, 90);
    model_run *run = model_runs(x, 1);
    const batch *b = x->b;
    loss_terms terms, again, other;
    CHECK_OK(model_forward(run, x->values, b));
    model_loss(&terms, run, b, WEIGHTS, 3, 9);
    model_loss(&again, run, b, WEIGHTS, 3, 9);
    model_loss(&other, run, b, WEIGHTS, 3, 10);
    assert_memory_equal(&terms, &again, sizeof terms);
    CHECK_SAME(other.cross_entropy, terms.cross_entropy);
    CHECK(other.rank != terms.rank && other.global != terms.global);
    double entropy = 0.0, weight = 0.0, shd = 0.0, gate = 0.0, target = 0.0;
    size_t right = 0;
    for (size_t e = 0; e < b->pairs; e++) {
        double p[3];
        size_t label = b->labels[e], best = 0;
        softmax(p, model_logits(run) + 3 * e, config.temperature);
        for (size_t k = 1; k < 3; k++) best = p[k] > p[best] ? k : best;
        right += best == label;
        entropy -= WEIGHTS[label] * log(p[label]);
        weight += WEIGHTS[label];
        for (size_t k = 0; k < 2; k++) shd += pow(p[k] - (k == label ? 1.0 : 0.0), 2.0);
    }
    for (size_t block = 0; block < 2; block++) {
        for (size_t head = 0; head < 3; head++) {
            double mean = 0.0;
            for (size_t c = 0; c < b->cells; c++) {
                mean += (double)model_gates(run, block)[3 * c + head] / (double)b->cells;
            }
            gate += 0.2 * pow(1.0 - mean, 2.0) / 6.0;
        }
        for (size_t m = 0; m < b->members; m++) {
            double gamma = (double)model_gamma(run, block)[m];
            double hit = b->node_changed[b->member_node[m]] ? gamma : 1.0 - gamma;
            target -= 0.4 * log(hit) / (2.0 * (double)b->members);
        }
    }
    CHECK(terms.labelled == b->pairs && terms.right == right);
    CHECK_NEAR(terms.cross_entropy, entropy / weight, 1e-9);
    CHECK_NEAR(terms.shd, 0.5 * shd / (double)b->pairs, 1e-9);
    CHECK_NEAR(terms.gate, gate, 1e-9);
    CHECK_NEAR(terms.target, target, 1e-9);
    CHECK(terms.rank > 0.0 && terms.rank < 0.2 * 1.3 && terms.global > 0.0);
    CHECK_NEAR(terms.total,
               terms.cross_entropy + terms.shd + terms.rank + terms.global + terms.gate +
                   terms.target,
               1e-12);
    model_run_free(run);
    model_case_free(x);
}

static double probability(const model_run *run, size_t place)
{
    double p[3];
    softmax(p, model_logits(run) + place / 3 * 3, run->layout->config.temperature);
    return p[place % 3];
}

/* The sampled pairs are of one graph, an arrow that is there and one that is not, all of the latter
 * in turn; of the grid all edges, each once, and a share of the others. */
static void test_sampled(void **state)
{
    (void)state;
    const size_t nodes[] = {20, 11};
    model_case *x = model_make(model_small(true, false), nodes, 2, 6, 97);
    model_run *run = model_runs(x, 1);
    const batch *b = x->b;
    size_t arrows = 0, others = 0, steps = 60;
    double expected = 0.0;
    bool *seen = mem_zero(3 * b->pairs, sizeof *seen);
    assert_non_null(seen);
    for (size_t e = 0; e < b->pairs; e++) arrows += b->labels[e] < LOSS_NONE;
    for (size_t g = 0; g < 2; g++) { /* three for each edge, at least one a node, at most all */
        double n = (double)nodes[g], edges = 0.0;
        for (size_t at = b->graph_grid[g]; at < b->graph_grid[g + 1]; at++) {
            edges += b->grid_labels[at] == LOSS_FORWARD;
        }
        expected += fmin(n * (n - 1.0) / 2.0 - edges, fmax(3.0 * edges, n));
    }
    CHECK_OK(model_forward(run, x->values, b));
    for (uint64_t step = 0; step < steps; step++) {
        loss_terms terms;
        double rank = 0.0, global = 0.0;
        size_t taken = 0;
        model_loss(&terms, run, b, WEIGHTS, 8, step);
        for (size_t k = 0; k < RANK_NEGATIVES * arrows; k++) {
            size_t yes = run->ranked[k].positive, no = run->ranked[k].negative;
            CHECK(b->labels[yes / 3] == yes % 3 && no % 3 < 2 && b->labels[no / 3] != no % 3);
            CHECK((yes / 3 < b->graph_pair[1]) == (no / 3 < b->graph_pair[1]));
            seen[no] = true;
            rank += fmax(0.0, 0.3 - probability(run, yes) + probability(run, no));
        }
        for (size_t g = 0; g < 2; g++) {
            size_t n = nodes[g];
            for (size_t k = 0; k < n * n; k++) {
                size_t at = b->graph_grid[g] + k;
                uint8_t label = run->sampled[at];
                bool edge = b->grid_labels[at] < LOSS_NONE;
                CHECK(label == b->grid_labels[at] || (label == LOSS_NO_LABEL && !edge) ||
                      k / n > k % n);
                if (label == LOSS_NO_LABEL) continue;
                CHECK(k / n < k % n);
                double p[3];
                softmax(p, model_global_logits(run) + 3 * at, 1.0);
                global -= log(p[label]);
                taken++;
                others += !edge;
            }
        }
        CHECK_NEAR(terms.rank, 0.2 * rank / (double)(RANK_NEGATIVES * arrows), 1e-9);
        CHECK_NEAR(terms.global, 0.5 * global / (double)taken, 1e-9);
    }
    for (size_t e = 0; e < b->pairs; e++) {
        for (size_t k = 0; k < 2; k++) CHECK(seen[3 * e + k] || b->labels[e] == k);
    }
    CHECK_NEAR((double)others / (double)steps, expected, 4.0);
    mem_free(seen);
    model_run_free(run);
    model_case_free(x);
}

/* Without a known truth there is nothing to learn but the gates; without an edge no ranking. */
static void test_loss_without_labels(void **state)
{
    (void)state;
    const size_t nodes[] = {8};
    model_case *x = model_make(model_small(true, false), nodes, 1, 5, 95);
    model_run *run = model_runs(x, 1);
    loss_terms terms;
    x->t[0]->labelled = false;
    CHECK_OK(batch_make(x->b, x->items, 1, &x->config));
    CHECK_OK(model_forward(run, x->values, x->b));
    model_loss(&terms, run, x->b, WEIGHTS, 3, 9);
    CHECK_SAME(terms.total, 0.0);
    CHECK(terms.labelled == 0 && terms.right == 0);
    x->t[0]->labelled = true;
    memset(x->t[0]->labels, TOKEN_NONE, x->t[0]->size.pairs);
    memset(x->t[0]->truth, TOKEN_NONE, 64);
    CHECK_OK(batch_make(x->b, x->items, 1, &x->config));
    CHECK_OK(model_forward(run, x->values, x->b));
    model_loss(&terms, run, x->b, WEIGHTS, 3, 9);
    CHECK(terms.rank == 0.0 && terms.cross_entropy > 0.0 && terms.global > 0.0);
    CHECK(model_gates(run, 0) == NULL);
    model_run_free(run);
    model_case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_loss_without_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
