/* check_linear_findings.c - duplicate and collinear columns in words (see check_linear.h). */
#include "preflight/check_linear.h"

#include "linalg/rank.h"

#include <math.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { TERMS_TOLD = 8 };

/* ---- duplicates ---- */

static bool same_values(const linear_columns *c, size_t a, size_t b)
{
    for (int regime = 0; regime < 2; regime++) {
        const double *x = check_values(c->input, regime, c->columns[a]);
        const double *y = check_values(c->input, regime, c->columns[b]);
        for (size_t r = 0; r < c->input->tables[regime]->rows; r++) {
            if (x[r] != y[r] && !(isnan(x[r]) && isnan(y[r]))) return false;
        }
    }
    return true;
}

/* " + 3 'A'", or "3 'A'" as the first term. Deviations of 1e307 and 1e-310 have a quotient that is
 * no number. */
static void tell_term(check_text *text, double coefficient, const char *name, bool first)
{
    if (name && (!isfinite(coefficient) || coefficient == 0.0)) {
        check_text_add(text, "%sa multiple of '%s'", first ? "" : " + ", name);
        return;
    }
    const char *sign = coefficient < 0.0 ? (first ? "-" : " - ") : (first ? "" : " + ");
    number_text size = number_rounded(fabs(coefficient), 4);
    bool one = size.text[0] == '1' && size.text[1] == '\0' && name;
    check_text_add(text, "%s%s", sign, one ? "" : size.text);
    if (name) check_text_add(text, "%s'%s'", one ? "" : " ", name);
}

/* Adds the constant of a combination unless it is rounding. */
static void tell_constant(check_text *text, double constant, double size)
{
    if (isfinite(constant) && fabs(constant) > 1e-8 * size) tell_term(text, constant, NULL, false);
}

static void tell_twin(check_text *message, const linear_columns *c, size_t first, size_t twin)
{
    const linear_moments *m = &c->pooled;
    if (same_values(c, first, twin)) {
        check_text_add(message, "'%s' is a copy of '%s'", linear_name(c, twin),
                       linear_name(c, first));
        return;
    }
    double sign = m->correlation[first + c->count * twin] < 0.0 ? -1.0 : 1.0;
    double slope = sign * (m->deviations[twin] / m->deviations[first]);
    double constant = m->means[twin] - slope * m->means[first];
    check_text_add(message, "'%s' = ", linear_name(c, twin));
    tell_term(message, slope, linear_name(c, first), true);
    tell_constant(message, constant, fabs(m->means[twin]) + m->deviations[twin]);
}

static scone_status report_group(scone_check *report, const linear_columns *c, size_t first)
{
    double least = 1.0;
    size_t copies = 0;
    check_report_begin(report);
    check_text_add(&report->columns, "%s", linear_name(c, first));
    for (size_t i = first + 1; i < c->count; i++) {
        if (c->twin[i] != first) continue;
        check_text_add(&report->columns, ", %s", linear_name(c, i));
        if (copies < TERMS_TOLD) {
            check_text_add(&report->message, "%s", copies ? "; " : "");
            tell_twin(&report->message, c, first, i);
        }
        if (c->pooled.correlation) {
            least = fmin(least, fabs(c->pooled.correlation[first + c->count * i]));
        }
        copies++;
    }
    if (copies == 0) return SCONE_OK;
    if (copies > TERMS_TOLD)
        check_text_add(&report->message, "; and %zu more", copies - TERMS_TOLD);
    check_text_add(&report->message, ", in every row of %s", c->input->both);
    check_text_add(
        &report->remedy,
        "keep '%s' and remove the other%s: columns that always agree cannot be told apart, and "
        "edges would land on any of them",
        linear_name(c, first), copies == 1 ? "" : "s");
    return check_report_end(report, SCONE_SEVERITY_WARNING, CHECK_DUPLICATES, least,
                            (double)copies);
}

static scone_status report_groups(scone_check *report, const linear_columns *c)
{
    scone_status status = SCONE_OK;
    for (size_t i = 0; i < c->count; i++) {
        if (c->twin[i] == i) TRY(report_group(report, c, i));
    }
cleanup:
    return status;
}

scone_status check_linear_duplicates(scone_check *report, linear_columns *c)
{
    /* Two or three rows always lie on a line; that is the trouble of too few rows. */
    if (c->pooled.rows < 4) return SCONE_OK;
    for (size_t j = 1; j < c->count; j++) {
        const double *column = c->pooled.correlation + c->count * j;
        for (size_t i = 0; i < j; i++) {
            if (c->twin[i] == i && 1.0 - fabs(column[i]) <= CHECK_DUPLICATE) {
                c->twin[j] = i;
                break;
            }
        }
    }
    return report_groups(report, c);
}

typedef struct hashed_column {
    uint64_t hash;
    size_t index;
} hashed_column;

