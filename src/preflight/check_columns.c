/* check_columns.c - findings about columns taken one by one (see check.h). */
#include "preflight/check.h"

#include <math.h>
#include <stdlib.h>

typedef struct column_case {
    scone_check *report;
    const check_input *input;
    const column_facts *facts;
    const char *name;
} column_case;

static void begin(const column_case *c)
{
    check_report_begin(c->report);
    check_text_add(&c->report->columns, "%s", c->name);
}

static size_t rows_of(const column_case *c, int regime)
{
    return c->input->tables[regime]->rows;
}

/* ---- missing and infinite cells ---- */

/* Rows are counted as in the file, like those in the messages of the readers. */
static void tell_cells(check_text *message, const check_input *input, const size_t counts[2],
                       const size_t firsts[2])
{
    const char *separator = "";
    for (int regime = 0; regime < 2; regime++) {
        if (counts[regime] == 0) continue;
        check_text_add(message, "%sregime %d: %zu of %zu rows, first in row %zu", separator, regime,
                       counts[regime], input->tables[regime]->rows,
                       table_file_row(input->tables[regime], firsts[regime]));
        separator = "; ";
    }
}

/* `enough`: dropping rows leaves something to work with in both regimes. */
static void tell_drop(check_text *remedy, const check_input *input, const char *fix)
{
    size_t kept[2];
    for (int regime = 0; regime < 2; regime++) {
        kept[regime] = input->tables[regime]->rows - input->dropped[regime];
    }
    if (kept[0] >= 2 && kept[1] >= 2) {
        check_text_add(
            remedy,
            "%s, or run with --na drop, which removes every row with a missing or infinite "
            "cell and leaves %zu of %zu rows in regime 0 and %zu of %zu in regime 1",
            fix, kept[0], input->tables[0]->rows, kept[1], input->tables[1]->rows);
    } else {
        check_text_add(
            remedy,
            "%s; --na drop would leave only %zu rows in regime 0 and %zu in regime 1, so first "
            "remove the columns with the most such cells",
            fix, kept[0], kept[1]);
    }
}

static scone_status find_cells(const column_case *c, bool missing)
{
    const column_summary *s = c->facts->regime;
    size_t counts[2], firsts[2], rows[2] = {rows_of(c, 0), rows_of(c, 1)};
    for (int regime = 0; regime < 2; regime++) {
        counts[regime] = missing ? s[regime].missing : s[regime].infinite;
        firsts[regime] = missing ? s[regime].first_missing : s[regime].first_infinite;
    }
    size_t total = counts[0] + counts[1];
    if (total == 0) return SCONE_OK;
    begin(c);
    check_text_add(&c->report->message, "'%s' has %zu %s cell%s (", c->name, total,
                   missing ? "missing" : "infinite", total == 1 ? "" : "s");
    tell_cells(&c->report->message, c->input, counts, firsts);
    check_text_add(&c->report->message, ")");
    if (s[0].finite == 0 || s[1].finite == 0) {
        check_text_add(&c->report->remedy,
                       "remove the column from both tables: it has no usable cell in regime %d",
                       s[0].finite == 0 && rows[0] > 0 ? 0 : 1);
    } else {
        tell_drop(&c->report->remedy, c->input,
                  missing ? "fill the cells in or remove the column"
                          : "correct the cells (a division by zero or the logarithm of zero, "
                            "perhaps) or remove the column");
    }
    return check_report_end(c->report, SCONE_SEVERITY_ERROR,
                            missing ? CHECK_MISSING : CHECK_INFINITE, (double)total, (double)total);
}

/* ---- no or little variation ---- */

