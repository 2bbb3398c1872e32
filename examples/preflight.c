/* preflight.c - are these tables fit for a discovery? Here they are not: three columns are spoilt.
 *
 * In: two tables of six columns in memory. In both, X2 is constant and X5 repeats X0; in the first,
 * a cell of X3 is missing. Out: what the preflight finds, worst first, and what to do about it.
 * New: scone_table_from_columns, scone_pair_join, scone_check_run, scone_check_get.
 *
 *   make examples && build/examples/preflight
 */
#include <scone.h>

#include <math.h>

enum { ROWS = 200, COLUMNS = 6 };

/* Numbers that have nothing to do with each other, but for what is spoilt. */
static scone_status make_table(scone_table **table, bool missing)
{
    static double values[COLUMNS * ROWS];
    for (size_t c = 0; c < COLUMNS; c++) {
        for (size_t r = 0; r < ROWS; r++) {
            size_t k = missing ? r : r + ROWS;
            double value = (double)((k * k * (c + 3) + k * (c * c + 5)) % 1009);
            values[c * ROWS + r] = c == 2 ? 1.0 : c == 5 ? values[r] : value;
        }
    }
    if (missing) values[3 * ROWS + 7] = (double)NAN;
    return scone_table_from_columns(table, values, ROWS, COLUMNS, NULL);
}

int main(void)
{
    static const char *const words[] = {"note", "warning", "error"};
    scone_table *before = NULL, *after = NULL;
    scone_pair *pair = NULL;
    scone_check *check = NULL;
    scone_status status = make_table(&before, true);
    if (status == SCONE_OK) status = make_table(&after, false);
    if (status == SCONE_OK) {
        status = scone_pair_join(&pair, before, after); /* the tables are the pair's from now on */
    } else {
        scone_table_free(before);
    }
    if (status == SCONE_OK) status = scone_check_run(&check, pair, NULL);
    if (status != SCONE_OK) {
        fprintf(stderr, "%s\n", scone_error_message());
    } else {
        printf("in: two tables of %d rows and %d columns\n", ROWS, COLUMNS);
        for (size_t f = 0; f < scone_check_count(check); f++) {
            const scone_finding *found = scone_check_get(check, f);
            printf("%s %s (%s)\n  %s\n  remedy: %s\n", words[found->severity], found->code,
                   *found->columns ? found->columns : "the tables", found->message, found->remedy);
        }
    }
    scone_check_free(check);
    scone_pair_free(pair);
    return (int)status;
}
