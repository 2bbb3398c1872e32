/* check_conditions_cells.c - the marks of a column by what they say, and missing and infinite cells
 * in several tables (see check_condition_marks.h).
 */
#include "preflight/check_condition_marks.h"

void mark_summarize(column_summary *s, const mark_case *m, size_t k)
{
    condition_check *c = m->check;
    check_column_summarize(s, c->work.sorted[1], check_conditions_values(c, k, m->column),
                           check_conditions_table(c, k)->rows, &c->work);
}

bool mark_gather(mark_case *m, check_code code)
{
    const condition_marks *all = &m->check->marks[m->column];
    m->code = code;
    m->count = 0;
    m->total = 0.0;
    for (size_t i = 0; i < all->count; i++) {
        const condition_mark *one = &all->marks[i];
        if (one->code != code) continue;
        scone_severity severity = (scone_severity)one->severity;
        if (m->count == 0 || severity > m->severity) m->severity = severity;
        if (m->count == 0 || one->badness > m->badness) {
            m->badness = one->badness;
            m->worst = one->table;
        }
        m->total += one->badness;
        m->tables[m->count++] = one->table;
    }
    if (m->count == 0) return false;
    mark_summarize(&m->s, m, m->worst);
    check_report_begin(m->report);
    check_text_add(&m->report->columns, "%s", m->name);
    check_conditions_about(m->check, m->tables, m->count);
    return true;
}

scone_status mark_end(const mark_case *m, double value)
{
    return check_report_end(m->report, m->severity, m->code, value, m->badness);
}

/* ---- missing and infinite cells ---- */

static void tell_more(check_text *text, const mark_case *m, size_t told)
{
    if (told < m->count) check_text_add(text, "; and in %zu more tables", m->count - told);
}

/* Rows are counted as in the file, like those in the messages of the readers. */
static void tell_cells(mark_case *m, bool missing)
{
    check_text *text = &m->report->message;
    size_t told = 0;
    check_text_add(text, "'%s' has %.0f %s cell%s (", m->name, m->total,
                   missing ? "missing" : "infinite", m->total == 1.0 ? "" : "s");
    for (; told < m->count && told < CHECK_TABLES_TOLD; told++) {
        column_summary s;
        const table *t = check_conditions_table(m->check, m->tables[told]);
        mark_summarize(&s, m, m->tables[told]);
        if (told > 0) check_text_add(text, "; ");
        check_conditions_name(text, m->check, m->tables[told]);
        check_text_add(text, ": %zu of %zu rows, first in row %zu",
                       missing ? s.missing : s.infinite, t->rows,
                       table_file_row(t, missing ? s.first_missing : s.first_infinite));
    }
    tell_more(text, m, told);
    check_text_add(text, ")");
}

/* The table that --na drop would leave the fewest rows, which has to keep two. */
static size_t least_kept(const condition_check *c, size_t *kept)
{
    size_t least = 0;
    *kept = SIZE_MAX;
    for (size_t k = 0; k < c->tables; k++) {
        size_t rows = check_conditions_table(c, k)->rows - c->dropped[k];
        if (c->dropped[k] == 0 || rows >= *kept) continue;
        *kept = rows;
        least = k;
    }
    return least;
}

static void advise_drop(const mark_case *m, const char *fix)
{
    const condition_check *c = m->check;
    check_text *text = &m->report->remedy;
    size_t kept, told = 0, least = least_kept(c, &kept);
    if (kept < 2) {
        check_text_add(text, "%s; --na drop would leave only %zu row%s in ", fix, kept,
                       kept == 1 ? "" : "s");
        check_conditions_name(text, c, least);
        check_text_add(text, ", so first remove the columns with the most such cells");
        return;
    }
    check_text_add(text,
                   "%s, or run with --na drop, which removes every row with a missing or infinite "
                   "cell and leaves ",
                   fix);
    for (; told < m->count && told < CHECK_TABLES_TOLD; told++) {
        size_t k = m->tables[told], rows = check_conditions_table(c, k)->rows;
        check_text_add(text, "%s%zu of %zu rows in ", told ? ", " : "", rows - c->dropped[k], rows);
        check_conditions_name(text, c, k);
    }
    tell_more(text, m, told);
}

scone_status mark_find_cells(mark_case *m, bool missing)
{
    if (!mark_gather(m, missing ? CHECK_MISSING : CHECK_INFINITE)) return SCONE_OK;
    tell_cells(m, missing);
    if (m->check->marks[m->column].usable < m->check->tables) {
        check_text *text = &m->report->remedy;
        size_t unusable = 0, rows = 0;
        column_summary s = {0};
        for (size_t i = 0; i < m->count && (s.finite > 0 || rows == 0); i++) {
            unusable = m->tables[i];
            rows = check_conditions_table(m->check, unusable)->rows;
            mark_summarize(&s, m, unusable);
        }
        if (rows > 0 && s.finite == 0) {
            check_text_add(text, "remove the column from all tables: it has no usable cell in ");
            check_conditions_name(text, m->check, unusable);
            return mark_end(m, m->total);
        }
    }
    advise_drop(m, missing ? "fill the cells in or remove the column"
                           : "correct the cells (a division by zero or the logarithm of zero, "
                             "perhaps) or remove the column");
    return mark_end(m, m->total);
}