/* Sets *done if the column is constant somewhere: it needs no finding about its shape. */
static scone_status find_constant(const column_case *c, bool *done)
{
    const column_summary *s = c->facts->regime;
    bool constant[2] = {s[0].distinct == 1, s[1].distinct == 1};
    bool known[2] = {s[0].finite > 0, s[1].finite > 0};
    *done = constant[0] || constant[1];
    if (!*done) return SCONE_OK;
    begin(c);
    check_text *message = &c->report->message;
    if ((constant[0] || !known[0]) && (constant[1] || !known[1])) {
        check_text_add(message, "'%s' never varies: ", c->name);
        if (c->facts->distinct == 1) {
            check_text_add(message, "every value is %s",
                           number_rounded(known[0] ? s[0].low : s[1].low, 6).text);
        } else {
            check_text_add(message, "every value is %s in regime 0 and %s in regime 1",
                           number_rounded(s[0].low, 6).text, number_rounded(s[1].low, 6).text);
        }
        check_text_add(&c->report->remedy,
                       "remove the column, or expect no edges at it: a value that "
                       "never varies is neither cause nor effect in these data");
        return check_report_end(c->report, SCONE_SEVERITY_WARNING, CHECK_CONSTANT,
                                (double)(s[0].finite + s[1].finite), 0.0);
    }
    int fixed = constant[0] ? 0 : 1;
    check_text_add(message, "'%s' is %s in every row of regime %d but varies in regime %d", c->name,
                   number_rounded(s[fixed].low, 6).text, fixed, 1 - fixed);
    check_text_add(&c->report->remedy,
                   "make sure that '%s' was measured in regime %d; if it was held fixed there on "
                   "purpose, keep it, but its mechanism can be learned from regime %d alone",
                   c->name, fixed, 1 - fixed);
    return check_report_end(c->report, SCONE_SEVERITY_WARNING, CHECK_CONSTANT_ONE, s[fixed].low,
                            (double)s[fixed].finite);
}

static scone_status find_nearly_constant(const column_case *c, bool *done)
{
    const column_summary *s = c->facts->regime;
    *done = false;
    int worse = check_column_common(&s[1]) > check_column_common(&s[0]) ? 1 : 0;
    double share = check_column_common(&s[worse]);
    int flat =
        s[1].finite && (!s[0].finite || check_column_spread(&s[1]) < check_column_spread(&s[0]));
    double spread = check_column_spread(&s[flat]);
    if (spread <= CHECK_ROUNDING) {
        begin(c);
        check_text_add(
            &c->report->message,
            "'%s' varies in regime %d by %s around %s: only in the last digits that a number "
            "can hold",
            c->name, flat, number_rounded(s[flat].deviation, 3).text,
            number_rounded(s[flat].mean, 6).text);
        check_text_add(&c->report->remedy, "store the column with its offset subtracted, from the "
                                           "original measurements, or remove it");
        *done = true;
        return check_report_end(c->report, SCONE_SEVERITY_WARNING, CHECK_NEARLY_CONSTANT, spread,
                                2.0);
    }
    if (share < CHECK_SHARE_NOTE) return SCONE_OK;
    begin(c);
    check_text_add(&c->report->message, "'%s' is %s in %s of the rows of regime %d (%zu of %zu)",
                   c->name, number_rounded(s[worse].common_value, 6).text,
                   check_number_percent(share).text, worse, s[worse].common_count, s[worse].finite);
    check_text_add(&c->report->remedy,
                   "collect more rows in which '%s' varies, or remove the column: "
                   "its few other values decide all of its edges",
                   c->name);
    *done = true;
    return check_report_end(
        c->report, share >= CHECK_SHARE_WARNING ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
        CHECK_NEARLY_CONSTANT, share, share);
}

/* ---- shape ---- */

static scone_status find_discrete(const column_case *c)
{
    const column_summary *s = c->facts->regime;
    size_t rows = s[0].finite + s[1].finite, distinct = c->facts->distinct;
    if (distinct <= CHECK_DISTINCT_NOTE && rows >= CHECK_DISTINCT_ROWS * distinct) {
        begin(c);
        check_text_add(&c->report->message, "'%s' takes %zu distinct values in %zu rows", c->name,
                       distinct, rows);
        check_text_add(
            &c->report->remedy,
            "if '%s' is a category, a grade or a rounded count, prefer the measurement it was "
            "made from; edges at a discrete column are less certain",
            c->name);
        bool few = distinct <= CHECK_DISTINCT_WARNING;
        return check_report_end(c->report, few ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
                                CHECK_DISCRETE, (double)distinct, -(double)distinct);
    }
    int more = check_column_common(&s[1]) > check_column_common(&s[0]) ? 1 : 0;
    double share = check_column_common(&s[more]),
           tied = (double)(s[0].tied + s[1].tied) / (double)rows;
    if (share < CHECK_TIED || s[more].common_count < 2) return SCONE_OK;
    begin(c);
    check_text_add(
        &c->report->message,
        "'%s' is %s in %zu of the %zu rows of regime %d (%s); %s of all rows share their value "
        "with another row",
        c->name, number_rounded(s[more].common_value, 6).text, s[more].common_count, s[more].finite,
        more, check_number_percent(share).text, check_number_percent(tied).text);
    check_text_add(
        &c->report->remedy,
        "find out whether %s stands for a detection limit, a default or a missing value; give "
        "the measured values, or leave such rows empty and use --na drop",
        number_rounded(s[more].common_value, 6).text);
    return check_report_end(c->report, SCONE_SEVERITY_NOTE, CHECK_TIES, share, share);
}

