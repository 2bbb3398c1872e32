/* ensemble.c - bootstrap votes of local learners (see ensemble.h). */
#include "learn/ensemble_parts.h"

#include "base/rng.h"
#include "parallel/team.h"

#include <math.h>
#include <string.h>

enum { DRAW_BLOCK = 1024 };

static const learner *const default_learners[] = {&learner_polybic};

const ensemble_options ensemble_defaults = {.learners = default_learners,
                                            .learner_count = 1,
                                            .replicates = 50,
                                            .margin = 0.05,
                                            .channels = {1, 2},
                                            .channel_count = 2};

/* What one worker needs for one item. */
typedef struct ensemble_work {
    uint32_t *weights[2]; /* [rows of the regime] */
    double *scores;       /* [largest subset, largest subset] */
} ensemble_work;

typedef struct ensemble_job {
    const scone_pair *pair;
    const ensemble_subsets *subsets;
    const ensemble_options *options;
    ensemble_result *result;
    void **states;        /* [learners] */
    uint32_t *votes;      /* [learners, channels, cells, classes] */
    ensemble_work *works; /* [threads] */
    size_t runs;          /* per subset and channel */
    int threads;
} ensemble_job;

/* ---- votes ---- */

scone_mark ensemble_decode(double forward, double backward, double threshold, double margin)
{
    if (!(fmax(forward, backward) >= threshold)) return SCONE_MARK_NONE;
    if (forward - backward > margin) return SCONE_MARK_FORWARD;
    if (backward - forward > margin) return SCONE_MARK_BACKWARD;
    return SCONE_MARK_UNDIRECTED;
}

scone_mark ensemble_majority(const double votes[ENSEMBLE_CLASSES])
{
    size_t best = 0;
    double total = votes[0];
    for (size_t c = 1; c < ENSEMBLE_CLASSES; c++) {
        total += votes[c];
        if (votes[c] > votes[best]) best = c;
    }
    for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) {
        if (c != best && votes[best] - votes[c] <= 1e-12 * total) return SCONE_MARK_NONE;
    }
    return (scone_mark)best;
}

void ensemble_draw(uint32_t *weights, size_t rows, size_t draws, uint64_t seed, uint64_t graph,
                   uint64_t subset, uint32_t replicate, unsigned regime)
{
    rng stream = rng_stream(seed, RNG_BOOTSTRAP, graph, subset, 2 * replicate + regime);
    double places[DRAW_BLOCK];
    memset(weights, 0, rows * sizeof *weights);
    for (size_t first = 0; first < draws; first += DRAW_BLOCK) {
        size_t count = draws - first < DRAW_BLOCK ? draws - first : DRAW_BLOCK;
        rng_fill_uniform(&stream, places, count);
        for (size_t k = 0; k < count; k++) {
            /* The product may round up to rows. */
            size_t row = (size_t)(places[k] * (double)rows);
            weights[row < rows ? row : rows - 1]++;
        }
    }
}

/* ---- one replicate ---- */

/* false if no regime of the channel has rows */
static bool draw_replicate(learner_task *task, ensemble_work *work, const ensemble_job *job,
                           size_t subset, uint32_t replicate)
{
    const ensemble_options *options = job->options;
    bool any = false;
    for (unsigned regime = 0; regime < 2; regime++) {
        size_t rows = job->pair->tables[regime]->rows;
        if (!(task->regimes >> regime & 1U) || rows == 0) continue;
        any = true;
        if (options->replicates == 0) continue;
        ensemble_draw(work->weights[regime], rows, options->rows ? options->rows : rows,
                      options->seed, options->graph, options->first_subset + subset, replicate,
                      regime);
        task->weights[regime] = work->weights[regime];
    }
    return any;
}

static void count_votes(uint32_t *votes, const double *scores, size_t size, double threshold,
                        double margin)
{
    for (size_t i = 0; i < size; i++) {
        for (size_t j = i + 1; j < size; j++, votes += ENSEMBLE_CLASSES) {
            scone_mark vote =
                ensemble_decode(scores[i * size + j], scores[j * size + i], threshold, margin);
            (void)__atomic_fetch_add(&votes[vote], 1, __ATOMIC_RELAXED);
        }
    }
}

