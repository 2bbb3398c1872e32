/* eval_run.c - the evaluation behind `scone eval`: finds the cases on both sides, pairs them by name,
 * reads and scores each. Cases are independent and run on the context's threads.
 */
#include "eval/eval.h"

#include "io/file.h"
#include "parallel/parallel.h"
#include "data/dcdi.h"
#include "graph/format/format.h"

#include <stdio.h>
#include <string.h>

struct scone_eval {
    size_t count;
    scone_eval_case *cases;
};

/* What the loop over the cases shares. Pair c is predicted.items[c] with truth.items[c]. */
typedef struct eval_job {
    source_list predicted, truth;
    const char *probabilities; /* given by the caller, or NULL */
    scone_eval *eval;
    bool *by_position; /* [count] */
} eval_job;

static const char *holds(size_t count)
{
    return count == 1 ? "one graph" : "many graphs";
}

/* Both lists are sorted alike, so a partner is missing at the first place where they differ. */
static scone_status pair_up(const eval_job *job, const char *predicted, const char *truth)
{
    size_t p = job->predicted.count, t = job->truth.count;
    if (p == 1 && t == 1) return SCONE_OK;
    if (p == 1 || t == 1) {
        const source_list *many = p == 1 ? &job->truth : &job->predicted;
        return RAISE(SCONE_ERR_INPUT,
                     "%s holds %s and %s holds %s; name the one to compare with, for example %s",
                     predicted, holds(p), truth, holds(t), many->items[0].graph);
    }
    for (size_t i = 0; i < p || i < t; i++) {
        const char *mine = i < p ? job->predicted.items[i].name : NULL;
        const char *theirs = i < t ? job->truth.items[i].name : NULL;
        if (mine && theirs && strcmp(mine, theirs) == 0) continue;
        bool absent_in_truth = mine != NULL; /* is it further on, or not at all? */
        for (size_t k = i; mine && k < t; k++) {
            if (strcmp(mine, job->truth.items[k].name) == 0) absent_in_truth = false;
        }
        return RAISE(SCONE_ERR_INPUT,
                     "%s has %s, but %s has no graph of that name; every graph needs a partner",
                     absent_in_truth ? predicted : truth, absent_in_truth ? mine : theirs,
                     absent_in_truth ? truth : predicted);
    }
    return SCONE_OK;
}

/* Without names on one side nodes are matched by position, so the other side needs an order of its
 * nodes; an edge list has none. */
static scone_status require_order(const char *path)
{
    char *bytes;
    size_t size;
    scone_status status = file_read_all(&bytes, &size, path, FORMAT_FILE_LIMIT);
    if (status != SCONE_OK) return status;
    if (graph_format_of_content(bytes, size) == SCONE_GRAPH_EDGES) {
        status = RAISE(SCONE_ERR_INPUT,
                       "%s lists edges, which gives its nodes no order, and the other file has no "
                       "names to match them by; use a file with names for both, or an adjacency "
                       "table here",
                       path);
    }
    mem_free(bytes);
    return status;
}

/* Leaves the match to the caller, who frees it. */
static scone_status score_graphs(scone_scores *scores, node_match *match, const graph *predicted,
                                 const graph *truth, const eval_source *p, const eval_source *t)
{
    variables first = {p->graph, (const char *const *)predicted->names, predicted->nodes};
    variables second = {t->graph, (const char *const *)truth->names, truth->nodes};
    scone_status status = eval_match_nodes(match, &first, &second);
    if (status == SCONE_OK && match->by_position) {
        status = require_order(predicted->names ? p->graph : t->graph);
    }
    if (status == SCONE_OK) eval_scores_of_marks(scores, predicted, truth, match);
    return status;
}

static scone_status score_probabilities(scone_scores *scores, bool *by_position, const char *path,
                                        const graph *truth, const char *truth_path)
{
    scone_status status = SCONE_OK;
    probability_matrix matrix = {0};
    node_match match = {0};
    TRY(eval_probabilities_read(&matrix, path));
    variables first = {path, (const char *const *)matrix.names, matrix.nodes};
    variables second = {truth_path, (const char *const *)truth->names, truth->nodes};
    TRY(eval_match_nodes(&match, &first, &second));
    if (match.by_position && truth->names) TRY(require_order(truth_path));
    TRY(eval_ranking_auprc(&scores->auprc, &matrix, truth, &match));
    *by_position |= match.by_position;
cleanup:
    eval_match_free(&match);
    eval_probabilities_free(&matrix);
    return status;
}

