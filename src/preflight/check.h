/* check.h - the preflight: what scone_check_run looks for, and from which numbers on.
 *
 * All thresholds stand in this one table; docs/manual/check.md says why each matters and what to
 * do. n is the number of rows of the smaller regime, p the number of columns.
 *
 * code                     error          warning                        note
 * no-columns               p = 0
 * empty-regime             no rows
 * missing-values           any cell
 * infinite-values          any cell
 * same-table                              equal rows, any order
 * unit-trouble                            scale x 10^k, rest the same
 * far-shift                               median 100 deviations away     10 deviations
 * other-scale                             deviation 100 times another    10 times
 * constant-column                         one value in both regimes
 * constant-in-one-regime                  one value in one regime
 * duplicate-columns                       1 - |correlation| <= 1e-12
 * collinear-columns                       1 - R^2 <= 1e-8
 * collinear-in-one-regime                 the same within one regime
 * rows-in-common                          >= 5% of the smaller table     any row
 * too-few-rows                            n < 100                        n < 10 p
 * nearly-constant                         one value in >= 99% of rows,   in >= 95%
 *                                         or spread <= 1e-13 of size
 * outliers                                robust z >= 100                >= 20
 * discrete-column                         <= 10 distinct values          <= 50
 * large-offset                            |mean| >= 1e10 deviations      >= 1e5
 * scale-spread                            deviations differ by 1e10      by 1e4
 * unequal-rows                            ratio >= 100                   >= 10
 * one-column                              p = 1
 * more-columns-than-rows                                                 p >= n
 * columns-not-compared                                                   p > 4000
 * heavy-tails                                                            tail ratio >= 10
 * tied-values                                                            one value in >= 10%
 *
 * far-shift and other-scale compare a condition with the control, where there are several
 * conditions; check_conditions.h has what else is particular to these.
 *
 * Within one severity the codes come in this order (missing and infinite cells share a place), and
 * within one code the worse number first. Columns are always taken in the order of their names, so
 * the findings do not depend on the order in the file.
 */
#ifndef SCONE_PREFLIGHT_CHECK_H
#define SCONE_PREFLIGHT_CHECK_H

#include "base/arena.h"
#include "base/context.h"
#include "text/number/number.h"
#include "data/table.h"

#define CHECK_DUPLICATE        1e-12
#define CHECK_COLLINEAR        1e-8
#define CHECK_COMMON_WARNING   0.05
#define CHECK_COMMON_CHANCE    3.0 /* times the share of rows repeated within a table */
#define CHECK_ROWS_WARNING     100
#define CHECK_ROWS_PER_COLUMN  10
#define CHECK_SHARE_WARNING    0.99
#define CHECK_SHARE_NOTE       0.95
#define CHECK_ROUNDING         1e-13
#define CHECK_OUTLIER_WARNING  100.0
#define CHECK_OUTLIER_NOTE     20.0
#define CHECK_DISTINCT_WARNING 10
#define CHECK_DISTINCT_NOTE    50
#define CHECK_DISTINCT_ROWS    10 /* rows per distinct value, or few rows pass for few values */
#define CHECK_OFFSET_WARNING   1e10
#define CHECK_OFFSET_NOTE      1e5
#define CHECK_SPREAD_WARNING   1e10
#define CHECK_SPREAD_NOTE      1e4
#define CHECK_UNEQUAL_WARNING  100.0
#define CHECK_UNEQUAL_NOTE     10.0
#define CHECK_COMPARED_COLUMNS 4000 /* a correlation matrix of more would fill the memory */
#define CHECK_TAIL_RATIO       10.0 /* (q99.5 - q0.5) / (q75 - q25); a normal has 3.8 */
#define CHECK_TAIL_ROWS        200
#define CHECK_TIED             0.1 /* rows of a regime with one value */
#define CHECK_UNIT_ROWS        30
#define CHECK_UNIT_LOG         0.1   /* |log10 of the ratio of scales - k| */
#define CHECK_UNIT_KOLMOGOROV  1.63  /* two-sample test at 1% */
#define CHECK_UNIT_DISTANCE    0.05  /* or a distance this small, however many the rows */
#define CHECK_SHIFT_WARNING    100.0 /* in robust deviations of the control */
#define CHECK_SHIFT_NOTE       10.0
#define CHECK_SCALE_WARNING    100.0
#define CHECK_SCALE_NOTE       10.0
#define CHECK_CONDITION_ROWS   50 /* fewer of a condition are told */
#define CHECK_CONDITION_ROBUST 20 /* rows of a condition in which outliers are looked for, */
#define CHECK_CONDITION_FIXED  5  /* and those in which a constant is no accident */