static scone_status run_replicate(void *argument, size_t item, int worker)
{
    const ensemble_job *job = argument;
    const ensemble_options *options = job->options;
    const ensemble_result *result = job->result;
    ensemble_work *work = &job->works[worker];
    uint32_t replicate = (uint32_t)(item % job->runs);
    size_t channel = item / job->runs % result->channels;
    size_t subset = item / job->runs / result->channels;
    const size_t *offsets = job->subsets->offsets;
    learner_task task = {.columns = job->subsets->members + offsets[subset],
                         .count = offsets[subset + 1] - offsets[subset],
                         .regimes = options->channels[channel]};
    if (task.count < 2 || !draw_replicate(&task, work, job, subset, replicate)) return SCONE_OK;
    for (size_t l = 0; l < options->learner_count; l++) {
        const learner *base = options->learners[l];
        scone_status status = base->run(work->scores, job->states[l], &task);
        if (status != SCONE_OK) return status;
        size_t cell = (l * result->channels + channel) * result->cells + result->offsets[subset];
        count_votes(job->votes + cell * ENSEMBLE_CLASSES, work->scores, task.count, base->threshold,
                    options->margin);
    }
    return SCONE_OK;
}

/* ---- all of them ---- */

scone_status ensemble_check_options(const ensemble_options *options)
{
    scone_status status = SCONE_OK;
    if (options->channel_count < 1 || options->channel_count > ENSEMBLE_CHANNELS) {
        FAIL(SCONE_ERR_INPUT, "%zu channels; use 1 to %d", options->channel_count,
             ENSEMBLE_CHANNELS);
    }
    for (size_t c = 0; c < options->channel_count; c++) {
        if (options->channels[c] < 1 || options->channels[c] > 3) {
            FAIL(SCONE_ERR_INPUT, "channel %zu has regimes %u; use 1, 2 or 3 (both)", c + 1,
                 options->channels[c]);
        }
    }
    if (options->replicates > INT32_MAX || options->rows > INT32_MAX) {
        FAIL(SCONE_ERR_INPUT, "%zu replicates of %zu rows; use at most 2^31 - 1 of each",
             options->replicates, options->rows);
    }
    if (!(options->margin >= 0.0)) {
        FAIL(SCONE_ERR_INPUT, "a margin of %g; use a number from 0 on", options->margin);
    }
    for (size_t l = 0; l < options->learner_count; l++) {
        if (!(options->learners[l]->weight >= 0.0 && isfinite(options->learners[l]->weight))) {
            FAIL(SCONE_ERR_INPUT, "learner %s has weight %g; use a finite number from 0 on",
                 options->learners[l]->name, options->learners[l]->weight);
        }
    }
cleanup:
    return status;
}

scone_status ensemble_check_subsets(const ensemble_subsets *subsets, size_t columns)
{
    for (size_t t = 0; t < subsets->count; t++) {
        for (size_t k = subsets->offsets[t]; k < subsets->offsets[t + 1]; k++) {
            bool ordered =
                k == subsets->offsets[t] || subsets->members[k - 1] < subsets->members[k];
            if (subsets->members[k] < columns && ordered) continue;
            return RAISE(SCONE_ERR_INPUT, "subset %zu: its columns must increase and be below %zu",
                         t + 1, columns);
        }
    }
    return SCONE_OK;
}

void ensemble_result_free(ensemble_result *result)
{
    if (!result) return;
    mem_free(result->offsets);
    mem_free(result->pairs);
    mem_free(result->winners);
    mem_free(result->shares);
    mem_free(result);
}

void ensemble_locals_free(ensemble_locals *locals)
{
    if (!locals) return;
    mem_free(locals->offsets);
    mem_free(locals->members);
    ensemble_result_free(locals->elected);
    mem_free(locals);
}

scone_status ensemble_result_alloc(ensemble_result **out, const ensemble_subsets *subsets,
                                   size_t channels)
{
    scone_status status = SCONE_OK;
    ensemble_result *result = NULL;
    size_t all;
    TRY_ZERO(result, 1);
    result->subsets = subsets->count;
    result->channels = channels;
    TRY_ALLOC(result->offsets, subsets->count + 1);
    result->offsets[0] = 0;
    for (size_t t = 0; t < subsets->count; t++) {
        size_t size = subsets->offsets[t + 1] - subsets->offsets[t], pairs;
        if (!size_multiply(&pairs, size, size ? size - 1 : 0) ||
            !size_add(&result->cells, result->cells, pairs / 2)) {
            FAIL(SCONE_ERR_MEMORY, "out of memory: the pairs of %zu subsets", subsets->count);
        }
        result->offsets[t + 1] = result->cells;
    }
    if (!size_multiply(&all, channels, result->cells)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: votes on %zu pairs", result->cells);
    }
    TRY_ALLOC(result->pairs, result->cells);
    TRY_ALLOC(result->winners, all);
    TRY_ALLOC(result->shares, all);
    size_t cell = 0;
    for (size_t t = 0; t < subsets->count; t++) {
        for (size_t i = subsets->offsets[t]; i < subsets->offsets[t + 1]; i++) {
            for (size_t j = i + 1; j < subsets->offsets[t + 1]; j++, cell++) {
                result->pairs[cell][0] = subsets->members[i];
                result->pairs[cell][1] = subsets->members[j];
            }
        }
    }
    *out = result;
    return SCONE_OK;
cleanup:
    ensemble_result_free(result);
    return status;
}

