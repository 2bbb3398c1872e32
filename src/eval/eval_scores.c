/* eval_scores.c - scores of a predicted graph against the true one, and their summary over many.
 *
 * Of every unordered pair {i, j} of the union of the node sets only the two marks matter:
 *
 *     truth \ predicted   none      i -> j     i <- j     i - j
 *     none                          extra      extra      extra
 *     i -> j              missing   hit        reversed   undirected
 *     i - j               missing   undirected undirected
 *
 * SHD = missing + extra + reversed + undirected. Precision = hits / predicted edges and recall =
 * hits / true edges, where edges are counted whether directed or not and a hit is a directed edge
 * that the truth has in the same direction. docs/reference/scores.md has worked examples. O(N^2).
 */
#include "eval/eval.h"

#include <math.h>
#include <stddef.h>

/* The fields of scone_scores, in its order. */
static const struct {
    const char *name;
    size_t offset;
} score_fields[] = {
    {"shd", offsetof(scone_scores, shd)},
    {"missing", offsetof(scone_scores, missing)},
    {"extra", offsetof(scone_scores, extra)},
    {"reversed", offsetof(scone_scores, reversed)},
    {"undirected", offsetof(scone_scores, undirected)},
    {"true_edges", offsetof(scone_scores, true_edges)},
    {"predicted_edges", offsetof(scone_scores, predicted_edges)},
    {"hits", offsetof(scone_scores, hits)},
    {"precision", offsetof(scone_scores, precision)},
    {"recall", offsetof(scone_scores, recall)},
    {"f1", offsetof(scone_scores, f1)},
    {"skeleton_precision", offsetof(scone_scores, skeleton_precision)},
    {"skeleton_recall", offsetof(scone_scores, skeleton_recall)},
    {"skeleton_f1", offsetof(scone_scores, skeleton_f1)},
    {"auprc", offsetof(scone_scores, auprc)},
    {"target_precision", offsetof(scone_scores, target_precision)},
    {"target_recall", offsetof(scone_scores, target_recall)},
    {"target_f1", offsetof(scone_scores, target_f1)},
};

_Static_assert(sizeof score_fields / sizeof *score_fields == EVAL_SCORES &&
                   sizeof(scone_scores) == EVAL_SCORES * sizeof(double),
               "every field of scone_scores is in score_fields");

const char *scone_scores_name(size_t number)
{
    return number < EVAL_SCORES ? score_fields[number].name : NULL;
}

double scone_scores_get(const scone_scores *scores, size_t number)
{
    double value = (double)NAN;
    if (number < EVAL_SCORES) {
        memcpy(&value, (const char *)scores + score_fields[number].offset, sizeof value);
    }
    return value;
}

void eval_scores_set(scone_scores *scores, size_t number, double value)
{
    memcpy((char *)scores + score_fields[number].offset, &value, sizeof value);
}

void eval_scores_clear(scone_scores *scores)
{
    for (size_t f = 0; f < EVAL_SCORES; f++) eval_scores_set(scores, f, (double)NAN);
}

void eval_scores_ratio(double *precision, double *recall, double *f1, double hits, double predicted,
                       double actual)
{
    if (predicted == 0.0 && actual == 0.0) {
        *precision = *recall = *f1 = 1.0;
        return;
    }
    *precision = predicted > 0.0 ? hits / predicted : 0.0;
    *recall = actual > 0.0 ? hits / actual : 0.0;
    *f1 = 2.0 * hits / (predicted + actual);
}

static scone_mark mark_or_none(const graph *g, size_t i, size_t j)
{
    return i == SIZE_MAX || j == SIZE_MAX ? SCONE_MARK_NONE : scone_graph_mark(g, i, j);
}

/* Counts one pair; returns whether both graphs have an edge there. */
static bool count_pair(scone_scores *scores, scone_mark predicted, scone_mark truth)
{
    if (predicted != SCONE_MARK_NONE) scores->predicted_edges += 1.0;
    if (truth != SCONE_MARK_NONE) scores->true_edges += 1.0;
    bool both = predicted != SCONE_MARK_NONE && truth != SCONE_MARK_NONE;
    if (predicted == truth) {
        if (both && truth != SCONE_MARK_UNDIRECTED) scores->hits += 1.0;
    } else if (predicted == SCONE_MARK_NONE) {
        scores->missing += 1.0;
    } else if (truth == SCONE_MARK_NONE) {
        scores->extra += 1.0;
    } else if (predicted == SCONE_MARK_UNDIRECTED || truth == SCONE_MARK_UNDIRECTED) {
        scores->undirected += 1.0;
    } else {
        scores->reversed += 1.0;
    }
    return both;
}

void eval_scores_of_marks(scone_scores *scores, const graph *predicted, const graph *truth,
                          const node_match *match)
{
    double adjacent_in_both = 0.0;
    scores->missing = scores->extra = scores->reversed = scores->undirected = 0.0;
    scores->true_edges = scores->predicted_edges = scores->hits = 0.0;
    for (size_t i = 0; i < match->count; i++) {
        for (size_t j = i + 1; j < match->count; j++) {
            scone_mark p = mark_or_none(predicted, match->first[i], match->first[j]);
            scone_mark t = mark_or_none(truth, match->second[i], match->second[j]);
            if (count_pair(scores, p, t)) adjacent_in_both += 1.0;
        }
    }
    scores->shd = scores->missing + scores->extra + scores->reversed + scores->undirected;
    eval_scores_ratio(&scores->precision, &scores->recall, &scores->f1, scores->hits,
                      scores->predicted_edges, scores->true_edges);
    eval_scores_ratio(&scores->skeleton_precision, &scores->skeleton_recall, &scores->skeleton_f1,
                      adjacent_in_both, scores->predicted_edges, scores->true_edges);
}

scone_status scone_eval_graphs(scone_scores *scores, const scone_graph *predicted,
                               const scone_graph *truth)
{
    eval_scores_clear(scores);
    node_match match;
    variables first = {"the predicted graph", (const char *const *)predicted->names,
                       predicted->nodes};
    variables second = {"the true graph", (const char *const *)truth->names, truth->nodes};
    scone_status status = eval_match_nodes(&match, &first, &second);
    if (status != SCONE_OK) return status;
    eval_scores_of_marks(scores, predicted, truth, &match);
    eval_match_free(&match);
    return SCONE_OK;
}

void eval_scores_summary(scone_scores *mean, scone_scores *sd, const scone_eval_case *cases,
                         size_t count)
{
    for (size_t f = 0; f < EVAL_SCORES; f++) {
        double sum = 0.0, squares = 0.0, n = 0.0;
        for (size_t c = 0; c < count; c++) {
            double value = scone_scores_get(&cases[c].scores, f);
            if (isnan(value)) continue;
            sum += value;
            n += 1.0;
        }
        double center = n > 0.0 ? sum / n : (double)NAN;
        for (size_t c = 0; c < count; c++) {
            double value = scone_scores_get(&cases[c].scores, f);
            if (!isnan(value)) squares += (value - center) * (value - center);
        }
        eval_scores_set(mean, f, center);
        eval_scores_set(sd, f, n > 1.0 ? sqrt(squares / (n - 1.0)) : (double)NAN);
    }
}
