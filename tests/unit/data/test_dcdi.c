/* test_dcdi.c - folders in the layouts of DCDI and SEA: written, read back, and made by hand. */
#include "testing.h"

#include "io/npy.h"
#include "data/dcdi.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const folder = "test_dcdi_folder";

static void write_text(const char *name, const char *text)
{
    char *path;
    CHECK_OK(path_join(&path, folder, name));
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL);
    CHECK(fwrite(text, 1, strlen(text), stream) == strlen(text));
    CHECK(fclose(stream) == 0);
    mem_free(path);
}

/* values[row][column] */
static void write_array(const char *name, const double *values, size_t rows, size_t columns,
                        bool fortran)
{
    char *path;
    double by_column[256];
    output_file *out;
    CHECK(rows * columns <= 256);
    for (size_t i = 0; i < rows * columns; i++) {
        by_column[i / columns + rows * (i % columns)] = values[i];
    }
    CHECK_OK(path_join(&path, folder, name));
    CHECK_OK(output_open(&out, path));
    CHECK_OK(npy_write(out, by_column, rows, columns, fortran));
    CHECK_OK(output_commit(&out));
    mem_free(path);
}

static int make_folder(void **state)
{
    (void)state;
    (void)system("rm -rf test_dcdi_folder");
    return mkdir(folder, 0777);
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -rf test_dcdi_folder");
}

static void check_rows(const scone_table *t, const double *values, size_t rows, size_t columns)
{
    CHECK(scone_table_rows(t) == rows);
    CHECK(scone_table_columns(t) == columns);
    for (size_t i = 0; i < rows * columns; i++) {
        CHECK_SAME(scone_table_column(t, i % columns)[i / columns], values[i]);
    }
}

/* Reads problem 1 and compares both tables. */
static void check_problem(const double *a, size_t rows_a, const double *b, size_t rows_b,
                          const scone_context *context)
{
    scone_pair *pair;
    CHECK_OK(scone_pair_read_dcdi(&pair, folder, 1, NULL, context));
    check_rows(scone_pair_table(pair, 0), a, rows_a, 2);
    check_rows(scone_pair_table(pair, 1), b, rows_b, 2);
    assert_string_equal(scone_table_name(scone_pair_table(pair, 1), 1), "X1");
    scone_pair_free(pair);
}

static void keep_note(void *user, scone_level level, const char *message)
{
    (void)level;
    (void)snprintf(user, 1024, "%s", message);
}

/* ---- the text files ---- */

static void test_parse_regimes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *regimes;
    } good[] = {
        {"", ""},
        {"\n\n", ""},
        {"0", "0"},
        {"0\n1\n0\n", "010"},
        {"1\r\n2\r\n0\r\n", "120"},
        {"0.0\n1.0\n3.000\n1e0\n", "0131"},
        {"\n 0 \n\n\t5\t\n\n\n", "05"},
        {"7\n7\n7", "777"},
        {"0.000000000000000000e+00\n1.000000000000000000e+00\n", "01"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t *regimes;
        size_t count;
        CHECK_OK(dcdi_parse_regimes(&regimes, &count, good[i].text, strlen(good[i].text)));
        CHECK(count == strlen(good[i].regimes));
        for (size_t k = 0; k < count; k++)
            CHECK(regimes[k] == (uint64_t)(good[i].regimes[k] - '0'));
        mem_free(regimes);
    }
    static const char *const bad[] = {"0\n-1\n",  "0\n0.5\n", "0\nx\n",   "0\n1,2\n", "0\nnan\n",
                                      "0\n1e400", "0\n1e300", "0\n0x1\n", "0\n\"1\"", "0\n1 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t *regimes;
        size_t count;
        CHECK_FAILS(dcdi_parse_regimes(&regimes, &count, bad[i], strlen(bad[i])), SCONE_ERR_INPUT,
                    "line 2: '");
        CHECK(regimes == NULL && count == 0);
    }
}

