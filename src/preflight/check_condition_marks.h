/* check_condition_marks.h - what is the matter with one column, and in which tables: what
 * check_conditions_cells.c and check_conditions_columns.c tell. */
#ifndef SCONE_PREFLIGHT_CHECK_CONDITION_MARKS_H
#define SCONE_PREFLIGHT_CHECK_CONDITION_MARKS_H

#include "preflight/check_conditions.h"

/* What is the matter with a column, and where. */
typedef struct mark_case {
    condition_check *check;
    scone_check *report;
    size_t column;
    const char *name; /* of the column */
    check_code code;
    scone_severity severity; /* the worst */
    size_t *tables, count;   /* in their order */
    size_t worst;            /* table */
    double badness, total;   /* of the worst; of all together */
    column_summary s;        /* of the worst */
} mark_case;

/* Of the column in one table. */
void mark_summarize(column_summary *s, const mark_case *m, size_t k);
/* Gathers the marks of one code and begins a finding; false: there are none. */
bool mark_gather(mark_case *m, check_code code);
scone_status mark_end(const mark_case *m, double value);
/* Missing (or else infinite) cells (check_conditions_cells.c). */
scone_status mark_find_cells(mark_case *m, bool missing);

#endif
