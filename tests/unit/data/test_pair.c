/* test_pair.c - pairs from two files, from one file with a regime column, and written tables. */
#include "testing.h"

#include "io/file.h"
#include "data/pair.h"

#include <stdlib.h>
#include <unistd.h>

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL);
    CHECK(fwrite(text, 1, strlen(text), stream) == strlen(text));
    CHECK(fclose(stream) == 0);
}

/* values[row][column] as an NPY file */
static void write_array(const char *path, const double *values, size_t rows, size_t columns)
{
    double *by_column = malloc(rows * columns * sizeof *by_column);
    for (size_t i = 0; i < rows * columns; i++) {
        by_column[i / columns + rows * (i % columns)] = values[i];
    }
    scone_table *t;
    CHECK_OK(scone_table_from_columns(&t, by_column, rows, columns, NULL));
    CHECK_OK(scone_table_write(t, path));
    scone_table_free(t);
    free(by_column);
}

/* Compares a table with names joined by ',' and values row by row. */
static void check_table(const scone_table *t, const char *names, const double *values, size_t rows,
                        size_t columns)
{
    CHECK(scone_table_rows(t) == rows);
    CHECK(scone_table_columns(t) == columns);
    char joined[256] = "";
    for (size_t j = 0; j < columns; j++) {
        (void)snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s",
                       j ? "," : "", scone_table_name(t, j));
        for (size_t r = 0; r < rows; r++) {
            CHECK_SAME(scone_table_column(t, j)[r], values[r * columns + j]);
        }
    }
    assert_string_equal(joined, names);
}

/* Keeps the last note of a call. */
static void keep_note(void *user, scone_level level, const char *message)
{
    (void)level;
    (void)snprintf(user, 1024, "%s", message);
}

/* ---- two files ---- */

static void test_match_by_name(void **state)
{
    (void)state;
    write_text("pair_a.csv", "u,v,w,x,y\n1,2,3,4,5\n6,7,8,9,10\n");
    write_text("pair_b.csv", "w,y,v,u,x\n33,55,22,11,44\n");
    scone_pair *pair;
    CHECK_OK(scone_pair_read(&pair, "pair_a.csv", "pair_b.csv", NULL, NULL));
    const double a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, b[] = {11, 22, 33, 44, 55};
    check_table(scone_pair_table(pair, 0), "u,v,w,x,y", a, 2, 5);
    check_table(scone_pair_table(pair, 1), "u,v,w,x,y", b, 1, 5);
    scone_pair_free(pair);
    scone_pair_free(NULL);
}

