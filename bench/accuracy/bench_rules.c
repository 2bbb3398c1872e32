/* bench_rules.c - what the orientation rules add, and how often they are right
 * (docs/methods/reasons.md).
 *
 *     bench_rules linear|SETTING COUNT SEED METHOD[,METHOD...] RULES[:RULES...]
 *
 * For every graph, method and list of rules one CSV row: scores of the result, and the certificates
 * by rule: right, turned round, or between variables without an edge in the truth. RULES has no
 * commas. `linear` is the linear Gaussian setting of 10 nodes, 10 edges, 10,000 rows and targets
 * with probability 0.4. The method `class` gives the rules the CPDAG of the truth. Variables stand
 * in the order of their names.
 */
#include "graph/graph_cpdag.h"
#include "discover/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(scone_status status)
{
    if (status == SCONE_OK) return;
    (void)fprintf(stderr, "bench_rules: %s\n", scone_error_message());
    exit((int)status);
}

enum { RIGHT, TURNED, APART, KINDS };

static int judge(const reason *r, const graph *truth)
{
    if (graph_directed(truth, r->from, r->to)) return RIGHT;
    return graph_directed(truth, r->to, r->from) ? TURNED : APART;
}

/* Directions that certificates settle (each once), and certificates by rule. */
static void print_certificates(const reasons *found, const graph *truth)
{
    size_t by_rule[RULE_KINDS][KINDS] = {{0}}, directions[KINDS] = {0}, outcomes[7][KINDS] = {{0}};
    for (size_t i = 0; i < found->count; i++) {
        const reason *r = &found->list[i];
        bool first = true;
        for (size_t b = 0; b < i; b++) {
            first &= found->list[b].from != r->from || found->list[b].to != r->to;
        }
        int verdict = judge(r, truth);
        by_rule[r->certificate.rule][verdict]++;
        if (first) outcomes[r->outcome][verdict]++;
        if (first) directions[verdict]++;
        if (getenv("BENCH_RULES_LIST")) {
            (void)fprintf(stderr, "cert %d %s weight %.2f learner %.2f outcome %d witness %d\n",
                          verdict, rule_name(r->certificate.rule), r->weight, r->learner,
                          (int)r->outcome, __builtin_popcount(r->certificate.witness));
        }
    }
    for (int k = 0; k < KINDS; k++) (void)printf(",%zu", directions[k]);
    for (int rule = 0; rule < RULE_KINDS; rule++) {
        for (int k = 0; k < KINDS; k++) (void)printf(",%zu", by_rule[rule][k]);
    }
    for (int o = 0; o < 7; o++) {
        for (int k = 0; k < KINDS; k++) (void)printf(",%zu", outcomes[o][k]);
    }
    (void)printf("\n");
}

static void print_head(void)
{
    static const char *const ends[KINDS] = {"right", "turned", "apart"};
    static const char *const outcomes[7] = {"agrees",  "orients", "turns", "overruled",
                                            "opposed", "known",   "cycle"};
    (void)printf("setting,seed,graph,method,rules,shd,precision,recall,f1,skeleton_f1,edges,"
                 "undirected,tests,rule_seconds,seconds");
    for (int k = 0; k < KINDS; k++) (void)printf(",directions_%s", ends[k]);
    for (int rule = 0; rule < RULE_KINDS; rule++) {
        for (int k = 0; k < KINDS; k++) (void)printf(",%s_%s", rule_name((rule_kind)rule), ends[k]);
    }
    for (int o = 0; o < 7; o++) {
        for (int k = 0; k < KINDS; k++) (void)printf(",%s_%s", outcomes[o], ends[k]);
    }
    (void)printf("\n");
}

static void print_scores(const graph *found, const graph *truth, size_t tests, double rule_seconds,
                         double seconds)
{
    scone_scores s;
    must(scone_eval_graphs(&s, found, truth));
    (void)printf(",%g,%g,%g,%g,%g,%zu,%zu,%zu,%.4f,%.4f", s.shd, s.precision, s.recall, s.f1,
                 s.skeleton_f1, scone_graph_edges(found), graph_count_undirected(found), tests,
                 rule_seconds, seconds);
}

