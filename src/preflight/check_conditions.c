/* check_conditions.c - scone_check_conditions: examines every column in every table, then writes
 * findings as scone_check_run does (see check_conditions.h).
 */
#include "preflight/check_conditions.h"

#include "parallel/parallel.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of tables ---- */

void check_conditions_name(check_text *text, const condition_check *c, size_t k)
{
    const char *name = c->conditions->names[k];
    if (k == 0) {
        check_text_add(text, "the control");
    } else {
        check_text_add(text, "'%s'", text_show(name, strlen(name)).text);
    }
}

void check_conditions_list(check_text *text, const condition_check *c, const size_t *tables,
                           size_t count)
{
    size_t told = count <= CHECK_TABLES_TOLD + 1 ? count : CHECK_TABLES_TOLD;
    if (count == c->tables) {
        check_text_add(text, "all %zu tables", count);
        return;
    }
    if (count == c->tables - 1 && tables[0] > 0 && count > 2) {
        check_text_add(text, "all %zu conditions", count);
        return;
    }
    for (size_t i = 0; i < told; i++) {
        if (i > 0) check_text_add(text, "%s", i + 1 == count ? " and " : ", ");
        check_conditions_name(text, c, tables[i]);
    }
    if (told < count) check_text_add(text, " and %zu more conditions", count - told);
}

void check_conditions_about(condition_check *c, const size_t *tables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        c->report->conditions[i] = c->conditions->names[tables[i]];
    }
    c->report->condition_count = count;
}

/* ---- one column in one table ---- */

