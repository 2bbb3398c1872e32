/* bench_calibration.c - are the probabilities right as often as they say?
 *
 *     bench_calibration SETTING COUNT SEED [EFFORT] [ROWS]
 *
 * Runs the search on graphs of a setting and prints one line of CSV per pair: the three
 * probabilities, what the truth is (none, forward, backward), what was found, the values of both
 * directions in nats, and whether the model of the likelier effect is a complicated one.
 * bench/calibration.py sums them up, bench/confidence.py fits the map from nats to probabilities.
 */
#include "learn/search.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    scone_setting setting;
    const scone_context context = {.threads = 2};
    search_options options = {.edge_cost = -1.0, .effort = argc > 4 ? atoi(argv[4]) : 1};
    if (argc < 4) {
        fprintf(stderr, "usage: bench_calibration SETTING COUNT SEED [EFFORT] [ROWS]\n");
        return 2;
    }
    setting_read(&setting, argv[1]);
    setting.seed = (uint64_t)atoll(argv[3]);
    if (argc > 5) setting.samples = (size_t)atoll(argv[5]);
    printf("graph,none,forward,backward,truth,found,value_forward,value_backward,complicated,"
           "refined\n");
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
                const fit_result *effect = &found.fits[forward > backward ? j : i];
                bool complicated = effect->refined[FIT_POOLED] || effect->shape[FIT_POOLED] > 0.0f;
                printf("%zu,%.6g,%.6g,%.6g,%d,%d,%.9g,%.9g,%d,%d\n", g, 1.0 - forward - backward,
                       forward, backward, (int)scone_graph_mark(truth, i, j),
                       (int)scone_graph_mark(found.graph, i, j), found.values[i * n + j],
                       found.values[j * n + i], complicated,
                       effect->refined[FIT_POOLED] || effect->refined[FIT_FIRST] ||
                           effect->refined[FIT_SECOND]);
            }
        }
        fflush(stdout);
        search_result_free(&found);
        scone_problem_free(problem);
    }
    return 0;
}