/* P(i -> j) by the method; `class` is the truth as far as one regime can tell it: its CPDAG. */
static void learn(double *p, const scone_problem *problem, const char *method,
                  const scone_context *c)
{
    const graph *truth = scone_problem_graph(problem);
    size_t n = truth->nodes;
    if (strcmp(method, "class") == 0) {
        graph *class;
        graph_work *work;
        must(graph_alloc(&class, n));
        must(graph_work_alloc(&work, n));
        if (!graph_cpdag(class, truth, work)) exit(5);
        for (size_t i = 0; i < n * n; i++) {
            p[i] = graph_directed(class, i / n, i % n)     ? 1.0
                   : graph_undirected(class, i / n, i % n) ? 0.5
                                                           : 0.0;
        }
        graph_work_free(work);
        scone_graph_free(class);
        return;
    }
    const preset *one;
    preset_answer answer = {.probabilities = p,
                            .margins = calloc(n, sizeof *answer.margins),
                            .values = calloc(n * n, sizeof *answer.values)};
    const uint64_t hashes[2] = {0, 0}; /* no other search to tell this one from */
    preset_searched own = {0};
    must(preset_find(&one, method));
    const preset_request request = {.pair = scone_problem_pair(problem),
                                    .hashes = hashes,
                                    .searched = &own,
                                    .bootstrap = one->bootstrap[SCONE_EFFORT_NORMAL]};
    must(one->run(&answer, &request, c));
    preset_searched_clear(&own);
    free(answer.margins);
    free(answer.values);
}

static void run_rules(const double *learned, const scone_problem *problem, const char *rules,
                      double learn_seconds, const scone_context *c)
{
    const graph *truth = scone_problem_graph(problem);
    size_t n = truth->nodes;
    const decode_options how = {0.5, 0.2};
    double started = now();
    decoding d;
    reasoned with;
    reasons_options options = {.rows = DATA_SOURCE_ROWS};
    must(reasons_parse_rules(&options.rules, rules));
    must(decode(&d, learned, n, NULL, &how));
    must(reasons_give(&with, scone_problem_pair(problem), &d, learned, NULL, &how, &options, c));
    double seconds = now() - started;
    print_scores(with.decoded.graph, truth, with.reasons.tested, seconds, learn_seconds + seconds);
    print_certificates(&with.reasons, truth);
    reasoned_free(&with);
    decoding_free(&d);
}

static void run_graph(const scone_setting *setting, size_t index, const char *methods,
                      const char *lists, const scone_context *c)
{
    scone_problem *problem;
    must(scone_simulate(&problem, setting, index, c));
    size_t n = scone_graph_nodes(scone_problem_graph(problem));
    double *p = malloc(n * n * sizeof *p);
    if (!p) exit(4);
    for (const char *m = methods; *m; m += strcspn(m, ","), m += *m == ',') {
        char method[32], rules[64];
        double started = now();
        (void)snprintf(method, sizeof method, "%.*s", (int)strcspn(m, ","), m);
        memset(p, 0, n * n * sizeof *p);
        learn(p, problem, method, c);
        double seconds = now() - started;
        for (const char *l = lists; *l; l += strcspn(l, ":"), l += *l == ':') {
            (void)snprintf(rules, sizeof rules, "%.*s", (int)strcspn(l, ":"), l);
            (void)printf("%s,%llu,%zu,%s,%s", setting->name, (unsigned long long)setting->seed,
                         index, method, rules);
            run_rules(p, problem, rules, seconds, c);
            (void)fflush(stdout);
        }
    }
    free(p);
    scone_problem_free(problem);
}

int main(int argc, char **argv)
{
    const scone_context context = {.threads = 1};
    scone_setting setting;
    if (argc != 6) {
        (void)fprintf(stderr, "bench_rules linear|SETTING COUNT SEED METHODS RULES\n");
        return 2;
    }
    bool linear = strcmp(argv[1], "linear") == 0;
    must(scone_setting_named(&setting, linear ? "ood-20-20" : argv[1]));
    if (linear) {
        (void)snprintf(setting.name, sizeof setting.name, "linear");
        setting.nodes_min = setting.nodes_max = 10;
        setting.edges_min = setting.edges_max = 10.0;
        setting.edges_per_node = false;
        setting.families = SCONE_LINEAR;
        setting.samples = 10000;
        setting.p_target = 0.4;
    }
    setting.count = strtoul(argv[2], NULL, 10);
    setting.seed = strtoull(argv[3], NULL, 10);
    print_head();
    for (size_t g = 0; g < setting.count; g++) {
        run_graph(&setting, g, argv[4], argv[5], &context);
    }
    return 0;
}