/* Regimes other than 0 by number, and the targets of each. */
static void test_regimes(void **state)
{
    (void)state;
    const uint64_t lines[] = {0, 12, 3, 0, 3, 12, 7};
    dcdi_regimes regimes;
    CHECK_OK(dcdi_regimes_number(&regimes, lines, 7));
    const size_t places[] = {SIZE_MAX, 2, 0, SIZE_MAX, 0, 2, 1};
    CHECK(regimes.count == 3 && regimes.rows == 7);
    CHECK(regimes.numbers[0] == 3 && regimes.numbers[1] == 7 && regimes.numbers[2] == 12);
    for (size_t r = 0; r < 7; r++) CHECK(regimes.of_row[r] == places[r]);

    bool targets[12] = {false};
    const char *text = "\n1\n0, 2\n\n3\n1\n\n\n";
    CHECK_OK(dcdi_parse_row_targets(targets, 4, &regimes, text, strlen(text)));
    const bool wanted[12] = {1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0};
    for (size_t i = 0; i < 12; i++) CHECK(targets[i] == wanted[i]);
    static const char *const bad[][2] = {
        {"\n1\n0\n2\n3\n1\n\n", "line 4 names targets, but the row is of regime 0"},
        {"\n1\n0\n\n3\n1\n\n1\n", "line 8 names targets, but there are fewer regimes"},
        {"\n1\n0\n\n3\n1\n", "there are 6 lines, but 7 regimes"},
        {"\n4\n", "line 2: target 4, but there are 4 nodes"},
        {"\nx\n", "line 2: 'x' is not a node number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_FAILS(dcdi_parse_row_targets(targets, 4, &regimes, bad[i][0], strlen(bad[i][0])),
                    SCONE_ERR_INPUT, bad[i][1]);
    }
    dcdi_regimes_free(&regimes);
    CHECK_OK(dcdi_regimes_number(&regimes, NULL, 0));
    CHECK(regimes.count == 0);
    dcdi_regimes_free(&regimes);
}

static void test_parse_interventions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines, *targets;
    } good[] = {
        {"", "", "0000"},
        {"\n\n", "00", "0000"},
        {"1\n\n3,0\n", "101", "1101"},
        {"2\r\n2\r\n\r\n\r\n", "1100", "0010"},
        {"\n \n3 , 1", "001", "0101"},
        {"3.0,2.0\n", "1", "0011"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        unsigned char *lines;
        size_t count;
        bool targets[4] = {false};
        CHECK_OK(dcdi_parse_interventions(&lines, &count, targets, 4, good[i].text,
                                          strlen(good[i].text)));
        CHECK(count == strlen(good[i].lines));
        for (size_t k = 0; k < count; k++) CHECK(lines[k] == good[i].lines[k] - '0');
        for (size_t k = 0; k < 4; k++) CHECK(targets[k] == (good[i].targets[k] == '1'));
        mem_free(lines);
    }
    static const char *const bad[] = {
        "1\n4\n", "1\n-1\n",  "1\n1,,2\n", "1\n1,\n",  "1\n,\n",
        "1\na\n", "1\n1;2\n", "1\n[1]\n",  "1\n1.5\n", "1\n99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unsigned char *lines;
        size_t count;
        bool targets[4] = {false};
        CHECK_FAILS(dcdi_parse_interventions(&lines, &count, targets, 4, bad[i], strlen(bad[i])),
                    SCONE_ERR_INPUT, "line 2: ");
        CHECK(lines == NULL && count == 0);
    }
}

/* ---- folders ---- */

static output_entry classify(const char *entry)
{
    (void)entry;
    return OUTPUT_OURS;
}

static const output_kind kind = {classify, {NULL}};

static void check_text(const char *name, const char *expected)
{
    char *path, *text;
    size_t size;
    CHECK_OK(path_join(&path, folder, name));
    CHECK_OK(file_read_all(&text, &size, path, 10000));
    assert_string_equal(text, expected);
    mem_free(text);
    mem_free(path);
}

