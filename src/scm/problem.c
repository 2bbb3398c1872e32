/* problem.c - one problem of a setting: graph, targets and both tables. */
#include "scm/scm.h"

struct scone_problem {
    scone_graph *truth;
    scone_pair *pair;
    bool *targets;
};

/* A pair of empty tables with columns X0, X1, ... */
static scone_status alloc_pair(scone_pair **pair, size_t rows, size_t columns)
{
    scone_status status = SCONE_OK;
    TRY_ZERO(*pair, 1);
    for (int regime = 0; regime < 2; regime++) {
        TRY(table_alloc(&(*pair)->tables[regime], rows, columns, NULL));
    }
cleanup:
    return status;
}

scone_status scone_simulate(scone_problem **problem, const scone_setting *setting, size_t index,
                            const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_problem *p = NULL;
    mechanism *mechanisms;
    model m = {0};
    *problem = NULL;
    TRY_ZERO(p, 1);
    TRY(scm_draw(&m, setting, index));
    TRY(alloc_pair(&p->pair, setting->samples, m.truth->nodes));
    if (setting->wild) {
        TRY(wild_sample(p->pair->tables, &m, context));
    } else {
        TRY(scm_mechanisms(&mechanisms, &m, setting));
        TRY(scm_sample(p->pair->tables, &m, mechanisms, context));
    }
    p->truth = m.truth;
    p->targets = m.targets;
    m.truth = NULL;
    m.targets = NULL;
    *problem = p;
    p = NULL;
cleanup:
    scm_free(&m);
    scone_problem_free(p);
    return status;
}

void scone_problem_free(scone_problem *problem)
{
    if (!problem) return;
    scone_graph_free(problem->truth);
    scone_pair_free(problem->pair);
    mem_free(problem->targets);
    mem_free(problem);
}

const scone_graph *scone_problem_graph(const scone_problem *problem)
{
    return problem->truth;
}

const scone_pair *scone_problem_pair(const scone_problem *problem)
{
    return problem->pair;
}

const bool *scone_problem_targets(const scone_problem *problem)
{
    return problem->targets;
}
