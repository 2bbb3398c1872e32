/* targets.c - which mechanisms changed (see targets.h). */
#include "discover/targets.h"

#include "data/pair.h"
#include "parallel/team.h"
#include "graph/graph_extend.h"
#include "stats/adjust.h"
#include "stats/chow.h"

#include <math.h>

typedef struct target_job {
    const graph *dag;
    chow_work **works; /* [threads] */
    movement_work **moves;
    size_t *parents; /* [threads, nodes] */
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
    return movement_find(&job->tests[item].moved, item, parents, count, job->moves[worker]);
}

scone_status targets_extend(graph **out, const graph *g)
{
    scone_status status = SCONE_OK;
    graph *dag = NULL;
    graph_work *work = NULL;
    *out = NULL;
    TRY(graph_alloc(&dag, g->nodes));
    TRY(graph_work_alloc(&work, g->nodes));
    if (!graph_extend(dag, g, work)) FAIL_DEFECT("the graph of the targets extends to no DAG");
    *out = dag;
    dag = NULL;
cleanup:
    graph_work_free(work);
    scone_graph_free(dag);
    return status;
}

scone_status targets_test(target_test *tests, const scone_pair *pair, const graph *g, size_t rows,
                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_pair *few = NULL;
    size_t nodes = g->nodes, threads = (size_t)context_threads(context), cells;
    target_job job = {.tests = tests};
    graph *dag = NULL;
    if (nodes == 0) return SCONE_OK;
    if (threads > nodes) threads = nodes;
    TRY(targets_extend(&dag, g));
    job.dag = dag;
    if (rows > 0) TRY(pair_thin(&few, pair, rows));
    if (!size_multiply(&cells, threads, nodes)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(job.parents, cells);
    TRY_ZERO(job.works, threads);
    TRY_ZERO(job.moves, threads);
    for (size_t t = 0; t < threads; t++) {
        TRY(chow_work_alloc(&job.works[t], few ? few : pair));
        TRY(movement_work_alloc(&job.moves[t], few ? few : pair));
    }
    TRY(team_for(nodes, context, "targets", test_variable, &job, tests, sizeof *tests));
cleanup:
    for (size_t t = 0; job.works && t < threads; t++) chow_work_free(job.works[t]);
    for (size_t t = 0; job.moves && t < threads; t++) movement_work_free(job.moves[t]);
    mem_free(job.works);
    mem_free(job.moves);
    mem_free(job.parents);
    scone_pair_free(few);
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

scone_status targets_decide(target_test *tests, size_t count, double alpha,
                            const signed char *known)
{
    scone_status status = SCONE_OK;
    double *adjusted = NULL;
    TRY_ALLOC(adjusted, count);
    for (size_t i = 0; i < count; i++) {
        adjusted[i] = known && known[i] != 0 ? (double)NAN : tests[i].p_value;
    }
    TRY(adjust_benjamini_hochberg(adjusted, adjusted, count));
    for (size_t i = 0; i < count; i++) {
        bool told = known && known[i] != 0;
        bool found = adjusted[i] <= alpha && tests[i].margin >= TARGET_LEAST_MARGIN;
        /* Not >: without enough rows to tell there is no yardstick. */
        const movement *m = &tests[i].moved;
        bool beyond = !(m->decides && m->size <= m->natural);
        tests[i].target = told ? known[i] > 0 : found && beyond;
    }
cleanup:
    mem_free(adjusted);
    return status;
}

scone_status targets_of_variables(target_test *tests, const column_map *map,
                                  const target_test *of_nodes, const double *margins,
                                  const knowledge *k, double alpha)
{
    scone_status status = SCONE_OK;
    signed char *known = NULL;
    TRY_ZERO(known, map->count);
    for (size_t v = 0; v < map->count; v++) {
        tests[v] = (target_test){.score = 0.0, .p_value = 1.0, .margin = HUGE_VAL};
        if (map->kinds[v] == VARIABLE_CONSTANT) known[v] = -1;
        tests[v].moved.onset = map->rows[1];
        if (map->kinds[v] == VARIABLE_SPLIT) {
            tests[v] = targets_split(map->rows[0], map->rows[1]);
            tests[v].moved.size = tests[v].moved.alone = movement_of_constant(map->rows[0]);
        }
        if (k && k->targets[v] != 0) known[v] = k->targets[v];
    }
    for (size_t i = 0; i < map->node_count; i++) {
        target_test *test = &tests[map->nodes[i]];
        *test = of_nodes[i];
        test->margin = margins[i];
        double evidence = fmax(test->margin, 0.0) / log(10.0);
        test->score = fmin(test->score, evidence); /* the weaker of the two */
    }
    TRY(targets_decide(tests, map->count, alpha, known));
    for (size_t v = 0; k && v < map->count; v++) tests[v].known = k->targets[v] != 0;
cleanup:
    mem_free(known);
    return status;
}
