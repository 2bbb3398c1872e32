/* token_votes.c - what the local learners elect (see token_votes.h). */
#include "model/tokens/token_votes.h"

#include "learn/ensemble_parts.h"
#include "learn/polybic/polybic_votes.h"

/* The sampled subsets are voted on, and then those that cover what was left. */
enum { MOST_PARTS = 2 };

/* A learner that runs on each subset, and what it has elected so far. */
typedef struct voter {
    const learner *learner;
    size_t replicates;
    ensemble_result *parts[MOST_PARTS];
} voter;

struct token_votes {
    const scone_pair *pair;
    const scone_context *context;
    ensemble_options how;   /* but for learners and replicates */
    polybic_votes *polybic; /* NULL: it does not vote */
    voter voters[2];
    size_t voter_count;
    size_t firsts[MOST_PARTS]; /* subsets */
    size_t part_count, subset_count;
};

void token_votes_free(token_votes *votes)
{
    if (!votes) return;
    polybic_votes_free(votes->polybic);
    for (size_t v = 0; v < votes->voter_count; v++) {
        for (size_t p = 0; p < MOST_PARTS; p++) ensemble_result_free(votes->voters[v].parts[p]);
    }
    mem_free(votes);
}

scone_status token_votes_alloc(token_votes **out, const scone_pair *pair, const token_options *o,
                               const scone_context *context)
{
    scone_status status = SCONE_OK;
    const polybic_options fit = {.degree = o->degree, .ridge = polybic_defaults.ridge};
    token_votes *votes = NULL;
    *out = NULL;
    TRY_ZERO(votes, 1);
    votes->pair = pair;
    votes->context = context;
    votes->how = ensemble_defaults;
    votes->how.replicates = o->replicates;
    votes->how.seed = o->seed;
    votes->how.graph = o->graph;
    if (o->learners & LEARNER_POLYBIC) {
        TRY(polybic_votes_alloc(&votes->polybic, pair, &fit, &votes->how, context));
    }
    if (o->learners & LEARNER_GES) {
        votes->voters[votes->voter_count++] =
            (voter){.learner = &learner_ges, .replicates = TOKEN_GES_REPLICATES};
    }
    if (o->learners & LEARNER_SEARCH) {
        votes->voters[votes->voter_count++] = (voter){.learner = &learner_search};
    }
    *out = votes;
    votes = NULL;
cleanup:
    token_votes_free(votes);
    return status;
}

/* The voters on the subsets that are new. */
static scone_status ask_voters(token_votes *votes, const ensemble_subsets *subsets)
{
    scone_status status = SCONE_OK;
    size_t first = votes->subset_count, part = votes->part_count;
    const ensemble_subsets fresh = {.count = subsets->count - first,
                                    .offsets = subsets->offsets + first,
                                    .members = subsets->members};
    if (fresh.count == 0 || votes->voter_count == 0) return SCONE_OK;
    if (part == MOST_PARTS) FAIL_DEFECT("more parts of subsets than are elected");
    for (size_t v = 0; v < votes->voter_count; v++) {
        voter *one = &votes->voters[v];
        ensemble_options how = votes->how;
        how.learners = &one->learner;
        how.learner_count = 1;
        how.replicates = one->replicates;
        how.first_subset = first;
        TRY(ensemble_run(&one->parts[part], votes->pair, &fresh, &how, votes->context));
    }
    votes->firsts[part] = first;
    votes->part_count = part + 1;
    votes->subset_count = subsets->count;
cleanup:
    return status;
}

scone_status token_votes_elect(ensemble_result **out, token_votes *votes,
                               const ensemble_subsets *subsets)
{
    scone_status status = SCONE_OK;
    ensemble_result *result = NULL, *polybic = NULL;
    *out = NULL;
    if (votes->voter_count == 0) {
        return polybic_votes_elect(out, votes->polybic, subsets, votes->context);
    }
    TRY(ask_voters(votes, subsets));
    TRY(ensemble_result_alloc(&result, subsets, votes->how.channel_count));
    for (size_t cell = 0; cell < result->channels * result->cells; cell++) {
        for (size_t c = 0; c < ENSEMBLE_CLASSES; c++) result->shares[cell][c] = 0.0;
    }
    double weight = 1.0 / (double)(votes->voter_count + (votes->polybic != NULL));
    if (votes->polybic) {
        TRY(polybic_votes_elect(&polybic, votes->polybic, subsets, votes->context));
        ensemble_add_shares(result, polybic, 0, weight);
    }
    for (size_t v = 0; v < votes->voter_count; v++) {
        for (size_t p = 0; p < votes->part_count; p++) {
            ensemble_add_shares(result, votes->voters[v].parts[p], votes->firsts[p], weight);
        }
    }
    ensemble_decide(result);
    *out = result;
    result = NULL;
cleanup:
    ensemble_result_free(polybic);
    ensemble_result_free(result);
    return status;
}
