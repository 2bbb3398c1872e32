/* bench_calibration.c - are the probabilities right as often as they say?
 *
 *     bench_calibration SETTING COUNT SEED [EFFORT] [ROWS] [PRESET] [WEIGHTS]
 *
 * Runs the search on graphs of a setting and prints one line of CSV per pair: the three
 * probabilities, what the truth is (none, forward, backward), what was found, the values of both
 * directions in nats, and whether the model of the likelier effect is a complicated one.
 * With a preset it is scone discover without rules, and the last four columns are empty.
 * bench/accuracy/calibration.py sums them up, bench/accuracy/confidence.py fits the map from nats
 * to probabilities.
 */
#include "learn/search/search.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void discover(const scone_problem *problem, size_t g, const char *preset,
                     const char *weights, const scone_context *context)
{
    const scone_discover_options options = {.preset = preset, .model = weights, .rules = "none"};
    const scone_graph *truth = scone_problem_graph(problem);
    size_t n = scone_graph_nodes(truth);
    scone_result *r;
    require(scone_discover(&r, scone_problem_pair(problem), &options, context));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            double forward = scone_result_probability(r, i, j);
            double backward = scone_result_probability(r, j, i);
            printf("%zu,%.6g,%.6g,%.6g,%d,%d,,,,\n", g, 1.0 - forward - backward, forward, backward,
                   (int)scone_graph_mark(truth, i, j),
                   (int)scone_graph_mark(scone_result_graph(r), i, j));
        }
    }
    scone_result_free(r);
}

int main(int argc, char **argv)
{
    scone_setting setting;
    const scone_context context = {.threads = 2};
    search_options options = {.edge_cost = -1.0, .effort = argc > 4 ? atoi(argv[4]) : 1};
    if (argc < 4) {
        fprintf(stderr, "usage: bench_calibration SETTING COUNT SEED [EFFORT] [ROWS] "
                        "[PRESET] [WEIGHTS]\n");
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
        if (argc > 6) {
            discover(problem, g, argv[6], argc > 7 ? argv[7] : NULL, &context);
            fflush(stdout);
            scone_problem_free(problem);
            continue;
        }
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
