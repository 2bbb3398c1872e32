/* family_score.c - cache of family scores (see family_score.h). Open addressing, at most half full.
 */
#include "learn/search/family_score.h"

#include "parallel/team.h"

#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LOCAL_STARTS = 3 };

typedef struct entry {
    family key;
    fit_result fit;
    double score;
    float *coefficients;
    float *gains;       /* of the scan, or NULL */
    bool used, scanned; /* scanned: its scan is under way */
    bool afresh;        /* it was fitted afresh */
    family asked;       /* from whose fit it was last fitted again, and the score of that */
    double asked_score;
} entry;

struct family_score {
    const basis *b;
    const scone_context *context;
    family_score_options options;
    int workers;
    fit_work **work; /* [workers] */
    entry *entries;
    size_t capacity, count; /* capacity is a power of two */
    uint32_t **candidates;  /* [nodes] */
    size_t *candidate_counts;
};

/* The entry of a key, or the free place where it belongs. */
static entry *find(const family_score *scores, const family *key)
{
    size_t mask = scores->capacity - 1, place = XXH3_64bits(key, sizeof *key) & mask;
    while (scores->entries[place].used && !family_equal(&scores->entries[place].key, key)) {
        place = (place + 1) & mask;
    }
    return &scores->entries[place];
}

/* Makes room for `more` entries. */
static scone_status reserve(family_score *scores, size_t more)
{
    size_t capacity = scores->capacity ? scores->capacity : 1024;
    while (capacity < 2 * (scores->count + more)) capacity *= 2;
    if (capacity == scores->capacity) return SCONE_OK;
    entry *old = scores->entries, *fresh = mem_zero(capacity, sizeof *fresh);
    if (!fresh) return SCONE_ERR_MEMORY;
    size_t old_capacity = scores->capacity;
    scores->entries = fresh;
    scores->capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].used) *find(scores, &old[i].key) = old[i];
    }
    mem_free(old);
    return SCONE_OK;
}

scone_status family_score_alloc(family_score **out, const basis *b,
                                const family_score_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    family_score *scores = NULL;
    *out = NULL;
    TRY_ZERO(scores, 1);
    scores->b = b;
    scores->context = context;
    scores->options = *options;
    scores->workers = context_threads(context);
    TRY_ZERO(scores->work, (size_t)scores->workers);
    for (int w = 0; w < scores->workers; w++) TRY(fit_work_alloc(&scores->work[w], b));
    TRY_ZERO(scores->candidates, b->nodes);
    TRY_ZERO(scores->candidate_counts, b->nodes);
    for (size_t v = 0; v < b->nodes; v++) {
        TRY_ALLOC(scores->candidates[v], b->nodes);
        for (size_t u = 0; u < b->nodes; u++) {
            if (u != v) scores->candidates[v][scores->candidate_counts[v]++] = (uint32_t)u;
        }
    }
    TRY(reserve(scores, 1));
    *out = scores;
    return SCONE_OK;
cleanup:
    family_score_free(scores);
    return status;
}

void family_score_free(family_score *scores)
{
    if (!scores) return;
    for (int w = 0; scores->work && w < scores->workers; w++) fit_work_free(scores->work[w]);
    for (size_t i = 0; scores->entries && i < scores->capacity; i++) {
        mem_free(scores->entries[i].coefficients);
        mem_free(scores->entries[i].gains);
    }
    for (size_t v = 0; scores->candidates && v < scores->b->nodes; v++) {
        mem_free(scores->candidates[v]);
    }
    mem_free(scores->work);
    mem_free(scores->candidates);
    mem_free(scores->candidate_counts);
    mem_free(scores->entries);
    mem_free(scores);
}

/* ---- fits ---- */

double family_score_edge_cost(const family_score_options *options, size_t columns)
{
    double least = fmin(options->edge_cost, 3.5);
    return fmax(least, options->edge_cost - options->discount * (double)(columns - 1));
}

/* Effects with few values have other models, and pay in full. */
static double edges_cost(const family_score *scores, const family *f)
{
    double cost = 0.0;
    for (size_t p = 0; p < f->count; p++) {
        size_t columns = scores->b->levels[f->node] > 0 ? 1 : scores->b->size[f->parents[p]];
        cost += family_score_edge_cost(&scores->options, columns);
    }
    return cost;
}