static void test_write_and_read(void **state)
{
    (void)state;
    (void)system("rm -rf test_dcdi_folder");
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {-1, -2, -3, -4, -5, -6, 7, 8, 9};
    const double by_column_a[] = {1, 4, 2, 5, 3, 6},
                 by_column_b[] = {-1, -4, 7, -2, -5, 8, -3, -6, 9};
    const bool targets[] = {true, false, true};
    scone_table *first, *second;
    scone_pair *pair;
    graph *truth, *back;
    CHECK_OK(scone_table_from_columns(&first, by_column_a, 2, 3, NULL));
    CHECK_OK(scone_table_from_columns(&second, by_column_b, 3, 3, NULL));
    CHECK_OK(scone_pair_join(&pair, first, second));
    CHECK_OK(graph_alloc(&truth, 3));
    graph_direct(truth, 2, 0);
    graph_direct(truth, 0, 1);
    output_folder *out;
    CHECK_OK(output_folder_open(&out, folder, &kind, false, NULL));
    CHECK_OK(dcdi_write(out, 3, pair, truth, targets));
    CHECK_OK(dcdi_write(out, 12, pair, truth, targets));
    CHECK_OK(output_folder_commit(&out));
    scone_pair_free(pair);

    check_text("regime3.csv", "0\n0\n1\n1\n1\n");
    check_text("intervention3.csv", "\n\n0,2\n0,2\n0,2\n");
    npy_array array;
    CHECK_OK(npy_read(&array, "test_dcdi_folder/data_interv3.npy", NULL));
    CHECK(array.rows == 5 && array.columns == 3);
    for (size_t i = 0; i < 15; i++) {
        CHECK_SAME(array.values[i / 3 + 5 * (i % 3)], i < 6 ? a[i] : b[i - 6]);
    }
    mem_free(array.values);

    size_t *indices, count;
    CHECK_OK(dcdi_list(&indices, &count, folder));
    CHECK(count == 2 && indices[0] == 3 && indices[1] == 12);
    mem_free(indices);
    CHECK_OK(scone_pair_read_dcdi(&pair, folder, 12, NULL, NULL));
    check_rows(scone_pair_table(pair, 0), a, 2, 3);
    check_rows(scone_pair_table(pair, 1), b, 3, 3);
    scone_pair_free(pair);
    CHECK_OK(dcdi_read_graph(&back, folder, 3));
    CHECK(graph_equal_marks(back, truth));
    scone_graph_free(back);
    scone_graph_free(truth);
    bool *read_targets;
    CHECK_OK(dcdi_read_targets(&read_targets, folder, 3, 3));
    CHECK(memcmp(read_targets, targets, sizeof targets) == 0);
    mem_free(read_targets);
    CHECK_FAILS(dcdi_read_targets(&read_targets, folder, 3, 2), SCONE_ERR_INPUT,
                "intervention3.csv: line 3: target 2, but there are 2 nodes");
    CHECK(read_targets == NULL);
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 4, NULL, NULL), SCONE_ERR_INPUT,
                "there is no problem 4 (data_interv4.npy); it holds problems 3, 12");
}

