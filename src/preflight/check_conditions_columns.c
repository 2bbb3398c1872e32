/* check_conditions_columns.c - findings about columns, one by one, over a control and several
 * conditions (see check_conditions.h). Each tells the worst table in numbers and names the others.
 */
#include "preflight/check_condition_marks.h"

#include <math.h>

/* "; 'a', 'b' and 3 more conditions likewise": the tables that are not the worst. */
static void tell_others(mark_case *m)
{
    size_t others = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (m->tables[i] != m->worst) m->tables[others++] = m->tables[i];
    }
    if (others == 0) return;
    check_text_add(&m->report->message, "; likewise in ");
    check_conditions_list(&m->report->message, m->check, m->tables, others);
}

static void tell_worst(mark_case *m)
{
    check_conditions_name(&m->report->message, m->check, m->worst);
}

/* ---- no or little variation ---- */

/* One value in every table that has any: sets *found. */
static scone_status find_constant(mark_case *m, bool *found)
{
    const condition_marks *all = &m->check->marks[m->column];
    const column_facts *f = &m->check->pooled.facts[m->column];
    size_t values = f->regime[0].finite + f->regime[1].finite;
    *found = all->usable > 0 && all->constant == all->usable;
    if (!*found) return SCONE_OK;
    check_report_begin(m->report);
    check_text_add(&m->report->columns, "%s", m->name);
    double first = f->regime[0].finite ? f->regime[0].low : f->regime[1].low;
    if (f->distinct == 1) {
        check_text_add(&m->report->message, "'%s' never varies: every value is %s", m->name,
                       number_rounded(first, 6).text);
    } else {
        check_text_add(&m->report->message,
                       "'%s' never varies within a table: each has one value, from %s to %s",
                       m->name, number_rounded(fmin(f->regime[0].low, f->regime[1].low), 6).text,
                       number_rounded(fmax(f->regime[0].high, f->regime[1].high), 6).text);
    }
    check_text_add(&m->report->remedy,
                   "remove the column, or expect no edges at it: a value that never varies is "
                   "neither cause nor effect in these data");
    return check_report_end(m->report, SCONE_SEVERITY_WARNING, CHECK_CONSTANT, (double)values, 0.0);
}

static scone_status find_constant_somewhere(mark_case *m)
{
    if (!mark_gather(m, CHECK_CONSTANT_ONE)) return SCONE_OK;
    check_text *text = &m->report->message;
    check_text_add(text, "'%s' is %s in every row of ", m->name, number_rounded(m->s.low, 6).text);
    tell_worst(m);
    check_text_add(text, " but varies in other tables");
    if (m->count > 1) {
        size_t others = 0;
        for (size_t i = 0; i < m->count; i++) {
            if (m->tables[i] != m->worst) m->tables[others++] = m->tables[i];
        }
        check_text_add(text, "; it has one value as well in ");
        check_conditions_list(text, m->check, m->tables, others);
    }
    check_text_add(&m->report->remedy,
                   "make sure that '%s' was measured there; if it was held fixed on purpose, keep "
                   "it, but its mechanism is learned from the other tables alone",
                   m->name);
    return mark_end(m, m->s.low);
}

static scone_status find_nearly_constant(mark_case *m)
{
    if (!mark_gather(m, CHECK_NEARLY_CONSTANT)) return SCONE_OK;
    check_text *text = &m->report->message;
    if (check_column_spread(&m->s) <= CHECK_ROUNDING) {
        check_text_add(text, "'%s' varies by %s around %s in ", m->name,
                       number_rounded(m->s.deviation, 3).text, number_rounded(m->s.mean, 6).text);
        tell_worst(m);
        check_text_add(text, ": only in the last digits that a number can hold");
        tell_others(m);
        check_text_add(&m->report->remedy, "store the column with its offset subtracted, from the "
                                           "original measurements, or remove it");
        return mark_end(m, check_column_spread(&m->s));
    }
    check_text_add(text, "'%s' is %s in %s of the rows of ", m->name,
                   number_rounded(m->s.common_value, 6).text,
                   check_number_percent(m->badness).text);
    tell_worst(m);
    check_text_add(text, " (%zu of %zu)", m->s.common_count, m->s.finite);
    tell_others(m);
    check_text_add(&m->report->remedy,
                   "collect more rows in which '%s' varies, or remove the column: its few other "
                   "values decide what is found about it there",
                   m->name);
    return mark_end(m, m->badness);
}