/* Every permutation of four columns comes back in the order of the first table. */
static void test_permutations(void **state)
{
    (void)state;
    const char *const names[] = {"p", "q", "r", "s"};
    for (size_t code = 0; code < 256; code++) {
        size_t order[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
        if ((1u << order[0] | 1u << order[1] | 1u << order[2] | 1u << order[3]) != 15) continue;
        const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
        double shuffled[8];
        const char *shuffled_names[4];
        for (size_t j = 0; j < 4; j++) {
            shuffled_names[j] = names[order[j]];
            memcpy(shuffled + 2 * j, values + 2 * order[j], 2 * sizeof *values);
        }
        scone_table *a, *b;
        scone_pair *pair;
        CHECK_OK(scone_table_from_columns(&a, values, 2, 4, names));
        CHECK_OK(scone_table_from_columns(&b, shuffled, 2, 4, shuffled_names));
        CHECK_OK(scone_pair_join(&pair, a, b));
        const double expected[] = {1, 3, 5, 7, 2, 4, 6, 8};
        check_table(scone_pair_table(pair, 0), "p,q,r,s", expected, 2, 4);
        check_table(scone_pair_table(pair, 1), "p,q,r,s", expected, 2, 4);
        scone_pair_free(pair);
    }
}

static void test_missing_columns(void **state)
{
    (void)state;
    scone_pair *pair = (scone_pair *)8;
    write_text("pair_a.csv", "u,v,w\n1,2,3\n");
    write_text("pair_b.csv", "u,w\n1,2\n");
    CHECK_FAILS(scone_pair_read(&pair, "pair_a.csv", "pair_b.csv", NULL, NULL), SCONE_ERR_INPUT,
                "pair_b.csv lacks 'v' of pair_a.csv; ");
    CHECK(pair == NULL);
    CHECK_FAILS(scone_pair_read(&pair, "pair_b.csv", "pair_a.csv", NULL, NULL), SCONE_ERR_INPUT,
                "pair_b.csv lacks 'v' of pair_a.csv; ");
    write_text("pair_b.csv", "u,w,z,y\n1,2,3,4\n");
    CHECK_FAILS(scone_pair_read(&pair, "pair_a.csv", "pair_b.csv", NULL, NULL), SCONE_ERR_INPUT,
                "pair_b.csv lacks 'v' of pair_a.csv, which lacks 'y', 'z'; ");
    CHECK_FAILS(scone_pair_read(&pair, "pair_a.csv", "pair_none.csv", NULL, NULL), SCONE_ERR_IO,
                "pair_none.csv");
    /* a long list is cut */
    char wide[8000] = "c0";
    for (int j = 1; j < 500; j++) {
        (void)snprintf(wide + strlen(wide), sizeof wide - strlen(wide), ",c%d", j);
    }
    size_t length = strlen(wide);
    for (int j = 0; j < 500; j++) (void)snprintf(wide + length + 2 * j, 3, "%s0", j ? "," : "\n");
    write_text("pair_b.csv", wide);
    CHECK_FAILS(scone_pair_read(&pair, "pair_a.csv", "pair_b.csv", NULL, NULL), SCONE_ERR_INPUT,
                "'c106' and 490 more; both");
}

static void test_join_failures(void **state)
{
    (void)state;
    const double values[] = {1, 2};
    const char *const twice[] = {"a", "a"}, *const other[] = {"a", "b"};
    scone_table *a, *b;
    scone_pair *pair;
    CHECK_OK(scone_table_from_columns(&a, values, 1, 2, twice));
    CHECK_OK(scone_table_from_columns(&b, values, 1, 2, twice));
    CHECK_FAILS(scone_pair_join(&pair, a, b), SCONE_ERR_INPUT, "columns 1 and 2 are both named");
    CHECK(pair == NULL);
    /* unnamed columns take the names of the other table */
    for (int side = 0; side < 2; side++) {
        CHECK_OK(scone_table_from_columns(&a, values, 1, 2, side ? NULL : other));
        CHECK_OK(scone_table_from_columns(&b, values, 1, 2, side ? other : NULL));
        CHECK_OK(scone_pair_join(&pair, a, b));
        check_table(scone_pair_table(pair, 0), "a,b", values, 1, 2);
        check_table(scone_pair_table(pair, 1), "a,b", values, 1, 2);
        scone_pair_free(pair);
    }
}

static void test_arrays(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 5, 6};
    scone_pair *pair;
    char note[1024] = "";
    scone_context context = {.log = keep_note, .user = note};
    write_array("pair_a.npy", values, 2, 3);
    write_array("pair_b.npy", values, 1, 3);
    CHECK_OK(scone_pair_read(&pair, "pair_a.npy", "pair_b.npy", NULL, &context));
    check_table(scone_pair_table(pair, 0), "X0,X1,X2", values, 2, 3);
    check_table(scone_pair_table(pair, 1), "X0,X1,X2", values, 1, 3);
    scone_pair_free(pair);
    CHECK(note[0] == '\0');
    /* a CSV partner gives the names, by position, and a note tells */
    write_text("pair_a.csv", "u,v,w\n1,2,3\n");
    const double one[] = {1, 2, 3};
    CHECK_OK(scone_pair_read(&pair, "pair_a.npy", "pair_a.csv", NULL, &context));
    check_table(scone_pair_table(pair, 0), "u,v,w", values, 2, 3);
    check_table(scone_pair_table(pair, 1), "u,v,w", one, 1, 3);
    scone_pair_free(pair);
    CHECK(strstr(note, "pair_a.npy has no column names") != NULL);
    CHECK_OK(scone_pair_read(&pair, "pair_a.csv", "pair_a.npy", NULL, NULL));
    check_table(scone_pair_table(pair, 1), "u,v,w", values, 2, 3);
    scone_pair_free(pair);
    /* names that fit are matched by name even so */
    write_text("pair_a.csv", "X2,X0,X1\n3,1,2\n");
    CHECK_OK(scone_pair_read(&pair, "pair_a.npy", "pair_a.csv", NULL, NULL));
    check_table(scone_pair_table(pair, 1), "X0,X1,X2", one, 1, 3);
    scone_pair_free(pair);
    /* two CSV files are never matched by position */
    write_text("pair_a.csv", "X0,X1,X2\n1,2,3\n");
    write_text("pair_b.csv", "u,v,w\n1,2,3\n");
    CHECK_FAILS(scone_pair_read(&pair, "pair_a.csv", "pair_b.csv", NULL, NULL), SCONE_ERR_INPUT,
                "lacks");
    write_text("pair_b.csv", "u,v\n1,2\n");
    CHECK_FAILS(scone_pair_read(&pair, "pair_a.npy", "pair_b.csv", NULL, NULL), SCONE_ERR_INPUT,
                "lacks");
}

