/* targets.c - which mechanisms changed (see targets.h). */
#include "discover/targets.h"

#include "parallel/team.h"
#include "graph/graph_extend.h"
#include "stats/chow.h"

#include <math.h>
#include <stdlib.h>

typedef struct target_job {
    const graph *dag;
    chow_work **works; /* [threads] */
    size_t *parents;   /* [threads, nodes] */
    target_test *tests;
} target_job;

static target_test from_log(double log_p)
{
    return (target_test){
        .score = -log_p / log(10.0) + 0.0, .p_value = exp(log_p), .margin = HUGE_VAL};
}

static scone_status test_variable(void *argument, size_t item, int worker)
{
    target_job *job = argument;
    size_t *parents = job->parents + (size_t)worker * job->dag->nodes, count = 0;
    double log_p;
    const bits_word *row = graph_parents(job->dag, item);
    BITS_EACH(parent, row, job->dag->words) parents[count++] = parent;
    scone_status status = chow_test(&log_p, item, parents, count, job->works[worker]);
    if (status != SCONE_OK) return status;
    job->tests[item] = from_log(log_p);
    return SCONE_OK;
}

scone_status targets_test(target_test *tests, const scone_pair *pair, const graph *g,
                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t nodes = g->nodes, threads = (size_t)context_threads(context), cells;
    target_job job = {.tests = tests};
    graph *dag = NULL;
    graph_work *work = NULL;
    if (nodes == 0) return SCONE_OK;
    if (threads > nodes) threads = nodes;
    TRY(graph_alloc(&dag, nodes));
    TRY(graph_work_alloc(&work, nodes));
    if (!graph_extend(dag, g, work)) FAIL_DEFECT("the graph of the targets extends to no DAG");
    job.dag = dag;
    if (!size_multiply(&cells, threads, nodes)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(job.parents, cells);
    TRY_ZERO(job.works, threads);
    for (size_t t = 0; t < threads; t++) TRY(chow_work_alloc(&job.works[t], pair));
    TRY(team_for(nodes, context, "targets", test_variable, &job, tests, sizeof *tests));
cleanup:
    for (size_t t = 0; job.works && t < threads; t++) chow_work_free(job.works[t]);
    mem_free(job.works);
    mem_free(job.parents);
    graph_work_free(work);
    scone_graph_free(dag);
    return status;
}

target_test targets_split(size_t a, size_t b)
{
    int sign;
    double first = (double)a, second = (double)b;
    return from_log(lgamma_r(first + 1.0, &sign) + lgamma_r(second + 1.0, &sign) -
                    lgamma_r(first + second + 1.0, &sign));
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

scone_status targets_decide(target_test *tests, size_t count, double alpha,
                            const signed char *known)
{
    scone_status status = SCONE_OK;
    double *sorted = NULL, cut = -1.0;
    size_t open = 0;
    TRY_ALLOC(sorted, count);
    for (size_t i = 0; i < count; i++) {
        if (!known || known[i] == 0) sorted[open++] = tests[i].p_value;
    }
    if (open) qsort(sorted, open, sizeof *sorted, compare_doubles);
    for (size_t i = 0; i < open; i++) {
        if (sorted[i] <= alpha * (double)(i + 1) / (double)open) cut = sorted[i];
    }
    for (size_t i = 0; i < count; i++) {
        bool told = known && known[i] != 0;
        bool found = tests[i].p_value <= cut && tests[i].margin >= TARGET_LEAST_MARGIN;
        tests[i].target = told ? known[i] > 0 : found;
    }
cleanup:
    mem_free(sorted);
    return status;
}
