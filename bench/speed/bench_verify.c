/* bench_verify.c - how fast the population oracle and the rules are: bench_verify [nodes seconds]
 * (default 6 and 1 for each line). Checks a second on one core, as CSV. The alternative is the
 * d-separation for graphs of any size (graph/dsep.h), on the same questions. */
#include "base/rng.h"
#include "graph/dsep.h"
#include "theory/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DAGS = 256 };

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct bench {
    int nodes;
    double most; /* seconds a line */
    local_graph dags[DAGS];
    graph *large[DAGS];
    graph_work *work;
    oracle_view views[DAGS];
    oracle_outcomes outcomes[DAGS];
    size_t sum; /* so that nothing is optimized away */
} bench;

static void draw(bench *b)
{
    rng r = rng_stream(1, RNG_TEST, 7, 0, 0);
    for (int d = 0; d < DAGS; d++) {
        memset(&b->dags[d], 0, sizeof b->dags[d]);
        for (int v = 1; v < b->nodes; v++) {
            for (int u = 0; u < v; u++) {
                if (rng_below(&r, 2)) pdag_direct(&b->dags[d], u, v);
            }
        }
        oracle_view_make(&b->views[d], &b->dags[d], b->nodes, mask_all(b->nodes), b->nodes - 1);
        oracle_target_outcomes(&b->outcomes[d], &b->dags[d], b->nodes,
                               (int)rng_below(&r, (uint64_t)b->nodes), b->nodes - 1);
        b->views[d].outcomes = &b->outcomes[d];
    }
}

/* One pass over a DAG; returns how many checks it was. */
typedef size_t (*pass)(bench *b, int d, int argument);

static void report(bench *b, const char *what, pass body, int argument)
{
    size_t checks = 0;
    double start = seconds(), now = start;
    while (now - start < b->most) {
        for (int d = 0; d < DAGS; d++) checks += body(b, d, argument);
        now = seconds();
    }
    printf("%s,%d,%.0f\n", what, b->nodes, (double)checks / (now - start));
}

static size_t pass_masks(bench *b, int d, int argument)
{
    size_t checks = 0;
    (void)argument;
    for (int x = 0; x < b->nodes; x++) {
        for (uint32_t z = 0; z < 1u << b->nodes; z++) {
            if (mask_has(z, x)) continue;
            b->sum += oracle_connected(&b->dags[d], b->nodes, x, z);
            checks += (size_t)(b->nodes - 1 - mask_count(z)); /* the pairs (x, y) it answers */
        }
    }
    return checks;
}

static size_t pass_large(bench *b, int d, int argument)
{
    size_t checks = 0;
    (void)argument;
    for (int x = 0; x < b->nodes; x++) {
        for (bits_word z = 0; z < (bits_word)1 << b->nodes; z++) {
            bits_word from = (bits_word)1 << x, connected;
            if (z & from) continue;
            dsep_connected(&connected, b->large[d], &from, &z, b->work);
            b->sum += connected;
            checks += (size_t)(b->nodes - 1 - mask_count((uint32_t)z));
        }
    }
    return checks;
}

static size_t pass_outcomes(bench *b, int d, int argument)
{
    (void)argument;
    oracle_outcomes o;
    oracle_target_outcomes(&o, &b->dags[d], b->nodes, d % b->nodes, b->nodes - 1);
    b->sum += o.words[0];
    return (size_t)b->nodes << (b->nodes - 1);
}

static size_t pass_local(bench *b, int d, int argument)
{
    (void)argument;
    local_graph local;
    oracle_local_graph(&local, &b->dags[d], b->nodes, mask_all(b->nodes));
    b->sum += local.neighbours[0];
    return 1;
}

static size_t pass_descendants(bench *b, int d, int argument)
{
    (void)argument;
    for (int v = 0; v < b->nodes; v++) {
        b->sum += definite_descendants(&b->views[d].view.local[0], b->nodes, v);
    }
    return (size_t)b->nodes;
}

static bool count(void *context, const certificate *c)
{
    *(size_t *)context += c->source;
    return true;
}

static size_t pass_rule(bench *b, int d, int rule)
{
    rule_apply((rule_kind)rule, &b->views[d].view, count, &b->sum);
    return 1;
}

static bool make_large(bench *b)
{
    if (graph_work_alloc(&b->work, (size_t)b->nodes) != SCONE_OK) return false;
    for (int d = 0; d < DAGS; d++) {
        if (graph_alloc(&b->large[d], (size_t)b->nodes) != SCONE_OK) return false;
        for (int v = 0; v < b->nodes; v++) {
            MASK_FOR(u, b->dags[d].parents[v]) graph_direct(b->large[d], (size_t)u, (size_t)v);
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static bench b;
    int code = 1;
    b.nodes = argc > 1 ? atoi(argv[1]) : 6;
    b.most = argc > 2 ? atof(argv[2]) : 1;
    if (b.nodes < 2 || b.nodes > ORACLE_MOST_NODES) return 2;
    draw(&b);
    if (!make_large(&b)) goto cleanup;
    printf("what,nodes,per_second_per_core\n");
    report(&b, "d-separations of pairs on masks", pass_masks, 0);
    report(&b, "d-separations of pairs by graph/dsep.h", pass_large, 0);
    report(&b, "outcomes Inv(v|Z)", pass_outcomes, 0);
    report(&b, "local graphs", pass_local, 0);
    report(&b, "definite descendants of a node", pass_descendants, 0);
    for (int rule = 0; rule < RULE_KINDS; rule++) {
        char what[64];
        (void)snprintf(what, sizeof what, "views searched by %s", rule_name((rule_kind)rule));
        report(&b, what, pass_rule, rule);
    }
    code = b.sum == 0; /* cannot be */
cleanup:
    if (code) fprintf(stderr, "%s\n", scone_error_message());
    for (int d = 0; d < DAGS; d++) scone_graph_free(b.large[d]);
    graph_work_free(b.work);
    return code;
}
