/* bench_graph.c - how the graph algorithms grow with the number of nodes.
 *
 * Random DAGs with 2N edges, N = 125 ... 2,000. For each algorithm the processor time of one call
 * (median over graphs), the same in units of one pass over the three bit matrices of a graph of
 * that size (what reading it costs), and the exponent of growth since the size before:
 * log2(time(N) / time(N / 2)). Prints CSV after lines that start with '#'.
 *
 *     nice build/bench/bench_graph [SEED] > bench/results/speed/graph_growth.csv
 */
#include "base/rng.h"
#include "graph/closure.h"
#include "graph/graph_cpdag.h"
#include "graph/dsep.h"
#include "graph/graph_extend.h"
#include "graph/meek.h"
#include "graph/graph_order.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { SIZES = 5, GRAPHS = 7, QUERIES = 64, CONDITION = 10, EDITS = 64 };

static const size_t sizes[SIZES] = {125, 250, 500, 1000, 2000};
static const double enough = 0.004; /* seconds that one measurement lasts at least */

typedef struct setup {
    graph *dag, *cpdag, *pattern, *out;
    graph_work *work;
    meek *m;
    closure *c;
    bits_word *start, *given, *connected; /* [QUERIES, words]: one set per query */
    size_t from[EDITS], to[EDITS];        /* edges to remove and add again */
    uint64_t sink;                        /* keeps results alive */
} setup;

static void setup_free(setup *s)
{
    scone_graph_free(s->dag);
    scone_graph_free(s->cpdag);
    scone_graph_free(s->pattern);
    scone_graph_free(s->out);
    graph_work_free(s->work);
    meek_free(s->m);
    closure_free(s->c);
    mem_free(s->start);
    mem_free(s->given);
    mem_free(s->connected);
}

static void random_dag(setup *s, rng *r, size_t *place)
{
    graph *g = s->dag;
    rng_permutation(r, place, g->nodes);
    for (size_t count = 0; count < 2 * g->nodes;) {
        size_t a = rng_below(r, g->nodes), b = rng_below(r, g->nodes);
        if (a >= b || graph_adjacent(g, place[a], place[b])) continue;
        graph_direct(g, place[a], place[b]);
        if (count < EDITS) {
            s->from[count] = place[a];
            s->to[count] = place[b];
        }
        count++;
    }
}

static void random_queries(setup *s, rng *r)
{
    size_t words = s->dag->words;
    for (size_t q = 0; q < QUERIES; q++) {
        size_t x = rng_below(r, s->dag->nodes);
        bits_add(s->start + q * words, x);
        for (int k = 0; k < CONDITION; k++) {
            size_t z = rng_below(r, s->dag->nodes);
            if (z != x) bits_add(s->given + q * words, z);
        }
    }
}

static scone_status setup_make(setup *s, size_t nodes, uint64_t seed, size_t number)
{
    scone_status status = SCONE_OK;
    size_t *place = NULL;
    rng r = rng_stream(seed, RNG_TEST, nodes, number, 0);
    TRY(graph_alloc(&s->dag, nodes));
    TRY(graph_alloc(&s->cpdag, nodes));
    TRY(graph_alloc(&s->pattern, nodes));
    TRY(graph_alloc(&s->out, nodes));
    TRY(graph_work_alloc(&s->work, nodes));
    TRY(meek_alloc(&s->m, nodes));
    TRY(closure_alloc(&s->c, nodes));
    TRY_ZERO(s->start, QUERIES * s->dag->words);
    TRY_ZERO(s->given, QUERIES * s->dag->words);
    TRY_ZERO(s->connected, s->dag->words);
    TRY_ALLOC(place, nodes);
    random_dag(s, &r, place);
    random_queries(s, &r);
    graph_pattern(s->pattern, s->dag);
    if (!graph_cpdag(s->cpdag, s->dag, s->work)) FAIL_DEFECT("a random DAG has a cycle");
    if (!closure_build(s->c, s->dag)) FAIL_DEFECT("a random DAG has a cycle");
cleanup:
    mem_free(place);
    return status;
}

/* Each runs one call on the setup, or `per` of them; false is a defect. */
static bool run_pass(setup *s)
{
    bits_word sum = 0;
    for (size_t w = 0; w < 3 * s->dag->nodes * s->dag->words; w++) sum += s->dag->parents[w];
    s->sink += sum;
    return true;
}

static bool run_order(setup *s)
{
    return graph_is_acyclic(s->dag, s->work);
}

