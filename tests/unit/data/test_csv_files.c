/* test_csv_files.c - the table reader on files: those of tests/fixtures/csv, compressed ones, pipes
 * and folders; the choice between text and arrays; notes and progress. */
#include "testing.h"

#include "io/file.h"
#include "io/npy.h"
#include "data/csv.h"

#include <stdlib.h>
#include <unistd.h>

static const char *fixture(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/csv/%s", FIXTURES, name);
    return path;
}

static void take_note(void *user, scone_level level, const char *message)
{
    (void)level;
    char *text = user;
    (void)snprintf(text, 512, "%s", message);
}

/* ---- fixtures ---- */

typedef struct file_case {
    const char *name, *names; /* names: "a|b"; NULL if refused */
    size_t rows;
    double first, last; /* cells */
    scone_status status;
    const char *message;
} file_case;

static const file_case files[] = {
    {"plain.csv", "a|b|c", 2, 1, 6, SCONE_OK, NULL},
    {"excel_utf8.csv", "age|height", 2, 31, 1.64, SCONE_OK, NULL},
    {"excel_semicolon.csv", "age|height", 2, 31, 1.64, SCONE_OK, NULL},
    {"excel_decimal_comma.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "'1,82' has a decimal comma"},
    {"excel_unicode.txt", NULL, 0, 0, 0, SCONE_ERR_INPUT, "UTF-16"},
    {"utf16_no_mark.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "NUL bytes"},
    {"utf32.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "UTF-32"},
    {"excel_workbook.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "Excel workbook"},
    {"numpy_array.csv", "X0|X1|X2", 2, 1, 6, SCONE_OK, NULL},
    {"pandas_index.csv", "x|y", 2, 1.5, 4.5, SCONE_OK, NULL},
    {"pandas_reread.csv", "x|y", 2, 1.5, 4.5, SCONE_OK, NULL},
    {"pandas_twice.csv", "x|y", 2, 1.5, 4.5, SCONE_OK, NULL},
    {"pandas_default_names.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "add_prefix"},
    {"r_write_csv.csv", "x|y", 2, 1.5, 4.5, SCONE_OK, NULL},
    {"r_write_csv_names.csv", "x|y", 2, 1.5, 4.5, SCONE_OK, NULL},
    {"r_write_table.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "row.names = FALSE"},
    {"r_missing.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "2 such cells in 2 of 3 rows"},
    {"savetxt.csv", "x|y", 2, 1.5, 1e300, SCONE_OK, NULL},
    {"old_mac.csv", "a|b", 2, 1, 4, SCONE_OK, NULL},
    {"mixed_breaks.csv", "a|b", 3, 1, 6, SCONE_OK, NULL},
    {"no_final_newline.csv", "a|b", 2, 1, 4, SCONE_OK, NULL},
    {"tab.tsv", "a|b", 2, 1, 4, SCONE_OK, NULL},
    {"quoted_all.csv", "a|b", 2, 1, 40, SCONE_OK, NULL},
    {"header_line_break.csv", "dose\n(mg)|say \"hi\"", 2, 1, 4, SCONE_OK, NULL},
    {"latin1_header.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "0xf6, which is not UTF-8"},
    {"utf8_header.csv", "Größe|β₁", 1, 1, 2, SCONE_OK, NULL},
    {"text_column.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "row 2, column 2 ('group'): 'control'"},
    {"empty.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "the file is empty"},
    {"blank_lines.csv", "a|b", 2, 1, 4, SCONE_OK, NULL},
    {"header_only.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "no rows"},
    {"truncated_row.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "row 3 has 2 fields"},
    {"trailing_delimiter.csv", NULL, 0, 0, 0, SCONE_ERR_INPUT, "ends with 1 empty name"},
    {"plain.csv.gz", "a|b", 2, 1, 4, SCONE_OK, NULL},
    {"two_members.csv.gz", "a|b", 3, 1, 6, SCONE_OK, NULL},
    {"truncated.csv.gz", NULL, 0, 0, 0, SCONE_ERR_INPUT, "truncated"},
    {"damaged.csv.gz", NULL, 0, 0, 0, SCONE_ERR_INPUT, "damaged"},
    {"empty.csv.gz", NULL, 0, 0, 0, SCONE_ERR_INPUT, "the file is empty"},
    {"no_such_file.csv", NULL, 0, 0, 0, SCONE_ERR_IO, "cannot open"},
    {".", NULL, 0, 0, 0, SCONE_ERR_IO, "is a folder"},
};

static void test_fixtures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const file_case *c = &files[i];
        scone_table *t;
        scone_status status = scone_table_read(&t, fixture(c->name), NULL, NULL);
        if (status != c->status) fail_msg("%s: %d: %s", c->name, status, scone_error_message());
        if (status != SCONE_OK) {
            CHECK(t == NULL);
            const char *message = scone_error_message();
            if (!strstr(message, c->message)) fail_msg("%s: '%s'", c->name, message);
            /* the message starts with the file, once */
            size_t length = strlen(fixture(c->name));
            if (strncmp(message, fixture(c->name), length) != 0 ||
                strstr(message + length, c->name[0] == '.' ? "//" : c->name)) {
                fail_msg("'%s' does not name %s once", message, c->name);
            }
            continue;
        }
        char joined[256] = "";
        size_t columns = scone_table_columns(t);
        for (size_t j = 0; j < columns; j++) {
            (void)snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s",
                           j ? "|" : "", scone_table_name(t, j));
        }
        assert_string_equal(joined, c->names);
        assert_int_equal(scone_table_rows(t), c->rows);
        CHECK_SAME(scone_table_column(t, 0)[0], c->first);
        CHECK_SAME(scone_table_column(t, columns - 1)[c->rows - 1], c->last);
        scone_table_free(t);
    }
}

static void test_labels(void **state)
{
    (void)state;
    scone_table *t;
    char **labels;
    CHECK_OK(csv_read_labelled(&t, &labels, "group", fixture("text_column.csv"), NULL, NULL));
    CHECK(scone_table_columns(t) == 2 && scone_table_rows(t) == 2);
    assert_string_equal(scone_table_name(t, 1), "x");
    assert_string_equal(labels[0], "control");
    assert_string_equal(labels[1], "treated");
    for (size_t i = 0; i < 2; i++) mem_free(labels[i]);
    mem_free(labels);
    scone_table_free(t);
    CHECK_FAILS(csv_read_labelled(&t, &labels, "arm", fixture("text_column.csv"), NULL, NULL),
                SCONE_ERR_INPUT,
                "text_column.csv: there is no column 'arm'; the columns are: id, ");
    CHECK(t == NULL && labels == NULL);
}

static void test_options(void **state)
{
    (void)state;
    char note[512] = "";
    scone_context context = {.log = take_note, .user = note};
    scone_table *t;
    scone_read_options options = {.na = SCONE_NA_DROP};
    CHECK_OK(scone_table_read(&t, fixture("r_missing.csv"), &options, &context));
    assert_int_equal(scone_table_rows(t), 1);
    CHECK_SAME(scone_table_column(t, 0)[0], 5.0);
    CHECK(strstr(note, "r_missing.csv: removed 2 of 3 rows") != NULL);
    scone_table_free(t);
    options.na = SCONE_NA_KEEP;
    CHECK_OK(scone_table_read(&t, fixture("r_missing.csv"), &options, &context));
    assert_int_equal(scone_table_rows(t), 3);
    CHECK(isnan(scone_table_column(t, 1)[0]) && isnan(scone_table_column(t, 0)[1]));
    scone_table_free(t);
    options.allow_empty = true;
    CHECK_OK(scone_table_read(&t, fixture("header_only.csv"), &options, &context));
    CHECK(scone_table_rows(t) == 0 && scone_table_columns(t) == 2);
    scone_table_free(t);
}

/* ---- arrays ---- */

static void write_array(const char *path, const double *values, size_t rows, size_t columns)
{
    output_file *file;
    CHECK_OK(output_open(&file, path));
    CHECK_OK(npy_write(file, values, rows, columns, true));
    CHECK_OK(output_commit(&file));
}

static void test_array(void **state)
{
    (void)state;
    const char *path = "test_csv_array.npy";
    const double values[6] = {1.0, (double)NAN, 3.0, 4.0, 5.0, (double)INFINITY};
    char note[512] = "";
    scone_context context = {.log = take_note, .user = note};
    scone_read_options options = {0};
    scone_table *t;
    write_array(path, values, 3, 2);
    CHECK_FAILS(scone_table_read(&t, path, &options, &context), SCONE_ERR_INPUT,
                "row 2, column 1 ('X0'): the cell is missing; 2 such cells in 2 of 3 rows");
    CHECK(t == NULL);
    options.na = SCONE_NA_DROP;
    CHECK_OK(scone_table_read(&t, path, &options, &context));
    CHECK(scone_table_rows(t) == 1 && scone_table_columns(t) == 2);
    CHECK_SAME(scone_table_column(t, 0)[0], 1.0);
    CHECK_SAME(scone_table_column(t, 1)[0], 4.0);
    CHECK(strstr(note, "removed 2 of 3 rows") != NULL);
    scone_table_free(t);
    options.na = SCONE_NA_KEEP;
    CHECK_OK(scone_table_read(&t, path, &options, &context));
    CHECK(scone_table_rows(t) == 3);
    CHECK(memcmp(scone_table_column(t, 0), values, sizeof values) == 0);
    assert_string_equal(scone_table_name(t, 1), "X1");
    scone_table_free(t);

    write_array(path, values + 5, 1, 1);
    options.na = SCONE_NA_ERROR;
    CHECK_FAILS(scone_table_read(&t, path, &options, NULL), SCONE_ERR_INPUT, "is infinite");
    options.na = SCONE_NA_DROP;
    CHECK_FAILS(scone_table_read(&t, path, &options, NULL), SCONE_ERR_INPUT, "no rows are left");
    write_array(path, values, 0, 2);
    CHECK_FAILS(scone_table_read(&t, path, NULL, NULL), SCONE_ERR_INPUT, "no rows");
    options.allow_empty = true;
    CHECK_OK(scone_table_read(&t, path, &options, NULL));
    CHECK(scone_table_rows(t) == 0 && scone_table_columns(t) == 2);
    scone_table_free(t);
    /* text under the name of an array */
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    (void)fputs("a,b\n1,2\n", stream);
    (void)fclose(stream);
    CHECK_FAILS(scone_table_read(&t, path, NULL, NULL), SCONE_ERR_INPUT, path);
    (void)remove(path);
}

/* ---- pipes and progress ---- */

static void test_pipe(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a,b\n1,2\n", 8), 8);
    (void)close(ends[1]);
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    scone_table *t;
    CHECK_OK(scone_table_read(&t, path, NULL, NULL));
    CHECK_SAME(scone_table_column(t, 1)[0], 2.0);
    scone_table_free(t);
    (void)close(ends[0]);
}

typedef struct progress_log {
    int calls, stop_at;
    double last;
} progress_log;

static bool watch(void *user, const char *stage, double done)
{
    progress_log *log = user;
    assert_string_equal(stage, "read");
    CHECK(done > log->last && done <= 1.0);
    log->last = done;
    return ++log->calls != log->stop_at;
}

static void test_progress(void **state)
{
    (void)state;
    const char *path = "test_csv_progress.csv";
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    (void)fputs("a,b\n", stream);
    for (int i = 0; i < 400000; i++) (void)fprintf(stream, "%06d,%06d\n", i, i);
    (void)fclose(stream);
    progress_log log = {0};
    scone_context context = {.progress = watch, .user = &log};
    scone_table *t;
    CHECK_OK(csv_read(&t, path, NULL, &context));
    CHECK(log.calls >= 3 && log.last > 0.5);
    CHECK_SAME(scone_table_column(t, 1)[399999], 399999.0);
    scone_table_free(t);
    log = (progress_log){.stop_at = 2};
    CHECK_FAILS(csv_read(&t, path, NULL, &context), SCONE_ERR_INPUT, "stopped");
    CHECK(t == NULL && log.calls == 2);
    (void)remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_options),  cmocka_unit_test(test_array),
        cmocka_unit_test(test_pipe),     cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
