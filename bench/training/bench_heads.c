/* bench_heads.c - what the bias heads of trained weights do: how well gamma tells which mechanisms
 * changed, how often and how loudly each head speaks in each block, and what the graph loses when
 * a head is silenced.
 *
 *     bench_heads PRESET SETTING COUNT SEED ROWS FOLDER WEIGHTS...
 *
 * Keeps the tokens of the graphs in a file in FOLDER. Prints CSV, a line for each file of weights
 * and
 *
 * - auc, BLOCK, NORM: area under the curve of NORM(t, v) for "v is a target", over all members, of
 *   gamma and of norms of the paper's sum of ||Delta|| without anything learned (D10);
 * - share, BLOCK, HEAD: of the cells, those with a bias that is not 0;
 * - size, BLOCK, HEAD: root mean square of what a head adds to the stream over that of the stream;
 * - shd and f1, WITHOUT: means with all heads, without one of them, without any;
 * - difference and error, WITHOUT: of f1 against all heads on the same graphs, standard error.
 *
 * A head is silenced by a scale of 0. Graphs are decoded at the threshold of the weights, without
 * rules. bench/training/heads.sh runs it.
 */
#include "model/heads/heads_parts.h"
#include "model/model_parts.h"
#include "presets/learned.h"
#include "settings.h"
#include "train/training_set.h"
#include "train/validate.h"

#include <math.h>

enum { MOST_NODES = 128, ASSIGNMENTS = 4, VARIANTS = 5, MOST_GRAPHS = 1000 };

static const char *const head_names[MODEL_HEADS] = {
    [HEAD_CVT] = "cvt", [HEAD_SSI] = "ssi", [HEAD_DPT] = "dpt"};
static const char *const variants[VARIANTS] = {"", "cvt", "ssi", "dpt", "any"};

static char *names[MOST_NODES];

/* ---- gamma and what heads say ---- */

/* What may stand for "the mechanism of v changed", as subset t sees it. */
typedef enum norm_kind {
    NORM_GAMMA,    /* learned, as the heads use it */
    NORM_SUM,      /* sum of the norms at v, over the largest of the subset */
    NORM_MEAN,     /* their mean, over the largest of the subset */
    NORM_SPREAD,   /* their mean, from the smallest to the largest of the subset */
    NORM_RANK,     /* rank of the mean in the subset */
    NORM_STANDARD, /* the mean, standardized in the subset */
    NORM_KINDS
} norm_kind;

static const char *const norm_names[NORM_KINDS] = {
    "gamma", "sum/largest", "mean/largest", "smallest to largest", "rank", "standardized"};

typedef struct member {
    double value[NORM_KINDS];
    bool changed;
} member;

typedef struct block_sums {
    member *members;
    size_t count, capacity;
    double spoken[MODEL_HEADS], squares[MODEL_HEADS], stream, cells;
} block_sums;

/* The norms of one subset from the sums and means of its members. */
static void norms_of_subset(member *at, const double *sum, const double *mean, size_t count)
{
    double most_sum = 0.0, most = 0.0, least = HUGE_VAL, total = 0.0, square = 0.0;
    for (size_t k = 0; k < count; k++) {
        most_sum = fmax(most_sum, sum[k]);
        most = fmax(most, mean[k]);
        least = fmin(least, mean[k]);
        total += mean[k] / (double)count;
        square += mean[k] * mean[k] / (double)count;
    }
    double deviation = sqrt(fmax(square - total * total, 1e-16));
    for (size_t k = 0; k < count; k++) {
        size_t below = 0;
        for (size_t other = 0; other < count; other++) below += mean[other] < mean[k];
        at[k].value[NORM_SUM] = most_sum > 0.0 ? sum[k] / most_sum : 0.0;
        at[k].value[NORM_MEAN] = most > 0.0 ? mean[k] / most : 0.0;
        at[k].value[NORM_SPREAD] = most > least ? (mean[k] - least) / (most - least) : 0.0;
        at[k].value[NORM_RANK] = (double)below / (double)count;
        at[k].value[NORM_STANDARD] = (mean[k] - total) / deviation;
    }
}