/* ---- one file with a regime column ---- */

static void check_split(const char *text, const char *regime, const double *control, size_t rows_0,
                        const double *changed, size_t rows_1, const char *expected_note)
{
    char note[1024] = "";
    scone_context context = {.log = keep_note, .user = note};
    scone_pair *pair;
    write_text("pair_split.csv", text);
    CHECK_OK(scone_pair_read_split(&pair, "pair_split.csv", regime, NULL, &context));
    check_table(scone_pair_table(pair, 0), "a,b", control, rows_0, 2);
    check_table(scone_pair_table(pair, 1), "a,b", changed, rows_1, 2);
    scone_pair_free(pair);
    if (expected_note) {
        if (!strstr(note, expected_note)) fail_msg("note '%s' lacks '%s'", note, expected_note);
    } else {
        assert_string_equal(note, "");
    }
}

static void test_split(void **state)
{
    (void)state;
    const double low[] = {1, 2, 5, 6}, high[] = {3, 4, 7, 8}, first[] = {1, 2},
                 rest[] = {3, 4, 5, 6, 7, 8};
    /* numbers: 0 is the control, wherever the column stands */
    check_split("a,when,b\n1,0,2\n3,1,4\n5,0.0,6\n7,1,8\n", "when", low, 2, high, 2, NULL);
    check_split("when,a,b\n1,3,4\n0,1,2\n1,7,8\n0,5,6\n", "when", low, 2, high, 2, NULL);
    /* text: the first row's label, or the one that is asked for */
    check_split("a,b,when\n1,2,before\n3,4,after\n5,6,before\n7,8,after\n", "when", low, 2, high, 2,
                NULL);
    check_split("a,b,when\n3,4,after\n1,2,before\n7,8,after\n5,6,before\n", "when=before", low, 2,
                high, 2, NULL);
    check_split("a,b,when\n1,2,0\n3,4,1\n5,6,0\n7,8,1\n", "when=1", high, 2, low, 2, NULL);
    check_split("a,b,when\n1,2,0\n3,4,1\n5,6,0\n7,8,1\n", "when=1.0", high, 2, low, 2, NULL);
    /* several labels: all but the control are one regime, and a note says so */
    check_split("a,b,when\n1,2,plain\n3,4,drug1\n5,6,drug2\n7,8,drug1\n", "when", first, 1, rest, 3,
                "'plain', 'drug1', 'drug2': rows with 'plain' are regime 0");
    check_split("a,b,when\n1,2,k\n3,4,l\n5,6,m\n7,8,n\n", "when", first, 1, rest, 3,
                "'k', 'l', 'm', 'n': rows with 'k'");
    /* the column's name may hold '=' if the control is given */
    check_split("a,b,k=v\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n", "k=v=x", low, 2, high, 2, NULL);
}

static void test_split_failures(void **state)
{
    (void)state;
    const char *path = "pair_split.csv";
    scone_pair *pair;
    write_text(path, "a,b,when\n1,2,x\n3,4,x\n");
    CHECK_FAILS(scone_pair_read_split(&pair, path, "when", NULL, NULL), SCONE_ERR_INPUT,
                "pair_split.csv: column 'when' holds only 'x'");
    CHECK(pair == NULL);
    CHECK_FAILS(scone_pair_read_split(&pair, path, "when=y", NULL, NULL), SCONE_ERR_INPUT,
                "control value 'y' in column 'when', which holds 'x'");
    CHECK_FAILS(scone_pair_read_split(&pair, path, "whem", NULL, NULL), SCONE_ERR_INPUT, "when");
    CHECK_FAILS(scone_pair_read_split(&pair, path, "", NULL, NULL), SCONE_ERR_INPUT, "regime");
    CHECK_FAILS(scone_pair_read_split(&pair, path, "=x", NULL, NULL), SCONE_ERR_INPUT, "regime");
    CHECK_FAILS(scone_pair_read_split(&pair, path, "when=", NULL, NULL), SCONE_ERR_INPUT, "regime");
    /* an empty regime is fine where empty tables are */
    const scone_read_options empty = {.allow_empty = true};
    const double values[] = {1, 2, 3, 4};
    CHECK_OK(scone_pair_read_split(&pair, path, "when", &empty, NULL));
    check_table(scone_pair_table(pair, 0), "a,b", values, 2, 2);
    check_table(scone_pair_table(pair, 1), "a,b", NULL, 0, 2);
    scone_pair_free(pair);
    /* a long list of labels is cut */
    write_text(path, "a,when\n1,l1\n1,l2\n1,l3\n1,l4\n1,l5\n1,l6\n1,l7\n1,l8\n1,l9\n1,l10\n");
    CHECK_FAILS(scone_pair_read_split(&pair, path, "when=none", NULL, NULL), SCONE_ERR_INPUT,
                "'l7', 'l8' and more; name one");
    write_text(path, "when\nx\ny\n");
    CHECK_FAILS(scone_pair_read_split(&pair, path, "when", NULL, NULL), SCONE_ERR_INPUT, "besides");
}

