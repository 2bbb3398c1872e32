/* bench_trainings.c - weights of the preset best on graphs of a setting, whose searches are made
 * once.
 *
 *     bench_trainings SETTING COUNT SEED ROWS FOLDER WEIGHTS...
 *
 * Keeps the tokens, which hold what the search found, in a file in FOLDER, and prints a line of CSV
 * for the search and for each file of weights: the mean SHD at thresholds of P(edge) of 0.4, 0.5
 * and 0.6, and at 0.5 the difference to the search with its standard error. Graphs are decoded as
 * in the validation of a training, without rules. bench/training/epochs.sh compares trainings with
 * it.
 */
#include "presets/learned.h"
#include "presets/presets_parts.h"
#include "settings.h"
#include "train/training_set.h"
#include "train/validate.h"

#include <math.h>

enum { THRESHOLDS = 3, HALF = 1, MOST_NODES = 64, ASSIGNMENTS = 4 };

static const double thresholds[THRESHOLDS] = {0.4, 0.5, 0.6};

static char *names[MOST_NODES];

/* P(i -> j) of the model within the bounds of the preset, or of the search without one. */
static void predict(double *p, const learned_model *model, const tokens *t,
                    const scone_context *context)
{
    size_t n = t->size.nodes;
    double found[MOST_NODES * MOST_NODES];
    for (size_t k = 0; k < n * n; k++) p[k] = found[k] = (double)t->prior[k];
    if (!model) return;
    require(learned_predict(p, model, t, (const char *const *)names, ASSIGNMENTS, 1, context));
    preset_bound_edges(p, found, n);
}

/* shd [graphs, THRESHOLDS] */
static void judge(double (*shd)[THRESHOLDS], const training_set *set, const learned_model *model,
                  const scone_context *context)
{
    double p[MOST_NODES * MOST_NODES];
    scone_scores marks;
    graph *truth;
    for (size_t g = 0; g < set->count; g++) {
        const tokens *t = set->graphs[g];
        predict(p, model, t, context);
        require(validate_truth(&truth, t));
        for (int k = 0; k < THRESHOLDS; k++) {
            require(validate_marks(&marks, p, truth, thresholds[k]));
            shd[g][k] = marks.shd;
        }
        scone_graph_free(truth);
    }
}

static void print_row(const char *setting, const char *rows, const char *name, size_t count,
                      double (*const shd)[THRESHOLDS], double (*const search)[THRESHOLDS])
{
    double sums[THRESHOLDS] = {0}, n = (double)count, gap = 0.0, squares = 0.0;
    for (size_t g = 0; g < count; g++) {
        double d = shd[g][HALF] - search[g][HALF];
        for (int k = 0; k < THRESHOLDS; k++) sums[k] += shd[g][k] / n;
        gap += d / n;
        squares += d * d;
    }
    double error = sqrt(fmax(squares - n * gap * gap, 0.0) / (n - 1.0) / n);
    printf("%s,%s,%zu,%s,%.3f,%.3f,%.3f,%.3f,%.3f\n", setting, rows, count, name, sums[0], sums[1],
           sums[2], gap, error);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const scone_context context = {.threads = 2};
    model_config config;
    training_set *set;
    char text[MOST_NODES][8];
    if (argc < 6) {
        fprintf(stderr, "usage: bench_trainings SETTING COUNT SEED ROWS FOLDER WEIGHTS...\n");
        return 2;
    }
    for (int k = 0; k < MOST_NODES; k++) {
        (void)snprintf(text[k], sizeof text[k], "X%d", k + 1);
        names[k] = text[k];
    }
    require(config_preset(&config, "best"));
    graph_recipe recipe = {.options = config_token_options(&config),
                           .samples_min = (size_t)atoll(argv[4]),
                           .count = (size_t)atoll(argv[2]),
                           .folder = argv[5],
                           .stage = "graphs"};
    setting_read(&recipe.setting, argv[1]);
    recipe.setting.samples = recipe.samples_min;
    recipe.setting.seed = (uint64_t)atoll(argv[3]);
    if (recipe.setting.nodes_max > MOST_NODES || recipe.count < 2) {
        fprintf(stderr, "at most %d nodes, and at least 2 graphs\n", MOST_NODES);
        return 2;
    }
    require(training_set_load(&set, &recipe, &context));
    double(*search)[THRESHOLDS] = calloc(set->count, sizeof *search);
    double(*shd)[THRESHOLDS] = calloc(set->count, sizeof *shd);
    if (!search || !shd) return 1;
    judge(search, set, NULL, &context);
    print_row(argv[1], argv[4], "search", set->count, search, search);
    for (int k = 6; k < argc; k++) {
        learned_model *model;
        const char *name = strrchr(argv[k], '/');
        require(learned_open(&model, argv[k], "best"));
        judge(shd, set, model, &context);
        print_row(argv[1], argv[4], name ? name + 1 : argv[k], set->count, shd, search);
        learned_free(model);
    }
    free(search);
    free(shd);
    training_set_free(set);
    return 0;
}
