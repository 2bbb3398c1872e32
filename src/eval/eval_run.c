/* eval_run.c - the evaluation behind `scone eval`: finds the cases on both sides, pairs them by
 * name, reads and scores each. Cases are independent and run on the context's threads.
 */
#include "eval/eval.h"

#include "io/file.h"
#include "parallel/parallel.h"
#include "graph/format/format.h"
#include "text/limits.h"

#include <stdio.h>
#include <string.h>

struct scone_eval {
    size_t count;
    scone_eval_case *cases;
};

/* What is told about how the nodes of a case were matched. */
typedef struct case_notes {
    bool by_position;
    size_t alone; /* nodes on one side only */
    bool joined;  /* conditions, since one side alone tells them apart */
} case_notes;

/* What the loop over the cases shares. Pair c is predicted.items[c] with truth.items[c]. */
typedef struct eval_job {
    source_list predicted, truth;
    const char *probabilities; /* given by the caller, or NULL */
    scone_eval *eval;
    case_notes *notes; /* [count] */
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

static scone_status is_edge_list(bool *edges, const char *path)
{
    char *bytes;
    size_t size;
    scone_graph_format format = graph_format_of_name(path);
    *edges = false;
    if (format != SCONE_GRAPH_EDGES && format != SCONE_GRAPH_AUTO) return SCONE_OK;
    scone_status status = file_read_all(&bytes, &size, path, TEXT_FILE_LIMIT);
    if (status != SCONE_OK) return status;
    *edges = graph_format_of_content(bytes, size) == SCONE_GRAPH_EDGES;
    mem_free(bytes);
    return status;
}

/* Without names on one side nodes are matched by position, so the other side needs an order of its
 * nodes; an edge list has none. */
static scone_status require_order(const char *path)
{
    bool edges;
    scone_status status = is_edge_list(&edges, path);
    if (status != SCONE_OK || !edges) return status;
    return RAISE(SCONE_ERR_INPUT,
                 "%s lists edges, which gives its nodes no order, and the other file has no "
                 "names to match them by; use a file with names for both, or an adjacency "
                 "table here",
                 path);
}

/* Does the file list nodes without edges, too? An edge list can, and does if it has one. */
static scone_status is_complete(bool *complete, const graph *g, const char *path)
{
    scone_status status = SCONE_OK;
    bool edges, *touched = NULL;
    TRY(is_edge_list(&edges, path));
    TRY_ZERO(touched, g->nodes);
    for (edge_cursor e = {0}; graph_next_edge(g, &e);) touched[e.source] = touched[e.target] = true;
    *complete = !edges;
    for (size_t v = 0; v < g->nodes; v++) *complete |= !touched[v];
cleanup:
    mem_free(touched);
    return status;
}

/* Leaves the match, and whether each side lists all its nodes, to the caller, who frees it. */
static scone_status score_graphs(scone_scores *scores, node_match *match, bool complete[2],
                                 case_notes *notes, const graph *predicted, const graph *truth,
                                 const eval_source *p, const eval_source *t)
{
    scone_status status = SCONE_OK;
    variables first = {p->graph, (const char *const *)predicted->names, predicted->nodes};
    variables second = {t->graph, (const char *const *)truth->names, truth->nodes};
    TRY(eval_match_nodes(match, &first, &second));
    if (match->by_position) TRY(require_order(predicted->names ? p->graph : t->graph));
    notes->by_position = match->by_position;
    TRY(is_complete(&complete[0], predicted, p->graph));
    TRY(is_complete(&complete[1], truth, t->graph));
    TRY(eval_match_check(&notes->alone, match, &first, &second, complete));
    eval_scores_of_marks(scores, predicted, truth, match);
cleanup:
    return status;
}

static scone_status score_probabilities(scone_scores *scores, case_notes *notes, const char *path,
                                        const graph *truth, const char *truth_path)
{
    scone_status status = SCONE_OK;
    probability_matrix matrix = {0};
    node_match match = {0};
    size_t alone;
    bool complete[2] = {true, true};
    TRY(eval_probabilities_read(&matrix, path));
    variables first = {path, (const char *const *)matrix.names, matrix.nodes};
    variables second = {truth_path, (const char *const *)truth->names, truth->nodes};
    TRY(eval_match_nodes(&match, &first, &second));
    if (match.by_position && truth->names) TRY(require_order(truth_path));
    notes->by_position |= match.by_position;
    TRY(is_complete(&complete[1], truth, truth_path));
    TRY(eval_match_check(&alone, &match, &first, &second, complete));
    if (alone > notes->alone) notes->alone = alone;
    TRY(eval_ranking_auprc(&scores->auprc, &matrix, truth, &match));
cleanup:
    eval_match_free(&match);
    eval_probabilities_free(&matrix);
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
    case_notes *notes = &job->notes[item];
    graph *predicted = NULL, *truth = NULL;
    node_match match = {0};
    bool complete[2];
    (void)snprintf(result->name, sizeof result->name, "%s", p->name);
    eval_scores_clear(&result->scores);
    TRY(scone_graph_read(&predicted, p->graph, SCONE_GRAPH_AUTO));
    TRY(scone_graph_read(&truth, t->graph, SCONE_GRAPH_AUTO));
    TRY(score_graphs(&result->scores, &match, complete, notes, predicted, truth, p, t));
    if (probabilities) {
        TRY(score_probabilities(&result->scores, notes, probabilities, truth, t->graph));
    }
    const eval_graphs graphs = {{p, t}, {predicted, truth}, &match, {complete[0], complete[1]}};
    TRY(eval_run_targets(&result->scores, &notes->joined, &graphs));
cleanup:
    eval_match_free(&match);
    scone_graph_free(predicted);
    scone_graph_free(truth);
    return status;
}

static void tell_notes(const eval_job *job, const scone_context *context)
{
    size_t count = job->eval->count, matched = 0, partial = 0, joined = 0, first = count;
    for (size_t c = 0; c < count; c++) {
        matched += job->notes[c].by_position;
        partial += job->notes[c].alone > 0;
        joined += job->notes[c].joined;
        if (job->notes[c].alone > 0 && first == count) first = c;
    }
    if (matched > 0) {
        context_log(context, SCONE_NOTE,
                    "nodes were matched by position in %zu of %zu comparisons, since one side has "
                    "no names; make sure that both list the variables in the same order",
                    matched, count);
    }
    if (partial > 0) {
        context_log(
            context, SCONE_NOTE,
            "in %zu of %zu comparisons one side has nodes that the other does not name (%s: "
            "%zu); they count as nodes without edges there",
            partial, count, job->predicted.items[first].graph, job->notes[first].alone);
    }
    if (joined > 0) {
        context_log(context, SCONE_NOTE,
                    "in %zu of %zu comparisons one side alone tells conditions apart; a variable "
                    "counts as a target there if it is one in any condition",
                    joined, count);
    }
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
    TRY_ZERO(job.notes, job.predicted.count);
    job.eval->count = job.predicted.count;
    TRY(parallel_for(job.eval->count, context, "eval", score_case, &job));
    tell_notes(&job, context);
    *out = job.eval;
    job.eval = NULL;
cleanup:
    scone_eval_free(job.eval);
    mem_free(job.notes);
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