/* Rows 0 and 3 are observational in every variant. */
static const double rows[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const double low[] = {1, 2, 7, 8}, high[] = {3, 4, 5, 6}, extra[] = {10, 20, 30, 40, 50, 60};

static void test_variants(void **state)
{
    char note[1024] = "";
    scone_context context = {.log = keep_note, .user = note};
    static const char *const regimes[] = {"0\n1\n1\n0\n", "0\r\n1\r\n1\r\n0\r\n",
                                          "0.0\n1.0\n1.0\n0.0", "\n0\n\n5\n5\n0\n\n\n"};
    static const char *const names[] = {"regime1.csv", "regimes1.csv"};
    for (size_t i = 0; i < 8; i++) {
        CHECK(make_folder(state) == 0);
        write_array("data_interv1.npy", rows, 4, 2, i % 2 == 1);
        write_text(names[i / 4], regimes[i % 4]);
        check_problem(low, 2, high, 2, &context);
        write_array("data1.npy", extra, 3, 2, i % 2 == 0);
        check_problem(extra, 3, high, 2, &context);
    }
    assert_string_equal(note, "");
    /* several interventional regimes are pooled */
    write_text("regimes1.csv", "0\n2\n1\n0\n");
    check_problem(extra, 3, high, 2, &context);
    CHECK(strstr(note, "regimes1.csv: several interventional regimes are pooled") != NULL);
}

static void test_interventions_only(void **state)
{
    static const char *const texts[] = {"\n1\n0,1\n\n", "\r\n1\r\n0\r\n\r\n", "\n1\n1\n\n\n\n\n",
                                        " \n0\n1\n "};
    static const char *const names[] = {"intervention1.csv", "interventions1.csv"};
    for (size_t i = 0; i < 8; i++) {
        CHECK(make_folder(state) == 0);
        write_array("data_interv1.npy", rows, 4, 2, false);
        write_text(names[i / 4], texts[i % 4]);
        check_problem(low, 2, high, 2, NULL);
    }
    /* the regime file decides if both are there */
    write_text("regime1.csv", "0\n0\n1\n1\n");
    check_problem(rows, 2, rows + 4, 2, NULL);
    /* neither: all rows are interventional */
    char note[1024] = "";
    scone_context context = {.log = keep_note, .user = note};
    CHECK(make_folder(state) == 0);
    write_array("data_interv1.npy", rows, 4, 2, false);
    write_array("data1.npy", extra, 3, 2, false);
    check_problem(extra, 3, rows, 4, &context);
    CHECK(strstr(note, "every row counts as regime 1") != NULL);
}

static void test_folder_failures(void **state)
{
    scone_pair *pair = (scone_pair *)8;
    graph *truth;
    bool *targets;
    CHECK_FAILS(scone_pair_read_dcdi(&pair, "no_such_folder", 1, NULL, NULL), SCONE_ERR_IO,
                "no_such_folder: is not a folder");
    CHECK(pair == NULL);
    CHECK(make_folder(state) == 0);
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "it holds no problem at all");
    write_array("data_interv1.npy", rows, 4, 2, false);
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "no observational rows");
    write_text("regime1.csv", "0\n1\n1\n");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "regime1.csv has 3 lines, but test_dcdi_folder/data_interv1.npy has 4 rows");
    write_text("regime1.csv", "0\n1\n1\n1\n1\n");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT, "5 lines");
    write_text("regime1.csv", "0\n1\ntwo\n1\n");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "regime1.csv: line 3: 'two'");
    write_text("regime1.csv", "0\n0\n0\n0\n");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "no interventional rows");
    const scone_read_options empty = {.allow_empty = true};
    CHECK_OK(scone_pair_read_dcdi(&pair, folder, 1, &empty, NULL));
    check_rows(scone_pair_table(pair, 0), rows, 4, 2);
    check_rows(scone_pair_table(pair, 1), NULL, 0, 2);
    scone_pair_free(pair);

    CHECK(make_folder(state) == 0);
    write_array("data_interv1.npy", rows, 4, 2, false);
    write_text("intervention1.csv", "\n1\n1\n");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "intervention1.csv has 3 lines");
    write_text("intervention1.csv", "\n1\n1\n\n\n1\n\n");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "intervention1.csv has 6 lines");
    write_text("intervention1.csv", "\n1\n2\n\n");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "intervention1.csv: line 3: target 2");
    write_text("intervention1.csv", "\n1\n1\n\n");
    write_array("data1.npy", extra, 2, 3, false);
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "data1.npy has 3 columns, but test_dcdi_folder/data_interv1.npy has 2");
    write_text("data_interv1.npy", "not an array");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "data_interv1.npy");
    CHECK_FAILS(dcdi_read_graph(&truth, folder, 1), SCONE_ERR_IO, "DAG1.npy");
    CHECK(truth == NULL);
    CHECK_FAILS(dcdi_read_targets(&targets, folder, 2, 2), SCONE_ERR_IO, "intervention2.csv");
    CHECK(pair == NULL);
}

/* Only names that a problem can have count, and a long list is cut. */
static void test_list(void **state)
{
    size_t *indices, count;
    scone_pair *pair;
    CHECK_FAILS(dcdi_list(&indices, &count, "no_such_folder"), SCONE_ERR_IO, "no_such_folder");
    CHECK(indices == NULL && count == 0);
    CHECK(make_folder(state) == 0);
    static const char *const others[] = {"data_interv.npy",   "data_interv07.npy",
                                         "data_interv1.csv",  "data_intervx1.npy",
                                         "xdata_interv1.npy", "data_interv99999999999999999999.npy",
                                         "data_interv-1.npy", "data_interv1.npy~",
                                         "data_interv1x.npy", "data_interv 1.npy"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) write_text(others[i], "");
    CHECK_OK(dcdi_list(&indices, &count, folder));
    CHECK(count == 0);
    mem_free(indices);
    for (int i = 0; i < 200; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "data_interv%d.npy", i * 1000);
        write_text(name, "");
    }
    CHECK_OK(dcdi_list(&indices, &count, folder));
    CHECK(count == 200);
    for (size_t i = 0; i < count; i++) CHECK(indices[i] == 1000 * i);
    mem_free(indices);
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "it holds problems 0, 1000, 2000, ");
    size_t length = strlen(scone_error_message());
    CHECK(length < 300 && strcmp(scone_error_message() + length - 5, ", ...") == 0);
}

