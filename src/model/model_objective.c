/* model_objective.c - the terms of the training objective on one batch (paper, "Optimization
 * Objective"; docs/methods/model.md). Each is a mean, so that a batch of many graphs weighs as one
 * of few. Beyond the paper, gamma of every block is told which mechanisms changed.
 */
#include "model/model_parts.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { GLOBAL_OTHERS = 3 }; /* pairs without an edge in the global term, for each with one */

/* For every arrow that is there some that are not, among the candidate pairs of its graph: at least
 * half of all arrows are not there, so drawing again ends soon. Returns the number of pairs. */
static size_t sample_ranked(loss_pair *ranked, const batch *b, uint64_t seed, uint64_t step)
{
    size_t count = 0;
    for (size_t g = 0; g < b->graphs; g++) {
        size_t first = b->graph_pair[g], pairs = b->graph_pair[g + 1] - first;
        rng random = rng_stream(seed, RNG_LOSS, step, g, 0);
        for (size_t e = first; e < first + pairs; e++) {
            if (b->labels[e] >= LOSS_NONE) continue; /* no arrow, or unknown */
            for (int k = 0; k < RANK_NEGATIVES; k++) {
                size_t other, class;
                do {
                    uint64_t arrow = rng_below(&random, 2 * pairs);
                    other = first + (size_t)(arrow / 2);
                    class = arrow % 2;
                } while (b->labels[other] == class);
                ranked[count++] = (loss_pair){(uint32_t)(e * LOSS_CLASSES + b->labels[e]),
                                              (uint32_t)(other * LOSS_CLASSES + class)};
            }
        }
    }
    return count;
}

double model_global_share(size_t nodes, double edges)
{
    double others = 0.5 * (double)nodes * ((double)nodes - 1.0) - edges;
    double wanted = fmax(GLOBAL_OTHERS * edges, (double)nodes);
    return others > wanted ? wanted / others : 1.0;
}

/* Labels of the global term: of each pair once (i < j), all edges and a share of the others.
 * Returns how many there are. */
static size_t sample_global(uint8_t *sampled, const batch *b, uint64_t seed, uint64_t step)
{
    size_t count = 0;
    memset(sampled, LOSS_NO_LABEL, b->grid);
    for (size_t g = 0; g < b->graphs; g++) {
        const uint8_t *labels = b->grid_labels + b->graph_grid[g];
        uint8_t *out = sampled + b->graph_grid[g];
        size_t nodes = b->graph_node[g + 1] - b->graph_node[g], edges = 0;
        for (size_t i = 0; i < nodes; i++) {
            for (size_t j = i + 1; j < nodes; j++) {
                edges += labels[i * nodes + j] < LOSS_NONE;
            }
        }
        double share = model_global_share(nodes, (double)edges);
        rng random = rng_stream(seed, RNG_LOSS, step, g, 1);
        for (size_t i = 0; i < nodes; i++) {
            for (size_t j = i + 1; j < nodes; j++) {
                uint8_t label = labels[i * nodes + j];
                if (label == LOSS_NO_LABEL) continue;
                if (label == LOSS_NONE && rng_uniform(&random) >= share) continue;
                out[i * nodes + j] = label;
                count++;
            }
        }
    }
    return count;
}

static void count_right(loss_terms *terms, const real *logits, const batch *b)
{
    for (size_t e = 0; e < b->pairs; e++) {
        if (b->labels[e] >= LOSS_CLASSES) continue;
        const real *z = logits + e * LOSS_CLASSES;
        uint8_t best = 0;
        for (uint8_t k = 1; k < LOSS_CLASSES; k++) best = z[k] > z[best] ? k : best;
        terms->labelled++;
        terms->right += best == b->labels[e];
    }
}

static double gate_term(model_run *run, const batch *b)
{
    const model_config *config = &run->layout->config;
    double sum = 0.0;
    run->gate_loss = config->bias_heads && config->loss_gate > 0.0;
    for (size_t k = 0; run->gate_loss && k < config->blocks; k++) {
        run_block *block = &run->blocks[k];
        memset(block->dgates, 0, b->cells * MODEL_HEADS * sizeof *block->dgates);
        sum += loss_gates(block->dgates, heads_gates(block->heads), b->cells, MODEL_HEADS,
                          config->loss_gate / (double)config->blocks);
    }
    return sum;
}

static double share_of(double weight, double count)
{
    return count > 0.0 ? weight / count : 0.0;
}

/* Every member of a subset should tell whether its node's mechanism changed. */
static double target_term(model_run *run, const batch *b)
{
    const model_config *config = &run->layout->config;
    double sum = 0.0;
    size_t labelled = 0;
    for (size_t m = 0; m < b->members; m++) {
        labelled += b->node_changed[b->member_node[m]] != LOSS_NO_LABEL;
    }
    run->target_loss = config->bias_heads && config->loss_target > 0.0;
    for (size_t k = 0; run->target_loss && k < config->blocks; k++) {
        run_block *block = &run->blocks[k];
        memset(block->dgamma, 0, b->members * sizeof *block->dgamma);
        sum += loss_targets(
            block->dgamma, heads_gamma(block->heads), b->node_changed, b->member_node, b->members,
            share_of(config->loss_target / (double)config->blocks, (double)labelled));
    }
    return sum;
}

void model_loss(loss_terms *terms, model_run *run, const batch *b, const double class_weights[3],
                uint64_t seed, uint64_t step)
{
    static const double equal[LOSS_CLASSES] = {1.0, 1.0, 1.0};
    const model_config *config = &run->layout->config;
    double t = config->temperature;
    *terms = (loss_terms){0};
    memset(run->dlogits, 0, b->pairs * LOSS_CLASSES * sizeof *run->dlogits);
    memset(run->dglobal_logits, 0, b->grid * LOSS_CLASSES * sizeof *run->dglobal_logits);
    count_right(terms, run->logits, b);
    double weight = loss_weight(b->labels, class_weights, b->pairs);
    terms->cross_entropy = loss_cross_entropy(run->dlogits, run->logits, b->labels, class_weights,
                                              t, b->pairs, share_of(1.0, weight));
    terms->shd = loss_shd(run->dlogits, run->logits, b->labels, t, b->pairs,
                          share_of(config->loss_shd, (double)terms->labelled));
    size_t ranked = sample_ranked(run->ranked, b, seed, step);
    terms->rank = loss_rank(run->dlogits, run->logits, run->ranked, ranked, config->rank_margin, t,
                            share_of(config->loss_rank, (double)ranked));
    size_t sampled = sample_global(run->sampled, b, seed, step);
    terms->global = loss_cross_entropy(run->dglobal_logits, run->global_logits, run->sampled, equal,
                                       t, b->grid, share_of(config->loss_global, (double)sampled));
    terms->gate = gate_term(run, b);
    terms->target = target_term(run, b);
    terms->total = terms->cross_entropy + terms->shd + terms->rank + terms->global + terms->gate +
                   terms->target;
}
