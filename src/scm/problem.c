/* problem.c - one problem of a setting: graph, targets and tables. */
#include "data/conditions/conditions.h"
#include "scm/scm.h"

#include <stdio.h>

struct scone_problem {
    scone_graph *truth;
    scone_conditions *conditions;
    scone_pair view;    /* of the tables of one condition */
    scone_pair *pooled; /* of several; NULL: there is one */
    bool *changed;      /* [nodes]: in any condition */
    bool *targets;      /* [conditions + 1, nodes] */
};

enum { NAME_SIZE = 24 };

/* The control and conditions, empty, with columns X0, X1, ... */
static scone_status alloc_conditions(scone_conditions **out, const scone_setting *setting,
                                     size_t columns)
{
    scone_status status = SCONE_OK;
    size_t count = scm_conditions(setting) + 1;
    table **tables = NULL;
    const char **names = NULL;
    char(*texts)[NAME_SIZE] = NULL;
    TRY_ZERO(tables, count);
    TRY_ZERO(names, count);
    TRY_ZERO(texts, count);
    for (size_t k = 0; k < count; k++) {
        TRY(table_alloc(&tables[k], scm_rows(setting, k), columns, NULL));
        (void)snprintf(texts[k], NAME_SIZE, "c%zu", k);
        names[k] = k == 0 ? "obs" : count == 2 ? "int" : texts[k];
    }
    TRY(conditions_adopt(out, tables, names, count));
cleanup:
    for (size_t k = 0; tables && k < count; k++) scone_table_free(tables[k]);
    mem_free(tables);
    mem_free(names);
    mem_free(texts);
    return status;
}

/* What is derived from the tables and the targets of the conditions. */
static scone_status join_conditions(scone_problem *p)
{
    scone_status status = SCONE_OK;
    size_t nodes = p->truth->nodes, count = p->conditions->count;
    p->view = (scone_pair){{p->conditions->tables[0], p->conditions->tables[1]}};
    if (count > 1) TRY(scone_conditions_pool(&p->pooled, p->conditions));
    TRY_ZERO(p->changed, nodes);
    for (size_t k = 1; k <= count; k++) {
        for (size_t v = 0; v < nodes; v++) p->changed[v] |= p->targets[k * nodes + v];
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
    TRY(alloc_conditions(&p->conditions, setting, m.truth->nodes));
    if (setting->wild) {
        TRY(wild_sample(p->conditions->tables, &m, context));
    } else {
        TRY(scm_mechanisms(&mechanisms, &m, setting));
        TRY(scm_sample(p->conditions->tables, &m, mechanisms, context));
    }
    p->truth = m.truth;
    p->targets = m.targets;
    m.truth = NULL;
    m.targets = NULL;
    TRY(join_conditions(p));
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
    scone_conditions_free(problem->conditions);
    scone_pair_free(problem->pooled);
    mem_free(problem->changed);
    mem_free(problem->targets);
    mem_free(problem);
}

const scone_graph *scone_problem_graph(const scone_problem *problem)
{
    return problem->truth;
}

const scone_pair *scone_problem_pair(const scone_problem *problem)
{
    return problem->pooled ? problem->pooled : &problem->view;
}

const scone_conditions *scone_problem_conditions(const scone_problem *problem)
{
    return problem->conditions;
}

const bool *scone_problem_targets(const scone_problem *problem)
{
    return problem->changed;
}

const bool *scone_problem_condition_targets(const scone_problem *problem, size_t condition)
{
    return problem->targets + condition * problem->truth->nodes;
}
