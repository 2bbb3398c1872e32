/* test_conditions.c - a control and conditions from files and from one long table. */
#include "testing.h"

#include "data/conditions/conditions.h"

#include <stdlib.h>
#include <unistd.h>

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL);
    CHECK(fwrite(text, 1, strlen(text), stream) == strlen(text));
    CHECK(fclose(stream) == 0);
}

static void keep_note(void *user, scone_level level, const char *message)
{
    (void)level;
    (void)snprintf(user, 1024, "%s", message);
}

static void write_files(void)
{
    write_text("control.csv", "A,B\n1,2\n3,4\n");
    write_text("dose10.csv", "B,A\n6,5\n");
    write_text("dose2.csv", "A,B\n7,8\n9,10\n11,12\n");
}

/* ---- files ---- */

static void test_files(void **state)
{
    (void)state;
    const char *const paths[] = {"control.csv", "dose10.csv", "dose2.csv"};
    scone_conditions *c;
    write_files();
    CHECK_OK(scone_conditions_read(&c, paths, NULL, 3, NULL, NULL));
    CHECK(scone_conditions_count(c) == 2);
    assert_string_equal(scone_conditions_name(c, 0), "control");
    assert_string_equal(scone_conditions_name(c, 1), "dose2"); /* the order of the names */
    assert_string_equal(scone_conditions_name(c, 2), "dose10");
    const scone_table *ten = scone_conditions_table(c, 2);
    CHECK(scone_table_rows(ten) == 1);
    assert_string_equal(scone_table_name(ten, 0), "A"); /* the order of the control's columns */
    CHECK_SAME(scone_table_column(ten, 0)[0], 5.0);
    scone_pair *pair;
    CHECK_OK(scone_conditions_pool(&pair, c));
    const double first[] = {7, 9, 11, 5}, second[] = {8, 10, 12, 6};
    CHECK(scone_table_rows(scone_pair_table(pair, 1)) == 4);
    for (size_t r = 0; r < 4; r++) {
        CHECK_SAME(scone_table_column(scone_pair_table(pair, 1), 0)[r], first[r]);
        CHECK_SAME(scone_table_column(scone_pair_table(pair, 1), 1)[r], second[r]);
    }
    CHECK_SAME(scone_table_column(scone_pair_table(pair, 0), 1)[1], 4.0);
    scone_pair_free(pair);
    scone_conditions_free(c);
}

static void test_names(void **state)
{
    (void)state;
    const char *const paths[] = {"control.csv", "dose10.csv", "dose10.csv"};
    const char *const names[] = {NULL, "b", "a"};
    scone_conditions *c;
    write_files();
    CHECK_OK(scone_conditions_read(&c, paths, names, 3, NULL, NULL));
    assert_string_equal(scone_conditions_name(c, 1), "a");
    scone_conditions_free(c);
    CHECK_FAILS(scone_conditions_read(&c, paths, NULL, 3, NULL, NULL), SCONE_ERR_INPUT,
                "two tables are named 'dose10', dose10.csv and dose10.csv; give one of them "
                "another name with NAME=FILE");
    CHECK(c == NULL);
    const char *const empty[] = {NULL, "b", ""};
    CHECK_FAILS(scone_conditions_read(&c, paths, empty, 3, NULL, NULL), SCONE_ERR_INPUT,
                "table 3 has an empty name");
    CHECK_FAILS(scone_conditions_read(&c, paths, NULL, 1, NULL, NULL), SCONE_ERR_INPUT,
                "there is only a control; add a condition");
}

static void test_bad_files(void **state)
{
    (void)state;
    const char *paths[] = {"control.csv", "dose2.csv", "bad.csv"};
    scone_conditions *c;
    write_files();
    write_text("bad.csv", "A,C\n1,2\n");
    CHECK_FAILS(scone_conditions_read(&c, paths, NULL, 3, NULL, NULL), SCONE_ERR_INPUT,
                "bad.csv lacks 'B' of control.csv, which lacks 'C'");
    write_text("bad.csv", "A,B\n");
    CHECK_FAILS(scone_conditions_read(&c, paths, NULL, 3, NULL, NULL), SCONE_ERR_INPUT, "bad.csv");
    write_text("bad.csv", "A,B\n1,2\n3,x\n");
    CHECK_FAILS(scone_conditions_read(&c, paths, NULL, 3, NULL, NULL), SCONE_ERR_INPUT,
                "bad.csv: row 3, column 2 ('B')");
    CHECK(c == NULL);
}