static void test_split_array(void **state)
{
    (void)state;
    const double values[] = {1, 0, 2, 3, 1, 4, 5, 0, 6, 7, 1, 8};
    const double low[] = {1, 2, 5, 6}, high[] = {3, 4, 7, 8};
    write_array("pair_split.npy", values, 4, 3);
    static const char *const requests[] = {"X1", "1", "X1=0", "1=0.0"};
    scone_pair *pair;
    for (size_t i = 0; i < 4; i++) {
        CHECK_OK(scone_pair_read_split(&pair, "pair_split.npy", requests[i], NULL, NULL));
        check_table(scone_pair_table(pair, 0), "X0,X2", low, 2, 2);
        check_table(scone_pair_table(pair, 1), "X0,X2", high, 2, 2);
        scone_pair_free(pair);
    }
    write_array("pair_b.npy", values, 12, 1);
    CHECK_FAILS(scone_pair_read_split(&pair, "pair_b.npy", "X0", NULL, NULL), SCONE_ERR_INPUT,
                "pair_b.npy: there is no column besides 'X0'");
    static const char *const wrong[] = {"X3", "3", "-1", "0.5", "when"};
    for (size_t i = 0; i < 5; i++) {
        CHECK_FAILS(scone_pair_read_split(&pair, "pair_split.npy", wrong[i], NULL, NULL),
                    SCONE_ERR_INPUT, "pair_split.npy: no column '");
    }
}

/* ---- writing ---- */

static char *read_text(const char *path)
{
    char *text;
    size_t size;
    CHECK_OK(file_read_all(&text, &size, path, 1 << 20));
    CHECK(strlen(text) == size);
    return text;
}

static void test_write_text(void **state)
{
    (void)state;
    const double values[] = {1, 0.1, -2.5, 1e300, -0.0, 1.0 / 3.0};
    const char *const names[] = {"plain", "a,b", "say \"x\""};
    scone_table *t;
    CHECK_OK(scone_table_from_columns(&t, values, 2, 3, names));
    CHECK_OK(scone_table_write(t, "pair_out.csv"));
    char *text = read_text("pair_out.csv");
    assert_string_equal(text, "plain,\"a,b\",\"say \"\"x\"\"\"\n1,-2.5,-0\n0.1,1e+300,"
                              "0.3333333333333333\n");
    mem_free(text);
    CHECK_FAILS(scone_table_write(t, "pair_out.csv.gz"), SCONE_ERR_INPUT, "leave out '.gz'");
    CHECK_FAILS(scone_table_write(t, "pair_no_folder/out.csv"), SCONE_ERR_IO, "pair_no_folder");
    scone_table_free(t);
    /* no rows: the names alone */
    CHECK_OK(scone_table_from_columns(&t, NULL, 0, 3, names));
    CHECK_OK(scone_table_write(t, "pair_out.csv"));
    text = read_text("pair_out.csv");
    assert_string_equal(text, "plain,\"a,b\",\"say \"\"x\"\"\"\n");
    mem_free(text);
    scone_table_free(t);
}

