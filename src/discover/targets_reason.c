/* targets_reason.c - why a variable is or is not called a target, in words (see targets.h). */
#include "discover/targets.h"

#include "base/sort.h"
#include "text/growing.h"

#include <math.h>

enum { CAUSES_SHOWN = 3 };

bool targets_too_many(const target_test *tests, size_t count)
{
    size_t changed = 0;
    for (size_t v = 0; v < count; v++) changed += tests[v].target && !tests[v].known;
    return changed > 1 && 2 * changed > count;
}

scone_status targets_dependence(double *median, const target_test *tests, const column_map *map)
{
    scone_status status = SCONE_OK;
    size_t count = map->node_count;
    double *values = NULL, *sorted;
    uint64_t *keys = NULL;
    *median = 1.0;
    if (count == 0) return SCONE_OK;
    TRY_ALLOC(values, 2 * count);
    TRY_ALLOC(keys, 2 * count);
    sorted = values + count;
    for (size_t i = 0; i < count; i++) values[i] = tests[map->nodes[i]].moved.dependence;
    sort_doubles(sorted, values, count, keys);
    *median = sorted[count / 2];
cleanup:
    mem_free(values);
    mem_free(keys);
    return status;
}

/* "given its causes A, B and 2 more" */
static void say_causes(growing *out, size_t variable, const column_map *map, const graph *dag)
{
    size_t node = 0, count = 0, shown = 0;
    while (node < map->node_count && map->nodes[node] != variable) node++;
    if (node == map->node_count) return;
    const bits_word *row = graph_parents(dag, node);
    BITS_EACH(parent, row, dag->words) count++;
    if (count == 0) growing_print(out, ", and no cause of it was found");
    BITS_EACH(parent, row, dag->words) {
        if (shown == CAUSES_SHOWN) break;
        growing_print(out, "%s%s",
                      shown        ? ", "
                      : count == 1 ? " given its cause "
                                   : " given its causes ",
                      map->node_names[parent]);
        shown++;
    }
    if (count > shown) growing_print(out, " and %zu more", count - shown);
}

static bool is_told(growing *out, const target_test *test, size_t variable, const column_map *map)
{
    if (test->known) {
        growing_print(out, "known beforehand to %s",
                      test->target ? "have changed" : "be unchanged");
    } else if (map->kinds[variable] == VARIABLE_CONSTANT) {
        growing_print(out, "has one value in both tables");
    } else if (map->kinds[variable] == VARIABLE_SPLIT) {
        growing_print(out, "has one value in each table, and they differ: what this is worth "
                           "depends on the rows alone");
    } else {
        return false;
    }
    return true;
}

/* Of a variable that is not called changed. */
static void say_unchanged(growing *out, const target_test *test, double alpha)
{
    const movement *m = &test->moved;
    if (test->p_value >= 1.0 && m->alone == 0.0 && m->natural == 0.0) {
        growing_print(out, ": it has one value, the same in both"); /* but not in all conditions */
    } else if (test->p_value >= 1.0) {
        growing_print(out, ": too few rows to tell whether it changed");
    } else if (m->decides && m->size <= m->natural && test->p_value <= alpha) {
        growing_print(out,
                      ": the test sees a change (p-value %.2g), but one too small to matter, as "
                      "blocks of the control's rows differ by up to %.2g",
                      test->p_value, m->natural);
    } else if (m->alone > m->natural && m->alone > 2.0 * m->size) {
        growing_print(out, ": by itself it moved by %.2g, but only as its causes moved", m->alone);
    } else if (m->size <= m->natural) {
        growing_print(out,
                      ": no more than the control itself moves from block to block of its rows "
                      "(%.2g)",
                      m->natural);
    } else if (test->p_value <= alpha && test->margin < TARGET_LEAST_MARGIN) {
        growing_print(out, ": the score of the graph does not gain enough by a change");
    } else {
        growing_print(out, ": not enough evidence of a change (p-value %.2g)", test->p_value);
    }
}

scone_status targets_reason(char **text, const target_test *test, size_t variable,
                            const column_map *map, const graph *dag, double alpha)
{
    growing out = {0};
    if (!is_told(&out, test, variable, map)) {
        growing_print(&out, "moved by %.2g standard deviations", test->moved.size);
        say_causes(&out, variable, map, dag);
        if (!test->target) {
            say_unchanged(&out, test, alpha);
        } else if (isnan(test->moved.natural)) {
            growing_print(&out, ": the control has too few rows to tell what it does by itself");
        } else if (test->moved.size <= test->moved.natural) {
            growing_print(&out,
                          ": little, as blocks of the control's rows differ by up to %.2g, but its "
                          "rows are independent and enough for the test to be sure (p-value %.2g)",
                          test->moved.natural, test->p_value);
        } else if (test->moved.natural == 0.0) {
            growing_print(&out, ": the control never varied by itself");
        } else {
            growing_print(&out, ": more than the %.2g by which blocks of the control's rows differ",
                          test->moved.natural);
        }
    }
    return growing_finish(text, &out);
}