/* W and its winner for every cell of every channel */
void ensemble_elect(ensemble_result *result, const uint32_t *votes, const ensemble_options *options)
{
    size_t all = result->channels * result->cells;
    for (size_t cell = 0; cell < all; cell++) {
        double sums[ENSEMBLE_CLASSES] = {0}, total = 0.0;
        for (size_t l = 0; l < options->learner_count; l++) {
            const uint32_t *counts = votes + (l * all + cell) * ENSEMBLE_CLASSES;
            for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) {
                sums[c] += options->learners[l]->weight * (double)counts[c];
            }
        }
        for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) total += sums[c];
        if (!(total > 0.0)) sums[SCONE_MARK_NONE] = total = 1.0; /* nobody voted */
        result->winners[cell] = (unsigned char)ensemble_majority(sums);
        for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) result->shares[cell][c] = sums[c] / total;
    }
}

void ensemble_add_shares(ensemble_result *to, const ensemble_result *part, size_t first,
                         double weight)
{
    for (size_t channel = 0; channel < part->channels; channel++) {
        double(*sums)[ENSEMBLE_CLASSES] = to->shares + channel * to->cells + to->offsets[first];
        double(*shares)[ENSEMBLE_CLASSES] = part->shares + channel * part->cells;
        for (size_t cell = 0; cell < part->cells; cell++) {
            for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) {
                sums[cell][c] += weight * shares[cell][c];
            }
        }
    }
}

void ensemble_decide(ensemble_result *result)
{
    for (size_t cell = 0; cell < result->channels * result->cells; cell++) {
        result->winners[cell] = (unsigned char)ensemble_majority(result->shares[cell]);
    }
}

static scone_status works_alloc(ensemble_job *job)
{
    scone_status status = SCONE_OK;
    size_t largest = 0;
    for (size_t t = 0; t < job->subsets->count; t++) {
        size_t size = job->subsets->offsets[t + 1] - job->subsets->offsets[t];
        if (size > largest) largest = size;
    }
    TRY_ZERO(job->works, (size_t)job->threads);
    for (int k = 0; k < job->threads; k++) {
        for (size_t regime = 0; regime < 2; regime++) {
            TRY_ALLOC(job->works[k].weights[regime], job->pair->tables[regime]->rows);
        }
        TRY_ALLOC(job->works[k].scores, largest * largest);
    }
cleanup:
    return status;
}

static void job_free(ensemble_job *job)
{
    for (int k = 0; job->works && k < job->threads; k++) {
        mem_free(job->works[k].weights[0]);
        mem_free(job->works[k].weights[1]);
        mem_free(job->works[k].scores);
    }
    for (size_t l = 0; job->states && l < job->options->learner_count; l++) {
        if (job->states[l]) job->options->learners[l]->release(job->states[l]);
    }
    mem_free(job->works);
    mem_free(job->states);
    mem_free(job->votes);
}

scone_status ensemble_run(ensemble_result **out, const scone_pair *pair,
                          const ensemble_subsets *subsets, const ensemble_options *options,
                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    ensemble_job job = {.pair = pair,
                        .subsets = subsets,
                        .options = options,
                        .runs = options->replicates ? options->replicates : 1,
                        .threads = context_threads(context)};
    size_t items, votes;
    *out = NULL;
    TRY(ensemble_check_options(options));
    TRY(ensemble_check_subsets(subsets, pair->tables[0]->columns));
    TRY(ensemble_result_alloc(&job.result, subsets, options->channel_count));
    size_t all = job.result->channels * job.result->cells;
    if (!size_multiply(&items, subsets->count * options->channel_count, job.runs) ||
        !size_multiply(&votes, all, options->learner_count * ENSEMBLE_CLASSES)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: %zu replicates of %zu subsets", job.runs,
             subsets->count);
    }
    TRY_ZERO(job.votes, votes);
    TRY_ZERO(job.states, options->learner_count);
    for (size_t l = 0; l < options->learner_count; l++) {
        TRY(options->learners[l]->prepare(&job.states[l], pair, context));
    }
    TRY(works_alloc(&job));
    TRY(team_for(items, context, "local discovery", run_replicate, &job, NULL, 0));
    TRY(team_sum(context, job.votes, votes));
    ensemble_elect(job.result, job.votes, options);
    *out = job.result;
    job.result = NULL;
cleanup:
    job_free(&job);
    ensemble_result_free(job.result);
    return status;
}
