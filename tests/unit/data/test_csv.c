/* test_csv.c - the table reader on the cases of csv_cases.h, with the buffer split at every byte,
 * and on random tables, wide ones and long ones. */
#include "testing.h"

#include "base/memory.h"
#include "text/number/number.h"
#include "csv_cases.h"
#include "data/csv.h"
#include "data/csv_parts.h"

#include <locale.h>
#include <stdlib.h>

typedef struct notes {
    char text[1024];
} notes;

static void take_note(void *user, scone_level level, const char *message)
{
    notes *n = user;
    CHECK(level == SCONE_NOTE);
    (void)snprintf(n->text + strlen(n->text), sizeof n->text - strlen(n->text), "%s\n", message);
}

/* ---- comparing a table with what the case says ---- */

static void check_names(const csv_case *c, const scone_table *t)
{
    char joined[512] = "";
    for (size_t j = 0; j < scone_table_columns(t); j++) {
        (void)snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s",
                       j ? "|" : "", scone_table_name(t, j));
    }
    if (strcmp(joined, c->names) != 0) fail_msg("%s: names are '%s'", c->name, joined);
}

static void check_values(const csv_case *c, const scone_table *t)
{
    const char *at = c->values;
    size_t rows = 0, columns = scone_table_columns(t);
    for (; *at; rows++) {
        if (rows >= scone_table_rows(t)) fail_msg("%s: only %zu rows", c->name, rows);
        for (size_t j = 0; j < columns; j++) {
            char *stop;
            double expected = strtod(at, &stop), value = scone_table_column(t, j)[rows];
            if (stop == at || *stop != (j + 1 < columns ? ' ' : *stop ? ';' : '\0')) {
                fail_msg("%s: the case is malformed at '%s'", c->name, at);
            }
            bool same =
                isnan(expected) ? isnan(value) : memcmp(&value, &expected, sizeof value) == 0;
            if (!same) fail_msg("%s: row %zu, column %zu is %.17g", c->name, rows, j, value);
            at = *stop ? stop + 1 : stop;
        }
    }
    if (rows != scone_table_rows(t)) fail_msg("%s: %zu rows", c->name, scone_table_rows(t));
}

static void check_labels(const csv_case *c, const scone_table *t, char **labels)
{
    char joined[512] = "";
    for (size_t i = 0; i < scone_table_rows(t); i++) {
        (void)snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s",
                       i ? "|" : "", labels[i]);
        mem_free(labels[i]);
    }
    mem_free(labels);
    if (strcmp(joined, c->labels) != 0) fail_msg("%s: labels are '%s'", c->name, joined);
}

static void run_case(const csv_case *c, size_t chunk)
{
    notes n = {""};
    scone_context context = {.log = take_note, .user = &n};
    scone_read_options options = {c->na, c->allow_empty};
    scone_table *t = NULL;
    char **labels = NULL;
    /* a block of exactly the size, so that the address sanitizer sees reads past its end */
    char *copy = malloc(c->size ? c->size : 1);
    assert_non_null(copy);
    memcpy(copy, c->bytes, c->size);
    scone_status status = csv_parse(&t, c->label_column ? &labels : NULL, c->label_column, copy,
                                    c->size, chunk, &options, &context);
    free(copy);
    if (c->names && status != SCONE_OK) {
        fail_msg("%s, chunk %zu: %s", c->name, chunk, scone_error_message());
    }
    if (c->names) {
        check_names(c, t);
        check_values(c, t);
        CHECK((uintptr_t)scone_table_column(t, 0) % 64 == 0);
        if (c->label_column) check_labels(c, t, labels);
        scone_table_free(t);
    } else {
        CHECK(t == NULL && labels == NULL);
        if (status != SCONE_ERR_INPUT) fail_msg("%s, chunk %zu: status %d", c->name, chunk, status);
        if (!strstr(scone_error_message(), c->message)) {
            fail_msg("%s, chunk %zu: '%s'", c->name, chunk, scone_error_message());
        }
    }
    if (c->note ? !strstr(n.text, c->note) : n.text[0] != '\0') {
        fail_msg("%s, chunk %zu: the notes are '%s'", c->name, chunk, n.text);
    }
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof csv_cases / sizeof *csv_cases; i++) {
        for (size_t chunk = 0; chunk <= csv_cases[i].size + 1; chunk++) {
            run_case(&csv_cases[i], chunk);
        }
    }
}

