/* targets_conditions.c - which mechanisms changed in which of several conditions (see targets.h).
 *
 * Each condition is tested against the control by itself; the decisions are made over all
 * conditions and variables together. Cost: K times that of two tables with the control in each.
 */
#include "discover/targets.h"

#include <math.h>
#include <string.h>

/* A condition's rows: those of the second table from `first` on. */
static scone_status copy_rows(table **out, const table *from, size_t first, size_t rows)
{
    scone_status status = table_alloc(out, rows, from->columns, (const char *const *)from->names);
    if (status != SCONE_OK) return status;
    for (size_t j = 0; j < from->columns; j++) {
        memcpy(table_column(*out, j), table_column(from, j) + first, rows * sizeof(double));
    }
    return SCONE_OK;
}

static scone_status test_condition(target_test *tests, const targets_request *r, size_t condition,
                                   size_t first, const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t nodes = r->map->node_count;
    target_test *of_nodes = NULL;
    double *margins = NULL;
    table *rows = NULL;
    TRY_ALLOC(of_nodes, nodes);
    TRY_ALLOC(margins, nodes);
    TRY(copy_rows(&rows, r->pair->tables[1], first, r->condition_rows[condition]));
    scone_pair view = {{r->pair->tables[0], rows}};
    const knowledge here = r->known ? knowledge_in(r->known, condition) : (knowledge){0};
    TRY(targets_test(of_nodes, &view, r->graph, r->rows, context));
    for (size_t i = 0; i < nodes; i++) {
        margins[i] = r->margins ? r->margins[i * r->conditions + condition] : HUGE_VAL;
        if (isnan(of_nodes[i].p_value)) of_nodes[i] = targets_split(1, 1); /* nothing to test */
    }
    TRY(targets_of_variables(tests, r->map, of_nodes, margins, r->known ? &here : NULL, r->alpha));
cleanup:
    scone_table_free(rows);
    mem_free(margins);
    mem_free(of_nodes);
    return status;
}

/* The test of the condition that speaks most for a change, with whether any is a target. */
static target_test strongest(const target_test *tests, size_t variable, size_t variables,
                             size_t conditions)
{
    target_test best = tests[variable];
    for (size_t k = 1; k < conditions; k++) {
        const target_test *test = &tests[k * variables + variable];
        bool better = test->target != best.target ? test->target : test->score > best.score;
        if (better) best = *test;
    }
    return best;
}

scone_status targets_conditions(target_test *tests, target_test *of_variables,
                                const targets_request *r, const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t variables = r->map->count, cells, first = 0;
    signed char *known = NULL;
    if (!size_multiply(&cells, variables, r->conditions)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ZERO(known, cells);
    for (size_t k = 0; k < r->conditions; first += r->condition_rows[k++]) {
        TRY(test_condition(tests + k * variables, r, k, first, context));
        const knowledge here = r->known ? knowledge_in(r->known, k) : (knowledge){0};
        for (size_t v = 0; v < variables; v++) {
            if (r->map->kinds[v] == VARIABLE_CONSTANT) known[k * variables + v] = -1;
            if (r->known && here.targets[v] != 0) known[k * variables + v] = here.targets[v];
        }
    }
    TRY(targets_decide(tests, cells, r->alpha, known));
    for (size_t v = 0; v < variables; v++) {
        of_variables[v] = strongest(tests, v, variables, r->conditions);
    }
cleanup:
    mem_free(known);
    return status;
}
