/* validate.c - scores on validation graphs (see validate.h). */
#include "train/validate.h"

#include "decode/decode.h"
#include "model/model.h"

#include <math.h>

enum { VALIDATE_BINS = 10, VALIDATE_STEPS = 19, VALIDATE_HALF = 9 };
static const double least_probability = 1e-12;

/* ---- from probabilities to a graph ---- */

scone_status validate_truth(graph **out, const tokens *t)
{
    scone_status status = SCONE_OK;
    size_t n = t->size.nodes;
    TRY(graph_alloc(out, n));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (t->truth[i * n + j] == TOKEN_FORWARD) graph_direct(*out, i, j);
        }
    }
cleanup:
    return status;
}

scone_status validate_marks(scone_scores *out, const double *p, const graph *truth,
                            double threshold)
{
    scone_status status = SCONE_OK;
    decoding found = {0};
    const decode_options how = {.threshold = threshold, .margin = 0.0};
    TRY(decode(&found, p, truth->nodes, NULL, &how));
    TRY(scone_eval_graphs(out, found.graph, truth));
cleanup:
    decoding_free(&found);
    return status;
}

/* ---- candidate pairs: loss, temperature, calibration ---- */

/* A candidate pair of any graph. */
typedef struct judged {
    double forward, backward;
    uint8_t label; /* of (i, j): TOKEN_... */
} judged;

static double mean_loss(const judged *pairs, size_t count, double temperature)
{
    double sum = 0.0, p[3];
    for (size_t k = 0; k < count; k++) {
        model_heat(p, pairs[k].forward, pairs[k].backward, temperature);
        double hit = p[pairs[k].label == TOKEN_FORWARD    ? 0
                       : pairs[k].label == TOKEN_BACKWARD ? 1
                                                          : 2];
        sum -= log(fmax(hit, least_probability));
    }
    return count > 0 ? sum / (double)count : 0.0;
}

/* Golden section on the logarithm, between 1/8 and 8: the loss is convex in 1 / t. */
static double fit_temperature(const judged *pairs, size_t count)
{
    const double golden = 0.6180339887498949;
    double low = -log(8.0), high = log(8.0);
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double loss_a = mean_loss(pairs, count, exp(a)), loss_b = mean_loss(pairs, count, exp(b));
    while (high - low > 1e-4) {
        if (loss_a <= loss_b) {
            high = b;
            b = a;
            loss_b = loss_a;
            a = high - golden * (high - low);
            loss_a = mean_loss(pairs, count, exp(a));
        } else {
            low = a;
            a = b;
            loss_a = loss_b;
            b = low + golden * (high - low);
            loss_b = mean_loss(pairs, count, exp(b));
        }
    }
    return exp(0.5 * (low + high));
}

/* Both directions of every pair in bins of P; sum of |mean P - share that are there|, weighted. */
static double calibration_error(const judged *pairs, size_t count, double temperature)
{
    double total[VALIDATE_BINS] = {0}, sum[VALIDATE_BINS] = {0}, there[VALIDATE_BINS] = {0}, p[3];
    for (size_t k = 0; k < count; k++) {
        model_heat(p, pairs[k].forward, pairs[k].backward, temperature);
        for (int way = 0; way < 2; way++) {
            size_t bin = (size_t)(p[way] * VALIDATE_BINS);
            if (bin >= VALIDATE_BINS) bin = VALIDATE_BINS - 1;
            total[bin] += 1.0;
            sum[bin] += p[way];
            there[bin] += pairs[k].label == (way == 0 ? TOKEN_FORWARD : TOKEN_BACKWARD);
        }
    }
    double error = 0.0;
    for (int bin = 0; bin < VALIDATE_BINS; bin++) error += fabs(sum[bin] - there[bin]);
    return count > 0 ? error / (2.0 * (double)count) : 0.0;
}

static scone_status judge_pairs(validation_scores *out, tokens *const *graphs, size_t count,
                                const double *probabilities, size_t stride)
{
    scone_status status = SCONE_OK;
    judged *pairs = NULL;
    size_t total = 0, used = 0;
    for (size_t g = 0; g < count; g++) total += graphs[g]->size.pairs;
    TRY_ALLOC(pairs, total);
    for (size_t g = 0; g < count; g++) {
        const tokens *t = graphs[g];
        const double *p = probabilities + g * stride;
        for (size_t e = 0; e < t->size.pairs; e++) {
            size_t i = t->ends[e][0], j = t->ends[e][1], n = t->size.nodes;
            pairs[used++] = (judged){p[i * n + j], p[j * n + i], t->labels[e]};
        }
    }
    out->temperature = fit_temperature(pairs, total);
    out->loss = mean_loss(pairs, total, out->temperature);
    out->calibration = calibration_error(pairs, total, out->temperature);
cleanup:
    mem_free(pairs);
    return status;
}

/* ---- graphs at every threshold ---- */

typedef struct level {
    double error, shd, f1; /* sums over graphs */
} level;

static scone_status judge_graph(level *levels, const tokens *t, const double *p, double *heated,
                                double temperature)
{
    scone_status status = SCONE_OK;
    size_t n = t->size.nodes;
    graph *truth = NULL;
    TRY(validate_truth(&truth, t));
    for (size_t i = 0; i < n; i++) {
        heated[i * n + i] = 0.0;
        for (size_t j = i + 1; j < n; j++) {
            double q[3];
            model_heat(q, p[i * n + j], p[j * n + i], temperature);
            heated[i * n + j] = q[0];
            heated[j * n + i] = q[1];
        }
    }
    for (int k = 0; k < VALIDATE_STEPS; k++) {
        scone_scores m;
        TRY(validate_marks(&m, heated, truth, (k + 1) / 20.0));
        levels[k].error += m.shd / fmax(m.true_edges, 1.0);
        levels[k].shd += m.shd;
        levels[k].f1 += m.f1;
    }
cleanup:
    scone_graph_free(truth);
    return status;
}

scone_status validate(validation_scores *out, tokens *const *graphs, size_t count,
                      const double *probabilities, size_t stride, double threshold)
{
    scone_status status = SCONE_OK;
    level levels[VALIDATE_STEPS] = {{0}};
    double *heated = NULL;
    *out = (validation_scores){0};
    TRY_ALLOC(heated, stride);
    TRY(judge_pairs(out, graphs, count, probabilities, stride));
    for (size_t g = 0; g < count; g++) {
        TRY(judge_graph(levels, graphs[g], probabilities + g * stride, heated, out->temperature));
    }
    int best = VALIDATE_HALF;
    for (int k = 0; k < VALIDATE_STEPS; k++) {
        if (levels[k].error < levels[best].error) best = k;
    }
    if (threshold > 0.0) best = (int)lround(threshold * 20.0) - 1;
    double share = count > 0 ? 1.0 / (double)count : 0.0;
    out->threshold = (best + 1) / 20.0;
    out->error = levels[best].error * share;
    out->shd = levels[best].shd * share;
    out->f1 = levels[best].f1 * share;
    out->shd_half = levels[VALIDATE_HALF].shd * share;
    out->f1_half = levels[VALIDATE_HALF].f1 * share;
cleanup:
    mem_free(heated);
    return status;
}
