/* presets.h - the methods behind `scone discover --preset` and `scone bench --methods`: each turns
 * a pair of tables into probabilities of directed edges. A new one is a function and a row of the
 * table in presets.c.
 */
#ifndef SCONE_PRESETS_PRESETS_H
#define SCONE_PRESETS_PRESETS_H

#include "base/context.h"
#include "data/table.h"
#include "decode/knowledge.h"
#include "presets/learned.h"
#include "learn/ensemble.h"
#include "learn/search/search.h"

/* A search that was made, kept for presets that build on the same one. Its owner zeroes it before
 * and clears it after; preset_search_run fills and uses it. */
typedef struct preset_searched {
    search_result found;
    bool there;
    uint64_t hashes[2]; /* of the tables it was made of, and how: */
    scone_effort effort;
    size_t max_parents;
    uint64_t seed;
    double seconds; /* that it took */
    double saved;   /* added up: seconds of searches that were not made again */
} preset_searched;

void preset_searched_clear(preset_searched *searched);

/* What a preset gets: columns that vary, in the order of their names, at least two of them. */
typedef struct preset_request {
    const scone_pair *pair;
    const uint64_t *hashes;    /* [2]: of the tables */
    preset_searched *searched; /* one that may be used, and where to keep one */
    scone_effort effort;
    size_t bootstrap, max_parents; /* 0: none, no limit */
    const knowledge *knowledge;    /* about the columns of the pair, or NULL */
    const learned_model *model;    /* of a learned preset, else NULL */
    size_t conditions;             /* in the second table, one after the other; 0 or 1: one */
    const size_t *condition_rows;  /* of each, if there are several */
    unsigned learners;             /* that vote; 0: the preset has none */
    uint64_t seed;
} preset_request;

/* What it fills in; [columns] and [columns, columns]. */
typedef struct preset_answer {
    double *probabilities;     /* zeroed before; row i column j = P(i -> j) */
    double *margins;           /* of target_test; infinite before */
    double *values;            /* nats of i -> j against no edge; NaN before */
    ensemble_locals *locals;   /* what local learners elected; NULL: the preset has none */
    double *condition_margins; /* [columns, conditions]: margins of each; NULL: there are none */
} preset_answer;

/* The caller frees also after a failure. */
scone_status preset_answer_alloc(preset_answer *answer, size_t columns);
void preset_answer_free(preset_answer *answer);

typedef struct preset {
    const char *name;
    const char *voice; /* who says what it finds, in reasons: the search, the vote, the model */
    bool trivial;      /* only to compare with, not offered by discover */
    double threshold, margin; /* of decode.h */
    size_t bootstrap[3];      /* replicates by scone_effort; 0: it does not resample */
    bool limits_parents;      /* looks at max_parents */
    bool learned;             /* needs weights, which also give the threshold */
    size_t stages;            /* local learners vote; so many aggregates (reasons/stages.h) */
    const char *rules;        /* orientation rules unless others are asked for; NULL: all */
    scone_status (*run)(preset_answer *answer, const preset_request *request,
                        const scone_context *context);
} preset;

/* The preset of this name, NULL: the default; fails with SCONE_ERR_INPUT and the list of names. */
scone_status preset_find(const preset **out, const char *name);
/* The voice of the preset of this name, "search" if there is none. */
const char *preset_voice(const char *name);

#endif