static void add_members(block_sums *s, const model_run *run, const batch *b, size_t block)
{
    const real *norms = run->blocks[block].heads->scores.norms;
    if (s->count + b->members > s->capacity) {
        s->capacity = 2 * (s->count + b->members);
        s->members = realloc(s->members, s->capacity * sizeof *s->members);
        if (!s->members) exit(1);
    }
    for (size_t t = 0; t < b->subsets; t++) {
        double sum[MOST_NODES], mean[MOST_NODES];
        const nn_groups *of = &b->subset_members;
        size_t count = of->offsets[t + 1] - of->offsets[t];
        member *first = s->members + s->count;
        for (size_t k = 0; k < count; k++) {
            size_t m = groups_member(of, of->offsets[t] + k);
            size_t touching = b->touch.offsets[m + 1] - b->touch.offsets[m];
            sum[k] = 0.0;
            for (size_t e = b->touch.offsets[m]; e < b->touch.offsets[m + 1]; e++) {
                sum[k] += (double)norms[groups_member(&b->touch, e)];
            }
            mean[k] = touching > 0 ? sum[k] / (double)touching : 0.0;
            first[k].value[NORM_GAMMA] = (double)model_gamma(run, block)[m];
            first[k].changed = b->node_changed[b->member_node[m]] == 1;
        }
        norms_of_subset(first, sum, mean, count);
        s->count += count;
    }
}

/* What a head adds to the two channels of a cell is its vector times them: the squares of both. */
static void add_cells(block_sums *s, const model_run *run, const float *values, const batch *b,
                      size_t block)
{
    const parameter_layout *layout = run->layout;
    size_t d = layout->config.width;
    const float *project = values + layout->blocks[block].heads.project;
    for (size_t head = 0; head < MODEL_HEADS; head++) {
        double along = 0.0;
        for (size_t j = 0; j < d; j++) {
            along += pow((double)project[j * MODEL_HEADS + head], 2.0);
        }
        const real *bias = model_bias(run, block, head);
        for (size_t cell = 0; cell < b->cells; cell++) {
            double gate = (double)model_gates(run, block)[cell * MODEL_HEADS + head];
            double b0 = gate * (double)bias[2 * cell], b1 = gate * (double)bias[2 * cell + 1];
            s->spoken[head] += b0 != 0.0 || b1 != 0.0;
            double first = layout->config.contrast ? (b0 + b1) / 2 : b0;
            double second = layout->config.contrast ? b1 - b0 : b1;
            s->squares[head] += along * (first * first + second * second);
        }
    }
    const real *h = run->blocks[block].post;
    for (size_t i = 0; i < 2 * b->cells * d; i++) s->stream += (double)h[i] * (double)h[i];
    s->cells += (double)b->cells;
}

static norm_kind sorted_by;

static int by_norm(const void *a, const void *b)
{
    double x = ((const member *)a)->value[sorted_by], y = ((const member *)b)->value[sorted_by];
    return (x > y) - (x < y);
}

/* Mann and Whitney: the share of pairs (changed, unchanged) in the right order, ties half. */
static double area(block_sums *s, norm_kind kind)
{
    double below = 0.0, right = 0.0, changed = 0.0;
    sorted_by = kind;
    qsort(s->members, s->count, sizeof *s->members, by_norm);
    for (size_t first = 0, last; first < s->count; first = last) {
        double of_changed = 0.0, of_others = 0.0, value = s->members[first].value[kind];
        for (last = first; last < s->count && s->members[last].value[kind] == value; last++) {
            *(s->members[last].changed ? &of_changed : &of_others) += 1.0;
        }
        right += of_changed * (below + of_others / 2);
        below += of_others;
        changed += of_changed;
    }
    return right / (changed * below);
}

static void print_blocks(const char *file, const learned_model *model, const training_set *set,
                         const scone_context *context)
{
    const model_config *config = &model->layout->config;
    uint32_t identity[MOST_NODES];
    model_run *run;
    batch *b;
    require(model_run_alloc(&run, model->layout, context));
    require(batch_alloc(&b));
    for (size_t block = 0; block < config->blocks; block++) {
        block_sums s = {0};
        for (size_t g = 0; g < set->count; g++) {
            const tokens *t = set->graphs[g];
            batch_random_identity(identity, t->size.nodes, config->identities, 1, g);
            const batch_item one = {t, identity, false};
            require(batch_make(b, &one, 1, config));
            require(model_forward(run, model->values, b));
            add_members(&s, run, b, block);
            add_cells(&s, run, model->values, b, block);
        }
        for (norm_kind kind = 0; kind < NORM_KINDS; kind++) {
            printf("%s,auc,%zu,%s,%.4f\n", file, block, norm_names[kind], area(&s, kind));
        }
        for (size_t head = 0; head < MODEL_HEADS; head++) {
            printf("%s,share,%zu,%s,%.4f\n", file, block, head_names[head],
                   s.spoken[head] / s.cells);
            printf("%s,size,%zu,%s,%.4f\n", file, block, head_names[head],
                   sqrt(s.squares[head] / s.stream));
        }
        free(s.members);
    }
    batch_free(b);
    model_run_free(run);
}

