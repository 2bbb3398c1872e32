/* literals.c - the tested literals of a run (see literals.h). */
#include "reasons/literals.h"

#include "parallel/team.h"
#include "stats/adjust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const literal_levels literals_usual = {
    .changed = 0.01, .invariant = 0.05, .margin = INVARIANCE_MARGIN};

struct literal_store {
    literal_source source;
    literal_levels levels;
    const scone_context *context;
    tested_literal *tests; /* in the order in which they were asked for */
    size_t count, answered, room;
    uint32_t *places;  /* [capacity] index + 1 of a test, 0: free; at most half full */
    size_t capacity;   /* a power of two */
    double *corrected; /* [room] p-values after Holm's correction */
};

scone_status literals_alloc(literal_store **out, const literal_source *source,
                            const literal_levels *levels, const scone_context *context)
{
    scone_status status = SCONE_OK;
    literal_store *e = NULL;
    *out = NULL;
    TRY_ZERO(e, 1);
    e->source = *source;
    e->levels = *levels;
    e->context = context;
    e->capacity = 1024;
    TRY_ZERO(e->places, e->capacity);
    *out = e;
    return SCONE_OK;
cleanup:
    literals_free(e);
    return status;
}

void literals_free(literal_store *e)
{
    if (!e) return;
    mem_free(e->tests);
    mem_free(e->places);
    mem_free(e->corrected);
    mem_free(e);
}

/* ---- the table ---- */

/* v, count and given come first in a test, without gaps. */
static uint32_t *place_of(const literal_store *e, const tested_literal *key)
{
    const size_t size = (2 + INVARIANCE_MOST_GIVEN) * sizeof(uint32_t);
    size_t mask = e->capacity - 1, place = XXH3_64bits(key, size) & mask;
    while (e->places[place] && memcmp(&e->tests[e->places[place] - 1], key, size) != 0) {
        place = (place + 1) & mask;
    }
    return &e->places[place];
}

static tested_literal make_key(size_t v, const uint32_t *given, size_t count)
{
    tested_literal key = {.v = (uint32_t)v, .count = (uint32_t)count};
    for (size_t g = 0; g < count; g++) { /* insertion: at most eight of them */
        size_t at = g;
        for (; at > 0 && key.given[at - 1] > given[g]; at--) key.given[at] = key.given[at - 1];
        key.given[at] = given[g];
    }
    return key;
}

static scone_status grow(literal_store *e)
{
    scone_status status = SCONE_OK;
    uint32_t *old = e->places;
    if (e->count == e->room) {
        size_t room = 2 * e->room + 256;
        tested_literal *tests = mem_resize(e->tests, room, sizeof *tests);
        if (!tests) return SCONE_ERR_MEMORY;
        e->tests = tests;
        double *corrected = mem_resize(e->corrected, room, sizeof *corrected);
        if (!corrected) return SCONE_ERR_MEMORY;
        e->corrected = corrected;
        e->room = room;
    }
    if (2 * (e->count + 1) <= e->capacity) return SCONE_OK;
    TRY_ZERO(e->places, 2 * e->capacity);
    e->capacity *= 2;
    for (size_t t = 0; t < e->count; t++) *place_of(e, &e->tests[t]) = (uint32_t)(t + 1);
    mem_free(old);
    return SCONE_OK;
cleanup:
    e->places = old;
    return status;
}

scone_status literals_ask(literal_store *e, size_t v, const uint32_t *given, size_t count)
{
    if (count > INVARIANCE_MOST_GIVEN) return SCONE_OK;
    tested_literal key = make_key(v, given, count);
    if (*place_of(e, &key)) return SCONE_OK;
    scone_status status = grow(e);
    if (status != SCONE_OK) return status;
    e->tests[e->count] = key;
    *place_of(e, &key) = (uint32_t)(++e->count);
    return SCONE_OK;
}

const tested_literal *literals_find(const literal_store *e, size_t v, const uint32_t *given,
                                    size_t count)
{
    if (count > INVARIANCE_MOST_GIVEN) return NULL;
    tested_literal key = make_key(v, given, count);
    uint32_t place = *place_of(e, &key);
    return place && place <= e->answered ? &e->tests[place - 1] : NULL;
}

size_t literals_count(const literal_store *e)
{
    return e->answered;
}

const tested_literal *literals_get(const literal_store *e, size_t index)
{
    return &e->tests[index];
}

size_t literals_index(const literal_store *e, const tested_literal *test)
{
    return (size_t)(test - e->tests);
}

double literals_corrected(const literal_store *e, size_t index)
{
    return e->corrected[index];
}

/* ---- answers ---- */

/* Tests with the same Z share work, so that they go to one thread, a few at a time. */
enum { GROUP = 8 };

typedef struct test_group {
    size_t first, count; /* of the sorted tests */
} test_group;

typedef struct answer_job {
    const literal_store *e;
    const tested_literal **sorted;
    test_group *groups;
    invariance_result (*results)[GROUP]; /* [groups] */
} answer_job;

