/* bench_ges_options.c - which penalty and which order of operators serve the preset `ges` best.
 *
 * Simulated problems of 20 nodes, 10,000 rows a regime, the rows of both regimes together, no
 * bootstrap. Prints CSV after lines that start with '#': mean SHD, F1 and skeleton F1 against the
 * true DAG, and processor seconds of a search, over the graphs of each setting.
 *
 *     nice build/bench/bench_ges_options [SEED] > bench/results/learners/ges_options.csv
 */
#include "eval/eval.h"
#include "learn/ges/ges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GRAPHS = 20, SETTINGS = 5, VARIANTS = 6 };

static const char *const settings[SETTINGS] = {"ood-20-20", "ood-20-40", "indist-20-20", "linear",
                                               "wild-20-20"};

static const ges_options variants[VARIANTS] = {
    {.penalty = 1.0}, {.penalty = 1.0, .eager = true},
    {.penalty = 2.0}, {.penalty = 2.0, .eager = true},
    {.penalty = 4.0}, {.penalty = 4.0, .eager = true},
};

typedef struct sums {
    double shd, f1, skeleton, seconds;
} sums;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scone_status make_setting(scone_setting *setting, const char *name, uint64_t seed)
{
    bool linear = strcmp(name, "linear") == 0;
    scone_status status = scone_setting_named(setting, linear ? "ood-20-20" : name);
    if (linear) setting->families = SCONE_LINEAR;
    setting->seed = seed;
    return status;
}

static scone_status run_variant(sums *sum, const scone_problem *problem, const ges_options *options)
{
    scone_status status = SCONE_OK;
    const graph *truth = scone_problem_graph(problem);
    graph *found = NULL;
    node_match match = {0};
    scone_scores scores;
    double started = now();
    TRY(ges_run_pair(&found, scone_problem_pair(problem), 3, options, NULL));
    sum->seconds += now() - started;
    variables first = {"found", (const char *const *)found->names, found->nodes};
    variables second = {"true", (const char *const *)truth->names, truth->nodes};
    TRY(eval_match_nodes(&match, &first, &second));
    eval_scores_clear(&scores);
    eval_scores_of_marks(&scores, found, truth, &match);
    sum->shd += scores.shd;
    sum->f1 += scores.f1;
    sum->skeleton += scores.skeleton_f1;
cleanup:
    eval_match_free(&match);
    scone_graph_free(found);
    return status;
}

static scone_status run_setting(sums *all, const char *name, uint64_t seed)
{
    scone_setting setting;
    scone_status status = make_setting(&setting, name, seed);
    for (size_t g = 0; g < GRAPHS && status == SCONE_OK; g++) {
        scone_problem *problem = NULL;
        status = scone_simulate(&problem, &setting, g, NULL);
        for (size_t v = 0; v < VARIANTS && status == SCONE_OK; v++) {
            status = run_variant(&all[v], problem, &variants[v]);
        }
        scone_problem_free(problem);
    }
    return status;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    printf("# command: build/bench/bench_ges_options %" PRIu64 "\n", seed);
    printf("# 20 nodes, 10000 rows a regime, both together; means over %d graphs\n", (int)GRAPHS);
    printf("setting,search,penalty,shd,f1,skeleton_f1,seconds\n");
    for (size_t s = 0; s < SETTINGS; s++) {
        sums all[VARIANTS] = {0};
        if (run_setting(all, settings[s], seed) != SCONE_OK) {
            fprintf(stderr, "bench_ges_options: %s\n", scone_error_message());
            return 1;
        }
        for (size_t v = 0; v < VARIANTS; v++) {
            printf("%s,%s,%g,%.2f,%.3f,%.3f,%.4f\n", settings[s],
                   variants[v].eager ? "eager" : "phases", variants[v].penalty, all[v].shd / GRAPHS,
                   all[v].f1 / GRAPHS, all[v].skeleton / GRAPHS, all[v].seconds / GRAPHS);
        }
        (void)fflush(stdout);
    }
    return 0;
}
