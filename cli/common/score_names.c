/* score_names.c - the scores of an evaluation by name (see score_names.h). */
#include "score_names.h"

#include <stddef.h>

typedef struct score_name {
    const char *name;
    size_t offset;
} score_name;

static const score_name score_names[] = {
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

enum { SCORE_NAMES = sizeof score_names / sizeof *score_names };

static double score_value(const scone_scores *scores, const score_name *score)
{
    return *(const double *)(const void *)((const char *)scores + score->offset);
}

void json_scores(json *j, cJSON *object, const scone_scores *scores)
{
    for (size_t s = 0; s < SCORE_NAMES; s++) {
        json_number(j, object, score_names[s].name, score_value(scores, &score_names[s]));
    }
}
