/* bench_ges.c - how the Greedy Equivalence Search grows with the number of columns, and how well it
 * does in its variants.
 *
 * Random DAGs with 2N edges, N = 20, 100, 300, 1,000; linear Gaussian data, weights of absolute
 * value 0.25 to 1, unit noise, 5,000 rows. Prints CSV after lines that start with '#': processor
 * time of the search, what it did, the skeleton and the CPDAG compared with the truth, and how far
 * the score is from that of the truth (below 0: a better graph was missed). Means over the graphs.
 * The exponent is that of the growth of time since the size before.
 *
 *     nice build/bench/bench_ges [SEED] > bench/results/speed/ges_growth.csv
 */
#include "base/rng.h"
#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"
#include "learn/ges/ges.h"
#include "linalg/gram.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { SIZES = 4, GRAPHS = 5, ROWS = 5000, VARIANTS = 5 };
static const size_t sizes[SIZES] = {20, 100, 300, 1000};

typedef struct variant {
    const char *name;
    ges_options options;
} variant;

static const variant variants[VARIANTS] = {
    {"phases", {.penalty = 1.0}},
    {"phases without turning", {.penalty = 1.0, .skip_turning = true}},
    {"eager", {.penalty = 1.0, .eager = true}},
    {"phases", {.penalty = 2.0}},
    {"eager", {.penalty = 2.0, .eager = true}},
};

/* Sums over graphs. */
typedef struct result {
    double seconds, steps[3], rows, checks;
    double found, shared, different, gap; /* skeletons; pairs whose marks differ; score */
} result;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void random_dag(graph *g, size_t *place, rng *r)
{
    rng_permutation(r, place, g->nodes);
    for (size_t count = 0; count < 2 * g->nodes;) {
        size_t a = rng_below(r, g->nodes), b = rng_below(r, g->nodes);
        if (a >= b || graph_adjacent(g, place[a], place[b])) continue;
        graph_direct(g, place[a], place[b]);
        count++;
    }
}

/* values [nodes][ROWS]; place: causes before effects */
static void sample(double *values, const graph *dag, const size_t *place, rng *r)
{
    for (size_t k = 0; k < dag->nodes; k++) {
        double *x = values + place[k] * ROWS;
        rng_fill_normal(r, x, ROWS);
        BITS_EACH(p, graph_parents(dag, place[k]), dag->words) {
            double weight = rng_sign(r) * rng_range(r, 0.25, 1.0);
            for (size_t i = 0; i < ROWS; i++) x[i] += weight * values[p * ROWS + i];
        }
    }
}

static scone_status run_variant(result *sum, const variant *v, const double *correlation,
                                const graph *dag, const graph *truth, graph *extension,
                                graph_work *work)
{
    scone_status status = SCONE_OK;
    graph *found = NULL;
    ges_statistics done;
    double best, own, start = now();
    TRY(ges_run(&found, correlation, dag->nodes, (double)ROWS, &v->options, &done, NULL));
    sum->seconds += now() - start;
    if (!graph_extend(extension, found, work)) FAIL_DEFECT("a CPDAG has no extension");
    TRY(ges_dag_score(&best, dag, correlation, (double)ROWS, &v->options));
    TRY(ges_dag_score(&own, extension, correlation, (double)ROWS, &v->options));
    sum->gap += own - best;
    for (int p = 0; p < 3; p++) sum->steps[p] += (double)done.steps[p];
    sum->rows += (double)done.rows;
    sum->checks += (double)done.checks;
    sum->found += (double)scone_graph_edges(found);
    for (size_t i = 0; i < dag->nodes; i++) {
        for (size_t j = 0; j < i; j++) {
            sum->shared += graph_adjacent(found, i, j) && graph_adjacent(truth, i, j);
            sum->different += scone_graph_mark(found, i, j) != scone_graph_mark(truth, i, j);
        }
    }
cleanup:
    scone_graph_free(found);
    return status;
}

