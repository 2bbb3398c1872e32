/* test_check_conditions.c - the preflight over a control and several conditions: what is told of
 * which table, and that nothing depends on the order of columns, of conditions or on threads. */
#include "preflight.h"

#include "data/conditions/conditions.h"
#include "preflight/check_conditions.h"

#include <math.h>

enum { TABLES = 8, COLUMNS = 4 };
static const char *const names[TABLES] = {"0", "a", "b", "c", "d", "e", "f", "g"};

/* Clean tables: a chain with the same mechanisms everywhere. */
static void make_tables(table **tables, size_t rows)
{
    for (size_t k = 0; k < TABLES; k++) {
        sample_stream s = {100 + k};
        CHECK_OK(table_alloc(&tables[k], rows, COLUMNS, NULL));
        for (size_t j = 0; j < COLUMNS; j++) {
            double *x = table_column(tables[k], j);
            for (size_t r = 0; r < rows; r++) {
                x[r] = sample_normal(&s) + (j ? 0.6 * (x - rows)[r] : 0.0);
            }
        }
    }
}

static scone_check *check_tables_of(table **tables, int threads)
{
    scone_conditions *c;
    scone_check *check;
    scone_context context = {.threads = threads};
    CHECK_OK(conditions_adopt(&c, tables, names, TABLES));
    CHECK_OK(scone_check_conditions(&check, c, &context));
    scone_conditions_free(c);
    return check;
}

/* The names of the tables that a finding is about, with blanks between them. */
static const char *about(const scone_finding *f)
{
    static char text[256];
    text[0] = '\0';
    for (size_t k = 0; k < f->condition_count; k++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%s", k ? " " : "", f->conditions[k]);
    }
    return text;
}

static void expect(table **tables, const char *code, scone_severity severity, const char *columns,
                   const char *conditions, const char *text)
{
    scone_check *check = check_tables_of(tables, 1);
    if (preflight_count(check, code) != 1) {
        fail_msg("%zu findings of %s", preflight_count(check, code), code);
    }
    const scone_finding *f = preflight_find(check, code);
    if (f->severity != severity || strcmp(f->columns, columns) != 0 ||
        strcmp(about(f), conditions) != 0 || !strstr(f->message, text) || strlen(f->remedy) < 10) {
        fail_msg("%s: severity %d, columns '%s', tables '%s', message '%s'; expected '%s'", code,
                 (int)f->severity, f->columns, about(f), f->message, text);
    }
    scone_check_free(check);
}

static void set(table **tables, const char *which, size_t column, double value)
{
    for (size_t k = 0; k < TABLES; k++) {
        if (!strstr(which, names[k])) continue;
        for (size_t r = 0; r < tables[k]->rows; r++) table_column(tables[k], column)[r] = value;
    }
}

static void scale(table *t, size_t column, double factor, double offset)
{
    for (size_t r = 0; r < t->rows; r++) {
        table_column(t, column)[r] = factor * table_column(t, column)[r] + offset;
    }
}

/* ---- one by one ---- */

static void test_clean(void **state)
{
    (void)state;
    table *tables[TABLES];
    make_tables(tables, 200);
    scone_check *check = check_tables_of(tables, 1);
    if (scone_check_count(check) > 0) fail_msg("%s", scone_check_get(check, 0)->message);
    scone_check_free(check);
}

static void test_constant(void **state)
{
    (void)state;
    table *tables[TABLES];
    make_tables(tables, 120);
    set(tables, "b", 1, 3.0);
    expect(tables, "constant-in-one-regime", SCONE_SEVERITY_WARNING, "X1", "b",
           "'X1' is 3 in every row of 'b' but varies in other tables");
    make_tables(tables, 120);
    set(tables, "0 a b", 2, 3.0);
    expect(tables, "constant-in-one-regime", SCONE_SEVERITY_WARNING, "X2", "0 a b",
           "of the control but varies in other tables; it has one value as well in 'a' and 'b'");
    make_tables(tables, 120);
    set(tables, "0 a b c d e f g", 0, 2.5);
    expect(tables, "constant-column", SCONE_SEVERITY_WARNING, "X0", "",
           "'X0' never varies: every value is 2.5");
    make_tables(tables, 120);
    set(tables, "0 a b c d e f", 0, 2.0);
    set(tables, "g", 0, 3.0);
    expect(tables, "constant-column", SCONE_SEVERITY_WARNING, "X0", "",
           "each has one value, from 2 to 3");
    make_tables(tables, 120);
    set(tables, "c", 3, 1.0);
    table_column(tables[3], 3)[7] = 2.0;
    expect(tables, "nearly-constant", SCONE_SEVERITY_WARNING, "X3", "c",
           "'X3' is 1 in 99.2% of the rows of 'c' (119 of 120)");
}