/* A fit as it is handed back by a thread: the result, then the coefficients. */
typedef struct fit_job {
    const family_score *scores;
    const family_score_wish **wishes; /* those that need work */
    unsigned char *results;           /* [count][size] */
    size_t size;
} fit_job;

static void add_start(fit_start *starts, size_t *count, const entry *e)
{
    for (size_t i = 0; i < *count; i++) {
        if (family_equal(starts[i].family, &e->key)) return;
    }
    if (*count < LOCAL_STARTS)
        starts[(*count)++] = (fit_start){&e->key, e->coefficients, e->fit.units};
}

/* The family asked for by, and the best ones with one parent less. */
static size_t choose_starts(const family_score *scores, fit_start *starts,
                            const family_score_wish *wish)
{
    size_t count = 0;
    if (wish->afresh) return 0;
    const entry *beside = find(scores, &wish->beside);
    if (beside->used && beside->coefficients && wish->beside.count > 0) {
        add_start(starts, &count, beside);
    }
    while (count < LOCAL_STARTS && wish->family.count > 1) {
        const entry *best = NULL;
        for (size_t i = 0; i < wish->family.count; i++) {
            family less = family_without(&wish->family, wish->family.parents[i]);
            const entry *e = find(scores, &less);
            bool taken = !e->used || !e->coefficients;
            for (size_t s = 0; s < count && !taken; s++) {
                taken = family_equal(starts[s].family, &less);
            }
            if (!taken && (!best || e->score > best->score)) best = e;
        }
        if (!best) break;
        add_start(starts, &count, best);
    }
    return count;
}

static scone_status fit_one(void *argument, size_t item, int worker)
{
    const fit_job *job = argument;
    const family_score *scores = job->scores;
    const family_score_wish *wish = job->wishes[item];
    unsigned char *result = job->results + item * job->size;
    fit_start starts[LOCAL_STARTS];
    fit_result fit;
    const fit_request request = {.family = &wish->family,
                                 .effort = wish->afresh ? 2 : scores->options.effort,
                                 .starts = starts,
                                 .start_count = choose_starts(scores, starts, wish),
                                 .odds = scores->options.odds};
    fit_node(&fit, (float *)(void *)(result + sizeof fit), scores->work[worker], &request);
    memcpy(result, &fit, sizeof fit);
    return SCONE_OK;
}

/* Enters what a thread found, unless a better fit is known. */
static scone_status enter(family_score *scores, const family *f, const unsigned char *result)
{
    scone_status status = SCONE_OK;
    entry *e = find(scores, f);
    fit_result fit;
    float *coefficients = NULL;
    memcpy(&fit, result, sizeof fit);
    double score = fit.score - edges_cost(scores, f);
    if (e->coefficients && !(score > e->score)) return SCONE_OK;
    size_t size = fit_coefficient_count(scores->b, f);
    TRY_ALLOC(coefficients, size);
    memcpy(coefficients, result + sizeof fit, size * sizeof *coefficients);
    mem_free(e->coefficients);
    mem_free(e->gains); /* of the fit that is replaced */
    *e = (entry){.key = *f,
                 .fit = fit,
                 .score = score,
                 .coefficients = coefficients,
                 .used = true,
                 .afresh = e->afresh,
                 .asked = e->asked,
                 .asked_score = e->asked_score};
cleanup:
    return status;
}

