/* bench_calibration.c - are the probabilities right as often as they say?
 *
 *     bench_calibration SETTING COUNT SEED [EFFORT] [ROWS]
 *
 * Runs the search on graphs of a setting and prints one line of CSV per pair: the three
 * probabilities and what the truth is (none, forward, backward). bench/calibration.py sums them up.
 */
#include "learn/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(scone_status status)
{
    if (status == SCONE_OK) return;
    fprintf(stderr, "%s\n", scone_error_message());
    exit(1);
}

static void read_setting(scone_setting *setting, const char *name)
{
    unsigned nodes, edges;
    if (sscanf(name, "train-%u-%u", &nodes, &edges) == 2) {
        require(scone_setting_named(setting, "ood-20-20"));
        setting->families = SCONE_LINEAR | SCONE_NN | SCONE_NN_ADD;
        setting->nodes_min = setting->nodes_max = nodes;
        setting->edges_min = setting->edges_max = (double)edges;
        return;
    }
    require(scone_setting_named(setting, name));
}

int main(int argc, char **argv)
{
    scone_setting setting;
    const scone_context context = {.threads = 2};
    search_options options = {.edge_cost = -1.0, .effort = argc > 4 ? atoi(argv[4]) : 1};
    if (argc < 4) {
        fprintf(stderr, "usage: bench_calibration SETTING COUNT SEED [EFFORT] [ROWS]\n");
        return 2;
    }
    read_setting(&setting, argv[1]);
    setting.seed = (uint64_t)atoll(argv[3]);
    if (argc > 5) setting.samples = (size_t)atoll(argv[5]);
    printf("graph,none,forward,backward,truth\n");
    for (size_t g = 0; g < (size_t)atoll(argv[2]); g++) {
        scone_problem *problem;
        search_result found;
        require(scone_simulate(&problem, &setting, g, &context));
        require(search_run(&found, scone_problem_pair(problem), &options, &context));
        const scone_graph *truth = scone_problem_graph(problem);
        const double *p = found.probabilities;
        size_t n = scone_graph_nodes(truth);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = i + 1; j < n; j++) {
                double forward = p[i * n + j], backward = p[j * n + i];
                printf("%zu,%.6g,%.6g,%.6g,%d\n", g, 1.0 - forward - backward, forward, backward,
                       (int)scone_graph_mark(truth, i, j));
            }
        }
        fflush(stdout);
        search_result_free(&found);
        scone_problem_free(problem);
    }
    return 0;
}