static const char *logarithm_hint(const column_summary *s)
{
    return s[0].low > 0.0 && s[1].low > 0.0
               ? "; all values are positive, so consider taking logarithms in both tables"
               : "";
}

static scone_status find_outliers(const column_case *c)
{
    const column_summary *s = c->facts->regime;
    int worse = s[1].worst_z > s[0].worst_z ? 1 : 0;
    double z = s[worse].worst_z;
    /* In a heavy-tailed column far values are to be expected; only gross ones are told besides. */
    bool heavy = fmax(s[0].tail_ratio, s[1].tail_ratio) >= CHECK_TAIL_RATIO;
    if (!(z >= (heavy ? CHECK_OUTLIER_WARNING : CHECK_OUTLIER_NOTE))) return SCONE_OK;
    begin(c);
    check_text_add(&c->report->message,
                   "'%s' is %s in row %zu of regime %d, %s robust deviations from the median %s "
                   "(excess kurtosis %s)",
                   c->name, number_rounded(s[worse].worst_value, 6).text,
                   table_file_row(c->input->tables[worse], s[worse].worst_row), worse,
                   number_rounded(z, 3).text, number_rounded(s[worse].median, 4).text,
                   number_rounded(s[worse].kurtosis, 3).text);
    check_text_add(&c->report->remedy, "look at that row: correct or remove it if it is an error%s",
                   logarithm_hint(s));
    bool gross = z >= CHECK_OUTLIER_WARNING;
    return check_report_end(c->report, gross ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
                            CHECK_OUTLIERS, z, z);
}

static scone_status find_heavy_tails(const column_case *c)
{
    const column_summary *s = c->facts->regime;
    int worse = s[1].tail_ratio > s[0].tail_ratio ? 1 : 0;
    double ratio = s[worse].tail_ratio;
    if (!(ratio >= CHECK_TAIL_RATIO)) return SCONE_OK;
    begin(c);
    check_text_add(
        &c->report->message,
        "'%s' has heavy tails in regime %d: the middle 99%% of its rows are %s times as wide "
        "as the middle half, where a normal column has 3.8 (excess kurtosis %s)",
        c->name, worse, number_rounded(ratio, 3).text, number_rounded(s[worse].kurtosis, 3).text);
    check_text_add(&c->report->remedy, "look at a histogram of '%s'%s", c->name, logarithm_hint(s));
    return check_report_end(c->report, SCONE_SEVERITY_NOTE, CHECK_HEAVY_TAILS, ratio, ratio);
}

/* ---- units ---- */

static scone_status find_offset(const column_case *c)
{
    const column_summary *s = c->facts->regime;
    double ratios[2] = {0.0, 0.0};
    for (int regime = 0; regime < 2; regime++) {
        if (s[regime].deviation > 0.0) ratios[regime] = fabs(s[regime].mean) / s[regime].deviation;
    }
    int worse = ratios[1] > ratios[0] ? 1 : 0;
    double ratio = ratios[worse];
    if (!(ratio >= CHECK_OFFSET_NOTE)) return SCONE_OK;
    begin(c);
    check_text_add(
        &c->report->message,
        "'%s' has mean %s and standard deviation %s in regime %d: the mean is %s deviations "
        "from 0",
        c->name, number_rounded(s[worse].mean, 6).text, number_rounded(s[worse].deviation, 3).text,
        worse, number_rounded(ratio, 3).text);
    check_text_add(&c->report->remedy,
                   "subtract one round number (%s) from '%s' in both tables before "
                   "they are written, so that digits go to the variation",
                   number_rounded(s[worse].mean, 3).text, c->name);
    return check_report_end(
        c->report, ratio >= CHECK_OFFSET_WARNING ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
        CHECK_OFFSET, ratio, ratio);
}

