/* stage.h - what the programs of this folder share: the six columns, the search that most stages
 * build on, and printing. Each program shows one stage of a discovery (src/discover/discover.c).
 */
#ifndef SCONE_EXAMPLES_STAGE_H
#define SCONE_EXAMPLES_STAGE_H

#include "data/table.h"
#include "graph/graph.h"
#include "learn/search/search.h"

enum { STAGE_COLUMNS = 6 };

/* The problem whose tables are examples/control.csv and examples/treated.csv. */
static inline scone_status stage_problem(scone_problem **problem)
{
    scone_setting setting;
    scone_status status = scone_setting_named(&setting, "ood-20-20");
    if (status != SCONE_OK) return status;
    setting.nodes_min = setting.nodes_max = STAGE_COLUMNS;
    setting.edges_min = setting.edges_max = 7;
    setting.families = SCONE_LINEAR | SCONE_SIGMOID;
    setting.noise = SCONE_NOISE_ADDITIVE;
    setting.samples = 500;
    setting.seed = 5;
    return scone_simulate(problem, &setting, 0, NULL);
}

/* The stage `learn` of the preset search, for those that come after it. */
static inline scone_status stage_search(search_result *out, const scone_pair *pair)
{
    const search_options options = {.effort = 1, .edge_cost = -1.0};
    return search_run(out, pair, &options, NULL);
}

static inline void stage_print_pair(const char *title, const scone_pair *pair)
{
    printf("%s: %zu and %zu rows of", title, pair->tables[0]->rows, pair->tables[1]->rows);
    for (size_t j = 0; j < pair->tables[0]->columns; j++) printf(" %s", pair->tables[0]->names[j]);
    printf("\n");
}

/* p [n, n]: row i column j */
static inline void stage_print_matrix(const char *title, const double *p, size_t n)
{
    printf("%s\n", title);
    for (size_t k = 0; k < n * n; k++) printf("%6.2f%s", p[k], k % n == n - 1 ? "\n" : "");
}

static inline void stage_print_graph(const char *title, const graph *g)
{
    printf("%s:", title);
    for (size_t i = 0; i < g->nodes; i++) {
        for (size_t j = 0; j < g->nodes; j++) {
            scone_mark mark = i == j ? SCONE_MARK_NONE : scone_graph_mark(g, i, j);
            if (mark == SCONE_MARK_FORWARD) printf(" %zu->%zu", i, j);
            if (mark == SCONE_MARK_UNDIRECTED && i < j) printf(" %zu--%zu", i, j);
        }
    }
    printf("\n");
}

/* The exit code; tells of a failure. */
static inline int stage_end(scone_status status)
{
    if (status != SCONE_OK) fprintf(stderr, "%s\n", scone_error_message());
    return (int)status;
}

#endif