/* ---- graphs with a head silenced ---- */

static void silence(learned_model *model, const float *values, size_t variant)
{
    const parameter_layout *layout = model->layout;
    memcpy(model->values, values, layout->count * sizeof *values);
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        for (size_t head = 1; head <= 3; head++) {
            char end[16];
            (void)snprintf(end, sizeof end, ".%s.scale", variants[head]);
            if (strstr(p->name, end) && (variant == head || variant == 4)) {
                model->values[p->offset] = 0.0f;
            }
        }
    }
}

static void judge(scone_scores *marks, const training_set *set, const learned_model *model,
                  const scone_context *context)
{
    static double p[MOST_NODES * MOST_NODES];
    graph *truth;
    for (size_t g = 0; g < set->count; g++) {
        const tokens *t = set->graphs[g];
        require(learned_predict(p, model, t, (const char *const *)names, ASSIGNMENTS, 1, context));
        require(validate_truth(&truth, t));
        require(validate_marks(&marks[g], p, truth, model->threshold));
        scone_graph_free(truth);
    }
}

static void print_variants(const char *file, learned_model *model, const training_set *set,
                           const scone_context *context)
{
    static scone_scores marks[VARIANTS][MOST_GRAPHS];
    size_t bytes = model->layout->count * sizeof *model->values;
    double n = (double)set->count;
    float *values = malloc(bytes);
    if (!values) exit(1);
    memcpy(values, model->values, bytes);
    for (size_t v = 0; v < (model->layout->config.bias_heads ? VARIANTS : 1); v++) {
        double f1 = 0.0, shd = 0.0, gap = 0.0, squares = 0.0;
        silence(model, values, v);
        judge(marks[v], set, model, context);
        for (size_t g = 0; g < set->count; g++) {
            double difference = marks[v][g].f1 - marks[0][g].f1;
            f1 += marks[v][g].f1 / n;
            shd += marks[v][g].shd / n;
            gap += difference / n;
            squares += difference * difference;
        }
        double error = sqrt(fmax(squares - n * gap * gap, 0.0) / (n - 1.0) / n);
        printf("%s,shd,,%s,%.3f\n%s,f1,,%s,%.4f\n", file, variants[v], shd, file, variants[v], f1);
        printf("%s,difference,,%s,%.4f\n%s,error,,%s,%.4f\n", file, variants[v], gap, file,
               variants[v], error);
    }
    free(values);
}

/* ---- */

static training_set *make_set(char **argv, const model_config *config, const scone_context *context)
{
    training_set *set;
    graph_recipe recipe = {.options = config_token_options(config),
                           .samples_min = strtoul(argv[5], NULL, 10),
                           .count = strtoul(argv[3], NULL, 10),
                           .folder = argv[6],
                           .stage = "graphs"};
    setting_read(&recipe.setting, argv[2]);
    recipe.setting.samples = recipe.samples_min;
    recipe.setting.seed = strtoull(argv[4], NULL, 10);
    if (recipe.setting.nodes_max > MOST_NODES || recipe.count < 2 || recipe.count > MOST_GRAPHS) {
        fprintf(stderr, "at most %d nodes, and 2 to %d graphs\n", MOST_NODES, MOST_GRAPHS);
        exit(2);
    }
    require(training_set_load(&set, &recipe, context));
    return set;
}

int main(int argc, char **argv)
{
    const scone_context context = {.threads = 1};
    static char text[MOST_NODES][8];
    if (argc < 8) {
        fprintf(stderr, "usage: bench_heads PRESET SETTING COUNT SEED ROWS FOLDER WEIGHTS...\n");
        return 2;
    }
    for (int k = 0; k < MOST_NODES; k++) {
        (void)snprintf(text[k], sizeof text[k], "X%d", k + 1);
        names[k] = text[k];
    }
    for (int k = 7; k < argc; k++) {
        learned_model *model;
        require(learned_open(&model, argv[k], argv[1]));
        training_set *set = make_set(argv, &model->layout->config, &context);
        if (model->layout->config.bias_heads) print_blocks(argv[k], model, set, &context);
        print_variants(argv[k], model, set, &context);
        fflush(stdout);
        training_set_free(set);
        learned_free(model);
    }
    return 0;
}