static scone_status find_unit_trouble(const column_case *c)
{
    const column_summary *s = c->facts->regime;
    int exponent = c->facts->unit_exponent;
    if (exponent == 0) return SCONE_OK;
    double factor = pow(10.0, abs(exponent));
    begin(c);
    check_text_add(
        &c->report->message,
        "'%s' looks the same in both regimes up to a factor of %s (median %s and spread %s in "
        "regime 0, median %s and spread %s in regime 1)",
        c->name, number_rounded(factor, 1).text, number_rounded(s[0].median, 3).text,
        number_rounded(s[0].scale, 3).text, number_rounded(s[1].median, 3).text,
        number_rounded(s[1].scale, 3).text);
    check_text_add(
        &c->report->remedy,
        "if the tables use different units, %s '%s' in regime 1 by %s; otherwise it will be "
        "taken for a change",
        exponent > 0 ? "divide" : "multiply", c->name, number_rounded(factor, 1).text);
    return check_report_end(c->report, SCONE_SEVERITY_WARNING, CHECK_UNIT, pow(10.0, exponent),
                            factor);
}

/* ---- all of them ---- */

static scone_status check_column(const column_case *c)
{
    scone_status status = SCONE_OK;
    bool done = false;
    TRY(find_cells(c, true));
    TRY(find_cells(c, false));
    const column_summary *s = c->facts->regime;
    if (s[0].finite + s[1].finite < 2) goto cleanup; /* nothing to say about so little */
    TRY(find_constant(c, &done));
    if (done) goto cleanup;
    TRY(find_nearly_constant(c, &done));
    if (done) goto cleanup;
    TRY(find_discrete(c));
    TRY(find_outliers(c));
    TRY(find_heavy_tails(c));
    TRY(find_offset(c));
    TRY(find_unit_trouble(c));
cleanup:
    return status;
}

static double overall_deviation(const column_facts *facts)
{
    return fmax(facts->regime[0].deviation, facts->regime[1].deviation);
}

scone_status check_columns_spread(scone_check *report, const check_input *input)
{
    size_t small = SIZE_MAX, large = SIZE_MAX;
    for (size_t j = 0; j < input->columns; j++) {
        double deviation = overall_deviation(&input->facts[j]);
        if (!(deviation > 0.0)) continue;
        if (small == SIZE_MAX || deviation < overall_deviation(&input->facts[small])) small = j;
        if (large == SIZE_MAX || deviation > overall_deviation(&input->facts[large])) large = j;
    }
    if (small == SIZE_MAX) return SCONE_OK;
    double least = overall_deviation(&input->facts[small]);
    double most = overall_deviation(&input->facts[large]), ratio = most / least;
    if (!(ratio >= CHECK_SPREAD_NOTE)) return SCONE_OK;
    check_report_begin(report);
    check_text_add(&report->columns, "%s, %s", check_name(input, large), check_name(input, small));
    check_text_add(
        &report->message,
        "the columns are on very different scales: the standard deviation of '%s' is %s, that "
        "of '%s' %s",
        check_name(input, large), number_rounded(most, 3).text, check_name(input, small),
        number_rounded(least, 3).text);
    check_text_add(&report->remedy,
                   "nothing, if the units are meant (columns are standardized); else "
                   "correct the units of '%s' or '%s'",
                   check_name(input, large), check_name(input, small));
    return check_report_end(
        report, ratio >= CHECK_SPREAD_WARNING ? SCONE_SEVERITY_WARNING : SCONE_SEVERITY_NOTE,
        CHECK_SPREAD, ratio, ratio);
}

scone_status check_columns(scone_check *report, const check_input *input)
{
    scone_status status = SCONE_OK;
    for (size_t j = 0; j < input->columns; j++) {
        column_case c = {report, input, &input->facts[j], check_name(input, j)};
        TRY(check_column(&c));
    }
    TRY(check_columns_spread(report, input));
cleanup:
    return status;
}
