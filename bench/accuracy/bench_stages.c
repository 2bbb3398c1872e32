/* bench_stages.c - the three aggregates on simulated graphs (reasons/stages.h), without a model:
 * how many edges each directs, how many of these are right, and how long it takes.
 *
 *     bench_stages SETTING COUNT SEED LEARNERS[:LEARNERS..] RULES[:RULES..]
 *
 * The rules see the local graphs of the learners' votes; the graph whose neighbourhoods decide
 * which tests are made beforehand is the second aggregate. One line of CSV a graph, list of
 * learners and list of rules. "right" edges point as in the truth, "turned" the other way, "apart"
 * are none there. One thread; seconds are those of the processor, so that what else runs does not
 * count. */
#include "settings.h"

#include "model/tokens/token_make.h"
#include "reasons/reasons.h"

#include <time.h>

static const char *const stage_words[STAGES_MOST] = {"obs", "per", "ctr"};

static double seconds_of_work(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void print_head(void)
{
    (void)printf("setting,seed,graph,learners,rules,true_edges,local_graphs,hopeless,opened,tests,"
                 "certificates,vote_seconds,stage_seconds,rule_seconds");
    for (int s = 0; s < STAGES_MOST; s++) {
        const char *w = stage_words[s];
        (void)printf(",%s_right,%s_turned,%s_apart,%s_undirected,%s_skipped", w, w, w, w, w);
    }
    (void)printf("\n");
}

static void print_stage(const stage_result *s, const graph *truth)
{
    size_t right = 0, turned = 0, apart = 0, n = truth->nodes;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (!graph_directed(s->graph, i, j)) continue;
            right += graph_directed(truth, i, j);
            turned += graph_directed(truth, j, i);
            apart += !graph_adjacent(truth, i, j);
        }
    }
    (void)printf(",%zu,%zu,%zu,%zu,%zu", right, turned, apart, graph_count_undirected(s->graph),
                 s->skipped);
}

/* What the rules say about the observational graph. */
static void find_rules(reasons *found, const stage_list *s, const local_graphs *local,
                       const scone_pair *pair, const char *rules, const scone_context *c)
{
    data_source *data;
    const graph *second = s->list[STAGES_PER_REGIME].graph;
    size_t n = second->nodes;
    double *p = calloc(n * n, sizeof *p);
    reasons_request request = {.found = second,
                               .local = local,
                               .other = s->list[STAGES_OBSERVATIONAL].graph,
                               .levels = literals_usual};
    if (!p) exit(4);
    for (size_t i = 0; i < n * n; i++) {
        p[i] = graph_directed(second, i / n, i % n)     ? 1.0
               : graph_undirected(second, i / n, i % n) ? 0.5
                                                        : 0.0;
    }
    request.probabilities = p;
    require(reasons_parse_rules(&request.rules, rules));
    require(literals_data_alloc(&data, pair, 0, DATA_SOURCE_ROWS, c));
    request.source = literals_data_use(data);
    require(reasons_find(found, &request, c));
    literals_data_free(data);
    free(p);
}

static void run_rules(const scone_problem *problem, const local_graphs *local, const char *head,
                      const char *rules, double seconds, const scone_context *c)
{
    stage_list s;
    reasons found;
    const scone_pair *pair = scone_problem_pair(problem);
    const graph *truth = scone_problem_graph(problem);
    double started = seconds_of_work();
    require(stages_observe(&s, pair, NULL, c));
    require(stages_locals(&s, local, NULL));
    double staged = seconds_of_work();
    find_rules(&found, &s, local, pair, rules, c);
    require(stages_next(&s, found.directions, found.direction_count, NULL));
    (void)printf("%s,%s,%zu,%zu,%zu,%zu,%zu,%zu,%.4f,%.4f,%.4f", head, rules,
                 scone_graph_edges(truth), local->count, local->hopeless, local->opened,
                 found.tested, found.direction_count, seconds, staged - started,
                 seconds_of_work() - staged);
    for (size_t k = 0; k < s.count; k++) print_stage(&s.list[k], truth);
    (void)printf("\n");
    (void)fflush(stdout);
    reasons_free(&found);
    stages_free(&s);
}

static void run_learners(const scone_problem *problem, const char *head, const char *learners,
                         const char *lists, const scone_context *c)
{
    token_options options = token_defaults;
    tokens *t;
    ensemble_locals *locals;
    local_graphs local;
    char row[160];
    double started = seconds_of_work();
    require(learner_parse(&options.learners, learners, strlen(learners)));
    const scone_pair *pair = scone_problem_pair(problem);
    require(token_make_locals(&t, &locals, pair, NULL, &options, c));
    require(local_graphs_make(&local, locals));
    double seconds = seconds_of_work() - started;
    (void)snprintf(row, sizeof row, "%s,%s", head, learners);
    for (const char *l = lists; *l; l += strcspn(l, ":"), l += *l == ':') {
        char rules[64];
        (void)snprintf(rules, sizeof rules, "%.*s", (int)strcspn(l, ":"), l);
        run_rules(problem, &local, row, rules, seconds, c);
    }
    local_graphs_free(&local);
    ensemble_locals_free(locals);
    tokens_free(t);
}

int main(int argc, char **argv)
{
    const scone_context context = {.threads = 1};
    scone_setting setting;
    if (argc != 6) {
        (void)fprintf(stderr, "bench_stages SETTING COUNT SEED LEARNERS RULES\n");
        return 2;
    }
    setting_read(&setting, argv[1]);
    setting.seed = strtoull(argv[3], NULL, 10);
    print_head();
    for (size_t g = 0; g < strtoul(argv[2], NULL, 10); g++) {
        scone_problem *problem;
        require(scone_simulate(&problem, &setting, g, &context));
        for (const char *l = argv[4]; *l; l += strcspn(l, ":"), l += *l == ':') {
            char learners[32], head[96];
            (void)snprintf(learners, sizeof learners, "%.*s", (int)strcspn(l, ":"), l);
            (void)snprintf(head, sizeof head, "%s,%s,%zu", argv[1], argv[3], g);
            run_learners(problem, head, learners, argv[5], &context);
        }
        scone_problem_free(problem);
    }
    return 0;
}