/* ---- shape ---- */

static scone_status find_discrete(mark_case *m)
{
    const column_facts *f = &m->check->pooled.facts[m->column];
    size_t rows = f->regime[0].finite + f->regime[1].finite, distinct = f->distinct;
    if (distinct < 2 || distinct > CHECK_DISTINCT_NOTE || rows < CHECK_DISTINCT_ROWS * distinct) {
        return SCONE_OK;
    }
    check_report_begin(m->report);
    check_text_add(&m->report->columns, "%s", m->name);
    check_text_add(&m->report->message, "'%s' takes %zu distinct values in %zu rows of all tables",
                   m->name, distinct, rows);
    check_text_add(&m->report->remedy,
                   "if '%s' is a category, a grade or a rounded count, prefer the measurement it "
                   "was made from; edges at a discrete column are less certain",
                   m->name);
    return check_report_end(m->report,
                            distinct <= CHECK_DISTINCT_WARNING ? SCONE_SEVERITY_WARNING
                                                               : SCONE_SEVERITY_NOTE,
                            CHECK_DISCRETE, (double)distinct, -(double)distinct);
}

static scone_status find_ties(mark_case *m)
{
    if (!mark_gather(m, CHECK_TIES)) return SCONE_OK;
    check_text_add(&m->report->message, "'%s' is %s in %zu of the %zu rows of ", m->name,
                   number_rounded(m->s.common_value, 6).text, m->s.common_count, m->s.finite);
    tell_worst(m);
    check_text_add(&m->report->message, " (%s)", check_number_percent(m->badness).text);
    tell_others(m);
    check_text_add(&m->report->remedy,
                   "find out whether %s stands for a detection limit, a default or a missing "
                   "value; give the measured values, or leave such rows empty and use --na drop",
                   number_rounded(m->s.common_value, 6).text);
    return mark_end(m, m->badness);
}

static const char *logarithm_hint(const mark_case *m)
{
    const column_summary *s = m->check->pooled.facts[m->column].regime;
    return s[0].low > 0.0 && s[1].low > 0.0
               ? "; all values are positive, so consider taking logarithms in all tables"
               : "";
}

static scone_status find_outliers(mark_case *m)
{
    if (!mark_gather(m, CHECK_OUTLIERS)) return SCONE_OK;
    const table *t = check_conditions_table(m->check, m->worst);
    check_text_add(&m->report->message, "'%s' is %s in row %zu of ", m->name,
                   number_rounded(m->s.worst_value, 6).text, table_file_row(t, m->s.worst_row));
    tell_worst(m);
    check_text_add(&m->report->message,
                   ", %s robust deviations from the median %s (excess kurtosis %s)",
                   number_rounded(m->badness, 3).text, number_rounded(m->s.median, 4).text,
                   number_rounded(m->s.kurtosis, 3).text);
    tell_others(m);
    check_text_add(&m->report->remedy, "look at that row: correct or remove it if it is an error%s",
                   logarithm_hint(m));
    return mark_end(m, m->badness);
}

static scone_status find_heavy_tails(mark_case *m)
{
    if (!mark_gather(m, CHECK_HEAVY_TAILS)) return SCONE_OK;
    check_text_add(&m->report->message, "'%s' has heavy tails in ", m->name);
    tell_worst(m);
    check_text_add(&m->report->message,
                   ": the middle 99%% of its rows are %s times as wide as the middle half, where a "
                   "normal column has 3.8 (excess kurtosis %s)",
                   number_rounded(m->badness, 3).text, number_rounded(m->s.kurtosis, 3).text);
    tell_others(m);
    check_text_add(&m->report->remedy, "look at a histogram of '%s'%s", m->name, logarithm_hint(m));
    return mark_end(m, m->badness);
}

/* ---- units, and how a condition lies to the control ---- */

static scone_status find_offset(mark_case *m)
{
    if (!mark_gather(m, CHECK_OFFSET)) return SCONE_OK;
    check_text_add(&m->report->message, "'%s' has mean %s and standard deviation %s in ", m->name,
                   number_rounded(m->s.mean, 6).text, number_rounded(m->s.deviation, 3).text);
    tell_worst(m);
    check_text_add(&m->report->message, ": the mean is %s deviations from 0",
                   number_rounded(m->badness, 3).text);
    tell_others(m);
    check_text_add(&m->report->remedy,
                   "subtract one round number (%s) from '%s' in all tables before they are "
                   "written, so that digits go to the variation",
                   number_rounded(m->s.mean, 3).text, m->name);
    return mark_end(m, m->badness);
}