static int compare_hashes(const void *left, const void *right)
{
    const hashed_column *a = left, *b = right;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

scone_status check_linear_identical(scone_check *report, linear_columns *c)
{
    scone_status status = SCONE_OK;
    hashed_column *hashed = NULL;
    TRY_ALLOC(hashed, c->count);
    for (size_t i = 0; i < c->count; i++) {
        uint64_t hash = 0;
        for (int regime = 0; regime < 2; regime++) {
            const double *values = check_values(c->input, regime, c->columns[i]);
            for (size_t r = 0; r < c->input->tables[regime]->rows; r++) {
                double value = isnan(values[r]) ? (double)NAN : values[r] + 0.0;
                hash = XXH64(&value, sizeof value, hash);
            }
        }
        hashed[i] = (hashed_column){hash, i};
    }
    qsort(hashed, c->count, sizeof *hashed, compare_hashes);
    for (size_t i = 1; i < c->count; i++) {
        size_t before = hashed[i - 1].index, here = hashed[i].index;
        if (hashed[i].hash == hashed[i - 1].hash && same_values(c, before, here)) {
            c->twin[here] = c->twin[before];
        }
    }
    TRY(report_groups(report, c));
    check_report_begin(report);
    check_text_add(
        &report->message,
        "%zu columns are too many to compare each with all others: exact copies were looked "
        "for, columns that are combinations of others were not",
        c->count);
    check_text_add(&report->remedy, "check groups of at most %d columns by themselves",
                   CHECK_COMPARED_COLUMNS);
    TRY(check_report_end(report, SCONE_SEVERITY_NOTE, CHECK_NOT_COMPARED, (double)c->count, 0.0));
cleanup:
    mem_free(hashed);
    return status;
}

/* ---- combinations ---- */

/* The basis column not yet told with the largest coefficient in standardized units, the first of
 * equals; rank if none is left that matters. */
static size_t next_term(const double *coefficients, const bool *told, size_t rank)
{
    size_t best = rank;
    for (size_t j = 0; j < rank; j++) {
        if (told[j] || !(fabs(coefficients[j]) > 1e-4)) continue;
        if (best == rank || fabs(coefficients[j]) > fabs(coefficients[best])) best = j;
    }
    return best;
}

/* `active` maps the columns of `found` to those of c; regime -1 stands for both. */
static scone_status report_combination(scone_check *report, const linear_columns *c,
                                       const linear_moments *m, const rank_result *found, size_t d,
                                       const size_t *active, int regime, bool *told)
{
    size_t rank = found->rank, dependent = active[found->order[rank + d]], terms = 0, more = 0;
    const double *coefficients = found->coefficients + rank * d;
    double constant = m->means[dependent], size = fabs(constant) + m->deviations[dependent];
    check_report_begin(report);
    check_text_add(&report->columns, "%s", linear_name(c, dependent));
    check_text_add(&report->message, "'%s' = ", linear_name(c, dependent));
    for (size_t j = 0; j < rank; j++) told[j] = false;
    for (size_t j; (j = next_term(coefficients, told, rank)) < rank; told[j] = true) {
        size_t column = active[found->order[j]];
        double slope = coefficients[j] * (m->deviations[dependent] / m->deviations[column]);
        constant -= slope * m->means[column];
        size += fabs(slope * m->means[column]);
        check_text_add(&report->columns, ", %s", linear_name(c, column));
        if (terms < TERMS_TOLD) {
            tell_term(&report->message, slope, linear_name(c, column), terms == 0);
            terms++;
        } else {
            more++;
        }
    }
    if (more) check_text_add(&report->message, " + %zu more terms", more);
    tell_constant(&report->message, constant, size);
    check_text_add(&report->message, " in every row of %s",
                   regime < 0 ? c->input->both : c->input->labels[regime]);
    check_text_add(&report->message, " (1 - R^2 = %s)",
                   number_rounded(found->unexplained[d], 2).text);
    check_text_add(&report->remedy,
                   "remove one of these columns (perhaps a total, a difference or a "
                   "rescaled copy)%s: an exact relation hides which of them drives the "
                   "others",
                   regime < 0 ? "" : ", or keep them all if the change itself tied them together");
    return check_report_end(report, SCONE_SEVERITY_WARNING,
                            regime < 0 ? CHECK_COLLINEAR_BOTH : CHECK_COLLINEAR_ONE,
                            found->unexplained[d], -found->unexplained[d]);
}

static scone_status find_combinations(scone_check *report, linear_columns *c,
                                      const linear_moments *m, int regime)
{
    scone_status status = SCONE_OK;
    size_t *active = NULL, count = 0;
    double *correlation = NULL;
    bool *told = NULL;
    rank_result found = {0};
    if (m->rows < 3) return SCONE_OK;
    TRY_ALLOC(active, c->count);
    TRY_ALLOC(told, c->count);
    for (size_t i = 0; i < c->count; i++) {
        bool alone = c->twin[i] == i && !c->dependent[i];
        if (alone && m->deviations[i] > 0.0) active[count++] = i;
    }
    TRY_ALLOC(correlation, count * count);
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < count; i++) {
            correlation[i + count * j] = m->correlation[active[i] + c->count * active[j]];
        }
    }
    TRY(rank_reveal(&found, correlation, count, CHECK_COLLINEAR));
    /* n rows span n - 1 dimensions: a rank that full says nothing about the columns. */
    if (found.rank + 1 >= m->rows) goto cleanup;
    for (size_t d = 0; d < count - found.rank; d++) {
        TRY(report_combination(report, c, m, &found, d, active, regime, told));
        if (regime < 0) c->dependent[active[found.order[found.rank + d]]] = true;
    }
cleanup:
    mem_free(active);
    mem_free(told);
    mem_free(correlation);
    rank_result_free(&found);
    return status;
}

scone_status check_linear_combinations(scone_check *report, linear_columns *c)
{
    scone_status status = SCONE_OK;
    TRY(find_combinations(report, c, &c->pooled, -1));
    if (c->regime[0].rows < 3 || c->regime[1].rows < 3) goto cleanup; /* pooled is that regime */
    for (int regime = 0; regime < 2; regime++) {
        TRY(find_combinations(report, c, &c->regime[regime], regime));
    }
cleanup:
    return status;
}