static scone_status mark(condition_marks *m, size_t k, check_code code, scone_severity severity,
                         double badness)
{
    if (m->count == m->capacity) {
        size_t capacity = 2 * m->capacity + 4;
        condition_mark *grown = mem_resize(m->marks, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        m->marks = grown;
        m->capacity = capacity;
    }
    m->marks[m->count++] = (condition_mark){.badness = badness,
                                            .table = (uint32_t)k,
                                            .code = (unsigned char)code,
                                            .severity = (unsigned char)severity};
    return SCONE_OK;
}

/* A note from `note` on, a warning from `warning` on. */
static scone_status mark_above(condition_marks *m, size_t k, check_code code, double value,
                               double note, double warning)
{
    if (!(value >= note)) return SCONE_OK;
    return mark(m, k, code, value >= warning ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE, value);
}

static scone_status mark_cells(condition_marks *m, size_t k, const column_summary *s)
{
    scone_status status = SCONE_OK;
    if (s->missing) TRY(mark(m, k, CHECK_MISSING, SCONE_SEVERITY_ERROR, (double)s->missing));
    if (s->infinite) TRY(mark(m, k, CHECK_INFINITE, SCONE_SEVERITY_ERROR, (double)s->infinite));
cleanup:
    return status;
}

/* Sets *done if the column hardly varies here: it needs no finding about its shape. */
static scone_status mark_constant(condition_marks *m, bool *done, size_t k, const column_summary *s)
{
    double share = check_column_common(s);
    *done = true;
    if (s->distinct == 1) {
        m->constant++;
        if (s->finite < CHECK_CONDITION_FIXED) return SCONE_OK;
        return mark(m, k, CHECK_CONSTANT_ONE, SCONE_SEVERITY_WARNING, (double)s->finite);
    }
    if (check_column_spread(s) <= CHECK_ROUNDING) {
        return mark(m, k, CHECK_NEARLY_CONSTANT, SCONE_SEVERITY_WARNING, 2.0);
    }
    *done = share >= CHECK_SHARE_NOTE;
    return mark_above(m, k, CHECK_NEARLY_CONSTANT, share, CHECK_SHARE_NOTE, CHECK_SHARE_WARNING);
}

static bool is_discrete(const column_facts *all)
{
    size_t rows = all->regime[0].finite + all->regime[1].finite;
    return all->distinct <= CHECK_DISTINCT_NOTE && rows >= CHECK_DISTINCT_ROWS * all->distinct;
}

static scone_status mark_shape(condition_marks *m, size_t k, const column_summary *s, bool discrete)
{
    scone_status status = SCONE_OK;
    bool heavy = s->tail_ratio >= CHECK_TAIL_RATIO;
    if (!discrete && s->common_count > 1) {
        TRY(mark_above(m, k, CHECK_TIES, check_column_common(s), CHECK_TIED, HUGE_VAL));
    }
    if (s->finite >= CHECK_CONDITION_ROBUST) {
        TRY(mark_above(m, k, CHECK_OUTLIERS, s->worst_z,
                       heavy ? CHECK_OUTLIER_WARNING : CHECK_OUTLIER_NOTE, CHECK_OUTLIER_WARNING));
    }
    TRY(mark_above(m, k, CHECK_HEAVY_TAILS, s->tail_ratio, CHECK_TAIL_RATIO, HUGE_VAL));
    double offset = s->deviation > 0.0 ? fabs(s->mean) / s->deviation : 0.0;
    TRY(mark_above(m, k, CHECK_OFFSET, offset, CHECK_OFFSET_NOTE, CHECK_OFFSET_WARNING));
cleanup:
    return status;
}

/* How a condition lies to the control: facts->regime[1] to facts->regime[0]. */
static scone_status mark_against(condition_marks *m, size_t k, const column_facts *facts,
                                 double *const sorted[2])
{
    scone_status status = SCONE_OK;
    const column_summary *a = &facts->regime[0], *b = &facts->regime[1];
    if (a->finite < CHECK_UNIT_ROWS || b->finite < 2 || !(a->scale > 0.0)) return SCONE_OK;
    int unit = check_column_unit(facts, sorted);
    if (unit != 0) {
        return mark(m, k, CHECK_UNIT, SCONE_SEVERITY_WARNING, pow(10.0, abs(unit)));
    }
    double shift = fabs(b->median / a->scale - a->median / a->scale);
    TRY(mark_above(m, k, CHECK_SHIFT, shift, CHECK_SHIFT_NOTE, CHECK_SHIFT_WARNING));
    if (b->finite < CHECK_UNIT_ROWS || !(b->scale > 0.0)) goto cleanup;
    double ratio = fmax(b->scale / a->scale, a->scale / b->scale);
    TRY(mark_above(m, k, CHECK_SCALE, ratio, CHECK_SCALE_NOTE, CHECK_SCALE_WARNING));
cleanup:
    return status;
}

/* ---- all columns, on all threads ---- */

typedef struct column_loop {
    condition_check *check;
    column_work *work; /* [threads] */
} column_loop;

static scone_status examine_table(condition_check *c, size_t column, size_t k, column_facts *facts,
                                  column_work *work)
{
    scone_status status = SCONE_OK;
    condition_marks *m = &c->marks[column];
    const table *t = check_conditions_table(c, k);
    column_summary *s = &facts->regime[k > 0];
    const column_summary *control = &facts->regime[0];
    bool discrete = is_discrete(&c->pooled.facts[column]), done = false;
    check_column_summarize(s, work->sorted[k > 0], check_conditions_values(c, k, column), t->rows,
                           work);
    m->usable += s->finite > 0;
    TRY(mark_cells(m, k, s));
    if (s->finite == 0) return SCONE_OK;
    TRY(mark_constant(m, &done, k, s));
    if (!done) TRY(mark_shape(m, k, s, discrete));
    if (k > 0 && control->distinct > 1) TRY(mark_against(m, k, facts, work->sorted));
cleanup:
    return status;
}

static scone_status examine_item(void *argument, size_t column, int worker)
{
    const column_loop *loop = argument;
    column_facts facts;
    scone_status status = SCONE_OK;
    for (size_t k = 0; k < loop->check->tables && status == SCONE_OK; k++) {
        status = examine_table(loop->check, column, k, &facts, &loop->work[worker]);
    }
    return status;
}

static scone_status work_alloc(column_work *work, size_t control, size_t longest)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(work->sorted[0], control);
    TRY_ALLOC(work->sorted[1], longest);
    TRY_ALLOC(work->keys, 2 * longest); /* of the size of two columns: no overflow */
cleanup:
    return status;
}

static void work_free(column_work *work)
{
    mem_free(work->sorted[0]);
    mem_free(work->sorted[1]);
    mem_free(work->keys);
}

