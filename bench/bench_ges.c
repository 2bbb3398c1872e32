/* bench_ges.c - how the Greedy Equivalence Search grows with the number of columns.
 *
 * Random DAGs with 2N edges, N = 20, 100, 300, 1,000; linear Gaussian data, weights of absolute
 * value 0.25 to 1, unit noise, 5,000 rows. Prints CSV after lines that start with '#': processor
 * time of the covariance and of the search, what the search did, the skeleton and the CPDAG
 * compared with the truth, and the exponent of growth of the search since the size before.
 *
 *     nice build/bench/bench_ges [SEED] > bench/results/ges_growth.csv
 */
#include "base/rng.h"
#include "graph/cpdag.h"
#include "graph/order.h"
#include "learn/ges.h"
#include "linalg/gram.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { SIZES = 4, GRAPHS = 3, ROWS = 5000 };
static const size_t sizes[SIZES] = {20, 100, 300, 1000};

typedef struct result {
    double covariance, search; /* seconds */
    ges_statistics done;
    size_t edges, found, shared, different; /* skeletons; pairs whose marks differ */
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

static void compare_graphs(result *out, const graph *found, const graph *truth)
{
    for (size_t i = 0; i < truth->nodes; i++) {
        for (size_t j = 0; j < i; j++) {
            bool a = graph_adjacent(found, i, j), b = graph_adjacent(truth, i, j);
            out->shared += a && b;
            out->different += scone_graph_mark(found, i, j) != scone_graph_mark(truth, i, j);
        }
    }
    out->found = scone_graph_edges(found);
    out->edges = scone_graph_edges(truth);
}

static scone_status measure(result *out, size_t nodes, uint64_t seed, size_t number)
{
    scone_status status = SCONE_OK;
    graph *dag = NULL, *truth = NULL, *found = NULL;
    graph_work *work = NULL;
    gram_work *sums = NULL;
    size_t *place = NULL;
    double *values = NULL, *correlation = NULL;
    rng r = rng_stream(seed, RNG_TEST, nodes, number, 0);
    *out = (result){0};
    TRY(graph_alloc(&dag, nodes));
    TRY(graph_alloc(&truth, nodes));
    TRY(graph_work_alloc(&work, nodes));
    TRY(gram_work_alloc(&sums, NULL));
    TRY_ALLOC(place, nodes);
    TRY_ALLOC(values, nodes * ROWS);
    TRY_ALLOC(correlation, nodes * nodes);
    random_dag(dag, place, &r);
    sample(values, dag, place, &r);
    if (!graph_cpdag(truth, dag, work)) FAIL_DEFECT("a random DAG has a cycle");
    double start = now();
    matrix_view view = {values, ROWS, nodes, NULL};
    TRY(correlation_matrix(correlation, NULL, NULL, &view, sums));
    double middle = now();
    TRY(ges_run(&found, correlation, nodes, (double)ROWS, NULL, &out->done, NULL));
    out->search = now() - middle;
    out->covariance = middle - start;
    compare_graphs(out, found, truth);
cleanup:
    scone_graph_free(dag);
    scone_graph_free(truth);
    scone_graph_free(found);
    graph_work_free(work);
    gram_work_free(sums);
    mem_free(place);
    mem_free(values);
    mem_free(correlation);
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
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    double before[GRAPHS] = {0};
    printf("# command: build/bench/bench_ges %llu\n", (unsigned long long)seed);
    print_commit();
    printf("# linear Gaussian data, 2N edges, %d rows; processor seconds, one thread\n", (int)ROWS);
    printf("nodes,graph,covariance_seconds,search_seconds,exponent,rounds,inserts,deletes,turns,"
           "rows,checks,true_edges,found_edges,shared_edges,shd_cpdag\n");
    for (size_t k = 0; k < SIZES; k++) {
        for (size_t number = 0; number < GRAPHS; number++) {
            result m;
            if (measure(&m, sizes[k], seed, number) != SCONE_OK) {
                fprintf(stderr, "bench_ges: %s\n", scone_error_message());
                return 1;
            }
            printf("%zu,%zu,%.4f,%.4f,", sizes[k], number, m.covariance, m.search);
            if (k > 0) {
                printf("%.2f", log(m.search / before[number]) /
                                   log((double)sizes[k] / (double)sizes[k - 1]));
            }
            printf(",%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu\n", m.done.rounds, m.done.steps[0],
                   m.done.steps[1], m.done.steps[2], m.done.rows, m.done.checks, m.edges, m.found,
                   m.shared, m.different);
            (void)fflush(stdout);
            before[number] = m.search;
        }
    }
    return 0;
}
