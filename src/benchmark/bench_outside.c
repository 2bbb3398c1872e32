/* bench_outside.c - a method of the caller in a benchmark: its name, its identity, and the scores
 * of its graph (docs/manual/compare.md).
 */
#include "benchmark/bench.h"

#include "eval/eval.h"
#include "graph/graph.h"

#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void bench_outside_id(char id[BENCH_ID_SIZE], const scone_bench_outside *outside)
{
    XXH64_hash_t hash =
        XXH64(outside->command, strlen(outside->command), outside->told_targets ? 1 : 0);
    (void)snprintf(id, BENCH_ID_SIZE, "%016llx", (unsigned long long)hash);
}

/* ---- what is asked for ---- */

enum { NAME_LIMIT = 40 };

static scone_status check_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789.-_";
    size_t length = strlen(name);
    if (length > 0 && length <= NAME_LIMIT && strspn(name, allowed) == length) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "'%.100s' cannot name a method; use up to %d letters, digits, dots, dashes and "
                 "underscores",
                 name, NAME_LIMIT);
}

scone_status bench_outside_check(const scone_bench_options *o)
{
    scone_status status = SCONE_OK;
    if (o->outside_count > SCONE_BENCH_MOST_OUTSIDE) {
        FAIL(SCONE_ERR_INPUT, "there are %zu methods from outside, and at most %d can be run",
             o->outside_count, SCONE_BENCH_MOST_OUTSIDE);
    }
    for (size_t m = 0; m < o->outside_count; m++) {
        const char *name = o->outside[m].name;
        TRY(check_name(name));
        for (const char *const *own = scone_method_names(); *own; own++) {
            if (strcmp(*own, name) != 0) continue;
            FAIL(SCONE_ERR_INPUT, "'%s' is a method of scone; give the command another name", name);
        }
        for (size_t other = 0; other < m; other++) {
            if (strcmp(o->outside[other].name, name) != 0) continue;
            FAIL(SCONE_ERR_INPUT, "two commands are named '%s'; give each its own name", name);
        }
    }
cleanup:
    return status;
}

/* ---- one graph ---- */

/* A reason stands in a cell and in a line of output: what could break these is replaced. */
static void keep_reason(char kept[SCONE_BENCH_REASON], const char *reason)
{
    size_t length = 0;
    for (; reason[length] && length + 1 < SCONE_BENCH_REASON; length++) {
        char c = reason[length];
        kept[length] = c < ' ' || c > '~' ? '?' : c;
    }
    while (length > 0 && kept[length - 1] == ' ') length--;
    kept[length] = '\0';
}

static void fail_method(bench_outcome *outcome, const char *reason)
{
    outcome->status = SCONE_BENCH_FAILED;
    keep_reason(outcome->reason, reason);
}

/* The name of a node of `predicted` that the truth does not have, or NULL. */
static const char *stranger(const graph *predicted, const graph *truth)
{
    for (size_t i = 0; i < predicted->nodes; i++) {
        const char *name = scone_graph_name(predicted, i);
        size_t j = 0;
        while (j < truth->nodes && strcmp(scone_graph_name(truth, j), name) != 0) j++;
        if (j == truth->nodes) return name;
    }
    return NULL;
}

/* Not having a node is having it without edges. */
static scone_status score_graph(bench_outcome *outcome, const graph *predicted, const graph *truth)
{
    scone_status status = SCONE_OK;
    char reason[SCONE_BENCH_REASON];
    const char *name = stranger(predicted, truth);
    if (!name) {
        TRY(scone_eval_graphs(&outcome->scores, predicted, truth));
    } else {
        (void)snprintf(reason, sizeof reason,
                       "its graph has the node '%.80s', which the tables "
                       "do not have",
                       name);
        fail_method(outcome, reason);
    }
cleanup:
    return status;
}

scone_status bench_outside_run(bench_outcome *outcome, const scone_bench_options *options,
                               const scone_bench_outside *outside, const scone_problem *problem)
{
    scone_status status = SCONE_OK;
    scone_bench_answer answer = {.status = SCONE_BENCH_OK};
    *outcome = (bench_outcome){.status = SCONE_BENCH_OK};
    eval_scores_clear(&outcome->scores);
    scone_status ran = options->run_outside(options->user, outside, problem, &answer);
    if (ran != SCONE_OK) FAIL(ran, "%s", answer.reason);
    outcome->seconds = answer.seconds;
    outcome->status = answer.status;
    keep_reason(outcome->reason, answer.reason);
    if (answer.status != SCONE_BENCH_OK) goto cleanup;
    if (answer.graph) {
        TRY(score_graph(outcome, answer.graph, scone_problem_graph(problem)));
    } else {
        fail_method(outcome, "it gave no graph");
    }
cleanup:
    scone_graph_free(answer.graph);
    return status;
}