static bool run_cpdag(setup *s)
{
    return graph_cpdag(s->out, s->dag, s->work);
}

static bool run_meek(setup *s)
{
    graph_assign(s->out, s->pattern);
    return meek_close(s->out, s->m) == SCONE_OK;
}

static bool run_extend(setup *s)
{
    return graph_extend(s->out, s->cpdag, s->work);
}

static bool run_equivalent(setup *s)
{
    return graph_equivalent(s->dag, s->dag);
}

static bool run_dsep(setup *s)
{
    size_t words = s->dag->words;
    for (size_t q = 0; q < QUERIES; q++) {
        dsep_connected(s->connected, s->dag, s->start + q * words, s->given + q * words, s->work);
        s->sink += s->connected[0];
    }
    return true;
}

static bool run_closure(setup *s)
{
    return closure_build(s->c, s->dag);
}

static bool run_edits(setup *s)
{
    for (size_t e = 0; e < EDITS; e++) {
        graph_remove(s->dag, s->from[e], s->to[e]);
        closure_delete(s->c, s->dag, s->from[e], s->to[e]);
        if (closure_would_cycle(s->c, s->from[e], s->to[e])) return false;
        graph_direct(s->dag, s->from[e], s->to[e]);
        closure_add(s->c, s->from[e], s->to[e]);
    }
    return true;
}

typedef struct algorithm {
    const char *name;
    bool (*run)(setup *);
    double per; /* calls in one run */
} algorithm;

static const algorithm algorithms[] = {
    {"matrix_pass", run_pass, 1},
    {"order", run_order, 1},
    {"cpdag", run_cpdag, 1},
    {"meek_closure", run_meek, 1},
    {"extension", run_extend, 1},
    {"equivalence", run_equivalent, 1},
    {"d_separation", run_dsep, QUERIES},
    {"closure_build", run_closure, 1},
    {"closure_edit", run_edits, EDITS},
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one call, after one run to warm up; negative if a run fails. */
static double measure(const algorithm *a, setup *s)
{
    if (!a->run(s)) return -1.0;
    for (size_t runs = 1;; runs *= 2) {
        double start = now();
        for (size_t i = 0; i < runs; i++) {
            if (!a->run(s)) return -1.0;
        }
        double seconds = now() - start;
        if (seconds >= enough) return seconds / (double)runs / a->per;
    }
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* seconds[a] = median over graphs */
static scone_status measure_size(double *seconds, size_t nodes, uint64_t seed)
{
    scone_status status = SCONE_OK;
    double all[ALGORITHMS][GRAPHS];
    setup s = {0};
    for (size_t number = 0; number < GRAPHS; number++) {
        TRY(setup_make(&s, nodes, seed, number));
        for (size_t a = 0; a < ALGORITHMS; a++) {
            all[a][number] = measure(&algorithms[a], &s);
            if (all[a][number] < 0.0) FAIL_DEFECT(algorithms[a].name);
        }
        setup_free(&s);
        s = (setup){0};
    }
    for (size_t a = 0; a < ALGORITHMS; a++) {
        qsort(all[a], GRAPHS, sizeof all[a][0], compare);
        seconds[a] = all[a][GRAPHS / 2];
    }
cleanup:
    setup_free(&s);
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
    double seconds[SIZES][ALGORITHMS];
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    printf("# command: build/bench/bench_graph %llu\n", (unsigned long long)seed);
    print_commit();
    printf("# seed: %llu; %d graphs per size, 2N edges; median processor time of one call\n",
           (unsigned long long)seed, (int)GRAPHS);
    printf("# d_separation: all nodes connected to one node given %d; closure_edit: remove an edge "
           "and add it again\n",
           (int)CONDITION);
    printf("algorithm,nodes,edges,microseconds,matrix_passes,exponent\n");
    for (size_t k = 0; k < SIZES; k++) {
        if (measure_size(seconds[k], sizes[k], seed) != SCONE_OK) {
            fprintf(stderr, "bench_graph: %s\n", scone_error_message());
            return 1;
        }
    }
    for (size_t a = 0; a < ALGORITHMS; a++) {
        for (size_t k = 0; k < SIZES; k++) {
            printf("%s,%zu,%zu,%.3f,%.2f,", algorithms[a].name, sizes[k], 2 * sizes[k],
                   1e6 * seconds[k][a], seconds[k][a] / seconds[k][0]);
            if (k > 0) printf("%.2f", log2(seconds[k][a] / seconds[k - 1][a]));
            printf("\n");
        }
    }
    return 0;
}