/* The first few names, and the number of the rest. */
static void test_many(void **state)
{
    (void)state;
    table *tables[TABLES];
    make_tables(tables, 120);
    for (size_t k = 1; k < TABLES; k++) scale(tables[k], 1, 1.0, k == 3 ? 500.0 : 400.0);
    expect(tables, "far-shift", SCONE_SEVERITY_WARNING, "X1", "a b c d e f g",
           "lies far from the control in 'c'");
    make_tables(tables, 120);
    for (size_t k = 1; k < TABLES; k++) scale(tables[k], 1, 1.0, k == 3 ? 500.0 : 400.0);
    expect(tables, "far-shift", SCONE_SEVERITY_WARNING, "X1", "a b c d e f g",
           "; likewise in 'a', 'b', 'd', 'e', 'f' and 'g'");
    make_tables(tables, 120);
    set(tables, "0 b c d e f g", 2, 0.0);
    table_column(tables[7], 2)[1] = 1.0;
    expect(tables, "constant-in-one-regime", SCONE_SEVERITY_WARNING, "X2", "0 b c d e f",
           "as well in 'b', 'c', 'd', 'e' and 'f'");
}

static void test_units(void **state)
{
    (void)state;
    table *tables[TABLES];
    make_tables(tables, 200);
    scale(tables[2], 0, 1e-3, 0.0);
    expect(tables, "unit-trouble", SCONE_SEVERITY_WARNING, "X0", "b",
           "'X0' looks the same in 'b' as in the control up to a factor of 1000");
    make_tables(tables, 200);
    scale(tables[2], 0, 40.0, 0.0);
    expect(tables, "other-scale", SCONE_SEVERITY_NOTE, "X0", "b", "times as much in 'b'");
    make_tables(tables, 200);
    scale(tables[2], 0, 1.0 / 400.0, 0.0);
    expect(tables, "other-scale", SCONE_SEVERITY_WARNING, "X0", "b", "times as little in 'b'");
    make_tables(tables, 200);
    scale(tables[2], 0, 1.0, 30.0);
    expect(tables, "far-shift", SCONE_SEVERITY_NOTE, "X0", "b", "lies far from the control in 'b'");
    make_tables(tables, 200);
    for (size_t k = 0; k < TABLES; k++) scale(tables[k], 2, 1.0, 1e11);
    expect(tables, "large-offset", SCONE_SEVERITY_WARNING, "X2", "0 a b c d e f g",
           "; likewise in ");
    make_tables(tables, 200);
    table_column(tables[4], 1)[6] = 1e4;
    expect(tables, "outliers", SCONE_SEVERITY_WARNING, "X1", "d", "'X1' is 10000 in row 7 of 'd'");
}

static void test_cells(void **state)
{
    (void)state;
    table *tables[TABLES];
    make_tables(tables, 100);
    table_column(tables[0], 1)[4] = (double)NAN;
    table_column(tables[2], 1)[2] = table_column(tables[2], 1)[9] = (double)NAN;
    expect(tables, "missing-values", SCONE_SEVERITY_ERROR, "X1", "0 b",
           "'X1' has 3 missing cells (the control: 1 of 100 rows, first in row 5; 'b': 2 of 100 "
           "rows, first in row 3)");
    make_tables(tables, 100);
    set(tables, "f", 1, (double)INFINITY);
    scone_check *check = check_tables_of(tables, 1);
    const scone_finding *f = preflight_find(check, "infinite-values");
    CHECK(f != NULL && strstr(f->remedy, "it has no usable cell in 'f'"));
    scone_check_free(check);
    make_tables(tables, 100);
    for (size_t r = 0; r < 99; r++) table_column(tables[5], r % 2)[r] = (double)NAN;
    check = check_tables_of(tables, 1);
    f = preflight_find(check, "missing-values");
    CHECK(f != NULL && strstr(f->remedy, "--na drop would leave only 1 row in 'e'"));
    CHECK(preflight_count(check, "missing-values") == 2);
    scone_check_free(check);
}

static void test_rows(void **state)
{
    (void)state;
    table *tables[TABLES];
    make_tables(tables, 200);
    tables[3]->rows = 0;
    expect(tables, "empty-regime", SCONE_SEVERITY_ERROR, "", "c", "'c' has no rows");
    make_tables(tables, 200);
    scone_table_free(tables[5]);
    CHECK_OK(table_alloc(&tables[5], 200, COLUMNS, NULL));
    memcpy(tables[5]->values, tables[2]->values, 200 * COLUMNS * sizeof(double));
    expect(tables, "same-table", SCONE_SEVERITY_WARNING, "", "b e",
           "'b' and 'e' hold the same 200 rows");
    make_tables(tables, 200);
    for (size_t j = 0; j < COLUMNS; j++) {
        for (size_t r = 0; r < 30; r++)
            table_column(tables[4], j)[r] = table_column(tables[0], j)[r];
    }
    expect(tables, "rows-in-common", SCONE_SEVERITY_WARNING, "", "d",
           "'d' has rows in common with the control, 15% of the rows of the smaller table");
    make_tables(tables, 40);
    scone_check *check = check_tables_of(tables, 1);
    CHECK(preflight_count(check, "too-few-rows") == 2); /* the control, and the conditions */
    bool found = false;
    for (size_t f = 0; f < scone_check_count(check); f++) {
        const char *message = scone_check_get(check, f)->message;
        found |= strstr(message, "all 7 conditions have fewer than 50 rows") != NULL;
    }
    CHECK(found);
    scone_check_free(check);
}