/* Names that need care and bit patterns of all kinds, around the sizes of a tile. */
static void test_write_round_trip(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1},   {3, 2},     {255, 7},  {256, 7},
                                      {257, 7}, {1000, 20}, {3, 5000}, {2, 17000}};
    static const char *const odd[] = {
        "a b",         " lead", "trail ",   "semi;colon",       "tab\there",
        "line\nbreak", "\"q\"", "\xc3\xa4", "\xef\xbb\xbfmark", "cr\rx"};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t rows = sizes[s][0], columns = sizes[s][1];
        double *values = malloc(rows * columns * sizeof *values);
        char **names = malloc(columns * sizeof *names);
        uint64_t x = 88172645463325252u + s;
        for (size_t i = 0; i < rows * columns; i++) {
            do {
                x ^= x << 13, x ^= x >> 7, x ^= x << 17;
                memcpy(&values[i], &x, sizeof x);
            } while (!isfinite(values[i]));
        }
        for (size_t j = 0; j < columns; j++) {
            names[j] = malloc(40);
            (void)snprintf(names[j], 40, "%s%.0zu", odd[(j + 8) % 10], j / 10);
        }
        scone_table *t, *back;
        CHECK_OK(scone_table_from_columns(&t, values, rows, columns, (const char *const *)names));
        CHECK_OK(scone_table_write(t, "pair_trip.csv"));
        CHECK_OK(scone_table_read(&back, "pair_trip.csv", NULL, NULL));
        CHECK(scone_table_rows(back) == rows && scone_table_columns(back) == columns);
        CHECK(memcmp(back->values, values, rows * columns * sizeof *values) == 0);
        for (size_t j = 0; j < columns; j++) {
            assert_string_equal(scone_table_name(back, j), names[j]);
        }
        scone_table_free(back);
        CHECK_OK(scone_table_write(t, "pair_trip.npy"));
        CHECK_OK(scone_table_read(&back, "pair_trip.npy", NULL, NULL));
        CHECK(scone_table_rows(back) == rows && scone_table_columns(back) == columns);
        CHECK(memcmp(back->values, values, rows * columns * sizeof *values) == 0);
        CHECK(table_names_default(back));
        scone_table_free(back);
        scone_table_free(t);
        for (size_t j = 0; j < columns; j++) free(names[j]);
        free(names);
        free(values);
    }
}

/* ---- real data ---- */

static void test_sachs(void **state)
{
    (void)state;
    const char *baseline = SHARED_DATA "/sachs/cd3cd28.csv";
    const char *inhibited = SHARED_DATA "/sachs/cd3cd28+aktinhib.csv";
    if (!path_exists(baseline)) skip();
    scone_pair *pair;
    CHECK_OK(scone_pair_read(&pair, baseline, inhibited, NULL, NULL));
    const scone_table *a = scone_pair_table(pair, 0), *b = scone_pair_table(pair, 1);
    CHECK(scone_table_rows(a) == 853 && scone_table_columns(a) == 11);
    CHECK(scone_table_rows(b) == 911 && scone_table_columns(b) == 11);
    assert_string_equal(scone_table_name(b, 6), "akt");
    CHECK_SAME(scone_table_column(a, 0)[0], 26.4);
    CHECK_SAME(scone_table_column(b, 0)[0], 14.6);
    CHECK_SAME(scone_table_column(b, 10)[0], 4.29);
    scone_pair_free(pair);
}

/* Row r of a thinned table is row floor(r all / rows), and a short table stays as it is. */
static void test_thin(void **state)
{
    (void)state;
    enum { LONG = 1003, SHORT = 5 };
    double x[2][LONG];
    scone_table *a, *b;
    scone_pair *pair, *few;
    for (size_t r = 0; r < LONG; r++) {
        x[0][r] = (double)r;
        x[1][r] = -(double)r;
    }
    CHECK_OK(scone_table_from_columns(&a, x[0], LONG, 2, NULL));
    CHECK_OK(scone_table_from_columns(&b, x[0], SHORT, 2, NULL));
    CHECK_OK(scone_pair_join(&pair, a, b));
    for (size_t most = 1; most < LONG + 3; most += 37) {
        CHECK_OK(pair_thin(&few, pair, most));
        for (int t = 0; t < 2; t++) {
            size_t all = t ? SHORT : LONG, rows = all < most ? all : most;
            const table *from = pair->tables[t], *to = few->tables[t];
            CHECK(to->rows == rows && to->columns == 2);
            for (size_t r = 0; r < rows; r++) {
                for (size_t j = 0; j < 2; j++) {
                    CHECK_SAME(table_column(to, j)[r], table_column(from, j)[r * all / rows]);
                }
            }
        }
        scone_pair_free(few);
    }
    scone_pair_free(pair);
}

static int remove_files(void **state)
{
    (void)state;
    static const char *const paths[] = {"pair_a.csv",     "pair_b.csv",    "pair_a.npy",
                                        "pair_b.npy",     "pair_out.csv",  "pair_split.csv",
                                        "pair_split.npy", "pair_trip.csv", "pair_trip.npy"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) (void)remove(paths[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match_by_name),   cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_missing_columns), cmocka_unit_test(test_join_failures),
        cmocka_unit_test(test_arrays),          cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_failures),  cmocka_unit_test(test_split_array),
        cmocka_unit_test(test_write_text),      cmocka_unit_test(test_write_round_trip),
        cmocka_unit_test(test_sachs),           cmocka_unit_test(test_thin),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