/* How many rows of each table --na drop would remove. */
static scone_status count_dropped(condition_check *c)
{
    scone_status status = SCONE_OK;
    size_t *first = NULL, rows = 0;
    bool *bad = NULL;
    TRY_ALLOC(first, c->tables);
    for (size_t k = 0; k < c->tables; k++) {
        first[k] = rows;
        rows += check_conditions_table(c, k)->rows;
    }
    TRY_ZERO(bad, rows);
    for (size_t j = 0; j < c->pooled.columns; j++) {
        for (size_t i = 0; i < c->marks[j].count; i++) {
            const condition_mark *m = &c->marks[j].marks[i];
            if (m->code != CHECK_MISSING && m->code != CHECK_INFINITE) continue;
            const double *x = check_conditions_values(c, m->table, j);
            bool *here = bad + first[m->table];
            for (size_t r = 0; r < check_conditions_table(c, m->table)->rows; r++) {
                here[r] = here[r] || !isfinite(x[r]);
            }
        }
    }
    for (size_t k = 0; k < c->tables; k++) {
        size_t end = k + 1 < c->tables ? first[k + 1] : rows;
        for (size_t r = first[k]; r < end; r++) c->dropped[k] += bad[r];
    }
cleanup:
    mem_free(first);
    mem_free(bad);
    return status;
}

/* Fills in marks and dropped. */
static scone_status examine(condition_check *c)
{
    scone_status status = SCONE_OK;
    column_loop loop = {.check = c};
    const scone_context *context = c->pooled.context;
    size_t threads = (size_t)context_threads(context), columns = c->pooled.columns;
    size_t control = check_conditions_table(c, 0)->rows, longest = 0;
    for (size_t k = 0; k < c->tables; k++) {
        size_t rows = check_conditions_table(c, k)->rows;
        longest = rows > longest ? rows : longest;
    }
    if (threads > columns) threads = columns ? columns : 1;
    TRY(work_alloc(&c->work, control, longest));
    TRY_ZERO(loop.work, threads);
    for (size_t t = 0; t < threads; t++) TRY(work_alloc(&loop.work[t], control, longest));
    TRY_ZERO(c->marks, columns);
    TRY_ZERO(c->dropped, c->tables);
    TRY(parallel_for(columns, context, "checking conditions", examine_item, &loop));
    TRY(count_dropped(c));
cleanup:
    for (size_t t = 0; loop.work && t < threads; t++) work_free(&loop.work[t]);
    mem_free(loop.work);
    return status;
}

/* ---- the whole ---- */

static void condition_check_free(condition_check *c)
{
    for (size_t j = 0; c->marks && j < c->pooled.columns; j++) mem_free(c->marks[j].marks);
    mem_free(c->marks);
    mem_free(c->dropped);
    work_free(&c->work);
    mem_free(c->pooled.order);
    mem_free(c->pooled.facts);
}

scone_status check_conditions(scone_check **out, const scone_conditions *conditions,
                              const scone_pair *pooled, const scone_context *context)
{
    scone_status status = SCONE_OK;
    condition_check c = {.conditions = conditions,
                         .tables = conditions->count + 1,
                         .pooled = {.tables = {pooled->tables[0], pooled->tables[1]},
                                    .columns = pooled->tables[0]->columns,
                                    .labels = {"the control", "the conditions together"},
                                    .both = "all tables",
                                    .context = context}};
    *out = NULL;
    TRY_ZERO(c.report, 1);
    TRY(arena_alloc(&c.report->memory, 0));
    TRY_ALLOC(c.report->conditions, c.tables);
    TRY(check_order_columns(&c.pooled));
    TRY(check_examine_columns(&c.pooled));
    TRY(examine(&c));
    TRY(check_conditions_tables(&c));
    TRY(check_conditions_columns(&c));
    TRY(check_columns_spread(c.report, &c.pooled));
    TRY(check_linear(c.report, &c.pooled));
    check_report_sort(c.report);
    *out = c.report;
    c.report = NULL;
cleanup:
    condition_check_free(&c);
    scone_check_free(c.report);
    return status;
}

scone_status scone_check_conditions(scone_check **out, const scone_conditions *conditions,
                                    const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_pair view = {{conditions->tables[0], conditions->tables[1]}}, *pooled = NULL;
    *out = NULL;
    if (conditions->count == 1) return scone_check_run(out, &view, context);
    TRY(scone_conditions_pool(&pooled, conditions));
    TRY(check_conditions(out, conditions, pooled, context));
cleanup:
    scone_pair_free(pooled);
    return status;
}