/* The targets of a DCDI problem, under the names that the prediction has for its nodes. */
static scone_status dcdi_targets(target_list *list, const eval_source *source, const graph *truth,
                                 const graph *predicted, const node_match *match)
{
    scone_status status = SCONE_OK;
    TRY(dcdi_read_targets(&list->target, source->dcdi, source->index, truth->nodes));
    list->count = truth->nodes;
    TRY_ZERO(list->names, list->count);
    for (size_t u = 0; u < match->count; u++) {
        size_t here = match->first[u], there = match->second[u];
        if (there == SIZE_MAX) continue;
        const char *name =
            here != SIZE_MAX ? scone_graph_name(predicted, here) : scone_graph_name(truth, there);
        list->names[there] = mem_copy_text(name, strlen(name));
        if (!list->names[there]) TRY(SCONE_ERR_MEMORY);
    }
cleanup:
    return status;
}

static scone_status score_targets(scone_scores *scores, const eval_source *p, const eval_source *t,
                                  const graph *predicted, const graph *truth,
                                  const node_match *match)
{
    scone_status status = SCONE_OK;
    target_list first = {0}, second = {0};
    if (!p->targets || !(t->targets || t->dcdi)) return SCONE_OK;
    TRY(eval_targets_read(&first, p->targets));
    if (t->targets) {
        TRY(eval_targets_read(&second, t->targets));
    } else {
        TRY(dcdi_targets(&second, t, truth, predicted, match));
    }
    TRY(eval_scores_of_targets(scores, &first, &second, p->targets, t->targets ? t->targets : t->dcdi));
cleanup:
    eval_targets_free(&first);
    eval_targets_free(&second);
    return status;
}

static scone_status score_case(void *argument, size_t item, int worker)
{
    (void)worker;
    scone_status status = SCONE_OK;
    eval_job *job = argument;
    const eval_source *p = &job->predicted.items[item], *t = &job->truth.items[item];
    scone_eval_case *result = &job->eval->cases[item];
    const char *probabilities = job->probabilities ? job->probabilities : p->probabilities;
    bool *by_position = &job->by_position[item];
    graph *predicted = NULL, *truth = NULL;
    node_match match = {0};
    (void)snprintf(result->name, sizeof result->name, "%s", p->name);
    eval_scores_clear(&result->scores);
    TRY(scone_graph_read(&predicted, p->graph, SCONE_GRAPH_AUTO));
    TRY(scone_graph_read(&truth, t->graph, SCONE_GRAPH_AUTO));
    TRY(score_graphs(&result->scores, &match, predicted, truth, p, t));
    *by_position = match.by_position;
    if (probabilities) {
        TRY(score_probabilities(&result->scores, by_position, probabilities, truth, t->graph));
    }
    TRY(score_targets(&result->scores, p, t, predicted, truth, &match));
cleanup:
    eval_match_free(&match);
    scone_graph_free(predicted);
    scone_graph_free(truth);
    return status;
}

static void note_positions(const eval_job *job, const scone_context *context)
{
    size_t matched = 0;
    for (size_t c = 0; c < job->eval->count; c++) matched += job->by_position[c];
    if (matched == 0) return;
    context_log(context, SCONE_NOTE,
                "nodes were matched by position in %zu of %zu comparisons, since one side has no "
                "names; make sure that both list the variables in the same order",
                matched, job->eval->count);
}

scone_status scone_eval_run(scone_eval **out, const char *predicted, const char *truth,
                            const char *probabilities, const scone_context *context)
{
    scone_status status = SCONE_OK;
    eval_job job = {.probabilities = probabilities};
    *out = NULL;
    TRY(eval_sources_find(&job.predicted, predicted));
    TRY(eval_sources_find(&job.truth, truth));
    TRY(pair_up(&job, predicted, truth));
    if (probabilities && job.predicted.count > 1) {
        FAIL(SCONE_ERR_INPUT,
             "%s: one file of probabilities cannot serve %zu graphs; compare one "
             "graph, or put a probabilities.csv beside each",
             probabilities, job.predicted.count);
    }
    TRY_ZERO(job.eval, 1);
    TRY_ZERO(job.eval->cases, job.predicted.count);
    TRY_ZERO(job.by_position, job.predicted.count);
    job.eval->count = job.predicted.count;
    TRY(parallel_for(job.eval->count, context, "eval", score_case, &job));
    note_positions(&job, context);
    *out = job.eval;
    job.eval = NULL;
cleanup:
    scone_eval_free(job.eval);
    mem_free(job.by_position);
    eval_sources_free(&job.predicted);
    eval_sources_free(&job.truth);
    return status;
}

size_t scone_eval_count(const scone_eval *eval)
{
    return eval->count;
}

const scone_eval_case *scone_eval_get(const scone_eval *eval, size_t index)
{
    return &eval->cases[index];
}

void scone_eval_summary(const scone_eval *eval, scone_scores *mean, scone_scores *sd)
{
    eval_scores_summary(mean, sd, eval->cases, eval->count);
}

void scone_eval_free(scone_eval *eval)
{
    if (!eval) return;
    mem_free(eval->cases);
    mem_free(eval);
}