/* Missing cells go with their row's regime. */
static void test_missing(void **state)
{
    char note[1024] = "";
    scone_context context = {.log = keep_note, .user = note};
    const scone_read_options drop = {.na = SCONE_NA_DROP}, keep = {.na = SCONE_NA_KEEP};
    const double holes[] = {1, 2, 3, (double)NAN, 5, 6, (double)INFINITY, 8, 9, 10};
    const double kept_low[] = {1, 2, 9, 10};
    scone_pair *pair;
    CHECK(make_folder(state) == 0);
    write_array("data_interv1.npy", holes, 5, 2, false);
    write_text("regime1.csv", "0\n1\n1\n0\n0\n");
    CHECK_FAILS(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "data_interv1.npy: row ");
    CHECK_OK(scone_pair_read_dcdi(&pair, folder, 1, &drop, &context));
    check_rows(scone_pair_table(pair, 0), kept_low, 2, 2);
    check_rows(scone_pair_table(pair, 1), holes + 4, 1, 2);
    scone_pair_free(pair);
    CHECK(strstr(note, "dropped 2 of 5 rows") != NULL);
    CHECK_OK(scone_pair_read_dcdi(&pair, folder, 1, &keep, NULL));
    CHECK(scone_table_rows(scone_pair_table(pair, 0)) == 3);
    check_rows(scone_pair_table(pair, 1), holes + 2, 2, 2);
    scone_pair_free(pair);
}

static void test_condition_targets(void **state)
{
    dcdi_condition_targets t;
    size_t count;
    CHECK(make_folder(state) == 0);
    CHECK_OK(scone_dcdi_regimes(&count, folder, 1));
    CHECK(count == 1); /* without a file */
    CHECK_FAILS(dcdi_read_condition_targets(&t, folder, 1, 3), SCONE_ERR_IO, "intervention1.csv");
    write_text("intervention1.csv", "\n2\n\n0,1\n2\n");
    CHECK_OK(dcdi_read_condition_targets(&t, folder, 1, 3)); /* rows with targets are regime 1 */
    CHECK(t.count == 1 && t.nodes == 3 && t.numbers[0] == 1);
    CHECK(t.targets[0] && t.targets[1] && t.targets[2]);
    dcdi_condition_targets_free(&t);
    write_text("regimes1.csv", "0\n10\n0\n2\n10\n");
    CHECK_OK(scone_dcdi_regimes(&count, folder, 1));
    CHECK(count == 2);
    CHECK_OK(dcdi_read_condition_targets(&t, folder, 1, 3));
    CHECK(t.count == 2 && t.numbers[0] == 2 && t.numbers[1] == 10);
    const bool wanted[] = {1, 1, 0, 0, 0, 1};
    for (size_t i = 0; i < 6; i++) CHECK(t.targets[i] == wanted[i]);
    dcdi_condition_targets_free(&t);
    write_text("regimes1.csv", "0\n10\n0\n0\n10\n");
    CHECK_FAILS(dcdi_read_condition_targets(&t, folder, 1, 3), SCONE_ERR_INPUT,
                "intervention1.csv: line 4 names targets, but the row is of regime 0");
    CHECK(t.targets == NULL && t.numbers == NULL);
    write_text("regimes1.csv", "0\n10\nx\n");
    CHECK_FAILS(dcdi_read_condition_targets(&t, folder, 1, 3), SCONE_ERR_INPUT,
                "regimes1.csv: line 3: 'x' is not a regime");
    CHECK_FAILS(scone_dcdi_regimes(&count, folder, 1), SCONE_ERR_INPUT, "regimes1.csv: line 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_regimes),
        cmocka_unit_test(test_regimes),
        cmocka_unit_test(test_condition_targets),
        cmocka_unit_test(test_parse_interventions),
        cmocka_unit_test(test_write_and_read),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_interventions_only),
        cmocka_unit_test(test_folder_failures),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