/* A locale with a decimal comma changes nothing. Skipped where none is installed. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",
                                        "de_DE",       "nl_NL.UTF-8", "it_IT.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        found = setlocale(LC_ALL, names[i]) != NULL;
    }
    if (!found) skip();
    const char *text = "a,b\n1.5,2.25\n";
    scone_table *t;
    scone_status status = csv_parse(&t, NULL, NULL, text, strlen(text), 0, NULL, NULL);
    (void)setlocale(LC_ALL, "C");
    assert_int_equal(status, SCONE_OK);
    CHECK_SAME(scone_table_column(t, 0)[0], 1.5);
    CHECK_SAME(scone_table_column(t, 1)[0], 2.25);
    scone_table_free(t);
}

/* ---- larger tables ---- */

static uint64_t next_word(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Appends one of many ways to write a random number; returns what it means. */
static double append_number(char **at, uint64_t *seed)
{
    uint64_t word = next_word(seed);
    double value = (double)(int64_t)word / 9.2e18 * pow(10.0, (double)(word % 7));
    char text[400];
    int length = 0;
    switch (next_word(seed) % 10) {
    case 0:
        length = snprintf(text, sizeof text, "%.6g", value);
        break;
    case 1:
        length = snprintf(text, sizeof text, "%.0f", value);
        break;
    case 2:
        length = snprintf(text, sizeof text, "%.18e", value);
        break;
    case 3:
        length = snprintf(text, sizeof text, "%.3f", value);
        break;
    case 4:
        length = snprintf(text, sizeof text, " %.17g", value);
        break;
    case 5:
        length = snprintf(text, sizeof text, "\"%.17g\"", value);
        break;
    case 6:
        length = snprintf(text, sizeof text, "%+.9e", value);
        break;
    case 7:
        length = snprintf(text, sizeof text, "%.25f", value);
        break;
    case 8:
        length = snprintf(text, sizeof text, "%.17g ", value);
        break;
    default:
        length = snprintf(text, sizeof text, "%.17g", value);
    }
    memcpy(*at, text, (size_t)length);
    *at += length;
    return strtod(text + (text[0] == '"'), NULL);
}

/* Random tables of every style, with buffers that cut them somewhere. */
static void test_random_tables(void **state)
{
    (void)state;
    static const char *const breaks[] = {"\n", "\r\n", "\r"};
    uint64_t seed = 5;
    for (int round = 0; round < 60; round++) {
        size_t rows = 1 + next_word(&seed) % 700, columns = 1 + next_word(&seed) % 12;
        char delimiter = ",;\t"[round % 3];
        const char *line_break = breaks[round / 3 % 3];
        double *expected = malloc(rows * columns * sizeof *expected);
        char *text = malloc((rows + 1) * columns * 64 + 16), *at = text;
        CHECK(expected && text);
        for (size_t j = 0; j < columns; j++) {
            at += sprintf(at, "%s%zu%c", "X", j, j + 1 < columns ? delimiter : ' ');
        }
        at += sprintf(at, "%s", line_break);
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = 0; j < columns; j++) {
                expected[i * columns + j] = append_number(&at, &seed);
                if (j + 1 < columns) *at++ = delimiter;
            }
            if (i + 1 < rows || round % 2) at += sprintf(at, "%s", line_break);
        }
        size_t chunk = round % 4 ? 16 + next_word(&seed) % 2000 : 0;
        scone_table *t;
        CHECK_OK(csv_parse(&t, NULL, NULL, text, (size_t)(at - text), chunk, NULL, NULL));
        CHECK(scone_table_rows(t) == rows && scone_table_columns(t) == columns);
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = 0; j < columns; j++) {
                CHECK_SAME(scone_table_column(t, j)[i], expected[i * columns + j]);
            }
        }
        scone_table_free(t);
        free(expected);
        free(text);
    }
}

/* Rows that get shorter and rows that get longer than the first ones, so that the guess of the
 * number of rows is wrong on either side; and labels beyond the first block. */
static void test_wrong_guess(void **state)
{
    (void)state;
    enum { ROWS = 30000 };
    for (int shrinking = 0; shrinking < 2; shrinking++) {
        char *text = malloc(ROWS * 40 + 16), *at = text;
        assert_non_null(text);
        at += sprintf(at, "a,g,b\n");
        for (int i = 0; i < ROWS; i++) {
            bool wide = (i < ROWS / 10) == (shrinking == 1);
            at += sprintf(at, wide ? "%015d.5,L%d,%015d\n" : "%d.5,L%d,%d\n", i, i % 1000, 2 * i);
        }
        scone_table *t;
        char **labels;
        CHECK_OK(csv_parse(&t, &labels, "g", text, (size_t)(at - text), 0, NULL, NULL));
        assert_int_equal(scone_table_rows(t), ROWS);
        for (int i = 0; i < ROWS; i++) {
            CHECK_SAME(scone_table_column(t, 0)[i], i + 0.5);
            CHECK_SAME(scone_table_column(t, 1)[i], 2.0 * i);
            CHECK(atoi(labels[i] + 1) == i % 1000);
            mem_free(labels[i]);
        }
        mem_free(labels);
        scone_table_free(t);
        free(text);
    }
}

