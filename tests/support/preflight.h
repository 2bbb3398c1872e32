/* preflight.h - pairs of tables to run the preflight on, and a look at its findings. */
#ifndef SCONE_TESTS_PREFLIGHT_H
#define SCONE_TESTS_PREFLIGHT_H

#include "testing.h"
#include "sample.h"

#include "data/table.h"

/* A pair that a test fills; column j of regime r is pair.tables[r]->values + rows * j. */
static inline scone_pair preflight_pair(size_t rows0, size_t rows1, size_t columns)
{
    scone_pair pair;
    CHECK_OK(table_alloc(&pair.tables[0], rows0, columns, NULL));
    CHECK_OK(table_alloc(&pair.tables[1], rows1, columns, NULL));
    return pair;
}

static inline double *preflight_column(const scone_pair *pair, int regime, size_t column)
{
    return table_column(pair->tables[regime], column);
}

static inline void preflight_rename(const scone_pair *pair, size_t column, const char *name)
{
    for (int regime = 0; regime < 2; regime++) {
        mem_free(pair->tables[regime]->names[column]);
        pair->tables[regime]->names[column] = mem_copy_text(name, strlen(name));
        assert_non_null(pair->tables[regime]->names[column]);
    }
}

/* Clean data: a chain x_j = 0.6 x_(j-1) + noise, whose second mechanism changes in regime 1. */
static inline scone_pair preflight_clean(uint64_t seed, size_t rows0, size_t rows1, size_t columns)
{
    sample_stream s = {seed};
    scone_pair pair = preflight_pair(rows0, rows1, columns);
    for (int regime = 0; regime < 2; regime++) {
        size_t rows = pair.tables[regime]->rows;
        for (size_t j = 0; j < columns; j++) {
            double weight = j == 1 && regime == 1 ? 1.5 : 0.6;
            double *x = preflight_column(&pair, regime, j);
            for (size_t r = 0; r < rows; r++) {
                x[r] = sample_normal(&s) + (j ? weight * (x - rows)[r] : 0.0);
            }
        }
    }
    return pair;
}

static inline void preflight_free(scone_pair *pair)
{
    scone_table_free(pair->tables[0]);
    scone_table_free(pair->tables[1]);
}

static inline scone_check *preflight_run(const scone_pair *pair, int threads)
{
    scone_check *check;
    scone_context context = {.threads = threads};
    CHECK_OK(scone_check_run(&check, pair, &context));
    return check;
}

/* The first finding with this code, or NULL. */
static inline const scone_finding *preflight_find(const scone_check *check, const char *code)
{
    for (size_t i = 0; i < scone_check_count(check); i++) {
        const scone_finding *finding = scone_check_get(check, i);
        if (strcmp(finding->code, code) == 0) return finding;
    }
    return NULL;
}

static inline size_t preflight_count(const scone_check *check, const char *code)
{
    size_t count = 0;
    for (size_t i = 0; i < scone_check_count(check); i++) {
        count += strcmp(scone_check_get(check, i)->code, code) == 0;
    }
    return count;
}

/* Runs the preflight; there is exactly one finding with this code, of this severity and for these
 * columns, whose message contains `text` and which says what to do. */
static inline double preflight_expect(const scone_pair *pair, const char *code,
                                      scone_severity severity, const char *columns,
                                      const char *text)
{
    scone_check *check = preflight_run(pair, 1);
    if (preflight_count(check, code) != 1) {
        fail_msg("%zu findings of %s", preflight_count(check, code), code);
    }
    const scone_finding *finding = preflight_find(check, code);
    if (finding->severity != severity || strcmp(finding->columns, columns) != 0 ||
        !strstr(finding->message, text) || strlen(finding->remedy) < 10) {
        fail_msg(
            "%s: severity %d, columns '%s', message '%s', remedy '%s'; expected %d, '%s', '%s'",
            code, (int)finding->severity, finding->columns, finding->message, finding->remedy,
            (int)severity, columns, text);
    }
    double value = finding->value;
    scone_check_free(check);
    return value;
}

static inline void preflight_expect_none(const scone_pair *pair, const char *code)
{
    scone_check *check = preflight_run(pair, 1);
    const scone_finding *finding = preflight_find(check, code);
    if (finding) fail_msg("%s: %s", code, finding->message);
    scone_check_free(check);
}

#endif
