/* local_score.c - cache of family scores (see local_score.h). Open addressing, at most half full.
 */
#include "learn/local_score.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct entry {
    family key;
    fit_result fit;
    double score;
    bool used;
} entry;

struct local_score {
    const basis *b;
    const scone_context *context;
    double edge_cost;
    int effort, workers;
    fit_work **work; /* [workers] */
    entry *entries;
    size_t capacity, count; /* capacity is a power of two */
};

family family_with(const family *of, size_t parent)
{
    family f = *of;
    size_t place = f.count++;
    for (; place > 0 && f.parents[place - 1] > parent; place--) {
        f.parents[place] = f.parents[place - 1];
    }
    f.parents[place] = (uint32_t)parent;
    return f;
}

family family_without(const family *of, size_t parent)
{
    family f = {.node = of->node};
    for (size_t i = 0; i < of->count; i++) {
        if (of->parents[i] != parent) f.parents[f.count++] = of->parents[i];
    }
    return f;
}

bool family_has(const family *of, size_t parent)
{
    for (size_t i = 0; i < of->count; i++) {
        if (of->parents[i] == parent) return true;
    }
    return false;
}

/* The entry of a key, or the free place where it belongs. */
static entry *find(const local_score *scores, const family *key)
{
    size_t mask = scores->capacity - 1, place = XXH3_64bits(key, sizeof *key) & mask;
    while (scores->entries[place].used &&
           memcmp(&scores->entries[place].key, key, sizeof *key) != 0) {
        place = (place + 1) & mask;
    }
    return &scores->entries[place];
}

/* Makes room for `more` entries. */
static scone_status reserve(local_score *scores, size_t more)
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

scone_status local_score_alloc(local_score **out, const basis *b, double edge_cost, int effort,
                               const scone_context *context)
{
    scone_status status = SCONE_OK;
    local_score *scores = NULL;
    *out = NULL;
    TRY_ZERO(scores, 1);
    scores->b = b;
    scores->context = context;
    scores->edge_cost = edge_cost;
    scores->effort = effort;
    scores->workers = context_threads(context);
    TRY_ZERO(scores->work, (size_t)scores->workers);
    for (int w = 0; w < scores->workers; w++) TRY(fit_work_alloc(&scores->work[w], b));
    TRY(reserve(scores, 1));
    *out = scores;
    return SCONE_OK;
cleanup:
    local_score_free(scores);
    return status;
}

void local_score_free(local_score *scores)
{
    if (!scores) return;
    for (int w = 0; scores->work && w < scores->workers; w++) fit_work_free(scores->work[w]);
    mem_free(scores->work);
    mem_free(scores->entries);
    mem_free(scores);
}

typedef struct fit_job {
    const local_score *scores;
    entry **missing;
} fit_job;

static scone_status fit_one(void *argument, size_t item, int worker)
{
    const fit_job *job = argument;
    entry *e = job->missing[item];
    size_t parents[FIT_MAX_PARENTS];
    for (size_t i = 0; i < e->key.count; i++) parents[i] = e->key.parents[i];
    fit_node(&e->fit, job->scores->work[worker], e->key.node, parents, e->key.count,
             job->scores->effort);
    e->score = e->fit.score - job->scores->edge_cost * (double)e->key.count;
    return SCONE_OK;
}

scone_status local_score_request(local_score *scores, const family *families, size_t count,
                                 const char *stage)
{
    scone_status status = SCONE_OK;
    entry **missing = NULL;
    size_t wanted = 0;
    TRY(reserve(scores, count));
    TRY_ALLOC(missing, count);
    for (size_t i = 0; i < count; i++) {
        entry *e = find(scores, &families[i]);
        if (e->used) continue;
        e->used = true;
        e->key = families[i];
        missing[wanted++] = e;
    }
    scores->count += wanted;
    fit_job job = {scores, missing};
    TRY(parallel_for(wanted, scores->context, stage, fit_one, &job));
cleanup:
    mem_free(missing);
    return status;
}

double local_score_get(const local_score *scores, const family *f)
{
    return find(scores, f)->score;
}

const fit_result *local_score_fit(const local_score *scores, const family *f)
{
    return &find(scores, f)->fit;
}

size_t local_score_count(const local_score *scores)
{
    return scores->count;
}