static void test_wide(void **state)
{
    (void)state;
    enum { COLUMNS = 100000, ROWS = 3 };
    char *text = malloc(COLUMNS * 8 * (ROWS + 1)), *at = text;
    assert_non_null(text);
    for (int j = 0; j < COLUMNS; j++) at += sprintf(at, "V%d%c", j, j + 1 < COLUMNS ? ',' : '\n');
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            at += sprintf(at, "%d%c", i + j, j + 1 < COLUMNS ? ',' : '\n');
        }
    }
    scone_table *t;
    CHECK_OK(csv_parse(&t, NULL, NULL, text, (size_t)(at - text), 0, NULL, NULL));
    assert_int_equal(scone_table_columns(t), COLUMNS);
    assert_int_equal(scone_table_rows(t), ROWS);
    for (int j = 0; j < COLUMNS; j++) {
        for (int i = 0; i < ROWS; i++) CHECK_SAME(scone_table_column(t, (size_t)j)[i], i + j);
    }
    assert_string_equal(scone_table_name(t, COLUMNS - 1), "V99999");
    scone_table_free(t);
    /* the last name again */
    memcpy(text, "V9", 2);
    char *second = strchr(text, ',') + 1;
    memcpy(second, "V9", 2);
    CHECK_FAILS(csv_parse(&t, NULL, NULL, text, (size_t)(at - text), 0, NULL, NULL),
                SCONE_ERR_INPUT, "columns 1 and 2 are both named 'V9'");
    free(text);
}

static void test_too_many_columns(void **state)
{
    (void)state;
    size_t size = 2 * (size_t)CSV_COLUMN_LIMIT + 1;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) text[i] = i % 2 ? ',' : 'a';
    scone_table *t;
    CHECK_FAILS(csv_parse(&t, NULL, NULL, text, size, 0, NULL, NULL), SCONE_ERR_INPUT,
                "1000001 columns; at most 1000000");
    free(text);
}

/* A cell of a million digits, and a record that is longer than the buffer may grow. */
static void test_long(void **state)
{
    (void)state;
    enum { DIGITS = 1000000 };
    char *text = malloc(DIGITS + 64);
    assert_non_null(text);
    int start = sprintf(text, "a,b\n7,0.");
    memset(text + start, '3', DIGITS);
    int end = sprintf(text + start + DIGITS, "\n8,9\n");
    scone_table *t;
    CHECK_OK(csv_parse(&t, NULL, NULL, text, (size_t)(start + DIGITS + end), 100, NULL, NULL));
    CHECK_SAME(scone_table_column(t, 1)[0], 1.0 / 3.0);
    CHECK_SAME(scone_table_column(t, 1)[1], 9.0);
    scone_table_free(t);

    csv_text lines = {.memory = text, .memory_end = text + start + DIGITS};
    const char *from, *to;
    CHECK_OK(csv_text_start(&lines, 16));
    lines.limit = 1024;
    CHECK_OK(csv_text_record(&lines, &from, &to));
    CHECK(to - from == 3 && memcmp(from, "a,b", 3) == 0);
    CHECK_FAILS(csv_text_record(&lines, &from, &to), SCONE_ERR_INPUT, "longer than");
    csv_text_free(&lines);
    free(text);
}

/* What number_format writes, csv_parse reads to the same bits. */
static void test_round_trip(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    uint64_t seed = 9;
    double *values = malloc(ROWS * sizeof *values);
    char *text = malloc(ROWS * (NUMBER_TEXT_SIZE + 1) + 8), *at = text;
    CHECK(values && text);
    at += sprintf(at, "x\n");
    for (size_t i = 0; i < ROWS; i++) {
        do {
            uint64_t bits = next_word(&seed);
            memcpy(&values[i], &bits, sizeof bits);
        } while (!isfinite(values[i]));
        at += number_format(at, values[i]);
        *at++ = '\n';
    }
    scone_table *t;
    CHECK_OK(csv_parse(&t, NULL, NULL, text, (size_t)(at - text), 0, NULL, NULL));
    for (size_t i = 0; i < ROWS; i++) CHECK_SAME(scone_table_column(t, 0)[i], values[i]);
    scone_table_free(t);
    free(values);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_locale),
        cmocka_unit_test(test_random_tables), cmocka_unit_test(test_wrong_guess),
        cmocka_unit_test(test_wide),          cmocka_unit_test(test_too_many_columns),
        cmocka_unit_test(test_long),          cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
