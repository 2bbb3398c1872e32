/* test_conditions_dcdi.c - problems of DCDI folders whose regimes are told apart. */
#include "testing.h"

#include "data/conditions/conditions.h"
#include "data/dcdi.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "test_conditions_dcdi_folder";
static const char *const files[] = {"data1.npy", "data_interv1.npy", "regime1.csv",
                                    "intervention1.csv"};

static void path_of(char path[256], const char *name)
{
    (void)snprintf(path, 256, "%s/%s", folder, name);
}

static int remove_folder(void **state)
{
    char path[256];
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        path_of(path, files[f]);
        (void)remove(path);
    }
    (void)rmdir(folder);
    return 0;
}

static int make_folder(void **state)
{
    (void)remove_folder(state);
    return mkdir(folder, 0777);
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    char path[256];
    path_of(path, name);
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL);
    CHECK(fwrite(bytes, 1, size, stream) == size);
    CHECK(fclose(stream) == 0);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

/* values [rows, 2] */
static void write_array(const char *name, const double *values, size_t rows)
{
    char bytes[4096] = "\x93NUMPY\x01\x00\x76";
    int length =
        snprintf(bytes + 10, 119, "%-117s\n",
                 rows == 8   ? "{'descr': '<f8', 'fortran_order': False, 'shape': (8, 2), }"
                 : rows == 3 ? "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"
                             : "{}");
    CHECK(length == 118);
    memcpy(bytes + 128, values, 2 * rows * sizeof *values);
    write_bytes(name, bytes, 128 + 2 * rows * sizeof *values);
}

static void check_table(const scone_conditions *c, size_t k, const char *name, const double *first,
                        size_t rows)
{
    const scone_table *t = scone_conditions_table(c, k);
    assert_string_equal(scone_conditions_name(c, k), name);
    CHECK(scone_table_rows(t) == rows && scone_table_columns(t) == 2);
    for (size_t r = 0; r < rows; r++) CHECK_SAME(scone_table_column(t, 0)[r], first[r]);
    for (size_t r = 0; r < rows; r++) CHECK_SAME(scone_table_column(t, 1)[r], -first[r]);
}

static const double rows[] = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8};

static void test_regimes(void **state)
{
    scone_conditions *c;
    CHECK(make_folder(state) == 0);
    write_array("data_interv1.npy", rows, 8);
    write_text("regime1.csv", "0\n10\n2\n0\n10\n2\n2\n3\n");
    CHECK_OK(scone_conditions_read_dcdi(&c, folder, 1, NULL, NULL));
    CHECK(scone_conditions_count(c) == 3);
    check_table(c, 0, "0", (const double[]){1, 4}, 2);
    check_table(c, 1, "2", (const double[]){3, 6, 7}, 3);
    check_table(c, 2, "3", (const double[]){8}, 1);
    check_table(c, 3, "10", (const double[]){2, 5}, 2);
    CHECK(table_file_row(scone_conditions_table(c, 1), 1) == 6);
    CHECK(c->tables[0]->inputs.count == 2); /* both files were read */
    scone_conditions_free(c);
    /* the control beside the rows of regime 0, as for a pair */
    const double control[] = {11, -11, 12, -12, 13, -13};
    write_array("data1.npy", control, 3);
    CHECK_OK(scone_conditions_read_dcdi(&c, folder, 1, NULL, NULL));
    check_table(c, 0, "0", (const double[]){11, 12, 13}, 3);
    check_table(c, 3, "10", (const double[]){2, 5}, 2);
    scone_conditions_free(c);
}

