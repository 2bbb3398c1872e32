/* bench_token.c - the time of making tokens, whole and by parts.
 * Usage: nice build/bench/bench_token [SETTING [THREADS [ROWS [SEED]]]]
 * Three graphs of the setting (ood-20-20), the least of five runs each, in milliseconds of wall
 * time; `processor` is the processor time of the whole, over all threads. The parts are called one
 * by one, so that their sum is near the whole. Prints CSV after lines that start with '#'.
 * bench/results/paper/tokens.csv:
 *     for s in ood-20-20 ood-50-50 ood-100-100; do build/bench/bench_token $s 1; done
 *     build/bench/bench_token ood-20-20 2
 */
#include "learn/polybic/polybic_votes.h"
#include "sample/sensitivity.h"
#include "sample/sampler.h"
#include "model/tokens/token_make.h"
#include "model/tokens/token_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GRAPHS = 3, REPEATS = 5, PARTS = 6 };

static const char *const part_names[PARTS] = {"moments", "scores",     "sampler",
                                              "votes",   "statistics", "whole"};

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double processor_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Notes the time since *since for a part. */
static void lap(double *best, double *since)
{
    double time = now();
    *best = fmin(*best, time - *since);
    *since = time;
}

static scone_status run_parts(double best[PARTS], tokens *t, const scone_pair *pair,
                              const scone_context *context)
{
    scone_status status = SCONE_OK;
    moments *m = NULL;
    sensitivity *scores = NULL;
    sampler *s = NULL;
    polybic_votes *votes = NULL;
    ensemble_options how = ensemble_defaults;
    how.replicates = token_defaults.replicates;
    double since = now();
    TRY(moments_alloc(&m, pair, context));
    lap(&best[0], &since);
    TRY(sensitivity_alloc(&scores, pair, m, NULL, context));
    lap(&best[1], &since);
    const sampler_scores input = {scores->columns, scores->association, scores->contrast,
                                  scores->score};
    TRY(sampler_alloc(&s, &input, NULL));
    TRY(sampler_run(s));
    lap(&best[2], &since);
    TRY(polybic_votes_alloc(&votes, pair, NULL, &how, context));
    lap(&best[3], &since);
    TRY(token_statistics_pairs(t, pair, m, context));
    TRY(token_statistics_precision(t, m));
    lap(&best[4], &since);
cleanup:
    polybic_votes_free(votes);
    sampler_free(s);
    sensitivity_free(scores);
    moments_free(m);
    return status;
}

static scone_status measure(const scone_setting *setting, size_t index,
                            const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    tokens *t = NULL;
    double best[PARTS], processor = (double)INFINITY;
    for (size_t k = 0; k < PARTS; k++) best[k] = (double)INFINITY;
    TRY(scone_simulate(&problem, setting, index, context));
    const scone_pair *pair = scone_problem_pair(problem);
    const token_truth truth = {scone_problem_graph(problem), scone_problem_targets(problem)};
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        tokens_free(t);
        t = NULL;
        double since = now(), processor_since = processor_now();
        TRY(token_make(&t, pair, &truth, NULL, context));
        lap(&best[PARTS - 1], &since);
        processor = fmin(processor, processor_now() - processor_since);
        TRY(run_parts(best, t, pair, context));
    }
    size_t edges = 0;
    for (size_t e = 0; e < t->size.pairs; e++) edges += t->labels[e] != TOKEN_NONE;
    printf("%u,%zu,%u,%u,%u,%.2f,%u,%u,%zu,%.2f", t->size.nodes, pair->tables[0]->rows,
           t->size.subsets, t->size.pairs, t->size.cells,
           (double)t->size.cells / (double)(t->size.pairs ? t->size.pairs : 1), t->size.triples,
           t->size.instances, t->bytes,
           (double)edges / (double)scone_graph_edges(scone_problem_graph(problem)));
    for (size_t k = 0; k < PARTS; k++) printf(",%.1f", best[k]);
    printf(",%.1f\n", processor);
    (void)fflush(stdout);
cleanup:
    tokens_free(t);
    scone_problem_free(problem);
    return status;
}

static void print_commit(void)
{
    char text[64] = "";
    FILE *git = popen("git rev-parse --short HEAD 2>/dev/null", "r");
    if (git && fgets(text, sizeof text, git)) text[strcspn(text, "\n")] = '\0';
    if (git) (void)pclose(git);
    printf("# commit: %s\n", text[0] ? text : "unknown");
}

int main(int argc, char **argv)
{
    scone_setting setting;
    scone_context context = {.threads = argc > 2 ? atoi(argv[2]) : 2};
    const char *name = argc > 1 ? argv[1] : "ood-20-20";
    if (scone_setting_named(&setting, name) != SCONE_OK) goto failed;
    if (argc > 3) setting.samples = strtoull(argv[3], NULL, 10);
    setting.seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    printf("# command: build/bench/bench_token %s %d %zu %llu\n", name, context.threads,
           setting.samples, (unsigned long long)setting.seed);
    print_commit();
    double load = 0.0; /* wall times mean little beside other work */
    if (getloadavg(&load, 1) == 1) printf("# load average of the machine: %.1f\n", load);
    printf("# milliseconds of wall time, least of %d runs; found: share of the true edges among "
           "the candidates\n",
           (int)REPEATS);
    printf("nodes,rows,subsets,pairs,cells,cells_per_pair,triples,instances,bytes,found");
    for (size_t k = 0; k < PARTS; k++) printf(",%s", part_names[k]);
    printf(",processor\n");
    for (size_t g = 0; g < GRAPHS; g++) {
        if (measure(&setting, g, &context) != SCONE_OK) goto failed;
    }
    return 0;
failed:
    fprintf(stderr, "bench_token: %s\n", scone_error_message());
    return 1;
}