/* ---- one long table ---- */

static const char *const long_text =
    "A,dose,B\n1,ten,2\n3,0,4\n5,2.0,6\n7,ten,8\n9,2,10\n11,0.0,12\n";

static void test_long(void **state)
{
    (void)state;
    scone_conditions *c;
    write_text("long.csv", long_text);
    CHECK_OK(scone_conditions_read_long(&c, "long.csv", "dose", NULL, NULL));
    CHECK(scone_conditions_count(c) == 2);
    assert_string_equal(scone_conditions_name(c, 0), "0");
    assert_string_equal(scone_conditions_name(c, 1), "2");
    assert_string_equal(scone_conditions_name(c, 2), "ten");
    CHECK(scone_table_rows(scone_conditions_table(c, 0)) == 2);
    CHECK(scone_table_columns(scone_conditions_table(c, 0)) == 2);
    CHECK_SAME(scone_table_column(scone_conditions_table(c, 0), 1)[1], 12.0);
    CHECK_SAME(scone_table_column(scone_conditions_table(c, 1), 0)[1], 9.0);
    CHECK_SAME(scone_table_column(scone_conditions_table(c, 2), 1)[0], 2.0);
    CHECK(table_file_row(scone_conditions_table(c, 2), 1) == 5); /* where it stands in the file */
    scone_conditions_free(c);
}

static void test_long_names(void **state)
{
    (void)state;
    scone_conditions *c;
    char note[1024] = "";
    const scone_context context = {.log = keep_note, .user = note};
    write_text("long.csv", long_text);
    CHECK_OK(scone_conditions_read_long(&c, "long.csv", "dose=ten,2", NULL, &context));
    CHECK(scone_conditions_count(c) == 1);
    assert_string_equal(scone_conditions_name(c, 0), "ten");
    CHECK_SAME(scone_table_column(scone_conditions_table(c, 0), 0)[1], 7.0);
    assert_string_equal(note, "left out 2 of 6 rows, whose 'dose' is none of the named conditions");
    scone_conditions_free(c);
}

static void test_long_bad(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"dose=five",
         "long.csv: no row has the control value 'five' in column 'dose', which holds '0', '2', "
         "'ten'; name one of these after '='"},
        {"dose=0,five", "no row has the condition 'five' in column 'dose'"},
        {"dose=0,2,2.0", "'2.0' is named twice for column 'dose'; name it once"},
        {"dose=0,0", "'0' is named twice"},
        {"dose=", "give COLUMN, COLUMN=CONTROL"},
        {"=0", "give COLUMN, COLUMN=CONTROL"},
        {"dose=0,,2", "give COLUMN, COLUMN=CONTROL"},
        {"day", "long.csv: "},
    };
    scone_conditions *c;
    write_text("long.csv", long_text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(scone_conditions_read_long(&c, "long.csv", cases[i][0], NULL, NULL),
                    SCONE_ERR_INPUT, cases[i][1]);
        CHECK(c == NULL);
    }
    write_text("one.csv", "A,dose\n1,x\n2,x\n");
    CHECK_FAILS(scone_conditions_read_long(&c, "one.csv", "dose", NULL, NULL), SCONE_ERR_INPUT,
                "one.csv: column 'dose' holds only 'x', so there is a control and no condition");
    FILE *many = fopen("many.csv", "wb");
    CHECK(many != NULL);
    CHECK(fputs("A,dose\n", many) >= 0);
    for (int i = 0; i <= CONDITIONS_MOST + 1; i++) CHECK(fprintf(many, "1,%d\n", i) > 0);
    CHECK(fclose(many) == 0);
    CHECK_FAILS(scone_conditions_read_long(&c, "many.csv", "dose", NULL, NULL), SCONE_ERR_INPUT,
                "holds 1001 values besides the control, more than the limit of 1000 conditions");
}

static int enter(void **state)
{
    (void)state;
    static char folder[] = "/tmp/test_conditions_XXXXXX";
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),      cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_long),
        cmocka_unit_test(test_long_names), cmocka_unit_test(test_long_bad),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