/* One regime is a pair, with the rows that scone_pair_read_dcdi gives. */
static void test_one_regime(void **state)
{
    scone_conditions *c;
    scone_pair *pair;
    static const char *const regimes[] = {"0\n1\n1\n0\n1\n1\n1\n1\n", NULL};
    for (size_t i = 0; i < 2; i++) {
        CHECK(make_folder(state) == 0);
        write_array("data_interv1.npy", rows, 8);
        if (regimes[i]) write_text("regime1.csv", regimes[i]);
        if (!regimes[i]) write_text("intervention1.csv", "\n1\n0\n\n1\n1\n1\n1\n");
        CHECK_OK(scone_conditions_read_dcdi(&c, folder, 1, NULL, NULL));
        CHECK_OK(scone_pair_read_dcdi(&pair, folder, 1, NULL, NULL));
        CHECK(scone_conditions_count(c) == 1);
        assert_string_equal(scone_conditions_name(c, 1), "1");
        for (size_t k = 0; k < 2; k++) {
            const scone_table *t = scone_pair_table(pair, (int)k);
            check_table(c, k, k ? "1" : "0", scone_table_column(t, 0), scone_table_rows(t));
        }
        scone_pair_free(pair);
        scone_conditions_free(c);
    }
}

static void keep_note(void *user, scone_level level, const char *message)
{
    (void)level;
    size_t used = strlen(user);
    (void)snprintf((char *)user + used, 1024 - used, "%s\n", message);
}

static void test_missing(void **state)
{
    char notes[1024] = "";
    scone_context context = {.log = keep_note, .user = notes};
    const scone_read_options drop = {.na = SCONE_NA_DROP}, keep = {.na = SCONE_NA_KEEP};
    double holes[16];
    scone_conditions *c;
    CHECK(make_folder(state) == 0);
    memcpy(holes, rows, sizeof holes);
    holes[15] = (double)NAN;
    holes[4] = (double)NAN;
    write_array("data_interv1.npy", holes, 8);
    write_text("regime1.csv", "0\n10\n2\n0\n10\n2\n2\n3\n");
    CHECK_FAILS(scone_conditions_read_dcdi(&c, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "data_interv1.npy: row 3, column X0: missing value");
    CHECK(c == NULL);
    CHECK_OK(scone_conditions_read_dcdi(&c, folder, 1, &drop, &context));
    CHECK(scone_conditions_count(c) == 2); /* of regime 3 nothing is left, and that is told */
    check_table(c, 1, "2", (const double[]){6, 7}, 2);
    CHECK(strstr(notes, "1 of 3 regimes are left out, since all of their rows were dropped"));
    scone_conditions_free(c);
    CHECK_OK(scone_conditions_read_dcdi(&c, folder, 1, &keep, NULL));
    CHECK(scone_conditions_count(c) == 3);
    scone_conditions_free(c);
}

static void test_refused(void **state)
{
    scone_conditions *c = (scone_conditions *)8;
    const scone_read_options empty = {.allow_empty = true};
    CHECK_FAILS(scone_conditions_read_dcdi(&c, "no_such_folder", 1, NULL, NULL), SCONE_ERR_IO,
                "no_such_folder: is not a folder");
    CHECK(c == NULL);
    CHECK(make_folder(state) == 0);
    CHECK_FAILS(scone_conditions_read_dcdi(&c, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "it holds no problem at all");
    write_array("data_interv1.npy", rows, 8);
    write_text("regime1.csv", "1\n1\n2\n2\n3\n3\n3\n3\n");
    CHECK_FAILS(scone_conditions_read_dcdi(&c, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "no observational rows, and there is no data file beside it");
    CHECK_OK(scone_conditions_read_dcdi(&c, folder, 1, &empty, NULL));
    CHECK(scone_conditions_count(c) == 3);
    CHECK(scone_table_rows(scone_conditions_table(c, 0)) == 0);
    scone_conditions_free(c);
    write_text("regime1.csv", "0\n0\n0\n0\n0\n0\n0\n0\n");
    CHECK_FAILS(scone_conditions_read_dcdi(&c, folder, 1, &empty, NULL), SCONE_ERR_INPUT,
                "no interventional rows; its regimes are all 0");
    write_text("regime1.csv", "0\n1\n2\n");
    CHECK_FAILS(scone_conditions_read_dcdi(&c, folder, 1, NULL, NULL), SCONE_ERR_INPUT,
                "regime1.csv has 3 lines, but test_conditions_dcdi_folder/data_interv1.npy has 8");
    CHECK(c == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regimes),
        cmocka_unit_test(test_one_regime),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
