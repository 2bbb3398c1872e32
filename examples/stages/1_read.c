/* 1_read.c - from bytes to a pair of tables.
 *
 * In: two CSV files. Out: a table for each, which knows where its rows stand in the file, and the
 * pair, whose tables have the same columns in the same order.
 * New: csv_read, table_column, table_file_row, scone_pair_join.
 *
 *   make examples && build/examples/1_read examples/control.csv examples/treated.csv
 */
#include "data/csv.h"
#include "io/file.h"
#include "stage.h"

static void print_table(const table *t)
{
    printf("  a table of %zu rows and %zu columns\n", t->rows, t->columns);
    for (size_t j = 0; j < t->columns; j++) {
        const double *column = table_column(t, j);
        printf("  %s: %.4f in row %zu, %.4f in row %zu\n", t->names[j], column[0],
               table_file_row(t, 0), column[t->rows - 1], table_file_row(t, t->rows - 1));
    }
}

int main(int argc, char **argv)
{
    scone_status status = SCONE_OK;
    char *bytes[2] = {NULL, NULL};
    table *tables[2] = {NULL, NULL};
    scone_pair *pair = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: 1_read CONTROL TREATED\n");
        return SCONE_ERR_USAGE;
    }
    for (int regime = 0; regime < 2; regime++) {
        const char *path = argv[1 + regime];
        size_t size;
        TRY(file_read_all(&bytes[regime], &size, path, (size_t)1 << 20));
        printf("%s: %zu bytes, beginning with %.17s\n", path, size, bytes[regime]);
        TRY(csv_read(&tables[regime], path, NULL, NULL));
        print_table(tables[regime]);
    }
    status = scone_pair_join(&pair, tables[0], tables[1]);
    tables[0] = tables[1] = NULL; /* the pair's, also if they do not fit */
    if (status == SCONE_OK) stage_print_pair("the pair", pair);
cleanup:
    scone_table_free(tables[0]);
    scone_table_free(tables[1]);
    scone_pair_free(pair);
    mem_free(bytes[0]);
    mem_free(bytes[1]);
    return stage_end(status);
}
