/* reasons_pairs.c - which of several conditions make a pair with the control (see reasons.h). */
#include "reasons/reasons.h"

#include "graph/format/format.h"

/* The rows of one table that both tables together are worth to a test. */
static double rows_of(const pairs_request *r, size_t condition)
{
    size_t most = r->most_rows ? r->most_rows : SIZE_MAX;
    double control = (double)(r->control_rows < most ? r->control_rows : most);
    double rows = (double)(r->rows[condition] < most ? r->rows[condition] : most);
    return control + rows > 0.0 ? control * rows / (control + rows) : 0.0;
}

static bool is_changed(const pairs_request *r, size_t node, size_t condition)
{
    return r->margins && r->margins[node * r->conditions + condition] >= r->least;
}

/* Edges between a changed and an unchanged variable that no pair has yet; told: of graph_next_edge,
 * in its order. With mark they count as had from now on. */
static size_t count_new(bool *told, const pairs_request *r, size_t condition, bool mark)
{
    size_t count = 0, place = 0;
    for (edge_cursor e = {0}; graph_next_edge(r->found, &e); place++) {
        bool differ = is_changed(r, e.source, condition) != is_changed(r, e.target, condition);
        if (!differ || told[place]) continue;
        count++;
        if (mark) told[place] = true;
    }
    return count;
}

/* The best of those that are left: by new edges times rows, then by rows alone. */
static size_t choose_next(bool *told, const bool *taken, const pairs_request *r)
{
    size_t best = SIZE_MAX;
    double most = -1.0, most_rows = -1.0;
    for (size_t k = 0; k < r->conditions; k++) {
        if (taken[k] || r->rows[k] < REASONS_PAIR_ROWS) continue;
        double rows = rows_of(r, k), gain = rows * (double)count_new(told, r, k, false);
        if (gain < most || (gain == most && rows <= most_rows)) continue;
        best = k;
        most = gain;
        most_rows = rows;
    }
    return best;
}

scone_status reasons_choose_pairs(size_t **chosen, size_t *count, const pairs_request *r)
{
    scone_status status = SCONE_OK;
    bool *taken = NULL, *told = NULL;
    size_t found = 0, enough = 0;
    *chosen = NULL;
    *count = 0;
    TRY_ZERO(taken, r->conditions);
    TRY_ZERO(told, scone_graph_edges(r->found));
    TRY_ALLOC(*chosen, r->conditions);
    for (size_t k = 0; k < r->conditions; k++) enough += r->rows[k] >= REASONS_PAIR_ROWS;
    for (size_t k = 0; k < r->conditions && enough <= r->most; k++) {
        taken[k] = r->rows[k] >= REASONS_PAIR_ROWS;
    }
    for (size_t next; found < r->most && enough > r->most; found++) {
        next = choose_next(told, taken, r);
        if (next == SIZE_MAX) break;
        taken[next] = true;
        (void)count_new(told, r, next, true);
    }
    for (size_t k = 0; k < r->conditions; k++) {
        if (taken[k]) (*chosen)[(*count)++] = k;
    }
cleanup:
    mem_free(taken);
    mem_free(told);
    return status;
}
