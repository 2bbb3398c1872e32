/* bench_polybic.c - time of the PolyBIC ensemble on all pairs of a simulated problem.
 * Usage: bench_polybic SETTING THREADS REPLICATES ROUNDS SEED [FOLDER]
 * Prints the seconds of each round: all replicates of both regimes over one subset of all columns.
 * With FOLDER it first writes there what bench/peers/polybic_reference.py needs to check its own
 * numbers: regime0.npy, regime1.npy, and scores0.npy, scores1.npy, the scores on the rows as they
 * are.
 */
#include "data/table.h"
#include "learn/ensemble.h"

#include <stdlib.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static scone_status write_problem(const scone_pair *pair, const size_t *columns, const char *folder)
{
    scone_status status = SCONE_OK;
    void *state = NULL;
    table *scores = NULL;
    size_t count = pair->tables[0]->columns;
    char path[512];
    TRY(learner_polybic.prepare(&state, pair, NULL));
    TRY(table_alloc(&scores, count, count, NULL));
    for (unsigned regime = 0; regime < 2; regime++) {
        learner_task task = {.columns = columns, .count = count, .regimes = 1U << regime};
        TRY(learner_polybic.run(scores->values, state, &task));
        (void)snprintf(path, sizeof path, "%s/scores%u.npy", folder, regime);
        TRY(scone_table_write(scores, path));
        (void)snprintf(path, sizeof path, "%s/regime%u.npy", folder, regime);
        TRY(scone_table_write(pair->tables[regime], path));
    }
cleanup:
    if (state) learner_polybic.release(state);
    scone_table_free(scores);
    return status;
}

static scone_status measure(const scone_setting *setting, const scone_context *context,
                            size_t replicates, size_t rounds, const char *folder)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    ensemble_result *result = NULL;
    size_t *columns = NULL;
    TRY(scone_simulate(&problem, setting, 0, context));
    const scone_pair *pair = scone_problem_pair(problem);
    size_t count = pair->tables[0]->columns, offsets[2] = {0, count};
    TRY_ALLOC(columns, count);
    for (size_t j = 0; j < count; j++) columns[j] = j;
    if (folder) TRY(write_problem(pair, columns, folder));
    ensemble_subsets subsets = {.count = 1, .offsets = offsets, .members = columns};
    ensemble_options options = ensemble_defaults;
    options.replicates = replicates;
    for (size_t round = 0; round < rounds; round++) {
        ensemble_result_free(result);
        double start = seconds_now();
        TRY(ensemble_run(&result, pair, &subsets, &options, context));
        (void)printf("%.9f\n", seconds_now() - start);
    }
cleanup:
    ensemble_result_free(result);
    mem_free(columns);
    scone_problem_free(problem);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 6 && argc != 7) {
        (void)fprintf(stderr,
                      "usage: bench_polybic SETTING THREADS REPLICATES ROUNDS SEED [FOLDER]\n");
        return 2;
    }
    scone_setting setting;
    scone_context context = {.threads = atoi(argv[2])};
    scone_status status = scone_setting_named(&setting, argv[1]);
    if (status == SCONE_OK) {
        setting.seed = strtoull(argv[5], NULL, 10);
        status = measure(&setting, &context, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10),
                         argc == 7 ? argv[6] : NULL);
    }
    if (status != SCONE_OK) (void)fprintf(stderr, "%s\n", scone_error_message());
    return (int)status;
}