scone_status family_score_request(family_score *scores, const family_score_wish *wishes,
                                  size_t count, const char *stage)
{
    scone_status status = SCONE_OK;
    fit_job job = {.scores = scores};
    size_t wanted = 0, most = 1, cells;
    if (count == 0) return SCONE_OK;
    TRY(reserve(scores, count));
    TRY_ALLOC(job.wishes, count);
    for (size_t i = 0; i < count; i++) {
        entry *e = find(scores, &wishes[i].family);
        if (e->used && !wishes[i].revise && !wishes[i].afresh) continue;
        if (!e->used) { /* its place is taken at once, so that it is not asked for twice */
            *e = (entry){.key = wishes[i].family, .score = -HUGE_VAL, .used = true};
            scores->count++;
        }
        if (wishes[i].afresh) {
            if (e->afresh) continue;
            e->afresh = true;
        } else if (wishes[i].revise) { /* once from each fit of the other family */
            double score = find(scores, &wishes[i].beside)->score;
            if (family_equal(&e->asked, &wishes[i].beside) && e->asked_score == score) continue;
            e->asked = wishes[i].beside;
            e->asked_score = score;
        }
        job.wishes[wanted++] = &wishes[i];
        size_t size = fit_coefficient_count(scores->b, &wishes[i].family);
        if (size > most) most = size;
    }
    job.size = sizeof(fit_result) + most * sizeof(float);
    job.size = (job.size + 15) / 16 * 16;
    if (!size_multiply(&cells, wanted + 1, job.size)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ZERO(job.results, cells);
    TRY(team_for(wanted, scores->context, stage, fit_one, &job, job.results, job.size));
    for (size_t i = 0; i < wanted; i++) {
        TRY(enter(scores, &job.wishes[i]->family, job.results + i * job.size));
    }
cleanup:
    mem_free(job.wishes);
    mem_free(job.results);
    return status;
}

bool family_score_known(const family_score *scores, const family *f)
{
    return find(scores, f)->coefficients != NULL;
}

double family_score_get(const family_score *scores, const family *f)
{
    return find(scores, f)->score;
}

const fit_result *family_score_fit(const family_score *scores, const family *f)
{
    return &find(scores, f)->fit;
}

const float *family_score_margins(const family_score *scores, const family *f)
{
    return fit_margins(scores->b, f, find(scores, f)->coefficients);
}

void family_score_set_odds(family_score *scores, double odds)
{
    double less = scores->options.odds - odds;
    for (size_t i = 0; i < scores->capacity; i++) {
        entry *e = &scores->entries[i];
        if (!e->used || !e->coefficients) continue;
        e->fit.score += less * (double)e->fit.changed;
        e->score += less * (double)e->fit.changed;
    }
    scores->options.odds = odds;
}

size_t family_score_count(const family_score *scores)
{
    return scores->count;
}

/* ---- scans ---- */

scone_status family_score_restrict(family_score *scores, size_t node, const uint32_t *candidates,
                                   size_t count)
{
    memmove(scores->candidates[node], candidates, count * sizeof *candidates);
    scores->candidate_counts[node] = count;
    for (size_t i = 0; i < scores->capacity; i++) {
        if (!scores->entries[i].used || scores->entries[i].key.node != node) continue;
        mem_free(scores->entries[i].gains);
        scores->entries[i].gains = NULL;
    }
    return SCONE_OK;
}

const uint32_t *family_score_candidates(const family_score *scores, size_t node, size_t *count)
{
    *count = scores->candidate_counts[node];
    return scores->candidates[node];
}

typedef struct scan_job {
    const family_score *scores;
    entry **entries;
    float *gains; /* [count][width] */
    size_t width;
} scan_job;

static scone_status scan_one(void *argument, size_t item, int worker)
{
    const scan_job *job = argument;
    const family_score *scores = job->scores;
    const entry *e = job->entries[item];
    size_t v = e->key.node;
    fit_scan(job->gains + item * job->width, scores->work[worker], &e->key, &e->fit,
             e->coefficients, scores->candidates[v], scores->candidate_counts[v]);
    return SCONE_OK;
}

scone_status family_score_scan(family_score *scores, const family *families, size_t count,
                               const char *stage)
{
    scone_status status = SCONE_OK;
    scan_job job = {.scores = scores, .width = 1};
    size_t wanted = 0, cells;
    TRY_ALLOC(job.entries, count + 1);
    for (size_t i = 0; i < count; i++) {
        entry *e = find(scores, &families[i]);
        if (e->gains || e->scanned) continue;
        e->scanned = true; /* asked for now: no need to ask twice */
        job.entries[wanted++] = e;
        if (scores->candidate_counts[e->key.node] > job.width) {
            job.width = scores->candidate_counts[e->key.node];
        }
    }
    if (!size_multiply(&cells, wanted + 1, job.width)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(job.gains, cells);
    TRY(team_for(wanted, scores->context, stage, scan_one, &job, job.gains,
                 job.width * sizeof *job.gains));
    for (size_t i = 0; i < wanted; i++) {
        entry *e = job.entries[i];
        size_t width = scores->candidate_counts[e->key.node];
        TRY_ALLOC(e->gains, width + 1);
        memcpy(e->gains, job.gains + i * job.width, width * sizeof *e->gains);
    }
cleanup:
    for (size_t i = 0; job.entries && i < wanted; i++) job.entries[i]->scanned = false;
    mem_free(job.entries);
    mem_free(job.gains);
    return status;
}

const float *family_score_gains(const family_score *scores, const family *f)
{
    return find(scores, f)->gains;
}