static int compare_given(const void *left, const void *right)
{
    const tested_literal *a = *(const tested_literal *const *)left;
    const tested_literal *b = *(const tested_literal *const *)right;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (size_t g = 0; g < a->count; g++) {
        if (a->given[g] != b->given[g]) return a->given[g] < b->given[g] ? -1 : 1;
    }
    return (a->v > b->v) - (a->v < b->v);
}

static bool same_given(const tested_literal *a, const tested_literal *b)
{
    return a->count == b->count && memcmp(a->given, b->given, sizeof a->given) == 0;
}

static scone_status answer_group(void *argument, size_t item, int worker)
{
    const answer_job *job = argument;
    const test_group *group = &job->groups[item];
    for (size_t t = 0; t < group->count; t++) {
        const tested_literal *test = job->sorted[group->first + t];
        size_t given[INVARIANCE_MOST_GIVEN];
        for (size_t g = 0; g < test->count; g++) given[g] = test->given[g];
        job->e->source.test(job->e->source.context, worker, test->v, given, test->count,
                            &job->results[item][t]);
    }
    return SCONE_OK;
}

/* Puts the open tests in order and divides them; returns the number of groups. */
static size_t make_groups(answer_job *job, size_t open)
{
    size_t groups = 0;
    for (size_t t = 0; t < open; t++) job->sorted[t] = &job->e->tests[job->e->answered + t];
    qsort(job->sorted, open, sizeof(tested_literal *), compare_given);
    for (size_t t = 0; t < open; t++) {
        test_group *last = groups ? &job->groups[groups - 1] : NULL;
        if (last && last->count < GROUP && same_given(job->sorted[last->first], job->sorted[t])) {
            last->count++;
        } else {
            job->groups[groups++] = (test_group){t, 1};
        }
    }
    return groups;
}

literal literals_decide(const invariance_result *result, double p_corrected,
                        const literal_levels *levels)
{
    if (!result->possible) return LITERAL_UNKNOWN;
    if (p_corrected <= levels->changed) return LITERAL_CHANGED;
    bool fits = result->p_value >= levels->invariant && result->effect_high <= levels->margin;
    return fits ? LITERAL_INVARIANT : LITERAL_UNKNOWN;
}

/* Bonferroni's correction for the pairs of the run; NaN stays. */
static double for_all_pairs(double p, const literal_levels *levels)
{
    if (levels->pairs < 2) return p;
    p *= (double)levels->pairs;
    return p > 1.0 ? 1.0 : p;
}

static scone_status decide_all(literal_store *e)
{
    scone_status status = SCONE_OK;
    for (size_t t = 0; t < e->count; t++) {
        const invariance_result *result = &e->tests[t].result;
        e->corrected[t] = result->possible ? result->p_value : (double)NAN;
    }
    TRY(adjust_holm(e->corrected, e->corrected, e->count));
    for (size_t t = 0; t < e->count; t++) {
        e->corrected[t] = for_all_pairs(e->corrected[t], &e->levels);
        e->tests[t].value = literals_decide(&e->tests[t].result, e->corrected[t], &e->levels);
    }
cleanup:
    return status;
}

scone_status literals_answer(literal_store *e)
{
    scone_status status = SCONE_OK;
    answer_job job = {.e = e};
    size_t open = e->count - e->answered;
    if (open == 0) return SCONE_OK;
    TRY_ALLOC(job.sorted, open);
    TRY_ALLOC(job.groups, open);
    size_t groups = make_groups(&job, open);
    TRY_ZERO(job.results, groups);
    TRY(team_for(groups, e->context, "rules", answer_group, &job, job.results,
                 sizeof *job.results));
    for (size_t k = 0; k < groups; k++) {
        for (size_t t = 0; t < job.groups[k].count; t++) {
            size_t place = (size_t)(job.sorted[job.groups[k].first + t] - e->tests);
            e->tests[place].result = job.results[k][t];
        }
    }
    e->answered = e->count;
    TRY(decide_all(e));
cleanup:
    mem_free(job.sorted);
    mem_free(job.groups);
    mem_free(job.results);
    return status;
}

/* ---- how sure ---- */

/* The largest odds against "no effect" that a p-value can stand for (Sellke, Bayarri and Berger,
 * "Calibration of p values for testing precise null hypotheses", 2001), as a logarithm. */
static double odds_of(double p)
{
    p = fmax(p, 1e-300);
    return p < exp(-1.0) ? -1.0 - log(p) - log(-log(p)) : 0.0;
}

double literals_weight(const literal_store *e, const tested_literal *test, double margin)
{
    const invariance_result *r = &test->result;
    if (test->value == LITERAL_CHANGED) return odds_of(e->corrected[test - e->tests]);
    if (test->value != LITERAL_INVARIANT) return 0.0;
    /* The one-sided test of "the change is at least the margin": 1.645 standard errors lie between
     * the effect and the end of its interval. */
    double error = (r->effect_high - r->effect) / 1.645;
    double p = 0.5 * erfc((margin - r->effect) / (error * sqrt(2.0)));
    return odds_of(for_all_pairs(p, &e->levels));
}
