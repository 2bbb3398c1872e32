/* presets.h - the methods behind `scone discover --preset` and `scone bench --methods`: each turns
 * a pair of tables into probabilities of directed edges. A new one is a function and a row of the
 * table in presets.c.
 */
#ifndef SCONE_DISCOVER_PRESETS_H
#define SCONE_DISCOVER_PRESETS_H

#include "base/context.h"
#include "data/table.h"
#include "decode/knowledge.h"
#include "discover/learned.h"
#include "discover/targets.h"
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
    uint64_t seed;
} preset_request;

/* What it fills in. */
typedef struct preset_answer {
    double *probabilities; /* [columns, columns] zeroed before; row i column j = P(i -> j) */
    /* Zeroed before, [columns]. A preset whose score tests mechanisms itself fills score and
     * p_value and sets has_targets; else targets.h does it. */
    target_test *targets;
    bool has_targets;
    double *margins; /* [columns]: of target_test; infinite before */
    double *values;  /* [columns, columns]: nats of i -> j against no edge; NaN before */
} preset_answer;

typedef struct preset {
    const char *name;
    const char *voice; /* who says what it finds, in reasons: the search, the vote, the model */
    bool trivial;      /* only to compare with, not offered by discover */
    double threshold, margin; /* of decode.h */
    size_t bootstrap[3];      /* replicates by scone_effort; 0: it does not resample */
    bool limits_parents;      /* looks at max_parents */
    bool learned;             /* needs weights, which also give the threshold */
    const char *rules;        /* orientation rules unless others are asked for; NULL: all */
    scone_status (*run)(preset_answer *answer, const preset_request *request,
                        const scone_context *context);
} preset;

/* The preset of this name, NULL: the default; fails with SCONE_ERR_INPUT and the list of names. */
scone_status preset_find(const preset **out, const char *name);
/* The voice of the preset of this name, "search" if there is none. */
const char *preset_voice(const char *name);

#endif
