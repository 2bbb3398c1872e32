/* polybic_votes.c - PolyBIC votes on many subsets from one fit per replicate (see
 * polybic_votes.h). */
#include "learn/polybic/polybic_votes.h"

#include "parallel/parallel.h"
#include "learn/ensemble_parts.h"

#include <math.h>

struct polybic_votes {
    ensemble_options options;
    size_t columns, pairs; /* pairs of columns */
    size_t runs;           /* per channel */
    double *differences;   /* [channels, runs, pairs] */
    unsigned char *flags;  /* [channels, runs, pairs] */
};

static const learner *const polybic_alone[] = {&learner_polybic};

void polybic_votes_free(polybic_votes *votes)
{
    if (!votes) return;
    mem_free(votes->differences);
    mem_free(votes->flags);
    mem_free(votes);
}

/* ---- fits ---- */

/* What one worker needs for one replicate. */
typedef struct fit_work {
    uint32_t *weights[2]; /* [rows of the regime] */
    polybic_moments *moments;
    double *shares; /* [columns, columns] */
} fit_work;

typedef struct fit_job {
    polybic_votes *votes;
    const scone_pair *pair;
    polybic_options fit;
    double *factors; /* [columns] */
    size_t *columns; /* [columns]: 0, 1, 2, ... */
    fit_work *works; /* [threads] */
    int threads;
    const scone_context *context; /* asked whether to go on; may be NULL */
} fit_job;

static void job_free(fit_job *job)
{
    for (int k = 0; job->works && k < job->threads; k++) {
        mem_free(job->works[k].weights[0]);
        mem_free(job->works[k].weights[1]);
        mem_free(job->works[k].shares);
        polybic_moments_free(job->works[k].moments);
    }
    mem_free(job->works);
    mem_free(job->factors);
    mem_free(job->columns);
}

