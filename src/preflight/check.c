/* check.c - scone_check_run: examines the columns on all threads, then writes findings in a fixed
 * order and sorts them worst first (see check.h for what is looked for).
 *
 * Cost for n rows and p columns: O(n p) for single columns and rows, n p^2 flops for correlations.
 */
#include "preflight/check.h"

#include "parallel/parallel.h"
#include "text/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

scone_status check_order_columns(check_input *input)
{
    scone_status status = SCONE_OK;
    const char *const *names = (const char *const *)input->tables[0]->names;
    TRY_ALLOC(input->order, input->columns);
    TRY(names_order(input->order, names, input->columns));
cleanup:
    return status;
}

/* ---- single columns, on all threads ---- */

typedef struct column_loop {
    check_input *input;
    column_work *work; /* [threads] */
} column_loop;

static scone_status examine_item(void *argument, size_t column, int worker)
{
    const column_loop *loop = argument;
    const check_input *input = loop->input;
    const double *const values[2] = {check_values(input, 0, column),
                                     check_values(input, 1, column)};
    const size_t rows[2] = {input->tables[0]->rows, input->tables[1]->rows};
    check_column_examine(&input->facts[column], values, rows, &loop->work[worker]);
    return SCONE_OK;
}

scone_status check_examine_columns(check_input *input)
{
    scone_status status = SCONE_OK;
    column_loop loop = {.input = input};
    size_t threads = (size_t)context_threads(input->context);
    size_t rows[2] = {input->tables[0]->rows, input->tables[1]->rows};
    size_t longer = rows[0] > rows[1] ? rows[0] : rows[1];
    if (threads > input->columns) threads = input->columns ? input->columns : 1;
    TRY_ZERO(loop.work, threads);
    for (size_t t = 0; t < threads; t++) {
        TRY_ALLOC(loop.work[t].sorted[0], rows[0]);
        TRY_ALLOC(loop.work[t].sorted[1], rows[1]);
        TRY_ALLOC(loop.work[t].keys, 2 * longer); /* of the size of two columns: no overflow */
    }
    TRY_ZERO(input->facts, input->columns);
    TRY(parallel_for(input->columns, input->context, "checking columns", examine_item, &loop));
cleanup:
    for (size_t t = 0; loop.work && t < threads; t++) {
        mem_free(loop.work[t].sorted[0]);
        mem_free(loop.work[t].sorted[1]);
        mem_free(loop.work[t].keys);
    }
    mem_free(loop.work);
    return status;
}

/* How many rows --na drop would remove. */
static scone_status count_dropped(check_input *input)
{
    scone_status status = SCONE_OK;
    bool *bad = NULL;
    for (int regime = 0; regime < 2; regime++) {
        size_t rows = input->tables[regime]->rows;
        TRY_ZERO(bad, rows);
        for (size_t j = 0; j < input->columns; j++) {
            const column_summary *s = &input->facts[j].regime[regime];
            if (s->missing + s->infinite == 0) continue;
            const double *values = check_values(input, regime, j);
            for (size_t r = 0; r < rows; r++) bad[r] = bad[r] || !isfinite(values[r]);
        }
        for (size_t r = 0; r < rows; r++) input->dropped[regime] += bad[r];
        mem_free(bad);
        bad = NULL;
    }
cleanup:
    mem_free(bad);
    return status;
}

/* ---- the public calls ---- */

scone_status scone_check_run(scone_check **out, const scone_pair *pair,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_check *report = NULL;
    check_input input = {.tables = {pair->tables[0], pair->tables[1]},
                         .columns = pair->tables[0]->columns,
                         .labels = {"regime 0", "regime 1"},
                         .both = "both regimes",
                         .context = context};
    *out = NULL;
    if (pair->tables[1]->columns != input.columns) FAIL_DEFECT("tables of different width");
    TRY_ZERO(report, 1);
    TRY(arena_alloc(&report->memory, 0));
    TRY(check_order_columns(&input));
    TRY(check_examine_columns(&input));
    TRY(count_dropped(&input));
    TRY(check_tables(report, &input));
    TRY(check_columns(report, &input));
    TRY(check_linear(report, &input));
    check_report_sort(report);
    *out = report;
    report = NULL;
cleanup:
    mem_free(input.order);
    mem_free(input.facts);
    scone_check_free(report);
    return status;
}

size_t scone_check_count(const scone_check *check)
{
    return check->count;
}

const scone_finding *scone_check_get(const scone_check *check, size_t index)
{
    return index < check->count ? &check->entries[index].finding : NULL;
}

void scone_check_free(scone_check *check)
{
    if (!check) return;
    arena_free(check->memory);
    mem_free(check->entries);
    mem_free(check->conditions);
    mem_free(check->columns.bytes);
    mem_free(check->message.bytes);
    mem_free(check->remedy.bytes);
    mem_free(check);
}