static scone_status find_unit(mark_case *m)
{
    if (!mark_gather(m, CHECK_UNIT)) return SCONE_OK;
    column_summary control;
    mark_summarize(&control, m, 0);
    bool larger = m->s.scale > control.scale;
    check_text_add(&m->report->message, "'%s' looks the same in ", m->name);
    tell_worst(m);
    check_text_add(&m->report->message,
                   " as in the control up to a factor of %s (median %s and spread %s, in the "
                   "control %s and %s)",
                   number_rounded(m->badness, 1).text, number_rounded(m->s.median, 3).text,
                   number_rounded(m->s.scale, 3).text, number_rounded(control.median, 3).text,
                   number_rounded(control.scale, 3).text);
    tell_others(m);
    check_text_add(&m->report->remedy, "if the tables use different units, %s '%s' in ",
                   larger ? "divide" : "multiply", m->name);
    check_conditions_name(&m->report->remedy, m->check, m->worst);
    check_text_add(&m->report->remedy, " by %s; otherwise it will be taken for a change",
                   number_rounded(m->badness, 1).text);
    return mark_end(m, larger ? m->badness : 1.0 / m->badness);
}

static scone_status find_shift(mark_case *m)
{
    if (!mark_gather(m, CHECK_SHIFT)) return SCONE_OK;
    column_summary control;
    mark_summarize(&control, m, 0);
    check_text_add(&m->report->message, "'%s' lies far from the control in ", m->name);
    tell_worst(m);
    check_text_add(&m->report->message,
                   ": median %s, in the control %s, which is %s of the control's robust deviations "
                   "away",
                   number_rounded(m->s.median, 4).text, number_rounded(control.median, 4).text,
                   number_rounded(m->badness, 3).text);
    tell_others(m);
    check_text_add(&m->report->remedy,
                   "make sure that '%s' was measured the same way there (instrument, unit, "
                   "calibration); if it was, nothing: that is a change",
                   m->name);
    return mark_end(m, m->badness);
}

static scone_status find_scale(mark_case *m)
{
    if (!mark_gather(m, CHECK_SCALE)) return SCONE_OK;
    column_summary control;
    mark_summarize(&control, m, 0);
    check_text_add(&m->report->message, "'%s' varies %s times as %s in ", m->name,
                   number_rounded(m->badness, 3).text,
                   m->s.scale > control.scale ? "much" : "little");
    tell_worst(m);
    check_text_add(&m->report->message, " as in the control (robust deviations %s and %s)",
                   number_rounded(m->s.scale, 3).text, number_rounded(control.scale, 3).text);
    tell_others(m);
    check_text_add(&m->report->remedy,
                   "make sure that '%s' has the same unit and the same instrument there; if it "
                   "has, nothing: that is a change",
                   m->name);
    return mark_end(m, m->s.scale / control.scale);
}

/* ---- all of them ---- */

static scone_status check_column(mark_case *m)
{
    scone_status status = SCONE_OK;
    bool constant;
    TRY(mark_find_cells(m, true));
    TRY(mark_find_cells(m, false));
    TRY(find_constant(m, &constant));
    if (constant) goto cleanup;
    TRY(find_constant_somewhere(m));
    TRY(find_nearly_constant(m));
    TRY(find_discrete(m));
    TRY(find_ties(m));
    TRY(find_outliers(m));
    TRY(find_heavy_tails(m));
    TRY(find_offset(m));
    TRY(find_unit(m));
    TRY(find_shift(m));
    TRY(find_scale(m));
cleanup:
    return status;
}

scone_status check_conditions_columns(condition_check *c)
{
    scone_status status = SCONE_OK;
    size_t *tables = NULL;
    TRY_ALLOC(tables, c->tables);
    for (size_t j = 0; j < c->pooled.columns; j++) {
        mark_case m = {.check = c,
                       .report = c->report,
                       .column = j,
                       .name = check_name(&c->pooled, j),
                       .tables = tables};
        TRY(check_column(&m));
    }
cleanup:
    mem_free(tables);
    return status;
}
