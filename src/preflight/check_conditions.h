/* check_conditions.h - the preflight over a control and several conditions.
 *
 * What holds of one column in several tables is one finding, which names the first few and counts
 * the rest; what holds of all tables together (discrete, duplicate and collinear columns, spread of
 * scales) is looked for in the control and all conditions pooled. Thresholds are those of check.h
 * but for these, since conditions share their mechanisms and may be short:
 * - too-few-rows: a condition of less than CHECK_CONDITION_ROWS rows; of the control as with two
 *   tables.
 * - more-columns-than-rows: rows of all tables together.
 * - unequal-rows, rows-in-common: each condition against the control.
 * - same-table: also two conditions of the same rows.
 * - constant-in-one-regime: not in tables of fewer than CHECK_CONDITION_FIXED values; outliers: not
 *   of fewer than CHECK_CONDITION_ROBUST.
 *
 * Cost for n rows in all tables, p columns and K conditions: O(n p), two copies of a column, and a
 * copy of the tables in which the pooled findings are made; n p^2 flops for correlations as with
 * two tables; K times the rows of the control only for columns that seem to have another unit.
 */
#ifndef SCONE_PREFLIGHT_CHECK_CONDITIONS_H
#define SCONE_PREFLIGHT_CHECK_CONDITIONS_H

#include "data/conditions/conditions.h"
#include "preflight/check.h"

enum { CHECK_TABLES_TOLD = 5 }; /* names in a message; --json has all */

/* Something about a column in one table. */
typedef struct condition_mark {
    double badness; /* within one code, larger is worse */
    uint32_t table; /* 0: the control */
    unsigned char code, severity;
} condition_mark;

typedef struct condition_marks {
    condition_mark *marks; /* by table */
    size_t count, capacity;
    size_t constant, usable; /* tables in which the column has one value, and any value at all */
} condition_marks;

typedef struct condition_check {
    scone_check *report;
    const scone_conditions *conditions;
    size_t tables;          /* with the control */
    check_input pooled;     /* the control, and all conditions together */
    condition_marks *marks; /* [columns] by position in pooled.order */
    size_t *dropped;        /* [tables] rows with a missing or infinite cell */
    column_work work;       /* for one table at a time */
} condition_check;

static inline const table *check_conditions_table(const condition_check *c, size_t k)
{
    return c->conditions->tables[k];
}

static inline const double *check_conditions_values(const condition_check *c, size_t k,
                                                    size_t column)
{
    return table_column(c->conditions->tables[k], c->pooled.order[column]);
}

/* scone_check_conditions with the pooled tables that the caller has (check_conditions.c). */
scone_status check_conditions(scone_check **check, const scone_conditions *conditions,
                              const scone_pair *pooled, const scone_context *context);

/* ---- parts of it ---- */

/* "the control" or "'low'" */
void check_conditions_name(check_text *text, const condition_check *c, size_t k);
/* "the control, 'a', 'b' and 7 more conditions"; tables [count] by number. */
void check_conditions_list(check_text *text, const condition_check *c, const size_t *tables,
                           size_t count);
/* The finding being written is about these tables. */
void check_conditions_about(condition_check *c, const size_t *tables, size_t count);

scone_status check_conditions_tables(condition_check *c);
scone_status check_conditions_columns(condition_check *c);

#endif