static scone_status job_alloc(fit_job *job)
{
    scone_status status = SCONE_OK;
    size_t columns = job->votes->columns, cells;
    if (!size_multiply(&cells, columns, columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: fits of %zu columns", columns);
    }
    TRY_ALLOC(job->factors, columns);
    TRY_ALLOC(job->columns, columns);
    for (size_t j = 0; j < columns; j++) job->columns[j] = j;
    TRY(polybic_factors(job->factors, job->pair));
    TRY_ZERO(job->works, (size_t)job->threads);
    for (int k = 0; k < job->threads; k++) {
        fit_work *work = &job->works[k];
        for (size_t regime = 0; regime < 2; regime++) {
            TRY_ALLOC(work->weights[regime], job->pair->tables[regime]->rows);
        }
        TRY(polybic_moments_alloc(&work->moments, columns, job->fit.degree));
        TRY_ALLOC(work->shares, cells);
    }
cleanup:
    return status;
}

/* Item: replicate item % runs of channel item / runs. */
static scone_status fit_replicate(void *argument, size_t item, int worker)
{
    scone_status status = SCONE_OK;
    const fit_job *job = argument;
    polybic_votes *votes = job->votes;
    const ensemble_options *options = &votes->options;
    fit_work *work = &job->works[worker];
    learner_task task = {.columns = job->columns,
                         .count = votes->columns,
                         .regimes = options->channels[item / votes->runs]};
    size_t drawn = 0;
    for (unsigned regime = 0; regime < 2; regime++) {
        size_t rows = job->pair->tables[regime]->rows;
        if (!(task.regimes >> regime & 1U) || rows == 0) continue;
        drawn += rows;
        if (options->replicates == 0) continue;
        ensemble_draw(work->weights[regime], rows, options->rows ? options->rows : rows,
                      options->seed, options->graph, 0, (uint32_t)(item % votes->runs), regime);
        task.weights[regime] = work->weights[regime];
    }
    if (drawn == 0) return SCONE_OK; /* the flags are 0: nothing varies, nothing passes */
    TRY(polybic_moments_compute(work->moments, job->pair, job->factors, &task));
    TRY(polybic_residuals(work->shares, work->moments, job->fit.ridge, job->context));
    polybic_pairs(votes->differences + item * votes->pairs, votes->flags + item * votes->pairs,
                  work->shares, work->moments);
cleanup:
    return status;
}

scone_status polybic_votes_alloc(polybic_votes **out, const scone_pair *pair,
                                 const polybic_options *fit, const ensemble_options *options,
                                 const scone_context *context)
{
    scone_status status = SCONE_OK;
    polybic_votes *votes = NULL;
    fit_job job = {.context = context,
                   .pair = pair,
                   .fit = fit ? *fit : polybic_defaults,
                   .threads = context_threads(context)};
    size_t columns = pair->tables[0]->columns, items, cells;
    *out = NULL;
    TRY_ZERO(votes, 1);
    votes->options = *options;
    votes->options.learners = polybic_alone;
    votes->options.learner_count = 1;
    TRY(ensemble_check_options(&votes->options));
    if (!(job.fit.ridge >= 0.0 && job.fit.ridge <= 1e300)) {
        FAIL(SCONE_ERR_INPUT, "a ridge penalty of %g; use a number from 0 to 1e300", job.fit.ridge);
    }
    votes->columns = columns;
    votes->runs = options->replicates ? options->replicates : 1;
    if (!size_multiply(&cells, columns, columns ? columns - 1 : 0) ||
        !size_multiply(&items, options->channel_count, votes->runs)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: pairs of %zu columns", columns);
    }
    votes->pairs = cells / 2;
    if (!size_multiply(&cells, votes->pairs, items)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: %zu replicates of %zu pairs", items, votes->pairs);
    }
    TRY_ALLOC(votes->differences, cells);
    TRY_ZERO(votes->flags, cells);
    job.votes = votes;
    if ((size_t)job.threads > items) job.threads = (int)items; /* no more workspaces than items */
    TRY(job_alloc(&job));
    TRY(parallel_for(items, context, "local discovery", fit_replicate, &job));
    *out = votes;
    votes = NULL;
cleanup:
    job_free(&job);
    polybic_votes_free(votes);
    return status;
}

/* ---- votes ---- */

typedef struct vote_job {
    const polybic_votes *votes;
    const ensemble_subsets *subsets;
    const ensemble_result *result;
    uint32_t *counts; /* [channels, cells, classes] */
} vote_job;

/* Place of the pair i < j among all pairs of columns. */
static size_t pair_place(size_t i, size_t j, size_t columns)
{
    return i * (2 * columns - i - 1) / 2 + (j - i - 1);
}

/* Votes of one replicate on the pairs of one subset. */
static void vote_once(uint32_t *counts, const double *differences, const unsigned char *flags,
                      const size_t *members, size_t size, const polybic_votes *votes)
{
    size_t varying = 0;
    double total = 0.0;
    for (size_t a = 0; a < size; a++) {
        for (size_t b = a + 1; b < size; b++) {
            size_t pair = pair_place(members[a], members[b], votes->columns);
            if (!(flags[pair] & POLYBIC_VARIES)) continue;
            total += fabs(differences[pair]);
            varying++;
        }
    }
    double scale = varying ? total / (double)varying : 0.0;
    for (size_t a = 0; a < size; a++) {
        for (size_t b = a + 1; b < size; b++, counts += ENSEMBLE_CLASSES) {
            size_t pair = pair_place(members[a], members[b], votes->columns);
            double forward = 0.0, backward = 0.0;
            if (flags[pair] & POLYBIC_PASSES) {
                polybic_pair_scores(&forward, &backward, differences[pair], scale);
            }
            counts[ensemble_decode(forward, backward, learner_polybic.threshold,
                                   votes->options.margin)]++;
        }
    }
}

static scone_status vote_subset(void *argument, size_t subset, int worker)
{
    (void)worker;
    const vote_job *job = argument;
    const polybic_votes *votes = job->votes;
    const size_t *offsets = job->subsets->offsets, *members = job->subsets->members;
    for (size_t channel = 0; channel < votes->options.channel_count; channel++) {
        size_t cell = channel * job->result->cells + job->result->offsets[subset];
        for (size_t run = 0; run < votes->runs; run++) {
            size_t item = (channel * votes->runs + run) * votes->pairs;
            vote_once(job->counts + cell * ENSEMBLE_CLASSES, votes->differences + item,
                      votes->flags + item, members + offsets[subset],
                      offsets[subset + 1] - offsets[subset], votes);
        }
    }
    return SCONE_OK;
}

scone_status polybic_votes_elect(ensemble_result **out, const polybic_votes *votes,
                                 const ensemble_subsets *subsets, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_context threads = {.threads = context_threads(context)};
    vote_job job = {.votes = votes, .subsets = subsets};
    ensemble_result *result = NULL;
    size_t all;
    *out = NULL;
    TRY(ensemble_check_subsets(subsets, votes->columns));
    TRY(ensemble_result_alloc(&result, subsets, votes->options.channel_count));
    if (!size_multiply(&all, result->channels * result->cells, ENSEMBLE_CLASSES)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: votes on %zu pairs", result->cells);
    }
    TRY_ZERO(job.counts, all);
    job.result = result;
    TRY(parallel_for(subsets->count, &threads, NULL, vote_subset, &job));
    ensemble_elect(result, job.counts, &votes->options);
    *out = result;
    result = NULL;
cleanup:
    mem_free(job.counts);
    ensemble_result_free(result);
    return status;
}
