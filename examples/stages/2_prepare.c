/* 2_prepare.c - the numberings of a run, and the columns that the learners get to see.
 *
 * In: the six columns in reverse, X3 constant. Out: the variable and the node of each column - a
 * variable is a place among the sorted names, a node one among those that vary - and the pair of
 * the nodes.
 * New: column_map_make, prepare_pair.
 *
 *   make examples && build/examples/2_prepare
 */
#include "discover/prepare.h"
#include "stage.h"

/* The columns of t from the last to the first, 1 in all rows of X3. */
static scone_status reverse(table **out, const table *t)
{
    const char *names[STAGE_COLUMNS];
    for (size_t j = 0; j < STAGE_COLUMNS; j++) names[j] = t->names[STAGE_COLUMNS - 1 - j];
    scone_status status = table_alloc(out, t->rows, STAGE_COLUMNS, names);
    for (size_t j = 0; j < STAGE_COLUMNS && status == SCONE_OK; j++) {
        const double *from = table_column(t, STAGE_COLUMNS - 1 - j);
        for (size_t r = 0; r < t->rows; r++) table_column(*out, j)[r] = j == 2 ? 1.0 : from[r];
    }
    return status;
}

int main(void)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    scone_pair reversed = {{NULL, NULL}}, *seen = NULL;
    warning_list warnings = {.count = 0};
    column_map map = {.count = 0};
    TRY(stage_problem(&problem));
    for (int regime = 0; regime < 2; regime++) {
        TRY(reverse(&reversed.tables[regime], scone_problem_pair(problem)->tables[regime]));
    }
    stage_print_pair("in", &reversed);
    TRY(column_map_make(&map, &reversed, &warnings, NULL));
    TRY(prepare_pair(&seen, &map, &reversed, true));
    for (size_t v = 0, node = 0; v < map.count; v++) {
        bool varies = node < map.node_count && map.nodes[node] == v;
        printf("%s: column %zu, variable %zu, ", map.names[v], map.columns[v], v);
        if (varies)
            printf("node %zu\n", node++);
        else
            printf("no node\n");
    }
    for (size_t w = 0; w < warnings.count; w++) printf("warning: %s\n", warnings.texts[w]);
    stage_print_pair("out", seen);
cleanup:
    column_map_free(&map);
    warnings_free(&warnings);
    scone_pair_free(seen);
    for (int regime = 0; regime < 2; regime++) scone_table_free(reversed.tables[regime]);
    scone_problem_free(problem);
    return stage_end(status);
}