/* What holds of all tables together is told once, and of none of them. */
static void test_pooled(void **state)
{
    (void)state;
    table *tables[TABLES];
    make_tables(tables, 200);
    for (size_t k = 0; k < TABLES; k++) {
        for (size_t r = 0; r < 200; r++) {
            table_column(tables[k], 3)[r] = 2.0 * table_column(tables[k], 0)[r];
            table_column(tables[k], 2)[r] = (double)(r % 3);
        }
    }
    expect(tables, "duplicate-columns", SCONE_SEVERITY_WARNING, "X0, X3", "",
           "in every row of all tables");
    make_tables(tables, 200);
    for (size_t k = 0; k < TABLES; k++) {
        for (size_t r = 0; r < 200; r++) table_column(tables[k], 2)[r] = (double)((r * r) % 7);
    }
    expect(tables, "discrete-column", SCONE_SEVERITY_WARNING, "X2", "",
           "'X2' takes 4 distinct values in 1600 rows of all tables");
}

/* ---- orders and threads ---- */

static void make_troubled(table **tables)
{
    make_tables(tables, 60);
    set(tables, "b e", 1, 3.0);
    scale(tables[3], 2, 1.0, 77.0);
    scale(tables[6], 0, 1000.0, 0.0);
    table_column(tables[7], 3)[5] = 1e3;
    table_column(tables[1], 0)[9] = (double)NAN;
}

static void same_findings(const scone_check *a, const scone_check *b)
{
    CHECK(scone_check_count(a) == scone_check_count(b) && scone_check_count(a) > 4);
    for (size_t f = 0; f < scone_check_count(a); f++) {
        const scone_finding *x = scone_check_get(a, f), *y = scone_check_get(b, f);
        assert_string_equal(x->message, y->message);
        assert_string_equal(x->remedy, y->remedy);
        assert_string_equal(x->columns, y->columns);
        CHECK(x->condition_count == y->condition_count && x->value == y->value);
        for (size_t k = 0; k < x->condition_count; k++) {
            assert_string_equal(x->conditions[k], y->conditions[k]);
        }
    }
}

static void test_orders(void **state)
{
    (void)state;
    table *tables[TABLES];
    make_troubled(tables);
    scone_check *plain = check_tables_of(tables, 1), *other;
    make_troubled(tables);
    other = check_tables_of(tables, 4);
    same_findings(plain, other);
    scone_check_free(other);
    /* conditions and columns turned round */
    const char *turned_names[TABLES];
    table *turned[TABLES];
    make_troubled(tables);
    for (size_t k = 0; k < TABLES; k++) {
        size_t from = k == 0 ? 0 : TABLES - k;
        turned_names[k] = names[from];
        CHECK_OK(
            table_alloc(&turned[k], 60, COLUMNS, (const char *const[]){"X3", "X2", "X1", "X0"}));
        for (size_t j = 0; j < COLUMNS; j++) {
            memcpy(table_column(turned[k], COLUMNS - 1 - j), table_column(tables[from], j),
                   60 * sizeof(double));
        }
    }
    for (size_t k = 0; k < TABLES; k++) scone_table_free(tables[k]);
    scone_conditions *c;
    CHECK_OK(conditions_adopt(&c, turned, turned_names, TABLES));
    CHECK_OK(scone_check_conditions(&other, c, NULL));
    same_findings(plain, other);
    scone_conditions_free(c);
    scone_check_free(other);
    scone_check_free(plain);
}

/* One condition is a pair. */
static void test_pair(void **state)
{
    (void)state;
    scone_pair pair = preflight_clean(3, 80, 60, 3);
    preflight_column(&pair, 1, 2)[4] = 1e6;
    scone_check *of_pair = preflight_run(&pair, 1), *of_conditions;
    scone_conditions *c;
    CHECK_OK(conditions_adopt(&c, pair.tables, names, 2));
    CHECK_OK(scone_check_conditions(&of_conditions, c, NULL));
    CHECK(scone_check_count(of_pair) > 1);
    CHECK(scone_check_count(of_pair) == scone_check_count(of_conditions));
    for (size_t f = 0; f < scone_check_count(of_pair); f++) {
        const scone_finding *x = scone_check_get(of_conditions, f);
        assert_string_equal(x->message, scone_check_get(of_pair, f)->message);
        CHECK(x->conditions == NULL && x->condition_count == 0);
    }
    scone_conditions_free(c);
    scone_check_free(of_pair);
    scone_check_free(of_conditions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),  cmocka_unit_test(test_constant), cmocka_unit_test(test_many),
        cmocka_unit_test(test_units),  cmocka_unit_test(test_cells),    cmocka_unit_test(test_rows),
        cmocka_unit_test(test_pooled), cmocka_unit_test(test_orders),   cmocka_unit_test(test_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