/* Adds one graph to the sums of all variants. */
static scone_status measure(result *sums, double *covariance_seconds, size_t nodes, uint64_t seed,
                            size_t number)
{
    scone_status status = SCONE_OK;
    graph *dag = NULL, *truth = NULL, *extension = NULL;
    graph_work *work = NULL;
    gram_work *products = NULL;
    size_t *place = NULL;
    double *values = NULL, *correlation = NULL;
    rng r = rng_stream(seed, RNG_TEST, nodes, number, 0);
    TRY(graph_alloc(&dag, nodes));
    TRY(graph_alloc(&truth, nodes));
    TRY(graph_alloc(&extension, nodes));
    TRY(graph_work_alloc(&work, nodes));
    TRY(gram_work_alloc(&products, NULL));
    TRY_ALLOC(place, nodes);
    TRY_ALLOC(values, nodes * ROWS);
    TRY_ALLOC(correlation, nodes * nodes);
    random_dag(dag, place, &r);
    sample(values, dag, place, &r);
    if (!graph_cpdag(truth, dag, work)) FAIL_DEFECT("a random DAG has a cycle");
    double start = now();
    matrix_view view = {values, ROWS, nodes, NULL};
    TRY(correlation_matrix(correlation, NULL, NULL, &view, products));
    *covariance_seconds += now() - start;
    for (size_t v = 0; v < VARIANTS; v++) {
        TRY(run_variant(&sums[v], &variants[v], correlation, dag, truth, extension, work));
    }
cleanup:
    scone_graph_free(dag);
    scone_graph_free(truth);
    scone_graph_free(extension);
    graph_work_free(work);
    gram_work_free(products);
    mem_free(place);
    mem_free(values);
    mem_free(correlation);
    return status;
}

static void print_row(size_t nodes, size_t before, const variant *v, const result *sum,
                      double last_seconds)
{
    double g = GRAPHS;
    printf("%zu,%s,%g,%.4f,", nodes, v->name, v->options.penalty, sum->seconds / g);
    if (before) {
        printf("%.2f", log(sum->seconds / last_seconds) / log((double)nodes / (double)before));
    }
    printf(",%.1f,%.1f,%.1f,%.0f,%.0f,%zu,%.1f,%.1f,%.1f,%.1f\n", sum->steps[0] / g,
           sum->steps[1] / g, sum->steps[2] / g, sum->rows / g, sum->checks / g, 2 * nodes,
           sum->found / g, sum->shared / g, sum->different / g, sum->gap / g);
}

static void print_commit(void)
{
    char text[64] = "";
    FILE *git = popen("git rev-parse --short HEAD 2>/dev/null", "r");
    if (git && fgets(text, sizeof text, git)) text[strcspn(text, "\n")] = '\0';
    if (git) (void)pclose(git);
    printf("# commit: %s\n", text[0] ? text : "unknown");
}

/* Seconds where all columns have one correlation: copies of one column (1), or effects of one cause
 * that is not among them. */
static void print_special(const char *name, size_t nodes, double correlation)
{
    double *matrix = malloc(nodes * nodes * sizeof *matrix);
    if (!matrix) return;
    for (size_t i = 0; i < nodes * nodes; i++) {
        matrix[i] = i / nodes == i % nodes ? 1.0 : correlation;
    }
    for (int eager = 0; eager < 2; eager++) {
        const ges_options options = {.eager = eager};
        graph *found = NULL;
        double started = now();
        if (ges_run(&found, matrix, nodes, ROWS, &options, NULL, NULL) != SCONE_OK) break;
        printf("# %s, %zu columns, %s: %.2f seconds, %zu edges\n", name, nodes,
               eager ? "eager" : "phases", now() - started, scone_graph_edges(found));
        scone_graph_free(found);
    }
    free(matrix);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    double last[VARIANTS] = {0};
    printf("# command: build/bench/bench_ges %llu\n", (unsigned long long)seed);
    print_commit();
    printf(
        "# linear Gaussian data, 2N edges, %d rows; means over %d graphs; processor seconds, one "
        "thread\n",
        (int)ROWS, (int)GRAPHS);
    printf("nodes,search,penalty,seconds,exponent,inserts,deletes,turns,rows,checks,true_edges,"
           "found_edges,shared_edges,shd_cpdag,score_minus_truth\n");
    for (size_t k = 0; k < SIZES; k++) {
        result sums[VARIANTS] = {0};
        double covariance_seconds = 0.0;
        for (size_t number = 0; number < GRAPHS; number++) {
            if (measure(sums, &covariance_seconds, sizes[k], seed, number) != SCONE_OK) {
                fprintf(stderr, "bench_ges: %s\n", scone_error_message());
                return 1;
            }
        }
        printf("# %zu nodes: correlation matrix %.4f seconds\n", sizes[k],
               covariance_seconds / GRAPHS);
        for (size_t v = 0; v < VARIANTS; v++) {
            print_row(sizes[k], k ? sizes[k - 1] : 0, &variants[v], &sums[v], last[v]);
            last[v] = sums[v].seconds;
        }
        (void)fflush(stdout);
    }
    print_special("copies of one column", 1000, 1.0);
    print_special("one hidden cause, correlations of 0.5", 50, 0.5);
    return 0;
}