typedef enum check_code {
    CHECK_NO_COLUMNS,
    CHECK_EMPTY_REGIME,
    CHECK_MISSING,
    CHECK_INFINITE,
    CHECK_SAME_TABLE,
    CHECK_UNIT,
    CHECK_SHIFT,
    CHECK_SCALE,
    CHECK_CONSTANT,
    CHECK_CONSTANT_ONE,
    CHECK_DUPLICATES,
    CHECK_COLLINEAR_BOTH,
    CHECK_COLLINEAR_ONE,
    CHECK_COMMON_ROWS,
    CHECK_FEW_ROWS,
    CHECK_NEARLY_CONSTANT,
    CHECK_OUTLIERS,
    CHECK_DISCRETE,
    CHECK_OFFSET,
    CHECK_SPREAD,
    CHECK_UNEQUAL,
    CHECK_ONE_COLUMN,
    CHECK_WIDE,
    CHECK_NOT_COMPARED,
    CHECK_HEAVY_TAILS,
    CHECK_TIES,
    CHECK_CODES
} check_code;

/* ---- what is known about one column (check_column.c) ---- */

/* Of one regime; statistics are over the finite values. Rows count from 0. */
typedef struct column_summary {
    size_t finite, missing, infinite;
    size_t first_missing, first_infinite;
    double low, high, mean, deviation, kurtosis; /* divisor n; excess kurtosis */
    double median, scale;                        /* scale: 1.4826 MAD, or its stand-in */
    size_t distinct, tied;                       /* tied: rows whose value occurs again */
    size_t common_count;                         /* rows with the most common value */
    double common_value;
    double worst_z, worst_value; /* the farthest from the median, in units of scale */
    size_t worst_row;
    double tail_ratio; /* 0 if there are too few rows */
} column_summary;

typedef struct column_facts {
    column_summary regime[2];
    size_t distinct;   /* over both regimes */
    int unit_exponent; /* regime 1 looks like regime 0 times 10^this; 0: it does not */
} column_facts;

/* Scratch for one worker. */
typedef struct column_work {
    double *sorted[2]; /* the finite values of each regime */
    uint64_t *keys;    /* [2, rows of the longer table] */
} column_work;

void check_column_examine(column_facts *facts, const double *const values[2], const size_t rows[2],
                          column_work *work);
/* One table: its finite values are sorted [rows] afterwards. */
void check_column_summarize(column_summary *summary, double *sorted, const double *values,
                            size_t rows, column_work *work);
/* The exponent of ten by which the regimes' units seem to differ, or 0. */
int check_column_unit(const column_facts *facts, double *const sorted[2]);
double
check_column_common(const column_summary *s); /* the share of rows with the commonest value */
double check_column_spread(const column_summary *s); /* relative to the size of the values */

/* ---- the pair under examination (check.c) ---- */

typedef struct check_input {
    const table *tables[2];
    size_t columns;
    size_t *order;                /* [columns] table positions in the order of the names */
    column_facts *facts;          /* [columns] by position in `order` */
    size_t dropped[2];            /* rows with a missing or infinite cell */
    const char *labels[2], *both; /* "regime 0" and "regime 1", "both regimes" */
    const scone_context *context;
} check_input;

scone_status check_order_columns(check_input *input);   /* fills in order, */
scone_status check_examine_columns(check_input *input); /* then facts */

static inline const char *check_name(const check_input *input, size_t column)
{
    return input->tables[0]->names[input->order[column]];
}

static inline const double *check_values(const check_input *input, int regime, size_t column)
{
    return table_column(input->tables[regime], input->order[column]);
}

/* ---- the list of findings (check_report.c) ---- */

typedef struct check_text {
    char *bytes; /* NUL-terminated, or NULL when empty */
    size_t length, capacity;
    bool failed; /* memory ran out; told by check_report_end */
} check_text;

typedef struct check_entry {
    scone_finding finding;
    check_code code;
    double badness; /* within one code, larger is worse */
} check_entry;

struct scone_check {
    arena *memory; /* of the texts */
    check_entry *entries;
    size_t count, capacity;
    check_text columns, message, remedy; /* of the finding being written */
    const char **conditions;             /* the same; names of the caller, which outlive it */
    size_t condition_count;
};

void check_text_add(check_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

number_text check_number_percent(double share); /* "12.5%" */

/* Writing a finding: check_report_begin, then add to report->columns, message and remedy, then
 * check_report_end. */
void check_report_begin(scone_check *report);
scone_status check_report_end(scone_check *report, scone_severity severity, check_code code,
                              double value, double badness);
void check_report_sort(scone_check *report);

/* ---- the examinations ---- */

scone_status check_tables(scone_check *report, const check_input *input);  /* rows, same table */
scone_status check_columns(scone_check *report, const check_input *input); /* one by one */
scone_status check_linear(scone_check *report,
                          const check_input *input); /* duplicates, collinear */
/* Parts of the first two, for tables of several conditions. */
scone_status check_tables_columns(scone_check *report, const check_input *input);
scone_status check_columns_spread(scone_check *report, const check_input *input);
/* hashes [rows]: a word for each row, which -0 and the kind of NaN do not change. */
scone_status check_tables_hash(uint64_t *hashes, const table *t, const size_t *order,
                               const scone_context *context);
size_t check_tables_repeated(const uint64_t *sorted, size_t count); /* that occur more than once */

#endif
